//! Heat: conduction, softening, melting.

use super::ProcessType;
use crate::language::{Attribute, Kind, Range};
use crate::scene::Process;
use glam::{DQuat, EulerRot};
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
        "Kelvin above `temperature` at the beginning, as a formula in u, v and w; in a mesh these run from 0 to 1 along \
         x, y and z, from one end of it to the other.",
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
        "A factor on `conductivity` that varies over the body, as a formula in u, v and w (as for `warmth`).",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "anisotropy",
        Kind::Vector,
        "[1, 1, 1]",
        "Factors on `conductivity` along three axes at right angles: the directions of a grid, or those that \
         `axes` turns in a mesh.",
    )
    .when("type", &["Heat"]),
    Attribute::or(
        "axes",
        Kind::Vector,
        "[0, 0, 0]",
        "How the axes of `anisotropy` are turned from x, y and z in a mesh, about x, then y, then z, in \
         degrees: together they are the tensor of conductivity. A grid conducts along its directions.",
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

fn make_heat(process: &Process, places: &[[f64; 3]]) -> Result<ProcessKind, String> {
    let settings = &process.settings;
    let temperature = settings.number("temperature");
    let conductivity = settings.number("conductivity");
    let factors = settings.vector("anisotropy");
    if factors.min_element() < 0.0 {
        return Err("`anisotropy` must not be negative".to_owned());
    }
    let along = |value: f64| (value * factors).to_array();
    let turned = settings.vector("axes").map(f64::to_radians);
    let temperatures = match settings.rule("warmth") {
        None => vec![temperature],
        Some(warmth) => {
            let at = |place: &[f64; 3]| temperature + warmth.evaluate(*place);
            places.iter().map(at).collect()
        }
    };
    let conductivities = match settings.rule("conducts") {
        None => vec![along(conductivity)],
        Some(factor) => {
            let at = |place: &[f64; 3]| along(conductivity * factor.evaluate(*place));
            places.iter().map(at).collect()
        }
    };
    let softening = settings.optional_number("softens").unwrap_or(f64::INFINITY);
    let melting = settings.optional_number("melts").unwrap_or(f64::INFINITY);
    // Without a temperature of softening it is soft only when it melts.
    if softening.is_finite() && softening > melting {
        return Err(format!(
            "it softens at {softening} K, above its melting point of {melting} K"
        ));
    }
    Ok(ProcessKind::Heat(Heat {
        temperatures,
        conductivities,
        axes: DQuat::from_euler(EulerRot::ZYX, turned.z, turned.y, turned.x),
        contact_exchange: settings.number("exchange"),
        contact_distance: settings.number("near"),
        air_exchange: settings.number("air"),
        air_temperature: settings.number("ambient"),
        softening,
        soft_share: settings.number("soft").max(1e-6),
        melting,
        solidifies: settings.boolean("solidifies"),
        ..Heat::insulated(temperature, conductivity, settings.number("capacity"))
    }))
}
