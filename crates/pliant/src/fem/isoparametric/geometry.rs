//! How an element lies in space at rest: the Jacobian of X(ξ) = Σ_a N_a(ξ) X_a.
//!
//! In a solid, ∇N_a = J⁻ᵀ ∂N_a/∂ξ with J = ∂X/∂ξ. A face lives in space: at each point the two
//! tangents ∂X/∂ξ, ∂X/∂η are written in an orthonormal frame t₁, t₂ of the tangent plane, and the
//! gradients are those along t₁ and t₂. So a curved face has the metric of its surface.

use super::quadrature::{Integrand, QuadraturePoint, quadrature};
use super::shape::{MOST_NODES, shape_functions};
use crate::fem::FemError;
use crate::mesh::ElementKind;
use glam::{DMat3, DVec3};

/// What an integral over an element at rest needs at one point.
pub(super) struct RestPoint {
    /// Size of the part of the element that the point stands for: length, area or volume.
    pub size: f64,
    /// The rest frame: t₁ and t₂ of a face, the axes of space for a solid.
    pub frame: [DVec3; 3],
    /// N_a.
    pub values: [f64; MOST_NODES],
    /// ∇N_a in the frame.
    pub gradients: [[f64; 3]; MOST_NODES],
}

/// The point of an element at rest that belongs to a point of a quadrature rule.
pub(super) fn rest_point(
    kind: ElementKind,
    positions: &[DVec3],
    nodes: &[u32],
    point: &QuadraturePoint,
) -> RestPoint {
    let shape = shape_functions(kind, point.xi);
    let mut tangents = [DVec3::ZERO; 3];
    for (&node, slope) in nodes.iter().zip(&shape.slopes) {
        for (tangent, slope) in tangents.iter_mut().zip(slope) {
            *tangent += positions[node as usize] * *slope;
        }
    }
    let (determinant, frame, inverse) = match kind.dimension() {
        1 => along_line(tangents[0]),
        2 => in_surface(tangents[0], tangents[1]),
        _ => {
            let jacobian = DMat3::from_cols(tangents[0], tangents[1], tangents[2]);
            let axes = [DVec3::X, DVec3::Y, DVec3::Z];
            (jacobian.determinant(), axes, jacobian.inverse().transpose())
        }
    };
    let gradient = |slope: [f64; 3]| (inverse * DVec3::from_array(slope)).to_array();
    RestPoint {
        size: determinant * point.weight,
        frame,
        values: shape.values,
        gradients: shape.slopes.map(gradient),
    }
}

/// Determinant, frame and J⁻ᵀ of a curve.
fn along_line(tangent: DVec3) -> (f64, [DVec3; 3], DMat3) {
    let length = tangent.length();
    let frame = [tangent / length, DVec3::ZERO, DVec3::ZERO];
    let inverse = DMat3::from_diagonal(DVec3::new(1.0 / length, 0.0, 0.0));
    (length, frame, inverse)
}

/// Determinant, frame and J⁻ᵀ of a surface, where J is upper triangular in the frame.
fn in_surface(first: DVec3, second: DVec3) -> (f64, [DVec3; 3], DMat3) {
    let length = first.length();
    let t1 = first / length;
    let mixed = t1.dot(second);
    let across = second - mixed * t1;
    let width = across.length();
    let inverse = DMat3::from_cols(
        DVec3::new(1.0 / length, -mixed / (length * width), 0.0),
        DVec3::new(0.0, 1.0 / width, 0.0),
        DVec3::ZERO,
    );
    (length * width, [t1, across / width, DVec3::ZERO], inverse)
}

/// The points of an element at rest for a rule; fails where the element has no size or is folded.
pub(super) fn rest_points(
    kind: ElementKind,
    positions: &[DVec3],
    nodes: &[u32],
    element: usize,
    integrand: Integrand,
) -> Result<Vec<RestPoint>, FemError> {
    let rule = quadrature(kind, integrand);
    let points: Vec<RestPoint> = rule
        .iter()
        .map(|point| rest_point(kind, positions, nodes, point))
        .collect();
    let normal = |point: &RestPoint| point.frame[0].cross(point.frame[1]);
    for point in &points {
        let turned = kind.dimension() == 2 && normal(point).dot(normal(&points[0])) <= 0.0;
        let value = if turned { -point.size } else { point.size };
        if !(value > 0.0 && value.is_finite()) {
            let measure = ["length", "area", "volume"][kind.dimension() - 1];
            return Err(FemError::Degenerate {
                element,
                measure,
                value,
            });
        }
    }
    Ok(points)
}

/// The length, area or volume of an element at rest; fails where it has none or is folded.
///
/// - `element`: its number, for the error.
pub fn rest_measure(
    kind: ElementKind,
    positions: &[DVec3],
    nodes: &[u32],
    element: usize,
) -> Result<f64, FemError> {
    let points = rest_points(kind, positions, nodes, element, Integrand::Stiffness)?;
    Ok(points.iter().map(|point| point.size).sum())
}
