//! The particles of all fluids in a world: their forces on each other, between steps.
//!
//! ```text
//! v_i += h Σ_j f(r_ij) n_ij / m_i                                    (impulse)
//! v_i += w_i j n,  v_j -= w_j j n,   j = μ (1 - exp(-c h/μ)) u_n      (viscosity, pair by pair)
//! ```
//!
//! μ = 1/(w_i + w_j) is the reduced mass, w = 1/m, zero for what does not move. The integrators of
//! the bodies then drift the particles, together with gravity and contact: impulse and drift are a
//! symplectic Euler step. It is stable up to h = 2/ω, with ω² <= 2 max_i Σ_j k_ij / m_i and k the
//! steepness of the force, so a longer step of the world is divided. The resistance of a pair is
//! solved exactly with the others held, which is stable at any step.
//!
//! Pairs are visited in an order that follows from positions alone, on one thread: the bits do not
//! depend on the number of threads. Pair forces are opposite and central, so momentum and angular
//! momentum are kept to rounding.

use super::neighbour_grid::NeighbourGrid;
use crate::body::Body;
use crate::grid::Grid;
use crate::process::{PairLaw, ProcessKind};
use glam::DVec3;

/// Share of the stability limit of the impulse that is used.
const SAFETY: f64 = 0.5;

/// Most parts into which a step of the world is divided; forces that would need more are softened.
const MOST_PARTS: f64 = 64.0;

/// Particles nearer than this share of their spacing coincide.
const COINCIDENT: f64 = 1e-9;

/// Particles of a moment, and scratch memory; see the module.
#[derive(Debug, Default)]
pub(crate) struct Particles {
    /// The fluid of each body, if it is at work.
    laws: Vec<Option<PairLaw>>,
    /// Body and node of each particle: first those of fluids, then the nodes of solids near them.
    owners: Vec<(u32, u32)>,
    fluid_count: usize,
    positions: Vec<DVec3>,
    velocities: Vec<DVec3>,
    inverse_masses: Vec<f64>,
    forces: Vec<DVec3>,
    /// Sum of the steepnesses at each particle.
    steepnesses: Vec<f64>,
    grid: NeighbourGrid,
    pairs: Vec<Pair>,
    /// What viscosity has taken since it was last asked for, in joules.
    resisted: f64,
}

/// Two particles within range.
#[derive(Clone, Copy, Debug)]
struct Pair {
    ends: [u32; 2],
    distance: f64,
    /// Unit vector from the second to the first.
    direction: DVec3,
    law: PairLaw,
}

impl Particles {
    /// Lets the particles of all bodies act on each other for a part of a step, of which `left`
    /// seconds are to go and which takes `whole` seconds. Returns how long the part is.
    pub(crate) fn interact(
        &mut self,
        bodies: &mut [Body],
        time: f64,
        left: f64,
        whole: f64,
    ) -> f64 {
        if !self.gather(bodies, time) {
            return left;
        }
        let stable = self.stable_step();
        let parts = (left / stable).ceil().clamp(1.0, MOST_PARTS);
        let part = (left / parts).max(whole / MOST_PARTS).min(left);
        let soft = (stable / part).powi(2).min(1.0);
        self.push(part, soft);
        self.resist(part);
        for (index, &(body, node)) in self.owners.iter().enumerate() {
            if self.inverse_masses[index] > 0.0 && self.velocities[index].is_finite() {
                let body = &mut bodies[body as usize];
                body.state.velocities[node as usize] = self.velocities[index];
            }
        }
        self.conduct(bodies, time, part);
        part
    }

    /// Potential of all pairs, in joules.
    pub(crate) fn potential(&mut self, bodies: &[Body], time: f64) -> f64 {
        if !self.gather(bodies, time) {
            return 0.0;
        }
        let terms = self.pairs.iter();
        terms.map(|pair| pair.law.potential(pair.distance)).sum()
    }

