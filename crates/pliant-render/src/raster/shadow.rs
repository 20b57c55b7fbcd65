//! Soft shadows of one light from a map of depths seen from the light.
//!
//! The edge of a shadow is as soft as the thing that throws it is far away: the mean depth of what
//! lies in the way, weighted smoothly over a window of the map, gives the radius of a second
//! smooth window over which lit and shadowed places are averaged (percentage-closer soft
//! shadows, Fernando 2005). Both windows are fixed to the grid of the map and their weights fall
//! to zero at their rims, so there is neither noise nor banding.
//!
//! Against self-shadowing the point is moved off the surface by about a pixel of the map, and each
//! place of the map is compared with the depth that the plane of the surface has there instead of
//! that of the point itself.

mod blocks;
mod fit;
mod window;

use super::prepared::{Prepared, bounds};
use super::tile::{TILE, Tile};
use crate::{DrawList, LightSource, Mesh, Shading, SphereSet};
use blocks::{Summaries, spread_extremes, summarise};
use fit::fit;
use glam::{Vec2, Vec3};
use rayon::prelude::*;
use window::{Query, average, blocker, weight};

/// Pixels along each side of the map.
const SIDE: usize = 1024;

/// Pixels along each side of the blocks whose extremes are known.
const BLOCK: usize = 8;

/// Largest radius of a window, in pixels of the map.
const WIDEST: f32 = 16.0;

/// Windows wider than this are averaged over every other pixel.
const WIDE: f32 = 8.0;

/// Smallest radius of the averaging window.
const NARROWEST: f32 = 1.8;

/// Radius of the lamp over its distance.
const LAMP: f32 = 0.1;

/// The steepest slope against the light that is followed, in depth per distance across.
const STEEPEST: f32 = 4.0;

/// Points are looked at from at most this many pixels of the map beside and before their surface.
const OFFSET: f32 = 2.5;

/// Squares that take more blocks of the map along a side are not looked at as a whole.
const MOST_BLOCKS: usize = 8;

/// Depths seen from a light.
pub(crate) struct ShadowMap {
    eye: Vec3,
    /// The axes of the light, by component.
    rows: [Vec3; 3],
    perspective: bool,
    pixel: f32,
    near: f32,
    depth: Vec<f32>,
    /// Every other pixel of every other row.
    sparse: Vec<f32>,
    /// The nearest of each block of four by four pixels.
    nearest: Vec<f32>,
    /// Nearest and farthest depth of each block and those around it.
    extremes: Vec<[f32; 2]>,
}

fn casts(mesh: &Mesh) -> bool {
    mesh.shading.casts_shadow && mesh.shading.opacity >= 0.5
}

fn spheres_cast(set: &SphereSet) -> bool {
    set.casts_shadow
}

