//! The built `pliant` command, as a user runs it.

mod files;
mod folder;
mod full_disk;
mod input;
mod memory;
mod model;
mod pictures;
mod plots;
mod recording;
mod render;
mod resume;
mod run;
mod web;
