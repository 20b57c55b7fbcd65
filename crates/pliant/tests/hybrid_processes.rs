//! Inelastic processes of hybrid bodies: dashpots, creases and heat act on the weights of the spline.

mod support;

use glam::DVec3;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Hybrid;
use pliant::linear::SolverKind;
use pliant::obstacle::{Obstacle, Plane};
use pliant::process::{
    Fracture, FractureCriterion, Heat, Maxwell, Plastic, ProcessKind, Scheduled, Voigt,
    YieldCriterion,
};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::{block, line, sheet};

fn hybrid(mut description: BodyDescription, kinds: Vec<ProcessKind>) -> BodyDescription {
    description.make_hybrid(Hybrid::default());
    description.solver.kind = SolverKind::Cholesky;
    description
        .processes
        .extend(kinds.into_iter().map(Scheduled::always));
    description
}

fn pulled(mut description: BodyDescription, acceleration: DVec3) -> BodyDescription {
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    description
}

fn world(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

const STIFFNESS: f64 = 8.0;

/// A bar of three links along x, one metre long, held at its first node and pulled by `pull`
/// newtons at its last.
fn creeping_bar(times: Vec<f64>, integrator: IntegratorKind, dt: f64, pull: f64) -> World {
    let voigt = ProcessKind::Voigt(Voigt { times });
    let mut bar = hybrid(line(4, 1.0, [STIFFNESS, 0.0, 0.0]), vec![voigt]);
    bar.fixed[0] = true;
    // Next to no inertia, but for the end, on which gravity pulls.
    bar.masses = vec![1e-15, 1e-15, 1e-15, 1e-6];
    bar.integrator = integrator;
    bar.newton_iterations = 50;
    bar.time_step = dt;
    world(pulled(bar, 1e6 * pull * DVec3::X))
}

/// Strain of each link.
fn strains(world: &World) -> Vec<f64> {
    let x = &world.bodies[0].state.positions;
    let h = 1.0 / 3.0;
    x.windows(2)
        .map(|pair| (pair[1].x - pair[0].x) / h - 1.0)
        .collect()
}

fn creep(times: &[f64], integrator: IntegratorKind, dt: f64, duration: f64) -> Vec<f64> {
    // The force in the bar is k/h² h ε with h the spacing of the grid.
    let pull = 0.1 * STIFFNESS / 3.0 * 9.0;
    let mut world = creeping_bar(times.to_vec(), integrator, dt, pull);
    let mut workspace = Workspace::new(&world);
    let mut factorisations = 0;
    for _ in 0..(duration / dt).round() as usize {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.shortened_steps), (0, 0));
        factorisations += report.factorisations;
    }
    if integrator == IntegratorKind::SemiImplicit {
        assert_eq!(
            factorisations, 1,
            "the matrix does not change from step to step"
        );
    }
    strains(&world)
}

#[test]
fn a_hybrid_bar_creeps_as_the_voigt_unit_says() {
    // ε = σ/k (1 - exp(-t/τ)), where a link has the mean time of its ends.
    let nodal = [0.4, 0.6, 0.5, 0.3];
    let of_links = [0.5, 0.55, 0.4];
    for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Static] {
        let error = |dt: f64| {
            let found = creep(&nodal, integrator, dt, 0.5);
            let exact = of_links.map(|time| 0.1 * (1.0 - (-0.5_f64 / time).exp()));
            let errors = found.iter().zip(exact).map(|(f, e)| (f / e - 1.0).abs());
            errors.fold(0.0, f64::max)
        };
        let (coarse, fine) = (error(0.01), error(0.005));
        assert!(coarse < 0.01, "{integrator:?} {coarse}");
        assert!((0.4..0.6).contains(&(fine / coarse)), "{coarse} {fine}");
    }
    let settled = creep(&[0.05], IntegratorKind::SemiImplicit, 0.02, 2.0);
    assert!(settled.iter().all(|strain| (strain - 0.1).abs() < 1e-6));
}

