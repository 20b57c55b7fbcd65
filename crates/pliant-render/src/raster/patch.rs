//! Small squares of a smooth surface: the light is worked out at their corners and at a few places
//! between them, and interpolated if it is as even as that; the colour of the surface itself is read at
//! every pixel. It spares most of the shading of cloth, balls and skins.
//!
//! A square qualifies if all its samples show neighbouring triangles of one surface. An edge of a
//! shadow or of a highlight that runs through it shows between its corners, and every pixel is then
//! shaded by itself.

use super::block::{BLOCK, PIXELS, Place};
use super::light::Sent;
use super::mipmap::Reading;
use super::paint::Painter;
use super::patch_pixels::{Lit, spread, write};
use super::tile::{TILE, Tile};
use super::triangle::Triangle;
use crate::draw_list::Finish;
use crate::{Mesh, Paint};
use glam::{Vec3, Vec4};

/// Side of the squares that are tried if a whole block is no patch, in pixels.
pub(super) const SMALL: usize = BLOCK / 2;

/// Largest difference between light and what is interpolated: of nothing, and by its brightness.
const TOLERANCE: [f32; 2] = [0.002, 0.012];

/// Where between the corners the light is compared, as shares of the side.
const COMPARED: [[usize; 2]; 5] = [[1, 1], [0, 1], [1, 0], [2, 1], [1, 2]];

/// Light at the corners of a square: left and right above, left and right below.
struct Patch {
    side: usize,
    corners: [Light; 4],
}

/// Light that a surface sends to the eye: by its colour, and whatever its colour.
#[derive(Clone, Copy, Default)]
struct Light {
    by_color: Vec3,
    plain: Vec3,
}

impl Light {
    fn lerp(self, other: Self, share: f32) -> Self {
        Self {
            by_color: self.by_color.lerp(other.by_color, share),
            plain: self.plain.lerp(other.plain, share),
        }
    }

    /// Writes it to a pixel of a block.
    fn set(self, pixel: usize, lit: &mut Lit) {
        for part in 0..3 {
            lit.by_color[part][pixel] = self.by_color[part];
            lit.plain[part][pixel] = self.plain[part];
        }
    }

    fn is_near(self, other: Self) -> bool {
        let [fixed, relative] = TOLERANCE;
        let near = |one: Vec3, other: Vec3| {
            let allowed = Vec3::splat(fixed) + relative * one;
            (one - other).abs().cmple(allowed).all()
        };
        near(self.by_color, other.by_color) && near(self.plain, other.plain)
    }
}

impl Patch {
    /// The light at a pixel, counted from the corner.
    fn at(&self, x: usize, y: usize) -> Light {
        let [across, down] = [x, y].map(|step| step as f32 / (self.side - 1) as f32);
        let [a, b, c, d] = self.corners;
        a.lerp(b, across).lerp(c.lerp(d, across), down)
    }

    /// The light at all its pixels; the first one has a number in the block.
    fn spread(&self, first: usize, lit: &mut Lit) {
        let corners = self.corners.map(|Light { by_color, plain }| {
            [
                by_color.x, by_color.y, by_color.z, plain.x, plain.y, plain.z,
            ]
        });
        match self.side {
            BLOCK => spread::<BLOCK>(&corners, first, lit),
            _ => spread::<SMALL>(&corners, first, lit),
        }
    }
}

/// The patches of a block: all of it, or its quarters.
#[derive(Default)]
pub(crate) struct Patches {
    whole: Option<Square>,
    quarters: [Option<Square>; 4],
    known: Known,
    lit: Lit,
}

/// A square that shows one smooth surface.
pub(super) struct Square {
    /// Its place in the block.
    pub inside: [usize; 2],
    pub side: usize,
    /// Its light, if it is even enough.
    patch: Option<Patch>,
    /// How the texture of the surface is read.
    pub reading: Option<Reading>,
}

/// Light at those pixels of a block where it has been worked out.
struct Known {
    pixels: u64,
    lights: [Light; PIXELS],
}

impl Default for Known {
    fn default() -> Self {
        Self {
            pixels: 0,
            lights: [Light::default(); PIXELS],
        }
    }
}

const _: () = assert!(PIXELS == 64, "each pixel of a block has a bit");

impl Known {
    /// The light at a pixel of the block.
    fn at(&mut self, [x, y]: [usize; 2], find: impl FnOnce() -> Option<Light>) -> Option<Light> {
        let index = y * BLOCK + x;
        if self.pixels & (1 << index) == 0 {
            self.lights[index] = find()?;
            self.pixels |= 1 << index;
        }
        Some(self.lights[index])
    }
}

impl Patches {
    /// Forgets the patches of the last block.
    pub fn clear(&mut self) {
        self.whole = None;
        self.quarters = [None, None, None, None];
        self.known.pixels = 0;
    }

