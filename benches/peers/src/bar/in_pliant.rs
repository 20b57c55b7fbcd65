//! The bar in Pliant: corotated, one implicit step a frame.

use super::Run;
use super::beam::{Bar, DENSITY, POISSON, YOUNG};
use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::sync::Arc;

type Error = Box<dyn std::error::Error>;

fn describe(bar: &Bar) -> Result<BodyDescription, Error> {
    let material = ElasticMaterial::new(YOUNG, POISSON, DENSITY)?;
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let settings = MeshSettings::new(Arc::clone(&bar.mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("bar", settings, bar.masses.clone());
    for node in 0..bar.masses.len() {
        description.fixed[node] = bar.clamped(node);
    }
    description.integrator = IntegratorKind::SemiImplicit;
    description.time_step = 1.0 / 60.0;
    description.solver.tolerance = 1e-6;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    Ok(description)
}

fn tip(world: &World, end: &[usize]) -> f64 {
    let positions = &world.bodies[0].state.positions;
    end.iter().map(|&node| positions[node].z).sum::<f64>() / end.len() as f64 - 0.125
}

/// The run, and where the tip rests.
pub fn run(bar: &Bar) -> Result<(Run, f64), Error> {
    let end = bar.end();
    let mut world = World {
        bodies: vec![Body::new(describe(bar)?)?],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    workspace.measure = false;
    let run = super::take_frames(|| {
        world.step(&mut workspace);
        tip(&world, &end)
    });
    let mut description = describe(bar)?;
    description.integrator = IntegratorKind::Static;
    description.solver.tolerance = 1e-4;
    description.solver.max_iterations = 5000;
    let mut state = State::clone(&world.bodies[0].state);
    state.velocities.fill(DVec3::ZERO);
    let mut resting = World {
        bodies: vec![Body::with_state(description, state)?],
        ..World::default()
    };
    let mut workspace = Workspace::new(&resting);
    resting.step(&mut workspace);
    Ok((run, tip(&resting, &end)))
}
