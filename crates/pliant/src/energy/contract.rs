//! What every energy over a mesh must keep, checked the same way for each.

use super::{Curvature, Energy};
use crate::linear::BlockMatrix;
use glam::{DMat3, DQuat, DVec3};

/// Difference quotients step by this much of the shortest rest distance of two coupled nodes.
const STEP: f64 = 2e-4;

/// A rest shape, and what is asked of energies that rest in it.
pub(crate) struct EnergyContract {
    rest: Vec<DVec3>,
    displacement: f64,
    turns: bool,
    tolerance: f64,
    eigenvalue_tolerance: f64,
}

impl EnergyContract {
    /// Energies that are zero at `rest`, and that rigid motions do not change.
    pub(crate) fn new(rest: &[DVec3]) -> Self {
        Self {
            rest: rest.to_vec(),
            displacement: 0.2,
            turns: true,
            tolerance: 1e-6,
            eigenvalue_tolerance: 1e-10,
        }
    }

    /// Nodes are displaced by up to this much of the shortest rest distance of coupled nodes
    /// (0.2 if not said otherwise).
    pub(crate) fn displaced_by(mut self, fraction: f64) -> Self {
        self.displacement = fraction;
        self
    }

    /// Energies of the small strain: translations do not change them, rotations do.
    pub(crate) fn of_small_strain(mut self) -> Self {
        self.turns = false;
        self
    }

    /// Checks everything. Attaches the energy to a matrix of its own.
    pub(crate) fn check(&self, energy: &mut dyn Energy) {
        let mut matrix = self.matrix(energy);
        energy.attach(&matrix);
        let length = self.length(energy);
        self.rest_is_free_of_force(energy, &mut matrix, length);
        for (number, positions) in self.deformed(length).iter().enumerate() {
            println!("deformed state {number}");
            self.rigid_motions_change_nothing(energy, positions, length);
            self.gradient_is_the_derivative(energy, positions, length);
            self.hessian_is_the_derivative(energy, &mut matrix, positions, length);
            self.positive_part_is_positive(energy, &mut matrix, positions);
            self.results_are_added_and_repeat(energy, &mut matrix, positions);
        }
    }

    /// The values stay finite when all nodes meet in a point or a plane, or are turned inside out.
    pub(crate) fn check_crushed(&self, energy: &mut dyn Energy) {
        let mut matrix = self.matrix(energy);
        energy.attach(&matrix);
        let mirror = DVec3::new(-1.0, 1.0, 1.0);
        let flat = DVec3::new(1.0, 1.0, 0.0);
        for scale in [DVec3::ZERO, DVec3::splat(1e-200), flat, DVec3::X, mirror] {
            let positions: Vec<DVec3> = self.rest.iter().map(|&x| x * scale).collect();
            assert!(energy.energy(&positions).is_finite(), "energy at {scale}");
            let gradient = gradient(energy, &positions);
            assert!(
                gradient.iter().all(|g| g.is_finite()),
                "gradient at {scale}"
            );
            for curvature in [Curvature::Full, Curvature::Positive] {
                fill(energy, &positions, curvature, &mut matrix);
                let finite = matrix.blocks().iter().all(|block| block.is_finite());
                assert!(finite, "{curvature:?} at {scale}");
            }
            self.positive_part_is_positive(energy, &mut matrix, &positions);
        }
    }

    /// A matrix with the couplings of the energy and one of a stranger.
    fn matrix(&self, energy: &dyn Energy) -> BlockMatrix {
        let node_count = self.rest.len();
        let mut pairs = vec![(0, node_count - 1)];
        energy.couplings(&mut |a, b| pairs.push((a, b)));
        assert!(pairs[1..].iter().all(|&(a, b)| a != b), "coupled to itself");
        BlockMatrix::new(node_count, pairs.into_iter())
    }

    /// The shortest rest distance of coupled nodes.
    fn length(&self, energy: &dyn Energy) -> f64 {
        let mut length = f64::INFINITY;
        energy.couplings(&mut |a, b| length = length.min(self.rest[a].distance(self.rest[b])));
        assert!(length > 0.0 && length.is_finite(), "no couplings");
        length
    }

    /// Noise, and noise on a body that is stretched, compressed and turned.
    fn deformed(&self, length: f64) -> Vec<Vec<DVec3>> {
        let mut random = Random(11);
        let turn = if self.turns {
            DMat3::from_quat(DQuat::from_rotation_arc(DVec3::X, DVec3::ONE.normalize()))
        } else {
            DMat3::IDENTITY
        };
        let d = self.displacement;
        [
            DVec3::ONE,
            DVec3::new(1.0 + d, 1.0 - 0.5 * d, 1.0),
            DVec3::new(1.0 - d, 1.0 - d, 1.0 - 0.5 * d),
        ]
        .map(|stretch| {
            let place = |&x: &DVec3| turn * (stretch * (x + d * length * random.vector()));
            self.rest.iter().map(place).collect()
        })
        .into()
    }

