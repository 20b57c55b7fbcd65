//! Lines, triangles and hexahedra of a grid, for drawing and export.

use super::Grid;
use crate::frame::Topology;
use std::collections::HashSet;

/// The sides of a hexahedron, by its corners.
pub(crate) const CELL_SIDES: [[usize; 2]; 12] = [
    [0, 1],
    [1, 2],
    [2, 3],
    [3, 0],
    [4, 5],
    [5, 6],
    [6, 7],
    [7, 4],
    [0, 4],
    [1, 5],
    [2, 6],
    [3, 7],
];

/// The connections between the nodes of a grid.
pub fn grid_topology(grid: &Grid) -> Topology {
    torn_topology(grid, &|_, _| false)
}

/// The connections that are left when links are broken: `is_broken(node, direction)` says whether
/// the link that leaves a node in a direction is.
///
/// - Of a torn cell of a surface the triangle without the broken link is left, if there is one.
/// - A torn cell of a solid is gone, and the faces of its neighbours behind it show.
/// - A link that is whole but has lost its cells becomes a line, a node without links a point.
pub fn torn_topology(grid: &Grid, is_broken: &dyn Fn(usize, usize) -> bool) -> Topology {
    let torn = Torn { grid, is_broken };
    let mut topology = Topology {
        material_coordinates: grid
            .nodes()
            .map(|coordinates| grid.material_coordinates(coordinates))
            .collect(),
        ..Topology::default()
    };
    match grid.dimension() {
        1 => {}
        2 => torn.add_surface(&mut topology),
        _ => torn.add_solid(&mut topology),
    }
    torn.add_loose_parts(&mut topology);
    topology.broken_links = torn.broken_links();
    topology
}

/// What of a grid can touch when links are broken. No triangle and no line is there that was not there, as
/// itself or as a side or a face of something, while more links were whole: what appeared in the midst of other
/// bodies could not be pushed apart from them.
///
/// - Of a torn cell of a surface a triangle is left if it was one of the two that the whole cell has.
/// - A torn cell of a solid is gone.
/// - A link that is whole but no side of a triangle or a cell is a line, a node without links a point.
pub(crate) fn touching_topology(grid: &Grid, is_broken: &dyn Fn(usize, usize) -> bool) -> Topology {
    let torn = Torn { grid, is_broken };
    let mut topology = Topology::default();
    match grid.dimension() {
        1 => {}
        2 => torn.add_halves(&mut topology),
        _ => torn.add_solid(&mut topology),
    }
    torn.add_loose_links(&mut topology);
    topology
}

/// A grid some of whose links are broken.
struct Torn<'a> {
    grid: &'a Grid,
    is_broken: &'a dyn Fn(usize, usize) -> bool,
}

