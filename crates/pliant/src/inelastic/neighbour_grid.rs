//! Finds all pairs of points that are near each other.
//!
//! Space is cut into cubic cells as wide as the largest distance asked for. Points are sorted by
//! cell, cells by z, y and x; a row of three cells along x is then one run of points, and the
//! neighbours of a cell are its own run and four runs ahead. Nothing depends on threads, on hashes
//! or on how far the points are spread.

use glam::DVec3;

/// Bits of a cell coordinate: beyond the last cell, points share it, which is slower but not wrong.
const BITS: u32 = 21;

/// Points sorted by cell; see the module.
#[derive(Debug, Default)]
pub(super) struct NeighbourGrid {
    /// Cell and index of each point, sorted.
    points: Vec<(u64, u32)>,
}

/// z, y and x of a cell in one number, in this order.
fn key(cell: [u64; 3]) -> u64 {
    cell[2] << (2 * BITS) | cell[1] << BITS | cell[0]
}

impl NeighbourGrid {
    /// Sorts points into cells of a width, which must be positive.
    pub(super) fn sort(&mut self, positions: &[DVec3], width: f64) {
        let low = positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let last = ((1_u64 << BITS) - 1) as f64;
        self.points.clear();
        self.points
            .extend(positions.iter().enumerate().map(|(index, &position)| {
                // A conversion to an integer turns what is not a number into 0.
                let cell = ((position - low) / width).to_array();
                (key(cell.map(|c| c.floor().min(last) as u64)), index as u32)
            }));
        self.points.sort_unstable();
    }

    /// Calls `visit` once for each pair of points in the same or neighbouring cells, in an order
    /// that follows from the points alone.
    pub(super) fn for_each_pair(&self, mut visit: impl FnMut(u32, u32)) {
        let mut start = 0;
        while start < self.points.len() {
            let key = self.points[start].0;
            let end = start + self.points[start..].partition_point(|point| point.0 == key);
            let cell = [0, BITS, 2 * BITS].map(|shift| (key >> shift) & ((1 << BITS) - 1));
            let ahead = [[1, 0], [-1, 1], [0, 1], [1, 1]].map(|step| self.row(cell, step));
            // The next cell of the same row.
            let next = end
                + self.points[end..]
                    .partition_point(|point| point.0 == key + 1 && cell[0] + 1 < 1 << BITS);
            for a in start..end {
                let first = self.points[a].1;
                for b in a + 1..next {
                    visit(first, self.points[b].1);
                }
                for row in &ahead {
                    for point in &self.points[row.clone()] {
                        visit(first, point.1);
                    }
                }
            }
            start = end;
        }
    }

    /// The points in the cells at x - 1, x and x + 1 of the row at `[y, z]` steps from a cell.
    fn row(&self, [x, y, z]: [u64; 3], [dy, dz]: [i64; 2]) -> std::ops::Range<usize> {
        let inside = |value: u64, step: i64| {
            value
                .checked_add_signed(step)
                .filter(|&value| value < 1 << BITS)
        };
        let (Some(y), Some(z)) = (inside(y, dy), inside(z, dz)) else {
            return 0..0;
        };
        let low = key([x.saturating_sub(1), y, z]);
        let high = key([(x + 1).min((1 << BITS) - 1), y, z]);
        let start = self.points.partition_point(|point| point.0 < low);
        let end = start + self.points[start..].partition_point(|point| point.0 <= high);
        start..end
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Points at random in a box, some coincident, one far away.
    fn points() -> Vec<DVec3> {
        let mut seed = 7_u64;
        let mut number = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            (seed >> 40) as f64 / (1_u64 << 24) as f64
        };
        let mut points: Vec<DVec3> = (0..400)
            .map(|_| DVec3::new(3.0 * number() - 1.0, 2.0 * number(), number()))
            .collect();
        points.push(points[3]);
        points.push(DVec3::new(1e9, -1e9, 0.0));
        points.push(DVec3::new(1e9, -1e9, 0.1));
        points
    }

    #[test]
    fn finds_the_pairs_of_the_plain_double_loop_once() {
        let points = points();
        let width = 0.27;
        let mut grid = NeighbourGrid::default();
        grid.sort(&points, width);
        let is_near = |a: usize, b: usize| points[a].distance(points[b]) < width;
        let mut found = Vec::new();
        grid.for_each_pair(|a, b| {
            if is_near(a as usize, b as usize) {
                found.push((a.min(b) as usize, a.max(b) as usize));
            }
        });
        found.sort_unstable();
        let expected: Vec<(usize, usize)> = (0..points.len())
            .flat_map(|a| (a + 1..points.len()).map(move |b| (a, b)))
            .filter(|&(a, b)| is_near(a, b))
            .collect();
        assert!(expected.len() > 500);
        assert_eq!(found, expected);
    }

    #[test]
    fn no_points_and_points_that_are_no_numbers_do_no_harm() {
        let mut grid = NeighbourGrid::default();
        grid.sort(&[], 1.0);
        grid.for_each_pair(|_, _| unreachable!());
        grid.sort(&[DVec3::NAN, DVec3::ZERO, DVec3::INFINITY], 1.0);
        let mut count = 0;
        grid.for_each_pair(|_, _| count += 1);
        assert!(count <= 3);
    }
}
