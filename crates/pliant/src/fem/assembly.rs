//! Adding up what elements contribute to nodes and blocks, by several threads.
//!
//! The nodes are cut into ranges, one a thread. A thread visits the elements that touch its range,
//! in their order, and keeps what falls into it; elements on a cut are visited twice. So every node
//! and every block gets the same additions in the same order, and the same bits, whatever the
//! number of threads; and no two threads write to the same place.

use super::slots::{element_slots, slot};
use crate::linear::BlockMatrix;
use glam::DMat3;
use std::ops::{AddAssign, Range};

/// Fewer elements than this are not worth waking a thread for.
const PARALLEL_THRESHOLD: usize = 4000;

/// Elements of N nodes, where their blocks are in a matrix, and which thread visits which.
#[derive(Clone, Debug)]
pub(super) struct Assembly<const N: usize> {
    slots: Vec<[[u32; N]; N]>,
    /// One a thread; none if one thread visits all.
    parts: Vec<Part>,
}

impl<const N: usize> Default for Assembly<N> {
    fn default() -> Self {
        Self {
            slots: Vec::new(),
            parts: Vec::new(),
        }
    }
}

/// A range of nodes.
#[derive(Clone, Debug)]
pub(super) struct Part {
    /// The first node beyond it.
    pub(super) node_end: usize,
    /// The first slot beyond its rows.
    pub(super) slot_end: usize,
    /// The elements that touch it, ascending.
    pub(super) elements: Vec<u32>,
}

impl Part {
    /// All of so many elements, for one thread.
    pub(super) fn whole(count: usize) -> Self {
        Self {
            node_end: usize::MAX,
            slot_end: usize::MAX,
            elements: (0..count as u32).collect(),
        }
    }
}

/// The part of a field that a thread may write to.
pub(super) struct Window<'a, T> {
    pub(super) first: usize,
    pub(super) values: &'a mut [T],
}

impl<T: AddAssign> Window<'_, T> {
    /// Adds to a value, if it is in the window.
    #[inline]
    pub(super) fn add(&mut self, index: u32, value: T) {
        let place = (index as usize).wrapping_sub(self.first);
        if let Some(sum) = self.values.get_mut(place) {
            *sum += value;
        }
    }
}

impl Window<'_, DMat3> {
    /// Adds to the blocks of two nodes of an element, which are mirror images.
    #[inline]
    pub(super) fn add_mirrored<const N: usize>(
        &mut self,
        slots: &[[u32; N]; N],
        row: usize,
        column: usize,
        block: DMat3,
    ) {
        self.add(slots[row][column], block);
        self.add(slots[column][row], block.transpose());
    }

    /// Adds the second derivatives of a function of three differences to the first of four nodes.
    /// `blocks` are those of the differences 1-1, 1-2, 1-3, 2-2, 2-3 and 3-3; what the first node
    /// has balances them.
    #[inline]
    pub(super) fn add_differences(&mut self, slots: &[[u32; 4]; 4], blocks: &[DMat3; 6]) {
        let [b11, b12, b13, b22, b23, b33] = *blocks;
        let first = [
            -(b11 + b12.transpose() + b13.transpose()),
            -(b12 + b22 + b23.transpose()),
            -(b13 + b23 + b33),
        ];
        self.add(slots[0][0], -(first[0] + first[1] + first[2]));
        self.add(slots[1][1], b11);
        self.add(slots[2][2], b22);
        self.add(slots[3][3], b33);
        self.add_mirrored(slots, 0, 1, first[0]);
        self.add_mirrored(slots, 0, 2, first[1]);
        self.add_mirrored(slots, 0, 3, first[2]);
        self.add_mirrored(slots, 1, 2, b12);
        self.add_mirrored(slots, 1, 3, b13);
        self.add_mirrored(slots, 2, 3, b23);
    }
}

