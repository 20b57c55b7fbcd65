//! The streams of a viscous force: wind and water that vary in space and time.

use super::{Attribute, Kind, Range};
use crate::settings::Settings;
use glam::DVec3;
use pliant::force::Stream;
use pliant::force::stream::{FlowField, Gust, Shear, StreamError, Vortex};

const GUST: &[&str] = &["Gust"];
const VORTEX: &[&str] = &["Vortex"];
const SHEAR: &[&str] = &["Shear"];
const FORMULA: &[&str] = &["Formula"];
const ROUND_A_CENTRE: &[&str] = &["Vortex", "Shear"];

/// What describes a stream.
pub(super) const STREAM: &[Attribute] = &[
    Attribute::required("u", Kind::Vector, "The velocity of the stream, in m/s.").published(),
    Attribute::or(
        "stream",
        Kind::Choice(&["Constant", "Gust", "Vortex", "Shear", "Formula"]),
        "Constant",
        "How the stream varies. `Constant`: u everywhere. `Gust`: u plus `gust` times a smooth \
         random function of time between -1 and 1. `Vortex`: u plus a flow round an axis. \
         `Shear`: u times tanh(d / `thickness`), d being the distance from the layer through \
         `centre` across `axis`. `Formula`: u plus `sx`, `sy` and `sz`, whatever they say of place and \
         time.",
    ),
    Attribute::required(
        "gust",
        Kind::Vector,
        "The velocity a full gust adds, in m/s.",
    )
    .when("stream", GUST),
    Attribute::or(
        "period",
        Kind::Number(Range::POSITIVE),
        "1",
        "The time between gusts, in seconds.",
    )
    .when("stream", GUST),
    Attribute::or(
        "seed",
        Kind::Count {
            least: 0,
            most: u32::MAX,
        },
        "0",
        "Chooses the random function: the same seed gives the same gusts.",
    )
    .when("stream", GUST),
    Attribute::or(
        "centre",
        Kind::Vector,
        "[0, 0, 0]",
        "A point on the axis of the vortex, or in the middle of the shear layer.",
    )
    .when("stream", ROUND_A_CENTRE),
    Attribute::or(
        "axis",
        Kind::Direction,
        "[0, 0, 1]",
        "The axis of the vortex, or the normal of the shear layer.",
    )
    .when("stream", ROUND_A_CENTRE),
    Attribute::required(
        "circulation",
        Kind::Number(Range::ANY),
        "The circulation of the vortex, in m²/s; positive turns anticlockwise seen against the \
         axis.",
    )
    .when("stream", VORTEX),
    Attribute::or(
        "core",
        Kind::Number(Range::POSITIVE),
        "0.1",
        "The radius of the vortex core, inside which the speed falls to zero.",
    )
    .when("stream", VORTEX),
    Attribute::required(
        "thickness",
        Kind::Number(Range::POSITIVE),
        "The thickness of the shear layer.",
    )
    .when("stream", SHEAR),
    Attribute::required(
        "sx",
        Kind::Flow,
        "What is added to the velocity along x, in m/s, at the place x, y, z (in metres) and the time t (in \
         seconds).",
    )
    .when("stream", FORMULA),
    Attribute::required("sy", Kind::Flow, "The same along y.").when("stream", FORMULA),
    Attribute::required("sz", Kind::Flow, "The same along z.").when("stream", FORMULA),
];

/// The stream that the attributes describe.
pub(super) fn make_stream(settings: &Settings) -> Result<Stream, StreamError> {
    let velocity = settings.vector("u");
    let (centre, axis) = (settings.vector("centre"), settings.vector("axis"));
    Ok(match settings.word("stream") {
        Some("Gust") => {
            let seed = u64::from(settings.count("seed"));
            let (gust, period) = (settings.vector("gust"), settings.number("period"));
            Stream::Gust(Gust::new(velocity, gust, period, seed)?)
        }
        Some("Vortex") => {
            let (circulation, core) = (settings.number("circulation"), settings.number("core"));
            Stream::Sum(vec![
                Stream::Constant { velocity },
                Stream::Vortex(Vortex::new(centre, axis, circulation, core)?),
            ])
        }
        Some("Shear") => {
            let thickness = settings.number("thickness");
            Stream::Shear(Shear::new(centre, axis, velocity, thickness)?)
        }
        Some("Formula") => {
            let rules = ["sx", "sy", "sz"].map(|name| settings.rule(name).cloned());
            let field = move |p: DVec3, time: f64| {
                let at = [p.x, p.y, p.z, time];
                let [x, y, z] = [0, 1, 2].map(|d| {
                    let rule = rules[d].as_ref();
                    rule.map_or(0.0, |rule| rule.evaluate_in_space(at))
                });
                DVec3::new(x, y, z)
            };
            Stream::Sum(vec![
                Stream::Constant { velocity },
                Stream::Field(FlowField::new(field)),
            ])
        }
        _ => Stream::Constant { velocity },
    })
}
