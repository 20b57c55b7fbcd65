//! Bodies on grids as their processes see them: components of strain ([`Strains`]) that flow one by
//! one or with the shape of the body, and bonds that soften and melt.

use super::conduction::HeatNetwork;
use super::lasting_volume::LastingVolume;
use super::thermal::Bonds;
use super::{AtWork, FlowingShape, Inelasticity, Material, Moment, Rooms, Strains, Thermal, cells};
use crate::body::{Blade, Body, BodyDescription, Past};
use crate::energy::Springs;
use crate::process::{Fracture, Heat, Scheduled};
use glam::DVec3;

impl Inelasticity {
    /// Of a new body on a grid; `None` for a body without processes. `displaced` says whether it has
    /// a shape that flows.
    pub(crate) fn on_grid(
        description: &BodyDescription,
        positions: &[DVec3],
        displaced: bool,
    ) -> Option<Self> {
        if description.processes.is_empty() {
            return None;
        }
        let count = super::strains::component_count(description, displaced);
        let memory = |scheduled: &Scheduled| {
            vec![0.0; count * scheduled.kind.process().memory_per_component()]
        };
        let mut inelastic = Self {
            flows: vec![0.0; count],
            stiffness_shares: vec![1.0; count],
            memories: description.processes.iter().map(memory).collect(),
            thermal: Thermal::of(description),
            thermal_shares: vec![1.0; count],
            broken_links: vec![false; 3 * description.node_count()],
            displaced,
            ..Self::default()
        };
        if description.can_melt() {
            if let Some(heat) = description.heat() {
                let strains = Strains::new(description, displaced);
                let bonds = Bonds::new(description, &strains);
                bonds.melt(heat, positions, &mut inelastic.thermal);
            }
            inelastic.find_broken_links(description);
        }
        Some(inelastic)
    }

    /// Finds the broken links and what heat leaves of the stiffness, after `stiffness_shares` and
    /// `thermal` have been replaced.
    pub(crate) fn find_broken_links(&mut self, description: &BodyDescription) {
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
}

/// Components of strain, with scratch memory.
#[derive(Debug)]
pub(crate) struct GridMaterial {
    strains: Strains,
    springs: Springs,
    rooms: Rooms,
    volume: LastingVolume,
    /// In a body that conducts heat.
    bonds: Option<Bonds>,
    /// The shares of stiffness that heat leaves.
    shares: Vec<f64>,
    /// Edges that are torn.
    torn: Vec<bool>,
}

impl GridMaterial {
    /// The processes of a body that has some, and the shape that flows, if it has one.
    pub(crate) fn at_work(
        body: &Body,
        shape: impl FnOnce(&BodyDescription, &Strains) -> Option<Box<dyn FlowingShape>>,
    ) -> Option<AtWork<Self>> {
        let inelastic = body.inelastic()?;
        let description = body.description();
        let mut strains = Strains::new(description, inelastic.displaced);
        strains.shape = shape(description, &strains);
        strains.measure_body(body);
        strains.settle();
        let bonds = description.heat();
        Some(AtWork::new(Self {
            springs: Springs::default(),
            rooms: Rooms::default(),
            volume: LastingVolume::default(),
            bonds: bonds.map(|_| Bonds::new(description, &strains)),
            shares: vec![1.0; strains.len()],
            torn: vec![false; inelastic.broken_links.len()],
            strains,
        }))
    }
}

impl GridMaterial {
    /// Puts the dashpots of a step beside the springs.
    fn place_dashpots(&mut self, description: &BodyDescription, time: f64, step: f64) {
        let dashpots = &mut self.springs.dashpots;
        dashpots.times.clear();
        dashpots.starts.clear();
        let resisting = |scheduled: &&Scheduled| {
            scheduled.kind.process().resists_rates() && scheduled.is_at_work(time)
        };
        if step <= 0.0
            || !description
                .processes
                .iter()
                .any(|process| resisting(&process))
        {
            return;
        }
        let strains = &self.strains;
        dashpots.rate = 1.0 / step;
        dashpots.times.resize(strains.len(), 0.0);
        let starts = (0..strains.len()).map(|c| strains.measure_at(c, strains.totals[c]));
        dashpots.starts.extend(starts);
        for scheduled in description.processes.iter().filter(resisting) {
            let process = scheduled.kind.process();
            process.resist(strains, &mut dashpots.times);
        }
    }
}

impl Material for GridMaterial {
    fn adopt<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a> {
        let Some(inelastic) = body.inelastic() else {
            return Past::Nothing;
        };
        if self.strains.flow_together() {
            // The integrator looks at the shape itself; only `measure` needs the strains.
            if step > 0.0 && body.description().is_any_at_work(time) {
                self.strains.adopt(inelastic, body);
            }
            return Past::Nothing;
        }
        self.strains.adopt(inelastic, body);
        self.strains.fill_springs(&mut self.springs);
        self.place_dashpots(body.description(), time, step);
        Past::Springs(&self.springs)
    }

    fn measure(&mut self, body: &Body) {
        // `adopt` has left the strains before the step in `strains.totals`.
        self.strains.settle();
        self.strains.measure_body(body);
        self.strains.healed.clear();
        if let Some(inelastic) = body.inelastic() {
            self.volume.begin(&inelastic.memories);
        }
    }

