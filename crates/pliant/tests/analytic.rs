//! The engine against closed-form solutions.

mod support;

use glam::DVec3;
use pliant::force::{BoundForce, Gravity, Spring, Stream, Viscous};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, State, StepReport, Workspace, World};
use std::sync::Arc;
use support::{block, frequency, line, sheet};

const G: f64 = 9.81;

fn gravity(acceleration: DVec3) -> BoundForce {
    BoundForce {
        force: Arc::new(Gravity { acceleration }),
        node: None,
    }
}

fn world(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

fn run(world: &mut World, steps: usize) -> Vec<StepReport> {
    let mut workspace = Workspace::new(world);
    (0..steps).map(|_| world.step(&mut workspace)).collect()
}

fn direct() -> SolverSettings {
    SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    }
}

/// With steps of length dt the symplectic and the implicit schemes fall z_n = -g dt² n (n + 1) / 2,
/// the midpoint rule and free fall itself -g (n dt)² / 2.
#[test]
fn free_fall_to_rounding() {
    let dt = 0.01;
    let n = 100;
    for integrator in [
        IntegratorKind::SemiImplicit,
        IntegratorKind::Explicit,
        IntegratorKind::Implicit,
        IntegratorKind::Midpoint,
    ] {
        let mut description = sheet([5, 4], [1.0, 2.0], 3.0, 0.1);
        description.integrator = integrator;
        description.solver = direct();
        description.time_step = dt;
        description.forces.push(gravity(DVec3::NEG_Z * G));
        let rest = description.rest_positions.clone();
        let mut world = world(Body::new(description).unwrap());
        let reports = run(&mut world, n);
        assert_eq!(reports[n - 1].shortened_steps, 0);
        let steps = n as f64;
        let fallen = match integrator {
            IntegratorKind::Midpoint => 0.5 * G * (steps * dt).powi(2),
            _ => 0.5 * G * dt * dt * steps * (steps + 1.0),
        };
        for (position, rest) in world.bodies[0].state.positions.iter().zip(&rest) {
            let expected = *rest - DVec3::Z * fallen;
            assert!(
                (*position - expected).length() < 1e-11 * fallen,
                "{integrator:?}: {position} instead of {expected}"
            );
        }
    }
}

/// An inextensible cable of length L between supports at distance D hangs as y = a cosh(x / a),
/// with 2 a sinh(D / 2a) = L.
#[test]
fn a_hanging_cable_is_a_catenary() {
    let (length, span, count) = (1.5, 1.0, 61);
    // Newton on 2 a sinh(D / 2a) = L.
    let mut a: f64 = 0.5;
    for _ in 0..60 {
        let f = |a: f64| 2.0 * a * (span / (2.0 * a)).sinh() - length;
        let slope = (f(a + 1e-7) - f(a - 1e-7)) / 2e-7;
        a -= f(a) / slope;
    }
    let sag = a * ((span / (2.0 * a)).cosh() - 1.0);

    let mut description = line(count, length, [1e6, 0.0, 0.0]);
    description.integrator = IntegratorKind::Static;
    description.solver = SolverSettings {
        tolerance: 1e-9,
        ..direct()
    };
    description.newton_iterations = 60;
    description.forces.push(gravity(DVec3::NEG_Z * G));
    description.fixed[0] = true;
    description.fixed[count - 1] = true;
    // Start from a parabola between the supports.
    let positions: Vec<DVec3> = (0..count)
        .map(|i| {
            let u = i as f64 / (count - 1) as f64;
            DVec3::new(span * u, 0.0, -4.0 * 0.4 * u * (1.0 - u))
        })
        .collect();
    let velocities = vec![DVec3::ZERO; count];
    let body = Body::with_state(
        description,
        State {
            positions,
            velocities,
            ..State::default()
        },
    )
    .unwrap();
    let mut world = world(body);
    let reports = run(&mut world, 1);
    assert_eq!(
        reports[0].quarantined, 0,
        "{:?}",
        world.bodies[0].quarantine
    );
    let positions = &world.bodies[0].state.positions;
    let hang = |x: f64| a * (((x - 0.5 * span) / a).cosh() - (0.5 * span / a).cosh());
    let worst = positions
        .iter()
        .map(|p| (p.z - hang(p.x)).abs())
        .fold(0.0, f64::max);
    // The polygon of 60 edges is within O(h²) of the curve.
    assert!(worst < 5e-4 * sag, "{worst} of a sag of {sag}");
}

