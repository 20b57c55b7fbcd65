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
//! So the same few lines serve every formulation: a component is a term of the primal energy
//! (metric, curvature) or a displacement from a reference shape that flows as a whole.
//!
//! A new process is its data, one file in `process/` and one line in [`ProcessKind`], and one file here
//! with its [`Process`].
//!
//! Implements: \[Terzopoulos1988\] sect. 4.

mod conduction;
mod flowing_shape;
mod fluid;
mod fracture;
mod heat;
mod neighbour_grid;
mod particles;
mod plastic;
mod prony;
mod strains;
mod thermal;
mod viscoelastic;

pub(crate) use flowing_shape::FlowingShape;
pub(crate) use particles::Particles;
pub use strains::{Sites, StrainKind, Strains};
pub use thermal::Thermal;
pub(crate) use thermal::bonds_of;

use crate::body::{Body, BodyDescription, BodyError, Memory, Past, Processes};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::energy::Springs;
use crate::obstacle::Obstacle;
use crate::process::{Fluid, Heat, ProcessKind, Scheduled};
use conduction::Conduction;
use glam::DVec3;
use std::fmt::Debug;
use thermal::Bonds;

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
        for scheduled in self.processes.iter().filter(|own| own.is_at_work(time)) {
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

    /// Whether it has a force that depends on the rate of deformation: see [`Process::resist`].
    fn resists_rates(&self) -> bool {
        false
    }

    /// Adds the viscous resistance of a step of `step` seconds to the springs of that step.
    fn resist(&self, step: f64, strains: &Strains, springs: &mut Springs) {
        let _ = (step, strains, springs);
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

    /// Lets deformation flow at the end of a step.
    fn commit(&self, moment: &mut Moment, strains: &mut Strains, memory: &mut [f64]);
}

/// The end of a step, as a process sees it.
#[derive(Debug)]
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
    /// Temperatures and what has melted.
    pub thermal: &'a mut Thermal,
    /// Memory to work in.
    pub rooms: &'a mut Rooms,
    /// For a body that conducts heat.
    conduction: Option<&'a mut Conduction>,
}

/// Lists that processes fill anew in each step, kept so that a warm step allocates nothing.
#[derive(Debug, Default)]
pub struct Rooms {
    /// A number a component.
    pub pull: Vec<f64>,
    /// Tensors at the nodes.
    pub sites: Sites,
    /// A number a node.
    pub at_nodes: Vec<f64>,
    /// Components and how far they are beyond a limit.
    pub candidates: Vec<(f64, usize)>,
}

/// What inelastic processes have changed in a body. It persists, as positions and velocities do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Inelasticity {
    /// Permanent part of each component of strain.
    pub flows: Vec<f64>,
    /// Stiffness of each component as a share of the initial one.
    pub stiffness_shares: Vec<f64>,
    /// What each process remembers.
    pub memories: Vec<Vec<f64>>,
    /// Temperatures and what has melted.
    pub thermal: Thermal,
    /// The share of the stiffness that heat leaves each component. It follows from `thermal`.
    pub(crate) thermal_shares: Vec<f64>,
    /// Grid edges whose links are torn or melted, as `3 * lower node + direction`. It follows from
    /// `stiffness_shares` and `thermal`.
    pub(crate) broken: Vec<bool>,
    /// Number of broken links.
    pub(crate) broken_count: usize,
    /// Grows whenever a link breaks or heals.
    pub(crate) topology_version: u64,
    /// Whether displacements of nodes from a shape that flows are components too.
    pub(crate) displaced: bool,
}

impl Inelasticity {
    /// Of a body that has not deformed yet; `None` for a body without processes. `displaced` says
    /// whether it has a shape that flows.
    pub(crate) fn of(
        description: &BodyDescription,
        positions: &[DVec3],
        displaced: bool,
    ) -> Option<Self> {
        if description.processes.is_empty() {
            return None;
        }
        let count = strains::component_count(description, displaced);
        let memory = |scheduled: &Scheduled| {
            vec![0.0; count * scheduled.kind.process().memory_per_component()]
        };
        let mut inelastic = Self {
            flows: vec![0.0; count],
            stiffness_shares: vec![1.0; count],
            memories: description.processes.iter().map(memory).collect(),
            thermal: Thermal::of(description),
            thermal_shares: vec![1.0; count],
            broken: vec![false; 3 * description.grid.node_count()],
            broken_count: 0,
            topology_version: 0,
            displaced,
        };
        if description.can_melt() {
            let strains = Strains::new(description, displaced);
            let bonds = Bonds::new(description, &strains);
            if let Some(heat) = description.heat() {
                bonds.melt(heat, positions, &mut inelastic.thermal);
            }
            inelastic.find_what_follows(description);
        }
        Some(inelastic)
    }
}

