//! What describes a body on a grid beside what describes every body.

use super::BodyDescription;
use crate::elastic::Weights;
use crate::grid::Grid;

/// Which elastic force a primal body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EnergyVariant {
    /// The true gradient of the discrete energy.
    #[default]
    Exact,
    /// The force of the paper, with a matrix that keeps it stable.
    Published,
    /// The scheme of the paper exactly as printed.
    AsPrinted,
}

/// What describes a body on a grid beside what describes every body.
#[derive(Clone, Debug)]
pub struct GridDescription {
    /// The material grid.
    pub grid: Grid,
    /// Material weights of each node.
    pub weights: Weights,
    /// Which elastic force a primal body has.
    pub energy: EnergyVariant,
}

/// A formulation of bodies on grids: the grid, and the mechanics that moves what is on it.
#[derive(Clone, Debug)]
pub struct OnGrid<M> {
    /// Grid, weights and elastic force.
    pub on_grid: GridDescription,
    /// Such as the primal or the hybrid one.
    pub mechanics: M,
}

impl BodyDescription {
    /// What only bodies on grids have; nothing for other bodies.
    pub fn on_grid(&self) -> Option<&GridDescription> {
        self.formulation.on_grid()
    }

    /// Changes what only bodies on grids have. Nothing happens to other bodies.
    pub fn change_grid(&mut self, change: impl FnOnce(&mut GridDescription)) {
        let Some(mut on_grid) = self.on_grid().cloned() else {
            return;
        };
        change(&mut on_grid);
        if let Some(changed) = self.formulation.with_grid(on_grid) {
            self.formulation = changed;
        }
    }

    /// The material grid; nothing for a body that is not on one.
    pub fn grid(&self) -> Option<&Grid> {
        self.on_grid().map(|on_grid| &on_grid.grid)
    }

    /// The material weights of the nodes of a grid; nothing for a body that is not on one.
    pub fn weights(&self) -> Option<&Weights> {
        self.on_grid().map(|on_grid| &on_grid.weights)
    }

    /// The material grid, for the formulations of bodies on grids and what works for them alone.
    pub(crate) fn material_grid(&self) -> &Grid {
        &self.expected_grid().grid
    }

    /// The material weights, for the formulations of bodies on grids and what works for them alone.
    pub(crate) fn material_weights(&self) -> &Weights {
        &self.expected_grid().weights
    }

    /// Which elastic force the body has: [`EnergyVariant::Exact`] if it is not on a grid.
    pub fn energy(&self) -> EnergyVariant {
        self.on_grid()
            .map(|on_grid| on_grid.energy)
            .unwrap_or_default()
    }

    fn expected_grid(&self) -> &GridDescription {
        self.on_grid()
            .unwrap_or_else(|| panic!("the body `{}` is not on a grid", self.name))
    }
}
