//! Angular springs: two springs that meet at a node resist a change of the angle between them.
//!
//! ```text
//! E(x) = Σ ½ κ' (l - l⁰)²,    l = |t₂ - t₁| = 2 sin(φ/2),    κ' = κ / (1 - (l⁰/2)²)
//! t₁ = (x_b - x_a) / |x_b - x_a|,    t₂ = (x_c - x_b) / |x_c - x_b|
//! ```
//!
//! Implements: \[Gibson1997\] section on mass-spring models, angular springs.
//!
//! φ is the angle by which the way from a over b to c turns (0 where it goes straight on), κ the torque
//! per angle at rest (N m/rad). The chord l takes the place of φ: it is as good a measure near rest, and
//! its square has derivatives where φ has none, at φ = 0, which is where most angular springs rest. A
//! chain with the spacing h and a spring κ at each node bends as a rod of rigidity κ h.

use super::assembly::Assembly;
use super::material::positive;
use super::springs::Spring;
use super::{Energy, FemError};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::math::outer;
use crate::math::parallel::ordered_sum;
use glam::{DMat3, DVec3};
use std::collections::BTreeSet;

/// The least cosine of the angle by which a way turns where two springs continue each other: 45 degrees.
const STRAIGHTEST: f64 = std::f64::consts::FRAC_1_SQRT_2;

/// An angular spring.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AngularSpring {
    /// The first end, the node where it turns, the other end.
    nodes: [u32; 3],
    /// l⁰.
    rest_chord: f64,
    /// κ', in newton metres.
    stiffness: f64,
}

/// Angular springs; see the module.
#[derive(Clone, Debug)]
pub struct AngularSprings {
    springs: Vec<AngularSpring>,
    assembly: Assembly<3>,
}

/// The two edges of an angular spring.
struct Turn {
    /// Unit vectors t₁ and t₂.
    tangents: [DVec3; 2],
    /// Lengths of the edges, in metres.
    lengths: [f64; 2],
    /// t₂ - t₁.
    chord: DVec3,
}

impl Turn {
    /// Nothing where an edge has no length: it has no direction either.
    #[inline]
    fn at(nodes: [u32; 3], positions: &[DVec3]) -> Option<Self> {
        let [a, b, c] = nodes.map(|node| positions[node as usize]);
        let edges = [b - a, c - b];
        let lengths = edges.map(DVec3::length);
        if lengths.contains(&0.0) {
            return None;
        }
        let tangents = [edges[0] / lengths[0], edges[1] / lengths[1]];
        let chord = tangents[1] - tangents[0];
        Some(Self {
            tangents,
            lengths,
            chord,
        })
    }
}

impl AngularSprings {
    /// One of κ newton metres per radian wherever two springs continue each other: at each end of a spring
    /// the one that turns the least, by no more than 45 degrees. Angles rest as they are.
    pub fn between(rest: &[DVec3], springs: &[Spring], stiffness: f64) -> Result<Self, FemError> {
        positive("the stiffness of angular springs", stiffness)?;
        let mut neighbours = vec![Vec::new(); rest.len()];
        for spring in springs {
            let [a, b] = spring.nodes;
            neighbours[a as usize].push(b);
            neighbours[b as usize].push(a);
        }
        let mut turns = BTreeSet::new();
        for (middle, around) in (0_u32..).zip(&neighbours) {
            let way = |node: u32| (rest[node as usize] - rest[middle as usize]).normalize_or_zero();
            for &from in around {
                let cosine = |to: u32| -way(from).dot(way(to));
                let best = around
                    .iter()
                    .copied()
                    .filter(|&to| to != from && cosine(to) >= STRAIGHTEST);
                let best = best.max_by(|&a, &b| cosine(a).total_cmp(&cosine(b)));
                if let Some(to) = best {
                    turns.insert([from.min(to), middle, from.max(to)]);
                }
            }
        }
        let spring = |nodes: [u32; 3]| {
            let rest_chord = Turn::at(nodes, rest).map_or(0.0, |turn| turn.chord.length());
            AngularSpring {
                nodes,
                rest_chord,
                stiffness: stiffness / (1.0 - 0.25 * rest_chord * rest_chord),
            }
        };
        Ok(Self {
            springs: turns.into_iter().map(spring).collect(),
            assembly: Assembly::default(),
        })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.springs.len()
    }

