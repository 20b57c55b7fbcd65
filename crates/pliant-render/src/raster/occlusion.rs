//! How much of the sky is hidden at a point: soft darkening in folds and where things meet.
//!
//! The scene is seen once from above and once from below, so that of every column of it the lowest
//! and the highest point are known. At a height z
//!
//! ```text
//! a column that reaches below z hides    h² / (h² + d²)            of the sky in its direction
//! a column that begins at u above z      ρ² (u² + ρ²) / (u² + d² + ρ²)²
//! ```
//!
//! where h is how far it rises above z, d how far away it is and ρ the radius of a disc of its
//! area. The first is a wall; its share counts with the weight of its place in a disc. The second
//! is a piece of a roof, by the form factor of a small disc. The sums are worked out on a coarse
//! grid in space and interpolated, so a picture pays little for them, and they do not flicker as
//! methods do that look at the depths of the picture itself. On the floor a finer map adds the
//! darkness close to where things stand on it.

mod columns;

use super::prepared::bounds;
use super::tile::TILE;
use crate::processor::for_this_processor;
use crate::{DrawList, Mesh, SphereSet};
use columns::{Columns, Padded};
use glam::{DVec3, Vec3};
use rayon::prelude::*;

/// Places along each side of the grid.
const SIDE: usize = 2 * TILE;

/// Places along each side of the map of the floor.
const FINE: usize = FINER * SIDE;

/// Places of the map of the floor along each side of a place of the grid.
const FINER: usize = 3;

/// Layers of the grid.
const LAYERS: usize = 14;

/// Radius within which walls are looked for, as a share of the size of the scene.
const WALL_REACH: f64 = 0.16;

/// The same for roofs.
const ROOF_REACH: f64 = 0.25;

/// Places between two that are looked at.
const STRIDE: usize = 2;

/// Radius of the disc that is looked at on the floor, in places of its map.
const FINE_RADIUS: isize = 6;

/// Occlusion in space.
pub(crate) struct Occlusion {
    /// Where the grid begins, and points of the grid a metre.
    low: Vec3,
    density: Vec3,
    values: Vec<f32>,
    /// Darkness on the floor close to what stands on it; empty without a floor.
    contact: Vec<f32>,
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
        let level = floor_level(list).filter(|level| *level > low.z - size);
        let floor = level.map_or(low.z, |level| level.min(low.z));
        let wide = (high.x - low.x).max(high.y - low.y) + 2.2 * size * ROOF_REACH;
        // Steps of size, so that the grid seldom changes while things move.
        let wide = ((wide.log2() * 4.0).ceil() / 4.0).exp2();
        let cell = wide / SIDE as f64;
        let snap = |middle: f64| (middle / cell).round() * cell;
        let middle = DVec3::new(
            snap((low.x + high.x) * 0.5),
            snap((low.y + high.y) * 0.5),
            high.z + size,
        );
        let fine_cell = cell / FINER as f64;
        let fine = Columns::new(list, middle, fine_cell);
        let coarse = fine.coarser();
        let tall = (high.z - floor).max(size * 1e-3);
        let layer = tall / (LAYERS - 1) as f64;
        let wall_reach = size * WALL_REACH;
        let disc = Disc::new(cell as f32, wall_reach as f32, (size * ROOF_REACH) as f32);
        let coarse = Padded::new(&coarse, disc.most);
        let grid = || {
            (0..LAYERS)
                .into_par_iter()
                .flat_map_iter(|index| {
                    // A little above the layer, so that a level surface does not hide its own sky.
                    let height = (floor + index as f64 * layer + 0.04 * wall_reach) as f32;
                    smooth(&disc.layer(&coarse, height, layer as f32))
                })
                .collect()
        };
        let map = || level.map_or_else(Vec::new, |level| contacts(&fine, level, fine_cell));
        let (values, contact) = rayon::join(grid, map);
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
            contact,
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
        let layer = height as usize;
        let below = between(&self.values[layer * SIDE * SIDE..], SIDE, place.x, place.y);
        let above = between(
            &self.values[(layer + 1) * SIDE * SIDE..],
            SIDE,
            place.x,
            place.y,
        );
        below + (above - below) * (height - layer as f32)
    }

    /// Darkness at a point of the floor close to what stands on it, 0 to 1.
    pub fn contact(&self, point: Vec3) -> f32 {
        let place = (point - self.low) * self.density;
        // Places are counted from their middles, and the middle of a place of the grid is that of
        // the middle one of its places of the map.
        let finer = FINER as f32;
        let (column, row) = (finer * place.x + 1.0, finer * place.y + 1.0);
        let most = (FINE - 1) as f32;
        let within = column >= 0.0 && column < most && row >= 0.0 && row < most;
        if !within || self.contact.is_empty() {
            return 0.0;
        }
        between(&self.contact, FINE, column, row)
    }
}

