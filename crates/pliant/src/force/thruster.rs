//! A thruster: a constant force for some time.
//!
//! ```text
//! f = f0      while from <= t <= until
//! ```
//!
//! f0 is in newtons and acts on each node it is bound to. A step in which it is switched on or off has
//! the mean force, so that the impulse is the same whatever the length of the steps.

use super::{ForceSource, Loads, NodalForce, NodalView, Stiffness};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A constant force for some time.
#[derive(Clone, Debug)]
pub struct Thruster {
    /// The force on each node, in newtons.
    pub force: DVec3,
    /// When it starts, in seconds.
    pub from: f64,
    /// When it stops, in seconds.
    pub until: f64,
}

impl Thruster {
    /// The mean force of a step.
    fn mean(&self, view: &NodalView) -> DVec3 {
        view.share_of_step(self.from, self.until) * self.force
    }
}

impl NodalForce for Thruster {
    fn source(&self) -> Option<ForceSource> {
        Some(ForceSource::Push {
            force: self.force,
            span: [self.from, self.until],
        })
    }

    fn is_dead(&self) -> bool {
        true
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let mean = self.mean(view);
        for node in nodes {
            loads.add(node, mean, Stiffness::None);
        }
    }

    /// A force that is switched on and off stores nothing.
    fn part(&self, count: usize, _offset: DVec3) -> Option<Arc<dyn NodalForce>> {
        Some(Arc::new(Self {
            force: self.force / count as f64,
            ..*self
        }))
    }

    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        0.0
    }

    fn has_potential(&self) -> bool {
        false
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.mean(view).dot(view.positions[node])
    }

    fn incremental_potentials(&self, view: &NodalView, nodes: Range<usize>) -> f64 {
        let mean = self.mean(view);
        let places = view.positions[nodes].iter();
        places.map(|place| -mean.dot(*place)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_pushes_while_it_is_on() {
        let thruster = Thruster {
            force: DVec3::new(0.0, 0.0, 3.0),
            from: 1.0,
            until: 2.0,
        };
        // The step ends at `time` and takes 0.01 s.
        for (time, expected) in [
            (0.9, 0.0),
            (1.0025, 0.75),
            (1.5, 3.0),
            (2.005, 1.5),
            (2.1, 0.0),
        ] {
            let view = NodalView {
                positions: &[DVec3::ZERO],
                velocities: &[DVec3::ZERO],
                masses: &[1.0],
                directions: &[],
                curve: false,
                time,
                step: 0.01,
                window: [time - 0.01, time],
            };
            let mut loads = Loads::new(1, false);
            thruster.add_loads(&view, 0..1, &mut loads);
            let found = loads.forces[0].z;
            assert!((found - expected).abs() < 1e-9, "{time} {found}");
        }
    }
}
