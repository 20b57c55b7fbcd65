//! Which way a push goes.
//!
//! A sphere round the whole body is thought of, and the point is pushed along the shortest way from
//! that sphere: towards its middle.
//! Implements: \[Thesis2004\] sect. 3.5.4.3.

use glam::DVec3;

/// The direction in which a point of a body is pushed; a unit vector.
pub fn direction(positions: &[DVec3], point: DVec3) -> DVec3 {
    let empty = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = positions.iter().fold(empty, |(low, high), place| {
        (low.min(*place), high.max(*place))
    });
    let middle = 0.5 * (low + high);
    // In the middle every way is as short; a push goes down.
    (middle - point).try_normalize().unwrap_or(DVec3::NEG_Z)
}

/// How strong a push is after the button was held for so many seconds, as a multiple of the weight of
/// the body: the longer the stronger, up to a limit.
pub fn strength(seconds_held: f64) -> f64 {
    1.0 + 9.0 * (seconds_held.max(0.0) / 1.5).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_push_goes_to_the_middle_and_grows() {
        let cube = [DVec3::ZERO, DVec3::ONE, DVec3::X, DVec3::new(0.0, 1.0, 1.0)];
        let top = DVec3::new(0.5, 0.5, 1.0);
        assert!((direction(&cube, top) - DVec3::NEG_Z).length() < 1e-12);
        let corner = direction(&cube, DVec3::ZERO);
        assert!((corner - DVec3::ONE.normalize()).length() < 1e-12);
        assert_eq!(direction(&cube, DVec3::splat(0.5)), DVec3::NEG_Z);
        assert!(direction(&[], DVec3::ZERO).is_finite());
        assert_eq!(strength(0.0), 1.0);
        assert!(strength(0.5) > strength(0.1));
        assert_eq!(strength(100.0), strength(2.0));
    }
}
