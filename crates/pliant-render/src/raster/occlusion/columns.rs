//! The lowest and the highest point of each column of a scene.

use super::{FINE, FINER, SIDE, casts, spheres_cast};
use crate::DrawList;
use crate::raster::prepared::Prepared;
use crate::raster::tile::{TILE, Tile};
use crate::raster::view::View;
use glam::DVec3;
use rayon::prelude::*;

/// The lowest and the highest point of each column of the scene.
pub(super) struct Columns {
    pub(super) bottoms: Vec<f32>,
    pub(super) tops: Vec<f32>,
}

impl Columns {
    /// Seen from above and from below: `middle` is the middle of the map, above everything.
    pub(super) fn new(list: &DrawList, middle: DVec3, cell: f64) -> Self {
        let view = View {
            eye: middle,
            axes: [DVec3::X, DVec3::NEG_Y, DVec3::NEG_Z],
            perspective: false,
            pixel: cell,
            size: [FINE; 2],
            near: 0.0,
            middles_alone: true,
        };
        let prepared = Prepared::new(list, view, |_| false, casts, spheres_cast);
        let mut columns = Self {
            bottoms: vec![f32::MAX; FINE * FINE],
            tops: vec![f32::MIN; FINE * FINE],
        };
        columns
            .tops
            .par_chunks_mut(FINE * TILE)
            .zip(columns.bottoms.par_chunks_mut(FINE * TILE))
            .enumerate()
            .for_each_init(Tile::<1>::new, |tile, (band, (tops, bottoms))| {
                for column in (0..FINE).step_by(TILE) {
                    if prepared.is_empty_tile([column, band * TILE]) {
                        continue;
                    }
                    for from_below in [false, true] {
                        tile.clear([column, band * TILE]);
                        if from_below {
                            prepared.draw_backwards(list, tile);
                        } else {
                            prepared.draw_fronts(list, tile);
                        }
                        for (index, [depth]) in tile.depth.iter().enumerate() {
                            if *depth == f32::MIN {
                                continue;
                            }
                            let place = index / TILE * FINE + column + index % TILE;
                            if from_below {
                                bottoms[place] = middle.z as f32 - depth;
                            } else {
                                tops[place] = middle.z as f32 + depth;
                            }
                        }
                    }
                }
            });
        columns
    }

    /// The same with a third as many places a side.
    pub(super) fn coarser(&self) -> Self {
        let pooled = |values: &[f32], empty: f32, choose: fn(f32, f32) -> f32| -> Vec<f32> {
            let block = |index: usize| {
                let first = index / SIDE * FINER * FINE + index % SIDE * FINER;
                (0..FINER).flat_map(move |row| first + row * FINE..first + row * FINE + FINER)
            };
            (0..SIDE * SIDE)
                .map(|index| block(index).fold(empty, |found, place| choose(found, values[place])))
                .collect()
        };
        Self {
            tops: pooled(&self.tops, f32::MIN, f32::max),
            bottoms: pooled(&self.bottoms, f32::MAX, f32::min),
        }
    }
}

/// Columns with empty ones at either end of each row, so that a look beside a row needs no care.
pub(super) struct Padded {
    pub(super) bottoms: Vec<f32>,
    pub(super) tops: Vec<f32>,
    /// Empty ones at either end.
    pub(super) margin: usize,
}

impl Padded {
    /// The columns of the coarse map with such a margin.
    pub(super) fn new(columns: &Columns, margin: usize) -> Self {
        let padded = |values: &[f32], empty: f32| {
            let mut all = Vec::with_capacity(SIDE * (SIDE + 2 * margin));
            for row in values.chunks_exact(SIDE) {
                all.resize(all.len() + margin, empty);
                all.extend_from_slice(row);
                all.resize(all.len() + margin, empty);
            }
            all
        };
        Self {
            bottoms: padded(&columns.bottoms, f32::MAX),
            tops: padded(&columns.tops, f32::MIN),
            margin,
        }
    }
}
