//! The elastic energy of a body, linearised about its reference shape in a frame that turns with it.
//!
//! ```text
//! E(x) = ½ eᵀ K e,    e_i = Rᵀ (x_i - c) - r_i,    R the rotation nearest to Σ m_i (x_i - c) r_iᵀ
//! ```
//!
//! K is the Hessian at rest of another energy over the nodes: of the primal energy of a grid, or of
//! any energy over a mesh. It is constant, of 3x3 blocks, and knows no shift and no small turn of
//! the reference shape r. So the body is as stiff as the energy that K comes from: cross-sections
//! turn freely, where the spline energy of `spline.rs` resists each change of e, a turn too, and a
//! thin bar is many times too stiff. c is the centre of mass.
//!
//! **Which frame.** The frame of smallest energy, which the spline energy has, is of no use here: a
//! small strain takes a turn by ω for a stretch of ½ ω², so a body under pressure would find frames
//! in which it is hardly strained (measured: a cantilever droops 10 % too far, however small the
//! load). The best fit of the shape (mean axes) has no such freedom.
//!
//! **Derivatives.** With q = Rᵀ (x - c), f = K e and τ = Σ q × f, the gradient is
//!
//! ```text
//! R (f_i - m_i λ × r_i),    G λ = τ,    G = tr(S) 1 - S,    S = Σ m q rᵀ (symmetric)
//! ```
//!
//! The second term is what the turning of the frame adds; with it there is no net force and no
//! torque. The Hessian that is given is R K Rᵀ: positive semi-definite and exact at rest. The true
//! one has terms of rank three more, of the size of the forces, that would couple all nodes.
//!
//! Implements: \[Terzopoulos1988\] eq. 11-15 with another energy of e than that of eq. 18.

use crate::body::BodyDescription;
use crate::elastic::primal_terms;
use crate::energy::{Curvature, Energy};
use crate::fem::FemError;
use crate::linear::BlockMatrix;
use crate::math::{nearest_rotation, outer};
use glam::{DMat3, DVec3};

/// A linearised energy in a frame of its own; see the module.
#[derive(Debug)]
pub struct FramedElasticity {
    /// r.
    reference: Vec<DVec3>,
    /// K.
    stiffness: BlockMatrix,
    /// Where the blocks of K are in the matrix of an integrator.
    slots: Vec<u32>,
    /// q.
    turned: Vec<DVec3>,
    /// e.
    deformations: Vec<DVec3>,
    /// K e.
    forces: Vec<DVec3>,
    /// m.
    masses: Vec<f64>,
}

impl FramedElasticity {
    /// The primal energy of a body over a grid, linearised about its natural shape.
    pub fn of_primal(description: &BodyDescription) -> Self {
        let rest = &description.rest_positions;
        let mut groups = primal_terms(
            description.material_grid(),
            rest,
            description.material_weights(),
        );
        let mut couplings = Vec::new();
        for group in &groups {
            group.couplings(&mut |a, b| {
                if a != b {
                    couplings.push((a, b));
                }
            });
        }
        let mut stiffness = BlockMatrix::new(rest.len(), couplings.into_iter());
        for group in &mut groups {
            group.prepare_hessian(&stiffness);
            group.add_hessian(rest, Curvature::Positive, &mut stiffness);
        }
        Self::new(rest, &description.masses, stiffness)
    }

    /// An energy over a mesh, linearised about `rest_positions`, where it must be at rest.
    pub fn of_mesh(
        rest_positions: &[DVec3],
        masses: &[f64],
        mut energy: Box<dyn Energy>,
    ) -> Result<Self, FemError> {
        if masses.len() != rest_positions.len() {
            return Err(FemError::Count {
                what: "the list of masses",
                expected: rest_positions.len(),
                given: masses.len(),
            });
        }
        let mut couplings = Vec::new();
        energy.couplings(&mut |a, b| couplings.push((a, b)));
        let mut stiffness = BlockMatrix::new(rest_positions.len(), couplings.into_iter());
        energy.attach(&stiffness);
        energy.add_hessian(rest_positions, Curvature::Positive, &mut stiffness);
        Ok(Self::new(rest_positions, masses, stiffness))
    }

