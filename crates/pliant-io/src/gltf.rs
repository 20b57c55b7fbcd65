//! A glTF 2.0 document being put together: lists of JSON objects, and the bytes they refer to.
//!
//! Objects refer to each other by their places in the lists, so whatever is added first gives back
//! its place. The bytes go to a scratch file, since the JSON, which comes first in a `.glb`, is
//! known only at the end.

use crate::spool::Spool;
use crate::{AtomicFile, IoError};
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;

/// What a stretch of bytes is used for (`bufferView.target`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Use {
    /// Vertex attributes.
    Vertices,
    /// Vertex indices.
    Indices,
    /// Neither: times, weights, images.
    Other,
}

/// The lists of a document, each entry a JSON object.
#[derive(Debug)]
pub(crate) struct Document {
    bytes: Spool,
    views: Vec<String>,
    accessors: Vec<String>,
    /// Images.
    pub(crate) images: Vec<String>,
    /// Textures.
    pub(crate) textures: Vec<String>,
    /// Materials.
    pub(crate) materials: Vec<String>,
    /// Extensions of the format that are used; readers may leave them out.
    extensions: Vec<&'static str>,
    /// Meshes.
    pub(crate) meshes: Vec<String>,
    /// Nodes.
    pub(crate) nodes: Vec<String>,
    /// Samplers of the one animation.
    pub(crate) samplers: Vec<String>,
    /// Channels of the one animation.
    pub(crate) channels: Vec<String>,
}

/// Adds an entry to a list and returns its place.
pub(crate) fn add(list: &mut Vec<String>, entry: String) -> usize {
    list.push(entry);
    list.len() - 1
}

/// Text as a JSON string.
pub(crate) fn quoted(text: &str) -> String {
    let mut escaped = String::from("\"");
    for character in text.chars() {
        match character {
            '"' => escaped.push_str("\\\""),
            '\\' => escaped.push_str("\\\\"),
            control if control.is_control() => escaped.push('_'),
            other => escaped.push(other),
        }
    }
    escaped.push('"');
    escaped
}

/// Numbers as a JSON list, with every digit: readers compare bounds with the values themselves.
pub(crate) fn list(values: impl IntoIterator<Item = f32>) -> String {
    let texts: Vec<String> = values
        .into_iter()
        .map(|value| format!("{:?}", f64::from(value)))
        .collect();
    format!("[{}]", texts.join(","))
}

impl Document {
    /// An empty document, whose bytes wait beside the output.
    pub(crate) fn new(output: &Path) -> Result<Self, IoError> {
        Ok(Self {
            bytes: Spool::create(output)?,
            views: Vec::new(),
            accessors: Vec::new(),
            images: Vec::new(),
            textures: Vec::new(),
            materials: Vec::new(),
            extensions: Vec::new(),
            meshes: Vec::new(),
            nodes: Vec::new(),
            samplers: Vec::new(),
            channels: Vec::new(),
        })
    }

    /// Adds bytes and returns the place of their view.
    pub(crate) fn add_view(&mut self, bytes: &[u8], purpose: Use) -> Result<usize, IoError> {
        let block = self.bytes.append(bytes)?;
        // The next view must begin at a multiple of four.
        self.bytes
            .append(&[0; 3][..bytes.len().wrapping_neg() % 4])?;
        let target = match purpose {
            Use::Vertices => ",\"target\":34962",
            Use::Indices => ",\"target\":34963",
            Use::Other => "",
        };
        let view = format!(
            "{{\"buffer\":0,\"byteOffset\":{},\"byteLength\":{}{target}}}",
            block.start, block.length
        );
        Ok(add(&mut self.views, view))
    }

    /// Adds tuples of numbers with their bounds.
    pub(crate) fn add_tuples<const N: usize>(
        &mut self,
        tuples: &[[f32; N]],
        purpose: Use,
    ) -> Result<usize, IoError> {
        let bytes: Vec<u8> = tuples
            .as_flattened()
            .iter()
            .flat_map(|value| value.to_le_bytes())
            .collect();
        let view = self.add_view(&bytes, purpose)?;
        let bound = |start: f32, pick: fn(f32, f32) -> f32| {
            list((0..N).map(|place| tuples.iter().map(|tuple| tuple[place]).fold(start, pick)))
        };
        let accessor = format!(
            "{{\"bufferView\":{view},\"componentType\":5126,\"count\":{},\"type\":\"{}\",\
             \"min\":{},\"max\":{}}}",
            tuples.len(),
            ["SCALAR", "VEC2", "VEC3", "VEC4"][N - 1],
            bound(f32::INFINITY, f32::min),
            bound(f32::NEG_INFINITY, f32::max)
        );
        Ok(add(&mut self.accessors, accessor))
    }

