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
mod patch_color;
mod patch_pixels;
mod prepared;
mod shadow;
mod sphere;
mod stages;
mod studio;
mod tile;
mod tone;
mod triangle;
mod triangles;
mod vertex_lights;
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
pub(crate) use tone::{byte_of_light, light_of_bytes};

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
    let backdrop = Backdrop::new(options, &view, camera, list.origin, list.ground);
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
    let painter = || Painter::new(list, opaque, lighting, backdrop, options.exposure);
    let painter = clock.time(Stage::Shading, painter);
    picture
        .pixels_mut()
        .par_chunks_mut(options.width * TILE)
        .enumerate()
        .for_each_init(Scratch::<N>::new, |scratch, (band, pixels)| {
            for column in (0..options.width).step_by(TILE) {
                let origin = [column, band * TILE];
                draw_tile(&painter, &blended, origin, scratch, pixels, clock);
            }
        });
    overlay::draw(&mut picture, list, &painter.opaque.view);
    picture
}

/// Memory of one thread.
struct Scratch<const N: usize> {
    tile: Tile<N>,
    /// Colours of the samples of a tile, where something is laid over them.
    colors: Vec<[Vec4; N]>,
    patches: Patches,
}

impl<const N: usize> Scratch<N> {
    fn new() -> Self {
        Self {
            tile: Tile::new(),
            colors: vec![[Vec4::ZERO; N]; TILE * TILE],
            patches: Patches::default(),
        }
    }
}

/// Draws one tile into the rows of pixels it lies in.
fn draw_tile<const N: usize>(
    painter: &Painter,
    blended: &Blended,
    origin: [usize; 2],
    scratch: &mut Scratch<N>,
    pixels: &mut [[u8; 4]],
    clock: Clock,
) {
    let laid_over = blended.blocks_of_tile(origin);
    clock.time(Stage::Visibility, || {
        let is_bare = laid_over.is_empty() && painter.opaque.is_empty_tile(origin);
        let only = is_bare.then(|| painter.backdrop.shown_alone(origin));
        if let Some(id) = only.flatten() {
            scratch.tile.show_only(origin, id);
            return;
        }
        scratch.tile.clear(origin);
        painter.opaque.draw(painter.list, &mut scratch.tile);
        if let Some(plane) = painter.backdrop.ground_plane() {
            scratch.tile.draw_plane(plane, 0.0, GROUND);
        }
    });
    let width = painter.opaque.view.size[0];
    let size = [TILE.min(width - origin[0]), TILE.min(pixels.len() / width)];
    clock.time(Stage::Shading, || {
        for [x, y] in blocks(size) {
            match laid_over.has([x, y]) {
                true => keep_block(painter, scratch, [x, y], size),
                false => shade_block(painter, scratch, [x, y], size, pixels),
            }
        }
    });
    if laid_over.is_empty() {
        return;
    }
    clock.time(Stage::Blending, || {
        blended.draw(painter, &scratch.tile, &mut scratch.colors);
        for corner in blocks(size).filter(|corner| laid_over.has(*corner)) {
            for [x, y] in pixels_of_block(corner, size) {
                let samples = &scratch.colors[y * TILE + x];
                pixels[y * width + origin[0] + x] = resolve(samples, origin, x, y);
            }
        }
    });
}

/// The corners of the blocks of a tile, of which a part lies in the picture.
fn blocks([columns, rows]: [usize; 2]) -> impl Iterator<Item = [usize; 2]> {
    let across = move |y| (0..columns).step_by(BLOCK).map(move |x| [x, y]);
    (0..rows).step_by(BLOCK).flat_map(across)
}

/// The pixels of a block of a tile, of which a part lies in the picture.
fn pixels_of_block(
    [left, top]: [usize; 2],
    [columns, rows]: [usize; 2],
) -> impl Iterator<Item = [usize; 2]> {
    let across = move |y| (left..(left + BLOCK).min(columns)).map(move |x| [x, y]);
    (top..(top + BLOCK).min(rows)).flat_map(across)
}

/// Whether all of a block lies in the picture.
fn is_whole([x, y]: [usize; 2], [columns, rows]: [usize; 2]) -> bool {
    x + BLOCK <= columns && y + BLOCK <= rows
}

/// Writes the pixels of a block of a tile.
fn shade_block<const N: usize>(
    painter: &Painter,
    scratch: &mut Scratch<N>,
    corner: [usize; 2],
    size: [usize; 2],
    pixels: &mut [[u8; 4]],
) {
    let Scratch { tile, patches, .. } = scratch;
    let width = painter.opaque.view.size[0];
    let origin = tile.origin;
    let place = [origin[0] + corner[0], origin[1] + corner[1]];
    let start = corner[1] * width + place[0];
    let is_whole = is_whole(corner, size);
    let block = is_whole
        .then(|| painter.block(tile, corner[0], corner[1]))
        .flatten();
    if let Some(block) = block {
        if !painter.fill_block(&block, place, &mut pixels[start..], width) {
            for [x, y] in pixels_of_block(corner, size) {
                let inside = [x - corner[0], y - corner[1]];
                let color = painter.block_pixel(&block, inside, [origin[0] + x, origin[1] + y]);
                pixels[y * width + origin[0] + x] = resolve(&[color], origin, x, y);
            }
        }
        return;
    }
    patches.find(painter, tile, corner, size);
    let filled = match is_whole {
        true => patches.fill(painter, tile, corner, &mut pixels[start..]),
        false => 0,
    };
    for [x, y] in pixels_of_block(corner, size) {
        let inside = [x - corner[0], y - corner[1]];
        if filled >> (inside[1] * BLOCK + inside[0]) & 1 == 1 {
            continue;
        }
        let color = match is_whole {
            true => None,
            false => patches.pixel(painter, tile, [x, y], inside),
        };
        pixels[y * width + origin[0] + x] = match color {
            Some(color) => resolve(&[color], origin, x, y),
            None => resolve(&painter.pixel(tile, x, y), origin, x, y),
        };
    }
}

/// Works out the colours of the samples of a block of a tile, for what is laid over them.
fn keep_block<const N: usize>(
    painter: &Painter,
    scratch: &mut Scratch<N>,
    corner: [usize; 2],
    size: [usize; 2],
) {
    let Scratch {
        tile,
        colors,
        patches,
    } = scratch;
    let block = is_whole(corner, size)
        .then(|| painter.block(tile, corner[0], corner[1]))
        .flatten();
    match block {
        Some(_) => patches.clear(),
        None => patches.find(painter, tile, corner, size),
    }
    for [x, y] in pixels_of_block(corner, size) {
        let inside = [x - corner[0], y - corner[1]];
        // One colour for all samples, or none.
        let color = match &block {
            Some(block) => {
                let place = [tile.origin[0] + x, tile.origin[1] + y];
                Some(painter.block_pixel(block, inside, place))
            }
            None => patches.pixel(painter, tile, [x, y], inside),
        };
        colors[y * TILE + x] = match color {
            Some(color) => [color; N],
            None => painter.pixel(tile, x, y),
        };
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
