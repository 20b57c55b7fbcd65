//! Directions in which a node is much softer or stiffer than a scalar matrix says.
//!
//! ```text
//! Q = 1 - Σ e eᵀ,    D = Σ e eᵀ / λ,    λ = e · A_ii e
//! ```
//!
//! e is the direction of the smallest eigenvalue of the diagonal block of a node if that is far below
//! the others (across a sheet), or of the largest if that is far above. Directions along which an
//! obstacle holds a node are all taken out; if the node slides, and is far stiffer along one of the
//! directions that are left than along the other, that too. Other nodes keep Q = 1 and D = 0.

use super::BlockMatrix;
use super::scalar_factor::Single;
use crate::math::outer;
use glam::{DMat3, DVec3, Mat3, Vec3};

/// Eigenvalues are far apart if they differ by this factor.
const FAR: f64 = 4.0;

/// A node that obstacles hold: its row, and the projection on what is left of its motion. Rows and
/// columns of the matrix have been projected too; the diagonal has some number for what is held.
pub(crate) type Held = (u32, DMat3);

/// No place.
const NONE: u32 = u32::MAX;

/// The directions of all nodes, in order of elimination.
#[derive(Debug)]
pub(super) struct NodeDirections {
    /// Place in the order, Q and D.
    apart: Vec<(u32, Mat3, Mat3)>,
    /// Those of them that obstacles hold.
    apart_and_held: Vec<(u32, Mat3, Mat3)>,
    taken: u32,
    is_stiff: bool,
    scale: f64,
    held: Vec<Held>,
    /// Place in `held` of each row.
    held_of: Vec<u32>,
}

impl NodeDirections {
    pub(super) fn new(node_count: usize) -> Self {
        Self {
            apart: Vec::with_capacity(node_count),
            apart_and_held: Vec::with_capacity(node_count),
            taken: 0,
            is_stiff: false,
            scale: 1.0,
            held: Vec::with_capacity(node_count),
            held_of: vec![NONE; node_count],
        }
    }

    /// Takes in which nodes are held in the matrices to come.
    pub(super) fn hold(&mut self, held: &[Held]) {
        for (row, _) in self.held.drain(..) {
            self.held_of[row as usize] = NONE;
        }
        for (index, (row, _)) in held.iter().enumerate() {
            self.held_of[*row as usize] = index as u32;
        }
        self.held.extend_from_slice(held);
    }

    /// Forgets all directions; the numbers of matrices are multiplied by `scale`.
    pub(super) fn begin(&mut self, scale: f64) {
        self.apart.clear();
        self.apart_and_held.clear();
        self.taken = 0;
        self.scale = scale;
    }

    /// Number of nodes with directions of their own.
    pub(super) fn count(&self) -> usize {
        self.apart.len()
    }

    /// Whether the last node that was taken is held or has a direction that is far stiffer than the
    /// others.
    pub(super) fn last_is_stiff(&self) -> bool {
        self.is_stiff
    }

    /// Takes the next node in order of elimination; returns the mean of its block over Q, or nothing
    /// if nothing is left of it.
    pub(super) fn add_node(&mut self, matrix: &BlockMatrix, row: usize) -> Option<f64> {
        let block = matrix.block(matrix.diagonal_slot(row));
        let place = self.taken;
        self.taken += 1;
        if let Some(&(_, left)) = self.held.get(self.held_of[row] as usize) {
            self.is_stiff = true;
            let mean = self.take_held(place, block, left);
            self.apart_and_held.extend(self.apart.last().copied());
            return mean;
        }
        let trace = block.x_axis.x + block.y_axis.y + block.z_axis.z;
        if is_even(block, trace) {
            self.is_stiff = false;
            return Some(trace / 3.0);
        }
        for direction in [stiffest(block), softest(block)] {
            let along = direction.dot(*block * direction);
            let others = 0.5 * (trace - along);
            self.is_stiff = along > FAR * others && others > 0.0;
            let is_apart = along > FAR * others || along * FAR < others;
            if is_apart && along > 0.0 && others > 0.0 {
                self.take_out(place, &[(direction, along)]);
                return Some(others);
            }
        }
        Some(trace / 3.0)
    }

