//! Conduction of heat over tetrahedra, by one implicit step.
//!
//! ```text
//! C_a dT_a/dt = Σ_b g_ab (T_b - T_a) + Σ_e h_ae (T_e - T_a)
//! (C/dt + L + H) ΔT = -L T + Σ_e h_e (T_e - T),      g_ab = -Σ over elements of V ∇N_a·k ∇N_b
//! ```
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | C_a | heat capacity: mass times specific capacity (lumped) | J/K |
//! | k | conductivity, diagonal in the axes of the mesh, the mean of the element's nodes | W/(m K) |
//! | V, ∇N_a | volume and gradients of the shape functions at rest | m³, 1/m |
//! | h_ae | coefficient of exchange times area, with air or an obstacle at T_e | W/K |
//!
//! Air touches the boundary at rest, and the faces of cracks; an obstacle touches the triangles all
//! of whose corners are within its reach; a third of a triangle belongs to each corner. Tied copies
//! of a vertex have one temperature; a crack does not conduct.
//!
//! L is symmetric and its rows sum to zero, so an insulated body keeps its heat; what the iterative
//! solver leaves over is given back evenly. Second order in the size of elements, first in the
//! step.
//!
//! Departure: on elements with obtuse angles some g_ab are negative, so that temperatures can leave
//! their range a little where they jump.
//!
//! Implements: \[Terzopoulos1988\] note added in proof (the heat equation for nonhomogeneous,
//! nonisotropic media).

use crate::body::{BodyDescription, Ties};
use crate::fem::MeshSettings;
use crate::fem::tetrahedra::shape_gradients;
use crate::linear::{BlockMatrix, BlockSolver, SolverKind, SolverSettings};
use crate::mesh::tetrahedra;
use crate::obstacle::Obstacle;
use crate::process::Heat;
use glam::{DMat3, DVec3};

/// The pairs of corners of a tetrahedron.
const PAIRS: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];

/// Matrix, solver and tables for one body.
pub(super) struct MeshConduction {
    elements: Vec<[u32; 4]>,
    /// g of each pair of corners of each element.
    conductances: Vec<[f64; 6]>,
    /// Triangles that the air touches, with their areas at rest.
    triangles: Vec<([u32; 3], f64)>,
    /// The unknown of each node.
    unknowns: Vec<u32>,
    /// The version of the ties that the unknowns are for.
    version: Option<u64>,
    matrix: BlockMatrix,
    solver: BlockSolver,
    is_held: Vec<bool>,
    /// Over the unknowns.
    temperatures: Vec<f64>,
    capacities: Vec<f64>,
    exchange: Vec<f64>,
    /// Only the first component of vectors is used.
    rhs: Vec<DVec3>,
    change: Vec<DVec3>,
    /// Over the nodes.
    distances: Vec<f64>,
}

impl std::fmt::Debug for MeshConduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "MeshConduction({} elements)", self.elements.len())
    }
}

const SOLVER: SolverSettings = SolverSettings {
    kind: SolverKind::ConjugateGradient,
    tolerance: 1e-12,
    max_iterations: 4000,
    relaxation: 1.5,
};

impl MeshConduction {
    pub(super) fn new(settings: &MeshSettings, description: &BodyDescription, heat: &Heat) -> Self {
        let rest = &description.rest_positions;
        let elements: Vec<[u32; 4]> = tetrahedra(&settings.mesh).collect();
        let conductances = elements.iter().map(|nodes| {
            let (gradients, volume) = shape_gradients(nodes.map(|node| rest[node as usize]));
            let at =
                |node: u32| DVec3::from([0, 1, 2].map(|d| heat.conductivity(node as usize, d)));
            let k = 0.25 * nodes.map(at).iter().sum::<DVec3>();
            PAIRS.map(|[a, b]| -volume.abs() * gradients[a].dot(k * gradients[b]))
        });
        let nodes = rest.len();
        let matrix = BlockMatrix::new(1, std::iter::empty());
        Self {
            conductances: conductances.collect(),
            elements,
            triangles: Vec::new(),
            unknowns: Vec::new(),
            version: None,
            solver: BlockSolver::new(SOLVER, &matrix),
            matrix,
            is_held: Vec::new(),
            temperatures: Vec::new(),
            capacities: Vec::new(),
            exchange: Vec::new(),
            rhs: Vec::new(),
            change: Vec::new(),
            distances: vec![0.0; nodes],
        }
    }

