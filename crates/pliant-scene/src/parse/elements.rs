//! The children of an element against the table, and the type of an element.

use super::attributes::{Values, read_attributes};
use super::report_repeated_ids;
use crate::diagnostics::{Problem, Reporter, quote};
use crate::language::{
    Attribute, Child, Element, Kind, Makes, Occurs, Presence, Variant, elements,
};
use crate::nearest::{did_you_mean, meant_or_known};
use crate::xml::Node;

/// Reports unknown, missing and repeated children, and text where none belongs.
pub(crate) fn check_children(
    reporter: &mut Reporter,
    node: &Node,
    label: &str,
    element: &'static Element,
) {
    if !element.text && !node.text.is_empty() {
        let found = quote(node.text.trim());
        let problem = Problem::new(format!("expected no text here, found {found}"));
        reporter.error(node.text_offset, label, None, problem);
    }
    let known = || element.children.iter().map(|child| child.element.name);
    for child in &node.children {
        if !known().any(|name| name == child.name) {
            if reporter.is_full() {
                reporter.leave_out();
                continue;
            }
            let hint = did_you_mean(&child.name, known())
                .or_else(|| belongs_elsewhere(&child.name))
                .unwrap_or_else(|| meant_or_known(&child.name, known(), "elements"));
            let problem = Problem::new(format!("unknown element inside {label}")).with_hint(hint);
            reporter.error(child.offset, &child.label(), None, problem);
        }
    }
    let own_type = type_of(node, element);
    for expected in element.children {
        let name = expected.element.name;
        let mut found = node.all(name);
        if let Some(own_type) = own_type
            && !expected.belongs_to(own_type.into())
        {
            let same = |other: &&Child| other.element.name == name;
            let mut others = element.children.iter().filter(same);
            if others.any(|other| other.belongs_to(Some(own_type))) {
                continue;
            }
            refuse_children(reporter, found, label, own_type, expected);
            continue;
        }
        // Of a type that is wrong, which is reported, what only one type has is not asked for.
        let is_asked_for = own_type.is_some() || expected.only.is_none();
        let is_mandatory = is_asked_for && matches!(expected.occurs, Occurs::Once | Occurs::First);
        if found.next().is_none() && is_mandatory {
            let problem = Problem::new(format!("the element <{name}> is missing"))
                .with_hint(format!("add {} inside {label}", minimal(expected.element)));
            reporter.error(node.offset, label, None, problem);
        }
        for again in found {
            match expected.occurs {
                Occurs::Many => {}
                Occurs::First => {
                    let message = format!("only the first <{name}> counts; this one is ignored");
                    reporter.warning(again.offset, label, None, Problem::new(message));
                }
                Occurs::Once | Occurs::Maybe => {
                    let problem = Problem::new(format!("<{name}> stands here a second time"))
                        .with_hint("merge the two into one");
                    reporter.error(again.offset, label, None, problem);
                }
            }
        }
    }
}

/// The type of an element, if it has a sound one.
fn type_of<'a>(node: &'a Node, element: &Element) -> Option<&'a str> {
    let own_type = node.attribute("type")?.value.trim();
    element.variant(own_type, None).map(|_| own_type)
}

/// Reports children that the type of their parent does not have.
fn refuse_children<'a>(
    reporter: &mut Reporter,
    found: impl Iterator<Item = &'a Node>,
    label: &str,
    own_type: &str,
    child: &Child,
) {
    let name = child.element.name;
    let hint = match (child.only, child.except) {
        (Some(only), _) => format!("only type=\"{only}\" has it; remove it"),
        _ => "it has a <Mesh> and an <Elastic> instead; remove it".to_owned(),
    };
    for node in found {
        let problem = Problem::new(format!("a body of type \"{own_type}\" has no <{name}>"))
            .with_hint(hint.clone());
        reporter.error(node.offset, label, None, problem);
    }
}

fn belongs_elsewhere(name: &str) -> Option<String> {
    let parents: Vec<String> = elements()
        .iter()
        .filter(|parent| {
            parent
                .children
                .iter()
                .any(|child| child.element.name == name)
        })
        .map(|parent| format!("<{}>", parent.name))
        .collect();
    (!parents.is_empty()).then(|| format!("<{name}> belongs in {}", parents.join(" or ")))
}

/// The shortest form of an element: `<Node index="…" pos="…" />`.
fn minimal(element: &Element) -> String {
    let attributes: String = element
        .own_attributes()
        .filter(|attribute| attribute.presence == Presence::Required)
        .map(|attribute| format!(" {}=\"…\"", attribute.name))
        .collect();
    format!("<{}{attributes} />", element.name)
}

/// The own attributes of an element.
pub(crate) fn own_attributes<'a>(
    reporter: &mut Reporter,
    node: &'a Node,
    label: String,
    element: &'static Element,
) -> Values<'a> {
    let attributes: Vec<&'static Attribute> = element.own_attributes().collect();
    let in_properties = |name: &str| {
        let known = element.all_properties();
        known
            .iter()
            .any(|attribute| attribute.name == name)
            .then(|| format!("`{name}` belongs in the <Properties> of <{}>", element.name))
    };
    read_attributes(reporter, node, label, &attributes, &in_properties)
}

