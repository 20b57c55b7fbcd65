//! How bodies that touch answer impulses: rigid ones as a whole, others node by node.

use super::free_flight::Freedom;
use super::island::Member;
use super::mover::Mover;
use super::pair_contact::{PairContact, Touching};
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

/// One feature of a pair.
pub(super) struct Side {
    body: usize,
    nodes: [(u32, f64); 3],
    /// Where it is touched.
    place: DVec3,
    /// Whether an impulse counts for it or against it.
    sign: f64,
}

impl Side {
    /// A vertex of the feature.
    pub(super) fn vertex(&self) -> u32 {
        self.nodes[0].0
    }

    /// Moves the place where it is touched away from the other side.
    pub(super) fn move_by(&mut self, away: DVec3) {
        self.place += self.sign * away;
    }
}

/// How bodies answer impulses.
#[derive(Clone, Debug, Default)]
pub(super) struct Answer {
    /// Of rigid bodies.
    rigid: Vec<Option<(Freedom, RigidMotion)>>,
    /// Of all vertices; what stands or is rigid has no mass here.
    velocities: Vec<DVec3>,
    inverse_masses: Vec<f64>,
}

impl Answer {
    /// Takes the velocities of the members by their nodes.
    pub(super) fn set_velocities(
        &mut self,
        contact: &PairContact,
        members: &[Member],
        velocity: impl Fn(&Mover, usize) -> DVec3,
    ) {
        let count = contact.places.len();
        self.rigid.clear();
        self.rigid.resize(contact.bodies(), None);
        self.velocities.clear();
        self.velocities.resize(count, DVec3::ZERO);
        self.inverse_masses.clear();
        self.inverse_masses.resize(count, 0.0);
        for member in members {
            let range = contact.range_of(member.body);
            let mover = &member.mover;
            let description = member.problem.body.description();
            for (node, vertex) in range.clone().enumerate() {
                self.velocities[vertex] = velocity(mover, node);
                if mover.unknowns.moves(node) {
                    let mass = mover.unknowns.pushed_mass(node, &description.masses);
                    self.inverse_masses[vertex] = 1.0 / mass;
                }
            }
            if let Some(freedom) = mover.freedom {
                let places = &contact.places[range.clone()];
                let motion = freedom.field(&description.masses, places, &self.velocities[range]);
                self.rigid[member.body] = Some((freedom, motion));
            }
        }
    }

    fn rigid(&self, side: &Side) -> Option<(Freedom, RigidMotion)> {
        *self.rigid.get(side.body)?
    }

    fn velocity(&self, side: &Side) -> DVec3 {
        if let Some((_, motion)) = self.rigid(side) {
            return motion.velocity_at(side.place);
        }
        let nodes = side.nodes.iter();
        nodes.map(|(v, w)| *w * self.velocities[*v as usize]).sum()
    }

    /// The speed at which both sides part along a direction.
    pub(super) fn parting(&self, sides: &[Side; 2], direction: DVec3) -> f64 {
        direction.dot(self.relative_velocity(sides))
    }

    /// The velocity of the first side as the second sees it.
    pub(super) fn relative_velocity(&self, sides: &[Side; 2]) -> DVec3 {
        let velocity = |side: &Side| side.sign * self.velocity(side);
        sides.iter().map(velocity).sum()
    }

    /// The parting by a unit impulse.
    pub(super) fn compliance(&self, sides: &[Side; 2], direction: DVec3) -> f64 {
        let of = |side: &Side| match self.rigid(side) {
            Some((freedom, mut motion)) => {
                motion.velocity = DVec3::ZERO;
                motion.spin = DVec3::ZERO;
                freedom.push(&mut motion, side.place, direction);
                direction.dot(motion.velocity_at(side.place))
            }
            None => {
                let nodes = side.nodes.iter();
                nodes
                    .map(|(v, w)| w * w * self.inverse_masses[*v as usize])
                    .sum()
            }
        };
        sides.iter().map(of).sum()
    }

    pub(super) fn push(&mut self, sides: &[Side; 2], impulse: DVec3) {
        for side in sides {
            let impulse = side.sign * impulse;
            if let Some(Some((freedom, motion))) = self.rigid.get_mut(side.body) {
                freedom.push(motion, side.place, impulse);
                continue;
            }
            for (vertex, weight) in side.nodes {
                let vertex = vertex as usize;
                self.velocities[vertex] += weight * self.inverse_masses[vertex] * impulse;
            }
        }
    }
}

impl PairContact {
    /// Both features of a pair, and where they are touched.
    pub(super) fn sides(&self, touch: &Touching) -> [Side; 2] {
        let split = touch.pair.kind.first_count();
        let count = touch.pair.kind.node_count();
        let side = |range: std::ops::Range<usize>, sign: f64| {
            let mut nodes = [(touch.pair.nodes[range.start], 0.0); 3];
            let mut place = DVec3::ZERO;
            for (slot, k) in range.enumerate() {
                let (node, weight) = (touch.pair.nodes[k], sign * touch.weights[k]);
                nodes[slot] = (node, weight);
                place += weight * self.places[node as usize];
            }
            let body = self.features.body_of[nodes[0].0 as usize] as usize;
            Side {
                body,
                nodes,
                place,
                sign,
            }
        };
        [side(0..split, 1.0), side(split..count, -1.0)]
    }
}
