//! The fields of a frame.

use pliant::frame::Frame;

/// Names of the fields that any body has, in the order of their first appearance.
pub(crate) fn field_names(frame: &Frame) -> Vec<&'static str> {
    let mut names = Vec::new();
    for field in frame.bodies.iter().flat_map(|body| &body.fields) {
        if !names.contains(&field.name) {
            names.push(field.name);
        }
    }
    names
}
