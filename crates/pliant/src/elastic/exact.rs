//! The exact energy of a grid: value, gradient, Hessian and majorant.

use super::adopted_springs::AdoptedSprings;
use super::{PairFamily, SolidLanes, SurfaceLanes, TermGroup, Weights, primal_terms};
use crate::energy::{Curvature, DashpotStage, Energy, Springs};
use crate::grid::Grid;
use crate::linear::{BlockMatrix, GridMatrix, StencilBlocks};
use glam::DVec3;

/// The exact energy: value, gradient, Hessian and majorant.
#[derive(Debug)]
pub struct ExactElasticity {
    groups: Vec<Box<dyn TermGroup>>,
    families: Vec<PairFamily>,
    edge_weights: Vec<f64>,
    grid: Grid,
    /// A faster way to all but the full Hessian, for the bodies that have one.
    lanes: Option<SurfaceLanes>,
    /// A faster way to everything, for solids.
    cells: Option<SolidLanes>,
    /// The rest values, stiffnesses and dashpots last adopted.
    adopted: AdoptedSprings,
    /// Room for a gradient that nobody asks for.
    scratch_gradient: Vec<DVec3>,
}

impl ExactElasticity {
    /// The primal energy of a rest shape, which may `adopt` what processes change.
    pub fn new(grid: &Grid, rest: &[DVec3], weights: &Weights, adopts: bool) -> Self {
        let grid = grid.clone();
        let groups = primal_terms(&grid, rest, weights);
        let families = (0..grid.dimension())
            .map(|d| {
                let mut step = [0; 3];
                step[d] = 1;
                PairFamily::new(&grid, step)
            })
            .collect();
        Self {
            cells: SolidLanes::new(&grid, rest, &groups),
            lanes: match adopts {
                true => SurfaceLanes::adopting(&grid, rest, weights, &groups),
                false => SurfaceLanes::new(&grid, rest, weights),
            },
            groups,
            families,
            edge_weights: vec![0.0; 3 * grid.node_count()],
            adopted: AdoptedSprings::default(),
            scratch_gradient: Vec::new(),
            grid,
        }
    }

    /// Energy, in joules.
    pub fn energy(&mut self, positions: &[DVec3]) -> f64 {
        if let Some(lanes) = &mut self.lanes {
            lanes.evaluate(positions);
            return lanes.energy();
        }
        if let Some(cells) = &mut self.cells {
            return cells.energy(positions);
        }
        self.groups
            .iter()
            .map(|group| group.energy(positions))
            .sum()
    }

    /// Energy, in joules, at positions where nothing else is asked for.
    pub fn energy_alone(&mut self, positions: &[DVec3]) -> f64 {
        match &mut self.lanes {
            Some(lanes) => lanes.energy_alone(positions),
            None => self.energy(positions),
        }
    }

