//! Viscoelasticity of tetrahedra against closed forms.

mod support;

use glam::{DQuat, DVec3};
use pliant::body::BodyError;
use pliant::fem::{CoreMotion, CorePose, RigidCore, RotationMethod, SolidStrain};
use pliant::process::{
    Fluid, FourUnit, Maxwell, ProcessKind, Prony, PronyBranch, Scheduled, Voigt,
};
use pliant::{Body, IntegratorKind, Workspace, World};
use std::sync::Arc;
use support::tension::{YOUNG, bar_mesh, elongation, pulled, solid};

fn series() -> Prony {
    let branch = |share, time| PronyBranch { share, time };
    Prony {
        branches: vec![branch(0.3, 0.2), branch(0.4, 1.5)],
    }
}

/// The pull at the end of a bar without Poisson's effect that is held at a strain, by that at once.
fn relaxation(process: ProcessKind, strain: SolidStrain, step: f64, time: f64) -> f64 {
    let mesh = bar_mesh([3, 1, 1], DVec3::new(0.3, 0.1, 0.1));
    let mut description = solid(mesh, strain, 0.0);
    description.integrator = IntegratorKind::Static;
    description.time_step = step;
    description.processes.push(Scheduled::always(process));
    let rest = description.rest_positions.clone();
    for (fixed, x) in description.fixed.iter_mut().zip(&rest) {
        *fixed = x.x < 1e-9 || x.x > 0.3 - 1e-9;
    }
    let mut world = support::tension::world(description);
    for (position, rest) in world.bodies[0].state.positions.iter_mut().zip(&rest) {
        position.x = 1.001 * rest.x;
    }
    let mut workspace = Workspace::new(&world);
    let pull = |workspace: &mut Workspace, world: &World| -> f64 {
        let (elastic, _) = workspace.forces(world, 0);
        let ends = elastic.iter().zip(&rest).filter(|(_, x)| x.x > 0.29);
        -ends.map(|(force, _)| force.x).sum::<f64>()
    };
    let first = pull(&mut workspace, &world);
    assert!((first / (0.001 * YOUNG * 0.01) - 1.0).abs() < 0.01);
    for _ in 0..(time / step).round() as usize {
        world.step(&mut workspace);
    }
    pull(&mut workspace, &world) / first
}

#[test]
fn a_held_bar_relaxes_as_the_series_says_whatever_the_step() {
    for strain in [
        SolidStrain::Linear,
        SolidStrain::Corotated,
        SolidStrain::Green,
        SolidStrain::NeoHookean,
    ] {
        for (step, time) in [(0.05, 0.2), (0.1, 1.0), (2.0, 4.0)] {
            let found = relaxation(ProcessKind::Prony(series()), strain, step, time);
            let expected = series().modulus(time);
            assert!(
                (found / expected - 1.0).abs() < 2e-3,
                "{strain:?} {found} {expected}"
            );
        }
    }
}

#[test]
fn maxwell_and_four_units_are_series_too() {
    let corotated = SolidStrain::Corotated;
    let maxwell = ProcessKind::Maxwell(Maxwell::uniform(0.7));
    let found = relaxation(maxwell, corotated, 0.1, 1.0);
    assert!(
        (found / (-1.0_f64 / 0.7).exp() - 1.0).abs() < 2e-3,
        "{found}"
    );
    let units = FourUnit {
        relaxation: 2.0,
        retardation: 0.3,
        stiffness: 1.7,
    };
    let found = relaxation(ProcessKind::FourUnit(units.clone()), corotated, 0.1, 1.0);
    let expected = Prony::of_four_units(&units).modulus(1.0);
    assert!((found / expected - 1.0).abs() < 2e-3, "{found} {expected}");
}

/// Error of the creep of a bar under a constant pull, relative to the closed form.
fn creep_error(step: f64) -> f64 {
    let time = 2.0;
    let one = Prony {
        branches: vec![PronyBranch {
            share: 0.6,
            time: 0.5,
        }],
    };
    let stress = 1e-6 * YOUNG;
    let mesh = bar_mesh([2, 1, 1], DVec3::new(0.2, 0.1, 0.1));
    let process = ProcessKind::Prony(one);
    // The first step is very short: it takes the jump.
    let (load, statics) = (|_| 1e-6 * YOUNG, IntegratorKind::Static);
    let mut world = pulled(mesh, SolidStrain::Linear, process, load, statics);
    let with_step = |world: &World, step: f64| {
        let mut description = world.bodies[0].description().clone();
        description.time_step = step;
        let mut body = Body::with_state(description, world.bodies[0].state.clone()).unwrap();
        body.copy_memory(&world.bodies[0]);
        World {
            bodies: vec![body],
            ..World::default()
        }
    };
    world = with_step(&world, 1e-9);
    world.step(&mut Workspace::new(&world));
    world = with_step(&world, step);
    let mut workspace = Workspace::new(&world);
    for _ in 0..(time / step).round() as usize {
        world.step(&mut workspace);
    }
    // J(t) = (1/E) (1/p_∞ - (1/p_∞ - 1) exp(-p_∞ t/τ)) for one unit.
    let lasting = 0.4;
    let compliance = 1.0 / lasting - (1.0 / lasting - 1.0) * (-lasting * time / 0.5_f64).exp();
    (elongation(&world) / (stress / YOUNG * compliance) - 1.0).abs()
}

