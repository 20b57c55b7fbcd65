//! Types of bodies whose shapes come from modelling: B-splines and superquadrics.

use super::bodies::{CURVE, OPENING, SOLID, SURFACE};
use super::body_properties::{COMMON, GRID};
use super::fit_properties::FIT;
use super::nurbs_properties::NURBS;
use super::{Attribute, Kind, Range, Variant};

const EXPONENT: Range = Range::from_to(pliant::shape::SHARPEST, pliant::shape::MOST_PINCHED);
const SUPERQUADRIC: &[Attribute] = &[
    Attribute::or(
        "e1",
        Kind::Number(EXPONENT),
        "1",
        "How square it is from pole to pole (of a toroid: round the tube): 1 is round, towards 0 \
         square, 2 a bevel.",
    ),
    Attribute::or(
        "e2",
        Kind::Number(EXPONENT),
        "1",
        "How square it is round the axis z.",
    ),
];

const RING: &[Attribute] = &[Attribute::required(
    "ring",
    Kind::Number(Range::above(1.0)),
    "The radius of the ring by that of the tube, so that it reaches to `ring` + 1 times the semi-axes.",
)];

const SPLINE: &[Attribute] = &[
    Attribute::or(
        "degree",
        Kind::Count { least: 1, most: 20 },
        "3",
        "The degree of the B-splines in each direction.",
    ),
    Attribute::required(
        "points",
        Kind::Grid,
        "The number of control points in each direction, more than `degree`.",
    ),
];

/// A B-spline curve.
pub(super) const BSPLINE_CURVE: Variant = Variant {
    name: "BSplineCurve",
    model: Some("Curve"),
    doc: "A B-spline curve with even knots that begins and ends at its first and last control \
          point; with weights at its nodes a NURBS curve. With `mcont` its control points go \
          round.",
    attributes: &[COMMON, GRID, SPLINE, CURVE, NURBS],
    example: r#"<Body id="Wire" model="Curve" type="BSplineCurve">
  <Properties timestep="0.01" degree="2" points="[3]" />
  <NaturalShape>
    <Node index="0" pos="[1, 0, 0]" />
    <Node index="1" pos="[1, 1, 0]" weight="0.7071" />
    <Node index="2" pos="[0, 1, 0]" />
  </NaturalShape>
  <Particles grid="[21]" />
</Body>"#,
    ..Variant::NEW
};

/// A B-spline patch.
pub(super) const BSPLINE_PATCH: Variant = Variant {
    name: "BSplinePatch",
    model: Some("Surface"),
    doc: "A B-spline patch with even knots; with weights at its nodes a NURBS patch. The control \
          point with indices i, j has the index i + n j, n being the number along the first \
          direction.",
    attributes: &[COMMON, GRID, SPLINE, SURFACE, NURBS],
    example: r#"<Body id="Sail2" model="Surface" type="BSplinePatch">
  <Properties timestep="0.01" degree="1" points="[3, 2]" />
  <NaturalShape>
    <Node index="0" pos="[0, 0, 0]" />
    <Node index="1" pos="[1, 0, 0.4]" />
    <Node index="2" pos="[2, 0, 0]" />
    <Node index="3" pos="[0, 1, 0]" />
    <Node index="4" pos="[1, 1, 0.4]" />
    <Node index="5" pos="[2, 1, 0]" />
  </NaturalShape>
  <Particles grid="[12, 8]" />
</Body>"#,
    ..Variant::NEW
};

/// The surface of a superquadric ellipsoid.
pub(super) const SUPERQUADRIC_PATCH: Variant = Variant {
    name: "SuperquadricPatch",
    model: Some("Surface"),
    doc: "The surface of a superquadric ellipsoid, from a ball to a box, a cylinder or a bevel. Its \
          nodes are as for `EllipsoidPatch`.",
    attributes: &[COMMON, GRID, SURFACE, OPENING, SUPERQUADRIC, FIT],
    example: r#"<Body id="Cushion" model="Surface" type="SuperquadricPatch">
  <Properties timestep="0.02" mcont="Yes" e1="0.4" e2="0.3" />
  <NaturalShape>
    <Node index="0" pos="[1, 1, 0.4]" />
    <Node index="1" pos="[0, 0, 3]" />
  </NaturalShape>
  <Particles grid="[32, 16]" />
</Body>"#,
    ..Variant::NEW
};

/// The surface of a superquadric toroid.
pub(super) const TOROID_PATCH: Variant = Variant {
    name: "ToroidPatch",
    model: Some("Surface"),
    doc: "The surface of a superquadric toroid about z: the ring along its first direction, the way \
          round the tube along its second; both are usually closed. Its nodes are as for \
          `EllipsoidPatch`; the semi-axes are those of the tube.",
    attributes: &[COMMON, GRID, SURFACE, SUPERQUADRIC, RING],
    example: r#"<Body id="Tyre" model="Surface" type="ToroidPatch">
  <Properties timestep="0.02" mcont="Yes" ncont="Yes" ring="3" e1="0.6" />
  <NaturalShape>
    <Node index="0" pos="[0.2, 0.2, 0.2]" />
    <Node index="1" pos="[0, 0, 1]" />
  </NaturalShape>
  <Particles grid="[36, 12]" />
</Body>"#,
    ..Variant::NEW
};

/// A full superquadric ellipsoid.
pub(super) const SUPERQUADRIC_SOLID: Variant = Variant {
    name: "SuperquadricSolid",
    model: Some("Solid"),
    doc: "A full superquadric ellipsoid, with nodes as for `EllipsoidPatch`.",
    attributes: &[COMMON, GRID, SOLID, SUPERQUADRIC],
    example: r#"<Body id="Soap" model="Solid" type="SuperquadricSolid">
  <Properties timestep="0.01" e1="0.5" e2="0.5" />
  <NaturalShape>
    <Node index="0" pos="[0.5, 0.3, 0.2]" />
    <Node index="1" pos="[0, 0, 2]" />
  </NaturalShape>
  <Particles grid="[7, 7, 7]" />
</Body>"#,
    ..Variant::NEW
};

/// A full superquadric toroid.
pub(super) const TOROID_SOLID: Variant = Variant {
    name: "ToroidSolid",
    model: Some("Solid"),
    doc: "A full superquadric toroid about z: the cross section of the tube along its first two \
          directions, the ring along its third, which is usually closed. Its nodes are as for \
          `EllipsoidPatch`; the semi-axes are those of the tube.",
    attributes: &[COMMON, GRID, SOLID, SUPERQUADRIC, RING],
    example: r#"<Body id="Ring2" model="Solid" type="ToroidSolid">
  <Properties timestep="0.01" ncont="Yes" ring="2.5" />
  <NaturalShape>
    <Node index="0" pos="[0.2, 0.2, 0.2]" />
    <Node index="1" pos="[0, 0, 2]" />
  </NaturalShape>
  <Particles grid="[4, 4, 24]" />
</Body>"#,
    ..Variant::NEW
};
