//! The local deformation of a superquadric: displacements of its nodes along their rays, held together by the
//! energy of a spline.
//!
//! ```text
//! E(n) = Σ_j (n_{i(j)} - d_j)² + Σ_i w₀ n_i² + w₁ (∇n)_i² + w₂ (Δn)_i²
//! ```
//!
//! d_j is the distance of datum j from the global shape, i(j) the node whose ray is next to its own; ∇ and Δ
//! are differences over neighbours. Where there are no data, w₀ draws the surface back to the global shape.
//!
//! Implements: the local deformations of \[Terzopoulos1991\], whose energy is that of a membrane (w₁ and w₀
//! there).

use crate::linear::{Goal, LinearError, Passes, Recurrence};
use crate::math::parallel::dot_scalar;

/// Weights of the spline energy, beside 1 for each datum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LocalWeights {
    /// w₀, against any displacement.
    pub hold: f64,
    /// w₁, of a membrane.
    pub tension: f64,
    /// w₂, of a thin plate.
    pub rigidity: f64,
}

impl Default for LocalWeights {
    fn default() -> Self {
        Self {
            hold: 0.01,
            tension: 0.05,
            rigidity: 0.05,
        }
    }
}

/// Relative residual at which the iteration ends.
const TOLERANCE: f64 = 1e-10;

/// The displacements with the least energy, for data given as node and distance.
pub(super) fn displacements(
    count: usize,
    links: &[[u32; 2]],
    data: &[(usize, f64)],
    weights: &LocalWeights,
) -> Vec<f64> {
    let zeros = || vec![0.0; count];
    let mut spline = Spline {
        links,
        weights,
        holds: vec![weights.hold; count],
        x: zeros(),
        r: zeros(),
        p: zeros(),
        q: zeros(),
        differences: [zeros(), zeros()],
    };
    for &(node, distance) in data {
        spline.holds[node] += 1.0;
        spline.r[node] += distance;
    }
    let mut recurrence = Recurrence::new([dot_scalar(&spline.r, &spline.r)]);
    let goal = Goal {
        residual: TOLERANCE * recurrence.size(),
        iterations: 4 * count,
    };
    // Data that are no numbers, the one thing that can fail, displace nothing.
    match recurrence.run(&mut spline, goal) {
        Ok(()) => spline.x,
        Err(_) => zeros(),
    }
}

/// The energy's matrix, and the vectors of conjugate gradients without a preconditioner.
struct Spline<'a> {
    links: &'a [[u32; 2]],
    weights: &'a LocalWeights,
    /// w₀ and the number of data of each node.
    holds: Vec<f64>,
    x: Vec<f64>,
    r: Vec<f64>,
    p: Vec<f64>,
    q: Vec<f64>,
    /// Δ p and Δ Δ p.
    differences: [Vec<f64>; 2],
}

/// Sums of the differences from neighbours.
fn laplacian(links: &[[u32; 2]], x: &[f64], sums: &mut [f64]) {
    sums.fill(0.0);
    for [a, b] in links.iter().map(|link| link.map(|node| node as usize)) {
        let difference = x[a] - x[b];
        sums[a] += difference;
        sums[b] -= difference;
    }
}

impl Passes<1> for Spline<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        Ok([dot_scalar(&self.r, &self.r)])
    }

    fn advance(&mut self, _alpha: [f64; 1], [beta]: [f64; 1]) {
        for (p, r) in self.p.iter_mut().zip(&self.r) {
            *p = r + beta * *p;
        }
    }

    fn multiply(&mut self) -> [f64; 1] {
        let LocalWeights {
            tension, rigidity, ..
        } = *self.weights;
        let [once, twice] = &mut self.differences;
        laplacian(self.links, &self.p, once);
        laplacian(self.links, once, twice);
        for (i, q) in self.q.iter_mut().enumerate() {
            *q = self.holds[i] * self.p[i] + tension * once[i] + rigidity * twice[i];
        }
        [dot_scalar(&self.p, &self.q)]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        for i in 0..self.x.len() {
            self.x[i] += alpha * self.p[i];
            self.r[i] -= alpha * self.q[i];
        }
        [dot_scalar(&self.r, &self.r)]
    }
}
