//! The `pliant` command: simulate, draw, check, list and measure scenes.
//!
//! Exit codes: 0 done, 1 the simulation failed, 2 the input is wrong.

mod arguments;
mod bench;
mod check;
mod clock;
mod console;
mod gallery;
mod output;
mod picture_arguments;
mod plot;
mod progress;
mod render;
mod run;
mod scenes;
mod summary;

use arguments::{Arguments, Command};
use clap::Parser;
use pliant_session::Failure;
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
            exit_code(&failure)
        }
    }
}

/// 1 if the simulation failed, 2 if the input is wrong.
fn exit_code(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Simulation(_) => ExitCode::from(1),
        Failure::Scene(_) | Failure::Input(_) | Failure::Output(_) | Failure::Cache(_) => {
            ExitCode::from(2)
        }
    }
}
