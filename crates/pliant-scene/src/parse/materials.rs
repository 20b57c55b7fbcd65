//! `MaterialContainer`.

use super::attributes::Values;
use super::elements::{Instance, instances, read_instance};
use crate::diagnostics::Reporter;
use crate::language::{MATERIAL, MATERIAL_CONTAINER};
use crate::scene::{Look, Material};
use crate::xml::Node;
use pliant::frame::Finish;

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
    let look = match (variant.map(|variant| variant.name), &properties) {
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
        finish: properties.as_ref().and_then(finish),
        image_width: properties
            .as_ref()
            .filter(|_| !matches!(look, Look::Color(_)))
            .and_then(|values| values.optional_number("width")),
        look,
    })
}

/// The finish that is named, with what is said besides; `None` if nothing is said.
fn finish(values: &Values) -> Option<Finish> {
    let named = values.word("finish").and_then(Finish::preset);
    let given = [
        "roughness",
        "metallic",
        "opacity",
        "sheen",
        "subsurface",
        "glow",
    ]
    .map(|name| values.optional_number(name));
    if named.is_none() && given.iter().all(Option::is_none) {
        return None;
    }
    let base = named.unwrap_or(Finish::PLAIN);
    let [roughness, metallic, opacity, sheen, subsurface, glow] = given;
    Some(Finish {
        roughness: roughness.unwrap_or(base.roughness),
        metallic: metallic.unwrap_or(base.metallic),
        opacity: opacity.unwrap_or(base.opacity),
        sheen: sheen.unwrap_or(base.sheen),
        subsurface: subsurface.unwrap_or(base.subsurface),
        glow: glow.unwrap_or(base.glow),
    })
}

#[cfg(test)]
mod tests {
    use crate::language::FINISHES;
    use pliant::frame::Finish;

    #[test]
    fn the_language_knows_every_finish() {
        let known: Vec<&str> = Finish::PRESETS.iter().map(|preset| preset.name).collect();
        assert_eq!(FINISHES, known);
    }
}
