//! Mass, centre and second moments of what a closed surface encloses.
//!
//! ```text
//! m = ρ Σ V,     m c = ρ Σ V (a + b + d) / 4,     S = ρ Σ V/20 (s sᵀ + a aᵀ + b bᵀ + d dᵀ),  s = a + b + d
//! ```
//!
//! over the tetrahedra between the origin and the triangles (a, b, d), with signed volumes V. S = ∫ ρ x xᵀ;
//! the tensor of inertia is tr(S) 1 - S.

use crate::frame::TriangleMesh;
use crate::math::outer;
use glam::{DMat3, DQuat, DVec3};
use std::collections::HashMap;

/// Cells along the longest side of a lattice.
const LATTICE: f64 = 128.0;

/// Mass, centre and second moments of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MassProperties {
    /// In kilograms.
    pub mass: f64,
    /// Centre of mass, in metres.
    pub centre: DVec3,
    /// ∫ ρ x xᵀ about the centre, in kg m².
    pub second_moments: DMat3,
}

impl MassProperties {
    /// Of what a surface encloses, with a density in kg/m³; nothing if the surface is open or encloses
    /// nothing.
    pub fn of_surface(surface: &TriangleMesh, density: f64) -> Option<Self> {
        if !is_closed(surface) {
            return None;
        }
        // About a point of the surface, so that what is far from the origin keeps its digits.
        let origin = *surface.positions.first()?;
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        for triangle in &surface.triangles {
            let [a, b, d] = triangle.map(|v| surface.positions[v as usize] - origin);
            let part = a.dot(b.cross(d)) / 6.0;
            let sum = a + b + d;
            volume += part;
            first += part / 4.0 * sum;
            second += (outer(sum, sum) + outer(a, a) + outer(b, b) + outer(d, d)) * (part / 20.0);
        }
        if volume <= 0.0 || volume.is_nan() {
            return None;
        }
        let centre = first / volume;
        Some(Self {
            mass: density * volume,
            centre: origin + centre,
            second_moments: (second - outer(centre, centre) * volume) * density,
        })
    }

    /// Of what lies inside of a surface that is known by its distance, within a box: by sums over the
    /// cells of a lattice, of which those that the surface cuts count in part. Some ten-thousandths of
    /// the mass are left.
    pub fn of_inside(
        distance: impl Fn(DVec3) -> f64,
        [low, high]: [DVec3; 2],
        density: f64,
    ) -> Option<Self> {
        let size = (high - low).max_element() / LATTICE;
        let counts = ((high - low) / size).ceil();
        let (mut volume, mut first, mut second) = (0.0, DVec3::ZERO, DMat3::ZERO);
        let middle = 0.5 * (low + high);
        for z in 0..counts.z as usize {
            for y in 0..counts.y as usize {
                for x in 0..counts.x as usize {
                    let cell = DVec3::new(x as f64, y as f64, z as f64) + 0.5;
                    let place = low + size * cell;
                    let share = (0.5 - distance(place) / size).clamp(0.0, 1.0);
                    let arm = place - middle;
                    volume += share;
                    first += share * arm;
                    second += outer(arm, arm) * share;
                }
            }
        }
        if volume <= 0.0 || volume.is_nan() {
            return None;
        }
        let centre = first / volume;
        let mass = density * size.powi(3);
        Some(Self {
            mass: mass * volume,
            centre: middle + centre,
            second_moments: (second - outer(centre, centre) * volume) * mass,
        })
    }

    /// The same, moved and turned.
    pub fn placed(self, rotation: DQuat, translation: DVec3) -> Self {
        let turn = DMat3::from_quat(rotation);
        Self {
            mass: self.mass,
            centre: translation + rotation * self.centre,
            second_moments: turn * self.second_moments * turn.transpose(),
        }
    }

    /// The tensor of inertia about the centre, in kg m².
    pub fn inertia(&self) -> DMat3 {
        let s = &self.second_moments;
        let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
        DMat3::from_diagonal(DVec3::splat(trace)) - *s
    }

    /// The same shape with another mass.
    pub fn with_mass(self, mass: f64) -> Self {
        Self {
            mass,
            second_moments: self.second_moments * (mass / self.mass),
            ..self
        }
    }
}

/// Whether every side of a triangle is the side of another in the opposite sense.
fn is_closed(surface: &TriangleMesh) -> bool {
    let mut open: HashMap<[u32; 2], i32> = HashMap::new();
    for &[a, b, c] in &surface.triangles {
        for [from, to] in [[a, b], [b, c], [c, a]] {
            let sense = if from < to { 1 } else { -1 };
            *open.entry([from.min(to), from.max(to)]).or_default() += sense;
        }
    }
    !surface.triangles.is_empty() && open.values().all(|&count| count == 0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::{Cuboid, ImplicitSurface, Sphere};

    #[test]
    fn a_box_and_a_ball_have_their_moments() {
        let centre = DVec3::new(3.0, -2.0, 50.0);
        let size = DVec3::new(1.0, 2.0, 3.0);
        let surface = Cuboid::new(centre, size).unwrap().mesh(1.0, 8);
        let found = MassProperties::of_surface(&surface, 10.0).unwrap();
        assert!((found.mass - 60.0).abs() < 1e-10);
        assert!(found.centre.distance(centre) < 1e-12);
        let expected = DMat3::from_diagonal(60.0 * size * size / 12.0);
        assert!(found.second_moments.abs_diff_eq(expected, 1e-9));
        let (x, y, z) = (size.x, size.y, size.z);
        let inertia = DVec3::new(y * y + z * z, x * x + z * z, x * x + y * y) * 5.0;
        assert!(
            found
                .inertia()
                .abs_diff_eq(DMat3::from_diagonal(inertia), 1e-9)
        );
        let ball = Sphere::new(centre, 0.5).unwrap().mesh(1.0, 256);
        let found = MassProperties::of_surface(&ball, 1.0).unwrap();
        let mass = std::f64::consts::PI / 6.0;
        assert!((found.mass / mass - 1.0).abs() < 1e-3);
        let expected = DMat3::from_diagonal(DVec3::splat(0.4 * mass * 0.25));
        assert!(found.inertia().abs_diff_eq(expected, 1e-3 * mass));
        assert_eq!(found.with_mass(2.0).mass, 2.0);
    }

    #[test]
    fn an_open_surface_encloses_nothing() {
        let mut surface = Cuboid::new(DVec3::ZERO, DVec3::ONE).unwrap().mesh(1.0, 8);
        surface.triangles.pop();
        assert!(MassProperties::of_surface(&surface, 1.0).is_none());
        assert!(MassProperties::of_surface(&TriangleMesh::default(), 1.0).is_none());
    }
}
