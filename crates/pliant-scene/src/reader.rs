//! Scene files: from disk to text.

use crate::diagnostics::SceneErrors;
use crate::overrides::Override;
use crate::parse::parse_with_overrides;
use crate::scene::Scene;
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::Path;

/// The largest scene file, in bytes.
pub const LARGEST_FILE: u64 = 64 * 1024 * 1024;

/// Reads a scene file: UTF-8, with or without a byte order mark, or UTF-16 with one.
pub fn read(path: impl AsRef<Path>) -> Result<Scene, SceneErrors> {
    read_with_overrides(path, &[])
}

/// Reads a scene file with attributes replaced from outside
/// ([`parse_with_overrides`]).
pub fn read_with_overrides(
    path: impl AsRef<Path>,
    overrides: &[Override],
) -> Result<Scene, SceneErrors> {
    let path = path.as_ref();
    let text = read_text(path)?;
    parse_with_overrides(&text, &path.display().to_string(), overrides)
}

/// The text of a scene file, whatever its encoding.
pub fn read_text(path: impl AsRef<Path>) -> Result<String, SceneErrors> {
    let path = path.as_ref();
    let name = path.display().to_string();
    decode(read_bytes(path, &name)?, &name)
}

fn read_bytes(path: &Path, name: &str) -> Result<Vec<u8>, SceneErrors> {
    let refuse = |error: &std::io::Error| {
        let hint = (error.kind() == ErrorKind::NotFound)
            .then(|| "check the path; it is relative to the working folder".to_owned());
        SceneErrors::of_file(name, format!("cannot read the scene file: {error}"), hint)
    };
    let metadata = std::fs::metadata(path).map_err(|error| refuse(&error))?;
    if metadata.is_dir() {
        let hint = Some("name the scene file inside it".to_owned());
        return Err(SceneErrors::of_file(
            name,
            "expected a scene file, found a directory",
            hint,
        ));
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(|error| refuse(&error))?;
    // The size is also limited while reading: what is not a regular file does not tell its size.
    file.take(LARGEST_FILE + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| refuse(&error))?;
    if metadata.len() > LARGEST_FILE || bytes.len() as u64 > LARGEST_FILE {
        let message = format!(
            "the file is larger than {} MB, the most a scene file may have",
            LARGEST_FILE / (1024 * 1024)
        );
        return Err(SceneErrors::of_file(name, message, None));
    }
    Ok(bytes)
}

/// Bytes as text.
pub(crate) fn decode(bytes: Vec<u8>, name: &str) -> Result<String, SceneErrors> {
    let wide = |from_bytes: fn([u8; 2]) -> u16| {
        let units = bytes[2..].chunks_exact(2).map(|b| from_bytes([b[0], b[1]]));
        let is_whole = bytes.len().is_multiple_of(2);
        let text: Result<String, _> = char::decode_utf16(units).collect();
        text.ok().filter(|_| is_whole).ok_or_else(|| {
            SceneErrors::of_file(name, "the file is marked as UTF-16 but is not", None)
        })
    };
    if bytes.starts_with(&[0xff, 0xfe]) {
        return wide(u16::from_le_bytes);
    }
    if bytes.starts_with(&[0xfe, 0xff]) {
        return wide(u16::from_be_bytes);
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at]
            .iter()
            .filter(|&&byte| byte == b'\n')
            .count()
            + 1;
        let message = if error.as_bytes().contains(&0) {
            "expected a text file, found binary data".to_owned()
        } else {
            format!("the file is not UTF-8 text: byte {at}, in line {line}, is not part of it")
        };
        let hint = Some("save the file as UTF-8".to_owned());
        SceneErrors::of_file(name, message, hint)
    })
}
