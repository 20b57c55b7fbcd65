//! Rods against the closed forms of the strength of materials, and rods among floors, forces and snapshots.

use glam::DVec3;
use pliant::elastic::GridMaterial;
use pliant::force::{BoundForce, Gravity, Loads, NodalForce, NodalView, Stiffness};
use pliant::formulation::RodSettings;
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, FrameMaker, Grid, IntegratorKind, State, Workspace, World};
use std::f64::consts::{FRAC_PI_2, PI, TAU};
use std::ops::Range;
use std::sync::Arc;

/// Steel wire of 4 mm.
const MATERIAL: GridMaterial = GridMaterial {
    young: 2e11,
    poisson: 0.3,
    density: 7800.0,
    thickness: 0.004,
    stretching: None,
    rigidity: None,
};

/// E I and G J.
fn stiffnesses() -> [f64; 2] {
    let bending = MATERIAL.young * PI * MATERIAL.thickness.powi(4) / 64.0;
    [bending, bending / (1.0 + MATERIAL.poisson)]
}

fn wire(nodes: Vec<DVec3>, settings: RodSettings) -> BodyDescription {
    let grid = Grid::new(&[nodes.len()], &[false]);
    let weights = MATERIAL.weights(&grid, &nodes);
    let masses = MATERIAL.masses(&grid, &nodes);
    let mut wire = BodyDescription::new("wire", grid, nodes, weights);
    wire.masses = masses;
    wire.make_rod(settings);
    wire
}

/// A constant force, in newtons.
#[derive(Debug)]
struct Pull(DVec3);

impl NodalForce for Pull {
    fn add_loads(&self, _view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, self.0, Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.0.dot(view.positions[node])
    }
}