impl Inelasticity {
    /// Finds the broken links and what heat leaves of the stiffness, after `stiffness_shares` and
    /// `thermal` have been replaced.
    pub(crate) fn find_what_follows(&mut self, description: &BodyDescription) {
        let mut strains = Strains::new(description, self.displaced);
        strains.flows.copy_from_slice(&self.flows);
        strains
            .stiffness_shares
            .copy_from_slice(&self.stiffness_shares);
        if description.can_melt() {
            let bonds = Bonds::new(description, &strains);
            let shares = &mut self.thermal_shares;
            bonds.fill_shares(description.heat(), &self.thermal, &strains, shares);
            strains.thermal_shares.copy_from_slice(shares);
        }
        strains.give_back(self);
    }

    /// Whether the link that leaves a node in a direction of the grid is broken.
    pub fn is_broken(&self, node: usize, direction: usize) -> bool {
        self.broken[3 * node + direction]
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
    }

    fn restore(
        &mut self,
        description: &BodyDescription,
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
        self.find_what_follows(description);
        Ok(())
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
    /// What inelastic processes have changed in a body on a grid; nothing for an elastic body.
    pub fn inelastic(&self) -> Option<&Inelasticity> {
        self.memory()
    }

    /// The same, to be changed.
    pub fn inelastic_mut(&mut self) -> Option<&mut Inelasticity> {
        self.memory_mut()
    }
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

fn is_any_at_work(description: &BodyDescription, time: f64) -> bool {
    let mut processes = description.processes.iter();
    processes.any(|scheduled| scheduled.is_at_work(time))
}

/// Scratch memory of the processes of one body.
#[derive(Debug)]
pub(crate) struct InelasticWorkspace {
    strains: Strains,
    springs: Springs,
    rooms: Rooms,
    conduction: Option<Conduction>,
}

impl InelasticWorkspace {
    /// For a body that has processes, and the shape that flows, if it has one.
    pub(crate) fn new(
        body: &Body,
        shape: impl FnOnce(&BodyDescription, &Strains) -> Option<Box<dyn FlowingShape>>,
    ) -> Option<Self> {
        let inelastic = body.inelastic()?;
        let mut strains = Strains::new(body.description(), inelastic.displaced);
        strains.shape = shape(body.description(), &strains);
        strains.measure_body(body);
        strains.settle();
        let description = body.description();
        Some(Self {
            springs: Springs::default(),
            rooms: Rooms::default(),
            conduction: description
                .heat()
                .map(|heat| Conduction::new(description, heat, &strains)),
            strains,
        })
    }
}

impl Processes for InelasticWorkspace {
    fn prepare<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a> {
        let Some(inelastic) = body.inelastic() else {
            return Past::Nothing;
        };
        if self.strains.flow_together() {
            // The integrator looks at the shape itself; only `commit` needs the strains.
            if step > 0.0 && is_any_at_work(body.description(), time) {
                self.strains.take(inelastic, body);
            }
            return Past::Nothing;
        }
        self.strains.take(inelastic, body);
        self.strains.fill_springs(&mut self.springs);
        if step > 0.0 {
            for scheduled in &body.description().processes {
                let process = scheduled.kind.process();
                if process.resists_rates() && scheduled.is_at_work(time) {
                    process.resist(step, &self.strains, &mut self.springs);
                }
            }
        }
        Past::Springs(&self.springs)
    }

    fn commit(&mut self, body: &mut Body, obstacles: &[Obstacle], time: f64, step: f64) {
        if !is_any_at_work(body.description(), time) {
            return;
        }
        // `take` has left the strains before the step in `strains.totals`.
        self.strains.settle();
        self.strains.measure_body(body);
        let (description, state, inelastic) = body.parts_mut::<Inelasticity>();
        let positions = &state.positions;
        let Some(inelastic) = inelastic else { return };
        self.strains.healed.clear();
        let mut moment = Moment {
            time,
            step,
            description,
            positions,
            obstacles,
            thermal: &mut inelastic.thermal,
            rooms: &mut self.rooms,
            conduction: self.conduction.as_mut(),
        };
        for (scheduled, memory) in description.processes.iter().zip(&mut inelastic.memories) {
            if scheduled.is_at_work(time) {
                let process = scheduled.kind.process();
                process.commit(&mut moment, &mut self.strains, memory);
            }
        }
        // What was bound anew remembers nothing.
        for (scheduled, memory) in description.processes.iter().zip(&mut inelastic.memories) {
            let width = scheduled.kind.process().memory_per_component();
            for &component in &self.strains.healed {
                memory[component as usize * width..][..width].fill(0.0);
            }
        }
        self.strains.keep_volume(inelastic);
        self.strains.give_back(inelastic);
        self.strains.finish_shape(body);
    }
}