    fn rest_is_free_of_force(
        &self,
        energy: &mut dyn Energy,
        matrix: &mut BlockMatrix,
        length: f64,
    ) {
        fill(energy, &self.rest, Curvature::Full, matrix);
        let full = matrix.clone();
        let stiffness = largest_entry(&full);
        assert!(
            stiffness > 0.0 && stiffness.is_finite(),
            "stiffness {stiffness}"
        );
        let value = energy.energy(&self.rest);
        let unit = stiffness * length * length;
        assert!(value.abs() < 1e-20 * unit, "energy {value} J at rest");
        let force = largest(&gradient(energy, &self.rest));
        assert!(
            force < 1e-11 * stiffness * length,
            "force {force} N at rest"
        );
        // Rest is a minimum, so nothing needs to be left out.
        fill(energy, &self.rest, Curvature::Positive, matrix);
        let difference = largest_difference(&full, matrix);
        assert!(
            difference < 1e-8 * stiffness,
            "positive part at rest is off by {difference} of {stiffness}"
        );
    }

    fn rigid_motions_change_nothing(
        &self,
        energy: &mut dyn Energy,
        positions: &[DVec3],
        length: f64,
    ) {
        let value = energy.energy(positions);
        let force = gradient(energy, positions);
        let scale = force.iter().map(|g| g.length()).sum::<f64>();
        let total: DVec3 = force.iter().sum();
        assert!(total.length() < 1e-9 * scale, "forces sum to {total}");
        let turn = if self.turns {
            DMat3::from_quat(DQuat::from_rotation_y(2.1) * DQuat::from_rotation_z(0.7))
        } else {
            DMat3::IDENTITY
        };
        let offset = length * DVec3::new(3.0, -1.0, 2.0);
        let moved: Vec<DVec3> = positions.iter().map(|&x| turn * x + offset).collect();
        let moved_value = energy.energy(&moved);
        assert!(
            (moved_value - value).abs() < 1e-9 * value.abs(),
            "energy {value} becomes {moved_value}"
        );
        for (node, (before, after)) in force.iter().zip(gradient(energy, &moved)).enumerate() {
            let difference = (turn * *before).distance(after);
            assert!(
                difference < 1e-9 * scale,
                "node {node}: off by {difference}"
            );
        }
    }

    fn gradient_is_the_derivative(
        &self,
        energy: &mut dyn Energy,
        positions: &[DVec3],
        length: f64,
    ) {
        let gradient = gradient(energy, positions);
        let scale = largest(&gradient);
        let mut moved = positions.to_vec();
        for node in 0..positions.len() {
            let quotient = DVec3::from_array([DVec3::X, DVec3::Y, DVec3::Z].map(|axis| {
                difference_quotient(STEP * length, |step| {
                    moved[node] = positions[node] + step * axis;
                    let value = energy.energy(&moved);
                    moved[node] = positions[node];
                    value
                })
            }));
            let difference = quotient.distance(gradient[node]);
            assert!(
                difference < self.tolerance * scale,
                "node {node}: gradient {}, difference quotient {quotient}",
                gradient[node]
            );
        }
    }

    fn hessian_is_the_derivative(
        &self,
        energy: &mut dyn Energy,
        matrix: &mut BlockMatrix,
        positions: &[DVec3],
        length: f64,
    ) {
        fill(energy, positions, Curvature::Full, matrix);
        let scale = largest_entry(matrix);
        assert_symmetric(matrix, scale);
        let node_count = positions.len();
        let mut product = vec![DVec3::ZERO; node_count];
        for node in 0..node_count {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let mut direction = vec![DVec3::ZERO; node_count];
                direction[node] = axis;
                matrix.multiply(&direction, &mut product);
                let at = |step: f64, energy: &mut dyn Energy| {
                    let mut moved = positions.to_vec();
                    moved[node] += step * axis;
                    gradient(energy, &moved)
                };
                let h = STEP * length;
                let values = [2.0 * h, h, -h, -2.0 * h].map(|step| at(step, energy));
                for (row, &entry) in product.iter().enumerate() {
                    let quotient = (8.0 * (values[1][row] - values[2][row])
                        - (values[0][row] - values[3][row]))
                        / (12.0 * h);
                    assert!(
                        quotient.distance(entry) < self.tolerance * scale,
                        "row {row}, column {node} {axis}: {entry}, difference quotient {quotient}"
                    );
                }
            }
        }
    }

    fn positive_part_is_positive(
        &self,
        energy: &mut dyn Energy,
        matrix: &mut BlockMatrix,
        positions: &[DVec3],
    ) {
        fill(energy, positions, Curvature::Positive, matrix);
        let scale = largest_entry(matrix);
        assert_symmetric(matrix, scale);
        let shift = self.eigenvalue_tolerance * scale * positions.len() as f64;
        if scale > 0.0 {
            assert!(
                is_positive_definite(&dense(matrix), shift),
                "an eigenvalue is below -{shift}, entries are up to {scale}"
            );
        }
    }

    fn results_are_added_and_repeat(
        &self,
        energy: &mut dyn Energy,
        matrix: &mut BlockMatrix,
        positions: &[DVec3],
    ) {
        assert_eq!(energy.energy(positions), energy.energy(positions));
        let once = gradient(energy, positions);
        let mut twice = once.clone();
        energy.add_gradient(positions, &mut twice);
        let scale = largest(&once);
        for (once, twice) in once.iter().zip(&twice) {
            assert!(twice.distance(2.0 * *once) <= 1e-12 * scale);
        }
        assert_eq!(once, gradient(energy, positions));
        for curvature in [Curvature::Full, Curvature::Positive] {
            fill(energy, positions, curvature, matrix);
            let once = matrix.clone();
            energy.add_hessian(positions, curvature, matrix);
            energy.add_hessian(positions, curvature, matrix);
            for block in matrix.blocks_mut() {
                *block *= 1.0 / 3.0;
            }
            let difference = largest_difference(&once, matrix);
            assert!(difference <= 1e-12 * largest_entry(&once), "{difference}");
            fill(energy, positions, curvature, matrix);
            assert_eq!(once.blocks(), matrix.blocks());
        }
    }
}

