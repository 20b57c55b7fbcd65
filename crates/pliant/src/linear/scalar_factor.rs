//! A scalar matrix that resembles a matrix of 3x3 blocks, factorised, for three right-hand sides at
//! a time.
//!
//! ```text
//! S_ij = tr A_ij / 3,     S = L Lᵀ
//! ```
//!
//! S is the mean of three principal parts of A, so it is positive definite where A is, and turning
//! the blocks of an element leaves it as it is: for corotated elements of Lamé's λ and µ it is the
//! constant matrix of masses and of (λ + 4µ)/3 times a Laplacian. So one factor serves all three
//! components and all steps.
//!
//! L is computed in `f64` and kept in 16 bits a number (the upper half of an `f32`: a sweep takes as
//! long as reading the factor, and to precondition three digits are enough) by panels: columns J that have the same rows I below
//! them are the dense block
//!
//! ```text
//! P = [ L_JJ⁻¹ ; -L_IJ L_JJ⁻¹ ]
//! forwards:   y_J = P_J b_J,   b_I += P_I b_J
//! backwards:  x_J = Pᵀ [ y_J ; x_I ]
//! ```
//!
//! so that both sweeps are products of dense blocks with a few vectors, without a division.

mod sweeps;

use super::compressed::Compressed;
use super::coordinate_dissection::coordinate_dissection;
use super::scalar_solver::ScalarSolver;
use super::{BlockMatrix, LinearError};
use crate::math::vector::PACK;
use faer::dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::linalg::cholesky::llt::factor::LltError;
use faer::perm::PermRef;
use faer::sparse::SparseColMatRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::supernodal::SupernodalLltRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::{Par, Side};
use glam::DVec3;
use sweeps::{first_pack, sweep};

/// Columns that are worked on together.
const COLUMNS: usize = 4;

/// The three components at a node and a filling number.
pub(crate) type Single = [f32; 4];
/// Eight numbers of as many rows.
type Rows = [f32; PACK];

/// Eight rows of four columns of the factor, one cache line: the upper halves of `f32`.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Stored([[u16; PACK]; COLUMNS]);

/// A factor and the memory to repeat it; see the module.
pub(crate) struct ScalarFactor {
    matrix: Compressed,
    /// Where each entry of `matrix` is in the block matrix.
    sources: Vec<u32>,
    symbolic: SymbolicCholesky<u32>,
    factor: Vec<f64>,
    memory: MemBuffer,
    panels: Vec<Panel>,
    values: Vec<Stored>,
    /// A panel before it is stored.
    panel: Vec<f32>,
    /// The rows of each panel, filled up to whole packs by the row after the last.
    rows: Vec<u32>,
    room: Vec<[Rows; 3]>,
}

#[derive(Clone, Copy, Debug)]
struct Panel {
    /// Its first column.
    start: u32,
    columns: u32,
    /// Packs of rows.
    packs: u32,
    /// Its first pack in the rows.
    first_row_pack: u32,
    /// Its first line in the values: four columns after four columns, each from the pack of the
    /// diagonal down, so that both sweeps read on and on.
    first_value: u32,
}

