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
        if world.joints[0].state.touched.is_some() {
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
