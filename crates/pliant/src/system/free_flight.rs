//! The motion of a rigid body on which nothing acts, exactly.
//!
//! A time rule that leads nodes along straight lines and lets the stiffness of a rigid body bend their
//! ways loses spin: the rule of two stages 13 % of it in 16 turns of 16 steps. So a rigid body is led along
//! its free flight instead, and the rule counts only what differs from that:
//!
//! ```text
//! y = F(x₀) + l² a,    v̂ = F'(x₀) + l a             first stage
//! y = F(x₁),           v̂ = F'(x₁) + (α-1) Δv        second stage
//! ```
//!
//! F and F' are places and velocities after the free flight (`tumbling.rs`) over the duration of the stage, l = 1/s, a
//! the acceleration at the beginning, Δv what the first stage has added to the velocity of the flight,
//! without impulses. Where F is a straight line and nothing touches, this is the rule of two stages as it
//! stands in `rule.rs`: what the first stage adds to places is then l Δv. Angular momentum changes by torques alone, and the error stays of second order in them.

use super::CoreMotion;
use super::mover::Mover;
use super::rule::{ALPHA, Stage};
use super::tumbling::tumble;
use crate::body::Problem;
use crate::rigid_motion::RigidMotion;
use glam::{DQuat, DVec3};

/// How a body that is rigid as a whole may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Freedom {
    /// In every way.
    All,
    /// About an axis.
    Axis {
        /// A point of the axis, in metres.
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
    },
}

impl Freedom {
    /// Of a core that is the whole body; nothing for one that is driven.
    pub(super) fn of(motion: &CoreMotion) -> Option<Self> {
        match motion {
            CoreMotion::Free => Some(Self::All),
            CoreMotion::Hinge { point, axis } => Some(Self::Axis {
                point: *point,
                axis: *axis,
            }),
            CoreMotion::Turning { .. } | CoreMotion::Screw { .. } | CoreMotion::Path(_) => None,
        }
    }

    /// The field of velocities or accelerations of the body that has the momenta of a given one.
    pub(super) fn field(self, masses: &[f64], places: &[DVec3], values: &[DVec3]) -> RigidMotion {
        let mut motion = RigidMotion::of_moving(masses, places, values);
        if let Self::Axis { point, axis } = self {
            let arm = motion.centre - point;
            let angular = motion.angular + motion.mass * arm.cross(motion.velocity);
            let across = arm.reject_from_normalized(axis);
            let inertia = axis.dot(motion.inertia * axis) + motion.mass * across.length_squared();
            motion.spin = axis * (axis.dot(angular) / inertia.max(f64::MIN_POSITIVE));
            motion.velocity = motion.spin.cross(arm);
        }
        motion
    }

    /// Changes a motion by an impulse at a place, in newton seconds.
    pub(super) fn push(self, motion: &mut RigidMotion, place: DVec3, impulse: DVec3) {
        match self {
            Self::All => {
                motion.velocity += impulse / motion.mass;
                motion.spin += motion.turn_by((place - motion.centre).cross(impulse));
            }
            Self::Axis { point, axis } => {
                let arm = motion.centre - point;
                let across = arm.reject_from_normalized(axis);
                let inertia =
                    axis.dot(motion.inertia * axis) + motion.mass * across.length_squared();
                let angular = axis.dot((place - point).cross(impulse));
                motion.spin += axis * (angular / inertia.max(f64::MIN_POSITIVE));
                motion.velocity = motion.spin.cross(arm);
            }
        }
    }
}

/// A free flight over some time.
#[derive(Clone, Copy, Debug)]
struct Flight {
    rotation: DQuat,
    /// A point of the body before and after, and its velocity after.
    from: DVec3,
    to: DVec3,
    velocity: DVec3,
    spin: DVec3,
}

impl Flight {
    fn new(motion: &RigidMotion, freedom: Freedom, time: f64) -> Self {
        match freedom {
            Freedom::Axis { point, .. } => Self {
                rotation: DQuat::from_scaled_axis(motion.spin * time),
                from: point,
                to: point,
                velocity: DVec3::ZERO,
                spin: motion.spin,
            },
            Freedom::All => {
                let (rotation, spin) = tumble(motion, time);
                Self {
                    rotation,
                    from: motion.centre,
                    to: motion.centre + time * motion.velocity,
                    velocity: motion.velocity,
                    spin,
                }
            }
        }
    }

    fn place(&self, x: DVec3) -> DVec3 {
        self.to + self.rotation * (x - self.from)
    }

    /// The velocity at a place after the flight.
    fn velocity(&self, place: DVec3) -> DVec3 {
        self.velocity + self.spin.cross(place - self.to)
    }
}

impl Mover {
    /// Leads a rigid body along its free flight in the first stage: sets x̂ and v̂ anew.
    pub(super) fn fly_first(&mut self, problem: &Problem, stage: &Stage) {
        let Some(freedom) = self.freedom else {
            return;
        };
        let masses = &problem.body.description().masses;
        let flight = self.first_flight(freedom, masses, stage);
        for ((value, hat), velocity) in self
            .lasting
            .iter_mut()
            .zip(&self.base_velocities)
            .zip(&self.start_velocities)
        {
            *value = *hat - *velocity;
        }
        let nodes = masses.len();
        let added = freedom.field(masses, &self.start[..nodes], &self.lasting[..nodes]);
        for (index, start) in self.start.iter().enumerate() {
            let place = flight.place(*start);
            let velocity = flight.velocity(place);
            self.base[index] = place - stage.length() * velocity;
            self.base_velocities[index] = velocity + added.velocity_at(*start);
        }
    }

