//! Every combination that the engine accepts of body, integrator, solver and contact, small: the result
//! is finite, no energy comes out of nothing, a restored world goes on to the same bits.

mod support;

use glam::DVec3;
use pliant::contact::ContactMethod;
use pliant::fem::{
    ElasticMaterial, MeshModel, MeshSettings, RotationMethod, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Hybrid;
use pliant::linear::SolverKind;
use pliant::mesh::{Division, block as mesh_block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::sync::Arc;
use support::{block, line, sheet};

const STEPS: usize = 50;

/// Bodies of half a metre that start a little above the floor, tilted.
fn bodies() -> Vec<(&'static str, BodyDescription)> {
    let tilt = |mut body: BodyDescription| {
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.2, 0.1);
        for x in &mut body.rest_positions {
            *x = turn * *x + 0.3 * DVec3::Z;
        }
        body
    };
    let light = |mut body: BodyDescription, mass: f64| {
        let count = body.masses.len() as f64;
        body.masses.fill(mass / count);
        tilt(body)
    };
    let mut all = vec![
        ("curve", light(line(8, 0.5, [20.0, 0.01, 0.01]), 0.1)),
        ("surface", light(sheet([6, 5], [0.5, 0.4], 20.0, 0.01), 0.2)),
        (
            "stiff surface",
            light(sheet([6, 5], [0.5, 0.4], 2e4, 1.0), 0.2),
        ),
        (
            "solid",
            light(block([4, 3, 3], DVec3::new(0.4, 0.3, 0.3), 200.0), 2.0),
        ),
    ];
    for (name, of) in [("hybrid surface", 1), ("hybrid solid", 3)] {
        let mut hybrid = all[of].1.clone();
        hybrid.make_hybrid(Hybrid::default());
        all.push((name, hybrid));
    }
    let strains = [
        ("linear mesh", SolidStrain::Linear, 1e5),
        ("warped mesh", SolidStrain::Warped(RotationMethod::Svd), 1e5),
        ("corotated mesh", SolidStrain::Corotated, 1e5),
        ("stiff mesh", SolidStrain::Corotated, 1e9),
        ("green mesh", SolidStrain::Green, 1e5),
        ("neo-hookean mesh", SolidStrain::NeoHookean, 1e5),
    ];
    for (name, strain, young) in strains {
        let mut mesh = mesh_block([2, 2, 2], DVec3::splat(0.3), Division::FiveTetrahedra).unwrap();
        let turn = glam::DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.2, 0.1);
        for x in &mut mesh.positions {
            *x = turn * *x + 0.3 * DVec3::Z;
        }
        let mesh = Arc::new(mesh);
        let model = SolidModel::new(strain, ElasticMaterial::new(young, 0.3, 1000.0).unwrap());
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(mesh, Arc::new(model));
        all.push((name, BodyDescription::of_mesh(name, settings, masses)));
    }
    all
}

fn world_of(body: &BodyDescription) -> Option<World> {
    let mut body = body.clone();
    body.time_step = 0.01;
    body.contact.friction = 0.3;
    body.collides_with.push(0);
    body.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::new(0.0, 0.0, -9.81),
        }),
        node: None,
    });
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut floor = Obstacle::new("floor", Box::new(floor));
    floor.epsilon = match body.contact.method {
        ContactMethod::Projection => 1.0,
        _ => 0.01,
    };
    Some(World {
        bodies: vec![Body::new(body).ok()?],
        obstacles: vec![floor],
        ..World::default()
    })
}

/// What went wrong with a combination.
fn run(name: &str, body: &BodyDescription) -> Result<(), String> {
    let Some(mut world) = world_of(body) else {
        return Ok(());
    };
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world);
    let mut created = 0.0;
    let (mut worked, mut highest) = (0.0, f64::NEG_INFINITY);
    let mut scale: f64 = 1e-9;
    let mut halfway = None;
    for step in 0..STEPS {
        if step == STEPS / 2 {
            halfway = Some(world.snapshot());
        }
        let report = world.step(&mut workspace);
        created += report.energy_created;
        worked += report.work;
        highest = highest.max(report.energies.total() - start.total() - worked);
        scale = scale.max((report.energies.external - start.external).abs());
    }
    if let Some(reason) = &world.bodies[0].quarantine {
        return Err(format!("{name}: {reason}"));
    }
    let state = &world.bodies[0].state;
    if !state
        .positions
        .iter()
        .chain(&state.velocities)
        .all(|v| v.is_finite())
    {
        return Err(format!("{name}: not finite"));
    }
    // Rules that damp nothing give and take a little in turns; the others only take.
    let damps = matches!(
        world.bodies[0].description().scheme(),
        IntegratorKind::TwoStage | IntegratorKind::Implicit
    ) && world.bodies[0].hybrid().is_none();
    let gained = if damps { created } else { highest };
    // The published scheme has no energy of its own; what is left at the shortest step is reported.
    let allowed = match world.bodies[0].description().scheme() {
        IntegratorKind::SemiImplicit => 0.1,
        IntegratorKind::Midpoint | IntegratorKind::Newmark => 0.05,
        _ => 0.03,
    };
    if gained > allowed * scale {
        return Err(format!(
            "{name}: gained {:.1} % of what fell",
            100.0 * gained / scale
        ));
    }
    let mut restored = world_of(body).unwrap();
    restored.restore(&halfway.unwrap()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in STEPS / 2..STEPS {
        restored.step(&mut fresh);
    }
    if restored.state_hash() != world.state_hash() {
        return Err(format!("{name}: a restored run differs"));
    }
    Ok(())
}

#[test]
fn every_body_with_every_integrator_solver_and_contact() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, body) in bodies() {
        for &integrator in IntegratorKind::ALL {
            if integrator == IntegratorKind::Static {
                continue;
            }
            for method in [
                ContactMethod::Projection,
                ContactMethod::Exponential,
                ContactMethod::Quadratic,
            ] {
                for solver in [SolverKind::Automatic, SolverKind::Cholesky] {
                    let mut body = body.clone();
                    body.integrator = integrator;
                    body.contact.method = method;
                    body.contact.strength = match method {
                        ContactMethod::Quadratic => 50.0,
                        _ => 0.1,
                    };
                    body.solver.kind = solver;
                    let name = format!("{name}, {integrator:?}, {method:?}, {solver:?}");
                    count += 1;
                    wrong.extend(run(&name, &body).err());
                }
            }
        }
    }
    println!("{count} combinations, {} wrong", wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