/// A string under tension T with mass m a node over n edges: f = ½ √(T / m) a unit of material
/// length, where T = w (|x_u| - |x_u|⁰) |...|; here the force along the string is w s (s - s⁰)/s.
#[test]
fn a_stretched_string_sounds_its_note() {
    let (count, stretch, tension, mass) = (41, 1.5, 100.0, 0.5);
    let mut description = line(count, 1.0, [tension, 0.0, 0.0]);
    description.integrator = IntegratorKind::Midpoint;
    description.solver = direct();
    description.time_step = 0.002;
    description.masses.fill(mass);
    description.fixed[0] = true;
    description.fixed[count - 1] = true;
    let amplitude = 1e-3;
    let positions: Vec<DVec3> = (0..count)
        .map(|i| {
            let u = i as f64 / (count - 1) as f64;
            DVec3::new(
                stretch * u,
                0.0,
                amplitude * (std::f64::consts::PI * u).sin(),
            )
        })
        .collect();
    let body = Body::with_state(
        description,
        State {
            velocities: vec![DVec3::ZERO; count],
            positions,
            ..State::default()
        },
    )
    .unwrap();
    let mut world = world(body);
    let mut workspace = Workspace::new(&world);
    let mut samples = Vec::new();
    for _ in 0..1500 {
        world.step(&mut workspace);
        samples.push(world.bodies[0].state.positions[count / 2].z);
    }
    // Transverse stiffness per material length: w (s - s⁰) / s with s = stretch, s⁰ = 1.
    let wave_speed = (tension * (stretch - 1.0) / stretch / mass).sqrt();
    // The discrete Laplacian of n edges has 2 n sin(π / 2n) in the place of π.
    let edges = (count - 1) as f64;
    let wave_number = 2.0 * edges * (std::f64::consts::PI / (2.0 * edges)).sin();
    let expected = wave_speed * wave_number / std::f64::consts::TAU;
    let measured = frequency(&samples, 0.002);
    assert!(
        (measured / expected - 1.0).abs() < 2e-3,
        "{measured} Hz instead of {expected} Hz"
    );
}

/// A square membrane stretched by a factor λ in both directions: f = √2 c / 2 in material
/// coordinates, with c² = w (G - G⁰) / m and G = λ² G⁰.
#[test]
fn a_square_membrane_sounds_its_note() {
    let (count, stretch, tension, mass) = (21, 1.2, 10.0, 0.5);
    let mut description = sheet([count, count], [1.0, 1.0], tension, 0.0);
    description.integrator = IntegratorKind::Midpoint;
    description.solver = direct();
    description.time_step = 0.005;
    description.masses.fill(mass);
    let grid = description.grid().unwrap().clone();
    let mut positions = Vec::new();
    for (node, [i, j, _]) in grid.nodes().enumerate() {
        let edge = i == 0 || j == 0 || i == count - 1 || j == count - 1;
        description.fixed[node] = edge;
        let [u, v, _] = grid.material_coordinates([i, j, 0]);
        let pi = std::f64::consts::PI;
        let mut position = stretch * description.rest_positions[node];
        position.z = 1e-3 * (pi * u).sin() * (pi * v).sin();
        positions.push(position);
    }
    let body = Body::with_state(
        description,
        State {
            velocities: vec![DVec3::ZERO; positions.len()],
            positions,
            ..State::default()
        },
    )
    .unwrap();
    let mut world = world(body);
    let mut workspace = Workspace::new(&world);
    let middle = grid.index([count / 2, count / 2, 0]);
    let mut samples = Vec::new();
    for _ in 0..600 {
        world.step(&mut workspace);
        samples.push(world.bodies[0].state.positions[middle].z);
    }
    let wave_speed = (tension * (stretch * stretch - 1.0) / mass).sqrt();
    let edges = (count - 1) as f64;
    let wave_number =
        2.0 * edges * (std::f64::consts::PI / (2.0 * edges)).sin() * std::f64::consts::SQRT_2;
    let expected = wave_speed * wave_number / std::f64::consts::TAU;
    let measured = frequency(&samples, 0.005);
    assert!(
        (measured / expected - 1.0).abs() < 2e-3,
        "{measured} Hz instead of {expected} Hz"
    );
}

