//! Whether rigid bodies have come past each other by the way of a search.
//!
//! Every line that a search moves places along is proved free, but its iterations turn bodies aside, and that is no
//! motion of theirs: two sticks that meet near their ends in a long step can slip round each other, since what lies
//! behind has less energy than what is stopped. So a step in which a body goes far for the size of what is there,
//! and from whose beginning no free straight way leads to its end, is made shorter. In short steps bodies may turn
//! that far.

use super::island::{Island, Member};
use crate::body::{Body, StepFailure};

/// A way that may lead round something, by the size of the smallest of the bodies.
const FAR: f64 = 0.05;

/// The share of a step of the body below which its way is as it is.
const SHORTEST: f64 = 1.0 / 64.0;

impl Island {
    /// An error if rigid bodies have gone far, by another way than the straight one, which is not free.
    pub(super) fn refuse_way_round(
        &mut self,
        members: &[Member],
        bodies: &[Body],
    ) -> Result<(), StepFailure> {
        if members.len() < 2 || !self.are_rigid(members) || !goes_far(members) {
            return Ok(());
        }
        self.take_places(bodies);
        for member in members {
            let range = self.contact.range_of(member.body);
            self.contact.trial[range].copy_from_slice(&member.candidate.positions);
        }
        self.contact.search();
        let free = self.contact.free_fraction();
        std::mem::swap(&mut self.contact.places, &mut self.contact.trial);
        // The pairs where the step ends are those of the step.
        self.contact.stay();
        match free < 1.0 {
            true => Err(StepFailure::TooFast { node: 0 }),
            false => Ok(()),
        }
    }
}

fn goes_far(members: &[Member]) -> bool {
    let sizes = members.iter().map(|member| member.problem.body.size());
    let far = FAR * sizes.fold(f64::INFINITY, f64::min);
    let is_long = |member: &Member| {
        let description = member.problem.body.description();
        member.problem.step > SHORTEST * description.time_step
    };
    let way = |member: &Member| {
        let starts = member.problem.body.state.positions.iter();
        let ways = starts.zip(&member.candidate.positions);
        let longest = ways.map(|(from, to)| from.distance_squared(*to));
        longest.fold(0.0, f64::max)
    };
    members.iter().any(is_long) && members.iter().map(way).fold(0.0, f64::max) > far * far
}
