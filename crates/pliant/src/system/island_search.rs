//! The line search of bodies that touch: as far as the potential falls and the way is free.

use super::island::{Island, Member};
use super::rule::Stage;
use glam::DVec3;

/// How far an iteration may go, by how far the bodies have come in the step, and by the spacing of nodes.
const FARTHER: f64 = 4.0;
const SPACINGS: f64 = 10.0;

/// How far a step may go at first: not much farther than the bodies have come or inertia leads them, and some
/// spacings. What diverges would sweep through everything, and the proof that the way is free would take for ever.
fn reasonable_share(members: &[Member], taken: &[[Vec<DVec3>; 2]]) -> f64 {
    let (mut come, mut longest) = (0.0_f64, 0.0_f64);
    let mut spacing = 0.0_f64;
    for (member, [x, start]) in members.iter().zip(taken) {
        let mover = &member.mover;
        for ((x, start), ahead) in x.iter().zip(start).zip(&mover.inertial) {
            let farther = x
                .distance_squared(*start)
                .max(ahead.distance_squared(*start));
            come = come.max(farther);
        }
        let directions = mover.direction.iter().map(|d| d.length_squared());
        longest = directions.fold(longest, f64::max);
        spacing = spacing.max(mover.spacing);
    }
    let most = FARTHER * come.sqrt() + SPACINGS * spacing;
    let longest = longest.sqrt();
    if longest > most { most / longest } else { 1.0 }
}

/// How a line search has ended.
pub(super) struct Moved {
    /// How far it went, by the directions.
    pub(super) share: f64,
    /// Whether the potential fell at its first place.
    pub(super) falls_at_once: bool,
}

impl Island {
    /// The potential of all at `x`, which stands in the places or the trial of contact.
    fn value<'a>(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        places: impl Iterator<Item = (&'a [DVec3], &'a [DVec3])>,
        at_trial: bool,
    ) -> (f64, f64) {
        let mut sum = self.contact.value(at_trial);
        let first = &self.contact.features.first;
        let at = match at_trial {
            true => &self.contact.trial,
            false => &self.contact.places,
        };
        sum += self.joints.value(at, first, stage.time);
        let mut rounding = 8.0 * f64::EPSILON * sum.abs();
        for (member, (x, start)) in members.iter_mut().zip(places) {
            let (value, error) = member.mover.value(&member.problem, stage, start, x);
            sum += value;
            rounding += error;
        }
        (sum, rounding)
    }

    /// Goes along the directions as far as the potential falls and the way is free; returns how far, by the
    /// directions.
    pub(super) fn search(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        taken: &mut [[Vec<DVec3>; 2]],
        trials: &mut Vec<Vec<DVec3>>,
    ) -> Option<Moved> {
        let mut slope = 0.0;
        for member in members.iter() {
            slope += member.mover.slope();
        }
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let current = taken.iter().map(|[x, start]| (&x[..], &start[..]));
        let (before, rounding) = self.value(members, stage, current, false);
        let conservative = members.iter().all(|member| member.mover.conservative);
        trials.clear();
        let each = members.iter_mut();
        trials.extend(each.map(|member| std::mem::take(&mut member.mover.trial)));
        let mut factor = reasonable_share(members, taken);
        let mut moved = None;
        for attempt in 0..24 {
            for ((member, [x, start]), trial) in
                members.iter_mut().zip(taken.iter()).zip(trials.iter_mut())
            {
                let mover = &mut *member.mover;
                mover.unknowns.advance(x, &mover.direction, factor, trial);
                let unknowns = &mover.unknowns;
                mover
                    .contact
                    .project(&member.problem, stage, unknowns, start, trial);
                let range = self.contact.range_of(member.body);
                let nodes = range.len();
                self.contact.trial[range].copy_from_slice(&trial[..nodes]);
            }
            self.contact.search();
            let free = self.contact.free_fraction();
            if free == 0.0 {
                break;
            }
            if free < 1.0 {
                for ((member, [x, _]), trial) in
                    members.iter().zip(taken.iter()).zip(trials.iter_mut())
                {
                    for (trial, x) in trial.iter_mut().zip(x) {
                        *trial = *x + free * (*trial - *x);
                    }
                    let range = self.contact.range_of(member.body);
                    let nodes = range.len();
                    self.contact.trial[range].copy_from_slice(&trial[..nodes]);
                }
            }
            let there = trials.iter().zip(taken.iter());
            let there = there.map(|(trial, [_, start])| (&trial[..], &start[..]));
            let (value, _) = self.value(members, stage, there, true);
            let share = factor * free;
            let drowns = -slope <= 1e2 * rounding && value.is_finite();
            if !conservative || drowns || value <= before + 1e-4 * share * slope + rounding {
                for (trial, [x, _]) in trials.iter().zip(taken.iter_mut()) {
                    x.copy_from_slice(trial);
                }
                moved = Some(Moved {
                    share,
                    falls_at_once: attempt == 0,
                });
                break;
            }
            factor *= 0.5;
        }
        for (member, trial) in members.iter_mut().zip(trials.drain(..)) {
            member.mover.trial = trial;
        }
        moved
    }
}
