//! Which corners of a mesh share a normal: all that no crease keeps apart.
//!
//! A crease is an edge at which a body bends by more than [`CREASE`] in the shape it was first seen
//! in. A box keeps its edges however it is squeezed, and a ball stays smooth however it is dented:
//! nothing changes its look from one frame to the next.

use glam::DVec3;
use pliant::image_layout::{Kind, Material, Side};

/// Angle between the normals of two triangles, in radians, above which their edge is sharp. The corners of boxes and
/// prisms lie well above it, a lip or a fold that a coarse mesh has few cells for below.
pub const CREASE: f64 = 68.0 * std::f64::consts::PI / 180.0;

/// Which sides of a block are sharp against each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SideCreases {
    /// For each side the one that stands for all it is smooth with.
    leaders: [usize; Side::COUNT],
}

impl SideCreases {
    /// Measures the mean angle between the sides of a block in the shape given.
    pub fn measure(material: &Material, triangles: &[[u32; 3]], positions: &[DVec3]) -> Self {
        let mut sums = [[(0.0, 0.0); Side::COUNT]; Side::COUNT];
        for [first, second] in shared_edges(triangles) {
            let (Some(a), Some(b)) = (
                material.side(triangles[first.triangle]).map(Side::index),
                material.side(triangles[second.triangle]).map(Side::index),
            ) else {
                continue;
            };
            let angle = bend(positions, triangles, first.triangle, second.triangle);
            let length = edge_length(positions, triangles, first);
            if a != b && angle.is_finite() && length.is_finite() {
                let sum = &mut sums[a.min(b)][a.max(b)];
                sum.0 += length * angle;
                sum.1 += length;
            }
        }
        let mut leaders: [usize; Side::COUNT] = std::array::from_fn(|side| side);
        // What has been torn open is always sharp; only the six outer sides can be smooth.
        for a in 0..6 {
            for b in a + 1..6 {
                let (angle, length) = sums[a][b];
                if length > 0.0 && angle <= CREASE * length {
                    let (from, to) = (leaders[b], leaders[a]);
                    for leader in &mut leaders {
                        if *leader == from {
                            *leader = to;
                        }
                    }
                }
            }
        }
        Self { leaders }
    }
}

/// Gives each corner of each triangle the number of its normal; returns how many there are.
pub fn corner_classes(
    material: &Material,
    creases: Option<&SideCreases>,
    triangles: &[[u32; 3]],
    positions: &[DVec3],
) -> (Vec<[u32; 3]>, usize) {
    match (material.kind, creases) {
        (Kind::Sheet { .. }, _) => (triangles.to_vec(), positions.len()),
        (Kind::Block, Some(creases)) => {
            let mut numbers = std::collections::HashMap::new();
            let classes = triangles
                .iter()
                .map(|&triangle| {
                    let leader = material
                        .side(triangle)
                        .map_or(Side::COUNT, |side| creases.leaders[side.index()]);
                    triangle.map(|node| {
                        let next = numbers.len() as u32;
                        *numbers.entry((node, leader)).or_insert(next)
                    })
                })
                .collect();
            (classes, numbers.len())
        }
        _ => classes_by_angle(triangles, positions),
    }
}

/// Corners are joined across every edge that is not sharp.
pub fn classes_by_angle(triangles: &[[u32; 3]], positions: &[DVec3]) -> (Vec<[u32; 3]>, usize) {
    let mut parents: Vec<u32> = (0..3 * triangles.len() as u32).collect();
    for [first, second] in shared_edges(triangles) {
        let angle = bend(positions, triangles, first.triangle, second.triangle);
        if angle <= CREASE {
            for end in [0, 1] {
                join(
                    &mut parents,
                    first.corner(end),
                    second.corner_facing(triangles, first, end),
                );
            }
        }
    }
    let mut numbers = vec![u32::MAX; parents.len()];
    let mut count = 0;
    let mut classes = vec![[0; 3]; triangles.len()];
    for corner in 0..parents.len() {
        let root = find(&mut parents, corner as u32) as usize;
        if numbers[root] == u32::MAX {
            numbers[root] = count;
            count += 1;
        }
        classes[corner / 3][corner % 3] = numbers[root];
    }
    (classes, count as usize)
}

/// The edges of a mesh that are sharp, by their nodes.
pub fn sharp_edges(triangles: &[[u32; 3]], positions: &[DVec3]) -> Vec<[u32; 2]> {
    shared_edges(triangles)
        .into_iter()
        .filter(|[first, second]| {
            bend(positions, triangles, first.triangle, second.triangle) > CREASE
        })
        .map(|[edge, _]| [0, 1].map(|end| triangles[edge.triangle][(edge.start + end) % 3]))
        .collect()
}

