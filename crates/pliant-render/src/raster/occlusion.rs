//! How much of the sky is hidden at a point: soft darkening in folds and where things meet.
//!
//! The scene is seen once from above as a field of heights H. At a point at height z a place of
//! the field at horizontal distance d hides the share h² / (h² + d²) of the sky in its direction,
//! where h = H - z is positive; occlusion is the weighted mean of these shares over a disc. It is
//! worked out on a coarse grid in space and interpolated, so a picture pays little for it, and it
//! does not flicker as methods do that look at the depths of the picture itself.

use super::prepared::{Prepared, bounds};
use super::tile::{TILE, Tile};
use super::view::View;
use crate::{DrawList, Mesh, SphereSet};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Places along each side of the field of heights.
const SIDE: usize = 3 * TILE;

/// Layers of the grid.
const LAYERS: usize = 14;

/// Radius of the disc as a share of the size of the scene.
const REACH: f64 = 0.16;

/// Places between two that are looked at.
const STRIDE: usize = 3;

/// Occlusion in space.
pub(crate) struct Occlusion {
    /// Where the grid begins, and points of the grid a metre.
    low: Vec3,
    density: Vec3,
    values: Vec<f32>,
}

fn casts(mesh: &Mesh) -> bool {
    mesh.shading.casts_shadow && mesh.shading.opacity >= 0.5
}

fn spheres_cast(set: &SphereSet) -> bool {
    set.casts_shadow
}

impl Occlusion {
    /// Works it out; `None` if nothing throws a shadow.
    pub fn new(list: &DrawList) -> Option<Self> {
        let [low, high] = bounds(list, casts, spheres_cast, false)?;
        let size = (high - low).max_element();
        if !(size > 0.0 && size < 1e18) {
            return None;
        }
        let reach = size * REACH;
        let floor = match list.ground {
            Some(ground) if f64::from(ground) > low.z - size => low.z.min(f64::from(ground)),
            _ => low.z,
        };
        let wide = (high.x - low.x).max(high.y - low.y) + 2.2 * reach;
        // Steps of size, so that the grid seldom changes while things move.
        let wide = ((wide.log2() * 4.0).ceil() / 4.0).exp2();
        let cell = wide / SIDE as f64;
        let snap = |middle: f64| (middle / cell).round() * cell;
        let middle = DVec3::new(
            snap((low.x + high.x) * 0.5),
            snap((low.y + high.y) * 0.5),
            high.z + size,
        );
        let heights = heights(list, middle, cell);
        let tall = (high.z - floor).max(size * 1e-3);
        let layer = tall / (LAYERS - 1) as f64;
        let disc = disc(cell as f32, reach as f32);
        let values = (0..LAYERS)
            .into_par_iter()
            .flat_map_iter(|index| {
                // A little above the layer, so that a level surface does not hide its own sky.
                let height = (floor + index as f64 * layer + 0.04 * reach) as f32;
                let layer = (0..SIDE * SIDE)
                    .map(|place| hidden(&heights, &disc, reach as f32, place, height));
                smooth(&layer.collect::<Vec<_>>())
            })
            .collect();
        // Rows of the field run against y.
        let start = DVec3::new(
            middle.x - (SIDE - 1) as f64 * 0.5 * cell,
            middle.y + (SIDE - 1) as f64 * 0.5 * cell,
            floor,
        );
        Some(Self {
            low: start.as_vec3(),
            density: DVec3::new(1.0 / cell, -1.0 / cell, 1.0 / layer).as_vec3(),
            values,
        })
    }

    /// Share of the sky that is hidden at a point, 0 to 1.
    pub fn at(&self, point: Vec3) -> f32 {
        let place = (point - self.low) * self.density;
        let most = (SIDE - 1) as f32;
        // False also for what is no number.
        if !(place.x >= 0.0 && place.x < most && place.y >= 0.0 && place.y < most) {
            return 0.0;
        }
        let height = place.z.clamp(0.0, LAYERS as f32 - 1.001);
        let (column, row, layer) = (place.x as usize, place.y as usize, height as usize);
        let across = place.x - column as f32;
        let down = place.y - row as f32;
        let up = height - layer as f32;
        let flat = |layer: usize| {
            let first = (layer * SIDE + row) * SIDE + column;
            let [a, b] = [self.values[first], self.values[first + 1]];
            let [c, d] = [self.values[first + SIDE], self.values[first + SIDE + 1]];
            let upper = a + (b - a) * across;
            let lower = c + (d - c) * across;
            upper + (lower - upper) * down
        };
        let below = flat(layer);
        below + (flat(layer + 1) - below) * up
    }
}

