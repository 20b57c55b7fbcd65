//! The `pliant` command: simulate, draw, check, list and measure scenes.
//!
//! Exit codes: 0 done, 1 the simulation failed, 2 the input is wrong.

mod arguments;
mod bench;
mod check;
mod clock;
mod console;
mod expectations;
mod failure;
mod gallery;
mod json;
mod output;
mod picture;
mod plot;
mod progress;
mod record;
mod render;
mod replay;
mod resume;
mod run;
mod scenes;
mod schedule;
mod simulation;
mod source;
mod statistics;
mod summary;
mod threads;
mod volume;

use arguments::{Arguments, Command};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = match &arguments.command {
        Command::Run(options) => run::run(options),
        Command::Render(options) => render::render(options),
        Command::Gallery(options) => gallery::gallery(options),
        Command::Check(options) => check::check(options),
        Command::Scenes(options) => scenes::scenes(options),
        Command::Bench(options) => bench::bench(options),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            console::note(&failure.to_string());
            failure.exit_code()
        }
    }
}
