//! Conduction of heat in a body, on a grid or over a mesh, by one implicit step.
//!
//! ```text
//! C_i dT_i/dt = Σ_j g_ij (T_j - T_i) + Σ_e h_ie (T_e - T_i)
//! (C/dt + L + H) ΔT = -L T + Σ_e h_e (T_e - T)
//! ```
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | C_i | heat capacity: mass times specific capacity (lumped) | J/K |
//! | g_ij | conductance of a link of the [`HeatNetwork`] | W/K |
//! | h_ie | coefficient of exchange times area, with air or an obstacle at T_e | W/K |
//!
//! Where g comes from: `inelastic/cells.rs` on grids, `fem/inelastic/heat_network.rs` over meshes.
//! Nodes that move as one have one temperature.
//!
//! Where all g are positive, backward Euler keeps every temperature between the highest and the
//! lowest, however long the step. L is symmetric and its rows sum to zero, so an insulated body keeps
//! its heat; what the iterative solver leaves over is given back evenly to the nodes that conduct.
//!
//! Implements: \[Terzopoulos1988\] note added in proof (the heat equation for nonhomogeneous,
//! nonisotropic media).

use super::Moment;
use super::heat_system::HeatSystem;
use crate::body::BodyDescription;
use crate::process::Heat;

/// Where heat goes in a body.
#[derive(Clone, Debug, Default)]
pub(crate) struct HeatNetwork {
    /// The unknown temperature of each node. Nodes that move as one share one.
    pub(crate) unknowns: Vec<u32>,
    /// Nodes between which heat flows, and g, in W/K.
    pub(crate) links: Vec<([u32; 2], f64)>,
    /// What air and obstacles touch.
    pub(crate) patches: Vec<Patch>,
}

/// A part of the surface of a body.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Patch {
    /// Its corners; a patch of one node has that node alone.
    pub(crate) corners: Corners,
    /// Area that each corner offers to the air, in square metres; in metres for a curve.
    pub(crate) open: f64,
    /// The same for an obstacle that all corners are near to.
    pub(crate) touching: f64,
}

/// The nodes of a patch.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Corners {
    Node([u32; 1]),
    Triangle([u32; 3]),
}

impl Corners {
    fn nodes(&self) -> &[u32] {
        match self {
            Self::Node(node) => node,
            Self::Triangle(nodes) => nodes,
        }
    }
}

/// Matrix, solver and tables for one body.
pub(crate) struct Conduction {
    network: HeatNetwork,
    /// Whether each link of the network conducts.
    pub(super) conducts: Vec<bool>,
    system: HeatSystem,
    capacities: Vec<f64>,
    temperatures: Vec<f64>,
    /// Sum of h.
    exchange: Vec<f64>,
    /// Whether an unknown has a link that conducts.
    is_joined: Vec<bool>,
    rhs: Vec<f64>,
    change: Vec<f64>,
    /// Distance of each node from an obstacle.
    distances: Vec<f64>,
}

impl std::fmt::Debug for Conduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Conduction({} links)", self.network.links.len())
    }
}

/// Relative residual from which on a solve counts as failed; rounding may keep it above the tolerance.
const LARGEST_RESIDUAL: f64 = 1e-8;

impl Conduction {
    /// For a body that conducts heat.
    pub(super) fn new(network: HeatNetwork, description: &BodyDescription, heat: &Heat) -> Self {
        let unknown = |node: usize| network.unknowns[node] as usize;
        let count = network.unknowns.iter().max().map_or(0, |&last| last + 1) as usize;
        let mut is_held = vec![false; count];
        for &(node, _) in &heat.held {
            is_held[unknown(node)] = true;
        }
        let mut capacities = vec![0.0; count];
        for (node, mass) in description.masses.iter().enumerate() {
            capacities[unknown(node)] += heat.capacity * mass;
        }
        Self {
            conducts: vec![true; network.links.len()],
            system: HeatSystem::new(is_held, network.links.len()),
            capacities,
            temperatures: vec![0.0; count],
            exchange: vec![0.0; count],
            is_joined: vec![false; count],
            rhs: vec![0.0; count],
            change: vec![0.0; count],
            distances: vec![0.0; network.unknowns.len()],
            network,
        }
    }

