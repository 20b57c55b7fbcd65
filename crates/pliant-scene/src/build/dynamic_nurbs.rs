//! Bodies of formulation `DynamicNurbs`: their control points, weights, normals and prescribed points.

use super::shapes::nurbs;
use crate::scene::{Body, Model, Particle, Shape};
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
    let places = particles.iter().enumerate().flat_map(|(node, particle)| {
        let coordinates = particle.places.iter().enumerate();
        coordinates.filter_map(move |(axis, place)| Some((node, axis, (*place)?)))
    });
    let places: Vec<_> = places.collect();
    if description.dynamic_nurbs().is_none() {
        return match normals.is_empty() && places.is_empty() {
            true => Ok(()),
            false => Err(
                "only bodies of formulation DynamicNurbs have normals and prescribed places"
                    .to_owned(),
            ),
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
    description.change_dynamic_nurbs(|nurbs| {
        nurbs.shape = Some(Arc::new(shape));
        nurbs.normals = normals;
        nurbs.places = places;
    });
    let tolerance = description
        .dynamic_nurbs()
        .and_then(|nurbs| nurbs.subdivide);
    match tolerance {
        Some(tolerance) => description
            .subdivide_nurbs(tolerance)
            .map_err(|error| error.to_string()),
        None => Ok(()),
    }
}

/// Says what is wrong with the curves that trim patches.
pub(super) fn check_trims(bodies: &[Body], description: &BodyDescription) -> Result<(), String> {
    let nurbs = description.dynamic_nurbs();
    let Some(trim) = nurbs.and_then(|nurbs| nurbs.trim.as_ref()) else {
        return Ok(());
    };
    let curve = bodies.iter().find(|body| body.id == *trim.curve);
    match curve {
        None => Err(format!("`trim`: there is no body `{}`", trim.curve)),
        Some(body) if body.model != Model::Curve => {
            Err(format!("`trim`: the body `{}` is no curve", trim.curve))
        }
        Some(_) => Ok(()),
    }
}
