//! Nodes and the elements between them.

use glam::DVec3;
use thiserror::Error;

/// What an element is. Nodes are numbered as VTK numbers them: corners first, then the middles of
/// edges, of faces, of the element.
///
/// Implements: \[Gibson1997\] Table 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A segment of two nodes: a spring.
    Line2,
    /// A triangle of three nodes.
    Triangle3,
    /// A triangle with a node in the middle of each edge.
    Triangle6,
    /// A quadrilateral of four nodes.
    Quad4,
    /// A quadrilateral with a node in the middle of each edge and one in its own.
    Quad9,
    /// A tetrahedron of four nodes.
    Tetrahedron4,
    /// A tetrahedron with a node in the middle of each edge.
    Tetrahedron10,
    /// A brick with a node in the middle of each edge.
    Brick20,
}

impl ElementKind {
    /// Every kind.
    pub const ALL: [Self; 8] = [
        Self::Line2,
        Self::Triangle3,
        Self::Triangle6,
        Self::Quad4,
        Self::Quad9,
        Self::Tetrahedron4,
        Self::Tetrahedron10,
        Self::Brick20,
    ];

    /// Nodes of an element.
    pub fn node_count(self) -> usize {
        match self {
            Self::Line2 => 2,
            Self::Triangle3 => 3,
            Self::Triangle6 => 6,
            Self::Quad4 | Self::Tetrahedron4 => 4,
            Self::Quad9 => 9,
            Self::Tetrahedron10 => 10,
            Self::Brick20 => 20,
        }
    }

    /// Directions of an element: 1 for a segment, 2 for a face, 3 for a solid.
    pub fn dimension(self) -> usize {
        match self {
            Self::Line2 => 1,
            Self::Triangle3 | Self::Triangle6 | Self::Quad4 | Self::Quad9 => 2,
            Self::Tetrahedron4 | Self::Tetrahedron10 | Self::Brick20 => 3,
        }
    }
}

/// Elements of one kind.
#[derive(Clone, Debug, PartialEq)]
pub struct ElementBlock {
    /// What they are.
    pub kind: ElementKind,
    /// Node indices, element after element.
    pub nodes: Vec<u32>,
    /// The region that each element belongs to, as its file or maker numbers it.
    pub regions: Vec<i32>,
}

impl ElementBlock {
    /// Elements that all belong to region 0.
    pub fn new(kind: ElementKind, nodes: Vec<u32>) -> Self {
        let count = nodes.len() / kind.node_count();
        Self {
            kind,
            nodes,
            regions: vec![0; count],
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.nodes.len() / self.kind.node_count()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The nodes of each element.
    pub fn elements(&self) -> impl ExactSizeIterator<Item = &[u32]> {
        self.nodes.chunks_exact(self.kind.node_count())
    }
}

/// Nodes and blocks of elements.
///
/// ```
/// use glam::DVec3;
/// use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
/// let mesh = ElementMesh {
///     positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::Z],
///     blocks: vec![ElementBlock::new(ElementKind::Tetrahedron4, vec![0, 1, 2, 3])],
/// };
/// assert_eq!(mesh.check(), Ok(()));
/// assert_eq!(mesh.elements_of(ElementKind::Tetrahedron4), 1);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ElementMesh {
    /// Node positions, in metres.
    pub positions: Vec<DVec3>,
    /// The elements, by kind.
    pub blocks: Vec<ElementBlock>,
}

/// What is wrong with a mesh.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum MeshError {
    #[error("the mesh has no elements")]
    Empty,
    #[error("element {element} of the mesh names node {node}, but there are {node_count} nodes")]
    NoSuchNode {
        element: usize,
        node: u32,
        node_count: usize,
    },
    #[error("element {element} of the mesh names node {node} twice")]
    NodeTwice { element: usize, node: u32 },
    #[error("node {node} of the mesh has a position that is not finite")]
    NotFinite { node: usize },
    #[error("a block of elements has {nodes} node indices and {regions} regions, which do not fit")]
    WrongLength { nodes: usize, regions: usize },
}

impl ElementMesh {
    /// Whether it has elements with a volume.
    pub fn is_solid(&self) -> bool {
        self.blocks.iter().any(|block| block.kind.dimension() == 3)
    }

    /// The highest dimension of its elements: 3 with volumes, 2 with faces, 1 with lines alone.
    pub fn dimension(&self) -> usize {
        let kinds = self.blocks.iter().map(|block| block.kind.dimension());
        kinds.max().unwrap_or(0)
    }

    /// Number of elements of a kind.
    pub fn elements_of(&self, kind: ElementKind) -> usize {
        let blocks = self.blocks.iter().filter(|block| block.kind == kind);
        blocks.map(ElementBlock::len).sum()
    }

    /// Whether indices, lengths and positions make sense. Shapes of elements are not looked at.
    pub fn check(&self) -> Result<(), MeshError> {
        let node_count = self.positions.len();
        if self.blocks.iter().all(ElementBlock::is_empty) {
            return Err(MeshError::Empty);
        }
        if let Some(node) = self.positions.iter().position(|x| !x.is_finite()) {
            return Err(MeshError::NotFinite { node });
        }
        for block in &self.blocks {
            let per_element = block.kind.node_count();
            if block.nodes.len() != per_element * block.regions.len() {
                return Err(MeshError::WrongLength {
                    nodes: block.nodes.len(),
                    regions: block.regions.len(),
                });
            }
            for (element, nodes) in block.elements().enumerate() {
                for (place, &node) in nodes.iter().enumerate() {
                    if node as usize >= node_count {
                        return Err(MeshError::NoSuchNode {
                            element,
                            node,
                            node_count,
                        });
                    }
                    if nodes[..place].contains(&node) {
                        return Err(MeshError::NodeTwice { element, node });
                    }
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_are_found() {
        let mut mesh = ElementMesh {
            positions: vec![DVec3::ZERO, DVec3::X, DVec3::Y],
            blocks: vec![ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2])],
        };
        assert_eq!(mesh.check(), Ok(()));
        mesh.blocks[0].nodes[2] = 3;
        assert!(matches!(mesh.check(), Err(MeshError::NoSuchNode { .. })));
        mesh.blocks[0].nodes[2] = 1;
        assert!(matches!(mesh.check(), Err(MeshError::NodeTwice { .. })));
        mesh.positions[1].y = f64::NAN;
        assert_eq!(mesh.check(), Err(MeshError::NotFinite { node: 1 }));
        mesh.blocks.clear();
        assert_eq!(mesh.check(), Err(MeshError::Empty));
    }
}
