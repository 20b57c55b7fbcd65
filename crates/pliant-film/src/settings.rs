//! What a film is to be like.

use crate::FilmError;
use std::path::Path;

/// How much care, time and space a film gets. Formats without loss differ in time and size only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Quality {
    /// Quick, with visible faults: to see whether a run went well.
    Draft,
    /// Faults that are hard to find by eye.
    #[default]
    Good,
    /// Nearly without loss.
    Best,
}

/// Size, speed and quality of a film.
#[derive(Clone, Debug, PartialEq)]
pub struct FilmSettings {
    /// Width of every picture, pixels.
    pub width: usize,
    /// Height of every picture, pixels.
    pub height: usize,
    /// Pictures shown in a second, 0.1 to 1000.
    pub frames_per_second: f64,
    /// Care against time and space.
    pub quality: Quality,
}

impl FilmSettings {
    /// Settings of good quality.
    pub fn new(width: usize, height: usize, frames_per_second: f64) -> Self {
        Self {
            width,
            height,
            frames_per_second,
            quality: Quality::default(),
        }
    }

    /// Refuses what the format cannot hold. A side may have `smallest` to `largest` pixels.
    pub(crate) fn check(
        &self,
        format: &'static str,
        smallest: usize,
        largest: usize,
    ) -> Result<(), FilmError> {
        let sides = smallest..=largest;
        if !sides.contains(&self.width) || !sides.contains(&self.height) {
            return Err(FilmError::SizeOutOfRange {
                format,
                width: self.width,
                height: self.height,
                smallest,
                largest,
            });
        }
        // Written so that a rate that is not a number is refused as well.
        if !(0.1..=1000.0).contains(&self.frames_per_second) {
            return Err(FilmError::FrameRate {
                frames_per_second: self.frames_per_second,
            });
        }
        Ok(())
    }

    /// Refuses a picture of another size.
    pub(crate) fn check_picture(
        &self,
        path: &Path,
        picture: usize,
        rgba: &[u8],
    ) -> Result<(), FilmError> {
        let expected = self.width * self.height * 4;
        if rgba.len() == expected {
            return Ok(());
        }
        Err(FilmError::PictureSize {
            path: path.to_path_buf(),
            picture,
            found: rgba.len(),
            expected,
            width: self.width,
            height: self.height,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_sizes_out_of_range_are_refused() {
        let good = FilmSettings::new(64, 48, 30.0);
        assert!(good.check("test", 1, 64).is_ok());
        assert!(good.check("test", 1, 63).is_err());
        assert!(good.check("test", 49, 64).is_err());
        for rate in [0.0, -1.0, f64::NAN, f64::INFINITY, 1001.0] {
            let settings = FilmSettings::new(64, 48, rate);
            assert!(matches!(
                settings.check("test", 1, 64),
                Err(FilmError::FrameRate { .. })
            ));
        }
    }
}
