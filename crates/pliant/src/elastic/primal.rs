//! The primal energy of curves, surfaces and solids, exact variant: its terms on a grid.
//!
//! ```text
//! curve:    E = Σ ½ w¹ (|x_u| - |x_u|⁰)² + ½ w² (κ - κ⁰)² + ½ w³ (τ - τ⁰)²
//! surface:  E = Σ ¼ Σ_ij w¹_ij (G_ij - G_ij⁰)² + ½ Σ_ij w²_ij (B_ij - B_ij⁰)²
//! solid:    E = Σ ¼ Σ_ij w¹_ij (G_ij - G_ij⁰)² + ½ v (J - 1)²
//! ```
//!
//! The sums run over the nodes, as eq. 35 and 37 of the paper have it: mass, damping, tension and
//! force are densities over the material, and a node stands for one unit of it. The factors ¼ and
//! ½ are chosen so that the elastic force of a stretched body is that of eq. 26 for the same
//! weights.
//!
//! Cells share their weight among their corners; a node at a free edge of the grid therefore has
//! half the weight (a quarter at a corner), which makes the sums second-order accurate. Weights
//! that vary over the material are averaged over the nodes of a term. Where the weights couple bending along
//! with bending across (`Weights::poisson`), a node with all neighbours has B_11 + γ B_22 in place of B_11
//! (`Weights::coupled_rigidity`); one at a free edge bends across as no moment there says.
//!
//! Implements: \[Terzopoulos1988\] eq. 8, 9, 10, 25.

mod curve;

use super::measure::{Measure, MeasureKind, Term};
use super::metric::{CornerMetric, EdgeMetric};
use super::normal_curvature::{NormalCurvature, NormalPattern};
use super::terms::{Slabs, TermGroup, TermList};
use super::volume::SignedVolume;
use super::weights::Weights;
use crate::grid::Grid;
use glam::DVec3;
use std::sync::Arc;

/// Builds the terms of the exact primal energy.
pub fn primal_terms(grid: &Grid, rest: &[DVec3], weights: &Weights) -> Vec<Box<dyn TermGroup>> {
    let builder = Builder {
        grid,
        rest,
        weights,
        slabs: Slabs::new(grid),
    };
    match grid.dimension() {
        1 => builder.curve(),
        2 => builder.surface(),
        _ => builder.solid(),
    }
    .into_iter()
    .flatten()
    .collect()
}

struct Builder<'a> {
    grid: &'a Grid,
    rest: &'a [DVec3],
    weights: &'a Weights,
    slabs: Slabs,
}

type Groups = Vec<Option<Box<dyn TermGroup>>>;

/// The unit step in a direction, forwards or backwards.
fn step(direction: usize, sign: i32) -> [i32; 3] {
    let mut step = [0; 3];
    step[direction] = sign;
    step
}

