//! Weighted graph Laplacians on a grid: how scalar stiffness gets into a matrix.
//!
//! Every scalar quadratic form that does not see translation is a sum of weighted squares over
//! pairs of nodes, `Σ w (z_i - z_j)²`; for a squared difference `(Σ c_i z_i)²` with `Σ c_i = 0`
//! the weight of a pair is `-c_i c_j`. Weights come in families, one a grid step: the pair of node
//! n and the node one step further.

use crate::body::Grid;
use crate::linear::GridMatrix;

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
    let pairs = matrix.node_count().saturating_sub(offset);
    let slots = (
        matrix.diagonal_of(0),
        matrix.diagonal_of(offset as isize),
        matrix.diagonal_of(-(offset as isize)),
    );
    let (Some(middle), Some(upper), Some(lower)) = slots else {
        return;
    };
    for (i, value) in matrix.values_mut(upper)[..pairs].iter_mut().enumerate() {
        *value -= weight(i);
    }
    for (i, value) in matrix.values_mut(lower)[offset..].iter_mut().enumerate() {
        *value -= weight(i);
    }
    let diagonal = matrix.values_mut(middle);
    for (i, value) in diagonal[..pairs].iter_mut().enumerate() {
        *value += weight(i);
    }
    for (i, value) in diagonal[offset..].iter_mut().enumerate() {
        *value += weight(i);
    }
}