/// Where the last node of a wire with a clamped first edge goes under a force on it.
fn deflection(nodes: Vec<DVec3>, force: DVec3) -> DVec3 {
    let last = nodes.len() - 1;
    let start = nodes[last];
    let mut wire = wire(nodes, RodSettings::default());
    wire.fixed[..2].fill(true);
    wire.integrator = IntegratorKind::Static;
    wire.newton_tolerance = 1e-5;
    wire.forces.push(BoundForce {
        force: Arc::new(Pull(force)),
        node: Some(last),
    });
    let mut world = World {
        bodies: vec![Body::new(wire).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    world.bodies[0].state.positions[last] - start
}

/// An arc of radius 0.1 m in the plane x, y. The clamp is in the middle of its first edge.
fn arc(angle: f64, edges: usize) -> Vec<DVec3> {
    let step = angle / (edges as f64 - 0.5);
    let place = |i: usize| {
        let at = step * (i as f64 - 0.5);
        0.1 * DVec3::new(at.cos(), at.sin(), 0.0)
    };
    (0..=edges).map(place).collect()
}

/// Castigliano: with M = P R sin θ and T = P R (1 - cos θ) at the angle θ from the load,
/// δ = P R³ (∫ sin² θ / E I + ∫ (1 - cos θ)² / G J) = P R³ (π/4 / E I + (3π/4 - 2) / G J).
#[test]
fn a_quarter_ring_sinks_out_of_its_plane_as_far_as_bending_and_torsion_say() {
    let [bending, torsional] = stiffnesses();
    let force = 1.0;
    let found = deflection(arc(FRAC_PI_2, 40), DVec3::new(0.0, 0.0, -force)).z;
    let shares = 0.25 * PI / bending + (0.75 * PI - 2.0) / torsional;
    let expected = -force * 0.1_f64.powi(3) * shares;
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
}

/// The same over N turns: δ = P R³ (π N / E I + 3 π N / G J).
#[test]
fn a_coil_loaded_at_its_rim_sinks_as_the_closed_form() {
    let [bending, torsional] = stiffnesses();
    let (force, turns) = (0.1, 3.0);
    let found = deflection(arc(TAU * turns, 240), DVec3::new(0.0, 0.0, -force)).z;
    let shares = PI * turns / bending + 3.0 * PI * turns / torsional;
    let expected = -force * 0.1_f64.powi(3) * shares;
    assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
}

/// A straight cantilever in its plane: P L³ / 3 E I.
#[test]
fn a_cantilever_sinks_by_the_cube_of_its_length() {
    let [bending, _] = stiffnesses();
    let edges = 40;
    let step = 0.5 / (edges as f64 - 0.5);
    let nodes = (0..=edges).map(|i| DVec3::new(step * (i as f64 - 0.5), 0.0, 0.0));
    let found = deflection(nodes.collect(), DVec3::new(0.0, 0.0, -0.05)).z;
    let expected = -0.05 * 0.125 / (3.0 * bending);
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
}

/// A clamped column beyond its load of buckling, P = 1.5 P_cr with P_cr = π² E I / 4 L², and pushed aside by
/// 1e-4 P, is Euler's elastica: √(P / P_cr) = 2 K(m) / π has m = 0.57538, and its end is at
/// x / L = 2 E(m) / K(m) - 1 and y / L = 2 √m / K(m).
#[test]
fn a_column_beyond_its_buckling_load_is_an_elastica() {
    let [bending, _] = stiffnesses();
    let (edges, length) = (40, 0.5);
    let step = length / (edges as f64 - 0.5);
    let nodes = (0..=edges).map(|i| DVec3::new(step * (i as f64 - 0.5), 0.0, 0.0));
    let force = 1.5 * (PI / length).powi(2) * bending / 4.0;
    let moved = deflection(nodes.collect(), force * DVec3::new(-1.0, 1e-4, 0.0));
    let end = DVec3::X + moved / length;
    let expected = DVec3::new(0.36359, 0.78858, 0.0);
    assert!(end.distance(expected) < 0.01, "{end} {expected}");
}

/// Nothing holds this wire against its weight: statics has no answer, and says so soon.
#[test]
fn statics_without_a_balance_ends_with_a_reason() {
    let mut wire = wire(straight(30, 0.5, 0.0), RodSettings::default());
    wire.integrator = IntegratorKind::Static;
    wire.forces.push(BoundForce {
        force: Arc::new(Pull(DVec3::new(0.0, 0.0, -1.0))),
        node: None,
    });
    let mut world = World {
        bodies: vec![Body::new(wire).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 1);
    let reason = world.bodies[0].quarantine.as_deref().unwrap_or_default();
    assert!(reason.contains("failed"), "{reason}");
    assert!(report.shortened_steps <= 5, "{report:?}");
}

fn straight(count: usize, length: f64, height: f64) -> Vec<DVec3> {
    let step = length / (count - 1) as f64;
    (0..count)
        .map(|i| DVec3::new(step * i as f64, 0.0, height))
        .collect()
}

/// The energy of a wire whose end has been turned at a speed for some time, by a closed form and as found after so
/// many steps; energy out of nothing in the last.
fn twisted(turn: f64, turn_time: f64, time_step: f64, steps: usize) -> [f64; 3] {
    let [_, torsional] = stiffnesses();
    let settings = RodSettings {
        turn,
        turn_time,
        ..RodSettings::default()
    };
    let mut description = wire(straight(31, 0.5, 0.0), settings);
    description.time_step = time_step;
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut report = world.step(&mut workspace);
    for _ in 1..steps {
        report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
    // The frames of the clamped edges stand in their middles.
    let length = 0.5 * 29.0 / 30.0;
    let expected = 0.5 * torsional * (turn * turn_time).powi(2) / length;
    [expected, report.energies.elastic, report.energy_created]
}

/// A wire that is twisted slowly and stays straight stores ½ G J Φ² / L; the motor's work is in the ledger.
#[test]
fn a_turned_end_stores_the_energy_of_the_twist() {
    let [expected, found, created] = twisted(2.0, 0.5, 0.02, 30);
    assert!((found / expected - 1.0).abs() < 0.01, "{found} {expected}");
    assert!(created < 1e-3 * expected, "{created}");
}

/// Steps of more than half a turn lose no turn: they are made shorter.
#[test]
fn a_turned_end_loses_no_turn_in_long_steps() {
    let [expected, found, _] = twisted(8.0, 1.0, 0.5, 8);
    assert!((found / expected - 1.0).abs() < 0.03, "{found} {expected}");
}

fn falling() -> World {
    let mut nodes = straight(25, 0.4, 0.12);
    for (i, node) in nodes.iter_mut().enumerate() {
        node.z += 0.06 * (0.35 * i as f64).sin();
        node.y += 0.05 * (0.2 * i as f64).cos();
    }
    let mut wire = wire(nodes, RodSettings::default());
    wire.time_step = 0.005;
    wire.contact.friction = 0.3;
    wire.collides_with.push(0);
    wire.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::new(0.0, 0.0, -9.81),
        }),
        node: None,
    });
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    World {
        bodies: vec![Body::new(wire).unwrap()],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    }
}

