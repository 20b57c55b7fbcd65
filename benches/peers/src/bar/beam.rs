//! The bar: 1 x 0.25 x 0.25 m, clamped at x = 0, of cubes of five tetrahedra.

use glam::DVec3;
use pliant::mesh::{Division, ElementMesh, block};
use std::fmt::Write;
use std::sync::Arc;

pub const YOUNG: f64 = 1e6;
pub const POISSON: f64 = 0.33;
pub const DENSITY: f64 = 1000.0;

pub struct Bar {
    pub mesh: Arc<ElementMesh>,
    pub tetrahedra: Vec<[u32; 4]>,
    /// A quarter of each tetrahedron's mass at each of its nodes.
    pub masses: Vec<f64>,
}

impl Bar {
    pub fn new(size: usize) -> Result<Self, Box<dyn std::error::Error>> {
        let counts = [[12, 3, 3], [32, 8, 8], [68, 17, 17]]
            .get(size)
            .copied()
            .ok_or("sizes are 0, 1 and 2")?;
        let mesh = block(
            counts,
            DVec3::new(1.0, 0.25, 0.25),
            Division::FiveTetrahedra,
        )?;
        let tetrahedra: Vec<[u32; 4]> = pliant::mesh::tetrahedra(&mesh).collect();
        let mut masses = vec![0.0; mesh.positions.len()];
        for nodes in &tetrahedra {
            let [a, b, c, d] = nodes.map(|node| mesh.positions[node as usize]);
            let volume = (b - a).dot((c - a).cross(d - a)).abs() / 6.0;
            for &node in nodes {
                masses[node as usize] += 0.25 * DENSITY * volume;
            }
        }
        Ok(Self {
            mesh: Arc::new(mesh),
            tetrahedra,
            masses,
        })
    }

    pub fn clamped(&self, node: usize) -> bool {
        self.mesh.positions[node].x < 1e-9
    }

    /// Nodes of the free end.
    pub fn end(&self) -> Vec<usize> {
        let nodes = 0..self.mesh.positions.len();
        nodes
            .filter(|&n| self.mesh.positions[n].x > 1.0 - 1e-9)
            .collect()
    }

    /// Writes counts, positions and tetrahedra as plain numbers.
    pub fn write(&self, path: &str) -> std::io::Result<()> {
        let mut text = format!("{} {}\n", self.mesh.positions.len(), self.tetrahedra.len());
        for x in &self.mesh.positions {
            let _ = writeln!(text, "{} {} {}", x.x, x.y, x.z);
        }
        for [a, b, c, d] in &self.tetrahedra {
            let _ = writeln!(text, "{a} {b} {c} {d}");
        }
        std::fs::write(path, text)
    }
}
