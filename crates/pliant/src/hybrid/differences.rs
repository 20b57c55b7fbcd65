//! The differences of a hybrid body as a list, to flow one by one.
//!
//! ```text
//! K Δr = Σ D ᵀ f w D p
//! ```
//!
//! What becomes permanent is a share f of each difference D p of the pull p, not of p itself: a node
//! far from the centre of the frame has a large displacement without being strained. Where f is the
//! same everywhere, Δr = f p. Where it varies the differences f D p do not fit together, and Δr is
//! the field whose own differences are nearest to them in energy. Then the elastic force falls from
//! K p to Σ Dᵀ (1 - f) w D p, as if each spring had flowed by itself.
//!
//! Solved by conjugate gradients from f p, which is right but where f changes. Differences of order 1
//! decide; those of order 2 only where there are none, since they join more nodes and converge slowly.
//!
//! Symbols: p and Δr in m, w weights in N/m, f from 0 to 1.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.4, the flow of the reference shape.

use super::weights::{PAIRS, SplineWeights, cell, edge, line};
use crate::grid::Grid;
use crate::linear::{Goal, LinearError, Passes, Recurrence};
use glam::DVec3;

/// Most iterations, and the share of the force that may be left.
const MOST_ITERATIONS: usize = 40;
const TOLERANCE: f64 = 1e-2;

/// The share of what was left at first that is rounding.
const ROUNDING: f64 = 1e-20;

/// A difference D, with its weight.
trait Difference {
    fn weight(&self) -> f64;

    /// D of a field.
    fn of(&self, field: &[DVec3]) -> DVec3;

    /// Adds Dᵀ of a value to a field.
    fn spread(&self, value: DVec3, field: &mut [DVec3]);

    /// The mean over its nodes.
    fn mean(&self, nodal: &[f64]) -> f64;
}

/// A difference of order 1: that of two neighbours.
#[derive(Clone, Copy, Debug)]
struct First {
    nodes: [u32; 2],
    weight: f64,
}

/// A difference of order 2.
#[derive(Clone, Copy, Debug)]
struct Second {
    nodes: [u32; 4],
    factors: [f64; 4],
    count: usize,
    weight: f64,
}

/// All differences with weight, and memory to solve for flow.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    first: Vec<First>,
    /// Empty if there are differences of order 1.
    second: Vec<Second>,
    diagonal: Vec<f64>,
    residual: Vec<DVec3>,
    direction: Vec<DVec3>,
    image: Vec<DVec3>,
    stamp: Option<u64>,
}

impl Differences {
    /// Takes in weights, if their stamp is new.
    pub(crate) fn refill(&mut self, grid: &Grid, weights: &SplineWeights, stamp: u64) {
        if self.stamp == Some(stamp) {
            return;
        }
        self.stamp = Some(stamp);
        self.first.clear();
        self.second.clear();
        for (node, at) in grid.nodes().enumerate() {
            for d in 0..grid.dimension() {
                let weight = weights.first[node][d] / grid.spacing(d).powi(2);
                if let Some(span) = edge(grid, at, d)
                    && weight > 0.0
                {
                    let nodes = span.map(|node| node as u32);
                    self.first.push(First { nodes, weight });
                }
            }
        }
        if self.first.is_empty() {
            self.add_second(grid, weights);
        }
        self.diagonal.clear();
        self.diagonal.resize(grid.node_count(), 0.0);
        for First { nodes, weight } in &self.first {
            nodes
                .iter()
                .for_each(|&node| self.diagonal[node as usize] += weight);
        }
        for difference in &self.second {
            for (node, factor) in difference.terms() {
                self.diagonal[node] += difference.weight * factor * factor;
            }
        }
    }

    fn add_second(&mut self, grid: &Grid, weights: &SplineWeights) {
        for (node, at) in grid.nodes().enumerate() {
            for d in 0..grid.dimension() {
                let weight = weights.second[node][d] / grid.spacing(d).powi(4);
                self.add(line(grid, at, d), [1.0, -2.0, 1.0], weight);
            }
            for (pair, (a, b)) in PAIRS.into_iter().enumerate() {
                if b < grid.dimension() {
                    let area = grid.spacing(a) * grid.spacing(b);
                    let weight = 2.0 * weights.mixed[node][pair] / (area * area);
                    self.add(cell(grid, at, a, b), [1.0, -1.0, -1.0, 1.0], weight);
                }
            }
        }
    }