/// Centre deflection of a clamped square plate under uniform load by the engine. Two rows of
/// nodes are held, the inner one is the clamped edge; there the mirror image of the plate doubles
/// the rigidity.
fn clamped_plate(cells: usize) -> f64 {
    let count = cells + 3;
    let rigidity = 1.0;
    let mut description = sheet([count, count], [1.0, 1.0], 1e-6, rigidity);
    description.integrator = IntegratorKind::Static;
    description.solver = SolverSettings {
        tolerance: 1e-9,
        ..direct()
    };
    let grid = description.grid().unwrap().clone();
    let mut rigidities = description.weights().unwrap().rigidities.clone();
    for (node, [i, j, _]) in grid.nodes().enumerate() {
        let edge = |k: usize| k <= 1 || k + 2 >= count;
        description.fixed[node] = edge(i) || edge(j);
        let on = |k: usize| k == 1 || k + 2 == count;
        if on(i) {
            rigidities[node][0][0] *= 2.0;
        }
        if on(j) {
            rigidities[node][1][1] *= 2.0;
        }
    }
    description.change_grid(|on_grid| on_grid.weights.rigidities = rigidities);
    let load = 1e-3;
    description.forces.push(gravity(DVec3::Z * load));
    let mut world = world(Body::new(description).unwrap());
    let reports = run(&mut world, 1);
    assert_eq!(
        reports[0].quarantined, 0,
        "{:?}",
        world.bodies[0].quarantine
    );
    let middle = grid.index([count / 2, count / 2, 0]);
    let deflection = world.bodies[0].state.positions[middle].z;
    // In material coordinates the side between the clamped edges is cells * h.
    let side = cells as f64 * grid.spacing(0);
    deflection * rigidity / (load * side.powi(4))
}

/// Thin-plate theory: w_max = 0.00126532 q a⁴ / D for a clamped square plate (Timoshenko and
/// Woinowsky-Krieger, Theory of Plates and Shells, sect. 44; further digits from the series).
#[test]
fn a_clamped_plate_deflects_as_theory_says_and_converges_with_the_square_of_the_spacing() {
    let theory = 0.001_265_319;
    let errors: Vec<f64> = [8, 16, 32]
        .iter()
        .map(|&cells| (clamped_plate(cells) / theory - 1.0).abs())
        .collect();
    println!("relative errors {errors:?}");
    assert!(errors[2] < 0.01, "{errors:?}");
    for pair in errors.windows(2) {
        let rate = (pair[0] / pair[1]).log2();
        assert!((1.7..2.4).contains(&rate), "rate {rate}, errors {errors:?}");
    }
}

/// A sheet falling flat through a fluid: c v = m g.
#[test]
fn a_falling_sheet_reaches_its_terminal_velocity() {
    for integrator in [
        IntegratorKind::SemiImplicit,
        IntegratorKind::Explicit,
        IntegratorKind::Implicit,
    ] {
        let (mass, strength) = (0.2, 1.6);
        let mut description = sheet([4, 4], [1.0, 1.0], 1.0, 0.1);
        description.integrator = integrator;
        description.solver = direct();
        description.masses.fill(mass);
        description.forces.push(gravity(DVec3::NEG_Z * G));
        description.forces.push(BoundForce {
            force: Arc::new(Viscous {
                strength,
                stream: Stream::Constant {
                    velocity: DVec3::ZERO,
                },
            }),
            node: None,
        });
        let mut world = world(Body::new(description).unwrap());
        run(&mut world, 400);
        for velocity in &world.bodies[0].state.velocities {
            let expected = -mass * G / strength;
            assert!(
                (velocity.z / expected - 1.0).abs() < 1e-9,
                "{integrator:?}: {} instead of {expected}",
                velocity.z
            );
        }
    }
}