    /// Numbers the unknowns anew where the ties have changed.
    fn follow(
        &mut self,
        description: &BodyDescription,
        heat: &Heat,
        broken: &[bool],
        ties: Option<&Ties>,
    ) {
        let version = ties.map_or(0, |ties| ties.version);
        if self.version == Some(version) {
            return;
        }
        let Some(settings) = description.mesh() else {
            return;
        };
        self.version = Some(version);
        let node_count = self.distances.len();
        let mut count = 0;
        self.unknowns.clear();
        for node in 0..node_count {
            let root = ties.map_or(node, |ties| ties.roots[node] as usize);
            let number = if root == node {
                count += 1;
                count - 1
            } else {
                self.unknowns[root]
            };
            self.unknowns.push(number);
        }
        let count = count as usize;
        let unknown = |node: u32| self.unknowns[node as usize] as usize;
        let couplings = self.elements.iter().flat_map(|nodes| {
            let at = nodes.map(unknown);
            PAIRS.map(|[a, b]| (at[a], at[b]))
        });
        self.matrix = BlockMatrix::new(count, couplings);
        self.solver = BlockSolver::new(SOLVER, &self.matrix);
        self.is_held = vec![false; count];
        for &(node, _) in &heat.held {
            self.is_held[unknown(node as u32)] = true;
        }
        self.capacities = vec![0.0; count];
        for (node, mass) in description.masses.iter().enumerate() {
            self.capacities[unknown(node as u32)] += heat.capacity * mass;
        }
        let rest = &description.rest_positions;
        let measured = |triangle: [u32; 3]| {
            let [a, b, c] = triangle.map(|node| rest[node as usize]);
            (triangle, 0.5 * (b - a).cross(c - a).length())
        };
        self.triangles = match (settings.joints(), ties) {
            (Some(joints), Some(ties)) => {
                let torn = joints.topology(broken, ties);
                torn.triangles.into_iter().map(measured).collect()
            }
            _ => settings.boundary().iter().copied().map(measured).collect(),
        };
        self.temperatures = vec![0.0; count];
        self.exchange = vec![0.0; count];
        self.rhs = vec![DVec3::ZERO; count];
        self.change = vec![DVec3::ZERO; count];
    }

    /// Advances the temperatures of the nodes by a step. A system that cannot be solved leaves them.
    pub(super) fn advance(
        &mut self,
        heat: &Heat,
        surroundings: &Surroundings,
        ties: Option<&Ties>,
        nodal: &mut [f64],
    ) {
        self.follow(surroundings.description, heat, surroundings.broken, ties);
        self.gather(heat, &surroundings.description.masses, nodal);
        self.rhs.fill(DVec3::ZERO);
        self.exchange_heat(heat, surroundings);
        self.assemble(surroundings.step);
        // Numbers of the size of one, so that no square overflows.
        let scale = self.rhs.iter().fold(0.0, |a: f64, b| a.max(b.x.abs()));
        if scale > 0.0 && scale.is_finite() {
            self.rhs.iter_mut().for_each(|value| *value /= scale);
            self.change.fill(DVec3::ZERO);
            let prepared = self.solver.prepare(&self.matrix);
            let solved = prepared.and_then(|()| {
                self.solver
                    .solve(&self.matrix, None, &self.rhs, &mut self.change)
            });
            if solved.is_ok() {
                self.return_what_is_left();
                for (temperature, change) in self.temperatures.iter_mut().zip(&self.change) {
                    let advanced = *temperature + scale * change.x;
                    if advanced.is_finite() {
                        *temperature = advanced;
                    }
                }
            }
        }
        for (temperature, &unknown) in nodal.iter_mut().zip(&self.unknowns) {
            *temperature = self.temperatures[unknown as usize];
        }
    }

