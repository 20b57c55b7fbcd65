//! Every combination that the engine accepts of body, integrator, solver and contact, small: the result
//! is finite, no energy comes out of nothing, a restored world goes on to the same bits on other threads.
//! What is refused is refused with a reason that the table at the end expects.

mod support;

use glam::DVec3;
use pliant::contact::ContactMethod;
use pliant::fem::{
    ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings, RotationMethod,
    SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::{self, GlobalDeformation, Hybrid, Modal};
use pliant::linear::SolverKind;
use pliant::mesh::{Division, ElementKind, block as mesh_block, rectangle};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::collections::BTreeSet;
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
    all.extend(other_formulations(&all));
    all
}

/// What the bodies of the list are in other formulations, and cloth over a mesh.
fn other_formulations(
    all: &[(&'static str, BodyDescription)],
) -> Vec<(&'static str, BodyDescription)> {
    let found = |wanted: &str| {
        let (_, body) = all.iter().find(|(name, _)| *name == wanted).unwrap();
        body.clone()
    };
    let mut others = Vec::new();
    for (name, of, formulation) in [
        ("sticks", "surface", formulation::Sticks::NAME),
        ("snake", "curve", formulation::Snake::NAME),
        ("film", "surface", formulation::Film::NAME),
        ("rod", "curve", formulation::Rod::NAME),
    ] {
        let mut body = found(of);
        assert!(body.reformulate(formulation));
        if name == "film" {
            // Without a rim it would draw itself together to a point.
            let grid = body.grid().unwrap().clone();
            let [nx, ny, _] = grid.counts();
            let on_rim = |[i, j, _]: [usize; 3]| i % (nx - 1) == 0 || j % (ny - 1) == 0;
            body.fixed = grid.nodes().map(on_rim).collect();
        }
        others.push((name, body));
    }
    let mut modal = found("corotated mesh");
    modal.make_modal(Modal::new(8));
    others.push(("modal mesh", modal));
    let mut global = found("corotated mesh");
    global.make_global(GlobalDeformation { degree: 1 });
    others.push(("global mesh", global));
    let mut sheet = rectangle(ElementKind::Triangle3, [4, 4], [0.5, 0.5]).unwrap();
    for x in &mut sheet.positions {
        *x = glam::DQuat::from_rotation_x(0.3) * *x + 0.3 * DVec3::Z;
    }
    let cloth = ClothModel {
        material: ElasticMaterial::new(1e5, 0.3, 300.0).unwrap(),
        thickness: 1e-3,
        strain: MembraneStrain::default(),
        rigidity: None,
    };
    let masses = cloth.masses(&sheet).unwrap();
    let settings = MeshSettings::new(Arc::new(sheet), Arc::new(cloth));
    others.push(("cloth", BodyDescription::of_mesh("cloth", settings, masses)));
    others
}

/// The world of a body, or why there is none.
fn world_of(body: &BodyDescription) -> Result<World, String> {
    let mut body = body.clone();
    body.name = "body".into();
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
    let body = Body::new(body).map_err(|error| error.to_string())?;
    Ok(World {
        bodies: vec![body],
        obstacles: vec![floor],
        ..World::default()
    })
}

/// What went wrong with a combination.
fn run(name: &str, body: &BodyDescription, others: &rayon::ThreadPool) -> Result<(), String> {
    let mut world = world_of(body).unwrap();
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
        scale = scale.max((report.energies.elastic - start.elastic).abs());
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
        // The two stages of a polynomial map are not repeated by backward Euler where they gain.
        IntegratorKind::TwoStage if name.starts_with("global") => 0.1,
        // Nothing but inertia holds the nodes of a film within its surface: where they bunch, steps end early.
        _ if name.starts_with("film") => 0.08,
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
    others.install(|| {
        let mut fresh = Workspace::new(&restored);
        for _ in STEPS / 2..STEPS {
            restored.step(&mut fresh);
        }
    });
    if restored.state_hash() != world.state_hash() {
        return Err(format!("{name}: a restored run differs"));
    }
    Ok(())
}

/// All combinations, each with its name.
fn combinations() -> Vec<(String, BodyDescription)> {
    let mut all = Vec::new();
    for (name, body) in bodies() {
        for &integrator in IntegratorKind::ALL {
            for method in [
                ContactMethod::Projection,
                ContactMethod::Exponential,
                ContactMethod::Quadratic,
            ] {
                for &solver in SolverKind::ALL {
                    // Over-relaxation needs thousands of sweeps for what is stiff.
                    if solver == SolverKind::Sor && name.starts_with("stiff") {
                        continue;
                    }
                    let mut body = body.clone();
                    body.integrator = integrator;
                    body.contact.method = method;
                    body.contact.strength = match method {
                        ContactMethod::Quadratic => 50.0,
                        _ => 0.1,
                    };
                    body.solver.kind = solver;
                    let name = format!("{name}, {integrator:?}, {method:?}, {solver:?}");
                    all.push((name, body));
                }
            }
        }
    }
    all
}

#[test]
fn every_body_with_every_integrator_solver_and_contact() {
    let others = rayon::ThreadPoolBuilder::new()
        .num_threads(3)
        .build()
        .unwrap();
    let mut wrong = Vec::new();
    let (mut count, mut refused) = (0, 0);
    for (name, body) in combinations() {
        match world_of(&body) {
            Err(_) => refused += 1,
            // A body that nothing holds falls without end and has no statics.
            Ok(_) if body.integrator == IntegratorKind::Static => {}
            Ok(_) => {
                count += 1;
                wrong.extend(run(&name, &body, &others).err());
            }
        }
    }
    println!(
        "{count} combinations, {refused} refused, {} wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn what_is_refused_is_refused_for_a_known_reason() {
    let reasons: BTreeSet<String> = combinations()
        .iter()
        .filter_map(|(_, body)| world_of(body).err())
        .map(|reason| reason.trim_start_matches("body `body`: ").to_owned())
        .collect();
    let expected: BTreeSet<String> = REFUSALS.iter().map(|reason| (*reason).to_owned()).collect();
    let new: Vec<_> = reasons.difference(&expected).collect();
    let gone: Vec<_> = expected.difference(&reasons).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}"
    );
}

/// Why the engine refuses combinations of the matrix.
const REFUSALS: &[&str] = &[
    "a body over a mesh cannot have an integrator of second order with strain Warped, whose forces have no \
     energy; SemiImplicit and Implicit can",
    "a body over a mesh cannot have strain Warped with the Explicit integrator, since its forces have no energy",
    "a body over a mesh cannot have the solver ADI, which goes along the lines of a grid; Multigrid it can",
    "a film knows the solvers ADI and Multigrid not: its energy is not that of a grid",
    "a film moves by the integrators TwoStage, Implicit, Midpoint and Newmark: nothing but inertia and damping \
     holds its nodes within the surface",
    "a rod knows the solvers ADI and Multigrid not, which go by the lines of a grid",
    "a rod moves by the integrators that are implicit: TwoStage, Implicit, Midpoint, Newmark, Static",
    "a rod touches objects by the contact Projection only",
    "a snake knows the solvers ADI and Multigrid not: its energy is not that of a grid",
    "a snake moves by the integrators that are implicit: TwoStage, Implicit, Midpoint, Newmark, Static",
    "formulation Global: it moves by the integrators TwoStage and Implicit",
    "formulation Global: it touches objects by the contact Projection only",
    "formulation Modal: its modes vibrate and have no statics",
    "sticks move by Verlet's rule and have no statics",
    "sticks touch objects by the contact Projection only: Verlet's rule would gain energy by a potential",
    "the equilibrium of a hybrid body with obstacles needs a contact potential; use contact Exponential or \
     Quadratic",
];
