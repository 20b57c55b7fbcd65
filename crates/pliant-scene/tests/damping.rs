//! Rayleigh's damping by stiffness stops vibrations and lets turning go on, in bodies of every kind, by every
//! time rule.

use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

const STEP: f64 = 0.01;

/// A bar of 1 m, or a sheet, without `timestep`, `integrator` and what `Elastic` says.
const BODIES: &[(&str, &str)] = &[
    (
        "corotated",
        r#"SOLID<Mesh cells="[8, 1, 1]"><Box size="[1, 0.1, 0.1]" /></Mesh>ELASTIC"#,
    ),
    (
        "green",
        r#"SOLID<Mesh cells="[8, 1, 1]"><Box size="[1, 0.1, 0.1]" /></Mesh>ELASTIC strain="Green""#,
    ),
    (
        "neo-hookean",
        r#"SOLID<Mesh cells="[8, 1, 1]"><Box size="[1, 0.1, 0.1]" /></Mesh>ELASTIC strain="NeoHookean""#,
    ),
    (
        "springs",
        r#"SOLID<Mesh cells="[8, 1, 1]"><Box size="[1, 0.1, 0.1]" /></Mesh>ELASTIC strain="Springs""#,
    ),
    (
        "ten nodes",
        r#"SOLID<Mesh cells="[8, 1, 1]" elements="Tetrahedron10"><Box size="[1, 0.1, 0.1]" /></Mesh>ELASTIC strain="Green""#,
    ),
    (
        "cloth",
        r#"model="Surface" type="Mesh"><Properties SETTINGS /><Mesh cells="[8, 2]"><Rectangle width="1" height="0.25" />
</Mesh>ELASTIC thickness="0.01""#,
    ),
    (
        "curve",
        r#"model="Curve" type="FormulaCurve"><Properties SETTINGS x="u - 0.5" y="0" z="0" /><NaturalShape />
<Particles grid="[11]" />ELASTIC thickness="0.1""#,
    ),
    (
        "rod",
        r#"model="Curve" type="FormulaCurve"><Properties SETTINGS formulation="Rod" x="u - 0.5" y="0" z="0" />
<NaturalShape /><Particles grid="[11]" />ELASTIC thickness="0.1""#,
    ),
    (
        "grid surface",
        r#"model="Surface" type="FormulaPatch"><Properties SETTINGS x="u - 0.5" y="0.25*v" z="0" /><NaturalShape />
<Particles grid="[9, 3]" />ELASTIC thickness="0.01""#,
    ),
    (
        "grid solid",
        r#"model="Solid" type="FormulaSolid"><Properties SETTINGS x="u - 0.5" y="0.1*v" z="0.1*w" /><NaturalShape />
<Particles grid="[9, 2, 2]" />ELASTIC"#,
    ),
];

const INTEGRATORS: &[&str] = &["TwoStage", "Implicit", "Midpoint", "Newmark"];

fn spinning(body: &str, integrator: &str, young: &str, beta: &str) -> World {
    let settings = format!(
        r#"timestep="{STEP}" integrator="{integrator}" spin="[0, 0, 5]" velocity="[1, 0, 0]""#
    );
    let text = body
        .replace(
            "SOLID",
            r#"model="Solid" type="Mesh"><Properties SETTINGS />"#,
        )
        .replace("SETTINGS", &settings)
        .replace(
            "ELASTIC",
            &format!(r#"<Elastic young="{young}" density="100" beta="{beta}""#),
        );
    let text = format!(
        r#"<EDMConfig id="T"><MaterialContainer /><ExternalForces /><RigidObjects /><DeformableBodies>
<Body id="B" {text} /></Body></DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}\n{text}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}\n{text}"))
}

/// What is left of the angular momentum after a second.
fn left(body: &str, integrator: &str, young: &str, beta: &str) -> f64 {
    let mut world = spinning(body, integrator, young, beta);
    let mut workspace = Workspace::new(&world);
    let spin = world.bodies[0].angular_momentum().z;
    for _ in 0..(1.0 / STEP) as usize {
        world.step(&mut workspace);
    }
    assert_eq!(world.bodies[0].quarantine, None);
    world.bodies[0].angular_momentum().z / spin
}

#[test]
fn damping_lets_free_bodies_turn() {
    let mut all = String::new();
    for (name, body) in BODIES {
        for integrator in INTEGRATORS {
            // Without it the others are not quiet where steps are long.
            let stiff = if *integrator == "TwoStage" {
                "1e8"
            } else {
                "1e6"
            };
            for young in ["1e6", stiff] {
                // Backward Euler brakes by itself.
                let without = left(body, integrator, young, "0");
                if *integrator == "TwoStage" && (without - 1.0).abs() > 0.03 {
                    all += &format!("{name}, {young} Pa: {without} without damping\n");
                }
                let with = left(body, integrator, young, "0.002");
                if (with - without).abs() > 0.03 || with.is_nan() {
                    all += &format!("{name}, {integrator}, {young} Pa: {with} for {without}\n");
                }
            }
        }
    }
    assert!(all.is_empty(), "\n{all}");
}
