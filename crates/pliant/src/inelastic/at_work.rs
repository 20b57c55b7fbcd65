//! The processes of one body at work: what is the same for grids and meshes.
//!
//! Which process works when, the conduction of heat and the choice of what breaks are here. What a
//! formulation offers to processes is a [`Material`]: parts (components of strain or elements) that
//! flow, soften and break.

use super::conduction::{Conduction, HeatNetwork};
use super::{Inelasticity, Moment};
use crate::body::{Blade, Body, BodyDescription, Past, Processes};
use crate::obstacle::Obstacle;
use crate::process::{Fracture, Heat, ProcessKind};
use std::fmt::Debug;

/// The material of one body as its processes see it, with scratch memory.
pub(crate) trait Material: Debug + Send {
    /// What the integrator adopts for a step from `time` on that takes `step` seconds; without a
    /// step, what the elastic energy as it is depends on.
    fn adopt<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a>;

    /// Brings the state of the body in order after a step, whether a process is at work or not.
    fn settle(&mut self, _body: &mut Body) {}

    /// Takes in the deformation at the end of a step.
    fn measure(&mut self, _body: &Body) {}

    /// Whether the springs for a step are others than those as they are: some stand for dashpots.
    fn prepares_by_step(&self, description: &BodyDescription) -> bool;

    /// What dashpots beside springs have taken in the step last measured, beyond the energy that their springs
    /// have gained in it, in joules.
    fn resisted(&self, _moment: &Moment) -> f64 {
        0.0
    }

    /// Lets deformation flow, by the process of this number.
    fn flow(&mut self, process: usize, moment: &Moment, memory: &mut Inelasticity);

    /// Energy in springs within processes, beside the elastic energy of the body, in joules.
    fn stored_energy(&mut self, _body: &Body) -> f64 {
        0.0
    }

    /// Where heat goes in the body.
    fn heat_network(
        &self,
        description: &BodyDescription,
        heat: &Heat,
        memory: &Inelasticity,
    ) -> HeatNetwork;

    /// Differs whenever the network does.
    fn network_version(&self, _memory: &Inelasticity) -> u64 {
        0
    }

    /// Which links of the network conduct; at first all do.
    fn find_paths(&mut self, _moment: &Moment, _memory: &Inelasticity, _conducts: &mut [bool]) {}

    /// Softens and melts after temperatures have changed.
    fn soften(&mut self, _heat: &Heat, _moment: &Moment, _memory: &mut Inelasticity) {}

    /// Finds the parts that are beyond their limit: how far, as a ratio above 1, and which.
    fn find_overloaded(
        &mut self,
        fracture: &Fracture,
        moment: &Moment,
        memory: &Inelasticity,
        found: &mut Vec<(f64, usize)>,
    );

    /// Breaks parts.
    fn tear(
        &mut self,
        fracture: &Fracture,
        parts: &[(f64, usize)],
        moment: &Moment,
        memory: &mut Inelasticity,
    );

    /// Severs what crosses a blade; says how many parts.
    fn cut(&mut self, body: &mut Body, blade: &Blade) -> usize;

    /// Hands to the body what processes have changed.
    fn finish(&mut self, _body: &mut Body) {}
}

/// The processes of a body with its material.
#[derive(Debug)]
pub(crate) struct AtWork<M> {
    material: M,
    conduction: Option<Conduction>,
    /// The version of the network that `conduction` is for.
    network_version: u64,
    /// Parts beyond their limits.
    overloaded: Vec<(f64, usize)>,
    unconverged_solves: usize,
    /// What dashpots have taken, in joules.
    dissipated: f64,
}

impl<M: Material> AtWork<M> {
    pub(crate) fn new(material: M) -> Self {
        Self {
            material,
            conduction: None,
            network_version: 0,
            overloaded: Vec::new(),
            unconverged_solves: 0,
            dissipated: 0.0,
        }
    }

    fn conduct(&mut self, heat: &Heat, moment: &Moment, memory: &mut Inelasticity) {
        let version = self.material.network_version(memory);
        if self.network_version != version {
            self.conduction = None;
        }
        self.network_version = version;
        let conduction = self.conduction.get_or_insert_with(|| {
            let network = self.material.heat_network(moment.description, heat, memory);
            Conduction::new(network, moment.description, heat)
        });
        conduction.conducts.fill(true);
        self.material
            .find_paths(moment, memory, &mut conduction.conducts);
        let is_solved = conduction.advance(heat, moment, &mut memory.thermal.temperatures);
        self.unconverged_solves += usize::from(!is_solved);
        self.material.soften(heat, moment, memory);
    }

    /// Of the parts beyond their limits the worst break; of equals, the first in the list.
    fn fracture(&mut self, fracture: &Fracture, moment: &Moment, memory: &mut Inelasticity) {
        let found = &mut self.overloaded;
        found.clear();
        self.material
            .find_overloaded(fracture, moment, memory, found);
        found.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        found.truncate(fracture.at_once);
        if !found.is_empty() {
            self.material.tear(fracture, found, moment, memory);
        }
    }
}

impl<M: Material> Processes for AtWork<M> {
    fn prepare<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a> {
        self.material.adopt(body, time, step)
    }

    fn commit(&mut self, body: &mut Body, obstacles: &[Obstacle], time: f64, step: f64) {
        self.material.settle(body);
        if !body.description().is_any_at_work(time) {
            return;
        }
        self.material.measure(body);
        let (description, state, memory) = body.parts_mut::<Inelasticity>();
        let Some(memory) = memory else { return };
        let moment = Moment {
            time,
            step,
            description,
            positions: &state.positions,
            obstacles,
        };
        self.dissipated += self.material.resisted(&moment);
        for (number, scheduled) in description.processes.iter().enumerate() {
            if !scheduled.is_at_work(time) {
                continue;
            }
            match &scheduled.kind {
                ProcessKind::Heat(heat) => self.conduct(heat, &moment, memory),
                ProcessKind::Fracture(fracture) => self.fracture(fracture, &moment, memory),
                _ => self.material.flow(number, &moment, memory),
            }
        }
        self.material.finish(body);
    }

    fn prepares_by_step(&self, body: &Body) -> bool {
        self.material.prepares_by_step(body.description())
    }

    fn take_dissipated(&mut self) -> f64 {
        std::mem::take(&mut self.dissipated)
    }

    fn stored_energy(&mut self, body: &Body) -> f64 {
        self.material.stored_energy(body)
    }

    fn cut(&mut self, body: &mut Body, blade: &Blade) -> usize {
        self.material.cut(body, blade)
    }

    fn take_unconverged_solves(&mut self) -> usize {
        std::mem::take(&mut self.unconverged_solves)
    }
}
