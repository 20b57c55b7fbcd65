//! Bodies that polynomial maps deform: against free flight, closed forms, constraints that come and go, impacts.

use glam::{DQuat, DVec3};
use pliant::command::Command;
use pliant::fem::isoparametric::Strain;
use pliant::fem::{
    ElasticMaterial, ElementModel, MeshModel, MeshSettings, RegionMaterials, SolidModel,
    SolidStrain,
};
use pliant::force::{BoundForce, Gravity, Gyro, NodalForce, Ramp, Ramped, Thruster};
use pliant::formulation::GlobalDeformation;
use pliant::mesh::{Division, ElementKind, block, rectangle};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, State, Workspace, World};
use std::sync::Arc;

const SIZE: DVec3 = DVec3::new(0.2, 0.1, 0.1);

fn brick(degree: usize, young: f64) -> BodyDescription {
    let mesh = block([8, 4, 4], SIZE, Division::FiveTetrahedra).unwrap();
    let material = ElasticMaterial::new(young, 0.3, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut brick = BodyDescription::of_mesh("brick", settings, masses);
    brick.make_global(GlobalDeformation { degree });
    brick.time_step = 0.005;
    brick
}

fn fall(brick: &mut BodyDescription) {
    brick.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::new(0.0, 0.0, -9.81),
        }),
        node: None,
    });
}

fn run(world: &mut World, steps: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        assert!(report.energy_created <= 1e-6 + 1e-3 * report.energies.total().abs());
    }
}

fn centre(body: &Body) -> DVec3 {
    let masses = &body.description().masses;
    let sum = body
        .state
        .positions
        .iter()
        .zip(masses)
        .map(|(x, m)| *m * *x);
    sum.sum::<DVec3>() / masses.iter().sum::<f64>()
}

/// A brick that is thrown and spins falls as every body, keeps its angular momentum and its shape.
#[test]
fn a_thrown_brick_flies_and_spins_as_a_rigid_one() {
    for degree in [1, 2] {
        let mut description = brick(degree, 1e7);
        fall(&mut description);
        description.time_step = 0.002;
        let positions = description.rest_positions.clone();
        let middle = 0.5 * SIZE;
        let spin = DVec3::new(0.0, 0.0, 3.0);
        let velocities = positions.iter();
        let velocities = velocities
            .map(|x| DVec3::X + spin.cross(*x - middle))
            .collect();
        let state = State {
            positions,
            velocities,
            ..State::default()
        };
        let mut world = World {
            bodies: vec![Body::with_state(description, state).unwrap()],
            ..World::default()
        };
        run(&mut world, 250);
        let moved = centre(&world.bodies[0]) - middle;
        let expected = DVec3::new(0.5, 0.0, -0.5 * 9.81 * 0.25);
        assert!(
            moved.distance(expected) < 2e-3,
            "degree {degree}: {moved} {expected}"
        );
        let body = &world.bodies[0];
        let angular = (body.angular_momentum() - centre(body).cross(body.momentum())).z;
        let inertia = 1000.0 * SIZE.x * SIZE.y * SIZE.z * (SIZE.x.powi(2) + SIZE.y.powi(2)) / 12.0;
        // The corners of tetrahedra hold a little more of the mass than the continuum outside.
        assert!((angular / (3.0 * inertia) - 1.0).abs() < 0.1, "{angular}");
    }
}

