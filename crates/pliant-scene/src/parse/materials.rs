//! `MaterialContainer`.

use super::elements::{Instance, instances, read_instance};
use crate::diagnostics::Reporter;
use crate::language::{MATERIAL, MATERIAL_CONTAINER};
use crate::scene::{Look, Material};
use crate::xml::Node;

pub(super) fn read_materials(reporter: &mut Reporter, configuration: &Node) -> Vec<Material> {
    instances(reporter, configuration, &MATERIAL_CONTAINER, &MATERIAL)
        .into_iter()
        .filter_map(|node| read_material(reporter, node))
        .collect()
}

fn read_material(reporter: &mut Reporter, node: &Node) -> Option<Material> {
    let Instance {
        values,
        variant,
        properties,
        ..
    } = read_instance(reporter, node, node.label(), &MATERIAL);
    // A material with mistakes still has a name that others may refer to.
    let look = match (variant.map(|variant| variant.name), properties) {
        (Some("Texture"), Some(properties)) => {
            Look::Texture(properties.text("file").unwrap_or_default().to_owned())
        }
        (Some("Pattern"), Some(properties)) => {
            Look::Pattern(properties.word("pattern").unwrap_or_default().to_owned())
        }
        (_, Some(properties)) => Look::Color(properties.vector("rgb").to_array()),
        _ => Look::Color([0.5; 3]),
    };
    Some(Material {
        id: values.text("id")?.to_owned(),
        location: reporter.locate(node.offset),
        look,
    })
}
