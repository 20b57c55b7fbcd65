//! Contact of bodies on grids that tear and melt: nothing crosses, nothing is frozen.

use pliant::{Workspace, World};
use pliant_scene::{build, crossings, parse};
use std::path::Path;

fn scene(objects: &str, bodies: &str) -> World {
    scene_of(0.004, objects, bodies)
}

/// The same with a thickness of contact.
fn scene_of(thickness: f64, objects: &str, bodies: &str) -> World {
    let text = format!(
        r#"<EDMConfig id="T"><Contact thickness="{thickness}" friction="0.3" /><MaterialContainer /><ExternalForces>
<Force id="G" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force></ExternalForces>
<RigidObjects>{objects}</RigidObjects><DeformableBodies>{bodies}</DeformableBodies></EDMConfig>"#
    );
    let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}"));
    build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"))
}

/// Steps a world; returns the largest number of broken links and of molten nodes.
fn run(world: &mut World, steps: usize) -> [usize; 2] {
    let mut workspace = Workspace::new(world);
    let mut most = [0; 2];
    for step in 0..steps {
        let report = world.step(&mut workspace);
        let contact = world.contact.clone().unwrap();
        let found = crossings(&contact, &world.bodies);
        assert!(found.is_empty(), "step {step}: {found:?}");
        let why = world.bodies.iter().find_map(|body| body.quarantine.clone());
        assert_eq!(report.quarantined, 0, "step {step}: {why:?}");
        most = [most[0].max(report.broken_links), most[1].max(report.molten)];
    }
    most
}

/// A ball falls on the very middle of a sheet, which tears.
#[test]
fn a_ball_goes_through_the_middle_of_a_sheet_that_tears() {
    for count in [15, 16] {
        let last = count - 1;
        let sheet = format!(
            r#"<Body id="Sheet" model="Surface" type="GenericBezierPatch"><Properties timestep="0.005" order="1" />
<NaturalShape><Node index="0" pos="[-0.5, -0.5, 0]" /><Node index="1" pos="[0.5, -0.5, 0]" />
<Node index="2" pos="[-0.5, 0.5, 0]" /><Node index="3" pos="[0.5, 0.5, 0]" /></NaturalShape>
<Particles grid="[{count}, {count}]"><All mass="0.01" damping="0.02" tension="[[100, 25], [25, 100]]" />
<Region from="[0, 0]" to="[0, {last}]" fixed="Yes" /><Region from="[{last}, 0]" to="[{last}, {last}]" fixed="Yes" />
</Particles><Process type="Fracture" limit="0.1" count="4" /><Bind type="Force" ref="G" /></Body>"#
        );
        let ball = r#"<Object id="Ball" type="Sphere" motion="Free" density="3000" timestep="0.005">
<Properties c="[0, 0, 0.2]" r="0.15" /><Bind type="Force" ref="G" /></Object>"#;
        let mut world = scene(ball, &sheet);
        let [broken, _] = run(&mut world, 120);
        assert!(broken > 6, "{broken} links of {count} x {count} are broken");
    }
}

/// A block that melts from above meets its own drops, and a rigid ball in it.
#[test]
fn a_block_that_melts_meets_itself() {
    let corner = |index: usize| {
        let at = |bit: usize, low: f64| low + 0.3 * ((index >> bit) & 1) as f64;
        let (x, y, z) = (at(0, -0.15), at(1, -0.15), at(2, 0.01));
        format!(r#"<Node index="{index}" pos="[{x}, {y}, {z}]" />"#)
    };
    let corners: String = (0..8).map(corner).collect();
    let block = format!(
        r#"<Body id="Butter" model="Solid" type="LinearBezierSolid"><Properties timestep="0.01" />
<NaturalShape>{corners}</NaturalShape><Particles grid="[5, 5, 5]"><All mass="0.02" damping="0.05"
tension="[[300, 100, 100], [100, 300, 100], [100, 100, 300]]" /></Particles>
<Process type="Heat" temperature="290" warmth="60 * w" conductivity="5" melts="320" />
<Process type="Fluid" spacing="0.05" repulsion="20" attraction="0.5" viscosity="1" />
<Bind type="Force" ref="G" /><Bind type="Collision" ref="Floor" /></Body>"#
    );
    let objects = r#"<Object id="Floor" type="Plane"><Properties x0="[0, 0, 0]" n="[0, 0, 1]" /></Object>
<Object id="Ball" type="Sphere" motion="Free" density="500" timestep="0.01"><Properties c="[0.02, 0.03, 0.42]"
r="0.06" /><Bind type="Force" ref="G" /></Object>"#;
    let mut world = scene(objects, &block);
    assert!(
        world
            .bodies
            .iter()
            .any(|body| body.can_meet_itself() && body.molten_count() > 0)
    );
    let [_, molten] = run(&mut world, 60);
    assert!(molten > 20, "{molten} nodes are molten");
}

/// A slab on two supports breaks under a ball. Where a step is divided, the pieces of one part of it meet in the
/// next.
#[test]
fn a_slab_that_breaks_under_a_ball_meets_itself_in_every_part_of_a_step() {
    let support = |id: &str, x: f64| {
        format!(
            r#"<Object id="{id}" type="Box"><Properties c="[{x}, 0, 0.13]" size="[0.06, 0.4, 0.26]" /></Object>"#
        )
    };
    let floor = r#"<Object id="Floor" type="Plane" friction="0"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object>"#;
    let ball = r#"<Object id="Ball" type="Sphere" motion="Free" density="2000" velocity="[0, 0, -5]" timestep="0.005">
<Properties c="[0, 0, 0.42]" r="0.07" /><Bind type="Force" ref="G" /></Object>"#;
    let objects = [floor, &support("A", -0.2), &support("B", 0.2), ball].concat();
    let slab = r#"<Body id="Slab" model="Solid" type="Mesh"><Properties timestep="0.005" />
<Mesh cells="[6, 3, 1]"><Box c="[0, 0, 0.3]" size="[0.5, 0.2, 0.06]" /></Mesh>
<Elastic young="5e4" poisson="0.3" density="800" beta="0.002" />
<Process type="Fracture" breaks="Stress" limit="3000" spread="0.1" count="1" /><Bind type="Force" ref="G" />
<Bind type="Collision" ref="A" /><Bind type="Collision" ref="B" /><Bind type="Collision" ref="Floor" /></Body>"#;
    let mut world = scene_of(0.002, &objects, slab);
    let [broken, _] = run(&mut world, 30);
    assert!(broken > 10, "{broken} faces are broken");
}
