//! The deformation of a body as a list of components, each a ratio without unit.
//!
//! ```text
//! ε = (s - s⁰) c,      s the measure of a term of the elastic energy, c its scale
//! ```
//!
//! | kind | strain |
//! |---|---|
//! | stretch, from a metric | (G - G⁰) / (2 G⁰): relative elongation, where it is small |
//! | stretch, of a curve | (l - l⁰) / l⁰ |
//! | shear | (G_ij - G_ij⁰) / (2 √(G_ii⁰ G_jj⁰)): half the angle |
//! | bend | (κ - κ⁰) l / 2, l the spacing: strain at the face of a sheet as thick as a cell is long |
//! | twist of a surface | as bend, with l the geometric mean of the two spacings |
//! | volume | (J - 1) / 3 |
//!
//! Criteria that need a tensor (von Mises, Tresca) get it at the nodes: the mean of the components
//! that touch the node (see [`super::Sites`]).

use super::term_strain::measured;
use super::{FlowingShape, Inelasticity, Springs, Thermal};
use crate::body::{Body, BodyDescription};
use crate::elastic::{TermGroup, primal_terms};
use glam::DVec3;

/// What a component of strain says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StrainKind {
    /// Longer or shorter in a direction of the material.
    Stretch(u8),
    /// The angle between two directions of the material.
    Shear(u8, u8),
    /// More or less bent, or twisted.
    Bend,
    /// Larger or smaller. It never flows: inelastic flow keeps the volume.
    Volume,
    /// The displacement of a node from a reference shape that flows, along an axis of its frame.
    Displacement,
}

/// What the strain of a link is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkMeasure {
    Length,
    SquaredLength,
}

/// All components of strain of a body, with what is needed to make springs of them.
#[derive(Debug)]
pub struct Strains {
    groups: Vec<Box<dyn TermGroup>>,
    node_count: usize,
    link_measure: LinkMeasure,
    /// What each component says.
    pub kinds: Vec<StrainKind>,
    /// The nodes of component c are `nodes[node_starts[c]..node_starts[c + 1]]`.
    pub node_starts: Vec<u32>,
    /// See `node_starts`.
    pub nodes: Vec<u32>,
    /// Strain by change of measure.
    pub scales: Vec<f64>,
    /// Stress by strain, in newtons.
    pub moduli: Vec<f64>,
    initial_rests: Vec<f64>,
    pub(super) initial_stiffnesses: Vec<f64>,
    /// Strain from the initial rest shape.
    pub totals: Vec<f64>,
    /// The same, one step before.
    pub previous: Vec<f64>,
    /// The permanent part of the strain.
    pub flows: Vec<f64>,
    /// Stiffness as a share of the initial one.
    pub stiffness_shares: Vec<f64>,
    /// The share of the stiffness that heat leaves; 0 for what has melted.
    pub thermal_shares: Vec<f64>,
    /// Components that have come back by solidifying in this step.
    pub healed: Vec<u32>,
    /// The grid edge of each stretch component, as `3 * lower node + direction`.
    links: Vec<u32>,
    /// Room for the broken links.
    marks: Vec<bool>,
    /// Room for the ends of links that break.
    ends: Vec<[u32; 2]>,
    is_end: Vec<bool>,
    /// The positions that the terms were last measured at: `totals` has what they were.
    measured_at: Vec<DVec3>,
    /// The reference shape that the gauges were last measured at, and what they were.
    gauged_at: Vec<DVec3>,
    gauged: Vec<f64>,
    /// Components that are terms of the primal energy; where a shape flows they only measure.
    pub(crate) gauge_count: usize,
    /// The shape that flows, in a body that has one.
    pub(super) shape: Option<Box<dyn FlowingShape>>,
}

/// Marks a component that is no link.
const NO_LINK: u32 = u32::MAX;

/// Number of components of a body, with or without displacements of its nodes.
pub(crate) fn component_count(description: &BodyDescription, displaced: bool) -> usize {
    let terms: usize = groups_of(description).iter().map(|group| group.len()).sum();
    let displacements = if displaced { 3 } else { 0 };
    terms + displacements * description.node_count()
}

fn copy(places: &[DVec3], to: &mut Vec<DVec3>) {
    to.clear();
    to.extend_from_slice(places);
}

fn groups_of(description: &BodyDescription) -> Vec<Box<dyn TermGroup>> {
    primal_terms(
        description.material_grid(),
        &description.rest_positions,
        description.material_weights(),
    )
}

