//! Dynamic NURBS against B-splines, an exact arc, natural splines and themselves.

use glam::DVec3;
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::shape::Shape;
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace};
use std::sync::Arc;
use support::nurbs::{Made, straight, world_of};

mod support;

fn gravity(direction: DVec3) -> BoundForce {
    BoundForce {
        force: Arc::new(Gravity {
            acceleration: direction,
        }),
        node: None,
    }
}

/// A B-spline curve by corner cutting, which shares nothing with the sums of basis functions.
fn de_boor(controls: &[DVec3], degree: usize, u: f64) -> DVec3 {
    let spans = controls.len() - degree;
    let knot = |n: usize| {
        let inner = n.saturating_sub(degree).min(spans);
        inner as f64 / spans as f64
    };
    let span = ((u * spans as f64) as usize).min(spans - 1);
    let mut points: Vec<DVec3> = controls[span..=span + degree].to_vec();
    for level in 1..=degree {
        for n in (level..=degree).rev() {
            let (low, high) = (knot(span + n), knot(span + n + degree + 1 - level));
            let share = (u - low) / (high - low);
            points[n] = points[n - 1].lerp(points[n], share);
        }
    }
    points[degree]
}

/// With equal weights that stay, the samples are those of the B-spline of the control points at all times.
#[test]
fn equal_weights_are_a_b_spline() {
    let made = straight(7, 31, 2.0);
    let mut description = made.describe(0.5, 0.02);
    description.change_dynamic_nurbs(|nurbs| nurbs.fixed_weights = true);
    description.fixed[0] = true;
    description.dampings.fill(0.01);
    description
        .forces
        .push(gravity(DVec3::new(0.0, 1.0, -9.81)));
    let mut world = world_of(description);
    let mut workspace = Workspace::new(&world);
    for _ in 0..25 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        let state = &world.bodies[0].state;
        let (controls, weights) = state.controls.split_at(7);
        assert!(weights.iter().all(|weight| *weight == DVec3::X));
        for (n, x) in state.positions.iter().enumerate() {
            let expected = de_boor(controls, 3, n as f64 / 30.0);
            assert!(x.distance(expected) < 1e-6, "{n}: {x} {expected}");
        }
    }
    let lowest = world.bodies[0].state.positions[30].z;
    assert!(lowest < -0.3, "{lowest}");
}

/// A quarter of a circle is a quadratic NURBS with the middle weight √½, and no B-spline: springs that pull
/// the samples of a straight start to it find that weight, and all of them meet their targets.
#[test]
fn weights_find_a_circle() {
    let arc = Made {
        counts: vec![3],
        degree: 2,
        controls: vec![DVec3::X, DVec3::new(1.0, 1.0, 0.0), DVec3::Y],
        weights: vec![1.0, 0.5_f64.sqrt(), 1.0],
        grid: vec![21],
    };
    let targets = arc.shape().sample(&Grid::new(&[21], &[false])).unwrap();
    let start = Made {
        controls: vec![DVec3::X, DVec3::new(0.6, 0.6, 0.1), DVec3::Y],
        weights: vec![1.0; 3],
        ..arc
    };
    let error = |fixed_weights: bool| {
        let mut description = start.describe(0.0, 0.0);
        description.change_dynamic_nurbs(|nurbs| nurbs.fixed_weights = fixed_weights);
        description.dampings.fill(0.5);
        for (node, target) in targets.iter().enumerate() {
            description.forces.push(BoundForce {
                force: Arc::new(Spring::to_point(100.0, *target)),
                node: Some(node),
            });
        }
        let mut world = world_of(description);
        let mut workspace = Workspace::new(&world);
        for _ in 0..150 {
            assert_eq!(world.step(&mut workspace).quarantined, 0);
        }
        let state = &world.bodies[0].state;
        let pairs = state.positions.iter().zip(&targets);
        let worst = pairs.map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        let [a, b, c] = [3, 4, 5].map(|n| state.controls[n].x);
        (worst, b / (a * c).sqrt())
    };
    let (worst, weight) = error(false);
    assert!(worst < 1e-4, "{worst}");
    assert!((weight - 0.5_f64.sqrt()).abs() < 1e-3, "{weight}");
    let (worst, _) = error(true);
    assert!(worst > 1e-3, "{worst}");
}

/// The curve of least bending through (0, 0), (1, h), (2, 0) is the natural cubic spline
/// y = h (3 x - x³) / 2 on the first half, for a small h.
#[test]
fn static_curves_of_least_energy_are_natural_splines() {
    let made = straight(9, 41, 2.0);
    let mut description = made.describe(0.0, 1.0);
    description.integrator = IntegratorKind::Static;
    description.change_dynamic_nurbs(|nurbs| nurbs.fixed_weights = true);
    description.fixed[0] = true;
    description.fixed[40] = true;
    let spring = Spring::to_point(1e6, DVec3::new(1.0, 0.1, 0.0));
    description.forces.push(BoundForce {
        force: Arc::new(spring),
        node: Some(20),
    });
    let mut world = world_of(description);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    for x in &world.bodies[0].state.positions[..=20] {
        let expected = 0.1 * 0.5 * (3.0 * x.x - x.x.powi(3));
        assert!((x.y - expected).abs() < 6e-4, "{x} {expected}");
    }
}

