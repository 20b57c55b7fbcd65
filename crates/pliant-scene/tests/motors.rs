//! Motors of hinges: angles, torques and limits as mechanics has them.

use glam::DVec3;
use pliant::{Body, StepReport, Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

const SIZE: [f64; 3] = [0.8, 0.1, 0.2];
const DENSITY: f64 = 500.0;

/// A bar from x = 0 to 0.8 m on a hinge at its end along z, with another free one beside it if that is asked for.
fn scene(joint: &str, gravity: f64, other: bool) -> String {
    let bar = |id: &str, x: f64| {
        let [a, b, c] = SIZE;
        let bind = r#"<Bind type="Force" ref="G" />"#;
        format!(
            r#"<Object id="{id}" type="Box" motion="Free" density="{DENSITY}" timestep="0.005">
<Properties c="[{x}, 0, 0]" size="[{a}, {b}, {c}]" />{bind}</Object>"#
        )
    };
    let objects = match other {
        true => bar("Bar", 0.4) + &bar("Other", -0.4),
        false => bar("Bar", 0.4),
    };
    let with = if other { r#"other="Other""# } else { "" };
    format!(
        r#"<EDMConfig id="T"><Joints><Joint id="H" type="Hinge" body="Bar" {with} at="[0, 0, 0]" axis="[0, 0, 1]"
{joint} /></Joints><MaterialContainer /><ExternalForces><Force id="G" type="Gravity"><Properties
g="[0, {gravity}, 0]" /></Force></ExternalForces><RigidObjects>{objects}</RigidObjects><DeformableBodies />
</EDMConfig>"#
    )
}

fn refused(text: &str) -> String {
    match parse(text, "test.xml") {
        Err(errors) => errors.to_string(),
        Ok(scene) => match build(&scene, "test.xml", Path::new(".")) {
            Err(errors) => errors.to_string(),
            Ok(_) => String::new(),
        },
    }
}

fn run(text: &str, seconds: f64) -> (World, Vec<StepReport>) {
    let scene = parse(text, "test.xml").unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let made = build(&scene, "test.xml", Path::new("."));
    let mut world = made.unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    let mut workspace = Workspace::new(&world);
    let mut reports = Vec::new();
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        reports.push(report);
    }
    (world, reports)
}

/// By how much a bar has turned about z, in degrees.
fn angle(body: &Body) -> f64 {
    let mean = |places: &[DVec3]| places.iter().sum::<DVec3>() / places.len() as f64;
    let (rest, now) = (&body.description().rest_positions, &body.state.positions);
    let (before, after) = (mean(rest), mean(now));
    let (mut sine, mut cosine) = (0.0, 0.0);
    for (r, x) in rest.iter().zip(now) {
        let (from, to) = (*r - before, *x - after);
        sine += from.cross(to).z;
        cosine += from.x * to.x + from.y * to.y;
    }
    sine.atan2(cosine).to_degrees()
}

fn mass() -> f64 {
    DENSITY * SIZE.iter().product::<f64>()
}

/// About the end.
fn inertia() -> f64 {
    let [a, b, _] = SIZE;
    mass() * ((a * a + b * b) / 12.0 + 0.25 * a * a)
}

#[test]
fn a_motor_keeps_its_speed() {
    for speed in [90.0, -200.0] {
        let (world, reports) = run(&scene(&format!(r#"speed="{speed}""#), -9.81, false), 0.8);
        let found = angle(&world.bodies[0]);
        assert!((found - 0.8 * speed).abs() < 0.01, "{found} at {speed}");
        let created: f64 = reports.iter().map(|report| report.energy_created).sum();
        let most = reports.iter().map(|report| report.energies.kinetic);
        let most = most.fold(0.0, f64::max);
        assert!(created < 0.02 * most, "{created} of {most} J");
    }
}

#[test]
fn a_torque_turns_a_bar_as_newton_says() {
    let torque = 4.0;
    let right = (0.5 * torque / inertia() * 0.25).to_degrees();
    // However fast it is asked to be.
    for speed in [100.0, 2000.0, 1e5] {
        let joint = format!(r#"speed="{speed}" torque="4""#);
        let (world, _) = run(&scene(&joint, 0.0, false), 0.5);
        let found = angle(&world.bodies[0]);
        assert!(
            (found - right).abs() < 0.01 * right,
            "{found} for {right} at {speed}"
        );
    }
    let (_, reports) = run(&scene(r#"speed="2000" torque="4""#, 0.0, false), 0.5);
    // Its work is what moves the bar.
    let kinetic = reports.last().unwrap().energies.kinetic;
    let work: f64 = reports.iter().map(|report| report.work).sum();
    let exact = torque * right.to_radians();
    assert!(
        (kinetic - exact).abs() < 0.01 * exact,
        "{kinetic} for {exact} J"
    );
    assert!((work - exact).abs() < 0.01 * exact, "{work} for {exact} J");
}

/// The angle of a bar that falls against a brake of a share of the moment of its weight, in degrees, by short
/// steps of Newton's law.
fn fall(share: f64, acceleration: f64, seconds: f64) -> f64 {
    let (mut angle, mut speed) = (0.0_f64, 0.0);
    let step = 1e-5;
    for _ in 0..(seconds / step) as usize {
        speed -= step * acceleration * (angle.cos() - share);
        angle += step * speed;
    }
    angle.to_degrees()
}

#[test]
fn a_brake_holds_what_is_lighter_than_its_torque() {
    let weight = mass() * 9.81 * 0.4;
    for (share, holds) in [(1.05, true), (0.8, false)] {
        let joint = format!(r#"speed="0" torque="{}""#, share * weight);
        // Where the first step begins it has no force yet, which costs a third of a step of its torque.
        let fine = scene(&joint, -9.81, false).replace("0.005", "0.001");
        let (world, _) = run(&fine, 0.3);
        let found = angle(&world.bodies[0]);
        let falls = fall(share, weight / inertia(), 0.3);
        match holds {
            true => {
                let (early, _) = run(&fine, 0.1);
                let before = angle(&early.bodies[0]);
                assert!(found.abs() < 0.01, "{found} degrees");
                assert!((found - before).abs() < 1e-3, "{before}, then {found}");
            }
            false => assert!((found / falls - 1.0).abs() < 0.02, "{found} for {falls}"),
        }
    }
}

#[test]
fn a_motor_stops_at_the_limits_of_its_hinge() {
    let joint = r#"speed="120" torque="20" least="-10" most="60""#;
    let (world, reports) = run(&scene(joint, 0.0, false), 1.5);
    let found = angle(&world.bodies[0]);
    assert!((found - 60.0).abs() < 1.0, "{found}");
    let kinetic = reports.last().unwrap().energies.kinetic;
    assert!(kinetic < 1e-4, "{kinetic} J at the stop");
}

#[test]
fn a_motor_between_two_bodies_turns_both() {
    let (world, reports) = run(&scene(r#"speed="60""#, 0.0, true), 0.5);
    let [first, away] = [0, 1].map(|body| angle(&world.bodies[body]));
    let momentum = reports.last().unwrap().angular_momentum;
    assert!(momentum.length() < 1e-6, "{momentum}");
    assert!((first + away).abs() < 0.01, "{first} and {away} degrees");
    assert!(
        (first - away - 30.0).abs() < 0.01,
        "{first} and {away} degrees"
    );
}

#[test]
fn motors_that_make_no_sense_are_refused() {
    let text = refused(&scene(r#"torque="4""#, 0.0, false));
    assert!(text.contains("speed"), "{text}");
    let text = refused(&scene(r#"speed="4" most="50""#, 0.0, false));
    assert!(text.contains("torque"), "{text}");
}
