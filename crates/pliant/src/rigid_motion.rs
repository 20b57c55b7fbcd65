//! The rigid motion nearest to the motion of a body: that of the same momentum and angular momentum.
//!
//! ```text
//! v(x) = v_c + ω x (x - c),   m v_c = Σ μ v,   I ω = Σ μ (x - c) x v
//! ```

use crate::body::State;
use glam::{DMat3, DVec3};

/// A velocity field of a rigid body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RigidMotion {
    /// Total mass, in kilograms.
    pub(crate) mass: f64,
    /// Centre of mass.
    pub(crate) centre: DVec3,
    /// Velocity of the centre of mass.
    pub(crate) velocity: DVec3,
    /// Angular velocity ω.
    pub(crate) spin: DVec3,
    /// Angular momentum about the centre of mass.
    pub(crate) angular: DVec3,
    /// Inertia tensor I about the centre of mass.
    pub(crate) inertia: DMat3,
}

impl RigidMotion {
    /// The rigid motion with the momenta of a state.
    pub(crate) fn of(masses: &[f64], state: &State) -> Self {
        Self::of_moving(masses, &state.positions, &state.velocities)
    }

    /// The rigid motion with the momenta of nodes at positions with velocities.
    pub(crate) fn of_moving(masses: &[f64], positions: &[DVec3], velocities: &[DVec3]) -> Self {
        let nodes = masses.iter().zip(positions).zip(velocities);
        Self::of_points(nodes.map(|((&m, &x), &v)| (m, x, v)))
    }

    /// The same of some of the nodes.
    pub(crate) fn of_nodes(masses: &[f64], state: &State, nodes: &[u32]) -> Self {
        Self::of_points(nodes.iter().map(|&node| {
            let node = node as usize;
            (masses[node], state.positions[node], state.velocities[node])
        }))
    }

    /// Of masses, positions and velocities.
    fn of_points(points: impl Iterator<Item = (f64, DVec3, DVec3)> + Clone) -> Self {
        // One pass, with arms from the first node; moved to the centre afterwards.
        let start = points.clone().next().map_or(DVec3::ZERO, |(_, x, _)| x);
        let mut mass = 0.0;
        let (mut first, mut momentum) = (DVec3::ZERO, DVec3::ZERO);
        // Second moments: diagonal xx, yy, zz and mixed yz, zx, xy.
        let (mut squares, mut mixed) = (DVec3::ZERO, DVec3::ZERO);
        let mut angular = DVec3::ZERO;
        for (m, x, v) in points {
            let arm = x - start;
            let weighted = m * arm;
            mass += m;
            first += weighted;
            momentum += m * v;
            squares += weighted * arm;
            mixed += DVec3::new(weighted.y * arm.z, weighted.z * arm.x, weighted.x * arm.y);
            angular += weighted.cross(v);
        }
        let arm = first / mass;
        let centre = start + arm;
        let velocity = momentum / mass;
        squares -= first * arm;
        mixed -= DVec3::new(first.y * arm.z, first.z * arm.x, first.x * arm.y);
        angular -= arm.cross(momentum);
        let trace = squares.element_sum();
        // A straight line has no inertia about itself; a little keeps the matrix regular.
        let diagonal = DVec3::splat(trace * (1.0 + 1e-9)) - squares;
        let tensor = |diagonal: DVec3| {
            DMat3::from_cols(
                DVec3::new(diagonal.x, -mixed.z, -mixed.y),
                DVec3::new(-mixed.z, diagonal.y, -mixed.x),
                DVec3::new(-mixed.y, -mixed.x, diagonal.z),
            )
        };
        let spin = if trace > 0.0 {
            tensor(diagonal).inverse() * angular
        } else {
            DVec3::ZERO
        };
        Self {
            mass,
            centre,
            velocity,
            spin,
            angular,
            inertia: tensor(DVec3::splat(trace) - squares),
        }
    }

    /// The angular velocity or acceleration that an angular momentum or a torque gives; zero for a
    /// body without extent.
    pub(crate) fn turn_by(&self, angular: DVec3) -> DVec3 {
        let size = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        if size.is_nan() || size <= 0.0 {
            return DVec3::ZERO;
        }
        // Only a straight line needs something about its axis.
        let line = self.inertia.determinant() < 1e-9 * size.powi(3);
        let more = DVec3::splat(if line { 1e-9 * size } else { 0.0 });
        (self.inertia + DMat3::from_diagonal(more)).inverse() * angular
    }

    /// Kinetic energy of the motion, in joules.
    pub(crate) fn kinetic_energy(&self) -> f64 {
        0.5 * (self.mass * self.velocity.length_squared() + self.spin.dot(self.angular))
    }

    /// The velocity at a point, in metres per second.
    pub(crate) fn velocity_at(&self, point: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(point - self.centre)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rigid_motion_is_found_again() {
        let positions = vec![
            DVec3::new(1.0, 0.0, 0.5),
            DVec3::new(0.0, 2.0, 0.0),
            DVec3::new(-1.0, 0.3, 1.0),
            DVec3::new(0.2, -1.0, 3.0),
        ];
        let (velocity, spin) = (DVec3::new(1.0, 2.0, -1.0), DVec3::new(0.3, -0.7, 1.1));
        let velocities: Vec<DVec3> = positions
            .iter()
            .map(|x| velocity + spin.cross(*x))
            .collect();
        let state = State {
            positions,
            velocities,
            ..State::default()
        };
        let motion = RigidMotion::of(&[1.0, 2.0, 0.5, 1.5], &state);
        for (x, v) in state.positions.iter().zip(&state.velocities) {
            assert!((motion.velocity_at(*x) - *v).length() < 1e-7);
        }
    }
}
