//! Bodies of every kind that slide on floors of every kind, with and without friction: what they lose of their
//! speed is μ g, whatever they are made of, and nothing else brakes or turns them.

use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

const STEP: f64 = 0.01;
const GRAVITY: f64 = 9.81;

/// How long they slide, in seconds, and how fast at first.
const DURATION: f64 = 0.3;
const SPEED: f64 = 1.0;

/// The thickness of contact, by which they start above the floor.
const THICKNESS: f64 = 0.001;

/// Kinds of bodies: name and elements, for a body of 0.1 m whose lowest place is at z = START.
const BODIES: &[(&str, &str)] = &[
    (
        "mesh solid",
        r#"<Body id="A" model="Solid" type="Mesh"><Properties MOVING /><Mesh cells="[2, 2, 2]" position="[0, 0, MIDDLE]">
<Box size="[0.1, 0.1, 0.1]" /></Mesh><Elastic young="1e6" />"#,
    ),
    (
        "grid solid",
        r#"<Body id="A" model="Solid" type="FormulaSolid"><Properties MOVING x="0.1*u-0.05" y="0.1*v-0.05" z="START+0.1*w" />
<NaturalShape /><Particles grid="[3, 3, 3]"><All mass="0.04" tension="[[20000,10000,10000],[10000,20000,10000],[10000,10000,20000]]" /></Particles>"#,
    ),
    (
        "hybrid solid",
        r#"<Body id="A" model="Solid" type="FormulaSolid"><Properties MOVING formulation="Hybrid" x="0.1*u-0.05" y="0.1*v-0.05" z="START+0.1*w" />
<NaturalShape /><Particles grid="[3, 3, 3]"><All mass="0.04" tension="[[20000,10000,10000],[10000,20000,10000],[10000,10000,20000]]" /></Particles>"#,
    ),
    (
        "linearised solid",
        r#"<Body id="A" model="Solid" type="FormulaSolid"><Properties MOVING formulation="Hybrid" deformation="Linearised" x="0.1*u-0.05" y="0.1*v-0.05" z="START+0.1*w" />
<NaturalShape /><Particles grid="[3, 3, 3]"><All mass="0.04" tension="[[20000,10000,10000],[10000,20000,10000],[10000,10000,20000]]" /></Particles>"#,
    ),
    (
        "springs",
        r#"<Body id="A" model="Solid" type="Mesh"><Properties MOVING /><Mesh cells="[2, 2, 2]" position="[0, 0, MIDDLE]">
<Box size="[0.1, 0.1, 0.1]" /></Mesh><Elastic young="1e6" strain="Springs" />"#,
    ),
    (
        "cloth",
        r#"<Body id="A" model="Surface" type="Mesh"><Properties MOVING /><Mesh cells="[3, 3]" position="[0, 0, START]">
<Rectangle width="0.1" height="0.1" /></Mesh><Elastic young="1e5" density="300" thickness="0.001" />"#,
    ),
    (
        "core below",
        r#"<Body id="A" model="Solid" type="Mesh"><Properties MOVING /><Mesh cells="[2, 2, 2]" position="[0, 0, MIDDLE]">
<Box size="[0.1, 0.1, 0.1]" /></Mesh><Elastic young="1e6" beta="0.01" /><Core box="[[-1,-1,-1],[1,1,0.0512]]" />"#,
    ),
    (
        "rigid shell",
        r#"<Body id="A" model="Surface" type="Mesh"><Properties MOVING /><Mesh cells="[2, 2]" position="[0, 0, START]">
<Rectangle width="0.1" height="0.1" /></Mesh><Elastic thickness="0.01" density="1000" /><Core><Box size="[1000,1000,1000]" /></Core>"#,
    ),
    ("rigid", ""),
];

/// Kinds of floors whose top is at z = 0: name, objects, bodies.
const FLOORS: &[(&str, &str, &str)] = &[
    (
        "plane",
        r#"<Object id="Floor" type="Plane"><Properties n="[0,0,1]" x0="[0,0,0]" /></Object>"#,
        "",
    ),
    (
        "box",
        r#"<Object id="Floor" type="Box"><Properties c="[0,0,-0.5]" size="[3, 3, 1]" /></Object>"#,
        "",
    ),
    (
        "fixed cloth",
        "",
        r#"<Body id="Floor" model="Surface" type="Mesh"><Properties timestep="0.01" /><Mesh cells="[1, 1]" position="[0, 0, 0]">
<Rectangle width="3" height="3" /></Mesh><Elastic /><Fixed><Box size="[1000,1000,1000]" /></Fixed></Body>"#,
    ),
    (
        "fixed solid",
        "",
        r#"<Body id="Floor" model="Solid" type="Mesh"><Properties timestep="0.01" /><Mesh cells="[2, 2, 1]" position="[0, 0, -0.5]">
<Box size="[3, 3, 1]" /></Mesh><Elastic young="1e6" /><Fixed><Box size="[1000,1000,1000]" /></Fixed></Body>"#,
    ),
];