    /// Whether no two springs continue each other.
    pub fn is_empty(&self) -> bool {
        self.springs.is_empty()
    }
}

impl AngularSpring {
    /// The derivative of the energy by the chord, in newton metres.
    #[inline]
    fn torque(&self, turn: &Turn) -> DVec3 {
        let length = turn.chord.length();
        if length == 0.0 {
            return DVec3::ZERO;
        }
        turn.chord * (self.stiffness * (length - self.rest_chord) / length)
    }

    /// The second derivatives by the two edges: 1-1, 1-2, 2-2, in newtons per metre.
    #[inline]
    fn edge_hessian(&self, turn: &Turn, curvature: Curvature) -> [DMat3; 3] {
        let [t1, t2] = turn.tangents;
        let [l1, l2] = turn.lengths;
        let across = [t1, t2].map(|t| DMat3::IDENTITY - outer(t, t));
        let by_chord = self.chord_hessian(turn, curvature);
        let mut h11 = across[0] * by_chord * across[0];
        let h12 = across[0] * by_chord * across[1] * (-1.0 / (l1 * l2));
        let mut h22 = across[1] * by_chord * across[1];
        if curvature == Curvature::Full {
            let torque = self.torque(turn);
            h11 -= turned(t1, -torque, across[0]);
            h22 -= turned(t2, torque, across[1]);
        }
        [h11 * (1.0 / (l1 * l1)), h12, h22 * (1.0 / (l2 * l2))]
    }

    /// κ' (n nᵀ + (1 - l⁰/l) (I - n nᵀ)).
    #[inline]
    fn chord_hessian(&self, turn: &Turn, curvature: Curvature) -> DMat3 {
        let length = turn.chord.length();
        if length == 0.0 {
            return DMat3::IDENTITY * self.stiffness;
        }
        let n = turn.chord / length;
        let mut sideways = 1.0 - self.rest_chord / length;
        match curvature {
            Curvature::Full => {}
            Curvature::Positive => sideways = sideways.max(0.0),
            Curvature::Material => sideways = 0.0,
        }
        (outer(n, n) * (1.0 - sideways) + DMat3::IDENTITY * sideways) * self.stiffness
    }
}

/// Minus the second derivative of g · t by the edge of t, times the square of its length:
/// (t · g) P + t (P g)ᵀ + (P g) tᵀ.
#[inline]
fn turned(t: DVec3, g: DVec3, across: DMat3) -> DMat3 {
    let side = across * g;
    across * t.dot(g) + outer(t, side) + outer(side, t)
}

