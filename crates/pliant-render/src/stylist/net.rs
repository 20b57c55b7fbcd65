//! Surfaces as nets: cords along the links that are whole, knots at the nodes, and a loose end
//! where a link has broken.

use super::{Subject, finish, shaded};
use crate::draw_list::{DrawList, Mesh, Shading, SphereSet};
use crate::tube::{TubePoint, add_tube, chains, smooth};
use glam::DVec3;
use std::collections::HashSet;

/// Radii of cords and knots, and length of a loose end, in lengths of a link.
const CORD: f64 = 0.075;
const KNOT: f64 = 0.13;
const LOOSE: f64 = 0.4;
/// Pieces that each link is drawn in.
const PIECES: usize = 3;

/// Adds a body to the list. Bodies that are no surface over a grid are drawn as usual.
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    let edges = subject.memory.edges(&subject.body.topology);
    let body = subject.body;
    let coordinates = &body.topology.material_coordinates;
    if coordinates.is_empty() || !body.topology.hexahedra.is_empty() || edges.is_empty() {
        shaded::draw(subject, list);
        return;
    }
    let at = |node: u32| coordinates.get(node as usize).copied().unwrap_or_default();
    let is_broken: HashSet<u32> = body
        .topology
        .broken_links
        .iter()
        .flatten()
        .copied()
        .collect();
    let spacing = subject.memory.spacing;
    let (mut mesh, mut nodes) = (Mesh::default(), Vec::new());
    for axis in 0..2 {
        let other = 1 - axis;
        let along: Vec<[u32; 2]> = edges
            .iter()
            .copied()
            .filter(|&[a, b]| (at(a)[other] - at(b)[other]).abs() < 1e-9)
            .collect();
        for (chain, closed) in chains(&along, body.positions.len()) {
            let mut points: Vec<TubePoint> = chain
                .iter()
                .map(|&node| TubePoint {
                    position: body.positions[node as usize],
                    along: at(node)[axis],
                    node,
                })
                .collect();
            if !closed {
                let length = LOOSE * spacing;
                add_loose_end(&mut points, length, &is_broken);
                points.reverse();
                add_loose_end(&mut points, length, &is_broken);
            }
            let curve = smooth(&points, closed, PIECES);
            let radius = CORD * spacing;
            add_tube(
                &mut mesh,
                &mut nodes,
                &curve,
                closed,
                radius,
                subject.origin,
            );
        }
    }
    subject.coloring.apply(&mut mesh, &nodes);
    mesh.shading = Shading {
        two_sided: false,
        lift: shaded::BODY_LIFT,
        ..finish::shading(body.appearance.finish, finish::CURVE, spacing)
    };
    list.spheres.push(knots(subject, &edges, mesh.shading));
    list.meshes.push(mesh);
}

/// Lets a cord run on a little where it was torn off.
fn add_loose_end(points: &mut Vec<TubePoint>, length: f64, is_broken: &HashSet<u32>) {
    let [.., before, last] = points[..] else {
        return;
    };
    let way = (last.position - before.position).try_normalize();
    if let (Some(way), true) = (way, is_broken.contains(&last.node)) {
        // A torn end curls.
        let aside = way.cross(DVec3::new(0.3, 0.5, 0.8)).normalize_or_zero();
        for (share, curl) in [(0.5, 0.1), (1.0, 0.4)] {
            points.push(TubePoint {
                position: last.position + length * (share * way + curl * aside),
                ..last
            });
        }
    }
}

fn knots(subject: &Subject, edges: &[[u32; 2]], shading: Shading) -> SphereSet {
    let mut tied: Vec<u32> = edges.as_flattened().to_vec();
    tied.sort_unstable();
    tied.dedup();
    let place = |&node: &u32| {
        let position = *subject.body.positions.get(node as usize)?;
        let center = (position - subject.origin).as_vec3();
        center.is_finite().then(|| (node, center.to_array()))
    };
    let found: Vec<(u32, [f32; 3])> = tied.iter().filter_map(place).collect();
    SphereSet {
        centers: found.iter().map(|&(_, center)| center).collect(),
        radii: vec![(KNOT * subject.memory.spacing) as f32],
        colors: vec![crate::color_map::scaled(subject.coloring.mean(), 0.75)],
        casts_shadow: true,
        finish: shading.finish,
    }
}

#[cfg(test)]
mod tests {
    use crate::stylist::Stylist;
    use crate::stylist::test_frames::{body, grid_frame, sheet};
    use crate::{DrawList, Look, TextureStore};
    use pliant::grid::torn_topology;
    use pliant::{Frame, Grid};

    fn drawn(frame: &Frame) -> DrawList {
        Stylist::new(Look::Net.into(), TextureStore::default())
            .list(frame)
            .unwrap()
    }

    #[test]
    fn a_net_has_cords_and_knots_and_nothing_between() {
        let list = drawn(&sheet(5, 4));
        assert_eq!((list.meshes.len(), list.spheres.len()), (1, 1));
        assert_eq!(list.spheres[0].centers.len(), 20);
        // The middle of a cell is empty: the sheet lies about the origin.
        let middle = |p: &[f32; 3]| (p[0] - 0.125).abs() < 0.08 && p[1].abs() < 0.08;
        assert!(!list.meshes[0].positions.iter().any(middle));
        // Solids are drawn as they are otherwise.
        assert!(drawn(&grid_frame(&[3, 3, 3])).spheres.is_empty());
    }

    #[test]
    fn nothing_is_drawn_along_a_broken_link_but_its_ends() {
        let grid = Grid::new(&[4, 4], &[false; 2]);
        let whole = sheet(4, 4);
        let torn = torn_topology(&grid, &|node, direction| {
            direction == 0 && grid.coordinates(node)[0] == 1
        });
        let mut frame = Frame {
            bodies: vec![body(torn, whole.bodies[0].positions.clone())],
            ..Frame::default()
        };
        for position in &mut frame.bodies[0].positions {
            position.x *= 4.0;
        }
        let list = drawn(&frame);
        // The gap is from 4/3 to 8/3, and the origin is in its middle.
        let places = list.meshes[0].positions.iter();
        let (mut nearest, mut reaches) = (f32::INFINITY, false);
        for p in places {
            nearest = nearest.min(p[0].abs());
            reaches |= p[0].abs() < 0.6;
        }
        assert!(nearest > 0.05 && reaches, "{nearest}");
        assert_eq!(list.spheres[0].centers.len(), 16);
    }
}