impl Strains {
    /// Of a body in its natural shape, with or without displacements of its nodes.
    pub(crate) fn new(description: &BodyDescription, displaced: bool) -> Self {
        let grid = description.material_grid();
        let mut strains = Self {
            groups: groups_of(description),
            node_count: grid.node_count(),
            link_measure: if grid.dimension() == 1 {
                LinkMeasure::Length
            } else {
                LinkMeasure::SquaredLength
            },
            kinds: Vec::new(),
            node_starts: vec![0],
            nodes: Vec::new(),
            scales: Vec::new(),
            moduli: Vec::new(),
            initial_rests: Vec::new(),
            initial_stiffnesses: Vec::new(),
            totals: Vec::new(),
            previous: Vec::new(),
            flows: Vec::new(),
            stiffness_shares: Vec::new(),
            thermal_shares: Vec::new(),
            healed: Vec::new(),
            links: Vec::new(),
            marks: Vec::new(),
            ends: Vec::new(),
            is_end: Vec::new(),
            measured_at: Vec::new(),
            gauged_at: Vec::new(),
            gauged: Vec::new(),
            gauge_count: 0,
            shape: None,
        };
        let groups = std::mem::take(&mut strains.groups);
        for group in &groups {
            group.describe(&mut |term| {
                let (kind, scale, modulus) = measured(&term, description);
                let link = match kind {
                    StrainKind::Stretch(_) => term.edges[0],
                    _ => NO_LINK,
                };
                let nodes = term.nodes.iter().copied();
                strains.push((kind, link), [scale, modulus], nodes);
                strains.initial_rests.push(term.rest);
                strains.initial_stiffnesses.push(term.stiffness);
            });
        }
        strains.groups = groups;
        strains.gauge_count = strains.kinds.len();
        if displaced {
            let scale = 1.0 / description.mean_spacing();
            for node in 0..grid.node_count() as u32 {
                for _ in 0..3 {
                    let displacement = (StrainKind::Displacement, NO_LINK);
                    strains.push(displacement, [scale, 1.0], std::iter::once(node));
                    strains.initial_rests.push(0.0);
                    strains.initial_stiffnesses.push(1.0);
                }
            }
        }
        let count = strains.kinds.len();
        strains.totals = vec![0.0; count];
        strains.previous = vec![0.0; count];
        strains.flows = vec![0.0; count];
        strains.stiffness_shares = vec![1.0; count];
        strains.thermal_shares = vec![1.0; count];
        strains
    }

    fn push(
        &mut self,
        (kind, link): (StrainKind, u32),
        [scale, modulus]: [f64; 2],
        nodes: impl Iterator<Item = u32>,
    ) {
        self.kinds.push(kind);
        self.links.push(link);
        self.scales.push(scale);
        self.moduli.push(modulus);
        self.nodes.extend(nodes);
        self.node_starts.push(self.nodes.len() as u32);
    }

    /// Number of components.
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// Number of nodes of the body.
    pub fn node_count(&self) -> usize {
        self.node_count
    }

    /// The nodes that a component depends on.
    pub fn nodes_of(&self, component: usize) -> &[u32] {
        let start = self.node_starts[component] as usize;
        &self.nodes[start..self.node_starts[component + 1] as usize]
    }

    /// Elastic part of a component.
    pub fn elastic(&self, component: usize) -> f64 {
        self.totals[component] - self.flows[component]
    }

    /// Stiffness as a share of the initial one, in what is left after tears and heat.
    pub fn share(&self, component: usize) -> f64 {
        self.stiffness_shares[component] * self.thermal_shares[component]
    }

    /// Whether nothing is left of a component.
    pub fn is_gone(&self, component: usize) -> bool {
        self.share(component) == 0.0
    }

    /// Stress by strain in what is left, in newtons.
    pub fn modulus(&self, component: usize) -> f64 {
        self.share(component) * self.moduli[component]
    }

    /// Relative elongation of the link of a stretch component since the initial rest shape.
    pub fn elongation(&self, component: usize) -> f64 {
        match self.link_measure {
            LinkMeasure::Length => self.totals[component],
            LinkMeasure::SquaredLength => {
                (1.0 + 2.0 * self.totals[component]).max(0.0).sqrt() - 1.0
            }
        }
    }

    /// The ends of the link of a component; nothing for one that is no link, or is gone.
    pub(crate) fn link_ends(&self, component: usize) -> Option<[usize; 2]> {
        let is_whole = self.links[component] != NO_LINK && !self.is_gone(component);
        match self.nodes_of(component) {
            &[a, b, ..] if is_whole => Some([a as usize, b as usize]),
            _ => None,
        }
    }

    /// Takes away everything that needs both ends of the link of one of these stretch components.
    pub fn break_links(&mut self, components: impl Iterator<Item = usize>) {
        self.ends.clear();
        self.is_end.clear();
        self.is_end.resize(self.node_count, false);
        for component in components {
            let start = self.node_starts[component] as usize;
            let end = self.node_starts[component + 1] as usize;
            if let &[a, b, ..] = &self.nodes[start..end] {
                self.ends.push([a, b]);
                self.is_end[a as usize] = true;
                self.is_end[b as usize] = true;
            }
        }
        for c in 0..self.len() {
            let nodes = self.nodes_of(c);
            let ends = nodes.iter().filter(|&&node| self.is_end[node as usize]);
            let needs = |ends: &[u32; 2]| ends.iter().all(|end| nodes.contains(end));
            if ends.count() >= 2 && self.ends.iter().any(needs) {
                self.stiffness_shares[c] = 0.0;
            }
        }
    }

