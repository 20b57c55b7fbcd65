//! Sparse LU factorisation P A Q = L U with row pivoting, for any regular matrix.
//!
//! The order of the columns is found once for a pattern; taking in new numbers repeats the numeric
//! part, which finds the pivots anew. The factorisation itself is that of the library faer.

use super::compressed::{Compressed, Part};
use super::method::{BlockMethod, Goal, GridMethod};
use super::{BlockMatrix, GridMatrix, LinearError};
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::lu::{
    LuRef, LuSymbolicParams, NumericLu, SymbolicLu, factorize_symbolic_lu,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par};
use glam::DVec3;

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
        let symbolic = factorize_symbolic_lu(pattern(&matrix), LuSymbolicParams::default()).ok();
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

    fn factorise(&mut self) -> Result<(), LinearError> {
        if self.matrix.values.iter().any(|value| !value.is_finite()) {
            return Err(LinearError::NotFinite);
        }
        let too_large = LinearError::TooLarge {
            unknowns: self.matrix.line_count(),
        };
        let symbolic = self.symbolic.as_ref().ok_or(too_large)?;
        let matrix = SparseColMatRef::new(pattern(&self.matrix), &self.matrix.values);
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

    /// A singular matrix leaves a zero pivot, which a trial solve turns into an infinity.
    fn check_pivots(&mut self) -> Result<(), LinearError> {
        self.flat.fill(1.0);
        self.solve_flat()?;
        match self.flat.iter().position(|value| !value.is_finite()) {
            Some(unknown) => Err(LinearError::Singular {
                row: unknown % self.matrix.line_count() / self.unknowns_per_node,
            }),
            None => Ok(()),
        }
    }

    /// Solves for the columns of `flat` in place.
    fn solve_flat(&mut self) -> Result<(), LinearError> {
        let symbolic = self.symbolic.as_ref().ok_or(LinearError::NotPrepared)?;
        let n = self.matrix.line_count();
        LuRef::new_unchecked(symbolic, &self.numeric).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(&mut self.flat, n, self.columns),
            Par::Seq,
            MemStack::new(&mut self.memory),
        );
        Ok(())
    }
}

fn pattern(matrix: &Compressed) -> SymbolicSparseColMatRef<'_, u32> {
    let n = matrix.line_count();
    SymbolicSparseColMatRef::new_checked(n, n, &matrix.starts, None, &matrix.indices)
}

impl GridMethod for Lu {
    fn prepare(&mut self, matrix: &GridMatrix) -> Result<(), LinearError> {
        self.matrix.refill_from_grid(matrix);
        self.factorise()
    }

    fn solve(
        &mut self,
        _matrix: &GridMatrix,
        rhs: &[f64],
        x: &mut [f64],
        _goal: Goal,
    ) -> Result<usize, LinearError> {
        self.flat.copy_from_slice(rhs);
        self.solve_flat()?;
        x.copy_from_slice(&self.flat);
        Ok(0)
    }

    fn is_direct(&self) -> bool {
        true
    }
}

impl BlockMethod for Lu {
    fn prepare(&mut self, matrix: &BlockMatrix) -> Result<(), LinearError> {
        self.matrix.refill_from_blocks(matrix);
        self.factorise()
    }

    fn solve(
        &mut self,
        _matrix: &BlockMatrix,
        rhs: &[DVec3],
        x: &mut [DVec3],
        _goal: Goal,
    ) -> Result<usize, LinearError> {
        for (flat, b) in self.flat.chunks_exact_mut(3).zip(rhs) {
            b.write_to_slice(flat);
        }
        self.solve_flat()?;
        for (x, flat) in x.iter_mut().zip(self.flat.chunks_exact(3)) {
            *x = DVec3::from_slice(flat);
        }
        Ok(0)
    }

    fn is_direct(&self) -> bool {
        true
    }
}
