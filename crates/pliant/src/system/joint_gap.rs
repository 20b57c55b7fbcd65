//! Where joints are: how far the ends are from where they should be, and which nodes that is made of.

use crate::joint::{BodyPoint, Joint, JointEnd, JointKind, Motor};
use crate::math::outer;
use glam::{DMat3, DVec3};

/// A joint where it is now.
pub(super) struct Gap {
    /// c; of a distance along the unit vector from the second end to the first.
    pub(super) gap: DVec3,
    /// Directions in which c counts.
    pub(super) across: DMat3,
    /// How c changes with the first end, without what would be negative.
    pub(super) change: DMat3,
    /// Second end, the other end of a line, and where between them the first is.
    pub(super) slide: Option<(DVec3, f64)>,
}

/// The vertices of a point of a body, with their weights.
pub(super) fn vertices<'a>(
    point: &'a BodyPoint,
    first: &[usize],
) -> impl Iterator<Item = (u32, f64)> + use<'a> {
    let base = first[point.body] as u32;
    point
        .nodes
        .iter()
        .map(move |(node, weight)| (base + node, *weight))
}

fn place_of(point: &BodyPoint, places: &[DVec3], first: &[usize]) -> DVec3 {
    vertices(point, first)
        .map(|(node, weight)| weight * places[node as usize])
        .sum()
}

fn end_of(end: &JointEnd, places: &[DVec3], first: &[usize], time: f64) -> DVec3 {
    match end {
        JointEnd::Point(point) => place_of(point, places, first),
        _ => end.place_at(time).unwrap_or_default(),
    }
}

fn second_of(joint: &Joint, places: &[DVec3], first: &[usize], time: f64) -> DVec3 {
    match joint.second_point() {
        Some(point) => place_of(point, places, first),
        None => joint.second_place(time).unwrap_or_default(),
    }
}

/// The places of the circle of a motor.
fn circle_of(motor: &Motor, (places, first, time): (&[DVec3], &[usize], f64)) -> [DVec3; 3] {
    [0, 1, 2].map(|k| end_of(&motor.circle[k], places, first, time))
}

/// The angle at which a motor is, in radians.
pub(super) fn motor_angle(joint: &Joint, at: (&[DVec3], &[usize], f64)) -> Option<f64> {
    let circle = circle_of(joint.motor()?, at);
    Some(Motor::angle(place_of(&joint.first, at.0, at.1), circle))
}

/// Where a joint is.
///
/// What is on a track is looked for from a place that is `ahead` of the first end, by λ / k: so the force has the
/// directions of the place that it leads to, at corners and ends too, and never jumps where c is small.
pub(super) fn gap(
    joint: &Joint,
    (places, first, time): (&[DVec3], &[usize], f64),
    ahead: DVec3,
) -> Gap {
    let a = place_of(&joint.first, places, first);
    let b = second_of(joint, places, first, time);
    let all = DMat3::IDENTITY;
    match &joint.kind {
        JointKind::Point | JointKind::Distance(_) => Gap {
            gap: a - b,
            across: all,
            change: all,
            slide: None,
        },
        JointKind::Motor(motor) => {
            let (angle, along) = joint.turned(motor, time);
            let circle = circle_of(motor, (places, first, time));
            let shares = Motor::shares(angle);
            let target: DVec3 = (0..3).map(|k| shares[k] * circle[k]).sum();
            let across = outer(along, along);
            Gap {
                gap: across * (a - target),
                across,
                change: across,
                slide: None,
            }
        }
        JointKind::Line(end) => {
            let along = end_of(end, places, first, time) - b;
            let share = (a - b).dot(along) / along.length_squared().max(f64::MIN_POSITIVE);
            let unit = along.normalize_or_zero();
            let across = all - outer(unit, unit);
            Gap {
                gap: a - b - share * along,
                across,
                change: across,
                slide: Some((along, share)),
            }
        }
        JointKind::Track(track) => {
            let at = a - b + ahead;
            let nearest = track.nearest(at);
            let away = at - nearest.place;
            let along = nearest.along.map_or(DMat3::ZERO, |unit| outer(unit, unit));
            // The nearest place of a bend follows faster or more slowly.
            let turned = (1.0 - nearest.curvature.dot(away)).max(1.0);
            Gap {
                gap: away - ahead,
                across: all - along,
                change: all - (1.0 / turned) * along,
                slide: None,
            }
        }
    }
}

/// The vertices whose places c is made of, with their weights.
pub(super) fn fill(
    joint: &Joint,
    gap: &Gap,
    (first, time): (&[usize], f64),
    stencil: &mut Vec<(u32, f64)>,
) {
    stencil.clear();
    stencil.extend(vertices(&joint.first, first));
    if let JointKind::Motor(motor) = &joint.kind {
        let shares = Motor::shares(joint.turned(motor, time).0);
        for (end, share) in motor.circle.iter().zip(shares) {
            let point = end.point().into_iter();
            let nodes = point.flat_map(|point| vertices(point, first));
            stencil.extend(nodes.map(|(node, w)| (node, -share * w)));
        }
        return;
    }
    let share = gap.slide.map_or(0.0, |(_, share)| share);
    if let Some(point) = joint.second_point() {
        stencil.extend(vertices(point, first).map(|(node, w)| (node, (share - 1.0) * w)));
    }
    if let JointKind::Line(JointEnd::Point(point)) = &joint.kind {
        stencil.extend(vertices(point, first).map(|(node, w)| (node, -share * w)));
    }
}

/// How the share s of a line changes with the places of its three points.
pub(super) fn slide_slopes<'a>(
    joint: &'a Joint,
    places: &[DVec3],
    first: &[usize],
    time: f64,
    along: DVec3,
    share: f64,
) -> impl Iterator<Item = (&'a BodyPoint, DVec3)> + use<'a> {
    let from = place_of(&joint.first, places, first) - second_of(joint, places, first, time);
    let square = along.length_squared().max(f64::MIN_POSITIVE);
    let far = (from - 2.0 * share * along) / square;
    let line = match &joint.kind {
        JointKind::Line(JointEnd::Point(point)) => Some((point, far)),
        _ => None,
    };
    let second = joint.second_point();
    let second = second.map(|point| (point, -far - along / square));
    std::iter::once((&joint.first, along / square))
        .chain(second)
        .chain(line)
}
