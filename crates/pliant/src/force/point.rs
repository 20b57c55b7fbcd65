//! Forces on one point of a body that lies between its nodes: the pull of a mouse, a push.
//!
//! ```text
//! p = Σ w_i x_i                       the point: a stencil of up to three nodes, Σ w_i = 1
//! f_i = w_i k (p0 - p)                a spring to p0; its potential is ½ k |p0 - p|²
//! f_i = w_i f                         a push
//! ```
//!
//! k is the spring constant in N/m, f the push in newtons. The stiffness of the spring couples the
//! nodes by k w_i w_j; its diagonal bound k w_i is what integrators get: it is never less than the
//! coupling asks for, since Σ w_i = 1.
//! Implements: \[Terzopoulos1988\] eq. 21 at a point of the material.

use super::{ForceSource, Loads, NodalForce, NodalView, Stiffness};
use glam::DVec3;
use std::ops::Range;

/// A point of a body as weights of up to three nodes: of a triangle, an edge, or one node. The
/// weights are not negative and sum to 1; a node may stand several times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stencil {
    /// The nodes.
    pub nodes: [usize; 3],
    /// The weight of each.
    pub weights: [f64; 3],
}

impl Stencil {
    /// One node.
    pub fn node(node: usize) -> Self {
        Self {
            nodes: [node; 3],
            weights: [1.0, 0.0, 0.0],
        }
    }

    /// Where the point is.
    pub fn point(&self, positions: &[DVec3]) -> DVec3 {
        self.entries()
            .map(|(node, weight)| weight * positions[node])
            .sum()
    }

    /// Each node with its weight.
    pub fn entries(&self) -> impl Iterator<Item = (usize, f64)> {
        self.nodes.into_iter().zip(self.weights)
    }

    /// The weight of a node; zero if it does not belong to the stencil.
    fn weight(&self, node: usize) -> f64 {
        let entries = self.entries().filter(|entry| entry.0 == node);
        entries.map(|entry| entry.1).sum()
    }

    /// What is wrong with the weights.
    pub fn problem(&self) -> Option<&'static str> {
        let is_sound = |weight: &f64| weight.is_finite() && *weight >= 0.0;
        if !self.weights.iter().all(is_sound) {
            return Some("weights are zero or positive");
        }
        let sum: f64 = self.weights.iter().sum();
        ((sum - 1.0).abs() > 1e-9).then_some("weights sum to 1")
    }
}

/// A spring of rest length zero between a point of a body and a point in space.
#[derive(Clone, Copy, Debug)]
pub struct PointSpring {
    /// The point of the body.
    pub stencil: Stencil,
    /// The point in space, in metres.
    pub target: DVec3,
    /// The spring constant k, in newtons per metre.
    pub constant: f64,
}

impl NodalForce for PointSpring {
    fn source(&self) -> Option<ForceSource> {
        Some(ForceSource::Point {
            path: [self.target; 2],
            span: [f64::NEG_INFINITY, f64::INFINITY],
        })
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let force = self.constant * (self.target - self.stencil.point(view.positions));
        for (node, weight) in self.stencil.entries() {
            if weight > 0.0 && nodes.contains(&node) {
                let stiffness = Stiffness::Isotropic(weight * self.constant);
                loads.add(node, weight * force, stiffness);
            }
        }
    }

    /// Each node has the share of its weight.
    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        let weight = self.stencil.weight(node);
        if weight == 0.0 {
            return 0.0;
        }
        let stretch = self.target - self.stencil.point(view.positions);
        weight * 0.5 * self.constant * stretch.length_squared()
    }
}

/// A constant force on a point of a body.
#[derive(Clone, Copy, Debug)]
pub struct PointPush {
    /// The point of the body.
    pub stencil: Stencil,
    /// The force, in newtons.
    pub force: DVec3,
}

impl NodalForce for PointPush {
    fn source(&self) -> Option<ForceSource> {
        Some(ForceSource::Push {
            force: self.force,
            span: [f64::NEG_INFINITY, f64::INFINITY],
        })
    }

    fn add_loads(&self, _view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for (node, weight) in self.stencil.entries() {
            if nodes.contains(&node) {
                loads.forces[node] += weight * self.force;
            }
        }
    }

    /// A push that comes and goes stores nothing.
    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        0.0
    }

    fn has_potential(&self) -> bool {
        false
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.stencil.weight(node) * self.force.dot(view.positions[node])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STENCIL: Stencil = Stencil {
        nodes: [0, 2, 3],
        weights: [0.5, 0.3, 0.2],
    };

    fn view<'a>(positions: &'a [DVec3], still: &'a [DVec3]) -> NodalView<'a> {
        NodalView {
            positions,
            velocities: still,
            masses: &[1.0; 4],
            directions: &[],
            curve: false,
            time: 0.0,
            step: 0.01,
            window: [0.0, 0.01],
        }
    }

    #[test]
    fn the_force_is_minus_the_gradient_of_the_potential() {
        let spring = PointSpring {
            stencil: STENCIL,
            target: DVec3::new(0.3, -2.0, 1.0),
            constant: 7.0,
        };
        let positions = [DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::new(1.0, 1.0, 0.5)];
        let still = [DVec3::ZERO; 4];
        let mut loads = Loads::new(4, false);
        spring.add_loads(&view(&positions, &still), 0..4, &mut loads);
        let energy = |positions: &[DVec3]| -> f64 {
            let view = view(positions, &still);
            (0..4).map(|node| spring.potential(&view, node)).sum()
        };
        for node in 0..4 {
            for axis in 0..3 {
                let moved = |by: f64| {
                    let mut positions = positions;
                    positions[node][axis] += by;
                    energy(&positions)
                };
                let slope = (moved(1e-4) - moved(-1e-4)) / 2e-4;
                assert!((loads.forces[node][axis] + slope).abs() < 1e-8);
            }
        }
        assert_eq!(loads.forces[1], DVec3::ZERO);
    }

    #[test]
    fn nodes_share_a_push_by_their_weights() {
        let push = PointPush {
            stencil: STENCIL,
            force: DVec3::new(0.0, 10.0, 0.0),
        };
        let positions = [DVec3::ZERO; 4];
        let mut loads = Loads::new(4, false);
        push.add_loads(&view(&positions, &positions), 0..4, &mut loads);
        let shares: Vec<f64> = loads.forces.iter().map(|force| force.y).collect();
        assert_eq!(shares, [5.0, 0.0, 3.0, 2.0]);
    }

    #[test]
    fn weights_are_checked() {
        assert_eq!(STENCIL.problem(), None);
        assert_eq!(Stencil::node(4).problem(), None);
        for weights in [[0.5, 0.5, 0.5], [1.5, -0.5, 0.0], [f64::NAN, 0.5, 0.5]] {
            let wrong = Stencil { weights, ..STENCIL };
            assert!(wrong.problem().is_some(), "{weights:?}");
        }
    }
}
