//! Samples of f, in blocks where there are particles.

#![allow(
    clippy::needless_range_loop,
    reason = "loops over samples index several arrays at once, which the compiler turns into vectors"
)]

use super::{Kernel, LEAST_WEIGHT};
use crate::processor::for_this_processor;
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;
use std::ops::Range;

/// Samples along the side of a block.
pub const SIDE: usize = 16;

/// Which block, counted in blocks from the origin.
pub type BlockKey = [i32; 3];

/// The values of f on a lattice.
#[derive(Debug)]
pub struct Samples {
    /// Distance of samples, in metres.
    pub spacing: f64,
    /// All blocks, in the order of their keys.
    pub blocks: Vec<Block>,
    /// The place of each block in the list.
    pub places: HashMap<BlockKey, u32>,
    /// Particles relative to the origin, in spacings.
    pub particles: Vec<Vec3>,
}

/// Some samples next to each other.
#[derive(Debug)]
pub struct Block {
    /// Where it is.
    pub key: BlockKey,
    /// The particles that reach into it.
    pub particles: Vec<u32>,
    /// The value at its samples, x running fastest.
    pub values: Vec<f32>,
    /// The highest of them.
    pub highest: f32,
    /// The lowest of them.
    pub lowest: f32,
}

/// Coordinates of samples stay below this, so that they fit into an integer.
const FARTHEST: f64 = 1e9;

impl Samples {
    /// Samples the particles at this spacing, or `None` if that takes more than `most` blocks.
    pub fn new(
        particles: &[DVec3],
        kernel: &Kernel,
        spacing: f64,
        origin: DVec3,
        most: usize,
    ) -> Option<Self> {
        let reach = kernel.reach / spacing;
        let side = SIDE as f64;
        let mut lists: HashMap<BlockKey, Vec<u32>> = HashMap::new();
        let mut scaled = Vec::with_capacity(particles.len());
        for (index, &particle) in particles.iter().enumerate() {
            let place = (particle - origin) / spacing;
            scaled.push(place.as_vec3());
            if !(place.is_finite() && place.abs().max_element() < FARTHEST) {
                continue;
            }
            // One sample more on each side: a vertex lies up to one spacing outside its block.
            let low = ((place - reach - 1.0) / side)
                .floor()
                .to_array()
                .map(|x| x as i32);
            let high = ((place + reach + 1.0) / side)
                .floor()
                .to_array()
                .map(|x| x as i32);
            for z in low[2]..=high[2] {
                for y in low[1]..=high[1] {
                    for x in low[0]..=high[0] {
                        lists.entry([x, y, z]).or_default().push(index as u32);
                    }
                }
            }
            if lists.len() > most {
                return None;
            }
        }
        let mut blocks: Vec<Block> = lists
            .into_iter()
            .map(|(key, particles)| Block {
                key,
                particles,
                values: Vec::new(),
                highest: 0.0,
                lowest: 0.0,
            })
            .collect();
        blocks.sort_unstable_by_key(|block| block.key);
        let centers: Vec<DVec3> = particles.iter().map(|p| (*p - origin) / spacing).collect();
        blocks
            .par_iter_mut()
            .for_each(|block| block.sample(&centers, reach, kernel.radius / spacing));
        let places = blocks
            .iter()
            .enumerate()
            .map(|(place, block)| (block.key, place as u32))
            .collect();
        Some(Self {
            spacing,
            blocks,
            places,
            particles: scaled,
        })
    }

    /// The block at a key.
    pub fn block(&self, key: BlockKey) -> Option<&Block> {
        self.places
            .get(&key)
            .and_then(|&place| self.blocks.get(place as usize))
    }
}

impl Block {
    /// Coordinates of its first sample, in spacings.
    pub fn corner(&self) -> DVec3 {
        DVec3::from(self.key.map(f64::from)) * SIDE as f64
    }

