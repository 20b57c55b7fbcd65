//! Bodies over meshes of tetrahedra: momenta, beams, cores and recovery.

mod support;

use glam::{DQuat, DVec3};
use pliant::fem::{
    CoreMotion, CorePose, ElasticMaterial, MeshModel, MeshSettings, RigidCore, RotationMethod,
    SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::linear::SolverKind;
use pliant::mesh::{Division, ElementMesh, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::sync::Arc;
use support::started;

const STRAINS: [SolidStrain; 6] = [
    SolidStrain::Linear,
    SolidStrain::Warped(RotationMethod::Frames),
    SolidStrain::Warped(RotationMethod::Svd),
    SolidStrain::Corotated,
    SolidStrain::Green,
    SolidStrain::NeoHookean,
];

fn rubber() -> ElasticMaterial {
    ElasticMaterial::new(1e6, 0.33, 1000.0).unwrap()
}

fn bar(counts: [usize; 3], size: DVec3) -> Arc<ElementMesh> {
    Arc::new(block(counts, size, Division::FiveTetrahedra).unwrap())
}

fn description(mesh: &Arc<ElementMesh>, strain: SolidStrain) -> BodyDescription {
    let model = SolidModel::new(strain, rubber());
    let masses = model.masses(mesh).unwrap();
    let settings = MeshSettings::new(Arc::clone(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("bar", settings, masses);
    description.solver.tolerance = 1e-10;
    description.solver.max_iterations = Some(2000);
    description
}

fn change(description: &mut BodyDescription, change: impl FnOnce(&mut MeshSettings)) {
    let mut settings = description.mesh().unwrap().clone();
    change(&mut settings);
    description.formulation = Arc::new(settings);
}

fn world(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

fn with_gravity(description: &mut BodyDescription) {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
}

fn spinning(description: BodyDescription) -> Body {
    let positions: Vec<DVec3> = description
        .rest_positions
        .iter()
        .map(|x| *x * DVec3::new(1.05, 0.97, 1.0) + 0.4 * x.x * x.x * DVec3::Z)
        .collect();
    started(description, positions, |x| {
        DVec3::new(0.4, -0.1, 0.2) + DVec3::new(1.0, 3.0, -2.0).cross(x)
    })
}

#[test]
fn free_bodies_keep_their_momenta_once_ghost_forces_are_corrected() {
    let mesh = bar([4, 2, 2], DVec3::new(0.4, 0.2, 0.2));
    for strain in STRAINS {
        for kind in [IntegratorKind::SemiImplicit, IntegratorKind::Implicit] {
            if kind == IntegratorKind::Implicit && matches!(strain, SolidStrain::Warped(_)) {
                continue;
            }
            let mut description = description(&mesh, strain);
            description.integrator = kind;
            change(&mut description, |mesh| mesh.keeps_momentum = true);
            let mut world = world(spinning(description));
            let (momentum, angular) = (
                world.bodies[0].momentum(),
                world.bodies[0].angular_momentum(),
            );
            let mut workspace = Workspace::new(&world);
            for _ in 0..100 {
                let report = world.step(&mut workspace);
                assert_eq!(report.shortened_steps, 0, "{strain:?} {kind:?}");
            }
            let body = &world.bodies[0];
            let lost = (body.momentum() - momentum).length() / momentum.length();
            let turned = (body.angular_momentum() - angular).length() / angular.length();
            assert!(
                lost < 1e-12 && turned < 1e-12,
                "{strain:?} {kind:?}: {lost} {turned}"
            );
        }
    }
}

#[test]
fn warped_bodies_drift_without_the_correction() {
    let mesh = bar([4, 2, 2], DVec3::new(0.4, 0.2, 0.2));
    let body = spinning(description(&mesh, SolidStrain::Warped(RotationMethod::Svd)));
    let mut world = world(body);
    let momentum = world.bodies[0].momentum();
    let mut workspace = Workspace::new(&world);
    for _ in 0..100 {
        world.step(&mut workspace);
    }
    assert!((world.bodies[0].momentum() - momentum).length() > 1e-6 * momentum.length());
}

#[test]
fn midpoint_keeps_momenta_and_energy_by_itself() {
    let mesh = bar([4, 2, 2], DVec3::new(0.4, 0.2, 0.2));
    for strain in [
        SolidStrain::Corotated,
        SolidStrain::Green,
        SolidStrain::NeoHookean,
    ] {
        let mut description = description(&mesh, strain);
        description.integrator = IntegratorKind::Midpoint;
        description.time_step = 0.001;
        let mut world = world(spinning(description));
        let angular = world.bodies[0].angular_momentum();
        let mut workspace = Workspace::new(&world);
        let start = workspace.energies(&world).total();
        for _ in 0..100 {
            world.step(&mut workspace);
        }
        let end = workspace.energies(&world).total();
        assert!((world.bodies[0].angular_momentum() - angular).length() < 3e-8 * angular.length());
        assert!(
            (end - start).abs() < 0.02 * start,
            "{strain:?}: {start} {end}"
        );
    }
}

/// Order of an integrator from the distance of runs with steps dt, dt/2 and dt/4.
#[test]
fn newmark_is_of_second_order_and_euler_of_first() {
    let mesh = bar([3, 1, 1], DVec3::new(0.6, 0.2, 0.2));
    let run = |kind: IntegratorKind, steps: usize| {
        let mut description = description(&mesh, SolidStrain::Green);
        with_gravity(&mut description);
        description.integrator = kind;
        description.time_step = 0.08 / steps as f64;
        for (node, x) in mesh.positions.iter().enumerate() {
            description.fixed[node] = x.x < 1e-9;
        }
        let mut world = world(Body::new(description).unwrap());
        let mut workspace = Workspace::new(&world);
        for _ in 0..steps {
            assert_eq!(world.step(&mut workspace).shortened_steps, 0);
        }
        world.bodies[0].state.positions.clone()
    };
    let distance = |a: &[DVec3], b: &[DVec3]| -> f64 {
        a.iter()
            .zip(b)
            .map(|(a, b)| (*a - *b).length_squared())
            .sum::<f64>()
            .sqrt()
    };
    for (kind, order) in [
        (IntegratorKind::Newmark, 2.0),
        (IntegratorKind::Midpoint, 2.0),
        (IntegratorKind::Implicit, 1.0),
        (IntegratorKind::SemiImplicit, 1.0),
    ] {
        let runs = [40, 80, 160].map(|steps| run(kind, steps));
        let rate = (distance(&runs[0], &runs[1]) / distance(&runs[1], &runs[2])).log2();
        assert!((rate - order).abs() < 0.25, "{kind:?}: order {rate}");
    }
}

#[test]
fn a_core_turns_with_its_hinge_and_drags_the_skin() {
    let mesh = bar([8, 2, 2], DVec3::new(0.8, 0.2, 0.2));
    let mut description = description(&mesh, SolidStrain::Corotated);
    with_gravity(&mut description);
    let core: Vec<u32> = (0..mesh.positions.len() as u32)
        .filter(|&node| mesh.positions[node as usize].x < 0.41)
        .collect();
    let (point, axis) = (DVec3::ZERO, DVec3::Y);
    change(&mut description, |mesh| {
        mesh.cores = vec![RigidCore {
            nodes: core.clone(),
            motion: CoreMotion::Hinge { point, axis },
        }];
    });
    description.rayleigh[0] = 1.0;
    let mut world = world(Body::new(description).unwrap());
    let mut workspace = Workspace::new(&world);
    for _ in 0..500 {
        assert_eq!(world.step(&mut workspace).shortened_steps, 0);
    }
    let positions = &world.bodies[0].state.positions;
    for (i, &a) in core.iter().enumerate() {
        for &b in &core[..i] {
            let length = |x: &[DVec3]| (x[a as usize] - x[b as usize]).length();
            // Cores are affine bodies that are very stiff.
            assert!((length(positions) - length(&mesh.positions)).abs() < 1e-5);
        }
    }
    // Hanging down from its hinge after five seconds of swinging with drag.
    let tip = positions[positions.len() - 1];
    assert!(tip.z < -0.6, "{tip}");
}

#[test]
fn a_core_on_a_path_goes_where_the_path_goes() {
    let mesh = bar([4, 2, 2], DVec3::new(0.4, 0.2, 0.2));
    let mut description = description(&mesh, SolidStrain::Corotated);
    let core: Vec<u32> = (0..mesh.positions.len() as u32)
        .filter(|&node| mesh.positions[node as usize].x < 1e-9)
        .collect();
    let pose = |time, angle, shift| CorePose {
        time,
        rotation: DQuat::from_rotation_x(angle),
        pivot: DVec3::ZERO,
        shift,
    };
    let path = vec![pose(0.0, 0.0, DVec3::ZERO), pose(0.5, 1.2, DVec3::Z)];
    change(&mut description, |mesh| {
        mesh.cores = vec![RigidCore {
            nodes: core.clone(),
            motion: CoreMotion::Path(path.clone()),
        }];
    });
    description.rayleigh = [2.0, 0.005];
    let mut world = world(Body::new(description).unwrap());
    let mut workspace = Workspace::new(&world);
    for _ in 0..300 {
        world.step(&mut workspace);
    }
    for (node, rest) in mesh.positions.iter().enumerate() {
        let expected = path[1].apply(*rest);
        let distance = (world.bodies[0].state.positions[node] - expected).length();
        let limit = if core.contains(&(node as u32)) {
            1e-12
        } else {
            0.02
        };
        assert!(distance < limit, "node {node}: {distance}");
    }
}

/// Conjugate gradients with a factor, with the block diagonal, and Cholesky's method move a body
/// alike; the factor takes the fewest iterations, also with a core, damping and contact.
#[test]
fn every_solver_of_meshes_moves_the_body_alike() {
    let mesh = bar([16, 4, 4], DVec3::new(1.0, 0.25, 0.25));
    let core: Vec<u32> = (0..mesh.positions.len() as u32)
        .filter(|&node| mesh.positions[node as usize].x < 0.13)
        .collect();
    for strain in STRAINS {
        for has_core in [false, true] {
            let run = |kind: SolverKind| {
                let mut description = description(&mesh, strain);
                with_gravity(&mut description);
                description.integrator = IntegratorKind::SemiImplicit;
                description.solver.kind = kind;
                for (node, x) in mesh.positions.iter().enumerate() {
                    description.fixed[node] = !has_core && x.x < 1e-9;
                }
                description.rayleigh[1] = 0.002;
                change(&mut description, |mesh| {
                    if has_core {
                        let (point, axis) = (DVec3::ZERO, DVec3::Y);
                        mesh.cores = vec![RigidCore {
                            nodes: core.clone(),
                            motion: CoreMotion::Hinge { point, axis },
                        }];
                    }
                });
                let mut world = world(Body::new(description).unwrap());
                let mut workspace = Workspace::new(&world);
                let mut iterations = 0;
                for _ in 0..20 {
                    let report = world.step(&mut workspace);
                    // Cores turn by Newton's method, which asks for the root of the tolerance.
                    let asked = if has_core { 2e-5 } else { 1e-9 };
                    assert!(report.linear_residual < asked, "{strain:?} {kind:?}");
                    iterations += report.linear_iterations;
                }
                (world.bodies.remove(0).state.positions, iterations)
            };
            let (direct, _) = run(SolverKind::Cholesky);
            let (factored, few) = run(SolverKind::ConjugateGradient);
            let (plain, many) = run(SolverKind::DiagonalConjugateGradient);
            for (node, exact) in direct.iter().enumerate() {
                for found in [factored[node], plain[node]] {
                    let distance = (found - *exact).length();
                    assert!(distance < 1e-6, "{strain:?} {has_core}: {distance}");
                }
            }
            // A coarse mesh gains the least; the gain grows with the mesh.
            assert!(3 * few < 2 * many, "{strain:?} {has_core}: {few} {many}");
        }
    }
}

/// Where a crush takes a point.
type Crush = fn(DVec3) -> DVec3;

#[test]
fn crushed_bodies_recover() {
    let mesh = bar([3, 1, 1], DVec3::new(0.6, 0.2, 0.2));
    let centre = DVec3::new(0.3, 0.1, 0.1);
    let crushes: [(&str, Crush); 4] = [
        ("inside out", |x| DVec3::new(x.x, x.y, -x.z)),
        ("flat", |x| DVec3::new(x.x, x.y, 0.0)),
        ("a line", |x| DVec3::new(x.x, 0.0, 0.0)),
        ("a point", |_| DVec3::ZERO),
    ];
    for strain in [SolidStrain::Corotated, SolidStrain::NeoHookean] {
        for (name, crush) in crushes {
            let mut description = description(&mesh, strain);
            description.integrator = IntegratorKind::Implicit;
            description.newton_iterations = 100;
            description.solver.kind = SolverKind::Cholesky;
            description.solver.tolerance = 1e-6;
            description.rayleigh[0] = 5.0;
            let positions: Vec<DVec3> = mesh
                .positions
                .iter()
                .map(|x| crush(*x - centre) + centre)
                .collect();
            let mut world = world(started(description, positions, |_| DVec3::ZERO));
            let mut workspace = Workspace::new(&world);
            for _ in 0..400 {
                let report = world.step(&mut workspace);
                assert_eq!(report.quarantined, 0, "{strain:?} {name}");
            }
            let positions = &world.bodies[0].state.positions;
            if (strain, name) == (SolidStrain::NeoHookean, "inside out") {
                // It may be caught with some of its elements inverted.
                continue;
            }
            for edge in world.bodies[0].description().mesh().unwrap().edges() {
                let [a, b] = edge.map(|node| node as usize);
                let ratio = (positions[a] - positions[b]).length()
                    / (mesh.positions[a] - mesh.positions[b]).length();
                assert!((ratio - 1.0).abs() < 0.02, "{strain:?} {name}: {ratio}");
            }
        }
    }
}

#[test]
fn a_bare_core_lands_on_the_floor_as_a_whole() {
    let mesh = bar([4, 2, 2], DVec3::new(0.4, 0.2, 0.2));
    let mut description = description(&mesh, SolidStrain::Corotated);
    with_gravity(&mut description);
    description.collides_with.push(0);
    let core: Vec<u32> = (0..mesh.positions.len() as u32)
        .filter(|&node| mesh.positions[node as usize].x < 0.31)
        .collect();
    change(&mut description, |mesh| {
        mesh.cores = vec![RigidCore {
            nodes: core.clone(),
            motion: CoreMotion::Free,
        }];
    });
    let lifted = |x: &DVec3| *x + 0.05 * x.x * DVec3::Z + 0.1 * DVec3::Z;
    let positions: Vec<DVec3> = mesh.positions.iter().map(lifted).collect();
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut world = World {
        bodies: vec![started(description, positions, |_| DVec3::ZERO)],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..200 {
        world.step(&mut workspace);
    }
    let positions = &world.bodies[0].state.positions;
    let lowest = positions.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > -1e-3, "{lowest}");
    assert!(world.bodies[0].kinetic_energy() < 0.05);
    for (i, &a) in core.iter().enumerate() {
        for &b in &core[..i] {
            let length = |x: &[DVec3]| (x[a as usize] - x[b as usize]).length();
            assert!((length(positions) - length(&mesh.positions)).abs() < 2e-3);
        }
    }
}

/// A block of height h on a smooth floor is shorter by ρ g h² / 2 E, and rests.
#[test]
fn a_soft_block_carries_its_weight_to_the_floor() {
    let height = 0.4;
    let mesh = bar([4, 4, 4], DVec3::splat(height));
    let soft = ElasticMaterial::new(4e4, 0.3, 1000.0).unwrap();
    for strain in [SolidStrain::Corotated, SolidStrain::NeoHookean] {
        for kind in [IntegratorKind::SemiImplicit, IntegratorKind::Implicit] {
            let model = SolidModel::new(strain, soft);
            let masses = model.masses(&mesh).unwrap();
            let settings = MeshSettings::new(Arc::clone(&mesh), Arc::new(model));
            let mut description = BodyDescription::of_mesh("block", settings, masses);
            description.rayleigh[0] = 4.0;
            with_gravity(&mut description);
            description.integrator = kind;
            description.solver.tolerance = 1e-6;
            description.collides_with.push(0);
            let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
            let mut world = World {
                bodies: vec![Body::new(description).unwrap()],
                obstacles: vec![Obstacle::new("floor", Box::new(floor))],
                ..World::default()
            };
            let mut workspace = Workspace::new(&world);
            for _ in 0..400 {
                world.step(&mut workspace);
            }
            let body = &world.bodies[0];
            let kinetic = body.kinetic_energy();
            assert!(kinetic < 1e-3, "{strain:?} {kind:?} {kinetic}");
            let top = |x: &&DVec3| x.z > 0.99 * height;
            let count = mesh.positions.iter().filter(top).count() as f64;
            let lost: f64 = mesh
                .positions
                .iter()
                .zip(&body.state.positions)
                .filter(|(rest, _)| top(rest))
                .map(|(rest, now)| (rest.z - now.z) / count)
                .sum();
            let expected = 1000.0 * 9.81 * height * height / (2.0 * soft.young);
            let ratio = lost / expected;
            assert!((ratio - 1.0).abs() < 0.08, "{strain:?} {kind:?}: {ratio}");
        }
    }
}
