//! How a solver sees to the residual that was asked for: a direct solution is refined, an iteration
//! starts anew from the true residual.

use super::method::Goal;
use super::{ENDLESS, LinearError, SolveReport, SolverSettings};
use crate::math::parallel::for_each_chunk_mut;
use glam::DVec3;
use std::ops::{AddAssign, Sub, SubAssign};

/// A direct solution whose residual is above this is refined.
const REFINE_ABOVE: f64 = 1e-12;
/// Most refinement steps of a direct solution.
const REFINEMENTS: usize = 2;
/// A direct solution with this residual counts as converged whatever the tolerance.
const DIRECT_RESIDUAL: f64 = 1e-8;
/// What rounding may leave of the products of the matrix and a direct solution.
const ROUNDING: f64 = 16.0 * f64::EPSILON;
/// A restarted iteration that leaves more than this part of the residual has stagnated.
const STAGNATION: f64 = 0.9;

/// What a field has for each row: a number or a vector.
pub(super) trait Entry:
    Copy + AddAssign + SubAssign + Sub<Output = Self> + Send + Sync
{
}

impl Entry for f64 {}
impl Entry for DVec3 {}

/// A matrix and the method that solves with it.
pub(super) trait System {
    /// Of what fields are made.
    type Value: Entry;

    /// As `GridMethod::solve`.
    fn solve(
        &mut self,
        rhs: &[Self::Value],
        x: &mut [Self::Value],
        goal: Goal,
    ) -> Result<usize, LinearError>;

    /// The residual of the last solve, where the method knows it exactly.
    fn known_residual(&self) -> Option<f64> {
        None
    }

    fn multiply(&self, x: &[Self::Value], product: &mut [Self::Value]);

    fn norm(values: &[Self::Value]) -> f64;

    /// The size of the matrix: its largest entry on the diagonal.
    fn size(&self) -> f64;
}

/// Scratch memory of the control.
pub(super) struct ResidualControl<V> {
    pub(super) residual: Vec<V>,
    /// As long, for direct methods.
    pub(super) correction: Vec<V>,
}

/// What rounding leaves of a residual: beside a matrix that is far from even the products that cancel in it are much
/// larger than the right side, and no solution has less.
fn rounding_of<S: System>(system: &S, x: &[S::Value]) -> f64 {
    ROUNDING * system.size() * S::norm(x)
}

impl<V: Entry> ResidualControl<V> {
    /// Solves with a direct method; `size` is |b|.
    pub(super) fn solve_directly<S: System<Value = V>>(
        &mut self,
        system: &mut S,
        settings: &SolverSettings,
        (rhs, size): (&[V], f64),
        x: &mut [V],
        report: &mut SolveReport,
    ) -> Result<(), LinearError> {
        let goal = Goal {
            residual: 0.0,
            iterations: 1,
        };
        system.solve(rhs, x, goal)?;
        report.residual = self.measure(system, (rhs, size), x)?;
        while report.residual > REFINE_ABOVE && report.iterations < REFINEMENTS {
            system.solve(&self.residual, &mut self.correction, goal)?;
            for (x, correction) in x.iter_mut().zip(&self.correction) {
                *x += *correction;
            }
            let refined = self.measure(system, (rhs, size), x)?;
            report.iterations += 1;
            if refined >= report.residual {
                for (x, correction) in x.iter_mut().zip(&self.correction) {
                    *x -= *correction;
                }
                break;
            }
            report.residual = refined;
        }
        let wanted = settings.tolerance.max(DIRECT_RESIDUAL) * size;
        report.converged = report.residual * size <= wanted.max(rounding_of(system, x));
        Ok(())
    }

    /// Iterates; where no limit was asked for and the method has not come to its end, `go_on` says what goes on.
    pub(super) fn iterate_to_end<S: System<Value = V>>(
        &mut self,
        system: &mut S,
        go_on: impl FnOnce(&SolverSettings) -> Result<S, LinearError>,
        settings: &SolverSettings,
        rhs: (&[V], f64),
        x: &mut [V],
        report: &mut SolveReport,
    ) -> Result<(), LinearError> {
        let (settings, successor) = settings.with_successor();
        self.iterate(system, &settings, rhs, x, report)?;
        match successor {
            Some(settings) if !report.converged => {
                let mut system = go_on(&settings)?;
                self.iterate(&mut system, &settings, rhs, x, report)
            }
            _ => Ok(()),
        }
    }

    /// Iterates, and starts anew from the true residual where the recurrence has drifted from it;
    /// `size` is |b|.
    fn iterate<S: System<Value = V>>(
        &mut self,
        system: &mut S,
        settings: &SolverSettings,
        (rhs, size): (&[V], f64),
        x: &mut [V],
        report: &mut SolveReport,
    ) -> Result<(), LinearError> {
        let tolerance = settings.tolerance;
        let most = settings.max_iterations.unwrap_or(ENDLESS);
        let first = report.iterations;
        let mut last = f64::INFINITY;
        loop {
            let goal = Goal {
                residual: tolerance * size,
                iterations: first + most - report.iterations,
            };
            let done = system.solve(rhs, x, goal)?;
            report.iterations += done;
            report.residual = match system.known_residual() {
                Some(residual) => residual / size,
                None => self.measure(system, (rhs, size), x)?,
            };
            report.converged =
                report.residual <= tolerance || report.residual * size <= rounding_of(system, x);
            let stuck = done == 0 || report.residual > STAGNATION * last;
            if report.converged || stuck || report.iterations >= first + most {
                return Ok(());
            }
            last = report.residual;
        }
    }

    /// Leaves b - A x in `self.residual` and returns its size relative to that of b.
    fn measure<S: System<Value = V>>(
        &mut self,
        system: &S,
        (rhs, size): (&[V], f64),
        x: &[V],
    ) -> Result<f64, LinearError> {
        system.multiply(x, &mut self.residual);
        for_each_chunk_mut(&mut self.residual, |first, chunk| {
            for (value, b) in chunk.iter_mut().zip(&rhs[first..]) {
                *value = *b - *value;
            }
        });
        let residual = S::norm(&self.residual) / size;
        match residual.is_finite() {
            true => Ok(residual),
            false => Err(LinearError::NotFinite),
        }
    }
}