/// A brick that stands on its end under gravity: compressed by ρ g L / 2E at its top, which a map of degree 2 has
/// exactly; one of degree 1 shrinks evenly by the same mean.
#[test]
fn a_standing_brick_is_compressed_by_its_weight() {
    let young = 1e5;
    let mut tops = Vec::new();
    for degree in [1, 2] {
        let mesh = block(
            [2, 2, 8],
            DVec3::new(0.05, 0.05, 0.4),
            Division::FiveTetrahedra,
        )
        .unwrap();
        let material = ElasticMaterial::new(young, 0.0, 1000.0).unwrap();
        let model = SolidModel::new(SolidStrain::Linear, material);
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
        let mut pillar = BodyDescription::of_mesh("pillar", settings, masses);
        pillar.make_global(GlobalDeformation { degree });
        pillar.time_step = 0.02;
        pillar.rayleigh = [20.0, 0.0];
        for (fixed, x) in pillar.fixed.iter_mut().zip(&pillar.rest_positions) {
            *fixed = x.z < 1e-9;
        }
        fall(&mut pillar);
        let mut world = World {
            bodies: vec![Body::new(pillar).unwrap()],
            ..World::default()
        };
        run(&mut world, 150);
        let body = &world.bodies[0];
        let nodes = body
            .state
            .positions
            .iter()
            .zip(&body.description().rest_positions);
        let top = nodes
            .filter(|(_, rest)| rest.z > 0.4 - 1e-9)
            .map(|(x, rest)| x.z - rest.z);
        tops.push(top.sum::<f64>() / 9.0);
    }
    let expected = -1000.0 * 9.81 * 0.16 / (2.0 * young);
    for top in tops {
        assert!((top / expected - 1.0).abs() < 0.02, "{top} {expected}");
    }
}

/// Constraints come and go: a brick that hangs on two corners is released and falls, then is caught again.
#[test]
fn constraints_come_and_go() {
    let mut description = brick(2, 5e4);
    fall(&mut description);
    let corner = |want: DVec3| {
        let rest = &description.rest_positions;
        (0..rest.len())
            .min_by(|&a, &b| rest[a].distance(want).total_cmp(&rest[b].distance(want)))
            .unwrap()
    };
    let (a, b) = (
        corner(DVec3::new(0.0, 0.0, 0.1)),
        corner(DVec3::new(0.0, 0.1, 0.1)),
    );
    description.fixed[a] = true;
    description.fixed[b] = true;
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let start = world.bodies[0].state.positions[a];
    run(&mut world, 40);
    assert!(world.bodies[0].state.positions[a].distance(start) < 1e-9);
    assert!(centre(&world.bodies[0]).z < 0.04, "it swings down");
    for node in [a, b] {
        world.command(Command::Release { body: 0, node }).unwrap();
    }
    run(&mut world, 40);
    let fallen = world.bodies[0].state.positions[a];
    assert!(fallen.distance(start) > 0.1, "{fallen}");
    world.command(Command::Fix { body: 0, node: a }).unwrap();
    run(&mut world, 1);
    let caught = world.bodies[0].state.positions[a];
    run(&mut world, 40);
    assert!(world.bodies[0].state.positions[a].distance(caught) < 1e-6);
}

