//! Surfaces that minimise their area: soap films.
//!
//! Implements: \[Gibson1997\] sect. 2 and 6, minimal-energy surfaces; the step to the minimum of
//! \[Pinkall1993\].

mod energy;

pub(crate) use energy::AreaEnergy;