#[test]
fn a_dashpot_damps_a_vibration_and_leaves_a_spin_alone() {
    let time = 0.02;
    let start = |stiffness: f64, velocity: fn(DVec3) -> DVec3, kinds: Vec<ProcessKind>| {
        let mut cube = hybrid(block([3, 3, 3], DVec3::ONE, stiffness), kinds);
        cube.integrator = IntegratorKind::Midpoint;
        cube.masses.fill(0.1);
        cube.time_step = 0.002;
        let positions = cube.rest_positions.clone();
        let velocities = positions.iter().map(|x| velocity(*x - 0.5)).collect();
        let state = State {
            positions,
            velocities,
            ..State::default()
        };
        World {
            bodies: vec![Body::with_state(cube, state).unwrap()],
            ..World::default()
        }
    };
    let voigt = || vec![ProcessKind::Voigt(Voigt { times: vec![time] })];
    let pulse = |x: DVec3| DVec3::new(0.01 * x.x, 0.0, 0.0);
    let energy = |world: &mut World, steps: usize| {
        let mut workspace = Workspace::new(world);
        (0..steps)
            .map(|_| world.step(&mut workspace).energies.total())
            .collect::<Vec<f64>>()
    };
    let kept = energy(&mut start(2.0, pulse, Vec::new()), 500);
    assert!((kept[499] / kept[0] - 1.0).abs() < 1e-6);
    let lost = energy(&mut start(2.0, pulse, voigt()), 500);
    assert!(lost.windows(2).all(|pair| pair[1] < pair[0]));
    assert!(lost[499] < 0.3 * lost[0]);

    // Two masses on a spring: u'' = -ω² (u + τ u') with ω² = 2 k/m loses energy as exp(-τ ω² t).
    let (stiffness, time) = (50.0, 0.002);
    let mut pair = hybrid(
        line(2, 1.0, [stiffness, 0.0, 0.0]),
        vec![ProcessKind::Voigt(Voigt { times: vec![time] })],
    );
    pair.integrator = IntegratorKind::Midpoint;
    pair.time_step = 0.001;
    let positions = pair.rest_positions.clone();
    let velocities = vec![-0.01 * DVec3::X, 0.01 * DVec3::X];
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    let mut world = World {
        bodies: vec![Body::with_state(pair, state).unwrap()],
        ..World::default()
    };
    let left = energy(&mut world, 5000)[4999] / 1e-4;
    let exact = (-time * 2.0 * stiffness * 5.0_f64).exp();
    assert!((left / exact - 1.0).abs() < 0.01, "{left} {exact}");

    let spin = |x: DVec3| DVec3::new(0.3, 2.0, 1.0).cross(x);
    let mut world = start(200.0, spin, voigt());
    let mut workspace = Workspace::new(&world);
    let (momentum, energy) = {
        let body = &world.bodies[0];
        (body.angular_momentum(), body.kinetic_energy())
    };
    for _ in 0..1500 {
        world.step(&mut workspace);
    }
    let drift = (world.bodies[0].angular_momentum() - momentum).length();
    assert!(drift < 1e-9 * momentum.length(), "{drift}");
    // Only the little stretching by the centrifugal force is damped: τ would stop a motion of this
    // rate with respect to the ground within a few steps.
    let left = world.bodies[0].kinetic_energy() / energy;
    assert!((left - 1.0).abs() < 0.002, "{left}");
}

fn crease(limit: f64) -> ProcessKind {
    ProcessKind::Fracture(Fracture {
        criterion: FractureCriterion::Elongation,
        limit,
        spread: 0.0,
        seed: 0,
        at_once: 1000,
        order: 1,
    })
}

