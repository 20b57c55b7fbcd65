//! What inelastic processes have changed in a body, on a grid or over a mesh.

use super::Thermal;
use crate::body::{Body, BodyDescription, Memory, Ties};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use std::sync::Arc;

/// What inelastic processes have changed in a body. It persists, as positions and velocities do.
///
/// The parts of a body are the components of strain of a grid (`inelastic/strains.rs`) or the elements
/// of a mesh (`fem/inelastic/mod.rs`).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inelasticity {
    /// Permanent deformation: the strain of each component; or F_p⁻¹ of each element, nine numbers
    /// column after column, in a mesh that can yield.
    pub flows: Vec<f64>,
    /// Stiffness of each component as a share of the initial one; empty over a mesh.
    pub stiffness_shares: Vec<f64>,
    /// What each process remembers of the parts.
    pub memories: Vec<Vec<f64>>,
    /// Temperatures and what has melted.
    pub thermal: Thermal,
    /// Faces between elements that have broken, in the order of
    /// `InnerFaces::faces`; empty on a grid.
    pub broken_faces: Vec<bool>,
    /// The share of the stiffness that heat leaves each component. It follows from `thermal`.
    pub(crate) thermal_shares: Vec<f64>,
    /// Grid edges whose links are torn or melted, as `3 * lower node + direction`. It follows from
    /// `stiffness_shares` and `thermal`.
    pub(crate) broken_links: Vec<bool>,
    /// Number of broken links or faces.
    pub(crate) broken_count: usize,
    /// Grows whenever a link breaks or heals.
    pub(crate) topology_version: u64,
    /// Whether displacements of nodes from a shape that flows are components too.
    pub(crate) displaced: bool,
    /// Nodes that move as one, in a mesh that can break. It follows from `broken_faces`.
    pub(crate) ties: Option<Arc<Ties>>,
}

impl Inelasticity {
    /// Whether there is something that can be severed: links of a grid, or faces between elements.
    pub fn can_be_cut(&self) -> bool {
        !self.broken_links.is_empty() || !self.broken_faces.is_empty()
    }

    /// Whether the link that leaves a node in a direction of the grid is broken.
    pub fn is_broken(&self, node: usize, direction: usize) -> bool {
        self.broken_links[3 * node + direction]
    }
}

impl Memory for Inelasticity {
    fn save(&self, writer: &mut SnapshotWriter) {
        writer.numbers(&self.flows);
        writer.numbers(&self.stiffness_shares);
        self.memories.iter().for_each(|m| writer.numbers(m));
        writer.numbers(&self.thermal.temperatures);
        writer.flags(&self.thermal.molten);
        writer.flags(&self.thermal.melted);
        writer.flags(&self.broken_faces);
    }

    fn restore(
        &mut self,
        _description: &BodyDescription,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError> {
        reader.numbers(&mut self.flows)?;
        reader.numbers(&mut self.stiffness_shares)?;
        for memory in &mut self.memories {
            reader.numbers(memory)?;
        }
        reader.numbers(&mut self.thermal.temperatures)?;
        reader.flags(&mut self.thermal.molten)?;
        reader.flags(&mut self.thermal.melted)?;
        reader.flags(&mut self.broken_faces)
    }

    fn boxed_clone(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }

    fn temperatures(&self) -> &[f64] {
        &self.thermal.temperatures
    }

    fn broken_count(&self) -> usize {
        self.broken_count
    }

    fn molten(&self) -> &[bool] {
        &self.thermal.molten
    }
}

impl Body {
    /// What inelastic processes have changed in the body; nothing for an elastic body.
    pub fn inelastic(&self) -> Option<&Inelasticity> {
        self.memory()
    }

    /// The same, to be changed.
    pub fn inelastic_mut(&mut self) -> Option<&mut Inelasticity> {
        self.memory_mut()
    }
}
