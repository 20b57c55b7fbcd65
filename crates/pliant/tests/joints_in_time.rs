//! Joints that move, break, take hold, let go and are saved.

#[path = "support/joints.rs"]
mod joints;

use glam::DVec3;
use joints::{G, centre, held, joined, moving, rigid, run, still};
use pliant::contact::PairContactSettings;
use pliant::joint::{BodyPoint, Joint, JointEnd, JointError, JointKind};
use pliant::{Workspace, World};
use std::sync::Arc;

#[test]
fn what_follows_a_path_is_where_the_path_is_and_its_work_is_counted() {
    let body = still(rigid(DVec3::splat(0.1), DVec3::ZERO, G));
    let path: Arc<[(f64, DVec3)]> =
        [(0.0, DVec3::ZERO), (0.5, DVec3::ZERO), (1.5, DVec3::Z)].into();
    let mut world = joined(vec![body], |bodies| {
        let first = BodyPoint::near(bodies, 0, DVec3::ZERO);
        vec![Joint::new(
            "lift",
            JointKind::Point,
            first,
            JointEnd::Path(path.clone()),
        )]
    });
    let mut workspace = Workspace::new(&world);
    let (mut work, mut created) = (0.0, 0.0);
    for _ in 0..400 {
        let report = world.step(&mut workspace);
        work += report.work;
        created += report.energy_created;
    }
    assert!(centre(&world.bodies[0]).distance(DVec3::Z) < 1e-6);
    // What starts at once takes twice its kinetic energy.
    assert!((work / (G + 1.0) - 1.0).abs() < 1e-3, "{work}");
    assert!(created < 0.02 * work, "{created}");
}

#[test]
fn a_joint_breaks_where_it_bears_too_much_and_begins_and_ends_in_time() {
    let make = |change: &dyn Fn(&mut Joint)| {
        let body = still(rigid(DVec3::splat(0.1), DVec3::ZERO, G));
        let mut world = joined(vec![body], |bodies| {
            vec![held(bodies, 0, None, DVec3::ZERO)]
        });
        change(&mut world.joints[0]);
        run(&mut world, 0.5, |_| {});
        (centre(&world.bodies[0]).z, world.joints[0].state.is_broken)
    };
    // The box weighs 9.81 N.
    assert_eq!(
        make(&|joint| joint.strength = 12.0),
        (make(&|_| {}).0, false)
    );
    let (fallen, is_broken) = make(&|joint| joint.strength = 9.0);
    assert!(is_broken && fallen < -1.1, "{fallen}");
    let (fallen, _) = make(&|joint| joint.times = [0.0, 0.25]);
    assert!((fallen + 0.5 * G * 0.0625).abs() < 0.03, "{fallen}");
}

#[test]
fn a_hard_joint_that_begins_later_holds_what_is_there_then() {
    let body = || still(rigid(DVec3::splat(0.1), DVec3::ZERO, G));
    let mut world = joined(vec![body()], |bodies| {
        let mut joint = held(bodies, 0, None, DVec3::ZERO);
        joint.times[0] = 0.5;
        // Ends that are far from each other at the start are no fault of it.
        joint.second = JointEnd::Place(DVec3::Z);
        vec![joint]
    });
    let (_, created) = run(&mut world, 1.0, |_| {});
    let fallen = centre(&world.bodies[0]).z;
    assert!((fallen + 0.5 * G * 0.25).abs() < 0.05, "{fallen}");
    assert!(created < 1e-3, "{created}");
    // A weight beside it is taken along as it hangs, and a string is as long as it has become.
    let aside = DVec3::new(0.4, 0.0, 0.0);
    let other = still(rigid(DVec3::splat(0.1), aside, 0.0));
    let mut world = joined(vec![body(), other], |bodies| {
        let mut joint = held(bodies, 0, Some(1), DVec3::ZERO);
        joint.times[0] = 0.2;
        let mut string = joint.clone();
        string.kind = JointKind::Distance([0.0, 0.1]);
        vec![joint, string]
    });
    let (_, created) = run(&mut world, 0.6, |_| {});
    let total: f64 = world.bodies.iter().map(|body| centre(body).z).sum();
    assert!(total < -0.5 && created < 1e-2, "{total} {created}");
    let snapshot = world.snapshot();
    let mut restored = joined(
        vec![body(), still(rigid(DVec3::splat(0.1), aside, 0.0))],
        |bodies| {
            let mut joint = held(bodies, 0, Some(1), DVec3::ZERO);
            joint.times[0] = 0.2;
            let mut string = joint.clone();
            string.kind = JointKind::Distance([0.0, 0.1]);
            vec![joint, string]
        },
    );
    restored.restore(&snapshot).unwrap();
    assert_eq!(restored.snapshot(), snapshot);
}

