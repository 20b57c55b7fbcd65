//! `Picture`: how the pictures and films of a scene look.

use super::{Attribute, Element, Kind, Range};
use crate::scene::PictureStyle;

/// The most pixels of a side.
pub const LARGEST_SIDE: u32 = 8192;

/// The most moments of a picture of a film.
pub const MOST_MOMENTS: u32 = 64;

/// How pictures and films look.
pub static PICTURE: Element = Element {
    name: "Picture",
    doc: "How pictures and films of the scene look. Options of the command come before it.",
    attributes: &[
        Attribute::or(
            "style",
            Kind::Named(PictureStyle::WORDS),
            PictureStyle::Shaded.name(),
            "What bodies are drawn as.",
        ),
        Attribute::or(
            "field",
            Kind::Identifier,
            "speed",
            "The number at the nodes: `speed`, `strain`, `stress`.",
        )
        .when("style", &["Field"]),
        Attribute::optional(
            "width",
            Kind::Count {
                least: 1,
                most: LARGEST_SIDE,
            },
            "Width in pixels; 1280 if left out.",
        ),
        Attribute::optional(
            "height",
            Kind::Count {
                least: 1,
                most: LARGEST_SIDE,
            },
            "Height in pixels; 720 if left out.",
        ),
        Attribute::or(
            "ground",
            Kind::Choice(&["Auto", "Yes", "No"]),
            "Auto",
            "Whether a ground that catches shadows lies below everything; `Auto` lays one unless \
             the scene has a plane to stand on.",
        ),
        Attribute::optional(
            "level",
            Kind::Number(Range::ANY),
            "Height of the lowest point that anything reaches: the ground lies a little below. \
             If left out, films are drawn when all frames are known.",
        ),
        Attribute::optional(
            "background",
            Kind::Colour,
            "One colour behind everything, without brackets; a soft grey if left out.",
        ),
        Attribute::or(
            "thickness",
            Kind::Number(Range::NOT_NEGATIVE),
            "0",
            "Thickness that surfaces and curves are drawn with, and the particles of `Blobby` bodies; 0 draws \
             surfaces as thin as they are.",
        ),
        Attribute::or(
            "acts",
            Kind::Boolean,
            "Yes",
            "Whether what acts on bodies is drawn: springs, held and heavy particles, hooks and their \
             paths, thrusters, spread loads, wind, images that pull curves.",
        ),
        Attribute::optional(
            "poster",
            Kind::Number(Range::NOT_NEGATIVE),
            "The time of the picture that stands for the film in a gallery, in seconds; the moment of \
             greatest strain if left out.",
        ),
        Attribute::optional(
            "motionblur",
            Kind::Count {
                least: 1,
                most: MOST_MOMENTS,
            },
            "Moments that each picture of a film is the mean of, spread over the half of the time between two \
             frames in which a shutter is open; 1 is sharp. If left out, 4 in films of fewer than 50 pictures \
             per second, else 1.",
        ),
    ],
    example: r#"<Picture style="Field" field="strain" width="1280" height="720" ground="No" />"#,
    ..Element::NEW
};
