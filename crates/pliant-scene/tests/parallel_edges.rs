//! Curves and capsules that lie along each other: where edges are parallel their ends hold them apart.

use glam::DVec3;
use pliant::{Body, Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

fn world_of(contact: &str, objects: &str, bodies: &str) -> World {
    let scene = format!(
        r#"<EDMConfig id="parallel"><Simulation duration="1" />{contact}<MaterialContainer />
<ExternalForces><Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force></ExternalForces>
<RigidObjects>{objects}</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#
    );
    let parsed = parse(&scene, "parallel.xml").unwrap_or_else(|error| panic!("{error}"));
    build(&parsed, "parallel.xml", Path::new(".")).unwrap_or_else(|error| panic!("{error}"))
}

/// A capsule of radius 0.05 m along y.
fn capsule(id: &str, place: [f64; 2], motion: &str) -> String {
    let [x, z] = place;
    let bind = match motion.is_empty() {
        true => "",
        false => r#"<Bind type="Force" ref="Gravity" />"#,
    };
    format!(
        r#"<Object id="{id}" type="Capsule" {motion}><Properties c="[{x}, 0, {z}]" r="0.05" h="0.5" axis="[0, 1, 0]" />{bind}</Object>"#
    )
}

/// A curve along y.
fn curve(id: &str, formulation: &str, place: [f64; 2], step: f64, fixed: bool) -> String {
    let [x, z] = place;
    let all = if fixed { r#"<All fixed="Yes" />"# } else { "" };
    format!(
        r#"<Body id="{id}" model="Curve" type="FormulaCurve"><Properties timestep="{step}" {formulation} x="{x}" y="0.5*u" z="{z}" />
<NaturalShape /><Particles grid="[8]">{all}</Particles><Elastic young="1e6" density="1000" thickness="0.02" /><Bind type="Force" ref="Gravity" /></Body>"#
    )
}

fn run(world: &mut World, seconds: f64) {
    let mut workspace = Workspace::new(world);
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
}

fn centre(body: &Body) -> DVec3 {
    let masses = &body.description().masses;
    let moments = masses.iter().zip(&body.state.positions);
    moments.map(|(m, x)| *m * *x).sum::<DVec3>() / masses.iter().sum::<f64>()
}

fn speed(body: &Body) -> f64 {
    let velocities = body.state.velocities.iter();
    velocities.map(|v| v.length()).fold(0.0, f64::max)
}

/// In the groove of two capsules 0.12 m apart a third one rests at √((0.1 + gap)² - 0.06²).
#[test]
fn a_capsule_comes_to_rest_in_a_groove() {
    let free = r#"motion="Free""#;
    let objects = capsule("Left", [-0.06, 0.0], "")
        + &capsule("Right", [0.06, 0.0], "")
        + &capsule("Above", [0.0, 0.12], free);
    let mut world = world_of("", &objects, "");
    run(&mut world, 1.0);
    let place = centre(&world.bodies[0]);
    let [low, high] = [0.1_f64, 0.102].map(|apart| (apart * apart - 0.06 * 0.06).sqrt());
    assert!(place.x.abs() < 1e-4 && place.y.abs() < 1e-4, "{place}");
    assert!(place.z > low && place.z < high, "{place}: {low} to {high}");
    assert!(speed(&world.bodies[0]) < 1e-3);
}

#[test]
fn logs_lie_on_each_other() {
    let free = r#"motion="Free""#;
    let floor = r#"<Object id="Floor" type="Box"><Properties c="[0, 0, -0.5]" size="[4, 4, 1]" /></Object>"#;
    let objects = floor.to_string()
        + &capsule("Left", [-0.0515, 0.053], free)
        + &capsule("Right", [0.0515, 0.053], free)
        + &capsule("Above", [0.0, 0.16], free);
    let mut world = world_of(r#"<Contact friction="0.6" />"#, &objects, "");
    run(&mut world, 1.0);
    for body in &world.bodies {
        assert!(speed(body) < 0.01, "{}", body.description().name);
    }
    let place = centre(&world.bodies[2]);
    assert!(place.z > 0.13 && place.z < 0.15, "{place}");
}

#[test]
fn curves_lie_on_parallel_ones() {
    for formulation in [r#"formulation="Rod""#, ""] {
        // On one, and between two that are closer to each other than contact is thick.
        for rails in [&[0.0][..], &[-0.0015, 0.0015]] {
            let step = 0.001;
            let mut bodies = curve("Above", formulation, [0.0, 0.01], step, false);
            for (index, &x) in rails.iter().enumerate() {
                bodies += &curve(&format!("Rail{index}"), formulation, [x, 0.0], step, true);
            }
            let mut world = world_of(
                r#"<Contact thickness="0.004" friction="0.5" />"#,
                "",
                &bodies,
            );
            run(&mut world, 0.2);
            let place = centre(&world.bodies[0]);
            assert!(
                place.z > 0.001 && place.z < 0.0041,
                "{formulation} on {rails:?}: {place}"
            );
        }
    }
}