    fn add<const N: usize>(&mut self, span: Option<[usize; N]>, factors: [f64; N], weight: f64) {
        if let Some(span) = span
            && weight > 0.0
        {
            let mut difference = Second {
                nodes: [span[0] as u32; 4],
                factors: [0.0; 4],
                count: N,
                weight,
            };
            for (k, (node, factor)) in span.into_iter().zip(factors).enumerate() {
                (difference.nodes[k], difference.factors[k]) = (node as u32, factor);
            }
            self.second.push(difference);
        }
    }

    /// Replaces f p, at the nodes of `flow`, by Δr; `shares` are f and `pull` is p.
    pub(crate) fn flow(&mut self, shares: &[f64], pull: &[DVec3], flow: &mut [DVec3]) {
        let n = flow.len();
        for list in [&mut self.residual, &mut self.direction, &mut self.image] {
            list.clear();
            list.resize(n, DVec3::ZERO);
        }
        let size = match self.second.is_empty() {
            true => pull_of(&self.first, (shares, pull), flow, &mut self.residual),
            false => pull_of(&self.second, (shares, pull), flow, &mut self.residual),
        };
        let left = self.left();
        let mut recurrence = Recurrence::new([left]);
        let goal = Goal {
            residual: (TOLERANCE * TOLERANCE * size).max(ROUNDING * left).sqrt(),
            iterations: MOST_ITERATIONS,
        };
        // What no difference resists ends the iteration; the flow so far is as good as any.
        let _ = recurrence.run(
            &mut Flow {
                differences: self,
                flow,
                left,
            },
            goal,
        );
    }

    /// r r / diagonal, which is about the energy that is left to flow.
    fn left(&self) -> f64 {
        let terms = self.residual.iter().zip(&self.diagonal);
        let terms = terms.filter(|(_, d)| **d > 0.0);
        terms.map(|(r, d)| r.length_squared() / d).sum()
    }
}

/// Adds Dᵀ w (f D p - D Δr) to the residual, with f and p; gives Σ w |f D p|².
fn pull_of<D: Difference>(
    list: &[D],
    (shares, pull): (&[f64], &[DVec3]),
    flow: &[DVec3],
    residual: &mut [DVec3],
) -> f64 {
    let mut size = 0.0;
    for difference in list {
        let wanted = difference.mean(shares) * difference.of(pull);
        let weight = difference.weight();
        difference.spread(weight * (wanted - difference.of(flow)), residual);
        size += weight * wanted.length_squared();
    }
    size
}

/// Adds Dᵀ w D p to the image of a direction p; gives Σ w |D p|².
fn stiffness_of<D: Difference>(list: &[D], direction: &[DVec3], image: &mut [DVec3]) -> f64 {
    let mut stiffness = 0.0;
    for difference in list {
        let of_direction = difference.of(direction);
        difference.spread(difference.weight() * of_direction, image);
        stiffness += difference.weight() * of_direction.length_squared();
    }
    stiffness
}

/// The iteration for a flow, preconditioned by the diagonal.
struct Flow<'a> {
    differences: &'a mut Differences,
    flow: &'a mut [DVec3],
    /// [`Differences::left`].
    left: f64,
}

impl Passes<1> for Flow<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        Ok([self.left])
    }

    fn advance(&mut self, _alpha: [f64; 1], [beta]: [f64; 1]) {
        let differences = &mut *self.differences;
        for (node, direction) in differences.direction.iter_mut().enumerate() {
            if differences.diagonal[node] > 0.0 {
                *direction =
                    differences.residual[node] / differences.diagonal[node] + beta * *direction;
            }
        }
    }

    fn multiply(&mut self) -> [f64; 1] {
        let differences = &mut *self.differences;
        differences.image.fill(DVec3::ZERO);
        let (direction, image) = (&differences.direction, &mut differences.image);
        [match differences.second.is_empty() {
            true => stiffness_of(&differences.first, direction, image),
            false => stiffness_of(&differences.second, direction, image),
        }]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        let differences = &mut *self.differences;
        let nodes = self.flow.iter_mut().zip(&mut differences.residual);
        let ways = differences.direction.iter().zip(&differences.image);
        for ((flow, residual), (direction, image)) in nodes.zip(ways) {
            *flow += alpha * *direction;
            *residual -= alpha * *image;
        }
        self.left = differences.left();
        [self.left]
    }
}