    /// Finds those of the block of a tile with this corner; `size` is the part of the tile that is in the
    /// picture.
    pub fn find<const N: usize>(
        &mut self,
        painter: &Painter,
        tile: &Tile<N>,
        corner: [usize; 2],
        size: [usize; 2],
    ) {
        self.clear();
        let fits = |[x, y]: [usize; 2], side: usize| x + side <= size[0] && y + side <= size[1];
        if fits(corner, BLOCK) && painter.is_smooth(tile, corner, BLOCK) {
            let whole = painter.square(tile, corner, [0, 0], BLOCK, &mut self.known);
            let is_even = whole.patch.is_some();
            self.whole = Some(whole);
            if is_even {
                return;
            }
        }
        for index in 0..4 {
            let inside = [index % 2 * SMALL, index / 2 * SMALL];
            let place = [corner[0] + inside[0], corner[1] + inside[1]];
            let is_smooth = self.whole.is_some()
                || (fits(place, SMALL) && painter.is_smooth(tile, place, SMALL));
            if is_smooth {
                let square = painter.square(tile, corner, inside, SMALL, &mut self.known);
                self.quarters[index] = Some(square);
            }
        }
    }

    /// The colour of a pixel of a tile if it lies in a square that shows one surface; `inside` counts from the
    /// corner of the block.
    pub fn pixel<const N: usize>(
        &mut self,
        painter: &Painter,
        tile: &Tile<N>,
        place: [usize; 2],
        inside: [usize; 2],
    ) -> Option<Vec4> {
        let quarter = self.quarters[inside[1] / SMALL * 2 + inside[0] / SMALL].as_ref();
        let square = quarter.or(self.whole.as_ref())?;
        let light = match &square.patch {
            Some(patch) => patch.at(inside[0] % square.side, inside[1] % square.side),
            None => self.known.at(inside, || painter.light_at(tile, place))?,
        };
        Some(painter.lit_pixel(light, square.reading.as_ref(), tile, place))
    }

    /// Writes those pixels of a whole block that lie in squares that show one surface, into rows that begin at
    /// its corner. The bits of the result tell which; what is written to the others has no meaning.
    pub fn fill<const N: usize>(
        &mut self,
        painter: &Painter,
        tile: &Tile<N>,
        corner: [usize; 2],
        pixels: &mut [[u8; 4]],
    ) -> u64 {
        let mut filled = 0;
        let (quarters, whole) = (self.quarters.iter(), self.whole.iter());
        let is_divided = quarters.clone().any(Option::is_some);
        let squares = quarters.flatten().chain(whole.filter(|_| !is_divided));
        for square in squares {
            let [x, y] = square.inside;
            let first = y * BLOCK + x;
            match &square.patch {
                Some(patch) => patch.spread(first, &mut self.lit),
                None => {
                    for (x, y) in square.pixels() {
                        let place = [corner[0] + x, corner[1] + y];
                        let light = self.known.at([x, y], || painter.light_at(tile, place));
                        light.unwrap_or_default().set(y * BLOCK + x, &mut self.lit);
                    }
                }
            }
            painter.color_square(tile, corner, square, &mut self.lit.color);
            let row = (1_u64 << square.side) - 1;
            filled |= (0..square.side).fold(0, |rows, y| rows | row << (first + y * BLOCK));
        }
        if filled != 0 {
            let place = Place {
                corner: [tile.origin[0] + corner[0], tile.origin[1] + corner[1]],
                width: painter.opaque.view.size[0],
            };
            write(&self.lit, painter.exposure, place, pixels);
        }
        filled
    }
}

impl Square {
    /// Column and row of its pixels in the block.
    pub fn pixels(&self) -> impl Iterator<Item = (usize, usize)> + use<> {
        let ([x, y], side) = (self.inside, self.side);
        (0..side * side).map(move |pixel| (x + pixel % side, y + pixel / side))
    }
}

