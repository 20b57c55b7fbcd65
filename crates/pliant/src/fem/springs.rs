//! Mass-spring networks: springs between the nodes of elements, with piecewise linear stress.
//!
//! ```text
//! E(x) = Σ over springs of ½ k d² + ½ (s - 1) k max(0, d - e L)²,    d = |x_b - x_a| - L
//! ```
//!
//! Implements: \[Gibson1997\] section on mass-spring models; \[Mueller2002\] Fig. 2, the piecewise
//! linear stress of Desbrun that keeps material from over-stretching: beyond the elongation e the
//! stiffness is s times larger. The force is continuous, the energy has a continuous derivative.
//!
//! k stiffness (N/m), L rest length (m), e elongation (fraction of L), s a factor of at least 1.
//!
//! The stiffness of springs that stand for a material is that of `spring_stiffness.rs`.
//!
//! Resistance to a change of volume beyond that is a second energy:
//! [`VolumePreservation`](super::VolumePreservation).

use super::assembly::Assembly;
use super::material::positive;
use super::spring_stiffness::add_stiffness;
use super::{Energy, FemError};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::math::parallel::ordered_sum;
use crate::mesh::{ElementMesh, MeshError};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// A spring between two nodes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spring {
    /// The nodes it joins.
    pub nodes: [u32; 2],
    /// Its length without force, in metres.
    pub rest_length: f64,
    /// Force per elongation, in newtons per metre.
    pub stiffness: f64,
}

/// How springs resist over-stretching.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StretchLimit {
    /// The elongation from which a spring is stiffer, as a fraction of its rest length.
    pub elongation: f64,
    /// How many times stiffer: at least 1.
    pub factor: f64,
}

/// A network of springs; see the module.
#[derive(Clone, Debug)]
pub struct SpringNetwork {
    springs: Vec<Spring>,
    limit: StretchLimit,
    assembly: Assembly<2>,
}

impl SpringNetwork {
    /// The given springs between `node_count` nodes.
    pub fn new(node_count: usize, springs: Vec<Spring>) -> Result<Self, FemError> {
        for (element, spring) in springs.iter().enumerate() {
            let [a, b] = spring.nodes;
            if let Some(&node) = [a, b].iter().find(|&&node| node as usize >= node_count) {
                return Err(MeshError::NoSuchNode {
                    element,
                    node,
                    node_count,
                }
                .into());
            }
            if a == b {
                return Err(MeshError::NodeTwice { element, node: a }.into());
            }
            check_length(spring.rest_length)?;
            positive("the stiffness of a spring", spring.stiffness)?;
        }
        Ok(Self {
            springs,
            limit: StretchLimit {
                elongation: f64::INFINITY,
                factor: 1.0,
            },
            assembly: Assembly::default(),
        })
    }

    /// Springs between the nodes of every element of a mesh, with the stiffness of a material.
    ///
    /// - `young`: Young's modulus, in pascals.
    /// - `section`: what elements lack of a volume: the thickness of faces in metres, the cross
    ///   section of segments in square metres. Solids do not use it.
    pub fn of_mesh(mesh: &ElementMesh, young: f64, section: f64) -> Result<Self, FemError> {
        mesh.check()?;
        let mut stiffness = BTreeMap::new();
        for block in &mesh.blocks {
            add_stiffness(block, &mesh.positions, young, section, &mut stiffness)?;
        }
        let springs = stiffness.into_iter().map(|([a, b], stiffness)| Spring {
            nodes: [a, b],
            rest_length: mesh.positions[a as usize].distance(mesh.positions[b as usize]),
            stiffness,
        });
        Self::new(mesh.positions.len(), springs.collect())
    }

    /// The same network, guarded against over-stretching.
    pub fn with_limit(mut self, limit: StretchLimit) -> Result<Self, FemError> {
        if limit.elongation.is_nan() || limit.elongation < 0.0 {
            return Err(FemError::Parameter {
                parameter: "the elongation of a stretch limit",
                expected: "at least 0",
                value: limit.elongation,
            });
        }
        if !limit.factor.is_finite() || limit.factor < 1.0 {
            return Err(FemError::Parameter {
                parameter: "the factor of a stretch limit",
                expected: "a number of at least 1",
                value: limit.factor,
            });
        }
        self.limit = limit;
        Ok(self)
    }

