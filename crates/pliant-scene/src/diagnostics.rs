//! What is wrong with a scene, where, and what to do about it.
//!
//! A [`SceneError`] names the place, the element, the attribute, what was expected and what was
//! found; [`SceneErrors`] holds all mistakes of one file, in the order of the file.

use std::fmt;

/// The most mistakes reported of one file; a file with more is not a scene with slips but
/// something else.
pub const MOST_ERRORS: usize = 200;

/// A place in a scene file; lines and columns count from 1, columns in characters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Line, from 1; 0 where there is no text to point at (a file that cannot be read).
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.line, self.column)
    }
}

/// One mistake (or, in [`crate::Scene::warnings`], one oddity) of a scene file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe())]
pub struct SceneError {
    /// Line, from 1; 0 where there is no text to point at.
    pub line: u32,
    /// Column in characters, from 1.
    pub column: u32,
    /// The element as a reader would look for it, such as `<Force id="G"><Properties>`; empty
    /// where the mistake belongs to no element.
    pub element: String,
    /// The attribute, where the mistake lies in one.
    pub attribute: Option<String>,
    /// What was expected and what was found.
    pub message: String,
    /// What to do: the nearest known name, or how to mend it.
    pub hint: Option<String>,
}

/// An oddity that does not keep a scene from being simulated.
pub type SceneWarning = SceneError;

impl SceneError {
    /// Where the mistake is.
    pub fn location(&self) -> Location {
        Location {
            line: self.line,
            column: self.column,
        }
    }

    /// The mistake without its place.
    fn what(&self) -> String {
        let mut text = String::new();
        if !self.element.is_empty() {
            text.push_str(&self.element);
            text.push_str(": ");
        }
        if let Some(attribute) = &self.attribute {
            text.push_str(&format!("attribute `{attribute}`: "));
        }
        text.push_str(&self.message);
        if let Some(hint) = &self.hint {
            text.push_str("\n  hint: ");
            text.push_str(hint);
        }
        text
    }

    fn describe(&self) -> String {
        if self.line == 0 {
            self.what()
        } else {
            format!("{}: {}", self.location(), self.what())
        }
    }
}

/// All mistakes of one scene file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", self.describe())]
pub struct SceneErrors {
    /// The file as the user named it.
    pub file: String,
    /// The mistakes, in the order of the file; at least one.
    pub errors: Vec<SceneError>,
}

impl SceneErrors {
    /// A single mistake that has no place in the text.
    pub fn of_file(file: &str, message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            file: file.to_owned(),
            errors: vec![SceneError {
                line: 0,
                column: 0,
                element: String::new(),
                attribute: None,
                message: message.into(),
                hint,
            }],
        }
    }

    fn describe(&self) -> String {
        let lines: Vec<String> = self
            .errors
            .iter()
            .map(|error| {
                if error.line == 0 {
                    format!("{}: {}", self.file, error.what())
                } else {
                    format!("{}:{}: {}", self.file, error.location(), error.what())
                }
            })
            .collect();
        lines.join("\n")
    }
}

/// Turns byte offsets into lines and columns, in time that does not grow with the file.
pub(crate) struct Positions {
    line_starts: Vec<usize>,
    characters_before_block: Vec<usize>,
    bytes: Vec<u8>,
}

/// Bytes between two stored character counts.
const BLOCK: usize = 1024;

fn is_character_start(byte: u8) -> bool {
    byte & 0b1100_0000 != 0b1000_0000
}

impl Positions {
    pub(crate) fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut line_starts = vec![0];
        line_starts.extend(
            bytes
                .iter()
                .enumerate()
                .filter(|&(_, &byte)| byte == b'\n')
                .map(|(offset, _)| offset + 1),
        );
        let mut characters_before_block = Vec::with_capacity(bytes.len() / BLOCK + 1);
        let mut characters = 0;
        for block in bytes.chunks(BLOCK) {
            characters_before_block.push(characters);
            characters += block.iter().filter(|&&b| is_character_start(b)).count();
        }
        Self {
            line_starts,
            characters_before_block,
            bytes: bytes.to_vec(),
        }
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.bytes.len());
        let block = offset / BLOCK;
        let Some(&counted) = self.characters_before_block.get(block) else {
            // Only at the very end of a text whose length is a multiple of the block.
            let last = self.characters_before_block.len().saturating_sub(1);
            let start = last * BLOCK;
            let counted = self.characters_before_block.last().copied().unwrap_or(0);
            return counted + count_characters(&self.bytes[start.min(offset)..offset]);
        };
        counted + count_characters(&self.bytes[block * BLOCK..offset])
    }

    pub(crate) fn locate(&self, offset: usize) -> Location {
        let line = self.line_starts.partition_point(|&start| start <= offset);
        let start = self.line_starts[line.saturating_sub(1)];
        let column = self.characters_before(offset) - self.characters_before(start) + 1;
        Location {
            line: u32::try_from(line).unwrap_or(u32::MAX),
            column: u32::try_from(column).unwrap_or(u32::MAX),
        }
    }
}

fn count_characters(bytes: &[u8]) -> usize {
    bytes.iter().filter(|&&b| is_character_start(b)).count()
}

