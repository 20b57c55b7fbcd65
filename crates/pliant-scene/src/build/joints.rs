//! Joints of points of bodies.

use super::Builder;
use crate::scene::{Joint, JointKind, Scene};
use glam::{DQuat, DVec3};
use pliant::Body;
use pliant::joint::{self, BodyPoint, JointEnd, Motor};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

/// The distance of the two points that hold a hinge from where it is, by the size of the body.
const HINGE: f64 = 0.25;

/// How near the points of its limit may come to each other, and to half a turn, in radians; and how near they
/// come at a single stop.
const NEAREST: f64 = 0.03;
const STOP: f64 = 0.35;

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
                                that is Primal, Hybrid, Rod or a mesh";
                    self.refuse(joint.location, element.clone(), message, Some(hint));
                    return made;
                }
            }
            let ends = [Some(joint.body), joint.other].into_iter().flatten();
            if joint.spread.is_some() && ends.into_iter().all(|body| is_rigid(&bodies[body])) {
                let message = "nothing that it holds is soft, so that its force cannot be spread";
                let hint = Some("leave `spread` out");
                self.refuse(joint.location, element.clone(), message, hint);
            }
            let joints = make(joint, bodies);
            if let JointKind::Hinge { motor: Some(_), .. } = joint.kind
                && !joints.iter().any(|part| part.motor().is_some())
            {
                let message = "a motor turns a body against the world or against a rigid `other`, and needs \
                               points of the body away from its axis";
                self.refuse(joint.location, element.clone(), message, None);
            }
            if let JointKind::Hinge {
                limits: Some(_), ..
            } = joint.kind
                && joints.len() < 3
            {
                let message =
                    "the bodies have no points away from its axis that its limits could hold";
                let hint =
                    "leave `least` and `most` out, or give the body more nodes across the axis";
                self.refuse(joint.location, element.clone(), message, Some(hint));
            }
            if joints.is_empty() {
                let message = "no node of the surface of the body is within its `radius`";
                self.refuse(joint.location, element.clone(), message, None);
            }
            for mut part in joints {
                let is_motor = part.motor().is_some();
                part.stiffness = joint.stiffness.filter(|_| !is_motor);
                part.strength = joint.strength;
                part.times = joint.times;
                if let Err(error) = part.check(bodies) {
                    let hint = match error {
                        joint::JointError::Apart { .. }
                            if matches!(joint.kind, JointKind::Hinge { .. }) =>
                        {
                            Some("a hinge needs two points of each body along its `axis`")
                        }
                        joint::JointError::Apart { .. } => {
                            Some("put the joint where both bodies are, or give it a `stiffness`")
                        }
                        _ => None,
                    };
                    self.refuse(joint.location, element, error, hint);
                    break;
                }
                made.push(part);
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

fn is_rigid(body: &Body) -> bool {
    body.formulation().contact_features(body).frame.is_some()
}

/// A point of a body at a place.
fn point(joint: &Joint, bodies: &[Body], body: usize, place: DVec3) -> BodyPoint {
    match joint.spread {
        Some(length) if !is_rigid(&bodies[body]) => BodyPoint::spread(bodies, body, place, length),
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
        JointKind::Hinge {
            axis,
            limits,
            motor,
        } => {
            let arm = HINGE * bodies[joint.body].size();
            let pin = |along: f64| {
                let place = at + along * *axis;
                joint::Joint::new(id, joint::JointKind::Point, first(place), second(place))
            };
            // What is soft has points only where it is.
            let fits = |pin: &joint::Joint| pin.check(bodies).is_ok();
            let mut joints: Vec<joint::Joint> = [arm, -arm]
                .map(|arm| {
                    let shares = [1.0, 0.5, 0.25, 0.125, 0.0];
                    let pins = shares.iter().map(|share| pin(share * arm));
                    pins.into_iter().find(fits).unwrap_or_else(|| pin(arm))
                })
                .into();
            if joints[0] == joints[1] {
                joints = [arm, -arm].map(pin).into();
            }
            joints[0].with_next = true;
            if let Some(limits) = limits {
                let limit = hinge_limit(joint, bodies, *axis, limits.map(f64::to_radians));
                joints[1].with_next = limit.is_some();
                joints.extend(limit);
            }
            if let Some([speed, torque]) = motor {
                let motor = hinge_motor(joint, bodies, *axis, speed.to_radians(), *torque);
                joints.last_mut().expect("a hinge has pins").with_next = motor.is_some();
                joints.extend(motor);
            }
            joints
        }
        JointKind::Line(to) => new(joint::JointKind::Line(second(*to)), first(at), second(at)),
        JointKind::Distance { to, limits } => {
            let length = at.distance(*to);
            let limits = limits.unwrap_or([length; 2]);
            new(joint::JointKind::Distance(limits), first(at), second(*to))
        }
        JointKind::Track(track) => {
            let kind = joint::JointKind::Track(track.clone().into());
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

/// The limits of a hinge as a distance of two points away from its axis, if the bodies have such points.
///
/// The point of the other lies behind that of the first by an angle that stays between 0 and half a turn, so that
/// their distance grows with the angle.
fn hinge_limit(
    joint: &Joint,
    bodies: &[Body],
    axis: DVec3,
    [least, most]: [f64; 2],
) -> Option<joint::Joint> {
    let first = off_axis(joint, bodies, joint.body, axis, |_| 0.0)?;
    let from_axis = |place: DVec3| (place - joint.at).reject_from(axis);
    let across = from_axis(first.position(bodies));
    // Beyond a single stop the way is free until the stop is met from its other side.
    let best = match [least.is_finite(), most.is_finite()] {
        [true, true] => 0.5 * (PI - (most - least)) - least,
        [true, false] => STOP - least,
        _ => TAU - STOP - most,
    };
    // The angle by which the first is ahead of a place.
    let ahead = |place: DVec3| {
        let from = from_axis(place);
        let angle = axis.dot(from.cross(across)).atan2(from.dot(across));
        if angle < 0.0 { angle + TAU } else { angle }
    };
    let second = match joint.other {
        Some(body) if !is_rigid(&bodies[body]) => {
            let away = |place: DVec3| (ahead(place) - best).abs();
            JointEnd::Point(off_axis(joint, bodies, body, axis, away)?)
        }
        _ => {
            let turned = DQuat::from_axis_angle(axis, -best) * across;
            end(joint, bodies, joint.at + turned)
        }
    };
    let place = match &second {
        JointEnd::Point(point) => point.position(bodies),
        other => other.place_at(0.0)?,
    };
    let (start, other) = (ahead(place), from_axis(place));
    let range = match [least.is_finite(), most.is_finite()] {
        [true, true] => NEAREST..PI - NEAREST,
        [true, false] => NEAREST..PI,
        _ => PI..TAU - NEAREST,
    };
    let ends = [least, most].map(|limit| start + limit);
    if !ends
        .iter()
        .all(|end| end.is_infinite() || range.contains(end))
    {
        return None;
    }
    let along = (first.position(bodies) - place).dot(axis);
    let distance = |angle: f64| {
        let (a, b) = (across.length(), other.length());
        (a * a + b * b - 2.0 * a * b * angle.cos() + along * along).sqrt()
    };
    let range = match [least.is_finite(), most.is_finite()] {
        [true, true] => ends.map(distance),
        [true, false] => [distance(ends[0]), f64::INFINITY],
        _ => [distance(ends[1]), f64::INFINITY],
    };
    let limit = joint::Joint::new(&joint.id, joint::JointKind::Distance(range), first, second);
    Some(joint::Joint {
        is_limit: true,
        ..limit
    })
}

/// The motor of a hinge, in radians per second and newton metres, if the bodies can have one.
fn hinge_motor(
    joint: &Joint,
    bodies: &[Body],
    axis: DVec3,
    speed: f64,
    torque: f64,
) -> Option<joint::Joint> {
    if joint.other.is_some_and(|body| !is_rigid(&bodies[body])) {
        return None;
    }
    let first = off_axis(joint, bodies, joint.body, axis, |_| 0.0)?;
    let from = first.position(bodies) - joint.at;
    let centre = joint.at + from.project_onto(axis);
    let across = from.reject_from(axis);
    let radius = across.length();
    let quarter = axis.normalize().cross(across);
    let circle = [centre, centre + across, centre + quarter].map(|at| end(joint, bodies, at));
    let second = circle[0].clone();
    let kind = joint::JointKind::Motor(Arc::new(Motor {
        circle,
        speed,
        torque,
        radius,
    }));
    let motor = joint::Joint::new(&joint.id, kind, first, second);
    Some(joint::Joint {
        is_limit: true,
        ..motor
    })
}

/// A point of a body away from the axis of a hinge: of what is soft the node that `cost` (in radians) likes best
/// among those about as far as a hinge is wide.
fn off_axis(
    joint: &Joint,
    bodies: &[Body],
    body: usize,
    axis: DVec3,
    cost: impl Fn(DVec3) -> f64,
) -> Option<BodyPoint> {
    let target = &bodies[body];
    let arm = HINGE * bodies[joint.body].size();
    if is_rigid(target) {
        let place = joint.at + arm * axis.any_orthonormal_vector();
        return Some(BodyPoint::near(bodies, body, place));
    }
    let distance = |x: DVec3| (x - joint.at).reject_from(axis).length();
    let places = target.state.positions.iter().enumerate();
    let away = places.filter(|(_, x)| distance(**x) > 0.2 * arm);
    let rank = |x: DVec3| cost(x) + (distance(x) / arm - 1.0).abs();
    let best = away.min_by(|a, b| rank(*a.1).total_cmp(&rank(*b.1)));
    best.map(|(node, _)| BodyPoint::node(body, node))
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
