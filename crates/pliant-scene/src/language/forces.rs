//! `ExternalForces` and `Force`.

use super::{Attribute, Child, Element, Kind, Occurs, PROPERTIES, Range, Variant};

/// All external forces.
pub static EXTERNAL_FORCES: Element = Element {
    name: "ExternalForces",
    published: true,
    doc: "Holds all forces. A force acts only on the bodies and particles that bind it.",
    children: &[Child::new(&FORCE, Occurs::Many)],
    example: r#"<ExternalForces>
  <Force id="Gravity" type="Gravity">
    <Properties g="[0, 0, -9.81]" />
  </Force>
</ExternalForces>"#,
    ..Element::NEW
};

const GUST: &[&str] = &["Gust"];
const VORTEX: &[&str] = &["Vortex"];
const SHEAR: &[&str] = &["Shear"];
const ROUND_A_CENTRE: &[&str] = &["Vortex", "Shear"];

const VISCOUS: &[Attribute] = &[
    Attribute::required(
        "c",
        Kind::Number(Range::NOT_NEGATIVE),
        "The strength of the fluid: force on a unit of surface for a unit of relative speed.",
    )
    .published(),
    Attribute::required("u", Kind::Vector, "The velocity of the stream, in m/s.").published(),
    Attribute::or(
        "sides",
        Kind::Choice(&["Both"]),
        "Both",
        "The sides of a surface the stream pushes on; both is the only choice.",
    ),
    Attribute::or(
        "stream",
        Kind::Choice(&["Constant", "Gust", "Vortex", "Shear"]),
        "Constant",
        "How the stream varies. `Constant`: u everywhere. `Gust`: u plus `gust` times a smooth \
         random function of time between -1 and 1. `Vortex`: u plus a flow round an axis. \
         `Shear`: u times tanh(d / `thickness`), d being the distance from the layer through \
         `centre` across `axis`.",
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
];

const FOR_SOME_TIME: &[Attribute] = &[
    Attribute::or(
        "from",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "When it starts, in seconds.",
    ),
    Attribute::optional(
        "until",
        Kind::Number(Range::POSITIVE),
        "When it stops, in seconds; never, if left out.",
    ),
];

/// One external force.
pub static FORCE: Element = Element {
    name: "Force",
    published: true,
    doc: "A force that bodies and particles can bind.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "The name `Bind` refers to.").published(),
        Attribute::required("type", Kind::Variant, "The kind of force.").published(),
    ],
    children: &[Child::new(&PROPERTIES, Occurs::First)],
    variants: &[
        Variant {
            name: "Gravity",
            model: None,
            doc: "A constant acceleration.",
            attributes: &[&[
                Attribute::required("g", Kind::Vector, "The acceleration, in m/s².").published(),
            ]],
            example: r#"<Force id="Moon" type="Gravity">
  <Properties g="[0, 0, -1.62]" />
</Force>"#,
        },
        Variant {
            name: "Spring",
            model: None,
            doc: "A spring of rest length zero from each bound particle to a point. It is usually \
                  bound to one particle. With `from` and `until` it acts during part of the run; \
                  with `to` its end also moves, straight and evenly, from `r0` at `from` to `to` \
                  at `until`, and lets go there (a second spring from that time on can hold).",
            attributes: &[&[
                Attribute::required(
                    "k",
                    Kind::Number(Range::NOT_NEGATIVE),
                    "The stiffness, in N/m.",
                )
                .published(),
                Attribute::required("r0", Kind::Vector, "The fixed end, in world coordinates.")
                    .published(),
                Attribute::or(
                    "from",
                    Kind::Number(Range::NOT_NEGATIVE),
                    "0",
                    "When the spring begins to act, in seconds.",
                ),
                Attribute::optional(
                    "until",
                    Kind::Number(Range::POSITIVE),
                    "When it lets go, in seconds; never if left out.",
                ),
                Attribute::optional(
                    "to",
                    Kind::Vector,
                    "Where its end has moved to at `until`, which must be given too.",
                ),
            ]],
            example: r#"<Force id="Lift" type="Spring">
  <Properties k="40" r0="[2, 2, 0]" until="1.5" to="[2, 2, 3]" />
</Force>"#,
        },
        Variant {
            name: "Thruster",
            model: None,
            doc: "A constant force on each bound particle, for some time.",
            attributes: &[
                &[Attribute::required("f", Kind::Vector, "The force, in N.")],
                FOR_SOME_TIME,
            ],
            example: r#"<Force id="Jet" type="Thruster">
  <Properties f="[0, 0, 20]" from="1" until="1.5" />
</Force>"#,
        },
        Variant {
            name: "Gyro",
            model: None,
            doc: "Turns a body faster and faster about its centre of mass, for some time. It is \
                  bound to a whole body.",
            attributes: &[
                &[Attribute::required(
                    "a",
                    Kind::Vector,
                    "The angular acceleration, in rad/s².",
                )],
                FOR_SOME_TIME,
            ],
            example: r#"<Force id="Spin" type="Gyro">
  <Properties a="[0, 0, 30]" until="0.2" />
</Force>"#,
        },
        Variant {
            name: "Viscous",
            model: None,
            doc: "The push of a stream (wind, water) on a surface: c (n · (u - v)) n for a surface \
                  with normal n and velocity v.",
            attributes: &[VISCOUS],
            example: r#"<Force id="Breeze" type="Viscous">
  <Properties c="3" u="[4, 1, 0]" stream="Gust" gust="[2, 0, 0.5]" period="0.8" seed="7" />
</Force>"#,
        },
    ],
    ..Element::NEW
};
