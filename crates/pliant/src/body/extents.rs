//! What the nodes of a body stand for, at rest: the length of a curve, the area of a surface, the
//! area of the boundary of a solid. Forces per area are shared among nodes by it.

use super::{BodyDescription, fields, grid_topology};
use crate::elastic::node_sizes;

impl BodyDescription {
    /// Mean length of the edges of the body at rest, in metres.
    pub fn mean_spacing(&self) -> f64 {
        fields::mean_spacing(self)
    }

    /// Length (of a curve, in metres) or area (of a surface or of the boundary of a solid, in square
    /// metres) of the rest shape that each node stands for; 0 inside a solid.
    pub fn node_extents(&self) -> Vec<f64> {
        match (&self.mesh, self.grid.dimension()) {
            (Some(settings), _) => self.third_parts(settings.boundary()),
            (None, 1 | 2) => node_sizes(&self.grid, &self.rest_positions),
            (None, _) => self.third_parts(&grid_topology(&self.grid).triangles),
        }
    }

    /// A third of the area of each triangle for each of its corners.
    fn third_parts(&self, triangles: &[[u32; 3]]) -> Vec<f64> {
        let mut extents = vec![0.0; self.rest_positions.len()];
        for triangle in triangles {
            let [a, b, c] = triangle.map(|node| self.rest_positions[node as usize]);
            let area = 0.5 * (b - a).cross(c - a).length();
            for node in *triangle {
                extents[node as usize] += area / 3.0;
            }
        }
        extents
    }
}
