//! The built `pliant` command, as a user runs it.

mod folder;
mod full_disk;
mod input;
mod pictures;
mod plots;
mod render;
mod resume;
mod run;
