//! Lists of terms, and the order in which they are summed.
//!
//! Threads must not change a single bit of a sum. The grid is therefore cut into slabs of whole
//! layers along its slowest direction; a term belongs to the slab of its lowest node and reaches
//! at most into the next one. All even slabs can then be summed at the same time without touching
//! each other, afterwards all odd ones, and at last the few terms that wrap round a periodic
//! direction. The slabs depend on the grid alone, never on the number of threads, and inside a
//! slab the order is fixed.

use super::measure::{Measure, Term, TermView};
use crate::energy::Curvature;
use crate::grid::Grid;
use crate::linear::BlockMatrix;
use glam::{DMat3, DVec3};
use rayon::prelude::*;
use std::ops::Range;

/// Below this number of nodes threads cost more than they bring.
const PARALLEL_NODES: usize = 4096;

/// Slabs have at least this many nodes.
const SLAB_NODES: usize = 512;

/// How the nodes of a grid are cut into slabs.
#[derive(Clone, Debug)]
pub struct Slabs {
    node_count: usize,
    nodes_per_slab: usize,
}

impl Slabs {
    /// Slabs of whole layers, at least two of them thick, since a term reaches two layers far.
    pub fn new(grid: &Grid) -> Self {
        let counts = grid.counts();
        let layer: usize = counts[..grid.dimension() - 1].iter().product();
        let layers = SLAB_NODES.div_ceil(layer).max(3);
        Self {
            node_count: grid.node_count(),
            nodes_per_slab: layer * layers,
        }
    }

    fn of(&self, nodes: &[u32]) -> Option<usize> {
        let lowest = *nodes.iter().min()? as usize / self.nodes_per_slab;
        let highest = *nodes.iter().max()? as usize / self.nodes_per_slab;
        (highest <= lowest + 1).then_some(lowest)
    }

    fn count(&self) -> usize {
        self.node_count.div_ceil(self.nodes_per_slab)
    }
}

/// What every list of terms can do, whatever its measure.
pub trait TermGroup: Send + Sync + std::fmt::Debug {
    /// Sum of the energies, in joules.
    fn energy(&self, positions: &[DVec3]) -> f64;

    /// Adds the gradient of the energy, in newtons.
    fn add_gradient(&self, positions: &[DVec3], gradient: &mut [DVec3]);

    /// Adds the gradient and the edge weights of the majorant, one for each node and direction.
    fn add_gradient_and_majorant(
        &self,
        positions: &[DVec3],
        gradient: &mut [DVec3],
        edge_weights: &mut [f64],
    );

    /// Calls `add(i, j, value)` for the entries of the majorant that do not change.
    fn constant_majorant(&self, add: &mut dyn FnMut(usize, usize, f64));

    /// Calls `couple(i, j)` for every pair of nodes that a term joins.
    fn couplings(&self, couple: &mut dyn FnMut(usize, usize));

    /// Finds the places of the terms' blocks in the matrix, once.
    fn prepare_hessian(&mut self, matrix: &BlockMatrix);

    /// Adds the Hessian of the energy. `prepare_hessian` comes first.
    fn add_hessian(&self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix);

    /// Calls `visit` with every term, always in the same order.
    fn describe(&self, visit: &mut dyn FnMut(TermView));

    /// The measure s of every term, in the order of `describe`.
    fn measure(&self, positions: &[DVec3], values: &mut [f64]);

    /// Replaces rest values and stiffnesses, in the order of `describe`.
    fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]);

    /// Number of terms.
    fn len(&self) -> usize;

    /// Whether there are no terms.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// Terms with the same kind of measure, sorted by slab.
pub struct TermList<M, const N: usize, const E: usize> {
    terms: Vec<Term<M, N, E>>,
    /// Terms of each slab; the last range holds those that wrap round.
    ranges: Vec<Range<usize>>,
    slabs: Slabs,
    /// Slots of the term's blocks in the matrix, N * N a term.
    slots: Vec<u32>,
}

