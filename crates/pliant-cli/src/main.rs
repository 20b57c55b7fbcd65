//! The `pliant` command: simulate, draw, check, list and measure scenes.
//!
//! Exit codes: 0 done, 1 the simulation failed or its output could not be written, 2 the input is
//! wrong, 130 somebody stopped it.

mod allocator;
mod arguments;
mod bench;
mod check;
mod clock;
mod console;
mod gallery;
mod heartbeat;
mod interrupt;
mod model;
mod output;
mod picture_arguments;
mod plot;
mod progress;
mod render;
mod run;
mod scenes;
mod serve;
mod summary;
mod verdict;
mod view;

use arguments::{Arguments, Command};
use clap::Parser;
use pliant_session::Failure;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(message) => return said(&message),
    };
    let result = match &arguments.command {
        Command::Run(options) => run::run(options),
        Command::View(options) => view::view(options),
        Command::Render(options) => render::render(options),
        Command::Gallery(options) => gallery::gallery(options),
        Command::Model(options) => model::model(options),
        Command::Check(options) => check::check(options),
        Command::Scenes(options) => scenes::scenes(options),
        Command::Bench(options) => bench::bench(options),
    };
    match result {
        Ok(()) => match console::failure() {
            None => ExitCode::SUCCESS,
            Some(error) => {
                console::note(&format!(
                    "error: cannot write to the standard output: {error}"
                ));
                ExitCode::from(1)
            }
        },
        Err(failure) => {
            console::note(&failure.to_string());
            exit_code(&failure)
        }
    }
}

/// Says what is wrong with the arguments, or helps with them.
fn said(message: &clap::Error) -> ExitCode {
    match message.print() {
        Ok(()) => ExitCode::from(u8::try_from(message.exit_code()).unwrap_or(2)),
        Err(_) => ExitCode::from(1),
    }
}

/// 1 if the simulation failed, 2 if the input is wrong, 130 if somebody stopped it.
fn exit_code(failure: &Failure) -> ExitCode {
    match failure {
        Failure::Simulation(_) => ExitCode::from(1),
        Failure::Interrupted(_) => ExitCode::from(interrupt::EXIT_CODE),
        Failure::Scene(_) | Failure::Input(_) | Failure::Output(_) | Failure::Cache(_) => {
            ExitCode::from(2)
        }
    }
}
