//! The exact primal energy of solids, cell by cell; see `solid_kernels.rs`.
//!
//! It gives what the terms of `primal.rs` give one by one, from one visit to the eight corners of a
//! cell.

use super::measure::{MeasureKind, TermView};
use super::solid_kernels::{Blocks, Cell, MASKS, MEASURES, PAIRS, Scales, block};
use super::terms::TermGroup;
use crate::energy::Curvature;
use crate::grid::Grid;
use crate::linear::BlockMatrix;
use crate::math::processor::for_this_processor;
use crate::math::vector::{PACK, Pack};
use glam::{DMat3, DVec3};
use std::collections::HashMap;

/// Where two corners of a cell are not coupled.
const NO_SLOT: u32 = u32::MAX;

/// The cells of a solid.
#[derive(Debug)]
pub(crate) struct SolidLanes {
    cells: Vec<Cell>,
    scales: Scales,
    /// Where each term of the groups has its stiffness and rest value.
    places: Vec<Place>,
    /// Where the blocks of each cell are in a matrix, by mask and corner.
    slots: Vec<[[u32; PACK]; MASKS.len()]>,
    /// The positions whose energy was asked for last, and that energy: a line search asks again.
    seen: Vec<DVec3>,
    energy: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Place {
    cell: u32,
    measure: u8,
    lane: u8,
}

impl SolidLanes {
    /// The cells of the terms of a solid; `None` if the grid is not one, or a term is not in a cell.
    pub(super) fn new(grid: &Grid, rest: &[DVec3], groups: &[Box<dyn TermGroup>]) -> Option<Self> {
        if grid.dimension() < 3 {
            return None;
        }
        let spacing = [0, 1, 2].map(|direction| grid.spacing(direction));
        let scales = Scales {
            edges: spacing.map(|h| 1.0 / (h * h)),
            pairs: PAIRS.map(|[i, j]| 1.0 / (spacing[i] * spacing[j])),
        };
        let mut cells: Vec<Cell> = grid.cells().filter_map(|at| cell_at(grid, at)).collect();
        for cell in &mut cells {
            let corners = cell.nodes.map(|node| rest[node as usize]);
            cell.scale = Pack::from_fn(|lane| {
                let [a, b, c] = [1, 2, 4].map(|bit| corners[lane ^ bit] - corners[lane]);
                let determinant = a.dot(b.cross(c));
                // A corner that is flat at rest has no volume.
                if determinant == 0.0 {
                    0.0
                } else {
                    1.0 / determinant
                }
            });
        }
        let mut known = known_places(&cells);
        let mut places = Vec::new();
        let mut all_known = true;
        for group in groups {
            group.describe(&mut |term| {
                // Each place is given away once: round a direction of two nodes, terms share their nodes.
                let Some(place) = key_of_term(&term).and_then(|key| known.remove(&key)) else {
                    all_known = false;
                    return;
                };
                places.push(place);
                let cell = &mut cells[place.cell as usize];
                cell.set(place, term.rest, term.stiffness);
            });
        }
        all_known.then_some(Self {
            cells,
            scales,
            places,
            slots: Vec::new(),
            seen: Vec::new(),
            energy: 0.0,
        })
    }

    /// Takes over rest values and stiffnesses in the order of the groups.
    pub(super) fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]) {
        self.seen.clear();
        for (&place, (&rest, &stiffness)) in self.places.iter().zip(rests.iter().zip(stiffnesses)) {
            self.cells[place.cell as usize].set(place, rest, stiffness);
        }
    }

    /// Finds the places of the blocks in a matrix.
    pub(super) fn attach(&mut self, matrix: &BlockMatrix) {
        let slots = self.cells.iter().map(|cell| {
            MASKS.map(|mask| {
                std::array::from_fn(|lane| {
                    let [row, column] = [lane, lane ^ mask].map(|at| cell.nodes[at] as usize);
                    matrix.slot(row, column).map_or(NO_SLOT, |slot| slot as u32)
                })
            })
        });
        self.slots = slots.collect();
    }

    /// Energy, in joules.
    pub(super) fn energy(&mut self, positions: &[DVec3]) -> f64 {
        if self.seen != positions {
            self.seen.clear();
            self.seen.extend_from_slice(positions);
            self.energy = 0.0;
            add_energy(&self.cells, &self.scales, positions, &mut self.energy);
        }
        self.energy
    }

    /// Adds the gradient, in newtons.
    pub(super) fn add_gradient(&self, positions: &[DVec3], gradient: &mut [DVec3]) {
        add_gradient(&self.cells, &self.scales, positions, gradient);
    }

    /// Adds the gradient, and the edge weights of the majorant, three of each node.
    pub(super) fn add_gradient_and_majorant(
        &self,
        positions: &[DVec3],
        gradient: &mut [DVec3],
        edge_weights: &mut [f64],
    ) {
        add_gradient_and_majorant(&self.cells, &self.scales, positions, gradient, edge_weights);
    }

    /// Adds the Hessian.
    pub(super) fn add_hessian(
        &self,
        positions: &[DVec3],
        curvature: Curvature,
        matrix: &mut BlockMatrix,
    ) {
        assert_eq!(self.slots.len(), self.cells.len());
        let cells = (&self.cells[..], &self.slots[..]);
        add_hessian(
            cells,
            &self.scales,
            positions,
            curvature,
            matrix.blocks_mut(),
        );
    }
}