#[test]
fn a_crease_takes_the_bending_weight_at_the_fold_alone() {
    for mut body in [
        line(9, 1.0, [STIFFNESS, 0.1, 0.0]),
        sheet([9, 6], [1.0, 1.0], STIFFNESS, 0.1),
    ] {
        body = hybrid(body, vec![crease(0.3)]);
        body.fixed.fill(true);
        let grid = body.grid().unwrap().clone();
        let middle = 0.5 * (body.rest_positions[0].x + body.rest_positions[8].x);
        let mut folded = Body::new(body).unwrap();
        let before = folded.hybrid().cloned().unwrap();
        // Folded at right angles along the middle column.
        for position in &mut folded.state.positions {
            if position.x > middle {
                position.z = position.x - middle;
                position.x = middle;
            }
        }
        let mut world = World {
            bodies: vec![folded],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let energy = workspace.energies(&world).elastic;
        let report = world.step(&mut workspace);
        assert_eq!(report.broken_links, 0);
        let after = world.bodies[0].hybrid().unwrap();
        assert_eq!(after.weights().first, before.weights().first);
        assert_eq!(after.weights().mixed, before.weights().mixed);
        let mut creases = 0;
        for (node, at) in grid.nodes().enumerate() {
            let [old, new] = [&before, after].map(|material| material.weights().second[node]);
            assert_eq!(old[1], new[1]);
            let is_creased = at[0] == 4;
            assert_eq!(new[0], if is_creased { 0.0 } else { old[0] });
            creases += usize::from(is_creased && old[0] > 0.0);
        }
        assert_eq!(creases, grid.counts()[1]);
        assert!(workspace.energies(&world).elastic < energy);
        // The body is factorised for its new weights once, and folds no further.
        assert_eq!(world.step(&mut workspace).factorisations, 1);
        assert_eq!(world.step(&mut workspace).factorisations, 0);
    }
}

fn hot(temperature: f64) -> Heat {
    Heat {
        softening: 300.0,
        melting: 500.0,
        soft_share: 0.2,
        ..Heat::insulated(temperature, 1.0, 1.0)
    }
}

#[test]
fn a_heated_hybrid_bar_stretches_as_its_softer_weights_say() {
    let stretch = |heat: Heat| {
        let mut bar = hybrid(
            line(6, 1.0, [STIFFNESS, 0.0, 0.0]),
            vec![ProcessKind::Heat(heat)],
        );
        bar.fixed[0] = true;
        bar.integrator = IntegratorKind::Static;
        bar.masses.fill(0.01);
        bar.solver.tolerance = 1e-11;
        let mut world = world(pulled(bar, 9.81 * DVec3::X));
        let mut workspace = Workspace::new(&world);
        for _ in 0..3 {
            assert_eq!(world.step(&mut workspace).quarantined, 0);
        }
        let x = &world.bodies[0].state.positions;
        x.windows(2)
            .map(|pair| pair[1].x - pair[0].x - 0.2)
            .collect::<Vec<f64>>()
    };
    let cold = stretch(hot(290.0));
    // Link i bears the masses beyond it: h ε = m g (5 - i) h² / k.
    for (i, found) in cold.iter().enumerate() {
        let exact = 0.01 * 9.81 * (5 - i) as f64 * 0.04 / STIFFNESS;
        assert!((found / exact - 1.0).abs() < 1e-9);
    }
    // share(400 K) = 0.6, share(500 K) = 0.2.
    for (temperature, share) in [(400.0, 0.6), (499.999_999, 0.2)] {
        for (soft, hard) in stretch(hot(temperature)).iter().zip(&cold) {
            assert!((soft * share / hard - 1.0).abs() < 1e-6);
        }
    }
    // Temperatures that vary over the bar, a link has the mean of its ends.
    let mut varied = hot(0.0);
    varied.temperatures = vec![300.0, 300.0, 340.0, 380.0, 420.0, 460.0];
    varied.conductivities = vec![[0.0; 3]];
    let shares = [1.0, 0.92, 0.76, 0.6, 0.44];
    for ((soft, hard), share) in stretch(varied).iter().zip(&cold).zip(shares) {
        assert!((soft * share / hard - 1.0).abs() < 1e-6, "{share}");
    }
}

/// Heated, then cooled: the weights follow the temperature both ways, within the tolerance with
/// which they follow, and are factorised far less often than they change.
#[test]
fn a_hybrid_bar_that_cools_is_as_stiff_as_before() {
    let heat = Heat {
        temperatures: vec![480.0],
        air_exchange: 400.0,
        air_temperature: 290.0,
        capacity: 50.0,
        ..hot(480.0)
    };
    let mut bar = hybrid(
        line(6, 1.0, [STIFFNESS, 0.0, 0.0]),
        vec![ProcessKind::Heat(heat.clone())],
    );
    bar.fixed.fill(true);
    let initial = Body::new(bar.clone()).unwrap();
    let cold = hybrid(line(6, 1.0, [STIFFNESS, 0.0, 0.0]), Vec::new());
    let cold = Body::new(cold).unwrap().hybrid().cloned().unwrap();
    let first = |material: &pliant::hybrid::HybridMaterial| material.weights().first[2][0];
    // A body that begins hot begins soft.
    let share = heat.share(480.0);
    let start = initial.hybrid().map(&first).unwrap();
    assert!((start / first(&cold) / share - 1.0).abs() < 1e-9);
    let mut world = world(bar);
    let mut workspace = Workspace::new(&world);
    let (mut factorisations, steps) = (0, 2000);
    for _ in 0..steps {
        factorisations += world.step(&mut workspace).factorisations;
        let body = &world.bodies[0];
        let inelastic = body.inelastic().unwrap();
        let share = heat.share(inelastic.thermal.temperatures[2]);
        let now = body.hybrid().map(&first).unwrap();
        assert!((now / first(&cold) / share - 1.0).abs() < 2.1e-3);
    }
    let body = &world.bodies[0];
    let temperature = body.inelastic().unwrap().thermal.temperatures[2];
    assert!(temperature < 299.0, "{temperature}");
    assert!(body.hybrid().map(&first) > Some(0.997 * first(&cold)));
    assert!(
        factorisations > 100 && factorisations < 1000,
        "{factorisations}"
    );
}

/// A sheet pulled at its edge, beyond its limit in a band and near to it elsewhere: what yields is
/// longer for good, and the rest is as smooth as before.
#[test]
fn a_hybrid_sheet_that_yields_in_part_does_not_splinter() {
    let plastic = ProcessKind::Plastic(Plastic {
        criterion: YieldCriterion::Deformation,
        limit: 0.05,
        hardening: 0.2,
        time: 0.0,
    });
    let mut sheet = hybrid(sheet([25, 13], [2.0, 1.0], 5.0, 0.01), vec![plastic]);
    let grid = sheet.grid().unwrap().clone();
    for (node, at) in grid.nodes().enumerate() {
        sheet.fixed[node] = at[0] == 0 || at[0] == 24;
    }
    sheet.dampings.fill(5.0);
    let rest = sheet.rest_positions.clone();
    let mut world = world(sheet);
    let mut workspace = Workspace::new(&world);
    // The right edge is drawn away and to the side, more at its upper end.
    for step in 0..200 {
        let way = f64::from(step.min(100)) / 100.0;
        for (node, at) in grid.nodes().enumerate().filter(|(_, at)| at[0] == 24) {
            let up = at[1] as f64 / 12.0;
            world.bodies[0].state.positions[node] =
                rest[node] + way * DVec3::new(0.05 + 0.2 * up, 0.1, 0.0);
        }
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    let reference = world.bodies[0].hybrid().unwrap().reference();
    // It has flowed, and neighbours have flowed alike: second differences of the flow are small
    // beside the flow itself.
    let centre: DVec3 = rest.iter().sum::<DVec3>() / rest.len() as f64;
    let flow: Vec<DVec3> = (0..rest.len())
        .map(|node| reference[node] - (rest[node] - centre))
        .collect();
    let strain = |a: usize, b: usize| (flow[b] - flow[a]).length() / (2.0 / 24.0);
    let mut largest: f64 = 0.0;
    let mut kink: f64 = 0.0;
    for (node, at) in grid.nodes().enumerate() {
        if at[0] > 1 && at[0] < 23 {
            largest = largest.max(strain(node, node + 1));
            let second = flow[node - 1] - 2.0 * flow[node] + flow[node + 1];
            kink = kink.max(second.length() / (2.0 / 24.0));
        }
    }
    assert!(largest > 0.03, "{largest}");
    assert!(kink < 0.4 * largest, "{kink} {largest}");
}

/// A hybrid ball of putty that lies on the floor spreads and keeps its volume.
#[test]
fn a_hybrid_solid_flows_and_keeps_its_volume() {
    let putty = Maxwell {
        rate: 0.5,
        power: 1.0,
        ..Maxwell::uniform(0.1)
    };
    for kind in [
        ProcessKind::Maxwell(putty),
        ProcessKind::Maxwell(Maxwell::uniform(0.2)),
        ProcessKind::Plastic(Plastic {
            criterion: YieldCriterion::Deformation,
            limit: 0.01,
            hardening: 0.0,
            time: 0.1,
        }),
    ] {
        let mut cube = hybrid(block([5, 5, 5], DVec3::ONE, 2.0), vec![kind.clone()]);
        cube.masses.fill(0.02);
        cube.dampings.fill(0.02);
        cube.contact.friction = 0.3;
        cube.collides_with.push(0);
        cube.time_step = 0.01;
        let grid = cube.grid().unwrap().clone();
        let mut world = world(pulled(cube, 9.81 * DVec3::NEG_Z));
        let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        world.obstacles = vec![Obstacle::new("floor", Box::new(floor))];
        let mut workspace = Workspace::new(&world);
        for _ in 0..150 {
            assert_eq!(world.step(&mut workspace).quarantined, 0, "{kind:?}");
        }
        let reference = world.bodies[0].hybrid().unwrap().reference();
        let volume: f64 = grid
            .cells()
            .map(|at| {
                let corner = |step: [i32; 3]| reference[grid.neighbour(at, step).unwrap()];
                let [i, j, k] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
                let o = corner([0; 3]);
                let [a, b, c] = [corner(i) - o, corner(j) - o, corner(k) - o];
                let p = corner([1; 3]);
                let [d, e, f] = [[0, 1, 1], [1, 0, 1], [1, 1, 0]].map(|s| p - corner(s));
                0.5 * (a.dot(b.cross(c)) + d.dot(e.cross(f)))
            })
            .sum();
        let height = |positions: &[DVec3]| {
            let values = || positions.iter().map(|x| x.z);
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        let low = height(reference);
        assert!(low < 0.95, "{low} {kind:?}");
        assert!((volume - 1.0).abs() < 0.03, "{volume} {low} {kind:?}");
    }
}
