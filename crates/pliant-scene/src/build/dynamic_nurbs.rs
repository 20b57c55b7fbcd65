//! Bodies of formulation `DynamicNurbs`: their control points, weights and normals.

use super::shapes::nurbs;
use crate::scene::{Body, Particle, Shape};
use pliant::BodyDescription;
use std::sync::Arc;

/// Gives a dynamic NURBS its shape; says what does not fit. Other bodies have no normals.
pub(super) fn apply(
    body: &Body,
    particles: &[Particle],
    description: &mut BodyDescription,
) -> Result<(), String> {
    let normals = particles.iter().enumerate();
    let normals = normals.filter_map(|(node, particle)| Some((node, particle.normal?)));
    let normals: Vec<_> = normals.collect();
    if description.dynamic_nurbs().is_none() {
        return match normals.is_empty() {
            true => Ok(()),
            false => Err("only bodies of formulation DynamicNurbs have normals".to_owned()),
        };
    }
    let is_spline = matches!(body.natural_shape, Shape::Nurbs { .. });
    if !is_spline {
        return Err(
            "formulation DynamicNurbs needs the type BSplineCurve or BSplinePatch".to_owned(),
        );
    }
    if body.initial_shape.is_some()
        || !body.initial_operators.is_empty()
        || !body.natural_operators.is_empty()
    {
        let what =
            "a body of formulation DynamicNurbs starts as its natural shape, without operators";
        return Err(what.to_owned());
    }
    let shape = nurbs(&body.natural_shape).map_err(|error| error.to_string())?;
    description.change_dynamic_nurbs(|own| {
        own.shape = Some(Arc::new(shape));
        own.normals = normals;
    });
    Ok(())
}
