//! Surfaces cut finer for the eye, so that outlines are round and highlights are smooth.
//!
//! Every edge gets a point in its middle, on the cubic curve that leaves both ends at right angles
//! to their normals; every triangle becomes four.
//!
//! ```text
//! m = (a + b) / 2 - (((b - a)·nₐ) nₐ + ((a - b)·n_b) n_b) / 8
//! n = nₐ + n_b, of unit length
//! ```
//!
//! These are the curves along the edges of PN triangles (Vlachos, Peters, Boyd and Mitchell, *Curved PN
//! triangles*, 2001); their normals, which follow every wave of the edges, ripple on a metal sheet and
//! are not taken. Nodes stay where they are. Where a crease gives an edge
//! different normals on either side, both sides take the mean of their points, so no gap opens.
//! Which vertices there are follows from the topology alone and is worked out once for it.

use super::surface::SurfacePlan;
use crate::draw_list::Mesh;
use glam::Vec3;
use std::collections::HashMap;

/// Surfaces with at most this many triangles are refined twice, and with at most the second number
/// once. A ball of 3,500 triangles that is 600 pixels wide leaves the circle by 0.3 pixels.
const TWICE: usize = 875;
const ONCE: usize = 3_500;

/// A middle leaves its edge by at most this share of the length of the edge.
const FARTHEST: f32 = 0.2;

/// How a surface is cut finer.
#[derive(Clone, Debug, Default)]
pub struct Refinement {
    levels: Vec<Level>,
    /// Edges that only one triangle has, as pairs of vertices of the finest level.
    boundary: Vec<[u32; 2]>,
}

#[derive(Clone, Debug, Default)]
struct Level {
    /// The ends of the edge that each new vertex lies on.
    parents: Vec<[u32; 2]>,
    /// New vertices at one place in space, counted from the first new one.
    twins: Vec<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl Refinement {
    /// For a surface; coarse ones are cut twice, fine ones not at all.
    pub fn new(plan: &SurfacePlan) -> Self {
        let level_count = match plan.triangles.len() {
            0..=TWICE => 2,
            count if count <= ONCE => 1,
            _ => 0,
        };
        let mut nodes = plan.nodes.clone();
        let mut refinement = Self {
            levels: Vec::new(),
            boundary: plan.boundary().to_vec(),
        };
        let mut next_node = nodes.iter().max().map_or(0, |node| node + 1);
        for _ in 0..level_count {
            let triangles = match refinement.levels.last() {
                Some(level) => &level.triangles,
                None => &plan.triangles,
            };
            let (level, middles) = Level::new(triangles, &mut nodes, &mut next_node);
            let halves = refinement.boundary.iter().flat_map(|&[a, b]| {
                let middle = middles.get(&(a.min(b), a.max(b))).copied();
                middle.map_or([[a, b], [b, b]], |m| [[a, m], [m, b]])
            });
            refinement.boundary = halves.filter(|[a, b]| a != b).collect();
            refinement.levels.push(level);
        }
        refinement
    }

    /// Cuts a mesh of the surface and returns the edges that only one triangle has, in the order of
    /// the triangle. A mesh from which triangles were left out stays as it is.
    pub fn apply<'a>(&'a self, mesh: &mut Mesh, plan: &'a SurfacePlan) -> &'a [[u32; 2]] {
        if mesh.triangles.len() != plan.triangles.len() {
            return plan.boundary();
        }
        for level in &self.levels {
            level.apply(mesh);
        }
        &self.boundary
    }
}

impl Level {
    /// Cuts all triangles; `nodes` are the places in space of all vertices.
    fn new(
        triangles: &[[u32; 3]],
        nodes: &mut Vec<u32>,
        next_node: &mut u32,
    ) -> (Self, HashMap<(u32, u32), u32>) {
        let first = nodes.len() as u32;
        let mut level = Self::default();
        let mut middles: HashMap<(u32, u32), u32> = HashMap::with_capacity(2 * triangles.len());
        let mut places: HashMap<(u32, u32), u32> = HashMap::with_capacity(2 * triangles.len());
        for &[a, b, c] in triangles {
            let [ab, bc, ca] = [[a, b], [b, c], [c, a]].map(|[from, to]| {
                let key = (from.min(to), from.max(to));
                if let Some(&middle) = middles.get(&key) {
                    return middle;
                }
                let middle = first + level.parents.len() as u32;
                middles.insert(key, middle);
                level.parents.push([from, to]);
                let ends = [nodes[from as usize], nodes[to as usize]];
                let place = (ends[0].min(ends[1]), ends[0].max(ends[1]));
                match places.get(&place) {
                    Some(&twin) => {
                        level.twins.push([twin - first, middle - first]);
                        nodes.push(nodes[twin as usize]);
                    }
                    None => {
                        places.insert(place, middle);
                        nodes.push(*next_node);
                        *next_node += 1;
                    }
                }
                middle
            });
            level
                .triangles
                .extend([[a, ab, ca], [ab, b, bc], [ca, bc, c], [ab, bc, ca]]);
        }
        (level, middles)
    }

