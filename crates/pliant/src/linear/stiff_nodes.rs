//! Nodes that are much stiffer than the body at rest, because an obstacle holds them, and those about
//! them: a preconditioner that does not know them is corrected there before and after.
//!
//! ```text
//! z₁ = (D + L)⁻¹ r,    z₂ = z₁ + B (r - A z₁),    z₃ = z₂ + (D + L)⁻ᵀ (r - A z₂)
//! ```
//!
//! D and L are the diagonal and the lower part of A over these nodes: a sweep of Gauss and Seidel
//! there in one direction, the preconditioner B, and a sweep in the other direction. What B gets wrong
//! at the nodes that are held dies out within a few neighbours, where the sweeps mend it. The whole is
//! symmetric, and positive definite if B is: with X = 1 - (D + L)⁻¹ A, whose energy norm is at most
//! one, r z₃ for r = A v is |v|² - |X v|² + |A X v|²_B in the energy norm.

use super::BlockMatrix;
use super::compact_blocks::CompactBlocks;
use super::scalar_factor::Single;
use glam::{DVec3, Mat3, Vec3};

/// Neighbours of neighbours that belong to a node that is held.
const RINGS: usize = 2;

/// The nodes and the sweeps over them; see the module. Nodes are named by their places in the order
/// of the preconditioner.
pub(super) struct StiffNodes {
    /// Whether a place is a member (1), beside one (2) or neither.
    marks: Vec<u8>,
    /// In ascending order.
    members: Vec<u32>,
    /// Places beside members.
    border: Vec<u32>,
    inverses: Vec<Mat3>,
    /// z₁: zero but at members, and there only during a sweep.
    first: Vec<Single>,
}

impl StiffNodes {
    /// For `count` rows.
    pub(super) fn new(count: usize) -> Self {
        Self {
            marks: vec![0; count],
            members: Vec::with_capacity(count),
            border: Vec::with_capacity(count),
            inverses: Vec::with_capacity(count),
            first: vec![[0.0; 4]; count],
        }
    }

    /// Forgets all nodes.
    pub(super) fn begin(&mut self) {
        for &place in self.members.iter().chain(&self.border) {
            self.marks[place as usize] = 0;
        }
        self.members.clear();
        self.border.clear();
        self.inverses.clear();
    }

    /// Takes a node that is held.
    pub(super) fn push(&mut self, place: u32) {
        self.marks[place as usize] = 1;
        self.members.push(place);
    }

    /// Whether there are none.
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Adds the neighbours, of the first `nodes` places, and takes the numbers of the matrix, which
    /// are multiplied by `scale`.
    pub(super) fn finish(
        &mut self,
        compact: &CompactBlocks,
        matrix: &BlockMatrix,
        order: &[u32],
        nodes: usize,
        scale: f64,
    ) {
        let mut seen = 0;
        for _ in 0..RINGS {
            let last = self.members.len();
            for index in seen..last {
                for &other in compact.columns_of(self.members[index] as usize) {
                    if (other as usize) < nodes && self.marks[other as usize] == 0 {
                        self.push(other);
                    }
                }
            }
            seen = last;
        }
        self.members.sort_unstable();
        for &place in &self.members {
            for &other in compact.columns_of(place as usize) {
                if self.marks[other as usize] == 0 {
                    self.marks[other as usize] = 2;
                    self.border.push(other);
                }
            }
            let block = matrix.block(matrix.diagonal_slot(order[place as usize] as usize));
            self.inverses.push((*block * scale).inverse().as_mat3());
        }
    }

    /// The sweep before: finds z₁ for z = r, and leaves r - A z₁ in z.
    pub(super) fn sweep_before(&mut self, compact: &CompactBlocks, z: &mut [Single]) {
        for (&place, inverse) in self.members.iter().zip(&self.inverses) {
            let place = place as usize;
            let product = compact.row_product(place, &self.first);
            self.first[place] = change(inverse, z[place], product);
        }
        for &place in self.members.iter().chain(&self.border) {
            let place = place as usize;
            let product = compact.row_product(place, &self.first);
            z[place] = std::array::from_fn(|c| z[place][c] - product[c]);
        }
    }

    /// The sweep after: adds z₁ to z = B (r - A z₁), and improves z.
    pub(super) fn sweep_after(&mut self, compact: &CompactBlocks, r: &[DVec3], z: &mut [Single]) {
        for &place in &self.members {
            let place = place as usize;
            let first = std::mem::take(&mut self.first[place]);
            z[place] = std::array::from_fn(|c| z[place][c] + first[c]);
        }
        for (&place, inverse) in self.members.iter().zip(&self.inverses).rev() {
            let place = place as usize;
            let wanted = [r[place].x as f32, r[place].y as f32, r[place].z as f32, 0.0];
            let change = change(inverse, wanted, compact.row_product(place, z));
            z[place] = std::array::from_fn(|c| z[place][c] + change[c]);
        }
    }
}

/// D⁻¹ (wanted - product).
fn change(inverse: &Mat3, wanted: Single, product: Single) -> Single {
    let missing: Vec3 = Vec3::from_array(std::array::from_fn(|c| wanted[c] - product[c]));
    let [x, y, z] = (*inverse * missing).to_array();
    [x, y, z, 0.0]
}
