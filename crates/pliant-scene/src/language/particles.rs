//! `Particles` and what sets their values: `All`, `Single`, `Region`, `Field`.

use super::{Attribute, Child, Element, Kind, Occurs, Range};
use crate::scene::Target;

/// The particles of a body.
pub static PARTICLES: Element = Element {
    name: "Particles",
    published: true,
    doc: "The particles that make the body up. The children set their values, one after the other \
          in the order of the file, so that a later one overrides an earlier one.",
    attributes: &[Attribute::required(
        "grid",
        Kind::Grid,
        "The number of particles in each direction of the body: at least 2, and 3 in a continuous \
         direction.",
    )
    .published()],
    children: &[
        Child::new(&ALL, Occurs::Many),
        Child::new(&SINGLE, Occurs::Many),
        Child::new(&REGION, Occurs::Many),
        Child::new(&FIELD, Occurs::Many),
    ],
    example: r#"<Particles grid="[10, 10]">
  <All mass="2" damping="0.5" tension="[[3, 1], [1, 3]]" rigidity="[[0.02, 0], [0, 0.02]]" />
  <Single particle="[0, 0]" fixed="Yes" />
  <Region from="[9, 0]" to="[9, 9]" mass="4" />
  <Field target="tension" rule="1 + 3*u" />
</Particles>"#,
    ..Element::NEW
};

const DAMPING: Attribute = Attribute::optional(
    "damping",
    Kind::Number(Range::NOT_NEGATIVE),
    "Damping of the motion of the particle, in N s/m; 0.0 if it is set nowhere.",
)
.published();
const MASS: Attribute = Attribute::optional(
    "mass",
    Kind::Number(Range::POSITIVE),
    "Mass of the particle, in kilograms; 1.0 if it is set nowhere.",
)
.published();
const FIXED: Attribute = Attribute::optional(
    "fixed",
    Kind::Boolean,
    "Whether the particle stays where it is; No if it is set nowhere.",
)
.published();
const COORDINATES_FIXED: Attribute = Attribute::optional(
    "coordinates",
    Kind::Choice(super::meshes::COORDINATES),
    "With `fixed=\"Yes\"`: which coordinates are fixed, beside those that were before; all of them if \
     left out. Single ones let the particle slide, as on rollers and planes of symmetry; only with \
     integrators that solve for the whole step.",
);

const TENSION: Attribute = Attribute::optional(
    "tension",
    Kind::Tensor,
    "The weights η of the metric, in N/m for a curve and N/m³ for a surface or solid, 0.0 if set \
     nowhere: a number for a curve, 2 × 2 for a surface, 3 × 3 for a solid. See *Numbers per \
     particle* for what they mean and how they scale.",
)
.published();
const RIGIDITY: Attribute = Attribute::optional(
    "rigidity",
    Kind::Tensor,
    "The weights ξ of the curvature, in N m³ for a curve and N/m for a surface, 0.0 if set nowhere \
     (see *Numbers per particle*): a number for a curve, 2 × 2 for a \
     surface; 3 × 3 for a solid, which uses it only with formulation `Hybrid`, as the weights of \
     the second derivatives of the deformation.",
)
.published();
const TWIST: Attribute = Attribute::optional(
    "twist",
    Kind::Number(Range::NOT_NEGATIVE),
    "The weight of the torsion of a curve, in N m³ (G J times the spacing of particles); 0.0 if it is set \
     nowhere. Formulation `Rod` needs it above zero at every particle, and rigidity too.",
);

const HOLD: Attribute = Attribute::optional(
    "hold",
    Kind::Number(Range::NOT_NEGATIVE),
    "Formulation `Hybrid`: the weight with which the particle is held to its place in the rigid \
     shape, in N/m; 0.0 if it is set nowhere.",
);

const NORMAL: Attribute = Attribute::optional(
    "normal",
    Kind::Direction,
    "Formulation `DynamicNurbs`: the curve or surface is at right angles to this vector at the particle.",
);