impl ScalarFactor {
    /// For matrices with the pattern of `matrix`, whose first rows are those of nodes at `places` and
    /// whose others are left out; `None` if the factor does not fit in memory.
    pub(crate) fn new(matrix: &BlockMatrix, places: &[DVec3]) -> Option<Self> {
        let count = places.len().min(matrix.node_count());
        let (mut starts, mut indices, mut sources) = (vec![0], Vec::new(), Vec::new());
        for column in 0..count {
            for slot in matrix.row_range(column) {
                if (column..count).contains(&matrix.column(slot)) {
                    indices.push(matrix.column(slot) as u32);
                    sources.push(slot as u32);
                }
            }
            starts.push(indices.len() as u32);
        }
        let scalar = Compressed::from_pattern(starts, indices);
        let mut order = coordinate_dissection(matrix, places);
        order.truncate(count);
        let symbolic = analyse(&scalar, &order)?;
        let request: StackReq =
            symbolic.factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default());
        let mut result = Self {
            factor: vec![0.0; symbolic.len_val()],
            memory: MemBuffer::new(request),
            matrix: scalar,
            sources,
            symbolic,
            panels: Vec::new(),
            values: Vec::new(),
            panel: Vec::new(),
            rows: Vec::new(),
            room: Vec::new(),
        };
        result.lay_out()?;
        Some(result)
    }

    /// Makes room for the panels.
    fn lay_out(&mut self) -> Option<()> {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.raw() else {
            return None;
        };
        let (mut most_packs, mut largest) = (0, 0);
        let (mut first_row_pack, mut first_value) = (0, 0);
        for index in 0..symbolic.n_supernodes() {
            let node = symbolic.supernode(index);
            let start = node.start() as u32;
            let end = symbolic.supernode_end()[index];
            let columns = end - start;
            self.rows.extend(start..end);
            self.rows.extend_from_slice(node.pattern());
            let whole = self.rows.len().next_multiple_of(PACK);
            self.rows.resize(whole, self.symbolic.nrows() as u32);
            let packs = (whole / PACK) as u32 - first_row_pack;
            self.panels.push(Panel {
                start,
                columns,
                packs,
                first_row_pack,
                first_value,
            });
            most_packs = most_packs.max(packs as usize);
            first_row_pack += packs;
            for column in (0..columns).step_by(COLUMNS) {
                first_value = u32::checked_add(first_value, packs - column / PACK as u32)?;
            }
            largest = largest.max(whole_panel(packs, columns));
        }
        self.values = vec![Stored([[0; PACK]; COLUMNS]); first_value as usize];
        self.panel = vec![0.0; largest];
        self.room = vec![[[0.0; PACK]; 3]; most_packs];
        Some(())
    }

    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.symbolic.nrows()
    }

    fn take_panels(&mut self) {
        let SymbolicCholeskyRaw::Supernodal(symbolic) = self.symbolic.raw() else {
            return;
        };
        let factor = SupernodalLltRef::new(symbolic, &self.factor);
        for (index, panel) in self.panels.iter().enumerate() {
            let lower = factor.supernode(index).val();
            let (columns, packs) = (panel.columns as usize, panel.packs as usize);
            let stride = packs * PACK;
            let values = &mut self.panel[..columns * stride];
            // Column by column from the last: P_j = (e_j - sum over k > j of L_kj P_k) / L_jj, with
            // e_j below the diagonal block replaced by -L_Ij.
            for j in (0..columns).rev() {
                let (head, later) = values.split_at_mut((j + 1) * stride);
                let target = &mut head[j * stride..];
                target.fill(0.0);
                let diagonal = 1.0 / lower[(j, j)];
                target[j] = diagonal as f32;
                for row in columns..lower.nrows() {
                    target[row] = (-lower[(row, j)] * diagonal) as f32;
                }
                for (k, column) in (j + 1..columns).zip(later.chunks_exact(stride)) {
                    let weight = (lower[(k, j)] * diagonal) as f32;
                    for (target, value) in target.iter_mut().zip(column) {
                        *target -= weight * value;
                    }
                }
            }
            let mut stored = self.values[panel.first_value as usize..].iter_mut();
            for column in (0..columns).step_by(COLUMNS) {
                for pack in first_pack(column)..packs {
                    let Some(line) = stored.next() else {
                        return;
                    };
                    for (c, target) in line.0.iter_mut().enumerate() {
                        let from = (column + c) * stride + pack * PACK;
                        *target = std::array::from_fn(|row| {
                            if column + c < columns {
                                shorten(values[from + row])
                            } else {
                                0
                            }
                        });
                    }
                }
            }
        }
    }
}

impl ScalarSolver for ScalarFactor {
    /// The nodes in order of elimination: that of the fields that are solved for.
    fn order(&self) -> &[u32] {
        // An order was given to the analysis, so there is one.
        self.symbolic.perm().map_or(&[], |perm| perm.arrays().0)
    }

    /// Takes the traces of the blocks, multiplied by `scale`, and factorises.
    fn refill(&mut self, matrix: &BlockMatrix, scale: f64) -> Result<(), LinearError> {
        for (value, &slot) in self.matrix.values.iter_mut().zip(&self.sources) {
            let block = matrix.block(slot as usize);
            *value = scale / 3.0 * (block.x_axis.x + block.y_axis.y + block.z_axis.z);
        }
        let scalar = SparseColMatRef::new(self.matrix.pattern(), &self.matrix.values);
        let result = self.symbolic.factorize_numeric_llt(
            &mut self.factor,
            scalar,
            Side::Lower,
            Default::default(),
            Par::Seq,
            MemStack::new(&mut self.memory),
            Default::default(),
        );
        if let Err(LltError::NonPositivePivot { index }) = result {
            if self.matrix.values.iter().any(|value| !value.is_finite()) {
                return Err(LinearError::NotFinite);
            }
            let row = self.order().get(index).map_or(index, |&row| row as usize);
            return Err(LinearError::NotPositiveDefinite { row });
        }
        self.take_panels();
        Ok(())
    }

