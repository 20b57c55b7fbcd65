//! Rigid objects.

use super::{ForceBinding, Motion};
use crate::diagnostics::Location;
use glam::DVec3;
use pliant::obstacle::Obstacle;

/// A rigid obstacle, or a rigid body.
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
    /// How it moves; `None` if it stays.
    pub moving: Option<Moving>,
}

/// What makes a rigid body of an object.
#[derive(Clone, Debug)]
pub struct Moving {
    /// How it may move.
    pub motion: Motion,
    /// In kg/m³.
    pub density: f64,
    /// In kilograms, instead of the density.
    pub mass: Option<f64>,
    /// At the start, in metres per second.
    pub velocity: DVec3,
    /// At the start, in radians per second.
    pub spin: DVec3,
    /// Length of a step, in seconds.
    pub time_step: f64,
    /// The forces that act on it.
    pub forces: Vec<ForceBinding>,
}