    /// The springs, in ascending order of their nodes if they are those of a mesh.
    pub fn springs(&self) -> &[Spring] {
        &self.springs
    }

    /// Gives a spring another rest length: a muscle that contracts. Its stiffness stays.
    ///
    /// - `length`: in metres.
    ///
    /// # Panics
    /// If there is no such spring.
    pub fn set_rest_length(&mut self, spring: usize, length: f64) -> Result<(), FemError> {
        check_length(length)?;
        self.springs[spring].rest_length = length;
        Ok(())
    }

    /// Tension of a spring in newtons and its derivative by the length, in newtons per metre.
    #[inline]
    fn tension(&self, spring: &Spring, length: f64) -> (f64, f64) {
        let elongation = length - spring.rest_length;
        let beyond = elongation - self.limit.elongation * spring.rest_length;
        let k = spring.stiffness;
        if beyond > 0.0 {
            let extra = (self.limit.factor - 1.0) * k;
            (k * elongation + extra * beyond, k + extra)
        } else {
            (k * elongation, k)
        }
    }

    /// The second derivative by one end: T' n nᵀ + (T / l) (I - n nᵀ), in newtons per metre.
    #[inline]
    fn spring_hessian(&self, spring: &Spring, edge: DVec3, curvature: Curvature) -> DMat3 {
        let length = edge.length();
        if length == 0.0 {
            return DMat3::from_diagonal(DVec3::splat(spring.stiffness));
        }
        let (tension, slope) = self.tension(spring, length);
        let across = match curvature {
            Curvature::Full => tension / length,
            Curvature::Positive => (tension / length).max(0.0),
        };
        let n = edge / length;
        let along = (slope - across) * n;
        let mut block = DMat3::from_cols(along * n.x, along * n.y, along * n.z);
        block.x_axis.x += across;
        block.y_axis.y += across;
        block.z_axis.z += across;
        block
    }
}

fn check_length(length: f64) -> Result<(), FemError> {
    positive("the rest length of a spring", length)
}

