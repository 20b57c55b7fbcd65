//! Scenes that say nothing of contact: bodies meet each other where they can.

use pliant::{Workspace, World, lowered_ranges};
use pliant_scene::{bodies_that_begin_close, bodies_that_pass, build, crossings, parse};
use std::path::Path;

/// Two soft cubes with sides of 0.2 m above each other, at a distance, over a floor.
fn scene(contact: &str, properties: [&str; 2], gap: f64) -> String {
    let cube = |id: &str, properties: &str, height: f64| {
        format!(
            "<Body id=\"{id}\" model=\"Solid\" type=\"Mesh\">
               <Properties timestep=\"0.01\" friction=\"0.8\" {properties} />
               <Mesh cells=\"[2, 2, 2]\" position=\"[0, 0, {height}]\">
                 <Bar from=\"[0, 0, 0]\" to=\"[0.2, 0, 0]\" width=\"0.2\" height=\"0.2\" />
               </Mesh>
               <Elastic strain=\"Green\" young=\"1e5\" poisson=\"0.3\" density=\"500\" />
               <Bind type=\"Collision\" ref=\"Floor\" /><Bind type=\"Force\" ref=\"Weight\" /></Body>"
        )
    };
    format!(
        "<EDMConfig id=\"Test\">{contact}<MaterialContainer />
         <ExternalForces><Force id=\"Weight\" type=\"Gravity\">
           <Properties g=\"[0, 0, -9.81]\" /></Force></ExternalForces>
         <RigidObjects><Object id=\"Floor\" type=\"Plane\" scale=\"5\">
           <Properties n=\"[0, 0, 1]\" x0=\"[0, 0, 0]\" /></Object></RigidObjects>
         <DeformableBodies>{}{}</DeformableBodies></EDMConfig>",
        cube("Lower", properties[0], 0.12),
        cube("Upper", properties[1], 0.32 + gap)
    )
}

fn world(text: &str) -> (World, Option<String>) {
    let scene = parse(text, "test.xml").unwrap_or_else(|errors| panic!("{errors}"));
    let world =
        build(&scene, "test.xml", Path::new(".")).unwrap_or_else(|errors| panic!("{errors}"));
    let warning = bodies_that_pass(&scene, &world).map(|warning| warning.message);
    (world, warning)
}

/// Height of the centre of a body.
fn height(world: &World, body: usize) -> f64 {
    let positions = &world.bodies[body].state.positions;
    positions.iter().map(|place| place.z).sum::<f64>() / positions.len() as f64
}

fn run(world: &mut World, steps: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.non_finite), (0, 0));
    }
}

/// A ball of a millimetre does not float two millimetres above the floor.
#[test]
fn small_objects_choose_the_thickness() {
    for (radius, least, most) in [(0.001, 0.0001, 0.0002), (0.1, 0.002, 0.002)] {
        let text = format!(
            "<EDMConfig id=\"Small\"><MaterialContainer /><ExternalForces />
             <RigidObjects><Object id=\"Floor\" type=\"Box\"><Properties c=\"[0, 0, -0.5]\" size=\"[1, 1, 1]\" /></Object>
             <Object id=\"Ball\" type=\"Sphere\" motion=\"Free\"><Properties c=\"[0, 0, 0.2]\" r=\"{radius}\" /></Object>
             </RigidObjects><DeformableBodies /></EDMConfig>"
        );
        let found = world(&text).0.contact.unwrap().thickness;
        assert!(
            found >= least && found <= most,
            "{found} for a radius of {radius}"
        );
    }
}

#[test]
fn a_body_falls_on_another_and_stays_on_it() {
    let (mut unasked, warning) = world(&scene("", ["", ""], 0.05));
    assert_eq!(warning, None);
    let settings = unasked.contact.clone().unwrap();
    assert!(!settings.with_itself);
    run(&mut unasked, 100);
    assert!(crossings(&settings, &unasked.bodies).is_empty());
    let apart = height(&unasked, 1) - height(&unasked, 0);
    assert!((0.15..0.21).contains(&apart), "centres are {apart} m apart");

    let (mut none, warning) = world(&scene("<Contact method=\"None\" />", ["", ""], 0.05));
    assert_eq!((warning, &none.contact), (None, &None));
    run(&mut none, 100);
    let apart = height(&none, 1) - height(&none, 0);
    assert!(apart < 0.05, "they pass through each other: {apart}");
}

