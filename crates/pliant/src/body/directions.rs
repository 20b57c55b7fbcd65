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

fn outward(grid: &Grid, coordinates: [usize; 3], difference: impl Fn(usize) -> DVec3) -> DVec3 {
    let mut sum = DVec3::ZERO;
    for d in 0..3 {
        if grid.periodic()[d] {
            continue;
        }
        let sign = if coordinates[d] == 0 {
            -1.0
        } else if coordinates[d] + 1 == grid.counts()[d] {
            1.0
        } else {
            continue;
        };
        let (a, b) = ((d + 1) % 3, (d + 2) % 3);
        sum += sign * difference(a).cross(difference(b)).normalize_or_zero();
    }
    sum
}
