//! Plasticity of tetrahedra against closed forms.

mod support;

use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, block};
use pliant::process::{Plastic, ProcessKind, Scheduled, YieldCriterion};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::tension::{YOUNG, bar_mesh, elongation, pulled, solid};

const LIMIT: f64 = 1000.0;
const HARDENING: f64 = 0.5;

fn plastic(hardening: f64) -> Plastic {
    Plastic {
        criterion: YieldCriterion::VonMises,
        limit: LIMIT,
        hardening,
        time: 0.0,
    }
}

fn steps(world: &mut World, workspace: &mut Workspace, count: usize) {
    for _ in 0..count {
        let report = world.step(workspace);
        let reason = &world.bodies[0].quarantine;
        assert_eq!((report.quarantined, reason), (0, &None), "{}", world.time);
    }
}

#[test]
fn a_bar_loaded_and_unloaded_follows_the_closed_form() {
    // Hardening is found step by step: 30 steps for each level of the load.
    let levels = |time: f64| match time {
        t if t < 30.5 => 0.99 * LIMIT,
        t if t < 60.5 => 2.0 * LIMIT,
        t if t < 90.5 => 0.0,
        t if t < 120.5 => 1.9 * LIMIT,
        _ => 2.4 * LIMIT,
    };
    for strain in [
        SolidStrain::Corotated,
        SolidStrain::Green,
        SolidStrain::NeoHookean,
    ] {
        let mesh = bar_mesh([3, 1, 1], DVec3::new(0.3, 0.1, 0.1));
        let process = ProcessKind::Plastic(plastic(HARDENING));
        let mut world = pulled(mesh, strain, process, levels, IntegratorKind::Implicit);
        let mut workspace = Workspace::new(&world);
        let elastic = |stress: f64| stress / YOUNG;
        // ε_p = (σ - y) / (H E).
        let permanent = |stress: f64| (stress - LIMIT) / (HARDENING * YOUNG);
        let expected = [
            elastic(0.99 * LIMIT),
            elastic(2.0 * LIMIT) + permanent(2.0 * LIMIT),
            permanent(2.0 * LIMIT),
            elastic(1.9 * LIMIT) + permanent(2.0 * LIMIT),
            elastic(2.4 * LIMIT) + permanent(2.4 * LIMIT),
        ];
        for (phase, expected) in expected.into_iter().enumerate() {
            steps(&mut world, &mut workspace, 30);
            let found = elongation(&world);
            // Finite strain changes lengths and stresses by about the strain itself.
            assert!(
                (found / expected - 1.0).abs() < 0.01,
                "{strain:?}, phase {phase}: {found} {expected}"
            );
            let inelastic = world.bodies[0].inelastic().unwrap();
            let mut strains = inelastic.memories[0].iter();
            assert!(strains.all(|&strain| (strain > 0.0) == (phase > 0)));
            for inverse in inelastic.plastic_inverses() {
                assert!((inverse.determinant() - 1.0).abs() < 1e-14);
            }
        }
    }
}

/// One tetrahedron all of whose nodes are moved by hand.
fn sheared(criterion: Plastic, gamma: f64, count: usize) -> World {
    let mut mesh = bar_mesh([1, 1, 1], DVec3::ONE);
    mesh.blocks[0].nodes.truncate(4);
    mesh.blocks[0].regions.truncate(1);
    let used = mesh.blocks[0].nodes.clone();
    mesh.positions = used.iter().map(|&n| mesh.positions[n as usize]).collect();
    mesh.blocks[0].nodes = vec![0, 1, 2, 3];
    let mut description = solid(mesh, SolidStrain::Corotated, 0.3);
    description.fixed.fill(true);
    description.integrator = IntegratorKind::Implicit;
    description
        .processes
        .push(Scheduled::always(ProcessKind::Plastic(criterion)));
    let rest = description.rest_positions.clone();
    let mut world = support::tension::world(description);
    let mut workspace = Workspace::new(&world);
    for step in 1..=count {
        let now = gamma * step as f64 / count as f64;
        for (position, rest) in world.bodies[0].state.positions.iter_mut().zip(&rest) {
            *position = *rest + now * rest.y * DVec3::X;
        }
        steps(&mut world, &mut workspace, 1);
    }
    world
}

#[test]
fn simple_shear_yields_at_the_limit_by_root_three_and_hardens() {
    let shear_modulus = YOUNG / 2.6;
    let yielding = LIMIT / 3.0_f64.sqrt() / shear_modulus;
    let strain_of = |world: &World| world.bodies[0].inelastic().unwrap().memories[0][0];
    assert_eq!(
        strain_of(&sheared(plastic(HARDENING), 0.99 * yielding, 10)),
        0.0
    );
    // α = (√3 µ γ - y) / (3µ + H E) on a straight path of small strain.
    for share in [1.5, 3.0, 10.0] {
        let gamma = share * yielding;
        let found = strain_of(&sheared(plastic(HARDENING), gamma, 200));
        let expected = (3.0_f64.sqrt() * shear_modulus * gamma - LIMIT)
            / (3.0 * shear_modulus + HARDENING * YOUNG);
        assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    }
    // A limit on the strain |dev ε| = γ/√2 says the same.
    let by_strain = Plastic {
        criterion: YieldCriterion::Deformation,
        limit: yielding / 2.0_f64.sqrt(),
        ..plastic(HARDENING)
    };
    let (a, b) = (
        strain_of(&sheared(by_strain, 3.0 * yielding, 10)),
        strain_of(&sheared(plastic(HARDENING), 3.0 * yielding, 10)),
    );
    assert!((a / b - 1.0).abs() < 1e-9);
}

