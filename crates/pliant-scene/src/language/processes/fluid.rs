//! What has melted: particles that attract and repel.

use super::ProcessType;
use crate::language::{Attribute, Kind, Range};
use pliant::process::{Fluid, ProcessKind};

/// What `Fluid` has.
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute::required(
        "spacing",
        Kind::Number(Range::POSITIVE),
        "The distance at which two particles rest, in metres; they see each other up to twice \
         as far.",
    )
    .when("type", &["Fluid"]),
    Attribute::required(
        "repulsion",
        Kind::Number(Range::NOT_NEGATIVE),
        "The force between particles that coincide, in N.",
    )
    .when("type", &["Fluid"]),
    Attribute::or(
        "attraction",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "The largest force of attraction, in N; at most a 33rd of `repulsion`.",
    )
    .when("type", &["Fluid"]),
    Attribute::or(
        "viscosity",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Resistance to approach and parting of two particles, in N s/m.",
    )
    .when("type", &["Fluid"]),
    Attribute::or(
        "warms",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Heat that flows between two particles that touch, in W/K.",
    )
    .when("type", &["Fluid"]),
    Attribute::or(
        "molten",
        Kind::Boolean,
        "No",
        "Whether the body is fluid from the start.",
    )
    .when("type", &["Fluid"]),
];

pub(super) const FLUID: ProcessType = ProcessType::new(
    "Fluid",
    "Says how molten particles attract and repel.",
    |process, _| {
        let settings = &process.settings;
        Ok(ProcessKind::Fluid(Fluid {
            attraction: settings.number("attraction"),
            viscosity: settings.number("viscosity"),
            conduction: settings.number("warms"),
            molten: vec![settings.boolean("molten")],
            ..Fluid::new(settings.number("spacing"), settings.number("repulsion"))
        }))
    },
);
