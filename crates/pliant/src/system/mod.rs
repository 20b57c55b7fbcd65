//! The one place where implicit bodies are moved.
//!
//! A step is one or two implicit stages (`rule.rs`). A stage minimises one potential
//! (`potential.rs`): inertia, damping, elastic energies, external forces, and contact with its
//! friction (`obstacle_contact.rs`), over unknowns that are 3-vectors (`unknowns.rs`). Newton's method
//! (`newton.rs`, `line_search.rs`, `goals.rs`) finds the minimum; rough solves for sheets on grids run
//! in single precision (`rough_system.rs`). `stages.rs` goes through the stages, `free_flight.rs`
//! leads rigid bodies, `momentum.rs` keeps what stages must keep, `driven_work.rs` adds up the work of wind, `rebound.rs` gives back what impacts take, `mover.rs` puts them together.
//! Bodies that may touch each other move together: `island.rs` and `island_newton.rs`, with the linear
//! system of `joint_system.rs`, preconditioned across bodies by `contact_sweeps.rs`. What can touch is listed by `pair_features.rs`, pushes each other by
//! `pair_contact.rs` and `pair_friction.rs`, is stopped by `pair_rebound.rs`, and moves only as far as `pair_guarantee.rs` has proved. What they do in trouble is
//! `means.rs`; what is held up on its path is seen in `path_lag.rs`.

mod acceleration;
mod acting_joint;
mod affine;
mod bounds;
mod contact_shares;
mod contact_sweeps;
mod coupled_nodes;
mod driven_work;
mod flat_faces;
mod free_flight;
mod goals;
mod groups;
mod impact_friction;
mod island;
mod island_energy;
mod island_goals;
mod island_groups;
mod island_joints;
mod island_newton;
mod island_search;
mod joined_island;
mod joint_gap;
mod joint_loads;
mod joint_system;
mod line_search;
mod links;
mod losses;
mod means;
mod momentum;
mod mover;
mod newton;
mod obstacle_contact;
mod obstacle_friction;
mod overlap;
mod pair_answer;
mod pair_contact;
mod pair_curvature;
mod pair_ends;
mod pair_features;
mod pair_foresight;
mod pair_friction;
mod pair_guarantee;
mod pair_law;
mod pair_rebound;
mod passage;
mod path_lag;
mod potential;
mod progress;
mod rayleigh;
mod rebound;
mod reduced_matrix;
mod rigid_core;
mod rough_system;
mod rule;
mod self_distance;
mod share;
mod small_bodies;
mod solver_choice;
mod stages;
mod sweep_rows;
mod tied;
mod true_hessian;
mod tumbling;
mod unknowns;

use affine::ControlFrame;
pub(crate) use groups::{FreeLists, Groups, Together};
pub(crate) use island::{Island, Member, mover_of};
pub(crate) use means::{Means, Trouble};
use mover::Mover;
pub use overlap::{Overlap, lowered_ranges, overlaps};
pub(crate) use rebound::Impact;
pub use rigid_core::{CoreMotion, CorePose, RigidCore};
pub(crate) use rule::{ALPHA, GAMMA, two_stage_windows};
pub use share::{Share, implicit, implicit_share, place_controls};
