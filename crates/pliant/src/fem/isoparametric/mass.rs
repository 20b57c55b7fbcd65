//! Masses of isoparametric elements.
//!
//! ```text
//! consistent:  M_ab = ∫ ρ N_a N_b dV
//! lumped:      m_a  = m M_aa / Σ_b M_bb
//! ```
//!
//! The sums of rows of the consistent matrix are negative at the corners of a 20-node brick and
//! zero at those of a 6-node triangle; shares in proportion to the diagonal are always positive
//! \[Hinton1976\]. m is the mass of the element (kg), ρ its density (kg/m³).

use super::geometry::rest_point;
use super::quadrature::{Integrand, quadrature};
use super::shape::MOST_NODES;
use super::{IsoparametricElements, Strain};
use crate::fem::ElasticMaterial;
use crate::linear::BlockMatrix;
use crate::mesh::{ElementKind, ElementMesh};
use glam::{DMat3, DVec3};

/// Areas at rest that the nodes of a surface stand for, in square metres, shared as its masses are: a stream that
/// acts on them moves the surface as a whole. Nothing for solids, and for plain triangles, which give a third to
/// each corner.
pub(crate) fn lumped_areas(mesh: &ElementMesh, positions: &[DVec3]) -> Option<Vec<f64>> {
    let kinds = || mesh.blocks.iter().map(|block| block.kind);
    if mesh.dimension() != 2 || kinds().all(|kind| kind == ElementKind::Triangle3) {
        return None;
    }
    let unit = ElasticMaterial::new(1.0, 0.0, 1.0).ok()?;
    let mut areas = vec![0.0; positions.len()];
    let faces = mesh.blocks.iter();
    for block in faces.filter(|block| block.kind.dimension() == 2) {
        let elements = IsoparametricElements::new(block, positions, unit, Strain::Linear).ok()?;
        elements.add_lumped_masses(&mut areas);
    }
    Some(areas)
}

impl IsoparametricElements {
    /// Adds the lumped mass of each node, in kilograms.
    ///
    /// # Panics
    /// If there are fewer masses than nodes.
    pub fn add_lumped_masses(&self, masses: &mut [f64]) {
        for (element, nodes) in self.nodes.chunks_exact(self.kind.node_count()).enumerate() {
            let matrix = self.mass_matrix(element);
            let total: f64 = matrix.as_flattened().iter().sum();
            let diagonal: f64 = (0..nodes.len()).map(|a| matrix[a][a]).sum();
            for (a, &node) in nodes.iter().enumerate() {
                masses[node as usize] += total * matrix[a][a] / diagonal;
            }
        }
    }

    /// Adds the consistent mass matrix, in kilograms.
    ///
    /// # Panics
    /// If nodes of an element are not coupled in the matrix.
    pub fn add_consistent_masses(&self, matrix: &mut BlockMatrix) {
        for (element, nodes) in self.nodes.chunks_exact(self.kind.node_count()).enumerate() {
            let masses = self.mass_matrix(element);
            for (a, &row) in nodes.iter().enumerate() {
                for (b, &column) in nodes.iter().enumerate() {
                    let block = DMat3::from_diagonal(DVec3::splat(masses[a][b]));
                    matrix.add(row as usize, column as usize, block);
                }
            }
        }
    }

    /// The consistent mass matrix of one element, in kilograms.
    fn mass_matrix(&self, element: usize) -> [[f64; MOST_NODES]; MOST_NODES] {
        let count = self.kind.node_count();
        let nodes = &self.nodes[element * count..(element + 1) * count];
        let mut matrix = [[0.0; MOST_NODES]; MOST_NODES];
        for point in quadrature(self.kind, Integrand::Mass) {
            let point = rest_point(self.kind, &self.rest_positions, nodes, &point);
            let mass = point.size * self.thickness * self.material.density;
            for (row, n_a) in matrix[..count].iter_mut().zip(&point.values) {
                for (entry, n_b) in row[..count].iter_mut().zip(&point.values) {
                    *entry += mass * n_a * n_b;
                }
            }
        }
        matrix
    }
}
