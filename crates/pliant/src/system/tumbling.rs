//! How a rigid body turns when nothing acts on it: a symmetric top, exactly, and what is left of it.
//!
//! ```text
//! H = ½ Σ b_i L_i² = ½ b |L|² + ½ (b_k - b) L_k² + ½ d (L_i² - L_j²)
//! b = ½ (b_i + b_j),   d = ½ (b_i - b_j)
//! R' = R [∂H/∂L]ₓ,     L' = L x ∂H/∂L
//! ```
//!
//! L is the angular momentum in the principal frame R of the body, b_i = 1 / I_i the inverses of its moments of
//! inertia, in 1/(kg m²). The axis k is the one whose two others have the nearest b. Each term moves the body by a
//! turn that is known: the first about the lasting angular momentum by b |L| t, and it commutes with all others; the
//! others about principal axes, at rates that they leave as they are. For a symmetric top d = 0 and the motion is
//! exact however long the time. Otherwise the terms follow each other in a symmetric order, which is raised to
//! fourth order. |L| is kept to rounding and the error of the energy stays bounded, however slender the body.
//!
//! Implements: the splitting of the free rigid body in \[Touma1994\] and \[Dullweber1997\], with the symmetric top as
//! the first part; fourth order as in \[Suzuki1990\].

use crate::math::symmetric_eigen;
use crate::rigid_motion::RigidMotion;
use glam::{DMat3, DQuat, DVec3};

/// The largest turn about a principal axis in one part of a time, in radians.
const LARGEST_TURN: f64 = 0.25;

/// The most parts of a time.
const MOST_PARTS: f64 = 1024.0;

/// 1 / (4 - ∛4): parts of second order that make one of fourth.
const SHARE: f64 = 0.414_490_771_794_375_7;
const SHARES: [f64; 5] = [SHARE, SHARE, 1.0 - 4.0 * SHARE, SHARE, SHARE];

/// The attitude of a body, relative to where it began, in its principal frame.
struct Top {
    rotation: DQuat,
    /// L in the principal frame.
    angular: DVec3,
}

impl Top {
    /// Turns by ½ c L_axis² for some time; `rate` is c times the time.
    fn turn(&mut self, axis: usize, rate: f64) {
        let (next, last) = ((axis + 1) % 3, (axis + 2) % 3);
        let angle = rate * self.angular[axis];
        let (sine, cosine) = angle.sin_cos();
        let [u, v] = [self.angular[next], self.angular[last]];
        self.angular[next] = cosine * u + sine * v;
        self.angular[last] = cosine * v - sine * u;
        self.rotation *= DQuat::from_axis_angle(DVec3::AXES[axis], angle);
    }
}

/// Rotation and spin of a tumbling body after some time: its angular momentum stays, its inertia turns.
pub(super) fn tumble(motion: &RigidMotion, time: f64) -> (DQuat, DVec3) {
    let strength = motion.angular.length();
    let Some(inertia) = motion.regular_inertia().filter(|_| strength != 0.0) else {
        return (DQuat::IDENTITY, DVec3::ZERO);
    };
    let (moments, frame) = symmetric_eigen(inertia);
    let b = moments.map(f64::recip);
    let [i, j, k] = axes(b);
    let (mean, odd) = (0.5 * (b[i] + b[j]), 0.5 * (b[i] - b[j]));
    let excess = b[k] - mean;
    let mut top = Top {
        rotation: DQuat::IDENTITY,
        angular: frame.transpose() * motion.angular,
    };
    // H - ½ b |L|² stays, which bounds L_k.
    let least = excess.abs().max(f64::MIN_POSITIVE);
    let along = top.angular[k].powi(2) + 2.0 * odd.abs() / least * strength * strength;
    let rate = excess.abs() * along.sqrt().min(strength) + odd.abs() * strength;
    let is_symmetric = odd.abs() * strength * time <= f64::EPSILON;
    let parts = match is_symmetric {
        true => 1.0,
        false => (rate * time / LARGEST_TURN).ceil().clamp(1.0, MOST_PARTS),
    };
    let step = time / parts;
    for _ in 0..parts as usize {
        for share in SHARES {
            let part = share * step;
            top.turn(k, 0.5 * excess * part);
            top.turn(i, 0.5 * odd * part);
            top.turn(j, -odd * part);
            top.turn(i, 0.5 * odd * part);
            top.turn(k, 0.5 * excess * part);
        }
    }
    let about = DQuat::from_scaled_axis(mean * time * motion.angular);
    let turned = DMat3::from_quat(about) * frame * DMat3::from_quat(top.rotation.normalize());
    let rotation = DQuat::from_mat3(&(turned * frame.transpose())).normalize();
    (rotation, turned * (b * top.angular))
}

