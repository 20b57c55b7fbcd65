//! Samples of f, in blocks where there are particles.

use super::{Kernel, LEAST_WEIGHT};
use glam::{DVec3, Vec3};
use rayon::prelude::*;
use std::collections::HashMap;

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
        // For each sample the sum of weights, and of weights times the way from the particles.
        let mut sums = vec![[0.0_f32; 4]; SIDE * SIDE * SIDE];
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
            let [low, high] = [low, high].map(|end| end.to_array().map(|x| x as usize));
            let center = center.as_vec3();
            for z in low[2]..=high[2] {
                let dz = z as f32 - center.z;
                for y in low[1]..=high[1] {
                    let dy = y as f32 - center.y;
                    let rest = 1.0 - (dy * dy + dz * dz) * inverse;
                    let row = SIDE * (y + SIDE * z);
                    let row = &mut sums[row + low[0]..=row + high[0]];
                    for (k, sum) in row.iter_mut().enumerate() {
                        let dx = (low[0] + k) as f32 - center.x;
                        let q = (rest - dx * dx * inverse).max(0.0);
                        let weight = q * q * q;
                        sum[0] += weight;
                        sum[1] += weight * dx;
                        sum[2] += weight * dy;
                        sum[3] += weight * dz;
                    }
                }
            }
        }
        let widths = 1.0 / (2.0 * radius) as f32;
        self.values = sums.iter().map(|sum| value(*sum, widths)).collect();
        self.highest = self.values.iter().copied().fold(0.0, f32::max);
        self.lowest = self.values.iter().copied().fold(f32::INFINITY, f32::min);
    }
}

/// f from the sums at a sample; `widths` is one over the diameter of a particle.
fn value([weight, x, y, z]: [f32; 4], widths: f32) -> f32 {
    if weight <= 0.0 {
        return 0.0;
    }
    let distance = (x * x + y * y + z * z).sqrt() / weight;
    let share = (weight / LEAST_WEIGHT).min(1.0);
    let rise = share * share * (3.0 - 2.0 * share);
    (1.0 - distance * widths).max(0.0) * rise
}
