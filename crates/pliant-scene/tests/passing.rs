//! Bodies that are fast meet each other within a step however thin they are: none comes out on the far side with all
//! of its energy. Each of these did, before the straight way of a step was looked at (`system/passage.rs`): Newton's
//! method had led them round each other.

use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{build_with, parse};

fn scene(objects: &str, bodies: &str) -> World {
    let text = format!(
        r#"<EDMConfig id="S"><Simulation duration="1" fps="100" /><Contact thickness="0.002" /><MaterialContainer />
<ExternalForces><Force id="G" type="Gravity"><Properties g="[0, 0, 0]" /></Force></ExternalForces>
<RigidObjects>{objects}</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&text, "passing.xml").unwrap_or_else(|errors| panic!("{errors}"));
    build_with(&scene, "passing.xml", &MemoryAssets::default()).unwrap()
}

/// The share of the energy that is left after some steps, and how high the first body lies in the end.
fn left(mut world: World, steps: usize) -> (f64, f64) {
    let mut workspace = Workspace::new(&world);
    let first = workspace.energies(&world).total();
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.non_finite), (0, 0));
    }
    let places = &world.bodies[0].state.positions;
    let height = places.iter().map(|x| x.z).sum::<f64>() / places.len() as f64;
    (workspace.energies(&world).total() / first, height)
}

fn bar(id: &str, properties: &str, shape: &str) -> String {
    format!(
        r#"<Object id="{id}" type="Box" density="7000" timestep="0.01" {properties}>
<Properties size="[0.02, 0.02, 0.4]" {shape} /><Bind type="Force" ref="G" /></Object>"#
    )
}

#[test]
fn crossed_bars_that_are_fast_meet() {
    let fast = bar(
        "A",
        r#"motion="Free" velocity="[0, 0, -10]""#,
        r#"c="[0, 0, 0.15]" axis="[1, 0, 0]""#,
    );
    let other = bar(
        "B",
        r#"motion="Free""#,
        r#"c="[0, 0.01, 0]" axis="[0.99619, 0.08716, 0.02]""#,
    );
    // Restitution 0: what is left is at least half, of two equal bodies that meet in the middle.
    let (energy, _) = left(scene(&format!("{fast}{other}"), ""), 5);
    assert!((0.4..0.8).contains(&energy), "{energy}");
}

#[test]
fn strips_of_cloth_that_are_fast_meet() {
    let strip = |id: &str, properties: &str, place: &str| {
        format!(
            r#"<Body id="{id}" model="Surface" type="Mesh"><Properties timestep="0.01" {properties} />
<Mesh cells="[12, 1]" {place}><Rectangle width="0.4" height="0.02" /></Mesh>
<Elastic young="1e7" density="1000" thickness="0.001" /></Body>"#
        )
    };
    let fast = strip(
        "A",
        r#"velocity="[0, 0, -40]""#,
        r#"position="[0, 0, 0.15]""#,
    );
    let other = strip("B", "", r#"position="[0, 0.01, 0]" rotation="[0, 0, 5]""#);
    let (energy, _) = left(scene("", &format!("{fast}{other}")), 3);
    assert!((0.5..0.85).contains(&energy), "{energy}");
}

#[test]
fn a_bar_does_not_come_out_behind_a_bar_that_stands() {
    let fast = bar(
        "A",
        r#"motion="Free" velocity="[0, 0, -40]""#,
        r#"c="[0, 0, 0.15]" axis="[1, 0, 0]""#,
    );
    let stands = bar(
        "B",
        "",
        r#"c="[0, 0.01, 0]" axis="[0.99619, 0.08716, 0.02]""#,
    );
    let stands = stands.replace(r#"<Bind type="Force" ref="G" />"#, "");
    let stands = stands.replace(r#" density="7000" timestep="0.01""#, "");
    let (energy, height) = left(scene(&format!("{stands}{fast}"), ""), 3);
    assert!(energy < 0.6, "{energy} at {height}");
}