/// A surface that is pulled up beside a point where its normal is prescribed is level there, and stays where
/// its rim is fixed.
#[test]
fn normals_and_rims_are_kept() {
    let place = |n: usize| DVec3::new((n % 6) as f64, (n / 6) as f64, 0.0) / 5.0;
    let made = Made {
        counts: vec![6, 6],
        degree: 3,
        controls: (0..36).map(place).collect(),
        weights: vec![1.0; 36],
        grid: vec![15, 15],
    };
    let slope = |normal: Option<DVec3>| {
        let mut description = made.describe(0.5, 0.01);
        let grid = description.grid().unwrap().clone();
        for (node, [i, j, _]) in grid.nodes().enumerate() {
            description.fixed[node] = i == 0 || j == 0 || i == 14 || j == 14;
        }
        let point = grid.index([5, 7, 0]);
        let normals = normal.map(|normal| (point, normal));
        description.change_dynamic_nurbs(|nurbs| nurbs.normals = normals.into_iter().collect());
        description.dampings.fill(0.01);
        let pulled = grid.index([8, 7, 0]);
        let target = description.rest_positions[pulled] + DVec3::Z * 0.3;
        description.forces.push(BoundForce {
            force: Arc::new(Spring::to_point(200.0, target)),
            node: Some(pulled),
        });
        let rest = description.rest_positions.clone();
        let fixed = description.fixed.clone();
        let mut world = world_of(description);
        let mut workspace = Workspace::new(&world);
        for _ in 0..40 {
            let report = world.step(&mut workspace);
            assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        }
        let x = &world.bodies[0].state.positions;
        for node in (0..x.len()).filter(|&node| fixed[node]) {
            assert!(x[node].distance(rest[node]) < 1e-12);
        }
        assert!(x[pulled].z > 0.1, "{}", x[pulled]);
        let chord = x[grid.index([6, 7, 0])] - x[grid.index([4, 7, 0])];
        chord.normalize().z
    };
    assert!(slope(Some(DVec3::Z)).abs() < 1e-6);
    assert!(slope(None) > 0.1);
}

/// A body that falls freely is a body that falls: x = g t² / 2 by backward Euler, n (n + 1) / 2 steps of g dt²;
/// the ledger shows no energy from nothing, and a run that is restored goes on with the same bits.
#[test]
fn it_falls_and_goes_on_after_a_restore() {
    let make = || {
        let mut description = straight(6, 21, 1.0).describe(0.0, 0.01);
        description.forces.push(gravity(DVec3::Z * -10.0));
        world_of(description)
    };
    let mut world = make();
    let mut workspace = Workspace::new(&world);
    let mut saved = Vec::new();
    for step in 1..=20 {
        let report = world.step(&mut workspace);
        assert!(report.energy_created < 1e-9, "{}", report.energy_created);
        if step == 9 {
            saved = world.snapshot();
        }
    }
    let expected = -10.0 * 0.02_f64.powi(2) * 20.0 * 21.0 / 2.0;
    for x in &world.bodies[0].state.positions {
        assert!((x.z - expected).abs() < 1e-6, "{x} {expected}");
    }
    let mut again = make();
    again.restore(&saved).unwrap();
    let mut workspace = Workspace::new(&again);
    for _ in 10..=20 {
        again.step(&mut workspace);
    }
    assert_eq!(again.state_hash(), world.state_hash());
}

#[test]
fn what_it_cannot_do_is_refused() {
    let refused = |change: &dyn Fn(&mut BodyDescription), part: &str| {
        let mut description = straight(6, 21, 1.0).describe(0.0, 0.01);
        change(&mut description);
        let error = Body::new(description).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(
        &|d| d.change_dynamic_nurbs(|nurbs| nurbs.shape = None),
        "NURBS",
    );
    refused(
        &|d| d.integrator = IntegratorKind::Newmark,
        "Implicit and Static",
    );
    refused(&|d| d.collides_with = vec![0], "penalties");
    refused(
        &|d| d.change_dynamic_nurbs(|nurbs| nurbs.normals = vec![(99, DVec3::Z)]),
        "normal at node 99",
    );
}

/// Springs whose far ends move do work; no energy comes from nothing while they pull, nor when they let go.
#[test]
fn moving_springs_do_work_and_create_nothing() {
    let mut description = straight(8, 33, 1.0).describe(5.0, 0.05);
    description.fixed[0] = true;
    description.fixed[32] = true;
    description.dampings.fill(0.02);
    description.time_step = 0.04;
    let start = description.rest_positions[12];
    description.forces.push(BoundForce {
        force: Arc::new(Spring {
            constant: 300.0,
            start,
            end: start + DVec3::Z * 0.5,
            from: 0.2,
            until: 2.2,
        }),
        node: Some(12),
    });
    let mut world = world_of(description);
    let mut workspace = Workspace::new(&world);
    let (mut created, mut work) = (0.0, 0.0);
    for _ in 0..75 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        created += report.energy_created;
        work += report.work.max(0.0);
    }
    assert!(work > 0.5, "{work}");
    assert!(created < 1e-4 * work, "{created} of {work}");
}