/// The gradient alone.
pub(crate) fn gradient(energy: &mut dyn Energy, positions: &[DVec3]) -> Vec<DVec3> {
    let mut gradient = vec![DVec3::ZERO; positions.len()];
    energy.add_gradient(positions, &mut gradient);
    gradient
}

/// The Hessian alone.
fn fill(
    energy: &mut dyn Energy,
    positions: &[DVec3],
    curvature: Curvature,
    matrix: &mut BlockMatrix,
) {
    matrix.clear();
    energy.add_hessian(positions, curvature, matrix);
}

/// A matrix with the couplings of an energy, which is attached to it, filled at `positions`.
pub(crate) fn hessian(
    energy: &mut dyn Energy,
    positions: &[DVec3],
    curvature: Curvature,
) -> BlockMatrix {
    let mut pairs = Vec::new();
    energy.couplings(&mut |a, b| pairs.push((a, b)));
    let mut matrix = BlockMatrix::new(positions.len(), pairs.into_iter());
    energy.attach(&matrix);
    energy.add_hessian(positions, curvature, &mut matrix);
    matrix
}

/// All entries, in rows of `3 * node_count`.
pub(crate) fn dense(matrix: &BlockMatrix) -> Vec<Vec<f64>> {
    let size = 3 * matrix.node_count();
    let mut dense = vec![vec![0.0; size]; size];
    for row in 0..matrix.node_count() {
        for slot in matrix.row_range(row) {
            let (block, column) = (matrix.block(slot), matrix.column(slot));
            for i in 0..3 {
                for j in 0..3 {
                    dense[3 * row + i][3 * column + j] = block.col(j)[i];
                }
            }
        }
    }
    dense
}

/// Whether a symmetric matrix has no eigenvalue below `-shift`, by a Cholesky factorisation.
pub(crate) fn is_positive_definite(matrix: &[Vec<f64>], shift: f64) -> bool {
    let size = matrix.len();
    let mut factor = matrix.to_vec();
    for i in 0..size {
        for j in 0..=i {
            let sum: f64 = (0..j).map(|k| factor[i][k] * factor[j][k]).sum();
            let value = factor[i][j] - sum + if i == j { shift } else { 0.0 };
            if i == j {
                if value.is_nan() || value <= 0.0 {
                    return false;
                }
                factor[i][i] = value.sqrt();
            } else {
                factor[i][j] = value / factor[j][j];
            }
        }
    }
    true
}

fn assert_symmetric(matrix: &BlockMatrix, scale: f64) {
    for row in 0..matrix.node_count() {
        for slot in matrix.row_range(row) {
            let column = matrix.column(slot);
            let mirrored = matrix
                .slot(column, row)
                .map(|slot| matrix.block(slot).transpose());
            let difference = *matrix.block(slot) - mirrored.unwrap_or(DMat3::NAN);
            assert!(
                largest_of(&difference) <= 1e-12 * scale,
                "blocks {row}, {column} and {column}, {row} differ: {difference}"
            );
        }
    }
}

/// The derivative at 0 of a function of one number, to fourth order.
fn difference_quotient(step: f64, mut value: impl FnMut(f64) -> f64) -> f64 {
    let near = value(step) - value(-step);
    let far = value(2.0 * step) - value(-2.0 * step);
    (8.0 * near - far) / (12.0 * step)
}

fn largest(field: &[DVec3]) -> f64 {
    field.iter().map(|g| g.length()).fold(0.0, f64::max)
}

fn largest_of(block: &DMat3) -> f64 {
    let entries = block.to_cols_array();
    entries.iter().map(|entry| entry.abs()).fold(0.0, f64::max)
}

fn largest_entry(matrix: &BlockMatrix) -> f64 {
    matrix.blocks().iter().map(largest_of).fold(0.0, f64::max)
}

fn largest_difference(a: &BlockMatrix, b: &BlockMatrix) -> f64 {
    let pairs = a.blocks().iter().zip(b.blocks());
    pairs
        .map(|(&a, &b)| largest_of(&(a - b)))
        .fold(0.0, f64::max)
}

/// A small generator of reproducible numbers (splitmix64).
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// A number between -1 and 1.
    pub(crate) fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// A vector in the cube between -1 and 1.
    pub(crate) fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }
}
