//! A JSON value and how it is written. Only writing is needed, so no library is taken for it.

use glam::DVec3;
use std::fmt;

/// A JSON value; members of an object keep their order.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    Null,
    Bool(bool),
    Integer(u64),
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(&'static str, Json)>),
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<usize> for Json {
    fn from(value: usize) -> Self {
        Self::Integer(value as u64)
    }
}

impl From<f64> for Json {
    fn from(value: f64) -> Self {
        Self::Number(value)
    }
}

impl From<&str> for Json {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Json {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<DVec3> for Json {
    fn from(value: DVec3) -> Self {
        Self::List(value.to_array().map(Self::Number).to_vec())
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(values: Vec<T>) -> Self {
        Self::List(values.into_iter().map(Into::into).collect())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, 0)
    }
}

impl Json {
    fn write(&self, f: &mut fmt::Formatter<'_>, depth: usize) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Integer(value) => write!(f, "{value}"),
            // JSON has no infinity and no NaN.
            Self::Number(value) if !value.is_finite() => f.write_str("null"),
            Self::Number(value) => write!(f, "{value:?}"),
            Self::Text(text) => write_text(f, text),
            Self::List(values) => {
                let flat = !values
                    .iter()
                    .any(|value| matches!(value, Self::Object(_) | Self::List(_)));
                write_members(f, depth, flat, ['[', ']'], values, |f, value| {
                    value.write(f, depth + 1)
                })
            }
            Self::Object(members) => {
                write_members(f, depth, false, ['{', '}'], members, |f, (name, value)| {
                    write_text(f, name)?;
                    f.write_str(": ")?;
                    value.write(f, depth + 1)
                })
            }
        }
    }
}

fn write_members<T>(
    f: &mut fmt::Formatter<'_>,
    depth: usize,
    flat: bool,
    [open, close]: [char; 2],
    members: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    let flat = flat || members.is_empty();
    let break_line = |f: &mut fmt::Formatter<'_>, depth: usize| {
        if flat {
            Ok(())
        } else {
            write!(f, "\n{:1$}", "", 2 * depth)
        }
    };
    write!(f, "{open}")?;
    for (index, member) in members.iter().enumerate() {
        if index > 0 {
            f.write_str(if flat { ", " } else { "," })?;
        }
        break_line(f, depth + 1)?;
        write(f, member)?;
    }
    break_line(f, depth)?;
    write!(f, "{close}")
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            control if control < ' ' => write!(f, "\\u{:04x}", u32::from(control))?,
            other => write!(f, "{other}")?,
        }
    }
    f.write_str("\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_independent_reader_reads_what_is_written() {
        let text = "quote \" backslash \\ line \n bell \u{7} umlaut ü";
        let value = Json::Object(vec![
            ("text", text.into()),
            ("tiny", 1.234_567_890_123_456_7e-300.into()),
            ("whole", 3.0.into()),
            ("large", Json::Integer(u64::MAX)),
            ("infinite", f64::INFINITY.into()),
            ("vector", DVec3::new(1.0, -0.5, 1e21).into()),
            ("empty", Json::List(Vec::new())),
            ("missing", Option::<f64>::None.into()),
            (
                "list",
                vec![Json::Object(vec![("yes", true.into())])].into(),
            ),
        ]);
        let read: serde_json::Value = serde_json::from_str(&value.to_string()).unwrap();
        assert_eq!(read["text"], text);
        assert_eq!(read["tiny"], 1.234_567_890_123_456_7e-300);
        assert_eq!(read["whole"], 3.0);
        assert_eq!(read["large"], u64::MAX);
        assert!(read["infinite"].is_null() && read["missing"].is_null());
        assert_eq!(read["vector"][2], 1e21);
        assert_eq!(read["list"][0]["yes"], true);
        assert!(read["empty"].as_array().unwrap().is_empty());
    }
}
