//! Meshes of elements: nodes in any order, joined by tetrahedra, triangles, bricks and the like.

mod animals;
mod bcc_lattice;
mod boundary;
mod coincidence;
mod element_mesh;
mod elevation;
mod embedding;
mod facet;
mod hole_filling;
mod implicit;
mod lattice;
mod make_error;
mod marching;
mod mass_properties;
mod pinches;
mod quality;
mod signed_distance;
mod solid_check;
mod solid_distance;
mod stuffing;
mod surface_check;
mod surface_repair;
mod triangle_crossing;
mod triangle_tree;

pub use animals::{hound_head, rabbit};
pub use bcc_lattice::LATTICE_POINT_LIMIT;
pub use boundary::{
    Components, boundary_surface, boundary_triangles, compact, components, edges, enclosed_volume,
    orient_tetrahedra, tetrahedra, tetrahedron_volume, tetrahedron_volumes,
};
pub use coincidence::{element_twice, nodes_in_one_place};
pub use element_mesh::{ElementBlock, ElementKind, ElementMesh, MeshError};
pub use elevation::elevated;
pub use embedding::Embedding;
pub use facet::{Facet, FacetCollector, FacetKind, Facets};
pub use implicit::{ImplicitShape, Solid};
pub use lattice::{Division, ball, block, brick20_block, rectangle, ring, tube};
pub use make_error::MeshMakeError;
pub use marching::skin;
pub use mass_properties::MassProperties;
pub use quality::{dihedral_angles, dihedral_range};
pub use signed_distance::{SurfaceDistance, fill_surface};
pub use stuffing::{fill, fill_pieces};
pub use surface_check::{SurfaceFault, SurfaceReport, check_closed, check_surface};
pub use surface_repair::{Repair, RepairOptions, repair};
