//! A mass-spring network over a mesh.

use super::{
    ElasticMaterial, Energy, FemError, MeshModel, ModelInput, RotationMethod, SpringNetwork,
    StretchLimit, VolumePreservation, Warped,
};
use crate::fem::isoparametric::rest_measure;
use crate::mesh::{ElementBlock, ElementKind, ElementMesh};
use std::sync::Arc;

/// Springs along the edges of elements, as stiff as a material.
#[derive(Clone, Debug, PartialEq)]
pub struct SpringModel {
    /// Young's modulus and density; springs have a Poisson's ratio of their own.
    pub material: ElasticMaterial,
    /// What elements lack of a volume: thickness of faces, in metres; cross section of segments, in
    /// square metres.
    pub section: f64,
    /// Resistance to over-stretching.
    pub limit: Option<StretchLimit>,
    /// Resistance of tetrahedra to a change of volume, in pascals; 0 for none.
    pub volume: f64,
    /// Springs that are linear in the frames of their vertices, instead of turning by themselves.
    pub warped: Option<RotationMethod>,
}

impl MeshModel for SpringModel {
    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError> {
        let mesh = ElementMesh {
            positions: input.rest_positions.to_vec(),
            blocks: input.mesh.blocks.clone(),
        };
        let mut springs = SpringNetwork::of_mesh(&mesh, self.material.young, self.section)?;
        if let Some(limit) = self.limit {
            springs = springs.with_limit(limit)?;
        }
        let mut energies: Vec<Box<dyn Energy>> = vec![Box::new(springs)];
        let solids = mesh.blocks.iter();
        let solids = solids.filter(|block| block.kind == ElementKind::Tetrahedron4);
        for block in solids.filter(|_| self.volume > 0.0) {
            let volume = VolumePreservation::new(block, input.rest_positions, self.volume)?;
            energies.push(Box::new(volume));
        }
        let Some(method) = self.warped else {
            return Ok(energies);
        };
        let warp = |energy| -> Box<dyn Energy> {
            Box::new(Warped::new(input.rest_positions, energy, method))
        };
        Ok(energies.into_iter().map(warp).collect())
    }

    fn stiffened(&self, factor: f64) -> Option<Arc<dyn MeshModel>> {
        let mut stiffened = self.clone();
        stiffened.material.young *= factor;
        stiffened.volume *= factor;
        Some(Arc::new(stiffened))
    }

    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for block in &mesh.blocks {
            add_masses(
                block,
                mesh,
                self.material.density,
                self.section,
                &mut masses,
            )?;
        }
        Ok(masses)
    }
}

/// Spreads the mass of each element evenly over its nodes.
fn add_masses(
    block: &ElementBlock,
    mesh: &ElementMesh,
    density: f64,
    section: f64,
    masses: &mut [f64],
) -> Result<(), FemError> {
    for (element, nodes) in block.elements().enumerate() {
        let size = match block.kind {
            ElementKind::Line2 => {
                let [a, b] = [0, 1].map(|i| mesh.positions[nodes[i] as usize]);
                a.distance(b) * section
            }
            kind => {
                let size = rest_measure(kind, &mesh.positions, nodes, element)?.abs();
                if kind.dimension() == 2 {
                    size * section
                } else {
                    size
                }
            }
        };
        for &node in nodes {
            masses[node as usize] += density * size / nodes.len() as f64;
        }
    }
    Ok(())
}
