//! The hybrid formulation: rest, momenta, rigid limit, vibration, frames.

mod support;

use glam::{DMat3, DQuat, DVec3};
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::formulation::{Hybrid, Primal};
use pliant::hybrid::{NodeWeights, SplineWeights, deformations, pose};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::{Random, block, bodies, line, sheet};

fn hybrid(mut description: BodyDescription) -> BodyDescription {
    description.formulation = Arc::new(Hybrid::default());
    description.solver = SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    };
    description
}

fn world(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

fn moving(description: BodyDescription, velocity: impl Fn(DVec3) -> DVec3) -> Body {
    let positions = description.rest_positions.clone();
    let velocities = positions.iter().map(|x| velocity(*x)).collect();
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}

/// Every kind of body with weights of orders 0, 1 and 2 that vary over the material.
fn varied_bodies() -> Vec<BodyDescription> {
    bodies()
        .iter()
        .flat_map(|body| {
            [0.0, 0.7].map(|zeroth| {
                let mut description = hybrid(body.description().clone());
                let at = |node: usize| {
                    let t = 1.0 + 0.5 * (node as f64).sin();
                    NodeWeights {
                        zeroth: zeroth * t,
                        first: [20.0 * t, 15.0, 18.0],
                        second: [0.1, 0.2 * t, 0.1],
                        mixed: [0.1 * t, 0.1, 0.05],
                    }
                };
                let weights = SplineWeights::from_nodes(&description.grid, at);
                description.change_hybrid(|hybrid| hybrid.weights = Some(weights));
                let count = description.masses.len();
                description.masses = (0..count)
                    .map(|node| 1.0 + 0.4 * (node as f64 * 0.7).cos())
                    .collect();
                description
            })
        })
        .collect()
}

#[test]
fn a_body_at_rest_stays_where_it_is_to_the_bit() {
    for mut description in varied_bodies() {
        for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Midpoint] {
            description.integrator = integrator;
            let mut world = world(Body::new(description.clone()).unwrap());
            let before = world.state_hash();
            let mut workspace = Workspace::new(&world);
            let (elastic, _) = workspace.forces(&world, 0);
            assert!(elastic.iter().all(|force| force.length() < 1e-10));
            for _ in 0..5 {
                let report = world.step(&mut workspace);
                assert!(report.energies.total() < 1e-20);
            }
            assert_eq!(world.state_hash(), before, "{}", description.name);
        }
    }
}

#[test]
fn turned_and_moved_a_body_is_at_rest_too() {
    let rotation = DMat3::from_quat(DQuat::from_axis_angle(
        DVec3::new(1.0, -2.0, 0.5).normalize(),
        2.9,
    ));
    for description in varied_bodies() {
        let rest = description.rest_positions.clone();
        let place = |x: &DVec3| rotation * *x + DVec3::new(3.0, -1.0, 7.0);
        let state = State {
            positions: rest.iter().map(place).collect(),
            velocities: vec![DVec3::ZERO; rest.len()],
            ..State::default()
        };
        let name = description.name.clone();
        let mut world = world(Body::with_state(description, state).unwrap());
        let mut workspace = Workspace::new(&world);
        let report = (0..5).map(|_| world.step(&mut workspace)).last().unwrap();
        assert!(report.energies.total() < 1e-20, "{name}");
        for (x, rest) in world.bodies[0].state.positions.iter().zip(&rest) {
            assert!((*x - place(rest)).length() < 1e-12, "{name}");
        }
    }
}

/// The elastic force is the gradient of the energy, and has no net force and no torque.
#[test]
fn the_force_is_the_gradient_of_the_energy() {
    let mut random = Random::new(7);
    for description in varied_bodies() {
        let mut world = world(Body::new(description).unwrap());
        let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::Y, 1.0));
        for x in &mut world.bodies[0].state.positions {
            *x = turn * *x + 0.1 * random.vector();
        }
        let mut workspace = Workspace::new(&world);
        let (force, _) = workspace.forces(&world, 0);
        let name = world.bodies[0].description().name.clone();
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let net: DVec3 = force.iter().sum();
        let torque: DVec3 = force
            .iter()
            .zip(&world.bodies[0].state.positions)
            .map(|(f, x)| x.cross(*f))
            .sum();
        assert!(net.length() < 1e-11 * size, "{name}: {net}");
        assert!(torque.length() < 1e-10 * size, "{name}: {torque}");
        for node in [0, 2, force.len() - 1] {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let h = 1e-5;
                let mut energy = |offset: f64| {
                    world.bodies[0].state.positions[node] += offset * axis;
                    let energy = workspace.energies(&world).elastic;
                    world.bodies[0].state.positions[node] -= offset * axis;
                    energy
                };
                let slope = (energy(h) - energy(-h)) / (2.0 * h);
                let error = (slope + force[node].dot(axis)).abs();
                assert!(error < 1e-6 * size, "{name}: {slope} and {}", force[node]);
            }
        }
    }
}

