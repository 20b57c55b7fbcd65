//! What bodies on grids take in memory.

use crate::body::{BodyDescription, Footprint};
use crate::grid::Grid;
use crate::linear::Couplings;

/// Bytes that a node of a grid takes, beside factors, with a matrix of 3 x 3 blocks or without.
pub fn bytes_per_grid_node(dimension: usize, has_blocks: bool) -> f64 {
    match (dimension, has_blocks) {
        (1, false) => 1_500.0,
        (1, true) => 3_000.0,
        (2, true) => 7_500.0,
        (_, false) => 2_400.0,
        (_, true) => 6_700.0,
    }
}

/// What a body takes in memory, whose matrix has 3 x 3 blocks or is scalar.
pub(super) fn of_grid(description: &BodyDescription, has_blocks: bool) -> Footprint {
    let each = bytes_per_grid_node(description.material_grid().dimension(), has_blocks);
    Footprint::new(description, has_blocks, false, each, "a smaller grid")
}

/// Nodes of a grid that a stencil couples: two apart along curves and surfaces, which bend, one
/// apart in solids.
pub(super) fn couplings(grid: &Grid) -> Option<Couplings> {
    let reach: i32 = if grid.dimension() == 3 { 1 } else { 2 };
    let span = |direction: usize| {
        let reach = if direction < grid.dimension() {
            reach
        } else {
            0
        };
        -reach..=reach
    };
    let mut couplings = Couplings {
        starts: vec![0],
        neighbours: Vec::new(),
    };
    for coordinates in grid.nodes() {
        for k in span(2) {
            for j in span(1) {
                for i in span(0) {
                    if let Some(other) = grid.neighbour(coordinates, [i, j, k]) {
                        couplings.neighbours.push(other as u32);
                    }
                }
            }
        }
        let end = u32::try_from(couplings.neighbours.len()).ok()?;
        couplings.starts.push(end);
    }
    Some(couplings)
}