/// Gathers mistakes and oddities while a scene is read.
pub(crate) struct Reporter {
    positions: Positions,
    errors: Vec<SceneError>,
    warnings: Vec<SceneWarning>,
    left_out: usize,
}

/// A mistake before its place is known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Problem {
    pub(crate) message: String,
    pub(crate) hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    pub(crate) fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    pub(crate) fn with_optional_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint;
        self
    }
}

impl Reporter {
    pub(crate) fn new(text: &str) -> Self {
        Self {
            positions: Positions::new(text),
            errors: Vec::new(),
            warnings: Vec::new(),
            left_out: 0,
        }
    }

    pub(crate) fn locate(&self, offset: usize) -> Location {
        self.positions.locate(offset)
    }

    fn place(
        &self,
        offset: usize,
        element: &str,
        attribute: Option<&str>,
        problem: Problem,
    ) -> SceneError {
        let Location { line, column } = self.locate(offset);
        SceneError {
            line,
            column,
            element: element.to_owned(),
            attribute: attribute.map(str::to_owned),
            message: problem.message,
            hint: problem.hint,
        }
    }

    /// Whether no further mistake will be listed, so that hints need not be sought.
    pub(crate) fn is_full(&self) -> bool {
        self.errors.len() >= MOST_ERRORS
    }

    /// How many mistakes there are so far.
    pub(crate) fn mistakes(&self) -> usize {
        self.errors.len() + self.left_out
    }

    /// Counts a mistake that is not listed.
    pub(crate) fn leave_out(&mut self) {
        self.left_out += 1;
    }

    pub(crate) fn error(
        &mut self,
        offset: usize,
        element: &str,
        attribute: Option<&str>,
        problem: Problem,
    ) {
        if self.is_full() {
            self.leave_out();
            return;
        }
        let error = self.place(offset, element, attribute, problem);
        self.errors.push(error);
    }

    pub(crate) fn warning(
        &mut self,
        offset: usize,
        element: &str,
        attribute: Option<&str>,
        problem: Problem,
    ) {
        if self.warnings.len() < MOST_ERRORS {
            let warning = self.place(offset, element, attribute, problem);
            self.warnings.push(warning);
        }
    }

    /// The mistakes in the order of the file, or the oddities if there is no mistake.
    pub(crate) fn finish(mut self, file: &str) -> Result<Vec<SceneWarning>, SceneErrors> {
        if self.errors.is_empty() {
            self.warnings.sort_by_key(SceneError::location);
            return Ok(self.warnings);
        }
        self.errors.sort_by_key(SceneError::location);
        if self.left_out > 0 {
            let last = self.errors.last().map(SceneError::location);
            let Location { line, column } = last.unwrap_or_default();
            self.errors.push(SceneError {
                line,
                column,
                element: String::new(),
                attribute: None,
                message: format!("and {} more mistakes that are not listed", self.left_out),
                hint: None,
            });
        }
        Err(SceneErrors {
            file: file.to_owned(),
            errors: self.errors,
        })
    }
}

/// Quotes what was found, shortened, with control characters made visible.
pub(crate) fn quote(found: &str) -> String {
    const LONGEST: usize = 60;
    let shown: String = found.chars().take(LONGEST).collect();
    let dots = if shown.len() < found.len() { "…" } else { "" };
    let visible: String = shown
        .chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect();
    format!("\"{visible}{dots}\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_and_lines_start_at_one() {
        let text = "a\nöü<x\n";
        let positions = Positions::new(text);
        let offset = text.find('<').unwrap();
        assert_eq!(positions.locate(offset), Location { line: 2, column: 3 });
        assert_eq!(positions.locate(0), Location { line: 1, column: 1 });
        assert_eq!(
            positions.locate(text.len()),
            Location { line: 3, column: 1 }
        );
    }

    #[test]
    fn long_lines_are_located_across_blocks() {
        let text = "é".repeat(3 * BLOCK) + "<";
        let positions = Positions::new(&text);
        let column = 3 * BLOCK as u32 + 1;
        assert_eq!(
            positions.locate(text.len() - 1),
            Location { line: 1, column }
        );
        let exact = "a".repeat(2 * BLOCK);
        let column = 2 * BLOCK as u32 + 1;
        assert_eq!(
            Positions::new(&exact).locate(exact.len()),
            Location { line: 1, column }
        );
    }

    #[test]
    fn the_list_of_mistakes_is_cut_and_says_so() {
        let mut reporter = Reporter::new("text");
        for _ in 0..MOST_ERRORS + 7 {
            reporter.error(0, "", None, Problem::new("wrong"));
        }
        let errors = reporter.finish("f").unwrap_err().errors;
        assert_eq!(errors.len(), MOST_ERRORS + 1);
        assert!(errors[MOST_ERRORS].message.contains("7 more"));
    }

    #[test]
    fn an_error_reads_as_documented() {
        let mut reporter = Reporter::new("text");
        let problem = Problem::new("expected a number, found \"x\"").with_hint("write a number");
        reporter.error(0, "<Force id=\"G\">", Some("k"), problem);
        assert_eq!(
            reporter.finish("scene.xml").unwrap_err().to_string(),
            "scene.xml:1:1: <Force id=\"G\">: attribute `k`: expected a number, found \"x\"\n  \
             hint: write a number"
        );
    }
}
