//! The pull of a volume on surfaces: active surfaces.
//!
//! ```text
//! E = ∫ P(v, t) dA,    P = w_line L - w_edge (|∇L| / max |∇L|)²,    L = G_σ * I
//! balloon   f = k n dA,  n: the outward normal
//! ```
//!
//! I is a scalar field over voxels: a stack of images, or a formula. L is the field blurred by a Gaussian of
//! σ voxels; P is smooth between voxels (cubic). The blur may go from wide to narrow in time: P is made at
//! moments and goes evenly from one to the next. Weights are in joules per square metre, the balloon in
//! pascals; dA is what a node stands for ([`NodalForce::over`]), one square metre where nobody has said.
//!
//! Implements: \[Gibson1997\] sect. 5.1, snakes in three dimensions; the balloon of \[Cohen1991\].

mod voxels;

pub use voxels::Voxels;

use super::{ImageError, Loads, NodalForce, NodalView, Stiffness};
use crate::math::lane_eigen::take_positive_parts;
use crate::math::vector::PACK;
use glam::{DMat3, DVec3};
use std::ops::Range;
use std::sync::Arc;
use voxels::Sample;

/// Moments at which the blur is made anew.
const BLUR_STEPS: usize = 6;

/// The most numbers that are kept.
const MOST_NUMBERS: usize = 1 << 24;

/// The widest blur, in voxels: a wider one takes long and leaves little of a volume.
const WIDEST_BLUR: f64 = 20.0;

/// What a volume pulls with, and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeSettings {
    /// Where its lowest corner is, in metres.
    pub corner: DVec3,
    /// Side of a voxel, in metres.
    pub voxel: f64,
    /// Weight of the field: negative pulls to large values.
    pub line: f64,
    /// Weight of edges.
    pub edge: f64,
    /// Push outwards, in pascals.
    pub balloon: f64,
    /// Blur at the start and from `focus` on, in voxels.
    pub blur: [f64; 2],
    /// When the blur has become the second, in seconds.
    pub focus: f64,
}

impl Default for VolumeSettings {
    fn default() -> Self {
        Self {
            corner: DVec3::ZERO,
            voxel: 1.0,
            line: 0.0,
            edge: 1.0,
            balloon: 0.0,
            blur: [1.0; 2],
            focus: 0.0,
        }
    }
}

impl VolumeSettings {
    /// The moments at which P is made, and the blur at each, in voxels: from wide to narrow by equal steps
    /// of its square root.
    fn moments(&self) -> Vec<(f64, f64)> {
        let [wide, narrow] = self.blur;
        if self.focus <= 0.0 || wide == narrow {
            return vec![(0.0, narrow)];
        }
        let moment = |k: usize| {
            let share = k as f64 / BLUR_STEPS as f64;
            let root = wide.sqrt() + share * (narrow.sqrt() - wide.sqrt());
            (share * self.focus, root * root)
        };
        (0..=BLUR_STEPS).map(moment).collect()
    }
}

/// The pull of a volume; see the module.
#[derive(Clone, Debug)]
pub struct VolumeForce {
    settings: VolumeSettings,
    frames: Arc<[(f64, Voxels)]>,
    extents: Option<Arc<[f64]>>,
}

impl VolumeForce {
    /// The pull of a scalar field.
    pub fn new(settings: VolumeSettings, field: &Voxels) -> Result<Self, ImageError> {
        if !field.is_sound() {
            return Err(ImageError::VolumeSize);
        }
        if settings.blur.iter().any(|blur| *blur > WIDEST_BLUR) {
            return Err(ImageError::VolumeBlur);
        }
        let moments = settings.moments();
        let count: usize = field.size().iter().product();
        if count.saturating_mul(moments.len()) > MOST_NUMBERS {
            return Err(ImageError::TooLarge);
        }
        let frame = |(time, blur): (f64, f64)| {
            let blurred = field.blurred(blur);
            (time, blurred.potential(settings.line, settings.edge))
        };
        let frames = moments.into_iter().map(frame).collect();
        Ok(Self {
            settings,
            frames,
            extents: None,
        })
    }

    /// The frames before and after a time, and the share of the second.
    fn frames_at(&self, time: f64) -> (&Voxels, Option<(&Voxels, f64)>) {
        let after = self.frames.partition_point(|(moment, _)| *moment <= time);
        let before = after.saturating_sub(1);
        let (start, first) = &self.frames[before];
        let second = self.frames.get(after).filter(|_| after != before);
        let second = second.map(|(end, second)| {
            let share = ((time - start) / (end - start)).clamp(0.0, 1.0);
            (second, share)
        });
        (first, second)
    }

    /// A point in voxels.
    fn place(&self, at: DVec3) -> DVec3 {
        (at - self.settings.corner) / self.settings.voxel
    }

    /// P, its gradient and its Hessian at a point, in voxels.
    fn sample(&self, at: DVec3, time: f64) -> Sample {
        let place = self.place(at);
        let (first, second) = self.frames_at(time);
        let neighbours = first.neighbours(place);
        let sample = first.sample(&neighbours);
        match second {
            Some((second, share)) => sample.mixed(&second.sample(&neighbours), share),
            None => sample,
        }
    }

