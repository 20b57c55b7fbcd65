//! `ExternalForces` and `Force`.

use super::image_forces::{IMAGE, make_image, picture_of};
use super::streams::{STREAM, make_stream};
use super::time_span::{FOR_SOME_TIME, read_span};
use super::volume_forces::{VOLUME, make_volume, stack_of};
use super::{Attribute, Child, Element, Kind, Makes, Occurs, PROPERTIES, Range, Variant};
use crate::diagnostics::Problem;
use crate::parse::Values;
use crate::scene::ForceFile;
use glam::DVec3;
use pliant::force::{
    Amount, AreaViscous, DistributedLoad, Gravity, Gyro, Over, Pressure, Spring, Thruster, Viscous,
};
use std::sync::Arc;

/// The images that a force of a type takes from files, if it does.
pub(crate) fn file_of(variant: &str, values: &Values<'_>) -> Option<ForceFile> {
    match variant {
        "Image" => picture_of(values),
        "Volume" => stack_of(values),
        _ => None,
    }
}

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

pliant::choice! {
    /// What the strength of a stream is given for.
    enum Per {
        /// Each particle or node, in N s/m, as published: twice the particles catch twice the wind.
        Particle,
        /// Each square metre of a surface (of the boundary of a solid), in N s/m³, or each metre of
        /// a curve, in N s/m²: the same wind for any number of particles.
        Area,
    }
}

/// How a force changes with time: every type has it.
const RAMP: &[Attribute] = &[Attribute::optional(
    "ramp",
    Kind::Ramp,
    "Points [time, factor]: the force is multiplied by a factor that follows straight lines between \
     them and keeps the first before and the last after them; time in seconds.",
)];

const LOAD: &[Attribute] = &[
    Attribute::or(
        "over",
        Kind::Named(Over::WORDS),
        Over::Face.name(),
        "What it is spread over.",
    ),
    Attribute::optional("f", Kind::Vector, "All of it together, in N."),
    Attribute::optional(
        "q",
        Kind::Vector,
        "Its density: N/m² (Pa) over a `Face`, N/m over an `Edge`, N/m³ over a `Volume`.",
    ),
    Attribute::optional(
        "p",
        Kind::Number(Range::ANY),
        "A pressure in Pa against the outward normal that a `Face` has at rest; negative pulls. It \
         keeps its direction when the body turns.",
    ),
];

