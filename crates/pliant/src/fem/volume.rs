//! Preservation of the volume of each tetrahedron.
//!
//! ```text
//! E(x) = Σ over tetrahedra of (k / 2) (V / V⁰ - 1)² V⁰,    V = (x₁ - x₀)·((x₂ - x₀)×(x₃ - x₀)) / 6
//! ```
//!
//! k bulk modulus (Pa), V volume with its sign and V⁰ volume at rest (m³). A tetrahedron that is
//! inside out has a negative volume and is driven back. With springs it gives Poisson's ratios
//! that springs alone cannot have.
//!
//! The second derivative of V itself has as much negative as positive curvature; the positive part
//! of the Hessian is k ∇V ∇Vᵀ / V⁰.

use super::assembly::Assembly;
use super::block_check::check_block;
use super::material::positive;
use super::slots::visit_pairs;
use super::{Energy, FemError};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::math::parallel::ordered_sum;
use crate::math::{cross_matrix, outer};
use crate::mesh::{ElementBlock, ElementKind};
use glam::DVec3;

/// The energy of changed volumes; see the module.
#[derive(Clone, Debug)]
pub struct VolumePreservation {
    tetrahedra: Vec<[u32; 4]>,
    rest_volumes: Vec<f64>,
    modulus: f64,
    assembly: Assembly<4>,
}

impl VolumePreservation {
    /// Tetrahedra that keep the volumes they have at `positions`.
    ///
    /// - `modulus`: the bulk modulus k, in pascals.
    pub fn new(block: &ElementBlock, positions: &[DVec3], modulus: f64) -> Result<Self, FemError> {
        positive("the bulk modulus", modulus)?;
        let (energy, expected) = ("preservation of volume", "tetrahedra of four nodes");
        check_block(
            block,
            positions,
            ElementKind::Tetrahedron4,
            energy,
            expected,
        )?;
        let mut tetrahedra = Vec::with_capacity(block.len());
        let mut rest_volumes = Vec::with_capacity(block.len());
        for (element, nodes) in block.nodes.as_chunks::<4>().0.iter().enumerate() {
            let value = volume(edges(positions, nodes));
            if !(value > 0.0 && value.is_finite()) {
                return Err(FemError::Degenerate {
                    element,
                    measure: "volume",
                    value,
                });
            }
            tetrahedra.push(*nodes);
            rest_volumes.push(value);
        }
        Ok(Self {
            tetrahedra,
            rest_volumes,
            modulus,
            assembly: Assembly::default(),
        })
    }
}

#[inline]
fn edges(positions: &[DVec3], nodes: &[u32; 4]) -> [DVec3; 3] {
    let [o, a, b, c] = nodes.map(|node| positions[node as usize]);
    [a - o, b - o, c - o]
}

#[inline]
fn volume([a, b, c]: [DVec3; 3]) -> f64 {
    a.dot(b.cross(c)) / 6.0
}

/// ∂V/∂x of the four nodes.
#[inline]
fn volume_gradient([a, b, c]: [DVec3; 3]) -> [DVec3; 4] {
    let (ga, gb, gc) = (b.cross(c) / 6.0, c.cross(a) / 6.0, a.cross(b) / 6.0);
    [-ga - gb - gc, ga, gb, gc]
}

impl Energy for VolumePreservation {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for nodes in &self.tetrahedra {
            visit_pairs(nodes, visit);
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.assembly
            .attach(matrix, self.tetrahedra.iter().copied());
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        0.5 * self.modulus
            * ordered_sum(self.tetrahedra.len(), |first, end| {
                let mut sum = 0.0;
                for element in first..end {
                    let rest = self.rest_volumes[element];
                    let change = volume(edges(positions, &self.tetrahedra[element])) - rest;
                    sum += change * change / rest;
                }
                sum
            })
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        let count = self.tetrahedra.len();
        self.assembly
            .over_nodes(count, gradient, |element, window| {
                let (nodes, rest) = (&self.tetrahedra[element], self.rest_volumes[element]);
                let edges = edges(positions, nodes);
                let pressure = self.modulus * (volume(edges) / rest - 1.0);
                for (&node, slope) in nodes.iter().zip(volume_gradient(edges)) {
                    window.add(node, pressure * slope);
                }
            });
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        self.assembly.over_blocks(matrix, |element, slots, window| {
            let (nodes, rest) = (&self.tetrahedra[element], self.rest_volumes[element]);
            let edges = edges(positions, nodes);
            let [_, ga, gb, gc] = volume_gradient(edges);
            let stiffness = self.modulus / rest;
            let pressure = match curvature {
                Curvature::Full => self.modulus * (volume(edges) / rest - 1.0),
                Curvature::Positive | Curvature::Material => 0.0,
            };
            // ∂²V/∂a∂b = -[c]×/6 and so on round the three edges; none by one edge twice.
            let [a, b, c] = edges.map(|edge| cross_matrix(pressure / 6.0 * edge));
            let (ka, kb, kc) = (stiffness * ga, stiffness * gb, stiffness * gc);
            let blocks = [
                outer(ka, ga),
                outer(ka, gb) - c,
                outer(ka, gc) + b,
                outer(kb, gb),
                outer(kb, gc) - a,
                outer(kc, gc),
            ];
            window.add_differences(slots, &blocks);
        });
    }
}
