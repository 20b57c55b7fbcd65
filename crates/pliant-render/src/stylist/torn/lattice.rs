//! The grid of a body, found again in its material coordinates.

/// Coordinates nearer than this are the same.
const SAME: f64 = 1e-9;

/// Nodes in rows along two or three directions.
#[derive(Clone, Debug)]
pub struct Lattice {
    /// The coordinates that occur along each direction; one only in a direction there is none.
    coordinates: [Vec<f64>; 3],
    /// Whether the last node of a direction is a neighbour of the first.
    periodic: [bool; 3],
    /// The node at each place; the first direction runs fastest.
    nodes: Vec<u32>,
}

impl Lattice {
    /// `None` if the coordinates are not those of a grid of two or three directions.
    pub fn new(coordinates: &[[f64; 3]]) -> Option<Self> {
        let along = [0, 1, 2].map(|axis| values(coordinates, axis));
        let counts = [0, 1, 2].map(|axis| along[axis].len());
        let flat = counts[2] == 1;
        if counts[0] < 2 || counts[1] < 2 || counts.iter().product::<usize>() != coordinates.len() {
            return None;
        }
        let place = |axis: usize, value: f64| {
            let next = along[axis].partition_point(|&other| other < value - SAME);
            (next < counts[axis] && (along[axis][next] - value).abs() <= SAME).then_some(next)
        };
        let mut nodes = vec![u32::MAX; coordinates.len()];
        for (node, coordinate) in coordinates.iter().enumerate() {
            let [i, j, k] = [
                place(0, coordinate[0])?,
                place(1, coordinate[1])?,
                place(2, coordinate[2])?,
            ];
            nodes[i + counts[0] * (j + counts[1] * k)] = node as u32;
        }
        let periodic = [0, 1, 2].map(|axis| {
            let last = along[axis][counts[axis] - 1];
            !(axis == 2 && flat) && last < 1.0 - SAME
        });
        nodes.iter().all(|&node| node != u32::MAX).then_some(Self {
            coordinates: along,
            periodic,
            nodes,
        })
    }

    /// Whether it has two directions only.
    pub fn is_flat(&self) -> bool {
        self.coordinates[2].len() == 1
    }

    /// Whether a direction is closed.
    pub fn is_periodic(&self, axis: usize) -> bool {
        self.periodic[axis]
    }

    /// Number of cells along a direction; a flat grid has one layer of them.
    pub fn cell_count(&self, axis: usize) -> usize {
        let count = self.coordinates[axis].len();
        if self.periodic[axis] || count == 1 {
            count
        } else {
            count - 1
        }
    }

    /// The lowest corners of all cells.
    pub fn cells(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let counts = [0, 1, 2].map(|axis| self.cell_count(axis));
        (0..counts.iter().product()).map(move |index| {
            let [x, y] = [counts[0], counts[1]];
            [index % x, index / x % y, index / (x * y)]
        })
    }

    /// The node at a place, counted on over a seam; `None` outside.
    pub fn node(&self, place: [isize; 3]) -> Option<u32> {
        let mut index = 0;
        for axis in (0..3).rev() {
            let count = self.coordinates[axis].len() as isize;
            let mut at = place[axis];
            if self.periodic[axis] {
                at = at.rem_euclid(count);
            }
            if !(0..count).contains(&at) {
                return None;
            }
            index = index * count as usize + at as usize;
        }
        self.nodes.get(index).copied()
    }

    /// The places of all nodes.
    pub fn places(&self) -> impl Iterator<Item = [usize; 3]> + use<> {
        let counts = [0, 1, 2].map(|axis| self.coordinates[axis].len());
        (0..counts.iter().product()).map(move |index| {
            let [x, y] = [counts[0], counts[1]];
            [index % x, index / x % y, index / (x * y)]
        })
    }

    /// All pairs of neighbours.
    pub fn links(&self) -> impl Iterator<Item = [u32; 2]> + '_ {
        self.places().flat_map(move |place| {
            let place = place.map(|x| x as isize);
            (0..3).filter_map(move |axis| {
                let mut next = place;
                next[axis] += 1;
                let (a, b) = (self.node(place)?, self.node(next)?);
                (a != b).then_some([a, b])
            })
        })
    }

    /// Material coordinates of a place, given in halves of cells.
    pub fn coordinates(&self, halves: [usize; 3]) -> [f64; 3] {
        [0, 1, 2].map(|axis| {
            let at = |place: usize| {
                let along = &self.coordinates[axis];
                along.get(place).copied().unwrap_or(1.0)
            };
            let place = halves[axis] / 2;
            if halves[axis].is_multiple_of(2) {
                at(place)
            } else {
                0.5 * (at(place) + at(place + 1))
            }
        })
    }
}

/// The different values of one coordinate, ascending.
fn values(coordinates: &[[f64; 3]], axis: usize) -> Vec<f64> {
    let mut all: Vec<f64> = coordinates.iter().map(|c| c[axis]).collect();
    all.sort_by(f64::total_cmp);
    all.dedup_by(|next, kept| *next - *kept <= SAME);
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Grid;
    use pliant::grid::grid_topology;

    #[test]
    fn grids_are_found_again() {
        for (counts, periodic) in [
            (vec![4, 3], vec![false, false]),
            (vec![5, 3], vec![true, false]),
            (vec![3, 4, 2], vec![false; 3]),
        ] {
            let grid = Grid::new(&counts, &periodic);
            let topology = grid_topology(&grid);
            let lattice = Lattice::new(&topology.material_coordinates).unwrap();
            assert_eq!(lattice.is_flat(), counts.len() == 2);
            let cells: usize = (0..counts.len()).map(|d| grid.cell_count(d)).product();
            assert_eq!(lattice.cells().count(), cells);
            for coordinates in grid.nodes() {
                let place = coordinates.map(|x| x as isize);
                assert_eq!(
                    lattice.node(place),
                    Some(grid.index(coordinates) as u32),
                    "{place:?}"
                );
                let known = lattice.coordinates(coordinates.map(|x| 2 * x));
                assert_eq!(known, grid.material_coordinates(coordinates));
            }
            assert_eq!(lattice.node([-1, 0, 0]).is_some(), periodic[0]);
        }
    }

    #[test]
    fn other_coordinates_are_no_grid() {
        let line = grid_topology(&Grid::new(&[5], &[false]));
        assert!(Lattice::new(&line.material_coordinates).is_none());
        let mut sheet = grid_topology(&Grid::new(&[4, 3], &[false; 2])).material_coordinates;
        sheet[5][0] += 0.01;
        assert!(Lattice::new(&sheet).is_none());
        assert!(Lattice::new(&[]).is_none());
    }
}
