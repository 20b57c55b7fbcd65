//! Dynamic NURBS against B-splines, an exact arc, natural splines and themselves.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::formulation::{DynamicNurbs, Trim};
use pliant::math::SplineBasis;
use pliant::shape::{Nurbs, Shape};
use pliant::{Body, BodyDescription, FrameMaker, Grid, IntegratorKind, Workspace, World};
use std::sync::Arc;

struct Made {
    counts: Vec<usize>,
    degree: usize,
    controls: Vec<DVec3>,
    weights: Vec<f64>,
    grid: Vec<usize>,
}

impl Made {
    fn shape(&self) -> Nurbs {
        let bases = self.counts.iter();
        let bases = bases.map(|&count| SplineBasis::clamped(count, self.degree).unwrap());
        Nurbs::new(bases.collect(), self.controls.clone(), self.weights.clone()).unwrap()
    }

    fn describe(&self, alpha: f64, beta: f64) -> BodyDescription {
        let grid = Grid::new(&self.grid, &vec![false; self.grid.len()]);
        let shape = self.shape();
        let rest = shape.sample(&grid).unwrap();
        let mut weights = Weights::uniform(rest.len(), alpha, beta, 0.0);
        weights.rigidities.fill([[beta; 2]; 2]);
        let mut description = BodyDescription::new("nurbs", grid, rest, weights);
        description.make_dynamic_nurbs(DynamicNurbs {
            shape: Some(Arc::new(shape)),
            ..DynamicNurbs::default()
        });
        description.masses.fill(0.01);
        description.time_step = 0.02;
        description
    }
}

/// A straight curve along x from 0 to `length` with a clamped cubic basis.
fn straight(count: usize, samples: usize, length: f64) -> Made {
    let basis = SplineBasis::clamped(count, 3).unwrap();
    let controls = (0..count).map(|n| DVec3::X * length * basis.greville(n));
    Made {
        counts: vec![count],
        degree: 3,
        controls: controls.collect(),
        weights: vec![1.0; count],
        grid: vec![samples],
    }
}

fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

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
    description.change_dynamic_nurbs(|own| own.fixed_weights = true);
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
        description.change_dynamic_nurbs(|own| own.fixed_weights = fixed_weights);
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
    description.change_dynamic_nurbs(|own| own.fixed_weights = true);
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
        let grid = description.grid().clone();
        for (node, [i, j, _]) in grid.nodes().enumerate() {
            description.fixed[node] = i == 0 || j == 0 || i == 14 || j == 14;
        }
        let point = grid.index([5, 7, 0]);
        let normals = normal.map(|normal| (point, normal));
        description.change_dynamic_nurbs(|own| own.normals = normals.into_iter().collect());
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
    refused(&|d| d.change_dynamic_nurbs(|own| own.shape = None), "NURBS");
    refused(
        &|d| d.integrator = IntegratorKind::Newmark,
        "Implicit and Static",
    );
    refused(&|d| d.collides_with = vec![0], "penalties");
    refused(
        &|d| d.change_dynamic_nurbs(|own| own.normals = vec![(99, DVec3::Z)]),
        "normal at node 99",
    );
}

/// y of the natural cubic spline through points at x = 0, 1, 2 ..., by its second derivatives M:
/// M_(i-1) + 4 M_i + M_(i+1) = 6 (y_(i-1) - 2 y_i + y_(i+1)).
fn natural_spline(y: &[f64], x: f64) -> f64 {
    let n = y.len();
    let mut moments = vec![0.0; n];
    for _ in 0..200 {
        for i in 1..n - 1 {
            let bent = 6.0 * (y[i - 1] - 2.0 * y[i] + y[i + 1]);
            moments[i] = (bent - moments[i - 1] - moments[i + 1]) / 4.0;
        }
    }
    let i = (x as usize).min(n - 2);
    let (b, a) = (x - i as f64, 1.0 - (x - i as f64));
    let bend = (a.powi(3) - a) * moments[i] + (b.powi(3) - b) * moments[i + 1];
    a * y[i] + b * y[i + 1] + bend / 6.0
}

/// A curve that must pass through more points than its control points can keep is subdivided until it does, and
/// then is the natural spline through them, as nearly as knots that are not at the points allow.
#[test]
fn curves_are_subdivided_until_they_pass_through_all_points() {
    let heights = [0.0, 0.1, -0.05, 0.1, 0.0, 0.05, 0.0];
    let mut description = straight(4, 97, 6.0).describe(0.0, 1.0);
    description.integrator = IntegratorKind::Static;
    description.change_dynamic_nurbs(|own| {
        own.fixed_weights = true;
        let points = heights.iter().enumerate();
        own.places = points
            .flat_map(|(i, &y)| [(16 * i, 0, i as f64), (16 * i, 1, y), (16 * i, 2, 0.0)])
            .collect();
    });
    let coarse = description.clone();
    description.subdivide_nurbs(1e-4).unwrap();
    let controls = |description: &BodyDescription| {
        let shape = description.dynamic_nurbs().unwrap().shape.clone();
        shape.unwrap().control_points().len()
    };
    assert!(controls(&description) >= 7, "{}", controls(&description));
    let mut world = world_of(description);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    assert!(report.energy_created < 1e-9, "{report:?}");
    for x in &world.bodies[0].state.positions {
        let expected = natural_spline(&heights, x.x);
        assert!((x.y - expected).abs() < 8e-3, "{x} {expected}");
    }
    // Four control points cannot: the step says so.
    let mut world = world_of(coarse);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!(report.quarantined, 1);
}

