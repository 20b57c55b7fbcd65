//! Hybrid bodies for the tests.

use glam::DVec3;
use pliant::formulation::Hybrid;
use pliant::linear::{SolverKind, SolverSettings};
use pliant::{Body, BodyDescription, World};

/// Made hybrid, with a direct solver.
pub fn hybrid(mut description: BodyDescription) -> BodyDescription {
    description.make_hybrid(Hybrid::default());
    description.solver = SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    };
    description
}

/// A world of one body.
pub fn world(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

/// A body in its rest shape, moving.
pub fn moving(description: BodyDescription, velocity: impl Fn(DVec3) -> DVec3) -> Body {
    let positions = description.rest_positions.clone();
    super::started(description, positions, velocity)
}