impl Difference for First {
    #[inline(always)]
    fn weight(&self) -> f64 {
        self.weight
    }

    #[inline(always)]
    fn of(&self, field: &[DVec3]) -> DVec3 {
        field[self.nodes[1] as usize] - field[self.nodes[0] as usize]
    }

    #[inline(always)]
    fn spread(&self, value: DVec3, field: &mut [DVec3]) {
        field[self.nodes[0] as usize] -= value;
        field[self.nodes[1] as usize] += value;
    }

    #[inline(always)]
    fn mean(&self, nodal: &[f64]) -> f64 {
        (nodal[self.nodes[0] as usize] + nodal[self.nodes[1] as usize]) / 2.0
    }
}

impl Second {
    #[inline]
    fn terms(&self) -> impl Iterator<Item = (usize, f64)> {
        let nodes = self.nodes[..self.count].iter();
        nodes
            .zip(self.factors)
            .map(|(&node, factor)| (node as usize, factor))
    }
}

impl Difference for Second {
    fn weight(&self) -> f64 {
        self.weight
    }

    #[inline]
    fn of(&self, field: &[DVec3]) -> DVec3 {
        self.terms()
            .map(|(node, factor)| factor * field[node])
            .sum()
    }

    #[inline]
    fn spread(&self, value: DVec3, field: &mut [DVec3]) {
        for (node, factor) in self.terms() {
            field[node] += factor * value;
        }
    }

    fn mean(&self, nodal: &[f64]) -> f64 {
        self.terms().map(|(node, _)| nodal[node]).sum::<f64>() / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::super::weights::NodeWeights;
    use super::*;

    fn sheet() -> (Grid, Differences) {
        let grid = Grid::new(&[9, 8], &[false; 2]);
        let weights = SplineWeights::from_nodes(&grid, |_| NodeWeights {
            first: [1.0; 3],
            ..NodeWeights::default()
        });
        let mut differences = Differences::default();
        differences.refill(&grid, &weights, 1);
        (grid, differences)
    }

    fn flow_of(shares: &[f64], pull: &[DVec3], differences: &mut Differences) -> Vec<DVec3> {
        let mut flow: Vec<DVec3> = shares.iter().zip(pull).map(|(f, p)| *f * *p).collect();
        differences.flow(shares, pull, &mut flow);
        flow
    }

    #[test]
    fn an_even_share_flows_as_it_is_and_a_shift_does_not_flow() {
        let (grid, mut differences) = sheet();
        let pull: Vec<DVec3> = grid
            .nodes()
            .map(|at| DVec3::new((at[0] * at[1]) as f64, at[1] as f64, 1.0))
            .collect();
        let even = flow_of(&[0.3; 72], &pull, &mut differences);
        assert_eq!(even, pull.iter().map(|p| 0.3 * *p).collect::<Vec<_>>());
        // A pull that is the same everywhere strains nothing, however the shares vary.
        let shares: Vec<f64> = (0..72).map(|i| 0.5 + 0.5 * f64::from(i).sin()).collect();
        let shifted = flow_of(&shares, &[DVec3::new(5.0, -1.0, 2.0); 72], &mut differences);
        let spread = shifted.iter().map(|f| f.distance(shifted[0]));
        assert!(spread.fold(0.0, f64::max) < 0.05);
    }

    /// Where a strip is stretched evenly and only its middle may flow, the middle alone gets longer.
    #[test]
    fn only_what_may_flow_flows() {
        let grid = Grid::new(&[11], &[false]);
        let weights = SplineWeights::from_nodes(&grid, |_| NodeWeights {
            first: [1.0; 3],
            ..NodeWeights::default()
        });
        let mut differences = Differences::default();
        differences.refill(&grid, &weights, 1);
        let pull: Vec<DVec3> = (0..11).map(|i| f64::from(i) * DVec3::X).collect();
        let mut shares = vec![0.0; 11];
        shares[5] = 1.0;
        let flow = flow_of(&shares, &pull, &mut differences);
        for (i, pair) in flow.windows(2).enumerate() {
            let expected = if i == 4 || i == 5 { 0.5 } else { 0.0 };
            let found = (pair[1] - pair[0]).x;
            assert!((found - expected).abs() < 0.02, "{i} {found}");
        }
    }
}
