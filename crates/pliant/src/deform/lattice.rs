//! Free-form deformation: a lattice of control points that carries the space between them.
//!
//! ```text
//! x' = x + Σ_ijk N_i(s) N_j(t) N_k(u) δ_ijk
//! ```
//!
//! δ are the displacements of the control points, (s, t, u) the coordinates of x in the lattice at
//! rest: affine in a box; the solution of Σ N_i N_j N_k c_ijk = x by Newton's method in a lattice of
//! another shape. Control points of a box lie at the Greville points of the functions, so that control
//! points that are moved by an affine map give that map. Points outside of the lattice stay.
//!
//! Implements: \[Sederberg1986\] (Bernstein), \[Coquillart1990\] (lattices that are no boxes), \[Hsu1992\]
//! (points of the object that are moved instead of control points: of all displacements that do it,
//! those with the least sum of squares, δ = Bᵀ (B Bᵀ)⁻¹ d, B_n = N_i N_j N_k at the point n).

use super::{DeformError, Deformation, LatticeBasis, inverse_by_newton};
use crate::math::{KnotError, SplineBasis};
use glam::{DMat3, DVec3};
use thiserror::Error;

/// What is wrong with a lattice.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum LatticeError {
    /// Too few control points.
    #[error(transparent)]
    Knots(#[from] KnotError),
    /// A box without volume, or another number of points.
    #[error(transparent)]
    Shape(#[from] DeformError),
    /// A point to move that lies outside.
    #[error("the point {point} lies outside of the lattice")]
    Outside {
        /// The point.
        point: DVec3,
    },
    /// Two points that cannot move apart.
    #[error(
        "the lattice cannot carry the point {point} where it should go: it has too few control points there, or the point is named twice"
    )]
    Stiff {
        /// The point.
        point: DVec3,
    },
}

/// A lattice of control points and how they are displaced.
#[derive(Clone, Debug, PartialEq)]
pub struct Lattice {
    bases: [SplineBasis; 3],
    /// Control points at rest; the first direction runs fastest.
    rest: Vec<DVec3>,
    pub(super) displacements: Vec<DVec3>,
    /// From space to lattice coordinates, where the lattice is a box: its lowest corner and the inverse
    /// of its edges.
    affine: Option<(DVec3, DMat3)>,
    /// Length of the diagonal, in metres.
    size: f64,
}

/// The functions of a lattice at a point: number of a control point, value, slopes by (s, t, u).
pub(super) type Weights = Vec<(usize, f64, DVec3)>;

