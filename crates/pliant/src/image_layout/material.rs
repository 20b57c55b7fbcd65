//! What material coordinates tell about a body: its kind, its seams, its diagonals.

use crate::frame::Topology;

/// Coordinates nearer than this are the same.
const SAME: f64 = 1e-9;

/// What the triangles of a body are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A surface over two material directions.
    Sheet {
        /// The two directions.
        axes: [usize; 2],
    },
    /// The boundary of a grid over three directions: each triangle has one coordinate the same all
    /// over.
    Block,
    /// Anything else.
    Free,
}

/// The material coordinates of a body, read with care.
#[derive(Debug)]
pub struct Material<'a> {
    coordinates: &'a [[f64; 3]],
    /// Whether the body is closed in a direction: its coordinates stay below 1.
    periodic: [bool; 3],
    /// What the triangles are.
    pub kind: Kind,
}

/// A side of a cell: the direction it is across, and whether it faces up along it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The direction whose coordinate is the same all over the side.
    pub axis: usize,
    /// Whether it faces towards larger coordinates.
    pub upper: bool,
    /// Whether it lies at an end of the direction; else something has been torn away there.
    pub outer: bool,
}

impl Side {
    /// A number below [`Side::COUNT`].
    pub fn index(self) -> usize {
        2 * self.axis + usize::from(self.upper) + if self.outer { 0 } else { 6 }
    }

    /// How many there are.
    pub const COUNT: usize = 12;
}

impl<'a> Material<'a> {
    /// Reads the coordinates of a topology; `triangles` are those of its triangles whose nodes
    /// exist.
    pub fn new(topology: &'a Topology, triangles: &[[u32; 3]]) -> Self {
        let coordinates = &topology.material_coordinates[..];
        let (mut low, mut high) = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        for coordinate in coordinates {
            for d in 0..3 {
                low[d] = low[d].min(coordinate[d]);
                high[d] = high[d].max(coordinate[d]);
            }
        }
        let mut material = Self {
            coordinates,
            periodic: std::array::from_fn(|d| high[d] < 1.0 - SAME),
            kind: Kind::Free,
        };
        let varying: Vec<usize> = (0..3).filter(|&d| high[d] - low[d] > SAME).collect();
        let known = triangles
            .iter()
            .flatten()
            .all(|&node| (node as usize) < coordinates.len());
        material.kind = match varying[..] {
            [u, v] if known => Kind::Sheet { axes: [u, v] },
            [_, _, _] if known && triangles.iter().all(|&t| material.side(t).is_some()) => {
                Kind::Block
            }
            _ => Kind::Free,
        };
        material
    }

    /// Whether the body has no material coordinates.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The coordinates of a node, zero where there are none.
    pub fn at(&self, node: u32) -> [f64; 3] {
        self.coordinates
            .get(node as usize)
            .copied()
            .unwrap_or_default()
    }

    /// Coordinates of the corners of a triangle or cell, one beyond 1 where it lies across a seam.
    pub fn unwrapped<const N: usize>(&self, nodes: [u32; N]) -> [[f64; 3]; N] {
        let mut corners = nodes.map(|node| self.at(node));
        for d in (0..3).filter(|&d| self.periodic[d]) {
            let high = corners.iter().fold(0.0, |high: f64, c| high.max(c[d]));
            for corner in &mut corners {
                if high - corner[d] > 0.5 + SAME {
                    corner[d] += 1.0;
                }
            }
        }
        corners
    }

    /// Which side of its cell a triangle of a block is.
    pub fn side(&self, triangle: [u32; 3]) -> Option<Side> {
        let [a, b, c] = self.unwrapped(triangle);
        let axis = (0..3).find(|&d| (a[d] - b[d]).abs() < SAME && (a[d] - c[d]).abs() < SAME)?;
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        let area = (b[u] - a[u]) * (c[v] - a[v]) - (b[v] - a[v]) * (c[u] - a[u]);
        Some(Side {
            axis,
            upper: area > 0.0,
            outer: a[axis] < SAME || a[axis] > 1.0 - SAME,
        })
    }

