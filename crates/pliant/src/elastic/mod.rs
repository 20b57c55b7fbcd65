//! Elastic energies.

mod curve_measures;
mod edge_laplacian;
mod exact;
mod hessian_kernels;
#[cfg(test)]
mod jet;
mod lanes;
mod material;
mod measure;
mod metric;
mod normal_curvature;
mod positive_part;
mod primal;
mod published;
mod published_lanes;
mod solid_kernels;
mod solid_lanes;
mod surface_constants;
mod surface_energy;
mod surface_hessian;
mod surface_kernels;
mod surface_lanes;
mod terms;
mod volume;
mod weights;

pub use curve_measures::{CurvaturePart, CurveCurvature, EdgeLength};
pub use edge_laplacian::PairFamily;
pub use exact::ExactElasticity;
pub(crate) use jet::Jet;
pub use material::{GridMaterial, node_sizes};
pub use measure::{Measure, MeasureKind, Term, TermView};
pub use metric::{CornerMetric, EdgeMetric};
pub use normal_curvature::{NormalCurvature, NormalPattern};
pub use primal::primal_terms;
pub use published::{PublishedElasticity, PublishedForm};
pub(crate) use solid_lanes::SolidLanes;
pub(crate) use surface_lanes::SurfaceLanes;
pub use terms::{Slabs, TermGroup, TermList};
pub use volume::SignedVolume;
pub use weights::Weights;
