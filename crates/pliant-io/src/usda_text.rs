//! The text of a `.usda`: indented lines, numbers, and attributes as time samples.

use crate::timeline::Timeline;
use crate::{AtomicFile, IoError};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

/// A `.usda` being written.
pub(crate) struct UsdText {
    /// The file.
    pub(crate) file: AtomicFile,
    path: PathBuf,
    depth: usize,
    /// Time code of each frame.
    pub(crate) codes: Vec<f64>,
    /// Path of the material of the prims that follow.
    pub(crate) material: String,
}

impl UsdText {
    /// Nothing written yet; time codes are frames.
    pub(crate) fn new(file: AtomicFile, timeline: &Timeline) -> Self {
        let rate = timeline.rate();
        let codes = timeline.times.iter().map(|time| {
            // Times are sums of steps: 2.9999999 was meant to be 3.
            (time * rate * 1e6).round() / 1e6
        });
        Self {
            file,
            path: timeline.path.clone(),
            depth: 0,
            codes: codes.collect(),
            material: String::new(),
        }
    }

    /// Writes a line, indented.
    pub(crate) fn line(&mut self, line: &str) -> Result<(), IoError> {
        let depth = 4 * self.depth;
        writeln!(self.file, "{:depth$}{line}", "").map_err(|source| IoError::Write {
            path: self.path.clone(),
            source,
        })
    }

    /// Begins a prim, with metadata.
    pub(crate) fn open(&mut self, prim: &str, metadata: &[&str]) -> Result<(), IoError> {
        if metadata.is_empty() {
            self.line(prim)?;
        } else {
            self.line(&format!("{prim} ("))?;
            for entry in metadata {
                self.line(&format!("    {entry}"))?;
            }
            self.line(")")?;
        }
        self.line("{")?;
        self.depth += 1;
        Ok(())
    }

    /// Ends a prim.
    pub(crate) fn close(&mut self) -> Result<(), IoError> {
        self.depth -= 1;
        self.line("}")
    }

    /// Writes an attribute: `values` gives its value at each of the samples, which are places of
    /// frames. One sample is a plain value that holds always.
    pub(crate) fn attribute(
        &mut self,
        declaration: &str,
        interpolation: Option<&str>,
        samples: &[usize],
        mut values: impl FnMut(usize) -> Result<String, IoError>,
    ) -> Result<(), IoError> {
        let indent = " ".repeat(4 * self.depth);
        let metadata = interpolation.map_or(String::new(), |kind| {
            format!(" (\n{indent}    interpolation = \"{kind}\"\n{indent})")
        });
        if samples.len() == 1 {
            let value = values(0)?;
            return self.line(&format!("{declaration} = {value}{metadata}"));
        }
        // Metadata stand with the plain attribute, not with its samples.
        if interpolation.is_some() {
            self.line(&format!("{declaration}{metadata}"))?;
        }
        let bare = declaration.trim_start_matches("uniform ");
        self.line(&format!("{bare}.timeSamples = {{"))?;
        for (place, &frame) in samples.iter().enumerate() {
            let value = values(place)?;
            let code = number(self.codes[frame]);
            self.line(&format!("    {code}: {value},"))?;
        }
        self.line("}")
    }
}

/// A number without needless digits.
pub(crate) fn number(value: f64) -> String {
    let text = format!("{value:?}");
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

/// Text in quotation marks.
pub(crate) fn quoted(text: &str) -> String {
    let plain = text.replace(char::is_control, "_");
    format!("\"{}\"", plain.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A list of tuples.
pub(crate) fn tuples<const N: usize>(values: impl IntoIterator<Item = [f32; N]>) -> String {
    let mut text = String::from("[");
    for (index, value) in values.into_iter().enumerate() {
        text.push_str(if index == 0 { "(" } else { ", (" });
        for (place, component) in value.into_iter().enumerate() {
            if place > 0 {
                text.push_str(", ");
            }
            push_number(&mut text, component);
        }
        text.push(')');
    }
    text.push(']');
    text
}

/// A list of numbers.
pub(crate) fn numbers(values: impl IntoIterator<Item = f32>) -> String {
    let mut text = String::from("[");
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        push_number(&mut text, value);
    }
    text.push(']');
    text
}

/// A list of whole numbers.
pub(crate) fn integers(values: impl IntoIterator<Item = u32>) -> String {
    let mut text = String::from("[");
    for (index, value) in values.into_iter().enumerate() {
        if index > 0 {
            text.push_str(", ");
        }
        // Writing to a string cannot fail.
        let _ = write!(text, "{value}");
    }
    text.push(']');
    text
}

fn push_number(text: &mut String, value: f32) {
    // Writing to a string cannot fail.
    let _ = write!(text, "{value:?}");
    if text.ends_with(".0") {
        text.truncate(text.len() - 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_and_exact() {
        assert_eq!(
            tuples([[1.0_f32, -0.5, 1e-30], [0.1, 1e20, 0.0]]),
            "[(1, -0.5, 1e-30), (0.1, 1e20, 0)]"
        );
        assert_eq!(numbers([]), "[]");
        assert_eq!(integers([3, 4]), "[3, 4]");
        assert_eq!(number(30.0), "30");
        assert_eq!(number(29.97), "29.97");
        assert_eq!(quoted("a \"b\" \\ \n"), r#""a \"b\" \\ _""#);
    }
}
