//! The values in the text of a scene: which there are, and the text with one of them changed.
//!
//! Whatever a scene file says can be changed while it runs: a value is replaced in the text, and the
//! world is built again from it. So the scene as it stands is always a scene file.

use pliant_scene::language::{Attribute, Element, elements};
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
    /// What it means.
    pub doc: String,
}

/// Why a value cannot be changed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ChangeError {
    /// The text is no XML.
    #[error("the text of the scene cannot be read: {0}")]
    NotXml(String),
    /// There is no such element.
    #[error("the scene has no element at {0:?}")]
    NoElement(Vec<usize>),
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
                doc: entry.map_or(String::new(), |entry| entry.explanation()),
            });
        };
        for attribute in node.attributes() {
            let is_fixed = ["id", "type", "model", "name", "ref"].contains(&attribute.name());
            if !is_fixed {
                add(attribute.name(), Some(attribute.value()));
            }
        }
        if name == "Properties" && holder.is_some_and(|own| own.has_tag_name("Body")) {
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

/// The text with one value changed, or added where there was none.
pub fn with_value(
    text: &str,
    path: &[usize],
    attribute: &str,
    value: &str,
) -> Result<String, ChangeError> {
    let document = Document::parse(text).map_err(|error| ChangeError::NotXml(error.to_string()))?;
    let node = element_at(&document, path)?;
    let escaped = value
        .replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('"', "&quot;")
        .replace('\'', "&apos;");
    if let Some(found) = node.attribute_node(attribute) {
        let range = found.range_value();
        return Ok([&text[..range.start], &escaped, &text[range.end..]].concat());
    }
    // After the name of the element.
    let at = node.range().start + 1 + node.tag_name().name().len();
    Ok([
        &text[..at],
        &format!(" {attribute}=\"{escaped}\""),
        &text[at..],
    ]
    .concat())
}

/// The text with an element added at the end of another.
pub fn with_element(text: &str, path: &[usize], element: &str) -> Result<String, ChangeError> {
    let document = Document::parse(text).map_err(|error| ChangeError::NotXml(error.to_string()))?;
    let node = element_at(&document, path)?;
    let whole = &text[node.range()];
    // An element that is not closed by itself ends with `</Name>`.
    let end = whole.rfind("</");
    let at = end.ok_or_else(|| ChangeError::NoElement(path.to_vec()))? + node.range().start;
    Ok([&text[..at], "  ", element, "\n    ", &text[at..]].concat())
}

/// Where the element of a body is, by the name of the body.
pub fn body_path(text: &str, name: &str) -> Option<Vec<usize>> {
    fn find(node: Node, name: &str, path: &[usize]) -> Option<Vec<usize>> {
        if node.has_tag_name("Body") && node.attribute("id") == Some(name) {
            return Some(path.to_vec());
        }
        let mut children = node.children().filter(Node::is_element).enumerate();
        children.find_map(|(index, child)| find(child, name, &[path, &[index]].concat()))
    }
    let document = Document::parse(text).ok()?;
    find(document.root_element(), name, &[])
}

fn element_at<'a>(document: &'a Document, path: &[usize]) -> Result<Node<'a, 'a>, ChangeError> {
    let mut node = document.root_element();
    for &index in path {
        let child = node.children().filter(Node::is_element).nth(index);
        node = child.ok_or_else(|| ChangeError::NoElement(path.to_vec()))?;
    }
    Ok(node)
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
            for own in &values {
                let Some(value) = &own.value else { continue };
                let text = with_value(scene.text, &own.path, &own.attribute, value).unwrap();
                assert_eq!(scene_values(&text).len(), values.len(), "{}", scene.name);
            }
        }
    }

    #[test]
    fn a_process_can_be_added_to_a_body_of_any_scene() {
        let process = r#"<Process type="Fracture" limit="1000000" />"#;
        for scene in gallery() {
            let parsed = parse(scene.text, scene.name).unwrap();
            for body in &parsed.bodies {
                let Some(path) = body_path(scene.text, &body.id) else {
                    continue;
                };
                let text = with_element(scene.text, &path, process).unwrap();
                let document = Document::parse(&text).unwrap();
                let node = element_at(&document, &path).unwrap();
                assert_eq!(node.attribute("id"), Some(&*body.id));
                let last = node.last_element_child().unwrap();
                assert_eq!(last.attribute("limit"), Some("1000000"), "{}", scene.name);
            }
        }
        let flag = pliant_scene::find("flag").unwrap().text;
        let path = body_path(flag, "Flag").unwrap();
        assert!(parse(&with_element(flag, &path, process).unwrap(), "flag.xml").is_ok());
        assert_eq!(body_path(flag, "Flagg"), None);
        assert_eq!(body_path("<A", "Flag"), None);
        let closed = with_element("<A><B/></A>", &[0], process).unwrap_err();
        assert_eq!(closed, ChangeError::NoElement(vec![0]));
    }

    #[test]
    fn numbers_keep_their_brackets() {
        assert_eq!(numbers("[0, 0, -9.82]"), Some(vec![0.0, 0.0, -9.82]));
        assert_eq!(numbers("2e-3"), Some(vec![0.002]));
        assert_eq!(numbers("sin(u)"), None);
        assert_eq!(numbers("Implicit"), None);
        assert_eq!(numbers(""), None);
        let tensor = "[[30, 15], [15, 30]]";
        let found = numbers(tensor).unwrap();
        assert_eq!(with_numbers(tensor, &found), tensor);
        assert_eq!(
            with_numbers("[0, 0, -9.82]", &[1.0, 0.5, -2.0]),
            "[1, 0.5, -2]"
        );
    }

    #[test]
    fn odd_values_are_escaped_and_odd_places_refused() {
        let text = r#"<A><B x="1"/></A>"#;
        let changed = with_value(text, &[0], "x", r#"<&"'"#).unwrap();
        let document = Document::parse(&changed).unwrap();
        let node = document.root_element().first_element_child().unwrap();
        assert_eq!(node.attribute("x"), Some(r#"<&"'"#));
        let error = with_value(text, &[3], "x", "1").unwrap_err();
        assert_eq!(error, ChangeError::NoElement(vec![3]));
        assert!(matches!(
            with_value("<A", &[], "x", "1"),
            Err(ChangeError::NotXml(_))
        ));
        assert!(scene_values("<A").is_empty());
    }
}
