//! What can be wrong with the description of an obstacle.

use glam::DVec3;

/// Why an obstacle cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ObstacleError {
    /// A length that must be positive and finite is not.
    #[error("{parameter} must be positive and finite, but is {value}")]
    NotPositive {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: f64,
    },
    /// A vector has an infinite or undefined component.
    #[error("{parameter} must be finite, but is {value}")]
    NotFinite {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: DVec3,
    },
    /// A vector that gives a direction is zero.
    #[error("{parameter} gives a direction and must not be zero, but is {value}")]
    NoDirection {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: DVec3,
    },
    /// A torus whose tube fills its hole.
    #[error(
        "the tube radius of a torus must be smaller than its ring radius {ring}, but is {tube}"
    )]
    TubeFillsRing {
        /// Radius of the ring in metres.
        ring: f64,
        /// Radius of the tube in metres.
        tube: f64,
    },
    /// A union without parts.
    #[error("a union needs at least one part")]
    EmptyUnion,
}

/// Passes on a positive and finite length.
pub(super) fn positive(parameter: &'static str, value: f64) -> Result<f64, ObstacleError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(ObstacleError::NotPositive { parameter, value })
    }
}

/// Passes on a finite vector.
pub(super) fn finite(parameter: &'static str, value: DVec3) -> Result<DVec3, ObstacleError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(ObstacleError::NotFinite { parameter, value })
    }
}

/// The unit vector along a finite vector that is not zero.
pub(super) fn direction(parameter: &'static str, value: DVec3) -> Result<DVec3, ObstacleError> {
    // The largest component is divided out first, so that no length is too small or too large.
    let largest = finite(parameter, value)?.abs().max_element();
    if largest > 0.0 {
        Ok((value / largest).normalize())
    } else {
        Err(ObstacleError::NoDirection { parameter, value })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_name_parameter_and_value() {
        let message = positive("radius", -2.5).unwrap_err().to_string();
        assert_eq!(message, "radius must be positive and finite, but is -2.5");
        assert!(positive("radius", f64::NAN).is_err());
        assert!(positive("radius", f64::INFINITY).is_err());
        assert!(positive("radius", 0.0).is_err());
        assert_eq!(positive("radius", 1e-300), Ok(1e-300));
        assert!(finite("centre", DVec3::new(0.0, f64::NAN, 0.0)).is_err());
        assert!(direction("normal", DVec3::ZERO).is_err());
        assert_eq!(
            direction("normal", DVec3::new(0.0, 0.0, 1e-300)),
            Ok(DVec3::Z)
        );
    }
}
