//! Surfaces woven of threads: warp and weft in two shades, alternately over and under.
//!
//! ```text
//! height of warp thread i at weft y   a (-1)^i cos π (y - ½)
//! height of weft thread j at warp x  -a (-1)^j cos π (x - ½)
//! ```
//!
//! x and y count threads. At a crossing one thread is at its highest where the other is at its
//! lowest; between crossings, where cells meet, both are level. Each cell is woven for itself from
//! what it shares with its neighbours, so threads run on from cell to cell and fray at a tear.

use super::cells::Cell;
use super::coloring::Coloring;
use super::frayed::{End, Patch, torn_patches};
use super::surface::SurfacePlan;
use super::{Subject, shaded};
use crate::color_map::{Color, mix, scaled};
use crate::draw_list::{DrawList, Mesh, Paint, Shading};
use glam::Vec3;
use rayon::prelude::*;
use std::collections::HashSet;
use std::f32::consts::{PI, TAU};

/// Threads along the diagonal of a body, about: coarser grids have several threads a cell.
const THREADS: f64 = 80.0;
const MOST_PER_CELL: f64 = 8.0;
/// Half the width and height of a thread and its rise at a crossing, in distances of threads.
const HALF_WIDTH: f32 = 0.44;
const HALF_HEIGHT: f32 = 0.2;
const RISE: f32 = 0.2;
/// Up to these numbers of crossings: pieces of a thread from crossing to crossing, and its sides.
const DETAIL: [(usize, usize, usize); 3] = [(2_000, 4, 6), (5_000, 2, 6), (usize::MAX, 2, 4)];

/// Adds a body to the list.
pub fn draw(subject: &mut Subject, list: &mut DrawList) {
    let plan = subject.memory.surface(&subject.body.topology);
    let cells = subject.memory.cells(&subject.body.topology);
    if cells.is_empty() {
        shaded::draw(subject, list);
        return;
    }
    let mesh = plan.mesh(&subject.body.positions, subject.origin);
    let mut patches: Vec<Patch> = cells
        .iter()
        .map(|cell| whole_patch(cell, &plan, &mesh))
        .filter(Patch::is_there)
        .collect();
    let tears = subject.memory.tears();
    let torn = tears.is_some();
    if let Some((tears, rest)) = tears {
        let body = subject.body;
        patches.extend(torn_patches(
            body,
            rest,
            &tears,
            &plan,
            &mesh,
            subject.origin,
        ));
    }
    let per_cell = threads_per_cell(subject.memory.spacing, subject.memory.size);
    let is_whole = |patch: &&Patch| patch.part.is_none();
    let places = patches.iter().filter(is_whole);
    let cloth = Cloth {
        whole: places.map(|patch| [patch.column, patch.row]).collect(),
        coloring: &subject.coloring,
        finish: subject.body.appearance.finish,
        per_cell,
        // There are about as many cells as nodes, whose number does not change where cloth tears.
        detail: detail(subject.body.positions.len() * per_cell * per_cell),
        rise: subject.memory.spacing as f32,
    };
    for warp in [true, false] {
        list.meshes.push(cloth.weave(&patches, warp));
    }
    if !torn {
        shaded::add_curves(subject, list);
        super::blob::add_blob(subject, &subject.body.topology.points, list);
    }
}

/// A cell that has lost nothing.
fn whole_patch(cell: &Cell, plan: &SurfacePlan, mesh: &Mesh) -> Patch {
    Patch {
        positions: cell
            .vertices
            .map(|v| Vec3::from(mesh.positions[v as usize])),
        normals: cell.vertices.map(|v| Vec3::from(mesh.normals[v as usize])),
        textures: cell.vertices.map(|v| plan.texture_coordinates[v as usize]),
        nodes: cell.vertices.map(|v| plan.nodes[v as usize]),
        column: cell.column,
        row: cell.row,
        part: None,
    }
}

impl Patch {
    /// Whether its corners are not all at one place: those that are nowhere have been put there.
    fn is_there(&self) -> bool {
        let [a, b, c, d] = self.positions;
        (a - c).length_squared() > 0.0 || (b - d).length_squared() > 0.0
    }

    /// From where to where a thread runs, as shares of the way through the cell; `None` if there is
    /// no such thread. `lane` is where it lies across, `number` tells it from others.
    fn extent(&self, warp: bool, lane: f32, number: i64) -> Option<[f32; 2]> {
        let Some(part) = self.part else {
            return Some([0.0, 1.0]);
        };
        if part.warp != warp || part.upper != (lane > 0.5) {
            return None;
        }
        let Some(torn) = part.torn else {
            return Some([0.0, 1.0]);
        };
        let seed = number as f32 * 0.618 + (torn == End::Low) as u8 as f32 * 0.37;
        let length = 0.2 + 0.5 * seed.rem_euclid(1.0);
        Some(match torn {
            End::High => [0.0, length],
            End::Low => [1.0 - length, 1.0],
        })
    }
}

