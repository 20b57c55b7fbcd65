//! Wires, threads and rails: round tubes between places.

use crate::draw_list::Mesh;
use crate::tube::{TubePoint, add_tube};
use glam::DVec3;
use std::f64::consts::TAU;

/// Sizes as shares of the size of the scene.
const COIL: f64 = 0.011;
const WIRE_RADIUS: f64 = 0.0026;
const PITCH: f64 = 0.016;
const RAIL_RADIUS: f64 = 0.006;

/// Radius of a thread as a share of the size of the scene, and its pieces.
const THREAD_RADIUS: f64 = 0.0013;
const THREAD: usize = 12;

/// Most turns of a coil, and points of a turn.
const MOST_TURNS: f64 = 40.0;
const TURN: usize = 12;

/// A coil between two points, with straight ends; a short one is a straight wire.
pub(super) fn add_coil(mesh: &mut Mesh, from: DVec3, to: DVec3, size: f64, origin: DVec3) {
    let length = from.distance(to);
    let Some(axis) = (to - from).try_normalize() else {
        return;
    };
    let (side, up) = axis.any_orthonormal_pair();
    let turns = (length / (PITCH * size)).clamp(3.0, MOST_TURNS).round();
    let radius = (COIL * size).min(0.2 * length);
    let count = turns as usize * TURN;
    let points: Vec<TubePoint> = (0..=count)
        .map(|step| {
            let share = step as f64 / count as f64;
            let angle = TAU * turns * share;
            // Wound up at both ends, so that it hangs from its axis.
            let wide = radius * (8.0 * share.min(1.0 - share)).min(1.0);
            let around = wide * (angle.cos() * side + angle.sin() * up);
            TubePoint {
                position: from + share * length * axis + around,
                along: share,
                node: 0,
            }
        })
        .collect();
    add_tube(
        mesh,
        &mut Vec::new(),
        &points,
        false,
        WIRE_RADIUS * size,
        origin,
    );
}

/// A thin thread between two points, which sags where it is longer than their distance.
pub(super) fn add_thread(
    mesh: &mut Mesh,
    from: DVec3,
    to: DVec3,
    length: f64,
    size: f64,
    origin: DVec3,
) {
    let distance = from.distance(to);
    // A shallow arc of that length, as a parabola.
    let slack = if length.is_finite() {
        (length - distance).max(0.0)
    } else {
        0.0
    };
    let sag = (0.375 * distance * slack).sqrt().min(0.5 * length);
    let points: Vec<TubePoint> = (0..=THREAD)
        .map(|step| {
            let share = step as f64 / THREAD as f64;
            let down = 4.0 * share * (1.0 - share) * sag;
            TubePoint {
                position: from.lerp(to, share) - down * DVec3::Z,
                along: share,
                node: 0,
            }
        })
        .collect();
    let radius = THREAD_RADIUS * size;
    add_tube(mesh, &mut Vec::new(), &points, false, radius, origin);
}

/// A rail along held points.
pub(super) fn add_rail(mesh: &mut Mesh, row: &[DVec3], closed: bool, size: f64, origin: DVec3) {
    let point = |position: &DVec3| TubePoint {
        position: *position,
        along: 0.0,
        node: 0,
    };
    let points: Vec<TubePoint> = row.iter().map(point).collect();
    let radius = RAIL_RADIUS * size;
    add_tube(mesh, &mut Vec::new(), &points, closed, radius, origin);
}
