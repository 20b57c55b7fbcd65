//! `Contact`: what is read, and what is refused.

use pliant_scene::{build, parse};
use std::path::Path;

/// Two sheets, the second turned upright at a height, with some `Contact` and properties of the first.
fn scene(contact: &str, properties: &str, height: f64) -> String {
    let sheet = |id: &str, properties: &str, corners: [[f64; 3]; 4]| {
        let nodes = corners.iter().enumerate().map(|(index, [x, y, z])| {
            format!("<Node index=\"{index}\" pos=\"[{x}, {y}, {z}]\" />")
        });
        format!(
            "<Body id=\"{id}\" model=\"Surface\" type=\"GenericBezierPatch\">
               <Properties timestep=\"0.01\" order=\"1\" {properties} />
               <NaturalShape>{}</NaturalShape><Particles grid=\"[4, 4]\" /></Body>",
            nodes.collect::<String>()
        )
    };
    let flat = [
        [0.0, 0.0, 0.0],
        [1.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [1.0, 1.0, 0.0],
    ];
    let upright = [
        [0.2, 0.45, height],
        [0.8, 0.45, height],
        [0.2, 0.55, height + 1.0],
        [0.8, 0.55, height + 1.0],
    ];
    format!(
        "<EDMConfig id=\"Test\">{contact}<MaterialContainer /><ExternalForces /><RigidObjects />
         <DeformableBodies>{}{}</DeformableBodies></EDMConfig>",
        sheet("Flat", properties, flat),
        sheet("Upright", "", upright)
    )
}

/// What a scene is refused with; empty if it is built.
fn refused(text: &str) -> String {
    let scene = match parse(text, "test.xml") {
        Ok(scene) => scene,
        Err(errors) => return errors.to_string(),
    };
    match build(&scene, "test.xml", Path::new(".")) {
        Ok(_) => String::new(),
        Err(errors) => errors.to_string(),
    }
}

#[test]
fn settings_are_those_of_the_element() {
    let text = "<Contact thickness=\"0.01\" friction=\"0.4\" sticking=\"0.002\" self=\"No\">
                  <Without body=\"Upright\" other=\"Flat\" />
                </Contact>";
    let parsed = parse(&scene(text, "", 0.1), "test.xml").unwrap();
    let contact = parsed.contact.as_ref().unwrap();
    let numbers = [contact.thickness, contact.friction, contact.smoothing_speed];
    assert_eq!(numbers, [0.01, 0.4, 0.002]);
    assert!(!contact.with_itself && contact.exceptions == [[1, 0]]);
    let world = build(&parsed, "test.xml", Path::new(".")).unwrap();
    assert_eq!(world.contact, parsed.contact);
    assert!(
        parse(&scene("", "", 0.1), "test.xml")
            .unwrap()
            .contact
            .is_none()
    );
}

#[test]
fn surfaces_that_cross_at_the_start_are_refused_with_names_and_place() {
    let message = refused(&scene("<Contact />", "", -0.5));
    for part in ["Flat", "Upright", "cross at the start", "near ["] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(refused(&scene("<Contact />", "", 0.1)), "");
    let without = "<Contact><Without body=\"Flat\" other=\"Upright\" /></Contact>";
    assert_eq!(refused(&scene(without, "", -0.5)), "");
    assert_eq!(refused(&scene("", "", -0.5)), "");
}

#[test]
fn bodies_that_move_alone_are_refused() {
    for properties in [
        "formulation=\"Hybrid\" coriolis=\"No\"",
        "integrator=\"SemiImplicit\"",
        "integrator=\"Explicit\"",
    ] {
        let message = refused(&scene("<Contact />", properties, 0.1));
        assert!(
            message.contains("cannot meet other bodies"),
            "{properties}: {message}"
        );
        assert!(
            message.contains("Flat") && !message.contains("Upright"),
            "{message}"
        );
    }
}

#[test]
fn exceptions_name_bodies_that_exist() {
    let without = "<Contact><Without body=\"Flat\" other=\"Uprigth\" /></Contact>";
    let message = refused(&scene(without, "", 0.1));
    assert!(
        message.contains("Uprigth") && message.contains("Upright"),
        "{message}"
    );
}

#[test]
fn forces_act_once_on_an_object_that_moves() {
    let scene = |shape: &str| {
        let text = format!(
            r#"<EDMConfig id="S"><MaterialContainer />
               <ExternalForces><Force id="Push" type="Thruster"><Properties f="[6, 0, 0]" /></Force></ExternalForces>
               <RigidObjects><Object id="A" motion="Free" mass="2" {shape}<Bind type="Force" ref="Push" /></Object></RigidObjects>
               <DeformableBodies></DeformableBodies></EDMConfig>"#
        );
        let scene = parse(&text, "s.xml").unwrap();
        build(&scene, "s.xml", Path::new(".")).unwrap()
    };
    for shape in [
        r#"type="Sphere"><Properties c="[0, 0, 0]" r="0.1" />"#,
        r#"type="Box"><Properties c="[0, 0, 0]" size="[0.1, 0.2, 0.3]" />"#,
    ] {
        let mut world = scene(shape);
        let mut workspace = pliant::Workspace::new(&world);
        for _ in 0..10 {
            world.step(&mut workspace);
        }
        let momentum = world.bodies[0].momentum();
        assert!((momentum.x - 0.6).abs() < 1e-9, "{momentum}");
    }
}

#[test]
fn bodies_that_overlap_are_moved_apart_on_request() {
    let repair = "<Contact repair=\"Yes\" />";
    // Sheets that cross, in a scene that is refused without it.
    assert_ne!(refused(&scene("<Contact />", "", -0.5)), "");
    assert_eq!(refused(&scene(repair, "", -0.5)), "");
    // Boxes that cross, coincide, enclose each other, and lie in the floor.
    let boxes = |contact: &str, places: &[[f64; 4]]| {
        let object = |(index, [x, y, z, size]): (usize, &[f64; 4])| {
            format!(
                "<Object id=\"B{index}\" type=\"Box\" motion=\"Free\" density=\"100\"><Properties \
                 c=\"[{x}, {y}, {z}]\" size=\"[{size}, {size}, {size}]\" /></Object>"
            )
        };
        let objects: String = places.iter().enumerate().map(object).collect();
        format!(
            "<EDMConfig id=\"T\">{contact}<MaterialContainer /><ExternalForces /><RigidObjects>\
             <Object id=\"Floor\" type=\"Plane\"><Properties n=\"[0, 0, 1]\" x0=\"[0, 0, 0]\" /></Object>\
             {objects}</RigidObjects><DeformableBodies /></EDMConfig>"
        )
    };
    for places in [
        &[[0.0, 0.0, 1.0, 0.2], [0.1, 0.03, 1.05, 0.2]][..],
        &[[0.0, 0.0, 1.0, 0.2], [0.2, 0.0, 1.0, 0.2]],
        &[[0.0, 0.0, 1.0, 0.4], [0.02, 0.0, 1.0, 0.1]],
        &[
            [0.0, 0.0, 1.0, 0.2],
            [0.1, 0.0, 1.1, 0.2],
            [0.0, 0.1, 1.1, 0.2],
        ],
    ] {
        assert_ne!(refused(&boxes("<Contact />", places)), "", "{places:?}");
        assert_eq!(refused(&boxes(repair, places)), "", "{places:?}");
        let parsed = parse(&boxes(repair, places), "test.xml").unwrap();
        let world = build(&parsed, "test.xml", Path::new(".")).unwrap();
        // Equal masses: the common centre stays.
        let centre = |body: &pliant::Body| {
            let sum: glam::DVec3 = body.state.positions.iter().sum();
            sum / body.node_count() as f64
        };
        if places[0][3] == places[1][3] {
            let before: glam::DVec3 = places
                .iter()
                .map(|[x, y, z, _]| glam::DVec3::new(*x, *y, *z))
                .sum();
            let after: glam::DVec3 = world.bodies.iter().map(centre).sum();
            assert!(before.distance(after) < 1e-9, "{before} {after}");
        }
    }
}
