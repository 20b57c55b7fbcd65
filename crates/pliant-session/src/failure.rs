//! Why a run failed.

use pliant_io::IoError;
use pliant_io::cache::CacheError;
use pliant_scene::SceneErrors;
use std::fmt::Display;

/// Why a run, or a command about one, failed.
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
    /// Somebody stopped it before its end.
    #[error("{0}")]
    Interrupted(String),
}

impl Failure {
    /// Output that fails while the simulation runs is a failed run, not a wrong input.
    pub fn on_the_way(error: impl Display) -> Self {
        Self::Simulation(error.to_string())
    }
}
