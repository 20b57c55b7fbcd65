//! The hybrid formulation in motion: the rigid limit, vibration, centrifugal force, impact.

mod support;

use glam::{DMat3, DQuat, DVec3};
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Primal;
use pliant::grid::Grid;
use pliant::hybrid::{DeformationEnergy, Hybrid, deformations, frame_motion};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::hybrid::{hybrid, moving, world};
use support::{block, frequency, line};

/// Euler's equations of a free rigid body by fourth-order steps: body-frame angular velocity.
fn euler_top(inertia: DVec3, mut spin: DVec3, time: f64, dt: f64) -> Vec<DVec3> {
    let rate = |w: DVec3| -> DVec3 {
        DVec3::new(
            (inertia.y - inertia.z) * w.y * w.z / inertia.x,
            (inertia.z - inertia.x) * w.z * w.x / inertia.y,
            (inertia.x - inertia.y) * w.x * w.y / inertia.z,
        )
    };
    let parts = 50;
    let h = dt / f64::from(parts);
    let mut samples = vec![spin];
    for _ in 0..(time / dt).round() as usize {
        for _ in 0..parts {
            let k1 = rate(spin);
            let k2 = rate(spin + 0.5 * h * k1);
            let k3 = rate(spin + 0.5 * h * k2);
            let k4 = rate(spin + h * k3);
            spin += h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4);
        }
        samples.push(spin);
    }
    samples
}

/// A block of 3 x 3 x 3 nodes with three different moments of inertia, almost rigid.
fn top(integrator: IntegratorKind, dt: f64) -> (BodyDescription, DVec3) {
    let size = DVec3::new(1.0, 0.6, 0.25);
    // The midpoint rule must resolve the vibrations: as stiff as its steps allow.
    let tension = match integrator {
        IntegratorKind::Midpoint => 0.2 / (dt * dt),
        _ => 1e9,
    };
    let mut description = hybrid(block([3, 3, 3], size, tension));
    description.integrator = integrator;
    description.time_step = dt;
    // Coordinates of three nodes have the variance 1/6 of the square of the size.
    let squares = 27.0 / 6.0 * size * size;
    let inertia = DVec3::splat(squares.element_sum()) - squares;
    (description, inertia)
}

/// Largest difference of the angular velocity in the body frame from Euler's equations.
fn error_of_top(integrator: IntegratorKind, dt: f64, spin: DVec3, time: f64) -> f64 {
    let (description, inertia) = top(integrator, dt);
    let centre = 0.5 * DVec3::new(1.0, 0.6, 0.25);
    let expected = euler_top(inertia, spin, time, dt);
    let mut world = world(moving(description, |x| spin.cross(x - centre)));
    let mut workspace = Workspace::new(&world);
    let mut worst: f64 = 0.0;
    for expected in &expected[1..] {
        world.step(&mut workspace);
        let frame = frame_motion(&world.bodies[0]).unwrap();
        let found = frame.rotation.inverse() * frame.angular_velocity;
        worst = worst.max((found - *expected).length());
    }
    worst / spin.length()
}

#[test]
fn a_stiff_body_spins_about_its_axes_as_euler_says() {
    for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Midpoint] {
        for axis in [DVec3::X, DVec3::Z] {
            // Stable axes, with a little wobble.
            let spin = 3.0 * axis + DVec3::new(0.1, 0.2, 0.15);
            let error = error_of_top(integrator, 0.01, spin, 3.0);
            let limit = match integrator {
                // Not quite rigid.
                IntegratorKind::Midpoint => 5e-2,
                _ => 2e-3,
            };
            assert!(error < limit, "{integrator:?} {axis}: {error:.1e}");
        }
        // About the middle axis alone.
        let error = error_of_top(integrator, 0.01, 3.0 * DVec3::Y, 1.0);
        assert!(error < 2e-2, "{integrator:?}: {error:.1e}");
    }
}

