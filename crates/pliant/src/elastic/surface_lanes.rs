//! The exact energy of open surfaces in lanes: its value, its gradient, its positive Hessian and its
//! majorant, fast.
//!
//! The formulas are those of `metric.rs` and `normal_curvature.rs`; a test compares these kernels
//! with the terms made of them. See `lanes.rs` for how edges stand for nodes.

use super::edge_laplacian::PairFamily;
use super::lanes::{EdgeForces, Edges, Lane, Lanes, Layout, read3, write3};
use super::surface_adoption::SurfaceAdoption;
use super::surface_constants::{BendingLanes, MetricLanes};
use super::surface_energy::energy_of;
use super::surface_hessian::SurfaceHessian;
use super::surface_kernels::{add_two, corner_kernel, edge_kernel, star_kernel, twist_kernel};
use super::terms::TermGroup;
use super::weights::Weights;
use crate::grid::Grid;
use crate::linear::{BlockMatrix, GridMatrix, StencilBlocks};
use crate::math::vector::Pack;
use glam::DVec3;

/// The exact energy of an open surface.
#[derive(Debug)]
pub(crate) struct SurfaceLanes {
    edges: Edges,
    forces: EdgeForces,
    metric: MetricLanes,
    bending: Option<BendingLanes>,
    /// Where the numbers of terms stand, for a body whose terms change.
    adoption: Option<SurfaceAdoption>,
    hessian: SurfaceHessian,
    /// Edges where a linear solve was made.
    past: Edges,
    out: KernelOutput,
    /// The positions last evaluated; empty before the first.
    known: Vec<DVec3>,
    /// The energy there, in joules, in eight parts.
    energy: Pack,
}

/// What a kernel gives for the four edges of a cell or round a node.
#[derive(Debug)]
struct KernelOutput {
    forces: [Lanes; 4],
    weights: [Lane; 4],
}

impl KernelOutput {
    fn new(layout: &Layout) -> Self {
        Self {
            forces: std::array::from_fn(|_| layout.lanes()),
            weights: std::array::from_fn(|_| layout.lane()),
        }
    }
}

impl SurfaceLanes {
    /// For a surface without periodic directions; `None` for anything else.
    pub(crate) fn new(grid: &Grid, rest: &[DVec3], weights: &Weights) -> Option<Self> {
        if grid.dimension() != 2 || grid.periodic().contains(&true) {
            return None;
        }
        let mut edges = Edges::new(grid);
        let layout = edges.layout;
        edges.set_positions(rest);
        let metric = MetricLanes::new(grid, &edges, weights);
        let rigid = weights
            .rigidities
            .iter()
            .flatten()
            .flatten()
            .any(|&w| w != 0.0);
        let bending = rigid.then(|| BendingLanes::new(grid, &edges, weights));
        Some(Self {
            forces: EdgeForces::new(&layout),
            out: KernelOutput::new(&layout),
            hessian: SurfaceHessian::new(&layout, bending.is_some()),
            past: Edges::new(grid),
            edges,
            metric,
            bending,
            adoption: None,
            known: Vec::with_capacity(grid.node_count()),
            energy: Pack::ZERO,
        })
    }

    /// The same for terms whose rest values and stiffnesses change ([`Self::adopt`]).
    pub(super) fn adopting(
        grid: &Grid,
        rest: &[DVec3],
        weights: &Weights,
        groups: &[Box<dyn TermGroup>],
    ) -> Option<Self> {
        let mut lanes = Self::new(grid, rest, weights)?;
        lanes.adoption = Some(SurfaceAdoption::new(grid, groups)?);
        Some(lanes)
    }

