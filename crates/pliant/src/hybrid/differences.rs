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

#[derive(Clone, Copy, Debug)]
struct Difference {
    nodes: [u32; 4],
    factors: [f64; 4],
    count: usize,
    weight: f64,
}

/// All differences with weight, and memory to solve for flow.
#[derive(Debug, Default)]
pub(crate) struct Differences {
    list: Vec<Difference>,
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
        self.list.clear();
        let n = grid.node_count();
        for (node, at) in grid.nodes().enumerate() {
            for d in 0..grid.dimension() {
                let weight = weights.first[node][d] / grid.spacing(d).powi(2);
                self.add(edge(grid, at, d), [-1.0, 1.0], weight);
            }
        }
        if self.list.is_empty() {
            self.add_second(grid, weights);
        }
        self.diagonal.clear();
        self.diagonal.resize(n, 0.0);
        for difference in &self.list {
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
            let mut difference = Difference {
                nodes: [span[0] as u32; 4],
                factors: [0.0; 4],
                count: N,
                weight,
            };
            for (k, (node, factor)) in span.into_iter().zip(factors).enumerate() {
                (difference.nodes[k], difference.factors[k]) = (node as u32, factor);
            }
            self.list.push(difference);
        }
    }

    /// Replaces f p, at the nodes of `flow`, by Δr; `shares` are f and `pull` is p.
    pub(crate) fn flow(&mut self, shares: &[f64], pull: &[DVec3], flow: &mut [DVec3]) {
        let n = flow.len();
        for list in [&mut self.residual, &mut self.direction, &mut self.image] {
            list.clear();
            list.resize(n, DVec3::ZERO);
        }
        // Dᵀ w (f D p - D Δr).
        let mut size = 0.0;
        for difference in &self.list {
            let share = difference.mean(shares);
            let wanted = share * difference.of(pull);
            let weight = difference.weight;
            difference.spread(weight * (wanted - difference.of(flow)), &mut self.residual);
            size += weight * wanted.length_squared();
        }
        let mut recurrence = Recurrence::new([self.left()]);
        let [left] = recurrence.squares;
        let goal = Goal {
            residual: (TOLERANCE * TOLERANCE * size).max(ROUNDING * left).sqrt(),
            iterations: MOST_ITERATIONS,
        };
        // What no difference resists ends the iteration; the flow so far is as good as any.
        let _ = recurrence.run(
            &mut Flow {
                differences: self,
                flow,
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

/// The iteration for a flow, preconditioned by the diagonal.
struct Flow<'a> {
    differences: &'a mut Differences,
    flow: &'a mut [DVec3],
}

impl Passes<1> for Flow<'_> {
    fn precondition(&mut self) -> Result<[f64; 1], LinearError> {
        Ok([self.differences.left()])
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
        let mut stiffness = 0.0;
        for difference in &differences.list {
            let of_direction = difference.of(&differences.direction);
            difference.spread(difference.weight * of_direction, &mut differences.image);
            stiffness += difference.weight * of_direction.length_squared();
        }
        [stiffness]
    }

    fn reduce(&mut self, [alpha]: [f64; 1]) -> [f64; 1] {
        let differences = &mut *self.differences;
        for (node, flow) in self.flow.iter_mut().enumerate() {
            *flow += alpha * differences.direction[node];
            differences.residual[node] -= alpha * differences.image[node];
        }
        [differences.left()]
    }
}

impl Difference {
    #[inline]
    fn terms(&self) -> impl Iterator<Item = (usize, f64)> {
        let nodes = self.nodes[..self.count].iter();
        nodes
            .zip(self.factors)
            .map(|(&node, factor)| (node as usize, factor))
    }

    #[inline]
    fn of(&self, field: &[DVec3]) -> DVec3 {
        self.terms()
            .map(|(node, factor)| factor * field[node])
            .sum()
    }

    fn mean(&self, nodal: &[f64]) -> f64 {
        self.terms().map(|(node, _)| nodal[node]).sum::<f64>() / self.count as f64
    }

    #[inline]
    fn spread(&self, value: DVec3, field: &mut [DVec3]) {
        for (node, factor) in self.terms() {
            field[node] += factor * value;
        }
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
