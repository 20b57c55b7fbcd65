//! What makes a body more than elastic.

use crate::language::ProcessType;
use crate::settings::Settings;
use pliant::Grid;
use pliant::process::{PronyBranch, Scheduled};

/// One process of a body and when it is at work.
#[derive(Clone, Debug)]
pub struct Process {
    /// What happens.
    pub kind: &'static ProcessType,
    /// The values of its attributes.
    pub settings: Settings,
    /// The units of a Prony series.
    pub branches: Vec<PronyBranch>,
    /// When it begins, in seconds.
    pub from: f64,
    /// When it ends, in seconds; infinite if it does not.
    pub until: f64,
}

impl Process {
    /// The process over the particles of a grid, or what is wrong with it.
    pub(crate) fn make(&self, grid: &Grid) -> Result<Scheduled, String> {
        Ok(Scheduled {
            kind: (self.kind.make)(self, grid)?,
            from: self.from,
            until: self.until,
        })
    }
}
