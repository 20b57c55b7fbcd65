//! Conjugate gradients: the one loop, for every kind of vector and every preconditioner.
//!
//! ```text
//! z = M⁻¹ r,   β = (r z) / (r z before),   p = z + β p,   α = (r z) / (p A p),   x += α p,   r -= α A p
//! ```
//!
//! What differs from solver to solver is how vectors are stored (by components, by nodes, on a sheet; in
//! `f64` or `f32`), which of these lines one pass over memory does together, and how many components have
//! step sizes of their own. A solver therefore brings its passes ([`Passes`]); the order of them, the ends
//! and the errors are here. The loop is compiled for each of them, and the passes take all of the time: no
//! solver is faster with a loop of its own.
//!
//! x may lack the last step when the loop ends, since the pass that turns the direction also adds the step
//! before: [`Recurrence::alpha`] is that step.
//!
//! Implements: \[Hestenes1952\].

use super::LinearError;
use super::method::Goal;

/// A component whose r z is below this has converged beyond what numbers can tell.
pub(crate) const UNDERFLOW: f64 = 1e-290;

/// The passes of an iteration over vectors of which `C` components have step sizes of their own.
pub(crate) trait Passes<const C: usize> {
    /// z = M⁻¹ r; gives r z.
    fn precondition(&mut self) -> Result<[f64; C], LinearError>;

    /// β. Where rounding or the preconditioner spoil that directions are conjugate, another than this one
    /// mends it.
    fn continuation(&mut self, rz: [f64; C], before: [f64; C]) -> [f64; C] {
        std::array::from_fn(|c| ratio(rz[c], before[c]))
    }

    /// x += α p with the α before (unless `reduce` has done it), then p = z + β p.
    fn advance(&mut self, alpha: [f64; C], beta: [f64; C]);

    /// q = A p; gives p q.
    fn multiply(&mut self) -> [f64; C];

    /// r p, which is r z where z is conjugate to the direction that it continues.
    fn along(&mut self, rz: [f64; C]) -> [f64; C] {
        rz
    }

    /// r -= α q; gives the squares whose sum is held against that of the goal, such as r r.
    fn reduce(&mut self, alpha: [f64; C]) -> [f64; C];
}

/// What an iteration hands to the next.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Recurrence<const C: usize> {
    /// The squares of [`Passes::reduce`].
    pub(crate) squares: [f64; C],
    /// r z that the last direction was made from; zero if there is none.
    pub(crate) rz: [f64; C],
    /// The step along the last direction that x lacks.
    pub(crate) alpha: [f64; C],
    /// Iterations so far.
    pub(crate) iterations: usize,
    /// What they have gained.
    pub(crate) gains: Gains,
}

/// What the last iterations have lowered the energy ½ x A x - b x by: each by α r z / 2. The sum of those to come
/// is the energy of the error (\[Hestenes1952\] theorem 6:1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Gains {
    /// Twice the sums after the last iterations, in a ring.
    sums: [f64; GAINS],
    count: usize,
}

/// Iterations whose gains are kept.
const GAINS: usize = 64;

/// The fewest iterations, and the share of all, whose gain tells what is left to gain.
const TELLING: (usize, usize) = (4, 4);

impl Default for Gains {
    fn default() -> Self {
        Self {
            sums: [0.0; GAINS],
            count: 0,
        }
    }
}

impl Gains {
    fn add(&mut self, gain: f64) {
        let before = self.total();
        self.count += 1;
        self.sums[self.count % GAINS] = before + gain;
    }

    fn total(&self) -> f64 {
        self.sums[self.count % GAINS]
    }

    /// Whether the last iterations have gained no more than a share of what all have.
    pub(crate) fn have_settled(&self, share: f64) -> bool {
        let last = (self.count / TELLING.1).clamp(TELLING.0, GAINS - 1);
        if self.count < last {
            return false;
        }
        let before = self.sums[(self.count - last) % GAINS];
        self.total() - before <= share * self.total()
    }
}

impl<const C: usize> Recurrence<C> {
    /// Before the first iteration, with the squares of the first residual.
    pub(crate) fn new(squares: [f64; C]) -> Self {
        Self {
            squares,
            rz: [0.0; C],
            alpha: [0.0; C],
            iterations: 0,
            gains: Gains::default(),
        }
    }

    /// The size of the residual.
    pub(crate) fn size(&self) -> f64 {
        self.squares.iter().sum::<f64>().sqrt()
    }

    /// Iterates until the residual or the number of iterations is that of the goal, or until no number can
    /// tell what is left from zero.
    #[inline]
    pub(crate) fn run(
        &mut self,
        system: &mut impl Passes<C>,
        goal: Goal,
    ) -> Result<(), LinearError> {
        loop {
            let size = self.size();
            if !size.is_finite() {
                return Err(LinearError::NotFinite);
            }
            if size <= goal.residual || self.iterations >= goal.iterations {
                return Ok(());
            }
            let rz = system.precondition()?;
            if rz.iter().all(|&rz| rz < UNDERFLOW) {
                return Ok(());
            }
            let beta = system.continuation(rz, self.rz);
            let alpha = std::mem::replace(&mut self.alpha, [0.0; C]);
            system.advance(alpha, beta);
            self.rz = rz;
            let curvature = system.multiply();
            let along = system.along(rz);
            let mut alpha = [0.0; C];
            for c in 0..C {
                alpha[c] = step_size(along[c], curvature[c], self.iterations)?;
            }
            self.alpha = alpha;
            self.gains.add((0..C).map(|c| alpha[c] * along[c]).sum());
            self.squares = system.reduce(alpha);
            self.iterations += 1;
        }
    }
}

