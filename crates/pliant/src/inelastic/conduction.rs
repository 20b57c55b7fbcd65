//! Conduction of heat over the lattice of a body, by one implicit step.
//!
//! ```text
//! C_i dT_i/dt = Σ_j g_ij (T_j - T_i) + Σ_e h_ie (T_e - T_i)
//! (C/dt + L + H) ΔT = -L T + Σ_e h_e (T_e - T)
//! ```
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | C_i | heat capacity: mass times specific capacity | J/K |
//! | g_ij | k_ij A/l: conductivity times cross-section by length of a bond | W/K |
//! | h_ie | coefficient of exchange times area, with air or an obstacle at T_e | W/K |
//!
//! k_ij is the harmonic mean of the conductivities of the ends, in the direction of the bond: that
//! of two halves in series. A/l comes from the rest shape: of a cell with mean edges e₁, e₂, e₃ and
//! volume V each of the four edges along e_d gets V/(4 |e_d|²). On a surface it is the area and two
//! edges, on a curve the length and one, so conductivities are then those times thickness and times
//! cross-section.
//!
//! Backward Euler keeps every temperature between the highest and the lowest, however long the step.
//! L is symmetric and its rows sum to zero, so an insulated body keeps its heat; what the iterative
//! solver leaves over is given back evenly to the nodes that conduct.
//!
//! Departure: on a skewed grid the cross terms of the conductivity are left out.
//!
//! Implements: \[Terzopoulos1988\] note added in proof (the heat equation for nonhomogeneous,
//! nonisotropic media).

use super::Strains;
use super::thermal::{Bonds, Thermal};
use crate::body::BodyDescription;
use crate::linear::{GridMatrix, GridSolver, SolverKind, SolverSettings};
use crate::obstacle::Obstacle;
use crate::process::Heat;
use glam::DVec3;

/// Matrix, solver and tables for one body.
pub(crate) struct Conduction {
    pub(super) bonds: Bonds,
    /// g of each bond.
    conductances: Vec<f64>,
    areas: Areas,
    is_held: Vec<bool>,
    matrix: GridMatrix,
    solver: GridSolver,
    /// Right-hand side and solution; the solver has three components, of which one is used.
    rhs: Vec<f64>,
    change: Vec<f64>,
    /// Sum of h at each node.
    exchange: Vec<f64>,
    distances: Vec<f64>,
    /// Bonds that are torn, and bonds that conduct.
    torn: Vec<bool>,
    conducts: Vec<bool>,
    /// Whether a node has a bond that conducts.
    is_joined: Vec<bool>,
    /// Room for the shares of stiffness that heat leaves.
    pub(super) shares: Vec<f64>,
}

impl std::fmt::Debug for Conduction {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Conduction({} bonds)", self.conductances.len())
    }
}

/// Where a body is and what is round it.
pub(super) struct Surroundings<'a> {
    pub(super) description: &'a BodyDescription,
    pub(super) positions: &'a [DVec3],
    pub(super) obstacles: &'a [Obstacle],
    pub(super) step: f64,
}

impl Conduction {
    /// For a body that conducts heat.
    pub(crate) fn new(description: &BodyDescription, heat: &Heat, strains: &Strains) -> Self {
        let (grid, nodes) = (&description.grid, description.grid.node_count());
        let bonds = Bonds::new(description, strains);
        let cells = CellMeasures::new(description);
        let conductances = bonds
            .bonds
            .iter()
            .map(|bond| {
                let direction = bond.edge % 3;
                let [a, b] = bond.ends.map(|end| heat.conductivity(end, direction));
                let mean = if a > 0.0 && b > 0.0 {
                    2.0 / (1.0 / a + 1.0 / b)
                } else {
                    0.0
                };
                mean * cells.sections[bond.edge]
            })
            .collect();
        let steps = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
        let matrix = GridMatrix::new(grid, &steps[..grid.dimension()]);
        let settings = SolverSettings {
            kind: SolverKind::ConjugateGradient,
            tolerance: 1e-12,
            max_iterations: 4000,
            ..SolverSettings::default()
        };
        let mut is_held = vec![false; nodes];
        heat.held.iter().for_each(|&(node, _)| is_held[node] = true);
        Self {
            conductances,
            areas: cells.areas,
            is_held,
            solver: GridSolver::new(settings, &matrix),
            matrix,
            rhs: vec![0.0; 3 * nodes],
            change: vec![0.0; 3 * nodes],
            exchange: vec![0.0; nodes],
            distances: vec![0.0; nodes],
            torn: vec![false; 3 * nodes],
            conducts: vec![false; bonds.bonds.len()],
            is_joined: vec![false; nodes],
            shares: vec![1.0; strains.len()],
            bonds,
        }
    }