fn threads_per_cell(spacing: f64, size: f64) -> usize {
    (THREADS * spacing / size).round().clamp(1.0, MOST_PER_CELL) as usize
}

/// Pieces from crossing to crossing and sides of threads, for a number of crossings.
fn detail(crossings: usize) -> [usize; 2] {
    let found = DETAIL.iter().find(|detail| crossings <= detail.0);
    let (_, pieces, sides) = *found.unwrap_or(&DETAIL[2]);
    [pieces, sides]
}

struct Cloth<'a> {
    /// Column and row of the cells that have lost nothing.
    whole: HashSet<[i64; 2]>,
    coloring: &'a Coloring,
    finish: Option<pliant::frame::Finish>,
    /// Threads in a cell, in either direction.
    per_cell: usize,
    /// Pieces from crossing to crossing, and sides.
    detail: [usize; 2],
    /// Width of a cell at rest, in metres.
    rise: f32,
}

/// What a cell is at one of its points.
struct Spot {
    position: Vec3,
    normal: Vec3,
    /// How the place changes across the thread, over one cell.
    across: Vec3,
    color: Color,
}

impl Cloth<'_> {
    /// All threads of one direction: warp runs along the second direction, weft along the first.
    fn weave(&self, patches: &[Patch], warp: bool) -> Mesh {
        let parts: Vec<Mesh> = patches
            .par_chunks(128)
            .map(|some| {
                let mut part = Mesh::default();
                for patch in some {
                    for thread in 0..self.per_cell {
                        self.add_thread(&mut part, patch, thread, warp);
                    }
                }
                part
            })
            .collect();
        let mut mesh = joined(parts);
        mesh.paint = match self.coloring {
            Coloring::Plain(color) => Paint::Color(shade(*color, warp)),
            _ => Paint::Vertices,
        };
        mesh.shading = Shading {
            closed: true,
            two_sided: false,
            lift: shaded::BODY_LIFT,
            ..super::finish::shading(self.finish, super::finish::SHEET, 1.0)
        };
        mesh
    }

    fn add_thread(&self, mesh: &mut Mesh, cell: &Patch, thread: usize, warp: bool) {
        let [pieces, sides] = self.detail;
        let per_cell = self.per_cell as i64;
        let lane = (thread as f32 + 0.5) / self.per_cell as f32;
        let (number, other) = if warp {
            (cell.column * per_cell + thread as i64, cell.row * per_cell)
        } else {
            (cell.row * per_cell + thread as i64, cell.column * per_cell)
        };
        let Some([start, end]) = cell.extent(warp, lane, number + 31 * other) else {
            return;
        };
        let sign = if (number % 2 == 0) == warp { 1.0 } else { -1.0 };
        let steps = pieces * self.per_cell;
        let first = mesh.positions.len() as u32;
        let unit = self.rise / self.per_cell as f32;
        let plain = matches!(self.coloring, Coloring::Plain(_));
        let turn = |k: usize| (TAU * k as f32 / sides as f32).sin_cos();
        let around: Vec<(f32, f32)> = (0..sides).map(turn).collect();
        for step in 0..=steps {
            let share = start + (end - start) * step as f32 / steps as f32;
            let spot = if warp {
                self.spot(cell, lane, share, warp)
            } else {
                self.spot(cell, share, lane, warp)
            };
            // The parity of the first crossing is all that is needed of its number.
            let crossing = (other % 2) as f32 + share * self.per_cell as f32;
            let height = RISE * unit * sign * (PI * (crossing - 0.5)).cos();
            let center = spot.position + height * spot.normal;
            let side = HALF_WIDTH / self.per_cell as f32 * spot.across;
            let up = HALF_HEIGHT * unit * spot.normal;
            let steep = |half: Vec3| half.normalize_or_zero() / half.length().max(1e-12);
            let (steep_side, steep_up) = (steep(side), steep(up));
            for &(sine, cosine) in &around {
                let out = cosine * steep_side + sine * steep_up;
                let place = center + cosine * side + sine * up;
                mesh.positions.push(place.to_array());
                mesh.normals.push(out.normalize_or(spot.normal).to_array());
                if !plain {
                    mesh.colors.push(shade(spot.color, warp));
                }
            }
        }
        for (end, step) in [(End::Low, 0), (End::High, steps)] {
            if !self.runs_on(cell, warp, end) {
                add_cap(mesh, first + (step * sides) as u32, sides, end, warp);
            }
        }
        for step in 0..steps as u32 {
            for k in 0..sides as u32 {
                let ring = first + step * sides as u32;
                let (here, next) = (ring + k, ring + (k + 1) % sides as u32);
                let (above, diagonal) = (here + sides as u32, next + sides as u32);
                if warp {
                    mesh.triangles
                        .extend([[here, diagonal, next], [here, above, diagonal]]);
                } else {
                    mesh.triangles
                        .extend([[here, next, diagonal], [here, diagonal, above]]);
                }
            }
        }
    }

    /// Whether the threads of a cell go on in the next one, ring by ring.
    fn runs_on(&self, cell: &Patch, warp: bool, end: End) -> bool {
        let step = if end == End::Low { -1 } else { 1 };
        let next = match warp {
            true => [cell.column, cell.row + step],
            false => [cell.column + step, cell.row],
        };
        cell.part.is_none() && self.whole.contains(&next)
    }

    /// The cell at shares u and v of its directions.
    fn spot(&self, cell: &Patch, u: f32, v: f32, warp: bool) -> Spot {
        let weights = [(1.0 - u) * (1.0 - v), u * (1.0 - v), u * v, (1.0 - u) * v];
        let blend = |corners: [Vec3; 4]| -> Vec3 { (0..4).map(|k| weights[k] * corners[k]).sum() };
        let [a, b, c, d] = cell.positions;
        let across = if warp {
            (1.0 - v) * (b - a) + v * (c - d)
        } else {
            (1.0 - u) * (d - a) + u * (c - b)
        };
        let color = match self.coloring {
            Coloring::Plain(color) => *color,
            Coloring::Texture(_) => {
                let at = |axis: usize| (0..4).map(|k| weights[k] * cell.textures[k][axis]).sum();
                self.coloring.at(0, [at(0), at(1)])
            }
            Coloring::Nodes(_) => {
                let colors = cell.nodes.map(|node| self.coloring.at(node, [0.0; 2]));
                std::array::from_fn(|d| (0..4).map(|k| weights[k] * colors[k][d]).sum())
            }
        };
        Spot {
            position: blend(cell.positions),
            normal: blend(cell.normals).normalize_or(Vec3::Z),
            across,
            color,
        }
    }
}

