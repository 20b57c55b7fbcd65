//! Mends a triangle surface so that it bounds a solid, and says what it did.

use super::boundary::connected;
use super::hole_filling::fill_holes;
use super::surface_check::{corners, has_no_area, sides};
use super::triangle_tree::Bounds;
use crate::frame::TriangleMesh;
use glam::DVec3;
use std::collections::{HashMap, HashSet};
use std::f64::consts::TAU;
use std::fmt;

/// How far a repair may go.
#[derive(Clone, Debug, PartialEq)]
pub struct RepairOptions {
    /// Vertices nearer than this become one, in metres; without a value, a millionth of the
    /// surface's diagonal.
    pub weld_distance: Option<f64>,
    /// Pieces whose box has a diagonal shorter than this part of the surface's are dropped.
    pub smallest_piece: f64,
    /// Whether holes are filled.
    pub fill_holes: bool,
}

impl Default for RepairOptions {
    fn default() -> Self {
        Self {
            weld_distance: None,
            smallest_piece: 0.01,
            fill_holes: true,
        }
    }
}

/// One thing that a repair did.
#[derive(Clone, Debug, PartialEq)]
#[allow(missing_docs)]
pub enum Repair {
    /// Triangles that named vertices that do not exist or have no finite position were dropped.
    DroppedDamaged { triangles: usize },
    /// Vertices within `distance` metres of an earlier one became it.
    Welded { vertices: usize, distance: f64 },
    /// Triangles without area were dropped.
    DroppedWithoutArea { triangles: usize },
    /// Triangles with the corners of an earlier one were dropped.
    DroppedTwice { triangles: usize },
    /// A piece that is too small was dropped.
    DroppedPiece { triangles: usize, place: DVec3 },
    /// A hole was filled.
    FilledHole { edges: usize, place: DVec3 },
    /// Triangles were turned so that all face outwards.
    Turned { triangles: usize },
    /// Vertices that nothing uses were dropped.
    DroppedVertices { vertices: usize },
}

impl fmt::Display for Repair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DroppedDamaged { triangles } => {
                write!(f, "dropped {triangles} damaged triangles")
            }
            Self::Welded { vertices, distance } => {
                write!(
                    f,
                    "welded {vertices} vertices to others within {distance:.3e} m"
                )
            }
            Self::DroppedWithoutArea { triangles } => {
                write!(f, "dropped {triangles} triangles without area")
            }
            Self::DroppedTwice { triangles } => {
                write!(f, "dropped {triangles} triangles that were there twice")
            }
            Self::DroppedPiece { triangles, place } => {
                write!(f, "dropped a piece of {triangles} triangles at {place}")
            }
            Self::FilledHole { edges, place } => {
                write!(f, "filled a hole of {edges} edges at {place}")
            }
            Self::Turned { triangles } => {
                write!(f, "turned {triangles} triangles to face outwards")
            }
            Self::DroppedVertices { vertices } => write!(f, "dropped {vertices} unused vertices"),
        }
    }
}

/// Mends a surface in place, as far as that is possible without moving it: triangles that pass
/// through each other and edges of more than two triangles stay. Returns what was done, in order.
pub fn repair(surface: &mut TriangleMesh, options: &RepairOptions) -> Vec<Repair> {
    let mut done = Vec::new();
    let count = drop_triangles(surface, |surface, triangle| {
        let vertices = surface.triangles[triangle].iter();
        let mut positions = vertices.map(|&vertex| surface.positions.get(vertex as usize));
        !positions.all(|x| x.is_some_and(|x| x.is_finite()))
    });
    push(&mut done, count, |triangles| Repair::DroppedDamaged {
        triangles,
    });
    let diagonal = diagonal(
        surface
            .triangles
            .iter()
            .flatten()
            .map(|&v| surface.positions[v as usize]),
    );
    let distance = options.weld_distance.unwrap_or(1e-6 * diagonal);
    let count = weld(surface, distance);
    push(&mut done, count, |vertices| Repair::Welded {
        vertices,
        distance,
    });
    let count = drop_triangles(surface, |surface, triangle| {
        let [a, b, c] = surface.triangles[triangle];
        a == b || b == c || c == a || has_no_area(corners(surface, triangle))
    });
    push(&mut done, count, |triangles| Repair::DroppedWithoutArea {
        triangles,
    });
    let mut seen = HashSet::new();
    let count = drop_triangles(surface, |surface, triangle| {
        let mut key = surface.triangles[triangle];
        key.sort_unstable();
        !seen.insert(key)
    });
    push(&mut done, count, |triangles| Repair::DroppedTwice {
        triangles,
    });
    drop_small_pieces(surface, options.smallest_piece * diagonal, &mut done);
    let before = surface.triangles.len();
    let mut turned = turn_alike(&mut surface.triangles);
    if options.fill_holes {
        done.extend(fill_holes(surface));
    }
    turned.resize(surface.triangles.len(), false);
    turn_outwards(surface, &mut turned);
    let count = turned[..before].iter().filter(|turned| **turned).count();
    push(&mut done, count, |triangles| Repair::Turned { triangles });
    let count = drop_unused(surface);
    push(&mut done, count, |vertices| Repair::DroppedVertices {
        vertices,
    });
    done
}