    /// Adds the gradient, in newtons.
    pub fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        if let Some(lanes) = &mut self.lanes {
            lanes.evaluate(positions);
            lanes.add_gradient(gradient);
            return;
        }
        if let Some(cells) = &self.cells {
            cells.add_gradient(positions, gradient);
            return;
        }
        for group in &self.groups {
            group.add_gradient(positions, gradient);
        }
    }

    /// Adds the gradient and keeps the edge weights of the majorant at these positions.
    pub fn add_gradient_and_weigh(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        if let Some(lanes) = &mut self.lanes {
            lanes.evaluate(positions);
            lanes.add_gradient(gradient);
            return;
        }
        self.edge_weights.fill(0.0);
        if let Some(cells) = &self.cells {
            let weights = &mut self.edge_weights;
            cells.add_gradient_and_majorant(positions, gradient, weights);
            return;
        }
        for group in &self.groups {
            group.add_gradient_and_majorant(positions, gradient, &mut self.edge_weights);
        }
    }

    /// Adds the part of the majorant that changes with the positions, as last weighed.
    pub fn add_majorant(&self, matrix: &mut GridMatrix) {
        if let Some(lanes) = &self.lanes {
            lanes.add_majorant(&self.families, matrix);
            return;
        }
        for (d, family) in self.families.iter().enumerate() {
            family.add(matrix, |node| self.edge_weights[3 * node + d]);
        }
    }

    /// A matrix on the grid with the constant part of the majorant in it.
    pub fn majorant_matrix(&self) -> GridMatrix {
        let mut steps: Vec<[i32; 3]> = self.families.iter().map(PairFamily::step).collect();
        let mut constant = Vec::new();
        for group in &self.groups {
            group.constant_majorant(&mut |i, j, value| constant.push((i, j, value)));
        }
        if !constant.is_empty() {
            steps.extend([[2, 0, 0]]);
            if self.grid.dimension() > 1 {
                steps.extend([[0, 2, 0], [1, 1, 0], [-1, 1, 0]]);
            }
        }
        let mut matrix = GridMatrix::new(&self.grid, &steps);
        for (i, j, value) in constant {
            matrix.add(i, j, value);
        }
        matrix
    }

    /// Takes over rest values and stiffnesses, term by term in the order of the groups. Returns
    /// whether a stiffness changed, which makes constant majorants stale.
    pub fn adopt(&mut self, springs: &Springs) -> bool {
        let changed = self.adopted.take(springs);
        if changed.is_some() {
            self.act(None);
        }
        changed.unwrap_or(false)
    }

    /// Hands rest values and stiffnesses to the terms, with the dashpots of a stage or of the whole step.
    fn act(&mut self, stage: Option<DashpotStage>) {
        let (rests, stiffnesses) = self.adopted.in_stage(&self.groups, stage);
        // Cells stand for all of their terms.
        if let Some(cells) = &mut self.cells {
            cells.adopt(rests, stiffnesses);
            return;
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.adopt(rests, stiffnesses);
        }
        // The true Hessian of a surface goes term by term.
        let mut start = 0;
        for group in &mut self.groups {
            let range = start..start + group.len();
            start = range.end;
            group.adopt(&rests[range.clone()], &stiffnesses[range]);
        }
    }

    /// Fills a matrix from `majorant_matrix` again after stiffnesses have changed.
    pub fn refill_majorant(&self, matrix: &mut GridMatrix) {
        matrix.clear();
        for group in &self.groups {
            group.constant_majorant(&mut |i, j, value| matrix.add(i, j, value));
        }
    }

    /// An upper bound of the largest eigenvalue of M⁻¹ H, in 1/s², as last weighed. `matrix` is
    /// scratch, `constant` the matrix of `majorant_matrix`.
    pub fn largest_squared_frequency(
        &self,
        constant: &GridMatrix,
        matrix: &mut GridMatrix,
        masses: &[f64],
    ) -> f64 {
        matrix.copy_values(constant);
        self.add_majorant(matrix);
        // Gershgorin: no eigenvalue exceeds the largest sum of a row.
        (0..masses.len())
            .map(|node| {
                let row: f64 = (0..matrix.offsets().len())
                    .map(|slot| matrix.values(slot)[node].abs())
                    .sum();
                row / masses[node]
            })
            .fold(0.0, f64::max)
    }

    /// A block matrix with room for the Hessian.
    pub fn hessian_matrix(&mut self) -> BlockMatrix {
        let mut couplings = Vec::new();
        for group in &self.groups {
            group.couplings(&mut |i, j| {
                if i < j {
                    couplings.push((i, j));
                }
            });
        }
        couplings.sort_unstable();
        couplings.dedup();
        let matrix = BlockMatrix::new(self.grid.node_count(), couplings.into_iter());
        self.find_blocks(&matrix);
        matrix
    }

    /// Finds the places of the Hessian's blocks in a matrix.
    fn find_blocks(&mut self, matrix: &BlockMatrix) {
        for group in &mut self.groups {
            group.prepare_hessian(matrix);
        }
        if let Some(lanes) = &mut self.lanes {
            lanes.attach(&self.grid, matrix);
        }
        if let Some(cells) = &mut self.cells {
            cells.attach(matrix);
        }
    }

    /// Adds the Hessian to a matrix from `hessian_matrix`.
    pub fn add_hessian(
        &mut self,
        positions: &[DVec3],
        curvature: Curvature,
        matrix: &mut BlockMatrix,
    ) {
        if let (Some(lanes), Curvature::Positive) = (&mut self.lanes, curvature) {
            lanes.add_hessian(positions, matrix);
            return;
        }
        if let Some(cells) = &self.cells {
            cells.add_hessian(positions, curvature, matrix);
            return;
        }
        for group in &self.groups {
            group.add_hessian(positions, curvature, matrix);
        }
    }
}

