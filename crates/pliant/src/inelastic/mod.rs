//! Processes that make a body more than elastic: they creep, yield, break, conduct heat.
//!
//! A process never touches positions. After each step it looks at how far every component of the
//! deformation is from rest (see [`Strains`]) and lets a part of it become permanent (**flow**) or
//! changes how stiff the component is. The elastic energy is that of what is left:
//!
//! ```text
//! elastic strain = total strain - flow,      rest value = initial rest value + flow
//! ```
//!
//! So the same few lines serve every formulation on a grid: a component is a term of the primal energy
//! (metric, curvature) or a displacement from a reference shape that flows as a whole. Over a mesh the
//! parts are elements, and flow is a permanent deformation of each (`fem/inelastic/`). Schedule, heat
//! and breaking (`AtWork`), what persists ([`Inelasticity`]) and checks are the same for both; what a
//! formulation brings is a `Material`.
//!
//! A new process is its data, one file in `process/` and one line in [`ProcessKind`], and one file here
//! with its [`Process`].
//!
//! Implements: \[Terzopoulos1988\] sect. 4.

mod at_work;
mod cells;
mod conduction;
mod flowing_shape;
mod fluid;
mod fracture;
mod grid_material;
mod heat;
mod heat_system;
mod lasting_volume;
mod memory;
mod neighbour_grid;
mod particles;
mod plastic;
mod prony;
mod sites;
mod stored_energy;
mod strains;
mod term_strain;
mod thermal;
mod viscoelastic;

pub(crate) use at_work::{AtWork, Material};
pub(crate) use conduction::{Corners, HeatNetwork, Patch};
pub(crate) use flowing_shape::FlowingShape;
pub(crate) use grid_material::GridMaterial;
pub use memory::Inelasticity;
pub(crate) use particles::Particles;
pub use sites::Sites;
pub use strains::{StrainKind, Strains};
pub use thermal::Thermal;
pub(crate) use thermal::bonds_of;

use crate::body::{BodyDescription, BodyError};
use crate::energy::Springs;
use crate::obstacle::Obstacle;
use crate::process::{Fluid, Heat, ProcessKind};
use glam::DVec3;
use std::fmt::Debug;

impl ProcessKind {
    /// The process itself.
    pub fn process(&self) -> &dyn Process {
        match self {
            Self::Maxwell(process) => process,
            Self::Voigt(process) => process,
            Self::FourUnit(process) => process,
            Self::Prony(process) => process,
            Self::Plastic(process) => process,
            Self::Fracture(process) => process,
            Self::Heat(process) => process,
            Self::Fluid(process) => process,
        }
    }
}

impl BodyDescription {
    /// How the body conducts heat, if it does.
    pub fn heat(&self) -> Option<&Heat> {
        self.processes.iter().find_map(|scheduled| {
            if let ProcessKind::Heat(heat) = &scheduled.kind {
                return Some(heat);
            }
            None
        })
    }

    /// The fluid it is when molten, if it is said.
    pub fn fluid(&self) -> Option<&Fluid> {
        self.processes.iter().find_map(|scheduled| {
            if let ProcessKind::Fluid(fluid) = &scheduled.kind {
                return Some(fluid);
            }
            None
        })
    }

    /// Whether some of it may be a fluid.
    pub(crate) fn can_melt(&self) -> bool {
        self.heat().is_some() || self.fluid().is_some()
    }

    /// Adds the times of retardation of all dashpots that are at work to those of the nodes.
    pub(crate) fn add_retardation(&self, time: f64, nodal: &mut [f64]) {
        for scheduled in self
            .processes
            .iter()
            .filter(|scheduled| scheduled.is_at_work(time))
        {
            let times = scheduled.kind.process().retardation_times();
            for (node, sum) in nodal.iter_mut().enumerate() {
                *sum += match times {
                    [] => 0.0,
                    [time] => *time,
                    _ => times[node],
                };
            }
        }
    }

    /// Whether a process is at work.
    pub(crate) fn is_any_at_work(&self, time: f64) -> bool {
        let mut processes = self.processes.iter();
        processes.any(|scheduled| scheduled.is_at_work(time))
    }

