//! Deformations of space: operators that give a shape another shape, one file each.
//!
//! ```text
//! x' = D(x),    tangents t' = J t,    normals n' ~ det(J) J⁻ᵀ n,    J = ∂D/∂x
//! ```
//!
//! They act on the rest or the initial positions of any body, one after the other. Implements:
//! \[Barr1984\] (taper, twist, bend, tangents and normals by the Jacobian), \[Sederberg1986\] (lattices),
//! as \[Gudukbay\] sect. 2 and \[Gibson1997\] sect. 2.2 have them. A new one is a file here.

mod bend;
mod frame;
mod lattice;
mod lattice_basis;
mod stretch;
mod taper;
mod twist;

pub use bend::Bend;
pub use frame::{AxisFrame, DeformError};
pub use lattice::{Lattice, LatticeError};
pub use lattice_basis::LatticeBasis;
pub use stretch::Stretch;
pub use taper::Taper;
pub use twist::Twist;

use glam::{DMat3, DVec3};

/// A deformation of space.
pub trait Deformation: std::fmt::Debug + Send + Sync {
    /// Where a point goes, in metres.
    fn map(&self, point: DVec3) -> DVec3;

    /// J = ∂D/∂x at a point.
    fn jacobian(&self, point: DVec3) -> DMat3;

    /// The point that goes to `image`, if there is one that can be found.
    fn inverse(&self, image: DVec3) -> Option<DVec3>;
}

/// Where a point goes under one deformation after the other.
pub fn map_all<'a>(
    operators: impl IntoIterator<Item = &'a dyn Deformation>,
    point: DVec3,
) -> DVec3 {
    let operators = operators.into_iter();
    operators.fold(point, |point, operator| operator.map(point))
}

/// The direction of a normal after a deformation: that of the cofactor matrix of J. The length tells
/// how much larger the area has become; the sign is right for deformations that turn nothing inside out.
pub fn deformed_normal(jacobian: DMat3, normal: DVec3) -> DVec3 {
    let (a, b, c) = (jacobian.x_axis, jacobian.y_axis, jacobian.z_axis);
    DMat3::from_cols(b.cross(c), c.cross(a), a.cross(b)) * normal
}

/// The point that goes to `image`, by Newton's method from a guess.
fn inverse_by_newton(
    deformation: &dyn Deformation,
    image: DVec3,
    guess: DVec3,
    scale: f64,
) -> Option<DVec3> {
    let mut point = guess;
    for _ in 0..50 {
        let miss = image - deformation.map(point);
        if miss.length() <= 1e-13 * scale {
            return Some(point);
        }
        let jacobian = deformation.jacobian(point);
        if jacobian.determinant().abs() < 1e-14 {
            return None;
        }
        let step = jacobian.inverse() * miss;
        // Long steps are shortened, so that the search does not leave a lattice at once.
        let longest = 0.5 * scale;
        point += step * (longest / step.length().max(longest));
    }
    let miss = image - deformation.map(point);
    (miss.length() <= 1e-10 * scale).then_some(point)
}

#[cfg(test)]
mod tests;
