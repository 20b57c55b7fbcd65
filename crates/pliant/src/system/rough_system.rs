//! The system of a sheet on a grid in single precision: its matrix goes from the energy to the rough
//! solves of Newton's method without a detour over blocks of `f64`.
//!
//! Nodes that are fixed or bound stay in the matrix; the iteration projects them out. Where a solve
//! does not come to its end, or stiffness outweighs inertia too far, the stage goes on with the
//! matrix of `f64` and its solver.

use super::mover::Mover;
use super::rule::Stage;
use crate::body::{Body, IntegratorKind, Problem};
use crate::energy::Energy;
use crate::linear::{
    EASY, FINEST, Goal, Held, LaneField, LinearError, PATIENCE, RoughIteration, SolveReport,
    SolverKind, StencilBlocks, SweptMatrix,
};
use crate::math::parallel::dot;
use glam::{DMat3, DVec3};

/// Matrix and solver; see the module.
#[derive(Debug)]
pub(super) struct RoughSystem {
    pub(super) matrix: StencilBlocks,
    swept: SweptMatrix,
    iteration: RoughIteration,
    /// x and A x.
    fields: [LaneField; 2],
    /// Nodes that are fixed, and after them those that obstacles bind.
    held: Vec<Held>,
    fixed: usize,
}

impl RoughSystem {
    /// For a body with one energy, if that has a stencil and nothing asks for another solver.
    pub(super) fn new(body: &Body, energies: &[Box<dyn Energy>]) -> Option<Self> {
        let description = body.description();
        let suits = body.is_sheet()
            && description.solver.kind == SolverKind::Automatic
            && description.scheme() != IntegratorKind::Static
            && description.rayleigh[1] == 0.0;
        let [energy] = energies else {
            return None;
        };
        let matrix = energy.stencil().filter(|_| suits)?;
        let fixed = description.fixed.iter().enumerate();
        let fixed = fixed.filter(|(_, fixed)| **fixed);
        let mut held: Vec<Held> = Vec::with_capacity(2 * description.fixed.len());
        held.extend(fixed.map(|(node, _)| (node as u32, DMat3::ZERO)));
        let swept = matrix.swept();
        Some(Self {
            iteration: RoughIteration::new(&swept),
            swept,
            fields: [matrix.field(), matrix.field()],
            fixed: held.len(),
            held,
            matrix,
        })
    }

    /// Whether solves may be as rough as this.
    pub(super) fn serves(&self, tolerance: f64) -> bool {
        tolerance >= FINEST
    }

    /// Whether conjugate gradients will do.
    pub(super) fn is_easy(&self) -> bool {
        self.matrix.stiffness_ratio() < EASY
    }

    /// Solves for a direction, which comes in as the first guess.
    pub(super) fn solve(
        &mut self,
        bound: &[Held],
        right_side: &[DVec3],
        tolerance: f64,
        direction: &mut [DVec3],
    ) -> Result<SolveReport, LinearError> {
        self.held.truncate(self.fixed);
        self.held.extend_from_slice(bound);
        self.matrix.finish();
        self.matrix.copy_to(&mut self.swept, &self.held)?;
        self.iteration.relax(self.matrix.stiffness_ratio());
        let size = dot(right_side, right_side).sqrt();
        let goal = Goal {
            residual: tolerance * size,
            iterations: PATIENCE,
        };
        let (matrix, held) = (&self.matrix, &self.held);
        let [field, product] = &mut self.fields;
        let room = matrix.room();
        let measure = |x: &[DVec3], rest: &mut [DVec3]| {
            field.fill_from(x, room, 1.0);
            matrix.multiply(field, product);
            for (node, rest) in rest.iter_mut().enumerate() {
                *rest = right_side[node] - product.get(room + node);
            }
            for &(node, free) in held {
                rest[node as usize] = free * rest[node as usize];
            }
        };
        let solved = self
            .iteration
            .solve(&self.swept, right_side, direction, goal, measure)?;
        Ok(SolveReport {
            iterations: solved.iterations,
            residual: solved.residual,
            // Conjugate gradients in `f32` know their residual to a few digits.
            converged: solved.residual <= 1.01 * tolerance,
            ..SolveReport::default()
        })
    }
}

impl Mover {
    /// The Hessian of the potential without contact, into the matrix that this stage solves with.
    pub(super) fn assemble_system(
        &mut self,
        problem: &Problem,
        stage: &Stage,
        x: &[DVec3],
        shift: f64,
    ) {
        if self.is_rough {
            self.assemble_roughly(problem, stage, x);
            self.is_rough = self.rough.as_ref().is_some_and(RoughSystem::is_easy);
        }
        if !self.is_rough {
            self.assemble(problem, stage, x, shift);
        }
    }

    /// The Hessian of the potential without contact, into the matrix of the rough system.
    fn assemble_roughly(&mut self, problem: &Problem, stage: &Stage, x: &[DVec3]) {
        let Some(mut rough) = self.rough.take() else {
            return;
        };
        let masses = &problem.body.description().masses;
        for energy in &mut self.energies {
            let from = &self.foreseen_from[..masses.len()];
            energy.fill_stencil(&x[..masses.len()], from, &mut rough.matrix);
        }
        for (node, mass) in masses.iter().enumerate() {
            let diagonal = stage.inertia() * mass + stage.rate * self.drag(problem, node);
            let inertia = DMat3::from_diagonal(DVec3::splat(diagonal));
            rough
                .matrix
                .set_added(node, inertia + self.loads.blocks[node]);
        }
        self.rough = Some(rough);
    }
}