/// An edge of a triangle: from its corner `start` to the next.
#[derive(Clone, Copy, Debug)]
pub struct EdgeUse {
    /// The triangle.
    pub triangle: usize,
    start: usize,
}

impl EdgeUse {
    fn corner(self, end: usize) -> u32 {
        (3 * self.triangle + (self.start + end) % 3) as u32
    }

    /// The corner of this triangle at the node where `other` has its corner `end`.
    fn corner_facing(self, triangles: &[[u32; 3]], other: Self, end: usize) -> u32 {
        let node = |use_: Self, end: usize| triangles[use_.triangle][(use_.start + end) % 3];
        if node(self, end) == node(other, end) {
            self.corner(end)
        } else {
            self.corner(1 - end)
        }
    }
}

/// Pairs of triangles that share an edge. Where more than two meet, each is paired with the next.
fn shared_edges(triangles: &[[u32; 3]]) -> Vec<[EdgeUse; 2]> {
    let mut uses: Vec<(u64, EdgeUse)> = Vec::with_capacity(3 * triangles.len());
    for (triangle, nodes) in triangles.iter().enumerate() {
        for start in 0..3 {
            let (a, b) = (nodes[start], nodes[(start + 1) % 3]);
            let key = u64::from(a.min(b)) << 32 | u64::from(a.max(b));
            uses.push((key, EdgeUse { triangle, start }));
        }
    }
    uses.sort_by_key(|&(key, _)| key);
    uses.windows(2)
        .filter(|pair| pair[0].0 == pair[1].0)
        .map(|pair| [pair[0].1, pair[1].1])
        .collect()
}

fn edge_length(positions: &[DVec3], triangles: &[[u32; 3]], edge: EdgeUse) -> f64 {
    let at = |end: usize| positions[triangles[edge.triangle][(edge.start + end) % 3] as usize];
    (at(1) - at(0)).length()
}

/// Angle between the normals of two triangles; smooth if one of them has none.
fn bend(positions: &[DVec3], triangles: &[[u32; 3]], first: usize, second: usize) -> f64 {
    let normal = |triangle: usize| {
        let [a, b, c] = triangles[triangle].map(|node| positions[node as usize]);
        (b - a).cross(c - a)
    };
    let (a, b) = (normal(first), normal(second));
    let angle = a.cross(b).length().atan2(a.dot(b));
    if angle.is_finite() { angle } else { 0.0 }
}

fn find(parents: &mut [u32], mut corner: u32) -> u32 {
    while parents[corner as usize] != corner {
        let grandparent = parents[parents[corner as usize] as usize];
        parents[corner as usize] = grandparent;
        corner = grandparent;
    }
    corner
}

fn join(parents: &mut [u32], a: u32, b: u32) {
    let (a, b) = (find(parents, a), find(parents, b));
    parents[a.max(b) as usize] = a.min(b);
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::Grid;
    use pliant::grid::grid_topology;

    /// Corners of a block with `n` nodes a side, at the places that `shape` gives.
    fn block_classes(n: usize, shape: impl Fn(DVec3) -> DVec3) -> usize {
        let grid = Grid::new(&[n; 3], &[false; 3]);
        let topology = grid_topology(&grid);
        let positions: Vec<DVec3> = grid
            .nodes()
            .map(|node| shape(2.0 * DVec3::from(grid.material_coordinates(node)) - 1.0))
            .collect();
        let material = Material::new(&topology, &topology.triangles);
        let creases = SideCreases::measure(&material, &topology.triangles, &positions);
        corner_classes(&material, Some(&creases), &topology.triangles, &positions).1
    }

    #[test]
    fn a_box_has_a_normal_for_each_side_and_a_ball_one_for_each_node() {
        let box_classes = block_classes(4, |p| p);
        assert_eq!(box_classes, 6 * 16);
        let ball_classes = block_classes(6, |p| p.normalize() * p.abs().max_element());
        assert_eq!(ball_classes, 6 * 6 * 6 - 4 * 4 * 4);
    }

    #[test]
    fn angles_split_free_meshes() {
        // A roof: two squares that meet at 90 degrees, or at 20.
        for (slope, classes) in [(1.0_f64, 8), (0.17, 6)] {
            let positions = [
                DVec3::new(-1.0, 0.0, -slope),
                DVec3::ZERO,
                DVec3::new(1.0, 0.0, -slope),
                DVec3::new(-1.0, 1.0, -slope),
                DVec3::Y,
                DVec3::new(1.0, 1.0, -slope),
            ];
            let triangles = [[0, 1, 4], [0, 4, 3], [1, 2, 5], [1, 5, 4]];
            assert_eq!(classes_by_angle(&triangles, &positions).1, classes);
            let sharp = sharp_edges(&triangles, &positions);
            assert_eq!(sharp.len(), usize::from(classes == 8));
        }
    }
}
