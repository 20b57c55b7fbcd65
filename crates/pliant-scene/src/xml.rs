//! XML text as a tree of nodes with byte offsets, safe against hostile input.
//!
//! Before the XML reader sees the text, [`pliant_io::xml_guard`] limits what can be provoked.

use crate::diagnostics::{Problem, Reporter};
use pliant_io::xml_guard::{Excess, ExcessKind, check_xml};
use roxmltree::{Document, ParsingOptions};

/// The namespace in which editors put the place of the schema.
const SCHEMA_INSTANCE: &str = "http://www.w3.org/2001/XMLSchema-instance";
/// The namespace of `xml:space` and the like.
const XML: &str = "http://www.w3.org/XML/1998/namespace";

#[derive(Clone, Debug)]
pub(crate) struct NodeAttribute {
    pub(crate) name: String,
    pub(crate) value: String,
    /// Byte offset of the attribute's name.
    pub(crate) offset: usize,
    /// Whether the value came from outside the file (`--set`).
    pub(crate) overridden: bool,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Node {
    pub(crate) name: String,
    pub(crate) attributes: Vec<NodeAttribute>,
    pub(crate) children: Vec<Node>,
    pub(crate) text: String,
    /// Byte offset of the text that is not white space.
    pub(crate) text_offset: usize,
    /// Byte offset of the element's `<`.
    pub(crate) offset: usize,
}

impl Node {
    pub(crate) fn named(name: &str, offset: usize) -> Self {
        Self {
            name: name.to_owned(),
            offset,
            ..Self::default()
        }
    }

    pub(crate) fn attribute(&self, name: &str) -> Option<&NodeAttribute> {
        self.attributes.iter().find(|a| a.name == name)
    }

    pub(crate) fn first(&self, name: &str) -> Option<&Node> {
        self.children.iter().find(|child| child.name == name)
    }

    pub(crate) fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Node> {
        self.children.iter().filter(move |child| child.name == name)
    }

    /// The element as a reader would look for it: `<Force id="G">`.
    pub(crate) fn label(&self) -> String {
        const LONGEST: usize = 40;
        let name: String = self.name.chars().take(LONGEST).collect();
        match self.attribute("id") {
            Some(id) => {
                let id: String = id.value.chars().take(LONGEST).collect();
                format!("<{name} id=\"{id}\">")
            }
            None => format!("<{name}>"),
        }
    }
}

/// Reads the tree; `None` if the text is not XML (the reporter then says why).
pub(crate) fn read_tree(text: &str, reporter: &mut Reporter) -> Option<Node> {
    if let Err(Excess { offset, kind }) = check_xml(text) {
        let problem = Problem::new(kind.to_string());
        let problem = match kind {
            ExcessKind::Depth => {
                problem.with_hint("a scene needs no more than 8 levels; is an end tag missing?")
            }
            ExcessKind::DocumentType => no_document_type(),
            ExcessKind::Attributes | ExcessKind::Namespaces => problem,
        };
        reporter.error(offset, "", None, problem);
        return None;
    }
    let options = ParsingOptions {
        allow_dtd: false,
        ..ParsingOptions::default()
    };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let offset = match error {
                // The reader gives no place for a file that is cut off: it is the end.
                roxmltree::Error::UnclosedRootNode => text.trim_end().len(),
                _ => offset_of(text, error.pos().row, error.pos().col),
            };
            reporter.error(offset, "", None, syntax_problem(&error, text));
            return None;
        }
    };
    Some(convert(document.root_element(), reporter))
}

fn offset_of(text: &str, row: u32, column: u32) -> usize {
    let line_start: usize = text
        .split_inclusive('\n')
        .take(row.saturating_sub(1) as usize)
        .map(str::len)
        .sum();
    let rest = &text[line_start..];
    let column = column.saturating_sub(1) as usize;
    line_start
        + rest
            .char_indices()
            .nth(column)
            .map_or(rest.len(), |(i, _)| i)
}

fn syntax_problem(error: &roxmltree::Error, text: &str) -> Problem {
    use roxmltree::Error as E;
    match error {
        E::NoRootNode => Problem::new("there is no element in the file")
            .with_hint("a scene is an XML document with an <EDMConfig> element"),
        E::UnclosedRootNode => Problem::new("the file ends before all elements are closed")
            .with_hint("is the file cut off? close every <Name> with </Name>"),
        E::UnexpectedCloseTag(expected, found, _) => Problem::new(format!(
            "expected </{expected}> to close the element, found </{found}>"
        )),
        E::DuplicatedAttribute(name, _) => {
            Problem::new(format!("the attribute `{name}` is given twice"))
        }
        E::DtdDetected => no_document_type(),
        other => {
            // The reader appends its own position, which counts the same way as ours.
            let mut message = other.to_string();
            if let Some(end) = message.rfind(" at ") {
                message.truncate(end);
            }
            let problem = Problem::new(format!("not well-formed XML: {message}"));
            if text.trim_start().starts_with('<') {
                problem
            } else {
                problem.with_hint("a scene file begins with `<`; is this a scene file?")
            }
        }
    }
}

