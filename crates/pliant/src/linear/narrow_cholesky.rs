//! Cholesky factorisation of 3x3 blocks for matrices that are narrow: those of curves and rods.
//!
//! ```text
//! A = L Lᵀ,   L_ij = (A_ij - Σ_k L_ik L_jkᵀ) L_jj⁻ᵀ,   first_i <= j < i
//! ```
//!
//! Nodes are put into an order in which neighbours stand near each other (Cuthill and McKee, reversed), so that
//! each row is filled from its first block on (its profile) and needs no pattern. A factor of a library that
//! finds its way through any pattern takes several times as long, since rows are so short.
//!
//! Implements: \[Terzopoulos1988\] section 5, the direct method with profile storage.

use super::method::{BlockMethod, Goal};
use super::{BlockMatrix, LinearError};
use glam::{DMat3, DVec3};

/// The most blocks below the diagonal that rows of a narrow matrix have in the mean.
const WIDEST: usize = 8;

/// A block that the matrix does not have.
const NONE: u32 = u32::MAX;

/// A factorisation and the memory to repeat it; see the module.
pub(crate) struct NarrowCholesky {
    /// The node at each place.
    order: Vec<u32>,
    /// The first column of each row, as a place.
    first: Vec<u32>,
    /// Where the blocks of each row begin, and the number of blocks.
    starts: Vec<u32>,
    /// Where each block is in the matrix.
    sources: Vec<u32>,
    /// L below the diagonal.
    blocks: Vec<DMat3>,
    /// L_ii⁻¹.
    inverses: Vec<DMat3>,
    /// A right-hand side in the order of places.
    ordered: Vec<DVec3>,
}

impl NarrowCholesky {
    /// Memory for matrices with the pattern of `matrix`; nothing if it is not narrow.
    pub(crate) fn new(matrix: &BlockMatrix) -> Option<Self> {
        let count = matrix.node_count();
        let order = reversed_cuthill_mckee(matrix);
        let mut place_of = vec![0; count];
        for (place, &node) in (0..).zip(&order) {
            place_of[node as usize] = place;
        }
        let (mut first, mut starts) = (Vec::with_capacity(count), vec![0]);
        let mut size = 0;
        for (place, &node) in (0..).zip(&order) {
            let columns = matrix.row_range(node as usize);
            let places = columns.map(|slot| place_of[matrix.column(slot)]);
            let lowest = places.fold(place, u32::min);
            first.push(lowest);
            size += place - lowest;
            starts.push(size);
        }
        if size as usize > WIDEST * count {
            return None;
        }
        let mut sources = vec![NONE; size as usize];
        for (place, &node) in order.iter().enumerate() {
            for slot in matrix.row_range(node as usize) {
                let other = place_of[matrix.column(slot)];
                if (other as usize) < place {
                    sources[(starts[place] + other - first[place]) as usize] = slot as u32;
                }
            }
        }
        Some(Self {
            blocks: vec![DMat3::ZERO; sources.len()],
            inverses: vec![DMat3::ZERO; count],
            ordered: vec![DVec3::ZERO; count],
            order,
            first,
            starts,
            sources,
        })
    }

    /// The first column of a row and its blocks.
    fn row(&self, row: usize) -> (usize, &[DMat3]) {
        let range = self.starts[row] as usize..self.starts[row + 1] as usize;
        (self.first[row] as usize, &self.blocks[range])
    }

    /// Fills a row of the factor, with all rows above in place.
    fn factorise_row(&mut self, matrix: &BlockMatrix, row: usize) -> Result<(), LinearError> {
        let node = self.order[row] as usize;
        let (start, first) = (self.starts[row] as usize, self.first[row] as usize);
        let mut diagonal = *matrix.block(matrix.diagonal_slot(node));
        let (above, rest) = self.blocks.split_at_mut(start);
        for column in first..row {
            let place = column - first;
            let source = self.sources[start + place];
            let mut sum = match source {
                NONE => DMat3::ZERO,
                slot => *matrix.block(slot as usize),
            };
            let (other_start, other_first) =
                (self.starts[column] as usize, self.first[column] as usize);
            let common = first.max(other_first);
            let of_row = &rest[common - first..place];
            let of_column = &above[other_start + common - other_first..];
            for (left, right) in of_row.iter().zip(of_column) {
                sum -= *left * right.transpose();
            }
            let block = sum * self.inverses[column].transpose();
            diagonal -= block * block.transpose();
            rest[place] = block;
        }
        match inverse_of_root(&diagonal) {
            Some(inverse) => self.inverses[row] = inverse,
            None if diagonal.is_finite() => {
                return Err(LinearError::NotPositiveDefinite { row: node });
            }
            None => return Err(LinearError::NotFinite),
        }
        Ok(())
    }
}

