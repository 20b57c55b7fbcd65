//! What only bodies of B-spline types have beside other properties.

use super::{Attribute, Kind, Range};
use crate::value::Value;
use pliant::formulation::Trim;

/// For formulation `DynamicNurbs`.
pub(super) const NURBS: &[Attribute] = &[
    Attribute::optional(
        "subdivide",
        Kind::Number(Range::POSITIVE),
        "Formulation `DynamicNurbs`: within how many metres fixed particles and those with `placex`, `placey` or \
         `placez` are to be met. Where control points are too few for that, knots are inserted, near the points \
         that are missed most; the shape at the start stays the same. Without it, constraints that control points \
         cannot keep together make the body fail in its first step.",
    )
    .sets(|value, body| {
        body.change_dynamic_nurbs(|nurbs| nurbs.subdivide = Some(value.number()));
    }),
    Attribute::optional(
        "trim",
        Kind::Reference,
        "Formulation `DynamicNurbs`: a curve that trims the patch, by its `id`. x and y of the curve's particles are \
         material coordinates u and v of the patch, from 0 to 1; its last particle is joined to its first. As the \
         curve moves, be it a dynamic NURBS itself, so does the rim. What is trimmed away is neither drawn nor \
         exported, but has mass and energy as before.",
    )
    .sets(|value, body| {
        if let Value::Text(curve) = value {
            body.change_dynamic_nurbs(|nurbs| {
                let keeps_inside = nurbs.trim.as_ref().is_some_and(|trim| trim.keeps_inside);
                let curve = curve.as_str().into();
                nurbs.trim = Some(Trim { curve, keeps_inside });
            });
        }
    }),
    Attribute::or(
        "keep",
        Kind::Choice(&["Outside", "Inside"]),
        "Outside",
        "Formulation `DynamicNurbs` with `trim`: which part of the patch is kept.",
    )
    .sets(|value, body| {
        body.change_dynamic_nurbs(|nurbs| {
            if let Some(trim) = &mut nurbs.trim {
                trim.keeps_inside = value.word() == "Inside";
            }
        });
    }),
];
