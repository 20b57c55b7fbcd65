//! Viscoelastic processes: springs and dashpots in several arrangements.

use super::ProcessType;
use crate::diagnostics::Problem;
use crate::language::{Attribute, Element, Kind, Range};
use crate::settings::Settings;
use pliant::process::{FourUnit, Maxwell, ProcessKind, Prony, Voigt};

const DASHPOTS: &[&str] = &["Maxwell", "Voigt"];

/// What `Maxwell` and `Voigt` have.
pub(super) const DASHPOT: &[Attribute] = &[
    Attribute::required(
        "time",
        Kind::Number(Range::ANY),
        "Viscosity by stiffness, in seconds: the time in which strain relaxes (`Maxwell`) or \
         comes about (`Voigt`). Of `Maxwell` it may be negative: the body then swells.",
    )
    .when("type", DASHPOTS),
    Attribute::optional(
        "field",
        Kind::Rule,
        "A factor on `time` that varies over the body, as a formula in u, v and w.",
    )
    .when("type", DASHPOTS),
    Attribute::optional(
        "rate",
        Kind::Number(Range::POSITIVE),
        "The rate of strain, in 1/s, about which the viscosity begins to change.",
    )
    .when("type", &["Maxwell"]),
    Attribute::or(
        "power",
        Kind::Number(Range::ANY),
        "0",
        "The viscosity is multiplied by (1 + rate of strain / `rate`) to this power: below 0 \
         fast strain flows more easily, above 0 it is resisted, as by putty.",
    )
    .when("type", &["Maxwell"]),
    Attribute::or(
        "swell",
        Kind::Number(Range::POSITIVE),
        "0.5",
        "The largest strain a body swells to if `time` is negative.",
    )
    .when("type", &["Maxwell"]),
];

/// What `FourUnit` has.
pub(super) const SERIES: &[Attribute] = &[
    Attribute::required(
        "relaxation",
        Kind::Number(Range::POSITIVE),
        "The time of the dashpot in series, in seconds.",
    )
    .when("type", &["FourUnit"]),
    Attribute::required(
        "retardation",
        Kind::Number(Range::POSITIVE),
        "The time of the dashpot beside the second spring, in seconds.",
    )
    .when("type", &["FourUnit"]),
    Attribute::or(
        "stiffness",
        Kind::Number(Range::POSITIVE),
        "1",
        "Stiffness of the second spring by that of the body.",
    )
    .when("type", &["FourUnit"]),
];

pub(super) const MAXWELL: ProcessType = ProcessType::new(
    "Maxwell",
    "Flows as long as it is strained.",
    |process, places| {
        let settings = &process.settings;
        Ok(ProcessKind::Maxwell(Maxwell {
            times: times(settings, places)?,
            rate: settings.optional_number("rate").unwrap_or(f64::INFINITY),
            power: settings.number("power"),
            limit: settings.number("swell"),
        }))
    },
)
.check(|reporter, values| {
    if values.number("time") == 0.0 {
        let problem = Problem::new("expected a time greater than 0, found 0");
        values.wrong(reporter, "time", problem);
    }
});

pub(super) const VOIGT: ProcessType =
    ProcessType::new("Voigt", "Resists the rate of strain.", |process, places| {
        let times = times(&process.settings, places)?;
        Ok(ProcessKind::Voigt(Voigt { times }))
    })
    .check(|reporter, values| {
        let time = values.number("time");
        if time <= 0.0 {
            let problem = Problem::new(format!("expected a time greater than 0, found {time}"));
            values.wrong(reporter, "time", problem);
        }
    });

pub(super) const FOUR_UNIT: ProcessType = ProcessType::new(
    "FourUnit",
    "Is `Maxwell` and `Voigt` in series.",
    |process, _| {
        Ok(ProcessKind::FourUnit(FourUnit {
            relaxation: process.settings.number("relaxation"),
            retardation: process.settings.number("retardation"),
            stiffness: process.settings.number("stiffness"),
        }))
    },
);

pub(super) const PRONY: ProcessType = ProcessType::new(
    "Prony",
    "Relaxes in several times, one per `Branch`.",
    |process, _| {
        let branches = process.branches.clone();
        Ok(ProcessKind::Prony(Prony { branches }))
    },
);

/// A time for each node, or one for all.
fn times(settings: &Settings, places: &[[f64; 3]]) -> Result<Vec<f64>, String> {
    let time = settings.number("time");
    let Some(field) = settings.rule("field") else {
        return Ok(vec![time]);
    };
    places
        .iter()
        .map(|place| {
            let factor = field.evaluate(*place);
            if factor.is_finite() && factor > 0.0 {
                Ok(time * factor)
            } else {
                Err(format!(
                    "the field of the time is {factor} at the material coordinates {place:?}; it must be \
                     positive"
                ))
            }
        })
        .collect()
}

/// A unit of a Prony series.
pub static BRANCH: Element = Element {
    name: "Branch",
    doc: "A unit of a `Process` of type `Prony`: a spring and a dashpot in series, beside the \
          others. The shares sum to 1 at most; what is left of 1 lasts.",
    attributes: &[
        Attribute::required(
            "share",
            Kind::Number(Range::UNIT),
            "The share of the stiffness that relaxes.",
        ),
        Attribute::required(
            "time",
            Kind::Number(Range::POSITIVE),
            "The time in which it relaxes, in seconds.",
        ),
    ],
    example: r#"<Branch share="0.4" time="0.5" />"#,
    ..Element::NEW
};
