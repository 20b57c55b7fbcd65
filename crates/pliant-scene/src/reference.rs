//! The language table as a document to read, with an example of each element.

use crate::language::{Attribute, Element, Kind, Occurs, Presence, SOLIDS, Variant, elements};
use std::fmt::Write;

/// The reference, as it stands in `docs/scene-language.md`.
pub fn reference() -> String {
    let mut text = include_str!("reference_introduction.md").to_owned();
    text.push_str("\n## Elements\n\n");
    for element in elements() {
        let _ = writeln!(
            text,
            "- [`{0}`](#{1}){2}",
            element.name,
            element.name.to_lowercase(),
            mark(element.published)
        );
    }
    for element in elements() {
        section(&mut text, element);
    }
    text
}

fn mark(published: bool) -> &'static str {
    if published { "" } else { " \\+" }
}

fn section(text: &mut String, element: &Element) {
    let _ = write!(text, "\n### {}\n\n{}\n", element.name, element.doc);
    parents(text, element);
    children(text, element);
    if element.own_attributes().next().is_some() {
        text.push_str("\nAttributes:\n\n");
        table(text, element.own_attributes());
    }
    if !element.example.is_empty() {
        example(text, element.example);
    }
    if element.name == "Part" {
        // Its types are those of Object, described there.
        return;
    }
    shared_properties(text, element);
    for variant in element.variants {
        type_section(text, element, variant);
    }
}

fn parents(text: &mut String, element: &Element) {
    let names: Vec<String> = elements()
        .iter()
        .filter(|parent| {
            parent
                .children
                .iter()
                .any(|c| c.element.name == element.name)
        })
        .map(|parent| format!("`{}`", parent.name))
        .collect();
    if !names.is_empty() {
        let _ = write!(text, "\nStands in {}.\n", names.join(", "));
    }
}

fn children(text: &mut String, element: &Element) {
    if element.children.is_empty() {
        return;
    }
    let list: Vec<String> = element
        .children
        .iter()
        .map(|child| {
            let often = match child.occurs {
                Occurs::Once => "once",
                Occurs::Maybe => "at most once",
                Occurs::Many => "any number",
                Occurs::First => "once",
            };
            let whose = match (child.only, child.except) {
                (Some(only), _) => format!(", only with type `{only}`"),
                (_, Some(except)) => format!(", not with type `{except}`"),
                _ => String::new(),
            };
            format!("`{}` ({often}{whose})", child.element.name)
        })
        .collect();
    let _ = write!(text, "\nHolds, in any order: {}.\n", list.join(", "));
}

fn table<'a>(text: &mut String, attributes: impl Iterator<Item = &'a Attribute>) {
    text.push_str("| attribute | value | if left out | meaning |\n|---|---|---|---|\n");
    for attribute in attributes {
        let absent = match attribute.presence {
            Presence::Required => "**must be given**".to_owned(),
            Presence::Optional => "-".to_owned(),
            Presence::Default(default) => format!("`{default}`"),
        };
        let condition = attribute.when.map_or(String::new(), |when| {
            let values: Vec<String> = when.values.iter().map(|v| format!("`{v}`")).collect();
            format!("Only if `{}` is {}. ", when.attribute, values.join(" or "))
        });
        let kind = match attribute.kind {
            Kind::Variant => "one of the types".to_owned(),
            kind => kind.short(),
        };
        let _ = writeln!(
            text,
            "| `{}`{} | {kind} | {absent} | {condition}{} |",
            attribute.name,
            mark(attribute.published),
            attribute.explanation().replace('|', "\\|")
        );
    }
}

/// The groups of attributes that every type has, written once.
fn shared_properties(text: &mut String, element: &Element) {
    let shared = shared_groups(element);
    if shared.is_empty() {
        return;
    }
    let _ = write!(
        text,
        "\nAttributes of the `Properties` of every `{}`:\n\n",
        element.name
    );
    table(text, shared.into_iter().flatten());
}

fn shared_groups(element: &Element) -> Vec<&'static [Attribute]> {
    let Some(first) = element
        .variants
        .first()
        .filter(|_| element.variants.len() > 1)
    else {
        return Vec::new();
    };
    first
        .attributes
        .iter()
        .copied()
        .filter(|group| {
            element
                .variants
                .iter()
                .all(|variant| holds(variant.attributes, group))
        })
        .collect()
}

fn holds(groups: &[&[Attribute]], wanted: &[Attribute]) -> bool {
    groups.iter().any(|group| std::ptr::eq(*group, wanted))
}

fn type_section(text: &mut String, element: &Element, variant: &Variant) {
    let model = variant
        .model
        .map_or(String::new(), |model| format!(" of model `{model}`"));
    let _ = write!(
        text,
        "\n#### {} of type `{}`{model}\n\n{}\n",
        element.name, variant.name, variant.doc
    );
    let shared = shared_groups(element);
    let own: Vec<&Attribute> = variant
        .attributes
        .iter()
        .filter(|group| !holds(&shared, group))
        .flat_map(|group| group.iter())
        .collect();
    if !own.is_empty() {
        text.push_str("\nAttributes of its `Properties`:\n\n");
        table(text, own.into_iter());
    }
    if !variant.example.is_empty() {
        example(text, variant.example);
    }
}

fn example(text: &mut String, xml: &str) {
    let _ = write!(text, "\n```xml\n{xml}\n```\n");
}

