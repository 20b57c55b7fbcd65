//! Whether the sizes of a solid make sense.

use super::implicit::Solid;
use super::make_error::{MeshMakeError, finite, not_negative, positive};
use glam::DVec3;

impl Solid {
    /// Whether every size makes sense.
    pub fn check(&self) -> Result<(), MeshMakeError> {
        match self {
            Self::Union(parts) => check_parts("a union", parts),
            Self::SmoothUnion { parts, blend } => {
                positive("the blend of a smooth union", *blend)?;
                check_parts("a smooth union", parts)
            }
            Self::Intersection(parts) => check_parts("an intersection", parts),
            Self::Difference { solid, without } => {
                solid.check()?;
                without.iter().try_for_each(Self::check)
            }
            Self::Transform {
                solid,
                scale,
                rotation,
                translation,
            } => {
                lengths("a factor of a scaling", scale.abs())?;
                positive("the length of a rotation", rotation.length())?;
                finite("a translation", *translation)?;
                solid.check()
            }
            simple => simple.check_sizes(),
        }
    }

    /// Whether the sizes of a shape that is not made of others make sense.
    fn check_sizes(&self) -> Result<(), MeshMakeError> {
        match self {
            Self::Sphere { centre, radius } => {
                finite("the centre of a sphere", *centre)?;
                positive("the radius of a sphere", *radius)?;
            }
            Self::Ellipsoid { centre, semi_axes } => {
                finite("the centre of an ellipsoid", *centre)?;
                lengths("a semi-axis of an ellipsoid", *semi_axes)?;
            }
            Self::Cuboid {
                centre,
                size,
                rounding,
            } => {
                finite("the centre of a cuboid", *centre)?;
                lengths("an edge of a cuboid", *size)?;
                check_rounding(*rounding, *size)?;
            }
            Self::Bar {
                from,
                to,
                width,
                height,
            } => {
                positive("the length of a bar", from.distance(*to))?;
                positive("the width of a bar", *width)?;
                positive("the height of a bar", *height)?;
            }
            Self::Capsule { from, to, radii } => {
                not_negative("the length of a capsule", from.distance(*to))?;
                positive("a radius of a capsule", radii[0])?;
                positive("a radius of a capsule", radii[1])?;
            }
            Self::Tube {
                from,
                to,
                outer_radius,
                inner_radius,
            } => {
                positive("the length of a tube", from.distance(*to))?;
                positive("the outer radius of a tube", *outer_radius)?;
                not_negative("the inner radius of a tube", *inner_radius)?;
                positive("the wall of a tube", outer_radius - inner_radius)?;
            }
            Self::Torus {
                centre,
                axis,
                major_radius,
                minor_radius,
            } => {
                finite("the centre of a torus", *centre)?;
                positive("the length of the axis of a torus", axis.length())?;
                positive("the major radius of a torus", *major_radius)?;
                positive("the minor radius of a torus", *minor_radius)?;
            }
            Self::Superquadric {
                centre,
                semi_axes,
                exponents,
            } => {
                finite("the centre of a superquadric", *centre)?;
                lengths("a semi-axis of a superquadric", *semi_axes)?;
                exponents.iter().try_for_each(check_exponent)?;
            }
            Self::Union(_)
            | Self::SmoothUnion { .. }
            | Self::Intersection(_)
            | Self::Difference { .. }
            | Self::Transform { .. } => {}
        }
        Ok(())
    }
}

/// Whether three lengths are positive and finite.
fn lengths(what: &'static str, values: DVec3) -> Result<(), MeshMakeError> {
    positive(what, smallest(values))?;
    finite(what, values)?;
    Ok(())
}

fn check_rounding(rounding: f64, size: DVec3) -> Result<(), MeshMakeError> {
    not_negative("the rounding of a cuboid", rounding)?;
    if rounding > 0.5 * size.min_element() {
        return Err(MeshMakeError::BadNumber {
            what: "the rounding of a cuboid",
            wanted: "at most half its shortest edge",
            value: rounding,
        });
    }
    Ok(())
}

fn check_exponent(value: &f64) -> Result<(), MeshMakeError> {
    if (0.02..=2.0).contains(value) {
        return Ok(());
    }
    Err(MeshMakeError::BadNumber {
        what: "an exponent of a superquadric",
        wanted: "between 0.02 and 2",
        value: *value,
    })
}

/// The smallest component; not a number if one of them is none.
fn smallest(v: DVec3) -> f64 {
    if v.is_nan() {
        f64::NAN
    } else {
        v.min_element()
    }
}

fn check_parts(what: &'static str, parts: &[Solid]) -> Result<(), MeshMakeError> {
    if parts.is_empty() {
        return Err(MeshMakeError::NoParts { what });
    }
    parts.iter().try_for_each(Solid::check)
}