/// alpha = (r z) / (p A p); zero for a component that has converged beyond what numbers can tell.
fn step_size(rz: f64, curvature: f64, iteration: usize) -> Result<f64, LinearError> {
    if rz < UNDERFLOW {
        Ok(0.0)
    } else if !curvature.is_finite() || rz.is_nan() {
        Err(LinearError::NotFinite)
    } else if curvature <= 0.0 {
        Err(LinearError::NegativeCurvature { iteration })
    } else {
        Ok(rz / curvature)
    }
}

/// beta = (r z)' / (r z), zero where nothing is left.
pub(crate) fn ratio(next: f64, last: f64) -> f64 {
    if last < UNDERFLOW { 0.0 } else { next / last }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A diagonal matrix, with two components that have step sizes of their own.
    struct Diagonal {
        matrix: Vec<f64>,
        x: [Vec<f64>; 2],
        r: [Vec<f64>; 2],
        p: [Vec<f64>; 2],
    }

    fn dot(a: &[f64], b: impl Iterator<Item = f64>) -> f64 {
        a.iter().zip(b).map(|(a, b)| a * b).sum()
    }

    impl Diagonal {
        fn new(matrix: &[f64], rhs: [&[f64]; 2]) -> Self {
            let zeros = || [vec![0.0; matrix.len()], vec![0.0; matrix.len()]];
            Self {
                matrix: matrix.to_vec(),
                x: zeros(),
                r: rhs.map(<[f64]>::to_vec),
                p: zeros(),
            }
        }

        fn solve(&mut self, residual: f64, iterations: usize) -> Result<usize, LinearError> {
            let squares = [0, 1].map(|c| dot(&self.r[c], self.r[c].iter().copied()));
            let mut recurrence = Recurrence::new(squares);
            let goal = Goal {
                residual,
                iterations,
            };
            let result = recurrence.run(self, goal);
            self.advance(recurrence.alpha, [0.0; 2]);
            result.map(|()| recurrence.iterations)
        }
    }

    impl Passes<2> for Diagonal {
        fn precondition(&mut self) -> Result<[f64; 2], LinearError> {
            Ok([0, 1].map(|c| dot(&self.r[c], self.r[c].iter().copied())))
        }

        fn advance(&mut self, alpha: [f64; 2], beta: [f64; 2]) {
            for c in 0..2 {
                for i in 0..self.matrix.len() {
                    self.x[c][i] += alpha[c] * self.p[c][i];
                    self.p[c][i] = self.r[c][i] + beta[c] * self.p[c][i];
                }
            }
        }

        fn multiply(&mut self) -> [f64; 2] {
            let matrix = &self.matrix;
            self.p.each_ref().map(|p| {
                let squares = p.iter().map(|p| p * p);
                dot(matrix, squares)
            })
        }

        fn reduce(&mut self, alpha: [f64; 2]) -> [f64; 2] {
            [0, 1].map(|c| {
                for i in 0..self.matrix.len() {
                    self.r[c][i] -= alpha[c] * self.matrix[i] * self.p[c][i];
                }
                dot(&self.r[c], self.r[c].iter().copied())
            })
        }
    }

    #[test]
    fn as_many_iterations_as_eigenvalues() {
        let mut system = Diagonal::new(&[1.0, 4.0, 9.0], [&[1.0, 1.0, 1.0], &[0.0, 2.0, 0.0]]);
        assert_eq!(system.solve(1e-12, 100), Ok(3));
        for (found, expected) in system.x[0].iter().zip([1.0, 0.25, 1.0 / 9.0]) {
            assert!((found - expected).abs() < 1e-12);
        }
        assert_eq!(system.x[1], [0.0, 0.5, 0.0]);
    }

    #[test]
    fn ends_are_told_apart() {
        let rhs: [&[f64]; 2] = [&[1.0, 1.0], &[0.0, 0.0]];
        assert_eq!(Diagonal::new(&[1.0, 4.0], rhs).solve(0.0, 1), Ok(1));
        assert_eq!(
            Diagonal::new(&[1.0, 4.0], [&[0.0; 2]; 2]).solve(0.0, 9),
            Ok(0)
        );
        let negative = Diagonal::new(&[1.0, -4.0], rhs).solve(0.0, 9);
        assert_eq!(
            negative,
            Err(LinearError::NegativeCurvature { iteration: 0 })
        );
        let infinite = Diagonal::new(&[1.0, f64::INFINITY], rhs).solve(0.0, 9);
        assert_eq!(infinite, Err(LinearError::NotFinite));
        let unknown = Diagonal::new(&[1.0, 4.0], [&[f64::NAN, 0.0], &[0.0; 2]]).solve(0.0, 9);
        assert_eq!(unknown, Err(LinearError::NotFinite));
    }
}
