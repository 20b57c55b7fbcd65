//! Dynamic NURBS through prescribed points and curves, subdivided where they ask for it, and trimmed.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::formulation::{DynamicNurbs, Trim};
use pliant::math::SplineBasis;
use pliant::shape::{Nurbs, Shape};
use pliant::{Body, BodyDescription, FrameMaker, Grid, IntegratorKind, Workspace};
use std::sync::Arc;
use support::nurbs::{square, straight, world_of};

mod support;

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

/// A curve that must pass through more points than its control points can keep is subdivided until it does. With
/// some more knots of the same kind it is the natural spline through the points.
#[test]
fn curves_are_subdivided_until_they_pass_through_all_points() {
    let heights = [0.0, 0.1, -0.05, 0.1, 0.0, 0.05, 0.0];
    let mut description = straight(4, 97, 6.0).describe(0.0, 1.0);
    description.integrator = IntegratorKind::Static;
    description.change_dynamic_nurbs(|nurbs| {
        nurbs.fixed_weights = true;
        let points = heights.iter().enumerate();
        nurbs.places = points
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
    let mut finer = description.clone();
    finer.change_dynamic_nurbs(|nurbs| {
        let shape = nurbs.shape.take().unwrap();
        let more = (0..24).map(|n| (f64::from(n) + 0.5) / 24.0);
        let shape = more.fold(Nurbs::clone(&shape), |shape, s| shape.with_knot(0, s));
        nurbs.shape = Some(Arc::new(shape));
    });
    for (description, tolerance) in [(description, 0.02), (finer, 2e-3)] {
        let mut world = world_of(description);
        let report = world.step(&mut Workspace::new(&world));
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        assert!(report.energy_created < 1e-9, "{report:?}");
        let positions = &world.bodies[0].state.positions;
        for (i, &y) in heights.iter().enumerate() {
            let missed = positions[16 * i].distance(DVec3::new(i as f64, y, 0.0));
            assert!(missed < 2e-4, "{i}: {missed}");
        }
        for x in positions {
            let expected = natural_spline(&heights, x.x);
            assert!((x.y - expected).abs() < tolerance, "{x} {expected}");
        }
    }
    // Four control points cannot: the step says so.
    let mut world = world_of(coarse);
    let report = world.step(&mut Workspace::new(&world));
    assert_eq!(report.quarantined, 1);
}

/// A flat patch that must contain a point and a wavy line gets knots there and not elsewhere, and keeps both.
#[test]
fn patches_get_knots_where_constraints_are() {
    let made = square(33);
    let mut description = made.describe(0.2, 0.01);
    description.integrator = IntegratorKind::Static;
    let grid = description.grid().unwrap().clone();
    let wave = |i: usize| 0.05 * (std::f64::consts::TAU * i as f64 / 16.0).sin();
    let mut places = vec![(grid.index([28, 28, 0]), 2, 0.1)];
    places.extend((0..33).map(|i| (grid.index([i, 4, 0]), 2, wave(i))));
    description.change_dynamic_nurbs(|nurbs| {
        nurbs.fixed_weights = true;
        nurbs.places.clone_from(&places);
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
    let made = square(41);
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
        patch.change_dynamic_nurbs(|nurbs| {
            nurbs.trim = Some(Trim {
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
