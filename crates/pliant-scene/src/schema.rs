//! The language table as an XML schema (XSD 1.0), for editors that complete and check as one
//! types.
//!
//! A schema of that version cannot make attributes depend on the value of `type`, nor count
//! children that stand in any order; the parser checks what the schema cannot.

use crate::language::{Attribute, Element, Kind, Presence, elements};
use std::fmt::Write;

const NUMBER: &str = r"[+\-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+\-]?[0-9]+)?";

/// The schema, as it stands in `docs/scene.xsd`.
pub fn schema() -> String {
    let mut text = String::from(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <!-- Written from the language table of pliant-scene; do not edit. -->\n\
         <xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" elementFormDefault=\"qualified\">\n",
    );
    text.push_str("  <xs:element name=\"EDMConfig\" type=\"EDMConfig\" />\n");
    for (name, pattern) in value_patterns() {
        let _ = write!(
            text,
            "  <xs:simpleType name=\"{name}\">\n    <xs:restriction base=\"xs:string\">\n      \
             <xs:pattern value=\"{}\" />\n    </xs:restriction>\n  </xs:simpleType>\n",
            escape(&pattern)
        );
    }
    for element in elements() {
        if element.name == "Properties" {
            continue;
        }
        complex_type(&mut text, element);
        if !element.variants.is_empty() {
            properties_type(&mut text, element);
        }
    }
    text.push_str("</xs:schema>\n");
    text
}

fn value_patterns() -> Vec<(&'static str, String)> {
    let vector = format!(r"\s*\[\s*{NUMBER}(\s*,\s*{NUMBER}){{2}}\s*\]\s*");
    let row = format!(r"\[\s*{NUMBER}(\s*,\s*{NUMBER}){{0,2}}\s*\]");
    let corner = format!(r"\[\s*{NUMBER}(\s*,\s*{NUMBER}){{2}}\s*\]");
    vec![
        ("identifier", r"[\w\-]+".to_owned()),
        ("number", format!(r"\s*{NUMBER}\s*")),
        ("vector", vector),
        ("colour", format!(r"\s*{NUMBER}(\s*,\s*{NUMBER}){{2}}\s*")),
        (
            "indices",
            r"\s*([0-9]+|\[\s*[0-9]+(\s*,\s*[0-9]+){0,2}\s*\])\s*".to_owned(),
        ),
        (
            "tensor",
            format!(r"\s*({NUMBER}|\[\s*{row}(\s*,\s*{row}){{0,2}}\s*\])\s*"),
        ),
        (
            "corners",
            format!(r"\s*\[\s*{corner}\s*,\s*{corner}\s*\]\s*"),
        ),
    ]
}

fn complex_type(text: &mut String, element: &Element) {
    let mixed = if element.text { " mixed=\"true\"" } else { "" };
    let _ = writeln!(text, "  <xs:complexType name=\"{}\"{mixed}>", element.name);
    documentation(text, "    ", element.doc);
    if !element.children.is_empty() {
        text.push_str("    <xs:choice minOccurs=\"0\" maxOccurs=\"unbounded\">\n");
        for (position, child) in element.children.iter().enumerate() {
            let name = child.element.name;
            let before = &element.children[..position];
            if before.iter().any(|other| other.element.name == name) {
                continue;
            }
            let type_name = if name == "Properties" {
                format!("{}Properties", element.name)
            } else {
                name.to_owned()
            };
            let _ = writeln!(
                text,
                "      <xs:element name=\"{name}\" type=\"{type_name}\" />"
            );
        }
        text.push_str("    </xs:choice>\n");
    }
    for attribute in element.own_attributes() {
        let is_required = attribute.presence == Presence::Required;
        write_attribute(text, attribute, element, is_required);
    }
    text.push_str("  </xs:complexType>\n");
}

/// The attributes of all types together; required are those every type requires.
fn properties_type(text: &mut String, element: &Element) {
    let _ = writeln!(
        text,
        "  <xs:complexType name=\"{}Properties\">",
        element.name
    );
    for attribute in element.all_properties() {
        let is_required = element.variants.iter().all(|variant| {
            variant.properties().any(|other| {
                other.name == attribute.name
                    && other.presence == Presence::Required
                    && other.when.is_none()
            })
        });
        // A name may mean different things in different types: the widest kind counts.
        let mut widest = *attribute;
        let is_mixed = element
            .variants
            .iter()
            .flat_map(|variant| variant.properties())
            .any(|other| {
                other.name == attribute.name
                    && (type_of(other.kind) != type_of(widest.kind)
                        || other.kind.words() != widest.kind.words())
            });
        if is_mixed {
            widest.kind = Kind::Reference;
        }
        write_attribute(text, &widest, element, is_required);
    }
    text.push_str("  </xs:complexType>\n");
}

fn type_of(kind: Kind) -> Option<&'static str> {
    Some(match kind {
        Kind::Identifier => "identifier",
        Kind::Number(_) => "number",
        Kind::Count { .. } => "xs:unsignedInt",
        Kind::Vector | Kind::Direction | Kind::Extent => "vector",
        Kind::Colour => "colour",
        Kind::Grid | Kind::Particle => "indices",
        Kind::Tensor => "tensor",
        Kind::Corners => "corners",
        Kind::Reference | Kind::File(_) | Kind::Rule | Kind::Flow | Kind::Ramp => "xs:string",
        Kind::Boolean | Kind::Choice(_) | Kind::Named(_) | Kind::Variant => return None,
    })
}

fn write_attribute(text: &mut String, attribute: &Attribute, element: &Element, required: bool) {
    let need = if required { " use=\"required\"" } else { "" };
    let name = attribute.name;
    let Some(type_name) = type_of(attribute.kind) else {
        let _ = writeln!(text, "    <xs:attribute name=\"{name}\"{need}>");
        documentation(text, "      ", &attribute.explanation());
        text.push_str("      <xs:simpleType>\n        <xs:restriction base=\"xs:string\">\n");
        let words: Vec<&str> = match attribute.kind {
            Kind::Variant => element.variants.iter().map(|v| v.name).collect(),
            kind => kind.words(),
        };
        for word in words {
            let _ = writeln!(text, "          <xs:enumeration value=\"{word}\" />");
        }
        text.push_str("        </xs:restriction>\n      </xs:simpleType>\n    </xs:attribute>\n");
        return;
    };
    let _ = writeln!(
        text,
        "    <xs:attribute name=\"{name}\" type=\"{type_name}\"{need}>"
    );
    documentation(text, "      ", attribute.doc);
    text.push_str("    </xs:attribute>\n");
}

fn documentation(text: &mut String, indent: &str, doc: &str) {
    let _ = writeln!(
        text,
        "{indent}<xs:annotation><xs:documentation>{}</xs:documentation></xs:annotation>",
        escape(doc)
    );
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_schema_is_xml_that_names_every_element_and_attribute() {
        let text = schema();
        let document = roxmltree::Document::parse(&text).unwrap();
        let names: Vec<&str> = document
            .descendants()
            .filter_map(|node| node.attribute("name"))
            .collect();
        for element in elements() {
            assert!(names.contains(&element.name), "{}", element.name);
            let properties = element.all_properties();
            for attribute in element.own_attributes().chain(properties) {
                assert!(names.contains(&attribute.name), "{}", attribute.name);
            }
        }
        let types: Vec<&str> = document
            .root_element()
            .children()
            .filter_map(|node| node.attribute("name"))
            .collect();
        for used in document.descendants().filter_map(|n| n.attribute("type")) {
            assert!(used.starts_with("xs:") || types.contains(&used), "{used}");
        }
    }
}
