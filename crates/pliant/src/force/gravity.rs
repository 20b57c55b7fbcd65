//! Gravity, or any constant acceleration.
//!
//! ```text
//! f = μ g
//! ```
//!
//! μ is the mass of the node in kilograms, g the acceleration in m/s².
//! Implements: \[Terzopoulos1988\] eq. 20.

use super::{Loads, NodalForce, NodalView, Stiffness};
use crate::math::processor::for_this_processor;
use crate::math::vector::PACK;
use glam::DVec3;
use std::ops::Range;

/// A constant acceleration.
#[derive(Clone, Debug)]
pub struct Gravity {
    /// The acceleration g, in m/s².
    pub acceleration: DVec3,
}

impl NodalForce for Gravity {
    fn is_by_mass(&self) -> bool {
        true
    }

    fn is_dead(&self) -> bool {
        true
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, view.masses[node] * self.acceleration, Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -view.masses[node] * self.acceleration.dot(view.positions[node])
    }

    fn potentials(&self, view: &NodalView, nodes: Range<usize>) -> f64 {
        let mut sum = 0.0;
        let (masses, places) = (&view.masses[nodes.clone()], &view.positions[nodes]);
        add_falls(masses, places, self.acceleration, &mut sum);
        -sum
    }
}

for_this_processor! {
    /// Adds Σ m g·x, in eight parts.
    fn add_falls(masses: &[f64], places: &[DVec3], acceleration: DVec3, sum: &mut f64) {
        let mut parts = [0.0; PACK];
        let (groups, rest) = masses.as_chunks::<PACK>();
        let (whole, last) = places.split_at(groups.len() * PACK);
        for (masses, places) in groups.iter().zip(whole.as_chunks::<PACK>().0) {
            for part in 0..PACK {
                parts[part] += masses[part] * acceleration.dot(places[part]);
            }
        }
        for (part, (mass, place)) in rest.iter().zip(last).enumerate() {
            parts[part] += mass * acceleration.dot(*place);
        }
        *sum += parts.iter().sum::<f64>();
    }
}
