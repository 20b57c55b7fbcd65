//! One pass over XML text before a reader sees it, so that hostile input cannot provoke a stack
//! overflow, an entity bomb or quadratic time: it limits nesting, attributes and namespaces and
//! refuses document type declarations. It does not recurse and takes time linear in the text.

use thiserror::Error;

/// Deepest nesting of elements.
pub const DEEPEST: usize = 64;
/// Most attributes of one element.
pub const MOST_ATTRIBUTES: usize = 256;
/// Most namespaces that a document may declare; looking them up costs time for every element.
pub const MOST_NAMESPACES: usize = 32;

/// What a document has too much of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum ExcessKind {
    /// Nesting.
    #[error("elements are nested deeper than {DEEPEST} levels")]
    Depth,
    /// Attributes of one element.
    #[error("an element has more than {MOST_ATTRIBUTES} attributes")]
    Attributes,
    /// Namespaces.
    #[error("more than {MOST_NAMESPACES} namespaces are declared")]
    Namespaces,
    /// A document type declaration, with which entities begin.
    #[error("a document type declaration (<!DOCTYPE …>) is not accepted")]
    DocumentType,
}

/// A document that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct Excess {
    /// The byte where it begins.
    pub offset: usize,
    /// What there is too much of.
    pub kind: ExcessKind,
}

/// Refuses a document that a reader would suffer from.
pub fn check_xml(text: &str) -> Result<(), Excess> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut namespaces = 0_usize;
    let mut at = 0;
    while let Some(offset) = find(bytes, at, b"<") {
        let excess = |kind| Err(Excess { offset, kind });
        let rest = &bytes[offset..];
        at = if rest.starts_with(b"<!--") {
            after(bytes, offset + 4, b"-->")
        } else if rest.starts_with(b"<![CDATA[") {
            after(bytes, offset + 9, b"]]>")
        } else if rest.starts_with(b"<?") {
            after(bytes, offset + 2, b"?>")
        } else if rest.starts_with(b"<!") {
            return excess(ExcessKind::DocumentType);
        } else if rest.starts_with(b"</") {
            depth = depth.saturating_sub(1);
            after(bytes, offset + 2, b">")
        } else {
            let (end, closed) = check_tag(bytes, offset, &mut namespaces)?;
            if !closed {
                depth += 1;
                if depth > DEEPEST {
                    return excess(ExcessKind::Depth);
                }
            }
            end
        };
    }
    Ok(())
}

/// The end of a start tag, and whether it closes itself.
fn check_tag(bytes: &[u8], start: usize, namespaces: &mut usize) -> Result<(usize, bool), Excess> {
    let mut at = start + 1;
    let mut attributes = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'>' => return Ok((at + 1, bytes[at - 1] == b'/')),
            b'"' | b'\'' => {
                attributes += 1;
                if attributes > MOST_ATTRIBUTES {
                    return Err(Excess {
                        offset: start,
                        kind: ExcessKind::Attributes,
                    });
                }
                at = after(bytes, at + 1, &[byte]);
            }
            b'x' if bytes[at..].starts_with(b"xmlns") => {
                *namespaces += 1;
                if *namespaces > MOST_NAMESPACES {
                    return Err(Excess {
                        offset: at,
                        kind: ExcessKind::Namespaces,
                    });
                }
                at += 5;
            }
            _ => at += 1,
        }
    }
    Ok((bytes.len(), false))
}

fn find(bytes: &[u8], from: usize, wanted: &[u8]) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.windows(wanted.len())
        .position(|window| window == wanted)
        .map(|position| from + position)
}

fn after(bytes: &[u8], from: usize, wanted: &[u8]) -> usize {
    find(bytes, from, wanted).map_or(bytes.len(), |found| found + wanted.len())
}
