//! An order of elimination for meshes in which factors stay sparse: nested dissection by place.
//!
//! The nodes are cut in two halves across the longest extent of their bounding box. Nodes of one
//! half that touch the other are the separator: both halves are numbered first (and dissected in
//! turn), the separator last.
//!
//! Implements: \[George1973\] for any mesh whose nodes have places.

use super::BlockMatrix;
use glam::DVec3;

/// Parts of at most so many nodes are numbered as they lie.
const SMALLEST_PART: usize = 24;

/// The rows of a matrix in order of elimination. Rows beyond the last place (those of rigid cores,
/// which touch many nodes) come last.
pub(crate) fn coordinate_dissection(matrix: &BlockMatrix, places: &[DVec3]) -> Vec<u32> {
    let count = places.len().min(matrix.node_count());
    let mut dissection = Dissection {
        matrix,
        places,
        side: vec![NEITHER; matrix.node_count()],
        order: Vec::with_capacity(matrix.node_count()),
    };
    dissection.dissect((0..count as u32).collect());
    let mut order = dissection.order;
    order.extend(count as u32..matrix.node_count() as u32);
    order
}

const NEITHER: u8 = 0;
const BELOW: u8 = 1;
const ABOVE: u8 = 2;

struct Dissection<'a> {
    matrix: &'a BlockMatrix,
    places: &'a [DVec3],
    side: Vec<u8>,
    order: Vec<u32>,
}

impl Dissection<'_> {
    fn dissect(&mut self, mut nodes: Vec<u32>) {
        let Some(cut) = self.cut(&mut nodes) else {
            self.order.extend(nodes);
            return;
        };
        for (position, &node) in nodes.iter().enumerate() {
            self.side[node as usize] = if position < cut { BELOW } else { ABOVE };
        }
        let touches = |node: u32, side: u8| {
            let mut slots = self.matrix.row_range(node as usize);
            slots.any(|slot| self.side[self.matrix.column(slot)] == side)
        };
        let touching = |part: &[u32], side: u8| -> Vec<bool> {
            part.iter().map(|&node| touches(node, side)).collect()
        };
        let (below, above) = nodes.split_at(cut);
        let (from_below, from_above) = (touching(below, ABOVE), touching(above, BELOW));
        let count = |flags: &[bool]| flags.iter().filter(|&&flag| flag).count();
        // The smaller of the two layers at the cut.
        let takes_below = count(&from_below) < count(&from_above);
        let (cut_part, flags) = if takes_below {
            (below, from_below)
        } else {
            (above, from_above)
        };
        let pick = |wanted: bool| -> Vec<u32> {
            let pairs = cut_part.iter().zip(&flags);
            let chosen = pairs.filter(|&(_, &flag)| flag == wanted);
            chosen.map(|(&node, _)| node).collect()
        };
        let (separator, rest) = (pick(true), pick(false));
        let other = if takes_below { above } else { below }.to_vec();
        for &node in &nodes {
            self.side[node as usize] = NEITHER;
        }
        self.dissect(rest);
        self.dissect(other);
        self.order.extend(separator);
    }

    /// Sorts the nodes along the longest extent of their box and says where to cut, between two
    /// nodes that do not lie level; nothing where the part is small or all nodes lie level.
    fn cut(&self, nodes: &mut [u32]) -> Option<usize> {
        if nodes.len() <= SMALLEST_PART {
            return None;
        }
        let place = |node: &u32| self.places[*node as usize];
        let low = nodes.iter().map(place).fold(DVec3::INFINITY, DVec3::min);
        let high = nodes
            .iter()
            .map(place)
            .fold(DVec3::NEG_INFINITY, DVec3::max);
        let extent = high - low;
        let axis = extent.max_position();
        let level = 1e-6 * extent[axis];
        nodes.sort_by(|a, b| place(a)[axis].total_cmp(&place(b)[axis]).then(a.cmp(b)));
        let steps = |at: &usize| place(&nodes[*at])[axis] - place(&nodes[*at - 1])[axis] > level;
        let middle = nodes.len() / 2;
        let before = (1..=middle).rev().find(steps);
        let after = (middle..nodes.len()).find(steps);
        match (before, after) {
            (Some(before), Some(after)) if middle - before > after - middle => Some(after),
            (Some(before), _) => Some(before),
            (None, after) => after,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lattice of nodes, each coupled with its neighbours.
    fn lattice(counts: [usize; 3]) -> (BlockMatrix, Vec<DVec3>) {
        let index = |i, j, k| i + counts[0] * (j + counts[1] * k);
        let (mut places, mut couplings) = (Vec::new(), Vec::new());
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                for i in 0..counts[0] {
                    places.push(DVec3::new(i as f64, j as f64, k as f64));
                    let next = [[i + 1, j, k], [i, j + 1, k], [i, j, k + 1]];
                    for [a, b, c] in next {
                        if a < counts[0] && b < counts[1] && c < counts[2] {
                            couplings.push((index(i, j, k), index(a, b, c)));
                        }
                    }
                }
            }
        }
        (
            BlockMatrix::new(places.len(), couplings.into_iter()),
            places,
        )
    }

    #[test]
    fn the_order_is_a_permutation_also_with_rows_without_a_place() {
        let (matrix, places) = lattice([9, 5, 4]);
        let mut order = coordinate_dissection(&matrix, &places[..170]);
        assert_eq!(&order[170..], (170..180).collect::<Vec<u32>>());
        order.sort_unstable();
        assert!(order.iter().copied().eq(0..180));
    }

    #[test]
    fn the_last_separator_is_a_plane_across_the_longest_extent() {
        let (matrix, places) = lattice([20, 5, 4]);
        let order = coordinate_dissection(&matrix, &places);
        let planes: Vec<f64> = order[order.len() - 20..]
            .iter()
            .map(|&node| places[node as usize].x)
            .collect();
        assert!(
            planes
                .iter()
                .all(|&x| x == planes[0] && x > 8.0 && x < 12.0)
        );
    }

    #[test]
    fn nodes_in_one_place_are_no_trouble() {
        let matrix = BlockMatrix::new(100, (1..100).map(|i| (i - 1, i)));
        assert_eq!(
            coordinate_dissection(&matrix, &[DVec3::ZERO; 100]).len(),
            100
        );
    }
}
