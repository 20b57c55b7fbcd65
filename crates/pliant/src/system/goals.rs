//! When Newton's method has come near enough.

use crate::body::Body;
use crate::linear::SolverKind;

/// What the last iteration may promise, by the kinetic and elastic energy of the stage.
const PROMISE: f64 = 1e-5;

/// When Newton's method has come near enough.
///
/// A solid ends by what is left of the series of its steps: then it is at rest or turns as it should.
/// A sheet has buckling modes that are all but free: their steps come to an end late and promise
/// nothing, so that a sheet ends by what a step promises; each step rests on a rough linear solve.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goals {
    /// Largest relative residual of a linear solve.
    pub(super) forcing: f64,
    /// Length of the last step by the spacing; of the steps that are left for a solid.
    pub(super) length: f64,
    /// What the last step may promise, by the kinetic and elastic energy,
    pub(super) promise: f64,
    /// or by the energy of a motion by so much of the spacing per stage.
    pub(super) drift: f64,
    /// Change of the limits of friction from one iteration to the next, by their size. The forces on
    /// single nodes of a sheet are as rough as its solves; their sum is not.
    pub(super) friction: f64,
    pub(super) by_series: bool,
}

impl Goals {
    /// Whether linear solves are rough.
    pub(super) fn is_rough(&self) -> bool {
        !self.by_series
    }

    pub(super) fn new(body: &Body) -> Self {
        let description = body.description();
        // Newton's method squares the error: its linear solves need only the root of the tolerance.
        let root = description.solver.tolerance.max(1e-12).sqrt();
        let tolerance = description.newton_tolerance.min(10.0 * root);
        // What is rigid has no buckling modes.
        let is_soft = body.state.controls.is_empty();
        if body.is_sheet() && is_soft {
            Self {
                forcing: match description.solver.kind {
                    SolverKind::Automatic => (100.0 * tolerance).min(0.1),
                    _ => (0.1 * tolerance).min(1e-4),
                },
                length: 100.0 * tolerance,
                promise: 0.1 * tolerance,
                drift: tolerance,
                friction: (100.0 * tolerance).min(0.1),
                by_series: false,
            }
        } else {
            Self {
                forcing: root.min(1e-2),
                length: tolerance,
                promise: PROMISE,
                drift: 0.0,
                friction: 0.01,
                by_series: true,
            }
        }
    }
}