impl Cell {
    fn set(&mut self, place: Place, rest: f64, stiffness: f64) {
        let (measure, lane) = (usize::from(place.measure), usize::from(place.lane));
        self.rests[measure].set_lane(lane, rest);
        self.stiffnesses[measure].set_lane(lane, stiffness);
    }
}

fn cell_at(grid: &Grid, coordinates: [usize; 3]) -> Option<Cell> {
    let mut nodes = [0; PACK];
    for (lane, node) in nodes.iter_mut().enumerate() {
        let step = [0, 1, 2].map(|direction| (lane >> direction & 1) as i32);
        *node = grid.neighbour(coordinates, step)? as u32;
    }
    Some(Cell {
        nodes,
        stiffnesses: [Pack::ZERO; MEASURES],
        rests: [Pack::ZERO; MEASURES],
        scale: Pack::ZERO,
    })
}

/// What a term is known by: its measure and its nodes.
type Key = (usize, [u32; 4]);

fn key(measure: usize, nodes: &[u32]) -> Key {
    let mut key = [u32::MAX; 4];
    key[..nodes.len()].copy_from_slice(nodes);
    (measure, key)
}

fn key_of_term(term: &TermView) -> Option<Key> {
    let direction = |edge: usize| term.edges[edge] as usize % 3;
    match term.kind {
        MeasureKind::Metric => Some(key(direction(0), term.nodes)),
        MeasureKind::Shear => {
            let pair = [direction(0), direction(1)];
            let pair = PAIRS.iter().position(|known| *known == pair)?;
            Some(key(3 + pair, term.nodes))
        }
        MeasureKind::Volume => Some(key(6, term.nodes)),
        _ => None,
    }
}

/// The first corner of a cell at which each measure is found.
fn known_places(cells: &[Cell]) -> HashMap<Key, Place> {
    let mut known = HashMap::new();
    for (index, cell) in cells.iter().enumerate() {
        for lane in 0..PACK {
            let corner = cell.nodes[lane];
            let ends = [1, 2, 4].map(|bit| cell.nodes[lane ^ bit]);
            let mut note = |measure: usize, nodes: &[u32]| {
                known.entry(key(measure, nodes)).or_insert(Place {
                    cell: index as u32,
                    measure: measure as u8,
                    lane: lane as u8,
                });
            };
            for i in 0..3 {
                if lane >> i & 1 == 0 {
                    note(i, &[corner, ends[i]]);
                }
                let [j, k] = PAIRS[i];
                note(3 + i, &[corner, ends[j], ends[k]]);
            }
            note(6, &[corner, ends[0], ends[1], ends[2]]);
        }
    }
    known
}

for_this_processor! {
    fn add_energy(cells: &[Cell], scales: &Scales, positions: &[DVec3], energy: &mut f64) {
        let mut sum = Pack::ZERO;
        for cell in cells {
            sum = sum + cell.energy(&cell.deformed(scales, positions));
        }
        *energy += sum.to_array().iter().sum::<f64>();
    }
}

for_this_processor! {
    fn add_gradient(cells: &[Cell], scales: &Scales, positions: &[DVec3], gradient: &mut [DVec3]) {
        for cell in cells {
            let found = cell.gradient(scales, &cell.deformed(scales, positions));
            scatter(cell, found, gradient);
        }
    }
}

for_this_processor! {
    fn add_gradient_and_majorant(cells: &[Cell], scales: &Scales, positions: &[DVec3], gradient: &mut [DVec3], weights: &mut [f64]) {
        for cell in cells {
            let deformed = cell.deformed(scales, positions);
            scatter(cell, cell.gradient(scales, &deformed), gradient);
            let found = cell.majorant(scales, &deformed);
            for (direction, found) in found.into_iter().enumerate() {
                for lane in (0..PACK).filter(|lane| lane >> direction & 1 == 0) {
                    weights[3 * cell.nodes[lane] as usize + direction] += found.lane(lane);
                }
            }
        }
    }
}

/// Adds what each corner of a cell has to its node.
#[inline(always)]
fn scatter(cell: &Cell, [x, y, z]: [Pack; 3], gradient: &mut [DVec3]) {
    for (lane, &node) in cell.nodes.iter().enumerate() {
        gradient[node as usize] += DVec3::new(x.lane(lane), y.lane(lane), z.lane(lane));
    }
}

/// Cells and the slots of their blocks.
type WithSlots<'a> = (&'a [Cell], &'a [[[u32; PACK]; MASKS.len()]]);

for_this_processor! {
    fn add_hessian(cells: WithSlots, scales: &Scales, positions: &[DVec3], curvature: Curvature, matrix: &mut [DMat3]) {
        let mut blocks: Blocks = [[Pack::ZERO; 9]; MASKS.len()];
        for (cell, slots) in cells.0.iter().zip(cells.1) {
            let deformed = cell.deformed(scales, positions);
            cell.take_blocks(scales, &deformed, curvature, &mut blocks);
            for (slots, of_mask) in slots.iter().zip(&blocks) {
                for (lane, &slot) in slots.iter().enumerate() {
                    if slot != NO_SLOT {
                        matrix[slot as usize] += block(of_mask, lane);
                    }
                }
            }
        }
    }
}
