//! The rigid motion nearest to the motion of a body: that of the same momentum and angular momentum.
//!
//! ```text
//! v(x) = v_c + ω x (x - c),   m v_c = Σ μ v,   I ω = Σ μ (x - c) x v
//! ```

use crate::body::State;
use crate::math::pack::PACK;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// Sums over masses with arms from a point, in eight parts each: mass, first moment, momentum, second
/// moments xx, yy, zz and mixed yz, zx, xy, angular momentum.
#[derive(Clone, Copy, Debug, Default)]
struct Moments([[f64; PACK]; 16]);

const MASS: usize = 0;
const FIRST: usize = 1;
const MOMENTUM: usize = 4;
const SQUARES: usize = 7;
const MIXED: usize = 10;
const ANGULAR: usize = 13;

impl Moments {
    /// Adds one mass to a part of the sums.
    #[inline(always)]
    fn add(&mut self, mass: f64, arm: DVec3, velocity: DVec3, part: usize) {
        let w = mass * arm;
        let v = velocity;
        let values = [
            mass,
            w.x,
            w.y,
            w.z,
            mass * v.x,
            mass * v.y,
            mass * v.z,
            w.x * arm.x,
            w.y * arm.y,
            w.z * arm.z,
            w.y * arm.z,
            w.z * arm.x,
            w.x * arm.y,
            w.y * v.z - v.y * w.z,
            w.z * v.x - v.z * w.x,
            w.x * v.y - v.x * w.y,
        ];
        for (sums, value) in self.0.iter_mut().zip(values) {
            sums[part] += value;
        }
    }
}

for_this_processor! {
    /// Adds masses eight at a time, each to its part.
    fn add_moments(
        masses: &[f64],
        positions: &[DVec3],
        velocities: &[DVec3],
        start: DVec3,
        sums: &mut Moments,
    ) {
        let mut own = *sums;
        let (groups, rest) = masses.as_chunks::<PACK>();
        let whole = groups.len() * PACK;
        let (x, last_x) = positions.split_at(whole);
        let (v, last_v) = velocities.split_at(whole);
        for ((masses, x), v) in groups.iter().zip(x.as_chunks::<PACK>().0).zip(v.as_chunks::<PACK>().0) {
            for part in 0..PACK {
                own.add(masses[part], x[part] - start, v[part], part);
            }
        }
        for (part, mass) in rest.iter().enumerate() {
            own.add(*mass, last_x[part] - start, last_v[part], part);
        }
        *sums = own;
    }
}

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
        let start = positions.first().copied().unwrap_or_default();
        let mut sums = Moments::default();
        add_moments(masses, positions, velocities, start, &mut sums);
        Self::of_moments(start, &sums)
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
        let start = points.clone().next().map_or(DVec3::ZERO, |(_, x, _)| x);
        let mut sums = Moments::default();
        for (m, x, v) in points {
            sums.add(m, x - start, v, 0);
        }
        Self::of_moments(start, &sums)
    }

    /// Of sums with arms from a point; moved to the centre of mass.
    fn of_moments(start: DVec3, moments: &Moments) -> Self {
        let sum = |index: usize| moments.0[index].iter().sum::<f64>();
        let vector = |index: usize| DVec3::new(sum(index), sum(index + 1), sum(index + 2));
        let mass = sum(MASS);
        let (first, momentum) = (vector(FIRST), vector(MOMENTUM));
        let (mut squares, mut mixed) = (vector(SQUARES), vector(MIXED));
        let mut angular = vector(ANGULAR);
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