#[test]
fn bodies_that_touch_at_the_start_pass_with_a_warning() {
    for gap in [0.0, -0.1] {
        let (world, warning) = world(&scene("", ["", ""], gap));
        let contact = world.contact.expect("others may still meet");
        assert_eq!(contact.exceptions, [[0, 1]]);
        let warning = warning.unwrap();
        assert!(warning.contains("\"Lower\" and \"Upper\""), "{warning}");
    }
}

#[test]
fn integrators_that_cannot_be_shared_leave_bodies_as_they_are() {
    let published = "integrator=\"Explicit\"";
    let cases = [
        ([published, published], "\"Lower\" finds its motion alone"),
        (["integrator=\"Implicit\"", ""], "is not that of the others"),
        (
            ["integrator=\"Newmark\""; 2],
            "\"Lower\" finds its motion alone",
        ),
    ];
    for (properties, why) in cases {
        let (world, warning) = world(&scene("", properties, 0.05));
        assert_eq!(world.contact, None);
        let warning = warning.unwrap();
        assert!(warning.contains(why), "{warning}");
    }
    for shared in ["", "integrator=\"Implicit\"", "integrator=\"TwoStage\""] {
        let (world, warning) = world(&scene("", [shared, shared], 0.05));
        assert!(world.contact.is_some() && warning.is_none(), "{shared}");
    }
}

/// What meets nothing moves as if there were no contact, to the last bit.
#[test]
fn a_body_in_flight_does_not_feel_that_there_is_contact() {
    let (mut unasked, _) = world(&scene("", ["", ""], 2.0));
    let (mut none, _) = world(&scene("<Contact method=\"None\" />", ["", ""], 2.0));
    run(&mut unasked, 30);
    run(&mut none, 30);
    for (a, b) in unasked.bodies.iter().zip(&none.bodies) {
        assert_eq!(a.state.positions, b.state.positions);
        assert_eq!(a.state.velocities, b.state.velocities);
    }
}

#[test]
fn one_body_alone_and_objects_that_move_are_as_before() {
    let text = scene("", ["", ""], 0.05);
    let first = text.find("<Body id=\"Upper\"").unwrap();
    let last = text.find("</DeformableBodies>").unwrap();
    let (alone, warning) = world(&format!("{}{}", &text[..first], &text[last..]));
    assert_eq!((alone.contact, warning), (None, None));
    let moving = "<Contact method=\"None\" /><MaterialContainer /><ExternalForces /><RigidObjects>
                    <Object id=\"Ball\" type=\"Sphere\" motion=\"Free\" density=\"2000\">
                      <Properties c=\"[0, 0, 1]\" r=\"0.1\" /></Object></RigidObjects><DeformableBodies />";
    let none = format!("<EDMConfig id=\"Test\">{moving}</EDMConfig>");
    let refused = parse(&none, "test.xml").unwrap_err().to_string();
    assert!(refused.contains("which meets others"), "{refused}");
}

/// Two cubes a tenth of a millimetre apart, with two centimetres of thickness: a warning names them, and they stay.
#[test]
fn bodies_that_begin_within_the_thickness_are_named() {
    let text = scene("<Contact thickness=\"0.02\" />", ["", ""], 1e-4);
    let text = text.replace("[0, 0, -9.81]", "[0, 0, 0]");
    let scene = parse(&text, "test.xml").unwrap_or_else(|errors| panic!("{errors}"));
    let (mut world, _) = world(&text);
    let said = bodies_that_begin_close(&scene, &world).map(|warning| warning.message);
    let said = said.unwrap_or_default();
    assert!(
        said.contains("\"Lower\" and \"Upper\" (about 1.0e-4 m)"),
        "{said}"
    );
    let contact = world.contact.clone().unwrap();
    let lowered = lowered_ranges(&contact, &world.bodies, &world.obstacles);
    let before = height(&world, 1);
    run(&mut world, 20);
    assert_eq!(world.contact.as_ref().unwrap().lowered, Some(lowered));
    let moved = height(&world, 1) - before;
    assert!(moved.abs() < 1e-6, "{moved} m");
}
