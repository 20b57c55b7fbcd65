//! Meshes of elements: nodes in any order, joined by tetrahedra, triangles, bricks and the like.

mod bcc_lattice;
mod boundary;
mod element_mesh;
mod implicit;
mod lattice;
mod make_error;
mod quality;
mod solid_distance;
mod stuffing;

pub use bcc_lattice::LATTICE_POINT_LIMIT;
pub use boundary::{
    Components, boundary_surface, boundary_triangles, compact, components, edges, enclosed_volume,
    orient_tetrahedra, tetrahedra, tetrahedron_volume, tetrahedron_volumes,
};
pub use element_mesh::{ElementBlock, ElementKind, ElementMesh, MeshError};
pub use implicit::{ImplicitShape, Solid};
pub use lattice::{Division, ball, block, brick20_block, rectangle, ring, tube};
pub use make_error::MeshMakeError;
pub use quality::{dihedral_angles, dihedral_range};
pub use stuffing::fill;
