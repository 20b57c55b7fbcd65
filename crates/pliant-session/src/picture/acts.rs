//! What acts on the bodies of a scene, as pictures show it.

mod clamps;
mod spread_loads;

use glam::{DMat3, DVec3};
use pliant::force::ForceSource;
use pliant::joint::{BodyPoint, Joint, JointEnd, JointKind};
use pliant::{Frame, World};
use pliant_render::{Act, ImagePlane, ThreadEnd};
use pliant_scene::Scene;
use pliant_scene::scene::ForceBinding;

/// A body with more held nodes than this is held by something larger than pins.
const MOST_PINS: usize = 8;

/// A node with this many times the usual mass is a weight.
const HEAVY: f64 = 8.0;

/// Bodies with more springs and thrusters than this are pulled by something larger.
const MOST_FORCES: usize = 64;

/// Everything that acts in a scene.
pub fn acts(scene: &Scene, world: &World, first: &Frame) -> Vec<Act> {
    let mut acts = Vec::new();
    for (index, body) in scene.bodies.iter().enumerate() {
        let forces = body.forces.iter();
        let forces = forces.filter_map(|binding| force(scene, world, index, binding));
        let forces: Vec<Act> = forces.collect();
        if forces.len() <= MOST_FORCES {
            // An image that pulls several curves is drawn once.
            let is_new = |act: &Act| !matches!(act, Act::Image(_)) || !acts.contains(act);
            let new: Vec<Act> = forces.into_iter().filter(is_new).collect();
            acts.extend(new);
        }
        acts.extend(spread_loads::loads(scene, world, index));
        acts.extend(pins(first, index));
        acts.extend(clamps::clamps(first, world, index, MOST_PINS));
        // Masses of particles are given one by one; those of a mesh follow from its elements.
        if body.mesh.is_none() {
            acts.extend(weights(world, index));
        }
    }
    acts.extend(
        world
            .joints
            .iter()
            .filter_map(|joint| thread(joint, world, first).or_else(|| hook(joint))),
    );
    acts.extend(wind(scene));
    acts.extend(names(scene, first));
    acts
}

fn force(scene: &Scene, world: &World, index: usize, binding: &ForceBinding) -> Option<Act> {
    let description = world.bodies.get(index)?.description();
    let node = match (binding.particle, binding.near) {
        (Some(at), _) => Some(description.on_grid()?.grid.index(at)),
        (_, Some(near)) => nearest(&description.rest_positions, near.point),
        _ => None,
    };
    match scene.forces.get(binding.force)?.force.source()? {
        ForceSource::Point { path, span } => Some(Act::Spring {
            body: index,
            node: node?,
            anchor: path,
            span,
        }),
        ForceSource::Push { force, span } => Some(Act::Push {
            body: index,
            node,
            force,
            span,
        }),
        ForceSource::Image {
            corner,
            pixel,
            moments,
        } => {
            let size = moments.first()?.1.size();
            let moments = moments.iter().map(|(time, image)| (*time, image.values()));
            Some(Act::Image(ImagePlane::new(corner, pixel, size, moments)))
        }
        ForceSource::Stream { .. } => None,
    }
}

/// The thread that a joint which keeps a distance stands for.
fn thread(joint: &Joint, world: &World, first: &Frame) -> Option<Act> {
    let JointKind::Distance([_, length]) = joint.kind else {
        return None;
    };
    // Frames of rigid bodies hold the places that are drawn, not the nodes.
    let end = |point: &BodyPoint| ThreadEnd::Nodes {
        body: point.body,
        nodes: mean_of(
            &first.bodies[point.body].positions,
            point.position(&world.bodies),
        ),
    };
    let second = match &joint.second {
        JointEnd::Point(point) => end(point),
        JointEnd::Place(place) => ThreadEnd::Place(*place),
        JointEnd::Path(_) | JointEnd::Touch { .. } => return None,
    };
    // Those of a hinge are its limits.
    (!joint.is_limit).then(|| Act::Thread {
        ends: [end(&joint.first), second],
        length,
        span: joint.times,
    })
}

/// The hook that holds a point of a body at a place or leads it along a path.
fn hook(joint: &Joint) -> Option<Act> {
    let path = match (&joint.kind, &joint.second) {
        (JointKind::Point, JointEnd::Place(place)) => vec![(0.0, *place)],
        (JointKind::Point, JointEnd::Path(path)) => path.to_vec(),
        _ => return None,
    };
    (!joint.is_limit).then_some(Act::Hook {
        path,
        span: joint.times,
    })
}

