//! The rigid motion nearest to the motion of a body: that of the same momentum and angular momentum.
//!
//! ```text
//! v(x) = v_c + ω x (x - c),   m v_c = Σ μ v,   I ω = Σ μ (x - c) x v
//! ```

use crate::body::State;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// The least moment of inertia of a compact body, by the sum of all squares.
const COMPACT: f64 = 0.05;

/// A vector and a zero: what the compiler turns into one vector of the processor.
type Four = [f64; 4];

/// Sums over nodes, with arms from some point.
#[derive(Default)]
struct Moments {
    mass: f64,
    /// Σ μ a.
    first: Four,
    /// Σ μ v.
    momentum: Four,
    /// Second moments xx, yy, zz.
    squares: Four,
    /// Second moments yz, zx, xy.
    mixed: Four,
    /// Σ μ a x v.
    angular: Four,
}

impl Moments {
    #[inline(always)]
    fn add(&mut self, mass: f64, arm: DVec3, velocity: DVec3) {
        let (a, v) = (
            [arm.x, arm.y, arm.z, 0.0],
            [velocity.x, velocity.y, velocity.z, 0.0],
        );
        let weighted = times(a, [mass; 4]);
        self.mass += mass;
        self.first = plus(self.first, weighted);
        self.momentum = plus(self.momentum, times(v, [mass; 4]));
        self.squares = plus(self.squares, times(weighted, a));
        let (a_turned, v_turned, turned) = (turn(turn(a)), turn(turn(v)), turn(weighted));
        self.mixed = plus(self.mixed, times(turned, a_turned));
        let back = times(turn(v), turn(turned));
        let cross = times(turned, v_turned);
        let cross = std::array::from_fn(|i| cross[i] - back[i]);
        self.angular = plus(self.angular, cross);
    }
}

#[inline(always)]
fn plus(a: Four, b: Four) -> Four {
    std::array::from_fn(|i| a[i] + b[i])
}

#[inline(always)]
fn times(a: Four, b: Four) -> Four {
    std::array::from_fn(|i| a[i] * b[i])
}

/// y, z, x.
#[inline(always)]
fn turn(a: Four) -> Four {
    [a[1], a[2], a[0], a[3]]
}

for_this_processor! {
    fn add_moments(masses: &[f64], positions: &[DVec3], velocities: &[DVec3], start: DVec3, moments: &mut Moments) {
        let mut sums = Moments::default();
        for ((&mass, &x), &v) in masses.iter().zip(positions).zip(velocities) {
            sums.add(mass, x - start, v);
        }
        *moments = sums;
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
        let mut moments = Moments::default();
        add_moments(masses, positions, velocities, start, &mut moments);
        Self::with(moments, start)
    }

    /// The same of some of the nodes.
    pub(crate) fn of_nodes(masses: &[f64], state: &State, nodes: &[u32]) -> Self {
        let place = |&node: &u32| state.positions[node as usize];
        let start = nodes.first().map_or(DVec3::ZERO, place);
        let mut moments = Moments::default();
        for &node in nodes {
            let node = node as usize;
            let arm = state.positions[node] - start;
            moments.add(masses[node], arm, state.velocities[node]);
        }
        Self::with(moments, start)
    }

    /// Of sums with arms from `start`, moved to the centre.
    fn with(moments: Moments, start: DVec3) -> Self {
        let mass = moments.mass;
        let [first, momentum, mut squares, mut mixed, mut angular] = [
            moments.first,
            moments.momentum,
            moments.squares,
            moments.mixed,
            moments.angular,
        ]
        .map(|[x, y, z, _]| DVec3::new(x, y, z));
        let arm = first / mass;
        let centre = start + arm;
        let velocity = momentum / mass;
        squares -= first * arm;
        mixed -= DVec3::new(first.y * arm.z, first.z * arm.x, first.x * arm.y);
        angular -= arm.cross(momentum);
        let trace = squares.element_sum();
        let mut motion = Self {
            mass,
            centre,
            velocity,
            spin: DVec3::ZERO,
            angular,
            inertia: DMat3::from_cols(
                DVec3::new(trace - squares.x, -mixed.z, -mixed.y),
                DVec3::new(-mixed.z, trace - squares.y, -mixed.x),
                DVec3::new(-mixed.y, -mixed.x, trace - squares.z),
            ),
        };
        // A billionth more keeps the spin of compact bodies from growing by rounding; slender ones would lose theirs.
        let least = (DVec3::splat(trace) - squares).min_element();
        motion.spin = match least > COMPACT * trace {
            true => {
                let more = DMat3::from_diagonal(DVec3::splat(1e-9 * trace));
                (motion.inertia + more).inverse() * angular
            }
            false => motion.turn_by(angular),
        };
        motion
    }

    /// The inertia about the centre of mass as it can be inverted; nothing for a body without extent.
    pub(crate) fn regular_inertia(&self) -> Option<DMat3> {
        let size = self.inertia.x_axis.x + self.inertia.y_axis.y + self.inertia.z_axis.z;
        if size.is_nan() || size <= 0.0 {
            return None;
        }
        // A straight line has no inertia about itself; only a line needs something there.
        let is_line = self.inertia.determinant() < 1e-9 * size.powi(3);
        let more = DVec3::splat(if is_line { 1e-9 * size } else { 0.0 });
        Some(self.inertia + DMat3::from_diagonal(more))
    }

    /// The angular velocity or acceleration that an angular momentum or a torque gives; zero for a
    /// body without extent.
    pub(crate) fn turn_by(&self, angular: DVec3) -> DVec3 {
        self.regular_inertia()
            .map_or(DVec3::ZERO, |inertia| inertia.inverse() * angular)
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
