//! What bodies bear in contact: light ones under heavy ones, what is fixed, and what is crushed.

use pliant::{Workspace, World};
use pliant_scene::{build, parse};
use std::path::Path;

fn scene(objects: &str, bodies: &str) -> World {
    let text = format!(
        r#"<EDMConfig id="T"><Contact thickness="0.002" friction="0.3" /><MaterialContainer /><ExternalForces>
<Force id="G" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force></ExternalForces>
<RigidObjects><Object id="Floor" type="Plane"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object>{objects}
</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

fn rigid_box(id: &str, density: f64, size: f64, height: f64) -> String {
    format!(
        r#"<Object id="{id}" type="Box" motion="Free" density="{density}"><Properties c="[0, 0, {height}]"
size="[{size}, {size}, {size}]" /><Bind type="Force" ref="G" /></Object>"#
    )
}

/// A box of a gram carries one of eighty kilograms without being stretched.
#[test]
fn light_rigid_bodies_carry_heavy_ones() {
    let objects = rigid_box("L", 1.0, 0.1, 0.053) + &rigid_box("H", 10_000.0, 0.2, 0.208);
    let mut world = scene(&objects, "");
    let mut workspace = Workspace::new(&world);
    for _ in 0..40 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
    let heavy = &world.bodies[1].state.positions;
    let lowest = heavy.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.099 && lowest < 0.106, "{lowest} m");
}

/// A mesh of which all nodes are fixed is not solved for.
#[test]
fn fixed_meshes_cost_no_iterations() {
    let block = r#"<Body id="Block" model="Solid" type="Mesh"><Properties timestep="0.01" />
<Mesh cells="[2, 2, 2]"><Box c="[0, 0, 0.5]" size="[0.2, 0.2, 0.2]" /></Mesh><Elastic young="1e6" />
<Fixed box="[[-1, -1, -1], [1, 1, 1]]" /><Bind type="Force" ref="G" /></Body>"#;
    let mut world = scene("", block);
    let before = world.state_hash();
    let mut workspace = Workspace::new(&world);
    for _ in 0..5 {
        assert_eq!(world.step(&mut workspace).newton_iterations, 0);
    }
    assert_eq!(world.state_hash(), before);
    // What falls on it stays on it.
    let ball = rigid_box("B", 1000.0, 0.1, 0.66);
    let mut world = scene(&ball, block);
    let mut workspace = Workspace::new(&world);
    for _ in 0..60 {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    let positions = &world.bodies[1].state.positions;
    let lowest = positions.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    assert!(lowest > 0.6 && lowest < 0.602, "{lowest} m");
}

/// What a path would crush to nothing stops the run, with a reason.
#[test]
fn a_path_that_crushes_a_rigid_body_is_refused_with_its_reason() {
    let press = r#"<Object id="Press" type="Box" motion="Path"><Properties c="[0, 0, 0.13]" size="[0.3, 0.3, 0.05]" />
<Pose time="0" /><Pose time="0.2" shift="[0, 0, -0.05]" /></Object>"#;
    let objects = press.to_owned() + &rigid_box("B", 1000.0, 0.1, 0.053);
    let mut world = scene(&objects, "");
    let mut workspace = Workspace::new(&world);
    let mut reason = None;
    for _ in 0..25 {
        world.step(&mut workspace);
        reason = world.bodies.iter().find_map(|body| body.quarantine.clone());
        if reason.is_some() {
            break;
        }
    }
    let reason = reason.expect("the press is stopped");
    assert!(reason.contains("led along a path"), "{reason}");
}