fn scene(elements: &str, floor: usize, friction: f64) -> String {
    let (_, objects, bodies) = FLOORS[floor];
    let gravity = r#"<Bind type="Force" ref="G" />"#;
    let meets = match objects.is_empty() {
        true => "",
        false => r#"<Bind type="Collision" ref="Floor" />"#,
    };
    let start = THICKNESS;
    let middle = start + 0.05;
    let moving = format!(r#"timestep="{STEP}" velocity="[{SPEED}, 0, 0]""#);
    let body = match elements.is_empty() {
        true => String::new(),
        false => format!("{elements}{gravity}{meets}</Body>")
            .replace("MOVING", &moving)
            .replace("START", &start.to_string())
            .replace("MIDDLE", &middle.to_string()),
    };
    let rigid = match elements.is_empty() {
        true => format!(
            r#"<Object id="A" type="Box" motion="Free" density="1000" {moving}>
<Properties c="[0, 0, {middle}]" size="[0.1, 0.1, 0.1]" />{gravity}</Object>"#
        ),
        false => String::new(),
    };
    format!(
        r#"<EDMConfig id="S"><Contact thickness="{THICKNESS}" friction="{friction}" self="No" /><MaterialContainer />
<ExternalForces><Force id="G" type="Gravity"><Properties g="[0, 0, -{GRAVITY}]" /></Force></ExternalForces>
<RigidObjects>{objects}{rigid}</RigidObjects><DeformableBodies>{bodies}{body}</DeformableBodies></EDMConfig>"#
    )
}

/// The velocity of the body that slides.
fn velocity(world: &World) -> glam::DVec3 {
    let body = world
        .bodies
        .iter()
        .find(|body| &*body.description().name == "A");
    let body = body.expect("the scene has it");
    body.momentum() / body.description().masses.iter().sum::<f64>()
}

#[test]
fn every_body_slides_on_every_floor_by_coulombs_law() {
    let mut wrong = Vec::new();
    for (name, elements) in BODIES {
        for (index, (floor, _, _)) in FLOORS.iter().enumerate() {
            for friction in [0.0, 0.2] {
                let what = format!("{name} on {floor}, friction {friction}");
                let text = scene(elements, index, friction);
                let parsed =
                    parse(&text, "s.xml").unwrap_or_else(|errors| panic!("{what}: {errors}"));
                let built = build(&parsed, "s.xml", Path::new("."));
                let mut world = built.unwrap_or_else(|errors| panic!("{what}: {errors}"));
                let mut workspace = Workspace::new(&world);
                let mut created = 0.0;
                for _ in 0..(DURATION / STEP) as usize {
                    let report = world.step(&mut workspace);
                    created += report.energy_created;
                    let why = world.bodies.iter().find_map(|body| body.quarantine.clone());
                    assert_eq!(report.quarantined, 0, "{what}: {why:?}");
                }
                let mass: f64 = {
                    let body = world
                        .bodies
                        .iter()
                        .find(|body| &*body.description().name == "A");
                    body.map_or(0.0, |body| body.description().masses.iter().sum())
                };
                let [x, y, z] = velocity(&world).to_array();
                // Whoever bounces has been pressed on the floor by as much more.
                let lost = friction * (GRAVITY * DURATION + z);
                let expected = SPEED - lost;
                // Nodes and edges within a flat floor that is no rigid shape are felt a little.
                let (least, aside, gain): (f64, f64, f64) = match *floor {
                    "fixed solid" => (0.02, 0.02, 0.1),
                    "fixed cloth" => (3e-3, 0.01, 1e-3),
                    _ => (1e-3, 0.01, 1e-3),
                };
                let off = (x - expected).abs();
                let energy = 0.5 * mass * SPEED * SPEED;
                if off > least.max(0.02 * lost)
                    || y.abs() > aside
                    || z.abs() > 0.15
                    || created > gain * energy
                {
                    wrong.push(format!(
                        "{what}: {x:.5} m/s instead of {expected:.5}, aside {y:.2e}, up {z:.2e}, \
                         created {:.2e} of its energy",
                        created / energy
                    ));
                }
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} wrong:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}