#[test]
fn the_tennis_racket_flips_as_euler_says_to_second_order() {
    let spin = DVec3::new(0.05, 4.0, 0.0);
    let flips = euler_top(top(IntegratorKind::SemiImplicit, 0.01).1, spin, 4.0, 0.01);
    assert!(flips.iter().any(|w| w.y < -3.8), "Euler's racket flips");
    for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Midpoint] {
        let errors = [0.02, 0.01, 0.005].map(|dt| error_of_top(integrator, dt, spin, 4.0));
        println!("{integrator:?}: {errors:?}");
        assert!(errors[2] < 0.05, "{integrator:?}: {errors:?}");
        for pair in errors.windows(2) {
            let order = (pair[0] / pair[1]).log2();
            assert!(order > 1.6, "{integrator:?}: order {order:.2}");
        }
    }
}

/// A bar along x with a mode started in the velocities; the part of the mode over time.
fn ring(description: &BodyDescription, shape: impl Fn(usize) -> DVec3, steps: usize) -> f64 {
    let mode: Vec<DVec3> = (0..description.masses.len()).map(shape).collect();
    let rest = description.rest_positions.clone();
    let state = State {
        positions: rest.clone(),
        velocities: mode.iter().map(|d| 1e-3 * *d).collect(),
        ..State::default()
    };
    let dt = description.time_step;
    let mut world = world(Body::with_state(description.clone(), state).unwrap());
    let mut workspace = Workspace::new(&world);
    let mut samples = Vec::new();
    for _ in 0..steps {
        world.step(&mut workspace);
        let positions = world.bodies[0].state.positions.iter();
        let part = positions.zip(&rest).zip(&mode);
        samples.push(part.map(|((x, r), m)| (*x - *r).dot(*m)).sum::<f64>());
    }
    frequency(&samples, dt)
}

/// A free bar of unit masses, n nodes along it: cos(k π (i + ½) / n) are exact modes of the lattice
/// with ω = 2 √(w / m) (n - 1) sin(k π / 2n) along the bar, in the limit k π √(w / m).
#[test]
fn a_bar_sounds_the_notes_of_theory_and_of_the_primal_formulation() {
    let counts = [11, 3, 3];
    let size = DVec3::new(2.0, 0.3, 0.3);
    let tension = 4.0;
    let mut description = hybrid(block(counts, size, tension));
    // Only stretches along the bar: the shear of the primal energy has no counterpart.
    description.change_grid(|on_grid| {
        for weights in &mut on_grid.weights.tensions {
            *weights = [[0.0; 3]; 3];
            weights[0][0] = tension;
        }
        on_grid.weights.volume = 0.0;
    });
    // Four of the nine rows lie in edges, four in sides: their links have the share 1/4 and 1/2.
    for node in 0..description.node_count() {
        let at = description.grid().unwrap().coordinates(node);
        let ends = [1, 2].map(|d| if at[d] == 1 { 1.0 } else { 0.5 });
        description.masses[node] = ends[0] * ends[1];
    }
    description.integrator = IntegratorKind::Midpoint;
    description.time_step = 0.002;
    description.newton_iterations = 50;
    let weight = 2.0 * tension * size.x * size.x;
    let n = counts[0] as f64;
    for k in [1.0, 2.0] {
        let phase = k * std::f64::consts::PI / n;
        let grid = description.grid().unwrap().clone();
        let shape =
            |node: usize| DVec3::X * (phase * (grid.coordinates(node)[0] as f64 + 0.5)).cos();
        let lattice = 2.0 * weight.sqrt() * (n - 1.0) * (0.5 * phase).sin();
        let theory = k * std::f64::consts::PI * weight.sqrt();
        let found = std::f64::consts::TAU * ring(&description, shape, 1500);
        let mut primal = description.clone();
        assert!(primal.reformulate(Primal::NAME));
        let in_primal = std::f64::consts::TAU * ring(&primal, shape, 1500);
        println!("{k}: {found} {in_primal} {lattice} {theory}");
        assert!((found / lattice - 1.0).abs() < 2e-3);
        assert!((found / in_primal - 1.0).abs() < 2e-3);
        // The end nodes are whole masses: the bar is longer by 1 / (n - 1).
        assert!((found / theory - 1.0).abs() < 1.5 / n);
    }
}

