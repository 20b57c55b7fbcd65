//! Yielding.

use super::ProcessType;
use crate::language::{Attribute, Kind, Range};
use pliant::process::{Plastic, ProcessKind, YieldCriterion};

/// What `Plastic` has beside `limit`.
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute::or(
        "yield",
        Kind::Named(YieldCriterion::WORDS),
        YieldCriterion::Deformation.name(),
        "What decides whether the body yields.",
    )
    .when("type", &["Plastic"]),
    Attribute::or(
        "hardening",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Stiffness of the spring that hardens the body by that of the body; 0 yields without \
         end.",
    )
    .when("type", &["Plastic"]),
    Attribute::or(
        "delay",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "The time, in seconds, in which the body yields; 0 yields at once.",
    )
    .when("type", &["Plastic"]),
];

pub(super) const PLASTIC: ProcessType = ProcessType::new(
    "Plastic",
    "Yields beyond a limit and hardens.",
    |process, _| {
        let settings = &process.settings;
        Ok(ProcessKind::Plastic(Plastic {
            criterion: settings.choice("yield", YieldCriterion::from_name),
            limit: settings.number("limit"),
            hardening: settings.number("hardening"),
            time: settings.number("delay"),
        }))
    },
);
