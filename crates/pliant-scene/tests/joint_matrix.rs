//! Joints of every type at bodies of every kind, by every implicit time rule, with contact and without.

use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

const STEP: f64 = 0.01;

/// How long each combination runs, in seconds.
const DURATION: f64 = 0.3;

/// Kinds of bodies: name, where a joint holds them, and their elements but for `integrator`.
const BODIES: &[(&str, [f64; 3], &str)] = &[
    (
        "curve",
        [0.0, 0.0, 1.0],
        r#"model="Curve" type="FormulaCurve"><Properties SETTINGS x="0.5*u" y="0" z="1" /><NaturalShape />
<Particles grid="[7]"><All mass="0.1" tension="200" /></Particles>"#,
    ),
    (
        "surface",
        [0.0, 0.0, 1.0],
        r#"model="Surface" type="FormulaPatch"><Properties SETTINGS x="0.5*u" y="0.5*v" z="1" /><NaturalShape />
<Particles grid="[5, 5]"><All mass="0.02" tension="[[50, 0], [0, 50]]" /></Particles>"#,
    ),
    (
        "grid solid",
        [0.0, 0.0, 1.0],
        r#"model="Solid" type="FormulaSolid"><Properties SETTINGS x="0.5*u" y="0.5*v" z="1 + 0.5*w" />
<NaturalShape /><Particles grid="[3, 3, 3]"><All mass="0.05" /></Particles>"#,
    ),
    (
        "cloth",
        [-0.25, -0.25, 1.0],
        r#"model="Surface" type="Mesh"><Properties SETTINGS /><Mesh cells="[4, 4]" position="[0, 0, 1]">
<Rectangle width="0.5" height="0.5" /></Mesh><Elastic young="1e5" density="300" thickness="0.001" />"#,
    ),
    (
        "solid",
        [-0.25, -0.1, 1.1],
        r#"model="Solid" type="Mesh"><Properties SETTINGS /><Mesh cells="[5, 2, 2]" position="[0, 0, 1]">
<Box size="[0.5, 0.2, 0.2]" /></Mesh><Elastic young="2e5" density="300" strain="Corotated" />"#,
    ),
    (
        "springs",
        [-0.25, -0.1, 1.1],
        r#"model="Solid" type="Mesh"><Properties SETTINGS /><Mesh cells="[5, 2, 2]" position="[0, 0, 1]">
<Box size="[0.5, 0.2, 0.2]" /></Mesh><Elastic young="2e5" density="300" strain="Springs" />"#,
    ),
    ("rigid", [-0.25, -0.1, 1.1], ""),
];