impl Energy for ExactElasticity {
    fn couplings(&self, visit: &mut dyn FnMut(usize, usize)) {
        for group in &self.groups {
            group.couplings(&mut |i, j| {
                if i != j {
                    visit(i, j);
                }
            });
        }
    }

    fn attach(&mut self, matrix: &BlockMatrix) {
        self.find_blocks(matrix);
    }

    fn energy(&mut self, positions: &[DVec3]) -> f64 {
        Self::energy(self, positions)
    }

    fn add_gradient(&mut self, positions: &[DVec3], gradient: &mut [DVec3]) {
        Self::add_gradient(self, positions, gradient);
    }

    fn add_hessian(&mut self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        Self::add_hessian(self, positions, curvature, matrix);
    }

    fn stencil(&self) -> Option<StencilBlocks> {
        self.lanes.as_ref().and_then(SurfaceLanes::stencil)
    }

    fn fill_stencil(&mut self, positions: &[DVec3], from: &[DVec3], stencil: &mut StencilBlocks) {
        if let Some(lanes) = &mut self.lanes {
            lanes.fill_stencil(positions, from, stencil);
        }
    }

    fn adopt_springs(&mut self, springs: &Springs) {
        self.adopt(springs);
    }

    fn lead_dashpots(&mut self, stage: Option<DashpotStage>) {
        if self.adopted.has_dashpots() {
            self.act(stage);
        }
    }

    fn companion(&self) -> Option<GridMatrix> {
        Some(self.majorant_matrix())
    }

