//! Scene text to [`Scene`]: the tree is checked against the language table, then against itself
//! (ids, references, particle indices, shapes). Reading never stops at the first mistake.

mod attributes;
mod bindings;
mod bodies;
mod contact;
mod elements;
mod expectations;
mod forces;
mod grid_elastic;
mod joints;
mod materials;
mod mesh_parts;
mod meshes;
mod objects;
mod operators;
mod particles;
mod parts;
mod processes;
mod setting;
mod shapes;
mod solids;

use crate::diagnostics::{Problem, Reporter, SceneErrors};
use crate::language::{CONFIGURATION, CONTACT};
use crate::overrides::{Override, apply_overrides};
use crate::scene::Scene;
use crate::xml::{Node, read_tree};
pub(crate) use attributes::Values;
use elements::{check_children, own_attributes};

pub use bodies::{BYTES_PER_SOLID_PARTICLE, BYTES_PER_THIN_PARTICLE, MOST_PARTICLES};

/// Reads a scene from text; `file_name` is used in messages only.
///
/// ```
/// let text = r#"<EDMConfig id="Empty">
///   <MaterialContainer /> <ExternalForces /> <RigidObjects /> <DeformableBodies />
/// </EDMConfig>"#;
/// let scene = pliant_scene::parse(text, "empty.xml").unwrap();
/// assert_eq!(scene.id, "Empty");
///
/// let errors = pliant_scene::parse("<EDMConfig/>", "broken.xml").unwrap_err();
/// assert_eq!(errors.errors.len(), 5);
/// ```
pub fn parse(text: &str, file_name: &str) -> Result<Scene, SceneErrors> {
    parse_with_overrides(text, file_name, &[])
}

/// Reads a scene from text, with attributes replaced from outside: each override is the id of an
/// element (or the name of one that stands once, such as `Simulation`), the name of an attribute
/// of the element, of its `Properties`, of its `Particles` or of their `All`, and the value.
pub fn parse_with_overrides(
    text: &str,
    file_name: &str,
    overrides: &[Override],
) -> Result<Scene, SceneErrors> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim().is_empty() {
        let hint = "a scene needs at least an <EDMConfig> element with its four containers";
        return Err(SceneErrors {
            errors: vec![crate::SceneError {
                line: 1,
                column: 1,
                element: String::new(),
                attribute: None,
                message: "the file is empty".to_owned(),
                hint: Some(hint.to_owned()),
            }],
            file: file_name.to_owned(),
        });
    }
    let mut reporter = Reporter::new(text);
    let scene = read_tree(text, &mut reporter)
        .and_then(|mut tree| read_scene(&mut tree, overrides, &mut reporter));
    let warnings = reporter.finish(file_name)?;
    match scene {
        Some(scene) => Ok(Scene { warnings, ..scene }),
        None => Err(SceneErrors::of_file(
            file_name,
            "the scene could not be read",
            None,
        )),
    }
}

fn read_scene(tree: &mut Node, overrides: &[Override], reporter: &mut Reporter) -> Option<Scene> {
    let root_offset = tree.offset;
    let root_name = tree.name.clone();
    let mut found = Vec::new();
    find_configurations(tree, &mut found);
    for again in found.iter().skip(1) {
        let problem = Problem::new("there is more than one <EDMConfig>")
            .with_hint("put each scene into a file of its own");
        reporter.error(*again, "<EDMConfig>", None, problem);
    }
    let Some(configuration) = first_configuration(tree) else {
        let problem = Problem::new("expected an <EDMConfig> element somewhere, found none")
            .with_optional_hint(crate::nearest::did_you_mean(
                &root_name,
                [CONFIGURATION.name],
            ));
        reporter.error(root_offset, "", None, problem);
        return None;
    };
    apply_overrides(configuration, overrides, reporter);
    read_configuration(configuration, reporter)
}

fn find_configurations(node: &Node, found: &mut Vec<usize>) {
    if node.name == CONFIGURATION.name {
        found.push(node.offset);
    }
    for child in &node.children {
        find_configurations(child, found);
    }
}

fn first_configuration(node: &mut Node) -> Option<&mut Node> {
    if node.name == CONFIGURATION.name {
        return Some(node);
    }
    node.children.iter_mut().find_map(first_configuration)
}

fn read_configuration(node: &Node, reporter: &mut Reporter) -> Option<Scene> {
    let label = node.label();
    let values = own_attributes(reporter, node, label.clone(), &CONFIGURATION);
    check_children(reporter, node, &label, &CONFIGURATION);
    let materials = materials::read_materials(reporter, node);
    let forces = forces::read_forces(reporter, node);
    let objects = objects::read_objects(reporter, node, &materials, &forces);
    let names = bindings::Names::new(&materials, &forces, &objects);
    let bodies = bodies::read_bodies(reporter, node, &names);
    let simulation = setting::read_simulation(reporter, node);
    let meeting = contact::read_contact(reporter, node, &bodies, &objects);
    let joints = joints::read_joints(reporter, node, &bodies, &objects);
    let contact_node = node.first(CONTACT.name).unwrap_or(node);
    let contact_location = reporter.locate(contact_node.offset);
    let expected = expectations::read_expected(
        reporter,
        node,
        &bodies,
        &objects,
        &simulation,
        meeting.contact.is_some() || meeting.is_unasked,
    );
    Some(Scene {
        id: values.text("id")?.to_owned(),
        description: setting::read_description(reporter, node),
        simulation,
        contact: meeting.contact,
        meets_unasked: meeting.is_unasked,
        meets_as_usual: meeting.is_usual,
        contact_location,
        repairs_start: meeting.repairs_start,
        joints,
        camera: setting::read_camera(reporter, node),
        lights: setting::read_lights(reporter, node),
        picture: setting::read_picture(reporter, node),
        materials,
        forces,
        objects,
        bodies,
        expected,
        warnings: Vec::new(),
    })
}

/// Reports ids that stand twice among elements of one kind.
pub(crate) fn report_repeated_ids<'a>(
    reporter: &mut Reporter,
    nodes: impl Iterator<Item = &'a Node>,
) {
    let mut seen: std::collections::HashMap<&str, usize> = std::collections::HashMap::new();
    for node in nodes {
        let Some(id) = node.attribute("id") else {
            continue;
        };
        match seen.get(id.value.as_str()) {
            None => {
                seen.insert(&id.value, id.offset);
            }
            Some(&first) => {
                let first = reporter.locate(first);
                let found = crate::diagnostics::quote(&id.value);
                let problem = Problem::new(format!("the id {found} is used twice"))
                    .with_hint(format!("it is first used at {first}; choose another name"));
                reporter.error(id.offset, &node.label(), Some("id"), problem);
            }
        }
    }
}