impl Painter<'_> {
    /// Whether a square of a tile shows one smooth surface whose light can be told from its colour.
    fn is_smooth<const N: usize>(&self, tile: &Tile<N>, [x, y]: [usize; 2], side: usize) -> bool {
        self.mesh_of(tile.id[y * TILE + x][0]).is_some_and(|mesh| {
            !mesh.shading.fades && is_split(mesh) && self.is_one_surface(tile, [x, y], side)
        })
    }

    /// A square that shows one smooth surface; `inside` is its place in the block that begins at `corner`.
    fn square<const N: usize>(
        &self,
        tile: &Tile<N>,
        corner: [usize; 2],
        inside: [usize; 2],
        side: usize,
        known: &mut Known,
    ) -> Square {
        let place = |[dx, dy]: [usize; 2]| [corner[0] + inside[0] + dx, corner[1] + inside[1] + dy];
        let first = place([0, 0]);
        let triangle = self.triangle_of(tile.id[first[1] * TILE + first[0]][0]);
        let middle = place([side / 2, side / 2]);
        let mut light = |offset: [usize; 2]| {
            let pixel = [inside[0] + offset[0], inside[1] + offset[1]];
            known.at(pixel, || self.light_at(tile, place(offset)))
        };
        Square {
            inside,
            side,
            patch: patch(side, &mut light),
            reading: triangle.and_then(|triangle| self.reading(triangle, center(tile, middle))),
        }
    }

    /// The colour of a pixel of a tile in some light.
    fn lit_pixel<const N: usize>(
        &self,
        light: Light,
        reading: Option<&Reading>,
        tile: &Tile<N>,
        [x, y]: [usize; 2],
    ) -> Vec4 {
        let id = tile.id[y * TILE + x][0];
        let colored = self
            .triangle_of(id)
            .and_then(|triangle| match self.mesh_of(id)?.paint {
                Paint::Color(_) => None,
                _ => {
                    let place = center(tile, [x, y]);
                    Some(light.by_color * self.color_at(triangle, place, reading))
                }
            });
        let sent = colored.unwrap_or(Vec3::ZERO) + light.plain;
        self.show(sent).extend(1.0)
    }

    pub(super) fn triangle_of(&self, id: u32) -> Option<&Triangle> {
        self.opaque.triangles.get(id as usize)
    }

    fn mesh_of(&self, id: u32) -> Option<&Mesh> {
        let triangle = self.triangle_of(id)?;
        self.list.meshes.get(triangle.mesh as usize)
    }

    /// Whether all samples of a square show neighbouring triangles of one surface.
    fn is_one_surface<const N: usize>(
        &self,
        tile: &Tile<N>,
        [x, y]: [usize; 2],
        side: usize,
    ) -> bool {
        let mut last = tile.id[y * TILE + x][0];
        // Pairs that were found to be neighbours: the edge between two runs through several rows.
        let mut neighbours = [[last; 2]; 4];
        let mut count = 0;
        for row in y..y + side {
            for column in x..x + side {
                for &id in &tile.id[row * TILE + column] {
                    if id == last {
                        continue;
                    }
                    let pair = [last.min(id), last.max(id)];
                    if !neighbours.contains(&pair) {
                        let [at_x, at_y] = [tile.origin[0] + column, tile.origin[1] + row];
                        if !self.is_same_surface(last, id, at_x as f32, at_y as f32) {
                            return false;
                        }
                        neighbours[count % neighbours.len()] = pair;
                        count += 1;
                    }
                    last = id;
                }
            }
        }
        true
    }

    fn light_at<const N: usize>(&self, tile: &Tile<N>, at: [usize; 2]) -> Option<Light> {
        let id = tile.id[at[1] * TILE + at[0]][0];
        let (triangle, mesh) = (self.triangle_of(id)?, self.mesh_of(id)?);
        let place = center(tile, at);
        let sent = match mesh.paint {
            Paint::Color(_) => self.sent(triangle, place[0], place[1]),
            // What is kept of it does not depend on the colour.
            _ => self.sent_of(triangle, Vec3::ONE, place),
        };
        let Sent {
            inner,
            by_color,
            rim,
            reflected,
            ..
        } = sent;
        Some(match mesh.paint {
            Paint::Color(_) => Light {
                by_color: Vec3::ZERO,
                plain: inner + reflected,
            },
            _ => Light {
                by_color,
                plain: rim + reflected,
            },
        })
    }
}

/// The light on a square if it is even: worked out at its corners and compared at a few places between them.
fn patch(side: usize, light: &mut impl FnMut([usize; 2]) -> Option<Light>) -> Option<Patch> {
    let last = side - 1;
    let patch = Patch {
        side,
        corners: [
            light([0, 0])?,
            light([last, 0])?,
            light([0, last])?,
            light([last, last])?,
        ],
    };
    for [across, down] in compared(side) {
        let [dx, dy] = [across * last / 2, down * last / 2];
        if !light([dx, dy])?.is_near(patch.at(dx, dy)) {
            return None;
        }
    }
    Some(patch)
}

/// Where light is compared in a square: in small ones the middle is enough.
pub(super) fn compared(side: usize) -> impl Iterator<Item = [usize; 2]> {
    let count = if side == SMALL { 1 } else { COMPARED.len() };
    COMPARED[..count].iter().copied()
}

/// The middle of a pixel of a tile, in the picture.
pub(super) fn center<const N: usize>(tile: &Tile<N>, [x, y]: [usize; 2]) -> [f32; 2] {
    [
        (tile.origin[0] + x) as f32 + 0.5,
        (tile.origin[1] + y) as f32 + 0.5,
    ]
}

/// Whether the light that a surface sends is its colour times something, plus something that does not
/// depend on its colour; always so if it has but one.
fn is_split(mesh: &Mesh) -> bool {
    let Finish {
        metallic,
        subsurface,
        ..
    } = mesh.shading.finish;
    matches!(mesh.paint, Paint::Color(_)) || (metallic <= 0.0 && subsurface <= 0.0)
}
