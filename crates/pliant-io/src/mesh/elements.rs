//! The elements of a mesh while its file is read.

use super::cursor::Cursor;
use super::error::Fault;
use glam::DVec3;
use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
use std::collections::HashMap;

/// Elements by kind, one block a kind, in the order in which the kinds appear.
#[derive(Default)]
pub(super) struct Elements {
    blocks: Vec<ElementBlock>,
    /// The first element of the highest dimension that Pliant has no kind for.
    refused: Option<(usize, Fault)>,
}

impl Elements {
    pub(super) fn push(&mut self, kind: ElementKind, nodes: &[u32], region: i32) {
        let place = self.blocks.iter().position(|block| block.kind == kind);
        let place = place.unwrap_or_else(|| {
            self.blocks.push(ElementBlock::new(kind, Vec::new()));
            self.blocks.len() - 1
        });
        let block = &mut self.blocks[place];
        block.nodes.extend_from_slice(nodes);
        block.regions.push(region);
    }

    /// A polygon as triangles around its first corner. Triangles with a corner twice have no area
    /// and are left out.
    pub(super) fn push_polygon(&mut self, corners: &[u32], region: i32) {
        let Some((&first, others)) = corners.split_first() else {
            return;
        };
        for pair in others.windows(2) {
            if first != pair[0] && pair[0] != pair[1] && pair[1] != first {
                let triangle = [first, pair[0], pair[1]];
                self.push(ElementKind::Triangle3, &triangle, region);
            }
        }
    }

    /// An element of this dimension that Pliant has no kind for.
    ///
    /// It is an error only if no element of a higher dimension is read: mesh generators write the
    /// edges and faces of a solid along with it, and these may be of kinds that are not needed.
    pub(super) fn refuse(&mut self, dimension: usize, fault: impl FnOnce() -> Fault) {
        if self
            .refused
            .as_ref()
            .is_none_or(|(most, _)| dimension > *most)
        {
            self.refused = Some((dimension, fault()));
        }
    }

    /// Leaves out elements that name the same nodes in the same order as one before.
    pub(super) fn remove_repeated(&mut self) {
        for block in &mut self.blocks {
            let mut seen = std::collections::HashSet::new();
            let mut kept = ElementBlock::new(block.kind, Vec::new());
            for (nodes, &region) in block.elements().zip(&block.regions) {
                if seen.insert(nodes) {
                    kept.nodes.extend_from_slice(nodes);
                    kept.regions.push(region);
                }
            }
            *block = kept;
        }
    }

    /// The mesh, if it makes sense.
    pub(super) fn finish(self, positions: Vec<DVec3>) -> Result<ElementMesh, Fault> {
        let dimensions = self.blocks.iter().map(|block| block.kind.dimension());
        let most = dimensions.max().unwrap_or(0);
        if let Some((dimension, fault)) = self.refused
            && dimension >= most
        {
            return Err(fault);
        }
        let mesh = ElementMesh {
            positions,
            blocks: self.blocks,
        };
        mesh.check().map_err(Fault::Inconsistent)?;
        Ok(mesh)
    }
}

/// The index of each node by the number that its file gives it.
pub(super) enum NodeNumbers {
    /// Numbers without gaps, from the first.
    Consecutive { first: i64, count: usize },
    /// Any numbers.
    Scattered(HashMap<i64, u32>),
}

impl NodeNumbers {
    /// From the numbers of the nodes in the order of their indices; or a number that stands twice.
    pub(super) fn new(numbers: &[i64]) -> Result<Self, i64> {
        let first = numbers.first().copied().unwrap_or(0);
        let mut expected = (0..).map(|step: i64| first.checked_add(step));
        if numbers.iter().all(|&n| expected.next() == Some(Some(n))) {
            let count = numbers.len();
            return Ok(Self::Consecutive { first, count });
        }
        let mut indices = HashMap::with_capacity(numbers.len());
        for (index, &number) in (0..).zip(numbers) {
            if indices.insert(number, index).is_some() {
                return Err(number);
            }
        }
        Ok(Self::Scattered(indices))
    }

    /// The index of the node with a number.
    pub(super) fn index(&self, number: i64) -> Option<u32> {
        match self {
            Self::Consecutive { first, count } => {
                let index = u32::try_from(number.checked_sub(*first)?).ok()?;
                ((index as usize) < *count).then_some(index)
            }
            Self::Scattered(indices) => indices.get(&number).copied(),
        }
    }

    /// The index of the node with a number that was read at an offset.
    pub(super) fn resolve(
        &self,
        number: i64,
        cursor: &Cursor,
        offset: usize,
    ) -> Result<u32, Fault> {
        self.index(number).ok_or_else(|| {
            let found = format!("{number}, which no node has");
            cursor.fault(offset, "the number of a node", found)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_are_found_by_their_numbers() {
        let consecutive = NodeNumbers::new(&[1, 2, 3]).unwrap();
        assert!(matches!(consecutive, NodeNumbers::Consecutive { .. }));
        let found = [0, 1, 3, 4].map(|number| consecutive.index(number));
        assert_eq!(found, [None, Some(0), Some(2), None]);
        let scattered = NodeNumbers::new(&[7, 2, 30]).unwrap();
        let found = [7, 2, 30, 8].map(|number| scattered.index(number));
        assert_eq!(found, [Some(0), Some(1), Some(2), None]);
        assert_eq!(NodeNumbers::new(&[5, 6, 5]).err(), Some(5));
        assert!(NodeNumbers::new(&[i64::MAX, i64::MIN]).is_ok());
    }

    #[test]
    fn repeated_elements_are_left_out() {
        let mut elements = Elements::default();
        elements.push(ElementKind::Line2, &[0, 1], 1);
        elements.push(ElementKind::Line2, &[1, 0], 1);
        elements.push(ElementKind::Line2, &[0, 1], 2);
        elements.remove_repeated();
        let mesh = elements.finish(vec![DVec3::ZERO, DVec3::X]).unwrap();
        assert_eq!(mesh.blocks[0].nodes, [0, 1, 1, 0]);
        assert_eq!(mesh.blocks[0].regions, [1, 1]);
    }

    #[test]
    fn polygons_become_triangles() {
        let mut elements = Elements::default();
        elements.push_polygon(&[3, 0, 1, 1, 2], 4);
        elements.push_polygon(&[], 4);
        assert_eq!(elements.blocks[0].nodes, [3, 0, 1, 3, 1, 2]);
        assert_eq!(elements.blocks[0].regions, [4, 4]);
    }
}
