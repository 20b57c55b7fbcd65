//! The schemes as published, on grids: semi-implicit and explicit. One file an integrator.

mod elasticity;
mod explicit;
mod semi_implicit;

pub(crate) use explicit::Explicit;
pub(crate) use semi_implicit::SemiImplicit;