    fn first_flight(&self, freedom: Freedom, masses: &[f64], stage: &Stage) -> Flight {
        let nodes = masses.len();
        let motion = freedom.field(
            masses,
            &self.start[..nodes],
            &self.start_velocities[..nodes],
        );
        Flight::new(&motion, freedom, stage.duration)
    }

    /// The same for the second stage, after a first one that stands in `self.places`; the accelerations
    /// by impulses stand in `self.impulses`, if something touches.
    pub(super) fn fly_second(&mut self, problem: &Problem, stage: &Stage) {
        let Some(freedom) = self.freedom else {
            return;
        };
        let masses = &problem.body.description().masses;
        let nodes = masses.len();
        let first = self.first_flight(freedom, masses, stage);
        let motion = freedom.field(masses, &self.places[..nodes], &self.velocities[..nodes]);
        let second = Flight::new(&motion, freedom, problem.step - stage.duration);
        let length = stage.length();
        let impulse_time = stage.impulse_share() * length;
        for (index, x) in self.places.iter().enumerate() {
            let free = first.velocity(first.place(self.start[index]));
            let mut added = self.velocities[index] - free - self.stopped[index];
            if !self.contact.is_empty() {
                added -= impulse_time * self.impulses[index];
            }
            let place = second.place(*x);
            let velocity = second.velocity(place) + (ALPHA - 1.0) * added;
            self.base[index] = place - length * velocity;
            self.base_velocities[index] = velocity;
        }
    }

    /// Leaves a rigid body with the velocities of one.
    pub(super) fn land(&mut self, problem: &Problem) {
        let Some(freedom) = self.freedom else {
            return;
        };
        let masses = &problem.body.description().masses;
        let nodes = masses.len();
        let motion = freedom.field(masses, &self.places[..nodes], &self.velocities[..nodes]);
        for (velocity, place) in self.velocities.iter_mut().zip(&self.places) {
            *velocity = motion.velocity_at(*place);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A brick of six mass points that tumbles about its middle axis.
    fn tumbling() -> (Vec<f64>, Vec<DVec3>, Vec<DVec3>) {
        let arms = [DVec3::X * 0.3, DVec3::Y * 0.6, DVec3::Z * 1.1];
        let places: Vec<DVec3> = arms.iter().flat_map(|arm| [*arm, -*arm]).collect();
        let spin = DVec3::new(0.02, 7.0, 0.05);
        let velocities = places.iter().map(|x| DVec3::X + spin.cross(*x)).collect();
        (vec![2.0; 6], places, velocities)
    }

    #[test]
    fn a_tumbling_body_keeps_its_energy_and_its_angular_momentum() {
        let (masses, mut places, mut velocities) = tumbling();
        let first = RigidMotion::of_moving(&masses, &places, &velocities);
        for _ in 0..200 {
            let motion = Freedom::All.field(&masses, &places, &velocities);
            let flight = Flight::new(&motion, Freedom::All, 0.05);
            places.iter_mut().for_each(|x| *x = flight.place(*x));
            velocities = places.iter().map(|x| flight.velocity(*x)).collect();
        }
        let last = RigidMotion::of_moving(&masses, &places, &velocities);
        let loss = (last.angular - first.angular).length() / first.angular.length();
        assert!(loss < 1e-9, "{loss}");
        let gain = last.kinetic_energy() / first.kinetic_energy() - 1.0;
        assert!(gain.abs() < 1e-5, "{gain}");
        assert!((last.centre - 10.0 * DVec3::X).length() < 1e-9);
    }

    #[test]
    fn a_flight_in_parts_is_the_whole_flight() {
        let (masses, places, velocities) = tumbling();
        let motion = Freedom::All.field(&masses, &places, &velocities);
        let whole = Flight::new(&motion, Freedom::All, 0.4);
        let half = Flight::new(&motion, Freedom::All, 0.2);
        let between: Vec<DVec3> = places.iter().map(|x| half.place(*x)).collect();
        let speeds: Vec<DVec3> = between.iter().map(|x| half.velocity(*x)).collect();
        let motion = Freedom::All.field(&masses, &between, &speeds);
        let rest = Flight::new(&motion, Freedom::All, 0.2);
        for (start, middle) in places.iter().zip(&between) {
            let difference = whole.place(*start).distance(rest.place(*middle));
            assert!(difference < 1e-5, "{difference}");
        }
    }

    #[test]
    fn a_hinge_lets_a_body_turn_about_its_axis_alone() {
        let (masses, places, velocities) = tumbling();
        let (point, axis) = (DVec3::new(0.0, 0.0, 1.0), DVec3::Y);
        let freedom = Freedom::Axis { point, axis };
        let motion = freedom.field(&masses, &places, &velocities);
        let flight = Flight::new(&motion, freedom, 0.3);
        let place = flight.place(point + 2.0 * axis);
        assert!(place.distance(point + 2.0 * axis) < 1e-14);
        assert!(flight.spin.cross(axis).length() < 1e-14);
    }
}