fn drift(description: BodyDescription, steps: usize) -> (f64, f64, f64) {
    let mut random = Random::new(4);
    let mut body = moving(description, |x| {
        DVec3::new(0.5, 1.0, -0.3) + DVec3::new(0.3, -0.2, 1.5).cross(x)
    });
    for (x, v) in body
        .state
        .positions
        .iter_mut()
        .zip(&mut body.state.velocities)
    {
        *x += 0.03 * random.vector();
        *v += 0.1 * random.vector();
    }
    let (momentum, angular) = (body.momentum(), body.angular_momentum());
    let mut world = world(body);
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world).total();
    let mut highest = start;
    for _ in 0..steps {
        highest = world.step(&mut workspace).energies.total().max(highest);
    }
    let body = &world.bodies[0];
    assert!(body.quarantine.is_none());
    (
        (body.momentum() - momentum).length() / momentum.length(),
        (body.angular_momentum() - angular).length() / angular.length(),
        highest / start,
    )
}

/// With every kind of solver: the momenta do not wait for its convergence.
#[test]
fn a_free_body_keeps_its_momenta_to_rounding() {
    for description in varied_bodies() {
        for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Midpoint] {
            for kind in [SolverKind::Cholesky, SolverKind::ConjugateGradient] {
                let mut description = description.clone();
                description.integrator = integrator;
                description.solver.kind = kind;
                description.solver.tolerance = 1e-4;
                let name = description.name.clone();
                let (linear, angular, energy) = drift(description, 200);
                let what = format!("{name}, {integrator:?}, {kind:?}");
                println!("{what}: {linear:.1e} {angular:.1e} {energy}");
                assert!(linear < 1e-12, "{what}: {linear:.1e}");
                // A straight curve has no inertia about itself to keep what vibration loses.
                let limit = if &*name == "straight curve" {
                    1e-3
                } else {
                    1e-11
                };
                assert!(angular < limit, "{what}: {angular:.1e}");
                assert!(energy < 1.01, "{what}: {energy}");
            }
        }
    }
}

#[test]
fn free_fall_is_that_of_a_stone() {
    let g = DVec3::new(0.0, 0.0, -9.81);
    for mut description in varied_bodies() {
        description.forces.push(BoundForce {
            force: Arc::new(Gravity { acceleration: g }),
            node: None,
        });
        let rest = description.rest_positions.clone();
        let dt = description.time_step;
        let mut world = world(Body::new(description).unwrap());
        let mut workspace = Workspace::new(&world);
        let n = 50;
        for _ in 0..n {
            world.step(&mut workspace);
        }
        let fallen = 0.5 * dt * dt * f64::from(n * (n + 1)) * g;
        for (x, rest) in world.bodies[0].state.positions.iter().zip(&rest) {
            assert!((*x - *rest - fallen).length() < 1e-11);
        }
    }
}

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
        let frame = pose(&world.bodies[0]).unwrap();
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

