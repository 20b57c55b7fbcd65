//! Joints of points of bodies.

use super::Builder;
use crate::scene::{Joint, JointKind, Scene};
use glam::{DQuat, DVec3};
use pliant::Body;
use pliant::joint::{self, BodyPoint, JointEnd};

/// The distance of the two points that hold a hinge from where it is, by the size of the body.
const HINGE: f64 = 0.25;

impl Builder<'_> {
    /// The joints of the scene, for bodies as they are at the start.
    pub(super) fn joints(&mut self, bodies: &[Body]) -> Vec<joint::Joint> {
        let scene = self.scene;
        let mut made = Vec::new();
        for joint in &scene.joints {
            let element = format!("<Joint id=\"{}\">", joint.id);
            for index in [Some(joint.body), joint.other].into_iter().flatten() {
                let description = bodies[index].description();
                if !description.formulation.joins_others(description) {
                    let message = format!(
                        "the body \"{}\" cannot be joined: its integrator or formulation finds its \
                         motion alone",
                        description.name
                    );
                    let hint = "leave `integrator` out or choose an implicit one, and a formulation \
                                other than Hybrid";
                    self.refuse(joint.location, element.clone(), message, Some(hint));
                    return made;
                }
            }
            let joints = make(joint, bodies);
            if joints.is_empty() {
                let message = "no node of the surface of the body is within its `radius`";
                self.refuse(joint.location, element.clone(), message, None);
            }
            for mut own in joints {
                own.stiffness = joint.stiffness;
                own.strength = joint.strength;
                own.times = joint.times;
                if let Err(error) = own.check(bodies) {
                    let hint = match error {
                        joint::JointError::Apart { .. } => {
                            Some("put the joint where both bodies are, or give it a `stiffness`")
                        }
                        _ => None,
                    };
                    self.refuse(joint.location, element, error, hint);
                    break;
                }
                made.push(own);
            }
        }
        made
    }
}

/// The pairs of bodies that do not meet since a joint holds them together.
pub(super) fn pairs_that_pass(scene: &Scene) -> impl Iterator<Item = [usize; 2]> + '_ {
    let joints = scene.joints.iter().filter(|joint| !joint.meets);
    joints.filter_map(|joint| Some([joint.body, joint.other?]))
}

/// A point of a body at a place.
fn point(joint: &Joint, bodies: &[Body], body: usize, place: DVec3) -> BodyPoint {
    let own = &bodies[body];
    let is_rigid = own.formulation().contact_features(own).frame.is_some();
    match joint.spread {
        Some(length) if !is_rigid => BodyPoint::spread(bodies, body, place, length),
        _ => BodyPoint::near(bodies, body, place),
    }
}

/// The other end at a place.
fn end(joint: &Joint, bodies: &[Body], place: DVec3) -> JointEnd {
    match joint.other {
        Some(body) => JointEnd::Point(point(joint, bodies, body, place)),
        None => JointEnd::Place(place),
    }
}

fn make(joint: &Joint, bodies: &[Body]) -> Vec<joint::Joint> {
    let id = joint.id.as_str();
    let first = |place: DVec3| point(joint, bodies, joint.body, place);
    let second = |place: DVec3| end(joint, bodies, place);
    let new = |kind, first, second| vec![joint::Joint::new(id, kind, first, second)];
    let at = joint.at;
    match &joint.kind {
        JointKind::Point => new(joint::JointKind::Point, first(at), second(at)),
        JointKind::Hinge { axis, limits } => {
            let arm = HINGE * bodies[joint.body].size();
            let ends = [arm, -arm].map(|along| {
                let place = at + along * *axis;
                (first(place), second(place))
            });
            let mut joints = joint::Joint::hinge(id, ends).to_vec();
            if let Some([least, most]) = limits.map(|limits| limits.map(f64::to_radians)) {
                let across = arm * axis.any_orthonormal_vector();
                // The point of the other lies behind that of the first by an angle that stays well between 0
                // and half a turn, so that their distance grows with the angle.
                let behind = 0.5 * (std::f64::consts::PI - (most - least));
                let before = DQuat::from_axis_angle(*axis, least - behind) * across;
                let chord = |angle: f64| 2.0 * arm * (0.5 * angle).sin();
                let range = [chord(behind), chord(behind + most - least)];
                let kind = joint::JointKind::Distance(range);
                let limit = new(kind, first(at + across), second(at + before));
                joints.extend(limit.into_iter().map(|limit| joint::Joint {
                    is_limit: true,
                    ..limit
                }));
            }
            joints
        }
        JointKind::Line(to) => new(joint::JointKind::Line(second(*to)), first(at), second(at)),
        JointKind::Distance { to, limits } => {
            let length = at.distance(*to);
            let limits = limits.unwrap_or([length; 2]);
            new(joint::JointKind::Distance(limits), first(at), second(*to))
        }
        JointKind::Track(places) => {
            let kind = joint::JointKind::Track(places.as_slice().into());
            new(kind, first(at), JointEnd::Place(DVec3::ZERO))
        }
        JointKind::Path(places) => {
            let end = JointEnd::Path(places.as_slice().into());
            new(joint::JointKind::Point, first(at), end)
        }
        &JointKind::Sticky { radius, reach } => {
            let body = joint.other.unwrap_or(joint.body);
            let nodes = surface_nodes(&bodies[joint.body], at, radius);
            let sticky = nodes.into_iter().map(|node| {
                let first = BodyPoint::node(joint.body, node);
                let end = JointEnd::Touch { body, reach };
                joint::Joint::new(id, joint::JointKind::Point, first, end)
            });
            sticky.collect()
        }
    }
}

/// The nodes of the surface of a body within a radius of a place.
fn surface_nodes(body: &Body, at: DVec3, radius: f64) -> Vec<usize> {
    let features = body.formulation().contact_features(body);
    let triangles = features.triangles.iter().flatten();
    let lines = features.lines.iter().flatten();
    let all = triangles.chain(lines).chain(&features.points);
    let near = all.filter(|node| body.state.positions[**node as usize].distance(at) <= radius);
    let mut nodes: Vec<usize> = near.map(|node| *node as usize).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}
