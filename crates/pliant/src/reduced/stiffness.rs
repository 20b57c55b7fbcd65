//! The stiffness of a body at rest: the Hessian of its energies.

use crate::body::Body;
use crate::energy::Curvature;
use crate::linear::BlockMatrix;

/// K = ∂²E/∂x² at rest, in newtons per metre, before any node is held.
pub(crate) fn rest_stiffness(body: &Body) -> BlockMatrix {
    let rest = &body.description().rest_positions;
    let mut energies = body.formulation().energies(body);
    let mut pairs = Vec::new();
    for energy in &energies {
        energy.couplings(&mut |a, b| pairs.push((a, b)));
    }
    let mut matrix = BlockMatrix::new(rest.len(), pairs.into_iter());
    for energy in &mut energies {
        energy.attach(&matrix);
        energy.add_hessian(rest, Curvature::Full, &mut matrix);
    }
    matrix
}
