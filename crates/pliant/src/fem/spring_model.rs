//! A mass-spring network over a mesh.

use super::material::RegionMaterials;
use super::muscle::find_springs;
use super::{
    AngularSprings, ElasticMaterial, Energy, FemError, MeshModel, ModelInput, Muscle,
    RotationMethod, SpringNetwork, StretchLimit, VolumePreservation, Warped,
};
use crate::fem::isoparametric::rest_measure;
use crate::mesh::{ElementBlock, ElementKind, ElementMesh};
use glam::DVec3;
use std::sync::Arc;

/// Springs along the edges of elements, as stiff as materials.
#[derive(Clone, Debug)]
pub struct SpringModel {
    /// Young's modulus and density, by region: layers; springs have a Poisson's ratio of their own.
    pub materials: RegionMaterials,
    /// What elements lack of a volume: thickness of faces, in metres; cross section of segments, in
    /// square metres.
    pub section: f64,
    /// Resistance to over-stretching.
    pub limit: Option<StretchLimit>,
    /// Resistance of tetrahedra to a change of volume, in pascals; 0 for none.
    pub volume: f64,
    /// Springs that are linear in the frames of their vertices, instead of turning by themselves.
    pub warped: Option<RotationMethod>,
    /// The stiffness of angular springs where two springs continue each other, in newton metres per
    /// radian; 0 for none.
    pub angular: f64,
    /// Springs that contract.
    pub muscles: Vec<Muscle>,
}

impl SpringModel {
    /// Springs of one material and nothing else.
    ///
    /// - `section`: see [`SpringModel::section`].
    pub fn new(material: ElasticMaterial, section: f64) -> Self {
        Self {
            materials: RegionMaterials::uniform(material),
            section,
            limit: None,
            volume: 0.0,
            warped: None,
            angular: 0.0,
            muscles: Vec::new(),
        }
    }

    /// The springs of a mesh whose nodes are at rest at `rest`.
    pub fn network(&self, mesh: &ElementMesh, rest: &[DVec3]) -> Result<SpringNetwork, FemError> {
        self.materials.check()?;
        let mesh = ElementMesh {
            positions: rest.to_vec(),
            blocks: mesh.blocks.clone(),
        };
        let young = |region: i32| self.materials.of(region).young;
        let springs = SpringNetwork::of_layers(&mesh, young, self.section)?;
        match self.limit {
            Some(limit) => springs.with_limit(limit),
            None => Ok(springs),
        }
    }
}

impl MeshModel for SpringModel {
    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError> {
        let springs = self.network(input.mesh, input.rest_positions)?;
        find_springs(&self.muscles, &springs)?;
        let angular = match self.angular {
            0.0 => None,
            stiffness => Some(AngularSprings::between(
                input.rest_positions,
                springs.springs(),
                stiffness,
            )?),
        };
        let mut energies: Vec<Box<dyn Energy>> = vec![Box::new(springs)];
        if let Some(angular) = angular.filter(|angular| !angular.is_empty()) {
            energies.push(Box::new(angular));
        }
        let solids = input.mesh.blocks.iter();
        let solids = solids.filter(|block| block.kind == ElementKind::Tetrahedron4);
        for block in solids.filter(|_| self.volume > 0.0) {
            let volume = VolumePreservation::new(block, input.rest_positions, self.volume)?;
            energies.push(Box::new(volume));
        }
        let Some(method) = self.warped else {
            return Ok(energies);
        };
        if !self.muscles.is_empty() {
            let what = "muscles with springs that are linear in the frames of their vertices";
            return Err(FemError::Unsupported { what });
        }
        let warp = |energy| -> Box<dyn Energy> {
            Box::new(Warped::new(input.rest_positions, energy, method))
        };
        Ok(energies.into_iter().map(warp).collect())
    }

    fn stiffened(&self, factor: f64) -> Option<Arc<dyn MeshModel>> {
        let mut stiffened = self.clone();
        stiffened.materials = self.materials.stiffened(factor);
        stiffened.volume *= factor;
        stiffened.angular *= factor;
        Some(Arc::new(stiffened))
    }

    fn springs(&self) -> Option<&SpringModel> {
        Some(self)
    }

    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for block in &mesh.blocks {
            add_masses(block, mesh, &self.materials, self.section, &mut masses)?;
        }
        Ok(masses)
    }
}

/// Spreads the mass of each element evenly over its nodes.
fn add_masses(
    block: &ElementBlock,
    mesh: &ElementMesh,
    materials: &RegionMaterials,
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
        let density = materials.of(block.regions[element]).density;
        for &node in nodes {
            masses[node as usize] += density * size / nodes.len() as f64;
        }
    }
    Ok(())
}
