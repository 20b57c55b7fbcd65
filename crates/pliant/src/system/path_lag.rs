//! What is led along a path and held up by what lies in its way.
//!
//! A path says where a body is, whatever lies there, but nothing may be passed through: what is squeezed between a
//! path and something that stands cannot become nothing. A body that is late goes on from where it is; one that
//! is farther behind than it goes in a step, and than the thickness of contact, is stopped for good.

use super::island::{Island, Member};
use super::unknowns::Unknowns;
use crate::body::StepFailure;
use glam::DVec3;

/// What counts as being where the path says, by the thickness of contact.
const THERE: f64 = 1e-6;

/// Distances of features that are pressed together by more than anything weighs, by the thickness.
const CRUSHED: f64 = 1e-3;

impl Unknowns {
    /// The largest distance of control points from where their paths are at a time, in metres.
    fn lag(&self, time: f64, places: &[DVec3]) -> f64 {
        let mut most = 0.0_f64;
        for (index, core) in self.cores.iter().enumerate() {
            if let Some(path) = &core.path {
                let first = self.node_count + 4 * index;
                let there = core.frame.on_path(path, time);
                for (place, there) in places[first..first + 4].iter().zip(there) {
                    most = most.max(place.distance(there));
                }
            }
        }
        most
    }

    /// How far control points go on their paths between two times, in metres.
    fn way(&self, [from, to]: [f64; 2]) -> f64 {
        let mut most = 0.0_f64;
        for core in &self.cores {
            if let Some(path) = &core.path {
                let ends = [from, to].map(|time| core.frame.on_path(path, time));
                for (a, b) in ends[0].iter().zip(ends[1]) {
                    most = most.max(a.distance(b));
                }
            }
        }
        most
    }
}

impl Island {
    /// The failure of a search without an end: whether it is because something cannot go on along its path.
    pub(super) fn why_without_end(
        &self,
        members: &[Member],
        taken: &[[Vec<DVec3>; 2]],
        time: f64,
        failure: StepFailure,
    ) -> StepFailure {
        let thickness = self.contact.settings.thickness;
        let is_crushed = self.contact.figures().2 < CRUSHED * thickness;
        let is_held_up = |(member, [x, _]): (&Member, &[Vec<DVec3>; 2])| {
            let unknowns = &member.mover.unknowns;
            let end = member.problem.time + member.problem.step;
            let begin = end - member.problem.body.description().time_step;
            let is_led = unknowns.has_paths() && unknowns.way([begin, end]) > 0.0;
            is_led && (is_crushed || unknowns.lag(time, x) > THERE * thickness)
        };
        match members.iter().zip(taken).any(is_held_up) {
            true => StepFailure::PathBlocked,
            false => failure,
        }
    }

    /// Refuses candidates in which what is led along a path has been left behind.
    pub(super) fn refuse_behind(&self, member: &Member) -> Result<(), StepFailure> {
        let unknowns = &member.mover.unknowns;
        if !unknowns.has_paths() {
            return Ok(());
        }
        let end = member.problem.time + member.problem.step;
        let begin = end - member.problem.body.description().time_step;
        let lag = unknowns.lag(end, &member.mover.places);
        let most = unknowns
            .way([begin, end])
            .max(self.contact.settings.thickness);
        match lag > most {
            true => Err(StepFailure::PathBlocked),
            false => Ok(()),
        }
    }
}
