//! Parts of a mesh: zones of another material, what is fixed, rigid cores.

use super::attributes::Values;
use super::elements::read_element;
use super::solids::{read_solids, rotation_of, solid_nodes};
use crate::diagnostics::{Problem, Reporter};
use crate::language::{CORE, FIXED, MUSCLE, POSE, ZONE};
use crate::scene::{Core, CorePose, Fixed, Motion, Muscle, Place, Zone};
use crate::xml::Node;
use glam::DVec3;
use pliant::mesh::Solid;

/// What selects a part of a mesh: exactly one of `region`, `box` and shapes.
fn read_place(reporter: &mut Reporter, node: &Node, values: &Values<'_>) -> Option<Place> {
    let mut solids = read_solids(reporter, node, &values.label);
    let given = solid_nodes(node).count();
    let ways = [values.is_given("region"), values.is_given("box"), given > 0];
    if ways.iter().filter(|&&way| way).count() != 1 {
        let problem = Problem::new("expected one of `region`, `box` and shapes inside")
            .with_hint("for example box=\"[[0, 0, 0], [1, 1, 1]]\" or <Sphere c=\"…\" r=\"…\" />");
        reporter.error(node.offset, &values.label, None, problem);
        return None;
    }
    if solids.len() < given {
        return None;
    }
    if values.is_given("box") {
        solids.push(box_of(values.matrix("box")?)?);
    }
    let region = values.optional_count("region").map(|number| number as i32);
    if values.is_given("region") && region.is_none() {
        return None;
    }
    Some(Place {
        location: reporter.locate(node.offset),
        region,
        solids,
    })
}

/// Which of x, y and z are named; all without a word.
pub(super) fn coordinates_of(word: Option<&str>) -> [bool; 3] {
    let word = word.unwrap_or("xyz");
    ['x', 'y', 'z'].map(|coordinate| word.contains(coordinate))
}

fn box_of(corners: &[Vec<f64>]) -> Option<Solid> {
    let [low, high] = [corners.first()?, corners.get(1)?];
    let corner = |row: &[f64]| (row.len() == 3).then(|| DVec3::new(row[0], row[1], row[2]));
    let (low, high) = (corner(low)?, corner(high)?);
    Some(Solid::Cuboid {
        centre: 0.5 * (low + high),
        size: high - low,
        rounding: 0.0,
    })
}

pub(super) fn read_zone(reporter: &mut Reporter, node: &Node, parent: &str) -> Option<Zone> {
    let values = read_element(reporter, node, parent, &ZONE);
    Some(Zone {
        place: read_place(reporter, node, &values)?,
        young: values.optional_number("young"),
        poisson: values.optional_number("poisson"),
        density: values.optional_number("density"),
    })
}

pub(super) fn read_muscle(reporter: &mut Reporter, node: &Node, parent: &str) -> Option<Muscle> {
    let values = read_element(reporter, node, parent, &MUSCLE);
    let place = read_place(reporter, node, &values);
    if values.is_given("angle") && !values.is_given("direction") {
        let problem = Problem::new("used only with `direction`").with_hint("add direction=\"…\"");
        values.wrong(reporter, "angle", problem);
    }
    Some(Muscle {
        place: place?,
        contraction: values.rule("contraction")?.clone(),
        direction: values.optional_vector("direction"),
        angle: values.optional_number("angle")?,
    })
}

pub(super) fn read_fixed(reporter: &mut Reporter, node: &Node, parent: &str) -> Option<Fixed> {
    let values = read_element(reporter, node, parent, &FIXED);
    let place = read_place(reporter, node, &values)?;
    let coordinates = coordinates_of(values.word("coordinates"));
    Some(Fixed { place, coordinates })
}

pub(super) fn read_core(reporter: &mut Reporter, node: &Node, parent: &str) -> Option<Core> {
    let values = read_element(reporter, node, parent, &CORE);
    let place = read_place(reporter, node, &values);
    let motion = read_motion(reporter, node, &values);
    Some(Core {
        place: place?,
        motion: motion?,
    })
}

/// How a core or an object moves.
pub(super) fn read_motion(
    reporter: &mut Reporter,
    node: &Node,
    values: &Values<'_>,
) -> Option<Motion> {
    let poses = read_poses(reporter, node, &values.label);
    let motion = values.word("motion")?;
    if motion == "Path" && node.first(POSE.name).is_none() {
        let problem = Problem::new("a path has at least one pose")
            .with_hint("add <Pose time=\"0\" /> and so on");
        reporter.error(node.offset, &values.label, None, problem);
    }
    if let Some(pose) = node.first(POSE.name)
        && motion != "Path"
    {
        let problem = Problem::new(format!("what moves by \"{motion}\" has no poses"))
            .with_hint("write motion=\"Path\"");
        reporter.error(pose.offset, &values.label, None, problem);
    }
    Some(match motion {
        "Hinge" => Motion::Hinge {
            point: values.optional_vector("point")?,
            axis: values.optional_vector("axis")?,
        },
        "Turning" => Motion::Turning {
            point: values.optional_vector("point")?,
            axis: values.optional_vector("axis")?,
            speed: values.optional_number("speed")?,
        },
        "Path" => Motion::Path {
            pivot: values.optional_vector("pivot"),
            poses: poses?,
        },
        _ => Motion::Free,
    })
}

fn read_poses(reporter: &mut Reporter, core: &Node, parent: &str) -> Option<Vec<CorePose>> {
    let mut poses: Vec<CorePose> = Vec::new();
    let mut last_turn = DVec3::ZERO;
    let mut is_sound = true;
    for node in core.all(POSE.name) {
        let values = read_element(reporter, node, parent, &POSE);
        let time = values.optional_number("time");
        let (Some(time), Some(turn), Some(shift)) = (
            time,
            values.optional_vector("rotation"),
            values.optional_vector("shift"),
        ) else {
            is_sound = false;
            continue;
        };
        let rotation = rotation_of(turn);
        if let Some(before) = poses.last() {
            if time <= before.time {
                let message = format!("expected a time after {} s, found {time}", before.time);
                values.wrong(reporter, "time", Problem::new(message));
            }
            let angle = before.rotation.angle_between(rotation).to_degrees();
            let written = (turn - last_turn).abs().max_element();
            if angle.max(written) > 179.9 {
                let problem = Problem::new(
                    "from the pose before this is half a turn or more, so that the way is not clear",
                )
                .with_hint("add a pose in between");
                values.wrong(reporter, "rotation", problem);
            }
        }
        last_turn = turn;
        poses.push(CorePose {
            time,
            rotation,
            shift,
        });
    }
    (is_sound && !poses.is_empty()).then_some(poses)
}