/// Closes an end of a thread, whose last ring begins at a vertex: no one ever looks into it.
fn add_cap(mesh: &mut Mesh, ring: u32, sides: usize, end: End, warp: bool) {
    let first = mesh.positions.len() as u32;
    let ring = ring as usize..ring as usize + sides;
    // Rings of the warp run round against its direction, those of the weft with it.
    let is_turned = (end == End::Low) != warp;
    let [a, b, c] =
        [0, sides / 3, 2 * sides / 3].map(|corner| Vec3::from(mesh.positions[ring.start + corner]));
    let out = (b - a).cross(c - a).normalize_or(Vec3::Z);
    let out = if is_turned { -out } else { out };
    mesh.positions.extend_from_within(ring.clone());
    mesh.normals.extend(ring.clone().map(|_| out.to_array()));
    if !mesh.colors.is_empty() {
        mesh.colors.extend_from_within(ring);
    }
    for k in first + 1..first + sides as u32 - 1 {
        let [next, last] = if is_turned { [k + 1, k] } else { [k, k + 1] };
        mesh.triangles.push([first, next, last]);
    }
}

fn joined(parts: Vec<Mesh>) -> Mesh {
    let mut whole = Mesh::default();
    for part in parts {
        let first = whole.positions.len() as u32;
        whole.positions.extend(part.positions);
        whole.normals.extend(part.normals);
        whole.colors.extend(part.colors);
        let shifted = part.triangles.into_iter().map(|t| t.map(|v| v + first));
        whole.triangles.extend(shifted);
    }
    whole
}

