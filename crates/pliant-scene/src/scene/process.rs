//! What makes a body more than elastic.

use crate::language::ProcessType;
use crate::settings::Settings;
use glam::DVec3;
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
    pub(crate) fn on_grid(&self, grid: &Grid) -> Result<Scheduled, String> {
        let places = grid.nodes().map(|node| grid.material_coordinates(node));
        self.make(&places.collect::<Vec<_>>())
    }

    /// The process over the nodes of a mesh, or what is wrong with it. Heat belongs to the nodes, which have
    /// material coordinates by their place between the ends of the mesh; all else belongs to elements.
    pub(crate) fn on_mesh(&self, rest: &[DVec3]) -> Result<Scheduled, String> {
        if let Some(name) = self.settings.formula()
            && self.kind.word.name != "Heat"
        {
            return Err(format!(
                "`{name}` is a formula in u, v and w, which the elements of a mesh do not have"
            ));
        }
        let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let size = (high - low).map(|length| if length > 0.0 { length } else { 1.0 });
        let places = rest.iter().map(|x| ((*x - low) / size).to_array());
        self.make(&places.collect::<Vec<_>>())
    }

    fn make(&self, places: &[[f64; 3]]) -> Result<Scheduled, String> {
        Ok(Scheduled {
            kind: (self.kind.make)(self, places)?,
            from: self.from,
            until: self.until,
        })
    }
}
