//! A part of a body: some of its nodes.

use super::mesh::Near;
use glam::DVec3;
use pliant::BodyDescription;

/// A part of a body at rest.
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// The nodes in a box.
    Box {
        /// The lowest corner, in coordinates of the scene.
        low: DVec3,
        /// The highest corner.
        high: DVec3,
    },
    /// The particles of a grid between two, both included.
    Particles {
        /// The lowest indices.
        from: [usize; 3],
        /// The highest indices.
        to: [usize; 3],
    },
    /// The nodes of a region of a mesh, as its file numbers it.
    Region(i32),
    /// The nodes of a mesh round a point.
    Near(Near),
}

impl Part {
    /// Whether each node of a body lies in the part. Boxes are wider by a billionth of the body.
    pub fn select(&self, description: &BodyDescription) -> Vec<bool> {
        let rest = &description.rest_positions;
        match *self {
            Self::Box { low, high } => {
                let bounds = rest.iter().fold(
                    (DVec3::INFINITY, DVec3::NEG_INFINITY),
                    |(least, most), x| (least.min(*x), most.max(*x)),
                );
                let slack = 1e-9 * (bounds.1 - bounds.0).length();
                let is_in = |x: &DVec3| x.cmpge(low - slack).all() && x.cmple(high + slack).all();
                rest.iter().map(is_in).collect()
            }
            Self::Particles { from, to } => {
                let grid = description.on_grid().map(|on_grid| &on_grid.grid);
                let is_in = |node: usize| {
                    grid.is_some_and(|grid| {
                        let at = grid.coordinates(node);
                        (0..3).all(|d| from[d] <= at[d] && at[d] <= to[d])
                    })
                };
                (0..rest.len()).map(is_in).collect()
            }
            Self::Region(wanted) => {
                let mut selected = vec![false; rest.len()];
                let elements = description.formulation.elements();
                let blocks = elements.into_iter().flat_map(|mesh| &mesh.blocks);
                for block in blocks {
                    let elements = block.elements().zip(&block.regions);
                    for (nodes, _) in elements.filter(|(_, region)| **region == wanted) {
                        nodes
                            .iter()
                            .for_each(|&node| selected[node as usize] = true);
                    }
                }
                selected
            }
            Self::Near(near) => {
                let distances = rest.iter().map(|x| x.distance(near.point));
                match near.within {
                    Some(within) => distances.map(|distance| distance <= within).collect(),
                    None => {
                        let least = distances.clone().fold(f64::INFINITY, f64::min);
                        distances.map(|distance| distance == least).collect()
                    }
                }
            }
        }
    }
}
