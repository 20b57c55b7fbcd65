//! What is woven of a torn cell: threads along whole links, and loose ends where a link has broken.
//!
//! Half of the threads that cross a cell follow the link on one side of it, half the link on the
//! other. Those of a whole link run through; those of a broken one end somewhere between its nodes,
//! each on its own, carried by the node they start from.

use super::surface::SurfacePlan;
use super::torn::{Lattice, TornPlan};
use crate::draw_list::Mesh;
use glam::{DMat3, DVec3, Vec3};
use pliant::frame::FrameBody;
use std::collections::{HashMap, HashSet};

/// Where the threads of a cell are, and which of them there are.
#[derive(Clone, Copy, Debug)]
pub struct Patch {
    /// Corners at the lower end of both directions, at the upper end of the first, of both, of the
    /// second.
    pub positions: [Vec3; 4],
    /// Unit normals there.
    pub normals: [Vec3; 4],
    /// Texture coordinates there.
    pub textures: [[f32; 2]; 4],
    /// The nodes there.
    pub nodes: [u32; 4],
    /// Number of the cell along the first direction.
    pub column: i64,
    /// Number of the cell along the second.
    pub row: i64,
    /// Which threads it has; `None` for all.
    pub part: Option<Part>,
}

/// Threads of one direction that follow one link of a cell.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Whether they run along the second direction.
    pub warp: bool,
    /// Whether they lie in the upper half of the cell.
    pub upper: bool,
    /// The end at which they are torn off.
    pub torn: Option<End>,
}

/// An end of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Its lower end.
    Low,
    /// Its upper end.
    High,
}

/// The corners of a cell: steps along both directions.
const CORNERS: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

/// The four links of a cell: their lower and upper corner, whether threads along them are warp, and
/// whether they lie at the upper end of the cell.
const LINKS: [(usize, usize, bool, bool); 4] = [
    (0, 3, true, false),
    (1, 2, true, true),
    (0, 1, false, false),
    (3, 2, false, true),
];

/// What is woven of all torn cells of a body over a grid.
pub fn torn_patches(
    body: &FrameBody,
    rest: &[DVec3],
    torn: &TornPlan,
    plan: &SurfacePlan,
    mesh: &Mesh,
    origin: DVec3,
) -> Vec<Patch> {
    let coordinates = &body.topology.material_coordinates;
    let Some(lattice) = Lattice::new(coordinates).filter(Lattice::is_flat) else {
        return Vec::new();
    };
    let broken = body.topology.broken_links.iter();
    let weaver = Weaver {
        body,
        rest,
        turns: torn.turns(&body.positions),
        broken: broken.map(|&[a, b]| [a.min(b), a.max(b)]).collect(),
        normals: plan
            .nodes
            .iter()
            .zip(&mesh.normals)
            .map(|(&node, &normal)| (node, Vec3::from(normal)))
            .collect(),
        origin,
    };
    let mut patches = Vec::new();
    for cell in lattice.cells() {
        let nodes =
            CORNERS.map(|[u, v]| lattice.node([(cell[0] + u) as isize, (cell[1] + v) as isize, 0]));
        if let [Some(a), Some(b), Some(c), Some(d)] = nodes {
            weaver.add(&mut patches, [a, b, c, d], cell);
        }
    }
    patches
}

struct Weaver<'a> {
    body: &'a FrameBody,
    rest: &'a [DVec3],
    turns: Vec<DMat3>,
    broken: HashSet<[u32; 2]>,
    normals: HashMap<u32, Vec3>,
    origin: DVec3,
}

impl Weaver<'_> {
    fn is_whole(&self, a: u32, b: u32) -> bool {
        !self.broken.contains(&[a.min(b), a.max(b)])
    }

    /// Adds the parts of a cell, if it is torn.
    fn add(&self, patches: &mut Vec<Patch>, nodes: [u32; 4], cell: [usize; 3]) {
        if (0..4).all(|k| self.is_whole(nodes[k], nodes[(k + 1) % 4])) {
            return;
        }
        for (low, high, warp, upper) in LINKS {
            let ends: &[Option<End>] = if self.is_whole(nodes[low], nodes[high]) {
                &[None]
            } else {
                &[Some(End::Low), Some(End::High)]
            };
            for &from in ends {
                // The nodes that carry this part: both ends of a whole link, else one.
                let carriers: &[usize] = match from {
                    None => &[low, high],
                    Some(End::Low) => &[low],
                    Some(End::High) => &[high],
                };
                let positions: [Vec3; 4] = std::array::from_fn(|corner| {
                    (self.corner(nodes, carriers, corner) - self.origin).as_vec3()
                });
                if !positions.iter().all(|position| position.is_finite()) {
                    continue;
                }
                let torn = from.map(|end| match end {
                    End::Low => End::High,
                    End::High => End::Low,
                });
                patches.push(Patch {
                    positions,
                    normals: self.normals(nodes, carriers, &positions),
                    textures: nodes.map(|node| self.texture(node)),
                    nodes,
                    column: cell[0] as i64,
                    row: cell[1] as i64,
                    part: Some(Part { warp, upper, torn }),
                });
            }
        }
    }

    /// Where a corner is for those who carry it: at its node if that is one of them or linked to one
    /// of them along a side of the cell, else where they see it.
    fn corner(&self, nodes: [u32; 4], carriers: &[usize], corner: usize) -> DVec3 {
        let node = nodes[corner];
        let here = self.body.positions[node as usize];
        let linked = |&carrier: &usize| {
            let beside = (carrier + 1) % 4 == corner || (corner + 1) % 4 == carrier;
            carrier == corner || beside && self.is_whole(nodes[carrier], node)
        };
        if carriers.iter().any(linked) {
            return here;
        }
        let seen = |&carrier: &usize| {
            let from = nodes[carrier] as usize;
            let way = self.rest[node as usize] - self.rest[from];
            self.body.positions[from] + self.turns[from] * way
        };
        // The nearer of two, which is across the cell from the other.
        let beside = |&&carrier: &&usize| (carrier + corner) % 2 == 1;
        let nearest = carriers.iter().find(beside).unwrap_or(&carriers[0]);
        seen(nearest)
    }

    fn normals(&self, nodes: [u32; 4], carriers: &[usize], at: &[Vec3; 4]) -> [Vec3; 4] {
        let flat = (at[1] - at[0]).cross(at[3] - at[0]).normalize_or(Vec3::Z);
        let of = |corner: usize| self.normals.get(&nodes[corner]).copied();
        let carried = carriers.iter().find_map(|&corner| of(corner));
        let fallback = carried.unwrap_or(flat);
        std::array::from_fn(|corner| {
            if carriers.contains(&corner) {
                of(corner).unwrap_or(fallback)
            } else {
                fallback
            }
        })
    }

    fn texture(&self, node: u32) -> [f32; 2] {
        let [u, v, _] = self.body.topology.material_coordinates[node as usize];
        [u as f32, (1.0 - v) as f32]
    }
}
