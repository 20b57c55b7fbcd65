//! Whether a triangle surface bounds a solid: closed, turned one way, no triangle twice or without
//! area, no two passing through each other. Each fault says where it is and what to do.

use super::triangle_crossing::crossing;
use super::triangle_tree::{Bounds, TriangleTree};
use crate::frame::TriangleMesh;
use glam::DVec3;
use std::fmt;
use thiserror::Error;

/// Faults of each kind that are listed; the others are counted only.
const LISTED: usize = 5;

/// One thing wrong with a surface. Triangles and vertices are counted from 0.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum SurfaceFault {
    #[error("the surface has no triangles")]
    NoTriangles,
    #[error(
        "triangle {triangle} names vertex {vertex}, but there are {vertex_count}; the file is damaged"
    )]
    NoSuchVertex {
        triangle: usize,
        vertex: u32,
        vertex_count: usize,
    },
    #[error("vertex {vertex} of triangle {triangle} has a position that is not finite")]
    NotFinite { triangle: usize, vertex: u32 },
    #[error("triangle {triangle} at {place} has no area: drop it or weld its vertices")]
    NoArea { triangle: usize, place: DVec3 },
    #[error("triangles {first} and {second} at {place} have the same corners: drop one")]
    Twice {
        first: usize,
        second: usize,
        place: DVec3,
    },
    #[error(
        "the edge from {from} to {to} belongs to triangle {triangle} only: \
         weld its vertices with others or fill the hole"
    )]
    Open {
        triangle: usize,
        from: DVec3,
        to: DVec3,
    },
    #[error(
        "the edge from {from} to {to} belongs to {triangles:?}: \
         part the pieces that meet there"
    )]
    Crowded {
        triangles: Vec<usize>,
        from: DVec3,
        to: DVec3,
    },
    #[error(
        "triangles {first} and {second} are turned opposite ways at the edge from {from} to {to}: \
         turn one"
    )]
    Turned {
        first: usize,
        second: usize,
        from: DVec3,
        to: DVec3,
    },
    #[error("triangles {first} and {second} pass through each other at {place}: part them")]
    Crossing {
        first: usize,
        second: usize,
        place: DVec3,
    },
    #[error("the surface is inside out (it encloses {volume} cubic metres): turn every triangle")]
    InsideOut { volume: f64 },
}

/// What was found on a surface.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceReport {
    /// The first few faults of each kind.
    pub faults: Vec<SurfaceFault>,
    /// Edges that belong to one triangle only.
    pub open_edges: usize,
    /// Edges that belong to more than two triangles.
    pub crowded_edges: usize,
    /// Edges between triangles that are turned opposite ways.
    pub turned_edges: usize,
    /// Triangles without area.
    pub without_area: usize,
    /// Triangles with the corners of an earlier one.
    pub twice: usize,
    /// Pairs of triangles that pass through each other; see [`SurfaceReport::MOST_CROSSINGS`].
    pub crossings: usize,
    /// Volume that the surface encloses, in cubic metres; it means something if the surface is
    /// closed and turned one way.
    pub volume: f64,
}

impl SurfaceReport {
    /// Once so many pairs of triangles that pass through each other are found, no more are looked for: a
    /// heap of triangles has as many as the square of their number.
    pub const MOST_CROSSINGS: usize = 10_000;

    /// Whether nothing is wrong.
    pub fn is_sound(&self) -> bool {
        self.faults.is_empty()
    }

    /// Whether the surface has an inside, although triangles may pass through each other.
    pub fn is_closed(&self) -> bool {
        let crossing = |fault: &SurfaceFault| matches!(fault, SurfaceFault::Crossing { .. });
        self.faults.iter().all(crossing)
    }
}

impl fmt::Display for SurfaceReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_sound() {
            return write!(f, "the surface is sound");
        }
        for (count, what) in [
            (self.without_area, "triangles without area"),
            (self.twice, "triangles twice"),
            (self.open_edges, "open edges"),
            (self.crowded_edges, "edges of more than two triangles"),
            (self.turned_edges, "edges between opposite turns"),
            (self.crossings, "pairs that pass through each other"),
        ] {
            if count > 0 {
                writeln!(f, "{count} {what}")?;
            }
        }
        self.faults
            .iter()
            .try_for_each(|fault| writeln!(f, "- {fault}"))
    }
}

/// Looks for everything that keeps a surface from bounding a solid.
pub fn check_surface(surface: &TriangleMesh) -> SurfaceReport {
    let mut report = check_closed(surface);
    let unusable = |fault: &SurfaceFault| {
        matches!(
            fault,
            SurfaceFault::NoTriangles
                | SurfaceFault::NoSuchVertex { .. }
                | SurfaceFault::NotFinite { .. }
        )
    };
    if !report.faults.iter().any(unusable) {
        find_crossings(surface, &mut report);
    }
    report
}

/// As [`check_surface`], without the search for triangles that pass through each other, which
/// takes most of its time.
pub fn check_closed(surface: &TriangleMesh) -> SurfaceReport {
    let mut report = SurfaceReport::default();
    check_indices(surface, &mut report);
    if !report.is_sound() {
        return report;
    }
    find_bad_triangles(surface, &mut report);
    find_bad_edges(surface, &mut report);
    report.volume = super::enclosed_volume(surface);
    let closed = report.open_edges + report.crowded_edges + report.turned_edges == 0;
    if closed && report.volume < 0.0 {
        let volume = report.volume;
        report.faults.push(SurfaceFault::InsideOut { volume });
    }
    report
}

