//! The tetrahedra of a body as its processes see them.

use crate::body::BodyDescription;
use crate::fem::strain::{Lame, Strain};
use crate::fem::tetrahedra::shape_gradients;
use crate::fem::{MeshSettings, ModelInput};
use crate::inelastic::Inelasticity;
use crate::math::parallel::for_each_chunk_mut;
use crate::process::Heat;
use glam::{DMat3, DVec3};

/// The elements that deform, in the order of the energy of the body, with what they are made of.
#[derive(Debug)]
pub(super) struct Elements {
    pub(super) nodes: Vec<[u32; 4]>,
    /// Gradients of the shape functions at rest, in 1/m.
    pub(super) gradients: Vec<[DVec3; 4]>,
    pub(super) materials: Vec<Lame>,
    /// Young's moduli, in pascals.
    pub(super) youngs: Vec<f64>,
    pub(super) law: Box<dyn Strain>,
}

impl Elements {
    /// Of a body over tetrahedra; nothing for other models.
    pub(super) fn of(settings: &MeshSettings, description: &BodyDescription) -> Option<Self> {
        let model = settings.model.solid()?;
        let cores = settings.core_numbers();
        let rest_positions = &description.rest_positions;
        let (nodes, regions) = model.soft_elements(ModelInput {
            mesh: &settings.mesh,
            rest_positions,
            cores: &cores,
        });
        let shapes = nodes
            .iter()
            .map(|nodes| shape_gradients(nodes.map(|node| rest_positions[node as usize])));
        let gradients = shapes.map(|(gradients, _)| gradients).collect();
        let materials = regions.iter().map(|&region| model.materials.of(region));
        Some(Self {
            nodes,
            gradients,
            youngs: materials.clone().map(|material| material.young).collect(),
            materials: materials
                .map(|material| {
                    let (lambda, mu) = material.lame();
                    Lame { lambda, mu }
                })
                .collect(),
            law: model.strain.law(),
        })
    }

    pub(super) fn len(&self) -> usize {
        self.nodes.len()
    }

    /// F of an element.
    pub(super) fn deformation(&self, element: usize, positions: &[DVec3]) -> DMat3 {
        let mut sum = DMat3::ZERO;
        let corners = self.nodes[element].iter().zip(&self.gradients[element]);
        for (&node, g) in corners {
            let x = positions[node as usize];
            sum += DMat3::from_cols(x * g.x, x * g.y, x * g.z);
        }
        sum
    }

    /// The share of its stiffness that heat leaves an element.
    pub(super) fn thermal_share(
        &self,
        heat: Option<&Heat>,
        element: usize,
        memory: &Inelasticity,
    ) -> f64 {
        heat.map_or(1.0, |heat| {
            heat.share(self.mean(element, &memory.thermal.temperatures))
        })
    }

    /// The mean over the nodes of an element of numbers that are given at all nodes or once.
    pub(super) fn mean(&self, element: usize, values: &[f64]) -> f64 {
        match values {
            [value] => *value,
            _ => {
                let corners = self.nodes[element].iter();
                0.25 * corners.map(|&node| values[node as usize]).sum::<f64>()
            }
        }
    }
}

/// Numbers of a matrix.
pub(super) const MATRIX: usize = 9;

/// A matrix of a list of matrices, which are given column after column.
pub(super) fn matrix_at(numbers: &[f64], index: usize) -> DMat3 {
    DMat3::from_cols_slice(&numbers[MATRIX * index..][..MATRIX])
}

/// A list of identity matrices.
pub(super) fn identities(count: usize) -> Vec<f64> {
    let numbers = std::iter::repeat_n(DMat3::IDENTITY.to_cols_array(), count);
    numbers.flatten().collect()
}

/// V diag(d) Vᵀ.
pub(super) fn in_frame(frame: DMat3, diagonal: DVec3) -> DMat3 {
    frame * DMat3::from_diagonal(diagonal) * frame.transpose()
}

/// Sets every entry to a function of its place.
pub(super) fn fill<T: Send>(values: &mut [T], value: impl Fn(usize) -> T + Sync) {
    for_each_chunk_mut(values, |first, chunk| {
        for (index, target) in chunk.iter_mut().enumerate() {
            *target = value(first + index);
        }
    });
}
