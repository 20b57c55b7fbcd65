//! Why a command failed, and with which exit code that is told.

use pliant_io::IoError;
use pliant_io::cache::CacheError;
use pliant_scene::SceneErrors;
use std::fmt::Display;
use std::process::ExitCode;

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub enum Failure {
    /// Mistakes in a scene file; each line of the message begins with its place.
    #[error("{0}")]
    Scene(#[from] SceneErrors),
    /// Anything else that is wrong with what the user gave.
    #[error("error: {0}")]
    Input(String),
    /// Output that cannot be written, found out before the simulation began.
    #[error("error: {0}")]
    Output(IoError),
    /// A cache that cannot be used.
    #[error("error: {0}")]
    Cache(CacheError),
    /// The simulation went wrong, or its output could not be written on the way.
    #[error("error: {0}")]
    Simulation(String),
}

impl Failure {
    /// Output that fails while the simulation runs is a failed run, not a wrong input.
    pub fn on_the_way(error: impl Display) -> Self {
        Self::Simulation(error.to_string())
    }

    /// 1 if the simulation failed, 2 if the input is wrong.
    pub fn exit_code(&self) -> ExitCode {
        match self {
            Self::Simulation(_) => ExitCode::from(1),
            Self::Scene(_) | Self::Input(_) | Self::Output(_) | Self::Cache(_) => ExitCode::from(2),
        }
    }
}
