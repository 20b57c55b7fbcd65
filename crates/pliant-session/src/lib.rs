//! A run without a terminal: from a scene to a world, its steps and frames, what they gave and took,
//! and pictures of them. The command line, a viewer and a Python module share it.
//!
//! ```
//! use pliant_session::{Schedule, Source, Statistics};
//! let mut source = Source::load("flag", &[], None)?;
//! let schedule = Schedule::of(&source, None, Some(2));
//! let mut workspace = pliant::Workspace::new(&source.world);
//! let mut statistics = Statistics::new(&source.world, &mut workspace);
//! for _ in 0..schedule.steps {
//!     let report = source.world.step(&mut workspace);
//!     statistics.add(&report, 0.0);
//! }
//! assert_eq!(statistics.steps, schedule.steps);
//! # Ok::<(), pliant_session::Failure>(())
//! ```

pub mod clock;
mod commands;
mod expectations;
mod failure;
mod foresight;
mod inputs;
mod live;
mod machine;
mod memory;
mod picture;
mod record;
mod recording;
mod renewal;
mod replay;
mod resume;
mod scene_edit;
mod schedule;
mod script;
mod simulation;
mod source;
mod statistics;
mod threads;
mod volume;

pub use commands::{commands_from_json, commands_to_json};
pub use expectations::Expectations;
pub use failure::Failure;
pub use foresight::foreseen;
pub use inputs::{Input, changed_files};
pub use live::{LiveScene, Renewed};
pub use machine::free_memory;
pub use memory::{Estimate, MemoryLimit, check_scene, check_world, estimate, readable_bytes};
pub use picture::{
    AskedCamera, DEFAULT_SIZE, PictureSettings, Plan, Stage, Studio, View, asked_camera, view,
};
pub use record::Record;
pub use recording::{Deed, Event, Recording};
pub use replay::Replay;
pub use resume::{Resumed, check_may_replace, find_earlier_run, header};
pub use scene_edit::{ChangeError, body_path, with_element, with_overrides, with_value};
pub use schedule::{Schedule, spread};
pub use script::{Followed, Script};
pub use simulation::{Moment, Observer, Simulation, quarantines};
pub use source::{Source, built_in_names, built_in_text};
pub use statistics::Statistics;
pub use threads::use_threads;
pub use volume::{ClosedBodies, volume_now_and_at_rest};
