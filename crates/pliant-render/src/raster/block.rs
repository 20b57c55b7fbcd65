//! Squares of pixels in which nothing happens: one thing, evenly lit. Their colours are worked out
//! at the corners and interpolated, which spares most of the work on floors, walls and sky.
//!
//! A square qualifies if all its samples show the same triangle, ground or background, if no shadow
//! begins or ends in it, and if the colour in its middle is the mean of those at its corners to within
//! less than a step of what is shown. That there is no shadow is certain where nothing stands near
//! the way of the light (`ShadowMap::clear_place`); else it is looked for at every other pixel.

use super::dither::threshold;
use super::mipmap::Reading;
use super::paint::Painter;
use super::tile::{EMPTY, TILE, Tile};
use super::tone::shown_value;
use crate::Paint;
use glam::Vec4;

/// Pixels along each side of a square.
pub(crate) const BLOCK: usize = 8;

/// Largest difference in the middle, in light.
const TOLERANCE: f32 = 0.003;

/// The colours of a square.
pub(crate) enum Block {
    /// Colour and opacity between four corners: left and right above, left and right below.
    Even([Vec4; 4]),
    /// A floor whose colour differs from pixel to pixel, in even light.
    Floor {
        /// The triangle.
        id: u32,
        /// Light and presence at the corners.
        corners: [Vec4; 4],
        /// How its texture is read.
        reading: Option<Reading>,
    },
}

impl Painter<'_> {
    /// The colours of a square of a tile, if nothing happens in it.
    pub fn block<const N: usize>(&self, tile: &Tile<N>, x: usize, y: usize) -> Option<Block> {
        let id = tile.id[y * TILE + x][0];
        let same = (y..y + BLOCK).all(|row| {
            tile.id[row * TILE + x..][..BLOCK]
                .as_flattened()
                .iter()
                .fold(true, |same, other| same & (*other == id))
        });
        if !same {
            return None;
        }
        let left = (tile.origin[0] + x) as f32;
        let top = (tile.origin[1] + y) as f32;
        let (right, bottom) = (left + BLOCK as f32, top + BLOCK as f32);
        let corners = [[left, top], [right, top], [left, bottom], [right, bottom]];
        let middle = [left + 0.5 * BLOCK as f32, top + 0.5 * BLOCK as f32];
        if id == EMPTY {
            return self.even(|[_, row]| self.backdrop.background(row), corners, middle);
        }
        let points = corners.map(|place| self.place(id, place));
        let [a, b, c, d] = points;
        if !self.lighting.is_clear([a?, b?, c?, d?]) && !self.is_evenly_lit(id, left, top) {
            return None;
        }
        let triangle = self.opaque.triangles.get(id as usize);
        let mesh = triangle.map(|triangle| &self.list.meshes[triangle.mesh as usize]);
        match mesh {
            Some(mesh) if mesh.shading.fades && self.is_lit_as_floor(id) => {
                let lit = |place: [f32; 2]| self.floor_light(id, place);
                let Block::Even(corners) = self.even(lit, corners, middle)? else {
                    return None;
                };
                let reading = triangle.and_then(|triangle| self.reading(triangle, middle));
                Some(Block::Floor {
                    id,
                    corners,
                    reading,
                })
            }
            Some(mesh) if !matches!(mesh.paint, Paint::Color(_)) => None,
            // Spheres are round everywhere, and no triangle is that large on one.
            None if id < super::tile::GROUND => None,
            _ => self.even(|[column, row]| self.thing(id, column, row), corners, middle),
        }
    }

    /// Whether all lamps that throw shadows light every other pixel of a square, or none of them.
    fn is_evenly_lit(&self, id: u32, left: f32, top: f32) -> bool {
        let steps = BLOCK / 2;
        let places = (0..steps * steps).map(|index| {
            let [across, down] = [index % steps, index / steps].map(|step| 1.0 + 2.0 * step as f32);
            self.place(id, [left + across, top + down])
        });
        self.lighting.is_even(places)
    }

    fn even(
        &self,
        color: impl Fn([f32; 2]) -> Vec4,
        corners: [[f32; 2]; 4],
        middle: [f32; 2],
    ) -> Option<Block> {
        let corners = corners.map(&color);
        let mean = corners.iter().copied().sum::<Vec4>() * 0.25;
        let is_even = (color(middle) - mean).abs().max_element() < TOLERANCE;
        is_even.then_some(Block::Even(corners))
    }

    /// Writes the pixels of a square whose left upper corner is at a column and row of the picture,
    /// into rows that begin at that corner. Nothing is written if it needs more than that.
    pub fn fill_block(
        &self,
        block: &Block,
        [column, row]: [usize; 2],
        pixels: &mut [[u8; 4]],
        width: usize,
    ) -> bool {
        let Block::Even(corners) = block else {
            return false;
        };
        if corners.iter().any(|corner| corner.w < 0.999) {
            return false;
        }
        // Within a square what is shown is as even as the light.
        let [a, b, c, d] = corners.map(|corner| {
            let shown = [corner.x, corner.y, corner.z].map(shown_value);
            Vec4::new(shown[0], shown[1], shown[2], 255.0)
        });
        for y in 0..BLOCK {
            let down = (y as f32 + 0.5) / BLOCK as f32;
            let (start, end) = (a + (c - a) * down, b + (d - b) * down);
            let step = (end - start) / BLOCK as f32;
            let mut value = start + step * 0.5;
            let line = &mut pixels[y * width..][..BLOCK];
            for (x, pixel) in line.iter_mut().enumerate() {
                let threshold = threshold(column + x, row + y);
                let rounded = value + Vec4::splat(threshold);
                *pixel = [rounded.x as u8, rounded.y as u8, rounded.z as u8, 255];
                value += step;
            }
        }
        true
    }

    /// The colour of a pixel of a square: its column and row in the square and in the picture.
    pub fn block_pixel(&self, block: &Block, inside: [usize; 2], place: [f32; 2]) -> Vec4 {
        let [across, down] = inside.map(|index| (index as f32 + 0.5) / BLOCK as f32);
        let between = |corners: &[Vec4; 4]| {
            let upper = corners[0] + (corners[1] - corners[0]) * across;
            let lower = corners[2] + (corners[3] - corners[2]) * across;
            upper + (lower - upper) * down
        };
        match block {
            Block::Even(corners) => between(corners),
            Block::Floor {
                id,
                corners,
                reading,
            } => self.floor_pixel(*id, between(corners), place, reading.as_ref()),
        }
    }
}