fn push(done: &mut Vec<Repair>, count: usize, repair: impl FnOnce(usize) -> Repair) {
    if count > 0 {
        done.push(repair(count));
    }
}

fn diagonal(points: impl Iterator<Item = DVec3>) -> f64 {
    let none = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (lowest, highest) = points.fold(none, |b, x| (b.0.min(x), b.1.max(x)));
    (highest - lowest).max(DVec3::ZERO).length()
}

/// Drops triangles and says how many.
fn drop_triangles(
    surface: &mut TriangleMesh,
    mut bad: impl FnMut(&TriangleMesh, usize) -> bool,
) -> usize {
    let before = surface.triangles.len();
    let kept = (0..before).filter(|&triangle| !bad(surface, triangle));
    let kept: Vec<[u32; 3]> = kept.map(|triangle| surface.triangles[triangle]).collect();
    surface.triangles = kept;
    before - surface.triangles.len()
}

/// Makes vertices within `distance` of an earlier one that one, by a grid of cells of that size.
fn weld(surface: &mut TriangleMesh, distance: f64) -> usize {
    let cell = |x: DVec3| {
        let size = if distance > 0.0 { distance } else { 1.0 };
        (x / size)
            .floor()
            .to_array()
            .map(|i| i.clamp(-1e15, 1e15) as i64)
    };
    let mut used = vec![false; surface.positions.len()];
    let vertices = surface.triangles.iter().flatten();
    vertices.for_each(|&vertex| used[vertex as usize] = true);
    let mut cells: HashMap<[i64; 3], Vec<u32>> = HashMap::new();
    let mut becomes: Vec<u32> = (0..surface.positions.len() as u32).collect();
    let mut welded = 0;
    for (vertex, &x) in surface.positions.iter().enumerate() {
        if !used[vertex] {
            continue;
        }
        let [i, j, k] = cell(x);
        let around = (0..27).map(|n| [i + n % 3 - 1, j + n / 3 % 3 - 1, k + n / 9 - 1]);
        let earlier = around
            .filter_map(|cell| cells.get(&cell))
            .flatten()
            .copied()
            .filter(|&other| surface.positions[other as usize].distance(x) <= distance)
            .min();
        match earlier {
            Some(other) => {
                becomes[vertex] = other;
                welded += 1;
            }
            None => cells.entry([i, j, k]).or_default().push(vertex as u32),
        }
    }
    for vertex in surface.triangles.iter_mut().flatten() {
        *vertex = becomes[*vertex as usize];
    }
    welded
}

/// The triangles of each piece.
fn pieces(surface: &TriangleMesh) -> Vec<Vec<usize>> {
    let groups = surface.triangles.iter().map(|triangle| &triangle[..]);
    let found = connected(surface.positions.len(), groups);
    let mut pieces = vec![Vec::new(); found.count];
    for (triangle, vertices) in surface.triangles.iter().enumerate() {
        if let Some(piece) = found.of_node[vertices[0] as usize] {
            pieces[piece as usize].push(triangle);
        }
    }
    pieces
}

