//! `DeformableBodies` and `Body`.

use super::body_properties::{COMMON, GRID, OVER_MESH};
use super::fit_properties::FIT;
use super::modelled_bodies::{
    BSPLINE_CURVE, BSPLINE_PATCH, SUPERQUADRIC_PATCH, SUPERQUADRIC_SOLID, TOROID_PATCH,
    TOROID_SOLID,
};
use super::{
    Attribute, BIND, CORE, Child, ELASTIC, Element, FIXED, INITIAL_SHAPE, Kind, MESH,
    NATURAL_SHAPE, Occurs, PARTICLES, PROCESS, PROPERTIES, Presence, Range, SKIN, Variant,
};
use crate::scene::Model;

/// All deformable bodies.
pub static DEFORMABLE_BODIES: Element = Element {
    name: "DeformableBodies",
    published: true,
    doc: "Holds the bodies that are simulated.",
    children: &[Child::new(&BODY, Occurs::Many)],
    example: "<DeformableBodies />",
    ..Element::NEW
};

const fn continuous(name: &'static str, doc: &'static str) -> Attribute {
    Attribute::new(name, Kind::Boolean, Presence::Default("No"), true, doc)
}

pub(super) const CURVE: &[Attribute] = &[continuous("mcont", "Whether the curve is closed.")];
pub(super) const SURFACE: &[Attribute] = &[
    continuous(
        "mcont",
        "Whether the surface is closed in its 1st direction.",
    ),
    continuous(
        "ncont",
        "Whether the surface is closed in its 2nd direction.",
    ),
];
pub(super) const SOLID: &[Attribute] = &[
    continuous("lcont", "Whether the solid is closed in its 1st direction."),
    continuous("mcont", "Whether the solid is closed in its 2nd direction."),
    continuous("ncont", "Whether the solid is closed in its 3rd direction."),
    Attribute::or(
        "volume",
        Kind::Number(Range::NOT_NEGATIVE),
        "1",
        "The weight of the term that resists loss of volume and turning inside out, relative to \
         the tension; with `Elastic` it follows from Poisson's ratio, 2ν/(1 - 2ν).",
    )
    .sets(|value, body| body.change_grid(|on_grid| on_grid.weights.volume = value.number())),
];

/// The highest order of a Bézier shape; above it the Bernstein polynomials lose digits.
pub const HIGHEST_ORDER: u32 = 50;

const ORDER: &[Attribute] = &[Attribute::required(
    "order",
    Kind::Count {
        least: 1,
        most: HIGHEST_ORDER,
    },
    "The order n of the Bézier shape; it has n + 1 control points in each direction.",
)
.published()];

const HELIX: &[Attribute] = &[
    Attribute::required(
        "radius",
        Kind::Number(Range::POSITIVE),
        "The radius of the helix.",
    ),
    Attribute::required(
        "pitch",
        Kind::Number(Range::ANY),
        "The rise of one turn, along z; 0 gives a circle, a negative rise a left-handed helix \
         that descends.",
    ),
    Attribute::required(
        "turns",
        Kind::Number(Range::POSITIVE),
        "The number of turns.",
    ),
    Attribute::optional(
        "startradius",
        Kind::Number(Range::POSITIVE),
        "The radius at the start: a helix that is stretched or wound up from its rest shape. The same as at rest if \
         left out.",
    ),
    Attribute::optional(
        "startpitch",
        Kind::Number(Range::ANY),
        "The rise of one turn at the start. The same as at rest if left out.",
    ),
];

const FORMULA: &[Attribute] = &[
    Attribute::required("x", Kind::Rule, "The x coordinate at rest, by u, v and w."),
    Attribute::required("y", Kind::Rule, "The y coordinate at rest, by u, v and w."),
    Attribute::required("z", Kind::Rule, "The z coordinate at rest, by u, v and w."),
    Attribute::optional(
        "startx",
        Kind::Rule,
        "The x coordinate at the start, by u, v and w: a body that is stretched or bent from its rest shape. The same \
         as at rest if left out.",
    ),
    Attribute::optional(
        "starty",
        Kind::Rule,
        "The y coordinate at the start. The same as at rest if left out.",
    ),
    Attribute::optional(
        "startz",
        Kind::Rule,
        "The z coordinate at the start. The same as at rest if left out.",
    ),
];

pub(super) const OPENING: &[Attribute] = &[Attribute::optional(
    "opening",
    Kind::Number(Range::between(0.0, std::f64::consts::FRAC_PI_2)),
    "Leaves holes at both poles: the polar angle runs from this angle, in radians, to π minus it \
     rather than from 0 to π.",
)];

