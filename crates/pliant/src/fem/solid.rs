//! A solid of tetrahedra.

use super::material::RegionMaterials;
use super::strain::{Corotated, Green, Linear, NeoHookean, SplitNeoHookean, Strain};
use super::{
    ElasticMaterial, Energy, FemError, MeshModel, ModelInput, RotationMethod, Tetrahedra, Warped,
};
use crate::mesh::{ElementKind, ElementMesh, tetrahedron_volume};
use std::sync::Arc;

/// Which strain a solid has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum SolidStrain {
    /// Small strain: swells when it turns.
    Linear,
    /// Small strain, turned at each vertex.
    Warped(RotationMethod),
    /// Small strain, turned in each element.
    #[default]
    Corotated,
    /// Green's strain.
    Green,
    /// A Neo-Hookean solid.
    NeoHookean,
    /// The Neo-Hookean solid that splits shape and volume.
    SplitNeoHookean,
}

impl SolidStrain {
    /// The law of an element; that of the small strain for [`SolidStrain::Warped`].
    pub fn law(self) -> Box<dyn Strain> {
        match self {
            Self::Linear | Self::Warped(_) => Box::new(Linear),
            Self::Corotated => Box::new(Corotated),
            Self::Green => Box::new(Green),
            Self::NeoHookean => Box::new(NeoHookean),
            Self::SplitNeoHookean => Box::new(SplitNeoHookean),
        }
    }
}

/// Tetrahedra of materials that may differ by region.
#[derive(Clone, Debug)]
pub struct SolidModel {
    /// Their strain.
    pub strain: SolidStrain,
    /// What they are made of.
    pub materials: RegionMaterials,
}

impl SolidModel {
    /// Tetrahedra of one material.
    pub fn new(strain: SolidStrain, material: ElasticMaterial) -> Self {
        Self {
            strain,
            materials: RegionMaterials::uniform(material),
        }
    }

    /// Nodes and regions of the elements that deform, in the order of the energy.
    pub(super) fn soft_elements(&self, input: ModelInput) -> (Vec<[u32; 4]>, Vec<i32>) {
        let soft = elements(input.mesh).filter(|(nodes, _)| !input.is_rigid(nodes));
        soft.unzip()
    }
}

fn elements(mesh: &ElementMesh) -> impl Iterator<Item = ([u32; 4], i32)> {
    let blocks = mesh.blocks.iter();
    let blocks = blocks.filter(|block| block.kind == ElementKind::Tetrahedron4);
    blocks.flat_map(|block| {
        let nodes = block.nodes.as_chunks::<4>().0.iter().copied();
        nodes.zip(block.regions.iter().copied())
    })
}

impl MeshModel for SolidModel {
    fn is_conservative(&self) -> bool {
        !matches!(self.strain, SolidStrain::Warped(_))
    }

    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError> {
        self.materials.check()?;
        let (nodes, regions) = self.soft_elements(input);
        let material = |element: usize| self.materials.of(regions[element]);
        let energy = Tetrahedra::new(input.rest_positions, &nodes, material, self.strain.law())?;
        Ok(vec![match self.strain {
            SolidStrain::Warped(method) => {
                Box::new(Warped::new(input.rest_positions, Box::new(energy), method))
            }
            _ => Box::new(energy),
        }])
    }

    fn stiffened(&self, factor: f64) -> Option<Arc<dyn MeshModel>> {
        let materials = self.materials.stiffened(factor);
        let strain = self.strain;
        Some(Arc::new(Self { strain, materials }))
    }

    fn solid(&self) -> Option<&SolidModel> {
        Some(self)
    }

    /// A quarter of each tetrahedron's mass goes to each of its nodes.
    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for (nodes, region) in elements(mesh) {
            let corners = nodes.map(|node| mesh.positions[node as usize]);
            let volume = tetrahedron_volume(corners).abs();
            for node in nodes {
                masses[node as usize] += 0.25 * volume * self.materials.of(region).density;
            }
        }
        Ok(masses)
    }
}