const PLACE_DOC: &str = "Formulation `DynamicNurbs`: where the curve or surface passes at the particle, along this \
     axis, in metres: a number, or a formula of the material coordinates u and v. One particle is a point, a line of \
     them a curve that the surface contains. See `subdivide`.";
const PLACES: [Attribute; 3] = [
    Attribute::optional("placex", Kind::Rule, PLACE_DOC),
    Attribute::optional("placey", Kind::Rule, PLACE_DOC),
    Attribute::optional("placez", Kind::Rule, PLACE_DOC),
];

/// Sets values of all particles.
pub static ALL: Element = Element {
    name: "All",
    published: true,
    doc: "Sets the given values of all particles.",
    attributes: &[
        DAMPING,
        MASS,
        FIXED,
        COORDINATES_FIXED,
        TENSION,
        RIGIDITY,
        TWIST,
        HOLD,
        NORMAL,
        PLACES[0],
        PLACES[1],
        PLACES[2],
    ],
    example: r#"<All mass="0.5" damping="1" tension="[[2, 0], [0, 2]]" />"#,
    ..Element::NEW
};

/// Sets values of one particle.
pub static SINGLE: Element = Element {
    name: "Single",
    published: true,
    doc: "Sets the given values of one particle.",
    attributes: &[
        Attribute::required("particle", Kind::Particle, "Which particle.").published(),
        DAMPING,
        MASS,
        FIXED,
        COORDINATES_FIXED,
        TENSION,
        RIGIDITY,
        TWIST,
        HOLD,
        NORMAL,
        PLACES[0],
        PLACES[1],
        PLACES[2],
    ],
    example: r#"<Single particle="[0, 9]" fixed="Yes" />"#,
    ..Element::NEW
};

/// Sets values of a box of particles.
pub static REGION: Element = Element {
    name: "Region",
    doc: "Sets the given values of all particles between two, both included.",
    attributes: &[
        Attribute::required("from", Kind::Particle, "The particle with lowest indices."),
        Attribute::required("to", Kind::Particle, "The particle with highest indices."),
        DAMPING,
        MASS,
        FIXED,
        COORDINATES_FIXED,
        TENSION,
        RIGIDITY,
        TWIST,
        HOLD,
        NORMAL,
        PLACES[0],
        PLACES[1],
        PLACES[2],
    ],
    example: r#"<Region from="[0, 0]" to="[9, 0]" fixed="Yes" />"#,
    ..Element::NEW
};

/// Multiplies a value by a formula or a picture.
pub static FIELD: Element = Element {
    name: "Field",
    doc: "Multiplies the value set so far, particle by particle, by a formula (`rule`) or by the \
          grey values of a picture (`image`): exactly one of the two. The material coordinates u, \
          v, w run from 0 to 1 along the directions of the body. A formula knows + - * / ^, \
          parentheses, sin, cos, exp, sqrt, abs, min, max, step (0 below zero, else 1) and pi. A \
          picture lies with its left edge at u = 0 and its lower edge at v = 0.",
    attributes: &[
        Attribute::required(
            "target",
            Kind::Named(Target::WORDS),
            "The value that is multiplied.",
        ),
        Attribute::optional("rule", Kind::Rule, "The factor as a formula."),
        Attribute::optional(
            "image",
            Kind::File(&["png", "pgm"]),
            "A picture whose grey values are the factors, relative to the scene file.",
        ),
        Attribute::optional(
            "low",
            Kind::Number(Range::NOT_NEGATIVE),
            "The factor where the picture is black; 0 if left out. Only with `image`.",
        ),
        Attribute::optional(
            "high",
            Kind::Number(Range::NOT_NEGATIVE),
            "The factor where the picture is white; 1 if left out. Only with `image`.",
        ),
    ],
    example: r#"<Field target="mass" rule="1 + 4*exp(-20*((u-0.5)^2 + (v-0.5)^2))" />"#,
    ..Element::NEW
};