impl Torn<'_> {
    fn node(&self, coordinates: [usize; 3], step: [i32; 3]) -> Option<u32> {
        self.grid
            .neighbour(coordinates, step)
            .map(|node| node as u32)
    }

    /// The other end of the whole link that leaves a node in a direction.
    fn link(&self, coordinates: [usize; 3], direction: usize) -> Option<u32> {
        let mut step = [0; 3];
        step[direction] = 1;
        let end = self.node(coordinates, step)?;
        (!(self.is_broken)(self.grid.index(coordinates), direction)).then_some(end)
    }

    /// Both ends of every broken link.
    fn broken_links(&self) -> Vec<[u32; 2]> {
        let mut broken = Vec::new();
        for coordinates in self.grid.nodes() {
            for direction in 0..self.grid.dimension() {
                let mut step = [0; 3];
                step[direction] = 1;
                if let Some(end) = self.node(coordinates, step)
                    && self.link(coordinates, direction).is_none()
                {
                    broken.push([self.grid.index(coordinates) as u32, end]);
                }
            }
        }
        broken
    }

    fn is_whole(&self, corner: [i32; 3], cell: [usize; 3], direction: usize) -> bool {
        self.grid
            .neighbour(cell, corner)
            .is_some_and(|node| !(self.is_broken)(node, direction))
    }

    /// The corners of each cell of a surface, in a circle, and whether the links ab, bc, dc and ad are whole.
    fn squares(&self) -> impl Iterator<Item = ([u32; 4], [bool; 4])> {
        self.grid.cells().filter_map(|cell| {
            let corners =
                [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]].map(|step| self.node(cell, step));
            let [Some(a), Some(b), Some(c), Some(d)] = corners else {
                return None;
            };
            let whole = [
                self.is_whole([0, 0, 0], cell, 0),
                self.is_whole([1, 0, 0], cell, 1),
                self.is_whole([0, 1, 0], cell, 0),
                self.is_whole([0, 0, 0], cell, 1),
            ];
            Some(([a, b, c, d], whole))
        })
    }

    /// The triangles of whole cells that torn ones still have.
    fn add_halves(&self, topology: &mut Topology) {
        for ([a, b, c, d], [ab, bc, dc, ad]) in self.squares() {
            if ab && bc {
                topology.triangles.push([a, b, c]);
            }
            if dc && ad {
                topology.triangles.push([a, c, d]);
            }
        }
    }

    fn add_surface(&self, topology: &mut Topology) {
        for ([a, b, c, d], [ab, bc, dc, ad]) in self.squares() {
            match (ab && bc, dc && ad, ab && ad, bc && dc) {
                (true, true, ..) => topology.triangles.extend([[a, b, c], [a, c, d]]),
                (true, ..) => topology.triangles.push([a, b, c]),
                (_, true, ..) => topology.triangles.push([a, c, d]),
                (_, _, true, _) => topology.triangles.push([a, b, d]),
                (_, _, _, true) => topology.triangles.push([b, c, d]),
                _ => {}
            }
        }
    }

    /// Whether all twelve edges of a cell are whole.
    fn is_whole_cell(&self, cell: [usize; 3]) -> bool {
        (0..3).all(|d| {
            let (a, b) = ((d + 1) % 3, (d + 2) % 3);
            [(0, 0), (1, 0), (0, 1), (1, 1)].into_iter().all(|(i, j)| {
                let mut corner = [0; 3];
                (corner[a], corner[b]) = (i, j);
                self.is_whole(corner, cell, d)
            })
        })
    }

    /// Whether the cell next to one in a direction is there and whole.
    fn has_whole_neighbour(&self, mut cell: [usize; 3], direction: usize, forward: bool) -> bool {
        let cells = self.grid.cell_count(direction);
        let here = cell[direction];
        let next = if forward {
            here + 1
        } else {
            here.checked_sub(1).unwrap_or(cells)
        };
        cell[direction] = if next < cells {
            next
        } else if self.grid.periodic()[direction] {
            if forward { 0 } else { cells - 1 }
        } else {
            return false;
        };
        self.is_whole_cell(cell)
    }

    fn add_solid(&self, topology: &mut Topology) {
        const CORNERS: [[i32; 3]; 8] = [
            [0, 0, 0],
            [1, 0, 0],
            [1, 1, 0],
            [0, 1, 0],
            [0, 0, 1],
            [1, 0, 1],
            [1, 1, 1],
            [0, 1, 1],
        ];
        for cell in self.grid.cells().filter(|&cell| self.is_whole_cell(cell)) {
            let corners = CORNERS.map(|step| self.node(cell, step));
            if let [
                Some(a),
                Some(b),
                Some(c),
                Some(d),
                Some(e),
                Some(f),
                Some(g),
                Some(h),
            ] = corners
            {
                topology.hexahedra.push([a, b, c, d, e, f, g, h]);
            }
            for d in 0..3 {
                let (a, b) = ((d + 1) % 3, (d + 2) % 3);
                let face = |layer: i32| {
                    [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| {
                        let mut step = [0; 3];
                        step[d] = layer;
                        step[a] = i;
                        step[b] = j;
                        self.node(cell, step)
                    })
                };
                if !self.has_whole_neighbour(cell, d, false) {
                    push_quad(topology, face(0), true);
                }
                if !self.has_whole_neighbour(cell, d, true) {
                    push_quad(topology, face(1), false);
                }
            }
        }
    }

    /// Lines of whole links that are no side of a triangle or a cell, and points of nodes without links.
    fn add_loose_links(&self, topology: &mut Topology) {
        let mut sides = HashSet::new();
        for &[a, b, c] in &topology.triangles {
            sides.extend([[a, b], [b, c], [c, a]].map(|[a, b]| [a.min(b), a.max(b)]));
        }
        for cell in &topology.hexahedra {
            let sides_of = CELL_SIDES.map(|ends| ends.map(|k| cell[k]));
            sides.extend(sides_of.map(|[a, b]| [a.min(b), a.max(b)]));
        }
        let mut has_link = vec![false; self.grid.node_count()];
        for coordinates in self.grid.nodes() {
            let node = self.grid.index(coordinates) as u32;
            for direction in 0..self.grid.dimension() {
                let Some(end) = self.link(coordinates, direction) else {
                    continue;
                };
                has_link[node as usize] = true;
                has_link[end as usize] = true;
                if !sides.contains(&[node.min(end), node.max(end)]) {
                    topology.lines.push([node, end]);
                }
            }
        }
        let loose = (0..has_link.len()).filter(|&node| !has_link[node]);
        topology.points.extend(loose.map(|node| node as u32));
    }

    /// Lines of links that belong to no triangle or cell, and points of nodes without links.
    fn add_loose_parts(&self, topology: &mut Topology) {
        let mut is_drawn = vec![false; self.grid.node_count()];
        let drawn = topology.triangles.as_flattened().iter();
        for &node in drawn.chain(topology.hexahedra.as_flattened()) {
            is_drawn[node as usize] = true;
        }
        let mut has_link = is_drawn.clone();
        for coordinates in self.grid.nodes() {
            let node = self.grid.index(coordinates);
            for direction in 0..self.grid.dimension() {
                let Some(end) = self.link(coordinates, direction) else {
                    continue;
                };
                has_link[node] = true;
                has_link[end as usize] = true;
                if !(is_drawn[node] && is_drawn[end as usize]) {
                    topology.lines.push([node as u32, end]);
                }
            }
        }
        let loose = (0..has_link.len()).filter(|&node| !has_link[node]);
        topology.points.extend(loose.map(|node| node as u32));
    }
}

