//! Rods: curves with a material frame. Energy, measures and frames; the formulation is in
//! `formulation/rod.rs`.

mod energy;
mod fields;
mod frames;
mod measures;
mod number;
mod tube;

pub(crate) use energy::RodEnergy;
pub(crate) use fields::rod_fields;
pub(crate) use frames::Edges;
pub(crate) use tube::{tube, tube_topology};
