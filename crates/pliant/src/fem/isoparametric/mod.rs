//! Isoparametric elements: interpolation functions, quadrature, energy and mass.

mod elements;
mod geometry;
mod mass;
mod positive_stress;
mod quadrature;
mod shape;

pub use elements::{IsoparametricElements, Strain};
pub use geometry::rest_measure;
pub use quadrature::{Integrand, QuadraturePoint, quadrature};
pub use shape::{ShapeFunctions, master_nodes, shape_functions};