impl ShadowMap {
    /// The map of a light; `None` if nothing throws a shadow.
    pub fn new(list: &DrawList, source: LightSource) -> Option<Self> {
        let [low, high] = bounds(list, casts, spheres_cast, false)?;
        let view = fit(low, high, source, list.origin)?;
        let hides_its_back = |shading: &Shading| shading.closed || !shading.two_sided;
        let prepared = Prepared::new(list, view, hides_its_back, casts, spheres_cast);
        let mut depth = vec![f32::MIN; SIDE * SIDE];
        let mut sparse = vec![f32::MIN; SIDE * SIDE / 4];
        let mut nearest = vec![f32::MIN; SIDE * SIDE / 16];
        let mut extremes = vec![[f32::MIN; 2]; (SIDE / BLOCK) * (SIDE / BLOCK)];
        depth
            .par_chunks_mut(SIDE * TILE)
            .zip(sparse.par_chunks_mut(SIDE * TILE / 4))
            .zip(nearest.par_chunks_mut(SIDE * TILE / 16))
            .zip(extremes.par_chunks_mut(SIDE / BLOCK * (TILE / BLOCK)))
            .enumerate()
            .for_each_init(
                Tile::<1>::new,
                |tile, (band, (((depths, sparse), nearest), extremes))| {
                    for column in (0..SIDE).step_by(TILE) {
                        if prepared.is_empty_tile([column, band * TILE]) {
                            continue;
                        }
                        tile.clear([column, band * TILE]);
                        prepared.draw(list, tile);
                        let from = tile.depth.as_flattened();
                        for (row, line) in from.chunks_exact(TILE).enumerate() {
                            depths[row * SIDE + column..][..TILE].copy_from_slice(line);
                        }
                        let summaries = Summaries {
                            sparse,
                            nearest,
                            extremes,
                        };
                        summarise(from, column, summaries);
                    }
                },
            );
        let view = &prepared.view;
        let axes = view.axes.map(|axis| axis.as_vec3());
        Some(Self {
            eye: view.eye.as_vec3(),
            rows: [0, 1, 2].map(|part| Vec3::new(axes[0][part], axes[1][part], axes[2][part])),
            perspective: view.perspective,
            pixel: view.pixel as f32,
            near: view.near as f32,
            sparse,
            nearest,
            depth,
            extremes: spread_extremes(&extremes),
        })
    }

    /// Share of the light that reaches a point of a surface, 0 to 1. The normal has unit length
    /// and points to the side that is seen; `lift` is the distance in metres by which the surface
    /// is given the benefit of the doubt against things that pierce it.
    pub fn visibility(&self, point: Vec3, normal: Vec3, lift: f32) -> f32 {
        let place = self.turn(point - self.eye);
        if self.perspective && (place.z.is_nan() || place.z <= self.near) {
            return 1.0;
        }
        if !self.perspective && self.is_far_from_casters(place) {
            return 1.0;
        }
        // Size of a pixel of the map at the surface, in metres, and direction of the light.
        let (texel, towards_light) = if self.perspective {
            (self.pixel * place.z, -place.normalize())
        } else {
            (self.pixel, Vec3::NEG_Z)
        };
        let normal = self.turn(normal);
        let cosine = normal.dot(towards_light).clamp(0.0, 1.0);
        let sine = (1.0 - cosine * cosine).sqrt();
        let place =
            place + normal * (texel * (0.6 + 1.2 * sine)) + towards_light * (texel * 0.4 + lift);
        if self.perspective && (place.z.is_nan() || place.z <= self.near) {
            return 1.0;
        }
        let (scale, depth, depth_per_metre) = if self.perspective {
            let depth = 1.0 / place.z;
            (depth / self.pixel, depth, depth * depth)
        } else {
            (1.0 / self.pixel, -place.z, 1.0)
        };
        let column = SIDE as f32 * 0.5 + place.x * scale;
        let row = SIDE as f32 * 0.5 + place.y * scale;
        let reach = WIDEST + 5.0;
        let limit = SIDE as f32 - reach;
        // False also for what is no number.
        if !(column > reach && column < limit && row > reach && row < limit) {
            return 1.0;
        }
        let block = row as usize / BLOCK * (SIDE / BLOCK) + column as usize / BLOCK;
        let [nearest, farthest] = self.extremes[block];
        if nearest == f32::MIN {
            return 1.0;
        }
        let step = texel * depth_per_metre;
        let slopes = self.slopes(place, normal, step * STEEPEST);
        let spread = (slopes[0].abs() + slopes[1].abs()) * WIDEST;
        if nearest <= depth - spread {
            return 1.0;
        }
        if farthest > depth + spread {
            return 0.0;
        }
        let query = Query {
            column,
            row,
            depth,
            slopes,
        };
        let Some(blocker) = blocker(&self.nearest, &query) else {
            return 1.0;
        };
        let gap = (blocker - depth) / step;
        self.softened(&query, (gap * LAMP).clamp(NARROWEST, WIDEST))
    }

