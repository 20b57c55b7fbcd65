//! The energies of a body over a mesh as the explicit step sees them.
//!
//! Its highest frequency is bounded by the largest sum of a row of M⁻¹ K (Gershgorin), with the stiffness
//! K of the positions; β K v is Rayleigh's damping.

use crate::body::Past;
use crate::energy::Energy;
use crate::linear::BlockMatrix;
use glam::DVec3;

/// Velocities are half a part of the step late, by which the energy of an impact would be off: parts are so
/// many times shorter than stability asks. (The bound of a grid is that much too high by itself.)
const FINER: f64 = 2.0;

/// Energies over the nodes of a mesh and their stiffness.
#[derive(Debug)]
pub(super) struct EnergyList {
    energies: Vec<Box<dyn Energy>>,
    /// K at the beginning of the part.
    stiffness: BlockMatrix,
    /// β, in seconds.
    stiffness_damping: f64,
    /// K v.
    moved: Vec<DVec3>,
}

impl EnergyList {
    pub(super) fn new(
        node_count: usize,
        mut energies: Vec<Box<dyn Energy>>,
        stiffness_damping: f64,
    ) -> Self {
        let mut couplings = Vec::new();
        for energy in &energies {
            energy.couplings(&mut |a, b| couplings.push((a, b)));
        }
        let stiffness = BlockMatrix::new(node_count, couplings.into_iter());
        for energy in &mut energies {
            energy.attach(&stiffness);
        }
        Self {
            energies,
            stiffness,
            stiffness_damping,
            moved: vec![DVec3::ZERO; node_count],
        }
    }

    pub(super) fn adopt(&mut self, past: Past) {
        match past {
            Past::Nothing => {}
            Past::Springs(springs) => {
                for energy in &mut self.energies {
                    energy.adopt_springs(springs);
                }
            }
            Past::Elements { layers, .. } => {
                for (energy, layer) in self.energies.iter_mut().zip(layers) {
                    energy.adopt(layer);
                }
            }
        }
    }

    pub(super) fn energy(&mut self, positions: &[DVec3]) -> f64 {
        self.energies.iter_mut().map(|e| e.energy(positions)).sum()
    }

    pub(super) fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        for energy in &mut self.energies {
            energy.add_gradient(positions, gradient);
        }
    }

    /// Adds β K v; K is that of the last [`EnergyList::frequency`].
    pub(super) fn add_damping(&mut self, velocities: &[DVec3], gradient: &mut [DVec3]) {
        if self.stiffness_damping == 0.0 {
            return;
        }
        self.stiffness.multiply(velocities, &mut self.moved);
        for (gradient, moved) in gradient.iter_mut().zip(&self.moved) {
            *gradient += self.stiffness_damping * *moved;
        }
    }

    /// β v·K u in watts, with the velocities u of the last [`EnergyList::add_damping`].
    pub(super) fn damping_power(&self, velocities: &[DVec3]) -> f64 {
        if self.stiffness_damping == 0.0 {
            return 0.0;
        }
        let powers = self
            .moved
            .iter()
            .zip(velocities)
            .map(|(moved, v)| moved.dot(*v));
        self.stiffness_damping * powers.sum::<f64>()
    }

    /// A bound on the frequency whose undamped oscillation has the longest stable step of the body, in
    /// radians per second: damping by stiffness makes that step shorter.
    pub(super) fn frequency(&mut self, positions: &[DVec3], masses: &[f64]) -> f64 {
        self.stiffness.clear();
        for energy in &mut self.energies {
            energy.add_stiffness(positions, &mut self.stiffness);
        }
        let row = |(node, mass): (usize, &f64)| {
            let mut sums = DVec3::ZERO;
            for slot in self.stiffness.row_range(node) {
                let block = self.stiffness.block(slot).abs();
                sums += block.x_axis + block.y_axis + block.z_axis;
            }
            sums.max_element() / mass
        };
        let squared = masses.iter().enumerate().map(row).fold(0.0, f64::max);
        let frequency = squared.sqrt();
        // dt < 2/ω (√(1 + ξ²) - ξ) with ξ = β ω / 2.
        let ratio = 0.5 * self.stiffness_damping * frequency;
        FINER * frequency * ((1.0 + ratio * ratio).sqrt() + ratio)
    }
}