/// The axes i, j and k: b_i and b_j are nearest to each other.
fn axes(b: DVec3) -> [usize; 3] {
    let apart = |k: usize| (b[(k + 1) % 3] - b[(k + 2) % 3]).abs();
    let nearer = |k: usize, other: usize| if apart(other) < apart(k) { other } else { k };
    let k = nearer(nearer(0, 1), 2);
    [(k + 1) % 3, (k + 2) % 3, k]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A box of given sides and mass 1 that is turned somehow and has a spin in its own frame.
    fn spinning(sides: DVec3, spin: DVec3) -> RigidMotion {
        let squares = sides * sides / 12.0;
        let moments = DVec3::splat(squares.element_sum()) - squares;
        let attitude = DMat3::from_quat(DQuat::from_scaled_axis(DVec3::new(0.4, -1.1, 0.7)));
        RigidMotion {
            mass: 1.0,
            centre: DVec3::ZERO,
            velocity: DVec3::ZERO,
            spin: attitude * spin,
            angular: attitude * (moments * spin),
            inertia: attitude * DMat3::from_diagonal(moments) * attitude.transpose(),
        }
    }

    /// The motion after some time.
    fn flown(motion: &RigidMotion, time: f64) -> RigidMotion {
        let (rotation, spin) = tumble(motion, time);
        let turn = DMat3::from_quat(rotation);
        RigidMotion {
            spin,
            inertia: turn * motion.inertia * turn.transpose(),
            ..*motion
        }
    }

    const SIDES: [[f64; 3]; 12] = [
        [1.0, 1.0, 1.0],
        [1.0, 1.001, 1.002],
        [1.0, 2.0, 3.0],
        [0.3, 2.0, 1.0],
        [1.0, 1.0, 10.0],
        [1.3, 1.0, 10.0],
        [0.002, 0.002, 0.4],
        [0.002, 0.003, 0.4],
        [0.002, 0.02, 0.4],
        [1.0, 1.4, 1000.0],
        [1.0, 1.0, 0.01],
        [2.0, 1.0, 0.001],
    ];

    const SPINS: [[f64; 3]; 5] = [
        [1.0, 0.02, 0.1],
        [0.02, 1.0, -0.03],
        [0.1, -0.05, 1.0],
        [0.6, 0.5, -0.6],
        [0.997, 0.0, 0.083],
    ];

    #[test]
    fn bodies_of_all_shapes_keep_energy_and_momentum_however_far_they_turn_in_a_step() {
        for sides in SIDES {
            for spin in SPINS {
                for turn in [0.02, 0.6, 3.0, 6.0] {
                    let first = spinning(sides.into(), spin.into());
                    let mut motion = first;
                    for _ in 0..200 {
                        motion = flown(&motion, turn);
                        let gain = motion.kinetic_energy() / first.kinetic_energy() - 1.0;
                        assert!(gain.abs() < 2e-5, "{sides:?} {spin:?} {turn}: {gain}");
                    }
                    let missed = motion.inertia * motion.spin - motion.angular;
                    let missed = missed.length() / motion.angular.length();
                    assert!(missed < 1e-10, "{sides:?} {spin:?} {turn}: {missed}");
                }
            }
        }
    }

    #[test]
    fn a_tumbling_body_converges_with_the_fourth_power_of_the_step() {
        // Steps short enough that each is one part.
        let first = spinning(DVec3::new(1.0, 2.0, 3.0), DVec3::new(0.6, 0.5, -0.6));
        let after = |steps: u32| {
            let flights = (0..steps).fold(first, |m, _| flown(&m, 2.0 / f64::from(steps)));
            flights.spin
        };
        let exact = after(2000);
        let [coarse, fine] = [20, 40].map(|steps| after(steps).distance(exact));
        let order = (coarse / fine).log2();
        assert!((3.7..4.4).contains(&order), "{order}: {coarse}, {fine}");
        assert!(coarse < 1e-5, "{coarse}");
    }

    #[test]
    fn the_turn_agrees_with_the_spin() {
        for sides in SIDES {
            let motion = spinning(sides.into(), DVec3::new(0.6, 0.5, -0.6));
            let (rotation, spin) = tumble(&motion, 1e-5);
            let turned = rotation.to_scaled_axis() / 1e-5;
            assert!(turned.distance(motion.spin) < 1e-4, "{sides:?}: {turned}");
            assert!(spin.distance(motion.spin) < 1e-4, "{sides:?}: {spin}");
        }
    }

    #[test]
    fn lines_and_points_fly_too() {
        let line = spinning(DVec3::new(0.0, 0.0, 2.0), DVec3::new(0.8, -0.3, 0.0));
        let flight = flown(&line, 5.0);
        assert!((flight.kinetic_energy() / line.kinetic_energy() - 1.0).abs() < 1e-8);
        let point = spinning(DVec3::ZERO, DVec3::X);
        assert_eq!(tumble(&point, 1.0), (DQuat::IDENTITY, DVec3::ZERO));
    }
}
