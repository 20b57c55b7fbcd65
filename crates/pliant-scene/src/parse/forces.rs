//! `ExternalForces`.

use super::attributes::Values;
use super::elements::{check_children, own_attributes, read_properties, read_variant};
use super::report_repeated_ids;
use crate::diagnostics::{Problem, Reporter};
use crate::language::{EXTERNAL_FORCES, FORCE};
use crate::scene::{Force, ForceKind, Stream};
use crate::xml::Node;
use glam::DVec3;

pub(super) fn read_forces(reporter: &mut Reporter, configuration: &Node) -> Vec<Force> {
    let Some(container) = configuration.first(EXTERNAL_FORCES.name) else {
        return Vec::new();
    };
    let label = container.label();
    own_attributes(reporter, container, label.clone(), &EXTERNAL_FORCES);
    check_children(reporter, container, &label, &EXTERNAL_FORCES);
    report_repeated_ids(reporter, container.all(FORCE.name));
    container
        .all(FORCE.name)
        .filter_map(|node| read_force(reporter, node))
        .collect()
}

fn read_force(reporter: &mut Reporter, node: &Node) -> Option<Force> {
    let label = node.label();
    let values = own_attributes(reporter, node, label.clone(), &FORCE);
    check_children(reporter, node, &label, &FORCE);
    let variant = read_variant(reporter, &values, &FORCE);
    let properties = read_properties(reporter, node, &label, &FORCE, variant);
    let kind = match (variant.map(|variant| variant.name), properties) {
        (Some("Spring"), Some(properties)) => read_spring(reporter, &properties),
        (Some("Viscous"), Some(properties)) => ForceKind::Viscous {
            strength: properties.number("c"),
            stream: read_stream(&properties),
        },
        (Some("Thruster"), Some(properties)) => {
            let (from, until) = read_span(reporter, &properties);
            ForceKind::Thruster {
                force: properties.vector("f"),
                from,
                until,
            }
        }
        (Some("Gyro"), Some(properties)) => {
            let (from, until) = read_span(reporter, &properties);
            ForceKind::Gyro {
                acceleration: properties.vector("a"),
                from,
                until,
            }
        }
        (_, Some(properties)) => ForceKind::Gravity {
            acceleration: properties.vector("g"),
        },
        // The mistake is reported; the name stays known to those that refer to it.
        _ => ForceKind::Gravity {
            acceleration: DVec3::ZERO,
        },
    };
    Some(Force {
        id: values.text("id")?.to_owned(),
        location: reporter.locate(node.offset),
        kind,
    })
}

/// `from` and `until`, which is infinite if it is left out.
pub(super) fn read_span(reporter: &mut Reporter, values: &Values<'_>) -> (f64, f64) {
    let from = values.number("from");
    let until = values.optional_number("until");
    if let Some(until) = until
        && until <= from
    {
        let message = format!("expected a time after `from` ({from}), found {until}");
        values.wrong(reporter, "until", Problem::new(message));
    }
    (from, until.unwrap_or(f64::INFINITY))
}

fn read_spring(reporter: &mut Reporter, properties: &Values<'_>) -> ForceKind {
    let (from, until) = read_span(reporter, properties);
    if properties.is_given("to") && !properties.is_given("until") {
        let problem = Problem::new("a moving end needs a time of arrival")
            .with_hint("add until=\"…\", the time in seconds at which the end is there");
        properties.wrong(reporter, "to", problem);
    }
    ForceKind::Spring {
        stiffness: properties.number("k"),
        anchor: properties.vector("r0"),
        from,
        until,
        to: properties.optional_vector("to"),
    }
}

fn read_stream(properties: &Values<'_>) -> Stream {
    let velocity = properties.vector("u");
    let centre = properties.vector("centre");
    let axis = properties.vector("axis");
    match properties.word("stream") {
        Some("Gust") => Stream::Gust {
            velocity,
            gust: properties.vector("gust"),
            period: properties.number("period"),
            seed: properties.count("seed"),
        },
        Some("Vortex") => Stream::Vortex {
            velocity,
            centre,
            axis,
            circulation: properties.number("circulation"),
            core: properties.number("core"),
        },
        Some("Shear") => Stream::Shear {
            velocity,
            centre,
            axis,
            thickness: properties.number("thickness"),
        },
        _ => Stream::Constant { velocity },
    }
}