    fn prepares_by_step(&self, description: &BodyDescription) -> bool {
        let mut processes = description.processes.iter();
        !self.strains.flow_together()
            && processes.any(|scheduled| scheduled.kind.process().resists_rates())
    }

    fn resisted(&self, moment: &Moment) -> f64 {
        if !self.prepares_by_step(moment.description) {
            return 0.0;
        }
        let processes = moment.description.processes.iter();
        let at_work = processes.filter(|scheduled| scheduled.is_at_work(moment.time));
        let losses = at_work.map(|scheduled| {
            let process = scheduled.kind.process();
            process.resistance_energy(moment.step, &self.strains)
        });
        losses.sum()
    }

    fn flow(&mut self, process: usize, moment: &Moment, memory: &mut Inelasticity) {
        let kind = &moment.description.processes[process].kind;
        let memory = &mut memory.memories[process];
        let (strains, rooms) = (&mut self.strains, &mut self.rooms);
        kind.process().flow(moment.step, strains, rooms, memory);
    }

    fn stored_energy(&mut self, body: &Body) -> f64 {
        self.strains.stored_energy(body, &mut self.rooms)
    }

    fn heat_network(
        &self,
        description: &BodyDescription,
        heat: &Heat,
        _memory: &Inelasticity,
    ) -> HeatNetwork {
        let bonds = self.bonds.as_ref();
        bonds.map_or_else(HeatNetwork::default, |bonds| {
            cells::heat_network(description, heat, bonds)
        })
    }

    /// Torn bonds do not conduct; melted ones do as long as their ends are near.
    fn find_paths(&mut self, moment: &Moment, memory: &Inelasticity, conducts: &mut [bool]) {
        let Some(bonds) = &self.bonds else { return };
        self.torn.fill(false);
        self.strains.mark_torn(&mut self.torn);
        for (index, bond) in bonds.bonds.iter().enumerate() {
            let is_far = || !bonds.is_near(index, moment.positions);
            let has_melted = memory.thermal.melted[bond.edge];
            conducts[index] = !(self.torn[bond.edge] || (has_melted && is_far()));
        }
    }

    fn soften(&mut self, heat: &Heat, moment: &Moment, memory: &mut Inelasticity) {
        let Some(bonds) = &self.bonds else { return };
        let strains = &mut self.strains;
        bonds.melt(heat, moment.positions, &mut memory.thermal);
        bonds.fill_shares(Some(heat), &memory.thermal, strains, &mut self.shares);
        // New bonds are free of stress.
        for (component, &share) in self.shares.iter().enumerate() {
            if share > 0.0 && strains.thermal_shares[component] == 0.0 {
                strains.flows[component] = strains.totals[component];
                strains.healed.push(component as u32);
            }
        }
        strains.thermal_shares.copy_from_slice(&self.shares);
    }

    fn find_overloaded(
        &mut self,
        fracture: &Fracture,
        _moment: &Moment,
        _memory: &Inelasticity,
        found: &mut Vec<(f64, usize)>,
    ) {
        let components = 0..self.strains.len();
        let ratios = components.filter_map(|c| Some((fracture.ratio(&self.strains, c)?, c)));
        found.extend(ratios.filter(|(ratio, _)| *ratio > 1.0));
    }

    fn tear(
        &mut self,
        fracture: &Fracture,
        parts: &[(f64, usize)],
        _moment: &Moment,
        _memory: &mut Inelasticity,
    ) {
        let components = parts.iter().map(|&(_, component)| component);
        if fracture.order == 0 {
            self.strains.break_links(components);
        } else {
            components.for_each(|c| self.strains.stiffness_shares[c] = 0.0);
        }
    }

    /// Links whose ends are on both sides of the blade are torn, as by fracture of order 0.
    fn cut(&mut self, body: &mut Body, blade: &Blade) -> usize {
        let Some(inelastic) = body.inelastic() else {
            return 0;
        };
        self.strains.adopt(inelastic, body);
        self.strains.settle();
        self.strains.healed.clear();
        self.volume.begin(&inelastic.memories);
        let places = &body.state.positions;
        let strains = &self.strains;
        let is_severed = |&component: &usize| {
            let ends = strains.link_ends(component);
            ends.is_some_and(|[a, b]| blade.severs(places[a], places[b]))
        };
        let severed: Vec<usize> = (0..strains.len()).filter(is_severed).collect();
        if !severed.is_empty() {
            self.strains.break_links(severed.iter().copied());
            self.finish(body);
        }
        severed.len()
    }

    fn finish(&mut self, body: &mut Body) {
        let (description, _, inelastic) = body.parts_mut::<Inelasticity>();
        let Some(inelastic) = inelastic else { return };
        // What was bound anew remembers nothing.
        for (scheduled, memory) in description.processes.iter().zip(&mut inelastic.memories) {
            let width = scheduled.kind.process().memory_per_component();
            for &component in &self.strains.healed {
                memory[component as usize * width..][..width].fill(0.0);
            }
        }
        self.volume
            .restore(body, &mut self.strains, &mut self.rooms);
        let (_, _, inelastic) = body.parts_mut::<Inelasticity>();
        if let Some(inelastic) = inelastic {
            self.strains.give_back(inelastic);
        }
        self.strains.finish_shape(body);
    }
}
