//! The force of a moving fluid on a surface: wind, water.
//!
//! ```text
//! f = c (n · (s(x, t) - v)) n          on a surface, n its unit normal
//! f = c (s(x, t) - v)_across           on a curve: the part across its tangent
//! ```
//!
//! c is the strength of the fluid in N s/m, s the velocity of the stream in m/s, v that of the
//! node. As n enters twice, both sides of a surface feel the stream alike.
//!
//! Implements: \[Terzopoulos1988\] eq. 22. The force on a curve is our addition.

use super::{Loads, NodalForce, NodalView, Stiffness, Stream};
use std::ops::Range;

/// The force of a stream on a body.
#[derive(Clone, Debug)]
pub struct Viscous {
    /// The strength c, in newton seconds a metre.
    pub strength: f64,
    /// The velocity field of the fluid.
    pub stream: Stream,
}

impl NodalForce for Viscous {
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        // The force falls by c a metre a second of velocity, which is c / step a metre.
        let stiffness = if view.step > 0.0 {
            self.strength / view.step
        } else {
            0.0
        };
        // A stream that is the same everywhere is asked once.
        let uniform = match self.stream {
            Stream::Constant { velocity } => Some(velocity),
            _ => None,
        };
        for node in nodes {
            let n = view.directions[node];
            let stream =
                uniform.unwrap_or_else(|| self.stream.velocity(view.positions[node], view.time));
            let relative = stream - view.velocities[node];
            let along = n * n.dot(relative);
            if view.curve {
                let across = self.strength * (relative - along);
                loads.add(node, across, Stiffness::Across(n, stiffness));
            } else {
                loads.add(node, self.strength * along, Stiffness::Along(n, stiffness));
            }
        }
    }

    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        0.0
    }

    fn has_potential(&self) -> bool {
        false
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        let n = view.directions[node];
        let relative =
            self.stream.velocity(view.positions[node], view.time) - view.velocities[node];
        let along = n.dot(relative);
        let squared = if view.curve {
            relative.length_squared() - along * along
        } else {
            along * along
        };
        0.5 * self.strength * view.step * squared
    }

    fn uses_normals(&self) -> bool {
        true
    }
}
