//! The schemes as published: semi-implicit on grids, explicit on grids and meshes. One file an integrator.

mod elasticity;
mod energy_list;
mod explicit;
mod semi_implicit;

pub(crate) use explicit::Explicit;
pub(crate) use semi_implicit::SemiImplicit;