fn shade(color: Color, warp: bool) -> Color {
    if warp {
        mix(color, [1.0; 3], 0.1)
    } else {
        scaled(color, 0.62)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stylist::Stylist;
    use crate::stylist::test_frames::sheet;
    use crate::{Look, TextureStore};
    use std::sync::Arc;

    fn woven(frame: &pliant::Frame) -> DrawList {
        Stylist::new(Look::Threads.into(), TextureStore::default())
            .list(frame)
            .unwrap()
    }

    #[test]
    fn each_cell_has_its_threads_and_cells_without_triangles_have_none() {
        let mut frame = sheet(11, 11);
        // 80 threads on a diagonal of 14.1 spacings: 6 a cell.
        assert_eq!(threads_per_cell(0.1, 2.0_f64.sqrt()), 6);
        let whole = woven(&frame);
        assert_eq!(whole.meshes.len(), 2);
        let per_cell = 6 * (2 * 6) * 6 * 2;
        // Four triangles close each end of a thread of six sides: 60 threads have two.
        let caps = 60 * 2 * 4;
        assert_eq!(whole.meshes[0].triangles.len(), 100 * per_cell + caps);
        let mut topology = (*frame.bodies[0].topology).clone();
        topology.triangles.drain(20..26);
        frame.bodies[0].topology = Arc::new(topology);
        let torn = woven(&frame);
        // The cells lie side by side: each has ends of its own in the warp, all together in the weft.
        let more = |holes: usize| caps + holes * 6 * 2 * 4;
        assert_eq!(torn.meshes[0].triangles.len(), 97 * per_cell + more(3));
        assert_eq!(torn.meshes[1].triangles.len(), 97 * per_cell + more(0));
    }

    #[test]
    fn threads_fray_where_a_link_is_broken_and_nothing_spans_the_tear() {
        let grid = pliant::Grid::new(&[6, 4], &[false; 2]);
        let topology = pliant::grid::torn_topology(&grid, &|node, direction| {
            direction == 0 && grid.coordinates(node)[0] == 2
        });
        let mut frame = sheet(6, 4);
        let whole = woven(&frame);
        // The shape before the tear is known from the first frame.
        let mut stylist = Stylist::new(Look::Threads.into(), TextureStore::default());
        stylist.list(&frame).unwrap();
        frame.bodies[0].topology = Arc::new(topology);
        for position in &mut frame.bodies[0].positions {
            if position.x > 0.5 {
                position.x += 2.0;
            }
        }
        let torn = stylist.list(&frame).unwrap();
        // The warp runs along the tear: all of it is left, and closed. The weft ends in it.
        let least = whole.meshes[0].triangles.len();
        let caps = 4 * 2 * 3 * threads_per_cell(0.2, 1.0_f64.hypot(0.6));
        assert!((least..=least + caps).contains(&torn.meshes[0].triangles.len()));
        assert!(torn.meshes[1].triangles.len() > whole.meshes[1].triangles.len());
        for mesh in &torn.meshes {
            for triangle in &mesh.triangles {
                let [a, b, c] = triangle.map(|v| Vec3::from(mesh.positions[v as usize]));
                let longest = (a - b).length().max((b - c).length()).max((c - a).length());
                assert!(longest < 0.2, "{longest}");
            }
        }
    }

    #[test]
    fn threads_are_closed() {
        // Each edge belongs to two triangles that run along it in opposite directions, or to a ring
        // where a thread goes on in the next cell: then the sum of the areas of all triangles, as
        // vectors, tells whether anything is open.
        for mesh in &woven(&sheet(12, 12)).meshes {
            let at = |v: u32| Vec3::from(mesh.positions[v as usize]);
            let areas = mesh.triangles.iter();
            let areas = areas.map(|&[a, b, c]| (at(b) - at(a)).cross(at(c) - at(a)));
            let (sum, all) = areas.fold((Vec3::ZERO, 0.0), |(sum, all), area| {
                (sum + area, all + area.length())
            });
            assert!(sum.length() < 1e-5 * all, "{sum} of {all}");
        }
    }

    #[test]
    fn threads_go_over_and_under_by_turns() {
        // One thread a cell: the middle of a cell is a crossing.
        let list = woven(&sheet(101, 101));
        let [warp, weft] = &list.meshes[..] else {
            panic!("{} meshes", list.meshes.len())
        };
        let height = |mesh: &Mesh, x: f32, y: f32| {
            // Origin is the middle of the sheet.
            let (x, y) = (x - 0.5, y - 0.5);
            mesh.positions
                .iter()
                .filter(|p| (p[0] - x).abs() < 0.002 && (p[1] - y).abs() < 0.002)
                .fold(f32::NEG_INFINITY, |high, p| high.max(p[2]))
        };
        for (i, j) in [(0, 0), (1, 0), (0, 1), (5, 8), (44, 44), (99, 98)] {
            let (x, y) = (0.01 * (i as f32 + 0.5), 0.01 * (j as f32 + 0.5));
            let (over, under) = (height(warp, x, y), height(weft, x, y));
            assert!(over.is_finite() && under.is_finite());
            assert_eq!(over > under, (i + j) % 2 == 0, "{i} {j}: {over} {under}");
        }
    }

    #[test]
    fn threads_face_outwards() {
        for mesh in &woven(&sheet(12, 12)).meshes {
            for &[a, b, c] in &mesh.triangles {
                let at = |v: u32| Vec3::from(mesh.positions[v as usize]);
                let normal = (at(b) - at(a)).cross(at(c) - at(a));
                assert!(normal.dot(Vec3::from(mesh.normals[a as usize])) > 0.0);
            }
        }
    }
}
