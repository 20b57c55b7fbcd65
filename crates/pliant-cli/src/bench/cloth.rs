//! The scene of Table 5.1 of \[Thesis2004\], sect. 5.2.4: a square cloth falls on two spheres and a
//! plane and slides off them.
//!
//! The thesis gives the material (mass 5, damping 2, tension 1 at every particle)
//! and the kinds of objects; their places are ours.

use glam::DVec3;
use pliant::body::BodyError;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity, Stream, Viscous};
use pliant::formulation::Sticks;
use pliant::linear::{SolverKind, SolverSettings};
use pliant::obstacle::{ImplicitSurface, Obstacle, ObstacleError, Plane, Sphere};
use pliant::{Body, BodyDescription, EnergyVariant, Grid, IntegratorKind, World};
use std::sync::Arc;

/// Length of a step, in seconds.
pub const TIME_STEP: f64 = 0.01;
/// Side of the cloth, in metres.
const SIDE: f64 = 4.0;
/// Height from which it falls, in metres.
const HEIGHT: f64 = 2.5;
/// Height of the plane, in metres.
const GROUND: f64 = -1.0;
/// Mass of a particle, in kilograms.
const MASS: f64 = 5.0;
/// Rigidity of a particle; the thesis does not give that of this scene. Its general cloth example
/// has 0.01, which with this tension and size bends like a plate of a quarter of a metre (thickness²
/// / 12 = bending stiffness by stretching stiffness); for cloth it says "close to zero".
const RIGIDITY: f64 = 0.0005;
/// Gravity, in m/s².
const GRAVITY: f64 = 9.82;

/// One way to simulate the cloth.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Case {
    /// Particles along a side.
    pub side: usize,
    /// Which elastic force.
    pub energy: EnergyVariant,
    /// Most iterations of conjugate gradients.
    pub iterations: usize,
    /// Whether they are preconditioned by the diagonal only, else as the engine chooses.
    pub diagonal: bool,
    /// Relative residual at which they stop; 0 does all of them.
    pub tolerance: f64,
    /// Whether it is made of sticks, gone over as often as there are iterations.
    pub sticks: bool,
}

/// Why the scene cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ClothError {
    #[error(transparent)]
    Body(#[from] BodyError),
    #[error(transparent)]
    Obstacle(#[from] ObstacleError),
}

/// The scene at its beginning.
pub fn world(case: &Case) -> Result<World, ClothError> {
    let side = case.side;
    let grid = Grid::new(&[side, side], &[false, false]);
    let rest_positions: Vec<DVec3> = grid
        .nodes()
        .map(|coordinates| {
            let [u, v, _] = grid.material_coordinates(coordinates);
            DVec3::new(SIDE * (u - 0.5), SIDE * (v - 0.5), HEIGHT)
        })
        .collect();
    let node_count = grid.node_count();
    let weights = Weights::uniform(node_count, 1.0, RIGIDITY, 0.0);
    let gravity = Gravity {
        acceleration: DVec3::new(0.0, 0.0, -GRAVITY),
    };
    let still_air = Viscous {
        strength: 1.0,
        stream: Stream::Constant {
            velocity: DVec3::ZERO,
        },
    };
    let obstacles: [(&str, Box<dyn ImplicitSurface>); 3] = [
        (
            "upper sphere",
            Box::new(Sphere::new(DVec3::new(-0.2, -0.1, 1.0), 1.0)?),
        ),
        (
            "lower sphere",
            Box::new(Sphere::new(DVec3::new(1.5, 1.0, GROUND), 1.5)?),
        ),
        (
            "ground",
            Box::new(Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, GROUND))?),
        ),
    ];
    let mut description = BodyDescription {
        masses: vec![MASS; node_count],
        dampings: vec![2.0; node_count],
        integrator: IntegratorKind::SemiImplicit,
        solver: SolverSettings {
            kind: if case.diagonal {
                SolverKind::DiagonalConjugateGradient
            } else {
                SolverKind::ConjugateGradient
            },
            tolerance: case.tolerance,
            max_iterations: Some(case.iterations),
            ..SolverSettings::default()
        },
        time_step: TIME_STEP,
        forces: vec![
            BoundForce {
                force: Arc::new(gravity),
                node: None,
            },
            BoundForce {
                force: Arc::new(still_air),
                node: None,
            },
        ],
        collides_with: (0..obstacles.len()).collect(),
        ..BodyDescription::new("cloth", grid, rest_positions, weights)
    };
    description.change_grid(|on_grid| on_grid.energy = case.energy);
    if case.sticks {
        description.make_sticks(Sticks {
            iterations: case.iterations,
            reach: 2,
        });
    }
    Ok(World {
        bodies: vec![Body::new(description)?],
        obstacles: obstacles
            .into_iter()
            .map(|(name, surface)| Obstacle::new(name, surface))
            .collect(),
        ..World::default()
    })
}

/// The energy that the whole cloth gains by falling to the ground, in joules: the measure for what
/// counts as little.
pub fn energy_of_the_fall(world: &World) -> f64 {
    world.node_count() as f64 * MASS * GRAVITY * (HEIGHT - GROUND)
}
