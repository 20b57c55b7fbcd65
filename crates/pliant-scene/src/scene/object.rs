//! Rigid objects.

use crate::diagnostics::Location;
use pliant::obstacle::Obstacle;

/// A rigid, unmoving obstacle.
#[derive(Clone, Debug)]
pub struct Object {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// The obstacle, but for its look.
    pub obstacle: Obstacle,
    /// Whether the file gives its `epsilon`.
    pub has_epsilon: bool,
    /// Whether pictures show its name.
    pub is_named: bool,
    /// Index of its material in [`crate::Scene::materials`].
    pub material: Option<usize>,
}
