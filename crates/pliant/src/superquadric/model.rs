//! A superquadric that moves and changes its shape by eleven numbers.
//!
//! ```text
//! x = c + R s(u),   s(u) = A u / f(u),   f(u) = ((|u₁|^(2/e₂) + |u₂|^(2/e₂))^(e₂/e₁) + |u₃|^(2/e₁))^(e₁/2)
//! d(p) = |p'| (1 - 1 / f(A⁻¹ p')),   p' = Rᵀ (p - c)
//! ```
//!
//! c is the centre and R the rotation of its frame, A = diag(a₁, a₂, a₃) its semi-axes in metres, e₁ and e₂
//! its squareness; u is a point of the unit sphere, the material coordinate of a point of the surface. d is
//! the distance of a data point p from the surface along its ray from the centre, positive outside, in metres:
//! data pull at the model point on their ray.
//!
//! Implements: the global shape of \[Terzopoulos1991\]. Departs from it in two points: its overall size a is
//! within a₁, a₂ and a₃, since only the products a aᵢ have an effect, and the model point of a datum is the
//! one on its ray, not the nearest one, so that it is found without a search.

use crate::shape::{superellipse, superellipse_slopes};
use glam::{DQuat, DVec2, DVec3};

/// How many numbers there are: centre, rotation, logarithms of the semi-axes, exponents.
pub(crate) const COUNT: usize = 11;

/// Exponents stay between these, where the surface is neither a box with sharp edges nor a star.
const EXPONENTS: [f64; 2] = [0.1, 1.9];

/// Where a superquadric is and what shape it has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SuperquadricParameters {
    /// The centre, in metres.
    pub centre: DVec3,
    /// How its axes are turned.
    pub rotation: DQuat,
    /// Semi-axes, in metres.
    pub axes: DVec3,
    /// e₁, from pole to pole along its third axis, and e₂, round it.
    pub exponents: [f64; 2],
}

impl SuperquadricParameters {
    /// f(u): 1 on the superquadric of unit axes, in proportion along rays.
    fn size(&self, u: DVec3) -> f64 {
        let [e1, e2] = self.exponents;
        let across = superellipse(DVec2::new(u.x, u.y), e2);
        superellipse(DVec2::new(across, u.z), e1)
    }

    /// Where a point of the unit sphere is on the surface, in the frame of the superquadric.
    pub fn local_point(&self, u: DVec3) -> DVec3 {
        let size = self.size(u);
        if size > 0.0 {
            self.axes * u / size
        } else {
            DVec3::ZERO
        }
    }

    /// Where a point of the unit sphere is, moved outwards along its ray by `offset` metres.
    pub fn point(&self, u: DVec3, offset: f64) -> DVec3 {
        let local = self.local_point(u);
        self.centre + self.rotation * (local + offset * local.normalize_or_zero())
    }

    /// The material coordinate of the ray through a point.
    pub fn material_coordinate(&self, point: DVec3) -> DVec3 {
        let local = self.rotation.inverse() * (point - self.centre);
        (local / self.axes).normalize_or_zero()
    }

    /// The distance of a point from the surface along its ray, in metres; negative inside.
    pub fn distance(&self, point: DVec3) -> f64 {
        let local = self.rotation.inverse() * (point - self.centre);
        let size = self.size(local / self.axes);
        if size > 0.0 {
            local.length() * (1.0 - 1.0 / size)
        } else {
            -self.axes.min_element()
        }
    }

    /// Changed by a step in centre, rotation vector, logarithms of axes and exponents.
    pub(crate) fn moved(&self, step: &[f64; COUNT]) -> Self {
        let part = |k: usize| DVec3::new(step[k], step[k + 1], step[k + 2]);
        let turn = DQuat::from_scaled_axis(part(3));
        let exponent = |k: usize| {
            let value = self.exponents[k] + step[9 + k];
            value.clamp(EXPONENTS[0], EXPONENTS[1])
        };
        Self {
            centre: self.centre + part(0),
            rotation: (turn * self.rotation).normalize(),
            axes: self.axes * part(6).clamp(DVec3::splat(-1.0), DVec3::ONE).exp(),
            exponents: [exponent(0), exponent(1)],
        }
    }

