//! Attributes replaced from outside the file, as by `--set body.attribute=value`.

use crate::diagnostics::{Problem, Reporter, quote};
use crate::language::{ALL, Attribute, CONFIGURATION, ELASTIC, Element, MESH, PARTICLES};
use crate::nearest::meant_or_known;
use crate::xml::{Node, NodeAttribute, read_tree};

/// The id of an element (or the name of one that stands once, such as `Simulation`), the name of
/// an attribute, and the value.
pub type Override = (String, String, String);

/// Where an override goes: from the scene's main node down to an element, by child positions.
type Path = Vec<usize>;

/// Replaces or adds attributes in the tree.
pub(crate) fn apply_overrides(
    configuration: &mut Node,
    overrides: &[Override],
    reporter: &mut Reporter,
) {
    for (target, attribute, value) in overrides {
        if let Err(problem) = apply(configuration, target, attribute, value) {
            let element = format!("override {target}.{attribute}={value}");
            reporter.error(configuration.offset, &element, None, problem);
        }
    }
}

/// Where the attribute of an override belongs in the text of a scene: positions among the elements, from the
/// outermost down. `None` if the element is not there, or if the override makes no sense.
pub fn place_of_override(text: &str, (target, attribute, _): &Override) -> Option<Vec<usize>> {
    let mut tree = read_tree(text, &mut Reporter::new(text))?;
    let mut place = Vec::new();
    let mut node = &mut tree;
    while node.name != CONFIGURATION.name {
        let index = node.children.iter().position(holds_configuration)?;
        place.push(index);
        node = &mut node.children[index];
    }
    let before = node.clone();
    let home = home(node, target, attribute).ok()?;
    // What would have to be made first is not there.
    let known = home
        .iter()
        .try_fold(&before, |known, &index| known.children.get(index));
    known?;
    place.extend(home);
    Some(place)
}

fn holds_configuration(node: &Node) -> bool {
    node.name == CONFIGURATION.name || node.children.iter().any(holds_configuration)
}

fn apply(
    configuration: &mut Node,
    target: &str,
    attribute: &str,
    value: &str,
) -> Result<(), Problem> {
    let home = home(configuration, target, attribute)?;
    set(descend_or_create(configuration, &home), attribute, value);
    Ok(())
}

/// Where an attribute of a target belongs.
fn home(configuration: &mut Node, target: &str, attribute: &str) -> Result<Path, Problem> {
    let mut homes: Vec<Path> = Vec::new();
    let mut known_attributes: Vec<&'static str> = Vec::new();
    let mut is_target_known = false;
    for (path, element) in targets(configuration, target) {
        is_target_known = true;
        let node = descend(configuration, &path);
        known_attributes.extend(attribute_names(node, element));
        if let Some(home) = home_of(node, element, attribute) {
            homes.push(path.into_iter().chain(home).collect());
        }
    }
    if !is_target_known {
        let ids = all_ids(configuration);
        let hint = meant_or_known(target, ids.iter().map(String::as_str), "ids");
        let message = format!("expected an id of the scene, found {}", quote(target));
        return Err(Problem::new(message).with_hint(hint));
    }
    match homes.as_slice() {
        [] => {
            let hint = meant_or_known(attribute, known_attributes, "attributes");
            let message = format!(
                "expected an attribute of `{target}`, found {}",
                quote(attribute)
            );
            Err(Problem::new(message).with_hint(hint))
        }
        [home] => Ok(home.clone()),
        _ => Err(Problem::new(format!(
            "`{target}` names several elements with the attribute {}",
            quote(attribute)
        ))
        .with_hint("give them different ids")),
    }
}

fn set(node: &mut Node, name: &str, value: &str) {
    let offset = node.offset;
    let (value, overridden) = (value.to_owned(), true);
    match node.attributes.iter_mut().find(|a| a.name == name) {
        Some(found) => {
            found.value = value;
            found.overridden = overridden;
        }
        None => node.attributes.push(NodeAttribute {
            name: name.to_owned(),
            value,
            offset,
            overridden,
        }),
    }
}

/// Child position that stands for "a new first child named …" where an element is missing.
const NEW_ALL: usize = usize::MAX;

fn descend<'a>(node: &'a Node, path: &[usize]) -> &'a Node {
    path.iter().fold(node, |node, &i| &node.children[i])
}

