//! How far a pair may move along straight lines before it comes too close.
//!
//! Directions prove parts of the motion (`separation.rs`): first the one that divides the pair at
//! the start, then the one that divides it at the end, then one at each point that has been
//! reached, from which the proof goes on, fixed or turning towards the one that divides the pair
//! later. With fixed ones this is conservative advancement with the speed along the dividing
//! direction in place of the largest speed; compare the additive method of \[LiKaufman2021\].

use crate::PairKind;
use crate::separation::{Interval, Motion};
use glam::DVec3;

/// The advancement stops when the distance above its goal has fallen to this part of what it was.
const CLOSE_ENOUGH: f64 = 1.0 / 1024.0;

/// The most directions that the advancement tries.
const ADVANCEMENTS: u32 = 200;

/// By how much the next part of a motion is longer than one that a turning direction has proved. One
/// that fails is halved, so that more would fail too often.
const GROWTH: f64 = 1.25;

/// Parts of the motion below this are not tried with a turning direction.
const SHORTEST_STRIDE: f64 = 1e-9;

/// How much of its distance a pair that starts too close may lose in a motion.
const LOSS: f64 = 1.0 / (1u64 << 30) as f64;

/// How much of its distance a pair must keep.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clearance {
    /// A distance that is never given up. Not negative.
    pub thickness: f64,
    /// The part of the distance beyond the thickness that is kept. In [0, 1].
    pub keep: f64,
    /// No more than this distance need be kept, wherever the pair starts. At least the thickness.
    pub enough: f64,
}

impl Clearance {
    fn is_valid(&self) -> bool {
        self.thickness >= 0.0 && (0.0..=1.0).contains(&self.keep) && self.enough >= self.thickness
    }
}

/// A fraction t in [0, 1] such that moving all points along straight lines from `from` towards `to`
/// by any fraction up to t keeps the pair apart, over the whole way.
///
/// With d the distance at the start (as [`closest`](crate::closest()) computes it), "apart" means: if
/// d > `thickness`, the distance stays at least `thickness + keep * (d - thickness)`. If
/// d <= `thickness` (or exceeds it by no more than rounding), the distance stays at least d less the
/// larger of d / 2^30 and the rounding bound, and never below d / 2: such a pair may move apart or
/// slide, and is stopped where it comes closer. If d is zero or so small that rounding hides it,
/// the answer is 0.
///
/// The bound holds for the exact lines and also for positions computed as
/// `from + t * (to - from)` in f64; `separation.rs` derives the rounding bounds. The answer is a lower
/// bound of the largest such fraction, never an estimate: where nothing can be proved it is 0. The
/// motion also stops where the distance has fallen to within a thousandth of the way from the start
/// to what must be kept.
///
/// It is 1 if no point moves. It is 0 if a coordinate is not finite or above 1e307, if `thickness` is negative or
/// NaN, or if `keep` is not in [0, 1].
pub fn free_fraction(
    kind: PairKind,
    from: &[DVec3; 4],
    to: &[DVec3; 4],
    thickness: f64,
    keep: f64,
) -> f64 {
    let clearance = Clearance {
        thickness,
        keep,
        enough: f64::INFINITY,
    };
    free_fraction_with(kind, from, to, &clearance)
}

/// As [`free_fraction`], where a pair that starts far apart need keep no more than `enough`: if
/// d > `thickness`, the distance stays at least the smaller of `enough` and
/// `thickness + keep * (d - thickness)`. It is 0 if `enough` is below the thickness or NaN.
pub fn free_fraction_with(
    kind: PairKind,
    from: &[DVec3; 4],
    to: &[DVec3; 4],
    clearance: &Clearance,
) -> f64 {
    prove(kind, from, to, clearance).fraction
}

/// What was proved, and what it took.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Proof {
    pub fraction: f64,
    /// How many directions were tried on the way; none if those at the ends decide.
    pub advancements: u32,
}

impl Proof {
    fn at_once(fraction: f64) -> Self {
        let advancements = 0;
        Self {
            fraction,
            advancements,
        }
    }
}

