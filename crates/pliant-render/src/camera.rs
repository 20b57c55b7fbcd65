//! From where a picture is taken, and what lights it.

use glam::DVec3;

/// From where a picture is taken.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye, in metres.
    pub eye: DVec3,
    /// The point in the middle of the picture, in metres.
    pub target: DVec3,
    /// Points up in the picture.
    pub up: DVec3,
    /// Height of the view, in radians.
    pub field_of_view: f64,
}

/// Height of the view of [`Camera::framing`], in radians: a moderate telephoto lens, which
/// distorts little.
const FRAMING_FIELD_OF_VIEW: f64 = 0.55;

/// Share of the picture that [`Camera::framing`] fills.
const FRAMING_FILL: f64 = 0.88;

impl Camera {
    /// A camera that shows the box from `lowest` to `highest` in three-quarter view, a little
    /// from above, in a picture of the given `aspect` (width over height). z points up.
    ///
    /// An empty, infinite or point-like box is shown as if it were one metre large.
    pub fn framing(lowest: DVec3, highest: DVec3, aspect: f64) -> Self {
        Self::framing_from(lowest, highest, aspect, DVec3::new(0.52, -1.0, 0.46))
    }

    /// Like [`Camera::framing`], but seen from the side to which `towards_eye` points.
    pub fn framing_from(lowest: DVec3, highest: DVec3, aspect: f64, towards_eye: DVec3) -> Self {
        let sound = lowest.is_finite() && highest.is_finite() && lowest.cmple(highest).all();
        let (middle, mut half) = if sound {
            ((lowest + highest) * 0.5, (highest - lowest) * 0.5)
        } else {
            (DVec3::ZERO, DVec3::splat(0.5))
        };
        if half.max_element() <= 1e-12 * middle.length() || half.max_element() <= 1e-12 {
            half = DVec3::splat(0.5);
        }
        let aspect = if aspect.is_finite() && aspect > 0.0 {
            aspect
        } else {
            1.0
        };
        let away = towards_eye.try_normalize().unwrap_or(DVec3::NEG_Y);
        let up = if away.z.abs() > 0.999 {
            DVec3::Y
        } else {
            DVec3::Z
        };
        let mut camera = Self {
            eye: middle + away,
            target: middle,
            up,
            field_of_view: FRAMING_FIELD_OF_VIEW,
        };
        let [right, down, forward] = camera.axes();
        let tangent = (FRAMING_FIELD_OF_VIEW * 0.5).tan() * FRAMING_FILL;
        let mut distance = 0.0_f64;
        for corner in 0..8 {
            let sign = |bit: usize| if corner >> bit & 1 == 0 { -1.0 } else { 1.0 };
            let point = half * DVec3::new(sign(0), sign(1), sign(2));
            let across = (point.dot(right).abs() / aspect).max(point.dot(down).abs());
            distance = distance.max(across / tangent - point.dot(forward));
        }
        camera.eye = middle + away * distance;
        camera
    }

    /// The directions to the right, down and forward in the picture: a right-handed orthonormal
    /// frame, whatever the camera holds.
    pub fn axes(&self) -> [DVec3; 3] {
        let forward = (self.target - self.eye).try_normalize().unwrap_or(DVec3::Y);
        let right = forward
            .cross(self.up)
            .try_normalize()
            .filter(|right| right.is_finite())
            .unwrap_or_else(|| forward.any_orthonormal_vector());
        [right, forward.cross(right), forward]
    }

    /// Where `point` (in metres) appears in a picture of that many pixels: column and row in
    /// pixels from the upper left corner, and distance in front of the eye in metres. `None` if
    /// the point is not in front of the eye.
    pub fn project(&self, point: DVec3, width: usize, height: usize) -> Option<[f64; 3]> {
        let [right, down, forward] = self.axes();
        let offset = point - self.eye;
        let distance = offset.dot(forward);
        if !(distance > 0.0 && offset.is_finite()) {
            return None;
        }
        let scale = self.pixels_per_tangent(height) / distance;
        Some([
            width as f64 * 0.5 + offset.dot(right) * scale,
            height as f64 * 0.5 + offset.dot(down) * scale,
            distance,
        ])
    }

    /// Pixels that a length of one metre covers at a distance of one metre, in a picture of that
    /// many rows.
    pub fn pixels_per_tangent(&self, height: usize) -> f64 {
        let angle = if self.field_of_view.is_finite() {
            self.field_of_view.clamp(1e-4, 3.1)
        } else {
            FRAMING_FIELD_OF_VIEW
        };
        height as f64 * 0.5 / (angle * 0.5).tan()
    }

