//! Moments between two recorded frames, for motion blur.
//!
//! The shutter of a camera is open for a part of the time from one picture to the next. The moments
//! in which it is open lie between recorded frames; places are interpolated linearly,
//!
//! ```text
//! x(s) = (1 - s) x_before + s x_after,    1 - SHUTTER < s <= 1
//! ```
//!
//! so that the last of the moments is the recorded frame itself.

use glam::DVec3;
use pliant::Frame;
use pliant::frame::{FrameBody, FrameObstacle, TriangleMesh};
use pliant_render::Camera;
use std::sync::Arc;

/// The part of the time between two frames in which the shutter is open: half a turn of the shutter
/// of a film camera.
const SHUTTER: f64 = 0.5;

/// The shares of the way from one frame to the next at which some moments lie.
pub fn shares(moments: usize) -> impl Iterator<Item = f64> {
    (1..=moments).map(move |moment| 1.0 - SHUTTER * (moments - moment) as f64 / moments as f64)
}

/// Whether anything moves by more than a pixel while the shutter is open: less cannot be seen, and most
/// of a film is spared the work. `height` is that of the picture, in pixels.
pub fn moves(before: &Frame, after: &Frame, camera: &Camera, height: usize) -> bool {
    let slope = 2.0 * (0.5 * camera.field_of_view).tan() / height.max(1) as f64;
    let is_seen = |from: &DVec3, to: &DVec3| {
        let pixel = slope * to.distance(camera.eye);
        SHUTTER * from.distance(*to) > pixel
    };
    let any = |from: &[DVec3], to: &[DVec3]| from.iter().zip(to).any(|(a, b)| is_seen(a, b));
    let mut bodies = before.bodies.iter().zip(&after.bodies);
    let mut obstacles = before.obstacles.iter().zip(&after.obstacles);
    bodies.any(|(a, b)| any(&a.positions, &b.positions))
        || obstacles.any(|(a, b)| {
            !Arc::ptr_eq(&a.mesh, &b.mesh) && any(&a.mesh.positions, &b.mesh.positions)
        })
}

/// What the world looks like at a share of the way from one frame to the next. What cannot be followed
/// (a body that has appeared, a mesh of another size) is where it is in the second one.
pub fn between(before: &Frame, after: &Frame, share: f64) -> Frame {
    let bodies = after.bodies.iter().enumerate();
    let obstacles = after.obstacles.iter().enumerate();
    Frame {
        number: after.number,
        time: before.time + share * (after.time - before.time),
        bodies: bodies
            .map(|(index, body)| body_between(before.bodies.get(index), body, share))
            .collect(),
        obstacles: obstacles
            .map(|(index, obstacle)| obstacle_between(before.obstacles.get(index), obstacle, share))
            .collect(),
    }
}

fn body_between(before: Option<&FrameBody>, after: &FrameBody, share: f64) -> FrameBody {
    let mut body = after.clone();
    let is_same = |before: &&FrameBody| before.positions.len() == after.positions.len();
    if let Some(before) = before.filter(is_same) {
        for (place, from) in body.positions.iter_mut().zip(&before.positions) {
            *place = from.lerp(*place, share);
        }
    }
    body
}

fn obstacle_between(
    before: Option<&FrameObstacle>,
    after: &FrameObstacle,
    share: f64,
) -> FrameObstacle {
    let moved = before.filter(|before| {
        let (a, b) = (&before.mesh, &after.mesh);
        !Arc::ptr_eq(a, b) && a.positions.len() == b.positions.len()
    });
    let Some(before) = moved else {
        return after.clone();
    };
    let places = before.mesh.positions.iter().zip(&after.mesh.positions);
    FrameObstacle {
        mesh: Arc::new(TriangleMesh {
            positions: places.map(|(from, to)| from.lerp(*to, share)).collect(),
            triangles: after.mesh.triangles.clone(),
        }),
        ..after.clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame(time: f64, x: f64) -> Frame {
        let mesh = TriangleMesh {
            positions: vec![DVec3::new(x, 0.0, 0.0), DVec3::Y, DVec3::Z],
            triangles: vec![[0, 1, 2]],
        };
        Frame {
            time,
            number: time as usize,
            obstacles: vec![FrameObstacle {
                name: "obstacle".into(),
                mesh: Arc::new(mesh),
                appearance: Arc::default(),
            }],
            ..Frame::default()
        }
    }

    #[test]
    fn the_shutter_is_open_for_half_the_time_and_closes_at_the_frame() {
        let found: Vec<f64> = shares(4).collect();
        assert_eq!(found, [0.625, 0.75, 0.875, 1.0]);
        assert_eq!(shares(1).collect::<Vec<f64>>(), [1.0]);
    }

    #[test]
    fn places_lie_between_those_of_the_frames() {
        let (before, after) = (frame(1.0, 0.0), frame(2.0, 8.0));
        let middle = between(&before, &after, 0.75);
        assert_eq!((middle.number, middle.time), (2, 1.75));
        assert_eq!(middle.obstacles[0].mesh.positions[0].x, 6.0);
        assert_eq!(middle.obstacles[0].mesh.positions[1], DVec3::Y);
    }

    #[test]
    fn a_move_counts_if_it_is_seen() {
        // A picture of 100 pixels shows 10 m at a distance of 10 m: a pixel is 0.1 m.
        let camera = Camera {
            eye: DVec3::new(0.0, 0.0, 10.0),
            target: DVec3::ZERO,
            up: DVec3::Y,
            field_of_view: 2.0 * 0.5_f64.atan(),
        };
        let moves = |way: f64| moves(&frame(1.0, 0.0), &frame(2.0, way), &camera, 100);
        assert!(moves(0.21) && !moves(0.19) && !moves(0.0));
    }

    #[test]
    fn what_was_not_there_is_where_it_is() {
        let after = frame(2.0, 8.0);
        let mut before = frame(1.0, 0.0);
        before.obstacles.clear();
        let middle = between(&before, &after, 0.5);
        assert_eq!(middle.obstacles[0].mesh.positions[0].x, 8.0);
    }
}
