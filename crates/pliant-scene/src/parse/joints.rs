//! `Joints`.

use super::Values;
use super::bindings::{body_ids, resolve};
use super::elements::{check_children, own_attributes, read_element};
use super::report_repeated_ids;
use crate::diagnostics::{Problem, Reporter, quote};
use crate::language::time_span::read_span;
use crate::language::{JOINT, JOINTS, PLACE};
use crate::scene::{Body, Joint, JointKind, Object};
use crate::xml::Node;
use glam::DVec3;
use pliant::joint::Track;

/// The largest range of a hinge, in degrees: beyond it the way between two bodies is not clear.
const WIDEST: f64 = 170.0;

pub(super) fn read_joints(
    reporter: &mut Reporter,
    configuration: &Node,
    bodies: &[Body],
    objects: &[Object],
) -> Vec<Joint> {
    let Some(node) = configuration.first(JOINTS.name) else {
        return Vec::new();
    };
    check_children(reporter, node, &node.label(), &JOINTS);
    report_repeated_ids(reporter, node.all(JOINT.name));
    let ids = body_ids(bodies, objects);
    let mut joints = Vec::new();
    for child in node.all(JOINT.name) {
        let values = own_attributes(reporter, child, child.label(), &JOINT);
        check_children(reporter, child, &child.label(), &JOINT);
        if let Some(name) = still_object(&values, objects) {
            let message = format!("the object {} does not move", quote(name.1));
            let hint = "give it a `motion`; or leave `other` out, and the joint holds to a place";
            values.wrong(reporter, name.0, Problem::new(message).with_hint(hint));
            continue;
        }
        let body = resolve(reporter, &values, "body", &ids);
        let other = match values.is_given("other") {
            true => resolve(reporter, &values, "other", &ids).map(Some),
            false => Some(None),
        };
        for index in [body, other.flatten()].into_iter().flatten() {
            warn_of_integrator(reporter, child, &values, bodies.get(index));
        }
        let (from, until) = read_span(reporter, &values);
        let kind = read_kind(reporter, child, &values);
        let location = reporter.locate(child.offset);
        let (Some(id), Some(body), Some(other), Some(kind), Some(at)) = (
            values.text("id"),
            body,
            other,
            kind,
            values.optional_vector("at"),
        ) else {
            continue;
        };
        if matches!(kind, JointKind::Sticky { .. }) && other.is_none() {
            let problem = Problem::new("what sticks needs an `other` to stick to");
            values.wrong(reporter, "other", problem);
        }
        let meets = match values.is_given("meets") {
            true => values.boolean("meets"),
            false => matches!(kind, JointKind::Distance { .. } | JointKind::Sticky { .. }),
        };
        joints.push(Joint {
            id: id.to_owned(),
            location,
            kind,
            body,
            other,
            at,
            meets,
            spread: values.optional_number("spread"),
            stiffness: values.optional_number("stiffness"),
            strength: values.optional_number("strength").unwrap_or(f64::INFINITY),
            times: [from, until],
        });
    }
    joints
}

/// The attribute that names an object which stays where it is, and the name.
fn still_object<'a>(values: &'a Values<'_>, objects: &[Object]) -> Option<(&'static str, &'a str)> {
    ["body", "other"].into_iter().find_map(|attribute| {
        let name = values.text(attribute)?;
        let mut still = objects.iter().filter(|object| object.moving.is_none());
        still
            .any(|object| object.id == name)
            .then_some((attribute, name))
    })
}

/// Says that a body moves by another rule than it asks for.
fn warn_of_integrator(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
    body: Option<&Body>,
) {
    let Some(body) = body else { return };
    let integrator = body.properties.word("integrator");
    if let Some(integrator @ ("Midpoint" | "Newmark" | "SemiImplicit")) = integrator {
        let message = format!(
            "the body {} is joined, so that it moves by Implicit, not by {integrator}",
            quote(&body.id)
        );
        let problem = Problem::new(message)
            .with_hint("without `integrator` it moves by a rule of second order");
        reporter.warning(node.offset, &values.label, None, problem);
    }
}