    /// Advances the temperatures by a step. A system that cannot be solved leaves them.
    pub(super) fn advance(
        &mut self,
        heat: &Heat,
        surroundings: &Surroundings,
        strains: &Strains,
        thermal: &mut Thermal,
    ) {
        for &(node, temperature) in &heat.held {
            thermal.temperatures[node] = temperature;
        }
        let temperatures = &mut thermal.temperatures;
        self.find_paths(strains, &thermal.melted, surroundings.positions);
        self.rhs.fill(0.0);
        self.exchange_heat(heat, surroundings, temperatures);
        let masses = &surroundings.description.masses;
        let capacity = |node: usize| heat.capacity * masses[node];
        self.assemble(temperatures, |node| capacity(node) / surroundings.step);
        // Numbers of the size of one, so that no square overflows.
        let scale = self.rhs.iter().fold(0.0, |a: f64, b| a.max(b.abs()));
        if scale == 0.0 || !scale.is_finite() {
            return;
        }
        self.rhs.iter_mut().for_each(|value| *value /= scale);
        self.change.fill(0.0);
        if self.solver.prepare(&self.matrix).is_err()
            || self
                .solver
                .solve(&self.matrix, &self.rhs, &mut self.change)
                .is_err()
        {
            return;
        }
        self.return_what_is_left(capacity);
        for (temperature, change) in temperatures.iter_mut().zip(&self.change) {
            let advanced = *temperature + scale * change;
            if advanced.is_finite() {
                *temperature = advanced;
            }
        }
    }

    /// Torn bonds do not conduct; melted ones do as long as their ends are near.
    fn find_paths(&mut self, strains: &Strains, melted: &[bool], positions: &[DVec3]) {
        self.torn.fill(false);
        strains.mark_torn(&mut self.torn);
        self.is_joined.fill(false);
        for (index, bond) in self.bonds.bonds.iter().enumerate() {
            let is_gone = self.torn[bond.edge]
                || (melted[bond.edge] && !self.bonds.is_near(index, positions));
            let conducts = !is_gone && self.conductances[index] > 0.0;
            self.conducts[index] = conducts;
            if conducts {
                bond.ends
                    .into_iter()
                    .for_each(|end| self.is_joined[end] = true);
            }
        }
    }

    /// Heat from the air and from obstacles within reach.
    fn exchange_heat(&mut self, heat: &Heat, surroundings: &Surroundings, temperatures: &[f64]) {
        self.exchange.fill(0.0);
        if heat.air_exchange > 0.0 {
            for (node, area) in self.areas.open.iter().enumerate() {
                let coefficient = heat.air_exchange * area;
                self.exchange[node] += coefficient;
                self.rhs[node] += coefficient * (heat.air_temperature - temperatures[node]);
            }
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
            for (node, &distance) in self.distances.iter().enumerate() {
                if distance <= reach {
                    let coefficient = heat.contact_exchange * self.areas.touching[node];
                    self.exchange[node] += coefficient;
                    self.rhs[node] += coefficient * (temperature - temperatures[node]);
                }
            }
        }
    }

    fn assemble(&mut self, temperatures: &[f64], inertia: impl Fn(usize) -> f64) {
        self.matrix.clear();
        for (index, bond) in self.bonds.bonds.iter().enumerate() {
            if !self.conducts[index] {
                continue;
            }
            let ([a, b], g) = (bond.ends, self.conductances[index]);
            let flux = g * (temperatures[b] - temperatures[a]);
            self.rhs[a] += flux;
            self.rhs[b] -= flux;
            self.matrix.add(a, a, g);
            self.matrix.add(b, b, g);
            self.matrix.add(a, b, -g);
            self.matrix.add(b, a, -g);
        }
        for (node, &exchange) in self.exchange.iter().enumerate() {
            self.matrix.add(node, node, inertia(node) + exchange);
        }
        self.matrix.scale_identity_rows(&self.is_held);
        for (rhs, _) in self.rhs.iter_mut().zip(&self.is_held).filter(|(_, h)| **h) {
            *rhs = 0.0;
        }
    }

    /// Takes the residual of the solver out of the heat of an insulated body.
    fn return_what_is_left(&mut self, capacity: impl Fn(usize) -> f64) {
        let is_open = self.exchange.iter().any(|&h| h != 0.0) || self.is_held.contains(&true);
        if is_open {
            return;
        }
        let (mut heat, mut capacities) = (0.0, 0.0);
        for node in (0..self.is_joined.len()).filter(|&node| self.is_joined[node]) {
            heat += capacity(node) * self.change[node];
            capacities += capacity(node);
        }
        let surplus = heat / capacities;
        if surplus.is_finite() {
            for (change, _) in self
                .change
                .iter_mut()
                .zip(&self.is_joined)
                .filter(|(_, j)| **j)
            {
                *change -= surplus;
            }
        }
    }
}

/// Areas at the nodes, in square metres; lengths, in metres, for a curve.
#[derive(Clone, Debug)]
struct Areas {
    /// What the air touches: the outside of a solid, both sides of a surface.
    open: Vec<f64>,
    /// What an obstacle touches: the largest outer face, or the largest face of an inner node.
    touching: Vec<f64>,
}

/// What the cells of a rest shape measure.
struct CellMeasures {
    /// A/l of each edge, as `3 * lower node + direction`.
    sections: Vec<f64>,
    areas: Areas,
}