    /// Adds vertex indices.
    pub(crate) fn add_indices(&mut self, indices: &[u32]) -> Result<usize, IoError> {
        let bytes: Vec<u8> = indices
            .iter()
            .flat_map(|index| index.to_le_bytes())
            .collect();
        let view = self.add_view(&bytes, Use::Indices)?;
        let count = indices.len();
        let accessor = format!(
            "{{\"bufferView\":{view},\"componentType\":5125,\"count\":{count},\"type\":\"SCALAR\"}}"
        );
        Ok(add(&mut self.accessors, accessor))
    }

    /// Writes the `.glb`; `root` is the node that holds all others.
    pub(crate) fn save(mut self, path: &Path, root: usize) -> Result<(), IoError> {
        let mut json = self.json(root).into_bytes();
        json.resize(json.len().next_multiple_of(4), b' ');
        let failed = |source| IoError::Write {
            path: path.to_path_buf(),
            source,
        };
        let has_bytes = !self.bytes.is_empty();
        let chunk = if has_bytes { 8 + self.bytes.len() } else { 0 };
        let length = 12 + 8 + json.len() as u64 + chunk;
        let Ok(length) = u32::try_from(length) else {
            return Err(IoError::TooLarge {
                path: path.to_path_buf(),
                limit: "4 GiB, the most a .glb can hold",
            });
        };
        let mut header = Vec::from(*b"glTF");
        let mut push = |number: u32| header.extend_from_slice(&number.to_le_bytes());
        push(2);
        push(length);
        push(json.len() as u32);
        header.extend_from_slice(b"JSON");
        let mut file = AtomicFile::create(path)?;
        file.write_all(&header).map_err(failed)?;
        file.write_all(&json).map_err(failed)?;
        if has_bytes {
            // The whole file fits in 32 bits, and so does a part of it.
            let count = self.bytes.len() as u32;
            file.write_all(&count.to_le_bytes()).map_err(failed)?;
            file.write_all(b"BIN\0").map_err(failed)?;
            self.bytes.copy_to(&mut file)?;
        }
        file.commit()
    }

    /// Says that the file uses an extension, which readers may leave out.
    pub fn use_extension(&mut self, name: &'static str) {
        if !self.extensions.contains(&name) {
            self.extensions.push(name);
        }
    }

    fn json(&self, root: usize) -> String {
        let mut json = format!(
            "{{\"asset\":{{\"version\":\"2.0\",\"generator\":\"Pliant {}\"}},\"scene\":0,\
             \"scenes\":[{{\"nodes\":[{root}]}}]",
            env!("CARGO_PKG_VERSION")
        );
        if !self.bytes.is_empty() {
            // Writing to a string cannot fail.
            let _ = write!(
                json,
                ",\"buffers\":[{{\"byteLength\":{}}}]",
                self.bytes.len()
            );
        }
        if !self.extensions.is_empty() {
            let _ = write!(
                json,
                ",\"extensionsUsed\":[\"{}\"]",
                self.extensions.join("\",\"")
            );
        }
        for (name, list) in [
            ("bufferViews", &self.views),
            ("accessors", &self.accessors),
            ("images", &self.images),
            ("textures", &self.textures),
            ("materials", &self.materials),
            ("meshes", &self.meshes),
            ("nodes", &self.nodes),
        ] {
            // An empty list is an error in glTF.
            if !list.is_empty() {
                let _ = write!(json, ",\"{name}\":[{}]", list.join(","));
            }
        }
        if !self.channels.is_empty() {
            let _ = write!(
                json,
                ",\"animations\":[{{\"name\":\"run\",\"samplers\":[{}],\"channels\":[{}]}}]",
                self.samplers.join(","),
                self.channels.join(",")
            );
        }
        json.push('}');
        json
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_numbers_are_json() {
        assert_eq!(quoted("a \"b\" \\ \n é"), r#""a \"b\" \\ _ é""#);
        assert_eq!(
            list([1.0, 1e-30, 0.1]),
            "[1.0,1.0000000031710769e-30,0.10000000149011612]"
        );
        assert_eq!(list([]), "[]");
    }
}
