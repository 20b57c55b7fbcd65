//! The text of a scene with one thing changed: a value, or an element that is added.
//!
//! Whatever a scene file says can be changed while it runs: a value is replaced in the text, and the
//! world is built again from it. So the scene as it stands is always a scene file.

use pliant_scene::{Override, place_of_override};
use roxmltree::{Document, Node};

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

/// The text with attributes replaced as far as their elements are there, and the overrides that are left:
/// those of elements that the text does not have.
pub fn with_overrides(text: &str, overrides: &[Override]) -> (String, Vec<Override>) {
    let (mut text, mut rest) = (text.to_owned(), Vec::new());
    for change in overrides {
        let (_, attribute, value) = change;
        let place = place_of_override(&text, change);
        match place.and_then(|place| with_value(&text, &place, attribute, value).ok()) {
            Some(changed) => text = changed,
            None => rest.push(change.clone()),
        }
    }
    (text, rest)
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

#[cfg(test)]
mod tests {
    use super::*;
    use pliant_scene::{gallery, parse};
    use std::path::Path;

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
    fn overrides_become_part_of_the_text_where_their_element_is() {
        let setting = |element: &str, attribute: &str, value: &str| {
            [element, attribute, value].map(str::to_owned).into()
        };
        let whole = pliant_scene::find("flag").unwrap().text;
        let lines = whole.lines().filter(|line| !line.contains("<Picture"));
        let text = lines.collect::<Vec<_>>().join("\n");
        let text = text.as_str();
        let overrides: [Override; 4] = [
            setting("Wind", "c", "6"),
            setting("Flag", "damping", "0.25"),
            setting("Flag", "solver", "LU"),
            setting("Picture", "style", "Wireframe"),
        ];
        let (changed, rest) = with_overrides(text, &overrides);
        assert!(changed.contains(r#"c="6""#) && changed.contains(r#"damping="0.25""#));
        // There is no element `Picture`.
        assert_eq!(rest, overrides[3..]);
        let parsed = |text: &str, overrides: &[Override]| {
            let scene = pliant_scene::parse_with_overrides(text, "flag.xml", overrides);
            pliant_scene::build(&scene.unwrap(), "flag.xml", Path::new("")).unwrap()
        };
        let [mut one, mut other] = [parsed(text, &overrides), parsed(&changed, &rest)];
        for world in [&mut one, &mut other] {
            let mut workspace = pliant::Workspace::new(world);
            for _ in 0..3 {
                world.step(&mut workspace);
            }
        }
        assert_eq!(one.state_hash(), other.state_hash());
        let (same, rest) = with_overrides(text, &[setting("Winf", "c", "6")]);
        assert_eq!((same.as_str(), rest.len()), (text, 1));
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
    }
}
