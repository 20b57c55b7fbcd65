//! The same bits whatever the number of threads, and from a copy of the world.

mod support;

use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity, Stream, Viscous};
use pliant::formulation::Hybrid;
use pliant::linear::{SolverKind, SolverSettings};
use pliant::mesh::{self, Division};
use pliant::obstacle::{Obstacle, Sphere};
use pliant::{Body, BodyDescription, EnergyVariant, IntegratorKind, Workspace, World};
use std::sync::Arc;
use support::{block, body, sheet};

fn world(mut description: BodyDescription) -> World {
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * 9.81,
        }),
        node: None,
    });
    description.forces.push(BoundForce {
        force: Arc::new(Viscous {
            strength: 0.3,
            stream: Stream::Constant {
                velocity: DVec3::new(1.0, 0.5, 0.0),
            },
        }),
        node: None,
    });
    description.collides_with.push(0);
    let ball = Sphere::new(DVec3::new(0.1, 0.05, -0.6), 0.5).unwrap();
    World {
        bodies: vec![Body::new(description).unwrap()],
        obstacles: vec![Obstacle::new("ball", Box::new(ball))],
        ..World::default()
    }
}

fn hash_after(world: &mut World, steps: usize) -> u64 {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        world.step(&mut workspace);
    }
    world.state_hash()
}

/// A bar of tetrahedra, clamped at one end.
fn bar(counts: [usize; 3], strain: SolidStrain) -> BodyDescription {
    let size = DVec3::new(1.0, 0.25, 0.25);
    let mesh = Arc::new(mesh::block(counts, size, Division::FiveTetrahedra).unwrap());
    let model = SolidModel::new(strain, ElasticMaterial::new(1e5, 0.33, 1000.0).unwrap());
    let masses = model.masses(&mesh).unwrap();
    let fixed = mesh.positions.iter().map(|x| x.x < 1e-9).collect();
    let settings = MeshSettings::new(mesh, Arc::new(model));
    let mut description = BodyDescription::of_mesh("bar", settings, masses);
    description.fixed = fixed;
    description.solver.tolerance = 1e-6;
    description
}

/// Bodies large enough for the engine to use threads (above 20,000 nodes in the solver).
fn cases() -> Vec<(BodyDescription, usize)> {
    let mut open = sheet([150, 140], [2.0, 2.0], 4.0, 0.001);
    open.fixed[0] = true;
    open.integrator = IntegratorKind::SemiImplicit;
    let mut by_default = sheet([60, 50], [2.0, 2.0], 40.0, 0.001);
    by_default.fixed[0] = true;
    let mut published = open.clone();
    published.change_grid(|on_grid| on_grid.energy = EnergyVariant::Published);
    let tube = body(
        "tube",
        &[150, 140],
        &[true, false],
        [2.0, 0.001, 0.0],
        |[u, v, _]| {
            let angle = std::f64::consts::TAU * u;
            DVec3::new(angle.cos(), angle.sin(), 2.0 * v - 1.0)
        },
    );
    let mut tube = tube.description().clone();
    tube.integrator = IntegratorKind::SemiImplicit;
    let mut implicit = block([9, 24, 24], DVec3::ONE, 5.0);
    implicit.integrator = IntegratorKind::Implicit;
    implicit.solver = SolverSettings {
        tolerance: 1e-5,
        max_iterations: Some(60),
        ..SolverSettings::default()
    };
    let mut hybrid = sheet([150, 140], [2.0, 2.0], 4.0, 0.001);
    hybrid.make_hybrid(Hybrid::default());
    hybrid.solver.kind = SolverKind::Multigrid;
    vec![
        (hybrid, 4),
        (open, 12),
        (published, 12),
        (tube, 6),
        (by_default, 6),
        (block([30, 30, 25], DVec3::ONE, 5.0), 2),
        (implicit, 2),
        (bar([68, 17, 17], SolidStrain::Corotated), 2),
        (bar([20, 5, 5], SolidStrain::Green), 4),
    ]
}

#[test]
fn one_two_and_four_threads_give_the_same_bits() {
    for (description, steps) in cases() {
        let hashes: Vec<u64> = [1, 2, 4]
            .iter()
            .map(|&threads| {
                let pool = rayon::ThreadPoolBuilder::new()
                    .num_threads(threads)
                    .build()
                    .unwrap();
                pool.install(|| hash_after(&mut world(description.clone()), steps))
            })
            .collect();
        assert_eq!(hashes[0], hashes[1], "{}", description.name);
        assert_eq!(hashes[0], hashes[2], "{}", description.name);
    }
}

#[test]
fn a_restored_state_continues_to_the_same_bits() {
    let moving = |kind: &&IntegratorKind| **kind != IntegratorKind::Static;
    for &integrator in IntegratorKind::ALL.iter().filter(moving) {
        let mut description = sheet([12, 10], [1.0, 1.0], 4.0, 0.01);
        description.integrator = integrator;
        let mut whole = world(description.clone());
        let expected = hash_after(&mut whole, 30);
        let mut first = world(description.clone());
        hash_after(&mut first, 12);
        // A second world takes over the bodies and the clock, with new scratch memory.
        let mut second = World {
            time: first.time,
            step_count: first.step_count,
            bodies: first.bodies.clone(),
            ..world(description)
        };
        assert_eq!(hash_after(&mut second, 18), expected, "{integrator:?}");
    }
}

/// The matrix that preconditions a mesh is that of its rest, not of the moment it was made.
#[test]
fn a_restored_mesh_continues_to_the_same_bits() {
    let strains = [
        SolidStrain::Corotated,
        SolidStrain::Green,
        SolidStrain::NeoHookean,
    ];
    for strain in strains {
        let mut whole = world(bar([12, 3, 3], strain));
        let expected = hash_after(&mut whole, 30);
        let mut first = world(bar([12, 3, 3], strain));
        hash_after(&mut first, 12);
        let mut second = World {
            time: first.time,
            step_count: first.step_count,
            bodies: first.bodies.clone(),
            ..world(bar([12, 3, 3], strain))
        };
        assert_eq!(hash_after(&mut second, 18), expected, "{strain:?}");
    }
}

/// All solvers lead to the same motion within their tolerance.
#[test]
fn every_solver_moves_the_body_alike() {
    for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Implicit] {
        let run = |kind: SolverKind| {
            let mut description = sheet([17, 15], [1.0, 1.0], 4.0, 0.01);
            description.integrator = integrator;
            description.fixed[0] = true;
            description.newton_tolerance = 1e-7;
            description.solver = SolverSettings {
                kind,
                tolerance: 1e-10,
                max_iterations: Some(20_000),
                relaxation: 1.3,
            };
            let mut world = world(description);
            let mut workspace = Workspace::new(&world);
            for _ in 0..20 {
                let report = world.step(&mut workspace);
                // Newton's method asks for the root of the tolerance.
                let asked = if integrator == IntegratorKind::Implicit {
                    1.1e-5
                } else {
                    1e-9
                };
                assert!(report.linear_residual < asked, "{kind:?}");
                assert_eq!(report.shortened_steps, 0, "{kind:?}");
            }
            world.bodies.remove(0).state.positions
        };
        let direct = run(SolverKind::Cholesky);
        for kind in [
            SolverKind::Lu,
            SolverKind::ConjugateGradient,
            SolverKind::Sor,
            SolverKind::Adi,
            SolverKind::Multigrid,
        ] {
            for (a, b) in run(kind).iter().zip(&direct) {
                assert!((*a - *b).length() < 1e-6, "{integrator:?}, {kind:?}");
            }
        }
    }
}
