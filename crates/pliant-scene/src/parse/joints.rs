//! `Joints`.

use super::Values;
use super::bindings::{body_ids, resolve};
use super::elements::{check_children, own_attributes, read_element};
use super::report_repeated_ids;
use crate::diagnostics::{Problem, Reporter};
use crate::language::time_span::read_span;
use crate::language::{JOINT, JOINTS, PLACE};
use crate::scene::{Body, Joint, JointKind, Object};
use crate::xml::Node;
use glam::DVec3;

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
        let body = resolve(reporter, &values, "body", &ids);
        let other = match values.is_given("other") {
            true => resolve(reporter, &values, "other", &ids).map(Some),
            false => Some(None),
        };
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

fn read_kind(reporter: &mut Reporter, node: &Node, values: &Values<'_>) -> Option<JointKind> {
    let kind = values.word("type")?;
    let places = read_places(reporter, node, values, kind);
    Some(match kind {
        "Hinge" => JointKind::Hinge {
            axis: values.optional_vector("axis")?,
            limits: read_angles(reporter, values),
        },
        "Line" => JointKind::Line(values.optional_vector("to")?),
        "Distance" => JointKind::Distance {
            to: values.optional_vector("to")?,
            limits: read_distances(reporter, values),
        },
        "Track" => JointKind::Track(places?.into_iter().map(|(_, place)| place).collect()),
        "Path" => JointKind::Path(places?),
        "Sticky" => JointKind::Sticky {
            radius: values.optional_number("radius")?,
            reach: values.optional_number("reach")?,
        },
        _ => JointKind::Point,
    })
}

fn read_angles(reporter: &mut Reporter, values: &Values<'_>) -> Option<[f64; 2]> {
    let [least, most] = ["least", "most"].map(|name| values.optional_number(name));
    if least.is_none() && most.is_none() {
        return None;
    }
    let [least, most] = [least.unwrap_or(0.0), most.unwrap_or(0.0)];
    if least > 0.0 || most - least > WIDEST || most == least {
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
        let own = read_element(reporter, child, &values.label, &PLACE);
        let time = own.optional_number("time");
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
            own.wrong(reporter, "time", Problem::new(message));
        }
        places.push((time.unwrap_or(0.0), own.optional_vector("at")?));
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
