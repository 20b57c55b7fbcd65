//! Scenes with the constructs of [Thesis] section 4.4, read with the published meanings.

use glam::DVec3;
use pliant::force::Spring;
use pliant::obstacle::{Cylinder, Plane, Torus};
use pliant_scene::scene::{Look, Model, Object, Particle, ParticleRule, Selection, Shape};
use pliant_scene::{Scene, parse, parse_with_overrides, read};

const MATERIALS_FORCES_OBJECTS: &str = include_str!("published_objects.xml");
const CLOTH: &str = include_str!("published_cloth.xml");
const SOLIDS: &str = include_str!("published_solids.xml");

fn scene(text: &str) -> Scene {
    parse(text, "published.xml").unwrap_or_else(|errors| panic!("{errors}"))
}

#[test]
fn materials_forces_and_objects() {
    let scene = scene(MATERIALS_FORCES_OBJECTS);
    assert_eq!(scene.id, "MyConfiguration");
    assert_eq!(scene.materials.len(), 4);
    assert_eq!(scene.materials[0].look, Look::Color([1.0, 0.0, 0.0]));
    assert_eq!(
        scene.materials[2].look,
        Look::Texture("textures/crate.bmp".to_owned())
    );
    let forces: Vec<String> = scene
        .forces
        .iter()
        .map(|force| format!("{:?}", force.force))
        .collect();
    let spring = Spring::to_point(10.0, DVec3::ZERO);
    assert_eq!(
        forces[0],
        "Gravity { acceleration: DVec3(0.0, 0.0, -9.82) }"
    );
    assert_eq!(forces[1], format!("{spring:?}"));
    assert!(forces[2].contains("strength: 25.0"), "{}", forces[2]);
    assert!(
        forces[2].contains("DVec3(8.0, 10.0, 0.75)"),
        "{}",
        forces[2]
    );
    let shape = |index: usize| format!("{:?}", scene.objects[index].obstacle.surface);
    let pole = &scene.objects[0];
    let open = Cylinder::open(DVec3::ZERO, 4.0, 0.35).unwrap();
    assert_eq!(shape(0), format!("{open:?}"));
    let place = |object: &Object| object.obstacle.world_from_obstacle().translation;
    assert_eq!(place(pole), DVec3::new(2.0, 0.0, 0.0));
    assert_eq!(pole.material, Some(3));
    let floor = &scene.objects[1];
    let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    assert_eq!(shape(1), format!("{plane:?}"));
    assert_eq!(place(floor).z, -4.0);
    assert_eq!((floor.obstacle.scale, floor.obstacle.visible), (1.0, true));
    assert_eq!(scene.objects[2].obstacle.scale, 0.9);
    let torus = Torus::new(DVec3::ZERO, 1.1, 0.4).unwrap();
    assert_eq!(shape(3), format!("{torus:?}"));
    assert!(!scene.objects[3].obstacle.visible);
    assert_eq!(scene.warnings, []);
}

#[test]
fn cloth() {
    let scene = scene(CLOTH);
    assert_eq!(scene.id, "Cloth");
    let body = &scene.bodies[0];
    assert_eq!(body.model, Model::Surface);
    assert_eq!(body.grid, [10, 10, 1]);
    assert_eq!(body.periodic, [false; 3]);
    assert_eq!(body.properties.number("timestep"), 0.02);
    let Shape::Bezier {
        order,
        control_points,
    } = &body.natural_shape
    else {
        panic!("not a Bézier shape");
    };
    assert_eq!(*order, 1);
    assert_eq!(control_points[2], DVec3::new(-2.0, 2.0, 0.0));
    assert!(body.initial_shape.is_some());
    let particles = body.resolve_particles(&mut |_, _| 1.0).unwrap();
    assert_eq!(particles.len(), 100);
    assert!(particles[0].fixed && particles[9].fixed && !particles[90].fixed);
    assert_eq!((particles[5].mass, particles[5].damping), (5.0, 2.0));
    assert_eq!(particles[5].rigidity[1][1], 0.01);
    assert_eq!(particles[5].tension[0][2], 0.0);
    // A particle index names the first direction first.
    assert_eq!(body.forces[1].particle, Some([9, 0, 0]));
    assert_eq!(body.forces[0].particle, None);
    assert_eq!(body.collisions, [0]);
    assert_eq!(body.material, Some(0));
    // Of two Properties nodes the first counts; the second is pointed at.
    assert_eq!(scene.warnings.len(), 1);
    assert!(scene.warnings[0].message.contains("only the first"));

    let pipe = &scene.bodies[1];
    assert_eq!(pipe.periodic, [true, false, false]);
    let default = pipe.resolve_particles(&mut |_, _| 1.0).unwrap();
    assert!(default.iter().all(|&p| p == Particle::default()));
}

