//! How the angle of an edge is shared between the fans at its two ends, and how stiff a fan is.
//!
//! With θ̂ = |e| θ, a fan v measures the integral of the curvature over its area,
//!
//! ```text
//! k_v = Σ over its spokes of s_ve θ̂_e n_e n_eᵀ,    s_ve + s_we = 1 for the two ends v, w of e
//! ```
//!
//! and stores ½ k_v : R_v : k_v. Let N be the space of moments that a fan can have: all inside a
//! surface, those with n·M n = 0 at a border with the normal n, since nothing holds it there.
//!
//! **What is asked of s and R.** A quadratic function with the curvature κ must get the constant
//! moment M = C κ: the derivative by θ̂_e must be n_e·M n_e. As the shares of an edge add up to 1,
//! that is so if R_v k_v = M for each fan, so if
//!
//! ```text
//! R_v = B_v⁻¹,    B_v = Σ s_ve n_e n_eᵀ ⊗ C⁻¹ θ̂_e(·)
//! ```
//!
//! where θ̂_e(κ) is the response of the edge to the curvature κ, known from the layout of the fan.
//! Then constant moments are also in equilibrium at every node inside, whatever the mesh: both
//! parts of the patch test are passed. R_v must be symmetric, so B_v must be. For meshes with a
//! regular pattern it is, with s = ½. In general the shares are chosen so that its skew part is as
//! small as possible, by least squares over all edges; its symmetric part is kept near that of the
//! area of the fan, with a small weight. What skew part remains is left out. It is a few per cent
//! of B, without a sign of its own from fan to fan, so that its effect is of second order.

use super::fan::{Fan, Spoke};
use crate::linear::{Goal, LinearError, Passes, Recurrence};
use crate::math::parallel::dot_scalar;
use crate::math::{SignedSvd, outer};
use glam::{DMat3, DVec3};
use std::f64::consts::SQRT_2;

/// Weight of the difference between B and the area, beside that of the skew part of B.
const AREA_WEIGHT: f64 = 0.1;

/// Square of the weight of the difference between a share and ½.
const DAMPING: f64 = 0.05 * 0.05;

/// The shares are found to this part of their first residual: they need not be exact.
const TOLERANCE: f64 = 1e-4;

/// Most iterations for the shares.
const ITERATIONS: usize = 400;

/// The eigenvalues of B are kept within these multiples of those of the area.
const EIGENVALUES: [f64; 2] = [0.2, 5.0];

/// Elasticity of a plate in the notation of fans.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plate {
    /// The inverse of C.
    pub(super) compliance: DMat3,
}

impl Plate {
    pub(super) fn new(rigidity: f64, poisson: f64) -> Self {
        let nu = poisson;
        let xx = DVec3::new(1.0, nu, 0.0);
        let yy = DVec3::new(nu, 1.0, 0.0);
        let stiffness = DMat3::from_cols(xx, yy, DVec3::Z * (1.0 - nu)) * rigidity;
        Self {
            compliance: stiffness.inverse(),
        }
    }
}

/// A fan in coordinates in which the compliance of its area is the identity.
struct Scaled {
    /// Rows of the map from tensors to coordinates; zero where no moment is possible.
    basis: DMat3,
    /// 1 where a moment is possible.
    possible: DVec3,
    /// Each spoke's n nᵀ and C⁻¹ θ̂.
    spokes: Vec<[DVec3; 2]>,
}

impl Scaled {
    fn new(fan: &Fan, plate: Plate) -> Self {
        let moments = possible_moments(&fan.borders);
        // Gram and Schmidt in the scalar product of the compliance of the area.
        let compliance = plate.compliance * fan.area;
        let mut rows: Vec<DVec3> = Vec::new();
        for moment in moments {
            let mut row = moment;
            for before in &rows {
                row -= *before * before.dot(compliance * row);
            }
            let size = row.dot(compliance * row).sqrt();
            rows.push(row / size);
        }
        let count = rows.len();
        rows.resize(3, DVec3::ZERO);
        let basis = DMat3::from_cols(rows[0], rows[1], rows[2]).transpose();
        let possible = DVec3::from_array([0, 1, 2].map(|i| f64::from(u8::from(i < count))));
        let scale = |spoke: &Spoke| {
            let response = plate.compliance * spoke.response;
            [basis * spoke.normal, basis * response]
        };
        Self {
            basis,
            possible,
            spokes: fan.spokes.iter().map(scale).collect(),
        }
    }
}

