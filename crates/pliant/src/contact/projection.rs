//! Projection of nodes out of obstacles, with friction and rebound.
//!
//! ```text
//! x += ε |d| m       a node at depth |d| below the surface (or its offset by the thickness), ε the
//!                    strength
//! v_n = -e v_n  (rebound),  |Δv_t| <= μ Δv_n      (Coulomb)
//! ```
//!
//! The normal impulse of the projection is Δv_n = ε |d| / step; friction takes at most μ times as
//! much from the tangential velocity, and the node is moved back along with it, so that a node
//! held by friction does not creep.
//!
//! Implements: \[Terzopoulos1988\] sect. 3, \[Thesis2004\] listing 3.5.

use super::ContactSettings;
use super::penalty::penalty_force;
use crate::math::processor::for_this_processor;
use crate::obstacle::Obstacle;
use glam::DVec3;

/// What happened at the obstacles in one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    /// Number of pairs of node and obstacle in contact.
    pub count: usize,
    /// Smallest distance of a node from an obstacle after the step, in metres.
    pub smallest_distance: f64,
    /// Energy that friction took out of the step, in joules.
    pub friction_loss: f64,
}

impl Default for Contacts {
    fn default() -> Self {
        Self {
            count: 0,
            smallest_distance: f64::INFINITY,
            friction_loss: 0.0,
        }
    }
}

/// The nodes of a body, as contact moves them.
#[derive(Debug)]
pub struct MovedNodes<'a> {
    /// Positions, in metres.
    pub positions: &'a mut [DVec3],
    /// Velocities, in metres per second.
    pub velocities: &'a mut [DVec3],
    /// Velocities where the step began, in metres per second.
    pub before: &'a [DVec3],
    /// Masses, in kilograms.
    pub masses: &'a [f64],
    /// Nodes that do not move.
    pub fixed: &'a [bool],
}

/// Projects the nodes out of one obstacle. `step` is the length of the time step in seconds,
/// `distances` scratch memory for one number per node.
pub fn project(
    settings: &ContactSettings,
    obstacle: &Obstacle,
    step: f64,
    nodes: &mut MovedNodes,
    distances: &mut [f64],
) -> Contacts {
    obstacle.distances(nodes.positions, distances);
    let mut contacts = Contacts::default();
    lower(distances, &mut contacts.smallest_distance);
    if contacts.smallest_distance >= settings.thickness {
        return contacts;
    }
    let surface = Touch {
        friction: settings.friction.max(obstacle.friction),
        restitution: settings.restitution.max(obstacle.restitution),
        step,
    };
    for (node, distance) in distances.iter_mut().enumerate() {
        let depth = settings.thickness - *distance;
        if depth > 0.0 && !nodes.fixed[node] {
            contacts.count += 1;
            let lift = obstacle.epsilon * depth;
            *distance += lift;
            let normal = obstacle.normal(nodes.positions[node]);
            contacts.friction_loss += surface.push_out(lift, normal, node, nodes);
        }
    }
    contacts.smallest_distance = f64::INFINITY;
    lower(distances, &mut contacts.smallest_distance);
    contacts
}

for_this_processor! {
    /// Lowers `smallest` to the smallest of the values, in eight lanes; skips what is not a number.
    fn lower(values: &[f64], smallest: &mut f64) {
        let mut lanes = [f64::INFINITY; 8];
        let (blocks, end) = values.as_chunks::<8>();
        for block in blocks {
            for (lane, value) in lanes.iter_mut().zip(block) {
                *lane = if value < lane { *value } else { *lane };
            }
        }
        for value in lanes.iter().chain(end) {
            *smallest = smallest.min(*value);
        }
    }
}

/// How body and obstacle meet.
struct Touch {
    friction: f64,
    restitution: f64,
    step: f64,
}

impl Touch {
    /// Lifts one node along the normal, with friction and rebound; returns what friction took, in joules.
    #[inline]
    fn push_out(&self, lift: f64, normal: DVec3, node: usize, nodes: &mut MovedNodes) -> f64 {
        let velocity = nodes.velocities[node];
        let incoming = normal.dot(velocity);
        let change = lift / self.step;
        let mut after = velocity + change * normal;
        nodes.positions[node] += lift * normal;
        let mut loss = 0.0;
        if self.friction > 0.0 {
            let tangential = after - normal * normal.dot(after);
            let slide = coulomb(tangential, self.friction * change);
            after -= slide;
            let along = tangential - slide;
            loss = friction_loss(nodes.masses[node] * slide, along, nodes.before[node]);
            nodes.positions[node] -= self.step * slide;
        }
        if incoming < 0.0 && self.restitution > 0.0 {
            after += normal * (-self.restitution * incoming - normal.dot(after)).max(0.0);
        }
        nodes.velocities[node] = after;
        loss
    }
}

/// Counts contacts of the penalty methods and applies their friction: the normal force of the
/// penalty times the step is the impulse that Coulomb's law limits.
pub fn penalty_contact(
    settings: &ContactSettings,
    obstacle: &Obstacle,
    step: f64,
    nodes: &mut MovedNodes,
) -> Contacts {
    let MovedNodes {
        positions,
        velocities,
        before,
        masses,
        fixed,
    } = nodes;
    let friction = settings.friction.max(obstacle.friction);
    let mut contacts = Contacts::default();
    for node in 0..positions.len() {
        let (distance, normal) = obstacle.distance_and_normal(positions[node]);
        let distance = distance - settings.thickness;
        contacts.smallest_distance = contacts
            .smallest_distance
            .min(distance + settings.thickness);
        contacts.count += usize::from(distance < 0.0);
        if friction == 0.0 || fixed[node] {
            continue;
        }
        let (force, _) = penalty_force(settings, obstacle.epsilon, distance, false);
        let impulse = force * step / masses[node];
        let velocity = velocities[node];
        let tangential = velocity - normal * normal.dot(velocity);
        let slide = coulomb(tangential, friction * impulse);
        let along = tangential - slide;
        contacts.friction_loss += friction_loss(masses[node] * slide, along, before[node]);
        velocities[node] -= slide;
        positions[node] -= step * slide;
    }
    contacts
}

/// What an impulse of friction takes, in joules, of a node that slides with the velocity `along` after it: the impulse
/// times the mean velocity of the step. What it holds back within a step was never in motion.
fn friction_loss(impulse: DVec3, along: DVec3, before: DVec3) -> f64 {
    impulse.dot(0.5 * (along + before))
}

/// The part of a tangential velocity that friction of a given limit takes away.
pub(crate) fn coulomb(tangential: DVec3, limit: f64) -> DVec3 {
    let speed = tangential.length();
    if speed <= limit {
        tangential
    } else {
        tangential * (limit / speed)
    }
}
