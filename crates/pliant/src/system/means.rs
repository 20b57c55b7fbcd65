//! By what means bodies that touch are moved, after steps of theirs have failed.
//!
//! What is crushed by far more energy than it can store, as a soft cube that hits a wall at 1,000 m/s, has no
//! smooth way through an impact: Newton's method meets new folds and new pairs in every iteration. Shorter
//! steps alone do not help. The trapezoid of a step of two stages begins with the contact forces there are, which
//! throw what has come to lie very close; backward Euler does not know them. Where that has no end either, what
//! it has found is kept once steps are short: the way there is free and the potential has fallen, so
//! that nothing passes through anything. What such a step has created is taken out of the motion that is not rigid.
//! Rigid bodies store no energy and crush nothing: groups of them alone keep their rule.

use super::island::Member;
use crate::body::{Effort, IntegratorKind, StepFailure};
use crate::inner_motion::{calm, inner_energy};

/// Failures in a step after which it goes on by backward Euler.
const DAMPED_AFTER: usize = 2;

/// Steps shorter than this share of that of the scene are kept as far as they have come.
const LAST_SHARE: f64 = 1.0 / 31.0;

/// Newton iterations after which the next step is not longer.
const HARD: usize = 100;

/// By what means a group is moved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Means {
    /// By the rule of its bodies.
    #[default]
    Usual,
    /// By backward Euler.
    Damped,
    /// By backward Euler, as far as Newton's method has come.
    Last,
}

impl Means {
    /// The rule that takes the place of that of the bodies.
    pub(super) fn rule(self, kind: IntegratorKind) -> IntegratorKind {
        match (self, kind) {
            (Self::Usual, _) => kind,
            (_, IntegratorKind::TwoStage) => IntegratorKind::Implicit,
            _ => kind,
        }
    }
}

/// What went wrong within one step of the world.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Trouble {
    failures: usize,
}

impl Trouble {
    /// Takes note of a step that failed; says whether other means are left for one that cannot be shorter.
    pub(crate) fn note(&mut self, failure: &StepFailure, share: f64, shortest: f64) -> bool {
        let was_last = self.means(share, shortest) == Means::Last;
        let is_lost = matches!(
            failure,
            StepFailure::NewtonDiverged { .. }
                | StepFailure::PathBlocked
                | StepFailure::Linear(_)
                | StepFailure::NonFinite { .. }
                | StepFailure::CreatesEnergy { .. }
        );
        self.failures += usize::from(is_lost);
        let is_shortest = 0.5 * share < shortest;
        if is_lost && is_shortest && !was_last {
            self.failures = DAMPED_AFTER;
            return true;
        }
        false
    }

    /// The means for a part of the step, by its share of the whole; steps shorter than the shortest are not tried.
    pub(crate) fn means(&self, share: f64, shortest: f64) -> Means {
        if self.failures < DAMPED_AFTER {
            Means::Usual
        } else if share < LAST_SHARE || 0.5 * share < shortest {
            Means::Last
        } else {
            Means::Damped
        }
    }

    /// The share of a step to be tried after one that took so many iterations.
    pub(crate) fn next_share(&self, share: f64, newton_iterations: usize) -> f64 {
        let is_hard = self.failures > 0 && newton_iterations > HARD;
        if is_hard {
            share
        } else {
            (2.0 * share).min(1.0)
        }
    }
}

/// Takes energy that a step has created out of the motion of its candidates that is not rigid.
pub(super) fn take_energy(
    members: &mut [Member],
    created: f64,
    effort: &mut Effort,
) -> Result<(), StepFailure> {
    let soft = |member: &&mut Member| !member.has_rigid_parts();
    let inner = members.iter_mut().filter(soft);
    let inner: f64 = inner
        .map(|member| inner_energy(member.problem.body.description(), member.candidate))
        .sum();
    if created.is_nan() || created >= inner {
        return Err(StepFailure::CreatesEnergy { created });
    }
    let kept = (1.0 - created / inner).sqrt();
    for member in members.iter_mut().filter(soft) {
        calm(member.problem.body.description(), member.candidate, kept);
    }
    effort.damped_steps += 1;
    Ok(())
}
