//! Joints between bodies, against mechanics that can be written down.

#[path = "support/joints.rs"]
mod joints;

use glam::DVec3;
use joints::{G, centre, fall, held, joined, moving, rigid, run, still};
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::joint::{BodyPoint, Joint, JointEnd, JointKind, Track};
use pliant::mesh::{Division, block};
use pliant::{Body, BodyDescription, Workspace, World};
use std::sync::Arc;

/// Time between two passages through zero in the same sense.
fn period(samples: &[f64], step: f64) -> f64 {
    let mut passages = Vec::new();
    for (index, pair) in samples.windows(2).enumerate() {
        if pair[0] < 0.0 && pair[1] >= 0.0 {
            passages.push(step * (index as f64 + pair[0] / (pair[0] - pair[1])));
        }
    }
    let count = passages.len();
    assert!(count > 2, "{passages:?}");
    (passages[count - 1] - passages[0]) / (count - 1) as f64
}

#[test]
fn a_box_on_a_pin_swings_as_a_compound_pendulum() {
    let (side, arm) = (0.2, 0.5);
    let tilt = 0.05_f64;
    let place = arm * DVec3::new(tilt.sin(), 0.0, -tilt.cos());
    let body = still(rigid(DVec3::splat(side), place, G));
    let mut world = joined(vec![body], |bodies| {
        vec![held(bodies, 0, None, DVec3::ZERO)]
    });
    let mut samples = Vec::new();
    let (widest, created) = run(&mut world, 6.0, |world| {
        samples.push(centre(&world.bodies[0]).x)
    });
    let inertia = side * side / 6.0 + arm * arm;
    let exact = std::f64::consts::TAU * (inertia / (G * arm)).sqrt() * (1.0 + tilt * tilt / 16.0);
    let found = period(&samples, 0.005);
    assert!((found / exact - 1.0).abs() < 2e-3, "{found} {exact}");
    assert!(widest < 1e-6 && created < 0.05, "{widest:e} {created:e}");
    // It goes on.
    let last = samples[samples.len() - 300..]
        .iter()
        .fold(0.0_f64, |a, x| a.max(x.abs()));
    assert!(last > 0.98 * arm * tilt.sin(), "{last}");
}

#[test]
fn a_chain_of_boxes_holds_together_and_creates_nothing() {
    let size = DVec3::new(0.2, 0.05, 0.05);
    let boxes = (0..6).map(|k| {
        let place = DVec3::new(0.1 + 0.2 * f64::from(k), 0.0, 0.0);
        still(rigid(size, place, G))
    });
    let mut world = joined(boxes.collect(), |bodies| {
        let mut joints = vec![held(bodies, 0, None, DVec3::ZERO)];
        for k in 1..6 {
            let place = DVec3::new(0.2 * k as f64, 0.0, 0.0);
            joints.push(held(bodies, k, Some(k - 1), place));
        }
        joints
    });
    let mut lowest = 0.0_f64;
    let (widest, created) = run(&mut world, 2.0, |world| {
        lowest = lowest.min(centre(&world.bodies[5]).z);
    });
    assert!(widest < 1e-6, "{widest:e}");
    assert!(created < 0.03 && lowest < -0.9, "{created:e} {lowest}");
}

#[test]
fn two_boxes_that_are_joined_in_space_keep_their_momenta() {
    let spin = DVec3::new(0.4, 2.0, -1.0);
    let drift = DVec3::new(0.3, -0.2, 0.1);
    let speed = |x: DVec3| drift + spin.cross(x);
    let first = moving(
        rigid(DVec3::new(0.3, 0.1, 0.2), DVec3::new(-0.2, 0.0, 0.0), 0.0),
        speed,
    );
    let second = moving(
        rigid(DVec3::new(0.2, 0.3, 0.1), DVec3::new(0.2, 0.05, 0.0), 0.0),
        speed,
    );
    let mut world = joined(vec![first, second], |bodies| {
        vec![held(bodies, 0, Some(1), DVec3::new(0.02, 0.1, 0.05))]
    });
    let sums = |world: &World| {
        let linear: DVec3 = world.bodies.iter().map(Body::momentum).sum();
        let angular: DVec3 = world.bodies.iter().map(Body::angular_momentum).sum();
        (linear, angular)
    };
    let (linear, angular) = sums(&world);
    let (widest, created) = run(&mut world, 3.0, |_| {});
    let (later_linear, later_angular) = sums(&world);
    assert!(widest < 1e-6 && created < 1e-2, "{widest:e} {created:e}");
    let (lost, turned) = (later_linear - linear, later_angular - angular);
    assert!(lost.length() < 1e-9 * linear.length(), "{lost}");
    assert!(turned.length() < 1e-4 * angular.length(), "{turned}");
}