/// The value between four places of a map with `side` places a row.
fn between(values: &[f32], side: usize, x: f32, y: f32) -> f32 {
    let (column, row) = (x as usize, y as usize);
    let (across, down) = (x - column as f32, y - row as f32);
    let first = row * side + column;
    let [a, b] = [values[first], values[first + 1]];
    let [c, d] = [values[first + side], values[first + side + 1]];
    let upper = a + (b - a) * across;
    let lower = c + (d - c) * across;
    upper + (lower - upper) * down
}

/// Height of the floor: the ground, else the highest level floor without end.
fn floor_level(list: &DrawList) -> Option<f64> {
    let floors = list.meshes.iter().filter(|mesh| mesh.shading.fades);
    let levels = floors.filter_map(|mesh| {
        let first = mesh.positions.first()?[2];
        let is_level = mesh.positions.iter().all(|point| point[2] == first);
        is_level.then_some(first)
    });
    let highest = list.ground.into_iter().chain(levels).reduce(f32::max)?;
    highest.is_finite().then_some(f64::from(highest))
}

/// A place of the disc.
struct Spot {
    offset: [isize; 2],
    squared_distance: f32,
    /// Weight of a wall there; those of all places sum to one.
    wall_weight: f32,
}

/// The places that are looked at around each.
struct Disc {
    spots: Vec<Spot>,
    /// Squared radius of a disc as large as what each place stands for.
    squared_radius: f32,
    /// Largest offset.
    most: usize,
}

impl Disc {
    fn new(cell: f32, wall_reach: f32, roof_reach: f32) -> Self {
        let most = (roof_reach / cell / STRIDE as f32) as isize;
        let mut spots = Vec::new();
        for row in -most..=most {
            for column in -most..=most {
                let offset = [column, row].map(|index| index * STRIDE as isize);
                let squared = offset.map(|index| (index as f32 * cell).powi(2));
                let squared_distance = squared[0] + squared[1];
                if squared_distance < roof_reach * roof_reach {
                    let weight = 1.0 - squared_distance / (wall_reach * wall_reach);
                    spots.push(Spot {
                        offset,
                        squared_distance,
                        wall_weight: weight.max(0.0),
                    });
                }
            }
        }
        let total: f32 = spots.iter().map(|spot| spot.wall_weight).sum();
        for spot in &mut spots {
            spot.wall_weight /= total.max(1e-9);
        }
        Self {
            spots,
            squared_radius: (STRIDE as f32 * cell).powi(2) / std::f32::consts::PI,
            most: most as usize * STRIDE,
        }
    }

    /// Share of the sky that is hidden at each place at a height; `layer` is the distance of layers.
    fn layer(&self, columns: &Padded, height: f32, layer: f32) -> Vec<f32> {
        let mut values = vec![0.0; SIDE * SIDE];
        let is_higher = |top: &f32| *top > height;
        // Rows and columns in which something rises above the height.
        let rows: Vec<bool> = columns
            .tops
            .chunks(SIDE + 2 * columns.margin)
            .map(|row| row.iter().any(is_higher))
            .collect();
        let (Some(first), Some(last)) = (
            rows.iter().position(|any| *any),
            rows.iter().rposition(|any| *any),
        ) else {
            return values;
        };
        let sky = Sky {
            height,
            layer,
            squared_radius: self.squared_radius,
            margin: columns.margin,
        };
        for row in first.saturating_sub(self.most)..(last + self.most + 1).min(SIDE) {
            let values = &mut values[row * SIDE..][..SIDE];
            hide_row(&sky, &self.spots, columns, row, values);
        }
        values
    }
}

