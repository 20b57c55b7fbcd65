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
}

impl Default for PictureSettings {
    fn default() -> Self {
        Self {
            size: None,
            look: None,
            camera: None,
            samples: 4,
        }
    }
}
