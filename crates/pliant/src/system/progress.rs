//! How far Newton's method has come in a stage of a step.

use super::mover::Mover;
use super::rule::Stage;
use super::true_hessian::TrueHessian;
use crate::body::Problem;

/// Start of the regularisation of statics, relative to the stiffness.
pub(super) const REGULARISATION: f64 = 1e-9;

/// The smallest and the largest of it.
const LEAST_SHIFT: f64 = 1e-4 * REGULARISATION;
const LARGEST_SHIFT: f64 = 1e3;

/// Newton iterations of statics for each one that a step has.
const STATIC_ITERATIONS: usize = 25;

/// Statics is given up after so many iterations without a new low of the residual or a move by this share of
/// the spacing.
pub(super) const STALLED: (usize, f64) = (60, 1e-3);

/// The step, in seconds, for which the goals of sheets are as they stand. What shorter steps leave adds up over more
/// of them: an error of the same size in each would be a force that grows as steps become shorter.
const USUAL_STEP: f64 = 1.0 / 60.0;

/// Share of the residual of linear solves that a body may have which nothing holds.
const FREE: f64 = 0.3;

/// What keeps the matrix of statics definite in a search of bodies that touch; nothing in motion, whose inertia does.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct StaticShift {
    is_static: bool,
    /// Share of the largest entry of the matrix of each body that is added to its diagonal.
    pub(super) share: f64,
}

impl StaticShift {
    pub(super) fn new(stage: &Stage) -> Self {
        let is_static = stage.rate == 0.0;
        let share = if is_static { REGULARISATION } else { 0.0 };
        Self { is_static, share }
    }

    /// Makes the matrix more definite; returns whether there is a way to.
    pub(super) fn grow(&mut self) -> bool {
        let helps = self.is_static && self.share < LARGEST_SHIFT;
        if helps {
            self.share = (100.0 * self.share).max(REGULARISATION);
        }
        helps
    }

    /// Makes it less so after a step that went well.
    pub(super) fn shrink(&mut self) {
        if self.is_static {
            self.share = (0.1 * self.share).max(LEAST_SHIFT);
        }
    }

    /// Whether steps are as short as the forces that are left say, not as it makes them.
    pub(super) fn is_small(&self) -> bool {
        self.share <= REGULARISATION
    }
}

/// How far a search has come.
#[derive(Clone, Copy, Debug)]
pub(super) struct Progress {
    pub(super) is_static: bool,
    pub(super) tolerance: f64,
    /// Tolerance of the linear solver.
    pub(super) forcing: f64,
    /// A promise below this moves the body by too little to matter, in joules.
    pub(super) drift: f64,
    /// What the last step may promise, by the kinetic and elastic energy.
    pub(super) promise: f64,
    /// Share of the stiffness that is added to the matrix of statics, and what of it always stays:
    /// motions that the energy leaves free, such as those of a flat sheet out of its plane, would make
    /// the matrix singular.
    pub(super) shift: f64,
    pub(super) least_shift: f64,
    /// Sizes of the right side: the largest so far, and the last one relative to it.
    pub(super) first: f64,
    pub(super) residual: f64,
    /// The lowest size of the right side so far, in newtons, and iterations since then or since the body moved.
    pub(super) lowest: f64,
    pub(super) stalled: usize,
    /// What rounding leaves of the right side of statics where forces are in balance, in newtons.
    pub(super) rounding: f64,
    pub(super) last_length: f64,
    pub(super) true_hessian: TrueHessian,
    pub(super) settled: bool,
}

impl Progress {
    pub(super) fn new(mover: &Mover, problem: &Problem, stage: &Stage) -> Self {
        let description = problem.body.description();
        let is_static = stage.rate == 0.0;
        let tolerance = description.solver.tolerance.max(1e-12);
        let goals = mover.goals;
        let mass: f64 = description.masses.iter().sum();
        let haste = (problem.step / USUAL_STEP).min(1.0);
        let (shift, least_shift) = match is_static {
            true => (REGULARISATION, LEAST_SHIFT),
            false => (0.0, 0.0),
        };
        Self {
            is_static,
            tolerance,
            forcing: match is_static || mover.is_linear {
                true => tolerance,
                // What a rough solve leaves of a free body adds up to spin.
                false if mover.moves_freely() => FREE * goals.forcing,
                false => goals.forcing,
            },
            drift: 0.5 * mass * (goals.drift * mover.spacing * stage.rate * haste * haste).powi(2),
            promise: match goals.is_rough() {
                true => haste * goals.promise,
                false => goals.promise,
            },
            shift,
            least_shift,
            first: 0.0,
            residual: f64::INFINITY,
            lowest: f64::INFINITY,
            stalled: 0,
            rounding: 0.0,
            last_length: 1e-4 * mover.close(),
            true_hessian: TrueHessian::new(mover.serves_true_hessian(is_static)),
            settled: false,
        }
    }

    /// Takes note of the size of the right side.
    pub(super) fn note_residual(&mut self, norm: f64, rounding: impl FnOnce() -> f64) {
        if self.is_static {
            self.rounding = rounding();
        }
        self.first = self.first.max(norm);
        self.residual = norm / self.first.max(f64::MIN_POSITIVE);
        if norm <= self.rounding {
            self.residual = 0.0;
        }
        self.stalled += 1;
        if norm < 0.999 * self.lowest {
            self.lowest = norm;
            self.stalled = 0;
        }
    }

    /// How many iterations there may be.
    pub(super) fn most_iterations(&self, problem: &Problem) -> usize {
        let of_step = problem.body.description().newton_iterations;
        if self.is_static {
            STATIC_ITERATIONS * of_step
        } else {
            of_step
        }
    }

    /// Whether statics comes no nearer to a balance of forces.
    pub(super) fn is_stalled(&self) -> bool {
        self.is_static && self.stalled > STALLED.0
    }

    /// Makes the matrix of statics more definite; returns whether there is a way to.
    pub(super) fn regularise(&mut self) -> bool {
        let helps = self.is_static && self.shift < LARGEST_SHIFT;
        if helps {
            self.shift = (100.0 * self.shift).max(REGULARISATION);
        }
        helps
    }

    /// Whether statics has come to a balance of forces.
    pub(super) fn is_balanced(&self, share: f64) -> bool {
        self.is_static && self.residual <= share * self.tolerance
    }
}