impl CellMeasures {
    fn new(description: &BodyDescription) -> Self {
        let (grid, rest) = (&description.grid, &description.rest_positions);
        let (nodes, dimension) = (grid.node_count(), grid.dimension());
        let corner_count = 1 << dimension;
        let mut sections = vec![0.0; 3 * nodes];
        // Length, area or volume that belongs to a node, and its faces on both sides of it.
        let mut measures = vec![0.0; nodes];
        let mut faces = vec![[[0.0; 2]; 3]; nodes];
        for cell in grid.cells() {
            let offset = |corner: usize| std::array::from_fn(|d| (corner >> d & 1) as i32);
            let node_at = |corner: usize| grid.neighbour(cell, offset(corner));
            let corners: Vec<usize> = (0..corner_count).filter_map(node_at).collect();
            if corners.len() < corner_count {
                continue;
            }
            // The mean of the parallel edges of the cell.
            let mut edges = [DVec3::ZERO; 3];
            for (d, edge) in edges.iter_mut().enumerate().take(dimension) {
                for corner in (0..corner_count).filter(|corner| corner >> d & 1 == 0) {
                    *edge += rest[corners[corner | 1 << d]] - rest[corners[corner]];
                }
                *edge *= 2.0 / corner_count as f64;
            }
            let measure = match dimension {
                1 => edges[0].length(),
                2 => edges[0].cross(edges[1]).length(),
                _ => edges[0].cross(edges[1]).dot(edges[2]).abs(),
            };
            for (corner, &node) in corners.iter().enumerate() {
                measures[node] += measure / corner_count as f64;
                for d in 0..dimension {
                    let length = edges[d].length();
                    if length == 0.0 {
                        continue;
                    }
                    let share = 2.0 / corner_count as f64;
                    let side = corner >> d & 1;
                    faces[node][d][side] += share * measure / length;
                    if side == 0 {
                        sections[3 * node + d] += share * measure / (length * length);
                    }
                }
            }
        }
        let areas = match dimension {
            1 => Areas {
                open: measures.clone(),
                touching: measures,
            },
            2 => Areas {
                open: measures.iter().map(|area| 2.0 * area).collect(),
                touching: measures,
            },
            _ => outer_faces(&faces),
        };
        Self { sections, areas }
    }
}

/// The faces of the nodes of a solid that have nothing on their other side.
fn outer_faces(faces: &[[[f64; 2]; 3]]) -> Areas {
    let outer = |pair: &[f64; 2]| match *pair {
        [0.0, face] | [face, 0.0] => face,
        _ => 0.0,
    };
    let largest = |found: f64, face: f64| found.max(face);
    Areas {
        open: faces.iter().map(|f| f.iter().map(outer).sum()).collect(),
        touching: faces
            .iter()
            .map(|f| {
                let outside = f.iter().map(outer).fold(0.0, largest);
                if outside > 0.0 {
                    outside
                } else {
                    f.iter().flatten().copied().fold(0.0, largest)
                }
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::Weights;
    use crate::grid::Grid;

    fn brick(counts: &[usize], size: DVec3) -> BodyDescription {
        let grid = Grid::new(counts, &vec![false; counts.len()]);
        let place = |c| DVec3::from(grid.material_coordinates(c)) * size;
        let rest: Vec<DVec3> = grid.nodes().map(place).collect();
        let weights = Weights::uniform(grid.node_count(), 1.0, 0.0, 0.0);
        BodyDescription::new("brick", grid, rest, weights)
    }

    #[test]
    fn sections_add_up_to_the_cross_section_and_faces_to_the_outside() {
        let size = DVec3::new(2.0, 3.0, 0.5);
        let description = brick(&[5, 4, 3], size);
        let cells = CellMeasures::new(&description);
        // All bonds of a layer side by side: A/l with l = size / cells.
        let sum_of = |d: usize| -> f64 { cells.sections.iter().skip(d).step_by(3).sum() };
        for (d, cell_count) in [(0, 4.0), (1, 3.0), (2, 2.0)] {
            let expected = size.element_product() / size[d] / (size[d] / cell_count) * cell_count;
            assert!((sum_of(d) / expected - 1.0).abs() < 1e-12, "{d}");
        }
        let open: f64 = cells.areas.open.iter().sum();
        assert!((open - 2.0 * (2.0 * 3.0 + 3.0 * 0.5 + 2.0 * 0.5)).abs() < 1e-12);
        // The middle of a face touches with all of its dual face.
        let middle = description.grid.index([2, 1, 0]);
        assert!((cells.areas.touching[middle] - 0.5).abs() < 1e-12);

        let sheet = CellMeasures::new(&brick(&[4, 6], size));
        assert!((sheet.areas.touching.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        assert!((sheet.areas.open.iter().sum::<f64>() - 12.0).abs() < 1e-12);
        let rope = CellMeasures::new(&brick(&[5], size));
        assert!((rope.sections[0] - 1.0 / 0.5).abs() < 1e-12);
        assert!((rope.areas.open.iter().sum::<f64>() - 2.0).abs() < 1e-12);
    }
}
