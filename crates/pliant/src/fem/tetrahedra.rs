//! Tetrahedra of four nodes: constant strain in each.
//!
//! ```text
//! F = Σ_a x_a ⊗ g_a,     E = Σ_elements V Ψ(F),     ∂E/∂x_a = Σ V P g_a
//! ```
//!
//! g_a are the gradients of the linear shape functions at rest (1/m), V the rest volume.
//!
//! Implements: \[Mueller2002\] eq. 1 and 7, \[Gibson1997\] Table 1 (4-node tetrahedron).

use super::slots::slot;
use super::strain::{Lame, Strain};
use super::tetrahedron_lanes::TetrahedronLanes;
use super::{ElasticMaterial, ElementMemory, Energy, FemError};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use crate::math::outer;
use glam::{DMat3, DVec3};

/// The energy of tetrahedra with one strain.
#[derive(Debug)]
pub struct Tetrahedra {
    strain: Box<dyn Strain>,
    elements: Vec<Element>,
    /// The elements once more, eight at a time, for laws that are written so.
    lanes: Option<TetrahedronLanes>,
    /// Where the block of each pair of nodes of each element is.
    slots: Vec<[u32; 16]>,
    /// Gradients and volumes at rest, once inelastic processes have changed those of `elements`.
    originals: Vec<([DVec3; 4], f64)>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Element {
    pub(super) nodes: [u32; 4],
    pub(super) gradients: [DVec3; 4],
    pub(super) volume: f64,
    pub(super) material: Lame,
}

/// Gradients of the shape functions of a tetrahedron, and its signed volume.
pub(crate) fn shape_gradients(corners: [DVec3; 4]) -> ([DVec3; 4], f64) {
    let [a, b, c] = [1, 2, 3].map(|i| corners[i] - corners[0]);
    let determinant = a.dot(b.cross(c));
    let [g1, g2, g3] = [b.cross(c), c.cross(a), a.cross(b)].map(|g| g / determinant);
    ([-(g1 + g2 + g3), g1, g2, g3], determinant / 6.0)
}

impl Tetrahedra {
    /// The energy of tetrahedra between nodes that are at rest at `rest_positions`; `material` gives
    /// what each element is made of. A tetrahedron without volume is an error; one that is inside
    /// out is taken the right way round.
    pub fn new(
        rest_positions: &[DVec3],
        tetrahedra: &[[u32; 4]],
        material: impl Fn(usize) -> ElasticMaterial,
        strain: Box<dyn Strain>,
    ) -> Result<Self, FemError> {
        let elements: Vec<Element> = tetrahedra
            .iter()
            .enumerate()
            .map(|(index, &nodes)| {
                let corners = nodes.map(|node| rest_positions[node as usize]);
                let (gradients, volume) = shape_gradients(corners);
                let longest = (1..4).map(|i| (corners[i] - corners[0]).length());
                let size = longest.fold(0.0, f64::max).powi(3);
                if volume.is_nan() || volume.abs() <= 1e-12 * size {
                    return Err(FemError::Degenerate {
                        element: index,
                        measure: "volume",
                        value: volume,
                    });
                }
                let (lambda, mu) = material(index).lame();
                Ok(Element {
                    nodes,
                    gradients,
                    volume: volume.abs(),
                    material: Lame { lambda, mu },
                })
            })
            .collect::<Result<_, _>>()?;
        let law = strain.lane_law();
        Ok(Self {
            lanes: law.map(|law| TetrahedronLanes::new(law, &elements)),
            strain,
            elements,
            slots: Vec::new(),
            originals: Vec::new(),
        })
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.elements.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}

impl Element {
    #[inline]
    fn gradient(&self, positions: &[DVec3]) -> DMat3 {
        let mut sum = DMat3::ZERO;
        for (&node, g) in self.nodes.iter().zip(&self.gradients) {
            let x = positions[node as usize];
            sum += outer(x, *g);
        }
        sum
    }
}

impl Energy for Tetrahedra {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for element in &self.elements {
            for a in 0..4 {
                for b in 0..a {
                    visit(element.nodes[a] as usize, element.nodes[b] as usize);
                }
            }
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        let slots = self.elements.iter().map(|element| {
            let n = element.nodes;
            std::array::from_fn(|i| slot(matrix, n[i / 4], n[i % 4]))
        });
        self.slots = slots.collect();
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        if let Some(lanes) = &mut self.lanes {
            return lanes.energy(positions);
        }
        let energies = self.elements.iter().map(|element| {
            let gradient = element.gradient(positions);
            element.volume * self.strain.energy(gradient, element.material)
        });
        energies.sum()
    }

