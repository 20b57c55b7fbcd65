//! Weighted graph Laplacians on a grid: how scalar stiffness gets into a matrix.
//!
//! Every scalar quadratic form that does not see translation is a sum of weighted squares over
//! pairs of nodes, `Σ w (z_i - z_j)²`; for a squared difference `(Σ c_i z_i)²` with `Σ c_i = 0`
//! the weight of a pair is `-c_i c_j`. Weights come in families, one a grid step: the pair of node
//! n and the node one step further.

use crate::grid::Grid;
use crate::linear::GridMatrix;
use crate::math::processor::for_this_processor;

/// All pairs of nodes that are one step apart.
#[derive(Clone, Debug)]
pub struct PairFamily {
    step: [i32; 3],
    /// Flat offset, if it is the same for all pairs; else the partner of each node.
    partners: Partners,
}

#[derive(Clone, Debug)]
enum Partners {
    Offset(usize),
    Table(Vec<Option<u32>>),
}

impl PairFamily {
    /// The pairs of a grid for a step that leads to a higher node index.
    pub fn new(grid: &Grid, step: [i32; 3]) -> Self {
        let counts = grid.counts();
        let partners = if grid.periodic().contains(&true) {
            Partners::Table(
                grid.nodes()
                    .map(|coordinates| grid.neighbour(coordinates, step).map(|node| node as u32))
                    .collect(),
            )
        } else {
            let offset = step[0] as isize
                + counts[0] as isize * (step[1] as isize + counts[1] as isize * step[2] as isize);
            Partners::Offset(offset.unsigned_abs())
        };
        Self { step, partners }
    }

    /// The step.
    pub fn step(&self) -> [i32; 3] {
        self.step
    }

    /// Adds `scale * weights[i] (z_i - z_j)²` for every pair of an open grid, diagonal by diagonal.
    pub(super) fn add_lane(&self, matrix: &mut GridMatrix, weights: &[f64], scale: f64) {
        let Partners::Offset(offset) = self.partners else {
            return self.add(matrix, |node| scale * weights[node]);
        };
        let pairs = matrix.node_count().saturating_sub(offset);
        let weights = &weights[..pairs];
        let slot = |offset: isize| matrix.diagonal_of(offset);
        let (Some(middle), Some(upper), Some(lower)) =
            (slot(0), slot(offset as isize), slot(-(offset as isize)))
        else {
            return;
        };
        add_scaled(&mut matrix.values_mut(upper)[..pairs], weights, -scale);
        add_scaled(&mut matrix.values_mut(lower)[offset..], weights, -scale);
        let diagonal = matrix.values_mut(middle);
        add_scaled(&mut diagonal[..pairs], weights, scale);
        add_scaled(&mut diagonal[offset..], weights, scale);
    }

    /// Adds `w (z_i - z_j)²` for every pair; `weight(i)` is the weight of the pair that starts at
    /// node i and must be 0 where there is no partner.
    pub fn add(&self, matrix: &mut GridMatrix, weight: impl Fn(usize) -> f64) {
        match &self.partners {
            Partners::Offset(offset) => add_offset(matrix, *offset, weight),
            Partners::Table(table) => {
                for (i, partner) in table.iter().enumerate() {
                    if let Some(j) = partner {
                        let (j, w) = (*j as usize, weight(i));
                        matrix.add(i, i, w);
                        matrix.add(j, j, w);
                        matrix.add(i, j, -w);
                        matrix.add(j, i, -w);
                    }
                }
            }
        }
    }
}

fn add_offset(matrix: &mut GridMatrix, offset: usize, weight: impl Fn(usize) -> f64) {
    for i in 0..matrix.node_count().saturating_sub(offset) {
        let (j, w) = (i + offset, weight(i));
        matrix.add(i, i, w);
        matrix.add(j, j, w);
        matrix.add(i, j, -w);
        matrix.add(j, i, -w);
    }
}

for_this_processor! {
    fn add_scaled(target: &mut [f64], weights: &[f64], scale: f64) {
        for (target, weight) in target.iter_mut().zip(weights) {
            *target += scale * weight;
        }
    }
}