fn check_indices(surface: &TriangleMesh, report: &mut SurfaceReport) {
    if surface.triangles.is_empty() {
        report.faults.push(SurfaceFault::NoTriangles);
    }
    let vertex_count = surface.positions.len();
    for (triangle, corners) in surface.triangles.iter().enumerate() {
        for &vertex in corners {
            if report.faults.len() == LISTED {
                return;
            }
            match surface.positions.get(vertex as usize) {
                None => report.faults.push(SurfaceFault::NoSuchVertex {
                    triangle,
                    vertex,
                    vertex_count,
                }),
                Some(x) if !x.is_finite() => {
                    let fault = SurfaceFault::NotFinite { triangle, vertex };
                    report.faults.push(fault);
                }
                Some(_) => {}
            }
        }
    }
}

/// Counts a fault and lists it if it is among the first of its kind.
fn note(count: &mut usize, faults: &mut Vec<SurfaceFault>, fault: impl FnOnce() -> SurfaceFault) {
    *count += 1;
    if *count <= LISTED {
        faults.push(fault());
    }
}

pub(super) fn corners(surface: &TriangleMesh, triangle: usize) -> [DVec3; 3] {
    surface.triangles[triangle].map(|vertex| surface.positions[vertex as usize])
}

/// Whether a triangle has no area to speak of, beside the square of its longest edge.
pub(super) fn has_no_area([a, b, c]: [DVec3; 3]) -> bool {
    let longest = (b - a).length_squared();
    let longest = longest.max((c - b).length_squared());
    let longest = longest.max((a - c).length_squared());
    (b - a).cross(c - a).length() <= 1e-12 * longest
}

fn find_bad_triangles(surface: &TriangleMesh, report: &mut SurfaceReport) {
    let place = |triangle: usize| corners(surface, triangle).iter().sum::<DVec3>() / 3.0;
    let mut sorted: Vec<([u32; 3], usize)> = Vec::with_capacity(surface.triangles.len());
    for (triangle, &vertices) in surface.triangles.iter().enumerate() {
        if has_no_area(corners(surface, triangle)) {
            note(&mut report.without_area, &mut report.faults, || {
                let place = place(triangle);
                SurfaceFault::NoArea { triangle, place }
            });
        }
        let mut key = vertices;
        key.sort_unstable();
        sorted.push((key, triangle));
    }
    sorted.sort_unstable();
    for pair in sorted.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let (first, second) = (pair[0].1, pair[1].1);
        note(&mut report.twice, &mut report.faults, || {
            SurfaceFault::Twice {
                first,
                second,
                place: place(first),
            }
        });
    }
}

/// A side of a triangle: the edge, lower vertex first, the triangle, and whether the triangle runs
/// from the lower to the higher.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Side {
    pub edge: [u32; 2],
    pub triangle: usize,
    pub rises: bool,
}

/// Every side of every triangle; the sides of an edge stand side by side.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<Side> {
    let mut sides: Vec<Side> = Vec::with_capacity(3 * triangles.len());
    for (triangle, corners) in triangles.iter().enumerate() {
        for corner in 0..3 {
            let (a, b) = (corners[corner], corners[(corner + 1) % 3]);
            sides.push(Side {
                edge: [a.min(b), a.max(b)],
                triangle,
                rises: a < b,
            });
        }
    }
    sides.sort_unstable();
    sides
}

fn find_bad_edges(surface: &TriangleMesh, report: &mut SurfaceReport) {
    let sides = sides(&surface.triangles);
    let mut open = Vec::new();
    for group in sides.chunk_by(|a, b| a.edge == b.edge) {
        let [from, to] = group[0].edge.map(|v| surface.positions[v as usize]);
        match group {
            [side] => open.push(*side),
            [a, b] if a.rises == b.rises => {
                note(&mut report.turned_edges, &mut report.faults, || {
                    SurfaceFault::Turned {
                        first: a.triangle,
                        second: b.triangle,
                        from,
                        to,
                    }
                });
            }
            [_, _] => {}
            many => note(&mut report.crowded_edges, &mut report.faults, || {
                SurfaceFault::Crowded {
                    triangles: many.iter().map(|side| side.triangle).collect(),
                    from,
                    to,
                }
            }),
        }
    }
    for side in open {
        let [mut from, mut to] = side.edge.map(|v| surface.positions[v as usize]);
        if !side.rises {
            std::mem::swap(&mut from, &mut to);
        }
        let triangle = side.triangle;
        note(&mut report.open_edges, &mut report.faults, || {
            SurfaceFault::Open { triangle, from, to }
        });
    }
}

fn find_crossings(surface: &TriangleMesh, report: &mut SurfaceReport) {
    let triangles: Vec<[DVec3; 3]> = (0..surface.triangles.len())
        .map(|triangle| corners(surface, triangle))
        .collect();
    let tree = TriangleTree::new(&triangles);
    let mut seconds = Vec::new();
    for (first, triangle) in triangles.iter().enumerate() {
        if report.crossings >= SurfaceReport::MOST_CROSSINGS {
            return;
        }
        seconds.clear();
        tree.overlapping(&Bounds::of(triangle), |second| {
            if second > first {
                seconds.push(second);
            }
            true
        });
        seconds.sort_unstable();
        for &second in &seconds {
            let indices = [surface.triangles[first], surface.triangles[second]];
            if let Some(place) = crossing([*triangle, triangles[second]], indices) {
                note(&mut report.crossings, &mut report.faults, || {
                    SurfaceFault::Crossing {
                        first,
                        second,
                        place,
                    }
                });
            }
        }
    }
}

#[cfg(test)]
#[path = "surface_check_tests.rs"]
mod tests;