    /// Advances the temperatures of the nodes by a step, and says whether the system was solved. One
    /// that cannot be solved leaves them.
    pub(super) fn advance(&mut self, heat: &Heat, moment: &Moment, nodal: &mut [f64]) -> bool {
        self.gather(heat, &moment.description.masses, nodal);
        self.rhs.fill(0.0);
        self.exchange_heat(heat, moment);
        self.assemble(moment.step);
        // Numbers of the size of one, so that no square overflows.
        let scale = self.rhs.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        let mut is_solved = scale == 0.0;
        if scale > 0.0 && scale.is_finite() {
            self.rhs.iter_mut().for_each(|value| *value /= scale);
            if let Ok(residual) = self.system.solve(&self.rhs, &mut self.change) {
                is_solved = residual <= LARGEST_RESIDUAL;
                self.return_what_is_left();
                for (temperature, change) in self.temperatures.iter_mut().zip(&self.change) {
                    let advanced = *temperature + scale * change;
                    if advanced.is_finite() {
                        *temperature = advanced;
                    }
                }
            }
        }
        for (temperature, &unknown) in nodal.iter_mut().zip(&self.network.unknowns) {
            *temperature = self.temperatures[unknown as usize];
        }
        is_solved
    }

    /// Temperatures of the unknowns: the mean of nodes that move as one, by their capacity.
    fn gather(&mut self, heat: &Heat, masses: &[f64], nodal: &[f64]) {
        let unknowns = &self.network.unknowns;
        for (node, &unknown) in unknowns.iter().enumerate().rev() {
            self.temperatures[unknown as usize] = nodal[node];
        }
        // Relative to the first copy, so that equal ones stay as they are.
        self.exchange.fill(0.0);
        for (node, &unknown) in unknowns.iter().enumerate() {
            let first = self.temperatures[unknown as usize];
            self.exchange[unknown as usize] += heat.capacity * masses[node] * (nodal[node] - first);
        }
        let sums = self.exchange.iter().zip(&self.capacities);
        for (temperature, (sum, capacity)) in self.temperatures.iter_mut().zip(sums) {
            *temperature += sum / capacity;
        }
        for &(node, value) in &heat.held {
            self.temperatures[unknowns[node] as usize] = value;
        }
    }

    /// Heat from the air and from obstacles within reach.
    fn exchange_heat(&mut self, heat: &Heat, moment: &Moment) {
        self.exchange.fill(0.0);
        if heat.air_exchange > 0.0 {
            let air = heat.air_exchange;
            self.add_exchange(heat.air_temperature, |patch, _| Some(air * patch.open));
        }
        if heat.contact_exchange == 0.0 {
            return;
        }
        let reach = heat.contact_distance + moment.description.contact.thickness;
        for obstacle in moment.obstacles {
            let Some(temperature) = obstacle.temperature else {
                continue;
            };
            obstacle.distances(moment.positions, &mut self.distances);
            self.add_exchange(temperature, |patch, distances| {
                let mut corners = patch.corners.nodes().iter();
                let is_near = corners.all(|&node| distances[node as usize] <= reach);
                is_near.then_some(heat.contact_exchange * patch.touching)
            });
        }
    }

    /// Adds exchange with something at a temperature; `coefficient` gives h of each corner of a patch.
    fn add_exchange(
        &mut self,
        temperature: f64,
        coefficient: impl Fn(&Patch, &[f64]) -> Option<f64>,
    ) {
        for patch in &self.network.patches {
            let Some(h) = coefficient(patch, &self.distances) else {
                continue;
            };
            for &node in patch.corners.nodes() {
                let unknown = self.network.unknowns[node as usize] as usize;
                self.exchange[unknown] += h;
                self.rhs[unknown] += h * (temperature - self.temperatures[unknown]);
            }
        }
    }

    fn assemble(&mut self, step: f64) {
        let capacities = self.capacities.iter().zip(&self.exchange);
        self.system
            .begin(capacities.map(|(capacity, exchange)| capacity / step + exchange));
        self.is_joined.fill(false);
        let links = self.network.links.iter().zip(&self.conducts);
        for (&(ends, g), _) in links.filter(|((_, g), conducts)| **conducts && *g != 0.0) {
            let [a, b] = ends.map(|end| self.network.unknowns[end as usize] as usize);
            self.is_joined[a] = true;
            self.is_joined[b] = true;
            let flux = g * (self.temperatures[b] - self.temperatures[a]);
            self.rhs[a] += flux;
            self.rhs[b] -= flux;
            self.system.link([a, b], g);
        }
    }

    /// Takes the residual of the solver out of the heat of an insulated body.
    fn return_what_is_left(&mut self) {
        if self.exchange.iter().any(|&h| h != 0.0) || self.system.holds_any() {
            return;
        }
        let (mut heat, mut capacities) = (0.0, 0.0);
        for unknown in (0..self.is_joined.len()).filter(|&unknown| self.is_joined[unknown]) {
            heat += self.capacities[unknown] * self.change[unknown];
            capacities += self.capacities[unknown];
        }
        let surplus = heat / capacities;
        if surplus.is_finite() {
            let joined = self.change.iter_mut().zip(&self.is_joined);
            joined
                .filter(|(_, joined)| **joined)
                .for_each(|(change, _)| *change -= surplus);
        }
    }
}
