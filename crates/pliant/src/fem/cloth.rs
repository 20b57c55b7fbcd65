//! Cloth of triangles: a membrane that resists bending.

use super::{
    ElasticMaterial, Energy, FemError, Membrane, MembraneMaterial, MembraneStrain, MeshModel,
    ModelInput, PlateBending, PlateMaterial,
};
use crate::mesh::{ElementBlock, ElementKind, ElementMesh};
use std::sync::Arc;

/// A thin sheet over triangles of any topology.
#[derive(Clone, Debug, PartialEq)]
pub struct ClothModel {
    /// What it is made of.
    pub material: ElasticMaterial,
    /// Its thickness, in metres.
    pub thickness: f64,
    /// How its strain in the plane is measured.
    pub strain: MembraneStrain,
    /// Flexural rigidity, in newton metres; that of a plate of the material if `None`. Woven cloth
    /// bends far more easily than a plate.
    pub rigidity: Option<f64>,
}

/// Triangles that are not part of a rigid core.
fn soft_triangles(input: ModelInput) -> ElementBlock {
    let blocks = input.mesh.blocks.iter();
    let blocks = blocks.filter(|block| block.kind == ElementKind::Triangle3);
    let soft = blocks.flat_map(ElementBlock::elements);
    let soft = soft.filter(|nodes| !input.is_rigid(nodes));
    ElementBlock::new(ElementKind::Triangle3, soft.flatten().copied().collect())
}

impl MeshModel for ClothModel {
    fn energies(&self, input: ModelInput) -> Result<Vec<Box<dyn Energy>>, FemError> {
        self.material.check()?;
        let triangles = soft_triangles(input);
        let stretch = MembraneMaterial {
            young: self.material.young * self.thickness,
            poisson: self.material.poisson,
            strain: self.strain,
        };
        let membrane = Membrane::new(&triangles, input.rest_positions, stretch)?;
        let rigidity = self
            .rigidity
            .unwrap_or_else(|| self.material.flexural_rigidity(self.thickness));
        let mut energies: Vec<Box<dyn Energy>> = vec![Box::new(membrane)];
        if rigidity > 0.0 {
            let plate = PlateMaterial {
                rigidity,
                poisson: self.material.poisson,
            };
            let bending = PlateBending::new(&triangles, input.rest_positions, plate)?;
            energies.push(Box::new(bending));
        }
        Ok(energies)
    }

    fn stiffened(&self, factor: f64) -> Option<Arc<dyn MeshModel>> {
        let mut stiffened = self.clone();
        stiffened.material.young *= factor;
        stiffened.rigidity = self.rigidity.map(|rigidity| factor * rigidity);
        Some(Arc::new(stiffened))
    }

    fn masses(&self, mesh: &ElementMesh) -> Result<Vec<f64>, FemError> {
        let mut masses = vec![0.0; mesh.positions.len()];
        for block in &mesh.blocks {
            if block.kind != ElementKind::Triangle3 {
                continue;
            }
            for nodes in block.elements() {
                let [a, b, c] = [0, 1, 2].map(|i| mesh.positions[nodes[i] as usize]);
                let area = 0.5 * (b - a).cross(c - a).length();
                for &node in nodes {
                    masses[node as usize] += self.material.density * self.thickness * area / 3.0;
                }
            }
        }
        Ok(masses)
    }
}
