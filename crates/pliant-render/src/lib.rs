//! Frames become pictures.
//!
//! A frame is first turned into a [`DrawList`] of meshes, lines, spheres and labels; a backend then
//! draws the list. The backend here needs nothing but a processor; a viewer can draw the same list
//! on a graphics card.

#![warn(missing_docs)]

mod acts;
mod blobby;
mod camera;
mod color_map;
pub mod compose;
mod draw_list;
mod fields;
mod fit;
mod normals;
mod picture;
mod processor;
mod raster;
mod style;
mod stylist;
mod text;
mod texture;
mod tube;

pub use acts::{Act, ImagePlane, ThreadEnd, add_acts, shown_loads};
pub use camera::{Camera, Light, LightSource};
pub use color_map::{ColorMap, linear_from_srgb};
pub use draw_list::{
    ColorBar, DrawList, Finish, Label, LineSet, Mesh, Paint, Shading, SphereSet, TextAnchor,
    TextPlace, Texture,
};
pub use fields::{FieldScale, field_names, field_values};
pub use fit::CameraFit;
pub use picture::Picture;
pub use raster::{Background, PictureOptions, Stage, StageTimes, default_lights, draw, draw_timed};
pub use style::{Ground, Look, STYLE_NAMES, Style, StyleName, UnknownGround, UnknownStyle};
pub use stylist::{StyleError, Stylist, strobe};
pub use texture::{PROCEDURAL_NAMES, TextureError, TextureStore, texture_paths};