    /// The same for a node that is held but for `left`.
    fn take_held(&mut self, place: u32, block: &DMat3, left: DMat3) -> Option<f64> {
        let rank = left.x_axis.x + left.y_axis.y + left.z_axis.z;
        let first = stiffest(&(left * *block * left));
        let size = |direction: DVec3| direction.dot(*block * direction);
        let (held, value) = (stiffest(&(DMat3::IDENTITY - left)), size(first));
        if rank > 1.5 {
            let second = held.cross(first);
            let other = size(second);
            if value > FAR * other {
                self.take_out(place, &[(held, size(held)), (first, value)]);
                return Some(other);
            }
            self.take_out(place, &[(held, size(held))]);
            return Some(0.5 * (value + other));
        }
        let others = if rank > 0.5 {
            [held, first.cross(held)]
        } else {
            [DVec3::X, DVec3::Y]
        };
        let [a, b] = others.map(|direction| (direction, size(direction)));
        if rank > 0.5 {
            self.take_out(place, &[a, b]);
            return Some(value);
        }
        self.take_out(place, &[a, b, (DVec3::Z, size(DVec3::Z))]);
        None
    }

    fn take_out(&mut self, place: u32, directions: &[(DVec3, f64)]) {
        let (mut left, mut inverse) = (DMat3::IDENTITY, DMat3::ZERO);
        for &(direction, size) in directions {
            left -= outer(direction, direction);
            inverse += outer(direction, direction) * (1.0 / (self.scale * size));
        }
        self.apart.push((place, left.as_mat3(), inverse.as_mat3()));
    }

    /// z <- Q z.
    pub(super) fn project(&self, z: &mut [Single]) {
        project(&self.apart, z);
    }

    /// Whether obstacles hold nothing.
    pub(super) fn nothing_held(&self) -> bool {
        self.apart_and_held.is_empty()
    }

    /// The same at nodes that obstacles hold.
    pub(super) fn project_held(&self, z: &mut [Single]) {
        project(&self.apart_and_held, z);
    }

    /// z <- Q z + D r.
    pub(super) fn add(&self, r: &[Single], z: &mut [Single]) {
        add(&self.apart, r, z);
    }

    /// The same at nodes that obstacles hold.
    pub(super) fn add_held(&self, r: &[Single], z: &mut [Single]) {
        add(&self.apart_and_held, r, z);
    }
}

fn project(nodes: &[(u32, Mat3, Mat3)], z: &mut [Single]) {
    for (place, left, _) in nodes {
        let value = &mut z[*place as usize];
        let projected = *left * Vec3::new(value[0], value[1], value[2]);
        value[..3].copy_from_slice(&projected.to_array());
    }
}

fn add(nodes: &[(u32, Mat3, Mat3)], r: &[Single], z: &mut [Single]) {
    for (place, left, inverse) in nodes {
        let (value, r) = (&mut z[*place as usize], &r[*place as usize]);
        let added = *inverse * Vec3::new(r[0], r[1], r[2]);
        let sum = *left * Vec3::new(value[0], value[1], value[2]) + added;
        value[..3].copy_from_slice(&sum.to_array());
    }
}

/// Whether no eigenvalue can be far from the others, by bounds that cost next to nothing:
///
/// ```text
/// λ_max <= |A|,     λ_min >= 4 det A / (tr A)²
/// ```
///
/// (the two larger eigenvalues add up to at most the trace, so their product is at most its square by
/// four). One is far above the mean of the others if it has more than 2/3 of the trace, far below if
/// it has less than 1/9. Most nodes of a solid are even.
fn is_even(block: &DMat3, trace: f64) -> bool {
    let [x, y, z] = [block.x_axis, block.y_axis, block.z_axis];
    let squares = x.length_squared() + y.length_squared() + z.length_squared();
    let (above, below) = (FAR / (FAR + 2.0), 1.0 / (1.0 + 2.0 * FAR));
    let cube = trace * trace * trace;
    squares < (above * trace).powi(2) && 4.0 * x.cross(y).dot(z) > below * cube && trace > 0.0
}