impl Energy for AngularSprings {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for spring in &self.springs {
            let [a, b, c] = spring.nodes.map(|node| node as usize);
            visit(a, b);
            visit(b, c);
            visit(a, c);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let elements = self.springs.iter().map(|spring| spring.nodes);
        self.assembly.attach(matrix, elements);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        ordered_sum(self.springs.len(), |first, end| {
            let energy = |spring: &AngularSpring| {
                let turn = Turn::at(spring.nodes, positions);
                let beyond = turn.map_or(0.0, |turn| turn.chord.length() - spring.rest_chord);
                0.5 * spring.stiffness * beyond * beyond
            };
            self.springs[first..end].iter().map(energy).sum()
        })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        let count = self.springs.len();
        self.assembly
            .over_nodes(count, gradient, |element, window| {
                let spring = &self.springs[element];
                let Some(turn) = Turn::at(spring.nodes, positions) else {
                    return;
                };
                let torque = spring.torque(&turn);
                let by_edge = |n: usize| {
                    let t = turn.tangents[n];
                    (torque - t * t.dot(torque)) / turn.lengths[n]
                };
                let (first, second) = (-by_edge(0), by_edge(1));
                window.add(spring.nodes[0], -first);
                window.add(spring.nodes[1], first - second);
                window.add(spring.nodes[2], second);
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.assembly.over_blocks(matrix, |element, slots, window| {
            let spring = &self.springs[element];
            let Some(turn) = Turn::at(spring.nodes, positions) else {
                return;
            };
            let [h11, h12, h22] = spring.edge_hessian(&turn, curvature);
            window.add(slots[0][0], h11);
            window.add(slots[1][1], h11 - h12 - h12.transpose() + h22);
            window.add(slots[2][2], h22);
            window.add_mirrored(slots, 0, 1, h12 - h11);
            window.add_mirrored(slots, 0, 2, -h12);
            window.add_mirrored(slots, 1, 2, h12 - h22);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::contract::EnergyContract;
    use crate::fem::SpringNetwork;
    use crate::fem::test_meshes::{box_mesh, distort};
    use crate::mesh::ElementKind;

    fn chain(places: &[DVec3]) -> Vec<Spring> {
        let spring = |first: usize| Spring {
            nodes: [first as u32, first as u32 + 1],
            rest_length: places[first].distance(places[first + 1]),
            stiffness: 1.0,
        };
        (0..places.len() - 1).map(spring).collect()
    }

    #[test]
    fn contract_straight_bent_and_over_a_mesh() {
        let straight: Vec<DVec3> = (0..5).map(|n| DVec3::X * f64::from(n)).collect();
        let bent: Vec<DVec3> = (0..5)
            .map(|n| (0.5 * f64::from(n)).sin_cos())
            .map(|(x, y)| DVec3::new(x, y, 0.1 * x))
            .collect();
        for rest in [straight, bent] {
            let mut angular = AngularSprings::between(&rest, &chain(&rest), 3.0).unwrap();
            assert_eq!(angular.len(), 3);
            EnergyContract::new(&rest).check(&mut angular);
        }
        let size = DVec3::new(1.0, 0.8, 0.0);
        let mut mesh = box_mesh(ElementKind::Quad4, [3, 3, 1], size);
        distort(&mut mesh, size, 0.05);
        let springs = SpringNetwork::of_mesh(&mesh, 1e3, 0.01).unwrap();
        let angular = AngularSprings::between(&mesh.positions, springs.springs(), 0.2);
        EnergyContract::new(&mesh.positions).check(&mut angular.unwrap());
    }

    /// The torque at rest and near it is κ times the angle, whatever the angle at rest.
    #[test]
    fn stiffness_is_torque_per_angle() {
        for rest_angle in [0.0_f64, 0.4] {
            let place = |angle: f64| {
                let end = DVec3::new(angle.cos(), angle.sin(), 0.0);
                vec![-DVec3::X, DVec3::ZERO, end]
            };
            let rest = place(rest_angle);
            let mut angular = AngularSprings::between(&rest, &chain(&rest), 2.5).unwrap();
            let angle = 1e-3;
            let energy = angular.energy(&place(rest_angle + angle));
            let expected = 0.5 * 2.5 * angle * angle;
            assert!(
                (energy / expected - 1.0).abs() < 1e-3,
                "{energy} {expected}"
            );
        }
    }

    #[test]
    fn nothing_is_straight_enough_in_a_triangle() {
        let mesh = box_mesh(ElementKind::Triangle3, [1, 1, 1], DVec3::new(1.0, 1.0, 0.0));
        let springs = SpringNetwork::of_mesh(&mesh, 1e3, 0.01).unwrap();
        let angular = AngularSprings::between(&mesh.positions, springs.springs(), 1.0).unwrap();
        assert!(angular.is_empty());
        assert!(AngularSprings::between(&mesh.positions, springs.springs(), -1.0).is_err());
    }
}
