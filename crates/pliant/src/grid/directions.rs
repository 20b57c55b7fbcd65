//! Unit normals of surfaces and of the boundaries of solids, unit tangents of curves.
//!
//! ```text
//! n = (D_1 x) x (D_2 x) / |...|,   central differences, one-sided at free edges
//! ```
//!
//! A node on several sides of a solid has the mean of their normals, weighted by the area that it stands
//! for on each, which is what the products are: one-sided differences are half as long. So the rim of a
//! thin plate looks where its faces look. Nodes inside have none.
//! Implements: \[Terzopoulos1988\] eq. 6, \[Thesis2004\] sect. 3.7.

use super::Grid;
use crate::math::processor::for_this_processor;
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
        let last = columns - 1;
        for i in [0, last] {
            let along = here[(i + 1).min(last)] - here[i.saturating_sub(1)];
            target[i] = unit_normal(along, above[i] - below[i]);
        }
        if columns > 2 {
            let inner = 1..last;
            row_normals(
                [&here[..last - 1], &here[2..]],
                [&below[inner.clone()], &above[inner.clone()]],
                &mut target[inner],
            );
        }
    }
}

/// The unit vector across both; zero where there is none.
#[inline(always)]
fn unit_normal(along: DVec3, across: DVec3) -> DVec3 {
    let area = along.cross(across);
    let squared = area.length_squared();
    let size = if squared > f64::MIN_POSITIVE {
        1.0 / squared.sqrt()
    } else {
        0.0
    };
    area * size
}

for_this_processor! {
    /// Normals of nodes from those before and after them in both directions.
    fn row_normals(along: [&[DVec3]; 2], across: [&[DVec3]; 2], normals: &mut [DVec3]) {
        let along = along[1].iter().zip(along[0]);
        let across = across[1].iter().zip(across[0]);
        for ((normal, (after, before)), (above, below)) in normals.iter_mut().zip(along).zip(across) {
            *normal = unit_normal(*after - *before, *above - *below);
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
        sum += sign * difference(a).cross(difference(b));
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A plate of 4 x 4 cells of 0.25 m that is 0.01 m thick: the area of a corner of its upper face is
    /// a quarter of a cell, and half a cell's edge by half the thickness on each of two sides.
    #[test]
    fn normals_of_a_solid_are_weighted_by_area() {
        let grid = Grid::new(&[5, 5, 2], &[false; 3]);
        let size = DVec3::new(1.0, 1.0, 0.01);
        let nodes = grid.nodes();
        let place = |at| DVec3::from(grid.material_coordinates(at)) * size;
        let positions: Vec<DVec3> = nodes.map(place).collect();
        let mut directions = vec![DVec3::ZERO; positions.len()];
        surface_directions(&grid, &positions, &mut directions);
        let corner = directions[grid.index([4, 4, 1])];
        let (side, face) = (0.125 * 0.005, 0.125 * 0.125);
        let expected = DVec3::new(side, side, face).normalize();
        assert!((corner - expected).length() < 1e-12, "{corner}");
        let middle = directions[grid.index([2, 2, 0])];
        assert!((middle - DVec3::NEG_Z).length() < 1e-12, "{middle}");
    }
}
