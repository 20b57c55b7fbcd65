//! Where the particles of a grid lie: shapes, and what deforms them.

use super::formula::Formula;
use crate::scene::{Body, Shape};
use glam::DVec3;
use pliant::Grid;
use pliant::deform::{Deformation, map_all};
use pliant::math::SplineBasis;
use pliant::shape::{self, ShapeError, check_rest_shape};
use std::sync::Arc;

/// Positions after operators, one after the other.
pub(super) fn deformed(
    operators: &[Arc<dyn Deformation>],
    mut positions: Vec<DVec3>,
) -> Vec<DVec3> {
    for position in &mut positions {
        *position = map_all(operators.iter().map(|operator| &**operator), *position);
    }
    positions
}

/// Positions at rest, which must not be singular.
pub(super) fn natural_positions(body: &Body, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
    let positions = sample(&body.natural_shape, grid)?;
    let positions = deformed(&body.natural_operators, positions);
    check_rest_shape(grid, &positions)?;
    Ok(positions)
}

/// Node positions of a shape.
pub(super) fn sample(shape: &Shape, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
    make(shape, grid)?.sample(grid)
}

fn make(shape: &Shape, grid: &Grid) -> Result<Box<dyn shape::Shape>, ShapeError> {
    Ok(match shape {
        Shape::Bezier {
            order,
            control_points,
        } => Box::new(shape::Bezier::new(
            grid.dimension(),
            *order,
            control_points.clone(),
        )?),
        Shape::Ellipsoid {
            axes,
            centre,
            opening,
        } => {
            let ellipsoid = shape::Ellipsoid::new(*axes, *centre)?;
            Box::new(match opening {
                Some(opening) => ellipsoid.with_opening(*opening)?,
                None => ellipsoid,
            })
        }
        Shape::Superquadric {
            axes,
            centre,
            exponents,
            ring,
            opening,
        } => {
            let made = match ring {
                Some(ring) => shape::Superquadric::toroid(*axes, *centre, *exponents, *ring)?,
                None => shape::Superquadric::ellipsoid(*axes, *centre, *exponents)?,
            };
            Box::new(match opening {
                Some(opening) => made.with_opening(*opening)?,
                None => made,
            })
        }
        Shape::Nurbs { .. } => Box::new(nurbs(shape)?),
        Shape::Formula { rules, shift } => Box::new(Formula {
            rules: rules.as_ref().clone(),
            shift: *shift,
        }),
        Shape::Helix {
            radius,
            pitch,
            turns,
            centre,
        } => Box::new(shape::Helix {
            radius: *radius,
            pitch: *pitch,
            turns: *turns,
            centre: *centre,
        }),
    })
}

/// The NURBS that a shape is.
pub(super) fn nurbs(given: &Shape) -> Result<shape::Nurbs, ShapeError> {
    let Shape::Nurbs {
        degrees,
        counts,
        control_points,
        weights,
        periodic,
    } = given
    else {
        return Err(ShapeError::Spline {
            reason: "it is none".to_owned(),
        });
    };
    let wrong = |error: &dyn std::fmt::Display| ShapeError::Spline {
        reason: error.to_string(),
    };
    let mut bases = Vec::new();
    let (mut points, mut own_weights) = (control_points.clone(), weights.clone());
    let mut sizes = counts.clone();
    for d in 0..counts.len() {
        let (count, degree) = (counts[d], degrees[d]);
        if !periodic[d] {
            bases.push(SplineBasis::clamped(count, degree).map_err(|error| wrong(&error))?);
            continue;
        }
        bases.push(shape::Nurbs::periodic_basis(count, degree).map_err(|error| wrong(&error))?);
        // The first control points follow the last.
        let wrapped: Vec<usize> = wrapped_indices(&sizes, d, degree);
        points = wrapped.iter().map(|&n| points[n]).collect();
        own_weights = wrapped.iter().map(|&n| own_weights[n]).collect();
        sizes[d] += degree;
    }
    shape::Nurbs::new(bases, points, own_weights).map_err(|error| wrong(&error))
}

/// For a list with more entries in one direction, the entries of the old list that it takes.
fn wrapped_indices(sizes: &[usize], direction: usize, more: usize) -> Vec<usize> {
    let inner: usize = sizes[..direction].iter().product();
    let outer: usize = sizes[direction + 1..].iter().product();
    let count = sizes[direction];
    let mut indices = Vec::with_capacity(inner * (count + more) * outer);
    for o in 0..outer {
        for i in 0..count + more {
            let row = inner * (i % count + count * o);
            indices.extend(row..row + inner);
        }
    }
    indices
}
