//! The rebound of stiff solids, of nodes and of polynomial maps.

use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::GlobalDeformation;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::sync::Arc;

const HEIGHT: f64 = 0.3;

/// What moves a brick.
#[derive(Clone, Copy, Debug)]
enum Moved {
    /// Its nodes, by an integrator.
    ByNodes(IntegratorKind),
    /// A polynomial map of a degree.
    ByMap(usize),
}

/// How high a stiff brick that falls flat from `HEIGHT` rises after its first impact.
fn rises(moved: Moved, restitution: f64, time_step: f64) -> f64 {
    let mesh = block(
        [4, 2, 2],
        DVec3::new(0.2, 0.1, 0.1),
        Division::FiveTetrahedra,
    )
    .unwrap();
    let material = ElasticMaterial::new(1e8, 0.3, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut brick = BodyDescription::of_mesh("brick", settings, masses);
    match moved {
        Moved::ByMap(degree) => brick.make_global(GlobalDeformation { degree }),
        Moved::ByNodes(integrator) => brick.integrator = integrator,
    }
    brick.time_step = time_step;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    brick.forces.push(BoundForce { force, node: None });
    brick.collides_with.push(0);
    brick.contact.restitution = restitution;
    let lowest = |positions: &[DVec3]| positions.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let lift = HEIGHT - lowest(&brick.rest_positions);
    let positions: Vec<DVec3> = brick
        .rest_positions
        .iter()
        .map(|x| *x + lift * DVec3::Z)
        .collect();
    let state = State {
        velocities: vec![DVec3::ZERO; positions.len()],
        positions,
        ..State::default()
    };
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut world = World {
        bodies: vec![Body::with_state(brick, state).unwrap()],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let (mut has_hit, mut highest) = (false, 0.0_f64);
    // It falls for 0.247 s and rises for as long at most.
    for _ in 0..(0.48 / time_step).round() as usize {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        has_hit |= report.contacts > 0;
        if has_hit {
            highest = highest.max(lowest(&world.bodies[0].state.positions));
        }
    }
    assert!(has_hit);
    highest
}

/// A stiff body, whose impact takes a step, rises to e² of its height.
#[test]
fn a_stiff_brick_rises_as_restitution_says() {
    for moved in [
        Moved::ByNodes(IntegratorKind::Implicit),
        Moved::ByNodes(IntegratorKind::TwoStage),
        Moved::ByNodes(IntegratorKind::Midpoint),
        Moved::ByNodes(IntegratorKind::Newmark),
        Moved::ByMap(1),
        Moved::ByMap(2),
    ] {
        for restitution in [0.5, 0.8] {
            for time_step in [0.01, 0.004] {
                let found = rises(moved, restitution, time_step) / HEIGHT;
                let exact = restitution * restitution;
                // Where the impact falls in its step changes the speed by g h, of 2.4 m/s.
                let slack = 4.0 * exact * 9.81 * time_step / 2.43 + 0.01;
                println!("{moved:?}, e {restitution}, h {time_step}: {found:.3} for {exact:.3}");
                assert!(
                    (found - exact).abs() < slack,
                    "{found} for {exact} ± {slack}"
                );
            }
        }
    }
}