/// How much speed along the slope a block's centre gains in a second, and how far it moves, after
/// it has settled for a number of steps.
fn slide(
    angle: f64,
    friction: f64,
    integrator: IntegratorKind,
    damping: f64,
    settle: usize,
) -> (f64, f64) {
    let dt = 0.005;
    let mut description = block([4, 3, 3], DVec3::new(0.6, 0.4, 0.3), 2000.0);
    description.integrator = integrator;
    description.solver = direct();
    description.time_step = dt;
    description.dampings.fill(damping);
    description.contact.friction = friction;
    description.collides_with.push(0);
    // The slope is the plane z = 0; gravity leans.
    let down = DVec3::new(angle.sin(), 0.0, -angle.cos());
    description.forces.push(gravity(G * down));
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        obstacles: vec![Obstacle::new(
            "slope",
            Box::new(Plane::new(DVec3::Z, DVec3::ZERO).unwrap()),
        )],
        ..World::default()
    };
    let mean = |vectors: &[DVec3]| vectors.iter().map(|v| v.x).sum::<f64>() / vectors.len() as f64;
    let mut workspace = Workspace::new(&world);
    for _ in 0..settle {
        world.step(&mut workspace);
    }
    let state = &world.bodies[0].state;
    let (start, speed) = (mean(&state.positions), mean(&state.velocities));
    for _ in 0..200 {
        world.step(&mut workspace);
    }
    let state = &world.bodies[0].state;
    (
        mean(&state.velocities) - speed,
        mean(&state.positions) - start,
    )
}

/// Below the friction angle a block stays; above it, it gains g (sin α - μ cos α) a second.
#[test]
fn a_block_rests_below_and_slides_above_the_friction_angle() {
    let friction: f64 = 0.5;
    let limit = friction.atan();
    for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Implicit] {
        let (_, rest) = slide(limit - 0.05, friction, integrator, 20.0, 1000);
        assert!(rest.abs() < 2e-5, "{integrator:?}: crept {rest}");
        let angle = limit + 0.1;
        let (gained, _) = slide(angle, friction, integrator, 0.0, 200);
        let expected = G * (angle.sin() - friction * angle.cos());
        assert!(
            (gained / expected - 1.0).abs() < 0.05,
            "{integrator:?}: gained {gained} instead of {expected}"
        );
    }
}

/// A node on a spring is a harmonic oscillator.
#[test]
fn a_node_on_a_spring_swings_with_its_frequency() {
    let (mass, constant): (f64, f64) = (2.0, 50.0);
    let mut description = line(3, 1.0, [1.0, 0.0, 0.0]);
    description.integrator = IntegratorKind::Midpoint;
    description.solver = direct();
    description.time_step = 0.002;
    description.masses.fill(mass);
    for node in 0..3 {
        let point = description.rest_positions[node];
        description.forces.push(BoundForce {
            force: Arc::new(Spring::to_point(constant, point)),
            node: Some(node),
        });
    }
    let positions = description
        .rest_positions
        .iter()
        .map(|x| *x + 0.1 * DVec3::Z)
        .collect();
    let body = Body::with_state(
        description,
        State {
            positions,
            velocities: vec![DVec3::ZERO; 3],
            ..State::default()
        },
    )
    .unwrap();
    let mut world = world(body);
    let mut workspace = Workspace::new(&world);
    let mut samples = Vec::new();
    for _ in 0..5000 {
        world.step(&mut workspace);
        samples.push(world.bodies[0].state.positions[1].z);
    }
    let expected = (constant / mass).sqrt() / std::f64::consts::TAU;
    let measured = frequency(&samples, 0.002);
    assert!((measured / expected - 1.0).abs() < 1e-4, "{measured}");
}

/// A description that makes no physical sense is refused.
#[test]
fn descriptions_are_checked() {
    let mut description: BodyDescription = line(3, 1.0, [1.0, 0.0, 0.0]);
    description.masses[1] = 0.0;
    assert!(Body::new(description).is_err());
}
