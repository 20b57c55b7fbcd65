//! The matrix over the unknowns of a body, Jᵀ A J, from the one over its nodes (`unknowns.rs`).

use super::tied::TiedUnknowns;
use super::unknowns::{NONE, Unknowns};
use crate::energy::Curvature;
use crate::linear::BlockMatrix;
use glam::{DMat3, DVec3};

/// The matrix over nodes and control points.
#[derive(Debug)]
pub(super) struct Reduced {
    matrix: BlockMatrix,
    /// Block of the matrix of nodes, where it goes, with what weight.
    targets: Vec<(u32, u32, f64)>,
}

impl Unknowns {
    /// The control points that move a node, with their weights.
    fn stencil(&self, node: usize) -> Vec<(usize, f64)> {
        match self.core_of.get(node) {
            Some(&core) if core != NONE => {
                let first = self.node_count + 4 * core as usize;
                let core = &self.cores[core as usize];
                let place = core.nodes.iter().position(|&other| other as usize == node);
                let weights = place.map_or([0.0; 4], |place| core.weights[place]);
                let free = (0..4).filter(|&k| !core.frame.held[k]);
                free.map(|k| (first + k, weights[k])).collect()
            }
            _ if self.held[node] => Vec::new(),
            _ => vec![(node, 1.0)],
        }
    }

    pub(super) fn make_reduced(&self, matrix: &BlockMatrix) -> Reduced {
        let stencils: Vec<_> = (0..self.node_count)
            .map(|node| self.stencil(node))
            .collect();
        let mut couplings = Vec::new();
        for index in 0..self.cores.len() {
            let first = self.node_count + 4 * index;
            couplings.extend((0..4).flat_map(|a| (0..4).map(move |b| (first + a, first + b))));
        }
        let blocks = || {
            (0..self.node_count).flat_map(|row| matrix.row_range(row).map(move |slot| (row, slot)))
        };
        for (row, slot) in blocks() {
            for (a, _) in &stencils[row] {
                let columns = &stencils[matrix.column(slot)];
                couplings.extend(columns.iter().map(|(b, _)| (*a, *b)));
            }
        }
        let reduced = BlockMatrix::new(self.count(), couplings.into_iter());
        let mut targets = Vec::new();
        for (row, slot) in blocks() {
            for (a, left) in &stencils[row] {
                for (b, right) in &stencils[matrix.column(slot)] {
                    if let Some(target) = reduced.slot(*a, *b) {
                        targets.push((slot as u32, target as u32, left * right));
                    }
                }
            }
        }
        Reduced {
            matrix: reduced,
            targets,
        }
    }

    /// Jᵀ A J, or A itself with the rows of held nodes made those of the identity.
    pub(super) fn reduce_matrix<'a>(
        &'a mut self,
        places: &[DVec3],
        matrix: &'a mut BlockMatrix,
    ) -> &'a BlockMatrix {
        if self.tied.is_some() {
            // A borrow that is returned from a branch would last for the rest of the function.
            return match &mut self.tied {
                Some(tied) => tied.reduce_matrix(matrix),
                None => matrix,
            };
        }
        let Some(mut reduced) = self.reduced.take() else {
            let blocks = matrix.blocks_mut();
            for &(slot, is_diagonal) in &self.held_slots {
                blocks[slot as usize] = if is_diagonal {
                    DMat3::IDENTITY
                } else {
                    DMat3::ZERO
                };
            }
            return matrix;
        };
        let target = &mut reduced.matrix;
        target.clear();
        for &(from, to, weight) in &reduced.targets {
            target.add_at(to as usize, *matrix.block(from as usize) * weight);
        }
        for &(core, weights, block) in &self.core_links {
            let first = self.node_count + 4 * core as usize;
            for (a, left) in weights.into_iter().enumerate() {
                for (b, right) in weights.into_iter().enumerate() {
                    target.add(first + a, first + b, block * (left * right));
                }
            }
        }
        for (index, core) in self.cores.iter().enumerate() {
            let first = self.node_count + 4 * index;
            let controls = &places[first..first + 4];
            core.frame
                .add_hessian(controls, Curvature::Positive, first, target);
            let held = core.frame.held;
            for a in 0..4 {
                for b in 0..4 {
                    if let Some(slot) = target.slot(first + a, first + b)
                        && (held[a] || held[b])
                    {
                        target.blocks_mut()[slot] =
                            if a == b { DMat3::IDENTITY } else { DMat3::ZERO };
                    }
                }
            }
        }
        for node in (0..self.node_count).filter(|&node| self.held[node]) {
            target.add(node, node, DMat3::IDENTITY);
        }
        &self.reduced.insert(reduced).matrix
    }

    /// The matrix that [`Unknowns::reduce_matrix`] fills, for its pattern.
    pub(super) fn pattern_of<'a>(&'a self, matrix: &'a BlockMatrix) -> &'a BlockMatrix {
        let tied = self.tied.as_ref().map(TiedUnknowns::pattern);
        let reduced = self.reduced.as_ref().map(|reduced| &reduced.matrix);
        tied.or(reduced).unwrap_or(matrix)
    }
}
