//! Where heat goes in a body on a grid.
//!
//! ```text
//! g = k A/l,      1/k = (1/k_a + 1/k_b) / 2
//! ```
//!
//! k is the harmonic mean of the conductivities of the ends of a bond, in its direction: that of two
//! halves in series. A/l comes from the rest shape: of a cell with mean edges e₁, e₂, e₃ and volume V
//! each of the four edges along e_d gets V/(4 |e_d|²). On a surface it is the area and two edges, on a
//! curve the length and one, so conductivities are then those times thickness and times cross-section.
//!
//! Departure: on a skewed grid the cross terms of the conductivity are left out.
//!
//! Implements: \[Terzopoulos1988\] note added in proof.

use super::conduction::{Corners, HeatNetwork, Patch};
use super::thermal::Bonds;
use crate::body::BodyDescription;
use crate::process::Heat;
use glam::DVec3;

/// The network of a body; its links are the bonds, in their order.
pub(super) fn heat_network(
    description: &BodyDescription,
    heat: &Heat,
    bonds: &Bonds,
) -> HeatNetwork {
    let cells = CellMeasures::new(description);
    let links = bonds.bonds.iter().map(|bond| {
        let direction = bond.edge % 3;
        let [a, b] = bond.ends.map(|end| heat.conductivity(end, direction));
        let mean = if a > 0.0 && b > 0.0 {
            2.0 / (1.0 / a + 1.0 / b)
        } else {
            0.0
        };
        (
            bond.ends.map(|end| end as u32),
            mean * cells.sections[bond.edge],
        )
    });
    let areas = cells.areas.open.iter().zip(&cells.areas.touching);
    let patches = areas.enumerate().map(|(node, (&open, &touching))| Patch {
        corners: Corners::Node([node as u32]),
        open,
        touching,
    });
    HeatNetwork {
        unknowns: (0..description.masses.len() as u32).collect(),
        links: links.collect(),
        patches: patches.collect(),
    }
}

/// Areas at the nodes, in square metres; lengths, in metres, for a curve.
#[derive(Clone, Debug)]
struct Areas {
    /// What the air touches: the outside of a solid, both sides of a surface.
    open: Vec<f64>,
    /// What an obstacle touches: the largest outer face, or the largest face of an inner node.
    touching: Vec<f64>,
}

/// What the cells of a rest shape measure.
struct CellMeasures {
    /// A/l of each edge, as `3 * lower node + direction`.
    sections: Vec<f64>,
    areas: Areas,
}

impl CellMeasures {
    fn new(description: &BodyDescription) -> Self {
        let (grid, rest) = (description.material_grid(), &description.rest_positions);
        let (nodes, dimension) = (grid.node_count(), grid.dimension());
        let corner_count = 1 << dimension;
        let mut sections = vec![0.0; 3 * nodes];
        // Length, area or volume that belongs to a node, and its faces on both sides of it.
        let mut measures = vec![0.0; nodes];
        let mut faces = vec![[[0.0; 2]; 3]; nodes];
        for cell in grid.cells() {
            let offset = |corner: usize| std::array::from_fn(|d| (corner >> d & 1) as i32);
            let node_at = |corner: usize| grid.neighbour(cell, offset(corner));
            let corners: Vec<usize> = (0..corner_count).filter_map(node_at).collect();
            if corners.len() < corner_count {
                continue;
            }
            // The mean of the parallel edges of the cell.
            let mut edges = [DVec3::ZERO; 3];
            for (d, edge) in edges.iter_mut().enumerate().take(dimension) {
                for corner in (0..corner_count).filter(|corner| corner >> d & 1 == 0) {
                    *edge += rest[corners[corner | 1 << d]] - rest[corners[corner]];
                }
                *edge *= 2.0 / corner_count as f64;
            }
            let measure = match dimension {
                1 => edges[0].length(),
                2 => edges[0].cross(edges[1]).length(),
                _ => edges[0].cross(edges[1]).dot(edges[2]).abs(),
            };
            for (corner, &node) in corners.iter().enumerate() {
                measures[node] += measure / corner_count as f64;
                for d in 0..dimension {
                    let length = edges[d].length();
                    if length == 0.0 {
                        continue;
                    }
                    let share = 2.0 / corner_count as f64;
                    let side = corner >> d & 1;
                    faces[node][d][side] += share * measure / length;
                    if side == 0 {
                        sections[3 * node + d] += share * measure / (length * length);
                    }
                }
            }
        }
        let areas = match dimension {
            1 => Areas {
                open: measures.clone(),
                touching: measures,
            },
            2 => Areas {
                open: measures.iter().map(|area| 2.0 * area).collect(),
                touching: measures,
            },
            _ => outer_faces(&faces),
        };
        Self { sections, areas }
    }
}

/// The faces of the nodes of a solid that have nothing on their other side.
fn outer_faces(faces: &[[[f64; 2]; 3]]) -> Areas {
    let outer = |pair: &[f64; 2]| match *pair {
        [0.0, face] | [face, 0.0] => face,
        _ => 0.0,
    };
    let largest = |found: f64, face: f64| found.max(face);
    Areas {
        open: faces.iter().map(|f| f.iter().map(outer).sum()).collect(),
        touching: faces
            .iter()
            .map(|f| {
                let outside = f.iter().map(outer).fold(0.0, largest);
                if outside > 0.0 {
                    outside
                } else {
                    f.iter().flatten().copied().fold(0.0, largest)
                }
            })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::elastic::Weights;
    use crate::grid::Grid;

    fn brick(counts: &[usize], size: DVec3) -> BodyDescription {
        let grid = Grid::new(counts, &vec![false; counts.len()]);
        let place = |c| DVec3::from(grid.material_coordinates(c)) * size;
        let rest: Vec<DVec3> = grid.nodes().map(place).collect();
        let weights = Weights::uniform(grid.node_count(), 1.0, 0.0, 0.0);
        BodyDescription::new("brick", grid, rest, weights)
    }

    #[test]
    fn sections_add_up_to_the_cross_section_and_faces_to_the_outside() {
        let size = DVec3::new(2.0, 3.0, 0.5);
        let description = brick(&[5, 4, 3], size);
        let cells = CellMeasures::new(&description);
        // All bonds of a layer side by side: A/l with l = size / cells.
        let sum_of = |d: usize| -> f64 { cells.sections.iter().skip(d).step_by(3).sum() };
        for (d, cell_count) in [(0, 4.0), (1, 3.0), (2, 2.0)] {
            let expected = size.element_product() / size[d] / (size[d] / cell_count) * cell_count;
            assert!((sum_of(d) / expected - 1.0).abs() < 1e-12, "{d}");
        }
        let open: f64 = cells.areas.open.iter().sum();
        assert!((open - 2.0 * (2.0 * 3.0 + 3.0 * 0.5 + 2.0 * 0.5)).abs() < 1e-12);
        // The middle of a face touches with all of its dual face.
        let middle = description.material_grid().index([2, 1, 0]);
        assert!((cells.areas.touching[middle] - 0.5).abs() < 1e-12);

        let sheet = CellMeasures::new(&brick(&[4, 6], size));
        assert!((sheet.areas.touching.iter().sum::<f64>() - 6.0).abs() < 1e-12);
        assert!((sheet.areas.open.iter().sum::<f64>() - 12.0).abs() < 1e-12);
        let rope = CellMeasures::new(&brick(&[5], size));
        assert!((rope.sections[0] - 1.0 / 0.5).abs() < 1e-12);
        assert!((rope.areas.open.iter().sum::<f64>() - 2.0).abs() < 1e-12);
    }
}
