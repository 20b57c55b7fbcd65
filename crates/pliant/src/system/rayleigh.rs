//! Rayleigh's damping by stiffness: a force -β K v.
//!
//! K must belong to the places at which v is a velocity, or it would brake what only turns: v of a rigid turn is
//! square to the arms at those places alone, and to K anything else is a stretch, by second order in the angle but
//! times a stiffness that may be huge. (With K from the beginning of the step a free steel bar that turned by 3
//! degrees a step stood still within a second.) Rules that end a stage with its velocity take K where the stage
//! ends. Backward Euler takes the mean velocity of the step, and so K half way: the chord of a turn is square to
//! the arms there. The same goes for what stress adds to stiffness, which resists turning by the stress of the
//! turn itself: it is left out ([`Curvature::Material`]). Where that is, is foretold from the velocities at the beginning, whose rigid part turns without
//! stretching.

use super::mover::Mover;
use super::rule::Stage;
use crate::body::{IntegratorKind, Problem};
use crate::energy::Curvature;
use crate::rigid_motion::RigidMotion;
use glam::{DQuat, DVec3};

/// How far a node may be led away from the rigid motion, by the spacing of the nodes.
const FARTHEST: f64 = 0.25;

impl Mover {
    /// Takes β K at some places.
    pub(super) fn take_damping(&mut self, positions: &[DVec3]) {
        let Some(damping) = &mut self.damping else {
            return;
        };
        damping.clear();
        for energy in &mut self.energies {
            energy.add_hessian(positions, Curvature::Material, damping);
        }
        for block in damping.blocks_mut() {
            *block *= self.stiffness_damping;
        }
    }

    /// Takes β K where the velocities of a stage belong.
    pub(super) fn lead_damping(&mut self, problem: &Problem, kind: IntegratorKind, stage: &Stage) {
        if self.damping.is_none() || stage.rate == 0.0 {
            return;
        }
        let share = match kind {
            IntegratorKind::Implicit | IntegratorKind::SemiImplicit => 0.5,
            _ => 1.0,
        };
        let ahead = share * (stage.time - problem.time);
        let nodes = self.moved.len();
        let mut places = std::mem::take(&mut self.trial);
        self.foretell(problem, ahead, &mut places[..nodes]);
        self.take_damping(&places[..nodes]);
        self.trial = places;
    }

    /// Where the nodes will be in so many seconds, roughly.
    fn foretell(&self, problem: &Problem, ahead: f64, places: &mut [DVec3]) {
        let masses = &problem.body.description().masses;
        let nodes = places.len();
        let (start, velocities) = (&self.start[..nodes], &self.start_velocities[..nodes]);
        let motion = RigidMotion::of_moving(masses, start, velocities);
        let turn = DQuat::from_scaled_axis(ahead * motion.spin);
        let centre = motion.centre + ahead * motion.velocity;
        let relative = |k: usize| ahead * (velocities[k] - motion.velocity_at(start[k]));
        let farthest = (0..nodes).map(|k| relative(k).length()).fold(0.0, f64::max);
        let most = FARTHEST * self.spacing;
        let share = if farthest > most {
            most / farthest
        } else {
            1.0
        };
        for (k, place) in places.iter_mut().enumerate() {
            *place = centre + turn * (start[k] - motion.centre + share * relative(k));
        }
    }
}