/// A complete scene round an example of one element, so that the example can be parsed; `None` if
/// the element is not of the language.
pub fn example_scene(fragment: &str) -> Option<String> {
    let name: String = fragment
        .trim_start()
        .strip_prefix('<')?
        .chars()
        .take_while(|c| c.is_ascii_alphabetic())
        .collect();
    let contact;
    let mut setting = "";
    let mut materials =
        r#"<Material id="Sand" type="Color"><Properties rgb="1, 1, 0.5" /></Material>"#.to_owned();
    let mut forces = r#"<Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force>
        <Force id="Wind" type="Viscous"><Properties c="1" u="[1, 0, 0]" /></Force>"#
        .to_owned();
    let mut objects =
        r#"<Object id="Floor" type="Plane"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object>"#
            .to_owned();
    let mut nodes: Vec<String> = ["[0, 0, 0]", "[1, 0, 0]", "[0, 1, 0]", "[1, 1, 0]"]
        .iter()
        .enumerate()
        .map(|(index, pos)| format!(r#"<Node index="{index}" pos="{pos}" />"#))
        .collect();
    let mut particles = r#"<Particles grid="[10, 10]" />"#.to_owned();
    let mut more = "";
    let mut natural = None;
    let mut body = None;
    let mut containers = [None; 4];
    let mut mesh_model = "Solid";
    let mut mesh_parts = [String::new(), String::new(), String::new()];
    match name.as_str() {
        "EDMConfig" => return Some(fragment.to_owned()),
        "Description" | "Simulation" | "Camera" | "Light" | "Picture" | "Expected" | "Contact" => {
            setting = fragment
        }
        "Without" => {
            contact = format!("<Contact>{fragment}</Contact>");
            setting = &contact;
        }
        "MaterialContainer" => containers[0] = Some(fragment),
        "ExternalForces" => containers[1] = Some(fragment),
        "RigidObjects" => containers[2] = Some(fragment),
        "DeformableBodies" => containers[3] = Some(fragment),
        "Material" => materials = fragment.to_owned(),
        "Force" => forces = fragment.to_owned(),
        "Object" => objects = fragment.to_owned(),
        "Part" => {
            objects =
                format!(r#"<Object id="Parts" type="Union"><Properties />{fragment}</Object>"#);
        }
        "Body" => body = Some(fragment),
        "Mesh" => mesh_parts[0] = fragment.to_owned(),
        "Elastic" => mesh_parts[1] = fragment.to_owned(),
        "Zone" => mesh_parts[1] = format!("<Elastic>{fragment}</Elastic>"),
        "Fixed" | "Core" | "Skin" => mesh_parts[2] = fragment.to_owned(),
        "Branch" => {
            mesh_parts[2] = format!("<Process type=\"Prony\">{fragment}</Process>");
        }
        "Pose" => {
            mesh_parts[2] = format!(
                "<Core motion=\"Path\"><Sphere r=\"0.1\" /><Pose time=\"0\" />{fragment}</Core>"
            );
        }
        "Rectangle" => {
            mesh_parts = [
                format!("<Mesh cells=\"[8, 4]\">{fragment}</Mesh>"),
                "<Elastic />".to_owned(),
                String::new(),
            ];
            mesh_model = "Surface";
        }
        solid if SOLIDS.iter().any(|child| child.element.name == solid) => {
            mesh_parts[0] = format!("<Mesh resolution=\"0.1\">{fragment}</Mesh>");
        }
        "Bind" | "InitialShape" | "Process" => more = fragment,
        "NaturalShape" => natural = Some(fragment),
        "Node" => nodes[3] = fragment.to_owned(),
        "Particles" => particles = fragment.to_owned(),
        "All" | "Single" | "Region" | "Field" => {
            particles = format!(r#"<Particles grid="[10, 10]">{fragment}</Particles>"#);
        }
        _ => return None,
    }
    let natural = natural.map_or_else(
        || format!("<NaturalShape>{}</NaturalShape>", nodes.concat()),
        str::to_owned,
    );
    let sheet = format!(
        r#"<Body id="Sheet" model="Surface" type="GenericBezierPatch">
        <Properties timestep="0.01" order="1" />{natural}{particles}{more}</Body>"#
    );
    let is_mesh = mesh_parts.iter().any(|part| !part.is_empty());
    for (part, missing) in mesh_parts.iter_mut().zip([
        r#"<Mesh resolution="0.1"><Sphere r="1" /></Mesh>"#,
        "<Elastic />",
    ]) {
        if part.is_empty() {
            *part = missing.to_owned();
        }
    }
    let mesh = format!(
        r#"<Body id="Sheet" model="{mesh_model}" type="Mesh">
        <Properties timestep="0.01" />{}</Body>"#,
        mesh_parts.concat()
    );
    let sheet = if is_mesh { mesh } else { sheet };
    let contents = [&materials, &forces, &objects, body.unwrap_or(&sheet)];
    let names = [
        "MaterialContainer",
        "ExternalForces",
        "RigidObjects",
        "DeformableBodies",
    ];
    let filled: String = (0..4)
        .map(|i| match containers[i] {
            Some(fragment) => fragment.to_owned(),
            None => format!("<{0}>{1}</{0}>\n", names[i], contents[i]),
        })
        .collect();
    Some(format!(
        "<EDMConfig id=\"Example\">\n{setting}\n{filled}</EDMConfig>"
    ))
}
