//! `RigidObjects`, `Object` and `Part`.

use super::{Attribute, BIND, Child, Element, Kind, Occurs, PROPERTIES, Range, Variant};

/// All rigid objects.
pub static RIGID_OBJECTS: Element = Element {
    name: "RigidObjects",
    published: true,
    doc: "Holds all rigid objects. They do not move; a body collides only with those it binds.",
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

/// The shapes a part of a union may have; an object may be a union too.
macro_rules! shapes {
    ($($more:expr),*) => {
        &[
            Variant {
                name: "Cylinder",
                model: None,
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
            },
            Variant {
                name: "Plane",
                model: None,
                doc: "An infinite plane, of which a finite part is drawn.",
                attributes: &[&[
                    Attribute::required("n", Kind::Direction, "The normal, of any length.")
                        .published(),
                    Attribute::required("x0", Kind::Vector, "A point on the plane.").published(),
                ]],
                example: r#"<Object id="Slope" type="Plane" friction="0.4">
  <Properties n="[0, 0.5, 1]" x0="[0, 0, -1]" />
</Object>"#,
            },
            Variant {
                name: "Sphere",
                model: None,
                doc: "A sphere.",
                attributes: &[&[CENTRE, RADIUS]],
                example: r#"<Object id="Globe" type="Sphere" scale="0.95">
  <Properties c="[0, 0, 1]" r="0.8" />
</Object>"#,
            },
            Variant {
                name: "Torus",
                model: None,
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
            },
            Variant {
                name: "Ellipsoid",
                model: None,
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
            },
            Variant {
                name: "Hyperboloid",
                model: None,
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
            },
            Variant {
                name: "Box",
                model: None,
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
            },
            Variant {
                name: "Capsule",
                model: None,
                doc: "A cylinder with round ends.",
                attributes: &[&[CENTRE, HEIGHT, RADIUS], TURN],
                example: r#"<Object id="Pill" type="Capsule">
  <Properties c="[0, 0, 0]" h="1" r="0.3" axis="[0, 1, 0]" />
</Object>"#,
            },
            Variant {
                name: "Jack",
                model: None,
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
            },
            $($more),*
        ]
    };
}

const UNION: Variant = Variant {
    name: "Union",
    model: None,
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
};

/// One rigid object.
pub static OBJECT: Element = Element {
    name: "Object",
    published: true,
    doc: "A rigid, unmoving obstacle.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "The name `Bind` refers to.").published(),
        Attribute::required("type", Kind::Variant, "The shape.").published(),
        Attribute::or(
            "epsilon",
            Kind::Number(Range::POSITIVE),
            "1.0",
            "The shape ε of the penalty potential c exp(-f/ε), and the strength of projection.",
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
             counts.",
        ),
    ],
    children: &[
        Child::new(&PROPERTIES, Occurs::First),
        Child::new(&BIND, Occurs::Many),
        Child::new(&PART, Occurs::Many),
    ],
    variants: shapes!(UNION),
    ..Element::NEW
};

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