    /// Whether a process like one that it has is at work.
    pub(crate) fn is_at_work(&self, time: f64, is_meant: fn(&ProcessKind) -> bool) -> bool {
        let mut processes = self.processes.iter();
        processes.any(|scheduled| is_meant(&scheduled.kind) && scheduled.is_at_work(time))
    }
}

/// Something that changes rest values and stiffnesses between steps.
pub trait Process: Debug {
    /// Numbers it remembers for each component; those of one component stand together.
    fn memory_per_component(&self) -> usize {
        0
    }

    /// Whether what it remembers is the permanent strain of each component: it then follows what keeps the volume
    /// of a solid.
    fn keeps_permanent_strain(&self) -> bool {
        false
    }

    /// Whether it has a force that depends on the rate of deformation: see [`Process::resist`].
    fn resists_rates(&self) -> bool {
        false
    }

    /// Adds its times of retardation to those of the dashpots beside the springs, in seconds.
    fn resist(&self, strains: &Strains, times: &mut [f64]) {
        let _ = (strains, times);
    }

    /// Energy that the dashpots of [`Process::resist`], as springs for the whole step, have gained in it between the strains before it and those
    /// at its end, in joules: half of what the dashpots that they stand for have taken.
    fn resistance_energy(&self, step: f64, strains: &Strains) -> f64 {
        let _ = (step, strains);
        0.0
    }

    /// The times of retardation of a process that resists rates, in seconds: one for each node, or
    /// one for all. Hybrid bodies, whose springs are the weights of a matrix, go by these.
    fn retardation_times(&self) -> &[f64] {
        &[]
    }

    /// What is wrong with it for a body.
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let _ = description;
        Ok(())
    }

    /// Calls `add` for each of its springs that the elastic strain does not show: with the stiffness by
    /// that of the component, and the strain of each component, out of what it remembers.
    fn each_inner_spring(
        &self,
        memory: &[f64],
        room: &mut Vec<f64>,
        add: &mut dyn FnMut(f64, &[f64]),
    ) {
        let _ = (memory, room, add);
    }

    /// Lets the strains of a body on a grid flow at the end of a step of `step` seconds. Heat and
    /// fracture are carried out by `AtWork`.
    fn flow(&self, step: f64, strains: &mut Strains, rooms: &mut Rooms, memory: &mut [f64]) {
        let _ = (step, strains, rooms, memory);
    }
}

/// The end of a step, as a process sees it.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    /// Time at the beginning of the step, in seconds.
    pub time: f64,
    /// Length of the step, in seconds.
    pub step: f64,
    /// The body.
    pub description: &'a BodyDescription,
    /// Where its nodes are, in metres.
    pub positions: &'a [DVec3],
    /// All obstacles of the world.
    pub obstacles: &'a [Obstacle],
}

/// Lists that processes fill anew in each step, kept so that a warm step allocates nothing.
#[derive(Debug, Default)]
pub struct Rooms {
    /// A number per component.
    pub pull: Vec<f64>,
    /// Tensors at the nodes.
    pub sites: Sites,
    /// A number per node.
    pub at_nodes: Vec<f64>,
    /// Components and how far they are beyond a limit.
    pub candidates: Vec<(f64, usize)>,
}

/// What is wrong with the processes of a body.
pub(crate) fn check_processes(description: &BodyDescription) -> Result<(), BodyError> {
    for scheduled in &description.processes {
        scheduled.kind.process().check(description)?;
    }
    let count_of = |is_meant: fn(&ProcessKind) -> bool| {
        let kinds = description.processes.iter().map(|s| &s.kind);
        kinds.filter(|kind| is_meant(kind)).count()
    };
    if count_of(|kind| matches!(kind, ProcessKind::Heat(_))) > 1
        || count_of(|kind| matches!(kind, ProcessKind::Fluid(_))) > 1
    {
        return Err(BodyError::Unsupported {
            body: description.name.to_string(),
            message: "a body conducts heat in one way and is one fluid",
        });
    }
    Ok(())
}