/// Frequency from upward zero crossings.
fn frequency(samples: &[f64], dt: f64) -> f64 {
    let crossings: Vec<f64> = samples
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0)
        .map(|(i, pair)| (i as f64 - pair[0] / (pair[1] - pair[0])) * dt)
        .collect();
    (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0])
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
    for weights in &mut description.weights.tensions {
        *weights = [[0.0; 3]; 3];
        weights[0][0] = tension;
    }
    description.weights.volume = 0.0;
    // Four of the nine rows lie in edges, four in sides: their links have the share 1/4 and 1/2.
    for (node, mass) in description.masses.iter_mut().enumerate() {
        let at = description.grid.coordinates(node);
        let ends = [1, 2].map(|d| if at[d] == 1 { 1.0 } else { 0.5 });
        *mass = ends[0] * ends[1];
    }
    description.integrator = IntegratorKind::Midpoint;
    description.time_step = 0.002;
    description.newton_iterations = 50;
    let weight = 2.0 * tension * size.x * size.x;
    let n = counts[0] as f64;
    for k in [1.0, 2.0] {
        let phase = k * std::f64::consts::PI / n;
        let grid = description.grid.clone();
        let shape =
            |node: usize| DVec3::X * (phase * (grid.coordinates(node)[0] as f64 + 0.5)).cos();
        let lattice = 2.0 * weight.sqrt() * (n - 1.0) * (0.5 * phase).sin();
        let theory = k * std::f64::consts::PI * weight.sqrt();
        let found = std::f64::consts::TAU * ring(&description, shape, 1500);
        let mut primal = description.clone();
        primal.formulation = Arc::new(Primal);
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
    stiff_only.weights.tensions.fill([[0.0; 3]; 3]);
    let found = std::f64::consts::TAU * ring(&stiff_only, shape, 2000);
    println!("{found} {}", b * b);
    assert!((found / (b * b) - 1.0).abs() < 5e-3, "{found}");
    // The primal beam of the same rigidity, which stretching does not hinder.
    description.formulation = Arc::new(Primal);
    description.newton_iterations = 50;
    let in_primal = std::f64::consts::TAU * ring(&description, shape, 2000);
    assert!(
        (found / in_primal - 1.0).abs() < 5e-3,
        "{found} {in_primal}"
    );
}

#[test]
fn the_matrix_is_factorised_once_and_again_when_it_changes() {
    let mut world = world(moving(hybrid(block([4, 4, 4], DVec3::ONE, 5.0)), |x| {
        DVec3::new(0.0, 0.0, 2.0).cross(x)
    }));
    let mut workspace = Workspace::new(&world);
    let mut run = |world: &mut World, steps: usize| -> usize {
        let count = |_| world.step(&mut workspace).factorisations;
        (0..steps).map(count).sum()
    };
    assert_eq!(run(&mut world, 10), 1);
    let grid = world.bodies[0].description().grid.clone();
    let material = world.bodies[0].hybrid_mut().unwrap();
    material.cut(&grid, &[(grid.index([1, 1, 1]), 0)]);
    assert_eq!(run(&mut world, 10), 1);
    // A new reference shape asks for a solve, not for a factorisation.
    let material = world.bodies[0].hybrid_mut().unwrap();
    material.change_reference(|r| r.iter_mut().for_each(|r| r.x *= 1.2));
    assert_eq!(run(&mut world, 10), 0);
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
        let spin = pose(body).unwrap().angular_velocity.length();
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

#[test]
fn every_inertial_term_can_be_switched_off_and_momenta_are_kept() {
    let mut ends = Vec::new();
    for off in 0..4 {
        let mut description = hybrid(sheet([5, 4], [1.0, 1.5], 6.0, 0.05));
        description.change_hybrid(|hybrid| {
            let terms = &mut hybrid.inertial_terms;
            terms.centrifugal = off != 0;
            terms.coriolis = off != 1;
            terms.transverse = off != 2;
        });
        let (linear, angular, energy) = drift(description.clone(), 300);
        assert!(
            linear < 1e-11 && angular < 1e-10,
            "{off}: {linear} {angular}"
        );
        assert!(energy < 1.5, "{off}: {energy}");
        let mut world = world(moving(description, |x| {
            DVec3::new(1.0, 0.5, 2.0).cross(x) + 0.3 * x
        }));
        let mut workspace = Workspace::new(&world);
        for _ in 0..50 {
            world.step(&mut workspace);
        }
        ends.push(world.state_hash());
    }
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends.len(), 4, "each term makes a difference");
}

#[test]
fn a_held_bar_hangs_in_equilibrium_and_its_fixed_nodes_do_not_move() {
    let mut description = hybrid(block([9, 3, 3], DVec3::new(2.0, 0.4, 0.4), 40.0));
    for node in 0..description.masses.len() {
        description.fixed[node] = description.grid.coordinates(node)[0] == 0;
    }
    description.dampings.fill(1.0);
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z,
        }),
        node: None,
    });
    let mut still = description.clone();
    still.integrator = IntegratorKind::Static;
    let rest = description.rest_positions.clone();
    let mut dynamic = world(Body::new(description).unwrap());
    let mut workspace = Workspace::new(&dynamic);
    for _ in 0..6000 {
        dynamic.step(&mut workspace);
    }
    let mut equilibrium = world(Body::new(still).unwrap());
    let report = equilibrium.step(&mut Workspace::new(&equilibrium));
    assert_eq!(
        report.quarantined, 0,
        "{:?}",
        equilibrium.bodies[0].quarantine
    );
    let lowest = |world: &World| {
        let heights = world.bodies[0].state.positions.iter().map(|x| x.z);
        heights.fold(f64::INFINITY, f64::min)
    };
    println!("{} {}", lowest(&dynamic), lowest(&equilibrium));
    for (node, rest) in rest.iter().enumerate() {
        let [a, b] = [&dynamic, &equilibrium].map(|w| w.bodies[0].state.positions[node]);
        assert!((a - b).length() < 1e-4, "{node}: {a} {b}");
        if dynamic.bodies[0].description().fixed[node] {
            assert_eq!(a, *rest);
            assert_eq!(b, *rest);
        }
    }
}