/// A unit vector near the eigenvector of the largest eigenvalue, exact if that is far above the others.
fn stiffest(block: &DMat3) -> DVec3 {
    let columns = [block.x_axis, block.y_axis, block.z_axis];
    let longest = columns.into_iter().fold(DVec3::ZERO, |best, column| {
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

    #[test]
    fn directions_that_differ_are_found() {
        let e = DVec3::new(1.0, -2.0, 2.0) / 3.0;
        let mut directions = NodeDirections::new(3);
        directions.begin(1.0);
        for (along, count) in [(0.01, 1), (1.3, 1), (50.0, 2)] {
            let mut matrix = BlockMatrix::new(1, std::iter::empty());
            matrix.add(0, 0, DMat3::IDENTITY + outer(e, e) * (along - 1.0));
            directions.add_node(&matrix, 0);
            assert_eq!(directions.count(), count, "{along}");
        }
        for ((_, left, inverse), along) in directions.apart.iter().zip([0.01, 50.0]) {
            assert!((*left * e.as_vec3()).length() < 1e-5);
            assert!((*inverse * e.as_vec3() * along - e.as_vec3()).length() < 1e-5);
        }
        // z = Q z + D r leaves nothing of z along e.
        let mut z = [[1.0, 2.0, 3.0, 0.0]; 3];
        directions.project(&mut z);
        directions.add(&[[1.0, -2.0, 2.0, 0.0]; 3], &mut z);
        let along =
            |z: &Single| f64::from(z[0]) * e.x + f64::from(z[1]) * e.y + f64::from(z[2]) * e.z;
        assert!((along(&z[0]) - 300.0).abs() < 1e-2 && (along(&z[2]) - 0.06).abs() < 1e-5);
    }

    /// What counts as even has no direction that is far from the others; most blocks of solids are.
    #[test]
    fn blocks_that_are_even_have_no_direction_of_their_own() {
        let mut even = 0;
        for i in 0..400 {
            let value = |k: i32| 0.5 + 0.5 * (f64::from(i * k) * 0.7).sin();
            let sizes = DVec3::new(value(3), value(5), value(11)) * 2.0 + 0.02;
            let turn = DMat3::from_rotation_x(value(7)) * DMat3::from_rotation_z(value(13));
            let block = turn * DMat3::from_diagonal(sizes) * turn.transpose();
            if !is_even(&block, sizes.element_sum()) {
                continue;
            }
            even += 1;
            for along in sizes.to_array() {
                let others = 0.5 * (sizes.element_sum() - along);
                assert!(along <= FAR * others && along * FAR >= others, "{sizes}");
            }
        }
        assert!(even > 100, "{even}");
        assert!(is_even(
            &DMat3::from_diagonal(DVec3::new(1.0, 0.9, 0.7)),
            2.6
        ));
        assert!(!is_even(&(DMat3::IDENTITY * f64::NAN), f64::NAN));
    }

    #[test]
    fn nodes_that_are_held_keep_what_is_left() {
        let e = DVec3::new(1.0, -2.0, 2.0) / 3.0;
        let plane = DMat3::IDENTITY - outer(e, e);
        let line = plane - outer(plane.x_axis, plane.x_axis) / plane.x_axis.length_squared();
        for (left, rank) in [(plane, 2), (line, 1), (DMat3::ZERO, 0)] {
            let mut directions = NodeDirections::new(1);
            directions.hold(&[(0, left)]);
            directions.begin(1.0);
            let mut matrix = BlockMatrix::new(1, std::iter::empty());
            matrix.add(0, 0, left * 3.0 + (DMat3::IDENTITY - left) * 7.0);
            let mean = directions.add_node(&matrix, 0);
            assert_eq!(mean.is_some(), rank > 0);
            assert!(mean.is_none_or(|mean| (mean - 3.0).abs() < 1e-12));
            let (_, found, inverse) = directions.apart[0];
            let off = found.as_dmat3() - left;
            assert!(off.to_cols_array().iter().all(|v| v.abs() < 1e-6), "{rank}");
            let off = inverse.as_dmat3() * 7.0 - (DMat3::IDENTITY - left);
            assert!(off.to_cols_array().iter().all(|v| v.abs() < 1e-6), "{rank}");
        }
    }
}
