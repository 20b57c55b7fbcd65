//! A camera moved so that everything it has been shown fills its picture.
//!
//! With the axes of the camera fixed, a point (x, y, z) lies in the picture of an eye (a, b, c) if
//! |x - a| ≤ k (z - c) and the same for y. Each of these is linear in the eye, so of all points only
//! four numbers have to be kept, and the nearest eye follows from them.

use crate::Camera;
use glam::DVec3;

/// Looks for the nearest eye from which all points are seen.
#[derive(Clone, Debug)]
pub struct CameraFit {
    camera: Camera,
    /// Tangents of half the width and half the height that points may fill.
    tangents: [f64; 2],
    /// Largest x - k z, -x - k z, y - k z and -y - k z.
    largest: [f64; 4],
    /// Range of distances along the view.
    range: [f64; 2],
}

impl CameraFit {
    /// For pictures of an `aspect` (width over height) with a `margin` (share of the picture that
    /// stays empty at each side). Direction and height of the view are those of the camera.
    pub fn new(camera: Camera, aspect: f64, margin: f64) -> Self {
        let half = 0.5 / camera.pixels_per_tangent(1) * (1.0 - 2.0 * margin.clamp(0.0, 0.45));
        let aspect = if aspect.is_finite() && aspect > 0.0 {
            aspect
        } else {
            1.0
        };
        Self {
            camera,
            tangents: [half * aspect, half],
            largest: [f64::NEG_INFINITY; 4],
            range: [f64::INFINITY, f64::NEG_INFINITY],
        }
    }

    /// Takes in a point, in metres; one that is not finite counts nothing.
    pub fn include(&mut self, point: DVec3) {
        if !point.is_finite() || point.abs().max_element() > 1e12 {
            return;
        }
        let [right, down, forward] = self.camera.axes();
        let [x, y, z] = [right, down, forward].map(|axis| axis.dot(point));
        let [across, along] = self.tangents;
        let values = [
            x - across * z,
            -x - across * z,
            y - along * z,
            -y - along * z,
        ];
        for (largest, value) in self.largest.iter_mut().zip(values) {
            *largest = largest.max(value);
        }
        self.range = [self.range[0].min(z), self.range[1].max(z)];
    }

    /// The camera that shows all points taken in; the one it began with if there were none or if
    /// they are all at one place.
    pub fn camera(&self) -> Camera {
        let [a, b, c, d] = self.largest;
        let [across, along] = self.tangents;
        let distance = (-(a + b) / (2.0 * across)).min(-(c + d) / (2.0 * along));
        // Not nearer than the nearest point by much, as a flat thing seen edge-on would allow.
        let nearest = self.range[0] - 0.02 * (self.range[1] - self.range[0]);
        let distance = distance.min(nearest);
        if !(distance.is_finite() && self.range[1] - distance > 1e-9) {
            return self.camera;
        }
        let [right, down, forward] = self.camera.axes();
        let eye = right * ((a - b) * 0.5) + down * ((c - d) * 0.5) + forward * distance;
        let middle = 0.5 * (self.range[0] + self.range[1]) - distance;
        Camera {
            eye,
            target: eye + forward * middle.max(1e-9),
            ..self.camera
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fit_is_tight_in_one_direction_and_leaves_nothing_out() {
        let start = Camera::framing(-DVec3::ONE, DVec3::ONE, 1.5);
        for (scale, shift) in [
            (DVec3::new(3.0, 0.1, 0.2), DVec3::new(5.0, -2.0, 1.0)),
            (DVec3::new(0.01, 0.02, 0.4), DVec3::ZERO),
        ] {
            let points: Vec<DVec3> = (0..200)
                .map(|k| {
                    let k = f64::from(k);
                    shift + scale * DVec3::new((1.3 * k).sin(), (0.7 * k).cos(), (2.1 * k).sin())
                })
                .collect();
            let mut fit = CameraFit::new(start, 1.5, 0.1);
            points.iter().for_each(|point| fit.include(*point));
            fit.include(DVec3::NAN);
            let camera = fit.camera();
            let reach = points.iter().fold([0.0_f64; 2], |reach, point| {
                let [x, y, _] = camera.project(*point, 1500, 1000).unwrap();
                [
                    reach[0].max((x / 1500.0 - 0.5).abs()),
                    reach[1].max((y / 1000.0 - 0.5).abs()),
                ]
            });
            let largest = reach[0].max(reach[1]);
            assert!((largest - 0.4).abs() < 1e-6, "{reach:?}");
        }
    }

    #[test]
    fn nothing_to_fit_changes_nothing() {
        let start = Camera::framing(-DVec3::ONE, DVec3::ONE, 1.5);
        let mut fit = CameraFit::new(start, 1.5, 0.1);
        assert_eq!(fit.camera(), start);
        fit.include(DVec3::NAN);
        fit.include(DVec3::X);
        assert_eq!(fit.camera(), start);
    }
}
