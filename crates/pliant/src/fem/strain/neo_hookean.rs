//! A Neo-Hookean solid that survives inversion.
//!
//! ```text
//! I = |F|²,  J = det F
//! Ψ = ½ m (I - 3) + ½ l (J - a)² - ½ m ln((I + 1) / 4) - ½ l (1 - a)²
//! m = 4/3 µ,   l = λ + 5/6 µ,   a = 1 + 3 m / (4 l)
//! ```
//!
//! Implements: \[Smith2018\], the energy with a logarithm, with the constants chosen so that small
//! strains feel λ and µ. It is finite for every F, so an inverted element is pushed back through
//! flatness, along the normal of its flat shape.
//!
//! At F = 0, an element shrunk to a point, every isotropic stress vanishes: it would stay there for
//! ever. So an element crushed in all directions, |F| < ½, is taken for one a little larger,
//!
//! ```text
//! F' = F + 0.1 w I,   w = (1 - 4 |F|²)²
//! ```
//!
//! which has a direction to grow in. The stiffness there leaves the change of w out.

use super::linear::{squared, trace};
use super::{Lame, Linearisation, Strain};
use crate::energy::Curvature;
use crate::math::{SignedSvd, outer};
use glam::{DMat3, DVec3};

/// A Neo-Hookean solid.
#[derive(Clone, Copy, Debug, Default)]
pub struct NeoHookean;

struct Constants {
    m: f64,
    l: f64,
    a: f64,
}

impl Constants {
    fn of(material: Lame) -> Self {
        let m = 4.0 / 3.0 * material.mu;
        let l = material.lambda + 5.0 / 6.0 * material.mu;
        Self {
            m,
            l,
            a: 1.0 + 0.75 * m / l,
        }
    }
}

/// What is added to an element shrunk to a point.
const IMPERFECTION: f64 = 0.1;

/// F', and the derivative of what was added by F, as a multiple of F.
fn imperfect(gradient: DMat3) -> (DMat3, f64) {
    let room = 1.0 - 4.0 * squared(gradient);
    if room <= 0.0 {
        return (gradient, 0.0);
    }
    let larger = gradient + DMat3::IDENTITY * (IMPERFECTION * room * room);
    (larger, -16.0 * IMPERFECTION * room)
}

impl Strain for NeoHookean {
    fn energy(&self, gradient: DMat3, material: Lame) -> f64 {
        let Constants { m, l, a } = Constants::of(material);
        let (f, _) = imperfect(gradient);
        let (i, j) = (squared(f), f.determinant());
        // Differences of J first: energies of slight strains keep their digits.
        let volume = 0.5 * l * (j - 1.0) * (j + 1.0 - 2.0 * a);
        0.5 * m * ((i - 3.0) - (0.25 * (i - 3.0)).ln_1p()) + volume
    }

    fn stress(&self, gradient: DMat3, material: Lame) -> DMat3 {
        let Constants { m, l, a } = Constants::of(material);
        let (f, change) = imperfect(gradient);
        let [x, y, z] = [f.x_axis, f.y_axis, f.z_axis];
        let cofactors = DMat3::from_cols(y.cross(z), z.cross(x), x.cross(y));
        let j = x.dot(cofactors.x_axis);
        let stress = f * (m * (1.0 - 1.0 / (squared(f) + 1.0))) + cofactors * (l * (j - a));
        stress + gradient * (change * trace(stress))
    }

    fn linearise(&self, gradient: DMat3, material: Lame, curvature: Curvature) -> Linearisation {
        if curvature == Curvature::Material {
            return Linearisation::of_rate(gradient, material);
        }
        let Constants { m, l, a } = Constants::of(material);
        let svd = SignedSvd::new(imperfect(gradient).0);
        let s = svd.values;
        let i = s.length_squared();
        let areas = DVec3::new(s.y * s.z, s.z * s.x, s.x * s.y);
        let pressure = l * (s.x * areas.x - a);
        let shear = m * (1.0 - 1.0 / (i + 1.0));
        let crossed = DMat3::from_cols(
            DVec3::new(0.0, s.z, s.y),
            DVec3::new(s.z, 0.0, s.x),
            DVec3::new(s.y, s.x, 0.0),
        );
        let stretch = DMat3::from_diagonal(DVec3::splat(shear))
            + outer(s, s) * (2.0 * m / ((i + 1.0) * (i + 1.0)))
            + outer(areas, areas) * l
            + crossed * pressure;
        Linearisation::of_principal(
            svd.left,
            svd.right,
            stretch,
            shear - pressure * s,
            shear + pressure * s,
            curvature,
        )
    }
}