/// A basis of the moments without n·M n for the given n nᵀ.
fn possible_moments(borders: &[DVec3]) -> Vec<DVec3> {
    match borders {
        [] => vec![DVec3::X, DVec3::Y, DVec3::Z],
        [normal] => {
            let (a, b) = normal.normalize().any_orthonormal_pair();
            vec![a, b]
        }
        [first, second, ..] => vec![first.cross(*second).normalize()],
    }
}

/// Nine numbers that measure u vᵀ: its skew part, and the symmetric one with its weight. The sums
/// of their squares do not depend on the directions of the axes.
fn measures([u, v]: [DVec3; 2]) -> [DVec3; 3] {
    let mixed = DVec3::new(
        u.x * v.y + u.y * v.x,
        u.y * v.z + u.z * v.y,
        u.z * v.x + u.x * v.z,
    );
    [
        SQRT_2 / 2.0 * u.cross(v),
        AREA_WEIGHT * u * v,
        SQRT_2 / 2.0 * AREA_WEIGHT * mixed,
    ]
}

/// The least-squares problem of the shares: they are ½ + x at one end and ½ - x at the other.
struct Shares<'a> {
    fans: &'a [Fan],
    scaled: &'a [Scaled],
    /// For each spoke of each fan, 1 or -1: which end of its edge the fan is at.
    signs: Vec<f64>,
}

impl<'a> Shares<'a> {
    fn new(fans: &'a [Fan], scaled: &'a [Scaled], hinge_count: usize) -> Self {
        let mut met = vec![false; hinge_count];
        let spokes = fans.iter().flat_map(|fan| &fan.spokes);
        let signs = spokes.map(|spoke| {
            let before = std::mem::replace(&mut met[spoke.hinge as usize], true);
            if before { -1.0 } else { 1.0 }
        });
        let signs = signs.collect();
        Self {
            fans,
            scaled,
            signs,
        }
    }

    /// Calls `visit` with the number of a fan, the hinge, its sign there and its measures.
    fn each(&self, mut visit: impl FnMut(usize, usize, f64, [DVec3; 3])) {
        let mut signs = self.signs.iter();
        for (number, (fan, scaled)) in self.fans.iter().zip(self.scaled).enumerate() {
            for ((spoke, &pair), &sign) in fan.spokes.iter().zip(&scaled.spokes).zip(&mut signs) {
                visit(number, spoke.hinge as usize, sign, measures(pair));
            }
        }
    }

    fn multiply(&self, x: &[f64], product: &mut [[DVec3; 3]]) {
        product.fill([DVec3::ZERO; 3]);
        self.each(|fan, hinge, sign, measures| {
            for (sum, measure) in product[fan].iter_mut().zip(measures) {
                *sum += sign * x[hinge] * measure;
            }
        });
    }

    fn multiply_transposed(&self, y: &[[DVec3; 3]], product: &mut [f64]) {
        product.fill(0.0);
        self.each(|fan, hinge, sign, measures| {
            for (value, measure) in y[fan].iter().zip(measures) {
                product[hinge] += sign * value.dot(measure);
            }
        });
    }

    /// What is left to mend with all shares ½.
    fn defects(&self) -> Vec<[DVec3; 3]> {
        let goal = |scaled: &Scaled| [DVec3::ZERO, AREA_WEIGHT * scaled.possible, DVec3::ZERO];
        let mut defects: Vec<[DVec3; 3]> = self.scaled.iter().map(goal).collect();
        self.each(|fan, _, _, measures| {
            for (defect, measure) in defects[fan].iter_mut().zip(measures) {
                *defect -= 0.5 * measure;
            }
        });
        defects
    }