fn drop_small_pieces(surface: &mut TriangleMesh, smallest: f64, done: &mut Vec<Repair>) {
    let mut small = vec![false; surface.triangles.len()];
    for piece in pieces(surface) {
        let places = piece.iter().flat_map(|&t| corners(surface, t));
        let points: Vec<DVec3> = places.collect();
        if diagonal(points.iter().copied()) < smallest {
            piece.iter().for_each(|&triangle| small[triangle] = true);
            done.push(Repair::DroppedPiece {
                triangles: piece.len(),
                place: points.iter().sum::<DVec3>() / points.len() as f64,
            });
        }
    }
    drop_triangles(surface, |_, triangle| small[triangle]);
}

/// Turns triangles so that neighbours agree, piece by piece; says which were turned.
fn turn_alike(triangles: &mut [[u32; 3]]) -> Vec<bool> {
    let sides = sides(triangles);
    let mut neighbours: Vec<Vec<(usize, bool)>> = vec![Vec::new(); triangles.len()];
    for group in sides.chunk_by(|a, b| a.edge == b.edge) {
        if let [a, b] = group {
            let alike = a.rises != b.rises;
            neighbours[a.triangle].push((b.triangle, alike));
            neighbours[b.triangle].push((a.triangle, alike));
        }
    }
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut waiting = Vec::new();
    for first in 0..triangles.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        waiting.push(first);
        while let Some(triangle) = waiting.pop() {
            let is_turned = turned[triangle] == Some(true);
            for &(other, alike) in &neighbours[triangle] {
                if turned[other].is_none() {
                    turned[other] = Some(is_turned == alike);
                    waiting.push(other);
                }
            }
        }
    }
    let turned: Vec<bool> = turned.into_iter().map(|turn| turn == Some(true)).collect();
    for (triangle, _) in triangles
        .iter_mut()
        .zip(&turned)
        .filter(|(_, turned)| **turned)
    {
        triangle.swap(1, 2);
    }
    turned
}

/// Turns whole pieces so that outer ones face outwards and those within another, which bound a
/// cavity, inwards.
fn turn_outwards(surface: &mut TriangleMesh, turned: &mut [bool]) {
    let pieces = pieces(surface);
    let boxes: Vec<Bounds> = pieces
        .iter()
        .map(|piece| {
            let points = piece.iter().flat_map(|&t| corners(surface, t));
            Bounds::of(&points.collect::<Vec<DVec3>>())
        })
        .collect();
    let mut wrong = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let start = corners(surface, piece[0])[0];
        let volume: f64 = piece
            .iter()
            .map(|&triangle| {
                let [a, b, c] = corners(surface, triangle).map(|x| x - start);
                a.dot(b.cross(c))
            })
            .sum();
        // A point inside a piece sees it all round, one outside as nothing in sum.
        let depth = (0..pieces.len())
            .filter(|&other| other != index && boxes[other].holds(start))
            .filter(|&other| solid_angle(surface, &pieces[other], start).abs() > TAU)
            .count();
        if (volume < 0.0) != (depth % 2 == 1) {
            wrong.extend_from_slice(piece);
        }
    }
    for triangle in wrong {
        surface.triangles[triangle].swap(1, 2);
        turned[triangle] = !turned[triangle];
    }
}

/// The solid angle that triangles fill as seen from `p`: 4π all round.
fn solid_angle(surface: &TriangleMesh, triangles: &[usize], p: DVec3) -> f64 {
    let angles = triangles.iter().map(|&triangle| {
        let [a, b, c] = corners(surface, triangle).map(|x| x - p);
        let (la, lb, lc) = (a.length(), b.length(), c.length());
        let below = la * lb * lc + a.dot(b) * lc + b.dot(c) * la + c.dot(a) * lb;
        2.0 * a.dot(b.cross(c)).atan2(below)
    });
    angles.sum()
}

fn drop_unused(surface: &mut TriangleMesh) -> usize {
    let mut number = vec![u32::MAX; surface.positions.len()];
    let vertices = surface.triangles.iter().flatten();
    vertices.for_each(|&vertex| number[vertex as usize] = 0);
    let mut kept = Vec::new();
    for (vertex, number) in number.iter_mut().enumerate() {
        if *number == 0 {
            *number = kept.len() as u32;
            kept.push(surface.positions[vertex]);
        }
    }
    let vertices = surface.triangles.iter_mut().flatten();
    vertices.for_each(|vertex| *vertex = number[*vertex as usize]);
    let dropped = surface.positions.len() - kept.len();
    surface.positions = kept;
    dropped
}