    /// Marks the grid edges (`3 * lower node + direction`) whose links are torn.
    pub(crate) fn mark_torn(&self, torn: &mut [bool]) {
        for (link, share) in self.links.iter().zip(&self.stiffness_shares) {
            if *link != NO_LINK && *share == 0.0 {
                torn[*link as usize] = true;
            }
        }
    }

    /// Finds the links that are torn or melted, and whether they are others than before.
    fn find_broken(&mut self, thermal: &Thermal, broken_links: &mut Vec<bool>) -> bool {
        let mut marks = std::mem::take(&mut self.marks);
        marks.clear();
        marks.resize(broken_links.len(), false);
        for (mark, &melted) in marks.iter_mut().zip(&thermal.melted) {
            *mark = melted;
        }
        self.mark_torn(&mut marks);
        let changed = marks != *broken_links;
        std::mem::swap(&mut marks, broken_links);
        self.marks = marks;
        changed
    }

    /// Mean over the nodes of a component of a number at the nodes.
    pub fn mean_at(&self, component: usize, nodal: &[f64]) -> f64 {
        let nodes = self.nodes_of(component);
        let sum: f64 = nodes.iter().map(|&node| nodal[node as usize]).sum();
        sum / nodes.len() as f64
    }

    /// Finds the total strains of the terms at given positions.
    pub(super) fn measure(&mut self, positions: &[DVec3]) {
        if self.measured_at == positions {
            return;
        }
        let mut totals = std::mem::take(&mut self.totals);
        self.measure_terms(positions, &mut totals);
        self.totals = totals;
        copy(positions, &mut self.measured_at);
    }

    /// Finds the permanent strains of the gauges, from a reference shape.
    pub(super) fn measure_gauges(&mut self, reference: &[DVec3]) {
        if self.gauged_at != reference {
            let mut gauged = std::mem::take(&mut self.gauged);
            gauged.resize(self.gauge_count, 0.0);
            self.measure_terms(reference, &mut gauged);
            self.gauged = gauged;
            copy(reference, &mut self.gauged_at);
        }
        self.flows[..self.gauge_count].copy_from_slice(&self.gauged);
    }

    fn measure_terms(&self, positions: &[DVec3], strains: &mut [f64]) {
        let mut start = 0;
        for group in &self.groups {
            let end = start + group.len();
            group.measure(positions, &mut strains[start..end]);
            start = end;
        }
        for ((strain, rest), scale) in strains[..self.gauge_count]
            .iter_mut()
            .zip(&self.initial_rests)
            .zip(&self.scales)
        {
            *strain = (*strain - rest) * scale;
        }
    }

    /// What was measured last becomes the strain before the step.
    pub(crate) fn settle(&mut self) {
        self.previous.copy_from_slice(&self.totals);
    }

    /// Takes over the state of a body.
    pub(crate) fn adopt(&mut self, inelastic: &Inelasticity, body: &Body) {
        self.flows.copy_from_slice(&inelastic.flows);
        self.measure_body(body);
        self.stiffness_shares
            .copy_from_slice(&inelastic.stiffness_shares);
        self.thermal_shares
            .copy_from_slice(&inelastic.thermal_shares);
    }

    /// Hands the state back to a body.
    pub(crate) fn give_back(&mut self, inelastic: &mut Inelasticity) {
        inelastic.flows.copy_from_slice(&self.flows);
        inelastic
            .stiffness_shares
            .copy_from_slice(&self.stiffness_shares);
        inelastic
            .thermal_shares
            .copy_from_slice(&self.thermal_shares);
        if self.find_broken(&inelastic.thermal, &mut inelastic.broken_links) {
            inelastic.broken_count = inelastic
                .broken_links
                .iter()
                .filter(|&&broken| broken)
                .count();
            inelastic.topology_version += 1;
        }
    }

    /// Rest values and stiffnesses of the elastic part.
    pub(crate) fn fill_springs(&self, springs: &mut Springs) {
        let count = self.len();
        springs.rests.resize(count, 0.0);
        springs.stiffnesses.resize(count, 0.0);
        for c in 0..count {
            springs.rests[c] = self.initial_rests[c] + self.flows[c] / self.scales[c];
            springs.stiffnesses[c] = self.stiffness(c);
        }
    }

    /// Stiffness of the spring of a component.
    pub(super) fn stiffness(&self, component: usize) -> f64 {
        self.initial_stiffnesses[component] * self.share(component)
    }

    /// The measure that a component has at a strain.
    pub(crate) fn measure_at(&self, component: usize, strain: f64) -> f64 {
        self.initial_rests[component] + strain / self.scales[component]
    }
}
