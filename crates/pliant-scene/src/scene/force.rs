//! External forces.

use crate::diagnostics::Location;
use pliant::force::NodalForce;
use std::sync::Arc;

/// A force that bodies and particles can bind.
#[derive(Clone, Debug)]
pub struct Force {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// What it does.
    pub force: Arc<dyn NodalForce>,
}
