//! Penalty forces of obstacles.
//!
//! ```text
//! exponential:  f = (c/ε) exp(-d/ε) m          potential c exp(-d/ε)
//! quadratic:    f = c (d/ε)² m  for d < 0      potential -c d³ / (3 ε²)
//! ```
//!
//! d is the signed distance to the obstacle in metres, m its unit normal, ε its `epsilon`, c the
//! strength in newtons.
//!
//! Implements: \[Terzopoulos1988\] eq. 23, \[Thesis2004\] eq. 3.6.7-3.6.9 and listing 3.4.
//! Departures: eq. 23 as printed pulls nodes in, as the thesis found; the sign here pushes out.
//! Both papers project the force on the normal n of the body, (f·n) n, which leaves a node at the
//! edge of a sheet without support; that form is used where the scene asks for the published
//! scheme. The exponent is limited so that a deep node is pushed hard but not out of the world.

use super::{ContactMethod, ContactSettings};
use crate::force::{Loads, NodalView, Stiffness};
use crate::obstacle::Obstacle;
use glam::DVec3;

/// Largest exponent of the exponential penalty.
const LARGEST_EXPONENT: f64 = 20.0;

/// Adds the penalty forces of one obstacle on all nodes.
pub fn add_penalty_loads(
    settings: &ContactSettings,
    obstacle: &Obstacle,
    view: &NodalView,
    loads: &mut Loads,
) {
    for node in 0..view.positions.len() {
        let (distance, normal) = obstacle.distance_and_normal(view.positions[node]);
        let distance = distance - settings.thickness;
        let leaving = normal.dot(view.velocities[node]) > 0.0;
        let (magnitude, stiffness) = penalty_force(settings, obstacle.epsilon, distance, leaving);
        if magnitude == 0.0 {
            continue;
        }
        let mut force = magnitude * normal;
        if settings.along_body_normal && !view.curve && !view.directions.is_empty() {
            let n = view.directions[node];
            if n != DVec3::ZERO {
                force = n * force.dot(n);
            }
        }
        loads.add(node, force, Stiffness::Along(normal, stiffness));
    }
}

/// Sum of the penalty potentials of one obstacle, in joules.
pub fn penalty_potential(
    settings: &ContactSettings,
    obstacle: &Obstacle,
    positions: &[DVec3],
) -> f64 {
    if settings.method == ContactMethod::Projection {
        return 0.0;
    }
    let value = |&position: &DVec3| {
        let d = obstacle.distance(position) - settings.thickness;
        penalty_value(settings, obstacle.epsilon, d)
    };
    positions.iter().map(value).sum()
}

/// The penalty potential of a node at a distance, in joules.
pub(crate) fn penalty_value(settings: &ContactSettings, epsilon: f64, d: f64) -> f64 {
    match settings.method {
        ContactMethod::Projection => 0.0,
        ContactMethod::Exponential => {
            let exponent = -d / epsilon;
            let limited = exponent.min(LARGEST_EXPONENT);
            // Beyond the limit the force is constant and the potential linear.
            settings.strength * limited.exp() * (1.0 + (exponent - limited))
        }
        ContactMethod::Quadratic => {
            -settings.strength * d.min(0.0).powi(3) / (3.0 * epsilon * epsilon)
        }
    }
}

/// Size of the force and of its derivative.
pub(crate) fn penalty_force(
    settings: &ContactSettings,
    epsilon: f64,
    distance: f64,
    leaving: bool,
) -> (f64, f64) {
    let c = settings.strength;
    match settings.method {
        ContactMethod::Projection => (0.0, 0.0),
        ContactMethod::Exponential => {
            let exponent = -distance / epsilon;
            // exp(-40) is nothing beside any force of a scene.
            if exponent < -40.0 {
                return (0.0, 0.0);
            }
            let force = c / epsilon * exponent.min(LARGEST_EXPONENT).exp();
            (force, force / epsilon)
        }
        ContactMethod::Quadratic => {
            let shallow = -distance < settings.threshold;
            if distance >= 0.0 || (leaving && shallow) {
                return (0.0, 0.0);
            }
            let depth = distance / epsilon;
            (c * depth * depth, 2.0 * c * depth.abs() / epsilon)
        }
    }
}
