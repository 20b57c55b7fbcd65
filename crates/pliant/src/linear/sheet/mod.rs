//! Open sheets, the common case, in single precision: conjugate gradients for small ones and a
//! multigrid cycle to precondition with for large ones.

// The loops over vectors and components must unroll by their constant counts.
#![allow(clippy::needless_range_loop)]

pub(crate) mod coarsening;
pub(crate) mod conjugate_gradient;
pub(crate) mod cycle;
pub(crate) mod layout;
pub(crate) mod lines;
pub(crate) mod method;
#[cfg(test)]
mod solver_tests;
pub(crate) mod stencil;
pub(crate) mod sums;
#[cfg(test)]
mod tests;
pub(crate) mod transfer;
pub(crate) mod turn;
pub(crate) mod updates;
