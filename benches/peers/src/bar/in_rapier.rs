//! The bar in Rapier: its corotational cells with its solver of finite elements.

use super::Run;
use super::beam::{Bar, POISSON, YOUNG};
use rapier3d::prelude::*;

/// Iterations and relative residual of its conjugate gradients.
#[derive(Clone, Copy)]
pub struct Settings {
    iterations: usize,
    residual: f32,
}

pub const SETTINGS: [(&str, Settings); 2] = [
    (
        "Rapier, as it comes",
        Settings {
            iterations: 20,
            residual: 1e-5,
        },
    ),
    (
        "Rapier, up to 2000 iterations",
        Settings {
            iterations: 2000,
            residual: 1e-5,
        },
    ),
];

pub fn run(bar: &Bar, settings: Settings) -> Run {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -9.81);
    world.integration_parameters.dt = 1.0 / 60.0;
    world.integration_parameters.num_solver_iterations = 1;
    let fem = &mut world.integration_parameters.soft_bodies.fem;
    fem.max_linear_iterations = settings.iterations;
    fem.linear_tolerance = settings.residual;
    let place = |x: &glam::DVec3| Vector::new(x.x as f32, x.y as f32, x.z as f32);
    let clamped = (0..bar.masses.len()).filter(|&node| bar.clamped(node));
    let builder = SoftBodyBuilder::new(bar.mesh.positions.iter().map(place).collect())
        .cells(bar.tetrahedra.clone())
        .cell_model(SoftBodyCellModel::Corotational)
        .material(SoftBodyMaterial {
            young_modulus: YOUNG as f32,
            poisson_ratio: POISSON as f32,
            elastic_damping_ratio: 0.0,
            ..Default::default()
        })
        .solver(SoftBodySolver::Fem)
        .masses(bar.masses.iter().map(|&mass| mass as f32).collect())
        .pinned_particles(clamped.map(|node| node as u32))
        .no_surface_collider()
        .can_sleep(false);
    let handle = world.insert_soft_body(builder);
    let end = bar.end();
    super::take_frames(|| {
        world.step();
        let body = &world.soft_bodies[handle];
        let heights = end
            .iter()
            .map(|&node| f64::from(body.particle_position(node).z));
        heights.sum::<f64>() / end.len() as f64 - 0.125
    })
}
