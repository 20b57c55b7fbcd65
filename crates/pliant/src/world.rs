//! The world: bodies, obstacles and time. It holds what persists and nothing that can be computed
//! from it, so that a copy of a world continues exactly as the original.

use crate::body::Body;
use crate::obstacle::Obstacle;

/// Bodies and obstacles at a moment in time.
///
/// ```
/// use pliant::elastic::Weights;
/// use pliant::{Body, BodyDescription, Grid, Workspace, World};
/// # use glam::DVec3;
/// let rope = Grid::new(&[3], &[false]);
/// let rest = vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
/// let rope = BodyDescription::new("rope", rope, rest, Weights::uniform(3, 1.0, 0.0, 0.0));
/// let mut world = World { bodies: vec![Body::new(rope)?], ..World::default() };
/// let before = world.state_hash();
/// world.step(&mut Workspace::new(&world));
/// assert_eq!((world.time, world.state_hash()), (0.01, before)); // at rest, nothing moves
/// # Ok::<(), pliant::body::BodyError>(())
/// ```
#[derive(Debug, Default)]
pub struct World {
    /// Simulated time, in seconds.
    pub time: f64,
    /// Number of steps taken.
    pub step_count: usize,
    /// The deformable bodies.
    pub bodies: Vec<Body>,
    /// The obstacles.
    pub obstacles: Vec<Obstacle>,
}

impl World {
    /// Length of a step, in seconds: the shortest of what the bodies ask for. All bodies advance
    /// together. Zero in a world without bodies, where time stands still.
    pub fn time_step(&self) -> f64 {
        self.bodies
            .iter()
            .map(|body| body.description().time_step)
            .reduce(f64::min)
            .unwrap_or(0.0)
    }

    /// Number of nodes of all bodies.
    pub fn node_count(&self) -> usize {
        self.bodies.iter().map(Body::node_count).sum()
    }
}
