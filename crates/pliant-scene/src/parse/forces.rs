//! `ExternalForces`.

use super::attributes::Values;
use super::elements::{Instance, instances, read_instance};
use crate::diagnostics::{Problem, Reporter};
use crate::language::{EXTERNAL_FORCES, FORCE, Makes, file_of};
use crate::scene::{Force, ForceFile};
use crate::xml::Node;
use glam::DVec3;
use pliant::force::{Gravity, NodalForce, Ramp, Ramped};
use std::sync::Arc;

pub(super) fn read_forces(reporter: &mut Reporter, configuration: &Node) -> Vec<Force> {
    instances(reporter, configuration, &EXTERNAL_FORCES, &FORCE)
        .into_iter()
        .filter_map(|node| {
            let instance = read_instance(reporter, node, node.label(), &FORCE);
            Some(Force {
                id: instance.values.text("id")?.to_owned(),
                location: reporter.locate(node.offset),
                force: make_force(reporter, node, &instance),
                file: file_of_instance(&instance),
            })
        })
        .collect()
}

fn file_of_instance(instance: &Instance<'_>) -> Option<ForceFile> {
    file_of(instance.variant?.name, instance.properties.as_ref()?)
}

/// The force; where it has a mistake, which is reported, one that keeps its name known.
fn make_force(
    reporter: &mut Reporter,
    node: &Node,
    instance: &Instance<'_>,
) -> Arc<dyn NodalForce> {
    let made = match (instance.makes(), &instance.properties) {
        (Makes::Force(make), Some(properties)) => {
            make(reporter, properties).map(|force| ramped(force, properties))
        }
        _ => Ok(nothing()),
    };
    made.unwrap_or_else(|error| {
        if instance.is_sound(reporter) {
            let problem = Problem::new(error.to_string());
            reporter.error(node.offset, &instance.values.label, None, problem);
        }
        nothing()
    })
}

/// The force as it changes with time, if it does.
fn ramped(force: Arc<dyn NodalForce>, properties: &Values<'_>) -> Arc<dyn NodalForce> {
    let Some(rows) = properties.matrix("ramp") else {
        return force;
    };
    let points: Vec<[f64; 2]> = rows.iter().map(|row| [row[0], row[1]]).collect();
    match Ramp::new(points) {
        Ok(ramp) => Arc::new(Ramped { force, ramp }),
        // The attribute was refused where it was read.
        Err(_) => force,
    }
}

fn nothing() -> Arc<dyn NodalForce> {
    Arc::new(Gravity {
        acceleration: DVec3::ZERO,
    })
}
