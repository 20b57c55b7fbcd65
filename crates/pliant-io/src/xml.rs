//! The XML dialect of VTK: escaped text, and arrays as base64 in place.
//!
//! Base64 costs a third more than raw bytes, but the file stays well-formed XML that every reader
//! accepts. An array is encoded as one stream: its length in bytes as a 64-bit number, then its
//! values, all little-endian.

use std::io::{self, Write};

/// Opens a VTK XML file of the given type.
pub(crate) fn write_header(file: &mut impl Write, kind: &str) -> io::Result<()> {
    writeln!(file, "<?xml version=\"1.0\" encoding=\"utf-8\"?>")?;
    writeln!(
        file,
        "<VTKFile type=\"{kind}\" version=\"1.0\" byte_order=\"LittleEndian\" \
         header_type=\"UInt64\">"
    )
}

/// Text made fit for an XML attribute.
pub(crate) fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            control if control.is_control() => escaped.push('_'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The values of one array on their way to the file.
pub(crate) struct DataArray {
    name: &'static str,
    kind: &'static str,
    components: usize,
    bytes: Vec<u8>,
}

impl DataArray {
    /// An empty array. `kind` is the name VTK has for the type of the values.
    pub(crate) fn new(name: &'static str, kind: &'static str, components: usize) -> Self {
        // The length stands before the values and is filled in when it is known.
        Self {
            name,
            kind,
            components,
            bytes: vec![0; size_of::<u64>()],
        }
    }

    /// Appends the little-endian bytes of a value.
    pub(crate) fn push<const N: usize>(&mut self, bytes: [u8; N]) {
        self.bytes.extend_from_slice(&bytes);
    }

    /// Writes the array as an element.
    pub(crate) fn write(mut self, file: &mut impl Write) -> io::Result<()> {
        let length = (self.bytes.len() - size_of::<u64>()) as u64;
        self.bytes[..size_of::<u64>()].copy_from_slice(&length.to_le_bytes());
        write!(
            file,
            "<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"binary\">",
            self.kind,
            escape(self.name),
            self.components
        )?;
        file.write_all(&base64(&self.bytes))?;
        writeln!(file, "</DataArray>")
    }
}

/// Base64 with padding (RFC 4648).
fn base64(bytes: &[u8]) -> Vec<u8> {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = Vec::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            // n bytes fill n + 1 digits; the rest is padding.
            text.push(if place <= group.len() {
                DIGITS[(bits >> (18 - 6 * place)) as usize & 63]
            } else {
                b'='
            });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_gives_the_examples_of_rfc_4648() {
        for (plain, encoded) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(plain.as_bytes()), encoded.as_bytes());
        }
        assert_eq!(base64(&[0xfb, 0xff]), b"+/8=");
    }

    #[test]
    fn text_cannot_break_out_of_an_attribute() {
        assert_eq!(escape("a<\"&\">\n"), "a&lt;&quot;&amp;&quot;&gt;_");
    }
}