/// A free thin beam: ω = (4.730)² √(w / m) / L² with L = 1 in material coordinates.
#[test]
fn a_beam_bends_with_its_lowest_frequency() {
    let count = 41;
    let mut description = hybrid(line(count, 1.0, [2000.0, 1.0, 0.0]));
    description.masses[0] = 0.5;
    description.masses[count - 1] = 0.5;
    description.integrator = IntegratorKind::Midpoint;
    description.time_step = 0.002;
    let b: f64 = 4.730_040_744_862_704;
    let ratio = (b.cosh() - b.cos()) / (b.sinh() - b.sin());
    let shape = |node: usize| {
        let u = b * node as f64 / (count - 1) as f64;
        DVec3::Z * (u.cosh() + u.cos() - ratio * (u.sinh() + u.sin()))
    };
    let mut stiff_only = description.clone();
    stiff_only.change_grid(|on_grid| on_grid.weights.tensions.fill([[0.0; 3]; 3]));
    let found = std::f64::consts::TAU * ring(&stiff_only, shape, 2000);
    println!("{found} {}", b * b);
    assert!((found / (b * b) - 1.0).abs() < 5e-3, "{found}");
    // The primal beam of the same rigidity, which stretching does not hinder.
    assert!(description.reformulate(Primal::NAME));
    description.newton_iterations = 50;
    let in_primal = std::f64::consts::TAU * ring(&description, shape, 2000);
    assert!(
        (found / in_primal - 1.0).abs() < 5e-3,
        "{found} {in_primal}"
    );
}

/// ω² spins a bar apart: e = K⁻¹ (μ ω² q), unless the centrifugal force is switched off.
#[test]
fn a_spinning_bar_grows_unless_the_centrifugal_force_is_off() {
    let grow = |centrifugal: bool| {
        let count = 21;
        let mut description = hybrid(line(count, 2.0, [500.0, 1.0, 0.0]));
        description.change_hybrid(|hybrid| hybrid.inertial_terms.centrifugal = centrifugal);
        description.time_step = 0.005;
        description.dampings.fill(0.0);
        let spin = DVec3::new(0.0, 0.0, 1.0);
        let mut world = world(moving(description, |x| spin.cross(x - DVec3::X)));
        let angular = world.bodies[0].angular_momentum();
        let mut workspace = Workspace::new(&world);
        for _ in 0..4000 {
            world.step(&mut workspace);
        }
        let body = &world.bodies[0];
        assert!((body.angular_momentum() - angular).length() < 1e-9 * angular.length());
        let mut e = vec![DVec3::ZERO; count];
        deformations(body, &mut e);
        let spin = frame_motion(body).unwrap().angular_velocity.length();
        // w e'' = -μ ω² q with free ends: e(1) = (μ ω² / w) ∫∫, here on the lattice.
        let mut force = 0.0;
        let mut expected = 0.0;
        for node in (count / 2 + 1..count).rev() {
            let q = (node - count / 2) as f64 * 0.1 + e[node].x;
            force += spin * spin * q;
            expected += force / (500.0 * 20.0 * 20.0);
        }
        (e[count - 1].x, expected)
    };
    let (on, expected) = grow(true);
    println!("{on} {expected}");
    assert!(
        (on / expected - 1.0).abs() < 0.01,
        "{on} instead of {expected}"
    );
    let (off, _) = grow(false);
    println!("{off}");
    assert!(off.abs() < 0.02 * on, "{off}");
}

