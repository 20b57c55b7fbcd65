//! The volume of the reference shape of a hybrid solid, which flow keeps.
//!
//! ```text
//! V(r) = mean over the eight corners of e₁ · (e₂ x e₃)            of each cell
//! r += (V⁰ - V) ∂V/∂r / |∂V/∂r|²                                  cell by cell, a few times
//! ```
//!
//! The spline energy of a hybrid body knows no volume, and its flow follows the deformation: a ball
//! that is pressed flat would flow into less and less space. What flows like a metal or a putty
//! changes its shape alone, so after every flow the cells get back the volume that they had.
//!
//! Cells that have lost a link are left alone. Those of a body that melts keep the volume before the
//! step, since what solidifies may have another than at first.
//!
//! Implements: \[Terzopoulos1988\] sect. 4.2 and 4.4, for materials whose flow keeps the volume.

use crate::grid::Grid;
use glam::DVec3;

/// How often the cells are visited after a step.
const SWEEPS: usize = 4;

/// Volumes off by less than this share are left as they are.
const TOLERANCE: f64 = 1e-6;

/// The cells of a solid and the volumes that they keep.
#[derive(Debug)]
pub(super) struct CellVolumes {
    /// Corners, the first direction fastest.
    cells: Vec<[u32; 8]>,
    volumes: Vec<f64>,
    /// Cells that are not held together.
    is_free: Vec<bool>,
}

impl CellVolumes {
    /// Of a solid in its initial shape; nothing for curves and surfaces.
    pub(super) fn of(grid: &Grid, shape: &[DVec3]) -> Option<Self> {
        if grid.dimension() != 3 {
            return None;
        }
        let cells: Vec<[u32; 8]> = grid
            .cells()
            .filter_map(|at| {
                let corner = |bits: usize| {
                    let step = [bits & 1, bits >> 1 & 1, bits >> 2 & 1].map(|s| s as i32);
                    grid.neighbour(at, step).map(|node| node as u32)
                };
                let mut corners = [0; 8];
                for (bits, place) in corners.iter_mut().enumerate() {
                    *place = corner(bits)?;
                }
                Some(corners)
            })
            .collect();
        Some(Self {
            volumes: cells.iter().map(|cell| volume(cell, shape)).collect(),
            is_free: vec![false; cells.len()],
            cells,
        })
    }

    /// From now on cells keep the volumes that they have in a shape.
    pub(super) fn adopt(&mut self, shape: &[DVec3]) {
        for (target, cell) in self.volumes.iter_mut().zip(&self.cells) {
            *target = volume(cell, shape);
        }
    }

    /// Leaves those cells alone that have a link which is broken.
    pub(super) fn free(&mut self, is_broken: impl Fn(usize, usize) -> bool) {
        for (cell, is_free) in self.cells.iter().zip(&mut self.is_free) {
            *is_free = false;
            for (bits, &corner) in cell.iter().enumerate() {
                for d in (0..3).filter(|d| bits >> d & 1 == 0) {
                    *is_free |= is_broken(corner as usize, d);
                }
            }
        }
    }

    /// Gives cells their volumes back.
    pub(super) fn restore(&self, shape: &mut [DVec3]) {
        for _ in 0..SWEEPS {
            let cells = self.cells.iter().zip(&self.volumes).zip(&self.is_free);
            for ((cell, &wanted), _) in cells.filter(|(_, is_free)| !**is_free) {
                let missing = wanted - volume(cell, shape);
                if missing.abs() <= TOLERANCE * wanted.abs() {
                    continue;
                }
                let gradient = gradient(cell, shape);
                let size: f64 = gradient.iter().map(|g| g.length_squared()).sum();
                if size > 0.0 {
                    for (&node, g) in cell.iter().zip(gradient) {
                        shape[node as usize] += (missing / size) * g;
                    }
                }
            }
        }
    }

    /// The volume of all cells together.
    #[cfg(test)]
    fn total(&self, shape: &[DVec3]) -> f64 {
        self.cells.iter().map(|cell| volume(cell, shape)).sum()
    }
}

/// The ends of the three edges at a corner, with the sign of their triple product.
fn edges(corner: usize) -> ([usize; 3], f64) {
    let ends = [corner ^ 1, corner ^ 2, corner ^ 4];
    let is_odd = corner.count_ones() % 2 == 1;
    (ends, if is_odd { -1.0 } else { 1.0 })
}

fn volume(cell: &[u32; 8], shape: &[DVec3]) -> f64 {
    let at = |corner: usize| shape[cell[corner] as usize];
    let of_corner = |corner: usize| {
        let (ends, sign) = edges(corner);
        let [a, b, c] = ends.map(|end| at(end) - at(corner));
        sign * a.dot(b.cross(c))
    };
    (0..8).map(of_corner).sum::<f64>() / 8.0
}

fn gradient(cell: &[u32; 8], shape: &[DVec3]) -> [DVec3; 8] {
    let at = |corner: usize| shape[cell[corner] as usize];
    let mut gradient = [DVec3::ZERO; 8];
    for corner in 0..8 {
        let (ends, sign) = edges(corner);
        let [a, b, c] = ends.map(|end| at(end) - at(corner));
        let parts = [b.cross(c), c.cross(a), a.cross(b)].map(|part| (sign / 8.0) * part);
        for (end, part) in ends.into_iter().zip(parts) {
            gradient[end] += part;
            gradient[corner] -= part;
        }
    }
    gradient
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> (Grid, Vec<DVec3>) {
        let grid = Grid::new(&[5, 4, 4], &[false; 3]);
        let place = |at| DVec3::from(grid.material_coordinates(at)) * DVec3::new(2.0, 1.0, 1.0);
        let shape = grid.nodes().map(place).collect();
        (grid, shape)
    }

    #[test]
    fn the_volume_of_a_sheared_box_is_that_of_the_box() {
        let (grid, mut shape) = block();
        let cells = CellVolumes::of(&grid, &shape).unwrap();
        assert!((cells.total(&shape) - 2.0).abs() < 1e-12);
        shape.iter_mut().for_each(|x| x.x += 0.7 * x.z - 0.2 * x.y);
        assert!((cells.total(&shape) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_flattened_block_widens() {
        let (grid, initial) = block();
        let cells = CellVolumes::of(&grid, &initial).unwrap();
        let mut shape = initial.clone();
        // As flow does it: a little at a time.
        for _ in 0..50 {
            shape.iter_mut().for_each(|x| x.z *= 0.99);
            cells.restore(&mut shape);
        }
        assert!((cells.total(&shape) / 2.0 - 1.0).abs() < 0.01);
        let extent = |shape: &[DVec3], axis: usize| {
            let values = || shape.iter().map(|x| x[axis]);
            values().fold(f64::MIN, f64::max) - values().fold(f64::MAX, f64::min)
        };
        let extents = [0, 1, 2].map(|axis| extent(&shape, axis));
        assert!(extents[2] < 0.9 && extents[0] > 2.05, "{extents:?}");
        // Of a cell that is free nothing is asked.
        let mut freed = CellVolumes::of(&grid, &initial).unwrap();
        freed.free(|_, _| true);
        let mut flat = initial.clone();
        flat.iter_mut().for_each(|x| x.z *= 0.5);
        let before = flat.clone();
        freed.restore(&mut flat);
        assert_eq!(flat, before);
    }
}