#[test]
fn creep_follows_the_closed_form_at_second_order() {
    let errors = [0.2, 0.1, 0.05].map(creep_error);
    assert!(errors[0] < 0.01, "{errors:?}");
    for pair in errors.windows(2) {
        let order = (pair[0] / pair[1]).log2();
        assert!((order - 2.0).abs() < 0.3, "{errors:?}");
    }
}

/// A strain that grows at a constant rate: the update is exact, for any step.
#[test]
fn a_constant_rate_of_strain_is_exact() {
    let mesh = bar_mesh([1, 1, 1], DVec3::ONE);
    let rest = mesh.positions.clone();
    let (rate, end) = (1e-7, 4.0);
    let mut description = solid(mesh, SolidStrain::Corotated, 0.0);
    let mut settings = description.mesh().unwrap().clone();
    for (side, speed) in [(0.0, 0.0), (1.0, rate)] {
        let nodes = (0..rest.len() as u32).filter(|&node| rest[node as usize].x == side);
        let pose = |time: f64| CorePose {
            time,
            rotation: DQuat::IDENTITY,
            pivot: DVec3::ZERO,
            shift: speed * time * DVec3::X,
        };
        settings.cores.push(RigidCore {
            nodes: nodes.collect(),
            // A path is smooth between its poses, so there is one for each step.
            motion: CoreMotion::Path((0..=8).map(|i| pose(0.5 * f64::from(i))).collect()),
        });
    }
    description.formulation = Arc::new(settings);
    description.integrator = IntegratorKind::Implicit;
    description.time_step = 0.5;
    description
        .processes
        .push(Scheduled::always(ProcessKind::Prony(series())));
    let mut world = support::tension::world(description);
    let mut workspace = Workspace::new(&world);
    for _ in 0..8 {
        world.step(&mut workspace);
    }
    let (forces, _) = workspace.forces(&world, 0);
    let ends = forces.iter().zip(&rest).filter(|(_, x)| x.x > 0.5);
    let pull = -ends.map(|(force, _)| force.x).sum::<f64>();
    // σ = E rate (p_∞ t + Σ p τ (1 - exp(-t/τ))).
    let relaxing = |b: &PronyBranch| b.share * b.time * (1.0 - (-end / b.time).exp());
    let expected = YOUNG * rate * (0.3 * end + series().branches.iter().map(relaxing).sum::<f64>());
    assert!((pull / expected - 1.0).abs() < 1e-5, "{pull} {expected}");
}

#[test]
fn energy_falls_while_a_free_body_swings_and_snapshots_go_on() {
    let make = || {
        let mesh = bar_mesh([4, 1, 1], DVec3::new(0.4, 0.1, 0.1));
        let mut description = solid(mesh, SolidStrain::Corotated, 0.3);
        description.integrator = IntegratorKind::Midpoint;
        description.time_step = 0.002;
        let process = ProcessKind::Prony(Prony {
            branches: vec![PronyBranch {
                share: 0.5,
                time: 0.01,
            }],
        });
        description.processes.push(Scheduled::always(process));
        let mut world = support::tension::world(description);
        for position in &mut world.bodies[0].state.positions {
            *position *= DVec3::new(1.1, 0.95, 1.0);
        }
        world
    };
    let mut world = make();
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world).total();
    let mut energy = start;
    for _ in 0..100 {
        let report = world.step(&mut workspace);
        let now = report.energies.total();
        assert!(now <= energy + 2e-3 * start, "{now} {energy}");
        energy = now;
    }
    assert!(energy < 0.2 * start, "{energy} {start}");
    let mut restored = make();
    restored.restore(&world.snapshot()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in 0..10 {
        world.step(&mut workspace);
        restored.step(&mut fresh);
    }
    assert_eq!(world.snapshot(), restored.snapshot());
}

#[test]
fn what_meshes_cannot_do_is_refused() {
    let refused = |change: &dyn Fn(&mut pliant::BodyDescription)| {
        let mesh = bar_mesh([1, 1, 1], DVec3::ONE);
        let mut description = solid(mesh, SolidStrain::Corotated, 0.3);
        change(&mut description);
        match Body::new(description) {
            Err(error @ BodyError::Formulation { .. }) => error.to_string(),
            other => panic!("{other:?}"),
        }
    };
    let with = |kind: ProcessKind| {
        refused(&|description| description.processes.push(Scheduled::always(kind.clone())))
    };
    assert!(with(ProcessKind::Voigt(Voigt { times: vec![1.0] })).contains("Voigt"));
    let swelling = ProcessKind::Maxwell(Maxwell::uniform(-1.0));
    assert!(with(swelling).contains("swells"));
    let melts = ProcessKind::Fluid(Fluid::new(0.1, 1.0));
    assert!(with(melts).contains("Fluid"));
    let warped = refused(&|description| {
        let mesh = bar_mesh([1, 1, 1], DVec3::ONE);
        let warped = SolidStrain::Warped(RotationMethod::Svd);
        *description = solid(mesh, warped, 0.3);
        let kind = ProcessKind::Prony(series());
        description.processes.push(Scheduled::always(kind));
    });
    assert!(warped.contains("Warped"));
    let too_much = refused(&|description| {
        for _ in 0..2 {
            let kind = ProcessKind::Prony(series());
            description.processes.push(Scheduled::always(kind));
        }
    });
    assert!(too_much.contains("stiffness"));
}
