//! Squares of pixels in which nothing happens: one thing, evenly lit. Their colours are worked out
//! at the corners and interpolated, which spares most of the work on floors, walls and sky.
//!
//! A square qualifies if all its samples show the same triangle, ground or background, if no shadow
//! begins or ends in it, and if the colour in its middle is the mean of those at its corners to within
//! less than a step of what is shown. That there is no shadow is certain where nothing stands near
//! the way of the light (`ShadowMap::is_clear`); else it is looked for at every other pixel.

use super::dither::thresholds;
use super::floor_colors::Colors;
use super::mipmap::Reading;
use super::paint::Painter;
use super::tile::{EMPTY, TILE, Tile};
use super::tone::{compress, shown_of_many, shown_value};
use crate::Paint;
use crate::processor::{for_this_processor, whole};
use glam::{Vec3, Vec4};

/// Pixels along each side of a square.
pub(crate) const BLOCK: usize = 8;

/// Pixels of a square.
pub(crate) const PIXELS: usize = BLOCK * BLOCK;

/// Largest difference in the middle, in light.
const TOLERANCE: f32 = 0.003;

/// The colours of a square.
pub(crate) enum Block<'a> {
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
        /// Its colours in white light, if they are kept.
        known: Option<&'a Colors>,
    },
}

impl Painter<'_> {
    /// The colours of a square of a tile, if nothing happens in it.
    pub fn block<const N: usize>(&self, tile: &Tile<N>, x: usize, y: usize) -> Option<Block<'_>> {
        let id = tile.id[y * TILE + x][0];
        let is_same = |row: usize| {
            tile.id[row * TILE + x..][..BLOCK]
                .as_flattened()
                .iter()
                .fold(true, |same, other| same & (*other == id))
        };
        if tile.only.is_none() && !(y..y + BLOCK).all(is_same) {
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
                let triangle = triangle?;
                let reading = self.reading(triangle, middle);
                let color = |inside: [usize; 2]| {
                    let place = [left + inside[0] as f32 + 0.5, top + inside[1] as f32 + 0.5];
                    self.color_at(triangle, place, reading.as_ref())
                };
                let corner = [tile.origin[0] + x, tile.origin[1] + y];
                let floor = self.floors[triangle.mesh as usize].as_ref();
                Some(Block::Floor {
                    id,
                    corners,
                    known: floor.map(|floor| floor.block(corner, color)),
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
    ) -> Option<Block<'static>> {
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
        corner: [usize; 2],
        pixels: &mut [[u8; 4]],
        width: usize,
    ) -> bool {
        match block {
            Block::Even(corners) if corners.iter().all(|corner| corner.w >= 0.999) => {
                fill_even(corners, Place { corner, width }, pixels);
                true
            }
            Block::Floor {
                corners,
                known: Some(known),
                ..
            } if self.backdrop.background(corner[1] as f32).w >= 0.999 => {
                self.fill_floor(corners, known, corner, pixels, width);
                true
            }
            _ => false,
        }
    }

    /// Writes the pixels of a square of a floor whose colours in white light are known.
    fn fill_floor(
        &self,
        corners: &[Vec4; 4],
        known: &Colors,
        [column, row]: [usize; 2],
        pixels: &mut [[u8; 4]],
        width: usize,
    ) {
        let rows =
            std::array::from_fn(|y| self.backdrop.background((row + y) as f32 + 0.5).truncate());
        let place = Place {
            corner: [column, row],
            width,
        };
        fill_lit(corners, known, &rows, self.exposure, place, pixels);
    }

    /// The colour of a pixel of a square: its column and row in the square and in the picture.
    pub fn block_pixel(&self, block: &Block, inside: [usize; 2], place: [usize; 2]) -> Vec4 {
        let [column, row] = place.map(|index| index as f32 + 0.5);
        match block {
            Block::Even(corners) => between(corners, inside),
            Block::Floor {
                id,
                corners,
                reading,
                known,
            } => {
                let light = between(corners, inside);
                match known {
                    Some(known) => {
                        let color = known[inside[1] * BLOCK + inside[0]];
                        let shown = self.show(color * light.truncate()).extend(1.0);
                        self.backdrop.background(row).lerp(shown, light.w)
                    }
                    None => self.floor_pixel(*id, light, [column, row], reading.as_ref()),
                }
            }
        }
    }
}

