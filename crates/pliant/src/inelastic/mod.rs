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
//! (metric, curvature) or a coordinate of the deformation e of the hybrid one.
//!
//! A new process is one file with a [`Process`] and one line in [`ProcessKind`].
//!
//! Implements: \[Terzopoulos1988\] sect. 4.

mod fracture;
mod plastic;
mod strains;
mod viscoelastic;

pub use fracture::{Fracture, FractureCriterion};
pub use plastic::{Plastic, YieldCriterion};
pub use strains::{Sites, StrainKind, Strains};
pub use viscoelastic::{FourUnit, Maxwell, Voigt};

use crate::body::BodyDescription;
use std::fmt::Debug;

/// Every process.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessKind {
    /// A spring and a dashpot in series: flows without end.
    Maxwell(Maxwell),
    /// A spring and a dashpot side by side: creeps to its elastic shape.
    Voigt(Voigt),
    /// A Maxwell and a Voigt unit in series.
    FourUnit(FourUnit),
    /// Yields beyond a limit and hardens.
    Plastic(Plastic),
    /// Breaks where it is stretched or loaded too much.
    Fracture(Fracture),
}

impl ProcessKind {
    /// The process itself.
    pub fn process(&self) -> &dyn Process {
        match self {
            Self::Maxwell(process) => process,
            Self::Voigt(process) => process,
            Self::FourUnit(process) => process,
            Self::Plastic(process) => process,
            Self::Fracture(process) => process,
        }
    }
}

/// A process and when it is at work.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// What happens.
    pub kind: ProcessKind,
    /// From when on, in seconds.
    pub from: f64,
    /// Until when, in seconds.
    pub until: f64,
}

impl Scheduled {
    /// A process that never stops.
    pub fn always(kind: ProcessKind) -> Self {
        Self {
            kind,
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
        }
    }

    fn is_at_work(&self, time: f64) -> bool {
        time >= self.from && time < self.until
    }
}

/// Something that changes rest values and stiffnesses between steps.
pub trait Process: Debug {
    /// Numbers it remembers for each component.
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

    /// Lets deformation flow at the end of a step of `step` seconds.
    fn commit(&self, step: f64, strains: &mut Strains, memory: &mut [f64]);
}

/// Springs as the integrator sees them: rest values and stiffnesses of the components.
#[derive(Clone, Debug, Default)]
pub struct Springs {
    /// s⁰.
    pub rests: Vec<f64>,
    /// k.
    pub stiffnesses: Vec<f64>,
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
    /// Grid edges whose links are broken, as `3 * lower node + direction`. It follows from
    /// `stiffness_shares`.
    pub(crate) broken: Vec<bool>,
    /// Number of broken links.
    pub(crate) broken_count: usize,
    /// Grows whenever a link breaks or heals.
    pub(crate) topology_version: u64,
}

impl Inelasticity {
    /// Of a body that has not deformed yet; `None` for a body without processes.
    pub(crate) fn of(description: &BodyDescription) -> Option<Self> {
        if description.processes.is_empty() {
            return None;
        }
        let count = strains::component_count(description);
        let memory = |scheduled: &Scheduled| {
            vec![0.0; count * scheduled.kind.process().memory_per_component()]
        };
        Some(Self {
            flows: vec![0.0; count],
            stiffness_shares: vec![1.0; count],
            memories: description.processes.iter().map(memory).collect(),
            broken: vec![false; 3 * description.grid.node_count()],
            broken_count: 0,
            topology_version: 0,
        })
    }
}

impl Inelasticity {
    /// Finds the broken links again after `stiffness_shares` have been replaced.
    pub(crate) fn find_broken(&mut self, description: &BodyDescription) {
        let mut strains = Strains::new(description);
        strains
            .stiffness_shares
            .copy_from_slice(&self.stiffness_shares);
        self.broken_count = strains.mark_broken(&mut self.broken);
        self.topology_version += 1;
    }

    /// Number of broken links.
    pub fn broken_count(&self) -> usize {
        self.broken_count
    }

    /// Whether the link that leaves a node in a direction of the grid is broken.
    pub fn is_broken(&self, node: usize, direction: usize) -> bool {
        self.broken[3 * node + direction]
    }
}

/// Scratch memory of the processes of one body.
#[derive(Debug)]
pub(crate) struct InelasticWorkspace {
    strains: Strains,
    springs: Springs,
}

impl InelasticWorkspace {
    /// For a body that has processes.
    pub(crate) fn new(body: &crate::Body) -> Option<Self> {
        body.inelastic.as_ref()?;
        let mut strains = Strains::new(body.description());
        strains.measure(&body.state.positions);
        strains.settle();
        Some(Self {
            springs: Springs::default(),
            strains,
        })
    }

    /// The springs for a step from `time` on that takes `step` seconds; without a step, those of
    /// the elastic energy alone.
    pub(crate) fn springs(&mut self, body: &crate::Body, time: f64, step: f64) -> &Springs {
        let Some(inelastic) = &body.inelastic else {
            return &self.springs;
        };
        self.strains.take(inelastic, &body.state.positions);
        self.strains.fill_springs(&mut self.springs);
        if step > 0.0 {
            for scheduled in &body.description().processes {
                let process = scheduled.kind.process();
                if process.resists_rates() && scheduled.is_at_work(time) {
                    process.resist(step, &self.strains, &mut self.springs);
                }
            }
        }
        &self.springs
    }

    /// Runs every process at the end of a step.
    pub(crate) fn commit(&mut self, body: &mut crate::Body, time: f64, step: f64) {
        // `take` has left the strains before the step in `strains.totals`.
        self.strains.settle();
        self.strains.measure(&body.state.positions);
        let (description, inelastic) = body.inelastic_parts();
        let Some(inelastic) = inelastic else { return };
        for (scheduled, memory) in description.processes.iter().zip(&mut inelastic.memories) {
            if scheduled.is_at_work(time) {
                let process = scheduled.kind.process();
                process.commit(step, &mut self.strains, memory);
            }
        }
        self.strains.give_back(inelastic);
    }
}
