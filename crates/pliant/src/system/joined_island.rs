//! What joints ask of an island: what they hold, what they bear, and that they are kept.

use super::island::{Island, Member};
use super::island_joints::Held;
use crate::body::{Body, StepFailure};
use crate::joint::Joint;

/// Strain at which what is rigid has given way.
pub(super) const YIELDED: f64 = 0.01;

impl Island {
    /// Takes the joints that act on some bodies in a step that begins at a time and takes so many seconds.
    pub(crate) fn take_joints(
        &mut self,
        joints: &[Joint],
        bodies: &[Body],
        group: &[usize],
        [time, step]: [f64; 2],
    ) {
        let contact = &self.contact;
        let moves = |body: usize| group.binary_search(&body).is_ok();
        self.joints.begin(joints, [time, step], moves, |joint| {
            let points = joint.points().filter(|point| moves(point.body));
            let yielding = points.map(|point| contact.yielding(point, bodies, step));
            let size = joint.points().map(|point| bodies[point.body].size());
            let is_rigid = joint
                .points()
                .all(|point| contact.features.is_rigid(point.body));
            let carried = joint.points().map(|point| self.carried[point.body]);
            Held {
                stiffness: 1.0 / yielding.sum::<f64>(),
                size: size.fold(f64::INFINITY, f64::min),
                carried: match is_rigid {
                    true => carried.fold(1.0, f64::max),
                    false => 1.0,
                },
            }
        });
    }

    /// Joints that bear more than they can, after a step that has failed.
    pub(crate) fn overloaded_joints(&self) -> Vec<usize> {
        self.joints.overloaded().collect()
    }

    /// Hands the forces of joints over to them at the end of a step; returns the work of paths, in joules.
    pub(crate) fn end_joints(&mut self, joints: &mut [Joint], times: [f64; 2]) -> f64 {
        self.joints.end(joints, times)
    }

    /// Refuses candidates in which a joint is torn or what is rigid is not.
    pub(super) fn check(&self, members: &[Member]) -> Result<(), StepFailure> {
        if let Some(member) = members.first() {
            let end = member.problem.time + member.problem.step;
            let contact = &self.contact;
            let at = (&contact.places[..], &contact.features.first[..], end);
            self.joints.refuse_torn(at)?;
        }
        for member in members {
            self.refuse_behind(member)?;
            let mover = &member.mover;
            let strain = mover.unknowns.rigid_strain(&mover.places);
            if strain.is_nan() || strain > YIELDED {
                return Err(StepFailure::RigidStretched { strain });
            }
        }
        Ok(())
    }
}