fn read_kind(reporter: &mut Reporter, node: &Node, values: &Values<'_>) -> Option<JointKind> {
    let kind = values.word("type")?;
    let places = read_places(reporter, node, values, kind);
    Some(match kind {
        "Hinge" => JointKind::Hinge {
            axis: values.optional_vector("axis")?,
            limits: read_angles(reporter, values),
            motor: read_motor(reporter, values),
        },
        "Line" => {
            let to = values.optional_vector("to")?;
            if values.optional_vector("at") == Some(to) {
                let problem =
                    Problem::new("expected another place than `at`: a line has a direction");
                values.wrong(reporter, "to", problem);
            }
            JointKind::Line(to)
        }
        "Distance" => JointKind::Distance {
            to: values.optional_vector("to")?,
            limits: read_distances(reporter, values),
        },
        "Track" => {
            let places: Vec<DVec3> = places?.into_iter().map(|(_, place)| place).collect();
            JointKind::Track(match values.word("curve") {
                Some("Straight") => Track::straight(&places),
                _ => Track::smooth(&places),
            })
        }
        "Path" => JointKind::Path(places?),
        "Sticky" => JointKind::Sticky {
            radius: values.optional_number("radius")?,
            reach: values.optional_number("reach")?,
        },
        _ => JointKind::Point,
    })
}

fn read_motor(reporter: &mut Reporter, values: &Values<'_>) -> Option<[f64; 2]> {
    let [speed, torque, least, most] =
        ["speed", "torque", "least", "most"].map(|name| values.optional_number(name));
    if speed.is_none() && torque.is_some() {
        let problem = Problem::new("expected `speed` as well: a torque is that of a motor");
        values.wrong(
            reporter,
            "torque",
            problem.with_hint("a brake has speed=\"0\""),
        );
    }
    let speed = speed?;
    if torque.is_none() && (least.is_some() || most.is_some()) {
        let problem =
            Problem::new("expected `torque` as well: nothing stops the motor at its limits")
                .with_hint("give the motor a largest torque");
        values.wrong(reporter, "speed", problem);
    }
    Some([speed, torque.unwrap_or(f64::INFINITY)])
}

fn read_angles(reporter: &mut Reporter, values: &Values<'_>) -> Option<[f64; 2]> {
    let [least, most] = ["least", "most"].map(|name| values.optional_number(name));
    if least.is_none() && most.is_none() {
        return None;
    }
    let is_range = least.is_some() && most.is_some();
    let least = least.unwrap_or(f64::NEG_INFINITY);
    let most = most.unwrap_or(f64::INFINITY);
    let width = most - least;
    if least > 0.0 || (is_range && width > WIDEST) || width == 0.0 {
        let message = format!(
            "expected angles from `least` <= 0 to `most` >= 0, up to {WIDEST} degrees apart, found \
             {least} to {most}"
        );
        values.wrong(reporter, "least", Problem::new(message));
    }
    Some([least, most])
}

fn read_distances(reporter: &mut Reporter, values: &Values<'_>) -> Option<[f64; 2]> {
    let [least, most] = ["least", "most"].map(|name| values.optional_number(name));
    if least.is_none() && most.is_none() {
        return None;
    }
    let [least, most] = [least.unwrap_or(0.0), most.unwrap_or(f64::INFINITY)];
    if least < 0.0 || most < least || most == 0.0 {
        let message = format!("expected 0 <= `least` <= `most`, found {least} and {most}");
        values.wrong(reporter, "least", Problem::new(message));
    }
    Some([least, most])
}

/// The places of a path or a track.
fn read_places(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
    kind: &str,
) -> Option<Vec<(f64, DVec3)>> {
    let mut places: Vec<(f64, DVec3)> = Vec::new();
    for child in node.all(PLACE.name) {
        let place = read_element(reporter, child, &values.label, &PLACE);
        let time = place.optional_number("time");
        let problem = match (kind, time) {
            ("Path", None) => Some("a place of a path needs a `time`".to_owned()),
            ("Track", Some(_)) => Some("a place of a track has no `time`".to_owned()),
            ("Path", Some(time)) => places
                .last()
                .filter(|(before, _)| time <= *before)
                .map(|(before, _)| format!("expected a time after {before} s, found {time}")),
            ("Track", None) => None,
            _ => Some(format!("a joint of type {kind} has no places")),
        };
        if let Some(message) = problem {
            let attribute = place.is_given("time").then_some("time");
            reporter.error(child.offset, &place.label, attribute, Problem::new(message));
        }
        places.push((time.unwrap_or(0.0), place.optional_vector("at")?));
    }
    let least = match kind {
        "Path" => 1,
        "Track" => 2,
        _ => 0,
    };
    if places.len() < least {
        let message = format!("expected at least {least} <Place>, found {}", places.len());
        let problem =
            Problem::new(message).with_hint("such as <Place time=\"1\" at=\"[0, 0, 1]\" />");
        reporter.error(node.offset, &values.label, None, problem);
        return None;
    }
    Some(places)
}