/// Heights of the topmost things, seen from above.
fn heights(list: &DrawList, middle: DVec3, cell: f64) -> Vec<f32> {
    let view = View {
        eye: middle,
        axes: [DVec3::X, DVec3::NEG_Y, DVec3::NEG_Z],
        perspective: false,
        pixel: cell,
        size: [SIDE; 2],
        near: 0.0,
    };
    let prepared = Prepared::new(list, view, false, casts, spheres_cast);
    let mut heights = vec![f32::MIN; SIDE * SIDE];
    heights
        .par_chunks_mut(SIDE * TILE)
        .enumerate()
        .for_each_init(Tile::<1>::new, |tile, (band, heights)| {
            for column in (0..SIDE).step_by(TILE) {
                tile.clear([column, band * TILE]);
                prepared.draw(list, tile);
                for (index, [depth]) in tile.depth.iter().enumerate() {
                    if *depth > f32::MIN {
                        let place = index / TILE * SIDE + column + index % TILE;
                        heights[place] = middle.z as f32 + depth;
                    }
                }
            }
        });
    heights
}

/// A place of the disc.
struct Spot {
    offset: [isize; 2],
    squared_distance: f32,
    weight: f32,
}

/// The places that are looked at around each; their weights sum to one.
fn disc(cell: f32, reach: f32) -> Vec<Spot> {
    let most = (reach / cell / STRIDE as f32) as isize;
    let mut spots = Vec::new();
    for row in -most..=most {
        for column in -most..=most {
            let offset = [column, row].map(|index| index * STRIDE as isize);
            let squared = offset.map(|index| (index as f32 * cell).powi(2));
            let squared_distance = squared[0] + squared[1];
            let weight = 1.0 - squared_distance / (reach * reach);
            if weight > 0.0 {
                spots.push(Spot {
                    offset,
                    squared_distance,
                    weight,
                });
            }
        }
    }
    let total: f32 = spots.iter().map(|spot| spot.weight).sum();
    for spot in &mut spots {
        spot.weight /= total.max(1e-9);
    }
    spots
}

/// Share of the sky that is hidden above a place of the field at a height.
///
/// Of a thing that floats high above only the top is known, and light comes in below it; so it
/// counts the less the higher it is, and nothing beyond twice the reach.
fn hidden(heights: &[f32], disc: &[Spot], reach: f32, place: usize, height: f32) -> f32 {
    let (column, row) = ((place % SIDE) as isize, (place / SIDE) as isize);
    let mut sum = 0.0;
    for spot in disc {
        let (x, y) = (column + spot.offset[0], row + spot.offset[1]);
        if x < 0 || y < 0 || x >= SIDE as isize || y >= SIDE as isize {
            continue;
        }
        let above = heights[y as usize * SIDE + x as usize] - height;
        if above > 0.0 {
            let squared = above * above;
            let floating = (2.0 - above / reach).clamp(0.0, 1.0);
            sum += floating * spot.weight * squared / (squared + spot.squared_distance);
        }
    }
    sum
}

/// The mean over as many places as lie between two that are looked at, which takes away the traces
/// of having looked at some places only.
fn smooth(layer: &[f32]) -> Vec<f32> {
    const { assert!(STRIDE == 3, "the mean is over three places") };
    let mean = |values: &[f32], step: usize, position: fn(usize) -> usize| -> Vec<f32> {
        (0..SIDE * SIDE)
            .map(|place| {
                let before = if position(place) > 0 {
                    place - step
                } else {
                    place
                };
                let after = if position(place) < SIDE - 1 {
                    place + step
                } else {
                    place
                };
                (values[before] + values[place] + values[after]) / 3.0
            })
            .collect()
    };
    let across = mean(layer, 1, |place| place % SIDE);
    mean(&across, SIDE, |place| place / SIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_dark_under_a_roof_and_bright_beside_it() {
        let roof = Mesh {
            positions: vec![
                [-1.0, -1.0, 0.3],
                [1.0, -1.0, 0.3],
                [1.0, 1.0, 0.3],
                [-1.0, 1.0, 0.3],
            ],
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            ..Mesh::default()
        };
        let list = DrawList {
            meshes: vec![roof],
            ground: Some(0.0),
            ..DrawList::default()
        };
        let occlusion = Occlusion::new(&list).unwrap();
        let at = |x: f32, z: f32| occlusion.at(Vec3::new(x, 0.1, z));
        assert!(at(0.0, 0.0) > 0.7, "{}", at(0.0, 0.0));
        assert!(at(1.0, 0.0) > 0.2 && at(1.0, 0.0) < 0.6);
        assert!(at(1.4, 0.0) < 0.05);
        assert!(at(0.0, 0.3) < 0.02, "the roof itself sees the sky");
        assert_eq!(at(100.0, 0.0), 0.0);
        assert_eq!(occlusion.at(Vec3::NAN), 0.0);
        let mut last = at(-1.5, 0.0);
        for step in 0..300 {
            let next = at(-1.5 + step as f32 * 0.01, 0.0);
            assert!((next - last).abs() < 0.05, "no steps");
            last = next;
        }
    }

    #[test]
    fn nothing_hides_nothing() {
        assert!(Occlusion::new(&DrawList::default()).is_none());
    }
}
