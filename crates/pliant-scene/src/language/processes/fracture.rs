//! Breaking.

use super::ProcessType;
use crate::language::{Attribute, Kind, Range};
use pliant::process::{Fracture, FractureCriterion, ProcessKind};

/// What `Fracture` has beside `limit`.
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute::or(
        "breaks",
        Kind::Named(FractureCriterion::WORDS),
        FractureCriterion::Elongation.name(),
        "What decides whether a link breaks.",
    )
    .when("type", &["Fracture"]),
    Attribute::or(
        "spread",
        Kind::Number(Range::UNIT),
        "0",
        "How far the limits of the links differ from their mean at random, as a share of it.",
    )
    .when("type", &["Fracture"]),
    Attribute::or(
        "seed",
        Kind::Count {
            least: 0,
            most: u32::MAX,
        },
        "1",
        "Where the random limits are drawn from; the same seed tears alike on every machine.",
    )
    .when("type", &["Fracture"]),
    Attribute::or(
        "count",
        Kind::Count {
            least: 1,
            most: 1_000_000,
        },
        "1",
        "The most links that break in a step: the worst first.",
    )
    .when("type", &["Fracture"]),
    Attribute::or(
        "order",
        Kind::Count { least: 0, most: 1 },
        "0",
        "0 tears links, 1 makes creases: the body then bends freely where it was bent too far.",
    )
    .when("type", &["Fracture"]),
];

pub(super) const FRACTURE: ProcessType =
    ProcessType::new("Fracture", "Breaks links.", |process, _| {
        let settings = &process.settings;
        Ok(ProcessKind::Fracture(Fracture {
            criterion: settings.choice("breaks", FractureCriterion::from_name),
            limit: settings.number("limit"),
            spread: settings.number("spread"),
            seed: u64::from(settings.count("seed")),
            at_once: settings.count("count") as usize,
            order: settings.count("order") as u8,
        }))
    });
