//! Newton's method with a line search, for the stages of a step.
//!
//! It ends when a whole step moves no node by more than a share of the spacing (so what is left is of
//! the order of the square of that) and contact holds: multipliers are updated until no node is
//! deeper in an obstacle than the margin. Statics ends when the gradient has fallen; it has no inertia
//! to keep its matrix definite: a multiple of the identity does, which shrinks as long as iterations
//! succeed.
//!
//! Solids take the true Hessian where it serves: near the solution inertia and stiffness nearly always
//! keep it positive definite, and convergence is quadratic. Where the linear solver finds that it is not,
//! or the step is no descent or too long, they go on with its positive part, which converges by a factor.

use super::line_search::Moved;
use super::mover::Mover;
use super::progress::{Progress, REGULARISATION, STALLED};
use super::rough_system::RoughSystem;
use super::rule::Stage;
use crate::body::{Effort, Problem, StepFailure, timed};
use crate::energy::Curvature;
use crate::linear::NodeBlocks;
use crate::math::parallel::dot;
use glam::DVec3;

/// Share of the first gradient at which statics ends, by the tolerance of the solver.
const EXCESS: f64 = 1e-2;

/// Rounding errors of forces by what the last bit of the places makes of them.
const ROUNDING: f64 = 2.0;

/// Iterations after which ten times the move is good enough.
const PATIENT: usize = 10;

/// Normal forces and friction may chase each other for ever: after so many iterations friction follows
/// half-way.
const FRICTION_ITERATIONS: f64 = 4.0;

impl Mover {
    /// The size of the rounding errors of all forces at some places, in newtons: what elastic forces change by
    /// where the last bit of every coordinate does.
    fn rounding(&mut self, problem: &Problem, places: &[DVec3]) -> f64 {
        let nodes = self.moved.len();
        self.trial.copy_from_slice(places);
        for (node, place) in self.trial.iter_mut().enumerate() {
            // Neighbours go to all sides in turn.
            let sides = node.wrapping_mul(0x9e37_79b9) >> 7;
            let side = |bit: usize| if sides >> bit & 1 == 0 { 1.0 } else { -1.0 };
            *place += f64::EPSILON * *place * DVec3::new(side(0), side(1), side(2));
        }
        let (moved, lasting) = (&mut self.moved, &mut self.lasting[..nodes]);
        moved.fill(DVec3::ZERO);
        lasting.fill(DVec3::ZERO);
        for energy in &mut self.energies {
            energy.add_gradient(&places[..nodes], moved);
            energy.add_gradient(&self.trial[..nodes], lasting);
        }
        let fixed = &problem.body.description().fixed;
        let changes = moved.iter().zip(&*lasting).zip(fixed);
        let squares = changes.filter(|(_, fixed)| !**fixed);
        let squares = squares.map(|((a, b), _)| a.distance_squared(*b));
        ROUNDING * squares.sum::<f64>().sqrt()
    }

    /// Finds the minimum of a stage from the places in `x`. `start` are the places at the beginning of
    /// the step.
    pub(super) fn minimise(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &mut [DVec3],
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let unconverged = effort.unconverged_solves;
        self.find_minimum(problem, stage, start, x, effort)?;
        if !self.is_linear {
            // What single solves have left is made up for by the iterations after them.
            effort.unconverged_solves = unconverged;
        }
        Ok(())
    }

