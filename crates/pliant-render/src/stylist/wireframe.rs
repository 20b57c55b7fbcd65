//! The lines of the grid.

use super::Subject;
use super::surface::{existing, relative};
use super::torn::Lattice;
use crate::color_map::{Color, mix, scaled};
use crate::draw_list::{DrawList, LineSet, Paint, Shading};
use pliant::frame::Topology;
use pliant::image_layout::{Kind, Material};
use std::collections::HashSet;

/// Width of the lines in pixels of a picture 720 pixels high.
const WIDTH: f32 = 1.4;
/// Towards the eye, as a share of its distance, so that lines are not hidden by what they lie on.
pub const LINE_LIFT: f32 = 0.006;

/// Adds a body to the list.
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    let color = subject.coloring.mean();
    if !subject.style.hidden_lines {
        add_cover(subject, list, mix(color, [0.9; 3], 0.75));
    }
    add_edges(subject, list, scaled(color, 0.3), WIDTH);
    add_points(subject, list, color);
}

/// Adds a pale surface that hides the lines behind it.
fn add_cover(subject: &mut Subject, list: &mut DrawList, color: Color) {
    let plan = subject.memory.surface(&subject.body.topology);
    if plan.triangles.is_empty() {
        return;
    }
    let mut mesh = plan.mesh(&subject.body.positions, subject.origin);
    mesh.texture_coordinates = Vec::new();
    mesh.paint = Paint::Color(color);
    mesh.shading = Shading {
        finish: crate::draw_list::Finish::CHALK,
        lift: super::shaded::BODY_LIFT,
        ..Shading::default()
    };
    list.meshes.push(mesh);
}

/// Adds the lines of the grid in one colour.
pub fn add_edges(subject: &mut Subject, list: &mut DrawList, color: Color, width: f32) {
    let edges = subject.memory.edges(&subject.body.topology);
    let positions = &subject.body.positions;
    let place = |node: u32| relative(positions.get(node as usize).copied(), subject.origin);
    let segments: Vec<[[f32; 3]; 2]> = edges
        .iter()
        .map(|edge| edge.map(place))
        .filter(|segment| segment.iter().flatten().all(|x| x.is_finite()))
        .collect();
    if !segments.is_empty() {
        list.lines.push(LineSet {
            segments,
            colors: vec![color],
            width,
            lift: LINE_LIFT,
        });
    }
}

/// Adds loose particles as small balls.
fn add_points(subject: &Subject, list: &mut DrawList, color: Color) {
    let body = subject.body;
    let centers: Vec<[f32; 3]> = body
        .topology
        .points
        .iter()
        .map(|&node| relative(body.positions.get(node as usize).copied(), subject.origin))
        .filter(|center| center.iter().all(|x| x.is_finite()))
        .collect();
    if !centers.is_empty() {
        list.spheres.push(crate::draw_list::SphereSet {
            centers,
            radii: vec![(0.3 * body.particle_radius.max(0.0)) as f32],
            colors: vec![color],
            casts_shadow: true,
            ..crate::draw_list::SphereSet::default()
        });
    }
}

/// The edges of the triangles and lines of a body, each once, lower node first. Where the material
/// coordinates are those of a grid, the diagonals of its cells are left out.
pub fn grid_edges(topology: &Topology, node_count: usize) -> Vec<[u32; 2]> {
    if let Some(links) = torn_sheet_links(topology) {
        return links;
    }
    let triangles = existing(&topology.triangles, node_count);
    let material = Material::new(topology, &triangles);
    let regular = material.kind != Kind::Free && {
        let diagonals = |&[a, b, c]: &[u32; 3]| {
            let edges = [[a, b], [b, c], [c, a]];
            edges
                .iter()
                .filter(|&&edge| !material.along_grid(edge))
                .count()
        };
        triangles.iter().all(|triangle| diagonals(triangle) == 1)
    };
    let sides = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides
        .filter(|&edge| !regular || material.along_grid(edge))
        .chain(topology.lines.iter().copied())
        .filter(|edge| edge.iter().all(|&node| (node as usize) < node_count))
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// All whole links of a torn surface over a grid, each once, lower node first: a link whose cells
/// have lost their triangles is whole all the same.
fn torn_sheet_links(topology: &Topology) -> Option<Vec<[u32; 2]>> {
    if topology.broken_links.is_empty() {
        return None;
    }
    let lattice = Lattice::new(&topology.material_coordinates).filter(Lattice::is_flat)?;
    let in_order = |[a, b]: [u32; 2]| [a.min(b), a.max(b)];
    let broken: HashSet<[u32; 2]> = topology
        .broken_links
        .iter()
        .copied()
        .map(in_order)
        .collect();
    let mut links: Vec<[u32; 2]> = lattice
        .links()
        .map(in_order)
        .filter(|link| !broken.contains(link))
        .collect();
    links.sort_unstable();
    links.dedup();
    Some(links)
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Grid;
    use pliant::grid::{grid_topology, torn_topology};

    #[test]
    fn grids_have_no_diagonals() {
        let count = |counts: &[usize], periodic: &[bool]| {
            let grid = Grid::new(counts, periodic);
            grid_edges(&grid_topology(&grid), grid.node_count()).len()
        };
        assert_eq!(count(&[4, 3], &[false; 2]), 3 * 3 + 4 * 2);
        assert_eq!(count(&[5, 3], &[true, false]), 5 * 3 + 5 * 2);
        assert_eq!(count(&[7], &[true]), 7);
        // The surface of a cube of 2 x 2 x 2 cells.
        assert_eq!(count(&[3, 3, 3], &[false; 3]), 48);
    }

    #[test]
    fn torn_sheets_lose_their_broken_links_and_no_others() {
        let grid = Grid::new(&[4, 4], &[false; 2]);
        let torn = torn_topology(&grid, &|node, _| node == 5 || node == 6);
        assert_eq!(grid_edges(&torn, 16).len(), 24 - 4);
        assert!(!grid_edges(&torn, 16).contains(&[5, 6]));
    }

    #[test]
    fn other_meshes_keep_all_their_edges() {
        let topology = Topology {
            triangles: vec![[0, 1, 2], [0, 2, 3], [0, 2, 77]],
            ..Topology::default()
        };
        assert_eq!(grid_edges(&topology, 4).len(), 5);
    }
}
