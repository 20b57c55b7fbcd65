//! The cells of a gridded surface, found again in its triangles.

use super::surface::SurfacePlan;
use pliant::frame::Topology;
use pliant::image_layout::{Kind, Material};
use std::collections::HashMap;

/// A cell between two lines of the grid in either direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Its vertices in the plan: at the lower end of both directions, at the upper end of the
    /// first, of both, of the second.
    pub vertices: [u32; 4],
    /// Its number along the first direction.
    pub column: i64,
    /// Its number along the second.
    pub row: i64,
}

/// All whole cells of a surface; none if its material coordinates are not those of a grid. A cell
/// that has lost a triangle is not whole.
pub fn find_cells(topology: &Topology, plan: &SurfacePlan) -> Vec<Cell> {
    let material = Material::new(topology, &plan.node_triangles);
    if material.kind == Kind::Free {
        return Vec::new();
    }
    let mut halves: HashMap<[u32; 2], usize> = HashMap::new();
    let mut found = Vec::new();
    for (index, &[a, b, c]) in plan.node_triangles.iter().enumerate() {
        let mut diagonals = [[a, b], [b, c], [c, a]]
            .into_iter()
            .filter(|&edge| !material.along_grid(edge));
        let (Some([from, to]), None) = (diagonals.next(), diagonals.next()) else {
            continue;
        };
        let key = [from.min(to), from.max(to)];
        match halves.remove(&key) {
            Some(other) => found.extend(cell(&material, plan, [other, index])),
            None => {
                halves.insert(key, index);
            }
        }
    }
    found
}

/// The cell of two triangles that share a diagonal.
fn cell(material: &Material, plan: &SurfacePlan, halves: [usize; 2]) -> Option<Cell> {
    let mut nodes = plan.node_triangles[halves[0]].to_vec();
    let mut vertices = plan.triangles[halves[0]].to_vec();
    for k in 0..3 {
        let node = plan.node_triangles[halves[1]][k];
        if !nodes.contains(&node) {
            nodes.push(node);
            vertices.push(plan.triangles[halves[1]][k]);
        }
    }
    let nodes: [u32; 4] = nodes.try_into().ok()?;
    let axes = match material.kind {
        Kind::Sheet { axes } => axes,
        _ => match material.side(plan.node_triangles[halves[0]])?.axis {
            0 => [1, 2],
            1 => [0, 2],
            _ => [0, 1],
        },
    };
    let corners = material.unwrapped(nodes);
    let along = |k: usize, axis: usize| corners[k][axes[axis]];
    let low = [0, 1].map(|axis| (0..4).fold(f64::INFINITY, |low, k| low.min(along(k, axis))));
    let high = [0, 1].map(|axis| (0..4).fold(0.0, |high: f64, k| high.max(along(k, axis))));
    let width = [0, 1].map(|axis| high[axis] - low[axis]);
    let upper = |k: usize, axis: usize| along(k, axis) > low[axis] + 0.5 * width[axis];
    let at = |u: bool, v: bool| {
        (0..4)
            .find(|&k| upper(k, 0) == u && upper(k, 1) == v)
            .map(|k| vertices[k])
    };
    Some(Cell {
        vertices: [
            at(false, false)?,
            at(true, false)?,
            at(true, true)?,
            at(false, true)?,
        ],
        column: (low[0] / width[0]).round() as i64,
        row: (low[1] / width[1]).round() as i64,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Grid;
    use pliant::grid::grid_topology;
    use pliant::image_layout::ImageLayout;

    fn found(counts: &[usize], periodic: &[bool], lost: usize) -> Vec<Cell> {
        let grid = Grid::new(counts, periodic);
        let mut topology = grid_topology(&grid);
        topology.triangles.drain(..lost);
        let positions: Vec<_> = grid
            .nodes()
            .map(|node| glam::DVec3::from(grid.material_coordinates(node)))
            .collect();
        let plan = SurfacePlan::new(&topology, &positions, &mut None, &ImageLayout::default());
        find_cells(&topology, &plan)
    }

    #[test]
    fn all_cells_are_found_but_torn_ones() {
        assert_eq!(found(&[5, 4], &[false; 2], 0).len(), 4 * 3);
        assert_eq!(found(&[5, 4], &[true, false], 0).len(), 5 * 3);
        assert_eq!(found(&[3, 3, 3], &[false; 3], 0).len(), 6 * 4);
        // Three triangles are gone: one cell, and half of another.
        assert_eq!(found(&[5, 4], &[false; 2], 3).len(), 4 * 3 - 2);
    }

    #[test]
    fn cells_know_where_they_are() {
        let all = found(&[5, 4], &[true, false], 0);
        for column in 0..5 {
            for row in 0..3 {
                let here = |cell: &&Cell| cell.column == column && cell.row == row;
                assert_eq!(all.iter().filter(here).count(), 1, "{column} {row}");
            }
        }
        let first = all.iter().find(|cell| cell.column == 0 && cell.row == 0);
        assert!(first.is_some());
    }
}
