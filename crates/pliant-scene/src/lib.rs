//! The scene language of Pliant: XML text to plain, checked scene data.
//!
//! [`parse`] and [`read`] turn a scene file into a [`Scene`]; what is wrong with it comes back as
//! [`SceneErrors`], all mistakes at once, each with line, column, what was expected and a hint.
//! The language itself is one table, [`language`], from which the schema ([`schema()`]) and the
//! reference ([`reference()`]) are written.

mod build;
mod diagnostics;
mod expression;
mod gallery;
pub mod language;
mod nearest;
mod overrides;
mod parse;
mod reader;
mod reference;
pub mod scene;
mod schema;
mod settings;
mod value;
mod xml;

pub use build::{
    bodies_that_begin_close, bodies_that_pass, build, build_with, crossings, open_seams,
    wires_without_frames,
};
pub use diagnostics::{Location, MOST_ERRORS, SceneError, SceneErrors, SceneWarning};
pub use expression::{Expression, ExpressionError};
pub use gallery::{GalleryScene, find, gallery};
pub use nearest::{edit_distance, nearest};
pub use overrides::{Override, place_of_override};
pub use parse::{
    BYTES_PER_SOLID_PARTICLE, BYTES_PER_THIN_PARTICLE, MOST_PARTICLES, parse, parse_with_overrides,
};
pub use reader::{LARGEST_FILE, read, read_text, read_with_overrides};
pub use reference::{example_scene, reference};
pub use scene::Scene;
pub use schema::schema;
pub use settings::Settings;
