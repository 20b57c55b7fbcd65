//! `RigidObjects`, `Object` and `Part`.

use super::meshes::POSE;
use super::{Attribute, BIND, Child, Element, Kind, Makes, Occurs, PROPERTIES, Range, Variant};
use crate::settings::Settings;
use glam::{DQuat, DVec3};
use pliant::obstacle::{
    Capsule, Cuboid, Cylinder, Ellipsoid, Hyperboloid, Plane, Pose, Sheets, Sphere, Torus, Union,
    jack,
};

/// All rigid objects.
pub static RIGID_OBJECTS: Element = Element {
    name: "RigidObjects",
    published: true,
    doc: "Holds all rigid objects. Those without a `motion` stay; a body collides only with those of them it binds.",
    children: &[Child::new(&OBJECT, Occurs::Many)],
    example: r#"<RigidObjects>
  <Object id="Floor" type="Plane">
    <Properties n="[0, 0, 1]" x0="[0, 0, -2]" />
  </Object>
</RigidObjects>"#,
    ..Element::NEW
};

const CENTRE: Attribute = Attribute::required("c", Kind::Vector, "The centre.").published();
const RADIUS: Attribute =
    Attribute::required("r", Kind::Number(Range::POSITIVE), "The radius.").published();
const HEIGHT: Attribute = Attribute::required(
    "h",
    Kind::Number(Range::POSITIVE),
    "The height along the object's own z axis; of a capsule, without the round ends.",
)
.published();

const TURN: &[Attribute] = &[
    Attribute::or(
        "axis",
        Kind::Direction,
        "[0, 0, 1]",
        "Where the object's own z axis points: it is turned there by the shortest way.",
    ),
    Attribute::or(
        "angle",
        Kind::Number(Range::ANY),
        "0",
        "A turn about the object's own z axis, in degrees, made before the other.",
    ),
];

/// Where an object lies: first it is turned by `angle` about its own z axis, then the shortest way
/// from z to `axis`, then moved to `c` (a plane: `x0`).
pub(crate) fn pose_of(settings: &Settings) -> Pose {
    let axis = settings.optional_vector("axis").unwrap_or(DVec3::Z);
    let angle = settings.optional_number("angle").unwrap_or(0.0);
    let tilt = DQuat::from_rotation_arc(DVec3::Z, axis);
    let place = settings
        .optional_vector("c")
        .or(settings.optional_vector("x0"));
    Pose {
        rotation: tilt * DQuat::from_rotation_z((angle % 360.0).to_radians()),
        translation: place.unwrap_or(DVec3::ZERO),
    }
}