    /// Temperatures of the unknowns: the mean of tied copies, by their capacity.
    fn gather(&mut self, heat: &Heat, masses: &[f64], nodal: &[f64]) {
        for (node, &unknown) in self.unknowns.iter().enumerate().rev() {
            self.temperatures[unknown as usize] = nodal[node];
        }
        // Relative to the first copy, so that equal ones stay as they are.
        self.exchange.fill(0.0);
        for (node, &unknown) in self.unknowns.iter().enumerate() {
            let first = self.temperatures[unknown as usize];
            self.exchange[unknown as usize] += heat.capacity * masses[node] * (nodal[node] - first);
        }
        let sums = self.exchange.iter().zip(&self.capacities);
        for (temperature, (sum, capacity)) in self.temperatures.iter_mut().zip(sums) {
            *temperature += sum / capacity;
        }
        for &(node, value) in &heat.held {
            self.temperatures[self.unknowns[node] as usize] = value;
        }
    }

    /// Heat from the air and from obstacles within reach.
    fn exchange_heat(&mut self, heat: &Heat, surroundings: &Surroundings) {
        self.exchange.fill(0.0);
        if heat.air_exchange > 0.0 {
            let near = |_: &[f64], _: &[u32; 3]| true;
            self.add_exchange(heat.air_exchange, heat.air_temperature, near);
        }
        if heat.contact_exchange == 0.0 {
            return;
        }
        let reach = heat.contact_distance + surroundings.description.contact.thickness;
        for obstacle in surroundings.obstacles {
            let Some(temperature) = obstacle.temperature else {
                continue;
            };
            obstacle.distances(surroundings.positions, &mut self.distances);
            let near = |distances: &[f64], triangle: &[u32; 3]| {
                let mut corners = triangle.iter();
                corners.all(|&node| distances[node as usize] <= reach)
            };
            self.add_exchange(heat.contact_exchange, temperature, near);
        }
    }

    fn add_exchange(
        &mut self,
        coefficient: f64,
        temperature: f64,
        is_near: impl Fn(&[f64], &[u32; 3]) -> bool,
    ) {
        for (triangle, area) in &self.triangles {
            if !is_near(&self.distances, triangle) {
                continue;
            }
            let h = coefficient * area / 3.0;
            for &node in triangle {
                let unknown = self.unknowns[node as usize] as usize;
                self.exchange[unknown] += h;
                self.rhs[unknown].x += h * (temperature - self.temperatures[unknown]);
            }
        }
    }

    fn assemble(&mut self, step: f64) {
        self.matrix.clear();
        for (nodes, conductances) in self.elements.iter().zip(&self.conductances) {
            let at = nodes.map(|node| self.unknowns[node as usize] as usize);
            for ([a, b], &g) in PAIRS.iter().zip(conductances) {
                let (a, b) = (at[*a], at[*b]);
                let flux = g * (self.temperatures[b] - self.temperatures[a]);
                self.rhs[a].x += flux;
                self.rhs[b].x -= flux;
                for (row, column, value) in [(a, a, g), (b, b, g), (a, b, -g), (b, a, -g)] {
                    self.matrix.add(row, column, diagonal(value));
                }
            }
        }
        for (unknown, &exchange) in self.exchange.iter().enumerate() {
            let inertia = self.capacities[unknown] / step;
            self.matrix
                .add(unknown, unknown, diagonal(inertia + exchange));
        }
        self.matrix.pin(&self.is_held);
        for (rhs, _) in self.rhs.iter_mut().zip(&self.is_held).filter(|(_, h)| **h) {
            *rhs = DVec3::ZERO;
        }
    }

    /// Takes the residual of the solver out of the heat of an insulated body.
    fn return_what_is_left(&mut self) {
        if self.exchange.iter().any(|&h| h != 0.0) || self.is_held.contains(&true) {
            return;
        }
        let terms = self.capacities.iter().zip(&self.change);
        let heat: f64 = terms.map(|(capacity, change)| capacity * change.x).sum();
        let surplus = heat / self.capacities.iter().sum::<f64>();
        if surplus.is_finite() {
            self.change
                .iter_mut()
                .for_each(|change| change.x -= surplus);
        }
    }
}

/// Where a body is and what is round it.
pub(super) struct Surroundings<'a> {
    pub(super) description: &'a BodyDescription,
    pub(super) positions: &'a [DVec3],
    pub(super) obstacles: &'a [Obstacle],
    pub(super) broken: &'a [bool],
    pub(super) step: f64,
}

fn diagonal(value: f64) -> DMat3 {
    DMat3::from_diagonal(DVec3::splat(value))
}
