//! Newton's method with a line search, for the steps of `stepper.rs`.
//!
//! It looks for the root of g; where g is a gradient the function falls in every iteration. Statics
//! has no inertia to keep its matrix definite: a multiple of the identity does, which shrinks as long
//! as iterations succeed.

use super::stepper::{MeshStepper, Rule};
use crate::body::State;
use crate::integrate::{Effort, IntegratorKind, Problem, StepFailure, timed};
use crate::math::parallel::dot;
use glam::DVec3;

/// Newton's method ends where the gradient has fallen by this much more than the tolerance.
const EXCESS: f64 = 1e-2;

/// Start of the regularisation of statics, relative to the stiffness.
const REGULARISATION: f64 = 1e-9;

impl MeshStepper {
    /// The function whose gradient is g, for bodies that have one.
    fn value(&mut self, problem: &Problem, rule: Rule, state: &State, x: &[DVec3]) -> (f64, f64) {
        let description = problem.body.description();
        self.form_velocities(rule, state, x);
        let mut sum = 0.0;
        for (node, &x) in x.iter().enumerate() {
            let mass = description.masses[node];
            let drag = description.dampings[node] + self.settings.mass_damping * mass;
            sum += 0.5 * rule.inertia * mass * (x - self.inertial[node]).length_squared()
                + 0.5 * rule.step * drag * self.velocities[node].length_squared();
        }
        if let (Some(damping), true) = (&self.damping, rule.rate > 0.0) {
            damping.multiply(&self.velocities, &mut self.moved);
            sum += 0.5 * rule.step * dot(&self.velocities, &self.moved);
        }
        let elastic: f64 = self.energies.iter_mut().map(|e| e.energy(x)).sum();
        let external = self.evaluator.incremental_potential(
            problem,
            x,
            &self.velocities,
            rule.time,
            rule.step,
        );
        let terms: f64 = self.energies.iter().map(|e| e.largest_terms()).sum();
        let rounding = 8.0 * f64::EPSILON * (sum + elastic.abs() + external.abs() + terms);
        (sum + elastic + external, rounding)
    }

    /// Newton's method from the positions given to the root of g.
    pub(super) fn find_root(
        &mut self,
        problem: &Problem,
        rule: Rule,
        state: &State,
        x: &mut [DVec3],
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let description = problem.body.description();
        let once = self.kind == IntegratorKind::SemiImplicit;
        let statics = rule.inertia == 0.0;
        let iterations = match (once, statics) {
            (true, _) => 1,
            (_, true) => 25 * description.newton_iterations,
            _ => description.newton_iterations,
        };
        let tolerance = description.solver.tolerance.max(1e-12);
        // Motions that the energy leaves free, such as those of a flat sheet out of its plane, would
        // make the matrix of statics singular: some of the shift always stays.
        let (mut shift, least_shift) = if statics {
            (REGULARISATION, 1e-4 * REGULARISATION)
        } else {
            (0.0, 0.0)
        };
        let size = problem.body.size();
        let (mut first, mut residual) = (0.0_f64, f64::INFINITY);
        for iteration in 0..=iterations {
            let times = &mut effort.times.assembly;
            self.coordinates.place(description, x);
            timed(problem.clock, times, || {
                self.differentiate(problem, rule, state, x);
            });
            self.coordinates
                .reduce(x, &self.gradient, &mut self.right_side);
            for value in &mut self.right_side {
                *value = -*value;
            }
            let norm = dot(&self.right_side, &self.right_side).sqrt();
            if !norm.is_finite() {
                return Err(StepFailure::NonFinite { node: 0 });
            }
            first = first.max(norm);
            residual = norm / first.max(f64::MIN_POSITIVE);
            if iteration == iterations || norm == 0.0 || residual <= EXCESS * tolerance {
                break;
            }
            let largest = timed(problem.clock, times, || {
                self.assemble(problem, rule, x, shift)
            });
            // A force that moves the stiffest node by less than rounding is none.
            if norm <= 1e-13 * size * largest {
                return Ok(());
            }
            let mut solve_time = 0.0;
            let guess = (iteration == 0 && rule.step > 0.0).then_some((state, rule.step));
            let solved = timed(problem.clock, &mut solve_time, || {
                self.solve(x, guess, effort)
            });
            effort.times.solve += solve_time;
            match solved {
                Ok(()) => {}
                Err(_) if statics && shift < 1e3 => {
                    shift *= 100.0;
                    continue;
                }
                Err(error) => return Err(error),
            }
            if once || !self.conservative {
                self.coordinates
                    .advance(x, &self.direction, 1.0, &mut self.trial);
                x.copy_from_slice(&self.trial);
                if once {
                    return Ok(());
                }
            } else if self.search(problem, rule, state, x) {
                shift = least_shift.max(0.1 * shift);
            } else if residual <= tolerance {
                return Ok(());
            } else if statics && shift < 1e3 {
                shift = (100.0 * shift).max(REGULARISATION);
            } else {
                break;
            }
        }
        if residual <= tolerance {
            return Ok(());
        }
        Err(StepFailure::NewtonDiverged {
            iterations,
            residual,
        })
    }

    /// Goes along the direction as far as the function falls; returns whether it fell.
    fn search(&mut self, problem: &Problem, rule: Rule, state: &State, x: &mut [DVec3]) -> bool {
        let slope = -dot(&self.right_side, &self.direction);
        if slope.is_nan() || slope >= 0.0 {
            return false;
        }
        let (start, rounding) = self.value(problem, rule, state, x);
        if -slope <= 1e2 * rounding {
            // The fall would drown in rounding: near the root Newton's whole step is the best.
            self.coordinates
                .advance(x, &self.direction, 1.0, &mut self.trial);
            x.copy_from_slice(&self.trial);
            return true;
        }
        let mut trial = std::mem::take(&mut self.trial);
        let mut factor = 1.0;
        let mut fell = false;
        for _ in 0..24 {
            self.coordinates
                .advance(x, &self.direction, factor, &mut trial);
            let (value, _) = self.value(problem, rule, state, &trial);
            if value <= start + 1e-4 * factor * slope + rounding {
                x.copy_from_slice(&trial);
                fell = true;
                break;
            }
            factor *= 0.5;
        }
        self.trial = trial;
        fell
    }
}
