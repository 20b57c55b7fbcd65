//! A camera that turns round a point, comes closer, goes away and shifts.

use crate::pick::Ray;
use glam::{DQuat, DVec3};
use pliant_render::Camera;

/// How close the view may come to straight up or down, in radians.
const POLE: f64 = 0.02;

/// How far from the pointer a thin thing may be to be taken hold of, in pixels.
const REACH: f64 = 9.0;

/// Width over height of the pictures that scenes are made for.
const USUAL_ASPECT: f64 = 16.0 / 9.0;

/// A camera that is moved by hand.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Orbit {
    /// What it shows.
    pub camera: Camera,
}

impl Orbit {
    /// Begins with a camera.
    pub fn new(camera: Camera) -> Self {
        Self { camera }
    }

    fn up(&self) -> DVec3 {
        self.camera.up.try_normalize().unwrap_or(DVec3::Z)
    }

    /// Turns the view round its target, by angles in radians: to the right and down.
    pub fn rotate(&mut self, right: f64, down: f64) {
        if !(right.is_finite() && down.is_finite()) {
            return;
        }
        let up = self.up();
        let offset = DQuat::from_axis_angle(up, -right) * (self.camera.eye - self.camera.target);
        let length = offset.length();
        let height = (offset.dot(up) / length).clamp(-1.0, 1.0).asin();
        let limit = std::f64::consts::FRAC_PI_2 - POLE;
        let turned = (height + down).clamp(-limit, limit);
        let level = offset - offset.dot(up) * up;
        let level = level
            .try_normalize()
            .unwrap_or_else(|| up.any_orthonormal_vector());
        let offset = length * (turned.cos() * level + turned.sin() * up);
        if offset.is_finite() {
            self.camera.eye = self.camera.target + offset;
        }
    }

    /// Comes closer (below 1) or goes away (above 1).
    pub fn zoom(&mut self, factor: f64) {
        let offset = (self.camera.eye - self.camera.target) * factor;
        let length = offset.length();
        if (1e-6..1e9).contains(&length) {
            self.camera.eye = self.camera.target + offset;
        }
    }

    /// Shifts the view by pixels of a picture so many pixels high: what is at the target follows the
    /// pointer.
    pub fn pan(&mut self, right: f64, down: f64, height: f64) {
        let distance = (self.camera.eye - self.camera.target).length();
        let scale = distance / self.camera.pixels_per_tangent(height.max(1.0) as usize);
        let [to_right, to_down, _] = self.camera.axes();
        let shift = -scale * (right * to_right + down * to_down);
        if shift.is_finite() {
            self.camera.eye += shift;
            self.camera.target += shift;
        }
    }

    /// Shows a box from where it is looked at now, in a picture of an aspect (width over height).
    pub fn frame(&mut self, lowest: DVec3, highest: DVec3, aspect: f64) {
        let towards = self.camera.eye - self.camera.target;
        let up = self.camera.up;
        self.camera = Camera::framing_from(lowest, highest, aspect, towards);
        self.camera.up = up;
    }

    /// Looks at the target straight along a direction, from the same side and distance as before.
    pub fn face(&mut self, normal: DVec3) {
        let offset = self.camera.eye - self.camera.target;
        let side = if offset.dot(normal) < 0.0 { -1.0 } else { 1.0 };
        if normal.cross(self.camera.up).length() > 1e-6 {
            self.camera.eye = self.camera.target + side * offset.length() * normal;
        }
    }

    /// Widens the view for a picture that is narrower than the pictures that scenes are made for, so that
    /// as much of the scene is seen from left to right.
    pub fn fit_shape(&mut self, aspect: f64) {
        if aspect.is_finite() && aspect > 0.0 && aspect < USUAL_ASPECT {
            let tangent = (0.5 * self.camera.field_of_view).tan() * USUAL_ASPECT / aspect;
            self.camera.field_of_view = (2.0 * tangent.atan()).min(2.0);
        }
    }

    /// The ray through a place in a picture, in pixels from the upper left corner.
    pub fn ray(&self, x: f64, y: f64, width: f64, height: f64) -> Ray {
        let scale = self.camera.pixels_per_tangent(height.max(1.0) as usize);
        let [right, down, forward] = self.camera.axes();
        let across = (x - 0.5 * width) / scale;
        let along = (y - 0.5 * height) / scale;
        let direction = (forward + across * right + along * down).normalize();
        Ray {
            origin: self.camera.eye,
            direction,
            spread: REACH / scale,
        }
    }