/// As [`free_fraction_with`].
pub(crate) fn prove(
    kind: PairKind,
    from: &[DVec3; 4],
    to: &[DVec3; 4],
    clearance: &Clearance,
) -> Proof {
    let count = kind.node_count();
    if from[..count] == to[..count] && from[..count].iter().all(|point| point.is_finite()) {
        return Proof::at_once(1.0);
    }
    match Motion::new(kind, from, to) {
        Some(motion) if clearance.is_valid() => advance(&motion, clearance),
        _ => Proof::at_once(0.0),
    }
}

fn advance(motion: &Motion, clearance: &Clearance) -> Proof {
    let (distance, directions) = motion.directions_at(0.0);
    let mut start = 0.0;
    let mut best = DVec3::ZERO;
    for direction in directions.into_iter().flatten() {
        let separation = motion.separation_at_start(direction);
        if separation > start {
            (start, best) = (separation, direction);
        }
        // The second direction is for where rounding spoils the first.
        if start >= 0.999 * distance {
            break;
        }
    }
    let Some(level) = level_to_keep(motion, distance, start, clearance) else {
        return Proof::at_once(0.0);
    };
    let level = level * (1.0 + f64::EPSILON * 8.0);
    let proved = level + motion.evaluation_error + motion.position_error;
    let Some(first) = motion.proved_by(best, proved) else {
        return Proof::at_once(0.0);
    };
    if first.begin > 0.0 {
        return Proof::at_once(0.0);
    }
    let reached = first.end;
    if reached >= 1.0 {
        return Proof::at_once(1.0);
    }
    // If the end is proved back to a point that is reached, the whole is proved.
    let mut goal = 1.0_f64;
    for direction in motion.directions_at(1.0).1.into_iter().flatten() {
        if let Some(last) = motion.proved_by(direction, proved)
            && last.end >= 1.0
        {
            goal = goal.min(last.begin);
        }
    }
    let beyond = start - level;
    let beyond = if level > 0.0 {
        beyond.min(64.0 * level)
    } else {
        beyond
    };
    let enough = level + CLOSE_ENOUGH * beyond;
    march(motion, proved, enough, reached, goal)
}

/// Goes on from `reached` until `goal` is reached, which proves the whole motion, or until the
/// distance is no more than `enough`. `level` is what directions must prove.
fn march(motion: &Motion, level: f64, enough: f64, mut reached: f64, goal: f64) -> Proof {
    let mut stride = goal - reached;
    let (mut distance, mut directions) = motion.directions_at(reached);
    let mut advancements = 0;
    while reached < goal && distance > enough && advancements < ADVANCEMENTS {
        advancements += 1;
        let fixed = directions
            .into_iter()
            .flatten()
            .filter_map(|direction| motion.proved_by(direction, level))
            .filter(|interval| interval.begin <= reached)
            .map(|interval| interval.end)
            .fold(reached, f64::max);
        if stride > 2.0 * (fixed - reached) {
            let part = Interval {
                begin: reached,
                end: (reached + stride).min(goal),
            };
            let next = motion.directions_at(part.end);
            let ends = [directions[0].or(directions[1]), next.1[0].or(next.1[1])];
            if let [Some(first), Some(last)] = ends
                && motion.proved_by_turning(part, first, last, level)
            {
                (distance, directions) = next;
                reached = part.end;
                stride *= GROWTH;
                continue;
            }
            stride *= 0.5;
        }
        if fixed <= reached {
            if stride < SHORTEST_STRIDE {
                break;
            }
            continue;
        }
        reached = fixed;
        (distance, directions) = motion.directions_at(reached);
    }
    Proof {
        fraction: if reached >= goal { 1.0 } else { reached },
        advancements,
    }
}

/// The distance that must be kept by a pair whose distance at the start is `distance`, of which
/// a direction proves `start`; nothing if rounding hides it.
fn level_to_keep(motion: &Motion, distance: f64, start: f64, clearance: &Clearance) -> Option<f64> {
    let thickness = clearance.thickness * motion.scale;
    let rounding = 2.0 * (motion.evaluation_error + motion.position_error);
    let level = thickness + clearance.keep * (distance - thickness);
    let level = level.min(clearance.enough * motion.scale);
    if distance > thickness && start - level >= rounding {
        return Some(level);
    }
    let level = start - (LOSS * start).max(rounding);
    (level >= 0.5 * start && level > 0.0).then_some(level)
}
