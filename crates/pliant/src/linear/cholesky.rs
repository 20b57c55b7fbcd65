//! Sparse Cholesky factorisation A = L L^T.
//!
//! The order of elimination and the pattern of L are found once for a pattern of A; taking in new
//! numbers repeats only the numeric part, in memory kept from the first time. Grids are ordered by
//! nested dissection, other patterns by approximate minimum degree.
//!
//! Implements: the direct method of \[Terzopoulos1988\] section 5. Departure: nested dissection
//! instead of profile storage; the factorisation itself is that of the library faer.

use super::compressed::{Compressed, Part};
use super::direct::Direct;
use super::nested_dissection::nested_dissection;
use super::{BlockMatrix, GridMatrix, LinearError};
use crate::grid::Grid;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Conj, MatMut, Par, Side};

/// When the factor is worked on in dense blocks: earlier than the library would, which halved the
/// time for surfaces of 32 by 32 nodes.
const SUPERNODAL_THRESHOLD: SupernodalThreshold = SupernodalThreshold(0.25);

/// A factorisation and the memory to repeat it; see the module.
pub(crate) struct Cholesky {
    matrix: Compressed,
    symbolic: Option<SymbolicCholesky<u32>>,
    factor: Vec<f64>,
    memory: MemBuffer,
    /// Unknowns a node: 1 for scalar, 3 for block matrices.
    unknowns_per_node: usize,
    /// Right-hand sides solved together.
    columns: usize,
    flat: Vec<f64>,
}

impl Cholesky {
    /// For a scalar matrix over grid nodes.
    pub(crate) fn for_grid(matrix: &GridMatrix) -> Self {
        let order = nested_dissection(matrix.grid(), matrix.reach());
        let pattern = Compressed::of_grid(matrix, Part::LowerColumns);
        Self::new(pattern, Some(order), 1, 3)
    }

    /// For a block matrix, whose nodes may be those of a grid.
    pub(crate) fn for_blocks(matrix: &BlockMatrix, grid: Option<&Grid>) -> Self {
        let order = grid
            .filter(|grid| grid.node_count() == matrix.node_count())
            .map(|grid| {
                let mut order = Vec::with_capacity(3 * matrix.node_count());
                for node in nested_dissection(grid, block_reach(matrix, grid)) {
                    order.extend([3 * node, 3 * node + 1, 3 * node + 2]);
                }
                order
            });
        let pattern = Compressed::of_blocks(matrix, Part::LowerColumns);
        Self::new(pattern, order, 3, 1)
    }

    fn new(
        matrix: Compressed,
        order: Option<Vec<usize>>,
        unknowns_per_node: usize,
        columns: usize,
    ) -> Self {
        let symbolic = analyse(&matrix, order);
        let (length, request) = symbolic.as_ref().map_or((0, StackReq::EMPTY), |symbolic| {
            let numeric =
                symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
            let solve = symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq);
            (symbolic.len_val(), numeric.or(solve))
        });
        let flat_length = if unknowns_per_node == 3 {
            matrix.line_count()
        } else {
            0
        };
        Self {
            matrix,
            symbolic,
            factor: vec![0.0; length],
            memory: MemBuffer::new(request),
            unknowns_per_node,
            columns,
            flat: vec![0.0; flat_length],
        }
    }
}

impl Direct for Cholesky {
    fn factorise(&mut self) -> Result<(), LinearError> {
        let symbolic = self.symbolic.as_ref().ok_or(LinearError::TooLarge {
            unknowns: self.matrix.line_count(),
        })?;
        let matrix = SparseColMatRef::new(self.matrix.pattern(), &self.matrix.values);
        let result = symbolic.factorize_numeric_llt(
            &mut self.factor,
            matrix,
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        match result {
            Ok(_) => Ok(()),
            Err(LltError::NonPositivePivot { index }) => {
                if self.matrix.values.iter().any(|value| !value.is_finite()) {
                    return Err(LinearError::NotFinite);
                }
                // The library counts pivots in the order of elimination, from one where it works
                // entry by entry and from zero where it works in blocks.
                let pivot = match symbolic.raw() {
                    SymbolicCholeskyRaw::Simplicial(_) => index.saturating_sub(1),
                    SymbolicCholeskyRaw::Supernodal(_) => index,
                };
                let unknown = symbolic.perm().map_or(pivot, |perm| {
                    let forward = perm.arrays().0;
                    forward.get(pivot).map_or(pivot, |&row| row as usize)
                });
                Err(LinearError::NotPositiveDefinite {
                    row: unknown / self.unknowns_per_node,
                })
            }
        }
    }

    fn solve_in_place(&mut self, x: &mut [f64]) -> Result<(), LinearError> {
        let symbolic = self.symbolic.as_ref().ok_or(LinearError::NotPrepared)?;
        LltRef::new(symbolic, &self.factor).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(x, self.matrix.line_count(), self.columns),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        Ok(())
    }

    fn matrix(&mut self) -> &mut Compressed {
        &mut self.matrix
    }

    fn flat(&mut self) -> &mut Vec<f64> {
        &mut self.flat
    }
}

/// The order and the pattern of the factor; `None` if it does not fit in memory.
fn analyse(matrix: &Compressed, order: Option<Vec<usize>>) -> Option<SymbolicCholesky<u32>> {
    let forward: Option<Vec<u32>> =
        order.map(|order| order.into_iter().map(|node| node as u32).collect());
    let inverse = forward.as_ref().map(|forward| {
        let mut inverse = vec![0; forward.len()];
        for (position, &node) in forward.iter().enumerate() {
            inverse[node as usize] = position as u32;
        }
        inverse
    });
    let ordering = match (&forward, &inverse) {
        (Some(forward), Some(inverse)) => {
            SymmetricOrdering::Custom(PermRef::new_checked(forward, inverse, forward.len()))
        }
        _ => SymmetricOrdering::Amd,
    };
    let parameters = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SUPERNODAL_THRESHOLD,
        ..Default::default()
    };
    factorize_symbolic_cholesky(matrix.pattern(), Side::Lower, ordering, parameters).ok()
}

/// How far the blocks couple nodes of a grid in each direction.
fn block_reach(matrix: &BlockMatrix, grid: &Grid) -> [usize; 3] {
    let counts = grid.counts();
    let mut reach = [0; 3];
    for row in 0..matrix.node_count() {
        let here = grid.coordinates(row);
        for slot in matrix.row_range(row) {
            let there = grid.coordinates(matrix.column(slot));
            for d in 0..3 {
                let mut distance = here[d].abs_diff(there[d]);
                if grid.periodic()[d] {
                    distance = distance.min(counts[d] - distance);
                }
                reach[d] = reach[d].max(distance);
            }
        }
    }
    reach
}