    /// P alone.
    fn value(&self, at: DVec3, time: f64) -> f64 {
        let place = self.place(at);
        let (first, second) = self.frames_at(time);
        let neighbours = first.neighbours(place);
        let value = first.value(&neighbours);
        second.map_or(value, |(second, share)| {
            value + share * (second.value(&neighbours) - value)
        })
    }

    fn extent(&self, node: usize) -> f64 {
        let extents = self.extents.as_ref();
        extents.map_or(1.0, |extents| extents.get(node).copied().unwrap_or(0.0))
    }

    fn balloon(&self, view: &NodalView, node: usize) -> DVec3 {
        let outwards = view.directions.get(node).copied().unwrap_or(DVec3::ZERO);
        self.settings.balloon * self.extent(node) * outwards
    }
}

impl NodalForce for VolumeForce {
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let voxel = self.settings.voxel;
        for first in nodes.clone().step_by(PACK) {
            let eight = first..(first + PACK).min(nodes.end);
            let mut hessians = [DMat3::ZERO; PACK];
            for (node, hessian) in eight.clone().zip(&mut hessians) {
                let sample = self.sample(view.positions[node], view.time);
                *hessian = sample.hessian;
                let pull = -self.extent(node) / voxel * sample.gradient;
                loads.add(node, pull, Stiffness::None);
                if self.settings.balloon != 0.0 {
                    loads.add(node, self.balloon(view, node), Stiffness::None);
                }
            }
            if loads.takes_stiffness() {
                take_positive_parts(&mut hessians);
                for (node, positive) in eight.zip(hessians) {
                    let stiffness = positive * (self.extent(node) / (voxel * voxel));
                    loads.add(node, DVec3::ZERO, Stiffness::Matrix(stiffness));
                }
            }
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        self.extent(node) * self.value(view.positions[node], view.time)
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        let push = self.balloon(view, node).dot(view.positions[node]);
        self.potential(view, node) - push
    }

    fn has_potential(&self) -> bool {
        self.settings.balloon == 0.0
    }

    fn is_passive(&self) -> bool {
        self.has_potential() && self.frames.len() == 1
    }

    fn over(&self, extents: &Arc<[f64]>) -> Option<Arc<dyn NodalForce>> {
        Some(Arc::new(Self {
            extents: Some(Arc::clone(extents)),
            ..self.clone()
        }))
    }

    fn uses_normals(&self) -> bool {
        self.settings.balloon != 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ball() -> Voxels {
        Voxels::from_fn([20, 16, 18], |at| {
            let d = at.distance(DVec3::new(9.0, 8.0, 10.0)) - 5.0;
            (0.5 - d).clamp(0.0, 1.0)
        })
    }

    fn view(positions: &[DVec3], time: f64) -> NodalView<'_> {
        NodalView {
            positions,
            velocities: &[],
            masses: &[],
            directions: &[],
            curve: false,
            time,
            step: 0.0,
            window: [time; 2],
        }
    }

    #[test]
    fn the_force_is_the_slope_of_the_potential() {
        let settings = VolumeSettings {
            corner: DVec3::new(0.3, -0.2, 0.1),
            voxel: 0.1,
            line: 0.4,
            edge: 2.0,
            blur: [2.0, 1.0],
            focus: 2.0,
            ..VolumeSettings::default()
        };
        let force = VolumeForce::new(settings, &ball()).unwrap();
        for (k, time) in [0.0, 0.7, 1.99, 8.0].into_iter().enumerate() {
            let at = DVec3::new(0.7417, 0.503, 0.9031) + 0.0713 * k as f64;
            let mut loads = Loads::new(1, true);
            force.add_loads(&view(&[at], time), 0..1, &mut loads);
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let energy = |h: f64| force.potential(&view(&[at + h * axis], time), 0);
                let slope = (energy(1e-6) - energy(-1e-6)) / 2e-6;
                assert!((slope + loads.forces[0].dot(axis)).abs() < 1e-6, "{time}");
            }
        }
    }

    #[test]
    fn edges_pull_from_both_sides() {
        let settings = VolumeSettings {
            blur: [1.5; 2],
            ..VolumeSettings::default()
        };
        let force = VolumeForce::new(settings, &ball()).unwrap();
        for (z, sign) in [(13.5, 1.0), (16.5, -1.0)] {
            let mut loads = Loads::new(1, false);
            let at = DVec3::new(9.0, 8.0, z);
            force.add_loads(&view(&[at], 0.0), 0..1, &mut loads);
            assert!(sign * loads.forces[0].z > 0.01, "{z}: {}", loads.forces[0]);
        }
        let flat = Voxels::from_fn([3, 9, 9], |_| 0.0);
        assert!(VolumeForce::new(VolumeSettings::default(), &flat).is_err());
        let grey = VolumeSettings {
            blur: [1.0, 1e18],
            ..VolumeSettings::default()
        };
        assert_eq!(
            VolumeForce::new(grey, &ball()).unwrap_err(),
            ImageError::VolumeBlur
        );
    }
}
