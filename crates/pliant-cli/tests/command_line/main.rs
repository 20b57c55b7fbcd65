//! The built `pliant` command, as a user runs it.

mod folder;
mod input;
mod run;
