//! Draws a [`DrawList`] with nothing but a processor.
//!
//! The picture is cut into tiles. In each tile the nearest thing at every sample is found first
//! (`tile.rs`); then each thing that shows in a pixel is shaded once (`paint.rs`, `light.rs`,
//! `shadow.rs`); transparent things and lines are laid over from far to near (`blend.rs`); and the
//! samples of a pixel are averaged in linear light. Tiles know nothing of each other, so the
//! picture is the same for any number of threads.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over samples index several arrays at once, which the compiler turns into vectors"
)]

mod backdrop;
mod bins;
mod blend;
mod block;
mod color_bar;
mod dither;
mod finish;
mod floor_colors;
mod lanes;
mod light;
mod line;
mod mipmap;
mod occlusion;
mod on_texture;
mod overlay;
mod paint;
mod patch;
mod prepared;
mod shadow;
mod sphere;
mod stages;
mod studio;
mod tile;
mod tone;
mod triangle;
mod triangles;
mod view;

use crate::{Camera, DrawList, Light, Mesh, Picture, Shading};
use backdrop::Backdrop;
use blend::Blended;
use block::BLOCK;
use glam::Vec4;
use light::Lighting;
use paint::Painter;
use patch::Patches;
use prepared::Prepared;
use rayon::prelude::*;
use stages::Clock;
use tile::{GROUND, TILE, Tile};
use view::View;

pub use light::default_lights;
pub use stages::{Stage, StageTimes};
pub(crate) use tone::byte_of_light;

/// Size and look of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PictureOptions {
    /// Number of columns, in pixels.
    pub width: usize,
    /// Number of rows, in pixels.
    pub height: usize,
    /// Samples a pixel: 1, 4 or 8; other numbers are taken down to the next of these.
    pub samples: usize,
    /// What lies behind everything.
    pub background: Background,
    /// Light is multiplied by this before it is shown.
    pub exposure: f32,
    /// Whether there are shadows, in the light of all lamps that throw any.
    pub shadows: bool,
}

impl Default for PictureOptions {
    fn default() -> Self {
        Self {
            width: 1280,
            height: 720,
            samples: 4,
            background: Background::default(),
            exposure: 1.0,
            shadows: true,
        }
    }
}

/// What lies behind everything. Colours are linear and shown as they are, whatever the exposure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Background {
    /// One colour at the upper edge turns into another at the lower edge.
    Gradient {
        /// At the upper edge.
        top: [f32; 3],
        /// At the lower edge.
        bottom: [f32; 3],
    },
    /// One colour.
    Plain([f32; 3]),
    /// Nothing: the picture has an opacity for each pixel.
    Transparent,
}

impl Default for Background {
    /// Bright and a little warm.
    fn default() -> Self {
        Self::Gradient {
            top: [0.90, 0.90, 0.89],
            bottom: [0.76, 0.74, 0.71],
        }
    }
}

/// Draws a list as the camera sees it.
///
/// Lights throw shadows unless they say otherwise. Without lights there is one from above left behind the eye, and
/// a faint one from the right. What cannot be drawn (positions that are not finite, indices
/// without a vertex, triangles without area) is left out; a picture without pixels is empty.
pub fn draw(
    list: &DrawList,
    camera: &Camera,
    lights: &[Light],
    options: &PictureOptions,
) -> Picture {
    draw_with_clock(list, camera, lights, options, Clock(None))
}

/// Draws a list and adds the time that each part of the work takes to `times`.
pub fn draw_timed(
    list: &DrawList,
    camera: &Camera,
    lights: &[Light],
    options: &PictureOptions,
    times: &StageTimes,
) -> Picture {
    draw_with_clock(list, camera, lights, options, Clock(Some(times)))
}

fn draw_with_clock(
    list: &DrawList,
    camera: &Camera,
    lights: &[Light],
    options: &PictureOptions,
    clock: Clock,
) -> Picture {
    match options.samples {
        0..4 => draw_sampled::<1>(list, camera, lights, options, clock),
        4..8 => draw_sampled::<4>(list, camera, lights, options, clock),
        _ => draw_sampled::<8>(list, camera, lights, options, clock),
    }
}

fn draw_sampled<const N: usize>(
    list: &DrawList,
    camera: &Camera,
    lights: &[Light],
    options: &PictureOptions,
    clock: Clock,
) -> Picture {
    let mut picture = Picture::new(options.width, options.height, [0; 4]);
    let size = [options.width, options.height];
    if size.contains(&0) {
        return picture;
    }
    let bounds = prepared::bounds(list, |_| true, |_| true, true);
    let view = View::of_camera(camera, list.origin, size, bounds);
    let things_alone = prepared::bounds(list, |mesh| !mesh.shading.fades, |_| true, true);
    let backdrop = Backdrop::new(options, &view, list.ground, things_alone);
    let lighting = || Lighting::new(list, camera, lights, options.shadows, clock);
    let things = || {
        clock.time(Stage::Prepare, || {
            let blended = Blended::new(list, &view);
            let is_opaque = |mesh: &Mesh| mesh.shading.opacity >= 1.0;
            let has_one_side = |shading: &Shading| !shading.two_sided;
            let opaque = Prepared::new(list, view.clone(), has_one_side, is_opaque, |_| true);
            (blended, opaque)
        })
    };
    let (lighting, (blended, opaque)) = rayon::join(lighting, things);
    let painter = Painter::new(list, opaque, lighting, backdrop, options.exposure);
    picture
        .pixels_mut()
        .par_chunks_mut(options.width * TILE)
        .enumerate()
        .for_each_init(
            || (Tile::<N>::new(), vec![[Vec4::ZERO; N]; TILE * TILE]),
            |(tile, colors), (band, pixels)| {
                for column in (0..options.width).step_by(TILE) {
                    tile.clear([column, band * TILE]);
                    draw_tile(&painter, &blended, tile, colors, pixels, clock);
                }
            },
        );
    overlay::draw(&mut picture, list, &painter.opaque.view);
    picture
}