#[test]
fn a_bead_slides_down_a_line_as_fast_as_its_slope_says() {
    let along = DVec3::new(3.0, 0.0, -4.0) / 5.0;
    let body = still(rigid(DVec3::splat(0.1), DVec3::ZERO, G));
    let mut world = joined(vec![body], |bodies| {
        let first = BodyPoint::near(bodies, 0, DVec3::ZERO);
        let kind = JointKind::Line(JointEnd::Place(along));
        vec![Joint::new(
            "wire",
            kind,
            first,
            JointEnd::Place(DVec3::ZERO),
        )]
    });
    let (widest, _) = run(&mut world, 1.0, |_| {});
    let way = centre(&world.bodies[0]);
    assert!(widest < 1e-6, "{widest:e}");
    assert!(
        (way.dot(along) / (0.5 * 0.8 * G) - 1.0).abs() < 1e-3,
        "{way}"
    );
}

#[test]
fn a_bead_on_a_rod_that_turns_keeps_momenta_to_second_order() {
    let lost = |step: f64| {
        let spin = DVec3::new(0.0, 0.0, 3.0);
        let made = |size: DVec3, x: f64| {
            let mut body = rigid(size, DVec3::new(x, 0.0, 0.0), 0.0);
            body.time_step = step;
            moving(body, |x| spin.cross(x))
        };
        let rod = made(DVec3::new(2.0, 0.05, 0.05), 0.0);
        let bead = made(DVec3::splat(0.1), 0.3);
        let mut world = joined(vec![rod, bead], |bodies| {
            let point = |body, x| BodyPoint::near(bodies, body, DVec3::new(x, 0.0, 0.0));
            let kind = JointKind::Line(JointEnd::Point(point(0, 1.0)));
            let second = JointEnd::Point(point(0, 0.0));
            vec![Joint::new("rod", kind, point(1, 0.3), second)]
        });
        let angular =
            |world: &World| -> DVec3 { world.bodies.iter().map(Body::angular_momentum).sum() };
        let before = angular(&world);
        let mut farthest = 0.0_f64;
        let (widest, created) = run(&mut world, 0.5, |world| {
            let [rod, bead] = [0, 1].map(|body| centre(&world.bodies[body]));
            farthest = farthest.max(rod.distance(bead));
        });
        assert!(farthest > 0.4, "{farthest}");
        assert!(widest < 1e-6 && created < 1e-2, "{widest:e} {created:e}");
        (angular(&world) - before).length() / before.length()
    };
    let [coarse, fine] = [0.005, 0.0025].map(lost);
    assert!(coarse < 5e-4 && fine < 0.4 * coarse, "{coarse:e} {fine:e}");
}

#[test]
fn a_body_on_a_track_stays_on_it_round_its_corners() {
    let places = half_pipe(40);
    let track = Arc::new(Track::straight(&places));
    let body = still(rigid(DVec3::splat(0.1), DVec3::new(-1.0, 0.0, 0.0), G));
    let mut world = joined(vec![body], |bodies| {
        let first = BodyPoint::near(bodies, 0, DVec3::new(-1.0, 0.0, 0.0));
        let end = JointEnd::Place(DVec3::ZERO);
        vec![Joint::new(
            "track",
            JointKind::Track(track.clone()),
            first,
            end,
        )]
    });
    let mut lowest = 0.0_f64;
    let (widest, _) = run(&mut world, 1.0, |world| {
        lowest = lowest.min(centre(&world.bodies[0]).z)
    });
    assert!(widest < 1e-4, "{widest:e}");
    assert!(lowest < -0.99, "{lowest}");
}

/// Places on the lower half of a circle of 1 m.
fn half_pipe(pieces: u32) -> Vec<DVec3> {
    (0..=pieces)
        .map(|k| std::f64::consts::PI * f64::from(k) / f64::from(pieces))
        .map(|angle| DVec3::new(-angle.cos(), 0.0, -angle.sin()))
        .collect()
}

