//! Where the blocks of an element are in a matrix.

use crate::linear::BlockMatrix;
use glam::DMat3;

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

/// Adds the second derivatives of a function of three differences to the first of four nodes.
/// `blocks` are those of the differences 1-1, 1-2, 1-3, 2-2, 2-3 and 3-3; what the first node has
/// balances them.
#[inline]
pub(super) fn add_differences(
    matrix: &mut BlockMatrix,
    slots: &[[u32; 4]; 4],
    blocks: &[DMat3; 6],
) {
    let [b11, b12, b13, b22, b23, b33] = blocks;
    let first = [
        -(*b11 + b12.transpose() + b13.transpose()),
        -(*b12 + *b22 + b23.transpose()),
        -(*b13 + *b23 + *b33),
    ];
    matrix.add_at(slots[0][0] as usize, -(first[0] + first[1] + first[2]));
    for (j, block) in first.iter().enumerate() {
        add_mirrored(matrix, slots, 0, j + 1, block);
    }
    matrix.add_at(slots[1][1] as usize, *b11);
    matrix.add_at(slots[2][2] as usize, *b22);
    matrix.add_at(slots[3][3] as usize, *b33);
    add_mirrored(matrix, slots, 1, 2, b12);
    add_mirrored(matrix, slots, 1, 3, b13);
    add_mirrored(matrix, slots, 2, 3, b23);
}

#[inline]
fn add_mirrored(
    matrix: &mut BlockMatrix,
    slots: &[[u32; 4]; 4],
    row: usize,
    column: usize,
    block: &DMat3,
) {
    matrix.add_at(slots[row][column] as usize, *block);
    matrix.add_at(slots[column][row] as usize, block.transpose());
}
