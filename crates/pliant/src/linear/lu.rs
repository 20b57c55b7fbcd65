//! Sparse LU factorisation P A Q = L U with row pivoting, for any regular matrix.
//!
//! The order of the columns is found once for a pattern; taking in new numbers repeats the numeric
//! part, which finds the pivots anew. The factorisation itself is that of the library faer.

use super::compressed::{Compressed, Part};
use super::direct::Direct;
use super::{BlockMatrix, GridMatrix, LinearError};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu,
};
use faer::{Conj, MatMut, Par};

/// A factorisation and the memory to repeat it; see the module.
pub(crate) struct Lu {
    matrix: Compressed,
    symbolic: Option<SymbolicLu<u32>>,
    numeric: NumericLu<u32, f64>,
    memory: MemBuffer,
    /// Unknowns a node: 1 for scalar, 3 for block matrices.
    unknowns_per_node: usize,
    /// Right-hand sides solved together.
    columns: usize,
    flat: Vec<f64>,
}

impl Lu {
    /// For a scalar matrix over grid nodes.
    pub(crate) fn for_grid(matrix: &GridMatrix) -> Self {
        Self::new(Compressed::of_grid(matrix, Part::Columns), 1, 3)
    }

    /// For a block matrix.
    pub(crate) fn for_blocks(matrix: &BlockMatrix) -> Self {
        Self::new(Compressed::of_blocks(matrix, Part::Columns), 3, 1)
    }

    fn new(matrix: Compressed, unknowns_per_node: usize, columns: usize) -> Self {
        let symbolic = factorize_symbolic_lu(matrix.pattern(), LuSymbolicParams::default()).ok();
        let request = symbolic.as_ref().map_or(StackReq::EMPTY, |symbolic| {
            let numeric =
                symbolic.factorize_numeric_lu_scratch::<f64>(Par::Seq, Default::default());
            numeric.or(symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq))
        });
        Self {
            flat: vec![0.0; matrix.line_count() * columns],
            matrix,
            symbolic,
            numeric: NumericLu::new(),
            memory: MemBuffer::new(request),
            unknowns_per_node,
            columns,
        }
    }

    /// A singular matrix leaves a zero pivot, which a trial solve turns into an infinity.
    fn check_pivots(&mut self) -> Result<(), LinearError> {
        let mut flat = std::mem::take(&mut self.flat);
        flat.fill(1.0);
        let solved = self.solve_in_place(&mut flat);
        let infinite = flat.iter().position(|value| !value.is_finite());
        self.flat = flat;
        solved?;
        match infinite {
            Some(unknown) => Err(LinearError::Singular {
                row: unknown % self.matrix.line_count() / self.unknowns_per_node,
            }),
            None => Ok(()),
        }
    }
}

impl Direct for Lu {
    fn factorise(&mut self) -> Result<(), LinearError> {
        if self.matrix.values.iter().any(|value| !value.is_finite()) {
            return Err(LinearError::NotFinite);
        }
        let too_large = LinearError::TooLarge {
            unknowns: self.matrix.line_count(),
        };
        let symbolic = self.symbolic.as_ref().ok_or(too_large)?;
        let matrix = SparseColMatRef::new(self.matrix.pattern(), &self.matrix.values);
        let result = symbolic.factorize_numeric_lu(
            &mut self.numeric,
            matrix,
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        match result {
            Ok(_) => self.check_pivots(),
            Err(LuError::SymbolicSingular { index }) => Err(LinearError::Singular {
                row: index / self.unknowns_per_node,
            }),
            Err(LuError::Generic(_)) => Err(too_large),
        }
    }

    fn solve_in_place(&mut self, x: &mut [f64]) -> Result<(), LinearError> {
        let symbolic = self.symbolic.as_ref().ok_or(LinearError::NotPrepared)?;
        LuRef::new_unchecked(symbolic, &self.numeric).solve_in_place_with_conj(
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
