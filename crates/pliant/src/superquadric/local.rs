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
    let mut shares = vec![0.0; count];
    let mut pulls = vec![0.0; count];
    for &(node, distance) in data {
        shares[node] += 1.0;
        pulls[node] += distance;
    }
    let laplacian = |x: &[f64]| {
        let mut sums = vec![0.0; count];
        for &[a, b] in links {
            let difference = x[a as usize] - x[b as usize];
            sums[a as usize] += difference;
            sums[b as usize] -= difference;
        }
        sums
    };
    let apply = |x: &[f64]| -> Vec<f64> {
        let once = laplacian(x);
        let twice = laplacian(&once);
        let entry = |i: usize| {
            (shares[i] + weights.hold) * x[i]
                + weights.tension * once[i]
                + weights.rigidity * twice[i]
        };
        (0..count).map(entry).collect()
    };
    conjugate_gradients(&apply, &pulls)
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn conjugate_gradients(apply: &dyn Fn(&[f64]) -> Vec<f64>, right: &[f64]) -> Vec<f64> {
    let mut x = vec![0.0; right.len()];
    let mut residual = right.to_vec();
    let mut direction = residual.clone();
    let mut size = dot(&residual, &residual);
    let goal = TOLERANCE * TOLERANCE * size;
    for _ in 0..4 * right.len() {
        if size <= goal || size == 0.0 {
            break;
        }
        let moved = apply(&direction);
        let along = size / dot(&direction, &moved);
        for i in 0..x.len() {
            x[i] += along * direction[i];
            residual[i] -= along * moved[i];
        }
        let next = dot(&residual, &residual);
        for (direction, residual) in direction.iter_mut().zip(&residual) {
            *direction = residual + next / size * *direction;
        }
        size = next;
    }
    x
}
