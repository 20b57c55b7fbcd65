//! `Description`, `Simulation`, `Camera`, `Light` and `Picture`.

use super::elements::{check_children, own_attributes};
use crate::diagnostics::{Problem, Reporter};
use crate::language::{CAMERA, DESCRIPTION, LIGHT, PICTURE, SIMULATION};
use crate::scene::{Camera, Light, LightSource, Picture, PictureStyle, Simulation};
use crate::xml::Node;
use glam::DVec3;

/// The most frames of one run.
const MOST_FRAMES: f64 = 10_000_000.0;

pub(super) fn read_description(reporter: &mut Reporter, configuration: &Node) -> String {
    let Some(node) = configuration.first(DESCRIPTION.name) else {
        return String::new();
    };
    own_attributes(reporter, node, node.label(), &DESCRIPTION);
    check_children(reporter, node, &node.label(), &DESCRIPTION);
    let words: Vec<&str> = node.text.split_whitespace().collect();
    words.join(" ")
}

pub(super) fn read_simulation(reporter: &mut Reporter, configuration: &Node) -> Simulation {
    let absent = Node::named(SIMULATION.name, configuration.offset);
    let node = configuration.first(SIMULATION.name).unwrap_or(&absent);
    let values = own_attributes(reporter, node, node.label(), &SIMULATION);
    check_children(reporter, node, &node.label(), &SIMULATION);
    let simulation = Simulation {
        duration: values.number("duration"),
        fps: values.number("fps"),
        threads: values.optional_count("threads").map(|count| count as usize),
        bounds: values.number("bounds"),
    };
    let frames = simulation.duration * simulation.fps;
    if frames > MOST_FRAMES {
        let message = format!("the run would have {frames:.3e} frames; at most {MOST_FRAMES:e}");
        let name = if values.is_given("fps") {
            "fps"
        } else {
            "duration"
        };
        values.wrong(reporter, name, Problem::new(message));
    }
    simulation
}

pub(super) fn read_camera(reporter: &mut Reporter, configuration: &Node) -> Option<Camera> {
    let node = configuration.first(CAMERA.name)?;
    let values = own_attributes(reporter, node, node.label(), &CAMERA);
    check_children(reporter, node, &node.label(), &CAMERA);
    let eye = values.optional_vector("eye")?;
    let target = values.optional_vector("target")?;
    let up = values.optional_vector("up")?;
    let view = target - eye;
    let largest = view.abs().max_element();
    if largest == 0.0 {
        let problem = Problem::new("eye and target are the same point");
        values.wrong(reporter, "eye", problem);
    } else if (view / largest).normalize().cross(up).length() < 1e-9 {
        let problem = Problem::new("the camera looks along `up`, so that up is not defined")
            .with_hint("choose another `up`, for example up=\"[0, 1, 0]\"");
        values.wrong(reporter, "up", problem);
    }
    Some(Camera {
        eye,
        target,
        up,
        fov: values.number("fov").to_radians(),
    })
}

pub(super) fn read_lights(reporter: &mut Reporter, configuration: &Node) -> Vec<Light> {
    let mut lights = Vec::new();
    for node in configuration.all(LIGHT.name) {
        let values = own_attributes(reporter, node, node.label(), &LIGHT);
        check_children(reporter, node, &node.label(), &LIGHT);
        if values.is_given("pos") == values.is_given("direction") {
            let problem = Problem::new("expected either `pos` or `direction`, not both or neither");
            reporter.error(node.offset, &node.label(), None, problem);
        }
        let position = values.optional_vector("pos").map(LightSource::Position);
        let direction = values.optional_vector("direction");
        let source = position.or(direction.map(LightSource::Direction));
        lights.push(Light {
            source: source.unwrap_or(LightSource::Direction(DVec3::NEG_Z)),
            intensity: values.number("intensity"),
            shadows: values
                .optional_boolean("shadows")
                .unwrap_or(lights.is_empty()),
        });
    }
    lights
}

pub(super) fn read_picture(reporter: &mut Reporter, configuration: &Node) -> Picture {
    let absent = Node::named(PICTURE.name, configuration.offset);
    let node = configuration.first(PICTURE.name).unwrap_or(&absent);
    let values = own_attributes(reporter, node, node.label(), &PICTURE);
    check_children(reporter, node, &node.label(), &PICTURE);
    let side = |name: &str, default: usize| {
        let count = values.optional_count(name).map(|count| count as usize);
        count.unwrap_or(default)
    };
    let has_size = values.is_given("width") || values.is_given("height");
    Picture {
        style: values.choice("style", PictureStyle::from_name),
        field: values.text("field").map(str::to_owned),
        size: has_size.then(|| (side("width", 1280), side("height", 720))),
        ground: match values.word("ground") {
            Some("Yes") => Some(true),
            Some("No") => Some(false),
            _ => None,
        },
        level: values.optional_number("level"),
        poster: values.optional_number("poster"),
        motion_blur: values
            .optional_count("motionblur")
            .map(|count| count as usize),
        background: values
            .optional_vector("background")
            .map(|color| color.to_array()),
        thickness: values.number("thickness"),
        acts: values.boolean("acts"),
    }
}
