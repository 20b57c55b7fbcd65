//! An order of elimination for grids in which factors stay sparse: nested dissection.
//!
//! A slab of nodes as thick as the stencil's reach parts a box of the grid in two halves that no
//! stencil couples. Both halves are numbered first (and dissected in turn), the slab last. A
//! periodic direction is opened by a first slab at its end.
//!
//! Implements: \[George1973\] for stencils of any reach.

use crate::grid::Grid;

/// Boxes of at most so many nodes are numbered as they lie.
const SMALLEST_BOX: usize = 24;

/// A box of nodes, `low` inclusive, `high` exclusive.
#[derive(Clone, Copy, Debug)]
struct Region {
    low: [usize; 3],
    high: [usize; 3],
}

impl Region {
    fn extent(&self, direction: usize) -> usize {
        self.high[direction] - self.low[direction]
    }

    fn size(&self) -> usize {
        (0..3).map(|d| self.extent(d)).product()
    }

    /// The parts below and from `position` on.
    fn split(&self, direction: usize, position: usize) -> (Self, Self) {
        let (mut below, mut above) = (*self, *self);
        below.high[direction] = position;
        above.low[direction] = position;
        (below, above)
    }
}

/// The nodes in order of elimination, for a stencil that reaches `reach` nodes in each direction.
pub(crate) fn nested_dissection(grid: &Grid, reach: [usize; 3]) -> Vec<usize> {
    let mut order = Vec::with_capacity(grid.node_count());
    let mut region = Region {
        low: [0; 3],
        high: grid.counts(),
    };
    let reach = reach.map(|r| r.max(1));
    let mut divisible = [true; 3];
    let mut slabs = Vec::new();
    for d in 0..3 {
        if grid.periodic()[d] {
            let count = region.extent(d);
            if count > 3 * reach[d] {
                let (rest, slab) = region.split(d, region.high[d] - reach[d]);
                region = rest;
                slabs.push(slab);
            } else {
                divisible[d] = false;
            }
        }
    }
    dissect(grid, region, reach, divisible, &mut order);
    for slab in slabs.into_iter().rev() {
        number(grid, slab, &mut order);
    }
    order
}

fn dissect(
    grid: &Grid,
    region: Region,
    reach: [usize; 3],
    divisible: [bool; 3],
    order: &mut Vec<usize>,
) {
    // The thinnest slab for its box lies across the direction with the most reaches.
    let widest = (0..3)
        .filter(|&d| divisible[d] && region.extent(d) > 2 * reach[d])
        .max_by_key(|&d| region.extent(d) * 60 / reach[d]);
    let Some(d) = widest.filter(|_| region.size() > SMALLEST_BOX) else {
        number(grid, region, order);
        return;
    };
    let start = region.low[d] + (region.extent(d) - reach[d]) / 2;
    let (below, rest) = region.split(d, start);
    let (slab, above) = rest.split(d, start + reach[d]);
    dissect(grid, below, reach, divisible, order);
    dissect(grid, above, reach, divisible, order);
    number(grid, slab, order);
}

/// Numbers a box with its longest direction slowest, which keeps its own band narrow.
fn number(grid: &Grid, region: Region, order: &mut Vec<usize>) {
    let mut directions = [0, 1, 2];
    directions.sort_by_key(|&d| region.extent(d));
    let [fast, middle, slow] = directions;
    let mut node = [0; 3];
    for k in region.low[slow]..region.high[slow] {
        node[slow] = k;
        for j in region.low[middle]..region.high[middle] {
            node[middle] = j;
            for i in region.low[fast]..region.high[fast] {
                node[fast] = i;
                order.push(grid.index(node));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::test_systems::grids;

    #[test]
    fn the_order_is_a_permutation() {
        let mut all = grids();
        all.push(Grid::new(&[40, 40], &[true, true]));
        all.push(Grid::new(&[11, 12, 13], &[true, false, true]));
        for grid in all {
            let mut order = nested_dissection(&grid, [2, 2, 2]);
            order.sort_unstable();
            assert!(order.iter().copied().eq(0..grid.node_count()));
        }
    }

    #[test]
    fn the_first_separator_parts_the_grid() {
        let grid = Grid::new(&[41, 20], &[false, false]);
        let order = nested_dissection(&grid, [2, 2, 0]);
        let slab: Vec<usize> = order[order.len() - 40..].to_vec();
        let columns: Vec<usize> = slab.iter().map(|&node| grid.coordinates(node)[0]).collect();
        assert!(columns.iter().all(|&i| i == 19 || i == 20));
    }
}
