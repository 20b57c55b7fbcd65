//! Squares of pixels in which nothing happens: one thing, evenly lit. Their colours are worked out
//! at the corners and interpolated, which spares most of the work on floors, walls and sky.
//!
//! A square qualifies if all its samples show the same triangle, ground or background, if no shadow
//! can begin or end in it (`ShadowMap::clear_place`), and if the colour in its middle is the mean of
//! those at its corners to within less than a step of what is shown.

use super::paint::Painter;
use super::tile::{EMPTY, TILE, Tile};
use crate::Paint;
use glam::{Vec3, Vec4};

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
        if !self.lighting.is_clear([a?, b?, c?, d?]) {
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
                Some(Block::Floor { id, corners })
            }
            Some(mesh) if !matches!(mesh.paint, Paint::Color(_)) => None,
            // Spheres are round everywhere, and no triangle is that large on one.
            None if id < super::tile::GROUND => None,
            _ => self.even(|[column, row]| self.thing(id, column, row), corners, middle),
        }
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
            Block::Floor { id, corners } => {
                let lit = between(corners);
                self.floor_pixel(*id, Vec3::new(lit.x, lit.y, lit.z), lit.w, place)
            }
        }
    }
}