    fn new(rest_positions: &[DVec3], masses: &[f64], stiffness: BlockMatrix) -> Self {
        let count = rest_positions.len();
        let centre = centre(rest_positions, masses);
        let room = || vec![DVec3::ZERO; count];
        Self {
            reference: rest_positions.iter().map(|&x| x - centre).collect(),
            stiffness,
            slots: Vec::new(),
            turned: room(),
            deformations: room(),
            forces: room(),
            masses: masses.to_vec(),
        }
    }

    /// K.
    pub fn stiffness(&self) -> &BlockMatrix {
        &self.stiffness
    }

    /// The frame of given positions: R. Afterwards q, e and K e are those of the frame.
    pub fn frame(&mut self, positions: &[DVec3]) -> DMat3 {
        let centre = centre(positions, &self.masses);
        let mut shape = DMat3::ZERO;
        let mut size = 0.0;
        for ((&x, &r), &m) in positions.iter().zip(&self.reference).zip(&self.masses) {
            shape += outer(m * (x - centre), r);
            size += m * r.length_squared();
        }
        let rotation = nearest_rotation(shape * (3.0 / size.max(f64::MIN_POSITIVE)));
        let back = rotation.transpose();
        for (node, &x) in positions.iter().enumerate() {
            self.turned[node] = back * (x - centre);
            self.deformations[node] = self.turned[node] - self.reference[node];
        }
        self.stiffness
            .multiply(&self.deformations, &mut self.forces);
        rotation
    }

    /// λ.
    fn turning(&self) -> DVec3 {
        let mut torque = DVec3::ZERO;
        let mut shape = DMat3::ZERO;
        for (node, &q) in self.turned.iter().enumerate() {
            torque += q.cross(self.forces[node]);
            shape += outer(self.masses[node] * q, self.reference[node]);
        }
        let trace = shape.x_axis.x + shape.y_axis.y + shape.z_axis.z;
        // A straight curve has no torque about itself and leaves that turn open.
        let little = 1e-12 * trace.abs() + f64::MIN_POSITIVE;
        let resistance =
            DMat3::from_diagonal(DVec3::splat(trace + little)) - 0.5 * (shape + shape.transpose());
        resistance.inverse() * torque
    }
}

fn centre(positions: &[DVec3], masses: &[f64]) -> DVec3 {
    let sum: DVec3 = positions.iter().zip(masses).map(|(&x, &m)| m * x).sum();
    sum / masses.iter().sum::<f64>().max(f64::MIN_POSITIVE)
}

