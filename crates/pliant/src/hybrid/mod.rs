//! The hybrid formulation: a body is a reference shape in a frame that moves, and a deformation.
//!
//! ```text
//! x = c + R q,   q = r + e                                                            (11, 12)
//! m dv/dt = Σ f,   d(angular momentum)/dt = Σ (x - c) x f                             (15a, 15b)
//! μ d²x/dt² + R K e = f                                                               (15c)
//! ```
//!
//! c, R and e have six coordinates more than the nodes, and Lagrange's equations for
//! T(ẋ) - E(e) are those above. Summed over the nodes, 15c must give 15a, and with arms 15b. It
//! does where K e has no net force and no torque, that is where the frame is the one in which the
//! energy is smallest:
//!
//! ```text
//! E(x) = min over c and R of ½ eᵀ K e
//! ```
//!
//! This energy knows no rigid motion, its gradient is R K e, and 15a-c hold together whatever the
//! size of the deformation. (The paper assumes small ones, lets the frame follow rigid-body dynamics
//! and neglects the torque of K e.)
//!
//! So the nodes are the state: positions and velocities, as forces, contact and frames see them.
//! Contact may move them as it likes; momentum, frame and deformation follow from them, and nothing
//! can contradict anything. Of the frame only the rotation is kept from step to step, for the turns
//! that the shape leaves open (that of a straight curve about itself) and as a first guess. The
//! inertial forces of the frame (centrifugal, Coriolis, transverse) need no terms of their own,
//! since x is inertial: what is seen of them from the frame is the motion of x. A scene may take
//! them out one by one; see `step.rs`.
//!
//! A body that is torn is more than one piece, each with a frame of its own; see `pieces.rs`.
//!
//! Fixed nodes are rows of the identity in the matrix, as in the primal formulation; the frame of a
//! held body is that of smallest energy too.
//!
//! Implements: \[Terzopoulos1988\] eq. 11-19 and 43-52.

mod answers;
mod differences;
mod framed_elasticity;
mod inelastic;
mod material;
mod measure;
mod pieces;
mod response;
mod rotation;
mod settle;
mod spline;
mod spline_elasticity;
mod statics;
mod step;
mod system;
mod viscosity;
mod weights;

use differences::Differences;
pub use framed_elasticity::FramedElasticity;
pub(crate) use inelastic::{HybridWeights, ReferenceShape};
pub(crate) use material::find_rotation;
pub use material::{DeformationEnergy, Hybrid, HybridMaterial, InertialTerms};
pub use measure::{FrameMotion, deformations, frame_motion};
pub use pieces::Pieces;
pub(crate) use spline_elasticity::SplineElasticity;
pub use weights::{NodeWeights, PAIRS, SplineWeights};

use crate::body::{Body, Integrator, IntegratorKind};

/// Why a step fails that should never be asked for.
const NO_MATERIAL: &str = "the body has no reference shape, which the hybrid formulation needs";

/// The integrator of a hybrid body. Elastic forces are always implicit, so the kinds other than
/// midpoint and static are the same.
///
/// # Panics
/// If the body is not hybrid.
pub(crate) fn integrator(body: &Body) -> Box<dyn Integrator> {
    let material = body.hybrid().expect(NO_MATERIAL);
    match body.description().integrator {
        IntegratorKind::Static => Box::new(statics::HybridStatics::new(body, material)),
        _ => Box::new(step::HybridDynamics::new(body, material)),
    }
}
