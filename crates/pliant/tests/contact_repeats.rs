//! Contact has the same bits with any number of threads and from a snapshot: a cloth that is large enough for
//! threads and meets itself, on soft cubes, a mesh that breaks, and rigid boxes.

use glam::{DQuat, DVec3};
use pliant::contact::PairContactSettings;
use pliant::fem::{
    ClothModel, CoreMotion, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings, SolidModel,
    SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::mesh::{Division, ElementKind, block, rectangle};
use pliant::obstacle::{Cuboid, Obstacle, Plane, Pose};
use pliant::process::{Fracture, FractureCriterion, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, State, Workspace, World};
use std::sync::Arc;

fn placed(mut description: BodyDescription, shift: DVec3, fold: f64) -> Body {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    description.collides_with = vec![0];
    description.time_step = 0.01;
    let place = |x: &DVec3| *x + shift + fold * (9.0 * x.x).sin() * DVec3::Z;
    let state = State {
        positions: description.rest_positions.iter().map(place).collect(),
        velocities: vec![DVec3::new(0.0, 0.0, -1.0); description.rest_positions.len()],
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

fn model(young: f64) -> Arc<SolidModel> {
    let material = ElasticMaterial::new(young, 0.3, 1000.0).unwrap();
    Arc::new(SolidModel::new(SolidStrain::Corotated, material))
}

fn soft(young: f64) -> BodyDescription {
    let mesh = Arc::new(block([2; 3], DVec3::splat(0.1), Division::FiveTetrahedra).unwrap());
    let model = model(young);
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh("soft", MeshSettings::new(mesh, model), masses)
}

fn brittle() -> BodyDescription {
    let mesh = block(
        [4, 2, 1],
        DVec3::new(0.2, 0.1, 0.05),
        Division::FiveTetrahedra,
    )
    .unwrap();
    let model = model(1e6);
    let settings = MeshSettings::breakable(&mesh, model.clone()).unwrap();
    let masses = model.masses(&settings.mesh).unwrap();
    let mut description = BodyDescription::of_mesh("brittle", settings, masses);
    let process = ProcessKind::Fracture(Fracture {
        criterion: FractureCriterion::Stress,
        limit: 5e3,
        spread: 0.2,
        seed: 3,
        at_once: 10,
        order: 0,
    });
    description.processes.push(Scheduled::always(process));
    description
}

fn cloth() -> BodyDescription {
    let mesh = Arc::new(rectangle(ElementKind::Triangle3, [40, 40], [0.5, 0.5]).unwrap());
    let model = ClothModel {
        material: ElasticMaterial::new(1e5, 0.3, 300.0).unwrap(),
        thickness: 0.001,
        rigidity: Some(1e-5),
        strain: MembraneStrain::Green,
    };
    let masses = model.masses(&mesh).unwrap();
    BodyDescription::of_mesh("cloth", MeshSettings::new(mesh, Arc::new(model)), masses)
}

fn rigid(translation: DVec3) -> Body {
    let shape = Cuboid::new(DVec3::ZERO, DVec3::splat(0.08)).unwrap();
    let pose = Pose {
        rotation: DQuat::from_rotation_x(0.2),
        translation,
    };
    let (shape, mass) = Rigid::of_shape(&shape, &pose, 500.0).unwrap();
    let body = BodyDescription::rigid("box", shape, mass, CoreMotion::Free).unwrap();
    placed(body, DVec3::ZERO, 0.0)
}

fn world() -> World {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    World {
        bodies: vec![
            placed(soft(5e4), DVec3::new(0.1, 0.1, 0.006), 0.0),
            placed(soft(5e5), DVec3::new(0.13, 0.12, 0.112), 0.0),
            placed(brittle(), DVec3::new(0.25, 0.15, 0.006), 0.0),
            rigid(DVec3::new(0.33, 0.2, 0.14)),
            placed(cloth(), DVec3::new(0.0, 0.0, 0.26), 0.02),
        ],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        contact: Some(PairContactSettings {
            thickness: 0.004,
            friction: 0.3,
            ..PairContactSettings::default()
        }),
        ..World::default()
    }
}

const STEPS: usize = 6;

/// The hash after some steps of a world, by so many threads.
fn run(world: &mut World, steps: usize, threads: usize) -> u64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    pool.unwrap().install(|| {
        let mut workspace = Workspace::new(world);
        let mut touched = 0;
        for _ in 0..steps {
            let report = world.step(&mut workspace);
            assert_eq!(report.quarantined, 0);
            touched += report.active_pairs;
        }
        assert!(touched > 0);
        world.state_hash()
    })
}

#[test]
fn any_number_of_threads_and_a_snapshot_give_the_same_bits() {
    let one = run(&mut world(), STEPS, 1);
    for threads in [2, 4, 8] {
        assert_eq!(run(&mut world(), STEPS, threads), one, "{threads} threads");
    }
    let mut half = world();
    run(&mut half, STEPS / 2, 2);
    let snapshot = half.snapshot();
    let mut restored = world();
    restored.restore(&snapshot).unwrap();
    assert_eq!(
        run(&mut restored, STEPS - STEPS / 2, 1),
        one,
        "from a snapshot"
    );
}
