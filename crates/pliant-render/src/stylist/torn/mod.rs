//! Torn grids as they are drawn: every node keeps its share of the cells around it.
//!
//! A cell is cut in four quarters (eight of a solid), one for each of its corners. The cut between
//! two corners runs through a point of their link, the middle of each face and the middle of the
//! cell. Where the link is whole both sides of the cut share these points, and nothing of it is
//! seen. Where it is broken each side has points of its own, carried along by the nodes on that
//! side, so that a tear opens between nodes, no triangle is stretched over it, and the two sides of
//! it have the shape of each other:
//!
//! ```text
//! p = Σ wᵢ (xᵢ + Rᵢ (p⁰ - xᵢ⁰))       over the nodes on the side of the cut
//! ```
//!
//! Rᵢ is the rotation of the links that node i has left. The points p⁰ of broken links lie at random
//! places near their middles, always the same ones: tears are ragged. Solids get walls along their
//! cuts, so pieces are closed.
//!
//! The result is a body with more nodes, which is then drawn like any other.

mod builder;
mod lattice;

pub use lattice::Lattice;

use builder::Builder;
use glam::{DMat3, DVec3};
use pliant::frame::{FrameBody, NodalField, Topology};
use std::sync::Arc;

/// A part of a point: a node, how much of the point it carries, and where it sees it.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Share {
    node: u32,
    weight: f64,
    /// From the node to the point in the rest shape, in metres.
    offset: DVec3,
}

/// How a torn body is drawn: all of it depends on what is broken, not on where the nodes are.
#[derive(Clone, Debug)]
pub struct TornPlan {
    topology: Arc<Topology>,
    /// The shares of all points after the nodes of the body, one behind the other.
    shares: Vec<Share>,
    /// Where the shares of each point end.
    ends: Vec<usize>,
    /// For each node that carries a point away from itself, its links: neighbour, and the way to it at
    /// rest over its squared length.
    links: Vec<(u32, Vec<(u32, DVec3)>)>,
}

impl TornPlan {
    /// `None` if nothing is broken, or if the body is not a grid of surface or solid. `first` is the
    /// shape it was first seen in, which stands for the rest shape if that is not known.
    pub fn new(topology: &Topology, first: &[DVec3]) -> Option<Self> {
        let rest = rest_shape(topology, first);
        if topology.broken_links.is_empty() || rest.len() != topology.material_coordinates.len() {
            return None;
        }
        let lattice = Lattice::new(&topology.material_coordinates)?;
        Some(Builder::new(&lattice, topology, rest).finish())
    }

    /// The rotation of each node since rest; of those that carry no torn points none is found.
    pub fn turns(&self, positions: &[DVec3]) -> Vec<DMat3> {
        let mut turns = vec![DMat3::IDENTITY; positions.len()];
        for (node, links) in &self.links {
            turns[*node as usize] = turn(*node, links, positions);
        }
        turns
    }

    /// The points of all vertices with the nodes at `positions`.
    pub fn positions(&self, positions: &[DVec3]) -> Vec<DVec3> {
        let turns = self.turns(positions);
        self.carried(positions, |share| {
            positions[share.node as usize] + turns[share.node as usize] * share.offset
        })
    }

    /// Values at all vertices from those at the nodes; `at` gives what a share brings.
    fn carried<T>(&self, at_nodes: &[T], at: impl Fn(&Share) -> T) -> Vec<T>
    where
        T: Copy + std::ops::Mul<f64, Output = T> + std::ops::Add<Output = T> + Default,
    {
        let mut all = at_nodes.to_vec();
        let mut start = 0;
        for &end in &self.ends {
            let shares = &self.shares[start..end];
            let sum = shares
                .iter()
                .fold(T::default(), |sum, share| sum + at(share) * share.weight);
            all.push(sum);
            start = end;
        }
        all
    }

    /// The body as it is drawn.
    pub fn body(&self, body: &FrameBody) -> FrameBody {
        let count = body.positions.len() + self.ends.len();
        let padded = |list: &[DVec3]| {
            let mut list = list.to_vec();
            list.resize(count, DVec3::ZERO);
            list
        };
        let mut fixed = (*body.fixed).clone();
        fixed.resize(count, false);
        let velocities = &body.velocities;
        FrameBody {
            name: Arc::clone(&body.name),
            topology: Arc::clone(&self.topology),
            appearance: Arc::clone(&body.appearance),
            positions: self.positions(&body.positions),
            velocities: self.carried(velocities, |share| velocities[share.node as usize]),
            elastic_forces: padded(&body.elastic_forces),
            external_forces: padded(&body.external_forces),
            fixed: Arc::new(fixed),
            fields: body
                .fields
                .iter()
                .map(|field| NodalField {
                    values: self.carried(&field.values, |share| field.values[share.node as usize]),
                    ..field.clone()
                })
                .collect(),
            particle_radius: body.particle_radius,
        }
    }
}

/// The rest shape of a torn body: what the frame says, else the shape it was first seen in.
pub fn rest_shape<'a>(topology: &'a Topology, first: &'a [DVec3]) -> &'a [DVec3] {
    match topology.rest_positions.len() == first.len() {
        true => &topology.rest_positions,
        false => first,
    }
}

/// The rotation of the links of a node since rest; a node that has lost all of them is not turned.
fn turn(node: u32, links: &[(u32, DVec3)], positions: &[DVec3]) -> DMat3 {
    let here = positions[node as usize];
    let mut gradient = DMat3::ZERO;
    for &(neighbour, way) in links {
        let now = positions[neighbour as usize] - here;
        gradient += DMat3::from_cols(now * way.x, now * way.y, now * way.z);
    }
    if !gradient.is_finite() {
        return DMat3::IDENTITY;
    }
    // One link says nothing of a turn about itself: then it is none.
    pliant::math::nearest_rotation(gradient + DMat3::from_diagonal(DVec3::splat(1e-5)))
}

#[cfg(test)]
mod tests;