/// Four points, far from each other, and weights whose mean is a place.
fn mean_of(points: &[DVec3], place: DVec3) -> Vec<(u32, f64)> {
    let farthest = |far: &dyn Fn(DVec3) -> f64| {
        let numbers = 0..points.len();
        numbers.max_by(|a, b| far(points[*a]).total_cmp(&far(points[*b])))
    };
    let Some(a) = nearest(points, place) else {
        return Vec::new();
    };
    let origin = points[a];
    let mut corners = vec![a];
    let mut axes: Vec<DVec3> = Vec::new();
    for _ in 0..3 {
        let across = |x: DVec3| {
            let from = x - origin;
            axes.iter()
                .fold(from, |rest, axis| rest - rest.dot(*axis) * *axis)
        };
        let Some(next) = farthest(&|x| across(x).length_squared()) else {
            break;
        };
        let Some(axis) = across(points[next]).try_normalize() else {
            break;
        };
        corners.push(next);
        axes.push(axis);
    }
    if corners.len() < 4 {
        return vec![(a as u32, 1.0)];
    }
    let sides = [1, 2, 3].map(|k| points[corners[k]] - origin);
    let share = DMat3::from_cols(sides[0], sides[1], sides[2]).inverse() * (place - origin);
    let weights = [1.0 - share.element_sum(), share.x, share.y, share.z];
    let corners = corners.into_iter().map(|corner| corner as u32);
    corners.zip(weights).collect()
}

fn nearest(points: &[DVec3], place: DVec3) -> Option<usize> {
    let distance = |node: &usize| points[*node].distance_squared(place);
    (0..points.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))
}

/// Held nodes, if there are few.
fn pins(first: &Frame, body: usize) -> Vec<Act> {
    let Some(fixed) = first.bodies.get(body).map(|body| &body.fixed) else {
        return Vec::new();
    };
    let held: Vec<usize> = (0..fixed.len()).filter(|&node| fixed[node]).collect();
    match held.len() {
        1..=MOST_PINS => held.iter().map(|&node| Act::Pin { body, node }).collect(),
        _ => Vec::new(),
    }
}

/// Nodes that are much heavier than the middle one, if there are few.
fn weights(world: &World, index: usize) -> Vec<Act> {
    let Some(body) = world.bodies.get(index) else {
        return Vec::new();
    };
    let masses = &body.description().masses;
    let mut sorted = masses.clone();
    sorted.sort_by(f64::total_cmp);
    let usual = sorted.get(sorted.len() / 2).copied().unwrap_or(0.0);
    let heavy: Vec<usize> = (0..masses.len())
        .filter(|&node| usual > 0.0 && masses[node] > HEAVY * usual)
        .collect();
    if heavy.len() > MOST_PINS {
        return Vec::new();
    }
    let weight = |&node: &usize| Act::Weight {
        body: index,
        node,
        size: 0.5 * (masses[node] / (HEAVY * usual)).cbrt() + 0.5,
    };
    heavy.iter().map(weight).collect()
}

/// The first stream that moves.
fn wind(scene: &Scene) -> Option<Act> {
    let sources = scene.forces.iter().filter_map(|force| force.force.source());
    let velocities = sources.filter_map(|source| match source {
        ForceSource::Stream { velocity } => Some(velocity),
        _ => None,
    });
    velocities
        .filter(|velocity| velocity.length() > 1e-9)
        .map(Act::Wind)
        .next()
}

/// The names of the objects that ask for it.
fn names(scene: &Scene, first: &Frame) -> Vec<Act> {
    let is_named = |name: &str| {
        let mut named = scene.objects.iter().filter(|object| object.is_named);
        named.any(|object| object.id == name)
    };
    first
        .obstacles
        .iter()
        .filter(|obstacle| is_named(&obstacle.name))
        .filter_map(|obstacle| {
            let points = &obstacle.mesh.positions;
            let middle = points.iter().sum::<DVec3>() / points.len() as f64;
            middle.is_finite().then(|| Act::Letter {
                text: obstacle.name.to_string(),
                place: middle,
            })
        })
        .collect()
}
