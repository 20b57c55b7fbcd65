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
pub(crate) struct Patch {
    side: usize,
    corners: [Light; 4],
    /// How the texture of the surface is read.
    reading: Option<Reading>,
}

/// Light that a surface sends to the eye: by its colour, and whatever its colour.
#[derive(Clone, Copy)]
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
    whole: Option<Patch>,
    quarters: [Option<Patch>; 4],
}

impl Patches {
    /// Those of the block of a tile with this corner; `size` is the part of the tile that is in the picture.
    pub fn new<const N: usize>(
        painter: &Painter,
        tile: &Tile<N>,
        corner: [usize; 2],
        size: [usize; 2],
    ) -> Self {
        let patch = |corner: [usize; 2], side: usize| {
            let fits = corner[0] + side <= size[0] && corner[1] + side <= size[1];
            fits.then(|| painter.patch(tile, corner, side)).flatten()
        };
        let whole = patch(corner, BLOCK);
        let quarters = match whole {
            Some(_) => Default::default(),
            None => std::array::from_fn(|index| {
                let [right, down] = [index % 2 * SMALL, index / 2 * SMALL];
                patch([corner[0] + right, corner[1] + down], SMALL)
            }),
        };
        Self { whole, quarters }
    }

    /// The patch of a pixel, counted from the corner of the block, and its place in the patch.
    pub fn of(&self, [x, y]: [usize; 2]) -> Option<(&Patch, [usize; 2])> {
        if let Some(whole) = &self.whole {
            return Some((whole, [x, y]));
        }
        let quarter = self.quarters[y / SMALL * 2 + x / SMALL].as_ref()?;
        Some((quarter, [x % SMALL, y % SMALL]))
    }
}

impl Painter<'_> {
    /// The light on a square of a tile, if all of it is one smooth surface, evenly lit.
    fn patch<const N: usize>(
        &self,
        tile: &Tile<N>,
        [x, y]: [usize; 2],
        side: usize,
    ) -> Option<Patch> {
        let first = tile.id[y * TILE + x][0];
        let mesh = self.mesh_of(first)?;
        if mesh.shading.fades || !is_split(mesh) || !self.is_one_surface(tile, [x, y], side) {
            return None;
        }
        let light = |dx: usize, dy: usize| self.light_at(mesh, tile, [x + dx, y + dy]);
        let last = side - 1;
        let patch = Patch {
            side,
            corners: [
                light(0, 0)?,
                light(last, 0)?,
                light(0, last)?,
                light(last, last)?,
            ],
            reading: self.triangle_of(first).and_then(|triangle| {
                let middle = [x + side / 2, y + side / 2];
                self.reading(triangle, center(tile, middle))
            }),
        };
        // In small squares the middle is enough.
        let compared = if side == SMALL { 1 } else { COMPARED.len() };
        for [across, down] in COMPARED[..compared].iter().copied() {
            let [dx, dy] = [across * last / 2, down * last / 2];
            if !light(dx, dy)?.is_near(patch.at(dx, dy)) {
                return None;
            }
        }
        Some(patch)
    }

    /// The colour of a pixel of a tile in that light; the pixel is counted from the corner of the square.
    pub fn patch_pixel<const N: usize>(
        &self,
        patch: &Patch,
        tile: &Tile<N>,
        [x, y]: [usize; 2],
        inside: [usize; 2],
    ) -> Vec4 {
        let light = patch.at(inside[0], inside[1]);
        let id = tile.id[y * TILE + x][0];
        let colored = self
            .triangle_of(id)
            .and_then(|triangle| match self.mesh_of(id)?.paint {
                Paint::Color(_) => None,
                _ => {
                    let place = center(tile, [x, y]);
                    let color = self.color_at(triangle, place, patch.reading.as_ref());
                    Some(light.by_color * color)
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

    fn light_at<const N: usize>(
        &self,
        mesh: &Mesh,
        tile: &Tile<N>,
        at: [usize; 2],
    ) -> Option<Light> {
        let triangle = self.triangle_of(tile.id[at[1] * TILE + at[0]][0])?;
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