    fn find_minimum(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &mut [DVec3],
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        let mut progress = Progress::new(self, problem, stage);
        let iterations = progress.most_iterations(problem);
        let serves = |rough: &RoughSystem| rough.serves(progress.forcing);
        self.is_rough =
            !progress.is_static && !self.is_linear && self.rough.as_ref().is_some_and(serves);
        self.foreseen_from.copy_from_slice(&self.between);
        let mut done = 0;
        while done < iterations && !progress.is_stalled() {
            let iteration = done;
            done += 1;
            problem.check_stop()?;
            self.hold_rotations(iteration >= PATIENT);
            self.curvature = progress.true_hessian.curvature();
            let place = [iteration as f64, progress.shift];
            let norm = self.linearise(problem, stage, start, x, place, effort)?;
            progress.note_residual(norm, || self.rounding(problem, x));
            let at_rest = iteration == 0 && !progress.is_static && self.is_at_rest(problem, stage);
            if norm == 0.0 || at_rest || progress.is_balanced(EXCESS) {
                if !self.contact.update_multipliers() {
                    return Ok(());
                }
                continue;
            }
            let converged = match self.solve(problem, x, progress.forcing, effort) {
                Ok(true) => true,
                _ if self.is_rough => {
                    // The matrix of `f64` and its solver go on.
                    self.is_rough = false;
                    continue;
                }
                // What is not definite may keep conjugate gradients from their end.
                Ok(false) if progress.true_hessian.fails() => continue,
                Ok(false) => false,
                Err(_) if progress.regularise() => continue,
                Err(_) if progress.true_hessian.fails() => continue,
                Err(error) => return Err(error),
            };
            if self.is_linear {
                // The forces of penalties were part of the one solve.
                let mut trial = std::mem::take(&mut self.trial);
                self.unknowns.advance(x, &self.direction, 1.0, &mut trial);
                x.copy_from_slice(&trial);
                self.trial = trial;
                return Ok(());
            }
            self.foreseen_from.copy_from_slice(x);
            match self.search(problem, stage, start, x) {
                Moved::Nowhere if progress.is_balanced(1.0) => return Ok(()),
                Moved::Nowhere if progress.regularise() || progress.true_hessian.fails() => {}
                Moved::Nowhere => {
                    progress.settled = converged && self.is_at_kinks(problem, x, self.close());
                    break;
                }
                moved => {
                    if self.has_arrived(problem, x, moved, converged, iteration, &mut progress) {
                        let unseen = iteration == 0 && self.contact.has_friction();
                        if !self.contact.update_multipliers() && !unseen {
                            return Ok(());
                        }
                        progress.settled = false;
                    }
                }
            }
        }
        if progress.settled || progress.is_balanced(1.0) {
            return Ok(());
        }
        Err(StepFailure::NewtonDiverged {
            iterations: done,
            residual: progress.residual,
        })
    }

    /// Whether the search may end after a step to `x`.
    fn has_arrived(
        &mut self,
        problem: &Problem,
        x: &[DVec3],
        moved: Moved,
        converged: bool,
        iteration: usize,
        progress: &mut Progress,
    ) -> bool {
        let Moved::By {
            length,
            promised,
            whole,
        } = moved
        else {
            return false;
        };
        let (goals, close) = (self.goals, self.close());
        progress.shift = progress.least_shift.max(0.1 * progress.shift);
        if length > STALLED.1 * self.spacing {
            progress.stalled = 0;
        }
        // What chatters between sticking and sliding comes no nearer.
        let chatters = iteration >= PATIENT && self.contact.has_friction();
        let patience = if chatters { 10.0 } else { 1.0 };
        let promise = patience * patience * progress.promise;
        let small = promised <= progress.drift
            || promised <= promise * self.energy_scale(problem, x, false)
            || length <= 1e-3 * close;
        // Without the negative part of the Hessian iterations converge by a factor: what is left is
        // the rest of a geometric series.
        let factor = (length / progress.last_length).min(0.99);
        let left = match goals.by_series {
            true => length * factor / (1.0 - factor),
            false => length,
        };
        progress.last_length = length;
        progress.true_hessian.note(whole, self.is_near(length));
        let whole = whole || length <= 1e-3 * close;
        let changing = self.contact.are_unsettled(goals.friction) && !chatters;
        progress.settled = converged && whole && small && left <= patience * close && !changing;
        if progress.is_static {
            return length <= 1e-9 * self.spacing && progress.shift <= REGULARISATION;
        }
        progress.settled
    }

    /// Warped stiffness jumps where a rotation does, and Newton's method may go to and fro between both
    /// sides for ever: after some iterations rotations stay as they are, until the next search.
    pub(super) fn hold_rotations(&mut self, held: bool) {
        if !self.conservative {
            self.energies
                .iter_mut()
                .for_each(|energy| energy.hold(held));
        }
    }

    /// Whether the gradient moves no node by more than rounding: inertia alone would not let it.
    fn is_at_rest(&self, problem: &Problem, stage: &Stage) -> bool {
        let masses = &problem.body.description().masses;
        let smallest = 1e-10 * self.spacing * stage.inertia();
        let mut nodes = self.right_side.iter().zip(masses);
        // Control points and groups of tied nodes are not looked at one by one.
        self.right_side.len() == masses.len()
            && nodes.all(|(force, mass)| force.length() <= smallest * mass)
    }

    /// The length of a step, in metres, at which Newton's method ends.
    pub(super) fn close(&self) -> f64 {
        self.goals.length * self.spacing
    }

    /// Gradient, matrix and right side at given places; returns the size of the right side.
    fn linearise(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &[DVec3],
        [iteration, shift]: [f64; 2],
        effort: &mut Effort,
    ) -> Result<f64, StepFailure> {
        let begin = problem.clock.map(|clock| clock());
        self.begin_linearise(problem, stage, start, x, [iteration, shift]);
        self.end_linearise(problem, stage, start, x, iteration);
        self.fill_companion(problem, stage, x);
        if let (Some(clock), Some(begin)) = (problem.clock, begin) {
            effort.times.assembly += clock() - begin;
        }
        let norm = dot(&self.right_side, &self.right_side).sqrt();
        if norm.is_finite() {
            Ok(norm)
        } else {
            Err(StepFailure::NonFinite { node: 0 })
        }
    }