    /// The distance of a point, and how it changes with each number.
    ///
    /// With v = A⁻¹ p' the derivatives of d by p' at constant v, by v and by the exponents are p' (1 - 1/f) / |p'|,
    /// |p'| ∇f / f² and |p'| ∂f/∂e / f²; p' moves by -Rᵀ (δc + θ × (p - c)), and v by -v δ(ln a).
    pub(crate) fn slopes(&self, point: DVec3) -> (f64, [f64; COUNT]) {
        let arm = point - self.centre;
        let local = self.rotation.inverse() * arm;
        let v = local / self.axes;
        let [e1, e2] = self.exponents;
        let (across, by_xy, by_e2) = superellipse_slopes(DVec2::new(v.x, v.y), e2);
        let (size, by_across_z, by_e1) = superellipse_slopes(DVec2::new(across, v.z), e1);
        if size <= 0.0 {
            return (self.distance(point), [0.0; COUNT]);
        }
        let length = local.length();
        let scale = length / (size * size);
        let by_v = scale * (by_xy * by_across_z.x).extend(by_across_z.y);
        let by_local = local * ((1.0 - 1.0 / size) / length) + by_v / self.axes;
        let by_place = self.rotation * by_local;
        let (turning, by_axes) = (by_place.cross(arm), -by_v * v);
        let mut slopes = [0.0; COUNT];
        slopes[..3].copy_from_slice(&(-by_place).to_array());
        slopes[3..6].copy_from_slice(&turning.to_array());
        slopes[6..9].copy_from_slice(&by_axes.to_array());
        slopes[9] = scale * by_e1;
        slopes[10] = scale * by_across_z.x * by_e2;
        (length * (1.0 - 1.0 / size), slopes)
    }

    /// As vectors: centre, the vector part of the rotation with a positive scalar part, axes, exponents.
    pub(crate) fn as_vectors(&self) -> [DVec3; 4] {
        let rotation = self.rotation;
        let rotation = if rotation.w < 0.0 {
            -rotation
        } else {
            rotation
        };
        let [e1, e2] = self.exponents;
        [
            self.centre,
            rotation.xyz(),
            self.axes,
            DVec3::new(e1, e2, rotation.w),
        ]
    }

    pub(crate) fn from_vectors(vectors: [DVec3; 4]) -> Self {
        let [centre, turn, axes, rest] = vectors;
        Self {
            centre,
            rotation: DQuat::from_xyzw(turn.x, turn.y, turn.z, rest.z).normalize(),
            axes,
            exponents: [rest.x, rest.y],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slopes_are_those_of_differences() {
        for exponents in [[1.0, 1.0], [0.3, 1.7], [1.8, 0.2]] {
            let shape = SuperquadricParameters {
                centre: DVec3::new(0.3, -0.2, 0.5),
                rotation: DQuat::from_scaled_axis(DVec3::new(0.4, -0.7, 0.2)),
                axes: DVec3::new(1.2, 0.7, 0.4),
                exponents,
            };
            for n in 0..40 {
                let n = f64::from(n);
                let point = 2.0 * DVec3::new((1.3 * n).sin(), (2.1 * n).cos(), (0.7 * n).sin());
                let (distance, slopes) = shape.slopes(point);
                assert!((distance - shape.distance(point)).abs() < 1e-14);
                for (k, slope) in slopes.iter().enumerate() {
                    let at = |step: f64| {
                        let mut shift = [0.0; COUNT];
                        shift[k] = step;
                        shape.moved(&shift).distance(point)
                    };
                    let difference = (at(1e-5) - at(-1e-5)) / 2e-5;
                    let slack = 1e-6 * (1.0 + slope.abs());
                    assert!(
                        (slope - difference).abs() < slack,
                        "{k}: {slope} {difference}"
                    );
                }
            }
        }
    }
}