    /// Replaces the right-hand sides, in order of elimination and with one more entry, by the
    /// solutions.
    fn solve_in_place(&mut self, x: &mut [Single]) {
        assert_eq!(x.len(), self.node_count() + 1);
        sweep(&self.panels, &self.values, &self.rows, x, &mut self.room);
    }
}

fn analyse(matrix: &Compressed, order: &[u32]) -> Option<SymbolicCholesky<u32>> {
    let mut inverse = vec![0; order.len()];
    for (position, &node) in order.iter().enumerate() {
        inverse[node as usize] = position as u32;
    }
    let ordering = SymmetricOrdering::Custom(PermRef::new_checked(order, &inverse, order.len()));
    let parameters = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
        ..Default::default()
    };
    factorize_symbolic_cholesky(matrix.pattern(), Side::Lower, ordering, parameters).ok()
}

/// Numbers of a whole panel.
fn whole_panel(packs: u32, columns: u32) -> usize {
    packs as usize * PACK * columns as usize
}

/// The upper half of a number, rounded.
fn shorten(value: f32) -> u16 {
    let bits = value.to_bits();
    ((bits + 0x7fff + ((bits >> 16) & 1)) >> 16) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::noise_vectors;
    use glam::DMat3;

    /// A lattice of springs with masses; blocks are not multiples of the identity.
    pub(crate) fn lattice(counts: [usize; 3]) -> (BlockMatrix, Vec<DVec3>) {
        let index = |i, j, k| i + counts[0] * (j + counts[1] * k);
        let (mut places, mut couplings) = (Vec::new(), Vec::new());
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                for i in 0..counts[0] {
                    places.push(DVec3::new(i as f64, j as f64, k as f64));
                    for [a, b, c] in [[i + 1, j, k], [i, j + 1, k], [i, j, k + 1]] {
                        if a < counts[0] && b < counts[1] && c < counts[2] {
                            couplings.push((index(i, j, k), index(a, b, c)));
                        }
                    }
                }
            }
        }
        let mut matrix = BlockMatrix::new(places.len(), couplings.iter().copied());
        for &(a, b) in &couplings {
            let edge = places[b] - places[a];
            let block = DMat3::from_diagonal(edge.abs() * 90.0 + DVec3::splat(10.0));
            for (row, column, sign) in [(a, a, 1.0), (b, b, 1.0), (a, b, -1.0), (b, a, -1.0)] {
                matrix.add(row, column, block * sign);
            }
        }
        for node in 0..places.len() {
            matrix.add(node, node, DMat3::IDENTITY * 20.0);
        }
        (matrix, places)
    }

    #[test]
    fn it_solves_the_traces() {
        for counts in [[1, 1, 1], [3, 2, 1], [12, 7, 6]] {
            let (matrix, places) = lattice(counts);
            let mut factor = ScalarFactor::new(&matrix, &places).unwrap();
            factor.refill(&matrix, 0.1).unwrap();
            let wanted = noise_vectors(places.len());
            let order = factor.order().to_vec();
            let mut x = vec![[0.0; 4]; order.len() + 1];
            for (position, &row) in order.iter().enumerate() {
                let mut sum = DVec3::ZERO;
                for slot in matrix.row_range(row as usize) {
                    let b = matrix.block(slot);
                    let trace = b.x_axis.x + b.y_axis.y + b.z_axis.z;
                    sum += 0.1 * trace / 3.0 * wanted[matrix.column(slot)];
                }
                x[position] = [sum.x as f32, sum.y as f32, sum.z as f32, 0.0];
            }
            factor.solve_in_place(&mut x);
            for (x, &row) in x.iter().zip(&order) {
                let found = DVec3::new(x[0].into(), x[1].into(), x[2].into());
                let error = (found - wanted[row as usize]).length();
                assert!(error < 0.03, "{counts:?} {row}: {error}");
            }
        }
    }

    #[test]
    fn a_matrix_that_is_not_positive_is_refused() {
        let (mut matrix, places) = lattice([4, 3, 3]);
        matrix.add(7, 7, DMat3::IDENTITY * -1e4);
        let mut factor = ScalarFactor::new(&matrix, &places).unwrap();
        assert!(matches!(
            factor.refill(&matrix, 1.0),
            Err(LinearError::NotPositiveDefinite { .. })
        ));
    }
}
