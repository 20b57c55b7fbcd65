//! The values in the text of a scene that can be changed while it runs. `pliant_session::LiveScene` changes
//! them.

use pliant_scene::language::{Attribute, Element, Kind, elements};
use roxmltree::{Document, Node};

/// One value in the text of a scene.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneValue {
    /// Where its element is: positions among the elements, from the outermost down.
    pub path: Vec<usize>,
    /// The part of the scene that it belongs to: `Body Flag`, `Force Wind`.
    pub part: String,
    /// Its element, if that is not the part itself: `Properties`, `Elastic`.
    pub element: String,
    /// The name of the attribute.
    pub attribute: String,
    /// What the file says; `None` if it says nothing and the default holds.
    pub value: Option<String>,
    /// The words it may have, if it is a choice.
    pub words: Vec<&'static str>,
    /// What it can be, if the language knows it.
    pub kind: Option<Kind>,
    /// What it means.
    pub doc: String,
}

/// Parts of a scene whose values matter while it runs.
const PARTS: [&str; 4] = ["Force", "Body", "Object", "Contact"];

/// Elements that only describe shapes and looks; their values would start the body anew.
const LEFT_OUT: [&str; 8] = [
    "NaturalShape",
    "InitialShape",
    "Node",
    "Bind",
    "Mesh",
    "Skin",
    "Description",
    "Region",
];

/// Attributes of bodies that are offered although the file does not give them.
const OFFERED: [&str; 5] = [
    "timestep",
    "formulation",
    "integrator",
    "solver",
    "friction",
];

/// The values of a scene that can be changed while it runs, in the order of the text.
pub fn scene_values(text: &str) -> Vec<SceneValue> {
    let Ok(document) = Document::parse(text) else {
        return Vec::new();
    };
    let mut values = Vec::new();
    visit(document.root_element(), &[], None, None, &mut values);
    values
}

fn visit(
    node: Node,
    path: &[usize],
    part: Option<&str>,
    holder: Option<Node>,
    values: &mut Vec<SceneValue>,
) {
    let name = node.tag_name().name();
    let is_part = part.is_none() && PARTS.contains(&name);
    let label = is_part.then(|| match node.attribute("id") {
        Some(id) => format!("{name} {id}"),
        None => name.to_owned(),
    });
    let part = label.as_deref().or(part);
    if let Some(part) = part {
        let known = attributes_of(node, holder);
        let mut add = |attribute: &str, value: Option<&str>| {
            let entry = known.iter().find(|entry| entry.name == attribute);
            values.push(SceneValue {
                path: path.to_vec(),
                part: part.to_owned(),
                element: if is_part { "" } else { name }.to_owned(),
                attribute: attribute.to_owned(),
                value: value.map(str::to_owned),
                words: entry.map_or(Vec::new(), |entry| entry.kind.words()),
                kind: entry.map(|entry| entry.kind),
                doc: entry.map_or(String::new(), |entry| entry.explanation()),
            });
        };
        for attribute in node.attributes() {
            let is_fixed = ["id", "type", "model", "name", "ref"].contains(&attribute.name());
            if !is_fixed {
                add(attribute.name(), Some(attribute.value()));
            }
        }
        if name == "Properties" && holder.is_some_and(|element| element.has_tag_name("Body")) {
            for offered in OFFERED {
                let fits = known.iter().any(|entry| entry.name == offered);
                if fits && node.attribute(offered).is_none() {
                    add(offered, None);
                }
            }
        }
    }
    let children = node.children().filter(Node::is_element);
    for (index, child) in children.enumerate() {
        if !LEFT_OUT.contains(&child.tag_name().name()) {
            let path = [path, &[index]].concat();
            visit(child, &path, part, Some(node), values);
        }
    }
}

/// What the language knows of the attributes of an element.
fn attributes_of(node: Node, holder: Option<Node>) -> Vec<&'static Attribute> {
    let named = |name: &str| elements().into_iter().find(|element| element.name == name);
    let name = node.tag_name().name();
    if name == "Properties"
        && let Some(holder) = holder
        && let Some(element) = named(holder.tag_name().name())
    {
        return properties(element, holder);
    }
    named(name).map_or(Vec::new(), |element| element.own_attributes().collect())
}

