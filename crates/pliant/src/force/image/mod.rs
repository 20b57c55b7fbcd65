//! The pull of an image on curves in its plane.
//!
//! ```text
//! E = ∫ P(v, t) ds,    P = w_line L - w_edge (|∇L| / max |∇L|)² + w_term C,    L = G_σ * I
//! C = (L_yy L_x² - 2 L_xy L_x L_y + L_xx L_y²) / (|∇L|² + ε)^(3/2)
//! balloon   f = k n ds,  n: to the right of the curve, outwards of one that turns anticlockwise
//! ```
//!
//! L is the image blurred by a Gaussian of σ pixels; P is smooth between pixels (cubic). The blur may go from
//! wide to narrow in time, and the image may change: P is made at moments and goes evenly from one to the
//! next. Weights are in joules per metre, the balloon in newtons per metre; ds is what a node stands for
//! ([`NodalForce::over`]), one metre where nobody has said.
//!
//! Implements: \[Kass1988\] sect. 3, \[Gibson1997\] sect. 5.1; the balloon of \[Cohen1991\].

mod raster;

pub use raster::Raster;
pub(super) use raster::cubic;

use super::{ForceSource, Loads, NodalForce, NodalView, Stiffness};
use glam::{DVec2, DVec3};
use raster::Sample;
use std::ops::Range;
use std::sync::Arc;

/// Moments at which the blur of an image that does not change is made anew.
const BLUR_STEPS: usize = 8;

/// The most numbers that are kept for an image that changes.
const MOST_NUMBERS: usize = 1 << 24;

/// The widest blur, in pixels: a wider one takes long and leaves little of an image.
const WIDEST_BLUR: f64 = 50.0;

/// What an image pulls with, and where it lies.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageSettings {
    /// Where its lower left corner is, in metres; it lies in a plane of constant z.
    pub corner: DVec3,
    /// Side of a pixel, in metres.
    pub pixel: f64,
    /// Weight of brightness: negative pulls to bright lines.
    pub line: f64,
    /// Weight of edges.
    pub edge: f64,
    /// Weight of ends and corners of lines.
    pub termination: f64,
    /// Push outwards, in newtons per metre.
    pub balloon: f64,
    /// Blur at the start and from `focus` on, in pixels.
    pub blur: [f64; 2],
    /// When the blur has become the second, in seconds.
    pub focus: f64,
    /// How long the image changes, in seconds; 0 if it does not.
    pub until: f64,
    /// Images per second while it changes.
    pub rate: f64,
}

impl Default for ImageSettings {
    fn default() -> Self {
        Self {
            corner: DVec3::ZERO,
            pixel: 1.0,
            line: 0.0,
            edge: 1.0,
            termination: 0.0,
            balloon: 0.0,
            blur: [1.0; 2],
            focus: 0.0,
            until: 0.0,
            rate: 25.0,
        }
    }
}

impl ImageSettings {
    /// The moments at which P is made, if they are not too many.
    fn moments(&self) -> Result<Vec<f64>, ImageError> {
        let count = if self.until > 0.0 {
            ((self.until * self.rate).ceil() as usize).saturating_add(1)
        } else if self.focus > 0.0 && self.blur[0] != self.blur[1] {
            BLUR_STEPS + 1
        } else {
            1
        };
        if count > MOST_NUMBERS {
            return Err(ImageError::TooLarge);
        }
        let end = if self.until > 0.0 {
            self.until
        } else {
            self.focus
        };
        let share = |k: usize| end * k as f64 / (count - 1).max(1) as f64;
        Ok((0..count).map(share).collect())
    }

    /// The blur at a time, in pixels: from wide to narrow by equal factors.
    fn blur_at(&self, time: f64) -> f64 {
        let [wide, narrow] = self.blur;
        if time >= self.focus || self.focus <= 0.0 {
            return narrow;
        }
        let share = (time / self.focus).clamp(0.0, 1.0);
        if wide <= 0.0 || narrow <= 0.0 {
            return wide + share * (narrow - wide);
        }
        wide * (narrow / wide).powf(share)
    }
}

/// The pull of an image; see the module.
#[derive(Clone, Debug)]
pub struct ImageForce {
    settings: ImageSettings,
    frames: Arc<[(f64, Raster)]>,
    /// The blurred images that `frames` were made of.
    seen: Arc<[(f64, Raster)]>,
    extents: Option<Arc<[f64]>>,
}

