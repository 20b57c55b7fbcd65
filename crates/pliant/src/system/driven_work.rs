//! Work of forces without a potential, such as wind, as a step of `system/` does it.
//!
//! ```text
//! W = Σ over stages  f̄ · (x_end - x_begin)
//! ```
//!
//! f̄ is the mean of the force by which the time rule changes the velocities in a stage:
//!
//! | rule | f̄ |
//! |---|---|
//! | backward Euler, statics | f at the end |
//! | midpoint | f in the middle |
//! | Newmark; two stages, trapezoid | (f₀ + f₁) / 2 |
//! | two stages, backward differences | ((α - 1) (f₀ + f₁) + f₂) γ / (2 (1 - γ)) |
//!
//! Forces are those at the end of the search, with the normals of the beginning of the step, as the
//! stages take them. A force that is constant does the work f · (x - x₀), as if it had a potential. Any
//! other quadrature would take what it has left out for energy out of nothing: with the mean of the
//! forces at both ends of the step a waving flag seems to create energy at every gust.

use super::mover::Mover;
use super::rule::{ALPHA, GAMMA, Stage};
use crate::body::{IntegratorKind, Problem, State};
use crate::force::Loads;
use crate::loads::LoadMoment;
use glam::DVec3;

/// The work of a step so far, and the forces that it is made of.
#[derive(Debug, Default)]
pub(super) struct DrivenWork {
    /// In joules.
    work: f64,
    /// f₀, then f₀ + f₁.
    earlier: Vec<DVec3>,
    loads: Loads,
    /// The one moment at which backward Euler and statics see all potentials.
    seen: Option<LoadMoment>,
}

impl Mover {
    /// Begins the account of a step.
    pub(super) fn begin_work(&mut self, kind: IntegratorKind, stage: &Stage) {
        self.driven.work = 0.0;
        let sees_one = matches!(kind, IntegratorKind::Implicit | IntegratorKind::Static);
        self.driven.seen = sees_one.then(|| stage.moment());
        self.driven.earlier.fill(DVec3::ZERO);
    }

    /// Takes note of the forces without a potential at given places, with the velocities last formed.
    pub(super) fn note_first_forces(&mut self, problem: &Problem, stage: &Stage, x: &[DVec3]) {
        if self.load_driven(problem, stage, x) {
            self.driven.earlier.clone_from(&self.driven.loads.forces);
        }
    }

    /// Adds the work of a stage whose search has ended at `self.places`.
    pub(super) fn add_stage_work(
        &mut self,
        problem: &Problem,
        kind: IntegratorKind,
        stage: &Stage,
        index: usize,
    ) {
        let places = std::mem::take(&mut self.places);
        if self.load_driven(problem, stage, &places) {
            let DrivenWork {
                work,
                earlier,
                loads,
                ..
            } = &mut self.driven;
            let [before, now] = shares(kind, index);
            let begin = if index == 0 {
                &self.start
            } else {
                &self.between
            };
            for (node, force) in loads.forces.iter().enumerate() {
                let way = stage.mirror * (places[node] - begin[node]);
                *work += (before * earlier[node] + now * *force).dot(way);
                earlier[node] += *force;
            }
        }
        self.places = places;
    }

    /// Forces without a potential at a stage; false where there are none.
    fn load_driven(&mut self, problem: &Problem, stage: &Stage, x: &[DVec3]) -> bool {
        let nodes = self.moved.len();
        let driven = &mut self.driven;
        if !self.evaluator.has_driven_forces(problem) {
            return false;
        }
        if driven.loads.forces.len() != nodes {
            driven.loads = Loads::of_forces(nodes);
            driven.earlier = vec![DVec3::ZERO; nodes];
        }
        self.evaluator.evaluate_driven(
            problem,
            &x[..nodes],
            &self.velocities[..nodes],
            stage.moment(),
            &mut driven.loads,
        );
        true
    }

    /// Work of forces without a potential and of potentials that change with time, in the step that
    /// led to the candidate, in joules.
    pub(super) fn work_of_forces(&self, problem: &Problem, candidate: &State) -> f64 {
        let states = [&problem.body.state, candidate];
        let changes = self
            .evaluator
            .work_of_changes(problem, states, self.driven.seen);
        self.driven.work + changes
    }
}

/// Shares of the earlier forces and of the last one in the mean force of a stage.
pub(super) fn shares(kind: IntegratorKind, index: usize) -> [f64; 2] {
    match (kind, index) {
        (IntegratorKind::TwoStage, 1) => {
            let last = 0.5 * GAMMA / (1.0 - GAMMA);
            [(ALPHA - 1.0) * last, last]
        }
        (IntegratorKind::TwoStage | IntegratorKind::Newmark, _) => [0.5, 0.5],
        _ => [0.0, 1.0],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A constant force does the work f · (x - x₀): shares of each stage add up to one.
    #[test]
    fn shares_of_a_constant_force_add_up_to_one() {
        for kind in [
            IntegratorKind::Implicit,
            IntegratorKind::Midpoint,
            IntegratorKind::Newmark,
            IntegratorKind::TwoStage,
        ] {
            let [before, now] = shares(kind, 0);
            let count = if before == 0.0 { 0.0 } else { 1.0 };
            assert!((before * count + now - 1.0).abs() < 1e-15, "{kind:?}");
        }
        let [before, now] = shares(IntegratorKind::TwoStage, 1);
        assert!((2.0 * before + now - 1.0).abs() < 1e-14);
    }
}