    /// Change of depth per pixel of the map on the plane of a surface: see `View::depth_plane`.
    fn slopes(&self, place: Vec3, normal: Vec3, steepest: f32) -> [f32; 2] {
        let divisor = if self.perspective {
            normal.dot(place)
        } else {
            normal.z
        };
        [normal.x, normal.y].map(|part| {
            let slope = part * self.pixel / divisor;
            if slope.is_finite() {
                slope.clamp(-steepest, steepest)
            } else {
                0.0
            }
        })
    }

    /// Share of the places of the map within a radius, in pixels, that the light reaches.
    fn softened(&self, query: &Query, radius: f32) -> f32 {
        if radius <= 2.0 {
            average::<4>(&self.depth, SIDE, query, radius)
        } else if radius <= 4.0 {
            average::<8>(&self.depth, SIDE, query, radius)
        } else if radius <= WIDE {
            average::<16>(&self.depth, SIDE, query, radius)
        } else {
            // The middles of the pixels that are kept lie a quarter of a sparse pixel before those
            // of the sparse ones.
            let sparse = Query {
                column: 0.5 * query.column + 0.25,
                row: 0.5 * query.row + 0.25,
                depth: query.depth,
                slopes: query.slopes.map(|slope| 2.0 * slope),
            };
            average::<16>(&self.sparse, SIDE / 2, &sparse, 0.5 * radius)
        }
    }

    /// Whether the light reaches all of a small square of a plane, given its corners and their normals: whether
    /// [`Self::visibility`] would see at once that nothing is in the way, wherever in the square it looked.
    pub fn is_clear(&self, corners: [(Vec3, Vec3); 4]) -> bool {
        let (mut low, mut high) = (Vec2::INFINITY, Vec2::NEG_INFINITY);
        // Depth is linear on a plane, so it is least at a corner.
        let mut least = f32::INFINITY;
        for (point, normal) in corners {
            let place = self.turn(point - self.eye);
            let (scale, depth) = if self.perspective {
                if place.z.is_nan() || place.z <= self.near {
                    return false;
                }
                (1.0 / (self.pixel * place.z), 1.0 / place.z)
            } else {
                (1.0 / self.pixel, -place.z)
            };
            let texel = self.pixel * if self.perspective { depth } else { 1.0 };
            let [across, down] = self.slopes(place, self.turn(normal), f32::INFINITY);
            let spread = (across.abs() + down.abs()) * WIDEST + OFFSET * texel;
            let column_and_row = place.truncate() * scale + 0.5 * SIDE as f32;
            low = low.min(column_and_row - OFFSET);
            high = high.max(column_and_row + OFFSET);
            least = least.min(depth - spread);
        }
        if !(low.is_finite() && high.is_finite() && least.is_finite()) {
            return false;
        }
        if high.min_element() < 0.0 || low.max_element() >= SIDE as f32 {
            return true;
        }
        // Casts turn negative numbers into zero.
        let first = low.to_array().map(|edge| edge as usize / BLOCK);
        let last = high
            .to_array()
            .map(|edge| (edge as usize / BLOCK).min(SIDE / BLOCK - 1));
        if last[0] - first[0] >= MOST_BLOCKS || last[1] - first[1] >= MOST_BLOCKS {
            return false;
        }
        (first[1]..=last[1]).all(|row| {
            let blocks = &self.extremes[row * (SIDE / BLOCK)..][first[0]..=last[0]];
            blocks.iter().all(|[nearest, _]| *nearest <= least)
        })
    }