    /// Collects particles and pairs; says whether there are any.
    fn gather(&mut self, bodies: &[Body], time: f64) -> bool {
        self.laws.clear();
        self.laws.extend(bodies.iter().map(|body| {
            let description = body.description();
            let is_meant = |kind: &ProcessKind| matches!(kind, ProcessKind::Fluid(_));
            let is_fluid = body.quarantine.is_none() && description.is_at_work(time, is_meant);
            description.fluid().filter(|_| is_fluid).map(PairLaw::of)
        }));
        self.owners.clear();
        self.positions.clear();
        self.velocities.clear();
        self.inverse_masses.clear();
        self.pairs.clear();
        let is_fluid = |laws: &[Option<PairLaw>], index: usize, node: usize| {
            let thermal = bodies[index]
                .inelastic()
                .map(|inelastic| &inelastic.thermal);
            laws[index].is_some() && thermal.is_some_and(|thermal| thermal.is_molten(node))
        };
        for (index, body) in bodies.iter().enumerate() {
            if self.laws[index].is_some() {
                for node in 0..body.node_count() {
                    if is_fluid(&self.laws, index, node) {
                        self.add(index, body, node);
                    }
                }
            }
        }
        self.fluid_count = self.owners.len();
        if self.fluid_count == 0 {
            return false;
        }
        let ranges = self.laws.iter().flatten().map(PairLaw::range);
        let range = ranges.fold(0.0, f64::max);
        let fluids = self.positions.iter().copied();
        let low = fluids.clone().fold(DVec3::INFINITY, DVec3::min) - range;
        let high = fluids.fold(DVec3::NEG_INFINITY, DVec3::max) + range;
        for (index, body) in bodies.iter().enumerate() {
            for (node, &position) in body.state.positions.iter().enumerate() {
                let is_near = position.cmpge(low).all() && position.cmple(high).all();
                if is_near && !is_fluid(&self.laws, index, node) {
                    self.add(index, body, node);
                }
            }
        }
        self.find_pairs(range);
        true
    }

    fn add(&mut self, index: usize, body: &Body, node: usize) {
        let description = body.description();
        let is_held = description.fixed[node] || body.quarantine.is_some();
        self.owners.push((index as u32, node as u32));
        self.positions.push(body.state.positions[node]);
        self.velocities.push(body.state.velocities[node]);
        self.inverse_masses.push(if is_held {
            0.0
        } else {
            1.0 / description.masses[node]
        });
    }

    fn find_pairs(&mut self, range: f64) {
        let Self {
            laws,
            owners,
            fluid_count,
            positions,
            inverse_masses,
            grid,
            pairs,
            ..
        } = self;
        let law_of = |index: usize| {
            let law = laws[owners[index].0 as usize];
            law.filter(|_| index < *fluid_count)
        };
        grid.sort(positions, range);
        grid.for_each_pair(|first, second| {
            let (a, b) = (first as usize, second as usize);
            let law = match (law_of(a), law_of(b)) {
                (Some(first), Some(second)) => PairLaw::mean(&first, &second),
                (Some(fluid), None) | (None, Some(fluid)) => fluid.with_solid(),
                (None, None) => return,
            };
            let apart = positions[a] - positions[b];
            let distance = apart.length();
            if distance < law.range() && inverse_masses[a] + inverse_masses[b] > 0.0 {
                // Where particles coincide any direction will do, as long as it is always the same.
                let direction = if distance > COINCIDENT * law.range() {
                    apart / distance
                } else {
                    [DVec3::X, DVec3::Y, DVec3::Z][(a + b) % 3]
                };
                pairs.push(Pair {
                    ends: [first, second],
                    distance,
                    direction,
                    law,
                });
            }
        });
    }

    /// The longest step that is safe, in seconds.
    fn stable_step(&mut self) -> f64 {
        self.steepnesses.clear();
        self.steepnesses.resize(self.owners.len(), 0.0);
        for pair in &self.pairs {
            for end in pair.ends {
                self.steepnesses[end as usize] += pair.law.steepness(pair.distance);
            }
        }
        let rows = self.steepnesses.iter().zip(&self.inverse_masses);
        let squared = rows.map(|(k, w)| 2.0 * k * w).fold(0.0, f64::max);
        SAFETY * 2.0 / squared.sqrt().max(f64::MIN_POSITIVE)
    }