#[test]
fn a_restored_world_goes_on_to_the_bit() {
    let scene = || {
        let mut description = hybrid(block([4, 3, 3], DVec3::ONE, 5.0));
        description.forces.push(BoundForce {
            force: Arc::new(Gravity {
                acceleration: DVec3::NEG_Z,
            }),
            node: None,
        });
        world(moving(description, |x| DVec3::new(1.0, 2.0, 0.5).cross(x)))
    };
    let mut original = scene();
    let mut workspace = Workspace::new(&original);
    for _ in 0..9 {
        original.step(&mut workspace);
    }
    let grid = original.bodies[0].description().grid.clone();
    let material = original.bodies[0].hybrid_mut().unwrap();
    material.cut(&grid, &[(5, 0)]);
    material.change_reference(|r| r[3] *= 1.0001);
    material.change_reference(|r| r[0] *= 1.1);
    material.change_reference(|r| r[2] *= 1.0001);
    for _ in 0..9 {
        original.step(&mut workspace);
    }
    let snapshot = original.snapshot();
    let mut restored = scene();
    let mut fresh = Workspace::new(&restored);
    restored.step(&mut fresh);
    restored.restore(&snapshot).unwrap();
    for _ in 0..20 {
        assert_eq!(original.snapshot(), restored.snapshot());
        original.step(&mut workspace);
        restored.step(&mut fresh);
    }
    assert_ne!(snapshot, restored.snapshot());
}

#[test]
fn a_closed_grid_has_no_seam() {
    // A ring spun about its axis stays a ring: every node has the same radius.
    let grid = Grid::new(&[16], &[true]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|at| {
            let angle = std::f64::consts::TAU * grid.material_coordinates(at)[0];
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        })
        .collect();
    let weights = pliant::elastic::Weights::uniform(16, 20.0, 0.5, 0.0);
    let ring = hybrid(BodyDescription::new("ring", grid, rest, weights));
    let mut world = world(moving(ring, |x| DVec3::Z.cross(x)));
    let mut workspace = Workspace::new(&world);
    for _ in 0..300 {
        world.step(&mut workspace);
    }
    let radii: Vec<f64> = world.bodies[0]
        .state
        .positions
        .iter()
        .map(|x| x.length())
        .collect();
    assert!(
        radii.iter().all(|r| (r - radii[0]).abs() < 1e-9),
        "{radii:?}"
    );
    assert!(radii[0] > 1.0, "{}", radii[0]);
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

/// A spring much stiffer than the inertia of its node holds the body where it should, and the matrix
/// is factorised once for it.
#[test]
fn a_body_hangs_from_a_hard_spring() {
    let mut description = hybrid(block([4, 4, 4], DVec3::ONE, 2000.0));
    description.masses.fill(0.01);
    description.dampings.fill(0.05);
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * 9.81,
        }),
        node: None,
    });
    let corner = description.grid.index([3, 3, 3]);
    description.forces.push(BoundForce {
        force: Arc::new(Spring::to_point(1e4, DVec3::ONE)),
        node: Some(corner),
    });
    let weight = 0.64 * 9.81;
    let mut world = world(Body::new(description).unwrap());
    let mut workspace = Workspace::new(&world);
    let factorisations: usize = (0..4000)
        .map(|_| world.step(&mut workspace).factorisations)
        .sum();
    assert_eq!(factorisations, 1);
    let body = &world.bodies[0];
    let hung = body.state.positions[corner] - DVec3::ONE;
    assert!((hung + DVec3::Z * weight / 1e4).length() < 1e-5, "{hung}");
    // The centre of mass hangs below the corner.
    let centre = pose(body).unwrap().centre;
    assert!(centre.z < 0.3 && (centre.x - 1.0).abs() < 0.01, "{centre}");
}