fn properties(element: &'static Element, holder: Node) -> Vec<&'static Attribute> {
    let kind = holder.attribute("type");
    let variant = kind.and_then(|kind| element.variant(kind, holder.attribute("model")));
    match variant {
        Some(variant) => variant.properties().collect(),
        None => element.all_properties(),
    }
}

/// The numbers in a value, if it is made of numbers: `0.5`, `[0, 0, -9.82]`, `[[1, 0], [0, 1]]`.
pub fn numbers(value: &str) -> Option<Vec<f64>> {
    let plain = value.replace(['[', ']'], " ");
    let parts = plain.split([',', ' ']).filter(|part| !part.is_empty());
    let numbers: Result<Vec<f64>, _> = parts.map(str::parse).collect();
    numbers.ok().filter(|numbers| !numbers.is_empty())
}

/// The value with other numbers in the same brackets.
pub fn with_numbers(value: &str, numbers: &[f64]) -> String {
    let mut numbers = numbers.iter();
    let mut text = String::new();
    let mut inside = false;
    for letter in value.chars() {
        let is_bracket = ['[', ']', ',', ' '].contains(&letter);
        if is_bracket {
            text.push(letter);
        } else if !inside && let Some(number) = numbers.next() {
            text.push_str(&number.to_string());
        }
        inside = !is_bracket;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scene::{gallery, parse};
    use pliant_session::with_value;

    fn find<'a>(values: &'a [SceneValue], part: &str, attribute: &str) -> &'a SceneValue {
        let found = values
            .iter()
            .find(|value| value.part == part && value.attribute == attribute);
        found.unwrap_or_else(|| panic!("{part} {attribute}"))
    }

    #[test]
    fn the_values_of_the_flag_are_found_and_changed() {
        let text = pliant_scene::find("flag").unwrap().text;
        let values = scene_values(text);
        let gravity = find(&values, "Force Gravity", "g");
        assert_eq!(gravity.value.as_deref(), Some("[0, 0, -9.82]"));
        assert!(!gravity.doc.is_empty());
        let integrator = find(&values, "Body Flag", "integrator");
        assert_eq!(integrator.value.as_deref(), Some("Implicit"));
        assert!(integrator.words.contains(&"TwoStage"), "{integrator:?}");
        assert_eq!(find(&values, "Body Flag", "solver").value, None);
        assert!(find(&values, "Body Flag", "tension").value.is_some());

        let changed = with_value(text, &gravity.path, "g", "[0, 0, -1.62]").unwrap();
        let again = scene_values(&changed);
        let gravity = find(&again, "Force Gravity", "g");
        assert_eq!(gravity.value.as_deref(), Some("[0, 0, -1.62]"));
        assert_eq!(changed.len(), text.len());
        let solver = find(&values, "Body Flag", "solver");
        let changed = with_value(text, &solver.path, "solver", "LU").unwrap();
        let again = scene_values(&changed);
        assert_eq!(
            find(&again, "Body Flag", "solver").value.as_deref(),
            Some("LU")
        );
        assert!(parse(&changed, "flag.xml").is_ok());
    }

    #[test]
    fn a_value_of_any_scene_can_be_written_back() {
        for scene in gallery() {
            let values = scene_values(scene.text);
            assert!(!values.is_empty(), "{}", scene.name);
            for entry in &values {
                let Some(value) = &entry.value else { continue };
                let text = with_value(scene.text, &entry.path, &entry.attribute, value).unwrap();
                assert_eq!(scene_values(&text).len(), values.len(), "{}", scene.name);
            }
        }
    }

    #[test]
    fn numbers_keep_their_brackets() {
        assert_eq!(numbers("[0, 0, -9.82]"), Some(vec![0.0, 0.0, -9.82]));
        assert_eq!(numbers("2e-3"), Some(vec![0.002]));
        assert_eq!(numbers("sin(u)"), None);
        assert_eq!(numbers("Implicit"), None);
        assert_eq!(numbers(""), None);
        assert!(scene_values("<A").is_empty());
        let tensor = "[[30, 15], [15, 30]]";
        let found = numbers(tensor).unwrap();
        assert_eq!(with_numbers(tensor, &found), tensor);
        assert_eq!(
            with_numbers("[0, 0, -9.82]", &[1.0, 0.5, -2.0]),
            "[1, 0.5, -2]"
        );
    }
}
