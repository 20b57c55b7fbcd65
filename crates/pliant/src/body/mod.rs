//! What a body is made of, and the contracts of what describes and moves it.

mod blade;
mod deformable;
mod description;
mod energy_drift;
mod extents;
mod fields;
mod footprint;
mod formulation;
mod grid_description;
mod integrator;
mod slider;
mod state;
mod ties;

pub use blade::Blade;
pub use deformable::Body;
pub use description::{BodyDescription, BodyError};
pub(crate) use energy_drift::EnergyDrift;
pub use extents::{corner_areas, third_areas, triangle_normals};
pub use fields::{edge_fields, temperature_field};
pub use footprint::{Footprint, has_scalar_integrator};
pub(crate) use footprint::{breaks, factorises_statics};
pub use formulation::{ContactFeatures, Formulation, Memory, Past, Processes};
pub use grid_description::{EnergyVariant, GridDescription, OnGrid};
pub use integrator::{Effort, Integrator, IntegratorKind, MayGain, Problem, StepFailure};
pub(crate) use integrator::{damping_by_ways, predict, timed};
pub use slider::Slider;
pub use state::State;
pub use ties::Ties;