    fn apply(&self, mesh: &mut Mesh) {
        let first = mesh.positions.len();
        for &[a, b] in &self.parents {
            let (a, b) = (a as usize, b as usize);
            let [start, end] = [a, b].map(|vertex| Vec3::from(mesh.positions[vertex]));
            let [from, to] = [a, b].map(|vertex| Vec3::from(mesh.normals[vertex]));
            let (position, normal) = middle(start, end, from, to);
            mesh.positions.push(position.to_array());
            mesh.normals.push(normal.to_array());
        }
        if !mesh.texture_coordinates.is_empty() {
            mesh.texture_coordinates
                .extend(halfway(&self.parents, &mesh.texture_coordinates));
        }
        if !mesh.colors.is_empty() {
            mesh.colors.extend(halfway(&self.parents, &mesh.colors));
        }
        // Of three and more at one place the first is the mean of all, to within its order.
        let twins = self
            .twins
            .iter()
            .map(|pair| pair.map(|twin| first + twin as usize));
        for [one, other] in twins.clone() {
            let [a, b] = [one, other].map(|vertex| Vec3::from(mesh.positions[vertex]));
            mesh.positions[one] = ((a + b) * 0.5).to_array();
        }
        for [one, other] in twins {
            mesh.positions[other] = mesh.positions[one];
        }
        mesh.triangles.clone_from(&self.triangles);
    }
}

fn halfway<const N: usize>(parents: &[[u32; 2]], values: &[[f32; N]]) -> Vec<[f32; N]> {
    let mean = |&[a, b]: &[u32; 2]| {
        let (a, b) = (&values[a as usize], &values[b as usize]);
        std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
    };
    parents.iter().map(mean).collect()
}

/// The middle of the curve between two points with normals, and the normal there.
fn middle(a: Vec3, b: Vec3, from: Vec3, to: Vec3) -> (Vec3, Vec3) {
    let edge = b - a;
    let squared = edge.length_squared();
    let bulge = from * edge.dot(from) - to * edge.dot(to);
    let most = FARTHEST * squared.sqrt();
    let position = (a + b) * 0.5 - (bulge * 0.125).clamp_length_max(most);
    (position, (from + to).normalize_or(from))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::test_frames::grid_frame;
    use glam::DVec3;
    use pliant::image_layout::ImageLayout;

    fn refined(counts: &[usize], shape: impl Fn(DVec3) -> DVec3) -> (Mesh, usize) {
        let mut frame = grid_frame(counts);
        let body = &mut frame.bodies[0];
        for position in &mut body.positions {
            *position = shape(2.0 * *position - 1.0);
        }
        let plan = SurfacePlan::new(
            &body.topology,
            &body.positions,
            &mut None,
            &ImageLayout::default(),
        );
        let mut mesh = plan.mesh(&body.positions, DVec3::ZERO);
        let before = mesh.triangles.len();
        Refinement::new(&plan).apply(&mut mesh, &plan);
        (mesh, before)
    }

    #[test]
    fn a_coarse_ball_becomes_round() {
        let ball = |p: DVec3| {
            let length = p.length();
            if length > 0.0 {
                p / length * p.abs().max_element()
            } else {
                p
            }
        };
        let (mesh, before) = refined(&[5; 3], ball);
        assert_eq!(mesh.triangles.len(), 16 * before);
        let mut worst = 0.0_f32;
        for &triangle in &mesh.triangles {
            let corners = triangle.map(|v| Vec3::from(mesh.positions[v as usize]));
            for k in 0..3 {
                let middle = (corners[k] + corners[(k + 1) % 3]) * 0.5;
                worst = worst.max((middle.length() - 1.0).abs());
            }
        }
        // An edge of the coarse ball leaves the sphere by 0.07.
        assert!(worst < 0.012, "{worst}");
    }

    #[test]
    fn creases_open_no_gap_and_flat_things_stay_flat() {
        let twist = |p: DVec3| {
            let (sine, cosine) = (0.8 * p.z).sin_cos();
            DVec3::new(cosine * p.x - sine * p.y, sine * p.x + cosine * p.y, p.z)
        };
        let (mesh, _) = refined(&[4; 3], twist);
        // Every edge has a partner that runs the other way between the same places.
        let key = |v: u32| mesh.positions[v as usize].map(f32::to_bits);
        let mut open = HashMap::new();
        for &[a, b, c] in &mesh.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                *open.entry((key(from), key(to))).or_insert(0) += 1;
                *open.entry((key(to), key(from))).or_insert(0) -= 1;
            }
        }
        assert!(open.values().all(|count| *count == 0));
        let (flat, _) = refined(&[4, 4], |p| p);
        assert!(flat.positions.iter().all(|p| p[2] == flat.positions[0][2]));
        assert_eq!(flat.positions.len(), flat.texture_coordinates.len());
    }
}
