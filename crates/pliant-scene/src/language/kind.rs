//! What the value of an attribute must look like.

use super::Range;
use pliant::choice::Word;

/// What the value of an attribute must look like.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// A name of one's own: letters, digits, `_` and `-`.
    Identifier,
    /// The id of another element.
    Reference,
    /// A path with forward slashes and one of these extensions.
    File(&'static [&'static str]),
    /// A real number.
    Number(Range),
    /// A whole number between two bounds, both allowed.
    Count {
        /// The smallest allowed.
        least: u32,
        /// The largest allowed.
        most: u32,
    },
    /// "Yes" or "No".
    Boolean,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// One of these words, each of which says what it means.
    Named(&'static [Word]),
    /// One of the types of the element ([`Element::variants`](super::Element::variants)).
    Variant,
    /// Three numbers in brackets.
    Vector,
    /// Three numbers in brackets, not all zero.
    Direction,
    /// Three positive numbers in brackets.
    Extent,
    /// Red, green and blue from 0 to 1, without brackets.
    Colour,
    /// Whole numbers in brackets, one a direction of the body.
    Grid,
    /// Particle indices in brackets, one a direction of the body, from 0.
    Particle,
    /// A square matrix in brackets, as large as the body has directions.
    Tensor,
    /// The lowest and the highest corner of a box: two rows of three numbers in brackets.
    Corners,
    /// A formula in u, v and w.
    Rule,
    /// A formula in x, y, z and t.
    Flow,
    /// Points of time and factor: rows of two numbers in brackets, times growing.
    Ramp,
}

impl Kind {
    /// The allowed words, where the value is one of a list.
    pub fn words(self) -> Vec<&'static str> {
        match self {
            Self::Choice(words) => words.to_vec(),
            Self::Named(words) => words.iter().map(|word| word.name).collect(),
            Self::Boolean => vec!["Yes", "No"],
            _ => Vec::new(),
        }
    }

    /// What was expected, with an example: "a vector of 3 numbers such as "[0, 0, -9.82]"".
    pub fn expectation(self) -> String {
        match self {
            Self::Identifier => "a name of letters, digits, `_` and `-`".to_owned(),
            Self::Reference => "the id of another element".to_owned(),
            Self::File(extensions) => format!("a file name ending in {}", one_of(extensions)),
            Self::Number(range) if range == Range::ANY => "a number such as \"2.5\"".to_owned(),
            Self::Number(range) => format!("a number {}", range.describe()),
            Self::Count { least, most } => format!("a whole number from {least} to {most}"),
            Self::Boolean => "\"Yes\" or \"No\"".to_owned(),
            Self::Choice(_) | Self::Named(_) => {
                let words = self.words();
                let quoted: Vec<String> = words.iter().map(|word| format!("\"{word}\"")).collect();
                one_of(&quoted)
            }
            Self::Variant => "one of the known types".to_owned(),
            Self::Vector => "a vector of 3 numbers such as \"[0, 0, -9.82]\"".to_owned(),
            Self::Direction => {
                "a vector of 3 numbers, not all zero, such as \"[0, 0, 1]\"".to_owned()
            }
            Self::Extent => {
                "a vector of 3 numbers greater than 0 such as \"[1, 1, 0.5]\"".to_owned()
            }
            Self::Colour => {
                "red, green and blue from 0 to 1, without brackets, such as \"0.8, 0.6, 0.4\""
                    .to_owned()
            }
            Self::Grid => {
                "whole numbers in brackets, one a direction, such as \"[10, 10]\"".to_owned()
            }
            Self::Particle => {
                "particle indices in brackets, one a direction, such as \"[0, 9]\"".to_owned()
            }
            Self::Tensor => {
                "a square matrix of numbers in brackets such as \"[[1, 0], [0, 1]]\"".to_owned()
            }
            Self::Corners => {
                "the lowest and the highest corner of a box such as \"[[0, 0, 0], [1, 1, 2]]\""
                    .to_owned()
            }
            Self::Ramp => {
                "points of time and factor with growing times such as \"[[0, 0], [2, 1]]\""
                    .to_owned()
            }
            Self::Flow => "a formula in x, y, z and t such as \"2*sin(3*t)*exp(-z)\"".to_owned(),
            Self::Rule => "a formula in u, v and w such as \"1 + 4*exp(-20*(u-0.5)^2)\"".to_owned(),
        }
    }

    /// A short name for the reference's tables.
    pub fn short(self) -> String {
        match self {
            Self::Identifier => "name".to_owned(),
            Self::Reference => "id".to_owned(),
            Self::File(extensions) => format!("file ({})", extensions.join(", ")),
            Self::Number(range) if range == Range::ANY => "number".to_owned(),
            Self::Number(range) => format!("number, {}", range.describe()),
            Self::Count { least, most } => format!("whole number, {least} to {most}"),
            Self::Boolean | Self::Choice(_) | Self::Named(_) => {
                let quoted: Vec<String> = self.words().iter().map(|w| format!("`{w}`")).collect();
                quoted.join(", ")
            }
            Self::Variant => "one of the types below".to_owned(),
            Self::Vector => "vector".to_owned(),
            Self::Direction => "vector, not zero".to_owned(),
            Self::Extent => "vector of positive numbers".to_owned(),
            Self::Colour => "colour".to_owned(),
            Self::Grid => "counts".to_owned(),
            Self::Particle => "particle".to_owned(),
            Self::Tensor => "tensor".to_owned(),
            Self::Corners => "two corners".to_owned(),
            Self::Rule => "formula".to_owned(),
            Self::Flow => "formula in x, y, z and t".to_owned(),
            Self::Ramp => "points of time and factor".to_owned(),
        }
    }
}

fn one_of<T: AsRef<str>>(words: &[T]) -> String {
    match words {
        [] => String::new(),
        [only] => only.as_ref().to_owned(),
        [first @ .., last] => {
            let first: Vec<&str> = first.iter().map(AsRef::as_ref).collect();
            format!("{} or {}", first.join(", "), last.as_ref())
        }
    }
}
