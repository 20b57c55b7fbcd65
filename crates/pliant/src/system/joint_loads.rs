//! What joints bear: masses that hang on bodies, and loads at which joints break.

use crate::body::Body;
use crate::joint::Joint;
use glam::DVec3;

/// How many times stiffer a rigid body becomes at most where heavier ones are joined to it.
const HEAVIEST: f64 = 1e5;

/// The mass of all that each body is joined to and itself, by its own, at most [`HEAVIEST`].
pub(super) fn carried(joints: &[Joint], bodies: &[Body]) -> Vec<f64> {
    let masses = bodies
        .iter()
        .map(|body| body.description().masses.iter().sum());
    let masses: Vec<f64> = masses.collect();
    let mut leaders: Vec<usize> = (0..bodies.len()).collect();
    for joint in joints {
        for point in joint.points() {
            let [a, b] = [joint.first.body, point.body].map(|body| leaders[body]);
            for leader in leaders.iter_mut().filter(|leader| **leader == a) {
                *leader = b;
            }
        }
    }
    let mut sums = vec![0.0; bodies.len()];
    for (leader, mass) in leaders.iter().zip(&masses) {
        sums[*leader] += mass;
    }
    let shares = leaders.iter().zip(&masses);
    shares
        .map(|(leader, mass)| (sums[*leader] / mass).clamp(1.0, HEAVIEST))
        .collect()
}

/// Breaks the parts of one joint if they bear too much together. What a limit bears is counted where the others
/// answer to it.
pub(super) fn break_if_overloaded(parts: &mut [Joint]) {
    let load = match parts {
        [joint] => joint.load(),
        _ => {
            let pins = parts.iter().filter(|part| !part.is_limit);
            pins.map(|pin| pin.state.force).sum::<DVec3>().length()
        }
    };
    if parts.iter().any(|part| load > part.strength) {
        for part in parts {
            part.state.is_broken = true;
            part.state.force = DVec3::ZERO;
        }
    }
}
