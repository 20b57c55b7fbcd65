//! A regular grid of nodes over the material coordinates of a body.
//!
//! Nodes are numbered with the first direction running fastest: `[i, j, k]` has the index
//! `i + n0 * (j + n1 * k)`. A curve has one direction, a surface two, a solid three; the unused
//! directions have one node. A direction may be periodic: its last node is then a neighbour of its
//! first.
//!
//! Implements: \[Terzopoulos1988\] appendix A.2 (the grid and its spacings h_i).

mod directions;
mod topology;

pub use directions::surface_directions;
pub(crate) use topology::{CELL_SIDES, touching_topology};
pub use topology::{grid_topology, torn_topology};

/// The material grid of a curve, surface or solid.
///
/// ```
/// use pliant::Grid;
/// let tube = Grid::new(&[8, 3], &[true, false]); // closed round, open along
/// assert_eq!((tube.dimension(), tube.node_count()), (2, 24));
/// assert_eq!(tube.index([7, 1, 0]), 15);
/// assert_eq!(tube.neighbour([7, 1, 0], [1, 0, 0]), Some(8)); // wraps round
/// assert_eq!(tube.neighbour([0, 2, 0], [0, 1, 0]), None); // a free edge
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grid {
    counts: [usize; 3],
    periodic: [bool; 3],
    dimension: usize,
}

impl Grid {
    /// A grid with one entry of `counts` and `periodic` a direction (1 to 3 directions).
    ///
    /// # Panics
    /// If the number of directions is not 1, 2 or 3, if the lengths differ or if a count is zero.
    pub fn new(counts: &[usize], periodic: &[bool]) -> Self {
        assert!(
            (1..=3).contains(&counts.len()),
            "a grid has 1, 2 or 3 directions"
        );
        assert_eq!(counts.len(), periodic.len());
        assert!(
            counts.iter().all(|&count| count > 0),
            "a direction without nodes"
        );
        let mut grid = Self {
            counts: [1; 3],
            periodic: [false; 3],
            dimension: counts.len(),
        };
        grid.counts[..counts.len()].copy_from_slice(counts);
        grid.periodic[..counts.len()].copy_from_slice(periodic);
        grid
    }

    /// Number of material directions: 1 for a curve, 2 for a surface, 3 for a solid.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Nodes in each direction; 1 in unused directions.
    pub fn counts(&self) -> [usize; 3] {
        self.counts
    }

    /// Which directions are periodic.
    pub fn periodic(&self) -> [bool; 3] {
        self.periodic
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.counts.iter().product()
    }

    /// The spacing h of nodes in material coordinates, which run from 0 to 1 in every direction.
    pub fn spacing(&self, direction: usize) -> f64 {
        let count = self.counts[direction];
        let intervals = if self.periodic[direction] {
            count
        } else {
            count - 1
        };
        1.0 / intervals.max(1) as f64
    }

    /// Number of cells in a direction.
    pub fn cell_count(&self, direction: usize) -> usize {
        if self.periodic[direction] {
            self.counts[direction]
        } else {
            self.counts[direction] - 1
        }
    }

    /// Index of the node at grid coordinates that lie inside the grid.
    pub fn index(&self, coordinates: [usize; 3]) -> usize {
        let [i, j, k] = coordinates;
        i + self.counts[0] * (j + self.counts[1] * k)
    }

    /// Grid coordinates of a node.
    pub fn coordinates(&self, index: usize) -> [usize; 3] {
        let i = index % self.counts[0];
        let rest = index / self.counts[0];
        [i, rest % self.counts[1], rest / self.counts[1]]
    }

    /// The node reached from `coordinates` by `step`, wrapping round in periodic directions;
    /// `None` beyond a free edge.
    pub fn neighbour(&self, coordinates: [usize; 3], step: [i32; 3]) -> Option<usize> {
        let mut reached = [0; 3];
        for direction in 0..3 {
            let count = self.counts[direction] as i64;
            let mut position = coordinates[direction] as i64 + i64::from(step[direction]);
            if self.periodic[direction] {
                position = position.rem_euclid(count);
            }
            if !(0..count).contains(&position) {
                return None;
            }
            reached[direction] = position as usize;
        }
        Some(self.index(reached))
    }

    /// All grid coordinates, in the order of the node indices.
    pub fn nodes(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        (0..self.node_count()).map(|index| self.coordinates(index))
    }

    /// The lowest corners of all cells, in the order of the node indices.
    pub fn cells(&self) -> impl Iterator<Item = [usize; 3]> + '_ {
        let cells: [usize; 3] = std::array::from_fn(|d| {
            if d < self.dimension {
                self.cell_count(d)
            } else {
                1
            }
        });
        (0..cells[2]).flat_map(move |k| {
            (0..cells[1]).flat_map(move |j| (0..cells[0]).map(move |i| [i, j, k]))
        })
    }

    /// Material coordinates u of a node, each between 0 and 1.
    pub fn material_coordinates(&self, coordinates: [usize; 3]) -> [f64; 3] {
        std::array::from_fn(|d| {
            if self.counts[d] > 1 {
                coordinates[d] as f64 * self.spacing(d)
            } else {
                0.0
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn index_and_coordinates_are_inverse() {
        let grid = Grid::new(&[3, 4, 5], &[false, true, false]);
        for (index, coordinates) in grid.nodes().enumerate() {
            assert_eq!(grid.index(coordinates), index);
        }
    }

    #[test]
    fn neighbours_wrap_only_in_periodic_directions() {
        let grid = Grid::new(&[3, 4], &[false, true]);
        assert_eq!(grid.neighbour([2, 0, 0], [1, 0, 0]), None);
        assert_eq!(
            grid.neighbour([2, 0, 0], [0, -1, 0]),
            Some(grid.index([2, 3, 0]))
        );
        assert_eq!(grid.spacing(0), 0.5);
        assert_eq!(grid.spacing(1), 0.25);
        assert_eq!(grid.cells().count(), 2 * 4);
    }
}