#[test]
fn a_rod_falls_on_the_floor_and_its_frame_points_pass_through() {
    let mut world = falling();
    let mut workspace = Workspace::new(&world);
    let mut contacts = 0;
    for _ in 0..150 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        assert!(report.smallest_distance > -1e-4, "{report:?}");
        assert!(report.energy_created < 0.01 * report.energies.total().abs().max(0.1));
        contacts += report.contacts;
    }
    assert!(contacts > 0);
    let below = world.bodies[0].state.positions[25..].iter();
    assert!(
        below.clone().any(|point| point.z < 0.0),
        "a frame point was held"
    );
}

#[test]
fn a_restored_rod_goes_on_with_the_same_bits_and_is_shown_as_a_tube() {
    let mut original = falling();
    let mut workspace = Workspace::new(&original);
    for _ in 0..40 {
        original.step(&mut workspace);
    }
    let mut restored = falling();
    restored.restore(&original.snapshot()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in 0..20 {
        original.step(&mut workspace);
        restored.step(&mut fresh);
        assert_eq!(original.snapshot(), restored.snapshot());
    }
    let mut maker = FrameMaker::new(&restored);
    let frame = maker.frame(&restored, &mut fresh);
    let shown = &frame.bodies[0];
    let vertices = shown.positions.len() as u32;
    assert!(
        shown
            .topology
            .triangles
            .iter()
            .flatten()
            .all(|&v| v < vertices)
    );
    assert!(
        shown
            .fields
            .iter()
            .all(|field| field.values.len() as u32 == vertices)
    );
    // The radius is that of the wire, found from its stiffness and the mean length of its edges.
    let arm = shown.positions[0].distance(restored.bodies[0].state.positions[0]);
    assert!((arm / 0.002 - 1.0).abs() < 0.15, "{arm}");
}

/// Free fall keeps momentum, and no force but gravity acts on the whole.
#[test]
fn a_free_rod_falls_as_every_body() {
    let mut world = falling();
    world.obstacles.clear();
    let mut description = world.bodies[0].description().clone();
    description.collides_with.clear();
    let state = State {
        positions: world.bodies[0].state.positions.clone(),
        velocities: world.bodies[0].state.velocities.clone(),
        ..State::default()
    };
    world.bodies = vec![Body::with_state(description, state).unwrap()];
    let centre = |body: &Body| {
        let masses = &body.description().masses;
        let places = body.state.positions.iter().zip(masses);
        places.map(|(x, m)| *m * *x).sum::<DVec3>() / masses.iter().sum::<f64>()
    };
    let before = centre(&world.bodies[0]);
    let mut workspace = Workspace::new(&world);
    for _ in 0..100 {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    let fallen = centre(&world.bodies[0]) - before;
    let expected = -0.5 * 9.81 * 0.25;
    assert!((fallen.z / expected - 1.0).abs() < 1e-4, "{fallen}");
    assert!(fallen.truncate().length() < 1e-9);
}

#[test]
fn what_a_rod_cannot_do_is_refused() {
    let refused = |change: &dyn Fn(&mut BodyDescription)| {
        let mut description = wire(straight(6, 0.1, 0.0), RodSettings::default());
        change(&mut description);
        Body::new(description).unwrap_err().to_string()
    };
    assert!(refused(&|rod| rod.integrator = IntegratorKind::Explicit).contains("implicit"));
    assert!(refused(&|rod| rod.rest_positions[2] = rod.rest_positions[1]).contains("same place"));
    let loose =
        |rod: &mut BodyDescription| rod.change_grid(|on_grid| on_grid.weights.twists[3] = 0.0);
    assert!(refused(&loose).contains("twist above zero"));
    assert!(refused(&|rod| rod.change_rod(|settings| settings.across = -1.0)).contains("positive"));
    assert!(
        refused(&|rod| {
            rod.masses.pop();
        })
        .contains("masses")
    );
    let grid = Grid::new(&[3, 3], &[false, false]);
    let nodes = (0..9).map(|i| DVec3::new((i % 3) as f64, (i / 3) as f64, 0.0));
    let weights = pliant::elastic::Weights::uniform(9, 1.0, 1.0, 1.0);
    let mut sheet = BodyDescription::new("sheet", grid, nodes.collect(), weights);
    sheet.make_rod(RodSettings::default());
    assert!(
        Body::new(sheet)
            .unwrap_err()
            .to_string()
            .contains("is a curve")
    );
}
