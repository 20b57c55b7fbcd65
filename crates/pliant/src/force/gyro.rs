//! A gyro: turns a body faster about its centre of mass.
//!
//! ```text
//! f_i = m_i α × (x_i - c)      while from <= t <= until
//! ```
//!
//! α is an angular acceleration in rad/s², c the centre of mass of the nodes it is bound to. The
//! forces add up to nothing, so the body is turned and not moved. Positions are those at the
//! beginning of the step, so that the force is constant during it. A step in which it is switched on
//! or off has the mean of the acceleration.

use super::{Loads, NodalForce, NodalView, Stiffness};
use glam::DVec3;
use std::ops::Range;

/// An angular acceleration for some time.
#[derive(Clone, Debug)]
pub struct Gyro {
    /// α, in radians per second squared.
    pub acceleration: DVec3,
    /// When it starts, in seconds.
    pub from: f64,
    /// When it stops, in seconds.
    pub until: f64,
}

impl Gyro {
    /// The mean angular acceleration of a step.
    fn mean(&self, view: &NodalView) -> DVec3 {
        view.share_of_step(self.from, self.until) * self.acceleration
    }

    fn start_of_step(view: &NodalView, node: usize) -> DVec3 {
        view.positions[node] - view.step * view.velocities[node]
    }

    fn centre(view: &NodalView, nodes: Range<usize>) -> DVec3 {
        let (mut sum, mut mass) = (DVec3::ZERO, 0.0);
        for node in nodes {
            sum += view.masses[node] * Self::start_of_step(view, node);
            mass += view.masses[node];
        }
        sum / mass
    }
}

impl NodalForce for Gyro {
    fn is_by_mass(&self) -> bool {
        true
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let mean = self.mean(view);
        if mean == DVec3::ZERO {
            return;
        }
        let centre = Self::centre(view, nodes.clone());
        for node in nodes {
            let arm = Self::start_of_step(view, node) - centre;
            loads.add(node, view.masses[node] * mean.cross(arm), Stiffness::None);
        }
    }

    /// A force that goes round in circles has no potential.
    fn potential(&self, _view: &NodalView, _node: usize) -> f64 {
        0.0
    }

    fn has_potential(&self) -> bool {
        false
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        self.incremental_potentials(view, node..node + 1)
    }

    /// The centre shifts the sum over the nodes by the same amount for every candidate, so it can
    /// be left out here: the forces add up to nothing.
    fn incremental_potentials(&self, view: &NodalView, nodes: Range<usize>) -> f64 {
        let mean = self.mean(view);
        if mean == DVec3::ZERO {
            return 0.0;
        }
        let centre = Self::centre(view, 0..view.positions.len());
        let of_node = |node: usize| {
            let arm = Self::start_of_step(view, node) - centre;
            -view.masses[node] * mean.cross(arm).dot(view.positions[node])
        };
        nodes.map(of_node).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_turns_and_does_not_move() {
        let gyro = Gyro {
            acceleration: DVec3::Z,
            from: 0.0,
            until: 1.0,
        };
        let positions = [DVec3::X, DVec3::new(3.0, 1.0, 0.0), DVec3::Y];
        let masses = [1.0, 2.0, 0.5];
        let view = NodalView {
            positions: &positions,
            velocities: &[DVec3::ZERO; 3],
            masses: &masses,
            directions: &[],
            curve: false,
            time: 0.5,
            step: 0.01,
            window: [0.49, 0.5],
        };
        let mut loads = Loads::new(3, false);
        gyro.add_loads(&view, 0..3, &mut loads);
        assert!(loads.forces.iter().sum::<DVec3>().length() < 1e-14);
        let torque: DVec3 = (0..3)
            .map(|node| positions[node].cross(loads.forces[node]))
            .sum();
        assert!(torque.z > 0.0 && torque.truncate().length() < 1e-14);
    }
}
