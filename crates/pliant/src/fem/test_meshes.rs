//! Small meshes of every kind of element, and statics on them, for tests.

use crate::energy::contract::Random;
use crate::linear::{BlockMatrix, BlockSolver, SolverKind, SolverSettings};
use crate::mesh::{ElementBlock, ElementKind, ElementMesh};
use glam::{DMat3, DVec3};
use std::collections::BTreeMap;

/// Corners of the six tetrahedra of a cube, as paths along its edges.
const PATHS: [[usize; 3]; 6] = [
    [0, 1, 2],
    [1, 2, 0],
    [2, 0, 1],
    [0, 2, 1],
    [2, 1, 0],
    [1, 0, 2],
];

/// A box from the origin to `size`, cut into cells of elements of one kind. Faces lie in z = 0.
pub(crate) fn box_mesh(kind: ElementKind, cells: [usize; 3], size: DVec3) -> ElementMesh {
    let mut maker = Maker {
        cells,
        size,
        ..Maker::default()
    };
    let layers = if kind.dimension() == 3 { cells[2] } else { 1 };
    for z in 0..layers {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                maker.add_cell(kind, [2 * x, 2 * y, 2 * z]);
            }
        }
    }
    ElementMesh {
        positions: maker.positions,
        blocks: vec![ElementBlock::new(kind, maker.elements)],
    }
}

/// Numbers nodes on a grid of twice as many points as cells as they are met.
#[derive(Default)]
struct Maker {
    cells: [usize; 3],
    size: DVec3,
    numbers: BTreeMap<[usize; 3], u32>,
    positions: Vec<DVec3>,
    elements: Vec<u32>,
}

impl Maker {
    fn node(&mut self, at: [usize; 3]) {
        let number = *self.numbers.entry(at).or_insert_with(|| {
            let place = |i: usize| at[i] as f64 / (2 * self.cells[i].max(1)) as f64;
            let fraction = DVec3::new(place(0), place(1), place(2));
            self.positions.push(self.size * fraction);
            (self.positions.len() - 1) as u32
        });
        self.elements.push(number);
    }

    fn nodes(&mut self, corner: [usize; 3], offsets: &[[usize; 3]]) {
        for offset in offsets {
            self.node([0, 1, 2].map(|i| corner[i] + offset[i]));
        }
    }

    fn add_cell(&mut self, kind: ElementKind, corner: [usize; 3]) {
        let [a, b, c, d] = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]];
        let [ab, bc, cd, da] = [[1, 0, 0], [2, 1, 0], [1, 2, 0], [0, 1, 0]];
        let middle = [1, 1, 0];
        match kind {
            ElementKind::Line2 => self.nodes(corner, &[a, b]),
            ElementKind::Triangle3 => self.nodes(corner, &[a, b, c, a, c, d]),
            ElementKind::Triangle6 => {
                self.nodes(corner, &[a, b, c, ab, bc, middle]);
                self.nodes(corner, &[a, c, d, middle, cd, da]);
            }
            ElementKind::Quad4 => self.nodes(corner, &[a, b, c, d]),
            ElementKind::Quad9 => self.nodes(corner, &[a, b, c, d, ab, bc, cd, da, middle]),
            ElementKind::Tetrahedron4 | ElementKind::Tetrahedron10 => {
                for (number, path) in PATHS.iter().enumerate() {
                    let mut at = [0; 3];
                    let mut corners = vec![at];
                    for &direction in path {
                        at[direction] = 2;
                        corners.push(at);
                    }
                    // The second three paths are mirror images.
                    if number >= 3 {
                        corners.swap(2, 3);
                    }
                    if kind == ElementKind::Tetrahedron10 {
                        for [a, b] in [[0, 1], [1, 2], [2, 0], [0, 3], [1, 3], [2, 3]] {
                            let middle = |i: usize| (corners[a][i] + corners[b][i]) / 2;
                            corners.push([0, 1, 2].map(middle));
                        }
                    }
                    self.nodes(corner, &corners);
                }
            }
            ElementKind::Brick20 => {
                let offsets: Vec<[usize; 3]> = super::isoparametric::master_nodes(kind)
                    .iter()
                    .map(|node| node.map(|xi| (xi + 1.0) as usize))
                    .collect();
                self.nodes(corner, &offsets);
            }
        }
    }
}