impl Lattice {
    /// A box with its lowest corner at `origin` and three edges, with `counts` control points along
    /// them (at least 2 each), none of them displaced.
    pub fn in_box(
        origin: DVec3,
        edges: [DVec3; 3],
        counts: [usize; 3],
        basis: LatticeBasis,
    ) -> Result<Self, LatticeError> {
        let matrix = DMat3::from_cols(edges[0], edges[1], edges[2]);
        let size = (edges[0] + edges[1] + edges[2]).length();
        let volume = matrix.determinant().abs();
        if !(volume.is_finite() && volume > 1e-12 * size.powi(3)) {
            return Err(LatticeError::Shape(DeformError::Value {
                what: "the volume of the box of a lattice",
                expected: "positive",
                value: volume,
            }));
        }
        let bases = Self::bases(counts, basis)?;
        let mut rest = Vec::with_capacity(counts.iter().product());
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                for i in 0..counts[0] {
                    let at = [i, j, k];
                    let local = [0, 1, 2].map(|d| bases[d].greville(at[d]));
                    rest.push(origin + matrix * DVec3::from(local));
                }
            }
        }
        Ok(Self {
            displacements: vec![DVec3::ZERO; rest.len()],
            bases,
            rest,
            affine: Some((origin, matrix.inverse())),
            size,
        })
    }

    /// A lattice of any shape, whose control points at rest are given, the first direction fastest.
    pub fn free(
        control_points: Vec<DVec3>,
        counts: [usize; 3],
        basis: LatticeBasis,
    ) -> Result<Self, LatticeError> {
        let expected = counts.iter().product();
        if control_points.len() != expected {
            return Err(LatticeError::Shape(DeformError::ControlPoints {
                expected,
                found: control_points.len(),
            }));
        }
        let low = control_points
            .iter()
            .copied()
            .fold(DVec3::INFINITY, DVec3::min);
        let high = control_points
            .iter()
            .copied()
            .fold(DVec3::NEG_INFINITY, DVec3::max);
        Ok(Self {
            bases: Self::bases(counts, basis)?,
            displacements: vec![DVec3::ZERO; expected],
            rest: control_points,
            affine: None,
            size: (high - low).length(),
        })
    }

    fn bases(counts: [usize; 3], basis: LatticeBasis) -> Result<[SplineBasis; 3], KnotError> {
        Ok([
            basis.along(counts[0])?,
            basis.along(counts[1])?,
            basis.along(counts[2])?,
        ])
    }

    /// Number of control points in each direction.
    pub fn counts(&self) -> [usize; 3] {
        [0, 1, 2].map(|d| self.bases[d].count())
    }

    /// Control points at rest, in metres; the first direction runs fastest.
    pub fn control_points(&self) -> &[DVec3] {
        &self.rest
    }

    /// How far each control point is displaced, in metres.
    pub fn displacements_mut(&mut self) -> &mut [DVec3] {
        &mut self.displacements
    }

    /// Displaces control points so that points of space move as told, from the first place of each pair
    /// to the second, on top of what they are displaced already: the smallest change that does it.
    pub fn move_points(&mut self, moves: &[[DVec3; 2]]) -> Result<(), LatticeError> {
        let mut rows: Vec<Weights> = Vec::new();
        let mut wanted: Vec<DVec3> = Vec::new();
        for &[point, target] in moves {
            let outside = LatticeError::Outside { point };
            rows.push(self.weights(self.local(point).ok_or(outside)?));
            wanted.push(target - self.map(point));
        }
        // B Bᵀ y = d, by elimination with pivots on the diagonal: the matrix is positive.
        let dense: Vec<Vec<f64>> = rows.iter().map(|row| self.dense(row)).collect();
        let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
        let mut gram: Vec<Vec<f64>> = dense
            .iter()
            .map(|a| dense.iter().map(|b| product(a, b)).collect())
            .collect();
        let count = moves.len();
        for pivot in 0..count {
            let whole = product(&dense[pivot], &dense[pivot]);
            if gram[pivot][pivot] <= 1e-10 * whole {
                let point = moves[pivot][0];
                return Err(LatticeError::Stiff { point });
            }
            for row in pivot + 1..count {
                let (above, below) = gram.split_at_mut(row);
                let (above, below) = (&above[pivot][pivot..], &mut below[0][pivot..]);
                let factor = below[0] / above[0];
                for (value, above) in below.iter_mut().zip(above) {
                    *value -= factor * above;
                }
                let part = factor * wanted[pivot];
                wanted[row] -= part;
            }
        }
        for row in (0..count).rev() {
            for column in row + 1..count {
                let part = gram[row][column] * wanted[column];
                wanted[row] -= part;
            }
            wanted[row] /= gram[row][row];
        }
        for (row, multiplier) in rows.iter().zip(&wanted) {
            for &(control, value, _) in row {
                self.displacements[control] += value * *multiplier;
            }
        }
        Ok(())
    }

    pub(super) fn dense(&self, row: &Weights) -> Vec<f64> {
        let mut dense = vec![0.0; self.rest.len()];
        row.iter()
            .for_each(|&(control, value, _)| dense[control] = value);
        dense
    }

    pub(super) fn weights(&self, local: DVec3) -> Weights {
        let [a, b, c] = [0, 1, 2].map(|d| self.bases[d].at(local[d]));
        let [l, m, _] = self.counts();
        let mut weights = Vec::with_capacity(a.values.len() * b.values.len() * c.values.len());
        for k in 0..c.values.len() {
            for j in 0..b.values.len() {
                for i in 0..a.values.len() {
                    let control = a.first + i + l * (b.first + j + m * (c.first + k));
                    let (x, y, z) = (a.values[i], b.values[j], c.values[k]);
                    let slopes = DVec3::new(
                        a.slopes[i] * y * z,
                        x * b.slopes[j] * z,
                        x * y * c.slopes[k],
                    );
                    weights.push((control, x * y * z, slopes));
                }
            }
        }
        weights
    }

    /// Where the lattice at rest has a point, and the derivatives by (s, t, u) there.
    fn rest_place(&self, local: DVec3) -> (DVec3, DMat3) {
        sum(&self.weights(local), &self.rest)
    }

    /// Lattice coordinates of a point, from 0 to 1; nothing outside.
    pub(super) fn local(&self, point: DVec3) -> Option<DVec3> {
        const SLACK: f64 = 1e-9;
        let within = |local: DVec3| {
            let is_in = local.min_element() >= -SLACK && local.max_element() <= 1.0 + SLACK;
            is_in.then(|| local.clamp(DVec3::ZERO, DVec3::ONE))
        };
        if let Some((origin, inverse)) = self.affine {
            return within(inverse * (point - origin));
        }
        // From the nearest control point on.
        let distance = |control: &usize| self.rest[*control].distance_squared(point);
        let nearest = (0..self.rest.len()).min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        let [l, m, _] = self.counts();
        let at = [nearest % l, nearest / l % m, nearest / (l * m)];
        let mut local = DVec3::from([0, 1, 2].map(|d| self.bases[d].greville(at[d])));
        for _ in 0..60 {
            let (place, slopes) = self.rest_place(local);
            let miss = point - place;
            if miss.length() <= 1e-12 * self.size {
                return Some(local);
            }
            if slopes.determinant() == 0.0 {
                return None;
            }
            let step = (slopes.inverse() * miss).clamp_length_max(0.5);
            let next = (local + step).clamp(DVec3::ZERO, DVec3::ONE);
            if next == local {
                break;
            }
            local = next;
        }
        let (place, _) = self.rest_place(local);
        (place.distance(point) <= SLACK * self.size).then_some(local)
    }
}

/// Σ N v and Σ v ∂Nᵀ.
fn sum(weights: &Weights, vectors: &[DVec3]) -> (DVec3, DMat3) {
    let (mut place, mut slopes) = (DVec3::ZERO, DMat3::ZERO);
    for &(control, value, slope) in weights {
        let vector = vectors[control];
        place += value * vector;
        slopes += DMat3::from_cols(slope.x * vector, slope.y * vector, slope.z * vector);
    }
    (place, slopes)
}

impl Deformation for Lattice {
    fn map(&self, point: DVec3) -> DVec3 {
        match self.local(point) {
            Some(local) => point + sum(&self.weights(local), &self.displacements).0,
            None => point,
        }
    }

    fn jacobian(&self, point: DVec3) -> DMat3 {
        let Some(local) = self.local(point) else {
            return DMat3::IDENTITY;
        };
        let (_, slopes) = sum(&self.weights(local), &self.displacements);
        let by_space = match self.affine {
            Some((_, inverse)) => inverse,
            None => self.rest_place(local).1.inverse(),
        };
        DMat3::IDENTITY + slopes * by_space
    }

    fn inverse(&self, image: DVec3) -> Option<DVec3> {
        inverse_by_newton(self, image, image, self.size)
    }
}