/// Why an image cannot pull.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ImageError {
    /// No pixels, or not all of the same number.
    #[error(
        "an image needs at least 4 x 4 pixels with finite values, of the same size at all times"
    )]
    Size,
    /// No voxels.
    #[error("a volume needs at least 4 x 4 x 4 voxels with finite values, the same in all slices")]
    VolumeSize,
    /// Too many pixels and moments.
    #[error("the image has too many pixels at too many moments: {MOST_NUMBERS} numbers at most")]
    TooLarge,
    /// A blur of a volume that leaves nothing.
    #[error("a volume can be blurred by 20 voxels at most: give it fewer voxels")]
    VolumeBlur,
    /// A blur that leaves nothing.
    #[error("the image can be blurred by {WIDEST_BLUR} pixels at most: give it fewer pixels")]
    Blur,
}

impl ImageForce {
    /// The pull of the image that `picture` gives for each time in seconds.
    pub fn new(
        settings: ImageSettings,
        mut picture: impl FnMut(f64) -> Raster,
    ) -> Result<Self, ImageError> {
        if settings.blur.iter().any(|blur| *blur > WIDEST_BLUR) {
            return Err(ImageError::Blur);
        }
        let moments = settings.moments()?;
        let mut frames: Vec<(f64, Raster)> = Vec::new();
        let mut seen = Vec::new();
        for time in moments.iter().copied() {
            let image = picture(time);
            let fits = frames
                .first()
                .is_none_or(|(_, first)| first.size() == image.size());
            if !fits || !image.is_sound() {
                return Err(ImageError::Size);
            }
            let [width, height] = image.size();
            if width.saturating_mul(height).saturating_mul(moments.len()) > MOST_NUMBERS {
                return Err(ImageError::TooLarge);
            }
            let blurred = image.blurred(settings.blur_at(time));
            let weights = [settings.line, settings.edge, settings.termination];
            frames.push((time, blurred.potential(weights)));
            seen.push((time, blurred));
        }
        Ok(Self {
            settings,
            frames: frames.into(),
            seen: seen.into(),
            extents: None,
        })
    }

    /// P, its gradient and its Hessian at a point, in pixels.
    fn sample(&self, at: DVec3, time: f64) -> Sample {
        let place = (at - self.settings.corner) / self.settings.pixel;
        let place = DVec2::new(place.x, place.y);
        let after = self.frames.partition_point(|(moment, _)| *moment <= time);
        let before = after.saturating_sub(1);
        let (start, first) = &self.frames[before];
        let sample = first.sample(place);
        match self.frames.get(after) {
            Some((end, second)) if after != before => {
                let share = ((time - start) / (end - start)).clamp(0.0, 1.0);
                sample.mixed(&second.sample(place), share)
            }
            _ => sample,
        }
    }

    fn extent(&self, node: usize) -> f64 {
        let extents = self.extents.as_ref();
        extents.map_or(1.0, |extents| extents.get(node).copied().unwrap_or(0.0))
    }

    fn balloon(&self, view: &NodalView, node: usize) -> DVec3 {
        let outwards = view
            .directions
            .get(node)
            .map_or(DVec3::ZERO, |t| t.cross(DVec3::Z));
        self.settings.balloon * self.extent(node) * outwards
    }
}

