//! Faces, edges and cells of a grid that lie in a part of it.

use crate::grid::{CELL_SIDES, Grid};
use crate::mesh::{FacetCollector, FacetKind, Facets};

/// Corners of a cell as VTK numbers them.
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

/// Faces of a cell, counter-clockwise seen from outside.
const FACES: [[usize; 4]; 6] = [
    [0, 3, 2, 1],
    [4, 5, 6, 7],
    [0, 1, 5, 4],
    [1, 2, 6, 5],
    [2, 3, 7, 6],
    [3, 0, 4, 7],
];

/// What of a grid lies in a part of it.
pub(super) fn facets(grid: &Grid, selected: &[bool]) -> Facets {
    let mut collector = FacetCollector::new(selected);
    let corner_count = 1 << grid.dimension();
    for cell in grid.cells() {
        let corners = CORNERS[..corner_count].iter();
        let nodes: Option<Vec<u32>> = corners
            .map(|&step| grid.neighbour(cell, step).map(|node| node as u32))
            .collect();
        let Some(nodes) = nodes else { continue };
        let all = nodes.iter().copied();
        match grid.dimension() {
            1 => collector.edge(FacetKind::Line2, all, false),
            2 => {
                collector.face(FacetKind::Quad4, all);
                for [a, b] in &CELL_SIDES[..4] {
                    let ends = [nodes[*a], nodes[*b]];
                    collector.edge(FacetKind::Line2, ends.into_iter(), true);
                }
            }
            _ => {
                collector.cell(FacetKind::Brick8, all);
                for face in FACES {
                    let face = face.into_iter().map(|corner| nodes[corner]);
                    collector.side(FacetKind::Quad4, face);
                }
                for [a, b] in CELL_SIDES {
                    let ends = [nodes[a], nodes[b]];
                    collector.edge(FacetKind::Line2, ends.into_iter(), false);
                }
            }
        }
    }
    collector.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_a_sheet_and_a_block() {
        let curve = Grid::new(&[5], &[true]);
        assert_eq!(facets(&curve, &[true; 5]).edges.len(), 5);
        let sheet = Grid::new(&[4, 3], &[false, false]);
        let whole = facets(&sheet, &[true; 12]);
        assert_eq!((whole.faces.len(), whole.edges.len()), (6, 10));
        let first_row: Vec<bool> = (0..12)
            .map(|node| sheet.coordinates(node)[1] == 0)
            .collect();
        let row = facets(&sheet, &first_row);
        assert_eq!((row.faces.len(), row.edges.len()), (0, 3));
        let block = Grid::new(&[3, 3, 4], &[false; 3]);
        let whole = facets(&block, &[true; 36]);
        assert_eq!((whole.faces.len(), whole.cells.len()), (32, 12));
        assert!(whole.edges.is_empty());
    }
}