impl Energy for FramedElasticity {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        self.stiffness.visit_couplings(visit);
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.slots = self.stiffness.slots_in(matrix);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.frame(positions);
        let products = self.deformations.iter().zip(&self.forces);
        0.5 * products.map(|(e, f)| e.dot(*f)).sum::<f64>()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        let rotation = self.frame(positions);
        let turning = self.turning();
        for (node, sum) in gradient.iter_mut().enumerate() {
            let frame = self.masses[node] * turning.cross(self.reference[node]);
            *sum += rotation * (self.forces[node] - frame);
        }
    }

    fn add_hessian(&mut self, positions: &[DVec3], _: Curvature, matrix: &mut BlockMatrix) {
        let rotation = self.frame(positions);
        let back = rotation.transpose();
        for (slot, block) in self.slots.iter().zip(self.stiffness.blocks()) {
            matrix.add_at(*slot as usize, rotation * *block * back);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::Weights;
    use crate::energy::contract::{Random, dense, gradient, hessian, is_positive_definite};
    use crate::fem::test_meshes::{box_mesh, solve_held};
    use crate::fem::{ElasticMaterial, MeshModel, ModelInput, SolidModel, SolidStrain};
    use crate::grid::Grid;
    use crate::linear::SolverKind;
    use crate::mesh::ElementKind;
    use crate::{Body, IntegratorKind, Workspace, World};
    use glam::DQuat;
    use std::sync::Arc;

    /// A bar of a grid, along x.
    fn bar() -> BodyDescription {
        let grid = Grid::new(&[17, 3, 3], &[false; 3]);
        let place =
            |at| DVec3::from_array(grid.material_coordinates(at)) * DVec3::new(1.6, 0.2, 0.2);
        let rest = grid.nodes().map(place).collect();
        let weights = Weights::uniform(grid.node_count(), 40.0, 0.0, 0.0);
        BodyDescription::new("bar", grid, rest, weights)
    }

    fn sheet() -> BodyDescription {
        let grid = Grid::new(&[6, 5], &[false; 2]);
        let place = |at| {
            let [u, v, _] = grid.material_coordinates(at);
            DVec3::new(u, v, 0.2 * u * u)
        };
        let rest = grid.nodes().map(place).collect();
        let weights = Weights::uniform(grid.node_count(), 5.0, 0.02, 0.0);
        BodyDescription::new("sheet", grid, rest, weights)
    }

    fn energies() -> Vec<(Vec<DVec3>, FramedElasticity)> {
        let mut all: Vec<(Vec<DVec3>, FramedElasticity)> = [bar(), sheet()]
            .iter()
            .map(|description| {
                (
                    description.rest_positions.clone(),
                    FramedElasticity::of_primal(description),
                )
            })
            .collect();
        let mesh = box_mesh(
            ElementKind::Tetrahedron4,
            [3, 2, 1],
            DVec3::new(1.0, 0.6, 0.3),
        );
        let material = ElasticMaterial::new(1e3, 0.3, 1.0).unwrap();
        let model = SolidModel::new(SolidStrain::Linear, material);
        let input = ModelInput {
            mesh: &mesh,
            rest_positions: &mesh.positions,
            cores: &vec![0; mesh.positions.len()],
        };
        let mut made = model.energies(input).unwrap();
        let energy: Box<dyn Energy> = made.remove(0);
        let masses = model.masses(&mesh).unwrap();
        let framed = FramedElasticity::of_mesh(&mesh.positions, &masses, energy).unwrap();
        all.push((mesh.positions, framed));
        all
    }

    #[test]
    fn rigid_motions_cost_nothing_and_the_gradient_is_the_derivative() {
        let mut random = Random(5);
        for (rest, mut framed) in energies() {
            let length = rest[0].distance(rest[1]);
            let turn = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(1.0, -2.0, 0.7)));
            let moved: Vec<DVec3> = rest.iter().map(|&x| turn * x + DVec3::ONE).collect();
            let deformed: Vec<DVec3> = rest
                .iter()
                .map(|&x| turn * (x + 0.1 * length * random.vector()) - DVec3::X)
                .collect();
            let energy = framed.energy(&deformed);
            assert!(framed.energy(&moved) < 1e-20 * energy.max(1.0));
            let force = gradient(&mut framed, &deformed);
            let scale = force.iter().map(|f| f.length()).fold(0.0, f64::max);
            let sum: DVec3 = force.iter().sum();
            let torque: DVec3 = force.iter().zip(&deformed).map(|(f, x)| x.cross(*f)).sum();
            assert!(sum.length() < 1e-10 * scale, "{sum}");
            assert!(torque.length() < 1e-9 * scale, "{torque} {scale}");
            for node in [0, rest.len() / 2, rest.len() - 1] {
                for axis in 0..3 {
                    let mut at = |offset: f64| {
                        let mut x = deformed.clone();
                        x[node][axis] += offset;
                        framed.energy(&x)
                    };
                    let h = 1e-4 * length;
                    let near = at(h) - at(-h);
                    let far = at(2.0 * h) - at(-2.0 * h);
                    let slope = (8.0 * near - far) / (12.0 * h);
                    assert!((slope - force[node][axis]).abs() < 1e-6 * scale);
                }
            }
        }
    }

    #[test]
    fn the_hessian_is_positive_and_exact_at_rest() {
        let mut random = Random(8);
        for (rest, mut framed) in energies() {
            let length = rest[0].distance(rest[1]);
            let deformed: Vec<DVec3> = rest
                .iter()
                .map(|&x| x + 0.1 * length * random.vector())
                .collect();
            if rest.len() < 60 {
                let entries = dense(&hessian(&mut framed, &deformed, Curvature::Positive));
                let largest = entries
                    .iter()
                    .flatten()
                    .fold(0.0_f64, |a, b| a.max(b.abs()));
                assert!(is_positive_definite(&entries, 1e-9 * largest));
            }
            let matrix = hessian(&mut framed, &rest, Curvature::Positive);
            for _ in 0..5 {
                let d: Vec<DVec3> = rest.iter().map(|_| length * random.vector()).collect();
                let mut product = vec![DVec3::ZERO; rest.len()];
                matrix.multiply(&d, &mut product);
                let h = 1e-6;
                let mut at = |t: f64| {
                    let x: Vec<DVec3> = rest.iter().zip(&d).map(|(&x, &d)| x + t * d).collect();
                    gradient(&mut framed, &x)
                };
                let (up, down) = (at(h), at(-h));
                let scale = product.iter().map(|p| p.length()).fold(0.0, f64::max);
                for ((up, down), given) in up.iter().zip(&down).zip(&product) {
                    let slope = (*up - *down) / (2.0 * h);
                    assert!((slope - *given).length() < 1e-6 * scale, "{slope} {given}");
                }
            }
        }
    }

    /// A cantilever under its weight, as a primal body in equilibrium and by the energy in a frame.
    #[test]
    fn a_cantilever_droops_as_the_primal_one() {
        let mut description = bar();
        let rest = description.rest_positions.clone();
        let held: Vec<bool> = rest.iter().map(|x| x.x < 1e-9).collect();
        description.fixed.clone_from(&held);
        description.masses.fill(5e-3);
        description.solver.kind = SolverKind::Cholesky;
        description.integrator = IntegratorKind::Static;
        description.newton_iterations = 100;
        let acceleration = DVec3::new(0.0, 0.0, -1.0);
        let force = Arc::new(crate::force::Gravity { acceleration });
        description
            .forces
            .push(crate::force::BoundForce { force, node: None });
        let masses = description.masses.clone();
        let mut framed = FramedElasticity::of_primal(&description);
        let mut world = World {
            bodies: vec![Body::new(description).unwrap()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        for _ in 0..3 {
            world.step(&mut workspace);
        }
        let primal = world.bodies[0].state.positions[rest.len() - 1].z - rest[rest.len() - 1].z;
        // Newton's method on the energy in the frame.
        let mut positions = rest.clone();
        let load: Vec<DVec3> = masses.iter().map(|m| *m * acceleration).collect();
        let marks: Vec<[bool; 3]> = held.iter().map(|&is| [is; 3]).collect();
        for _ in 0..30 {
            let force = gradient(&mut framed, &positions);
            let missing: Vec<DVec3> = load.iter().zip(&force).map(|(f, g)| *f - *g).collect();
            let matrix = hessian(&mut framed, &positions, Curvature::Positive);
            let none = vec![DVec3::ZERO; rest.len()];
            let step = solve_held(&matrix, &marks, &none, &missing);
            for (x, step) in positions.iter_mut().zip(&step) {
                *x += *step;
            }
        }
        let found = positions[rest.len() - 1].z - rest[rest.len() - 1].z;
        println!("primal {primal}, in a frame {found}");
        assert!(primal < -0.005, "{primal}");
        assert!((found / primal - 1.0).abs() < 0.02, "{found} {primal}");
    }

    #[test]
    fn tetrahedra_give_their_own_stiffness() {
        let mesh = box_mesh(ElementKind::Tetrahedron4, [2, 1, 1], DVec3::ONE);
        let material = ElasticMaterial::new(1e3, 0.3, 1.0).unwrap();
        let model = SolidModel::new(SolidStrain::Corotated, material);
        let input = || ModelInput {
            mesh: &mesh,
            rest_positions: &mesh.positions,
            cores: &[0; 12],
        };
        let mut direct = model.energies(input()).unwrap().remove(0);
        let energy = model.energies(input()).unwrap().remove(0);
        let masses = model.masses(&mesh).unwrap();
        let mut framed = FramedElasticity::of_mesh(&mesh.positions, &masses, energy).unwrap();
        let expected = dense(&hessian(
            direct.as_mut(),
            &mesh.positions,
            Curvature::Positive,
        ));
        let found = dense(&hessian(&mut framed, &mesh.positions, Curvature::Positive));
        let pairs = expected.iter().flatten().zip(found.iter().flatten());
        let worst = pairs.map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        assert!(worst < 1e-9 * 1e3, "{worst}");
    }
}
