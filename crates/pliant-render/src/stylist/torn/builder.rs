//! Makes the plan of a torn body: points, and triangles between them.

use super::{Lattice, Share, TornPlan};
use glam::DVec3;
use pliant::frame::Topology;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// How far a cut may leave the middle of what it cuts, as a share of the length of a link.
const RAGGED: f64 = 0.2;

/// Stands for a face or cell that is whole, and so has one middle.
const WHOLE: u32 = u32::MAX;

/// What a point is; two that are equal are one point.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Key {
    /// Of a whole link, by its ends, the lower place first.
    Link(u32, u32),
    /// Where a broken link ends, seen from the first node.
    End(u32, u32),
    /// The middle of a face, by its lowest node and the direction across it, for the nodes on one
    /// side of its cuts: the lowest of them.
    Face(u32, usize, u32),
    /// The middle of a cell, likewise.
    Cell(u32, u32),
}

/// A quadrilateral of the grid: its lowest place and the two directions it spans.
#[derive(Clone, Copy, Debug)]
struct Face {
    place: [usize; 3],
    axes: [usize; 2],
}

/// The corners of a face, counter-clockwise: steps along its two directions.
const AROUND: [[usize; 2]; 4] = [[0, 0], [1, 0], [1, 1], [0, 1]];

pub struct Builder<'a> {
    lattice: &'a Lattice,
    topology: &'a Topology,
    rest: &'a [DVec3],
    /// Nodes that are drawn as particles.
    gone: Vec<bool>,
    broken: HashSet<[u32; 2]>,
    points: HashMap<Key, u32>,
    coordinates: Vec<[f64; 3]>,
    shares: Vec<Share>,
    ends: Vec<usize>,
    triangles: Vec<[u32; 3]>,
}

impl<'a> Builder<'a> {
    pub fn new(lattice: &'a Lattice, topology: &'a Topology, rest: &'a [DVec3]) -> Self {
        let mut gone = vec![false; rest.len()];
        for &node in &topology.points {
            if let Some(gone) = gone.get_mut(node as usize) {
                *gone = true;
            }
        }
        let broken = topology.broken_links.iter();
        Self {
            lattice,
            topology,
            rest,
            gone,
            broken: broken.map(|&[a, b]| [a.min(b), a.max(b)]).collect(),
            points: HashMap::new(),
            coordinates: topology.material_coordinates.clone(),
            shares: Vec::new(),
            ends: Vec::new(),
            triangles: Vec::new(),
        }
    }

    pub fn finish(mut self) -> TornPlan {
        for cell in self.lattice.cells() {
            if self.lattice.is_flat() {
                let face = Face {
                    place: cell,
                    axes: [0, 1],
                };
                self.add_face(face, false);
            } else {
                self.add_sides(cell);
                self.add_walls(cell);
            }
        }
        let links = self.links();
        TornPlan {
            topology: Arc::new(Topology {
                points: self.topology.points.clone(),
                lines: Vec::new(),
                triangles: self.triangles,
                hexahedra: self.topology.hexahedra.clone(),
                material_coordinates: self.coordinates,
                ..Topology::default()
            }),
            shares: self.shares,
            ends: self.ends,
            links,
        }
    }

    /// The whole links of all nodes that carry a point away from themselves.
    fn links(&self) -> Vec<(u32, Vec<(u32, DVec3)>)> {
        let carries: HashSet<u32> = self
            .shares
            .iter()
            .filter(|share| share.offset != DVec3::ZERO)
            .map(|share| share.node)
            .collect();
        let mut links: HashMap<u32, Vec<(u32, DVec3)>> = HashMap::new();
        for [a, b] in self.lattice.links() {
            if !self.is_whole(a, b) {
                continue;
            }
            for (from, to) in [(a, b), (b, a)] {
                let way = self.rest[to as usize] - self.rest[from as usize];
                if carries.contains(&from) && way.length_squared() > 0.0 {
                    let way = way / way.length_squared();
                    links.entry(from).or_default().push((to, way));
                }
            }
        }
        let mut sorted: Vec<_> = links.into_iter().collect();
        sorted.sort_by_key(|&(node, _)| node);
        sorted
    }

