//! The colours of squares of a smooth surface in white light.

use super::block::{BLOCK, PIXELS};
use super::paint::{Painter, tint};
use super::patch::{SMALL, Square, center, compared};
use super::tile::{TILE, Tile};
use super::triangle::Triangle;
use crate::Paint;
use glam::Vec3;

impl Painter<'_> {
    /// The colours of a square of a block in white light. Its places on a texture are interpolated if they are as
    /// even as that.
    pub(super) fn color_square<const N: usize>(
        &self,
        tile: &Tile<N>,
        corner: [usize; 2],
        square: &Square,
        color: &mut [[f32; PIXELS]; 3],
    ) {
        let of = |[x, y]: [usize; 2]| {
            let place = [corner[0] + x, corner[1] + y];
            let id = tile.id[place[1] * TILE + place[0]][0];
            Some((self.triangle_of(id)?, center(tile, place)))
        };
        let mesh = of(square.inside).map(|(seen, _)| &self.list.meshes[seen.mesh as usize]);
        let is_plain = mesh.is_none_or(|mesh| matches!(mesh.paint, Paint::Color(_)));
        if !is_plain && self.read_square(&of, square, color).is_some() {
            return;
        }
        for (x, y) in square.pixels() {
            // What has one colour has it in its light already.
            let seen = of([x, y]).filter(|_| !is_plain);
            let found = seen.map_or(Vec3::ZERO, |(triangle, place)| {
                self.color_at(triangle, place, square.reading.as_ref())
            });
            for part in 0..3 {
                color[part][y * BLOCK + x] = found[part];
            }
        }
    }

    /// Reads the texture of a square, if places on it are even.
    fn read_square<'s>(
        &self,
        of: &impl Fn([usize; 2]) -> Option<(&'s Triangle, [f32; 2])>,
        square: &Square,
        color: &mut [[f32; PIXELS]; 3],
    ) -> Option<()> {
        let reading = square.reading.as_ref()?;
        let ([x, y], last) = (square.inside, square.side - 1);
        let place = |[dx, dy]: [usize; 2]| {
            let (triangle, place) = of([x + dx, y + dy])?;
            Some(self.texture_place(triangle, place))
        };
        let corners = [
            place([0, 0])?,
            place([last, 0])?,
            place([0, last])?,
            place([last, last])?,
        ];
        let (triangle, _) = of(square.inside)?;
        let texture = self.texture_of(triangle)?;
        for [across, down] in compared(square.side) {
            let [dx, dy] = [across * last / 2, down * last / 2];
            let [right, below] = [dx, dy].map(|step| step as f32 / last as f32);
            let upper = corners[0].lerp(corners[1], right);
            let between = upper.lerp(corners[2].lerp(corners[3], right), below);
            if !texture.is_near(place([dx, dy])?, between, reading) {
                return None;
            }
        }
        let tint = tint(&self.list.meshes[triangle.mesh as usize], triangle);
        let first = y * BLOCK + x;
        match square.side {
            BLOCK => texture.read_square::<BLOCK>(&corners, reading, tint, first, color),
            _ => texture.read_square::<SMALL>(&corners, reading, tint, first, color),
        }
        Some(())
    }
}
