//! Solids and sheets of the isoparametric elements of \[Gibson1997\] Table 1.

use super::isoparametric::{IsoparametricElements, Strain};
use super::{Energy, FemError, MeshModel, ModelInput, RegionMaterials};
use crate::mesh::{ElementBlock, ElementMesh};
use glam::DVec3;
use std::sync::Arc;

/// Elements with 3 to 20 nodes.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementModel {
    /// What they are made of.
    pub materials: RegionMaterials,
    /// Their strain.
    pub strain: Strain,
    /// Thickness of faces, in metres.
    pub thickness: f64,
}

impl ElementModel {
    /// The elements of each block and region.
    fn elements(
        &self,
        mesh: &ElementMesh,
        positions: &[DVec3],
        is_rigid: impl Fn(&[u32]) -> bool,
    ) -> Result<Vec<IsoparametricElements>, FemError> {
        self.materials.check()?;
        let mut found = Vec::new();
        for block in mesh.blocks.iter().filter(|b| b.kind.dimension() > 1) {
            let mut regions = block.regions.clone();
            regions.sort_unstable();
            regions.dedup();
            for region in regions {
                let mine = block.elements().zip(&block.regions);
                let mine = mine.filter(|(nodes, of)| **of == region && !is_rigid(nodes));
                let nodes: Vec<u32> = mine.flat_map(|(nodes, _)| nodes).copied().collect();
                if nodes.is_empty() {
                    continue;
                }
                let part = ElementBlock::new(block.kind, nodes);
                let material = self.materials.of(region);
                let elements = IsoparametricElements::new(&part, positions, material, self.strain)?;
                found.push(elements.with_thickness(self.thickness)?);
            }
        }
        Ok(found)
    }
}

impl MeshModel for ElementModel {
    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError> {
        let elements = self.elements(input.mesh, input.rest_positions, |nodes| {
            input.is_rigid(nodes)
        })?;
        let boxed = |elements| -> Box<dyn Energy> { Box::new(elements) };
        Ok(elements.into_iter().map(boxed).collect())
    }

    fn stiffened(&self, factor: f64) -> Option<Arc<dyn MeshModel>> {
        Some(Arc::new(Self {
            materials: self.materials.stiffened(factor),
            ..self.clone()
        }))
    }

    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for elements in self.elements(mesh, &mesh.positions, |_| false)? {
            elements.add_lumped_masses(&mut masses);
        }
        Ok(masses)
    }
}