    fn node(&self, place: [usize; 3], step: [isize; 3]) -> Option<u32> {
        let at = std::array::from_fn(|axis| place[axis] as isize + step[axis]);
        self.lattice.node(at)
    }

    fn is_whole(&self, a: u32, b: u32) -> bool {
        !self.broken.contains(&[a.min(b), a.max(b)])
    }

    /// The point with that key, made if there is none. `halves` is its place in halves of cells.
    fn point(
        &mut self,
        key: Key,
        halves: [usize; 3],
        shares: impl FnOnce(&Self) -> Vec<Share>,
    ) -> u32 {
        if let Some(&point) = self.points.get(&key) {
            return point;
        }
        let shares = shares(self);
        self.shares.extend(shares);
        self.ends.push(self.shares.len());
        self.coordinates.push(self.lattice.coordinates(halves));
        let point = (self.rest.len() + self.ends.len() - 1) as u32;
        self.points.insert(key, point);
        point
    }

    /// Where the link between the nodes at two places is cut, seen from the first.
    fn link_point(&mut self, from: [usize; 3], to: [usize; 3]) -> Option<u32> {
        let axis = (0..3).find(|&axis| from[axis] != to[axis])?;
        let low = std::array::from_fn(|d| from[d].min(to[d]));
        let (a, b) = (self.node(from, [0; 3])?, self.node(to, [0; 3])?);
        let mut halves = low.map(|place| 2 * place);
        halves[axis] += 1;
        if self.is_whole(a, b) {
            let (lower, upper) = if from == low { (a, b) } else { (b, a) };
            let key = Key::Link(lower, upper);
            return Some(self.point(key, halves, |builder| builder.middle(low, axis)));
        }
        Some(self.point(Key::End(a, b), halves, |builder| {
            let at = |node: u32| builder.rest[node as usize];
            let share = 0.5 + RAGGED * random(a.min(b), a.max(b));
            let share = if a < b { share } else { 1.0 - share };
            vec![Share {
                node: a,
                weight: 1.0,
                offset: share * (at(b) - at(a)),
            }]
        }))
    }

    /// The middle of a whole link: that of a cubic curve through its ends and the nodes beyond, as far
    /// as these are linked to it.
    fn middle(&self, low: [usize; 3], axis: usize) -> Vec<Share> {
        let along = |step: isize| {
            let mut by = [0; 3];
            by[axis] = step;
            self.node(low, by)
        };
        let (Some(a), Some(b)) = (along(0), along(1)) else {
            return Vec::new();
        };
        let before = along(-1).filter(|&node| node != b && self.is_whole(node, a));
        let after = along(2).filter(|&node| node != a && self.is_whole(b, node));
        let weights = match (before, after) {
            (Some(before), Some(after)) => {
                vec![(before, -1.0), (a, 9.0), (b, 9.0), (after, -1.0)]
            }
            (Some(before), None) => vec![(before, -2.0), (a, 12.0), (b, 6.0)],
            (None, Some(after)) => vec![(a, 6.0), (b, 12.0), (after, -2.0)],
            (None, None) => vec![(a, 8.0), (b, 8.0)],
        };
        let share = |(node, sixteenths): (u32, f64)| Share {
            node,
            weight: sixteenths / 16.0,
            offset: DVec3::ZERO,
        };
        weights.into_iter().map(share).collect()
    }

    fn corner(&self, face: Face, index: usize) -> [usize; 3] {
        let mut place = face.place;
        for (k, &axis) in face.axes.iter().enumerate() {
            place[axis] += AROUND[index][k];
        }
        place
    }

