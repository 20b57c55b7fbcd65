//! Newton's method with a positive semi-definite Hessian and a line search.
//!
//! Minimises Φ(x) = ½ Σ a |x - y|² + ½ Σ c |x - z|² + E(x) + U(x) over the free nodes: inertia
//! towards y with weights a, damping towards z with weights c, elastic energy and the potential of
//! the external forces. Without inertia (statics) a multiple of the identity regularises the
//! matrix and is adapted to how well steps succeed.

use super::elasticity::copy_values;
use super::{Effort, ExactElasticity, Problem, StepFailure, timed};
use crate::body::Body;
use crate::elastic::Curvature;
use crate::force::Loads;
use crate::linear::{BlockMatrix, BlockSolver, GridMatrix, SolverKind};
use crate::loads::LoadEvaluator;
use crate::math::parallel::dot;
use glam::{DMat3, DVec3};

/// The quadratic part of Φ.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quadratic<'a> {
    /// y: where inertia alone would take the nodes.
    pub inertial: &'a [DVec3],
    /// a = mass * this.
    pub inertia_factor: f64,
    /// z: where the nodes were.
    pub previous: &'a [DVec3],
    /// c = damping * this.
    pub damping_factor: f64,
    /// Time at which external forces are evaluated, in seconds.
    pub time: f64,
    /// Length of the step over which velocities are formed; 0 in statics.
    pub step: f64,
}

/// How Newton's method ends.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Most iterations.
    pub iterations: usize,
    /// Gradient, relative to the first one, at which the step is good.
    pub tolerance: f64,
    /// Start of the regularisation, relative to the largest entry of the diagonal; 0 for none.
    pub regularisation: f64,
}

/// Scratch memory and matrices for one body.
pub(super) struct Newton {
    pub elasticity: ExactElasticity,
    matrix: BlockMatrix,
    solver: BlockSolver,
    /// A scalar matrix for the solvers that need one on the grid, with its constant part.
    companion: Option<(GridMatrix, GridMatrix)>,
    evaluator: LoadEvaluator,
    loads: Loads,
    gradient: Vec<DVec3>,
    direction: Vec<DVec3>,
    trial: Vec<DVec3>,
    velocities: Vec<DVec3>,
    unused: Vec<DVec3>,
    /// Rounding error of the last value of Φ.
    rounding: f64,
}

/// A point of lower Φ, and how far the farthest node moved to it, in metres.
struct Found {
    value: f64,
    length: f64,
}

/// Steps shorter than this share of the body's size end Newton's method.
const SMALLEST_STEP: f64 = 1e-13;

impl Newton {
    pub(super) fn new(body: &Body) -> Self {
        let node_count = body.node_count();
        let mut elasticity = ExactElasticity::new(body);
        let matrix = elasticity.hessian_matrix();
        let settings = body.description().solver;
        let on_grid = matches!(settings.kind, SolverKind::Adi | SolverKind::Multigrid);
        let companion =
            on_grid.then(|| (elasticity.majorant_matrix(), elasticity.majorant_matrix()));
        let zeros = vec![DVec3::ZERO; node_count];
        Self {
            solver: BlockSolver::on_grid(settings, &matrix, &body.description().grid),
            elasticity,
            matrix,
            companion,
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(node_count, true),
            gradient: zeros.clone(),
            direction: zeros.clone(),
            trial: zeros.clone(),
            velocities: zeros.clone(),
            unused: zeros,
            rounding: 0.0,
        }
    }