/// The shapes a part of a union may have; an object may be a union too.
macro_rules! shapes {
    ($($more:expr),*) => {
        &[
            Variant {
                name: "Cylinder",
                doc: "A cylinder, open at both ends unless it is capped.",
                attributes: &[
                    &[CENTRE, HEIGHT, RADIUS],
                    &[Attribute::or(
                        "capped",
                        Kind::Boolean,
                        "No",
                        "Whether both ends are closed.",
                    )],
                    TURN,
                ],
                example: r#"<Object id="Column" type="Cylinder">
  <Properties c="[1, 0, 0]" h="3" r="0.25" capped="Yes" />
  <Bind type="Material" ref="Sand" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    let (height, radius) = (settings.number("h"), settings.number("r"));
                    Ok(Box::new(match settings.boolean("capped") {
                        true => Cylinder::capped(DVec3::ZERO, height, radius)?,
                        false => Cylinder::open(DVec3::ZERO, height, radius)?,
                    }))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Plane",
                doc: "An infinite plane, of which a finite part is drawn.",
                attributes: &[&[
                    Attribute::required("n", Kind::Direction, "The normal, of any length.")
                        .published(),
                    Attribute::required("x0", Kind::Vector, "A point on the plane.").published(),
                ]],
                example: r#"<Object id="Slope" type="Plane" friction="0.4">
  <Properties n="[0, 0.5, 1]" x0="[0, 0, -1]" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    Ok(Box::new(Plane::new(settings.vector("n"), DVec3::ZERO)?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Sphere",
                doc: "A sphere.",
                attributes: &[&[CENTRE, RADIUS]],
                example: r#"<Object id="Globe" type="Sphere" scale="0.95">
  <Properties c="[0, 0, 1]" r="0.8" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    Ok(Box::new(Sphere::new(DVec3::ZERO, settings.number("r"))?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Torus",
                doc: "A torus lying in the xy plane unless it is turned.",
                attributes: &[
                    &[
                        Attribute::required(
                            "a",
                            Kind::Number(Range::POSITIVE),
                            "The radius of the tube.",
                        )
                        .published(),
                        CENTRE,
                        Attribute::required(
                            "r",
                            Kind::Number(Range::POSITIVE),
                            "The distance from the centre of the hole to the middle of the tube.",
                        )
                        .published(),
                    ],
                    TURN,
                ],
                example: r#"<Object id="Ring" type="Torus">
  <Properties a="0.2" r="1.5" c="[0, 0, 2]" axis="[1, 0, 0]" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    let (radius, tube) = (settings.number("r"), settings.number("a"));
                    Ok(Box::new(Torus::new(DVec3::ZERO, radius, tube)?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Ellipsoid",
                doc: "An ellipsoid.",
                attributes: &[
                    &[
                        CENTRE,
                        Attribute::required("axes", Kind::Extent, "The three semi-axes."),
                    ],
                    TURN,
                ],
                example: r#"<Object id="Pebble" type="Ellipsoid">
  <Properties c="[0, 0, 0]" axes="[1.2, 0.9, 0.4]" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    Ok(Box::new(Ellipsoid::new(DVec3::ZERO, settings.vector("axes"))?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Hyperboloid",
                doc: "The hyperboloid x²/a² + y²/b² - z²/c² = 1 (one sheet, an hourglass, solid \
                      round its axis) or -1 (two sheets, two bowls, solid above and below).",
                attributes: &[
                    &[
                        CENTRE,
                        Attribute::required("axes", Kind::Extent, "The three semi-axes a, b, c."),
                        Attribute::or(
                            "sheets",
                            Kind::Count { least: 1, most: 2 },
                            "1",
                            "One sheet or two.",
                        ),
                    ],
                    TURN,
                ],
                example: r#"<Object id="Hourglass" type="Hyperboloid">
  <Properties c="[0, 0, 0]" axes="[0.3, 0.3, 0.5]" sheets="1" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    let sheets = match settings.count("sheets") {
                        1 => Sheets::One,
                        _ => Sheets::Two,
                    };
                    let axes = settings.vector("axes");
                    Ok(Box::new(Hyperboloid::new(DVec3::ZERO, axes, sheets)?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Box",
                doc: "A box.",
                attributes: &[
                    &[
                        CENTRE,
                        Attribute::required("size", Kind::Extent, "The three edge lengths."),
                    ],
                    TURN,
                ],
                example: r#"<Object id="Table" type="Box">
  <Properties c="[0, 0, -0.1]" size="[2, 1, 0.2]" angle="30" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    Ok(Box::new(Cuboid::new(DVec3::ZERO, settings.vector("size"))?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Capsule",
                doc: "A cylinder with round ends.",
                attributes: &[&[CENTRE, HEIGHT, RADIUS], TURN],
                example: r#"<Object id="Pill" type="Capsule">
  <Properties c="[0, 0, 0]" h="1" r="0.3" axis="[0, 1, 0]" />
</Object>"#,
                makes: Makes::Surface(|settings, _| {
                    let half = 0.5 * settings.number("h") * DVec3::Z;
                    Ok(Box::new(Capsule::new(-half, half, settings.number("r"))?))
                }),
                ..Variant::NEW
            },
            Variant {
                name: "Jack",
                doc: "The toy of six arms: three crossed capsules with round knobs.",
                attributes: &[
                    &[
                        CENTRE,
                        Attribute::required(
                            "size",
                            Kind::Number(Range::POSITIVE),
                            "The distance from the centre to the tip of an arm.",
                        ),
                    ],
                    TURN,
                ],
                example: r#"<Object id="Jack" type="Jack">
  <Properties c="[0, 0, 0]" size="1" />
</Object>"#,
                makes: Makes::Surface(|settings, _| Ok(Box::new(jack(settings.number("size"))?))),
                ..Variant::NEW
            },
            $($more),*
        ]
    };
}

const UNION: Variant = Variant {
    name: "Union",
    doc: "Several shapes as one object; each stands in a `Part`, placed relative to the union.",
    attributes: &[
        &[Attribute::or(
            "c",
            Kind::Vector,
            "[0, 0, 0]",
            "Where the origin of the parts lies.",
        )],
        TURN,
    ],
    example: r#"<Object id="Mushroom" type="Union">
  <Properties c="[0, 0, -1]" />
  <Part type="Cylinder">
    <Properties c="[0, 0, 0]" h="1" r="0.2" capped="Yes" />
  </Part>
  <Part type="Ellipsoid">
    <Properties c="[0, 0, 0.6]" axes="[0.7, 0.7, 0.3]" />
  </Part>
</Object>"#,
    makes: Makes::Surface(|_, parts| Ok(Box::new(Union::new(parts)?))),
    ..Variant::NEW
};

/// One rigid object.
pub static OBJECT: Element = Element {
    name: "Object",
    published: true,
    doc: "A rigid obstacle. It stays where it is, or by its `motion` becomes a rigid body that moves, \
          which every body meets (see `Contact`) whether or not it binds it. Forces are then bound as \
          by a body.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "The name `Bind` refers to.").published(),
        Attribute::required("type", Kind::Variant, "The shape.").published(),
        Attribute::optional(
            "epsilon",
            Kind::Number(Range::POSITIVE),
            "The length ε of the penalties, in metres: the potential c exp(-d/ε) of \
             `Exponential` reaches some ε beyond the surface. Also the strength of `Projection`. \
             If left out, a tenth of the spacing of the particles for bodies with contact \
             `Exponential`, else 1.0, the published value.",
        )
        .published(),
        Attribute::or(
            "scale",
            Kind::Number(Range::POSITIVE),
            "1.0",
            "A factor on the size with which the object is drawn; bodies do not feel it.",
        )
        .published(),
        Attribute::or(
            "visible",
            Kind::Boolean,
            "Yes",
            "Whether the object is drawn; bodies do not feel it.",
        )
        .published(),
        Attribute::or(
            "named",
            Kind::Boolean,
            "No",
            "Whether pictures write its `id` beside it.",
        ),
        Attribute::or(
            "friction",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Coulomb's coefficient of friction; between a body and an object the larger of both \
             values counts.",
        ),
        Attribute::optional(
            "temperature",
            Kind::Number(Range::NOT_NEGATIVE),
            "Its temperature, in kelvin; bodies with a process of type `Heat` exchange heat with it.",
        ),
        Attribute::or(
            "restitution",
            Kind::Number(Range::UNIT),
            "0",
            "The share of the normal speed that is kept in a rebound; the larger of both values \
             counts. `Properties` of `Body` says what it means for elastic bodies.",
        ),
        Attribute::or(
            "motion",
            Kind::Choice(&["None", "Free", "Hinge", "Turning", "Path"]),
            "None",
            "How it moves: not at all, in every way, about a `Hinge`, `Turning` about an axis at a \
             given speed like a motor, or along a `Path` of poses. What turns by a motor or follows a \
             path is stopped by nothing. A shape that moves must be closed and finite.",
        ),
        Attribute::or(
            "density",
            Kind::Number(Range::POSITIVE),
            "1000",
            "In kg/m³; mass and inertia follow from it and the shape.",
        )
        .when("motion", MOVES),
        Attribute::optional(
            "mass",
            Kind::Number(Range::POSITIVE),
            "In kilograms, instead of the density.",
        )
        .when("motion", MOVES),
        Attribute::or(
            "velocity",
            Kind::Vector,
            "[0, 0, 0]",
            "At the start, in metres per second.",
        )
        .when("motion", &["Free"]),
        Attribute::or(
            "spin",
            Kind::Vector,
            "[0, 0, 0]",
            "Angular velocity at the start, in radians per second.",
        )
        .when("motion", &["Free"]),
        Attribute::required("point", Kind::Vector, "A point of the axis.")
            .when("motion", &["Hinge", "Turning"]),
        Attribute::required("axis", Kind::Direction, "The direction of the axis.")
            .when("motion", &["Hinge", "Turning"]),
        Attribute::required(
            "speed",
            Kind::Number(Range::ANY),
            "How fast it turns, in radians per second.",
        )
        .when("motion", &["Turning"]),
        Attribute::optional(
            "pivot",
            Kind::Vector,
            "The point about which the poses turn; its centre of mass if left out.",
        )
        .when("motion", &["Path"]),
        Attribute::or(
            "timestep",
            Kind::Number(Range::POSITIVE),
            "0.01",
            "Length of a step, in seconds. The shortest of all bodies counts.",
        )
        .when("motion", MOVES),
    ],
    children: &[
        Child::new(&PROPERTIES, Occurs::First),
        Child::new(&BIND, Occurs::Many),
        Child::new(&PART, Occurs::Many),
        Child::new(&POSE, Occurs::Many),
    ],
    variants: shapes!(UNION),
    ..Element::NEW
};

/// The motions of objects that move.
const MOVES: &[&str] = &["Free", "Hinge", "Turning", "Path"];

/// One shape of a union.
pub static PART: Element = Element {
    name: "Part",
    doc: "One shape of an `Object` of type `Union`; types and `Properties` are those of `Object`, \
          without `Union`.",
    attributes: &[Attribute::required("type", Kind::Variant, "The shape.")],
    children: &[Child::new(&PROPERTIES, Occurs::First)],
    variants: shapes!(),
    example: r#"<Part type="Sphere">
  <Properties c="[0, 0, 1]" r="0.5" />
</Part>"#,
    ..Element::NEW
};
