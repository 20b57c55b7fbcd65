//! What heat does to stiffness: softening, melting and solidifying.

mod support;

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::process::{Heat, ProcessKind};
use pliant::{Body, BodyDescription, FrameMaker, Grid, IntegratorKind, Workspace, World};
use std::sync::Arc;
use support::{bar, with_heat, world};

#[test]
fn a_warm_bar_stretches_more_in_proportion_to_its_softness() {
    let stretch = |temperature: f64| {
        let grid = Grid::new(&[2], &[false]);
        let rest = vec![DVec3::ZERO, DVec3::X];
        let weights = Weights::uniform(2, 8.0, 0.0, 0.0);
        let mut bar = BodyDescription::new("bar", grid, rest, weights);
        bar.fixed[0] = true;
        bar.integrator = IntegratorKind::Static;
        let force = Arc::new(Gravity {
            acceleration: 0.4 * DVec3::X,
        });
        bar.forces.push(BoundForce { force, node: None });
        let heat = Heat {
            softening: 300.0,
            melting: 500.0,
            soft_share: 0.2,
            ..Heat::insulated(temperature, 1.0, 1.0)
        };
        let mut world = world(with_heat(bar, heat));
        let mut workspace = Workspace::new(&world);
        for _ in 0..5 {
            world.step(&mut workspace);
        }
        world.bodies[0].state.positions[1].x - 1.0
    };
    for (temperature, share) in [(250.0, 1.0), (400.0, 0.6), (475.0, 0.3)] {
        let found = stretch(temperature);
        assert!((found * share / 0.05 - 1.0).abs() < 1e-6, "{found}");
    }
}

/// A bar that melts from its first node on.
fn melting_bar(conductivity: f64, solidifies: bool) -> BodyDescription {
    let mut description = bar(16, 1.5, 1.5);
    description.time_step = 0.02;
    with_heat(
        description,
        Heat {
            held: vec![(0, 500.0)],
            softening: 330.0,
            melting: 350.0,
            solidifies,
            ..Heat::insulated(300.0, conductivity, 1.0)
        },
    )
}

#[test]
fn the_melting_front_moves_monotonically_and_snapshots_keep_it() {
    let mut melting = world(melting_bar(0.03, false));
    let mut workspace = Workspace::new(&melting);
    let inelastic = melting.bodies[0].inelastic().unwrap();
    let mut molten = inelastic.thermal.molten_count();
    let mut arrivals = Vec::new();
    for step in 0..400 {
        let report = melting.step(&mut workspace);
        let thermal = &melting.bodies[0].inelastic().unwrap().thermal;
        // A front: all that is molten stands before all that is solid.
        assert!(thermal.molten.is_sorted_by(|a, b| a >= b));
        assert!(report.molten >= molten && report.molten <= molten + 1);
        assert_eq!(report.molten, thermal.molten_count());
        if report.molten > molten {
            arrivals.push(step);
        }
        molten = report.molten;
        if step == 100 {
            let mut restored = world(melting_bar(0.03, false));
            restored.restore(&melting.snapshot()).unwrap();
            let mut fresh = Workspace::new(&restored);
            let mut copy = world(melting_bar(0.03, false));
            copy.restore(&melting.snapshot()).unwrap();
            for _ in 0..30 {
                copy.step(&mut workspace);
                restored.step(&mut fresh);
            }
            assert_eq!(copy.snapshot(), restored.snapshot());
            assert_eq!(
                copy.bodies[0].inelastic().unwrap().thermal,
                restored.bodies[0].inelastic().unwrap().thermal
            );
        }
    }
    assert!(molten >= 6, "{molten}");
    // The way grows like the square root of time: each node takes longer than the one before.
    assert!(
        arrivals.windows(3).all(|w| w[2] - w[1] + 2 >= w[1] - w[0]),
        "{arrivals:?}"
    );

    // Molten nodes are points of the frame, coloured by their temperature.
    let frame = FrameMaker::new(&melting).frame(&melting, &mut workspace);
    let body = &frame.bodies[0];
    assert_eq!(body.topology.points.len(), molten);
    let field = body
        .fields
        .iter()
        .find(|f| f.name == "temperature")
        .unwrap();
    assert_eq!((field.unit, field.values[0]), ("K", 500.0));
}

#[test]
fn melt_that_cools_is_bound_again_without_stress_where_it_is() {
    let run = |solidifies: bool| {
        let mut description = melting_bar(1.0, solidifies);
        description.fixed.fill(false);
        description.fixed[15] = true;
        description.integrator = IntegratorKind::Implicit;
        let ProcessKind::Heat(heat) = &mut description.processes[0].kind else {
            unreachable!()
        };
        // Hot on the left from the start, the rest of the bar cools it.
        heat.held.clear();
        // Stiffening would do work on what is stretched.
        heat.soft_share = 1.0;
        heat.temperatures = (0..16).map(|i| if i < 4 { 400.0 } else { 300.0 }).collect();
        let mut body = Body::new(description).unwrap();
        // The melt drifts apart for a while, the first node out of reach of the others.
        body.state.velocities[0] = DVec3::NEG_X;
        body.state.velocities[1] = 0.2 * DVec3::Z;
        let mut world = World {
            bodies: vec![body],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let first = world.step(&mut workspace);
        let before = world.bodies[0].heat_content();
        let mut energy = f64::INFINITY;
        for step in 0..300 {
            let report = world.step(&mut workspace);
            assert!((report.heat / before - 1.0).abs() < 1e-12);
            // New bonds store nothing: energy never rises.
            let now = report.energies.total();
            assert!(
                now <= energy * (1.0 + 1e-9) + 1e-12,
                "{step}: {now} {energy}"
            );
            energy = now;
        }
        (first, world.step(&mut workspace))
    };
    let (first, last) = run(true);
    assert!(first.molten >= 3, "{}", first.molten);
    // Only the node that flew away is still loose.
    assert_eq!((last.molten, last.broken_links), (1, 1));
    let (first, last) = run(false);
    assert!(last.molten >= first.molten);
}