impl<M, const N: usize, const E: usize> std::fmt::Debug for TermList<M, N, E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "TermList({} terms of {N} nodes)", self.terms.len())
    }
}

impl<M: Measure<N, E> + 'static, const N: usize, const E: usize> TermList<M, N, E> {
    /// Sorts the terms into the slabs of their grid. Terms without stiffness are left out.
    pub fn new(slabs: &Slabs, terms: Vec<Term<M, N, E>>) -> Self {
        let slab_count = slabs.count();
        let mut sorted: Vec<(usize, Term<M, N, E>)> = terms
            .into_iter()
            .filter(|term| term.stiffness != 0.0)
            .map(|term| (slabs.of(&term.nodes).unwrap_or(slab_count), term))
            .collect();
        sorted.sort_by_key(|(slab, _)| *slab);
        let mut ranges = vec![0..0; slab_count + 1];
        for (position, (slab, _)) in sorted.iter().enumerate() {
            let range = &mut ranges[*slab];
            if range.start == range.end {
                *range = position..position + 1;
            } else {
                range.end = position + 1;
            }
        }
        Self {
            terms: sorted.into_iter().map(|(_, term)| term).collect(),
            ranges,
            slabs: slabs.clone(),
            slots: Vec::new(),
        }
    }

    /// The list as a group, or nothing if it is empty.
    pub fn into_group(self) -> Option<Box<dyn TermGroup>> {
        (!self.terms.is_empty()).then(|| Box::new(self) as Box<dyn TermGroup>)
    }

    /// Runs `visit` over the terms of every slab with the part of `nodal` (`width` values per node)
    /// that the slab may touch and the first node of that part.
    fn visit<A, B>(
        &self,
        first: &mut [A],
        second: &mut [B],
        second_width: usize,
        visit: impl Fn(&Term<M, N, E>, &mut [A], &mut [B], usize) + Sync,
    ) where
        A: Send,
        B: Send,
    {
        let nodes_per_slab = self.slabs.nodes_per_slab;
        let slab_count = self.slabs.count();
        for parity in 0..2 {
            let start = (parity * nodes_per_slab).min(first.len());
            let window = |number: usize| {
                let slab = 2 * number + parity;
                (
                    slab * nodes_per_slab,
                    self.ranges.get(slab).filter(|_| slab < slab_count),
                )
            };
            let run = |(number, (a, b)): (usize, (&mut [A], &mut [B]))| {
                let (base, range) = window(number);
                if let Some(range) = range {
                    for term in &self.terms[range.clone()] {
                        visit(term, a, b, base);
                    }
                }
            };
            let a = &mut first[start..];
            let b_start = (start * second_width).min(second.len());
            let b = &mut second[b_start..];
            let (a_chunk, b_chunk) = (2 * nodes_per_slab, 2 * nodes_per_slab * second_width.max(1));
            if self.slabs.node_count >= PARALLEL_NODES && second_width > 0 {
                a.par_chunks_mut(a_chunk)
                    .zip(b.par_chunks_mut(b_chunk))
                    .enumerate()
                    .for_each(run);
            } else if self.slabs.node_count >= PARALLEL_NODES {
                a.par_chunks_mut(a_chunk)
                    .enumerate()
                    .for_each(|(number, a)| run((number, (a, &mut []))));
            } else if second_width > 0 {
                a.chunks_mut(a_chunk)
                    .zip(b.chunks_mut(b_chunk))
                    .enumerate()
                    .for_each(run);
            } else {
                a.chunks_mut(a_chunk)
                    .enumerate()
                    .for_each(|(number, a)| run((number, (a, &mut []))));
            }
        }
        if let Some(range) = self.ranges.last() {
            for term in &self.terms[range.clone()] {
                visit(term, first, second, 0);
            }
        }
    }
}