/// The type of an element with variants, reported if it is none of them.
pub(crate) fn read_variant(
    reporter: &mut Reporter,
    values: &Values<'_>,
    element: &'static Element,
) -> Option<&'static Variant> {
    let name = values.text("type")?;
    let model = values.word("model");
    if values.is_given("model") && model.is_none() {
        // The model is wrong and reported; its types are not known.
        return None;
    }
    if let Some(variant) = element.variant(name, model) {
        return Some(variant);
    }
    let known: Vec<&'static str> = element
        .variants
        .iter()
        .filter(|variant| model.is_none() || variant.model == model)
        .map(|variant| variant.name)
        .collect();
    let other_model = element.variant(name, None).and_then(|other| other.model);
    let hint = match other_model {
        Some(other) => format!("{} belongs to model=\"{other}\"", quote(name)),
        None => meant_or_known(name, known.iter().copied(), "types"),
    };
    let expected = match model {
        Some(model) => format!("a type of model \"{model}\""),
        None => Kind::Variant.expectation(),
    };
    let message = format!(
        "expected {expected} ({}), found {}",
        known.join(", "),
        quote(name)
    );
    values.wrong(reporter, "type", Problem::new(message).with_hint(hint));
    None
}

/// Where an attribute belongs that this type's `Properties` do not have: in those of other types,
/// or on the element itself.
fn other_home(element: &Element, variant: &Variant, name: &str) -> Option<String> {
    if element
        .own_attributes()
        .any(|attribute| attribute.name == name)
    {
        return Some(format!("`{name}` belongs on <{}> itself", element.name));
    }
    let types: Vec<&str> = element
        .variants
        .iter()
        .filter(|other| other.properties().any(|property| property.name == name))
        .map(|other| other.name)
        .collect();
    (!types.is_empty()).then(|| {
        format!(
            "`{}` has no `{name}`; it belongs to {}",
            variant.name,
            types.join(", ")
        )
    })
}

/// The first `Properties` of an element. If the type is not known, only names that belong to no
/// type are reported.
pub(crate) fn read_properties<'a>(
    reporter: &mut Reporter,
    node: &'a Node,
    label: &str,
    element: &'static Element,
    variant: Option<&'static Variant>,
) -> Option<Values<'a>> {
    let properties = node.first("Properties")?;
    let label = format!("{label}<Properties>");
    let table = element
        .children
        .iter()
        .find(|child| child.element.name == "Properties")?
        .element;
    check_children(reporter, properties, &label, table);
    if let Some(variant) = variant {
        let attributes: Vec<&'static Attribute> = variant.properties().collect();
        let elsewhere = |name: &str| other_home(element, variant, name);
        return Some(read_attributes(
            reporter,
            properties,
            label,
            &attributes,
            &elsewhere,
        ));
    }
    let known = element.all_properties();
    for found in &properties.attributes {
        if !known.iter().any(|attribute| attribute.name == found.name) {
            let names = known.iter().map(|attribute| attribute.name);
            let problem = Problem::new("unknown attribute")
                .with_optional_hint(did_you_mean(&found.name, names));
            let name: String = found.name.chars().take(60).collect();
            reporter.error(found.offset, &label, Some(&name), problem);
        }
    }
    None
}

/// The elements of one kind in their container, with its mistakes and repeated ids reported.
pub(super) fn instances<'a>(
    reporter: &mut Reporter,
    configuration: &'a Node,
    container: &'static Element,
    element: &'static Element,
) -> Vec<&'a Node> {
    let Some(node) = configuration.first(container.name) else {
        return Vec::new();
    };
    own_attributes(reporter, node, node.label(), container);
    check_children(reporter, node, &node.label(), container);
    report_repeated_ids(reporter, node.all(element.name));
    node.all(element.name).collect()
}

/// An element whose `Properties` depend on its type.
pub(super) struct Instance<'a> {
    pub(super) values: Values<'a>,
    pub(super) variant: Option<&'static Variant>,
    pub(super) properties: Option<Values<'a>>,
    mistakes_before: usize,
}

impl Instance<'_> {
    /// What its type makes of its properties.
    pub(super) fn makes(&self) -> Makes {
        self.variant.map_or(Makes::Nothing, |variant| variant.makes)
    }

    /// Whether no mistake has been reported since it was read.
    pub(super) fn is_sound(&self, reporter: &Reporter) -> bool {
        reporter.mistakes() == self.mistakes_before
    }
}

pub(super) fn read_instance<'a>(
    reporter: &mut Reporter,
    node: &'a Node,
    label: String,
    element: &'static Element,
) -> Instance<'a> {
    let mistakes_before = reporter.mistakes();
    let values = own_attributes(reporter, node, label, element);
    check_children(reporter, node, &values.label, element);
    let variant = read_variant(reporter, &values, element);
    Instance {
        properties: read_properties(reporter, node, &values.label, element, variant),
        variant,
        values,
        mistakes_before,
    }
}

/// The attributes of an element inside a body, and whether its children are right.
pub(super) fn read_element<'a>(
    reporter: &mut Reporter,
    node: &'a Node,
    parent: &str,
    element: &'static Element,
) -> Values<'a> {
    let label = format!("{parent}<{}>", element.name);
    check_children(reporter, node, &label, element);
    own_attributes(reporter, node, label, element)
}
