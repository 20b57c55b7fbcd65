//! Where the blocks of an element are in a matrix.

use crate::linear::BlockMatrix;

/// The slots of the blocks between N nodes: `[row][column]`.
///
/// # Panics
/// If two of the nodes are not coupled in the matrix.
pub(super) fn element_slots<const N: usize>(
    matrix: &BlockMatrix,
    nodes: &[u32; N],
) -> [[u32; N]; N] {
    nodes.map(|row| nodes.map(|column| slot(matrix, row, column)))
}

/// The slot of one block.
///
/// # Panics
/// If the nodes are not coupled in the matrix.
pub(super) fn slot(matrix: &BlockMatrix, row: u32, column: u32) -> u32 {
    match matrix.slot(row as usize, column as usize) {
        Some(slot) => slot as u32,
        None => panic!("nodes {row} and {column} are not coupled"),
    }
}

/// Visits every pair of different nodes of an element once.
pub(super) fn visit_pairs(nodes: &[u32], visit: &mut dyn FnMut(usize, usize)) {
    for (place, &a) in nodes.iter().enumerate() {
        for &b in &nodes[..place] {
            visit(b as usize, a as usize);
        }
    }
}