impl NodalForce for ImageForce {
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let pixel = self.settings.pixel;
        for node in nodes {
            let sample = self.sample(view.positions[node], view.time);
            let extent = self.extent(node);
            let pull = -extent / pixel * sample.gradient.extend(0.0);
            loads.add(node, pull, Stiffness::None);
            for (curvature, direction) in sample.curvatures() {
                if curvature > 0.0 {
                    let stiffness = extent * curvature / (pixel * pixel);
                    let along = Stiffness::Along(direction.extend(0.0), stiffness);
                    loads.add(node, DVec3::ZERO, along);
                }
            }
            if self.settings.balloon != 0.0 {
                loads.add(node, self.balloon(view, node), Stiffness::None);
            }
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        self.extent(node) * self.sample(view.positions[node], view.time).value
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

    fn source(&self) -> Option<ForceSource> {
        Some(ForceSource::Image {
            corner: self.settings.corner,
            pixel: self.settings.pixel,
            moments: Arc::clone(&self.seen),
        })
    }

    fn uses_normals(&self) -> bool {
        self.settings.balloon != 0.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disc(time: f64) -> Raster {
        Raster::from_fn([40, 30], |x, y| {
            let d = DVec2::new(x - 18.0 - time, y - 14.0).length() - 8.0;
            (0.5 - d).clamp(0.0, 1.0)
        })
    }

    #[test]
    fn it_says_what_is_seen_and_where() {
        let settings = ImageSettings {
            corner: DVec3::new(1.0, 2.0, 0.5),
            pixel: 0.1,
            until: 2.0,
            rate: 1.0,
            ..ImageSettings::default()
        };
        let force = ImageForce::new(settings, disc).unwrap();
        let Some(ForceSource::Image {
            corner,
            pixel,
            moments,
        }) = force.source()
        else {
            panic!("an image has a source");
        };
        assert_eq!((corner, pixel), (DVec3::new(1.0, 2.0, 0.5), 0.1));
        assert_eq!(moments.len(), 3);
        for (time, image) in moments.iter() {
            let at = |x: usize, y: usize| image.values()[y * image.size()[0] + x];
            assert!(at(18 + *time as usize, 14) > 0.95 && at(2, 2) < 0.05);
        }
    }

    fn view(positions: &[DVec3], time: f64) -> NodalView<'_> {
        NodalView {
            positions,
            velocities: &[],
            masses: &[],
            directions: &[],
            curve: true,
            time,
            step: 0.0,
            window: [time; 2],
        }
    }

    #[test]
    fn the_force_is_the_slope_of_the_potential() {
        let settings = ImageSettings {
            corner: DVec3::new(0.3, -0.2, 0.0),
            pixel: 0.1,
            line: 0.4,
            edge: 2.0,
            termination: 0.1,
            blur: [3.0, 1.0],
            focus: 2.0,
            until: 3.0,
            rate: 2.0,
            ..ImageSettings::default()
        };
        let force = ImageForce::new(settings, disc).unwrap();
        for (k, time) in [0.0, 0.7, 1.99, 2.5, 8.0].into_iter().enumerate() {
            // Between pixels, where the slope has a slope.
            let at = DVec3::new(1.1417 + 0.3071 * k as f64, 0.903 + 0.0713 * k as f64, 0.0);
            let mut loads = Loads::new(1, true);
            force.add_loads(&view(&[at], time), 0..1, &mut loads);
            for axis in [DVec3::X, DVec3::Y] {
                let energy = |h: f64| force.potential(&view(&[at + h * axis], time), 0);
                let slope = (energy(1e-6) - energy(-1e-6)) / 2e-6;
                assert!(
                    (slope + loads.forces[0].dot(axis)).abs() < 1e-6,
                    "{time} {slope} {}",
                    loads.forces[0].dot(axis)
                );
            }
        }
    }

    #[test]
    fn edges_pull_from_both_sides() {
        let settings = ImageSettings {
            blur: [2.0; 2],
            ..ImageSettings::default()
        };
        let force = ImageForce::new(settings, disc).unwrap();
        for (x, sign) in [(24.0, 1.0), (28.0, -1.0)] {
            let mut loads = Loads::new(1, false);
            force.add_loads(&view(&[DVec3::new(x, 14.0, 0.0)], 0.0), 0..1, &mut loads);
            assert!(sign * loads.forces[0].x > 0.01, "{x}: {}", loads.forces[0]);
        }
    }

    #[test]
    fn images_that_are_none_are_refused() {
        let make = |size: [usize; 2]| {
            ImageForce::new(ImageSettings::default(), |_| {
                Raster::from_fn(size, |_, _| 0.0)
            })
        };
        assert_eq!(make([3, 9]).unwrap_err(), ImageError::Size);
        let huge = ImageSettings {
            until: 1e6,
            rate: 100.0,
            ..ImageSettings::default()
        };
        assert_eq!(
            ImageForce::new(huge, disc).unwrap_err(),
            ImageError::TooLarge
        );
        let endless = ImageSettings {
            until: 1e300,
            ..ImageSettings::default()
        };
        assert_eq!(
            ImageForce::new(endless, disc).unwrap_err(),
            ImageError::TooLarge
        );
        let grey = ImageSettings {
            blur: [1.0, 1e18],
            ..ImageSettings::default()
        };
        assert_eq!(ImageForce::new(grey, disc).unwrap_err(), ImageError::Blur);
    }
}
