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
    /// The process over the particles of a grid or over nodes without coordinates, or what is wrong
    /// with it.
    pub(crate) fn make(&self, grid: Option<&Grid>) -> Result<Scheduled, String> {
        // Only formulas are evaluated on the grid.
        let without_formulas = Grid::new(&[1], &[false]);
        let grid = match (grid, self.settings.formula()) {
            (Some(grid), _) => grid,
            (None, None) => &without_formulas,
            (None, Some(name)) => {
                return Err(format!(
                    "`{name}` is a formula in u, v and w, which the nodes of a mesh do not have"
                ));
            }
        };
        Ok(Scheduled {
            kind: (self.kind.make)(self, grid)?,
            from: self.from,
            until: self.until,
        })
    }
}
