//! Frames out and meshes in: one file per format.
//!
//! A [`FrameSink`] receives the frames of a run one by one and writes them. [`sink_for`] chooses
//! the sink from a path. A new format is one new file with a sink and one line in the list of
//! `output.rs`.
//!
//! [`mesh`] reads the meshes that other programs make.
//!
//! No file ever stands half-written under its final name (see [`atomic_file`]), and a number that
//! is not finite is reported as an error, never written.

mod assets;
pub mod atomic_file;
pub mod cache;
mod check;
mod error;
mod fields;
mod format;
pub mod glb;
mod glb_mesh;
mod gltf;
mod leftovers;
mod look;
mod loose;
pub mod mesh;
mod names;
mod normals;
pub mod obj;
mod output;
pub mod pc2;
pub mod ply;
mod polylines;
mod pvd;
mod single;
mod spool;
pub mod stl;
mod texture_coordinates;
mod timeline;
pub mod usda;
mod usda_prims;
mod usda_text;
pub mod vtu;
mod xml;
pub mod xml_guard;

pub use assets::{AssetError, Assets, FolderAssets, MemoryAssets};
pub use atomic_file::AtomicFile;
pub use error::{IoError, create_folder};
pub use format::{Format, FrameSink, SeriesName};
pub use output::{FORMATS, sink_for};
pub use spool::{Block, Spool, SpoolReader};
