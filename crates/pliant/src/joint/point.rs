//! A point of a body: a mean of its nodes.

use super::JointError;
use crate::body::Body;
use glam::{DMat3, DVec3};

/// Weights below this share of the largest are left out.
const SMALLEST: f64 = 1e-4;

/// Weights below this belong to a place outside of a body.
const OUTSIDE: f64 = -0.2;

/// Directions in which nodes are spread by less than this share of the widest have no slope.
const FLAT: f64 = 1e-9;

/// A point of a body, in which nodes have weights whose sum is one.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyPoint {
    /// The number of the body.
    pub body: usize,
    /// Nodes and their weights.
    pub nodes: Vec<(u32, f64)>,
}

impl BodyPoint {
    /// A node of a body.
    pub fn node(body: usize, node: usize) -> Self {
        Self {
            body,
            nodes: vec![(node as u32, 1.0)],
        }
    }

    /// The point of a body at, or nearest to, a place: of a rigid body the place itself, wherever it is, of
    /// others a mean of the nodes around it, or the node that lies there.
    pub fn near(bodies: &[Body], body: usize, place: DVec3) -> Self {
        let owner = &bodies[body];
        let positions = &owner.state.positions;
        if let Some(frame) = owner.formulation().contact_features(owner).frame {
            return Self {
                body,
                nodes: affine(frame, positions, place),
            };
        }
        let mut distances: Vec<(f64, usize)> = places_of(owner)
            .iter()
            .enumerate()
            .map(|(node, x)| (x.distance(place), node))
            .collect();
        distances.sort_by(|a, b| a.0.total_cmp(&b.0));
        let Some(&(nearest, node)) = distances.first() else {
            return Self {
                body,
                nodes: Vec::new(),
            };
        };
        // At a node, or too far from all to be a point of the body.
        let spacing = owner.description().mean_spacing();
        if nearest <= 1e-9 * owner.size() || nearest > spacing {
            return Self::node(body, node);
        }
        // The nodes of about one cell.
        let reach = distances.get(3).map_or(nearest, |(distance, _)| *distance);
        let point = Self::spread(bodies, body, place, 0.5 * reach);
        // Beyond the outermost nodes is no point of the body.
        match point.nodes.iter().any(|(_, weight)| *weight < OUTSIDE) {
            true => Self::node(body, node),
            false => point,
        }
    }

    /// The point of a body at, or nearest to, a place, which the nodes share by exp(-distance / length), so
    /// that a force there is spread over the material. Weights are corrected to have the place for their
    /// mean.
    pub fn spread(bodies: &[Body], body: usize, place: DVec3, length: f64) -> Self {
        let positions = places_of(&bodies[body]);
        let nearest = positions.iter().map(|x| x.distance(place));
        let nearest = nearest.fold(f64::INFINITY, f64::min);
        let mut nodes: Vec<(u32, f64)> = Vec::new();
        for (node, x) in positions.iter().enumerate() {
            let weight = (-(x.distance(place) - nearest) / length).exp();
            if weight > SMALLEST {
                nodes.push((node as u32, weight));
            }
        }
        correct(&mut nodes, positions, place);
        Self { body, nodes }
    }

    /// Where it is.
    pub fn position(&self, bodies: &[Body]) -> DVec3 {
        let positions = &bodies[self.body].state.positions;
        let parts = self.nodes.iter();
        parts
            .map(|(node, weight)| *weight * positions[*node as usize])
            .sum()
    }

    /// How fast it moves, in metres per second.
    pub fn velocity(&self, bodies: &[Body]) -> DVec3 {
        let velocities = &bodies[self.body].state.velocities;
        let parts = self.nodes.iter();
        parts
            .map(|(node, weight)| *weight * velocities[*node as usize])
            .sum()
    }

    /// Whether a force could move it.
    pub(crate) fn may_move(&self, bodies: &[Body]) -> bool {
        let body = &bodies[self.body];
        let description = body.description();
        let is_free = |(node, _): &(u32, f64)| !description.fixed[*node as usize];
        self.nodes.iter().any(is_free) && !body.formulation().is_driven()
    }

    /// Whether it is a point of one of some bodies.
    pub(crate) fn is_of(&self, bodies: &[Body]) -> bool {
        let Some(owner) = bodies.get(self.body) else {
            return false;
        };
        let sum: f64 = self.nodes.iter().map(|(_, weight)| weight).sum();
        let known = |(node, weight): &(u32, f64)| {
            (*node as usize) < owner.node_count() && weight.is_finite()
        };
        (sum - 1.0).abs() <= 1e-6 && self.nodes.iter().all(known)
    }

    pub(super) fn check(&self, bodies: &[Body]) -> Result<(), JointError> {
        let (body, count) = (self.body, bodies.len());
        match (body < count, self.is_of(bodies)) {
            (false, _) => Err(JointError::NoBody { body, count }),
            (true, false) => Err(JointError::BadPoint),
            (true, true) => Ok(()),
        }
    }
}

/// The places of the nodes that are points of a body: not those of what only turns with it.
fn places_of(body: &Body) -> &[DVec3] {
    let positions = &body.state.positions;
    let count = body.formulation().touching_nodes();
    &positions[..count.unwrap_or(positions.len()).min(positions.len())]
}

/// Whether a body is rigid as a whole.
pub(super) fn is_rigid(body: &Body) -> bool {
    body.formulation().contact_features(body).frame.is_some()
}

/// The weights of four nodes in no plane whose mean is a place.
fn affine(frame: [u32; 4], positions: &[DVec3], place: DVec3) -> Vec<(u32, f64)> {
    let [a, b, c, d] = frame.map(|node| positions[node as usize]);
    let share = DMat3::from_cols(b - a, c - a, d - a).inverse() * (place - a);
    let weights = [1.0 - share.element_sum(), share.x, share.y, share.z];
    frame.into_iter().zip(weights).collect()
}

/// Multiplies weights by 1 + g·(x - place), with the g that makes the place their mean as far as the nodes
/// reach, and divides by their sum.
fn correct(nodes: &mut Vec<(u32, f64)>, positions: &[DVec3], place: DVec3) {
    let sum: f64 = nodes.iter().map(|(_, weight)| weight).sum();
    nodes.iter_mut().for_each(|(_, weight)| *weight /= sum);
    let arm = |node: u32| positions[node as usize] - place;
    let mean: DVec3 = nodes.iter().map(|&(node, weight)| weight * arm(node)).sum();
    let mut moments = DMat3::ZERO;
    for &(node, weight) in nodes.iter() {
        let from = arm(node) - mean;
        moments += weight * DMat3::from_cols(from.x * from, from.y * from, from.z * from);
    }
    let slope = solve_where_spread(moments, -mean);
    nodes
        .iter_mut()
        .for_each(|(node, weight)| *weight *= 1.0 + slope.dot(arm(*node) - mean));
    nodes.retain(|(_, weight)| *weight != 0.0);
}

/// The solution of M g = r in the directions in which M is not nearly zero.
fn solve_where_spread(matrix: DMat3, right_side: DVec3) -> DVec3 {
    let (values, axes) = crate::math::symmetric_eigen(matrix);
    let largest = values.max_element();
    let mut found = DVec3::ZERO;
    for k in 0..3 {
        if values[k] > FLAT * largest && values[k] > 0.0 {
            let axis = axes.col(k);
            found += axis * (axis.dot(right_side) / values[k]);
        }
    }
    found
}