fn no_document_type() -> Problem {
    Problem::new("a document type declaration (<!DOCTYPE …>) is not accepted")
        .with_hint("remove it; scene files have no entities of their own")
}

/// Copies an element and all below it; the nesting is limited by [`check_xml`].
fn convert(element: roxmltree::Node<'_, '_>, reporter: &mut Reporter) -> Node {
    let mut node = Node::named(element.tag_name().name(), element.range().start);
    for attribute in element.attributes() {
        let offset = attribute.range().start;
        match attribute.namespace() {
            Some(SCHEMA_INSTANCE | XML) => {}
            Some(_) => {
                let message = "attributes of other namespaces are not accepted";
                let name = Some(attribute.name());
                reporter.error(offset, &node.label(), name, Problem::new(message));
            }
            None => node.attributes.push(NodeAttribute {
                name: attribute.name().to_owned(),
                value: attribute.value().to_owned(),
                offset,
                overridden: false,
            }),
        }
    }
    for child in element.children() {
        if child.is_element() {
            node.children.push(convert(child, reporter));
        } else if child.is_text()
            && let Some(text) = child.text()
            && !text.trim().is_empty()
        {
            if node.text.is_empty() {
                let blank = text.len() - text.trim_start().len();
                node.text_offset = child.range().start + blank;
            }
            node.text.push_str(text);
        }
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first_error(text: &str) -> crate::SceneError {
        let mut reporter = Reporter::new(text);
        assert!(read_tree(text, &mut reporter).is_none());
        reporter.finish("t").unwrap_err().errors.remove(0)
    }

    #[test]
    fn ten_thousand_nested_elements_are_refused() {
        let text = "<a>".repeat(10_000) + &"</a>".repeat(10_000);
        let error = first_error(&text);
        assert!(error.message.contains("nested deeper than 64"));
        assert_eq!((error.line, error.column), (1, 3 * 64 + 1));
    }

    #[test]
    fn comments_and_quotes_do_not_count_as_nesting() {
        let inner = "<a>".repeat(200);
        let text = format!("<r x='{}'><!-- {inner} --><b/></r>", "&gt;".repeat(3));
        let mut reporter = Reporter::new(&text);
        let tree = read_tree(&text, &mut reporter).unwrap();
        assert_eq!(tree.children.len(), 1);
        assert_eq!(tree.attribute("x").unwrap().value, ">>>");
    }

    #[test]
    fn namespaces_are_few_and_those_of_editors_are_accepted() {
        let many: String = (0..40).map(|i| format!(" xmlns:n{i}='u{i}'")).collect();
        assert!(
            first_error(&format!("<a{many}/>"))
                .message
                .contains("more than 32 namespaces")
        );
        let text = "<a xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' \
                    xsi:noNamespaceSchemaLocation='scene.xsd' b='1'/>";
        let mut reporter = Reporter::new(text);
        assert_eq!(read_tree(text, &mut reporter).unwrap().attributes.len(), 1);
        assert!(reporter.finish("t").is_ok());
    }

    #[test]
    fn entity_bombs_are_refused_where_they_stand() {
        let text = "<?xml version='1.0'?>\n<!DOCTYPE l [<!ENTITY a 'ha'>]>\n<l>&a;</l>";
        let error = first_error(text);
        assert!(error.message.contains("DOCTYPE"));
        assert_eq!((error.line, error.column), (2, 1));
    }

    #[test]
    fn syntax_errors_keep_their_place() {
        let error = first_error("<a>\n  <b></c>\n</a>");
        assert_eq!(error.line, 2);
        assert!(error.message.contains("</b>") && error.message.contains("</c>"));
        let error = first_error("<a>\n  <b");
        assert!(error.line >= 1);
        assert!(
            first_error("<a x='1' x='2'/>")
                .message
                .contains("given twice")
        );
        let many: String = (0..300).map(|i| format!(" a{i}='1'")).collect();
        assert!(
            first_error(&format!("<a{many}/>"))
                .message
                .contains("more than 256")
        );
        assert!(
            first_error("hello")
                .hint
                .unwrap()
                .contains("is this a scene")
        );
    }
}
