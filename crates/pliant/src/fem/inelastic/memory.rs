//! What processes have changed in a body over a mesh, as its formulation sees it.

use super::elements::{Elements, MATRIX, identities};
use super::viscoelastic::branches_of;
use crate::body::BodyDescription;
use crate::inelastic::{Inelasticity, Thermal};
use crate::process::ProcessKind;
use std::sync::Arc;

impl Inelasticity {
    /// Of a new body over a mesh; nothing for a body that has no processes and cannot break.
    pub(crate) fn over_mesh(description: &BodyDescription) -> Option<Self> {
        let settings = description.mesh()?;
        let processes = &description.processes;
        if processes.is_empty() && settings.inner_faces().is_none() {
            return None;
        }
        let count = Elements::of(settings, description).map_or(0, |elements| elements.len());
        let is_plastic = |kind: &ProcessKind| matches!(kind, ProcessKind::Plastic(_));
        let yields = processes.iter().any(|s| is_plastic(&s.kind));
        // The accumulated plastic strain α of each element; F_l⁻¹ of each unit that relaxes.
        let mut memories: Vec<Vec<f64>> = processes
            .iter()
            .map(|s| vec![0.0; if is_plastic(&s.kind) { count } else { 0 }])
            .collect();
        for branch in branches_of(processes) {
            memories[branch.process].extend(identities(count));
        }
        let mut inelastic = Self {
            flows: identities(if yields { count } else { 0 }),
            memories,
            thermal: Thermal {
                temperatures: description.heat().map_or(Vec::new(), |heat| {
                    let nodes = 0..description.rest_positions.len();
                    nodes.map(|node| heat.initial(node)).collect()
                }),
                ..Thermal::default()
            },
            broken_faces: vec![
                false;
                settings
                    .inner_faces()
                    .map_or(0, |inner_faces| inner_faces.faces().len())
            ],
            ..Self::default()
        };
        inelastic.find_ties(description);
        Some(inelastic)
    }

    /// Finds the ties after `broken_faces` has been replaced.
    pub(crate) fn find_ties(&mut self, description: &BodyDescription) {
        let inner_faces = description.mesh().and_then(|mesh| mesh.inner_faces());
        self.ties = inner_faces.map(|inner_faces| Arc::new(inner_faces.ties(&self.broken_faces)));
        self.broken_count = self.broken_faces.iter().filter(|&&broken| broken).count();
    }

    /// The largest plastic strain of the elements at each node; nothing in a body that does not
    /// yield.
    pub(crate) fn nodal_plastic_strains(&self, description: &BodyDescription) -> Option<Vec<f64>> {
        if self.flows.is_empty() {
            return None;
        }
        let elements = Elements::of(description.mesh()?, description)?;
        let mut nodal = vec![0.0_f64; description.rest_positions.len()];
        for (scheduled, strains) in description.processes.iter().zip(&self.memories) {
            if !matches!(scheduled.kind, ProcessKind::Plastic(_)) {
                continue;
            }
            for (nodes, &strain) in elements.nodes.iter().zip(strains) {
                for &node in nodes {
                    nodal[node as usize] = nodal[node as usize].max(strain);
                }
            }
        }
        Some(nodal)
    }

    /// F_p⁻¹ of each element; nothing in a body that does not yield.
    pub fn plastic_inverses(&self) -> impl Iterator<Item = glam::DMat3> {
        let matrices = self.flows.chunks_exact(MATRIX);
        matrices.map(glam::DMat3::from_cols_slice)
    }
}

/// Number of units of the processes of a body that relax.
pub(crate) fn layer_count(description: &BodyDescription) -> usize {
    branches_of(&description.processes).len()
}