impl BlockMethod for NarrowCholesky {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        (0..self.order.len()).try_for_each(|row| self.factorise_row(matrix, row))
    }

    fn solve(
        &mut self,
        _matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        _goal: Goal,
    ) -> Result<usize, LinearError> {
        let mut ordered = std::mem::take(&mut self.ordered);
        for (row, &node) in self.order.iter().enumerate() {
            let (first, blocks) = self.row(row);
            let mut sum = rhs[node as usize];
            for (block, known) in blocks.iter().zip(&ordered[first..]) {
                sum -= *block * *known;
            }
            ordered[row] = self.inverses[row] * sum;
        }
        for (row, &node) in self.order.iter().enumerate().rev() {
            let found = transposed_times(&self.inverses[row], ordered[row]);
            x[node as usize] = found;
            let (first, blocks) = self.row(row);
            for (block, left) in blocks.iter().zip(&mut ordered[first..]) {
                *left -= transposed_times(block, found);
            }
        }
        self.ordered = ordered;
        Ok(0)
    }

    fn is_direct(&self) -> bool {
        true
    }
}

/// Aᵀ v.
fn transposed_times(a: &DMat3, v: DVec3) -> DVec3 {
    DVec3::new(a.x_axis.dot(v), a.y_axis.dot(v), a.z_axis.dot(v))
}

/// L⁻¹ of a block A = L Lᵀ; nothing if it is not positive definite.
fn inverse_of_root(a: &DMat3) -> Option<DMat3> {
    let root = |square: f64| (square > 0.0 && square.is_finite()).then(|| 1.0 / square.sqrt());
    let i = root(a.x_axis.x)?;
    let (yx, zx) = (a.x_axis.y * i, a.x_axis.z * i);
    let j = root(a.y_axis.y - yx * yx)?;
    let zy = (a.y_axis.z - zx * yx) * j;
    let k = root(a.z_axis.z - zx * zx - zy * zy)?;
    let below = -yx * i * j;
    Some(DMat3::from_cols(
        DVec3::new(i, below, -(zx * i + zy * below) * k),
        DVec3::new(0.0, j, -zy * j * k),
        DVec3::new(0.0, 0.0, k),
    ))
}

/// The nodes in an order in which neighbours stand near each other.
fn reversed_cuthill_mckee(matrix: &BlockMatrix) -> Vec<u32> {
    let count = matrix.node_count();
    let mut order = Vec::with_capacity(count);
    let mut is_listed = vec![false; count];
    for node in 0..count {
        if is_listed[node] {
            continue;
        }
        // From an end of what is connected: of the nodes farthest from any, and from there again.
        let mut end = node;
        for _ in 0..2 {
            let begin = order.len();
            list_by_distance(matrix, end, &mut order, &mut is_listed);
            if let Some(&last) = order.last() {
                end = last as usize;
            }
            for node in order.drain(begin..) {
                is_listed[node as usize] = false;
            }
        }
        list_by_distance(matrix, end, &mut order, &mut is_listed);
    }
    order.reverse();
    order
}

