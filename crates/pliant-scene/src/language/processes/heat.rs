//! Heat: conduction, softening, melting.

use super::ProcessType;
use crate::language::{Attribute, Kind, Range};
use crate::scene::Process;
use pliant::Grid;
use pliant::process::{Heat, ProcessKind};

/// What `Heat` has.
pub(super) const ATTRIBUTES: &[Attribute] = &[
    Attribute::or(
        "temperature",
        Kind::Number(Range::NOT_NEGATIVE),
        "293",
        "The temperature at the beginning, in kelvin.",
    )
    .when("type", &["Heat"]),
    Attribute::optional(
        "warmth",
        Kind::Rule,
        "Kelvin above `temperature` at the beginning, as a formula in u, v and w.",
    )
    .when("type", &["Heat"]),
    Attribute::required(
        "conductivity",
        Kind::Number(Range::NOT_NEGATIVE),
        "In W/(m K) for a solid; times thickness for a surface, times cross-section for a curve.",
    )
    .when("type", &["Heat"]),
    Attribute::optional(
        "conducts",
        Kind::Rule,
        "A factor on `conductivity` that varies over the body, as a formula in u, v and w.",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "capacity",
        Kind::Number(Range::POSITIVE),
        "1000",
        "The specific heat capacity, in J/(kg K).",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "exchange",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Exchange of heat with objects that have a `temperature`, in W/(m² K).",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "near",
        Kind::Number(Range::NOT_NEGATIVE),
        "0.01",
        "How near an object must be to exchange heat, in metres.",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "air",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Exchange of heat with the air, in W/(m² K).",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "ambient",
        Kind::Number(Range::NOT_NEGATIVE),
        "293",
        "The temperature of the air, in kelvin.",
    )
    .when("type", &["Heat"]),
    Attribute::optional(
        "softens",
        Kind::Number(Range::POSITIVE),
        "The temperature, in kelvin, from which on the body is softer; if left out, not before it melts.",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "soft",
        Kind::Number(Range::UNIT),
        "0.1",
        "The share of its stiffness that is left at the melting point.",
    )
    .when("type", &["Heat"]),
    Attribute::optional(
        "melts",
        Kind::Number(Range::POSITIVE),
        "The melting point, in kelvin; none, if left out.",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "solidifies",
        Kind::Boolean,
        "No",
        "Whether what has melted becomes whole again when it cools.",
    )
    .when("type", &["Heat"]),
];

pub(super) const HEAT: ProcessType =
    ProcessType::new("Heat", "Conducts, softens and melts.", make_heat);

fn make_heat(process: &Process, grid: &Grid) -> Result<ProcessKind, String> {
    let own = &process.settings;
    let temperature = own.number("temperature");
    let conductivity = own.number("conductivity");
    let temperatures = match own.rule("warmth") {
        None => vec![temperature],
        Some(warmth) => grid
            .nodes()
            .map(|node| temperature + warmth.evaluate(grid.material_coordinates(node)))
            .collect(),
    };
    let conductivities = match own.rule("conducts") {
        None => vec![[conductivity; 3]],
        Some(factor) => grid
            .nodes()
            .map(|node| [conductivity * factor.evaluate(grid.material_coordinates(node)); 3])
            .collect(),
    };
    let softening = own.optional_number("softens").unwrap_or(f64::INFINITY);
    let melting = own.optional_number("melts").unwrap_or(f64::INFINITY);
    // Without a temperature of softening it is soft only when it melts.
    if softening.is_finite() && softening > melting {
        return Err(format!(
            "it softens at {softening} K, above its melting point of {melting} K"
        ));
    }
    Ok(ProcessKind::Heat(Heat {
        temperatures,
        conductivities,
        contact_exchange: own.number("exchange"),
        contact_distance: own.number("near"),
        air_exchange: own.number("air"),
        air_temperature: own.number("ambient"),
        softening,
        soft_share: own.number("soft").max(1e-6),
        melting,
        solidifies: own.boolean("solidifies"),
        ..Heat::insulated(temperature, conductivity, own.number("capacity"))
    }))
}