/// Moves corners that are not on the border of the box by noise, and puts the other nodes into the
/// middle of edges, faces and elements again.
pub(crate) fn distort(mesh: &mut ElementMesh, size: DVec3, amount: f64) {
    let kind = mesh.blocks[0].kind;
    let mut random = Random(5);
    let inside = |x: f64, size: f64| size == 0.0 || (x > 1e-9 * size && x < (1.0 - 1e-9) * size);
    for x in &mut mesh.positions {
        let step = amount * random.vector();
        for i in 0..3 {
            if size[i] > 0.0 && inside(x[i], size[i]) {
                x[i] += step[i];
            }
        }
    }
    straighten(kind, mesh);
}

/// Puts nodes that are no corners into the middle of edges, faces and elements.
pub(crate) fn straighten(kind: ElementKind, mesh: &mut ElementMesh) {
    let corner_count = match kind {
        ElementKind::Triangle6 => 3,
        ElementKind::Quad9 => 4,
        ElementKind::Tetrahedron10 => 4,
        ElementKind::Brick20 => 8,
        _ => return,
    };
    let master = super::isoparametric::master_nodes(kind);
    let linear = |a: usize, xi: [f64; 3]| match kind {
        ElementKind::Triangle6 => [1.0 - xi[0] - xi[1], xi[0], xi[1]][a],
        ElementKind::Tetrahedron10 => [1.0 - xi[0] - xi[1] - xi[2], xi[0], xi[1], xi[2]][a],
        ElementKind::Quad9 => 0.25 * (1.0 + master[a][0] * xi[0]) * (1.0 + master[a][1] * xi[1]),
        _ => (0..3).map(|i| 0.5 * (1.0 + master[a][i] * xi[i])).product(),
    };
    for nodes in mesh.blocks[0].elements() {
        for (b, &node) in nodes.iter().enumerate().skip(corner_count) {
            mesh.positions[node as usize] = (0..corner_count)
                .map(|a| linear(a, master[b]) * mesh.positions[nodes[a] as usize])
                .sum();
        }
    }
}

/// Solves K u = load with some components of u given: `held` marks them, `given` has their values.
pub(crate) fn solve_held(
    matrix: &BlockMatrix,
    held: &[[bool; 3]],
    given: &[DVec3],
    load: &[DVec3],
) -> Vec<DVec3> {
    let node_count = matrix.node_count();
    let mut matrix = matrix.clone();
    let mask = |node: usize| DVec3::from_array(held[node].map(|held| f64::from(u8::from(held))));
    let known: Vec<DVec3> = (0..node_count).map(|i| mask(i) * given[i]).collect();
    let mut product = vec![DVec3::ZERO; node_count];
    matrix.multiply(&known, &mut product);
    let entries = matrix
        .blocks()
        .iter()
        .flat_map(|block| block.to_cols_array());
    let stiffness = entries.map(f64::abs).fold(0.0, f64::max);
    let rhs: Vec<DVec3> = (0..node_count)
        .map(|i| (1.0 - mask(i)) * (load[i] - product[i]) + stiffness * known[i])
        .collect();
    for row in 0..node_count {
        for slot in matrix.row_range(row) {
            let column = matrix.column(slot);
            let (free_row, free_column) = (1.0 - mask(row), 1.0 - mask(column));
            let rows = DMat3::from_diagonal(free_row);
            let columns = DMat3::from_diagonal(free_column);
            let mut block = rows * *matrix.block(slot) * columns;
            if row == column {
                block += DMat3::from_diagonal(stiffness * mask(row));
            }
            matrix.blocks_mut()[slot] = block;
        }
    }
    let settings = SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    };
    let mut solver = BlockSolver::new(settings, &matrix);
    solver.prepare(&matrix).unwrap();
    let mut x = vec![DVec3::ZERO; node_count];
    solver.solve(&matrix, None, &rhs, &mut x).unwrap();
    x
}
