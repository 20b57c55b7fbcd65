//! When Newton's method takes the true Hessian.

use crate::energy::Curvature;

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