impl<const N: usize> Assembly<N> {
    /// Looks up the blocks of the elements in a matrix.
    ///
    /// # Panics
    /// If two nodes of an element are not coupled in the matrix.
    pub(super) fn attach(
        &mut self,
        matrix: &BlockMatrix,
        elements: impl ExactSizeIterator<Item = [u32; N]> + Clone,
    ) {
        self.slots = elements
            .clone()
            .map(|nodes| element_slots(matrix, &nodes))
            .collect();
        self.parts = parts(rows_of(matrix), 1, elements);
    }

    /// Calls `work` with each of `element_count` elements and a window on a field over nodes.
    pub(super) fn over_nodes<T: Send + AddAssign>(
        &self,
        element_count: usize,
        field: &mut [T],
        work: impl Fn(usize, &mut Window<T>) + Sync,
    ) {
        let end = |part: &Part| part.node_end;
        visit(&self.parts, 0..element_count, field, &end, &work);
    }

    /// Calls `work` with each element, its slots and a window on the blocks of a matrix.
    pub(super) fn over_blocks(
        &self,
        matrix: &mut BlockMatrix,
        work: impl Fn(usize, &[[u32; N]; N], &mut Window<DMat3>) + Sync,
    ) {
        let end = |part: &Part| part.slot_end;
        let work = |element: usize, window: &mut Window<DMat3>| {
            work(element, &self.slots[element], window);
        };
        let elements = 0..self.slots.len();
        visit(&self.parts, elements, matrix.blocks_mut(), &end, &work);
    }
}

/// Elements of any number of nodes: as [`Assembly`].
#[derive(Clone, Debug, Default)]
pub(super) struct VariedAssembly {
    /// Where the slots of an element start.
    starts: Vec<usize>,
    /// Rows of the slots of its nodes.
    slots: Vec<u32>,
    parts: Vec<Part>,
}

impl VariedAssembly {
    /// Looks up the blocks of the elements in a matrix.
    ///
    /// # Panics
    /// If two nodes of an element are not coupled in the matrix.
    pub(super) fn attach<'a>(
        &mut self,
        matrix: &BlockMatrix,
        elements: impl ExactSizeIterator<Item = &'a [u32]> + Clone,
    ) {
        self.starts = vec![0];
        self.slots.clear();
        for nodes in elements.clone() {
            for &row in nodes {
                let slots = nodes.iter().map(|&column| slot(matrix, row, column));
                self.slots.extend(slots);
            }
            self.starts.push(self.slots.len());
        }
        self.parts = parts(rows_of(matrix), 1, elements);
    }

    /// Calls `work` with each element, the rows of its slots and a window on the blocks of a matrix.
    pub(super) fn over_blocks(
        &self,
        matrix: &mut BlockMatrix,
        work: impl Fn(usize, &[u32], &mut Window<DMat3>) + Sync,
    ) {
        let end = |part: &Part| part.slot_end;
        let work = |element: usize, window: &mut Window<DMat3>| {
            let slots = &self.slots[self.starts[element]..self.starts[element + 1]];
            work(element, slots, window);
        };
        let elements = 0..self.starts.len().saturating_sub(1);
        visit(&self.parts, elements, matrix.blocks_mut(), &end, &work);
    }
}

/// The number of rows of a matrix, and the first slot beyond each.
pub(super) fn rows_of(matrix: &BlockMatrix) -> (usize, impl Fn(usize) -> usize) {
    (matrix.node_count(), |row| matrix.row_range(row).end)
}

/// One range of nodes for each thread; none if one thread is to visit all packs of `size` elements.
pub(super) fn parts<T: AsRef<[u32]>>(
    rows: (usize, impl Fn(usize) -> usize),
    size: usize,
    elements: impl ExactSizeIterator<Item = T> + Clone,
) -> Vec<Part> {
    if elements.len() * size < PARALLEL_THRESHOLD {
        return Vec::new();
    }
    divided(rows, elements, rayon::current_num_threads())
}