const VISCOUS: &[Attribute] = &[
    Attribute::required(
        "c",
        Kind::Number(Range::NOT_NEGATIVE),
        "The strength of the fluid: the force for a relative speed of 1 m/s, on what `per` says.",
    )
    .published(),
    Attribute::or(
        "per",
        Kind::Named(Per::WORDS),
        Per::Particle.name(),
        "What `c` is given for.",
    ),
    Attribute::or(
        "sides",
        Kind::Choice(&["Both"]),
        "Both",
        "The sides of a surface the stream pushes on; both is the only choice.",
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
            doc: "A constant acceleration.",
            attributes: &[
                &[
                    Attribute::required("g", Kind::Vector, "The acceleration, in m/s².")
                        .published(),
                ],
                RAMP,
            ],
            example: r#"<Force id="Moon" type="Gravity">
  <Properties g="[0, 0, -1.62]" />
</Force>"#,
            makes: Makes::Force(|_, values| {
                Ok(Arc::new(Gravity {
                    acceleration: values.vector("g"),
                }))
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Spring",
            doc: "A spring of rest length zero from each bound particle to a point. It is usually \
                  bound to one particle. With `from` and `until` it acts during part of the run; \
                  with `to` its end also moves, straight and evenly, from `r0` at `from` to `to` \
                  at `until`, and lets go there (a second spring from that time on can hold).",
            attributes: &[
                &[
                    Attribute::required(
                        "k",
                        Kind::Number(Range::NOT_NEGATIVE),
                        "The stiffness, in N/m.",
                    )
                    .published(),
                    Attribute::required("r0", Kind::Vector, "The fixed end, in world coordinates.")
                        .published(),
                    Attribute::optional(
                        "to",
                        Kind::Vector,
                        "Where its end has moved to at `until`, which must be given too.",
                    ),
                ],
                FOR_SOME_TIME,
                RAMP,
            ],
            example: r#"<Force id="Lift" type="Spring">
  <Properties k="40" r0="[2, 2, 0]" until="1.5" to="[2, 2, 3]" />
</Force>"#,
            makes: Makes::Force(|reporter, values| {
                let (from, until) = read_span(reporter, values);
                if values.is_given("to") && !values.is_given("until") {
                    let problem = Problem::new("a moving end needs a time of arrival").with_hint(
                        "add until=\"…\", the time in seconds at which the end is there",
                    );
                    values.wrong(reporter, "to", problem);
                }
                let start = values.vector("r0");
                Ok(Arc::new(Spring {
                    constant: values.number("k"),
                    start,
                    end: values.optional_vector("to").unwrap_or(start),
                    from,
                    until,
                }))
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Thruster",
            doc: "A constant force on each bound particle, for some time.",
            attributes: &[
                &[Attribute::required("f", Kind::Vector, "The force, in N.")],
                FOR_SOME_TIME,
                RAMP,
            ],
            example: r#"<Force id="Jet" type="Thruster">
  <Properties f="[0, 0, 20]" from="1" until="1.5" />
</Force>"#,
            makes: Makes::Force(|reporter, values| {
                let (from, until) = read_span(reporter, values);
                let force = values.vector("f");
                Ok(Arc::new(Thruster { force, from, until }))
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Gyro",
            doc: "Turns a body faster and faster about its centre of mass, for some time. It is \
                  bound to a whole body.",
            attributes: &[
                &[Attribute::required(
                    "a",
                    Kind::Vector,
                    "The angular acceleration, in rad/s².",
                )],
                FOR_SOME_TIME,
                RAMP,
            ],
            example: r#"<Force id="Spin" type="Gyro">
  <Properties a="[0, 0, 30]" until="0.2" />
</Force>"#,
            makes: Makes::Force(|reporter, values| {
                let (from, until) = read_span(reporter, values);
                Ok(Arc::new(Gyro {
                    acceleration: values.vector("a"),
                    from,
                    until,
                }))
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Pressure",
            doc: "The pressure inside a closed surface or solid, beyond that outside: a balloon, a \
                  cushion. It does not depend on the volume. It is bound to whole bodies; holes up to a \
                  twentieth of the surface, such as the ends of a grid that closes in one direction, get \
                  a lid that only the pressure feels.",
            attributes: &[
                &[Attribute::required(
                    "p",
                    Kind::Number(Range::ANY),
                    "The pressure, in Pa; negative sucks.",
                )],
                RAMP,
            ],
            example: r#"<Force id="Air" type="Pressure">
  <Properties p="40" />
</Force>"#,
            makes: Makes::Force(|_, values| Ok(Arc::new(Pressure::new(values.number("p"))))),
            ..Variant::NEW
        },
        Variant {
            name: "Load",
            doc: "A load that is spread over the part of a body that a `Bind` names (`box`, `from` and \
                  `to`, `region`, `near` and `within`), or over all of it: over the faces, edges or cells \
                  all of whose nodes lie in the part. Each node gets what the elements round it make of \
                  the load, so that the result does not depend on how fine they are. Exactly one of `f`, \
                  `q` and `p` says how large it is. Sizes and directions are those at rest.",
            attributes: &[LOAD, RAMP],
            example: r#"<Force id="Snow" type="Load">
  <Properties over="Face" q="[0, 0, -800]" ramp="[[0, 0], [1, 1]]" />
</Force>"#,
            makes: Makes::Force(|reporter, values| {
                let over = values.choice("over", Over::from_name);
                let given = ["f", "q", "p"]
                    .into_iter()
                    .filter(|name| values.is_given(name));
                if given.count() != 1 {
                    let problem = Problem::new("expected exactly one of `f`, `q` and `p`");
                    values.wrong(reporter, "over", problem);
                }
                if values.is_given("p") && over != Over::Face {
                    let problem =
                        Problem::new("only a face has a normal that a pressure acts along")
                            .with_hint("write q=\"[x, y, z]\", or over=\"Face\"");
                    values.wrong(reporter, "p", problem);
                }
                let amount = match (values.optional_vector("f"), values.optional_vector("q")) {
                    (Some(force), _) => Amount::Total(force),
                    (None, Some(density)) => Amount::Density(density),
                    (None, None) => Amount::Pressure(values.optional_number("p").unwrap_or(0.0)),
                };
                Ok(Arc::new(DistributedLoad { over, amount }))
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Image",
            doc: "The pull of an image on a curve in its plane, such as a body of formulation `Snake`: to \
                  edges, lines and ends of lines, from afar where the image is blurred widely at first. It \
                  acts per metre of the curve at rest, at the places of its particles.",
            attributes: &[IMAGE, RAMP],
            example: r#"<Force id="Scan" type="Image">
  <Properties rule="step(0.04 - (u-0.5)^2 - (v-0.5)^2)" pixels="[64, 64]" width="1" edge="2" wide="5" focus="2" />
</Force>"#,
            makes: Makes::Force(|reporter, values| {
                Ok(match make_image(reporter, values)? {
                    Some(image) => Arc::new(image),
                    None => Arc::new(Gravity {
                        acceleration: DVec3::ZERO,
                    }),
                })
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Volume",
            doc: "The pull of a volume on a surface, such as a mesh with the strain `Active`: to edges of a \
                  scalar field, from afar where it is blurred widely at first. It acts per square metre of \
                  the surface at rest, at the places of its nodes.",
            attributes: &[VOLUME, RAMP],
            example: r#"<Force id="Scan" type="Volume">
  <Properties rule="step(0.04 - (u-0.5)^2 - (v-0.5)^2 - (w-0.5)^2)" voxels="[24, 24, 24]" width="1" edge="2" wide="3" focus="2" />
</Force>"#,
            makes: Makes::Force(|reporter, values| {
                Ok(match make_volume(reporter, values)? {
                    Some(volume) => Arc::new(volume),
                    None => Arc::new(Gravity {
                        acceleration: DVec3::ZERO,
                    }),
                })
            }),
            ..Variant::NEW
        },
        Variant {
            name: "Viscous",
            doc: "The push of a stream (wind, water) on a surface: c (n · (u - v)) n for a surface \
                  with normal n and velocity v.",
            attributes: &[VISCOUS, STREAM, RAMP],
            example: r#"<Force id="Breeze" type="Viscous">
  <Properties c="0.6" per="Area" u="[4, 1, 0]" stream="Gust" gust="[2, 0, 0.5]" period="0.8" seed="7" />
</Force>"#,
            makes: Makes::Force(|_, values| {
                let (strength, stream) = (values.number("c"), make_stream(values)?);
                Ok(match values.choice("per", Per::from_name) {
                    Per::Particle => Arc::new(Viscous { strength, stream }),
                    Per::Area => Arc::new(AreaViscous::new(strength, stream)),
                })
            }),
            ..Variant::NEW
        },
    ],
    ..Element::NEW
};