    /// Distances in metres between which everything in the box from `lowest` to `highest` lies
    /// that can be seen. The nearer one is positive, and not so small that depth loses precision.
    pub fn depth_range(&self, lowest: DVec3, highest: DVec3) -> [f64; 2] {
        let [_, _, forward] = self.axes();
        let mut near = f64::INFINITY;
        let mut far = 0.0_f64;
        for corner in 0..8 {
            let pick = |bit: usize| corner >> bit & 1 == 1;
            let point = DVec3::new(
                if pick(0) { highest.x } else { lowest.x },
                if pick(1) { highest.y } else { lowest.y },
                if pick(2) { highest.z } else { lowest.z },
            );
            let distance = (point - self.eye).dot(forward);
            near = near.min(distance);
            far = far.max(distance);
        }
        let focus = (self.target - self.eye).length();
        let focus = if focus.is_finite() && focus > 0.0 {
            focus
        } else {
            1.0
        };
        if !far.is_finite() || far <= 0.0 {
            return [focus * 1e-3, focus * 1e3];
        }
        let far = far * 1.01;
        let least = (far * 1e-4).min(focus * 1e-3).max(f64::MIN_POSITIVE);
        [
            if near.is_finite() { near * 0.99 } else { least }.max(least),
            far,
        ]
    }
}

/// One light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it shines from.
    pub source: LightSource,
    /// Brightness; 1 lights a white surface fully.
    pub intensity: f64,
    /// Whether things throw shadows in its light.
    pub shadows: bool,
}

/// Where a light shines from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightSource {
    /// A lamp at a point, in metres.
    Position(DVec3),
    /// A far lamp whose light travels along this unit vector.
    Direction(DVec3),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn framing_shows_the_whole_box_and_fills_the_picture() {
        for (lowest, highest, aspect) in [
            (
                DVec3::new(-1.0, -2.0, 0.0),
                DVec3::new(3.0, 1.0, 2.0),
                16.0 / 9.0,
            ),
            (DVec3::new(5.0, 5.0, 5.0), DVec3::new(5.1, 5.1, 25.0), 1.0),
            (DVec3::ZERO, DVec3::new(1e-3, 1e-3, 0.0), 0.5),
        ] {
            let camera = Camera::framing(lowest, highest, aspect);
            let (width, height) = ((720.0 * aspect) as usize, 720);
            let mut reach = 0.0_f64;
            for corner in 0..8 {
                let pick = |bit: usize, axis: usize| {
                    if corner >> bit & 1 == 1 {
                        highest[axis]
                    } else {
                        lowest[axis]
                    }
                };
                let point = DVec3::new(pick(0, 0), pick(1, 1), pick(2, 2));
                let [x, y, depth] = camera.project(point, width, height).unwrap();
                assert!(depth > 0.0);
                let across = (x / width as f64 - 0.5).abs() * 2.0;
                let along = (y / height as f64 - 0.5).abs() * 2.0;
                reach = reach.max(across.max(along));
            }
            assert!(reach < 0.9 && reach > 0.75, "{reach}");
        }
    }

    #[test]
    fn odd_boxes_and_cameras_stay_finite() {
        let nan = DVec3::splat(f64::NAN);
        for camera in [
            Camera::framing(nan, nan, f64::NAN),
            Camera::framing(DVec3::ONE, -DVec3::ONE, 0.0),
            Camera::framing(DVec3::ONE, DVec3::ONE, 1.0),
            Camera::framing_from(DVec3::ZERO, DVec3::ONE, 1.0, DVec3::Z),
        ] {
            assert!(camera.eye.is_finite() && camera.eye != camera.target);
            for axis in camera.axes() {
                assert!((axis.length() - 1.0).abs() < 1e-12);
            }
            let [near, far] = camera.depth_range(nan, nan);
            assert!(near > 0.0 && far > near);
        }
        let stuck = Camera {
            eye: DVec3::ONE,
            target: DVec3::ONE,
            up: DVec3::ZERO,
            field_of_view: f64::NAN,
        };
        assert!(stuck.axes().iter().all(|axis| axis.is_finite()));
        assert!(stuck.pixels_per_tangent(100).is_finite());
        assert_eq!(stuck.project(nan, 10, 10), None);
    }

    #[test]
    fn axes_are_right_handed_and_up_is_up() {
        let camera = Camera::framing(-DVec3::ONE, DVec3::ONE, 1.0);
        let [right, down, forward] = camera.axes();
        assert!((right.cross(down) - forward).length() < 1e-12);
        assert!(down.z < 0.0);
        let above = camera.project(DVec3::new(0.0, 0.0, 0.5), 100, 100).unwrap();
        assert!(above[1] < 50.0);
    }
}
