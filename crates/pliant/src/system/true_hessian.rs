//! When Newton's method takes the true Hessian.

use super::island::Member;
use super::island_search::Moved;
use super::mover::Mover;
use super::rule::Stage;
use crate::energy::Curvature;

/// A step by less than this share of the spacing has come near the solution.
const NEAR: f64 = 0.03;

/// Whether the true Hessian is taken: from the first iteration until it fails, and once more near the
/// solution.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrueHessian {
    pub(super) taken: bool,
    failures: usize,
}

impl TrueHessian {
    pub(super) fn new(taken: bool) -> Self {
        let failures = if taken { 0 } else { usize::MAX };
        Self { taken, failures }
    }

    pub(super) fn curvature(&self) -> Curvature {
        if self.taken {
            Curvature::Full
        } else {
            Curvature::Positive
        }
    }

    /// Gives the true Hessian up; returns whether it was taken.
    pub(super) fn fails(&mut self) -> bool {
        if self.taken {
            self.failures += 1;
        }
        std::mem::take(&mut self.taken)
    }

    /// Takes note of a step that lowered the potential.
    pub(super) fn note(&mut self, whole: bool, near: bool) {
        if !whole {
            self.fails();
        } else if near && self.failures <= 1 {
            self.taken = true;
        }
    }
}

impl Mover {
    /// Whether Newton's method may take the true Hessian of the body.
    pub(super) fn serves_true_hessian(&self, is_static: bool) -> bool {
        let is_dear = self
            .energies
            .iter()
            .any(|energy| energy.is_true_hessian_dear());
        self.goals.by_series && !is_static && self.conservative && !is_dear
    }

    /// Whether a step of a length has come near the solution.
    pub(super) fn is_near(&self, length: f64) -> bool {
        length <= NEAR * self.spacing
    }
}

/// Those of bodies that touch.
#[derive(Debug, Default)]
pub(super) struct TrueHessians {
    each: Vec<TrueHessian>,
}

impl TrueHessians {
    /// Begins a stage.
    pub(super) fn begin(&mut self, members: &[Member], stage: &Stage) {
        let is_static = stage.rate == 0.0;
        let serves = |member: &Member| member.mover.serves_true_hessian(is_static);
        let each = members
            .iter()
            .map(|member| TrueHessian::new(serves(member)));
        self.each.clear();
        self.each.extend(each);
    }

    /// Tells every body which Hessian it takes.
    pub(super) fn hand_out(&self, members: &mut [Member]) {
        for (member, hessian) in members.iter_mut().zip(&self.each) {
            member.mover.curvature = hessian.curvature();
        }
    }

    /// Gives all of them up; says whether one was taken.
    pub(super) fn fail(&mut self) -> bool {
        let failed = self.each.iter_mut().map(TrueHessian::fails);
        failed.fold(false, |any, failed| any | failed)
    }

    /// Takes note of a step. What the guarantee has cut short is no failure.
    pub(super) fn note(&mut self, members: &[Member], moved: &Moved) {
        for (member, hessian) in members.iter().zip(&mut self.each) {
            let mover = &member.mover;
            let steps = mover.direction.iter().map(|step| step.length_squared());
            let length = moved.share * steps.fold(0.0, f64::max).sqrt();
            hessian.note(moved.falls_at_once, mover.is_near(length));
        }
    }
}