    fn fill_companion(&mut self, positions: &[DVec3], matrix: &mut GridMatrix) {
        self.refill_majorant(matrix);
        let mut scratch_gradient = std::mem::take(&mut self.scratch_gradient);
        scratch_gradient.resize(positions.len(), DVec3::ZERO);
        self.add_gradient_and_weigh(positions, &mut scratch_gradient);
        self.scratch_gradient = scratch_gradient;
        self.add_majorant(matrix);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::energy::contract::EnergyContract;

    /// Flat and curved rest shapes of all dimensions.
    fn rest_shapes() -> Vec<(&'static str, Grid, Vec<DVec3>)> {
        let shape = |name, grid: Grid, place: fn([f64; 3]) -> DVec3| {
            let nodes = grid.nodes().map(|node| grid.material_coordinates(node));
            let rest = nodes.map(place).collect();
            (name, grid, rest)
        };
        vec![
            shape("straight curve", Grid::new(&[6], &[false]), |[u, ..]| {
                DVec3::new(u, 0.0, 0.0)
            }),
            shape("helix", Grid::new(&[9], &[false]), |[u, ..]| {
                DVec3::new((2.0 * u).cos(), (2.0 * u).sin(), 0.7 * u)
            }),
            shape("sheet", Grid::new(&[5, 4], &[false; 2]), |[u, v, _]| {
                DVec3::new(u, 0.8 * v, 0.0)
            }),
            shape(
                "curved sheet",
                Grid::new(&[5, 5], &[false; 2]),
                |[u, v, _]| DVec3::new(u, v, 0.3 * u * u + 0.2 * u * v),
            ),
            shape("tube", Grid::new(&[6, 4], &[true, false]), |[u, v, _]| {
                let angle = std::f64::consts::TAU * u;
                DVec3::new(angle.cos(), angle.sin(), 1.5 * v)
            }),
            shape("solid", Grid::new(&[3, 4, 3], &[false; 3]), |[u, v, w]| {
                DVec3::new(u, 1.2 * v + 0.1 * u * w, w)
            }),
        ]
    }

    /// Cell by cell or term by term, also round periodic directions and with torn links.
    #[test]
    fn cells_of_solids_agree_with_their_terms() {
        type Shape = fn([f64; 3]) -> DVec3;
        let shapes: [(Grid, Shape); 2] = [
            (Grid::new(&[3, 4, 3], &[false; 3]), |[u, v, w]| {
                DVec3::new(u, 1.2 * v + 0.1 * u * w, w)
            }),
            (Grid::new(&[5, 3, 3], &[true, false, false]), |[u, v, w]| {
                let angle = std::f64::consts::TAU * u;
                (1.0 + 0.5 * v) * DVec3::new(angle.cos(), angle.sin(), 0.0) + w * DVec3::Z
            }),
        ];
        for (grid, place) in shapes {
            let nodes = grid.nodes().map(|node| grid.material_coordinates(node));
            let rest: Vec<DVec3> = nodes.map(place).collect();
            let weights = Weights::uniform(grid.node_count(), 7.0, 0.02, 0.01);
            let make = || ExactElasticity::new(&grid, &rest, &weights, true);
            let (mut cells, mut terms) = (make(), make());
            assert!(cells.cells.is_some());
            terms.cells = None;
            let mut found = cells.hessian_matrix();
            let mut wanted = terms.hessian_matrix();
            let moved = rest.iter().enumerate().map(|(i, x)| {
                let i = i as f64;
                *x + 0.1 * DVec3::new((3.0 * i).sin(), (5.0 * i).cos(), (7.0 * i).sin())
            });
            let moved: Vec<DVec3> = moved.collect();
            for torn in [false, true] {
                if torn {
                    let mut springs = Springs::default();
                    for group in &terms.groups {
                        group.describe(&mut |term| {
                            let index = springs.rests.len() as f64;
                            springs.rests.push(term.rest + 0.1 * index.sin());
                            let whole = f64::from(springs.rests.len() % 5 != 0);
                            springs.stiffnesses.push(whole * term.stiffness);
                        });
                    }
                    cells.adopt(&springs);
                    terms.adopt(&springs);
                }
                let [a, b] = [cells.energy(&moved), terms.energy(&moved)];
                assert!((a - b).abs() < 1e-12 * b, "{a} {b}");
                let [mut a, mut b] = [vec![DVec3::ZERO; rest.len()], vec![DVec3::ZERO; rest.len()]];
                cells.add_gradient_and_weigh(&moved, &mut a);
                terms.add_gradient_and_weigh(&moved, &mut b);
                let size = b.iter().fold(0.0, |size: f64, b| size.max(b.length()));
                let close = |(a, b): (&DVec3, &DVec3)| (*a - *b).length() < 1e-12 * size;
                assert!(size > 0.0 && a.iter().zip(&b).all(close));
                let pairs = cells.edge_weights.iter().zip(&terms.edge_weights);
                assert!(pairs.clone().any(|(_, b)| *b > 0.0));
                for (a, b) in pairs {
                    assert!((a - b).abs() <= 1e-12 * b.abs(), "{a} {b}");
                }
                for curvature in [Curvature::Full, Curvature::Positive] {
                    found.clear();
                    wanted.clear();
                    cells.add_hessian(&moved, curvature, &mut found);
                    terms.add_hessian(&moved, curvature, &mut wanted);
                    let entries = |matrix: &BlockMatrix| -> Vec<f64> {
                        let blocks = matrix.blocks().iter();
                        blocks.flat_map(|block| block.to_cols_array()).collect()
                    };
                    let [found, wanted] = [entries(&found), entries(&wanted)];
                    let size = wanted.iter().fold(0.0, |size: f64, v| size.max(v.abs()));
                    for (a, b) in found.iter().zip(&wanted) {
                        assert!((a - b).abs() < 1e-12 * size, "{curvature:?}: {a} {b}");
                    }
                }
            }
        }
    }

    #[test]
    fn grids_keep_the_contract_of_energies() {
        for (name, grid, rest) in rest_shapes() {
            let mut weights = Weights::uniform(grid.node_count(), 7.0, 0.02, 0.01);
            // Term by term, and by the lanes of open surfaces.
            for (adopts, poisson) in [(true, 0.0), (false, 0.0), (true, 0.4), (false, 0.4)] {
                println!("{name}, adopts: {adopts}, Poisson's ratio {poisson}");
                weights.poisson = poisson;
                let mut energy = ExactElasticity::new(&grid, &rest, &weights, adopts);
                let contract = EnergyContract::new(&rest).displaced_by(0.1);
                contract.check(&mut energy);
            }
        }
    }
}