/// Types of joints at a place `AT`, with other places relative to it.
const JOINTS: &[(&str, &str)] = &[
    ("point", r#"<Joint id="J" body="Body" at="AT" />"#),
    (
        "soft point",
        r#"<Joint id="J" body="Body" at="AT" stiffness="200" />"#,
    ),
    (
        "two points",
        r#"<Joint id="J" body="Body" at="AT" other="Weight" />"#,
    ),
    (
        "hinge",
        r#"<Joint id="J" type="Hinge" body="Body" at="AT" axis="[1, 0, 0]" other="Weight" />"#,
    ),
    (
        "string",
        r#"<Joint id="J" type="Distance" body="Body" at="AT" to="UP" />"#,
    ),
    (
        "line",
        r#"<Joint id="J" type="Line" body="Body" at="AT" to="ASIDE" />"#,
    ),
    (
        "track",
        r#"<Joint id="J" type="Track" body="Body" at="AT"><Place at="AT" /><Place at="ASIDE" /></Joint>"#,
    ),
    (
        "path",
        r#"<Joint id="J" type="Path" body="Body" at="AT"><Place time="0" at="AT" /><Place time="0.3" at="ASIDE" /></Joint>"#,
    ),
];

const INTEGRATORS: &[&str] = &["TwoStage", "Implicit", "Midpoint", "Newmark"];

fn vector([x, y, z]: [f64; 3]) -> String {
    format!("[{x}, {y}, {z}]")
}

fn scene(kind: usize, joint: &str, integrator: &str, contact: bool) -> String {
    let (_, at, elements) = BODIES[kind];
    let [x, y, z] = at;
    let joint = joint
        .replace("AT", &vector(at))
        .replace("UP", &vector([x, y, z + 0.3]))
        .replace("ASIDE", &vector([x - 0.1, y, z - 0.1]));
    let contact = if contact {
        r#"<Contact thickness="0.002" />"#
    } else {
        ""
    };
    let gravity = r#"<Bind type="Force" ref="G" />"#;
    let settings = format!(r#"timestep="{STEP}" integrator="{integrator}""#);
    let rigid = |id: &str, centre: &str, size: &str| {
        format!(
            r#"<Object id="{id}" type="Box" motion="Free" density="300" timestep="{STEP}">
<Properties c="{centre}" size="{size}" />{gravity}</Object>"#
        )
    };
    let mut objects = String::new();
    if joint.contains("Weight") {
        let [x, y, z] = [x - 0.06, y - 0.06, z + 0.06];
        objects += &rigid("Weight", &vector([x, y, z]), "[0.1, 0.1, 0.1]");
    }
    let mut bodies = String::new();
    if elements.is_empty() {
        objects += &rigid("Body", "[0, 0, 1]", "[0.5, 0.2, 0.2]");
    } else {
        let elements = elements.replace("SETTINGS", &settings);
        bodies = format!(r#"<Body id="Body" {elements}{gravity}</Body>"#);
    }
    format!(
        r#"<EDMConfig id="T">{contact}<Joints>{joint}</Joints><MaterialContainer /><ExternalForces>
<Force id="G" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force></ExternalForces>
<RigidObjects>{objects}</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#
    )
}

fn make(text: &str) -> World {
    let scene = parse(text, "test.xml").unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// What is wrong with a combination; empty if nothing.
fn faults(text: &str, integrator: &str) -> String {
    let mut world = make(text);
    let mut workspace = Workspace::new(&world);
    let masses = world
        .bodies
        .iter()
        .flat_map(|body| &body.description().masses);
    let weight = 9.81 * masses.sum::<f64>();
    let mut faults = String::new();
    let (mut created, mut work, mut shortened, mut apart, mut load) =
        (0.0, 0.0, 0, 0.0_f64, 0.0_f64);
    for _ in 0..(DURATION / STEP) as usize {
        let report = world.step(&mut workspace);
        created += report.energy_created;
        work += report.work.abs();
        shortened += report.shortened_steps;
        for joint in &world.joints {
            if joint.stiffness.is_none() {
                apart = apart.max(joint.apart(&world.bodies, world.time));
            }
            load = load.max(joint.load());
        }
    }
    for body in &world.bodies {
        if let Some(reason) = &body.quarantine {
            faults += &format!(" {reason};");
        }
    }
    // The end of a step by the midpoint rule mirrors its beginning.
    let close = if integrator == "Midpoint" { 0.02 } else { 1e-6 };
    if apart.is_nan() || apart >= close {
        faults += &format!(" apart {apart:.2e};");
    }
    if load.is_nan() || load >= 12.0 * weight {
        faults += &format!(" load {:.1} weights;", load / weight);
    }
    if created >= 0.02 * (weight * 0.4 + work) {
        faults += &format!(" created {created:.3} of {:.3};", weight * 0.4 + work);
    }
    if shortened > 3 {
        faults += &format!(" shortened {shortened};");
    }
    faults
}

#[test]
fn joints_hold_all_bodies_by_all_time_rules() {
    let mut all = String::new();
    for (kind, (body, ..)) in BODIES.iter().enumerate() {
        for (name, joint) in JOINTS {
            for integrator in INTEGRATORS {
                for contact in [false, true] {
                    let text = scene(kind, joint, integrator, contact);
                    let found = faults(&text, integrator);
                    if !found.is_empty() {
                        all +=
                            &format!("{body}, {name}, {integrator}, contact {contact}:{found}\n");
                    }
                }
            }
        }
    }
    assert!(all.is_empty(), "\n{all}");
}