    /// Samples the particles with their reach and radius, in spacings.
    fn sample(&mut self, centers: &[DVec3], reach: f64, radius: f64) {
        let mut rows = vec![Row::default(); SIDE * SIDE];
        let corner = self.corner();
        let inverse = 1.0 / (reach * reach) as f32;
        for &particle in &self.particles {
            let center = centers[particle as usize] - corner;
            let low = (center - reach).ceil().max(DVec3::ZERO);
            let high = (center + reach)
                .floor()
                .min(DVec3::splat(SIDE as f64 - 1.0));
            if low.cmpgt(high).any() {
                continue;
            }
            let range = |axis: usize| low[axis] as usize..high[axis] as usize + 1;
            add_particle(&mut rows, center.as_vec3(), inverse, [range(1), range(2)]);
        }
        self.values = vec![0.0; SIDE * SIDE * SIDE];
        let [lowest, highest] = values(&rows, 1.0 / (2.0 * radius) as f32, &mut self.values);
        (self.lowest, self.highest) = (lowest, highest);
    }
}

/// Samples that differ in x alone: of each the sum of weights, and of weights times the way from the particles.
#[derive(Clone, Copy, Default)]
struct Row {
    weights: [f32; SIDE],
    ways: [[f32; SIDE]; 3],
}

for_this_processor! {
    /// Adds a particle to the rows of a block with these y and z. All is in spacings from the corner of the block;
    /// `inverse` is one over the squared reach.
    fn add_particle(rows: &mut [Row], center: Vec3, inverse: f32, ranges: [Range<usize>; 2]) {
        let mut ways = [0.0_f32; SIDE];
        let mut shares = [0.0_f32; SIDE];
        for x in 0..SIDE {
            ways[x] = x as f32 - center.x;
            shares[x] = ways[x] * ways[x] * inverse;
        }
        let [columns, layers] = ranges;
        for z in layers {
            let dz = z as f32 - center.z;
            for y in columns.clone() {
                let dy = y as f32 - center.y;
                let rest = 1.0 - (dy * dy + dz * dz) * inverse;
                if rest <= 0.0 {
                    continue;
                }
                let row = &mut rows[y + SIDE * z];
                for x in 0..SIDE {
                    let inside = rest - shares[x];
                    let inside = if inside > 0.0 { inside } else { 0.0 };
                    let weight = inside * inside * inside;
                    row.weights[x] += weight;
                    row.ways[0][x] += weight * ways[x];
                    row.ways[1][x] += weight * dy;
                    row.ways[2][x] += weight * dz;
                }
            }
        }
    }
}

for_this_processor! {
    /// f from the sums at the samples of a block, and the lowest and the highest of it; `widths` is one over the
    /// diameter of a particle.
    fn values(rows: &[Row], widths: f32, values: &mut [f32]) -> [f32; 2] {
        let (mut lowest, mut highest) = ([f32::INFINITY; SIDE], [0.0_f32; SIDE]);
        for (row, values) in rows.iter().zip(values.chunks_exact_mut(SIDE)) {
            for place in 0..SIDE {
                let [x, y, z] = [row.ways[0][place], row.ways[1][place], row.ways[2][place]];
                let weight = row.weights[place];
                // Where there is no weight, the rise below makes it nothing.
                let divisor = if weight > 0.0 { weight } else { 1.0 };
                let distance = (x * x + y * y + z * z).sqrt() / divisor;
                let share = weight / LEAST_WEIGHT;
                let share = if share < 1.0 { share } else { 1.0 };
                let near = 1.0 - distance * widths;
                let near = if near > 0.0 { near } else { 0.0 };
                let value = near * share * share * (3.0 - 2.0 * share);
                values[place] = value;
                lowest[place] = if value < lowest[place] { value } else { lowest[place] };
                highest[place] = if value > highest[place] { value } else { highest[place] };
            }
        }
        [
            lowest.into_iter().fold(f32::INFINITY, f32::min),
            highest.into_iter().fold(0.0, f32::max),
        ]
    }
}