#[test]
fn joints_may_come_and_go_between_steps() {
    let body = still(rigid(DVec3::splat(0.1), DVec3::ZERO, G));
    let mut world = joined(vec![body], |bodies| {
        vec![held(bodies, 0, None, DVec3::ZERO)]
    });
    let mut workspace = Workspace::new(&world);
    let mut second = world.joints[0].clone();
    second.name = "second".into();
    world.step(&mut workspace);
    world.joints.push(second);
    world.step(&mut workspace);
    assert!(centre(&world.bodies[0]).length() < 1e-6);
    world.joints.clear();
    let before = world.time;
    for _ in 0..20 {
        world.step(&mut workspace);
    }
    let fallen = 0.5 * G * (world.time - before).powi(2);
    assert!((centre(&world.bodies[0]).z / -fallen - 1.0).abs() < 0.05);
}

#[test]
fn a_joint_to_a_body_that_is_frozen_bears_weight() {
    let size = DVec3::splat(0.1);
    let boxes = [0.0, -0.2].map(|z| still(rigid(size, DVec3::new(0.0, 0.0, z), G)));
    let mut world = joined(boxes.into(), |bodies| {
        vec![held(bodies, 1, Some(0), DVec3::new(0.0, 0.0, -0.1))]
    });
    world.bodies[0].quarantine = Some("a test holds it".to_owned());
    let mut workspace = Workspace::new(&world);
    for _ in 0..50 {
        world.step(&mut workspace);
    }
    let hung = centre(&world.bodies[1]);
    assert!(hung.distance(DVec3::new(0.0, 0.0, -0.2)) < 1e-4, "{hung}");
    assert!((world.joints[0].load() / G - 1.0).abs() < 1e-3);
}

#[test]
fn what_cannot_be_kept_fails_and_says_which_joint() {
    // A place and a path contradict each other.
    let make = |strength: f64| {
        let body = still(rigid(DVec3::splat(0.1), DVec3::ZERO, 0.0));
        joined(vec![body], |bodies| {
            let point = || BodyPoint::near(bodies, 0, DVec3::ZERO);
            let away = JointEnd::Path([(0.0, DVec3::ZERO), (1.0, DVec3::X)].into());
            let mut held = Joint::new(
                "held",
                JointKind::Point,
                point(),
                JointEnd::Place(DVec3::ZERO),
            );
            held.strength = strength;
            vec![held, Joint::new("led", JointKind::Point, point(), away)]
        })
    };
    let mut world = make(f64::INFINITY);
    let mut workspace = Workspace::new(&world);
    for _ in 0..20 {
        world.step(&mut workspace);
    }
    let reason = world.bodies[0].quarantine.as_deref().unwrap();
    assert!(
        reason.contains("the joint \"held\" cannot be kept"),
        "{reason}"
    );
    // What may break does, and the other leads on.
    let mut world = make(50.0);
    run(&mut world, 0.5, |_| {});
    assert!(world.joints[0].state.is_broken && !world.joints[1].state.is_broken);
    assert!((centre(&world.bodies[0]).x - 0.5).abs() < 1e-6);
}

#[test]
fn a_light_link_carries_a_heavy_weight() {
    let link = still(rigid(
        DVec3::new(0.02, 0.02, 1.0),
        DVec3::new(0.0, 0.0, -0.5),
        G,
    ));
    let weight = still(rigid(DVec3::splat(0.5), DVec3::new(0.0, 0.0, -1.25), G));
    let masses = [&link, &weight].map(|body| body.description().masses.iter().sum::<f64>());
    let mut world = joined(vec![link, weight], |bodies| {
        vec![
            held(bodies, 0, None, DVec3::ZERO),
            held(bodies, 1, Some(0), -DVec3::Z),
        ]
    });
    assert!(masses[1] > 300.0 * masses[0], "{masses:?}");
    run(&mut world, 0.5, |_| {});
    let sunk = centre(&world.bodies[1]).z + 1.25;
    assert!(sunk.abs() < 2e-5, "{sunk:e}");
}