/// Draws one tile into the rows of pixels it lies in.
fn draw_tile<const N: usize>(
    painter: &Painter,
    blended: &Blended,
    tile: &mut Tile<N>,
    colors: &mut [[Vec4; N]],
    pixels: &mut [[u8; 4]],
    clock: Clock,
) {
    clock.time(Stage::Visibility, || {
        painter.opaque.draw(painter.list, tile);
        if let Some(plane) = painter.backdrop.ground_plane() {
            tile.draw_plane(plane, 0.0, GROUND);
        }
    });
    let width = painter.opaque.view.size[0];
    let rows = TILE.min(pixels.len() / width);
    let columns = TILE.min(width - tile.origin[0]);
    let is_plain = blended.is_empty_tile(tile.origin);
    clock.time(Stage::Shading, || {
        let kept = if is_plain { None } else { Some(&mut *colors) };
        shade_tile(painter, tile, [columns, rows], kept, pixels);
    });
    if is_plain {
        return;
    }
    clock.time(Stage::Blending, || blended.draw(painter, tile, colors));
    for y in 0..rows {
        for x in 0..columns {
            let samples = &colors[y * TILE + x];
            pixels[y * width + tile.origin[0] + x] = resolve(samples, tile.origin, x, y);
        }
    }
}

/// Works out the colours of the pixels of a tile that lie in the picture. They are kept for what is
/// laid over them if there is a place for them, else written.
fn shade_tile<const N: usize>(
    painter: &Painter,
    tile: &Tile<N>,
    [columns, rows]: [usize; 2],
    mut kept: Option<&mut [[Vec4; N]]>,
    pixels: &mut [[u8; 4]],
) {
    let width = painter.opaque.view.size[0];
    for block_y in (0..rows).step_by(BLOCK) {
        for block_x in (0..columns).step_by(BLOCK) {
            let whole = block_x + BLOCK <= columns && block_y + BLOCK <= rows;
            let block = whole
                .then(|| painter.block(tile, block_x, block_y))
                .flatten();
            if let (None, Some(block)) = (&kept, &block) {
                let corner = [tile.origin[0] + block_x, tile.origin[1] + block_y];
                let rest = &mut pixels[block_y * width + corner[0]..];
                if painter.fill_block(block, corner, rest, width) {
                    continue;
                }
            }
            let mut patches = match block {
                Some(_) => Patches::default(),
                None => Patches::new(painter, tile, [block_x, block_y], [columns, rows]),
            };
            for y in block_y..(block_y + BLOCK).min(rows) {
                for x in block_x..(block_x + BLOCK).min(columns) {
                    let inside = [x - block_x, y - block_y];
                    // One colour for all samples, or none.
                    let color = match &block {
                        Some(block) => {
                            let place = [tile.origin[0] + x, tile.origin[1] + y];
                            Some(painter.block_pixel(block, inside, place))
                        }
                        None => patches.pixel(painter, tile, [x, y], inside),
                    };
                    let pixel = &mut pixels[y * width + tile.origin[0] + x];
                    match (&mut kept, color) {
                        (Some(kept), Some(color)) => kept[y * TILE + x] = [color; N],
                        (Some(kept), None) => kept[y * TILE + x] = painter.pixel(tile, x, y),
                        (None, Some(color)) => *pixel = resolve(&[color], tile.origin, x, y),
                        (None, None) => {
                            *pixel = resolve(&painter.pixel(tile, x, y), tile.origin, x, y);
                        }
                    }
                }
            }
        }
    }
}

/// The pixel of some samples, whose colours are multiplied by their opacity.
fn resolve<const N: usize>(samples: &[Vec4; N], origin: [usize; 2], x: usize, y: usize) -> [u8; 4] {
    let sum = samples.iter().copied().sum::<Vec4>() / N as f32;
    let (color, opacity) = if sum.w > 0.999 {
        (sum, 255)
    } else if sum.w > 0.0 {
        (sum / sum.w, (sum.w * 255.0 + 0.5) as u8)
    } else {
        return [0; 4];
    };
    let threshold = dither::threshold(origin[0] + x, origin[1] + y);
    [
        tone::dithered_byte_of_light(color.x, threshold),
        tone::dithered_byte_of_light(color.y, threshold),
        tone::dithered_byte_of_light(color.z, threshold),
        opacity,
    ]
}

#[cfg(test)]
mod blend_tests;
#[cfg(test)]
mod robustness_tests;
#[cfg(test)]
mod tests;
