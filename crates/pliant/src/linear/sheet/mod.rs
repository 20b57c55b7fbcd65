//! Open sheets, the common case, in single precision: conjugate gradients for small ones and a
//! multigrid cycle to precondition with for large ones.

pub(crate) mod coarsening;
pub(crate) mod conjugate_gradient;
pub(crate) mod cycle;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod method;
pub(crate) mod stencil;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
pub(crate) mod turn;
pub(crate) mod vector;