    /// Gradient and matrix over the nodes, before bounds.
    pub(super) fn begin_linearise(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &[DVec3],
        [iteration, shift]: [f64; 2],
    ) {
        let nodes = self.moved.len();
        self.differentiate(problem, stage, x);
        self.assemble_system(problem, stage, x, shift);
        self.reliefs.clear();
        for energy in &mut self.energies {
            energy.add_reliefs(&x[..nodes], self.curvature, &mut self.reliefs);
        }
        let (masses, unknowns) = (&problem.body.description().masses, &self.unknowns);
        let matrix: &mut dyn NodeBlocks = match &mut self.rough {
            Some(rough) if self.is_rough => rough.matrix.nodes_mut(),
            _ => &mut self.matrix,
        };
        self.contact.harden(matrix, |node| {
            stage.inertia() * unknowns.pushed_mass(node, masses)
        });
        self.contact
            .evaluate(problem, stage, unknowns, &start[..nodes], &x[..nodes]);
        // Where the search starts, nodes may be deep inside: that is no normal force yet.
        let relaxed = iteration >= FRICTION_ITERATIONS;
        self.contact
            .freeze_friction(problem, iteration > 0.0 || self.is_linear, relaxed);
        self.contact.add_gradient(stage, &mut self.gradient);
        self.contact.add_hessian(stage, matrix);
    }

    /// Bounds, and the right side over the unknowns.
    pub(super) fn end_linearise(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        start: &[DVec3],
        x: &[DVec3],
        iteration: f64,
    ) {
        let nodes = self.moved.len();
        let matrix: &mut dyn NodeBlocks = match &mut self.rough {
            Some(rough) if self.is_rough => rough.matrix.nodes_mut(),
            _ => &mut self.matrix,
        };
        self.contact.bind(
            problem,
            stage,
            &self.unknowns,
            [&start[..nodes], &x[..nodes]],
            iteration >= FRICTION_ITERATIONS,
            (&mut self.gradient, matrix),
        );
        let bounds = &self.contact.bounds;
        self.leading_slope = match &self.rough {
            Some(rough) if self.is_rough => bounds.lead(&mut self.gradient, &rough.matrix),
            _ => bounds.filter(&mut self.gradient, &mut self.matrix),
        };
        self.unknowns
            .reduce(x, &self.gradient, &mut self.right_side);
        for value in &mut self.right_side {
            *value = -*value;
        }
    }

    /// Solves for the direction; returns whether the solver reached what it was asked for.
    fn solve(
        &mut self,
        problem: &Problem,
        x: &[DVec3],
        tolerance: f64,
        effort: &mut Effort,
    ) -> Result<bool, StepFailure> {
        let nodes = self.moved.len();
        // Where obstacles hold nodes, velocities lead into them.
        let rough = self.rough.as_ref().filter(|_| self.is_rough);
        let is_led = self.is_linear || rough.is_some_and(RoughSystem::is_misled_by_contact);
        let is_led_in = is_led && !self.contact.bounds.held().is_empty();
        if !std::mem::take(&mut self.has_guess) || is_led_in {
            self.direction.fill(DVec3::ZERO);
        }
        let mut time = 0.0;
        let report = timed(problem.clock, &mut time, || {
            if let (Some(rough), true) = (&mut self.rough, self.is_rough) {
                let bound = self.contact.bounds.held();
                return rough.solve(bound, &self.right_side, tolerance, &mut self.direction);
            }
            let matrix = self.unknowns.reduce_matrix(x, &mut self.matrix);
            self.solver.set_tolerance(tolerance);
            self.solver.place(&x[..nodes]);
            self.solver.hold(self.contact.bounds.held());
            self.solver.prepare(matrix)?;
            let companion = self.companion.as_ref();
            self.solver
                .solve(matrix, companion, &self.right_side, &mut self.direction)
        });
        effort.times.solve += time;
        let report = report?;
        self.contact.bounds.add_offsets(&mut self.direction);
        effort.newton_iterations += 1;
        effort.linear_iterations += report.iterations;
        effort.factorisations += report.factorisations;
        // What has no end with these matrices is found again with others.
        let is_last = !self.is_rough && self.curvature != Curvature::Full;
        if report.converged || is_last {
            effort.linear_residual = effort.linear_residual.max(report.residual);
            effort.unconverged_solves += usize::from(!report.converged);
        }
        Ok(report.converged)
    }
}