/// A flat patch that must contain a point and a wavy line gets knots there and not elsewhere, and keeps both.
#[test]
fn patches_get_knots_where_constraints_are() {
    let place = |n: usize| DVec3::new((n % 4) as f64, (n / 4) as f64, 0.0) / 3.0;
    let made = Made {
        counts: vec![4, 4],
        degree: 3,
        controls: (0..16).map(place).collect(),
        weights: vec![1.0; 16],
        grid: vec![33, 33],
    };
    let mut description = made.describe(0.2, 0.01);
    description.integrator = IntegratorKind::Static;
    let grid = description.grid().clone();
    let wave = |i: usize| 0.05 * (std::f64::consts::TAU * i as f64 / 16.0).sin();
    let mut places = vec![(grid.index([28, 28, 0]), 2, 0.1)];
    places.extend((0..33).map(|i| (grid.index([i, 4, 0]), 2, wave(i))));
    description.change_dynamic_nurbs(|own| {
        own.fixed_weights = true;
        own.places.clone_from(&places);
    });
    for corner in [[0, 0, 0], [32, 0, 0], [0, 32, 0], [32, 32, 0]] {
        description.fixed[grid.index(corner)] = true;
    }
    description.subdivide_nurbs(2e-3).unwrap();
    let shape = description.dynamic_nurbs().unwrap().shape.clone().unwrap();
    let [along, across] = [0, 1].map(|d| shape.bases()[d].count());
    assert!(along > 6 && across < along, "{along} {across}");
    let mut world = world_of(description);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    for (node, axis, value) in places {
        let found = world.bodies[0].state.positions[node][axis];
        assert!((found - value).abs() < 3e-3, "{node} {found} {value}");
    }
}

/// A patch without the disc that a closed curve in its domain cuts out has the area of the rest, its rim lies on
/// the curve, and the rim follows when the curve moves.
#[test]
fn patches_are_trimmed_by_curves() {
    let place = |n: usize| DVec3::new((n % 4) as f64, (n / 4) as f64, 0.0) / 3.0;
    let made = Made {
        counts: vec![4, 4],
        degree: 3,
        controls: (0..16).map(place).collect(),
        weights: vec![1.0; 16],
        grid: vec![41, 41],
    };
    let radius = 0.25;
    // A circle of nine control points of degree 2.
    let knots = [
        0.0, 0.0, 0.0, 0.25, 0.25, 0.5, 0.5, 0.75, 0.75, 1.0, 1.0, 1.0,
    ];
    let basis = SplineBasis::with_knots(9, 2, &knots).unwrap();
    let corners = [
        [1, 0],
        [1, 1],
        [0, 1],
        [-1, 1],
        [-1, 0],
        [-1, -1],
        [0, -1],
        [1, -1],
        [1, 0],
    ];
    let corners = corners.map(|[x, y]| {
        DVec3::new(0.5, 0.5, 0.0) + radius * DVec3::new(f64::from(x), f64::from(y), 0.0)
    });
    let weights = (0..9).map(|n| if n % 2 == 0 { 1.0 } else { 0.5_f64.sqrt() });
    let circle = Nurbs::new(vec![basis], corners.to_vec(), weights.collect()).unwrap();
    let grid = Grid::new(&[129], &[false]);
    let rest = circle.sample(&grid).unwrap();
    let count = rest.len();
    let mut curve =
        BodyDescription::new("hole", grid, rest, Weights::uniform(count, 0.1, 0.0, 0.0));
    curve.make_dynamic_nurbs(DynamicNurbs {
        shape: Some(Arc::new(circle)),
        ..DynamicNurbs::default()
    });
    curve.time_step = 0.02;
    curve.masses.fill(1e-4);
    let area = |keeps_inside: bool, steps: usize| -> f64 {
        let mut patch = made.describe(0.2, 0.01);
        patch.change_dynamic_nurbs(|own| {
            own.trim = Some(Trim {
                curve: "hole".into(),
                keeps_inside,
            });
        });
        let mut world = world_of(patch);
        world.bodies.push(Body::new(curve.clone()).unwrap());
        let mut workspace = Workspace::new(&world);
        (0..steps).for_each(|_| {
            world.step(&mut workspace);
        });
        let frame = FrameMaker::new(&world).frame(&world, &mut workspace);
        let x = &frame.bodies[0].positions;
        assert_eq!(x.len(), 41 * 41);
        let triangles = frame.bodies[0].topology.triangles.iter();
        let areas = triangles.map(|nodes| {
            let [a, b, c] = nodes.map(|node| x[node as usize]);
            0.5 * (b - a).cross(c - a).length()
        });
        areas.sum()
    };
    let disc = std::f64::consts::PI * radius * radius;
    let [inside, outside] = [true, false].map(|keeps_inside| area(keeps_inside, 0));
    assert!((inside / disc - 1.0).abs() < 0.02, "{inside} {disc}");
    assert!((outside / (1.0 - disc) - 1.0).abs() < 0.01, "{outside}");
    // The curve shrinks by its tension.
    let later = area(true, 10);
    assert!(later < 0.99 * inside, "{later} {inside}");
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