/// It lands on a floor, which it does not pass, and rebounds by the share it is given.
#[test]
fn a_brick_lands_and_rebounds() {
    for (degree, restitution) in [(1, 0.0), (2, 0.0), (1, 0.6)] {
        let mut description = brick(degree, 2e5);
        fall(&mut description);
        description.collides_with.push(0);
        description.contact.restitution = restitution;
        description.rayleigh = [0.5, 0.0];
        let positions: Vec<DVec3> = description
            .rest_positions
            .iter()
            .map(|x| *x + DVec3::new(0.0, 0.0, 0.2))
            .collect();
        let velocities = vec![DVec3::ZERO; positions.len()];
        let state = State {
            positions,
            velocities,
            ..State::default()
        };
        let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        let mut world = World {
            bodies: vec![Body::with_state(description, state).unwrap()],
            obstacles: vec![Obstacle::new("floor", Box::new(floor))],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let mut highest_after: f64 = 0.0;
        for step in 0..160 {
            let report = world.step(&mut workspace);
            assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
            assert!(report.smallest_distance > -1e-5, "{report:?}");
            // It lands after 0.2 s.
            if step > 44 {
                highest_after = highest_after.max(centre(&world.bodies[0]).z);
            }
        }
        let bounce = highest_after - 0.05;
        if restitution > 0.0 {
            assert!(bounce > 0.02 && bounce < 0.15, "{bounce}");
        } else {
            assert!(bounce < 0.1, "{bounce}");
        }
    }
}

#[test]
fn what_it_cannot_do_is_refused() {
    let mut cubic = brick(3, 1e5);
    assert!(
        Body::new(cubic.clone())
            .unwrap_err()
            .to_string()
            .contains("1 or 2")
    );
    cubic.make_global(GlobalDeformation { degree: 1 });
    cubic.integrator = pliant::IntegratorKind::Explicit;
    assert!(Body::new(cubic).is_err());
}

fn on_floor(description: BodyDescription, state: State, friction: f64) -> World {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut floor = Obstacle::new("floor", Box::new(floor));
    floor.friction = friction;
    World {
        bodies: vec![Body::with_state(description, state).unwrap()],
        obstacles: vec![floor],
        ..World::default()
    }
}

fn at_rest(description: &BodyDescription, place: impl Fn(DVec3) -> DVec3) -> State {
    let positions: Vec<DVec3> = description
        .rest_positions
        .iter()
        .map(|x| place(*x))
        .collect();
    State {
        velocities: vec![DVec3::ZERO; positions.len()],
        positions,
        ..State::default()
    }
}

/// On a slope of 20 degrees a brick stays if µ is above its tangent, 0.364, and else slides by
/// ½ g (sin α - µ cos α) t².
#[test]
fn friction_holds_a_brick_on_a_slope_or_slows_it() {
    let slope = 20.0_f64.to_radians();
    for (degree, friction) in [(1, 0.5), (2, 0.5), (1, 0.2), (2, 0.2)] {
        let mut description = brick(degree, 1e6);
        description.forces.push(BoundForce {
            force: Arc::new(Gravity {
                acceleration: 9.81 * DVec3::new(slope.sin(), 0.0, -slope.cos()),
            }),
            node: None,
        });
        description.collides_with.push(0);
        let state = at_rest(&description, |x| x);
        let mut world = on_floor(description, state, friction);
        let before = centre(&world.bodies[0]).x;
        run(&mut world, 100);
        let slid = centre(&world.bodies[0]).x - before;
        let drive = (slope.sin() - friction * slope.cos()).max(0.0);
        let expected = 0.5 * 9.81 * drive * 0.25;
        assert!(
            (slid - expected).abs() < 1e-3 + 0.06 * expected,
            "degree {degree}, µ {friction}: {slid} {expected}"
        );
    }
}

/// A brick that falls on its edge with a restitution of 1, where many nodes hit at once, never gains energy.
#[test]
fn rebounds_create_no_energy() {
    for degree in [1, 2] {
        let mut description = brick(degree, 5e4);
        fall(&mut description);
        description.collides_with.push(0);
        description.contact.restitution = 1.0;
        let turn = DQuat::from_euler(glam::EulerRot::XYZ, 0.5, 0.7, 0.0);
        let state = at_rest(&description, |x| turn * x + DVec3::Z * 0.3);
        let mut world = on_floor(description, state, 0.3);
        let mut workspace = Workspace::new(&world);
        let start = workspace.energies(&world).total();
        let mut created = 0.0;
        for _ in 0..300 {
            let report = world.step(&mut workspace);
            assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
            created += report.energy_created;
        }
        // What is left comes from steps without rebounds: about a hundredth in 300 steps.
        assert!(
            created < 0.02 * start,
            "degree {degree}: {created} of {start}"
        );
    }
}

/// A flat sheet has fewer unknowns, and bends, turns and falls all the same; so does a bar with two nodes across.
#[test]
fn sheets_and_thin_bars_have_global_deformations() {
    let sheet = rectangle(ElementKind::Triangle3, [8, 6], [0.4, 0.3]).unwrap();
    let model = ElementModel {
        materials: RegionMaterials::uniform(ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap()),
        strain: Strain::Green,
        thickness: 0.002,
    };
    let masses = model.masses(&sheet).unwrap();
    let settings = MeshSettings::new(Arc::new(sheet), Arc::new(model));
    let sheet = BodyDescription::of_mesh("sheet", settings, masses);
    let bar = block([8, 1, 1], SIZE, Division::FiveTetrahedra).unwrap();
    let model = SolidModel::new(
        SolidStrain::Corotated,
        ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap(),
    );
    let masses = model.masses(&bar).unwrap();
    let settings = MeshSettings::new(Arc::new(bar), Arc::new(model));
    let bar = BodyDescription::of_mesh("bar", settings, masses);
    for mut description in [sheet, bar] {
        description.make_global(GlobalDeformation { degree: 2 });
        description.time_step = 0.002;
        fall(&mut description);
        let middle = description.rest_positions.iter().sum::<DVec3>()
            / description.rest_positions.len() as f64;
        let mut state = at_rest(&description, |x| x);
        let spin = DVec3::new(2.0, 1.0, 0.5);
        for (v, x) in state.velocities.iter_mut().zip(&description.rest_positions) {
            *v = spin.cross(*x - middle);
        }
        let name = description.name.to_string();
        let mut world = World {
            bodies: vec![Body::with_state(description, state).unwrap()],
            ..World::default()
        };
        let before = centre(&world.bodies[0]);
        run(&mut world, 150);
        let fallen = centre(&world.bodies[0]) - before;
        let expected = -0.5 * 9.81 * 0.09 * DVec3::Z;
        assert!(fallen.distance(expected) < 2e-3, "{name}: {fallen}");
        // It has turned out of its plane.
        let x = &world.bodies[0].state.positions;
        let height = |of: fn(f64, f64) -> f64, start: f64| x.iter().map(|x| x.z).fold(start, of);
        assert!(
            height(f64::max, f64::MIN) - height(f64::min, f64::MAX) > 0.1,
            "{name}"
        );
    }
}

/// A free brick after half a second under a force, from rest.
fn driven(force: impl NodalForce + 'static, time_step: f64) -> Body {
    let mut description = brick(1, 1e7);
    description.time_step = time_step;
    let force = Arc::new(force);
    description.forces.push(BoundForce { force, node: None });
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    run(&mut world, (0.5 / time_step).round() as usize);
    world.bodies.remove(0)
}

/// What is switched on within a step and off within another gives its impulse, to rounding.
#[test]
fn a_thruster_gives_its_impulse() {
    for time_step in [0.05, 0.02, 0.01] {
        let force = DVec3::new(3.0, 0.0, 1.0);
        let (from, until) = (0.033, 0.283);
        let body = driven(Thruster { force, from, until }, time_step);
        let exact = 0.25 * body.node_count() as f64 * force;
        let momentum = body.momentum();
        assert!(
            (momentum - exact).length() < 1e-9 * exact.length(),
            "{momentum} {exact}"
        );
    }
}

/// Two stages are of second order in forces that change with time: x = g t³/6 under a weight that grows with
/// time, and φ = α t²/2 under a gyro.
#[test]
fn forces_that_change_are_of_second_order() {
    let fallen = |time_step: f64| {
        let acceleration = DVec3::new(0.0, 0.0, -10.0);
        let ramp = Ramp::new([[0.0, 0.0], [1.0, 1.0]]).unwrap();
        let force = Arc::new(Gravity { acceleration });
        let body = driven(Ramped { force, ramp }, time_step);
        let start = centre(&Body::new(brick(1, 1e7)).unwrap());
        (centre(&body) - start).z + 10.0 * 0.125 / 6.0
    };
    let turned = |time_step: f64| {
        let gyro = Gyro {
            acceleration: 6.0 * DVec3::Z,
            from: 0.0,
            until: 1.0,
        };
        let body = driven(gyro, time_step);
        let rest = &body.description().rest_positions;
        let (now, middle) = (&body.state.positions, centre(&body));
        let arms = || rest.iter().zip(now).map(|(r, x)| (*r, *x - middle));
        let masses = || body.description().masses.iter();
        let origin =
            masses().zip(rest).map(|(m, r)| *m * *r).sum::<DVec3>() / masses().sum::<f64>();
        let sine: f64 = arms().map(|(r, x)| (r - origin).cross(x).z).sum();
        let cosine: f64 = arms()
            .map(|(r, x)| (r - origin).truncate().dot(x.truncate()))
            .sum();
        sine.atan2(cosine) - 0.5 * 6.0 * 0.25
    };
    for (what, error) in [
        ("weight", &fallen as &dyn Fn(f64) -> f64),
        ("gyro", &turned),
    ] {
        let errors = [0.02, 0.01, 0.005].map(error);
        println!("{what}: {errors:?}");
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).abs().log2();
            assert!(order > 1.7, "{what}: {errors:?}");
        }
    }
}
