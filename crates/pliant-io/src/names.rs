//! Names of bodies and obstacles made fit for a format, each different.

use pliant::frame::Frame;
use std::collections::HashSet;

/// Gives out names, none of them twice.
#[derive(Debug, Default)]
pub(crate) struct UniqueNames {
    taken: HashSet<String>,
}

impl UniqueNames {
    /// The name itself, or with a number after it if it is taken. Names that differ only in the
    /// case of their letters count as the same: on many systems they are one file.
    pub(crate) fn give(&mut self, plain: &str) -> String {
        let mut name = plain.to_owned();
        let mut copy = 2;
        while !self.taken.insert(name.to_lowercase()) {
            name = format!("{plain}_{copy}");
            copy += 1;
        }
        name
    }
}

/// Names of the bodies, then of the obstacles: each one word, and each different.
pub(crate) fn object_names(frame: &Frame) -> Vec<String> {
    let bodies = frame.bodies.iter().map(|body| &body.name);
    let obstacles = frame.obstacles.iter().map(|obstacle| &obstacle.name);
    let mut names = UniqueNames::default();
    bodies
        .chain(obstacles)
        .map(|name| names.give(&word(name)))
        .collect()
}

/// The text as one word.
pub(crate) fn word(text: &str) -> String {
    if text.is_empty() {
        return "unnamed".to_owned();
    }
    text.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

/// The text as an identifier of letters, digits and underscores that does not begin with a digit.
/// It is also a name that a file can have on every system.
pub(crate) fn identifier(text: &str) -> String {
    let mut name: String = text
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    if name.is_empty() {
        return "unnamed".to_owned();
    }
    if name.starts_with(|c: char| c.is_ascii_digit()) {
        name.insert(0, '_');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_identifiers_and_different() {
        let mut names = UniqueNames::default();
        let given: Vec<String> = ["a b", "a_b", "A_B", "", "2nd", "Käse/\"x\"", "a_b_2"]
            .iter()
            .map(|text| names.give(&identifier(text)))
            .collect();
        assert_eq!(
            given,
            [
                "a_b", "a_b_2", "A_B_3", "unnamed", "_2nd", "K_se__x_", "a_b_2_2"
            ]
        );
    }
}
