//! Isoparametric elements: interpolation functions, quadrature, energy and mass.

#[cfg(test)]
mod cantilever_tests;
mod elements;
mod geometry;
mod mass;
mod nodal_strain;
#[cfg(test)]
mod patch_tests;
mod positive_stress;
mod quadrature;
mod shape;
mod shares;
#[cfg(test)]
mod stiffness_tests;

pub use elements::{IsoparametricElements, Strain};
pub use geometry::rest_measure;
pub(crate) use mass::lumped_areas;
pub use nodal_strain::nodal_strains;
pub use quadrature::{Integrand, QuadraturePoint, quadrature};
pub use shape::{ShapeFunctions, master_nodes, shape_functions};
pub use shares::node_shares;