    /// F F_p⁻¹ = Σ x_a ⊗ F_p⁻ᵀ g_a: a permanent deformation changes the gradients at rest.
    fn adopt(&mut self, memory: &ElementMemory) {
        if self.originals.is_empty() {
            let rest = |element: &Element| (element.gradients, element.volume);
            self.originals = self.elements.iter().map(rest).collect();
        }
        let states = memory.rests.iter().zip(&memory.shares);
        let elements = self.elements.iter_mut().zip(&self.originals);
        for ((element, (gradients, volume)), (rest, share)) in elements.zip(states) {
            element.gradients = gradients.map(|g| rest.transpose() * g);
            element.volume = share * volume;
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.adopt(&self.elements);
        }
    }

    fn largest_terms(&self) -> f64 {
        let stiffness = |e: &Element| e.volume * (e.material.lambda + 2.0 * e.material.mu);
        self.elements.iter().map(stiffness).sum()
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        if let Some(lanes) = &mut self.lanes {
            lanes.add_gradient(positions, gradient);
            return;
        }
        for element in &self.elements {
            let stress = self
                .strain
                .stress(element.gradient(positions), element.material)
                * element.volume;
            for (&node, &g) in element.nodes.iter().zip(&element.gradients) {
                gradient[node as usize] += stress * g;
            }
        }
    }

