//! The one place where implicit bodies are moved.
//!
//! A step is one or two implicit stages (`rule.rs`). A stage minimises one potential
//! (`potential.rs`): inertia, damping, elastic energies, external forces, and contact with its
//! friction (`obstacle_contact.rs`), over unknowns that are 3-vectors (`unknowns.rs`). Newton's method
//! (`newton.rs`, `line_search.rs`, `goals.rs`) finds the minimum; rough solves for sheets on grids run
//! in single precision (`rough_system.rs`). `stages.rs` goes through the stages, `momentum.rs` keeps
//! what they must keep, `rebound.rs` gives back what impacts take, `mover.rs` puts them together.
//! Bodies that may touch each other move together: `island.rs`,
//! `pair_contact.rs`.

mod affine;
mod bounds;
mod flat_faces;
mod goals;
mod island;
mod island_newton;
mod joint_system;
mod line_search;
mod momentum;
mod mover;
mod newton;
mod obstacle_contact;
mod pair_contact;
mod pair_features;
mod pair_friction;
mod pair_guarantee;
mod potential;
mod rebound;
mod rigid_core;
mod rough_system;
mod rule;
mod self_distance;
mod share;
mod stages;
mod tied;
mod unknowns;

use affine::ControlFrame;
pub(crate) use island::{Island, Member, mover_of};
use mover::Mover;
pub use rigid_core::{CoreMotion, CorePose, RigidCore};
pub use share::{Share, implicit, implicit_share, place_controls};