    /// Attraction and repulsion, softened to a share.
    fn push(&mut self, part: f64, soft: f64) {
        self.forces.clear();
        self.forces.resize(self.owners.len(), DVec3::ZERO);
        for pair in &self.pairs {
            let [a, b] = pair.ends.map(|end| end as usize);
            let force = soft * pair.law.force(pair.distance) * pair.direction;
            self.forces[a] += force;
            self.forces[b] -= force;
        }
        for (index, velocity) in self.velocities.iter_mut().enumerate() {
            *velocity += part * self.inverse_masses[index] * self.forces[index];
        }
    }

    /// Viscosity, pair by pair.
    fn resist(&mut self, part: f64) {
        for pair in &self.pairs {
            let [a, b] = pair.ends.map(|end| end as usize);
            let resistance = pair.law.resistance(pair.distance);
            let (first, second) = (self.inverse_masses[a], self.inverse_masses[b]);
            if resistance == 0.0 {
                continue;
            }
            let speed = pair.direction.dot(self.velocities[a] - self.velocities[b]);
            let inverse = first + second;
            let share = 1.0 - (-resistance * part * inverse).exp();
            let impulse = share * speed / inverse * pair.direction;
            self.velocities[a] -= first * impulse;
            self.velocities[b] += second * impulse;
            // The pair goes on with the share of its speed that is left.
            self.resisted += 0.5 * share * (2.0 - share) * speed * speed / inverse;
        }
    }

    /// What viscosity has taken since this was last asked, in joules.
    pub(crate) fn take_resisted(&mut self) -> f64 {
        std::mem::take(&mut self.resisted)
    }

    /// Heat from particle to particle. Each pair relaxes exactly with the others held, which keeps
    /// the heat and never overshoots. Neighbours in the lattice of a body conduct there.
    fn conduct(&self, bodies: &mut [Body], time: f64, part: f64) {
        let is_meant = |kind: &ProcessKind| matches!(kind, ProcessKind::Heat(_));
        for pair in &self.pairs {
            let conductance = pair.law.conductance(pair.distance);
            if conductance == 0.0 {
                continue;
            }
            let owners = pair.ends.map(|end| self.owners[end as usize]);
            let ends = owners.map(|(body, node)| {
                let (body, node) = (&bodies[body as usize], node as usize);
                let description = body.description();
                let heat = description.heat()?;
                let is_at_work = description.is_at_work(time, is_meant);
                let thermal = &body.inelastic()?.thermal;
                let is_held = heat.held.iter().any(|(held, _)| *held == node);
                (is_at_work && body.quarantine.is_none()).then_some((
                    thermal.temperatures[node],
                    if is_held {
                        0.0
                    } else {
                        1.0 / (heat.capacity * description.masses[node])
                    },
                ))
            });
            let [Some((first, first_inverse)), Some((second, second_inverse))] = ends else {
                continue;
            };
            let inverse = first_inverse + second_inverse;
            let [(body, a), (other, b)] = owners;
            let grid = bodies[body as usize].description().on_grid();
            let are_linked = body == other
                && grid
                    .is_some_and(|on_grid| are_neighbours(&on_grid.grid, a as usize, b as usize));
            if inverse == 0.0 || are_linked {
                continue;
            }
            let share = 1.0 - (-conductance * part * inverse).exp();
            let heat = share * (second - first) / inverse;
            for ((body, node), change) in owners
                .into_iter()
                .zip([heat * first_inverse, -heat * second_inverse])
            {
                if let Some(inelastic) = bodies[body as usize].inelastic_mut()
                    && change.is_finite()
                {
                    inelastic.thermal.temperatures[node as usize] += change;
                }
            }
        }
    }
}

/// Whether two nodes of a grid are joined by an edge.
fn are_neighbours(grid: &Grid, a: usize, b: usize) -> bool {
    let coordinates = grid.coordinates(a);
    [
        [1, 0, 0],
        [-1, 0, 0],
        [0, 1, 0],
        [0, -1, 0],
        [0, 0, 1],
        [0, 0, -1],
    ]
    .into_iter()
    .any(|step| grid.neighbour(coordinates, step) == Some(b))
}
