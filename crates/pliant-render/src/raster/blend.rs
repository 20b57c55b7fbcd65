//! What is laid over the opaque things, from far to near: transparent triangles and lines.

use super::bins::Bins;
use super::block::BLOCK;
use super::line::Segment;
use super::paint::Painter;
use super::prepared::sound_lift;
use super::tile::{GROUND, Scan, TILE, Tile, clip_bounds, sample_places};
use super::triangle::Triangle;
use super::triangles::Triangles;
use super::view::View;
use crate::{DrawList, Shading};
use glam::Vec4;

/// Transparent things, sorted from far to near.
pub(crate) struct Blended {
    things: Vec<Thing>,
    bins: Bins,
}

enum Thing {
    Triangle(Box<Triangle>),
    Segment(Segment),
}

impl Thing {
    fn bounds(&self) -> [u32; 4] {
        match self {
            Self::Triangle(triangle) => triangle.bounds,
            Self::Segment(segment) => segment.bounds,
        }
    }
}

/// Some blocks of a tile.
#[derive(Clone, Copy, Default)]
pub(crate) struct Blocks(u64);

impl Blocks {
    const PER_ROW: usize = TILE / BLOCK;

    /// Adds those that an area of the tile touches: first column, first row, end of columns, end of rows.
    fn add(&mut self, [x0, y0, x1, y1]: [usize; 4]) {
        for row in y0 / BLOCK..y1.div_ceil(BLOCK) {
            for column in x0 / BLOCK..x1.div_ceil(BLOCK) {
                self.0 |= 1 << (row * Self::PER_ROW + column);
            }
        }
    }

    /// Whether the block that begins at a pixel of the tile is one of them.
    pub fn has(self, [x, y]: [usize; 2]) -> bool {
        self.0 >> (y / BLOCK * Self::PER_ROW + x / BLOCK) & 1 == 1
    }

    /// Whether there are none.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

const _: () = assert!(
    Blocks::PER_ROW * Blocks::PER_ROW <= 64,
    "each block has a bit"
);

impl Blended {
    /// Finds and sorts what is transparent.
    pub fn new(list: &DrawList, view: &View) -> Self {
        let mut things: Vec<(f64, Thing)> = Vec::new();
        let has_one_side = |shading: &Shading| !shading.two_sided;
        let transparent = Triangles::new(list, view, has_one_side, |mesh| {
            mesh.shading.opacity < 1.0 && mesh.shading.opacity > 0.0
        });
        things.extend(transparent.numbered().map(|(_, triangle)| {
            let mesh = &list.meshes[triangle.mesh as usize];
            let far: f64 = triangle
                .corners
                .iter()
                .map(|corner| view.place(mesh.positions[*corner as usize]).z)
                .sum();
            (far / 3.0, Thing::Triangle(Box::new(*triangle)))
        }));
        for set in &list.lines {
            for index in 0..set.segments.len() {
                if let Some(segment) = Segment::new(view, set, index) {
                    things.push((segment.distance, Thing::Segment(segment)));
                }
            }
        }
        // The sort keeps the order of equals, so that the picture is always the same.
        things.sort_by(|(one, _), (other, _)| other.total_cmp(one));
        let things: Vec<Thing> = things.into_iter().map(|(_, thing)| thing).collect();
        let numbered = things.iter().enumerate();
        let bounds = numbered.map(|(number, thing)| (number as u32, thing.bounds()));
        let bins = Bins::new(view.size, bounds);
        Self { things, bins }
    }

    /// The blocks of a tile that something touches.
    pub fn blocks_of_tile(&self, origin: [usize; 2]) -> Blocks {
        let items = self.bins.of_tile(origin[0] / TILE, origin[1] / TILE);
        let mut blocks = Blocks::default();
        for item in items {
            blocks.add(clip_bounds(self.things[*item as usize].bounds(), origin));
        }
        blocks
    }

    /// Lays everything that touches the tile over its colours.
    pub fn draw<const N: usize>(
        &self,
        painter: &Painter,
        tile: &Tile<N>,
        colors: &mut [[Vec4; N]],
    ) {
        let items = self
            .bins
            .of_tile(tile.origin[0] / TILE, tile.origin[1] / TILE);
        for item in items {
            match &self.things[*item as usize] {
                Thing::Triangle(triangle) => draw_triangle(painter, tile, triangle, colors),
                Thing::Segment(segment) => draw_segment(painter, tile, segment, colors),
            }
        }
    }
}

/// Lays a colour, multiplied by its opacity, over another.
fn lay_over(under: &mut Vec4, over: Vec4) {
    *under = *under * (1.0 - over.w) + over;
}

fn draw_triangle<const N: usize>(
    painter: &Painter,
    tile: &Tile<N>,
    triangle: &Triangle,
    colors: &mut [[Vec4; N]],
) {
    let Some(scan) = Scan::<N>::new(triangle, tile.origin) else {
        return;
    };
    let shading = &painter.list.meshes[triangle.mesh as usize].shading;
    let opacity = shading.opacity;
    let nearer = 1.0 + sound_lift(shading.lift);
    let nearest = painter.opaque.view.nearest_depth() as f32;
    let places = sample_places::<N>();
    let [least, greatest] = triangle.depth_range;
    scan.each_pixel(|x, y, insides| {
        let index = y * TILE + x;
        let corner_depth = scan.depth_at(x, y);
        let mut seen = [false; N];
        let (mut middle, mut count) = ([0.0; 2], 0.0);
        for sample in 0..N {
            let plain = corner_depth + scan.depth_offsets[sample];
            let depth = plain.max(least).min(greatest) * nearer;
            seen[sample] =
                insides[sample] > 0.0 && plain <= nearest && depth > tile.depth[index][sample];
            if seen[sample] {
                middle[0] += places[sample][0];
                middle[1] += places[sample][1];
                count += 1.0;
            }
        }
        if count == 0.0 {
            return;
        }
        let color = painter.veil(
            triangle,
            opacity,
            (tile.origin[0] + x) as f32 + middle[0] / count,
            (tile.origin[1] + y) as f32 + middle[1] / count,
        );
        for sample in 0..N {
            if seen[sample] {
                lay_over(&mut colors[index][sample], color);
            }
        }
    });
}

fn draw_segment<const N: usize>(
    painter: &Painter,
    tile: &Tile<N>,
    segment: &Segment,
    colors: &mut [[Vec4; N]],
) {
    segment.each_pixel(tile.origin, |x, y, touch| {
        let index = y * TILE + x;
        for sample in 0..N {
            // A line on a surface is compared with the surface where the line itself runs, not
            // beside it, where a slanted surface is already nearer.
            let behind = match tile.id[index][sample] {
                GROUND => painter.backdrop.ground_plane().map(|plane| {
                    (plane[0] * touch.place[0] + plane[1] * touch.place[1] + plane[2]) as f32
                }),
                id => painter.opaque.triangles.get(id as usize).map(|triangle| {
                    let lift = painter.list.meshes[triangle.mesh as usize].shading.lift;
                    triangle.depth_at(touch.place[0], touch.place[1]) * (1.0 + sound_lift(lift))
                }),
            };
            let behind = behind.unwrap_or(tile.depth[index][sample]);
            if touch.depth >= behind * (1.0 - 1e-6) {
                let color = (segment.color * touch.coverage).extend(touch.coverage);
                lay_over(&mut colors[index][sample], color);
            }
        }
    });
}