    fn solve(&self, hinge_count: usize) -> Vec<f64> {
        let mut squares = LeastSquares {
            shares: self,
            x: vec![0.0; hinge_count],
            residual: self.defects(),
            slope: vec![0.0; hinge_count],
            direction: vec![0.0; hinge_count],
            product: vec![[DVec3::ZERO; 3]; self.fans.len()],
        };
        let mut recurrence = Recurrence::new(squares.reduce([0.0]));
        let [size] = recurrence.squares;
        // The measures are ratios of areas: below the second term there is only rounding.
        let enough = TOLERANCE * TOLERANCE * size + 1e-24 * hinge_count as f64;
        let goal = Goal {
            residual: enough.sqrt(),
            iterations: ITERATIONS,
        };
        // A fan that is no number gives weights that are none, whatever its shares.
        let _ = recurrence.run(&mut squares, goal);
        squares.x
    }
}

/// Conjugate gradients on the normal equations; the slope is what is left of them.
struct LeastSquares<'a> {
    shares: &'a Shares<'a>,
    x: Vec<f64>,
    residual: Vec<[DVec3; 3]>,
    slope: Vec<f64>,
    direction: Vec<f64>,
    product: Vec<[DVec3; 3]>,
}

impl Passes<1> for LeastSquares<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        Ok([dot_scalar(&self.slope, &self.slope)])
    }

    fn advance(&mut self, _alpha: [f64; 1], [beta]: [f64; 1]) {
        for (d, s) in self.direction.iter_mut().zip(&self.slope) {
            *d = s + beta * *d;
        }
    }

    fn multiply(&mut self) -> [f64; 1] {
        self.shares.multiply(&self.direction, &mut self.product);
        let squares = self.product.iter().flatten().map(|v| v.length_squared());
        [squares.sum::<f64>() + DAMPING * dot_scalar(&self.direction, &self.direction)]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        for (x, d) in self.x.iter_mut().zip(&self.direction) {
            *x += alpha * d;
        }
        let residual = self.residual.iter_mut().flatten();
        for (r, p) in residual.zip(self.product.iter().flatten()) {
            *r -= alpha * *p;
        }
        self.shares
            .multiply_transposed(&self.residual, &mut self.slope);
        for (s, x) in self.slope.iter_mut().zip(&self.x) {
            *s -= DAMPING * x;
        }
        [dot_scalar(&self.slope, &self.slope)]
    }
}

/// For each spoke of each fan, three numbers c per metre of its edge: the fan stores ½ |Σ c θ̂|².
pub(super) fn spoke_weights(fans: &[Fan], hinge_count: usize, plate: Plate) -> Vec<DVec3> {
    let scaled: Vec<Scaled> = fans.iter().map(|fan| Scaled::new(fan, plate)).collect();
    let shares = Shares::new(fans, &scaled, hinge_count);
    let x = shares.solve(hinge_count);
    let mut signs = shares.signs.iter();
    let mut weights = Vec::with_capacity(shares.signs.len());
    for (fan, scaled) in fans.iter().zip(&scaled) {
        let spokes = fan.spokes.iter().zip(&mut signs);
        let of_fan: Vec<f64> = spokes
            .map(|(spoke, sign)| 0.5 + sign * x[spoke.hinge as usize])
            .collect();
        let mut b = DMat3::from_diagonal(DVec3::ONE - scaled.possible);
        for (&share, &[u, v]) in of_fan.iter().zip(&scaled.spokes) {
            b += outer(share * u, v);
        }
        let root = inverse_root(0.5 * (b + b.transpose()));
        for (spoke, share) in fan.spokes.iter().zip(of_fan) {
            let sign = if spoke.flipped { -1.0 } else { 1.0 };
            weights.push(root * (scaled.basis * spoke.normal) * (share * sign));
        }
    }
    weights
}

/// A matrix W with Wᵀ W = B⁻¹, after the eigenvalues of B have been kept within bounds.
fn inverse_root(b: DMat3) -> DMat3 {
    let entries = b.to_cols_array();
    let shift = 1.0 + entries.iter().map(|entry| entry.abs()).sum::<f64>();
    // With the shift B is positive definite, so that its singular vectors are its eigenvectors.
    let svd = SignedSvd::new(b + shift * DMat3::IDENTITY);
    let [least, most] = EIGENVALUES;
    let values = (svd.values - shift).clamp(DVec3::splat(least), DVec3::splat(most));
    DMat3::from_diagonal(values.powf(-0.5)) * svd.right.transpose()
}
