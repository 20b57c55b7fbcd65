//! The names of the styles, as users write them.

use super::{Ground, Look, Style};
use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// A style as users name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StyleName {
    /// Its name.
    pub name: &'static str,
    /// What it shows, in one line.
    pub description: &'static str,
}

/// Every style with a name. Any other field is named `field:` and its name.
pub const STYLE_NAMES: &[StyleName] = &[
    StyleName {
        name: "shaded",
        description: "lit surfaces with colours and textures, curves as tubes, fluids as blobs",
    },
    StyleName {
        name: "wireframe",
        description: "the lines of the grid",
    },
    StyleName {
        name: "particles",
        description: "nodes (fixed ones red), normals, external forces green, elastic forces purple",
    },
    StyleName {
        name: "threads",
        description: "surfaces woven of threads",
    },
    StyleName {
        name: "net",
        description: "cords along the lines of the grid, without anything between them",
    },
    StyleName {
        name: "blobby",
        description: "a smooth surface round the nodes, for what flows",
    },
    StyleName {
        name: "field:speed",
        description: "coloured by speed",
    },
    StyleName {
        name: "field:strain",
        description: "coloured by stretch (red) and squeeze (blue)",
    },
    StyleName {
        name: "field:stress",
        description: "coloured by tension (red) and pressure (blue)",
    },
    StyleName {
        name: "field:temperature",
        description: "coloured by temperature, where there is one",
    },
];

/// A name that is no style.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("there is no style `{name}`; there are {known} and field:NAME", known = known_names())]
pub struct UnknownStyle {
    /// The name.
    pub name: String,
}

fn known_names() -> String {
    let names: Vec<&str> = STYLE_NAMES.iter().map(|style| style.name).collect();
    names.join(", ")
}

impl FromStr for Look {
    type Err = UnknownStyle;

    fn from_str(text: &str) -> Result<Self, UnknownStyle> {
        let lower = text.trim().to_ascii_lowercase();
        Ok(match lower.as_str() {
            "shaded" => Self::Shaded,
            "wireframe" => Self::Wireframe,
            "particles" => Self::Particles,
            "threads" => Self::Threads,
            "net" => Self::Net,
            "blobby" => Self::Blobby,
            // The fields that every user meets need no prefix.
            "speed" | "strain" | "stress" | "temperature" => Self::Field(lower),
            other => match other.strip_prefix("field:").map(str::trim) {
                Some(field) if !field.is_empty() => Self::Field(field.into()),
                _ => return Err(UnknownStyle { name: text.into() }),
            },
        })
    }
}

impl FromStr for Style {
    type Err = UnknownStyle;

    fn from_str(text: &str) -> Result<Self, UnknownStyle> {
        text.parse().map(|look: Look| look.into())
    }
}

/// A word that does not say whether there is a ground.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[error("a ground is `auto`, `yes` or `no`, not `{name}`")]
pub struct UnknownGround {
    /// The word.
    pub name: String,
}

impl FromStr for Ground {
    type Err = UnknownGround;

    fn from_str(text: &str) -> Result<Self, UnknownGround> {
        match text.trim().to_ascii_lowercase().as_str() {
            "auto" => Ok(Self::Auto),
            "yes" => Ok(Self::Yes),
            "no" => Ok(Self::No),
            _ => Err(UnknownGround { name: text.into() }),
        }
    }
}

impl fmt::Display for Look {
    fn fmt(&self, formatter: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Self::Shaded => formatter.write_str("shaded"),
            Self::Wireframe => formatter.write_str("wireframe"),
            Self::Particles => formatter.write_str("particles"),
            Self::Threads => formatter.write_str("threads"),
            Self::Net => formatter.write_str("net"),
            Self::Blobby => formatter.write_str("blobby"),
            Self::Field(name) => write!(formatter, "field:{name}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_is_read_and_written_back() {
        for style in STYLE_NAMES {
            let look: Look = style.name.parse().unwrap();
            assert_eq!(look.to_string(), style.name);
        }
    }

    #[test]
    fn unknown_names_are_refused_with_a_list() {
        let message = "shady".parse::<Style>().unwrap_err().to_string();
        assert!(message.contains("`shady`") && message.contains("wireframe"));
        assert!("field:".parse::<Style>().is_err());
        assert_eq!("Speed".parse::<Look>(), Ok(Look::Field("speed".into())));
    }
}