    /// How far light has come through things on its way to a point, in metres: the way from where
    /// it first met something, a smooth mean over a few places of the map.
    pub fn thickness(&self, point: Vec3) -> f32 {
        let place = self.turn(point - self.eye);
        let scale = if self.perspective {
            if place.z.is_nan() || place.z <= self.near {
                return 0.0;
            }
            1.0 / (self.pixel * place.z)
        } else {
            1.0 / self.pixel
        };
        // Casts turn negative numbers and what is no number into zero, where nothing is.
        let half = SIDE / 2;
        let column = (0.5 * (SIDE as f32 * 0.5 + place.x * scale) - 1.0).max(0.0);
        let row = (0.5 * (SIDE as f32 * 0.5 + place.y * scale) - 1.0).max(0.0);
        let (first_column, first_row) = (column as usize, row as usize);
        if first_column + 3 >= half || first_row + 3 >= half {
            return 0.0;
        }
        let (mut sum, mut total) = (0.0, 0.0);
        for down in 0..3 {
            for across in 0..3 {
                let depth = self.sparse[(first_row + down) * half + first_column + across];
                if depth == f32::MIN {
                    continue;
                }
                let weight = weight((first_column + across) as f32 - column - 0.5, 2.0)
                    * weight((first_row + down) as f32 - row - 0.5, 2.0);
                let entry = if self.perspective {
                    1.0 / depth
                } else {
                    -depth
                };
                sum += weight * (place.z - entry).max(0.0);
                total += weight;
            }
        }
        if total > 0.0 { sum / total } else { 0.0 }
    }

    /// Whether nothing throws a shadow near a place in the axes of a far light; spares most of the
    /// ground the rest of the work.
    fn is_far_from_casters(&self, place: Vec3) -> bool {
        let scale = 1.0 / self.pixel;
        let middle = SIDE as f32 * 0.5;
        // Casts turn negative numbers and what is no number into zero, where nothing is.
        let column = (middle + place.x * scale) as usize / BLOCK;
        let row = (middle + place.y * scale) as usize / BLOCK;
        column >= SIDE / BLOCK
            || row >= SIDE / BLOCK
            || self.extremes[row * (SIDE / BLOCK) + column][0] == f32::MIN
    }

    /// A vector in the axes of the light.
    fn turn(&self, vector: Vec3) -> Vec3 {
        self.rows[0] * vector.x + self.rows[1] * vector.y + self.rows[2] * vector.z
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::raster::tests::{level, list_of};
    use glam::DVec3;

    /// Squares of the floor that are said to be clear are lit everywhere, and most that are lit are said to be.
    #[test]
    fn clear_squares_are_lit() {
        let list = list_of(vec![level([-0.5, -0.5], [0.5, 0.5], 1.0, [0.8; 3])]);
        let sources = [
            LightSource::Direction(DVec3::new(1.0, 0.3, -1.0)),
            LightSource::Direction(DVec3::new(1.0, 0.0, -0.4)),
            LightSource::Position(DVec3::new(-4.0, 0.0, 5.0)),
        ];
        let side = 0.05;
        for source in sources {
            let map = ShadowMap::new(&list, source).unwrap();
            let (mut lit_count, mut clear_count) = (0, 0);
            for index in 0..120 * 80 {
                let low = Vec3::new((index % 120) as f32, (index / 120) as f32, 0.0) * side
                    - Vec3::new(2.0, 2.0, 0.0);
                let at = |x: f32, y: f32| low + Vec3::new(x, y, 0.0) * side;
                let corners = [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]];
                let is_clear = map.is_clear(corners.map(|[x, y]| (at(x, y), Vec3::Z)));
                let is_lit = (0..25).all(|place| {
                    let [x, y] = [place % 5, place / 5].map(|step| step as f32 / 4.0);
                    map.visibility(at(x, y), Vec3::Z, 0.0) == 1.0
                });
                assert!(is_lit || !is_clear, "{low}");
                lit_count += usize::from(is_lit);
                clear_count += usize::from(is_clear);
            }
            assert!(lit_count < 120 * 80, "there is a shadow");
            assert!(
                10 * clear_count > 8 * lit_count,
                "{clear_count} of {lit_count}"
            );
        }
    }
}
