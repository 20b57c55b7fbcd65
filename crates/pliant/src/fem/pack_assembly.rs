//! Adding up what kernels find for packs of elements, many packs at a time, by several threads.
//!
//! Threads have ranges of nodes, as in `assembly.rs`: a kernel gets the list of the packs that touch a range and a
//! window on what it may write to.

use super::assembly::{Part, Window, divide, parts, rows_of};
use crate::linear::{BlockMatrix, HalfBlocks, Line};
use crate::math::vector::PACK;

/// Packs of elements, and where their blocks are in the upper half of a matrix in `f32`.
///
/// A kernel visits many packs at a time: it gets the list of those that touch a range of nodes.
#[derive(Clone, Debug, Default)]
pub(super) struct HalfAssembly {
    /// Where the slots of a pack start.
    pub(super) starts: Vec<u32>,
    /// The slots of the pairs of nodes of its elements, in the order in which a kernel makes their blocks.
    pub(super) slots: Vec<u32>,
    /// One a thread.
    parts: Vec<Part>,
}

/// The lines of blocks that a thread may write to.
pub(super) struct HalfWindow<'a> {
    first: usize,
    lines: &'a mut [Line],
}

impl HalfWindow<'_> {
    /// The line of a slot, if it is in the window.
    #[inline(always)]
    pub(super) fn line(&mut self, slot: u32) -> Option<&mut Line> {
        let place = (slot as usize).wrapping_sub(self.first);
        self.lines.get_mut(place)
    }
}

impl HalfAssembly {
    /// Looks up the blocks of packs with these nodes, of `size` elements each: `pairs` calls back with the two
    /// nodes of each block of a pack, the lower one first.
    ///
    /// # Panics
    /// If two nodes are not coupled in the matrix.
    pub(super) fn attach<'a>(
        &mut self,
        half: &HalfBlocks,
        size: usize,
        packs: impl ExactSizeIterator<Item = &'a [u32]> + Clone,
        pairs: impl Fn(&[u32], &mut dyn FnMut([u32; 2])),
    ) {
        self.starts = vec![0];
        self.slots.clear();
        for nodes in packs.clone() {
            pairs(
                nodes,
                &mut |[row, column]| match half.slot(row as usize, column as usize) {
                    Some(slot) => self.slots.push(slot as u32),
                    None => panic!("nodes {row} and {column} are not coupled"),
                },
            );
            self.starts.push(self.slots.len() as u32);
        }
        let rows = (half.node_count(), |row| half.row_range(row).end);
        self.parts = parts(rows, size, packs.clone());
        if self.parts.is_empty() {
            self.parts.push(Part::whole(packs.len()));
        }
    }

    /// Calls `work` with the packs of each part and the lines it may write to.
    pub(super) fn over_lines(
        &self,
        half: &mut HalfBlocks,
        work: impl Fn(&[u32], HalfWindow) + Sync,
    ) {
        let end = |part: &Part| part.slot_end;
        let work = |part: &Part, first: usize, lines: &mut [Line]| {
            work(&part.elements, HalfWindow { first, lines });
        };
        divide(&self.parts, 0, half.blocks_mut(), &end, &work);
    }
}

/// Packs of eight elements, which a kernel adds to a field over nodes, many packs at a time.
#[derive(Clone, Debug, Default)]
pub(super) struct PackAssembly {
    /// One a thread.
    parts: Vec<Part>,
}

impl PackAssembly {
    /// So many packs for one thread.
    pub(super) fn new(count: usize) -> Self {
        Self {
            parts: vec![Part::whole(count)],
        }
    }

    /// Divides packs with these nodes between threads.
    pub(super) fn attach<'a>(
        &mut self,
        matrix: &BlockMatrix,
        packs: impl ExactSizeIterator<Item = &'a [u32]> + Clone,
    ) {
        self.parts = parts(rows_of(matrix), PACK, packs.clone());
        if self.parts.is_empty() {
            self.parts.push(Part::whole(packs.len()));
        }
    }

    /// Calls `work` with the packs of each part and a window on a field over nodes.
    pub(super) fn over_nodes<T: Send>(
        &self,
        field: &mut [T],
        work: impl Fn(&[u32], Window<T>) + Sync,
    ) {
        let end = |part: &Part| part.node_end;
        let work = |part: &Part, first: usize, values: &mut [T]| {
            work(&part.elements, Window { first, values });
        };
        divide(&self.parts, 0, field, &end, &work);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fem::assembly::divided;

    #[test]
    fn parts_change_no_bit() {
        let node_count = 50_usize;
        let packs: Vec<[u32; 3]> = (0..200_u32)
            .map(|i| [i * 7 % 50, (i * 7 + 13) % 50, (i * 7 + 1 + i % 11) % 50])
            .map(|mut nodes| {
                nodes.sort_unstable();
                nodes
            })
            .collect();
        let pairs = packs.iter().flat_map(|&[a, b, c]| [(a, b), (b, c), (a, c)]);
        let pairs = pairs.map(|(a, b)| (a as usize, b as usize));
        let pattern = BlockMatrix::new(node_count, pairs);
        let run = |part_count: usize| {
            let mut half = HalfBlocks::new(&pattern);
            let (mut by_blocks, mut by_nodes) = (HalfAssembly::default(), PackAssembly::new(200));
            let nodes = packs.iter().map(|nodes| &nodes[..]);
            by_blocks.attach(&half, 1, nodes.clone(), |nodes, visit| {
                visit([nodes[0], nodes[1]]);
                visit([nodes[2], nodes[2]]);
            });
            if part_count > 1 {
                let rows = (node_count, |row: usize| half.row_range(row).end);
                by_blocks.parts = divided(rows, nodes.clone(), part_count);
                by_nodes.parts = divided(rows_of(&pattern), nodes, part_count);
            }
            by_blocks.over_lines(&mut half, |packs, mut window| {
                for &pack in packs {
                    let start = by_blocks.starts[pack as usize] as usize;
                    for &slot in &by_blocks.slots[start..start + 2] {
                        if let Some(line) = window.line(slot) {
                            line.0[5] += 1.0 / (3 + pack) as f32;
                        }
                    }
                }
            });
            let mut field = vec![0.0; node_count];
            by_nodes.over_nodes(&mut field, |list, mut window| {
                for &pack in list {
                    for &node in &packs[pack as usize] {
                        window.add(node, 1.0 / f64::from(1 + pack));
                    }
                }
            });
            let lines: Vec<f32> = half.blocks().iter().map(|line| line.0[5]).collect();
            (lines, field)
        };
        let alone = run(1);
        assert!(alone.1.iter().all(|&sum| sum > 0.0));
        for part_count in [2, 3, 7, 50, 64] {
            assert_eq!(run(part_count), alone, "{part_count} parts");
        }
    }
}