pub(super) fn divided<T: AsRef<[u32]>>(
    (node_count, row_end): (usize, impl Fn(usize) -> usize),
    elements: impl Iterator<Item = T> + Clone,
    part_count: usize,
) -> Vec<Part> {
    if part_count < 2 {
        return Vec::new();
    }
    let part = |part: usize| {
        let start = node_count * part / part_count;
        let end = node_count * (part + 1) / part_count;
        let inside = |nodes: &[u32]| {
            let mut nodes = nodes.iter().map(|&node| node as usize);
            nodes.any(|node| (start..end).contains(&node))
        };
        let touching = (0..).zip(elements.clone());
        Part {
            node_end: end,
            slot_end: if end == 0 { 0 } else { row_end(end - 1) },
            elements: touching
                .filter(|(_, nodes)| inside(nodes.as_ref()))
                .map(|(element, _)| element)
                .collect(),
        }
    };
    (0..part_count).map(part).collect()
}

/// Visits the elements of each part; without parts all elements.
fn visit<T: Send + AddAssign>(
    parts: &[Part],
    elements: Range<usize>,
    values: &mut [T],
    end: &(impl Fn(&Part) -> usize + Sync),
    work: &(impl Fn(usize, &mut Window<T>) + Sync),
) {
    if parts.is_empty() {
        let mut window = Window { first: 0, values };
        elements.for_each(|element| work(element, &mut window));
        return;
    }
    divide(
        parts,
        0,
        values,
        end,
        &|part: &Part, first, values: &mut [T]| {
            let mut window = Window { first, values };
            for &element in &part.elements {
                work(element as usize, &mut window);
            }
        },
    );
}

/// Divides parts and values until each thread has one part.
pub(super) fn divide<T: Send>(
    parts: &[Part],
    first: usize,
    values: &mut [T],
    end: &(impl Fn(&Part) -> usize + Sync),
    work: &(impl Fn(&Part, usize, &mut [T]) + Sync),
) {
    match parts {
        [] => {}
        [part] => work(part, first, values),
        _ => {
            let (left, right) = parts.split_at(parts.len() / 2);
            let cut = end(&left[left.len() - 1]);
            let (low, high) = values.split_at_mut(cut - first);
            rayon::join(
                || divide(left, first, low, end, work),
                || divide(right, cut, high, end, work),
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_change_no_bit() {
        let node_count = 50_usize;
        let elements: Vec<[u32; 3]> = (0..200_u32)
            .map(|i| [i * 7 % 50, (i * 7 + 13) % 50, (i * 7 + 1 + i % 11) % 50])
            .collect();
        let pairs = elements.iter().flat_map(|nodes| {
            let [a, b, c] = nodes.map(|node| node as usize);
            [(a, b), (b, c), (c, a)]
        });
        let pattern = BlockMatrix::new(node_count, pairs);
        let run = |part_count: usize| {
            let mut assembly = Assembly::default();
            assembly.attach(&pattern, elements.iter().copied());
            assembly.parts = divided(rows_of(&pattern), elements.iter(), part_count);
            let mut field = vec![0.0; node_count];
            assembly.over_nodes(elements.len(), &mut field, |element, window| {
                for (corner, &node) in elements[element].iter().enumerate() {
                    window.add(node, 1.0 / (1 + element + 300 * corner) as f64);
                }
            });
            let mut matrix = pattern.clone();
            assembly.over_blocks(&mut matrix, |element, slots, window| {
                let block = DMat3::IDENTITY * (1.0 / (3 + element) as f64);
                window.add(slots[1][1], block);
                window.add_mirrored(slots, 0, 2, DMat3::from_rotation_x(element as f64));
            });
            (field, matrix.blocks().to_vec())
        };
        let alone = run(1);
        assert!(alone.0.iter().all(|&sum| sum > 0.0));
        for part_count in [2, 3, 7, 50, 64] {
            assert_eq!(run(part_count), alone, "{part_count} parts");
        }
    }
}
