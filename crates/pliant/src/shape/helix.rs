//! A helix about the z axis: the rest shape of a coil spring.
//!
//! ```text
//! x(u) = centre + (r cos θ, r sin θ, p θ / 2π),   θ = 2π n u
//! ```
//!
//! r is the radius, p the rise of one turn, n the number of turns; all lengths in metres. The
//! curvature is r / (r² + (p/2π)²) and the torsion (p/2π) / (r² + (p/2π)²).

use super::{Shape, ShapeError};
use crate::grid::Grid;
use glam::DVec3;
use std::f64::consts::TAU;

/// A helix about the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Helix {
    /// Radius r, in metres.
    pub radius: f64,
    /// Rise p of one turn, in metres.
    pub pitch: f64,
    /// Number of turns n.
    pub turns: f64,
    /// Centre of the first turn.
    pub centre: DVec3,
}

impl Shape for Helix {
    fn sample(&self, grid: &Grid) -> Result<Vec<DVec3>, ShapeError> {
        Ok(grid
            .nodes()
            .map(|coordinates| {
                let angle = TAU * self.turns * grid.material_coordinates(coordinates)[0];
                self.centre
                    + DVec3::new(
                        self.radius * angle.cos(),
                        self.radius * angle.sin(),
                        self.pitch * angle / TAU,
                    )
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helix_rises_by_its_pitch_each_turn() {
        let helix = Helix {
            radius: 2.0,
            pitch: 0.5,
            turns: 3.0,
            centre: DVec3::new(1.0, 0.0, -1.0),
        };
        let grid = Grid::new(&[31], &[false]);
        let positions = helix.rest_positions(&grid).unwrap();
        assert!((positions[0] - DVec3::new(3.0, 0.0, -1.0)).length() < 1e-12);
        assert!((positions[10] - DVec3::new(3.0, 0.0, -0.5)).length() < 1e-12);
        assert!((positions[30].z - 0.5).abs() < 1e-12);
    }
}
