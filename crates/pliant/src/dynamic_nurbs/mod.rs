//! Dynamic NURBS: curves and surfaces whose unknowns are control points and weights.
//!
//! ```text
//! x_i(p) = Σ_j N_j(u_i) w_j c_j / Σ_k N_k(u_i) w_k,        p = (c, ln w)
//! Φ(p) = Σ_i m_i / (2 dt²) |x_i(p) - x_i - dt v_i|² + γ_i / (2 dt) |x_i(p) - x_i|² + E(x(p)) + V(x(p))
//! E = ½ ∫ α_11 |x_u|² + α_22 |x_v|² + β_11 |x_uu|² + 2 β_12 |x_uv|² + β_22 |x_vv|² du dv
//! ```
//!
//! Implements: \[Gibson1997\] sect. 2 and 5.4, D-NURBS after \[Qin1996\]; with the integrator `Static` and
//! weights that stay, the minimal-energy curves and surfaces of \[Celniker1991\] and \[Welch1992\].
//!
//! The nodes of the body are samples of the curve or surface at the points of its grid: masses, damping,
//! forces and constraints are theirs, and the sums over them stand for the integrals of the papers, so that
//! the mass matrix is Σ m_i J_iᵀ J_i with J = ∂x/∂p. A step is one of backward Euler in p: Φ is minimised by
//! the method of Gauss and Newton, whose matrix is small and dense. That takes the velocity-dependent forces
//! of the papers along, since it is the places of samples that are stepped. Logarithms keep weights
//! positive. A common factor of all weights moves nothing, so each step holds weights back a little; and they
//! follow by a few iterations in each step, after which the control points are brought into balance again.
//! Weights that a fixed sample depends on stay.
//!
//! Nodes that are fixed, coordinates that are prescribed and normals are linear constraints on samples, kept by an
//! augmented Lagrangian. Points along a line of samples are a curve that the surface passes through.

mod constraint;
mod samples;
mod squares;
mod step;
mod subdivision;
mod trim;

pub(crate) use constraint::Constraint;
pub(crate) use samples::Samples;
pub(crate) use step::NurbsStep;
pub(crate) use subdivision::subdivided;
pub use trim::Trim;
pub(crate) use trim::trimmed;