#[test]
fn a_viscoplastic_element_flows_with_its_time() {
    let slow = Plastic {
        time: 0.05,
        ..plastic(0.0)
    };
    let gamma = 0.01;
    let world = sheared(slow, gamma, 1);
    let at_once = sheared(plastic(0.0), gamma, 1);
    let strain_of = |world: &World| world.bodies[0].inelastic().unwrap().memories[0][0];
    let share = 1.0 - (-0.01_f64 / 0.05).exp();
    assert!((strain_of(&world) / strain_of(&at_once) - share).abs() < 1e-9);
}

/// A bar bent by gravity in time, for snapshots and the energy.
fn falling() -> World {
    let mesh = bar_mesh([6, 1, 1], DVec3::new(0.6, 0.1, 0.1));
    let mut description = solid(mesh, SolidStrain::Corotated, 0.3);
    for (node, x) in description.rest_positions.iter().enumerate() {
        description.fixed[node] = x.x < 1e-9;
    }
    description.integrator = IntegratorKind::Implicit;
    description
        .processes
        .push(Scheduled::always(ProcessKind::Plastic(Plastic {
            limit: 5e3,
            ..plastic(0.05)
        })));
    let positions = description.rest_positions.clone();
    let velocities = positions.iter().map(|x| -6.0 * x.x * DVec3::Z).collect();
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    World {
        bodies: vec![Body::with_state(description, state).unwrap()],
        ..World::default()
    }
}

#[test]
fn a_struck_bar_stays_bent_loses_energy_and_is_restored_exactly() {
    let mut world = falling();
    let mut workspace = Workspace::new(&world);
    let mut energy = workspace.energies(&world).total();
    for _ in 0..100 {
        let report = world.step(&mut workspace);
        assert!(report.energies.total() <= energy * (1.0 + 1e-6));
        energy = report.energies.total();
    }
    let mut restored = falling();
    restored.restore(&world.snapshot()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in 0..20 {
        world.step(&mut workspace);
        restored.step(&mut fresh);
    }
    assert_eq!(world.snapshot(), restored.snapshot());
    // Long after, it rests below where it was.
    for _ in 0..600 {
        world.step(&mut workspace);
    }
    let tip = world.bodies[0]
        .state
        .positions
        .iter()
        .map(|x| x.z)
        .fold(0.0, f64::min);
    let speed = world.bodies[0]
        .state
        .velocities
        .iter()
        .map(|v| v.length())
        .fold(0.0, f64::max);
    assert!(tip < -0.02 && speed < 0.05, "{tip} {speed}");
}

/// The factor that conjugate gradients are preconditioned with is of the body at rest, whatever has
/// yielded: a restored run goes on bit for bit.
#[test]
fn a_restored_run_of_a_yielding_body_goes_on_bit_for_bit() {
    let mesh = Arc::new(
        block(
            [6, 3, 3],
            DVec3::new(0.6, 0.3, 0.3),
            Division::FiveTetrahedra,
        )
        .unwrap(),
    );
    let world = || {
        let soft = ElasticMaterial::new(2e5, 0.3, 1000.0).unwrap();
        let model = SolidModel::new(SolidStrain::Corotated, soft);
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(Arc::clone(&mesh), Arc::new(model));
        let mut bar = BodyDescription::of_mesh("bar", settings, masses);
        for (node, x) in mesh.positions.iter().enumerate() {
            bar.fixed[node] = x.x < 1e-9;
        }
        bar.processes
            .push(Scheduled::always(ProcessKind::Plastic(Plastic {
                criterion: YieldCriterion::VonMises,
                limit: 2000.0,
                hardening: 0.1,
                time: 0.0,
            })));
        let acceleration = DVec3::new(0.0, 0.0, -9.81);
        let force = Arc::new(Gravity { acceleration });
        bar.forces.push(BoundForce { force, node: None });
        World {
            bodies: vec![Body::new(bar).unwrap()],
            ..World::default()
        }
    };
    let mut whole = world();
    let mut workspace = Workspace::new(&whole);
    for _ in 0..20 {
        whole.step(&mut workspace);
    }
    let yielded = whole.bodies[0].inelastic().unwrap();
    assert!(yielded.memories[0].iter().any(|&strain| strain > 0.0));
    let mut restored = world();
    restored.restore(&whole.snapshot()).unwrap();
    let mut other = Workspace::new(&restored);
    for _ in 0..20 {
        whole.step(&mut workspace);
        restored.step(&mut other);
    }
    assert_eq!(whole.state_hash(), restored.state_hash());
}