/// A box on a track, with its joint.
fn on_track(track: Track, at: DVec3) -> World {
    let body = still(rigid(DVec3::splat(0.1), at, G));
    let track = Arc::new(track);
    joined(vec![body], |bodies| {
        let first = BodyPoint::near(bodies, 0, at);
        let end = JointEnd::Place(DVec3::ZERO);
        vec![Joint::new(
            "track",
            JointKind::Track(track.clone()),
            first,
            end,
        )]
    })
}

#[test]
fn a_smooth_track_takes_no_speed_away() {
    let start = DVec3::new(-1.0, 0.0, 0.0);
    let mut world = on_track(Track::smooth(&half_pipe(12)), start);
    let mut highest = -1.0_f64;
    let (widest, created) = run(&mut world, 3.0, |world| {
        // It swings from one end to the other within about 2.4 s.
        if world.time > 2.0 {
            highest = highest.max(centre(&world.bodies[0]).z);
        }
    });
    assert!(widest < 1e-6, "{widest:e}");
    assert!(highest > -0.01, "{highest}");
    assert!(created < 0.02 * G, "{created}");
}

#[test]
fn what_slides_passes_corners_and_comes_to_rest_at_the_end_of_a_track() {
    let corner = [
        DVec3::new(-1.0, 0.0, 0.0),
        DVec3::new(0.0, 0.0, -1.0),
        DVec3::new(1.0, 0.0, 0.0),
    ];
    let mut shortened = 0;
    for places in [&corner[..], &corner[..2]] {
        for angle in [1.0, 0.5] {
            let places: Vec<DVec3> = places
                .iter()
                .map(|place| DVec3::new(place.x, 0.0, angle * place.z))
                .collect();
            let mut world = on_track(Track::straight(&places), places[0]);
            let mut workspace = Workspace::new(&world);
            for _ in 0..300 {
                shortened += world.step(&mut workspace).shortened_steps;
                assert!(world.joints[0].apart(&world.bodies, world.time) < 1e-6);
                assert_eq!(world.bodies[0].quarantine, None);
            }
            let end = centre(&world.bodies[0]);
            assert!(end.z < -0.3 * angle, "{end}");
        }
    }
    assert!(shortened < 5, "{shortened}");
}

#[test]
fn a_ball_on_a_string_keeps_its_speed() {
    // No forces: the string alone leads it round.
    for limits in [[1.0, 1.0], [0.0, 1.0]] {
        let body = moving(rigid(DVec3::splat(0.1), DVec3::X, 0.0), |_| 5.0 * DVec3::Y);
        let mut world = joined(vec![body], |bodies| {
            let first = BodyPoint::near(bodies, 0, DVec3::X);
            let end = JointEnd::Place(DVec3::ZERO);
            vec![Joint::new(
                "string",
                JointKind::Distance(limits),
                first,
                end,
            )]
        });
        run(&mut world, 3.0, |_| {});
        let velocities = &world.bodies[0].state.velocities;
        let speed = velocities[0].length();
        assert!((speed / 5.0 - 1.0).abs() < 0.01, "{limits:?}: {speed}");
    }
}

#[test]
fn a_rope_between_two_bodies_is_slack_and_then_tight() {
    let upper = still(rigid(DVec3::splat(0.1), DVec3::ZERO, 0.0));
    let lower = still(rigid(DVec3::splat(0.1), DVec3::new(0.0, 0.0, -0.3), G));
    let mut world = joined(vec![upper, lower], |bodies| {
        let points = [0.0, -0.3].map(|z| DVec3::new(0.0, 0.0, z));
        let first = BodyPoint::near(bodies, 0, points[0]);
        let second = JointEnd::Point(BodyPoint::near(bodies, 1, points[1]));
        let rope = Joint::new("rope", JointKind::Distance([0.0, 0.5]), first, second);
        vec![held(bodies, 0, None, points[0]), rope]
    });
    let mut slack = 0;
    let (widest, _) = run(&mut world, 1.5, |world| {
        slack += usize::from(world.joints[1].load() == 0.0)
    });
    assert!(widest < 1e-6, "{widest:e}");
    // Free fall through 0.2 m takes 0.202 s; then it hangs.
    assert!((38..80).contains(&slack), "{slack}");
    let mass = 1.0;
    let weight = world.joints[1].load();
    assert!((weight / (mass * G) - 1.0).abs() < 0.02, "{weight}");
}

