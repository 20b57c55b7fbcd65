//! Lines, triangles and hexahedra of a grid, for drawing and export.

use super::Grid;
use crate::frame::Topology;

/// The connections between the nodes of a grid.
pub fn grid_topology(grid: &Grid) -> Topology {
    let mut topology = Topology {
        material_coordinates: grid
            .nodes()
            .map(|coordinates| grid.material_coordinates(coordinates))
            .collect(),
        ..Topology::default()
    };
    let node = |coordinates: [usize; 3], step: [i32; 3]| {
        grid.neighbour(coordinates, step).map(|node| node as u32)
    };
    match grid.dimension() {
        1 => {
            for cell in grid.cells() {
                if let (Some(a), Some(b)) = (node(cell, [0, 0, 0]), node(cell, [1, 0, 0])) {
                    topology.lines.push([a, b]);
                }
            }
        }
        2 => {
            for cell in grid.cells() {
                let corners = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]].map(|s| node(cell, s));
                push_quad(&mut topology, corners, false);
            }
        }
        _ => add_solid(grid, &mut topology, node),
    }
    topology
}

fn add_solid(
    grid: &Grid,
    topology: &mut Topology,
    node: impl Fn([usize; 3], [i32; 3]) -> Option<u32>,
) {
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
    for cell in grid.cells() {
        let corners = CORNERS.map(|step| node(cell, step));
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
            if grid.periodic()[d] {
                continue;
            }
            let (a, b) = ((d + 1) % 3, (d + 2) % 3);
            let face = |layer: i32| {
                [(0, 0), (1, 0), (1, 1), (0, 1)].map(|(i, j)| {
                    let mut step = [0; 3];
                    step[d] = layer;
                    step[a] = i;
                    step[b] = j;
                    node(cell, step)
                })
            };
            if cell[d] == 0 {
                push_quad(topology, face(0), true);
            }
            if cell[d] + 2 == grid.counts()[d] {
                push_quad(topology, face(1), false);
            }
        }
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

    #[test]
    fn the_boundary_of_a_solid_is_closed_and_points_outwards() {
        let grid = Grid::new(&[3, 4, 2], &[false; 3]);
        let topology = grid_topology(&grid);
        assert_eq!(topology.hexahedra.len(), 2 * 3);
        assert_eq!(topology.triangles.len(), 2 * 2 * (2 * 3 + 2 + 3));
        let at = |node: u32| {
            let [x, y, z] = grid.coordinates(node as usize);
            DVec3::new(x as f64, y as f64, z as f64)
        };
        // The divergence theorem gives the volume.
        let volume: f64 = topology
            .triangles
            .iter()
            .map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0)
            .sum();
        assert!((volume - 6.0).abs() < 1e-12);
    }

    #[test]
    fn a_periodic_surface_has_a_row_of_cells_over_its_seam() {
        let grid = Grid::new(&[5, 4], &[true, false]);
        assert_eq!(grid_topology(&grid).triangles.len(), 2 * 5 * 3);
    }
}
