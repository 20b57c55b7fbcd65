//! The search along a step of Newton's method.
//!
//! A step is halved until the potential falls by a share of what its slope promises. Friction has kinks
//! at u = 0, where no slope is; its potential is convex in u, so that the change over the whole step
//! bounds what it adds.

use super::mover::Mover;
use super::rule::Stage;
use crate::body::Problem;
use crate::math::parallel::dot;
use glam::DVec3;

/// What a step that leads nowhere may promise at the kinks of friction, by what the last may.
const KINKS: f64 = 100.0;

/// How an iteration ended.
pub(super) enum Moved {
    /// The potential fell; the largest displacement of a place, in metres, and how much the quadratic
    /// model promised, in joules.
    By {
        length: f64,
        promised: f64,
        /// Whether the whole of Newton's step was taken.
        whole: bool,
    },
    /// No shorter step lowered it.
    Nowhere,
}

impl Mover {
    /// Whether the step that led nowhere was next to nothing. The kinks of friction let the potential
    /// fall along no line from a place that is all but its minimum.
    pub(super) fn is_at_kinks(&mut self, problem: &Problem, x: &[DVec3], close: f64) -> bool {
        let longest = self.direction.iter().map(|d| d.length_squared());
        let longest = longest.fold(0.0, f64::max).sqrt();
        let promise = KINKS * self.goals.promise * self.energy_scale(problem, x, false);
        self.contact.has_friction() && longest <= 0.1 * close && -self.slope() <= promise
    }

    /// The slope of the potential along the direction, in joules.
    pub(super) fn slope(&self) -> f64 {
        let slope = self.leading_slope.min(0.0) - dot(&self.right_side, &self.direction);
        let friction = self.contact.bounds.friction_slope(&self.direction);
        if slope + friction < 0.0 {
            slope + friction
        } else {
            slope
        }
    }

    /// Goes along the direction as far as the potential falls.
    pub(super) fn search(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &mut [DVec3],
    ) -> Moved {
        let slope = self.slope();
        let longest = self.direction.iter().map(|d| d.length_squared());
        let longest = longest.fold(0.0, f64::max).sqrt();
        if slope.is_nan() || slope >= 0.0 {
            return Moved::Nowhere;
        }
        let mut trial = std::mem::take(&mut self.trial);
        let mut factor = 1.0;
        let mut moved = Moved::Nowhere;
        if !self.conservative {
            self.unknowns.advance(x, &self.direction, 1.0, &mut trial);
            self.contact
                .project(problem, stage, &self.unknowns, start, &mut trial);
            x.copy_from_slice(&trial);
            self.trial = trial;
            return Moved::By {
                length: longest,
                promised: 0.0,
                whole: true,
            };
        }
        let (before, rounding) = self.value(problem, stage, start, x);
        for _ in 0..24 {
            self.unknowns
                .advance(x, &self.direction, factor, &mut trial);
            self.contact
                .project(problem, stage, &self.unknowns, start, &mut trial);
            let (value, _) = self.value(problem, stage, start, &trial);
            // Where the fall would drown in rounding, Newton's whole step is the best.
            let drowns = -slope <= 1e2 * rounding && value.is_finite();
            if drowns || value <= before + 1e-4 * factor * slope + rounding {
                x.copy_from_slice(&trial);
                moved = Moved::By {
                    length: factor * longest,
                    promised: -factor * slope,
                    whole: factor == 1.0,
                };
                break;
            }
            factor *= 0.5;
        }
        self.trial = trial;
        moved
    }
}