/// A deformable body.
pub static BODY: Element = Element {
    name: "Body",
    published: true,
    doc: "A deformable body: a curve (1 direction), a surface (2) or a solid (3). `type` must \
          belong to `model`. Every Bézier type needs (n + 1)^d control points in its shapes, n \
          being the order and d the number of directions; the point with indices i, j, k along \
          the directions has the index i + (n + 1) (j + (n + 1) k). Bodies of type `Mesh` have \
          elements between nodes in any order instead of a grid of particles.",
    attributes: &[
        Attribute::required("id", Kind::Identifier, "The name of the body.").published(),
        Attribute::required(
            "model",
            Kind::Named(Model::WORDS),
            "How many directions the body has.",
        )
        .published(),
        Attribute::required("type", Kind::Variant, "What its shape is made of.").published(),
    ],
    children: &[
        Child::new(&PROPERTIES, Occurs::First),
        Child::new(&NATURAL_SHAPE, Occurs::Once).except("Mesh"),
        Child::new(&INITIAL_SHAPE, Occurs::Maybe),
        Child::new(&PARTICLES, Occurs::Once).except("Mesh"),
        Child::new(&MESH, Occurs::Once).only("Mesh"),
        Child::new(&ELASTIC, Occurs::Once).only("Mesh"),
        Child::new(&ELASTIC, Occurs::Maybe).except("Mesh"),
        Child::new(&FIXED, Occurs::Many).only("Mesh"),
        Child::new(&CORE, Occurs::Many).only("Mesh"),
        Child::new(&SKIN, Occurs::Maybe).only("Mesh"),
        Child::new(&PROCESS, Occurs::Many),
        Child::new(&BIND, Occurs::Many),
    ],
    variants: &[
        Variant {
            name: "LinearBezierCurve",
            model: Some("Curve"),
            doc: "A straight line between two control points.",
            attributes: &[COMMON, GRID, CURVE],
            example: r#"<Body id="Cable" model="Curve" type="LinearBezierCurve">
  <Properties timestep="0.01" />
  <NaturalShape>
    <Node index="0" pos="[-1, 0, 0]" />
    <Node index="1" pos="[1, 0, 0]" />
  </NaturalShape>
  <Particles grid="[41]">
    <All mass="0.05" tension="200" rigidity="0.01" twist="0.01" />
    <Single particle="[0]" fixed="Yes" />
    <Single particle="[40]" fixed="Yes" />
  </Particles>
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "GenericBezierCurve",
            model: Some("Curve"),
            doc: "A Bézier curve of any order.",
            attributes: &[COMMON, GRID, ORDER, CURVE],
            example: r#"<Body id="Arch" model="Curve" type="GenericBezierCurve">
  <Properties timestep="0.01" order="2" />
  <NaturalShape>
    <Node index="0" pos="[-1, 0, 0]" />
    <Node index="1" pos="[0, 0, 2]" />
    <Node index="2" pos="[1, 0, 0]" />
  </NaturalShape>
  <Particles grid="[21]" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Helix",
            model: Some("Curve"),
            doc: "A helix about the z direction that begins at the centre's height at angle 0 (in \
                  x direction). The shapes take one `Node`, index 0, for the centre; without it \
                  the centre is the origin.",
            attributes: &[COMMON, GRID, HELIX, CURVE],
            example: r#"<Body id="Coil" model="Curve" type="Helix">
  <Properties timestep="0.005" radius="0.3" pitch="0.1" turns="8" />
  <NaturalShape>
    <Node index="0" pos="[0, 0, 1]" />
  </NaturalShape>
  <Particles grid="[200]">
    <All mass="0.01" tension="500" rigidity="2" twist="2" />
  </Particles>
</Body>"#,
            ..Variant::NEW
        },
        BSPLINE_CURVE,
        Variant {
            name: "FormulaCurve",
            model: Some("Curve"),
            doc: "A curve by formulas: u, v and w are the material coordinates, from 0 to 1. The shapes \
                  take one `Node`, index 0, that shifts the body; without it it stays where the \
                  formulas put it.",
            attributes: &[COMMON, GRID, FORMULA, CURVE],
            example: r#"<Body id="Ring" model="Curve" type="FormulaCurve">
  <Properties timestep="0.01" mcont="Yes" x="cos(2*pi*u)" y="0" z="sin(2*pi*u)" />
  <NaturalShape />
  <Particles grid="[50]" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "QuadraticBezierPatch",
            model: Some("Surface"),
            doc: "A Bézier patch of order 2, with 9 control points.",
            attributes: &[COMMON, GRID, SURFACE],
            example: r#"<Body id="Sail" model="Surface" type="QuadraticBezierPatch">
  <Properties timestep="0.02" />
  <NaturalShape>
    <Node index="0" pos="[-1, -1, 0]" />
    <Node index="1" pos="[0, -1, 0.5]" />
    <Node index="2" pos="[1, -1, 0]" />
    <Node index="3" pos="[-1, 0, 0.5]" />
    <Node index="4" pos="[0, 0, 1]" />
    <Node index="5" pos="[1, 0, 0.5]" />
    <Node index="6" pos="[-1, 1, 0]" />
    <Node index="7" pos="[0, 1, 0.5]" />
    <Node index="8" pos="[1, 1, 0]" />
  </NaturalShape>
  <Particles grid="[12, 12]" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "GenericBezierPatch",
            model: Some("Surface"),
            doc: "A Bézier patch of any order.",
            attributes: &[COMMON, GRID, ORDER, SURFACE],
            example: r#"<Body id="Cloth" model="Surface" type="GenericBezierPatch">
  <Properties timestep="0.02" order="1" />
  <NaturalShape>
    <Node index="0" pos="[-1, -1, 2]" />
    <Node index="1" pos="[1, -1, 2]" />
    <Node index="2" pos="[-1, 1, 2]" />
    <Node index="3" pos="[1, 1, 2]" />
  </NaturalShape>
  <Particles grid="[16, 16]">
    <All mass="0.5" damping="0.2" tension="[[5, 1], [1, 5]]" />
  </Particles>
  <Bind type="Force" ref="Gravity" />
  <Bind type="Collision" ref="Floor" />
  <Bind type="Material" ref="Sand" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "EllipsoidPatch",
            model: Some("Surface"),
            doc: "The surface of an ellipsoid. The shapes take two nodes: index 0 holds the three \
                  semi-axes, index 1 the centre.",
            attributes: &[COMMON, GRID, SURFACE, OPENING, FIT],
            example: r#"<Body id="Balloon" model="Surface" type="EllipsoidPatch">
  <Properties timestep="0.02" mcont="Yes" opening="0.2" />
  <NaturalShape>
    <Node index="0" pos="[1, 1, 1.4]" />
    <Node index="1" pos="[0, 0, 3]" />
  </NaturalShape>
  <Particles grid="[24, 16]" />
</Body>"#,
            ..Variant::NEW
        },
        BSPLINE_PATCH,
        SUPERQUADRIC_PATCH,
        TOROID_PATCH,
        Variant {
            name: "FormulaPatch",
            model: Some("Surface"),
            doc: "A surface by formulas: u, v and w are the material coordinates, from 0 to 1. The shapes \
                  take one `Node`, index 0, that shifts the body; without it it stays where the \
                  formulas put it.",
            attributes: &[COMMON, GRID, FORMULA, SURFACE],
            example: r#"<Body id="Hill" model="Surface" type="FormulaPatch">
  <Properties timestep="0.01" x="u" y="v" z="0.3*exp(-9*((u-0.5)^2+(v-0.5)^2))" />
  <NaturalShape />
  <Particles grid="[30, 30]" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "LinearBezierSolid",
            model: Some("Solid"),
            doc: "A Bézier solid of order 1, with 8 control points: its corners.",
            attributes: &[COMMON, GRID, SOLID],
            example: r#"<Body id="Pudding" model="Solid" type="LinearBezierSolid">
  <Properties timestep="0.01" volume="2" />
  <NaturalShape>
    <Node index="0" pos="[0, 0, 0]" />
    <Node index="1" pos="[1, 0, 0]" />
    <Node index="2" pos="[0, 1, 0]" />
    <Node index="3" pos="[1, 1, 0]" />
    <Node index="4" pos="[0.2, 0.2, 1]" />
    <Node index="5" pos="[0.8, 0.2, 1]" />
    <Node index="6" pos="[0.2, 0.8, 1]" />
    <Node index="7" pos="[0.8, 0.8, 1]" />
  </NaturalShape>
  <Particles grid="[6, 6, 6]">
    <All tension="[[9, 3, 3], [3, 9, 3], [3, 3, 9]]" />
  </Particles>
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "GenericBezierSolid",
            model: Some("Solid"),
            doc: "A Bézier solid of any order.",
            attributes: &[COMMON, GRID, ORDER, SOLID],
            example: r#"<Body id="Brick" model="Solid" type="GenericBezierSolid">
  <Properties timestep="0.01" order="1" />
  <NaturalShape>
    <Node index="0" pos="[0, 0, 0]" />
    <Node index="1" pos="[2, 0, 0]" />
    <Node index="2" pos="[0, 1, 0]" />
    <Node index="3" pos="[2, 1, 0]" />
    <Node index="4" pos="[0, 0, 1]" />
    <Node index="5" pos="[2, 0, 1]" />
    <Node index="6" pos="[0, 1, 1]" />
    <Node index="7" pos="[2, 1, 1]" />
  </NaturalShape>
  <Particles grid="[8, 4, 4]" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "EllipsoidSolid",
            model: Some("Solid"),
            doc: "A full ellipsoid, with nodes as for `EllipsoidPatch`.",
            attributes: &[COMMON, GRID, SOLID],
            example: r#"<Body id="RubberBall" model="Solid" type="EllipsoidSolid">
  <Properties timestep="0.01" restitution="0.6" velocity="[1, 0, 0]" />
  <NaturalShape>
    <Node index="0" pos="[0.5, 0.5, 0.5]" />
    <Node index="1" pos="[0, 0, 2]" />
  </NaturalShape>
  <Particles grid="[7, 7, 7]" />
</Body>"#,
            ..Variant::NEW
        },
        SUPERQUADRIC_SOLID,
        TOROID_SOLID,
        Variant {
            name: "FormulaSolid",
            model: Some("Solid"),
            doc: "A solid by formulas: u, v and w are the material coordinates, from 0 to 1. The shapes \
                  take one `Node`, index 0, that shifts the body; without it it stays where the \
                  formulas put it.",
            attributes: &[COMMON, GRID, FORMULA, SOLID],
            example: r#"<Body id="Wedge" model="Solid" type="FormulaSolid">
  <Properties timestep="0.01" x="u" y="v" z="w*(1-0.5*u)" />
  <NaturalShape>
    <Node index="0" pos="[0, 0, 2]" />
  </NaturalShape>
  <Particles grid="[6, 6, 4]" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Mesh",
            model: Some("Surface"),
            doc: "A surface of elements of any topology, such as cloth of triangles. It has a `Mesh` \
                  and an `Elastic` instead of a `NaturalShape` and `Particles`.",
            attributes: &[COMMON, OVER_MESH],
            example: r#"<Body id="Handkerchief" model="Surface" type="Mesh">
  <Properties timestep="0.01" integrator="Implicit" thickness="0.01" />
  <Mesh cells="[20, 20]" position="[0, 0, 1]">
    <Rectangle width="0.4" height="0.4" />
  </Mesh>
  <Elastic young="1e6" density="300" thickness="0.0005" rigidity="1e-6" beta="0.002" />
  <Bind type="Force" ref="Gravity" />
  <Bind type="Collision" ref="Floor" />
</Body>"#,
            ..Variant::NEW
        },
        Variant {
            name: "Mesh",
            model: Some("Solid"),
            doc: "A solid of elements of any topology, mostly tetrahedra. It has a `Mesh` and an \
                  `Elastic` instead of a `NaturalShape` and `Particles`; parts of it may be `Fixed` \
                  or form a rigid `Core`, and it may carry a finer `Skin`. Nodes that touch an \
                  object are part of the solve, whatever the contact and the integrator.",
            attributes: &[COMMON, OVER_MESH],
            example: r#"<Body id="Bunny" model="Solid" type="Mesh">
  <Properties timestep="0.02" friction="0.5" />
  <Mesh resolution="0.06"><Rabbit /></Mesh>
  <Elastic strain="Warped" young="2e4" poisson="0.4" density="1000" beta="0.01" />
  <Core motion="Hinge" point="[-0.06, 0, 0]" axis="[1, 0, 0]">
    <Capsule from="[-0.1, 0, 0.2]" to="[0.2, 0, 0.55]" r="0.08" />
  </Core>
  <Skin resolution="0.03" />
  <Bind type="Force" ref="Gravity" />
  <Bind type="Force" ref="Wind" near="[0.13, 0.1, 0.98]" within="0.1" />
  <Bind type="Material" ref="Sand" />
</Body>"#,
            ..Variant::NEW
        },
    ],
    ..Element::NEW
};