#[test]
fn solids_and_ellipsoids() {
    let scene = scene(SOLIDS);
    let brick = &scene.bodies[0];
    assert_eq!(brick.model, Model::Solid);
    assert_eq!(brick.grid, [5, 5, 5]);
    assert_eq!(brick.periodic, [true, false, false]);
    let rule = &brick.particles[1];
    let ParticleRule::Set { selection, .. } = rule else {
        panic!("not a rule");
    };
    assert_eq!(*selection, Selection::Single([1, 1, 1]));
    assert_eq!(
        scene.bodies[1].natural_shape,
        Shape::Ellipsoid {
            axes: DVec3::new(1.5, 1.0, 0.5),
            centre: DVec3::new(0.0, 0.0, 3.0),
            opening: None
        }
    );
    assert_eq!(scene.bodies[2].model, Model::Solid);
    assert_eq!(scene.warnings.len(), 1, "rigidity of a solid is not used");
}

#[test]
fn overrides_reach_elements_properties_and_particles() {
    let set = |target: &str, attribute: &str, value: &str| {
        (target.to_owned(), attribute.to_owned(), value.to_owned())
    };
    let overrides = [
        set("Sheet", "timestep", "0.005"),
        set("Sheet", "mass", "3"),
        set("Pipe", "damping", "0.25"),
        set("Gravity", "g", "[0, 0, -1]"),
        set("Jack", "epsilon", "0.5"),
        set("Simulation", "duration", "2"),
    ];
    let scene = parse_with_overrides(CLOTH, "cloth.xml", &overrides).unwrap();
    assert_eq!(scene.bodies[0].properties.number("timestep"), 0.005);
    let particles = scene.bodies[0].resolve_particles(&mut |_, _| 1.0).unwrap();
    assert_eq!((particles[7].mass, particles[7].damping), (3.0, 2.0));
    let particles = scene.bodies[1].resolve_particles(&mut |_, _| 1.0).unwrap();
    assert_eq!(particles[7].damping, 0.25);
    assert_eq!(scene.objects[0].obstacle.epsilon, 0.5);
    assert_eq!(scene.simulation.duration, 2.0);
    let gravity = format!("{:?}", scene.forces[0].force);
    assert!(gravity.ends_with("0.0, -1.0) }"), "{gravity}");

    let wrong = [
        set("Shet", "mass", "3"),
        set("Sheet", "mas", "3"),
        set("Sheet", "timestep", "fast"),
    ];
    let errors = parse_with_overrides(CLOTH, "cloth.xml", &wrong).unwrap_err();
    let text = errors.to_string();
    assert_eq!(errors.errors.len(), 3, "{text}");
    assert!(text.contains("did you mean `Sheet`?"), "{text}");
    assert!(text.contains("did you mean `mass`?"), "{text}");
    assert!(text.contains("by an override"), "{text}");
}