#[test]
fn a_soft_bar_hangs_from_a_joint_that_bears_its_weight() {
    for spread in [None, Some(0.1)] {
        let division = Division::FiveTetrahedra;
        let mesh = block([2, 2, 6], DVec3::new(0.1, 0.1, 0.4), division).unwrap();
        let mesh = Arc::new(mesh);
        let material = ElasticMaterial::new(1e5, 0.3, 1000.0).unwrap();
        let model = SolidModel::new(SolidStrain::Corotated, material);
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(mesh, Arc::new(model));
        let mut bar = BodyDescription::of_mesh("bar", settings, masses);
        fall(&mut bar, G);
        bar.time_step = 0.01;
        let masses: f64 = bar.masses.iter().sum();
        bar.dampings = bar.masses.iter().map(|mass| 20.0 * mass).collect();
        let top = DVec3::new(0.063, 0.07, 0.37);
        let mut world = joined(vec![still(bar)], |bodies| {
            let first = match spread {
                None => BodyPoint::near(bodies, 0, top),
                Some(length) => BodyPoint::spread(bodies, 0, top, length),
            };
            assert!(first.position(bodies).distance(top) < 1e-9);
            vec![Joint::new(
                "hook",
                JointKind::Point,
                first,
                JointEnd::Place(top),
            )]
        });
        let (widest, _) = run(&mut world, 3.0, |_| {});
        assert!(widest < 1e-6, "{widest:e}");
        let load = world.joints[0].load();
        assert!(
            (load / (masses * G) - 1.0).abs() < 0.01,
            "{load} {}",
            masses * G
        );
    }
}

#[test]
fn a_soft_joint_is_a_spring() {
    let (mass, stiffness) = (1.0, 400.0_f64);
    let body = still(rigid(DVec3::splat(0.1), DVec3::new(0.1, 0.0, 0.0), 0.0));
    let mut world = joined(vec![body], |bodies| {
        let first = BodyPoint::near(bodies, 0, DVec3::new(0.1, 0.0, 0.0));
        let mut joint = Joint::new(
            "spring",
            JointKind::Point,
            first,
            JointEnd::Place(DVec3::ZERO),
        );
        joint.stiffness = Some(stiffness);
        vec![joint]
    });
    let mut samples = Vec::new();
    let (_, created) = run(&mut world, 2.0, |world| {
        samples.push(centre(&world.bodies[0]).x)
    });
    let exact = std::f64::consts::TAU * (mass / stiffness).sqrt();
    let found = period(&samples, 0.005);
    assert!((found / exact - 1.0).abs() < 2e-3, "{found} {exact}");
    assert!(created < 1e-3, "{created}");
}

#[test]
fn two_boxes_on_a_hinge_turn_about_its_axis_alone() {
    let size = DVec3::new(0.4, 0.2, 0.02);
    let fixed = still(rigid(size, DVec3::new(-0.2, 0.0, 0.0), 0.0));
    let flap = still(rigid(size, DVec3::new(0.2, 0.0, 0.0), G));
    let mut world = joined(vec![fixed, flap], |bodies| {
        let ends = [0.1, -0.1].map(|y| {
            let place = DVec3::new(0.0, y, 0.0);
            let second = JointEnd::Point(BodyPoint::near(bodies, 0, place));
            (BodyPoint::near(bodies, 1, place), second)
        });
        let mut joints = Joint::hinge("hinge", ends).to_vec();
        for place in [[-0.3, 0.05], [-0.3, -0.05], [-0.1, 0.0]] {
            joints.push(held(bodies, 0, None, DVec3::new(place[0], place[1], 0.0)));
        }
        joints
    });
    let mut samples = Vec::new();
    let (widest, created) = run(&mut world, 2.0, |world| {
        let middle = centre(&world.bodies[1]);
        assert!(
            middle.y.abs() < 1e-6 && (middle.length() - 0.2).abs() < 1e-6,
            "{middle}"
        );
        samples.push(middle.x);
    });
    assert!(widest < 1e-6 && created < 0.01, "{widest:e} {created:e}");
    assert!(samples.iter().fold(0.0_f64, |a, x| a.min(*x)) < -0.19);
}
