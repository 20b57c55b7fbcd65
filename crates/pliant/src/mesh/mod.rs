//! Meshes of elements: nodes in any order, joined by tetrahedra, triangles, bricks and the like.

mod element_mesh;

pub use element_mesh::{ElementBlock, ElementKind, ElementMesh, MeshError};