/// Two triangles, counter-clockwise as the corners are given, or the other way round.
fn push_quad(topology: &mut Topology, corners: [Option<u32>; 4], reversed: bool) {
    let [Some(a), Some(b), Some(c), Some(d)] = corners else {
        return;
    };
    if reversed {
        topology.triangles.extend([[a, c, b], [a, d, c]]);
    } else {
        topology.triangles.extend([[a, b, c], [a, c, d]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;

    /// Cells that triangles enclose, by the divergence theorem.
    fn volume(grid: &Grid, topology: &Topology) -> f64 {
        let at = |node: u32| DVec3::from(grid.coordinates(node as usize).map(|i| i as f64));
        let cones = topology.triangles.iter();
        let cones = cones.map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0);
        cones.sum()
    }

    #[test]
    fn the_boundary_of_a_solid_is_closed_and_points_outwards() {
        let grid = Grid::new(&[3, 4, 2], &[false; 3]);
        let topology = grid_topology(&grid);
        assert_eq!(topology.hexahedra.len(), 2 * 3);
        assert_eq!(topology.triangles.len(), 2 * 2 * (2 * 3 + 2 + 3));
        assert!((volume(&grid, &topology) - 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_torn_surface_keeps_what_does_not_need_the_link() {
        let grid = Grid::new(&[3, 3], &[false; 2]);
        let whole = grid_topology(&grid);
        assert_eq!((whole.triangles.len(), whole.lines.len()), (8, 0));
        assert!(whole.broken_links.is_empty());
        // The link from the middle to the right belongs to two cells; each keeps one triangle.
        let torn = torn_topology(&grid, &|node, direction| (node, direction) == (4, 0));
        assert_eq!(torn.triangles.len(), 6);
        assert_eq!(torn.broken_links, [[4, 5]]);
        let across = |t: &[u32; 3]| t.contains(&4) && t.contains(&5);
        assert!(!torn.triangles.iter().any(across));
        // All links of the middle broken: it is a point of its own.
        let alone = torn_topology(&grid, &|node, direction| {
            node == 4 || (node, direction) == (3, 0) || (node, direction) == (1, 1)
        });
        assert_eq!(alone.points, [4]);
        assert!(alone.triangles.as_flattened().iter().all(|&node| node != 4));
    }

    /// Sides of triangles of a surface or of cells, and lines. Faces of cells are inside of the solid that was.
    fn sides(topology: &Topology) -> HashSet<[u32; 2]> {
        let is_surface = topology.hexahedra.is_empty();
        let triangles = topology.triangles.iter().filter(|_| is_surface);
        let of_triangles = triangles.flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
        let cells = topology.hexahedra.iter();
        let of_cells = cells.flat_map(|cell| CELL_SIDES.map(|ends| ends.map(|k| cell[k])));
        let lines = topology.lines.iter().copied();
        let all = of_triangles.chain(of_cells).chain(lines);
        all.map(|[a, b]| [a.min(b), a.max(b)]).collect()
    }

    /// Links break one after the other, in some order: nothing appears that was not there before.
    #[test]
    fn what_can_touch_only_falls_apart() {
        for counts in [&[5, 4][..], &[3, 4, 3], &[7]] {
            let grid = Grid::new(counts, &vec![false; counts.len()]);
            let links = 3 * grid.node_count();
            let mut broken = vec![false; links];
            let touching = |broken: &[bool]| {
                touching_topology(&grid, &|node, direction| broken[3 * node + direction])
            };
            let mut before = touching(&broken);
            assert_eq!(before.triangles, grid_topology(&grid).triangles);
            for turn in 0..links {
                broken[(turn * 7919) % links] = true;
                let after = touching(&broken);
                assert!(
                    sides(&after).is_subset(&sides(&before)),
                    "{counts:?} {turn}"
                );
                if counts.len() == 2 {
                    let known = |t: &[u32; 3]| before.triangles.contains(t);
                    assert!(after.triangles.iter().all(known), "{counts:?} {turn}");
                }
                before = after;
            }
            assert_eq!(before.points.len(), grid.node_count());
        }
    }

    #[test]
    fn a_torn_solid_comes_apart_into_closed_pieces() {
        let grid = Grid::new(&[4, 2, 2], &[false; 3]);
        let torn = torn_topology(&grid, &|node, direction| {
            direction == 0 && grid.coordinates(node)[0] == 1
        });
        assert_eq!(torn.hexahedra.len(), 2);
        assert_eq!(torn.triangles.len(), 2 * 12);
        assert!((volume(&grid, &torn) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_periodic_surface_has_a_row_of_cells_over_its_seam() {
        let grid = Grid::new(&[5, 4], &[true, false]);
        assert_eq!(grid_topology(&grid).triangles.len(), 2 * 5 * 3);
    }
}
