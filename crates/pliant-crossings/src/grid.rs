//! Crossings among many features: triangles wait in the cells of a grid for edges to come by.
//!
//! Cell numbers rise with coordinates (subtraction, division and rounding down keep order), so
//! boxes that overlap have a cell in common. The pair is tried in one of the common cells only,
//! the first in each direction. Triangles over many cells are tried with every edge.

use crate::{Crossing, cross};
use glam::DVec3;
use std::collections::HashMap;

/// Triangles over more cells than this are tried with every edge.
const MANY_CELLS: i64 = 512;

struct Bounds {
    low: DVec3,
    high: DVec3,
}

impl Bounds {
    fn around(positions: &[DVec3], vertices: &[u32]) -> Self {
        let mut low = DVec3::INFINITY;
        let mut high = DVec3::NEG_INFINITY;
        for &vertex in vertices {
            low = low.min(positions[vertex as usize]);
            high = high.max(positions[vertex as usize]);
        }
        Self { low, high }
    }

    fn overlaps(&self, other: &Bounds) -> bool {
        self.low.cmple(other.high).all() && other.low.cmple(self.high).all()
    }
}

struct Grid {
    origin: DVec3,
    cell: f64,
}

impl Grid {
    /// Cells as large as the triangles are on average, at most a million along a side.
    fn new(triangles: &[Bounds]) -> Self {
        let mut all = Bounds {
            low: DVec3::INFINITY,
            high: DVec3::NEG_INFINITY,
        };
        let mut sum = 0.0;
        for bounds in triangles {
            all.low = all.low.min(bounds.low);
            all.high = all.high.max(bounds.high);
            sum += (bounds.high - bounds.low).max_element();
        }
        let average = sum / triangles.len() as f64;
        let finest = (all.high - all.low).max_element() * 1e-6;
        let cell = average.max(finest);
        let is_usable = cell > 0.0 && cell.is_finite();
        Self {
            origin: all.low,
            cell: if is_usable { cell } else { f64::INFINITY },
        }
    }

    /// Far away the last cell goes on for ever.
    fn cell_of(&self, point: DVec3) -> Cell {
        let cells = ((point - self.origin) / self.cell).floor();
        cells
            .to_array()
            .map(|number| number.clamp(-2e6, 2e6) as i64)
    }

    fn cells_of(&self, bounds: &Bounds) -> Cells {
        Cells {
            low: self.cell_of(bounds.low),
            high: self.cell_of(bounds.high),
        }
    }
}

/// The numbers of a cell along the axes.
type Cell = [i64; 3];

struct Cells {
    low: Cell,
    high: Cell,
}

impl Cells {
    fn count(&self) -> i64 {
        (0..3)
            .map(|axis| self.high[axis] - self.low[axis] + 1)
            .product()
    }

    fn iter(&self) -> impl Iterator<Item = Cell> {
        let along = |axis: usize| self.low[axis]..=self.high[axis];
        along(0).flat_map(move |x| along(1).flat_map(move |y| along(2).map(move |z| [x, y, z])))
    }
}

pub(crate) fn crossings(
    positions: &[DVec3],
    triangles: &[[u32; 3]],
    edges: &[[u32; 2]],
) -> Vec<Crossing> {
    let around: Vec<Bounds> = triangles
        .iter()
        .map(|corners| Bounds::around(positions, corners))
        .collect();
    let grid = Grid::new(&around);
    let mut waiting: HashMap<Cell, Vec<u32>> = HashMap::new();
    let mut large = Vec::new();
    let mut first_cells = Vec::with_capacity(around.len());
    for (index, bounds) in around.iter().enumerate() {
        let cells = grid.cells_of(bounds);
        first_cells.push(cells.low);
        if cells.count() > MANY_CELLS {
            large.push(index);
        } else {
            for cell in cells.iter() {
                waiting.entry(cell).or_default().push(index as u32);
            }
        }
    }
    let mut found = Vec::new();
    for (edge, &ends) in edges.iter().enumerate() {
        let bounds = Bounds::around(positions, &ends);
        let mut attempt = |triangle: usize| {
            if bounds.overlaps(&around[triangle]) && cross(positions, ends, triangles[triangle]) {
                found.push(Crossing { edge, triangle });
            }
        };
        for &triangle in &large {
            attempt(triangle);
        }
        let cells = grid.cells_of(&bounds);
        if cells.count() > waiting.len() as i64 {
            // A long edge: fewer triangles than cells.
            for triangle in 0..triangles.len() {
                if large.binary_search(&triangle).is_err() {
                    attempt(triangle);
                }
            }
            continue;
        }
        for cell in cells.iter() {
            for &triangle in waiting.get(&cell).into_iter().flatten() {
                let low = first_cells[triangle as usize];
                if (0..3).all(|axis| cell[axis] == low[axis].max(cells.low[axis])) {
                    attempt(triangle as usize);
                }
            }
        }
    }
    found.sort_unstable();
    found
}