    /// See `Integrator::adopt`.
    pub(super) fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]) {
        if self.elasticity.adopt(rests, stiffnesses)
            && let Some((_, constant)) = &mut self.companion
        {
            self.elasticity.refill_majorant(constant);
        }
    }

    /// Minimises Φ from the positions given; leaves the minimum there.
    pub(super) fn minimise(
        &mut self,
        problem: &Problem,
        quadratic: &Quadratic,
        limits: Limits,
        positions: &mut [DVec3],
        effort: &mut Effort,
    ) -> Result<(), StepFailure> {
        self.evaluator.take_directions(problem, quadratic.previous);
        let mut shift = limits.regularisation;
        let mut first_norm: f64 = 0.0;
        let mut energy = self.value(problem, quadratic, positions);
        let size = problem.body.size();
        let mut residual = f64::INFINITY;
        for iteration in 0..limits.iterations {
            let stiffest = timed(problem.clock, &mut effort.times.assembly, || {
                self.differentiate(problem, quadratic, shift, positions)
            });
            let norm = dot(&self.gradient, &self.gradient).sqrt();
            if !norm.is_finite() {
                return Err(StepFailure::NonFinite { node: 0 });
            }
            if iteration == 0 {
                first_norm = norm;
            }
            residual = norm / first_norm.max(f64::MIN_POSITIVE);
            // A force that moves the stiffest node by less than rounding is none: the start may be
            // an equilibrium already, and then no iteration lowers the first residual.
            let is_rounding = norm <= SMALLEST_STEP * size * stiffest;
            if is_rounding || residual <= limits.tolerance * 1e-3 {
                return Ok(());
            }
            effort.newton_iterations += 1;
            let solved = timed(problem.clock, &mut effort.times.solve, || {
                self.solve(problem)
            });
            let found = match solved {
                Ok(report) => {
                    effort.linear_iterations += report.iterations;
                    effort.linear_residual = effort.linear_residual.max(report.residual);
                    effort.factorisations += report.factorisations;
                    timed(problem.clock, &mut effort.times.assembly, || {
                        self.search(problem, quadratic, energy, positions)
                    })
                }
                // A singular matrix: regularise more.
                Err(_) if limits.regularisation > 0.0 => None,
                Err(error) => return Err(error.into()),
            };
            match found {
                Some(Found { value, length }) => {
                    energy = value;
                    shift *= 0.1;
                    if length <= SMALLEST_STEP * size && limits.regularisation == 0.0 {
                        return Ok(());
                    }
                }
                None if residual <= limits.tolerance => return Ok(()),
                None if limits.regularisation > 0.0 && shift < 1e6 => {
                    shift = (shift * 100.0).max(limits.regularisation);
                }
                None => break,
            }
        }
        if residual <= limits.tolerance {
            return Ok(());
        }
        Err(StepFailure::NewtonDiverged {
            iterations: limits.iterations,
            residual,
        })
    }

    /// Φ at given positions.
    fn value(&mut self, problem: &Problem, quadratic: &Quadratic, positions: &[DVec3]) -> f64 {
        let description = problem.body.description();
        self.form_velocities(quadratic, positions);
        let mut sum = 0.0;
        for (node, position) in positions.iter().enumerate() {
            let inertia = description.masses[node] * quadratic.inertia_factor;
            let damping = description.dampings[node] * quadratic.damping_factor;
            sum += 0.5 * inertia * (*position - quadratic.inertial[node]).length_squared()
                + 0.5 * damping * (*position - quadratic.previous[node]).length_squared();
        }
        let elastic = self.elasticity.energy(positions);
        let external = self.evaluator.incremental_potential(
            problem,
            positions,
            &self.velocities,
            quadratic.time,
            quadratic.step,
        );
        self.rounding = 8.0 * f64::EPSILON * (sum + elastic + external.abs());
        sum + elastic + external
    }

    fn form_velocities(&mut self, quadratic: &Quadratic, positions: &[DVec3]) {
        if quadratic.step > 0.0 {
            for (node, velocity) in self.velocities.iter_mut().enumerate() {
                *velocity = (positions[node] - quadratic.previous[node]) / quadratic.step;
            }
        }
    }

    /// Gradient and positive Hessian of Φ; returns the largest entry of its diagonal.
    fn differentiate(
        &mut self,
        problem: &Problem,
        quadratic: &Quadratic,
        shift: f64,
        positions: &[DVec3],
    ) -> f64 {
        let description = problem.body.description();
        self.form_velocities(quadratic, positions);
        self.evaluator.evaluate_with_directions(
            problem,
            positions,
            &self.velocities,
            quadratic.time,
            quadratic.step,
            &mut self.loads,
        );
        self.gradient.fill(DVec3::ZERO);
        self.elasticity.add_gradient(positions, &mut self.gradient);
        self.matrix.clear();
        self.elasticity
            .add_hessian(positions, Curvature::Positive, &mut self.matrix);
        let mut largest: f64 = 0.0;
        for (node, &position) in positions.iter().enumerate() {
            let inertia = description.masses[node] * quadratic.inertia_factor;
            let damping = description.dampings[node] * quadratic.damping_factor;
            self.gradient[node] += inertia * (position - quadratic.inertial[node])
                + damping * (position - quadratic.previous[node])
                - self.loads.forces[node];
            if description.fixed[node] {
                self.gradient[node] = DVec3::ZERO;
            }
            let diagonal = DMat3::from_diagonal(DVec3::splat(inertia + damping));
            self.matrix
                .add(node, node, diagonal + self.loads.blocks[node]);
            let block = self.matrix.block(self.matrix.diagonal_slot(node));
            largest = largest
                .max(block.x_axis.x)
                .max(block.y_axis.y)
                .max(block.z_axis.z);
        }
        if shift > 0.0 {
            let diagonal = DMat3::from_diagonal(DVec3::splat(shift * largest.max(1e-300)));
            for node in 0..positions.len() {
                self.matrix.add(node, node, diagonal);
            }
        }
        self.matrix.pin(&description.fixed);
        self.fill_companion(problem, quadratic, positions);
        largest
    }

    fn fill_companion(&mut self, problem: &Problem, quadratic: &Quadratic, positions: &[DVec3]) {
        let Some((matrix, constant)) = &mut self.companion else {
            return;
        };
        let description = problem.body.description();
        copy_values(constant, matrix);
        self.elasticity
            .add_gradient_and_weigh(positions, &mut self.unused);
        self.elasticity.add_majorant(matrix);
        if let Some(slot) = matrix.diagonal_of(0) {
            for (node, value) in matrix.values_mut(slot).iter_mut().enumerate() {
                let inertia = description.masses[node] * quadratic.inertia_factor;
                let damping = description.dampings[node] * quadratic.damping_factor;
                *value += inertia + damping + self.loads.stiffness[node];
                // Statics has no inertia: keep the companion definite.
                *value *= 1.0 + 1e-9;
            }
        }
        matrix.scale_identity_rows(&description.fixed);
    }

    /// Solves H direction = -gradient.
    fn solve(
        &mut self,
        problem: &Problem,
    ) -> Result<crate::linear::SolveReport, crate::linear::LinearError> {
        let fixed = &problem.body.description().fixed;
        for (node, value) in self.unused.iter_mut().enumerate() {
            *value = if fixed[node] {
                DVec3::ZERO
            } else {
                -self.gradient[node]
            };
        }
        self.direction.fill(DVec3::ZERO);
        let companion = self.companion.as_ref().map(|(matrix, _)| matrix);
        self.solver.prepare(&self.matrix)?;
        self.solver
            .solve(&self.matrix, companion, &self.unused, &mut self.direction)
    }

    /// Backtracks along the direction until Φ falls (or changes by no more than rounding); moves
    /// the positions there.
    fn search(
        &mut self,
        problem: &Problem,
        quadratic: &Quadratic,
        energy: f64,
        positions: &mut [DVec3],
    ) -> Option<Found> {
        let slope = dot(&self.gradient, &self.direction);
        if slope.is_nan() || slope >= 0.0 {
            return None;
        }
        let longest = self
            .direction
            .iter()
            .map(|d| d.length())
            .fold(0.0, f64::max);
        let mut trial = std::mem::take(&mut self.trial);
        let mut factor = 1.0;
        let mut found = None;
        for _ in 0..24 {
            for (node, target) in trial.iter_mut().enumerate() {
                *target = positions[node] + factor * self.direction[node];
            }
            let value = self.value(problem, quadratic, &trial);
            if value <= energy + 1e-4 * factor * slope + self.rounding {
                positions.copy_from_slice(&trial);
                found = Some(Found {
                    value,
                    length: factor * longest,
                });
                break;
            }
            factor *= 0.5;
        }
        self.trial = trial;
        found
    }
}
