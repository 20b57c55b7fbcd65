//! Contact with obstacles of a body that yields as a whole.

use super::points::{Compliance, Law, Point, relax};
use crate::body::{Problem, State};
use crate::contact::{ContactMethod, Contacts};
use glam::DVec3;

/// Rounds of contact in a step, each with the surfaces where they are then.
const CONTACT_ROUNDS: usize = 12;

/// Rounds over the points in each.
const POINT_ROUNDS: usize = 500;

/// Depth of contact that is none, by the size of the body.
const TOUCHING: f64 = 1e-7;

/// A body that yields to forces on its nodes.
pub(super) trait Yields: Compliance {
    /// Puts the body where all forces so far bring it.
    fn settle(&mut self, candidate: &mut State);

    /// Whether it has inertia.
    fn has_inertia(&self) -> bool {
        true
    }
}

/// What a body has met in a step.
pub(super) struct Met {
    pub(super) contacts: Contacts,
    /// Rounds over all points.
    pub(super) rounds: usize,
    /// The contacts that press.
    pub(super) pressing: Vec<Point>,
}

/// Finds the contact forces, and those of `springs`, that bring a body from where it would go (`candidate`)
/// to where it touches.
pub(super) fn meet(
    problem: &Problem,
    start: &State,
    candidate: &mut State,
    body: &mut impl Yields,
    springs: Vec<Point>,
    size: f64,
) -> Met {
    let contact = &problem.body.description().contact;
    let touching = TOUCHING * size;
    let projects = contact.method == ContactMethod::Projection && !problem.meets.is_empty();
    let spring_count = springs.len();
    let (mut points, mut rounds) = (springs, 0);
    for round in 0..CONTACT_ROUNDS {
        let mut found = Found::default();
        if projects {
            found = find(problem, start, candidate, body, &mut points, spring_count);
        }
        let settled = !found.is_new && found.error <= touching;
        if points.is_empty() || (round > 0 && settled) {
            break;
        }
        rounds += relax(&mut points, body, 1e-5 * touching, POINT_ROUNDS);
        body.settle(candidate);
    }
    let mut pressing = points.split_off(spring_count);
    pressing.retain(|point| point.force != DVec3::ZERO);
    let mut contacts = Contacts {
        count: pressing.len(),
        ..Contacts::default()
    };
    for point in &pressing {
        let displacement = body.displacement(point.node);
        let onward = problem.step * start.velocities[point.node];
        let onward = body.has_inertia().then_some(onward);
        contacts.friction_loss += point.friction_loss(onward, displacement);
    }
    for &index in problem.meets {
        let distances = candidate
            .positions
            .iter()
            .map(|x| problem.obstacles[index].distance(*x));
        contacts.smallest_distance = distances.fold(contacts.smallest_distance, f64::min);
    }
    Met {
        contacts,
        rounds,
        pressing,
    }
}

#[derive(Clone, Copy, Default)]
struct Found {
    /// How far a node is below a surface, or one that presses above it, in metres.
    error: f64,
    is_new: bool,
}

/// Places the surfaces of contacts anew and adds those of nodes that are inside an obstacle.
fn find(
    problem: &Problem,
    start: &State,
    candidate: &State,
    body: &mut impl Compliance,
    points: &mut Vec<Point>,
    springs: usize,
) -> Found {
    let description = problem.body.description();
    let settings = &description.contact;
    let mut found = Found::default();
    let law = |index: usize, node: usize, displacement: DVec3| {
        let obstacle = &problem.obstacles[index];
        let place = candidate.positions[node];
        let (distance, normal) = obstacle.distance_and_normal(place);
        Law::Contact {
            obstacle: index,
            normal,
            gap: distance - settings.thickness - normal.dot(displacement),
            slip: place - start.positions[node] - displacement,
            friction: settings.friction.max(obstacle.friction),
        }
    };
    let mut known = std::collections::BTreeSet::new();
    for point in &mut points[springs..] {
        if let Law::Contact { obstacle, .. } = point.law {
            point.law = law(obstacle, point.node, body.displacement(point.node));
            if point.force != DVec3::ZERO {
                // What presses is at the surface, neither below nor above it.
                let place = candidate.positions[point.node];
                let gap = problem.obstacles[obstacle].distance(place) - settings.thickness;
                found.error = found.error.max(gap.abs());
            }
            known.insert((obstacle, point.node));
        }
    }
    for &index in problem.meets {
        for (node, place) in candidate.positions.iter().enumerate() {
            if description.fixed[node] {
                continue;
            }
            let depth = settings.thickness - problem.obstacles[index].distance(*place);
            found.error = found.error.max(depth);
            if depth > 0.0 && !known.contains(&(index, node)) {
                found.is_new = true;
                body.prepare(node);
                let law = law(index, node, body.displacement(node));
                points.push(Point::new(node, law, body));
            }
        }
    }
    found
}
