//! What a result is worth, found from positions alone and by the same code for all engines.

mod crossings;
mod inside;
mod overlap;
mod stretch;

pub use crossings::Crossings;
pub use inside::{Inside, inverted, vertices_inside};
pub use overlap::{CORNERS, Overlap, overlap_of_boxes};
pub use stretch::{Stretch, stretch_of_sheet};

use std::sync::Arc;

/// What all bodies of a scene are alike in.
#[derive(Clone)]
pub struct Shape {
    /// Nodes per body.
    pub nodes: usize,
    /// Triangles of the surface, over the nodes of one body.
    pub triangles: Arc<[[u32; 3]]>,
}

impl Shape {
    pub fn new(nodes: usize, triangles: Vec<[u32; 3]>) -> Self {
        Self {
            nodes,
            triangles: triangles.into(),
        }
    }
}
