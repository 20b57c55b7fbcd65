//! The line search of bodies that touch: as far as the potential falls and the way is free.

use super::island::{Island, Member};
use super::rule::Stage;
use glam::DVec3;

/// How far an iteration may go, by how far the bodies have come in the step, and by the spacing of nodes.
const FARTHER: f64 = 1.5;
const SPACINGS: f64 = 4.0;

/// Below this share of the common way every node goes as far as its own pairs let it.
const CROWDED: f64 = 0.5;

/// The least and the most that is left of a way that was too long.
const SHORTENED: [f64; 2] = [0.1, 0.5];

/// How often nodes that meet what has stopped before are stopped in turn.
const STOPS: usize = 4;

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

/// Where to look next, by the directions: at the minimum of the parabola that has the slope at the start and changes
/// by `change` at `share`, where the potential has not fallen. That is at most half of the way.
fn shorter(share: f64, slope: f64, change: f64) -> f64 {
    let lowest = 0.5 * share * slope / (share * slope - change);
    if lowest > 0.0 {
        share * lowest.clamp(SHORTENED[0], SHORTENED[1])
    } else {
        share * SHORTENED[1]
    }
}

/// How a line search has ended.
pub(super) struct Moved {
    /// How far it went, by the directions.
    pub(super) share: f64,
    /// Whether a pair was in its way.
    pub(super) is_stopped: bool,
    /// Whether the potential fell at its first place.
    pub(super) falls_at_once: bool,
}

impl Island {
    /// The potential of all at `x`, which stands in the places or the trial of contact.
    pub(super) fn value<'a>(
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

    /// Shortens the ways from the places to the trials to a share.
    fn shorten(
        &mut self,
        members: &[Member],
        taken: &[[Vec<DVec3>; 2]],
        trials: &mut [Vec<DVec3>],
        share: f64,
    ) {
        for ((member, [x, _]), trial) in members.iter().zip(taken).zip(trials) {
            for (trial, x) in trial.iter_mut().zip(x) {
                *trial = *x + share * (*trial - *x);
            }
            let range = self.contact.range_of(member.body);
            let nodes = range.len();
            self.contact.trial[range].copy_from_slice(&trial[..nodes]);
        }
    }

    /// Fills the trials of contact with ends at which every node has gone as far towards its trial as its own pairs
    /// let it; returns the share of these ways that is free. Where a node stops, others may meet it that would have
    /// followed it: these are stopped in turn. Rigid parts and nodes that are tied go as far as the first of them.
    fn stop_each(
        &mut self,
        members: &[Member],
        taken: &[[Vec<DVec3>; 2]],
        (trials, ends): (&[Vec<DVec3>], &mut [Vec<DVec3>]),
    ) -> f64 {
        let mut free = 0.0;
        for _ in 0..STOPS {
            let each = members.iter().zip(taken).zip(trials).zip(ends.iter_mut());
            for (((member, [x, _]), trial), end) in each {
                let range = self.contact.range_of(member.body);
                let shares = &self.contact.shares[range.clone()];
                let least = shares.iter().copied().fold(1.0, f64::min);
                let is_one = member.has_rigid_parts() || member.mover.unknowns.tied.is_some();
                for (node, (end, x)) in end.iter_mut().zip(x).enumerate() {
                    let share = if is_one { least } else { shares[node] };
                    *end = *x + share * (*end - *x);
                }
                let nodes = range.len().min(trial.len());
                self.contact.trial[range].copy_from_slice(&end[..nodes]);
            }
            self.contact.search();
            free = self.contact.free_fraction();
            if free == 1.0 {
                break;
            }
        }
        free
    }

    /// Moves every node as far as its own pairs let it, if the potential then is below that where all have gone
    /// the share of their ways that is free for all: where many come near each other at once, the nearest of them
    /// does not stop all others. Says whether they have moved.
    fn go_each(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        (taken, trials): (&mut [[Vec<DVec3>; 2]], &[Vec<DVec3>]),
        (free_for_all, before): (f64, f64),
    ) -> bool {
        let mut together = trials.to_vec();
        self.shorten(members, taken, &mut together, free_for_all);
        let there = together.iter().zip(taken.iter());
        let there = there.map(|(end, [_, start])| (&end[..], &start[..]));
        let value = self.value(members, stage, there, true).0;
        let mut ends = trials.to_vec();
        let free = self.stop_each(members, taken, (trials, &mut ends));
        if free == 0.0 {
            return false;
        }
        if free < 1.0 {
            self.shorten(members, taken, &mut ends, free);
        }
        let there = ends.iter().zip(taken.iter());
        let there = there.map(|(end, [_, start])| (&end[..], &start[..]));
        let each = self.value(members, stage, there, true).0;
        let best = if value < before { value } else { before };
        if each.is_nan() || each >= best {
            return false;
        }
        for (end, [x, _]) in ends.iter().zip(taken.iter_mut()) {
            x.copy_from_slice(end);
        }
        true
    }

    /// Fills the trials with the ends of a share of the directions, out of obstacles.
    fn advance_trials(
        &mut self,
        members: &mut [Member],
        stage: &Stage,
        (taken, trials): (&[[Vec<DVec3>; 2]], &mut [Vec<DVec3>]),
        factor: f64,
    ) {
        for ((member, [x, start]), trial) in members.iter_mut().zip(taken).zip(trials.iter_mut()) {
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
        let (mut moved, mut is_stopped) = (None, false);
        for attempt in 0..24 {
            self.advance_trials(members, stage, (taken, trials), factor);
            if attempt == 0 && !self.are_rigid(members) {
                self.contact.foresee(1.0 / factor);
            }
            self.contact.search();
            let free = self.contact.free_fraction();
            is_stopped |= free < 1.0;
            if free < CROWDED
                && attempt == 0
                && self.go_each(members, stage, (taken, trials), (free, before - rounding))
            {
                moved = Some(Moved {
                    share: free,
                    is_stopped: true,
                    falls_at_once: true,
                });
                break;
            }
            if free == 0.0 {
                break;
            }
            if free < 1.0 {
                self.shorten(members, taken, trials, free);
                self.contact.search();
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
                    is_stopped,
                    falls_at_once: attempt == 0,
                });
                break;
            }
            // What is rigid leaps over kinks, of which no parabola knows.
            factor = match self.are_rigid(members) {
                true => 0.5 * factor,
                false => shorter(share, slope, value - before),
            };
        }
        for (member, trial) in members.iter_mut().zip(trials.drain(..)) {
            member.mover.trial = trial;
        }
        moved
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_way_that_is_too_long_is_shortened_to_the_minimum_of_a_parabola() {
        // -2 s + 8 s² is lowest at 1/8 and zero at 1/4.
        let change = |share: f64| -2.0 * share + 8.0 * share * share;
        for share in [0.25, 0.5, 1.0] {
            assert_eq!(shorter(share, -2.0, change(share)), 0.125);
        }
        assert_eq!(shorter(1.0, -2.0, 1e9), 0.1);
        assert_eq!(shorter(1.0, -2.0, f64::INFINITY), 0.5);
        assert_eq!(shorter(1.0, -2.0, f64::NAN), 0.5);
    }
}