    fn add_stiffness(&mut self, positions: &[DVec3], matrix: &mut BlockMatrix) {
        match &mut self.lanes {
            Some(lanes) => lanes.add_stiffness(positions, &self.slots, matrix),
            None => self.add_hessian(positions, Curvature::Positive, matrix),
        }
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        let lanes = self.lanes.as_mut();
        if let Some(lanes) = lanes.filter(|lanes| lanes.has_hessian(curvature)) {
            lanes.add_hessian(positions, curvature, &self.slots, matrix);
            return;
        }
        for (element, slots) in self.elements.iter().zip(&self.slots) {
            let gradient = element.gradient(positions);
            let stiffness = self.strain.linearise(gradient, element.material, curvature);
            let gradients = element
                .gradients
                .map(|g| stiffness.right.transpose() * g * element.volume.sqrt());
            for a in 0..4 {
                for b in 0..=a {
                    let block = stiffness.block_in_frame(gradients[a], gradients[b]);
                    matrix.add_at(slots[4 * a + b] as usize, block);
                    if a != b {
                        matrix.add_at(slots[4 * b + a] as usize, block.transpose());
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::strain::{Corotated, Green, Linear, NeoHookean};
    use super::*;
    use crate::energy::contract::EnergyContract;

    #[test]
    fn gradients_reproduce_an_affine_map_and_volume() {
        let corners = [
            DVec3::new(0.1, 0.2, 0.3),
            DVec3::new(1.2, 0.1, -0.2),
            DVec3::new(0.3, 1.1, 0.2),
            DVec3::new(0.2, 0.4, 1.6),
        ];
        let (gradients, volume) = shape_gradients(corners);
        let map = DMat3::from_cols_array(&[0.3, -0.7, 0.2, 0.9, 0.1, -0.4, 0.5, 0.6, -0.8]);
        let mut found = DMat3::ZERO;
        for (corner, g) in corners.iter().zip(&gradients) {
            let x = map * *corner + DVec3::ONE;
            found += outer(x, *g);
        }
        let error = found - map;
        assert!(error.to_cols_array().iter().all(|e| e.abs() < 1e-14));
        let sides = DMat3::from_cols(
            corners[1] - corners[0],
            corners[2] - corners[0],
            corners[3] - corners[0],
        );
        assert!((volume - sides.determinant() / 6.0).abs() < 1e-15);
    }

    /// Norm of the difference as a share of the norm.
    fn difference(found: &BlockMatrix, wanted: &BlockMatrix) -> f64 {
        let blocks = found.blocks().iter().zip(wanted.blocks());
        let squared = |block: DMat3| block.to_cols_array().map(|v| v * v).iter().sum::<f64>();
        let far: f64 = blocks.map(|(a, b)| squared(*a - *b)).sum();
        let size: f64 = wanted.blocks().iter().map(|block| squared(*block)).sum();
        (far / size).sqrt()
    }

    /// A translation costs nothing: the blocks of each row add to zero.
    fn assert_rows_vanish(matrix: &BlockMatrix) {
        for row in 0..8 {
            let blocks = matrix.row_range(row).map(|slot| *matrix.block(slot));
            let sum = blocks.fold(DMat3::ZERO, |sum, block| sum + block);
            assert!(sum.abs().to_cols_array().iter().all(|&v| v < 1e-13));
        }
    }

    /// Eight at a time or one by one, also for flat and inverted elements and a last pack that is
    /// not full.
    #[test]
    fn lanes_agree_with_single_elements() {
        let corners: Vec<DVec3> = (0..8)
            .map(|i| DVec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
            .collect();
        let tetrahedra = [
            [0, 1, 2, 4],
            [1, 3, 2, 7],
            [4, 7, 1, 5],
            [4, 2, 7, 6],
            [1, 2, 4, 7],
            [0, 1, 2, 7],
            [0, 3, 5, 6],
            [0, 1, 3, 4],
            [1, 3, 5, 6],
            [2, 6, 3, 0],
        ];
        let rubber = |_| ElasticMaterial {
            young: 2.0,
            poisson: 0.3,
            density: 1.0,
        };
        let ways: [fn(&DVec3) -> DVec3; 4] = [
            |x| *x,
            |x| DVec3::new(x.x + 0.2 * x.y, x.y - 0.4 * x.z, x.z + 0.3 * x.x * x.y),
            |x| DVec3::new(x.x, x.y, -0.5 * x.z),
            |x| DVec3::new(x.x, x.y, 0.0),
        ];
        let shapes = ways.map(|way| corners.iter().map(way).collect::<Vec<_>>());
        let laws: [fn() -> Box<dyn Strain>; 3] = [
            || Box::new(Linear),
            || Box::new(Corotated),
            || Box::new(Green),
        ];
        for law in laws {
            let mut lanes = Tetrahedra::new(&corners, &tetrahedra, rubber, law()).unwrap();
            let mut single = Tetrahedra::new(&corners, &tetrahedra, rubber, law()).unwrap();
            assert!(lanes.lanes.is_some());
            single.lanes = None;
            let mut couplings = Vec::new();
            lanes.couplings(&mut |a, b| couplings.push((a, b)));
            let mut found = BlockMatrix::new(8, couplings.into_iter());
            let mut wanted = found.clone();
            lanes.attach(&found);
            single.attach(&found);
            for (index, x) in shapes.iter().enumerate() {
                let [mut a, mut b] = [vec![DVec3::ZERO; 8], vec![DVec3::ZERO; 8]];
                lanes.add_gradient(x, &mut a);
                single.add_gradient(x, &mut b);
                for (a, b) in a.iter().zip(&b) {
                    assert!((*a - *b).length() < 1e-13, "{:?} {index}", lanes.strain);
                }
                let [a, b] = [lanes.energy(x), single.energy(x)];
                assert!((a - b).abs() < 1e-13, "{:?} {index}", lanes.strain);
                for curvature in [Curvature::Full, Curvature::Positive] {
                    wanted.clear();
                    single.add_hessian(x, curvature, &mut wanted);
                    found.clear();
                    lanes.add_hessian(x, curvature, &mut found);
                    let far = difference(&found, &wanted);
                    assert!(
                        far < 1e-11,
                        "{:?} {index} {curvature:?}: {far}",
                        lanes.strain
                    );
                }
                found.clear();
                lanes.add_stiffness(x, &mut found);
                assert_rows_vanish(&found);
                // At rest all stiffnesses are the same.
                if index == 0 {
                    wanted.clear();
                    single.add_hessian(x, Curvature::Full, &mut wanted);
                    for (a, b) in found.blocks().iter().zip(wanted.blocks()) {
                        assert!((*a - *b).abs().to_cols_array().iter().all(|&v| v < 1e-13));
                    }
                }
            }
        }
    }

    #[test]
    fn every_strain_keeps_the_contract() {
        let rest = [
            DVec3::new(0.0, 0.1, 0.0),
            DVec3::new(1.1, 0.0, 0.1),
            DVec3::new(0.2, 0.9, 0.0),
            DVec3::new(0.1, 0.2, 1.2),
            DVec3::new(1.0, 1.1, 0.9),
        ];
        let tetrahedra = [[0, 1, 2, 3], [1, 2, 3, 4]];
        let rubber = |_| ElasticMaterial {
            young: 2.0,
            poisson: 0.3,
            density: 1.0,
        };
        let make = |strain| Tetrahedra::new(&rest, &tetrahedra, rubber, strain).unwrap();
        let contract = || EnergyContract::new(&rest);
        contract()
            .of_small_strain()
            .check(&mut make(Box::new(Linear)));
        contract().check(&mut make(Box::new(Corotated)));
        contract().check(&mut make(Box::new(Green)));
        contract().check(&mut make(Box::new(NeoHookean)));
        contract().check_crushed(&mut make(Box::new(NeoHookean)));
        contract().check_crushed(&mut make(Box::new(Green)));
        let flat = Tetrahedra::new(&[DVec3::ZERO; 4], &[[0, 1, 2, 3]], rubber, Box::new(Linear));
        assert!(matches!(flat, Err(FemError::Degenerate { .. })));
    }
}
