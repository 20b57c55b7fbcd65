//! External forces on the nodes of a body. One file a force.
//!
//! A force gives, besides itself, how stiffly it answers: the negative derivative of the force by
//! the node's position, which the implicit integrators put into their matrix, so that a hard
//! spring or a thick fluid needs no shorter step.

mod distributed;
mod gravity;
mod gyro;
mod image;
mod loaded_part;
mod loads;
mod point;
mod pressure;
mod ramped;
mod source;
mod spring;
pub mod stream;
mod thruster;
mod viscous;
mod volume;

pub use distributed::{Amount, DistributedLoad, NodalLoads, Over};
pub use gravity::Gravity;
pub use gyro::Gyro;
pub use image::{ImageError, ImageForce, ImageSettings, Raster};
pub use loaded_part::{LoadedPart, NodeShare};
pub use loads::{Loads, NodalView, Stiffness};
pub use point::{PointPush, PointSpring, Stencil};
pub use pressure::Pressure;
pub use ramped::{Ramp, RampError, Ramped};
pub use source::ForceSource;
pub use spring::Spring;
pub use stream::Stream;
pub use thruster::Thruster;
pub use viscous::{AreaViscous, Viscous};
pub use volume::{VolumeForce, VolumeSettings, Voxels};

use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A force as it acts on a surface, or why it cannot: the rest of a sentence about the body.
pub type OverSurface = Result<Arc<dyn NodalForce>, &'static str>;

/// An external force.
pub trait NodalForce: Send + Sync + std::fmt::Debug {
    /// Adds the force on a range of nodes.
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads);

    /// Potential energy of one node in the force, in joules; 0 for forces without one.
    fn potential(&self, view: &NodalView, node: usize) -> f64;

    /// The sum of the potentials of a range of nodes, in joules.
    fn potentials(&self, view: &NodalView, nodes: Range<usize>) -> f64 {
        nodes.map(|node| self.potential(view, node)).sum()
    }

    /// The potential whose gradient over one step of length `view.step` is the force, for forces
    /// that depend on velocity: what a line search of an implicit step needs.
    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        self.potential(view, node)
    }

    /// The sum of the incremental potentials of a range of nodes, in joules.
    fn incremental_potentials(&self, view: &NodalView, nodes: Range<usize>) -> f64 {
        nodes
            .map(|node| self.incremental_potential(view, node))
            .sum()
    }

    /// Whether the force is the gradient of its potential at each moment.
    fn has_potential(&self) -> bool {
        true
    }

    /// Whether the force has a potential that does not change with time: then it gives no energy.
    fn is_passive(&self) -> bool {
        self.has_potential()
    }

    /// Whether the force on a node is its mass times an acceleration.
    fn is_by_mass(&self) -> bool {
        false
    }

    /// Whether the force is the same wherever nodes are and however they move: then nothing but the body
    /// itself answers to it.
    fn is_dead(&self) -> bool {
        false
    }

    /// One of `count` equal parts of the force, for a node that lies `offset` (in metres) from the
    /// point the force is bound to, so that all parts together are as strong as one. `None` if
    /// every node gets the whole force, as with gravity.
    fn part(&self, _count: usize, _offset: DVec3) -> Option<Arc<dyn NodalForce>> {
        None
    }

    /// The force on a body whose nodes stand for these areas (of a curve: lengths), in square metres
    /// or metres ([`BodyDescription::node_extents`](crate::BodyDescription::node_extents)). `None` if
    /// the force does not depend on them.
    fn over(&self, _extents: &Arc<[f64]>) -> Option<Arc<dyn NodalForce>> {
        None
    }

    /// Whether it acts on bodies only once it knows their surface.
    fn needs_surface(&self) -> bool {
        false
    }

    /// The force on a body with these triangles on its surface
    /// ([`Formulation::surface_triangles`](crate::Formulation::surface_triangles)) and its nodes at rest
    /// at `rest`. `None` if the force does not depend on them.
    fn over_surface(&self, _surface: &[[u32; 3]], _rest: &[DVec3]) -> Option<OverSurface> {
        None
    }

    /// Whether it acts on bodies only once it knows the part of them that it is spread over.
    fn needs_part(&self) -> bool {
        false
    }

    /// The force as it is spread over a part of a body. `None` if it is not one that is spread.
    fn over_part(&self, _part: &LoadedPart) -> Option<OverSurface> {
        None
    }

    /// Where the force comes from, if that can be shown; `None` for forces that are everywhere.
    fn source(&self) -> Option<ForceSource> {
        None
    }

    /// Whether the force uses the normals of the body.
    fn uses_normals(&self) -> bool {
        false
    }
}

/// A force bound to a whole body or to one of its nodes.
#[derive(Clone, Debug)]
pub struct BoundForce {
    /// The force.
    pub force: Arc<dyn NodalForce>,
    /// The node it acts on; every node if `None`.
    pub node: Option<usize>,
}

impl BoundForce {
    /// Adds the loads of all nodes the force is bound to.
    pub fn add_loads(&self, view: &NodalView, loads: &mut Loads) {
        self.force.add_loads(view, self.nodes(view), loads);
    }

    /// The nodes the force is bound to.
    pub fn nodes(&self, view: &NodalView) -> Range<usize> {
        match self.node {
            Some(node) => node..node + 1,
            None => 0..view.positions.len(),
        }
    }
}
