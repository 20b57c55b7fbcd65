//! The attributes of `Body`, in lists that its types share.

use super::{Attribute, Kind, Presence, Range};

/// What every body has.
pub(super) const COMMON: &[Attribute] = &[
    Attribute::required(
        "timestep",
        Kind::Number(Range::POSITIVE),
        "The length of a step, in seconds.",
    )
    .published(),
    Attribute::or(
        "integrator",
        Kind::Choice(&[
            "SemiImplicit",
            "Explicit",
            "Implicit",
            "Midpoint",
            "Newmark",
            "Static",
        ]),
        "SemiImplicit",
        "How a step is made; `Static` seeks the shape in which all forces balance. `Newmark` is for \
         bodies of type `Mesh`, `Explicit` for the others.",
    ),
    Attribute::or(
        "solver",
        Kind::Choice(&[
            "ConjugateGradient",
            "Cholesky",
            "LU",
            "SOR",
            "ADI",
            "Multigrid",
        ]),
        "ConjugateGradient",
        "How the linear systems are solved.",
    ),
    Attribute::or(
        "tolerance",
        Kind::Number(Range::POSITIVE),
        "1e-6",
        "The relative residual at which an iterative solver stops.",
    ),
    Attribute::or(
        "iterations",
        Kind::Count {
            least: 1,
            most: 1_000_000,
        },
        "200",
        "The most iterations of an iterative solver.",
    ),
    Attribute::or(
        "relaxation",
        Kind::Number(Range::between(0.0, 2.0)),
        "1.5",
        "The relaxation factor of SOR.",
    ),
    Attribute::or(
        "newton",
        Kind::Count {
            least: 1,
            most: 10_000,
        },
        "20",
        "The most Newton iterations of an implicit step.",
    ),
    Attribute::or(
        "adaptive",
        Kind::Boolean,
        "No",
        "Whether the step length follows the motion.",
    ),
    Attribute::or(
        "shortest",
        Kind::Number(Range::FRACTION),
        "0.0009765625",
        "The shortest step that is tried, as a fraction of the timestep.",
    ),
    Attribute::or(
        "contact",
        Kind::Choice(&["Projection", "Exponential", "Quadratic"]),
        "Projection",
        "How collisions are resolved: by projection onto the surface, or by a penalty force.",
    ),
    Attribute::or(
        "threshold",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "The depth up to which the quadratic penalty spares a particle that is already leaving.",
    ),
    Attribute::or(
        "thickness",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "The distance that particles keep from objects, so that what lies between them keeps clear too.",
    ),
    Attribute::or(
        "strength",
        Kind::Number(Range::POSITIVE),
        "1",
        "The strength c of the penalty.",
    ),
    Attribute::or(
        "friction",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "Coulomb's coefficient of friction; between a body and an object the larger of both \
         values counts.",
    ),
    Attribute::or(
        "restitution",
        Kind::Number(Range::UNIT),
        "0",
        "The share of the normal speed that is kept in a rebound, with contact `Projection`; the \
         larger of both values counts. A penalty rebounds by its own elasticity.",
    ),
    Attribute::or(
        "velocity",
        Kind::Vector,
        "[0, 0, 0]",
        "The velocity of the whole body at the start, in m/s.",
    ),
    Attribute::or(
        "spin",
        Kind::Vector,
        "[0, 0, 0]",
        "The angular velocity of the whole body about its centre of mass at the start, in rad/s.",
    ),
];

/// What bodies over a grid of particles have beside.
/// What bodies over grids have.
pub(super) const GRID: &[Attribute] = &[
    Attribute::or(
        "formulation",
        Kind::Choice(&["Primal", "Hybrid"]),
        "Primal",
        "How the body is described. `Primal`: by the positions of its particles, with an energy of \
         metric and curvature. `Hybrid`: by a rigid shape that moves and a deformation relative to \
         it, with a quadratic energy of the same stiffness for small deformations; for bodies that \
         are nearly rigid or have a complex shape. Its elastic force is always implicit: the \
         integrators other than `Midpoint` and `Static` are the same for it.",
    ),
    Attribute::or(
        "centrifugal",
        Kind::Boolean,
        "Yes",
        "Formulation `Hybrid`: whether the centrifugal force acts on the deformation.",
    ),
    Attribute::or(
        "coriolis",
        Kind::Boolean,
        "Yes",
        "Formulation `Hybrid`: whether the Coriolis force acts on the deformation.",
    ),
    Attribute::or(
        "transverse",
        Kind::Boolean,
        "Yes",
        "Formulation `Hybrid`: whether the force of angular acceleration acts on the deformation.",
    ),
    Attribute::or(
        "energy",
        Kind::Choice(&["Exact", "Published", "AsPrinted"]),
        "Exact",
        "The elastic force. `Exact`: the true gradient of the discrete energy. `Published`: the \
         published stencils, with negative tension left out of the implicit matrix. `AsPrinted`: \
         the published stencils to the letter, which can explode.",
    ),
];

const fn continuous(name: &'static str, doc: &'static str) -> Attribute {
    Attribute::new(name, Kind::Boolean, Presence::Default("No"), true, doc)
}

/// What curves have.
pub(super) const CURVE: &[Attribute] = &[continuous("mcont", "Whether the curve is closed.")];
/// What surfaces have.
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
/// What solids have.
pub(super) const SOLID: &[Attribute] = &[
    continuous("lcont", "Whether the solid is closed in its 1st direction."),
    continuous("mcont", "Whether the solid is closed in its 2nd direction."),
    continuous("ncont", "Whether the solid is closed in its 3rd direction."),
    Attribute::or(
        "volume",
        Kind::Number(Range::NOT_NEGATIVE),
        "1",
        "The weight of the term that resists loss of volume and turning inside out.",
    ),
];

/// The highest order of a Bézier shape; above it the Bernstein polynomials lose digits.
const HIGHEST_ORDER: u32 = 50;

/// What Bézier shapes have.
pub(super) const ORDER: &[Attribute] = &[Attribute::required(
    "order",
    Kind::Count {
        least: 1,
        most: HIGHEST_ORDER,
    },
    "The order n of the Bézier shape; it has n + 1 control points in each direction.",
)
.published()];

/// What helices have.
pub(super) const HELIX: &[Attribute] = &[
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
];

/// What shapes by formulas have.
pub(super) const FORMULA: &[Attribute] = &[
    Attribute::required("x", Kind::Rule, "The x coordinate at rest, by u, v and w."),
    Attribute::required("y", Kind::Rule, "The y coordinate at rest, by u, v and w."),
    Attribute::required("z", Kind::Rule, "The z coordinate at rest, by u, v and w."),
];

/// What ellipsoid surfaces have.
pub(super) const OPENING: &[Attribute] = &[Attribute::optional(
    "opening",
    Kind::Number(Range::between(0.0, std::f64::consts::FRAC_PI_2)),
    "Leaves holes at both poles: the polar angle runs from this angle, in radians, to π minus it \
     rather than from 0 to π.",
)];
