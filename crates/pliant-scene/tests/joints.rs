//! Joints of scene files: doors and their stops, blows between rigid objects, and what is refused.

use glam::DVec3;
use pliant::{Body, Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

fn scene(head: &str, objects: &str, bodies: &str) -> String {
    format!(
        r#"<EDMConfig id="T">{head}<MaterialContainer /><ExternalForces>
<Force id="Push" type="Gravity"><Properties g="[0, 4, 0]" /></Force>
<Force id="Pull" type="Gravity"><Properties g="[0, -4, 0]" /></Force></ExternalForces>
<RigidObjects>{objects}</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#
    )
}

fn made(text: &str) -> World {
    let scene = parse(text, "test.xml").unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// What a scene is refused with.
fn refused(text: &str) -> String {
    match parse(text, "test.xml") {
        Err(errors) => errors.to_string(),
        Ok(scene) => match build(&scene, "test.xml", Path::new(".")) {
            Err(errors) => errors.to_string(),
            Ok(_) => String::new(),
        },
    }
}

fn run(world: &mut World, seconds: f64, mut each: impl FnMut(&World)) {
    let mut workspace = Workspace::new(world);
    while world.time < seconds - 1e-9 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        each(world);
    }
}

fn centre(body: &Body) -> DVec3 {
    let masses = &body.description().masses;
    let sum: DVec3 = body
        .state
        .positions
        .iter()
        .zip(masses)
        .map(|(x, m)| *m * *x)
        .sum();
    sum / masses.iter().sum::<f64>()
}

fn velocity(body: &Body) -> DVec3 {
    body.momentum() / body.description().masses.iter().sum::<f64>()
}

/// A door from x = 0 to 0.8 m on a hinge along z, pushed towards +y.
fn door(kind: &str, joint: &str, push: &str) -> String {
    let hinge = format!(
        r#"<Joint id="H" type="Hinge" body="Door" at="[0, 0, 0]" axis="[0, 0, 1]" {joint} />"#
    );
    let head = format!("<Joints>{hinge}</Joints>");
    let bind = format!(r#"<Bind type="Force" ref="{push}" />"#);
    let mesh = |strain: &str| {
        format!(
            r#"<Body id="Door" model="Solid" type="Mesh"><Properties timestep="0.01" /><Mesh cells="[4, 1, 4]"
position="[0.4, 0, 0]"><Box size="[0.8, 0.1, 0.8]" /></Mesh><Elastic young="1e9" density="200" beta="0.002"
strain="{strain}" />{bind}</Body>"#
        )
    };
    match kind {
        "rigid" => scene(
            &head,
            &format!(
                r#"<Object id="Door" type="Box" motion="Free" density="200" timestep="0.01">
<Properties c="[0.4, 0, 0]" size="[0.8, 0.1, 0.8]" />{bind}</Object>"#
            ),
            "",
        ),
        _ => scene(&head, "", &mesh(kind)),
    }
}

#[test]
fn the_stops_of_a_hinge_hold_doors_of_every_kind() {
    for kind in ["rigid", "Corotated", "Springs"] {
        // Limits, the push, and the angle at which the door ends.
        let cases = [
            (r#"least="-10" most="60""#, "Push", 60.0),
            (r#"least="-10" most="20""#, "Push", 20.0),
            (r#"most="40""#, "Push", 40.0),
            (r#"least="-30""#, "Pull", -30.0),
            (r#"least="-30""#, "Push", 90.0),
        ];
        for (limits, push, right) in cases {
            let mut world = made(&door(kind, limits, push));
            let mut farthest = 0.0_f64;
            run(&mut world, 1.5, |world| {
                let at = centre(&world.bodies[0]);
                let angle = at.y.atan2(at.x).to_degrees();
                farthest = if right > 0.0 {
                    farthest.max(angle)
                } else {
                    farthest.min(angle)
                };
            });
            let what = format!("{kind}, {limits}, {push}: {farthest}");
            match right {
                // Without a stop it swings past the direction of the push.
                90.0 => assert!(farthest > 100.0, "{what}"),
                _ => assert!((farthest - right).abs() < 4.0, "{what}"),
            }
        }
    }
}

#[test]
fn balls_rebound_from_each_other_as_restitution_says() {
    for restitution in [0.0, 0.5, 1.0] {
        let ball = |id: &str, x: f64, velocity: f64| {
            format!(
                r#"<Object id="{id}" type="Sphere" motion="Free" mass="1" timestep="0.005"
velocity="[{velocity}, 0, 0]" restitution="{restitution}"><Properties c="[{x}, 0, 0]" r="0.1" /></Object>"#
            )
        };
        let objects = ball("A", -0.5, 1.0) + &ball("B", 0.0, 0.0);
        let mut world = made(&scene(r#"<Contact thickness="0.002" />"#, &objects, ""));
        run(&mut world, 0.6, |_| {});
        let [a, b] = [0, 1].map(|body| velocity(&world.bodies[body]).x);
        assert!((a + b - 1.0).abs() < 1e-9, "{a} {b}");
        assert!(
            (b - a - restitution).abs() < 0.02,
            "e {restitution}: {a} {b}"
        );
    }
}

#[test]
fn joints_that_can_do_nothing_are_refused() {
    let curve = |fixed: &str| {
        format!(
            r#"<Body id="C" model="Curve" type="FormulaCurve"><Properties timestep="0.01" x="u" y="0" z="0" />
<NaturalShape /><Particles grid="[5]"><All mass="0.1" tension="10" />{fixed}</Particles></Body>"#
        )
    };
    let held = r#"<Single particle="[0]" fixed="Yes" />"#;
    let path = r#"<Place time="0" at="[0, 0, 0]" /><Place time="1" at="[0, 0, 1]" />"#;
    let ball = |motion: &str| {
        format!(
            r#"<Object id="B" type="Sphere" {motion} timestep="0.01"><Properties c="[0, 0, 0]" r="0.1" />
<Pose time="0" /></Object>"#
        )
    };
    let joints = |joint: &str| format!("<Joints>{joint}</Joints>");
    let led = joints(&format!(
        r#"<Joint id="J" type="Path" body="C" at="[0, 0, 0]">{path}</Joint>"#
    ));
    let cases = [
        (
            scene(&led, "", &curve(held)),
            "nothing that it holds can move",
        ),
        (
            scene(
                &joints(r#"<Joint id="J" body="B" at="[0, 0, 0]" />"#),
                &ball(r#"motion="Path""#),
                "",
            ),
            "nothing that it holds can move",
        ),
        (
            scene(
                &joints(r#"<Joint id="J" body="C" other="C" at="[0, 0, 0]" />"#),
                "",
                &curve(""),
            ),
            "the same point",
        ),
        (
            scene(
                &joints(r#"<Joint id="J" type="Line" body="C" at="[0, 0, 0]" to="[0, 0, 0]" />"#),
                "",
                &curve(""),
            ),
            "a line has a direction",
        ),
        (
            scene(
                &joints(
                    r#"<Joint id="J" type="Distance" body="C" at="[0, 0, 0]" to="[0, 0, 1]" least="2" most="3" />"#,
                ),
                "",
                &curve(""),
            ),
            "its ends are 1.0000 m apart at the start, not 2 to 3 m",
        ),
        (
            scene(
                &joints(
                    r#"<Joint id="J" type="Hinge" body="C" at="[0, 0, 0]" axis="[0, 0, 1]" />"#,
                ),
                "",
                &curve(""),
            ),
            "a hinge needs two points",
        ),
    ];
    for (text, wanted) in cases {
        let found = refused(&text);
        assert!(found.contains(wanted), "{wanted}:\n{found}");
    }
    assert_eq!(refused(&scene(&led, "", &curve(""))), "");
}

/// A joint between two nodes of a rod holds nodes alone: the points that carry its frame weigh next to nothing.
#[test]
fn joints_hold_rods_by_their_nodes() {
    for x in [-0.002, 0.002, 0.0125] {
        let rod = r#"<Body id="Rod" model="Curve" type="LinearBezierCurve"><Properties formulation="Rod" timestep="0.01" />
<NaturalShape><Node index="0" pos="[0, 0, 0]" /><Node index="1" pos="[0.3, 0, 0]" /></NaturalShape>
<Particles grid="[13]" /><Elastic young="1e6" density="1000" thickness="0.02" /><Bind type="Force" ref="Push" /></Body>"#;
        let joint = format!(r#"<Joints><Joint id="K" body="Rod" at="[{x}, 0, 0]" /></Joints>"#);
        let mut world = made(&scene(&joint, "", rod));
        let held = &world.joints[0].first.nodes;
        assert!(held.iter().all(|(node, _)| *node < 13), "{held:?}");
        let mut workspace = Workspace::new(&world);
        let mut iterations = 0;
        while world.time < 0.5 {
            iterations += world.step(&mut workspace).newton_iterations;
        }
        assert!(iterations < 50 * 20, "{iterations} at {x}");
    }
}