    /// Takes over rest values and stiffnesses in the order of the groups.
    pub(super) fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]) {
        self.known.clear();
        if let Some(adoption) = &self.adoption {
            let (layout, bending) = (&self.edges.layout, self.bending.as_mut());
            adoption.adopt(layout, &mut self.metric, bending, (rests, stiffnesses));
        }
    }

    /// The energy, as last evaluated, in joules.
    pub(crate) fn energy(&self) -> f64 {
        self.energy.to_array().iter().sum()
    }

    /// The energy at the positions, in joules, for those who ask for nothing else there. What was
    /// evaluated before stays, but where it was is forgotten.
    pub(crate) fn energy_alone(&mut self, positions: &[DVec3]) -> f64 {
        if self.known == positions {
            return self.energy();
        }
        self.known.clear();
        self.edges.set_positions(positions);
        let energy = energy_of(&self.edges, &self.metric, self.bending.as_ref());
        energy.to_array().iter().sum()
    }

    /// Adds the gradient, as last evaluated.
    pub(crate) fn add_gradient(&self, gradient: &mut [DVec3]) {
        self.forces.add_gradient(&self.edges, gradient);
    }

    /// Adds the weights of the edges, as last evaluated; `families` are the steps along the two
    /// directions.
    pub(crate) fn add_majorant(&self, families: &[PairFamily], matrix: &mut GridMatrix) {
        for (direction, family) in families.iter().enumerate() {
            let scale = self.edges.inverse_spacing[direction];
            let weights = self.forces.weights[direction].values(&self.edges.layout);
            family.add_lane(matrix, weights, scale * scale);
        }
    }

    /// Finds the places of the Hessian's blocks in the matrix.
    pub(crate) fn attach(&mut self, grid: &Grid, matrix: &BlockMatrix) {
        self.hessian.attach(grid, matrix);
    }

    /// Adds the positive Hessian at the positions. `attach` comes first.
    pub(crate) fn add_hessian(&mut self, positions: &[DVec3], matrix: &mut BlockMatrix) {
        self.evaluate(positions);
        let edges = [&self.edges, &self.edges];
        self.hessian
            .add(edges, &self.metric, self.bending.as_ref(), matrix);
    }

    /// Room for the positive Hessian in single precision.
    pub(crate) fn stencil(&self) -> Option<StencilBlocks> {
        SurfaceHessian::stencil(&self.edges.layout)
    }

    /// Puts the positive Hessian at the positions, with the stress that a linear solve at `from`
    /// foresaw, in the place of what was there.
    pub(crate) fn fill_stencil(
        &mut self,
        positions: &[DVec3],
        from: &[DVec3],
        stencil: &mut StencilBlocks,
    ) {
        self.evaluate(positions);
        self.past.set_positions(from);
        let edges = [&self.edges, &self.past];
        let bending = self.bending.as_ref();
        self.hessian.fill(edges, &self.metric, bending, stencil);
    }

    /// Energy, edge forces and weights at the positions. A search for a minimum asks for the gradient
    /// where it has just asked for the energy: positions that are known cost nothing again.
    pub(crate) fn evaluate(&mut self, positions: &[DVec3]) {
        if self.known == positions {
            return;
        }
        self.known.clear();
        self.known.extend(positions);
        self.energy = Pack::ZERO;
        self.edges.set_positions(positions);
        let layout = self.edges.layout;
        for direction in 0..2 {
            let (edges, forces) = if direction == 0 {
                (&self.edges.first, &mut self.forces.first)
            } else {
                (&self.edges.second, &mut self.forces.second)
            };
            edge_kernel(
                read3(edges, &layout, 0),
                self.metric.edge_stiffness[direction].values(&layout),
                self.metric.edge_rest[direction].values(&layout),
                write3(forces, &layout),
                self.forces.weights[direction].values_mut(&layout),
                &mut self.energy,
            );
        }
        self.cells();
        if self.bending.is_some() {
            self.stars();
        }
    }

    /// Corners and twist of every cell; a cell's edges are bottom, top, left and right.
    fn cells(&mut self) {
        let layout = self.edges.layout;
        let row = layout.row as isize;
        {
            let KernelOutput { forces, weights } = &mut self.out;
            let edges = [
                read3(&self.edges.first, &layout, 0),
                read3(&self.edges.first, &layout, row),
                read3(&self.edges.second, &layout, 0),
                read3(&self.edges.second, &layout, 1),
            ];
            let metric = &self.metric;
            corner_kernel(
                &edges,
                self.edges.inverse_spacing,
                metric
                    .corner_stiffness
                    .each_ref()
                    .map(|k| k.values(&layout)),
                metric.corner_rest.each_ref().map(|s| s.values(&layout)),
                forces.each_mut().map(|f| write3(f, &layout)),
                weights.each_mut().map(|w| w.values_mut(&layout)),
                &mut self.energy,
            );
            if let Some(bending) = &self.bending {
                twist_kernel(
                    &edges,
                    self.edges.inverse_spacing,
                    [
                        bending.twist_stiffness.values(&layout),
                        bending.twist_rest.values(&layout),
                        bending.twist_smoothing.values(&layout),
                    ],
                    forces.each_mut().map(|f| write3(f, &layout)),
                    weights.each_mut().map(|w| w.values_mut(&layout)),
                    &mut self.energy,
                );
            }
        }
        self.collect([(0, 0), (0, -row), (1, 0), (1, -1)]);
    }

    /// B_11 and B_22 at every node; its edges are before and after in each direction.
    fn stars(&mut self) {
        let layout = self.edges.layout;
        let row = layout.row as isize;
        if let Some(bending) = &self.bending {
            let KernelOutput { forces, weights } = &mut self.out;
            star_kernel(
                &[
                    read3(&self.edges.first, &layout, -1),
                    read3(&self.edges.first, &layout, 0),
                    read3(&self.edges.second, &layout, -row),
                    read3(&self.edges.second, &layout, 0),
                ],
                self.edges.inverse_spacing,
                bending.shares(&layout),
                [
                    bending.star_stiffness[0].values(&layout),
                    bending.star_stiffness[1].values(&layout),
                    bending.star_rest[0].values(&layout),
                    bending.star_rest[1].values(&layout),
                    bending.star_smoothing.values(&layout),
                    bending.star_coupling.values(&layout),
                ],
                forces.each_mut().map(|f| write3(f, &layout)),
                weights.each_mut().map(|w| w.values_mut(&layout)),
                &mut self.energy,
            );
        }
        self.collect([(0, 1), (0, 0), (1, row), (1, 0)]);
    }

    /// Adds what the kernel gave for its four edges to the edges: the direction of each and where
    /// the cell or node lies to which it belongs.
    fn collect(&mut self, places: [(usize, isize); 4]) {
        let layout = self.edges.layout;
        for direction in 0..2 {
            let mut outputs = places
                .iter()
                .enumerate()
                .filter(|(_, (d, _))| *d == direction)
                .map(|(output, (_, shift))| (output, *shift));
            let (Some(one), Some(two)) = (outputs.next(), outputs.next()) else {
                continue;
            };
            let targets = if direction == 0 {
                &mut self.forces.first
            } else {
                &mut self.forces.second
            };
            for (component, target) in targets.iter_mut().enumerate() {
                add_two(
                    target.values_mut(&layout),
                    self.out.forces[one.0][component].shifted(&layout, one.1),
                    self.out.forces[two.0][component].shifted(&layout, two.1),
                );
            }
            add_two(
                self.forces.weights[direction].values_mut(&layout),
                self.out.weights[one.0].shifted(&layout, one.1),
                self.out.weights[two.0].shifted(&layout, two.1),
            );
        }
    }
}

#[cfg(test)]
#[path = "surface_lanes_tests.rs"]
mod tests;
