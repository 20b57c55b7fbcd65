//! The system of a sheet in single precision: its matrix goes from the energies to the rough solves of
//! Newton's method without a detour over blocks of `f64`, by the stencil of a grid or over a mesh.
//!
//! Nodes that are fixed or bound stay in the matrix; the iteration projects them out. Where a solve
//! does not come to its end, or stiffness outweighs inertia too far, the stage goes on with the
//! matrix of `f64` and its solver.

use super::mover::Mover;
use super::rule::Stage;
use crate::body::{Body, IntegratorKind, Problem};
use crate::energy::Energy;
use crate::linear::{
    BlockMatrix, EASY, FINEST, Goal, HalfBlocks, Held, LaneField, LinearError, NodeBlocks,
    PATIENCE, RoughIteration, SolveReport, SolverKind, StencilBlocks, SweptMatrix,
};
use crate::math::parallel::dot;
use glam::{DMat3, DVec3};

/// The matrix of a sheet, as its energies fill it.
#[derive(Debug)]
pub(super) enum RoughMatrix {
    /// On a grid; and x and A x.
    Stencil(StencilBlocks, [LaneField; 2]),
    /// Over a mesh.
    Half(HalfBlocks),
}

impl RoughMatrix {
    /// That which all of the energies can fill.
    fn new(pattern: &BlockMatrix, energies: &mut [Box<dyn Energy>]) -> Option<Self> {
        if let [energy] = energies
            && let Some(stencil) = energy.stencil()
        {
            let fields = [stencil.field(), stencil.field()];
            return Some(Self::Stencil(stencil, fields));
        }
        let half = HalfBlocks::new(pattern);
        let attached = energies.iter_mut().all(|energy| energy.attach_half(&half));
        (attached && !energies.is_empty()).then_some(Self::Half(half))
    }

    /// Its blocks of nodes with themselves.
    pub(super) fn nodes(&self) -> &dyn NodeBlocks {
        match self {
            Self::Stencil(stencil, _) => stencil,
            Self::Half(half) => half,
        }
    }

    /// The same, for contact to add to.
    pub(super) fn nodes_mut(&mut self) -> &mut dyn NodeBlocks {
        match self {
            Self::Stencil(stencil, _) => stencil,
            Self::Half(half) => half,
        }
    }

    /// Calls `visit` with every other node that a node is coupled with and Aᵀ v for the block in the
    /// row of `node`.
    pub(super) fn visit_row(&self, node: usize, v: DVec3, visit: &mut dyn FnMut(usize, DVec3)) {
        match self {
            Self::Stencil(stencil, _) => stencil.visit_row(node, v, visit),
            Self::Half(half) => half.visit_row(node, v, visit),
        }
    }

    /// Room for a copy that can be swept.
    fn swept(&self) -> SweptMatrix {
        match self {
            Self::Stencil(stencil, _) => stencil.swept(),
            Self::Half(half) => SweptMatrix::new(half),
        }
    }

    /// Fills it with the positive Hessian of the energies at x; see `Energy::fill_stencil` for `from`.
    fn fill(&mut self, energies: &mut [Box<dyn Energy>], x: &[DVec3], from: &[DVec3]) {
        match self {
            Self::Stencil(stencil, _) => {
                for energy in energies {
                    energy.fill_stencil(x, from, stencil);
                }
            }
            Self::Half(half) => {
                half.clear();
                for energy in energies {
                    energy.add_half_hessian(x, half);
                }
            }
        }
    }

    /// Says what is added to the elasticity of a node.
    fn set_added(&mut self, node: usize, block: DMat3) {
        match self {
            Self::Stencil(stencil, _) => stencil.set_added(node, block),
            Self::Half(half) => half.set_added(node, block),
        }
    }

    /// Stiffness by inertia.
    fn stiffness_ratio(&self) -> f64 {
        match self {
            Self::Stencil(stencil, _) => stencil.stiffness_ratio(),
            Self::Half(half) => half.stiffness_ratio(),
        }
    }

    /// Copies the matrix when all has been added, of which some nodes are held.
    fn copy_to(&mut self, swept: &mut SweptMatrix, held: &[Held]) -> Result<(), LinearError> {
        match self {
            Self::Stencil(stencil, _) => {
                stencil.finish();
                stencil.copy_to(swept, held)
            }
            Self::Half(half) => half.copy_to(swept, held),
        }
    }

    /// b - A x.
    fn take_residual(&mut self, b: &[DVec3], x: &[DVec3], rest: &mut [DVec3]) {
        match self {
            Self::Stencil(stencil, [field, product]) => {
                let room = stencil.room();
                field.fill_from(x, room, 1.0);
                stencil.multiply(field, product);
                for (node, rest) in rest.iter_mut().enumerate() {
                    *rest = b[node] - product.get(room + node);
                }
            }
            Self::Half(half) => {
                half.multiply(x, rest);
                for (rest, b) in rest.iter_mut().zip(b) {
                    *rest = *b - *rest;
                }
            }
        }
    }
}

/// Matrix and solver; see the module.
#[derive(Debug)]
pub(super) struct RoughSystem {
    pub(super) matrix: RoughMatrix,
    swept: SweptMatrix,
    iteration: RoughIteration,
    /// Nodes that are fixed, and after them those that obstacles bind.
    held: Vec<Held>,
    fixed: usize,
}

impl RoughSystem {
    /// For a body whose energies all fill such a matrix, if nothing asks for another solver. `pattern` is that
    /// of the matrix of `f64`.
    pub(super) fn new(
        body: &Body,
        pattern: &BlockMatrix,
        energies: &mut [Box<dyn Energy>],
    ) -> Option<Self> {
        let description = body.description();
        let suits = body.is_sheet()
            && description.solver.kind == SolverKind::Automatic
            && description.scheme() != IntegratorKind::Static
            && description.rayleigh[1] == 0.0;
        if !suits {
            return None;
        }
        let matrix = RoughMatrix::new(pattern, energies)?;
        let fixed = description.fixed.iter().enumerate();
        let fixed = fixed.filter(|(_, fixed)| **fixed);
        let mut held: Vec<Held> = Vec::with_capacity(2 * description.fixed.len());
        held.extend(fixed.map(|(node, _)| (node as u32, DMat3::ZERO)));
        let swept = matrix.swept();
        Some(Self {
            iteration: RoughIteration::new(&swept),
            swept,
            fixed: held.len(),
            held,
            matrix,
        })
    }

    /// Lets energies that have taken the place of others look up their blocks.
    pub(super) fn attach(&self, energies: &mut [Box<dyn Energy>]) {
        if let RoughMatrix::Half(half) = &self.matrix {
            for energy in energies {
                energy.attach_half(half);
            }
        }
    }

    /// Whether the motion that velocities foretell is no first guess where obstacles hold nodes: over a mesh a step
    /// that begins so may lead away from where friction lets the potential fall.
    pub(super) fn is_misled_by_contact(&self) -> bool {
        matches!(self.matrix, RoughMatrix::Half(_))
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
        self.matrix.copy_to(&mut self.swept, &self.held)?;
        self.iteration.relax(self.matrix.stiffness_ratio());
        let size = dot(right_side, right_side).sqrt();
        let goal = Goal {
            residual: tolerance * size,
            iterations: PATIENCE,
        };
        let (matrix, held) = (&mut self.matrix, &self.held);
        let measure = |x: &[DVec3], rest: &mut [DVec3]| {
            matrix.take_residual(right_side, x, rest);
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
        let from = &self.foreseen_from[..masses.len()];
        rough
            .matrix
            .fill(&mut self.energies, &x[..masses.len()], from);
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