#[test]
fn fields_multiply_in_order_and_check_what_comes_out() {
    let fields = |fields: &str| {
        let text = CLOTH.replace("<Particles grid=\"[8,4]\" />", &{
            format!("<Particles grid=\"[8,4]\"><All mass=\"2\" />{fields}</Particles>")
        });
        parse(&text, "fields.xml")
    };
    let scene = fields(
        "<Field target=\"mass\" rule=\"1 + v\" />
         <Field target=\"mass\" image=\"grey.png\" low=\"1\" high=\"3\" />
         <Region from=\"[0,3]\" to=\"[0,3]\" mass=\"7\" />",
    )
    .unwrap();
    let particles = scene.bodies[1].resolve_particles(&mut |path, _| {
        assert_eq!(path, "grey.png");
        0.5
    });
    let particles = particles.unwrap();
    assert_eq!(particles[0].mass, 4.0);
    assert_eq!(particles[8 * 3 + 1].mass, 8.0);
    assert_eq!(particles[8 * 3].mass, 7.0);
    // The pipe is closed in its first direction: eight intervals for eight particles.
    assert_eq!(
        scene.bodies[1].material_coordinates([4, 3, 0]),
        [0.5, 1.0, 0.0]
    );

    let hidden = fields("<Field target=\"mass\" image=\"grey.pgm\" />").unwrap();
    let error = hidden.bodies[1]
        .resolve_particles(&mut |_, _| 0.0)
        .unwrap_err();
    assert!(error.to_string().contains("mass becomes 0"), "{error}");
    let text = fields("<Field target=\"mass\" rule=\"u - 0.5\" />")
        .unwrap_err()
        .to_string();
    assert!(text.contains("positive factor"), "{text}");
}

#[test]
fn the_main_node_need_not_be_the_root() {
    let text = format!(
        "<?xml version=\"1.0\"?>\n<Library><Other />{}</Library>",
        CLOTH.trim_start()
    );
    assert_eq!(scene(&text).id, "Cloth");
}

#[test]
fn files_that_are_no_scenes() {
    let folder = std::env::temp_dir().join(format!("pliant-scene-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let refused = |name: &str, bytes: Option<&[u8]>| {
        let path = folder.join(name);
        if let Some(bytes) = bytes {
            std::fs::write(&path, bytes).unwrap();
        }
        read(&path).unwrap_err().to_string()
    };
    assert!(refused("missing.xml", None).contains("cannot read"));
    assert!(refused("", None).contains("found a directory"));
    assert!(refused("empty.xml", Some(b"")).contains("the file is empty"));
    assert!(refused("blank.xml", Some(b" \n\t")).contains("the file is empty"));
    assert!(refused("mark.xml", Some(b"\xef\xbb\xbf")).contains("the file is empty"));
    assert!(refused("binary.xml", Some(&[0x7f, b'E', 0, 0xff, 0x80])).contains("binary data"));
    assert!(refused("latin.xml", Some(b"<a>\n\xe4</a>")).contains("in line 2"));
    assert!(refused("half.xml", Some(&[0xff, 0xfe, 0x3c])).contains("UTF-16"));
    let nested = "<a>".repeat(10_000);
    assert!(refused("nested.xml", Some(nested.as_bytes())).contains("nested deeper"));

    let large = folder.join("large.xml");
    let file = std::fs::File::create(&large).unwrap();
    file.set_len(pliant_scene::LARGEST_FILE + 1).unwrap();
    assert!(read(&large).unwrap_err().to_string().contains("64 MB"));

    let accepted = |name: &str, bytes: Vec<u8>| {
        let path = folder.join(name);
        std::fs::write(&path, bytes).unwrap();
        assert_eq!(read(&path).unwrap().id, "Cloth");
    };
    accepted("mark8.xml", [b"\xef\xbb\xbf", CLOTH.as_bytes()].concat());
    let units = || std::iter::once(0xfeff).chain(CLOTH.encode_utf16());
    accepted("little.xml", units().flat_map(u16::to_le_bytes).collect());
    accepted("big.xml", units().flat_map(u16::to_be_bytes).collect());
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn objects_turn_about_their_axis_first_and_then_towards_it() {
    let text = MATERIALS_FORCES_OBJECTS.replace(
        "<Properties a=\"0.4\"",
        "<Properties axis=\"[2, 0, 0]\" angle=\"90\" a=\"0.4\"",
    );
    let turn = scene(&text).objects[3]
        .obstacle
        .world_from_obstacle()
        .rotation;
    let near = |a: DVec3, b: DVec3| (a - b).length() < 1e-12;
    assert!(near(turn * DVec3::Z, DVec3::X));
    // x turns to y about the own axis, and y stays y when z is tilted to x.
    assert!(near(turn * DVec3::X, DVec3::Y));
    assert!(near(turn * DVec3::Y, DVec3::Z));
}