    /// The middle of a face as one of its corners sees it.
    fn face_point(&mut self, face: Face, corner: usize) -> Option<u32> {
        let mut nodes = [0; 4];
        for (index, node) in nodes.iter_mut().enumerate() {
            *node = self.node(self.corner(face, index), [0; 3])?;
        }
        let whole: [bool; 4] = std::array::from_fn(|k| self.is_whole(nodes[k], nodes[(k + 1) % 4]));
        let across = 3 - face.axes[0] - face.axes[1];
        let mut halves = face.place.map(|place| 2 * place);
        for axis in face.axes {
            halves[axis] += 1;
        }
        if whole == [true; 4] {
            let key = Key::Face(nodes[0], across, WHOLE);
            return Some(self.point(key, halves, |builder| builder.face_middle(face, nodes)));
        }
        let mut side = vec![nodes[corner]];
        for step in 0..3 {
            let k = (corner + step) % 4;
            if !whole[k] {
                break;
            }
            side.push(nodes[(k + 1) % 4]);
        }
        for step in 1..4 {
            let k = (corner + 4 - step) % 4;
            if !whole[k] {
                break;
            }
            side.push(nodes[k]);
        }
        let key = Key::Face(nodes[0], across, lowest(&side));
        Some(self.point(key, halves, |builder| {
            let salt = across as u32;
            let [u, v] = [0, 1].map(|k| 0.5 + RAGGED * random(nodes[0], 4 * salt + k));
            let at = |k: usize| builder.rest[nodes[k] as usize];
            let low = at(0).lerp(at(1), u);
            let place = low.lerp(at(3).lerp(at(2), u), v);
            builder.seen_from(&side, place)
        }))
    }

    /// The middle of a whole face, between the middles of its links.
    fn face_middle(&self, face: Face, nodes: [u32; 4]) -> Vec<Share> {
        let mut shares = Vec::new();
        for (k, &node) in nodes.iter().enumerate() {
            let (from, to) = (self.corner(face, k), self.corner(face, (k + 1) % 4));
            let low = std::array::from_fn(|d| from[d].min(to[d]));
            let axis = face.axes[k % 2];
            let half = self.middle(low, axis).into_iter().map(|share| Share {
                weight: 0.5 * share.weight,
                ..share
            });
            shares.extend(half);
            shares.push(Share {
                node,
                weight: -0.25,
                offset: DVec3::ZERO,
            });
        }
        shares
    }

    /// The middle of a cell as one of its corners sees it.
    fn cell_point(&mut self, cell: [usize; 3], corner: usize) -> Option<u32> {
        let mut nodes = [0; 8];
        for (bits, node) in nodes.iter_mut().enumerate() {
            *node = self.node(cell, steps(bits).map(|step| step as isize))?;
        }
        let mut reached = 1_u8 << corner;
        loop {
            let mut wider = reached;
            for bits in (0..8).filter(|bits| reached >> bits & 1 == 1) {
                for other in [bits ^ 1, bits ^ 2, bits ^ 4] {
                    if self.is_whole(nodes[bits], nodes[other]) {
                        wider |= 1 << other;
                    }
                }
            }
            if wider == reached {
                break;
            }
            reached = wider;
        }
        let side: Vec<u32> = (0..8)
            .filter(|bits| reached >> bits & 1 == 1)
            .map(|bits| nodes[bits])
            .collect();
        let halves = cell.map(|place| 2 * place + 1);
        let key = Key::Cell(nodes[0], lowest(&side));
        Some(self.point(key, halves, |builder| {
            let sum: DVec3 = nodes.iter().map(|&node| builder.rest[node as usize]).sum();
            builder.seen_from(&side, sum / 8.0)
        }))
    }

    /// A place of the rest shape, carried by nodes in equal shares.
    fn seen_from(&self, side: &[u32], place: DVec3) -> Vec<Share> {
        let share = |&node: &u32| Share {
            node,
            weight: 1.0 / side.len() as f64,
            offset: place - self.rest[node as usize],
        };
        side.iter().map(share).collect()
    }

