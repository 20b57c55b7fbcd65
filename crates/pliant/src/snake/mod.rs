//! Snakes: curves that are drawn to features of images.
//!
//! The energy of the curve itself is here; that of the image is a force (`force/image/`), so that springs
//! of users, contact and all integrators with energies work as for any body.
//!
//! Implements: \[Gibson1997\] eq. 11; \[Kass1988\].

mod energy;

pub(crate) use energy::SnakeEnergy;