fn descend_or_create<'a>(node: &'a mut Node, path: &[usize]) -> &'a mut Node {
    let mut node = node;
    for &position in path {
        if position == NEW_ALL {
            let offset = node.offset;
            node.children.insert(0, Node::named(ALL.name, offset));
            node = &mut node.children[0];
        } else {
            node = &mut node.children[position];
        }
    }
    node
}

/// Elements of the scene with this id, and elements of this name that stand at most once.
fn targets(configuration: &mut Node, target: &str) -> Vec<(Path, &'static Element)> {
    let mut found: Vec<(Path, &'static Element)> = Vec::new();
    for child in CONFIGURATION.children {
        let element = child.element;
        let stands_once = child.occurs == crate::language::Occurs::Maybe && !element.text;
        if element.name == target && stands_once && configuration.first(target).is_none() {
            let offset = configuration.offset;
            configuration.children.push(Node::named(target, offset));
        }
        for (position, node) in configuration.children.iter().enumerate() {
            if node.name != element.name {
                continue;
            }
            if element.name == target && stands_once {
                found.push((vec![position], element));
            }
            for instance in element.children {
                let matching = node.children.iter().enumerate().filter(|(_, node)| {
                    node.name == instance.element.name && id_of(node) == Some(target)
                });
                found.extend(matching.map(|(i, _)| (vec![position, i], instance.element)));
            }
        }
    }
    found
}

fn id_of(node: &Node) -> Option<&str> {
    node.attribute("id").map(|id| id.value.as_str())
}

fn all_ids(configuration: &Node) -> Vec<String> {
    let instances = configuration.children.iter().flat_map(|c| &c.children);
    let mut ids: Vec<String> = instances.filter_map(id_of).map(str::to_owned).collect();
    ids.push("Simulation".to_owned());
    ids.push("Camera".to_owned());
    ids.push("Picture".to_owned());
    ids
}

/// The attributes of `Properties` for the type the element has, or of all types.
fn properties_of(node: &Node, element: &'static Element) -> Vec<&'static Attribute> {
    let value = |name: &str| node.attribute(name).map(|found| found.value.trim());
    match value("type").and_then(|name| element.variant(name, value("model"))) {
        Some(variant) => variant.properties().collect(),
        None => element.all_properties(),
    }
}

fn attribute_names(node: &Node, element: &'static Element) -> Vec<&'static str> {
    let on_element = element.own_attributes().map(|a| a.name);
    let properties = properties_of(node, element).into_iter().map(|a| a.name);
    let is_mesh = node.first(MESH.name).is_some();
    let parts: [&[Attribute]; 2] = match element.name {
        "Body" if is_mesh => [MESH.attributes, ELASTIC.attributes],
        "Body" => [PARTICLES.attributes, ALL.attributes],
        _ => [&[], &[]],
    };
    let parts = parts.into_iter().flatten().map(|a| a.name);
    on_element.chain(properties).chain(parts).collect()
}

/// Where an attribute belongs: on the element, its `Properties`, `Particles` or `All`; of a mesh on
/// its `Elastic` or `Mesh`.
fn home_of(node: &Node, element: &'static Element, attribute: &str) -> Option<Path> {
    let position = |name: &str| node.children.iter().position(|child| child.name == name);
    if element.own_attributes().any(|a| a.name == attribute) {
        return Some(Vec::new());
    }
    if properties_of(node, element)
        .iter()
        .any(|a| a.name == attribute)
    {
        return position("Properties").map(|i| vec![i]);
    }
    if element.name != "Body" {
        return None;
    }
    for part in [&ELASTIC, &MESH] {
        let has_it = part.attributes.iter().any(|a| a.name == attribute);
        if let Some(at) = position(part.name).filter(|_| has_it) {
            return Some(vec![at]);
        }
    }
    let particles = position("Particles")?;
    if PARTICLES.attributes.iter().any(|a| a.name == attribute) {
        return Some(vec![particles]);
    }
    if !ALL.attributes.iter().any(|a| a.name == attribute) {
        return None;
    }
    let all = node.children[particles]
        .children
        .iter()
        .rposition(|child| child.name == ALL.name && child.attribute(attribute).is_some())
        .or_else(|| {
            let children = &node.children[particles].children;
            children.iter().position(|child| child.name == ALL.name)
        });
    Some(vec![particles, all.unwrap_or(NEW_ALL)])
}
