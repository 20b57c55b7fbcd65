//! `MaterialContainer`.

use super::elements::{check_children, own_attributes, read_properties, read_variant};
use super::report_repeated_ids;
use crate::diagnostics::Reporter;
use crate::language::{MATERIAL, MATERIAL_CONTAINER};
use crate::scene::{Look, Material};
use crate::xml::Node;

pub(super) fn read_materials(reporter: &mut Reporter, configuration: &Node) -> Vec<Material> {
    let Some(container) = configuration.first(MATERIAL_CONTAINER.name) else {
        return Vec::new();
    };
    let label = container.label();
    own_attributes(reporter, container, label.clone(), &MATERIAL_CONTAINER);
    check_children(reporter, container, &label, &MATERIAL_CONTAINER);
    report_repeated_ids(reporter, container.all(MATERIAL.name));
    container
        .all(MATERIAL.name)
        .filter_map(|node| read_material(reporter, node))
        .collect()
}

fn read_material(reporter: &mut Reporter, node: &Node) -> Option<Material> {
    let label = node.label();
    let values = own_attributes(reporter, node, label.clone(), &MATERIAL);
    check_children(reporter, node, &label, &MATERIAL);
    let variant = read_variant(reporter, &values, &MATERIAL);
    let properties = read_properties(reporter, node, &label, &MATERIAL, variant);
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
