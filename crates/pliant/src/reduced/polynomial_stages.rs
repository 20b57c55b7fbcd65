//! The two stages of TR-BDF2 of a body that deforms by a polynomial map: forces, their windows in time and
//! damping as in `system/rule.rs`.

use super::polynomial_step::{
    PolynomialDynamics, Stage, combined, flat, multiply, spread, vectors,
};
use super::small_factor::{SmallFactor, constrained};
use crate::body::{Effort, Problem, StepFailure};
use crate::loads::LoadMoment;
use crate::system::{ALPHA, GAMMA, two_stage_windows};
use glam::DVec3;

/// Energy that two stages may create in flight, by that of the motion.
const CREATED: f64 = 0.001;

impl PolynomialDynamics {
    /// The last of the two stages of TR-BDF2 and its unknowns, from unknowns and rates at the beginning; nothing
    /// where backward Euler has to answer: where obstacles are met on the way with friction, or where two stages
    /// would create energy.
    pub(super) fn two_stages(
        &mut self,
        problem: &Problem,
        [q0, v0]: [&[DVec3]; 2],
        effort: &mut Effort,
    ) -> Result<Option<(Stage, Vec<DVec3>)>, StepFailure> {
        let (time, h) = (problem.time, problem.step);
        let [begin, middle, end] = two_stage_windows(time, h);
        let s = 2.0 / (GAMMA * h);
        let beginning = LoadMoment {
            time,
            window: begin,
            step: 1.0 / s,
        };
        let a0 = self.accelerations(problem, [q0, v0], beginning);
        let first = Stage {
            rate: s,
            target: combined(1.0, &combined(1.0, q0, 2.0 / s, v0), 1.0 / (s * s), &a0),
            from: combined(1.0, q0, 1.0 / s, v0),
            damped_at: combined(1.0, q0, GAMMA * h, v0),
            time: time + GAMMA * h,
            window: middle,
        };
        let q1 = self.solve(problem, &first, q0.to_vec(), effort)?;
        // What has hit and parted again within the step has had its friction too.
        let has_slowed = self.has_friction(problem);
        let v1 = combined(s, &q1, -s, &first.from);
        let from = combined(ALPHA, &q1, 1.0 - ALPHA, q0);
        let onward = combined(ALPHA, &v1, 1.0 - ALPHA, v0);
        let stage = Stage {
            rate: s,
            target: combined(1.0, &from, 1.0 / s, &onward),
            from,
            damped_at: combined(1.0, &q1, (1.0 - GAMMA) * h, &v1),
            time: time + h,
            window: end,
        };
        let q = self.solve(problem, &stage, q1, effort)?;
        let rates = combined(stage.rate, &q, -stage.rate, &stage.from);
        let lost = self.lost(problem, [q0, v0], [&q, &rates]);
        let keeps = match self.held_off.is_empty() {
            true => lost >= -CREATED * (self.kinetic(v0) + self.kinetic(&rates)),
            false => lost >= 0.0 && !self.has_friction(problem),
        };
        Ok((keeps && !has_slowed).then_some((stage, q)))
    }

    /// Accelerations at the beginning of a step that keep to what is held.
    fn accelerations(
        &mut self,
        problem: &Problem,
        [q, rates]: [&[DVec3]; 2],
        moment: LoadMoment,
    ) -> Vec<DVec3> {
        let damping = self.damping(problem, q);
        let mut forces = flat(&self.forces(problem, q, rates, moment));
        for (force, drag) in forces.iter_mut().zip(multiply(&damping, &flat(rates))) {
            *force -= drag;
        }
        let (rows, _, _) = self.all_rows(problem, q);
        let mass = spread(&self.masses, self.basis.len());
        let factor = SmallFactor::new(forces.len(), &mass);
        let nothing = vec![0.0; rows.len()];
        let free = factor.and_then(|factor| constrained(&factor, &forces, &rows, &nothing));
        let by_mass = || self.by_mass(&vectors(&forces));
        free.map_or_else(by_mass, |(change, _)| vectors(&change))
    }
}
