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
    let attributes: Vec<&Attribute> = variant
        .attributes
        .iter()
        .filter(|group| !holds(&shared, group))
        .flat_map(|group| group.iter())
        .collect();
    if !attributes.is_empty() {
        text.push_str("\nAttributes of its `Properties`:\n\n");
        table(text, attributes.into_iter());
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
    if name == "EDMConfig" {
        return Some(fragment.to_owned());
    }
    let mut scene = Surroundings::new();
    scene.place(&name, fragment)?;
    Some(scene.write())
}

/// The parts of a small scene, one of which is or holds an example.
struct Surroundings {
    /// What stands before the containers.
    setting: String,
    /// Materials, forces, objects.
    contents: [String; 3],
    /// Whole containers in place of those that are made.
    containers: [Option<String>; 4],
    /// A whole body in place of the one that is made.
    body: Option<String>,
    /// Of a sheet: a whole natural shape, its nodes, its particles, what else is in it.
    natural: Option<String>,
    nodes: Vec<String>,
    particles: String,
    more: String,
    /// Of a body over a mesh: its mesh, its material, what else is in it.
    mesh_parts: [String; 3],
    mesh_model: &'static str,
}

impl Surroundings {
    fn new() -> Self {
        let corners = ["[0, 0, 0]", "[1, 0, 0]", "[0, 1, 0]", "[1, 1, 0]"];
        let node = |(index, pos)| format!(r#"<Node index="{index}" pos="{pos}" />"#);
        Self {
            setting: String::new(),
            contents: [
                r#"<Material id="Sand" type="Color"><Properties rgb="1, 1, 0.5" /></Material>"#,
                r#"<Force id="Gravity" type="Gravity"><Properties g="[0, 0, -9.81]" /></Force>
        <Force id="Wind" type="Viscous"><Properties c="1" u="[1, 0, 0]" /></Force>"#,
                r#"<Object id="Floor" type="Plane"><Properties n="[0, 0, 1]" x0="[0, 0, 0]" /></Object>"#,
            ]
            .map(str::to_owned),
            containers: [const { None }; 4],
            body: None,
            natural: None,
            nodes: corners.iter().enumerate().map(node).collect(),
            particles: r#"<Particles grid="[10, 10]" />"#.to_owned(),
            more: String::new(),
            mesh_parts: [const { String::new() }; 3],
            mesh_model: "Solid",
        }
    }

    /// Puts an example where it belongs, if it belongs anywhere.
    fn place(&mut self, name: &str, fragment: &str) -> Option<()> {
        let as_it_is = || fragment.to_owned();
        match name {
            "Description" | "Simulation" | "Camera" | "Light" | "Picture" | "Expected"
            | "Contact" | "Joints" => self.setting = as_it_is(),
            "Taper" | "Twist" | "Bend" | "Stretch" | "Lattice" => self.nodes.push(as_it_is()),
            "Control" | "Move" => {
                let lattice = r#"<Lattice box="[[0, 0, 0], [1, 1, 2]]" points="[3, 3, 4]">"#;
                self.nodes.push(format!("{lattice}{fragment}</Lattice>"));
            }
            "Joint" => self.setting = format!("<Joints>{fragment}</Joints>"),
            "Place" => {
                let joint =
                    r#"<Joint id="Way" type="Path" body="Sheet" at="[0, 0, 0]" stiffness="9">"#;
                self.setting = format!("<Joints>{joint}{fragment}</Joint></Joints>");
            }
            "Without" => self.setting = format!("<Contact>{fragment}</Contact>"),
            "MaterialContainer" => self.containers[0] = Some(as_it_is()),
            "ExternalForces" => self.containers[1] = Some(as_it_is()),
            "RigidObjects" => self.containers[2] = Some(as_it_is()),
            "DeformableBodies" => self.containers[3] = Some(as_it_is()),
            "Material" => self.contents[0] = as_it_is(),
            "Force" => self.contents[1] = as_it_is(),
            "Object" => self.contents[2] = as_it_is(),
            "Part" => {
                self.contents[2] =
                    format!(r#"<Object id="Parts" type="Union"><Properties />{fragment}</Object>"#);
            }
            "Body" => self.body = Some(as_it_is()),
            "Mesh" => self.mesh_parts[0] = as_it_is(),
            "Elastic" => self.mesh_parts[1] = as_it_is(),
            "Zone" => self.mesh_parts[1] = format!("<Elastic>{fragment}</Elastic>"),
            "Muscle" => {
                self.mesh_parts[1] = format!("<Elastic strain=\"Springs\">{fragment}</Elastic>");
            }
            "Fixed" | "Core" | "Skin" => self.mesh_parts[2] = as_it_is(),
            "Branch" => {
                self.mesh_parts[2] = format!("<Process type=\"Prony\">{fragment}</Process>");
            }
            "Pose" => {
                self.mesh_parts[2] = format!(
                    "<Core motion=\"Path\"><Sphere r=\"0.1\" /><Pose time=\"0\" />{fragment}</Core>"
                );
            }
            "Rectangle" => {
                self.mesh_parts[0] = format!("<Mesh cells=\"[8, 4]\">{fragment}</Mesh>");
                self.mesh_model = "Surface";
            }
            solid if SOLIDS.iter().any(|child| child.element.name == solid) => {
                self.mesh_parts[0] = format!("<Mesh resolution=\"0.1\">{fragment}</Mesh>");
            }
            "Bind" | "InitialShape" | "Process" => self.more = as_it_is(),
            "NaturalShape" => self.natural = Some(as_it_is()),
            "Node" => self.nodes[3] = as_it_is(),
            "Particles" => self.particles = as_it_is(),
            "All" | "Single" | "Region" | "Field" => {
                self.particles = format!(r#"<Particles grid="[10, 10]">{fragment}</Particles>"#);
            }
            _ => return None,
        }
        Some(())
    }

    /// The body: over a mesh if a part of such a body was placed, else a sheet.
    fn body(&self) -> String {
        if let Some(body) = &self.body {
            return body.clone();
        }
        let [mesh, elastic, rest] = &self.mesh_parts;
        if self.mesh_parts.iter().any(|part| !part.is_empty()) {
            let or = |part: &String, missing: &str| match part.as_str() {
                "" => missing.to_owned(),
                given => given.to_owned(),
            };
            let mesh = or(mesh, r#"<Mesh resolution="0.1"><Sphere r="1" /></Mesh>"#);
            let elastic = or(elastic, "<Elastic />");
            return format!(
                r#"<Body id="Sheet" model="{}" type="Mesh">
        <Properties timestep="0.01" />{mesh}{elastic}{rest}</Body>"#,
                self.mesh_model
            );
        }
        let natural = match &self.natural {
            Some(natural) => natural.clone(),
            None => format!("<NaturalShape>{}</NaturalShape>", self.nodes.concat()),
        };
        format!(
            r#"<Body id="Sheet" model="Surface" type="GenericBezierPatch">
        <Properties timestep="0.01" order="1" />{natural}{}{}</Body>"#,
            self.particles, self.more
        )
    }

    fn write(&self) -> String {
        let [materials, forces, objects] = &self.contents;
        let contents = [
            ("MaterialContainer", materials),
            ("ExternalForces", forces),
            ("RigidObjects", objects),
            ("DeformableBodies", &self.body()),
        ];
        let filled = contents.iter().zip(&self.containers);
        let filled = filled.map(|((name, content), whole)| match whole {
            Some(whole) => whole.clone(),
            None => format!("<{name}>{content}</{name}>\n"),
        });
        let (setting, filled) = (&self.setting, filled.collect::<String>());
        format!("<EDMConfig id=\"Example\">\n{setting}\n{filled}</EDMConfig>")
    }
}
