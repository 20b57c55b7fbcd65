//! Small frames for tests.

use glam::DVec3;
use pliant::frame::{Appearance, FrameBody, FrameObstacle, NodalField, Topology, TriangleMesh};
use pliant::grid::grid_topology;
use pliant::{Frame, Grid};
use std::sync::Arc;

/// A body at rest with a strain of zero.
pub fn body(topology: Topology, positions: Vec<DVec3>) -> FrameBody {
    let count = positions.len();
    FrameBody {
        name: "body".into(),
        topology: Arc::new(topology),
        appearance: Arc::new(Appearance::color([0.8, 0.3, 0.2])),
        velocities: vec![DVec3::ZERO; count],
        elastic_forces: vec![DVec3::ZERO; count],
        external_forces: vec![DVec3::ZERO; count],
        fixed: Arc::new(vec![false; count]),
        fields: vec![NodalField {
            name: "strain",
            unit: "",
            values: vec![0.0; count],
        }],
        particle_radius: 0.05,
        positions,
    }
}

/// A frame with one body on a grid, at its material coordinates.
pub fn grid_frame(counts: &[usize]) -> Frame {
    let grid = Grid::new(counts, &vec![false; counts.len()]);
    let positions = grid
        .nodes()
        .map(|node| DVec3::from(grid.material_coordinates(node)))
        .collect();
    Frame {
        bodies: vec![body(grid_topology(&grid), positions)],
        ..Frame::default()
    }
}

/// A flat square sheet of side 1 at z = 0.
pub fn sheet(columns: usize, rows: usize) -> Frame {
    grid_frame(&[columns, rows])
}

/// An obstacle with a mesh.
pub fn obstacle(mesh: TriangleMesh) -> FrameObstacle {
    FrameObstacle {
        name: "obstacle".into(),
        mesh: Arc::new(mesh),
        appearance: Arc::default(),
    }
}
