//! Shapes whose coordinates are formulas.

use crate::expression::Expression;
use glam::DVec3;
use pliant::Grid;
use pliant::shape::{Shape, ShapeError};

/// Coordinates by formulas in the material coordinates.
pub(super) struct Formula {
    pub(super) rules: [Expression; 3],
    pub(super) shift: DVec3,
}

impl Shape for Formula {
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        let place = |node| {
            let at = grid.material_coordinates(node);
            let [x, y, z] = &self.rules;
            DVec3::new(x.evaluate(at), y.evaluate(at), z.evaluate(at)) + self.shift
        };
        Ok(grid.nodes().map(place).collect())
    }
}