    /// Whether an edge runs along a line of the grid.
    pub fn along_grid(&self, [a, b]: [u32; 2]) -> bool {
        let (a, b) = (self.at(a), self.at(b));
        (0..3).filter(|&d| (a[d] - b[d]).abs() > SAME).count() <= 1
    }

    /// Where the corners of a triangle lie on an image: it stands upright along the second direction
    /// of a sheet, and reads from left to right seen from outside.
    pub fn image_corners(&self, triangle: [u32; 3]) -> [[f64; 2]; 3] {
        let corners = self.unwrapped(triangle);
        let (u, v, mirrored) = match self.kind {
            Kind::Sheet { axes: [u, v] } => (u, v, false),
            Kind::Free => (0, 1, false),
            Kind::Block => match self.side(triangle) {
                Some(side) if side.axis == 0 => (1, 2, !side.upper),
                Some(side) if side.axis == 1 => (0, 2, side.upper),
                Some(side) => (0, 1, !side.upper),
                None => (0, 1, false),
            },
        };
        corners.map(|corner| {
            let across = if mirrored { 1.0 - corner[u] } else { corner[u] };
            [across, corner[v]]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Grid;
    use crate::grid::grid_topology;

    fn kind(counts: &[usize], periodic: &[bool]) -> Kind {
        let topology = grid_topology(&Grid::new(counts, periodic));
        Material::new(&topology, &topology.triangles).kind
    }

    #[test]
    fn kinds_are_told_apart() {
        assert_eq!(kind(&[4, 3], &[false; 2]), Kind::Sheet { axes: [0, 1] });
        assert_eq!(kind(&[5, 5], &[true; 2]), Kind::Sheet { axes: [0, 1] });
        assert_eq!(kind(&[3, 3, 3], &[false; 3]), Kind::Block);
        assert_eq!(kind(&[2, 2, 2], &[false; 3]), Kind::Block);
        assert_eq!(kind(&[6, 3, 3], &[true, false, false]), Kind::Block);
        let mut topology = grid_topology(&Grid::new(&[3, 3, 3], &[false; 3]));
        topology.material_coordinates[0] = [0.1, 0.1, 0.2];
        let material = Material::new(&topology, &topology.triangles);
        assert_eq!(material.kind, Kind::Free);
    }

    #[test]
    fn the_last_cell_of_a_seam_ends_at_one() {
        let topology = grid_topology(&Grid::new(&[5, 3], &[true, false]));
        let material = Material::new(&topology, &topology.triangles);
        for &triangle in &topology.triangles {
            let corners = material.unwrapped(triangle).map(|corner| corner[0]);
            let width = corners.iter().fold(0.0, |w: f64, &x| w.max(x))
                - corners.iter().fold(2.0, |w: f64, &x| w.min(x));
            assert!((width - 0.2).abs() < 1e-12);
        }
        // A single cell that is not closed has no seam though it is as wide as the body.
        let topology = grid_topology(&Grid::new(&[2, 2], &[false; 2]));
        let material = Material::new(&topology, &topology.triangles);
        for &triangle in &topology.triangles {
            assert!(
                material
                    .unwrapped(triangle)
                    .iter()
                    .flatten()
                    .all(|&x| x <= 1.0)
            );
        }
    }

    #[test]
    fn sides_of_a_block_face_outwards() {
        let topology = grid_topology(&Grid::new(&[3, 3, 3], &[false; 3]));
        let material = Material::new(&topology, &topology.triangles);
        let mut counts = [0; Side::COUNT];
        for &triangle in &topology.triangles {
            let side = material.side(triangle).unwrap();
            let at = material.at(triangle[0])[side.axis];
            assert_eq!(at, if side.upper { 1.0 } else { 0.0 });
            counts[side.index()] += 1;
        }
        assert_eq!(counts, [8, 8, 8, 8, 8, 8, 0, 0, 0, 0, 0, 0]);
    }
}