/// The value at the middle of a pixel of a square, between those at its corners.
fn between(corners: &[Vec4; 4], inside: [usize; 2]) -> Vec4 {
    let [across, down] = inside.map(|index| (index as f32 + 0.5) / BLOCK as f32);
    let upper = corners[0] + (corners[1] - corners[0]) * across;
    let lower = corners[2] + (corners[3] - corners[2]) * across;
    upper + (lower - upper) * down
}

/// Where a square lies in the picture, and how many pixels a row of that has.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub corner: [usize; 2],
    pub width: usize,
}

for_this_processor! {
    /// Writes the pixels of a square whose colours lie between those at its corners, given as they are shown.
    fn fill_between(shown: &[Vec4; 4], place: Place, pixels: &mut [[u8; 4]]) {
        let mut values = [[0.0; PIXELS]; 3];
        for part in 0..3 {
            values[part] = spread(&shown.map(|corner| corner[part]));
        }
        write_shown(&values, place, pixels);
    }
}

for_this_processor! {
    /// Writes the pixels of a square of a floor: its colours in the light between that at the corners, before
    /// a background for each row.
    fn fill_lit(
        corners: &[Vec4; 4],
        colors: &Colors,
        behind: &[Vec3; BLOCK],
        exposure: f32,
        place: Place,
        pixels: &mut [[u8; 4]],
    ) {
        let here = spread(&corners.map(|corner| corner.w));
        let mut values = [[0.0; PIXELS]; 3];
        for part in 0..3 {
            let mut light = spread(&corners.map(|corner| corner[part]));
            for pixel in 0..PIXELS {
                let shown = compress(colors[pixel][part] * light[pixel] * exposure);
                let behind = behind[pixel / BLOCK][part];
                light[pixel] = behind + (shown - behind) * here[pixel];
            }
            values[part] = shown_of_many(&light);
        }
        write_shown(&values, place, pixels);
    }
}

/// A number at the middles of the pixels of a square, between those at its corners.
#[inline(always)]
fn spread([a, b, c, d]: &[f32; 4]) -> [f32; PIXELS] {
    let (across, down) = (b - a, c - a);
    let twist = d - b - down;
    let mut values = [0.0; PIXELS];
    for pixel in 0..PIXELS {
        let x = ((pixel % BLOCK) as f32 + 0.5) / BLOCK as f32;
        let y = ((pixel / BLOCK) as f32 + 0.5) / BLOCK as f32;
        values[pixel] = a + across * x + (down + twist * x) * y;
    }
    values
}

/// Writes the pixels of a square of which it is known how they are shown: red, green and blue, 0 to 255.
#[inline(always)]
pub(super) fn write_shown(
    values: &[[f32; PIXELS]; 3],
    Place { corner, width }: Place,
    pixels: &mut [[u8; 4]],
) {
    let thresholds = thresholds(corner);
    let mut bytes = [0xff00_0000_u32; PIXELS];
    for part in 0..3 {
        for pixel in 0..PIXELS {
            // What is shown fits in a byte.
            let shown = whole(values[part][pixel] + thresholds[pixel]) as u32;
            bytes[pixel] |= shown << (8 * part);
        }
    }
    for (y, row) in bytes.chunks_exact(BLOCK).enumerate() {
        for (pixel, bytes) in pixels[y * width..][..BLOCK].iter_mut().zip(row) {
            *pixel = bytes.to_le_bytes();
        }
    }
}

/// Writes the pixels of a square whose colours lie between those at its corners.
fn fill_even(corners: &[Vec4; 4], place: Place, pixels: &mut [[u8; 4]]) {
    // Within a square what is shown is as even as the light.
    let shown = corners.map(|corner| {
        let shown = [corner.x, corner.y, corner.z].map(shown_value);
        Vec4::new(shown[0], shown[1], shown[2], 255.0)
    });
    fill_between(&shown, place, pixels);
}