    /// Where a ray meets the plane through a point that faces the camera.
    pub fn on_plane(&self, ray: &Ray, point: DVec3) -> DVec3 {
        let [_, _, forward] = self.camera.axes();
        let along = ray.direction.dot(forward);
        let distance = (point - ray.origin).dot(forward) / along;
        match distance.is_finite() && distance > 0.0 {
            true => ray.at(distance),
            false => point,
        }
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_plane_is_looked_at_straight() {
        let mut orbit = Orbit::new(Camera::framing(-DVec3::ONE, DVec3::ONE, 1.5));
        let before = (orbit.camera.eye - orbit.camera.target).length();
        orbit.face(-DVec3::Y);
        let [_, _, forward] = orbit.camera.axes();
        assert!((forward.dot(DVec3::Y).abs() - 1.0).abs() < 1e-12);
        let after = (orbit.camera.eye - orbit.camera.target).length();
        assert!((after - before).abs() < 1e-12 * before);
    }

    use super::*;

    fn orbit() -> Orbit {
        Orbit::new(Camera {
            eye: DVec3::new(0.0, -4.0, 1.0),
            target: DVec3::new(0.0, 0.0, 1.0),
            up: DVec3::Z,
            field_of_view: 0.6,
        })
    }

    #[test]
    fn it_turns_round_its_target_and_never_over_the_pole() {
        let mut orbit = orbit();
        orbit.rotate(std::f64::consts::FRAC_PI_2, 0.0);
        assert!((orbit.camera.eye - DVec3::new(-4.0, 0.0, 1.0)).length() < 1e-9);
        for _ in 0..100 {
            orbit.rotate(0.3, 0.5);
        }
        let offset = orbit.camera.eye - orbit.camera.target;
        assert!((offset.length() - 4.0).abs() < 1e-9);
        assert!(offset.z > 3.9 && offset.truncate().length() > 0.05);
        orbit.rotate(f64::NAN, 1.0);
        assert!(orbit.camera.eye.is_finite());
    }

    #[test]
    fn what_is_at_the_target_follows_the_pointer() {
        let mut orbit = orbit();
        let point = orbit.camera.target;
        orbit.pan(37.0, -21.0, 600.0);
        let [x, y, _] = orbit.camera.project(point, 800, 600).unwrap();
        assert!(
            (x - 437.0).abs() < 1e-6 && (y - 279.0).abs() < 1e-6,
            "{x} {y}"
        );
    }

    #[test]
    fn a_ray_goes_through_what_is_seen_there() {
        let orbit = orbit();
        let point = DVec3::new(0.4, 0.7, 1.3);
        let [x, y, _] = orbit.camera.project(point, 800, 600).unwrap();
        let ray = orbit.ray(x, y, 800.0, 600.0);
        let beside = (point - ray.origin).cross(ray.direction).length();
        assert!(beside < 1e-9);
        assert!((orbit.on_plane(&ray, point) - point).length() < 1e-9);
    }

    #[test]
    fn a_narrow_picture_shows_as_much_from_left_to_right() {
        let mut orbit = orbit();
        let edge = DVec3::new(1.8, 0.0, 1.0);
        let share = |orbit: &Orbit, width: usize, height: usize| {
            orbit.camera.project(edge, width, height).unwrap()[0] / width as f64
        };
        let wide = share(&orbit, 1600, 900);
        orbit.fit_shape(1.0);
        assert!((share(&orbit, 900, 900) - wide).abs() < 1e-9);
        let narrow = orbit;
        orbit.fit_shape(2.0);
        assert_eq!(orbit, narrow);
    }

    #[test]
    fn zoom_and_frame_stay_sound() {
        let mut orbit = orbit();
        orbit.zoom(0.5);
        assert!((orbit.camera.eye.y + 2.0).abs() < 1e-12);
        (0..10_000).for_each(|_| orbit.zoom(0.5));
        assert!(orbit.camera.eye != orbit.camera.target);
        orbit.frame(-DVec3::ONE, DVec3::ONE, 1.5);
        for corner in [DVec3::ONE, -DVec3::ONE] {
            let [x, y, _] = orbit.camera.project(corner, 900, 600).unwrap();
            assert!((0.0..900.0).contains(&x) && (0.0..600.0).contains(&y));
        }
    }
}