/// Lists what is connected with a node by its distance, of equal ones those of fewer neighbours first.
fn list_by_distance(
    matrix: &BlockMatrix,
    start: usize,
    order: &mut Vec<u32>,
    is_listed: &mut [bool],
) {
    let mut next = order.len();
    order.push(start as u32);
    is_listed[start] = true;
    while next < order.len() {
        let begin = order.len();
        for slot in matrix.row_range(order[next] as usize) {
            let other = matrix.column(slot);
            if !is_listed[other] {
                is_listed[other] = true;
                order.push(other as u32);
            }
        }
        order[begin..].sort_by_key(|&node| matrix.row_range(node as usize).len());
        next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::super::cholesky::Cholesky;
    use super::super::test_systems::{block_noise, noise_vectors};
    use super::*;

    const GOAL: Goal = Goal {
        residual: 0.0,
        iterations: 0,
    };

    /// Random blocks between some nodes, with diagonals that outweigh them.
    fn coupled(count: usize, pairs: &[(usize, usize)]) -> BlockMatrix {
        let mut matrix = BlockMatrix::new(count, pairs.iter().copied());
        for (seed, &(a, b)) in pairs.iter().enumerate() {
            let block = block_noise(seed);
            for (row, column, block) in [(a, b, block), (b, a, block.transpose())] {
                let slot = matrix.slot(row, column).unwrap();
                matrix.add_at(slot, block);
            }
        }
        for row in 0..count {
            let size: f64 = matrix
                .row_range(row)
                .map(|slot| {
                    let block = matrix.block(slot).to_cols_array();
                    block.into_iter().map(f64::abs).sum::<f64>()
                })
                .sum();
            let slot = matrix.diagonal_slot(row);
            matrix.add_at(slot, DMat3::IDENTITY * (size + 0.1));
        }
        matrix
    }

    /// A rod whose frame points follow its nodes, a ring, and two curves that know nothing of each other.
    fn narrow() -> Vec<BlockMatrix> {
        let rod: Vec<(usize, usize)> = (0..29)
            .flat_map(|i| {
                [
                    (i, i + 1),
                    (i, 30 + i),
                    (i + 1, 30 + i),
                    (i, (i + 2).min(29)),
                ]
            })
            .filter(|(a, b)| a != b)
            .collect();
        let ring: Vec<(usize, usize)> = (0..24).map(|i| (i, (7 * i + 7) % 24)).collect();
        let ring: Vec<(usize, usize)> = ring.into_iter().filter(|(a, b)| a != b).collect();
        let two: Vec<(usize, usize)> = (0..9).chain(10..19).map(|i| (i, i + 1)).collect();
        vec![coupled(59, &rod), coupled(24, &ring), coupled(20, &two)]
    }

    #[test]
    fn it_solves_as_the_library_does() {
        for matrix in narrow() {
            let mut narrow = NarrowCholesky::new(&matrix).expect("it is narrow");
            let mut library = Cholesky::for_blocks(&matrix, None);
            let rhs = noise_vectors(matrix.node_count());
            let solve = |solver: &mut dyn BlockMethod| {
                let mut x = vec![DVec3::ZERO; rhs.len()];
                solver.prepare(&matrix).unwrap();
                solver.solve(&matrix, &rhs, &mut x, GOAL).unwrap();
                x
            };
            let (found, wanted) = (solve(&mut narrow), solve(&mut library));
            for (found, wanted) in found.iter().zip(&wanted) {
                assert!(found.distance(*wanted) < 1e-12 * (1.0 + wanted.length()));
            }
        }
    }

    #[test]
    fn what_is_not_positive_definite_is_refused() {
        for mut matrix in narrow() {
            let mut solver = NarrowCholesky::new(&matrix).expect("it is narrow");
            let slot = matrix.diagonal_slot(7);
            matrix.add_at(slot, DMat3::from_diagonal(DVec3::new(0.0, -1e3, 0.0)));
            let refused = solver.prepare(&matrix);
            assert!(matches!(
                refused,
                Err(LinearError::NotPositiveDefinite { .. })
            ));
            matrix.add_at(slot, DMat3::from_diagonal(DVec3::splat(f64::NAN)));
            assert_eq!(solver.prepare(&matrix), Err(LinearError::NotFinite));
        }
    }

    #[test]
    fn what_is_wide_is_left_to_others() {
        let all: Vec<(usize, usize)> = (0..40).flat_map(|a| (0..a).map(move |b| (a, b))).collect();
        assert!(NarrowCholesky::new(&coupled(40, &all)).is_none());
    }
}
