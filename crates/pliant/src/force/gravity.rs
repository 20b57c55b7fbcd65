//! Gravity, or any constant acceleration.
//!
//! ```text
//! f = μ g
//! ```
//!
//! μ is the mass of the node in kilograms, g the acceleration in m/s².
//! Implements: \[Terzopoulos1988\] eq. 20.

use super::{Loads, NodalForce, NodalView, Stiffness};
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

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, view.masses[node] * self.acceleration, Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -view.masses[node] * self.acceleration.dot(view.positions[node])
    }
}