    /// A face in quarters, one for each corner.
    fn add_face(&mut self, face: Face, reversed: bool) {
        for k in 0..4 {
            let [here, next, before] = [k, k + 1, k + 3].map(|k| self.corner(face, k % 4));
            let Some(node) = self.node(here, [0; 3]) else {
                continue;
            };
            if self.gone[node as usize] {
                continue;
            }
            let (Some(first), Some(middle), Some(last)) = (
                self.link_point(here, next),
                self.face_point(face, k),
                self.link_point(here, before),
            ) else {
                continue;
            };
            self.add_quad([node, first, middle, last], reversed);
        }
    }

    /// The faces of a cell at the ends of the grid.
    fn add_sides(&mut self, cell: [usize; 3]) {
        for axis in (0..3).filter(|&axis| !self.lattice.is_periodic(axis)) {
            let axes = [(axis + 1) % 3, (axis + 2) % 3];
            if cell[axis] == 0 {
                self.add_face(Face { place: cell, axes }, true);
            }
            if cell[axis] + 1 == self.lattice.cell_count(axis) {
                let mut place = cell;
                place[axis] += 1;
                self.add_face(Face { place, axes }, false);
            }
        }
    }

    /// The walls of a cell along its broken links, on both sides of each.
    fn add_walls(&mut self, cell: [usize; 3]) {
        for bits in 0..8_usize {
            for axis in 0..3 {
                let other = bits ^ (1 << axis);
                let [here, there] = [bits, other].map(|bits| {
                    let step = steps(bits);
                    std::array::from_fn::<usize, 3, _>(|d| cell[d] + step[d])
                });
                let (Some(a), Some(b)) = (self.node(here, [0; 3]), self.node(there, [0; 3])) else {
                    continue;
                };
                if !self.gone[a as usize] && !self.is_whole(a, b) {
                    self.add_wall(cell, bits, axis, [here, there]);
                }
            }
        }
    }

    fn add_wall(&mut self, cell: [usize; 3], bits: usize, axis: usize, link: [[usize; 3]; 2]) {
        let [u, v] = [(axis + 1) % 3, (axis + 2) % 3];
        // The face of the cell through the link and along `inward`.
        let mut through = |inward: usize, across: usize| {
            let axes = [axis.min(inward), axis.max(inward)];
            let mut place = cell;
            place[across] += bits >> across & 1;
            let here = axes.map(|axis| bits >> axis & 1);
            let corner = AROUND.iter().position(|&step| step == here)?;
            self.face_point(Face { place, axes }, corner)
        };
        let (Some(along_u), Some(along_v)) = (through(u, v), through(v, u)) else {
            return;
        };
        let (Some(end), Some(middle)) = (
            self.link_point(link[0], link[1]),
            self.cell_point(cell, bits),
        ) else {
            return;
        };
        // Outwards is towards the other end of the link.
        let turned = [u, v, axis]
            .iter()
            .filter(|&&axis| bits >> axis & 1 == 1)
            .count();
        self.add_quad([end, along_u, middle, along_v], turned % 2 == 1);
    }

    fn add_quad(&mut self, [a, b, c, d]: [u32; 4], reversed: bool) {
        if reversed {
            self.triangles.extend([[a, c, b], [a, d, c]]);
        } else {
            self.triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
}

/// The steps to a corner of a cell: one bit for each direction.
fn steps(bits: usize) -> [usize; 3] {
    std::array::from_fn(|axis| bits >> axis & 1)
}

fn lowest(nodes: &[u32]) -> u32 {
    nodes.iter().copied().min().unwrap_or(WHOLE)
}

/// A number between -1 and 1 that follows from two others.
fn random(a: u32, b: u32) -> f64 {
    let mut x = (u64::from(a) << 32 | u64::from(b)).wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ x >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ x >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((x ^ x >> 31) >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