/// What the sky is looked at from.
struct Sky {
    /// The height above the floor.
    height: f32,
    /// Distance of layers.
    layer: f32,
    /// See [`Disc`].
    squared_radius: f32,
    /// Empty places at either end of a row of columns.
    margin: usize,
}

for_this_processor! {
    /// Share of the sky that is hidden at the places of a row.
    fn hide_row(sky: &Sky, spots: &[Spot], columns: &Padded, row: usize, values: &mut [f32]) {
        let stride = SIDE + 2 * sky.margin;
        let per_layer = 1.0 / sky.layer;
        let (mut walls, mut roofs) = ([0.0_f32; SIDE], [0.0_f32; SIDE]);
        for spot in spots {
            let y = row.wrapping_add_signed(spot.offset[1]);
            if y >= SIDE {
                continue;
            }
            let start = (y * stride + sky.margin).wrapping_add_signed(spot.offset[0]);
            let (Some(tops), Some(bottoms)) = (
                columns.tops[start..].first_chunk::<SIDE>(),
                columns.bottoms[start..].first_chunk::<SIDE>(),
            ) else {
                continue;
            };
            for place in 0..SIDE {
                let above = tops[place] - sky.height;
                let under = bottoms[place] - sky.height;
                let squared = above * above;
                let wall = spot.wall_weight * squared / (squared + spot.squared_distance);
                // A thin sheet between two layers must not hide its own sky from the lower one.
                let over = under * per_layer - 1.0;
                let over = if over > 0.0 { over } else { 0.0 };
                let over = if over < 1.0 { over } else { 1.0 };
                let roof = over * roof(under, spot.squared_distance, sky.squared_radius);
                walls[place] += if (above > 0.0) & (under <= 0.0) { wall } else { 0.0 };
                roofs[place] += if (above > 0.0) & (under > 0.0) { roof } else { 0.0 };
            }
        }
        for (place, value) in values.iter_mut().enumerate() {
            *value = 1.0 - (1.0 - walls[place]).max(0.0) * (1.0 - roofs[place]).max(0.0);
        }
    }
}

/// Share of the sky that a piece of a roof hides.
#[inline(always)]
fn roof(under: f32, squared_distance: f32, squared_radius: f32) -> f32 {
    let near = under * under + squared_radius;
    let all = near + squared_distance;
    squared_radius * near / (all * all)
}

/// Darkness on the floor close to what stands on it.
fn contacts(columns: &Columns, level: f64, cell: f64) -> Vec<f32> {
    let (level, cell) = (level as f32, cell as f32);
    let squared_radius = cell * cell / std::f32::consts::PI;
    let reach = FINE_RADIUS as f32 * cell;
    let mut spots = Vec::new();
    for row in -FINE_RADIUS..=FINE_RADIUS {
        for column in -FINE_RADIUS..=FINE_RADIUS {
            let squared = (column * column + row * row) as f32 * cell * cell;
            let rim = 1.0 - squared / (reach * reach);
            if rim > 0.0 {
                spots.push((column, row, squared, rim));
            }
        }
    }
    // Darkness is spread from the few columns that stand near the floor.
    let mut values = vec![0.0_f32; FINE * FINE];
    for row in 0..FINE {
        for column in 0..FINE {
            let under = columns.bottoms[row * FINE + column] - level;
            if under >= reach {
                continue;
            }
            let under = under.max(0.0);
            for (across, down, squared, rim) in &spots {
                let x = column.wrapping_add_signed(*across);
                let y = row.wrapping_add_signed(*down);
                if x < FINE && y < FINE {
                    values[y * FINE + x] += rim * roof(under, *squared, squared_radius);
                }
            }
        }
    }
    for value in &mut values {
        *value = value.min(1.0);
    }
    values
}

/// The mean over as many places as lie between two that are looked at, which takes away the traces
/// of having looked at some places only.
fn smooth(layer: &[f32]) -> Vec<f32> {
    const {
        assert!(
            STRIDE == 2,
            "the mean is over a place and half of its neighbours"
        )
    };
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
                0.25 * (values[before] + 2.0 * values[place] + values[after])
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