impl Energy for SpringNetwork {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for spring in &self.springs {
            visit(spring.nodes[0] as usize, spring.nodes[1] as usize);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let elements = self.springs.iter().map(|spring| spring.nodes);
        self.assembly.attach(matrix, elements);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        ordered_sum(self.springs.len(), |first, end| {
            let mut sum = 0.0;
            for spring in &self.springs[first..end] {
                let [a, b] = spring.nodes.map(|node| positions[node as usize]);
                let elongation = a.distance(b) - spring.rest_length;
                let beyond = elongation - self.limit.elongation * spring.rest_length;
                let extra = (self.limit.factor - 1.0) * beyond.max(0.0) * beyond.max(0.0);
                sum += 0.5 * spring.stiffness * (elongation * elongation + extra);
            }
            sum
        })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        let count = self.springs.len();
        self.assembly
            .over_nodes(count, gradient, |element, window| {
                let spring = &self.springs[element];
                let [a, b] = spring.nodes.map(|node| positions[node as usize]);
                let edge = b - a;
                let length = edge.length();
                if length > 0.0 {
                    let pull = edge * (self.tension(spring, length).0 / length);
                    window.add(spring.nodes[0], -pull);
                    window.add(spring.nodes[1], pull);
                }
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.assembly.over_blocks(matrix, |element, slots, window| {
            let spring = &self.springs[element];
            let [a, b] = spring.nodes.map(|node| positions[node as usize]);
            let block = self.spring_hessian(spring, b - a, curvature);
            window.add(slots[0][0], block);
            window.add(slots[1][1], block);
            window.add(slots[0][1], -block);
            window.add(slots[1][0], -block);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::contract::{EnergyContract, gradient, hessian};
    use crate::fem::VolumePreservation;
    use crate::fem::test_meshes::{box_mesh, distort, solve_held};
    use crate::mesh::{ElementBlock, ElementKind};

    fn network(kind: ElementKind) -> (Vec<DVec3>, SpringNetwork) {
        let size = DVec3::new(1.0, 0.8, 0.6);
        let mut mesh = box_mesh(kind, [2, 1, 1], size);
        distort(&mut mesh, size, 0.1);
        let springs = SpringNetwork::of_mesh(&mesh, 1e4, 0.05).unwrap();
        (mesh.positions, springs)
    }

    #[test]
    fn contract_of_every_kind_of_element() {
        for kind in ElementKind::ALL {
            println!("{kind:?}");
            let (rest, mut springs) = network(kind);
            EnergyContract::new(&rest).check(&mut springs);
            EnergyContract::new(&rest).check_crushed(&mut springs);
        }
    }

    #[test]
    fn contract_with_a_stretch_limit() {
        let (rest, springs) = network(ElementKind::Tetrahedron4);
        // No spring of the deformed states is so near to the limit that difference quotients see
        // the stiffness jump.
        let limit = StretchLimit {
            elongation: 0.062,
            factor: 20.0,
        };
        let mut springs = springs.with_limit(limit).unwrap();
        EnergyContract::new(&rest).check(&mut springs);
    }

    #[test]
    fn contract_with_volume() {
        let size = DVec3::new(1.0, 0.8, 0.6);
        let mut mesh = box_mesh(ElementKind::Tetrahedron4, [2, 1, 2], size);
        distort(&mut mesh, size, 0.1);
        let mut volume = VolumePreservation::new(&mesh.blocks[0], &mesh.positions, 1e5).unwrap();
        EnergyContract::new(&mesh.positions).check(&mut volume);
        EnergyContract::new(&mesh.positions).check_crushed(&mut volume);
    }

    /// One spring of 1 m and 100 N/m pulled to a length.
    fn pull(limit: Option<StretchLimit>, length: f64) -> f64 {
        let spring = Spring {
            nodes: [0, 1],
            rest_length: 1.0,
            stiffness: 100.0,
        };
        let mut springs = SpringNetwork::new(2, vec![spring]).unwrap();
        if let Some(limit) = limit {
            springs = springs.with_limit(limit).unwrap();
        }
        gradient(&mut springs, &[DVec3::ZERO, length * DVec3::Y])[1].y
    }

    #[test]
    fn stress_is_piecewise_linear() {
        let limit = Some(StretchLimit {
            elongation: 0.1,
            factor: 8.0,
        });
        for length in [0.5, 1.0, 1.05, 1.0999] {
            assert_eq!(pull(limit, length), pull(None, length));
        }
        // Beyond 10 % the slope is 8 times as steep, and the force does not jump.
        assert!((pull(limit, 1.2) - (10.0 + 8.0 * 10.0)).abs() < 1e-12);
        assert!((pull(limit, 1.1 + 1e-9) - 10.0).abs() < 1e-5);
    }

    #[test]
    fn a_muscle_contracts() {
        let (rest, mut springs) = network(ElementKind::Triangle3);
        let [a, b] = springs.springs()[0].nodes.map(|node| node as usize);
        let length = rest[a].distance(rest[b]);
        springs.set_rest_length(0, 0.7 * length).unwrap();
        let pull = gradient(&mut springs, &rest);
        let expected = 0.3 * length * springs.springs()[0].stiffness;
        assert!((pull[b].dot((rest[b] - rest[a]).normalize()) - expected).abs() < 1e-9 * expected);
        assert!(springs.set_rest_length(0, -1.0).is_err());
        assert!(springs.set_rest_length(0, f64::NAN).is_err());
    }

    /// Young's modulus of a bar as measured: pulled at both ends by sliding grips, sides free.
    fn measured_young(mesh: &ElementMesh, size: DVec3, section: f64) -> f64 {
        let mut springs = SpringNetwork::of_mesh(mesh, 1.0, section).unwrap();
        let matrix = hessian(&mut springs, &mesh.positions, Curvature::Full);
        let flat = mesh.blocks[0].kind.dimension() == 2;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        let mut held = Vec::new();
        let mut given = Vec::new();
        for x in &mesh.positions {
            let end = near(x.x, 0.0) || near(x.x, size.x);
            held.push([end, near(x.y, 0.0), flat || near(x.z, 0.0)]);
            given.push(DVec3::X * x.x * 0.01);
        }
        let zero = vec![DVec3::ZERO; given.len()];
        let u = solve_held(&matrix, &held, &given, &zero);
        let mut force = zero.clone();
        matrix.multiply(&u, &mut force);
        let at_end = mesh.positions.iter().zip(&force);
        let pull: f64 = at_end
            .filter(|(x, _)| near(x.x, size.x))
            .map(|(_, force)| force.x)
            .sum();
        let area = size.y * if flat { section } else { size.z };
        pull / (0.01 * area)
    }

    #[test]
    fn a_bar_is_as_stiff_as_its_material() {
        let size = DVec3::new(4.0, 1.0, 1.0);
        for kind in ElementKind::ALL
            .into_iter()
            .filter(|kind| kind.dimension() > 1)
        {
            let size = if kind.dimension() == 2 {
                size * DVec3::new(1.0, 1.0, 0.0)
            } else {
                size
            };
            let mut mesh = box_mesh(kind, [12, 3, 3], size);
            let regular = measured_young(&mesh, size, 0.1);
            distort(&mut mesh, size, 0.06);
            let irregular = measured_young(&mesh, size, 0.1);
            println!("{kind:?}: {regular:.3} of E, irregular {irregular:.3}");
            assert!((regular - 1.0).abs() < 0.08, "{kind:?}: {regular}");
            assert!((irregular - 1.0).abs() < 0.08, "{kind:?}: {irregular}");
        }
    }

    #[test]
    fn stiffness_is_that_of_lloyd_where_there_is_a_formula() {
        let l = 0.3;
        let triangle = ElementMesh {
            positions: vec![
                DVec3::ZERO,
                l * DVec3::X,
                l * DVec3::new(0.5, 0.75_f64.sqrt(), 0.0),
            ],
            blocks: vec![ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2])],
        };
        let springs = SpringNetwork::of_mesh(&triangle, 2e5, 0.01).unwrap();
        for spring in springs.springs() {
            let expected = 3.0_f64.sqrt() / 4.0 * 2e5 * 0.01;
            assert!((spring.stiffness / expected - 1.0).abs() < 1e-12);
        }
        let corner = |x: f64, y: f64, z: f64| l / 8.0_f64.sqrt() * DVec3::new(x, y, z);
        let tetrahedron = ElementMesh {
            positions: vec![
                corner(1.0, 1.0, 1.0),
                corner(1.0, -1.0, -1.0),
                corner(-1.0, 1.0, -1.0),
                corner(-1.0, -1.0, 1.0),
            ],
            blocks: vec![ElementBlock::new(
                ElementKind::Tetrahedron4,
                vec![0, 2, 1, 3],
            )],
        };
        let springs = SpringNetwork::of_mesh(&tetrahedron, 2e5, 1.0).unwrap();
        assert_eq!(springs.springs().len(), 6);
        for spring in springs.springs() {
            let expected = 2.0 * 2.0_f64.sqrt() / 25.0 * 2e5 * l;
            assert!((spring.stiffness / expected - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn a_segment_is_a_rod() {
        let mesh = box_mesh(ElementKind::Line2, [1, 1, 1], DVec3::new(2.0, 0.0, 0.0));
        let springs = SpringNetwork::of_mesh(&mesh, 1e6, 3e-4).unwrap();
        // k = E A / L
        assert!((springs.springs()[0].stiffness - 150.0).abs() < 1e-9);
    }

    #[test]
    fn nonsense_is_refused() {
        let mesh = box_mesh(ElementKind::Quad4, [1, 1, 1], DVec3::ONE);
        assert!(SpringNetwork::of_mesh(&mesh, -1.0, 1.0).is_err());
        assert!(SpringNetwork::of_mesh(&mesh, 1.0, 0.0).is_err());
        let flat = box_mesh(
            ElementKind::Tetrahedron4,
            [1, 1, 1],
            DVec3::new(1.0, 1.0, 0.0),
        );
        let error = SpringNetwork::of_mesh(&flat, 1.0, 1.0).unwrap_err();
        assert!(matches!(error, FemError::Degenerate { .. }));
        let spring = Spring {
            nodes: [0, 7],
            rest_length: 1.0,
            stiffness: 1.0,
        };
        assert!(SpringNetwork::new(2, vec![spring]).is_err());
        let springs = SpringNetwork::of_mesh(&mesh, 1.0, 1.0).unwrap();
        let limit = StretchLimit {
            elongation: 0.1,
            factor: 0.5,
        };
        assert!(springs.with_limit(limit).is_err());
    }
}
