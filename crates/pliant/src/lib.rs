//! Pliant: a deformable-body engine for curves, surfaces and solids.
//!
//! A [`World`] holds bodies and obstacles. A [`Workspace`] holds scratch memory. [`World::step`]
//! advances the world and returns a [`StepReport`]; a [`FrameMaker`] turns a world into a
//! [`Frame`] for drawing and export.

#![warn(missing_docs)]

pub mod body;
pub mod contact;
pub mod elastic;
pub mod force;
pub mod frame;
pub mod integrate;
pub mod linear;
mod loads;
pub mod math;
pub mod obstacle;
pub mod report;
pub mod shape;
mod step;
mod world;

pub use body::{Body, BodyDescription, EnergyVariant, Grid, State};
pub use frame::Frame;
pub use integrate::IntegratorKind;
pub use report::{Energies, StepReport};
pub use step::Workspace;
pub use world::{FrameMaker, World, body_directions};
