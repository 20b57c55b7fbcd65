//! Round tubes along curves, for ropes and springs.

use crate::draw_list::Mesh;
use crate::normals::unit_or;
use glam::DVec3;
use std::f64::consts::TAU;

/// One point of a tube.
#[derive(Clone, Copy, Debug)]
pub struct TubePoint {
    /// Its place.
    pub position: DVec3,
    /// How far along the curve it is, for textures, 0 to 1.
    pub along: f64,
    /// The node it is nearest to.
    pub node: u32,
}

/// Corners of the cross section of a tube.
const SIDES: usize = 12;
/// Rings of a rounded end, besides its tip.
const CAP_RINGS: usize = 3;

/// Adds a tube along `points` to a mesh, and the node of each new vertex to `nodes`. Closed tubes
/// have no ends; open ones have round ones. Needs at least two points at different places.
pub fn add_tube(
    mesh: &mut Mesh,
    nodes: &mut Vec<u32>,
    points: &[TubePoint],
    closed: bool,
    radius: f64,
    origin: DVec3,
) {
    let points = without_repeats(points, 1e-6 * radius);
    let count = points.len();
    if count < 2 || !(radius > 0.0 && radius.is_finite()) {
        return;
    }
    let closed = closed && count > 2;
    let frames = frames(&points, closed);
    let mut rings: Vec<u32> = Vec::new();
    let mut ring = |center: DVec3, frame: &[DVec3; 3], width: f64, slope: f64, point: TubePoint| {
        rings.push(mesh.positions.len() as u32);
        let [tangent, side, up] = *frame;
        for k in 0..=SIDES {
            let share = k as f64 / SIDES as f64;
            let out = (TAU * share).cos() * side + (TAU * share).sin() * up;
            let position = center - origin + width * out;
            let normal = (1.0 - slope * slope).max(0.0).sqrt() * out + slope * tangent;
            mesh.positions.push(position.as_vec3().to_array());
            mesh.normals.push(normal.as_vec3().to_array());
            mesh.texture_coordinates
                .push([point.along as f32, share as f32]);
            nodes.push(point.node);
        }
    };
    if !closed {
        for k in 0..=CAP_RINGS {
            let angle = 0.25 * TAU * (1.0 - k as f64 / (CAP_RINGS + 1) as f64);
            let center = points[0].position - radius * angle.sin() * frames[0][0];
            ring(
                center,
                &frames[0],
                radius * angle.cos(),
                -angle.sin(),
                points[0],
            );
        }
    }
    for (point, frame) in points.iter().zip(&frames) {
        ring(point.position, frame, radius, 0.0, *point);
    }
    if closed {
        let mut last = points[0];
        last.along = 1.0_f64.max(points[count - 1].along);
        ring(last.position, &frames[count], radius, 0.0, last);
    } else {
        let (point, frame) = (points[count - 1], &frames[count - 1]);
        for k in (0..=CAP_RINGS).rev() {
            let angle = 0.25 * TAU * (1.0 - k as f64 / (CAP_RINGS + 1) as f64);
            let center = point.position + radius * angle.sin() * frame[0];
            ring(center, frame, radius * angle.cos(), angle.sin(), point);
        }
    }
    for pair in rings.windows(2) {
        for k in 0..SIDES as u32 {
            let (a, b) = (pair[0] + k, pair[1] + k);
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
}

fn without_repeats(points: &[TubePoint], nearest: f64) -> Vec<TubePoint> {
    let mut kept: Vec<TubePoint> = Vec::with_capacity(points.len());
    for point in points.iter().filter(|point| point.position.is_finite()) {
        let far = |last: &TubePoint| (point.position - last.position).length() > nearest;
        if kept.last().is_none_or(far) {
            kept.push(*point);
        }
    }
    kept
}

/// Tangent and two directions across at each point, carried along without twisting; a closed curve
/// has one more for its end, and the twist left over is spread over its length.
fn frames(points: &[TubePoint], closed: bool) -> Vec<[DVec3; 3]> {
    let count = points.len();
    let at = |k: usize| points[k % count].position;
    let tangent = |k: usize| {
        let (before, after) = if closed {
            (at(k + count - 1), at(k + 1))
        } else {
            (at(k.saturating_sub(1)), at((k + 1).min(count - 1)))
        };
        unit_or(after - before, unit_or(at(k + 1) - at(k), DVec3::X))
    };
    let total = if closed { count + 1 } else { count };
    let mut frames = Vec::with_capacity(total);
    let mut side = tangent(0).any_orthonormal_vector();
    for k in 0..total {
        let t = tangent(k);
        side = unit_or(side.reject_from_normalized(t), t.any_orthonormal_vector());
        frames.push([t, side, t.cross(side)]);
    }
    if closed {
        let [t, first, _] = frames[0];
        let last = frames[count][1];
        let twist = last.cross(first).dot(t).atan2(last.dot(first));
        for (k, frame) in frames.iter_mut().enumerate() {
            let (sine, cosine) = (twist * k as f64 / count as f64).sin_cos();
            let [t, side, up] = *frame;
            *frame = [t, cosine * side + sine * up, cosine * up - sine * side];
        }
    }
    frames
}

/// Points on a smooth curve through `points` (Catmull-Rom), `pieces` for each of its segments.
pub fn smooth(points: &[TubePoint], closed: bool, pieces: usize) -> Vec<TubePoint> {
    let count = points.len();
    if count < 3 || pieces < 2 {
        return points.to_vec();
    }
    let at = |k: isize| {
        let last = count as isize - 1;
        let index = if closed {
            k.rem_euclid(count as isize)
        } else {
            k.clamp(0, last)
        };
        points[index as usize]
    };
    let segments = if closed { count } else { count - 1 };
    let mut curve = Vec::with_capacity(segments * pieces + 1);
    for segment in 0..segments as isize {
        let [before, start, end, after] = [-1, 0, 1, 2].map(|step| at(segment + step));
        let along_end = if end.along < start.along {
            1.0
        } else {
            end.along
        };
        for piece in 0..pieces {
            let t = piece as f64 / pieces as f64;
            let [p0, p1, p2, p3] = [before, start, end, after].map(|point| point.position);
            let position = p1
                + 0.5
                    * t
                    * ((p2 - p0)
                        + t * ((2.0 * p0 - 5.0 * p1 + 4.0 * p2 - p3)
                            + t * (3.0 * (p1 - p2) + p3 - p0)));
            curve.push(TubePoint {
                position,
                along: start.along + t * (along_end - start.along),
                node: if t < 0.5 { start.node } else { end.node },
            });
        }
    }
    if !closed {
        curve.push(points[count - 1]);
    }
    curve
}

/// The nodes of a curve in order, and whether its end is joined to its start.
pub type Chain = (Vec<u32>, bool);

/// The curves that segments make up.
pub fn chains(lines: &[[u32; 2]], node_count: usize) -> Vec<Chain> {
    let mut neighbours: Vec<Vec<(u32, usize)>> = vec![Vec::new(); node_count];
    for (index, &[a, b]) in lines.iter().enumerate() {
        if a != b && (a as usize) < node_count && (b as usize) < node_count {
            neighbours[a as usize].push((b, index));
            neighbours[b as usize].push((a, index));
        }
    }
    let mut used = vec![false; lines.len()];
    let mut found = Vec::new();
    // Ends and branchings first: what is left after them are rings.
    let ends = (0..node_count).filter(|&node| neighbours[node].len() != 2);
    for start in ends.chain(0..node_count) {
        for &(first, line) in &neighbours[start] {
            if used[line] {
                continue;
            }
            used[line] = true;
            let mut chain = vec![start as u32, first];
            let mut node = first;
            while node as usize != start && neighbours[node as usize].len() == 2 {
                let Some(&(next, line)) = neighbours[node as usize]
                    .iter()
                    .find(|&&(_, line)| !used[line])
                else {
                    break;
                };
                used[line] = true;
                chain.push(next);
                node = next;
            }
            let closed = node as usize == start && chain.len() > 3;
            if closed {
                chain.pop();
            }
            found.push((chain, closed));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tube(points: &[DVec3], closed: bool) -> Mesh {
        let points: Vec<TubePoint> = points
            .iter()
            .enumerate()
            .map(|(k, &position)| TubePoint {
                position,
                along: k as f64 / points.len() as f64,
                node: k as u32,
            })
            .collect();
        let (mut mesh, mut nodes) = (Mesh::default(), Vec::new());
        add_tube(&mut mesh, &mut nodes, &points, closed, 0.1, DVec3::ZERO);
        assert_eq!(nodes.len(), mesh.positions.len());
        mesh
    }

    fn volume(mesh: &Mesh) -> f64 {
        let at = |v: u32| DVec3::from(mesh.positions[v as usize].map(f64::from));
        mesh.triangles
            .iter()
            .map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0)
            .sum()
    }

    #[test]
    fn a_straight_tube_is_a_capsule_turned_outwards() {
        let mesh = tube(&[DVec3::ZERO, DVec3::X, 2.0 * DVec3::X], false);
        let pi = std::f64::consts::PI;
        let exact = pi * 0.01 * 2.0 + 4.0 / 3.0 * pi * 0.001;
        // A regular polygon of 12 sides has 0.955 of the area of its circle.
        assert!(
            (volume(&mesh) / exact - 0.955).abs() < 0.01,
            "{}",
            volume(&mesh) / exact
        );
    }

    #[test]
    fn a_closed_tube_meets_itself() {
        let circle: Vec<DVec3> = (0..40)
            .map(|k| {
                let angle = TAU * k as f64 / 40.0;
                // Not flat, so that the frame comes back twisted.
                DVec3::new(angle.cos(), angle.sin(), 0.3 * (2.0 * angle).sin())
            })
            .collect();
        let mesh = tube(&circle, true);
        let ring = SIDES + 1;
        for k in 0..ring {
            let (a, b) = (
                mesh.positions[k],
                mesh.positions[mesh.positions.len() - ring + k],
            );
            for d in 0..3 {
                assert!((a[d] - b[d]).abs() < 1e-5, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn chains_are_found_with_torn_links_and_rings() {
        let lines = [
            [0, 1],
            [1, 2],
            [4, 3],
            [5, 6],
            [6, 7],
            [7, 5],
            [1, 99],
            [2, 2],
        ];
        let mut found = chains(&lines, 8);
        found.sort();
        let expected = [
            (vec![0, 1, 2], false),
            (vec![3, 4], false),
            (vec![5, 6, 7], true),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn a_smooth_curve_goes_through_its_points() {
        let points: Vec<TubePoint> = [DVec3::ZERO, DVec3::X, DVec3::new(1.0, 1.0, 0.0)]
            .iter()
            .enumerate()
            .map(|(k, &position)| TubePoint {
                position,
                along: 0.5 * k as f64,
                node: k as u32,
            })
            .collect();
        let curve = smooth(&points, false, 4);
        assert_eq!(curve.len(), 9);
        assert_eq!(curve[4].position, DVec3::X);
        assert!(curve[3].position.y < 0.0);
    }

    #[test]
    fn curves_without_length_draw_nothing() {
        assert!(tube(&[DVec3::ZERO; 5], false).positions.is_empty());
        assert!(tube(&[DVec3::NAN, DVec3::X], true).positions.is_empty());
    }
}
