//! Unit normals of surfaces and of the boundaries of solids, unit tangents of curves.
//!
//! ```text
//! n = (D_1 x) x (D_2 x) / |...|,   central differences, one-sided at free edges
//! ```
//!
//! A node on several sides of a solid has the mean of their normals; nodes inside have none.
//! Implements: \[Terzopoulos1988\] eq. 6, \[Thesis2004\] sect. 3.7.

use super::Grid;
use glam::DVec3;

/// Fills `directions` with one unit vector a node (zero inside a solid).
pub fn surface_directions(grid: &Grid, positions: &[DVec3], directions: &mut [DVec3]) {
    if grid.dimension() == 2 && !grid.periodic().contains(&true) {
        return open_surface_normals(grid, positions, directions);
    }
    for (node, direction) in directions.iter_mut().enumerate() {
        let coordinates = grid.coordinates(node);
        let difference = |d: usize| {
            let mut step = [0; 3];
            step[d] = 1;
            let after = grid.neighbour(coordinates, step).unwrap_or(node);
            step[d] = -1;
            let before = grid.neighbour(coordinates, step).unwrap_or(node);
            positions[after] - positions[before]
        };
        *direction = match grid.dimension() {
            1 => difference(0),
            2 => difference(0).cross(difference(1)),
            _ => outward(grid, coordinates, difference),
        }
        .normalize_or_zero();
    }
}

/// The same without asking the grid for each neighbour.
fn open_surface_normals(grid: &Grid, positions: &[DVec3], directions: &mut [DVec3]) {
    let [columns, rows, _] = grid.counts();
    for (j, target) in directions.chunks_exact_mut(columns).enumerate() {
        let row = |j: usize| &positions[j * columns..(j + 1) * columns];
        let (below, here, above) = (row(j.saturating_sub(1)), row(j), row((j + 1).min(rows - 1)));
        let across = above
            .iter()
            .zip(below)
            .map(|(above, below)| *above - *below);
        for (i, (normal, across)) in target.iter_mut().zip(across).enumerate() {
            let along = here[(i + 1).min(columns - 1)] - here[i.saturating_sub(1)];
            let area = along.cross(across);
            let squared = area.length_squared();
            *normal = if squared > f64::MIN_POSITIVE {
                area * (1.0 / squared.sqrt())
            } else {
                DVec3::ZERO
            };
        }
    }
}

fn outward(grid: &Grid, coordinates: [usize; 3], difference: impl Fn(usize) -> DVec3) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for (d, &at) in coordinates.iter().enumerate() {
        if grid.periodic()[d] {
            continue;
        }
        let sign = if at == 0 {
            -1.0
        } else if at + 1 == grid.counts()[d] {
            1.0
        } else {
            continue;
        };
        let (a, b) = ((d + 1) % 3, (d + 2) % 3);
        sum += sign * difference(a).cross(difference(b)).normalize_or_zero();
    }
    sum
}