impl<M: Measure<N, E> + 'static, const N: usize, const E: usize> TermGroup for TermList<M, N, E> {
    fn energy(&self, positions: &[DVec3]) -> f64 {
        self.terms.iter().map(|term| term.energy(positions)).sum()
    }

    fn add_gradient(&self, positions: &[DVec3], gradient: &mut [DVec3]) {
        self.visit::<DVec3, f64>(gradient, &mut [], 0, |term, gradient, _, base| {
            let (value, derivative) = term.measure.gradient(&term.gather(positions));
            let force = term.stiffness * (value - term.rest);
            for (node, by_node) in term.nodes.iter().zip(derivative) {
                gradient[*node as usize - base] += force * by_node;
            }
        });
    }

    fn add_gradient_and_majorant(
        &self,
        positions: &[DVec3],
        gradient: &mut [DVec3],
        edge_weights: &mut [f64],
    ) {
        self.visit(
            gradient,
            edge_weights,
            3,
            |term, gradient, weights, base| {
                let nodes = term.gather(positions);
                let (value, derivative) = term.measure.gradient(&nodes);
                let residual = value - term.rest;
                let force = term.stiffness * residual;
                for (node, by_node) in term.nodes.iter().zip(derivative) {
                    gradient[*node as usize - base] += force * by_node;
                }
                let majorant = term.measure.majorant(&nodes, residual);
                for (edge, weight) in term.edges.iter().zip(majorant) {
                    weights[*edge as usize - 3 * base] += term.stiffness * weight;
                }
            },
        );
    }

    fn constant_majorant(&self, add: &mut dyn FnMut(usize, usize, f64)) {
        for term in &self.terms {
            let Some(q) = term.measure.constant_majorant() else {
                return;
            };
            for i in 0..N {
                for j in 0..N {
                    let value = term.stiffness * q[i] * q[j];
                    if value != 0.0 {
                        add(term.nodes[i] as usize, term.nodes[j] as usize, value);
                    }
                }
            }
        }
    }

    fn couplings(&self, couple: &mut dyn FnMut(usize, usize)) {
        for term in &self.terms {
            for i in term.nodes {
                for j in term.nodes {
                    couple(i as usize, j as usize);
                }
            }
        }
    }

    fn prepare_hessian(&mut self, matrix: &BlockMatrix) {
        self.slots.clear();
        for term in &self.terms {
            for i in term.nodes {
                for j in term.nodes {
                    match matrix.slot(i as usize, j as usize) {
                        Some(slot) => self.slots.push(slot as u32),
                        None => panic!("nodes {i} and {j} are not coupled"),
                    }
                }
            }
        }
    }

    fn add_hessian(&self, positions: &[DVec3], curvature: Curvature, matrix: &mut BlockMatrix) {
        for (term, slots) in self.terms.iter().zip(self.slots.chunks_exact(N * N)) {
            let nodes = term.gather(positions);
            let (value, gradient) = term.measure.gradient(&nodes);
            let residual = value - term.rest;
            let second = term.measure.second_derivative(&nodes, residual, curvature);
            for i in 0..N {
                for j in 0..N {
                    let (u, v) = (gradient[i], gradient[j]);
                    let square = DMat3::from_cols(u * v.x, u * v.y, u * v.z);
                    matrix.add_at(
                        slots[i * N + j] as usize,
                        (square + second[i][j]) * term.stiffness,
                    );
                }
            }
        }
    }

    fn describe(&self, visit: &mut dyn FnMut(TermView)) {
        for term in &self.terms {
            visit(TermView {
                kind: term.measure.kind(),
                nodes: &term.nodes,
                edges: &term.edges,
                stiffness: term.stiffness,
                rest: term.rest,
            });
        }
    }

    fn measure(&self, positions: &[DVec3], values: &mut [f64]) {
        for (term, value) in self.terms.iter().zip(values) {
            *value = term.measure.value(&term.gather(positions));
        }
    }

    fn adopt(&mut self, rests: &[f64], stiffnesses: &[f64]) {
        for (term, (rest, stiffness)) in self.terms.iter_mut().zip(rests.iter().zip(stiffnesses)) {
            (term.rest, term.stiffness) = (*rest, *stiffness);
        }
    }

    fn len(&self) -> usize {
        self.terms.len()
    }
}
