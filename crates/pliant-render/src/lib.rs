//! Frames become pictures.
//!
//! A frame is first turned into a [`DrawList`] of meshes, lines, spheres and labels; a backend then
//! draws the list. The backend here needs nothing but a processor; a viewer can draw the same list
//! on a graphics card.

#![warn(missing_docs)]

mod camera;
mod draw_list;
mod picture;
mod raster;

pub use camera::{Camera, Light, LightSource};
pub use draw_list::{
    ColorBar, DrawList, Label, LineSet, Mesh, Paint, Shading, SphereSet, TextAnchor, TextPlace,
    Texture,
};
pub use picture::Picture;
pub use raster::{Background, PictureOptions, draw};
