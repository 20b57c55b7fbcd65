//! Directions in which a node is much softer or stiffer than a scalar matrix says.
//!
//! ```text
//! Q = 1 - e eᵀ,    D = e eᵀ / λ,    λ = e · A_ii e
//! ```
//!
//! e is the direction of the smallest eigenvalue of the diagonal block of a node if that is far below
//! the others (across a sheet), or of the largest if that is far above (a node that an obstacle
//! holds). Nodes that have no such direction keep Q = 1 and D = 0.

use super::BlockMatrix;
use super::scalar_factor::Single;
use glam::{DMat3, DVec3, Vec3};

/// Eigenvalues are far apart if they differ by this factor.
const FAR: f64 = 4.0;

/// The directions of all nodes, in order of elimination.
#[derive(Debug)]
pub(super) struct NodeDirections {
    /// Place in the order, e and 1/λ.
    apart: Vec<(u32, Vec3, f32)>,
    taken: u32,
    is_stiff: bool,
    scale: f64,
}

impl NodeDirections {
    pub(super) fn new(node_count: usize) -> Self {
        Self {
            apart: Vec::with_capacity(node_count),
            taken: 0,
            is_stiff: false,
            scale: 1.0,
        }
    }

    /// Forgets all directions; the numbers of matrices are multiplied by `scale`.
    pub(super) fn begin(&mut self, scale: f64) {
        self.apart.clear();
        self.taken = 0;
        self.scale = scale;
    }

    /// Number of nodes with a direction of their own.
    pub(super) fn count(&self) -> usize {
        self.apart.len()
    }

    /// Whether the last node that was taken has a direction that is far stiffer than the others.
    pub(super) fn last_is_stiff(&self) -> bool {
        self.is_stiff
    }

    /// Takes the next node in order of elimination; returns the mean of its block over Q.
    pub(super) fn take(&mut self, matrix: &BlockMatrix, row: usize) -> f64 {
        let block = matrix.block(matrix.diagonal_slot(row));
        let place = self.taken;
        self.taken += 1;
        let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
        for direction in [stiffest(block), softest(block)] {
            let own = direction.dot(*block * direction);
            let others = 0.5 * (trace - own);
            self.is_stiff = own > FAR * others && others > 0.0;
            let is_apart = own > FAR * others || own * FAR < others;
            if is_apart && own > 0.0 && others > 0.0 {
                let inverse = 1.0 / (self.scale * own);
                self.apart
                    .push((place, direction.as_vec3(), inverse as f32));
                return others;
            }
        }
        trace / 3.0
    }

    /// z <- Q z.
    pub(super) fn project(&self, z: &mut [Single]) {
        for (place, e, _) in &self.apart {
            let value = &mut z[*place as usize];
            let along = value[0] * e.x + value[1] * e.y + value[2] * e.z;
            value[0] -= along * e.x;
            value[1] -= along * e.y;
            value[2] -= along * e.z;
        }
    }

    /// z <- Q z + D r.
    pub(super) fn add(&self, r: &[Single], z: &mut [Single]) {
        for (place, e, inverse) in &self.apart {
            let (value, r) = (&mut z[*place as usize], &r[*place as usize]);
            let along = value[0] * e.x + value[1] * e.y + value[2] * e.z;
            let wanted = inverse * (r[0] * e.x + r[1] * e.y + r[2] * e.z);
            let change = wanted - along;
            value[0] += change * e.x;
            value[1] += change * e.y;
            value[2] += change * e.z;
        }
    }
}

/// A unit vector near the eigenvector of the largest eigenvalue, exact if that is far above the others.
fn stiffest(block: &DMat3) -> DVec3 {
    let columns = [block.x_axis, block.y_axis, block.z_axis];
    let longest = columns.into_iter().fold(DVec3::X, |best, column| {
        if column.length_squared() > best.length_squared() {
            column
        } else {
            best
        }
    });
    let mut direction = longest.normalize_or(DVec3::X);
    for _ in 0..3 {
        direction = (*block * direction).normalize_or(DVec3::X);
    }
    direction
}

/// The same for the smallest eigenvalue.
fn softest(block: &DMat3) -> DVec3 {
    let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
    // The rows of the adjugate: the inverse but for a factor.
    let rows = [y.cross(z), z.cross(x), x.cross(y)];
    let adjugate = DMat3::from_cols(rows[0], rows[1], rows[2]);
    stiffest(&adjugate)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::outer;

    #[test]
    fn directions_that_differ_are_found() {
        let e = DVec3::new(1.0, -2.0, 2.0) / 3.0;
        let mut directions = NodeDirections::new(3);
        directions.begin(1.0);
        for (along, count) in [(0.01, 1), (1.3, 1), (50.0, 2)] {
            let mut matrix = BlockMatrix::new(1, std::iter::empty());
            matrix.add(0, 0, DMat3::IDENTITY + outer(e, e) * (along - 1.0));
            directions.take(&matrix, 0);
            assert_eq!(directions.count(), count, "{along}");
        }
        for ((_, found, inverse), along) in directions.apart.iter().zip([0.01, 50.0]) {
            assert!(found.as_dvec3().dot(e).abs() > 1.0 - 1e-6);
            assert!((f64::from(*inverse) * along - 1.0).abs() < 1e-5);
        }
        // z = Q z + D r leaves nothing of z along e.
        let mut z = [[1.0, 2.0, 3.0, 0.0]; 3];
        directions.project(&mut z);
        directions.add(&[[1.0, -2.0, 2.0, 0.0]; 3], &mut z);
        let along =
            |z: &Single| f64::from(z[0]) * e.x + f64::from(z[1]) * e.y + f64::from(z[2]) * e.z;
        assert!((along(&z[0]) - 300.0).abs() < 1e-2 && (along(&z[2]) - 0.06).abs() < 1e-5);
    }
}
