//! How pictures are to look, where that is not left to the scene.

use super::camera::Asked;
use pliant_render::Look;

/// How pictures are to look; `None` leaves it to the scene.
#[derive(Clone, Debug)]
pub struct PictureSettings {
    /// Width and height in pixels.
    pub size: Option<(usize, usize)>,
    /// The style.
    pub look: Option<Look>,
    /// From where the scene is seen.
    pub camera: Option<Asked>,
    /// Samples per pixel.
    pub samples: usize,
    /// Moments that each picture of a film is the mean of; 1 is sharp.
    pub motion_blur: Option<usize>,
}

/// Films with fewer pictures per second than this are blurred where things move, unless something else
/// is said: with more of them the eye blurs them itself.
const SMOOTH_RATE: f64 = 50.0;

/// Moments of a picture of a film that is not smooth.
const MOMENTS: usize = 4;

impl PictureSettings {
    /// Moments that each picture of a film is the mean of, for what the scene says and the pictures per
    /// second of the film.
    pub fn film_moments(&self, scene: Option<usize>, frames_per_second: f64) -> usize {
        let is_smooth = frames_per_second > SMOOTH_RATE - 0.01;
        let usual = if is_smooth { 1 } else { MOMENTS };
        self.motion_blur.or(scene).unwrap_or(usual)
    }
}

impl Default for PictureSettings {
    fn default() -> Self {
        Self {
            size: None,
            look: None,
            camera: None,
            samples: 4,
            motion_blur: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slow_films_are_blurred_unless_something_else_is_said() {
        let usual = PictureSettings::default();
        assert_eq!(usual.film_moments(None, 25.0), 4);
        assert_eq!(usual.film_moments(None, 49.9999), 1);
        assert_eq!(usual.film_moments(None, 60.0), 1);
        assert_eq!(usual.film_moments(Some(1), 25.0), 1);
        let asked = PictureSettings {
            motion_blur: Some(8),
            ..usual
        };
        assert_eq!(asked.film_moments(Some(1), 60.0), 8);
    }
}
