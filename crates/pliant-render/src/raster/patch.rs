//! Small squares of a smooth surface: the light is worked out at their corners and at a few places
//! between them, and interpolated if it is as even as that; the colour of the surface itself is read at
//! every pixel. It spares most of the shading of cloth, balls and skins.
//!
//! A square qualifies if all its samples show neighbouring triangles of one surface. An edge of a
//! shadow or of a highlight that runs through it shows between its corners, and every pixel is then
//! shaded by itself.

use super::block::BLOCK;
use super::light::Sent;
use super::mipmap::Reading;
use super::paint::Painter;
use super::tile::{TILE, Tile};
use super::triangle::Triangle;
use crate::draw_list::Finish;
use crate::{Mesh, Paint};
use glam::{Vec3, Vec4};

/// Side of the squares that are tried if a whole block is no patch, in pixels.
const SMALL: usize = BLOCK / 2;

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
}

/// The patches of a block: all of it, or its quarters.
#[derive(Default)]
pub(crate) struct Patches {
    whole: Option<Square>,
    quarters: [Option<Square>; 4],
    known: Known,
}

/// A square that shows one smooth surface.
struct Square {
    /// Its light, if it is even enough.
    patch: Option<Patch>,
    /// How the texture of the surface is read.
    reading: Option<Reading>,
}

/// Light at those pixels of a block where it has been worked out.
struct Known {
    pixels: u64,
    lights: [Light; BLOCK * BLOCK],
}

impl Default for Known {
    fn default() -> Self {
        Self {
            pixels: 0,
            lights: [Light::default(); BLOCK * BLOCK],
        }
    }
}

const _: () = assert!(BLOCK * BLOCK <= 64, "each pixel of a block has a bit");

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
    /// Those of the block of a tile with this corner; `size` is the part of the tile that is in the picture.
    pub fn new<const N: usize>(
        painter: &Painter,
        tile: &Tile<N>,
        corner: [usize; 2],
        size: [usize; 2],
    ) -> Self {
        let mut patches = Self::default();
        let fits = |[x, y]: [usize; 2], side: usize| x + side <= size[0] && y + side <= size[1];
        if fits(corner, BLOCK) && painter.is_smooth(tile, corner, BLOCK) {
            let whole = painter.square(tile, corner, [0, 0], BLOCK, &mut patches.known);
            if whole.patch.is_some() {
                patches.whole = Some(whole);
                return patches;
            }
            patches.whole = Some(Square {
                patch: None,
                ..whole
            });
        }
        for index in 0..4 {
            let inside = [index % 2 * SMALL, index / 2 * SMALL];
            let place = [corner[0] + inside[0], corner[1] + inside[1]];
            let is_smooth = patches.whole.is_some()
                || (fits(place, SMALL) && painter.is_smooth(tile, place, SMALL));
            if is_smooth {
                let square = painter.square(tile, corner, inside, SMALL, &mut patches.known);
                patches.quarters[index] = Some(square);
            }
        }
        patches
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
            Some(patch) => patch.at(inside[0] % patch.side, inside[1] % patch.side),
            None => self.known.at(inside, || painter.light_at(tile, place))?,
        };
        Some(painter.lit_pixel(light, square.reading.as_ref(), tile, place))
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

    fn triangle_of(&self, id: u32) -> Option<&Triangle> {
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
        for row in y..y + side {
            for column in x..x + side {
                for &id in &tile.id[row * TILE + column] {
                    let [at_x, at_y] = [tile.origin[0] + column, tile.origin[1] + row];
                    if id != last && !self.is_same_surface(last, id, at_x as f32, at_y as f32) {
                        return false;
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
        let [column, row] = center(tile, at);
        let sent = self.sent(triangle, column, row);
        let Sent {
            own,
            by_color,
            rim,
            reflected,
            ..
        } = sent;
        Some(match mesh.paint {
            Paint::Color(_) => Light {
                by_color: Vec3::ZERO,
                plain: own + reflected,
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
    // In small squares the middle is enough.
    let compared = if side == SMALL { 1 } else { COMPARED.len() };
    for [across, down] in COMPARED[..compared].iter().copied() {
        let [dx, dy] = [across * last / 2, down * last / 2];
        if !light([dx, dy])?.is_near(patch.at(dx, dy)) {
            return None;
        }
    }
    Some(patch)
}

/// The middle of a pixel of a tile, in the picture.
fn center<const N: usize>(tile: &Tile<N>, [x, y]: [usize; 2]) -> [f32; 2] {
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