/// Contact moves nodes after the solve; the frame follows them.
#[test]
fn a_stiff_block_falls_on_its_edge_and_comes_to_rest_on_the_floor() {
    let mut description = hybrid(block([5, 4, 3], DVec3::new(1.0, 0.8, 0.5), 3000.0));
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * 9.81,
        }),
        node: None,
    });
    description.contact.friction = 0.4;
    description.collides_with.push(0);
    let turn = DMat3::from_quat(DQuat::from_rotation_x(0.6) * DQuat::from_rotation_y(0.4));
    let positions: Vec<DVec3> = description
        .rest_positions
        .iter()
        .map(|x| turn * *x + DVec3::Z)
        .collect();
    let state = State {
        velocities: vec![DVec3::ZERO; positions.len()],
        positions,
        ..State::default()
    };
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let mut world = World {
        bodies: vec![Body::with_state(description, state).unwrap()],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world).total();
    let mut report = None;
    for _ in 0..1500 {
        let now = world.step(&mut workspace);
        assert!(now.energies.total() < 1.02 * start, "{:?}", now.energies);
        assert!(now.smallest_distance > -1e-9);
        report = Some(now);
    }
    let report = report.unwrap();
    assert_eq!(report.quarantined + report.shortened_steps, 0);
    assert!(
        report.energies.kinetic < 1e-3 * start,
        "{:?}",
        report.energies
    );
    // It lies on one of its sides: a layer of nodes is on the floor.
    let body = &world.bodies[0];
    let low = |x: &&DVec3| x.z < 0.02;
    let lying = body.state.positions.iter().filter(low).count();
    assert!(lying >= 12, "{lying} nodes on the floor");
    // The shape is the rest shape again, but for its weight.
    let mut e = vec![DVec3::ZERO; body.node_count()];
    deformations(body, &mut e);
    assert!(e.iter().all(|e| e.length() < 0.02));
}

/// A bar of a grid, along x.
fn bar() -> BodyDescription {
    let grid = Grid::new(&[17, 3, 3], &[false; 3]);
    let place = |at| DVec3::from_array(grid.material_coordinates(at)) * DVec3::new(1.6, 0.2, 0.2);
    let rest = grid.nodes().map(place).collect();
    let weights = Weights::uniform(grid.node_count(), 40.0, 0.0, 0.0);
    BodyDescription::new("bar", grid, rest, weights)
}

/// A hybrid bar with the linearised energy droops and swings as the primal one on the same grid, within 2 %.
#[test]
fn a_linearised_hybrid_bar_is_as_stiff_as_the_primal_one() {
    let make = |formulation: Option<DeformationEnergy>| {
        let mut description = bar();
        if let Some(deformation) = formulation {
            description.make_hybrid(Hybrid {
                deformation,
                ..Hybrid::default()
            });
        }
        for (node, x) in description.rest_positions.iter().enumerate() {
            description.fixed[node] = x.x < 1e-9;
        }
        description.masses.fill(5e-3);
        description
    };
    let last = make(None).rest_positions.len() - 1;
    let run = |description: BodyDescription| World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let tip = |formulation| {
        let mut description = make(formulation);
        description.integrator = IntegratorKind::Static;
        description.newton_iterations = 100;
        let acceleration = DVec3::new(0.0, 0.0, -0.2);
        let force = Arc::new(Gravity { acceleration });
        let bound = BoundForce { force, node: None };
        description.forces.push(bound);
        let mut world = run(description);
        let mut workspace = Workspace::new(&world);
        for _ in 0..3 {
            world.step(&mut workspace);
        }
        world.bodies[0].state.positions[last].z
            - world.bodies[0].description().rest_positions[last].z
    };
    // Half a period, from the time at which the tip comes back to the middle.
    let half_period = |formulation| {
        let mut description = make(formulation);
        description.time_step = 2e-3;
        let mut world = run(description);
        for x in &mut world.bodies[0].state.positions {
            x.z += 0.01 * x.x * x.x;
        }
        let rest = world.bodies[0].description().rest_positions[last].z;
        let mut workspace = Workspace::new(&world);
        let (mut crossings, mut before) = (Vec::new(), 1.0);
        while crossings.len() < 3 && world.time < 20.0 {
            world.step(&mut workspace);
            let now = world.bodies[0].state.positions[last].z - rest;
            if (now > 0.0) != (before > 0.0) {
                crossings.push(world.time - 2e-3 * now / (now - before));
            }
            before = now;
        }
        0.5 * (crossings[2] - crossings[0])
    };
    let linearised = Some(DeformationEnergy::Linearised);
    let [primal, framed] = [tip(None), tip(linearised)];
    assert!(
        primal < -1e-3 && (framed / primal - 1.0).abs() < 0.02,
        "{primal} {framed}"
    );
    let [primal, framed] = [half_period(None), half_period(linearised)];
    assert!((framed / primal - 1.0).abs() < 0.02, "{primal} {framed}");
    let mut refused = make(linearised);
    refused.integrator = IntegratorKind::Explicit;
    assert!(Body::new(refused).is_err());
}
