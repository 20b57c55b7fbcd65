//! Pliant: a deformable-body engine for curves, surfaces and solids.
//!
//! A [`World`] holds bodies and obstacles. A [`Workspace`] holds scratch memory. [`World::step`]
//! advances the world and returns a [`StepReport`]; a [`FrameMaker`] turns a world into a
//! [`Frame`] for drawing and export.
//!
//! A cloth of 5 x 5 nodes falls on a ball:
//!
//! ```
//! use glam::DVec3;
//! use pliant::elastic::Weights;
//! use pliant::force::{BoundForce, Gravity};
//! use pliant::obstacle::{Obstacle, Sphere};
//! use pliant::{Body, BodyDescription, Grid, Workspace, World};
//! use std::sync::Arc;
//!
//! let grid = Grid::new(&[5, 5], &[false, false]);
//! let place = |node| DVec3::from(grid.material_coordinates(node)) + 1.2 * DVec3::Z;
//! let square: Vec<DVec3> = grid.nodes().map(place).collect();
//! let weights = Weights::uniform(grid.node_count(), 10.0, 0.1, 0.0);
//!
//! let mut cloth = BodyDescription::new("cloth", grid, square, weights);
//! let acceleration = DVec3::new(0.0, 0.0, -9.81);
//! let force = Arc::new(Gravity { acceleration });
//! cloth.forces.push(BoundForce { force, node: None });
//! cloth.collides_with.push(0);
//!
//! let ball = Sphere::new(DVec3::new(0.5, 0.5, 0.0), 1.0)?;
//! let mut world = World {
//!     bodies: vec![Body::new(cloth)?],
//!     obstacles: vec![Obstacle::new("ball", Box::new(ball))],
//!     ..World::default()
//! };
//! let mut workspace = Workspace::new(&world);
//! let falling = world.step(&mut workspace);
//! assert_eq!(falling.contacts, 0);
//! assert!(falling.momentum.z < 0.0);
//!
//! let reports: Vec<_> = (0..40).map(|_| world.step(&mut workspace)).collect();
//! assert!(reports.iter().any(|report| report.contacts > 0));
//! assert!(reports.iter().all(|report| report.smallest_distance > -1e-9));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Vectors are those of the crate `glam`. Units are SI throughout.

#![warn(missing_docs)]
#![deny(clippy::undocumented_unsafe_blocks)]

mod accept;
mod appearance;
mod attempt;
pub mod body;
mod bytes;
pub mod chainmail;
pub mod choice;
pub mod command;
pub mod contact;
pub mod deform;
mod dynamic_nurbs;
pub mod elastic;
pub mod energy;
mod energy_guard;
pub mod fem;
mod film;
pub mod force;
pub mod formulation;
pub mod frame;
mod frame_maker;
pub mod grid;
pub mod hybrid;
pub mod image_layout;
pub mod inelastic;
mod inner_motion;
mod integrate;
pub mod joint;
pub mod linear;
mod loaded_part;
mod loads;
pub mod math;
pub mod mesh;
pub mod obstacle;
pub mod process;
pub mod reduced;
pub mod report;
mod rigid_motion;
mod rod;
pub mod shape;
mod snake;
mod snapshot;
mod step;
mod sticks;
pub mod superquadric;
mod system;
mod together;
mod workspace;
mod world;

pub use body::{Body, BodyDescription, EnergyVariant, Formulation, IntegratorKind, State};
pub use bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
pub use frame::Frame;
pub use frame_maker::FrameMaker;
pub use grid::Grid;
pub use loaded_part::loaded_part;
pub use report::{Dissipation, Energies, StepReport};
pub use system::{Overlap, Share, implicit, implicit_share, lowered_ranges, overlaps};
pub use workspace::Workspace;
pub use world::World;