#[test]
fn a_hinge_bears_one_force_and_breaks_as_one() {
    let size = DVec3::new(0.4, 0.1, 0.1);
    let body = still(rigid(size, DVec3::ZERO, G));
    let weight = G * body.description().masses.iter().sum::<f64>();
    let make = |strength: f64| {
        let mut world = joined(vec![still(rigid(size, DVec3::ZERO, G))], |bodies| {
            let ends = [-0.1, 0.1].map(|y| {
                let place = DVec3::new(0.0, y, 0.0);
                (BodyPoint::near(bodies, 0, place), JointEnd::Place(place))
            });
            let mut pins = Joint::hinge("hinge", ends).to_vec();
            pins.iter_mut().for_each(|pin| pin.strength = strength);
            pins
        });
        run(&mut world, 0.3, |_| {});
        world
            .joints
            .iter()
            .filter(|joint| joint.state.is_broken)
            .count()
    };
    assert_eq!(make(1.2 * weight), 0);
    assert_eq!(make(0.8 * weight), 2);
}

#[test]
fn a_joined_world_goes_on_from_a_snapshot_bit_for_bit() {
    let size = DVec3::new(0.2, 0.05, 0.05);
    let make = || {
        let boxes = [0.1, 0.3].map(|x| still(rigid(size, DVec3::new(x, 0.0, 0.0), G)));
        let mut world = joined(boxes.into(), |bodies| {
            let middle = DVec3::new(0.2, 0.0, 0.0);
            vec![
                held(bodies, 0, None, DVec3::ZERO),
                held(bodies, 1, Some(0), middle),
            ]
        });
        world.contact = Some(PairContactSettings {
            exceptions: vec![[0, 1]],
            ..PairContactSettings::default()
        });
        world
    };
    let mut original = make();
    run(&mut original, 0.3, |_| {});
    let mut restored = make();
    restored.restore(&original.snapshot()).unwrap();
    run(&mut original, 0.6, |_| {});
    run(&mut restored, 0.6, |_| {});
    assert_eq!(original.snapshot(), restored.snapshot());
}

#[test]
fn joints_that_cannot_be_are_refused() {
    let bodies = [0.0, 0.5].map(|x| still(rigid(DVec3::splat(0.1), DVec3::new(x, 0.0, 0.0), G)));
    let mut joint = held(&bodies, 0, Some(1), DVec3::ZERO);
    assert_eq!(joint.check(&bodies), Ok(()));
    joint.second = JointEnd::Place(DVec3::Z);
    assert!(matches!(
        joint.check(&bodies),
        Err(JointError::Apart { .. })
    ));
    joint.stiffness = Some(3.0);
    assert_eq!(joint.check(&bodies), Ok(()));
    joint.stiffness = Some(-3.0);
    assert!(joint.check(&bodies).is_err());
    let mut joint = held(&bodies, 0, Some(1), DVec3::ZERO);
    joint.first.body = 7;
    assert_eq!(
        joint.check(&bodies),
        Err(JointError::NoBody { body: 7, count: 2 })
    );
    let mut joint = held(&bodies, 0, Some(1), DVec3::ZERO);
    joint.first.nodes[0].1 += 0.5;
    assert_eq!(joint.check(&bodies), Err(JointError::BadPoint));
}

#[test]
fn what_touches_sticks_until_it_is_let_go() {
    let speed = DVec3::new(0.5, 0.0, 0.0);
    let hand = moving(rigid(DVec3::splat(0.1), DVec3::ZERO, 0.0), |_| speed);
    let ball = still(rigid(DVec3::splat(0.1), DVec3::new(0.2, 0.0, 0.0), 0.0));
    let mut world = joined(vec![hand, ball], |bodies| {
        let first = BodyPoint::near(bodies, 1, DVec3::new(0.15, 0.0, 0.0));
        let hand = JointEnd::Touch {
            body: 0,
            reach: 0.01,
        };
        let mut joint = Joint::new("grip", JointKind::Point, first, hand);
        joint.times = [0.0, 0.6];
        vec![joint]
    });
    let mut first_held = f64::INFINITY;
    let (widest, _) = run(&mut world, 0.5, |world| {
        if world.joints[0].state.taken.is_some() {
            first_held = first_held.min(world.time);
        }
    });
    assert!(
        widest < 1e-6 && (0.175..0.2).contains(&first_held),
        "{widest:e} {first_held}"
    );
    // Both have the same mass.
    let speed_of = |world: &World, body: usize| world.bodies[body].momentum().x;
    assert!((speed_of(&world, 0) - 0.25).abs() < 1e-3 && (speed_of(&world, 1) - 0.25).abs() < 1e-3);
    let snapshot = world.snapshot();
    run(&mut world, 0.7, |_| {});
    assert!(!world.joints[0].acts_at(world.time));
    world.restore(&snapshot).unwrap();
    assert_eq!(world.snapshot(), snapshot);
}