impl Builder<'_> {
    fn list<M: Measure<N, E> + 'static, const N: usize, const E: usize>(
        &self,
        terms: Vec<Term<M, N, E>>,
    ) -> Option<Box<dyn TermGroup>> {
        TermList::new(&self.slabs, terms).into_group()
    }

    /// A term whose rest value is that of the rest shape.
    fn term<M: Measure<N, E>, const N: usize, const E: usize>(
        &self,
        nodes: [usize; N],
        edges: [u32; E],
        measure: M,
        stiffness: f64,
    ) -> Term<M, N, E> {
        let rest = measure.value(&nodes.map(|node| self.rest[node]));
        Term {
            nodes: nodes.map(|node| node as u32),
            edges,
            measure,
            stiffness,
            rest,
        }
    }

    /// Mean over nodes of a weight.
    fn mean<const N: usize>(&self, nodes: [usize; N], weight: impl Fn(usize) -> f64) -> f64 {
        nodes.iter().map(|&node| weight(node)).sum::<f64>() / N as f64
    }

    /// The edge that leaves `coordinates` in a direction, as the majorant counts edges.
    fn edge(&self, coordinates: [usize; 3], direction: usize, sign: i32) -> u32 {
        let lower = if sign > 0 {
            self.grid.index(coordinates)
        } else {
            self.grid
                .neighbour(coordinates, step(direction, -1))
                .unwrap_or(self.grid.index(coordinates))
        };
        (3 * lower + direction) as u32
    }

    /// Share of the cells round an edge, face or node that exist, looking only at `directions`:
    /// 1 inside the grid, halved for each direction in which it lies on a free boundary.
    fn share(&self, coordinates: [usize; 3], directions: impl Iterator<Item = usize>) -> f64 {
        directions
            .map(|direction| {
                let count = self.grid.counts()[direction];
                let at_end = coordinates[direction] == 0 || coordinates[direction] + 1 == count;
                if at_end && !self.grid.periodic()[direction] {
                    0.5
                } else {
                    1.0
                }
            })
            .product()
    }

    fn others(&self, excluded: &[usize]) -> impl Iterator<Item = usize> + use<> {
        let excluded = excluded.to_vec();
        (0..self.grid.dimension()).filter(move |d| !excluded.contains(d))
    }

    /// G_ii on every edge.
    fn edge_metrics(&self) -> Option<Box<dyn TermGroup>> {
        let mut terms = Vec::new();
        for coordinates in self.grid.nodes() {
            for direction in 0..self.grid.dimension() {
                let Some(end) = self.grid.neighbour(coordinates, step(direction, 1)) else {
                    continue;
                };
                let nodes = [self.grid.index(coordinates), end];
                let h = self.grid.spacing(direction);
                let tension = self.mean(nodes, |n| self.weights.tension(n, direction, direction));
                terms.push(self.term(
                    nodes,
                    [self.edge(coordinates, direction, 1)],
                    EdgeMetric {
                        scale: 1.0 / (h * h),
                    },
                    0.5 * tension * self.share(coordinates, self.others(&[direction])),
                ));
            }
        }
        self.list(terms)
    }

    /// G_ij at every corner of every cell.
    fn corner_metrics(&self) -> Option<Box<dyn TermGroup>> {
        let mut terms = Vec::new();
        for coordinates in self.grid.nodes() {
            let corner = self.grid.index(coordinates);
            for (i, j) in [(0, 1), (0, 2), (1, 2)] {
                if j >= self.grid.dimension() {
                    continue;
                }
                let area = self.grid.spacing(i) * self.grid.spacing(j);
                let tension =
                    0.5 * (self.weights.tension(corner, i, j) + self.weights.tension(corner, j, i));
                for (sign_i, sign_j) in [(1, 1), (1, -1), (-1, 1), (-1, -1)] {
                    let ends = (
                        self.grid.neighbour(coordinates, step(i, sign_i)),
                        self.grid.neighbour(coordinates, step(j, sign_j)),
                    );
                    let (Some(first), Some(second)) = ends else {
                        continue;
                    };
                    terms.push(self.term(
                        [corner, first, second],
                        [
                            self.edge(coordinates, i, sign_i),
                            self.edge(coordinates, j, sign_j),
                        ],
                        CornerMetric {
                            scale: f64::from(sign_i * sign_j) / area,
                        },
                        0.25 * tension * self.share(coordinates, self.others(&[i, j])),
                    ));
                }
            }
        }
        self.list(terms)
    }

    fn surface(&self) -> Groups {
        vec![
            self.edge_metrics(),
            self.corner_metrics(),
            self.bending(),
            self.twisting(),
        ]
    }

    /// B_11 and B_22 at every node that has both neighbours in that direction.
    fn bending(&self) -> Option<Box<dyn TermGroup>> {
        let mut patterns: Vec<Arc<NormalPattern<5>>> = Vec::new();
        let mut terms = Vec::new();
        for coordinates in self.grid.nodes() {
            let centre = self.grid.index(coordinates);
            let around: [Option<usize>; 4] = [(0, -1), (0, 1), (1, -1), (1, 1)]
                .map(|(direction, sign)| self.grid.neighbour(coordinates, step(direction, sign)));
            for direction in 0..2 {
                let (before, after) = (around[2 * direction], around[2 * direction + 1]);
                let is_whole = around.iter().all(Option::is_some);
                let (rigidity, coupling) = match direction == 0 && is_whole {
                    true => self.weights.coupled_rigidity(centre),
                    false => (self.weights.rigidity(centre, direction, direction), 0.0),
                };
                if before.is_none() || after.is_none() || rigidity == 0.0 {
                    continue;
                }
                let pattern = self.bending_pattern(around.map(|node| node.is_some()), direction);
                let pattern = match patterns.iter().find(|known| ***known == pattern) {
                    Some(known) => Arc::clone(known),
                    None => {
                        patterns.push(Arc::new(pattern));
                        Arc::clone(&patterns[patterns.len() - 1])
                    }
                };
                let nodes = [
                    centre,
                    around[0].unwrap_or(centre),
                    around[1].unwrap_or(centre),
                    around[2].unwrap_or(centre),
                    around[3].unwrap_or(centre),
                ];
                let edges = [(0, -1), (0, 1), (1, -1), (1, 1)]
                    .map(|(direction, sign)| self.edge(coordinates, direction, sign));
                let share = self.share(coordinates, self.others(&[direction]));
                let rest = nodes.map(|node| self.rest[node]);
                let measure = NormalCurvature::new(pattern, coupling, &rest);
                terms.push(self.term(nodes, edges, measure, rigidity * share));
            }
        }
        self.list(terms)
    }

    /// Nodes: centre, before and after in the first direction, before and after in the second.
    /// A tangent is a central difference, one-sided where a neighbour is missing.
    fn bending_pattern(&self, exists: [bool; 4], direction: usize) -> NormalPattern<5> {
        let mut tangents = [[0.0; 5]; 2];
        let mut edge_shares = [0.0; 4];
        for d in 0..2 {
            let h = self.grid.spacing(d);
            let (before, after) = (exists[2 * d], exists[2 * d + 1]);
            let tangent = &mut tangents[d];
            match (before, after) {
                (true, true) => {
                    tangent[2 * d + 1] = -0.5 / h;
                    tangent[2 * d + 2] = 0.5 / h;
                    edge_shares[2 * d] = 0.5 / (h * h);
                    edge_shares[2 * d + 1] = 0.5 / (h * h);
                }
                (false, true) => {
                    tangent[0] = -1.0 / h;
                    tangent[2 * d + 2] = 1.0 / h;
                    edge_shares[2 * d + 1] = 1.0 / (h * h);
                }
                _ => {
                    tangent[0] = 1.0 / h;
                    tangent[2 * d + 1] = -1.0 / h;
                    edge_shares[2 * d] = 1.0 / (h * h);
                }
            }
        }
        let h = self.grid.spacing(direction);
        let difference = |direction: usize| {
            let h = self.grid.spacing(direction);
            let mut difference = [0.0; 5];
            difference[0] = -2.0 / (h * h);
            difference[2 * direction + 1] = 1.0 / (h * h);
            difference[2 * direction + 2] = 1.0 / (h * h);
            difference
        };
        let shares = |direction: usize| {
            std::array::from_fn(|edge| match edge / 2 == direction {
                true => 2.0 / self.grid.spacing(direction).powi(4),
                false => 0.0,
            })
        };
        NormalPattern {
            kind: MeasureKind::Bending(direction as u8),
            first: tangents[0],
            second: tangents[1],
            difference: difference(direction),
            edge_shares,
            difference_shares: shares(direction),
            other_difference: difference(1 - direction),
            other_shares: shares(1 - direction),
            balance: std::f64::consts::SQRT_2 / h,
        }
    }

    /// B_12 in every cell.
    fn twisting(&self) -> Option<Box<dyn TermGroup>> {
        let (h1, h2) = (self.grid.spacing(0), self.grid.spacing(1));
        let pattern = Arc::new(NormalPattern {
            kind: MeasureKind::Twisting,
            first: [-0.5 / h1, 0.5 / h1, -0.5 / h1, 0.5 / h1],
            second: [-0.5 / h2, -0.5 / h2, 0.5 / h2, 0.5 / h2],
            difference: [1.0, -1.0, -1.0, 1.0].map(|sign: f64| sign / (h1 * h2)),
            edge_shares: [
                0.5 / (h1 * h1),
                0.5 / (h1 * h1),
                0.5 / (h2 * h2),
                0.5 / (h2 * h2),
            ],
            // d is the difference of one pair of edges as well as of the other.
            difference_shares: [1.0 / (h1 * h2).powi(2); 4],
            other_difference: [0.0; 4],
            other_shares: [0.0; 4],
            balance: (2.0 / (h1 * h2)).sqrt(),
        });
        let mut terms = Vec::new();
        for coordinates in self.grid.cells() {
            let corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
                .map(|s| self.grid.neighbour(coordinates, s));
            let [Some(a), Some(b), Some(c), Some(d)] = corners else {
                continue;
            };
            let nodes = [a, b, c, d];
            let rigidity = self.mean(nodes, |n| {
                self.weights.rigidity(n, 0, 1) + self.weights.rigidity(n, 1, 0)
            });
            let edges = [3 * a, 3 * c, 3 * a + 1, 3 * b + 1].map(|edge| edge as u32);
            let rest = nodes.map(|node| self.rest[node]);
            let measure = NormalCurvature::new(Arc::clone(&pattern), 0.0, &rest);
            terms.push(self.term(nodes, edges, measure, rigidity));
        }
        self.list(terms)
    }

    fn solid(&self) -> Groups {
        vec![self.edge_metrics(), self.corner_metrics(), self.volumes()]
    }

    /// The volume ratio J at the eight corners of every cell.
    fn volumes(&self) -> Option<Box<dyn TermGroup>> {
        let mut terms = Vec::new();
        for coordinates in self.grid.nodes() {
            let corner = self.grid.index(coordinates);
            for signs in 0..8 {
                let sign = |d: usize| if signs >> d & 1 == 0 { 1 } else { -1 };
                let ends = [0, 1, 2].map(|d| self.grid.neighbour(coordinates, step(d, sign(d))));
                let [Some(a), Some(b), Some(c)] = ends else {
                    continue;
                };
                let nodes = [corner, a, b, c];
                let unscaled = SignedVolume {
                    scale: 1.0,
                    chain: false,
                };
                let determinant = unscaled.value(&nodes.map(|node| self.rest[node]));
                let stiffness = self.volume_stiffness(nodes) / 8.0;
                terms.push(self.term(
                    nodes,
                    [0, 1, 2].map(|d| self.edge(coordinates, d, sign(d))),
                    SignedVolume {
                        scale: 1.0 / determinant,
                        chain: false,
                    },
                    stiffness,
                ));
            }
        }
        self.list(terms)
    }

    /// The volume weight in the units of an energy: `volume` times the mean of w_ii G_ii², the
    /// stiffness against stretching.
    fn volume_stiffness(&self, [corner, ends @ ..]: [usize; 4]) -> f64 {
        let stretch: f64 = ends
            .iter()
            .enumerate()
            .map(|(d, &end)| {
                let h = self.grid.spacing(d);
                let metric = (self.rest[end] - self.rest[corner]).length_squared() / (h * h);
                self.weights.tension(corner, d, d) * metric * metric
            })
            .sum();
        self.weights.volume * stretch / 3.0
    }
}
