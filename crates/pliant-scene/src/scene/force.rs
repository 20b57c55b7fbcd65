//! External forces.

use crate::diagnostics::Location;
use pliant::force::{ImageSettings, NodalForce, VolumeSettings};
use std::sync::Arc;

/// A force that bodies and particles can bind.
#[derive(Clone, Debug)]
pub struct Force {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// What it does.
    pub force: Arc<dyn NodalForce>,
    /// What it takes from files, which makes it when it is bound.
    pub file: Option<ForceFile>,
}

/// What a force takes from files.
#[derive(Clone, Debug, PartialEq)]
pub enum ForceFile {
    /// Pictures.
    Image(ImageFile),
    /// A stack of pictures.
    Volume(VolumeFile),
}

/// A stack of pictures.
#[derive(Clone, Debug, PartialEq)]
pub struct VolumeFile {
    /// Its files, relative to the scene file, with `#` for digits of the number.
    pub file: String,
    /// How many there are.
    pub slices: usize,
    /// How it pulls; `voxel` is the width of the whole volume, in metres.
    pub settings: VolumeSettings,
}

impl VolumeFile {
    /// The file of a slice.
    pub fn file_at(&self, slice: usize) -> String {
        numbered(&self.file, slice)
    }
}

/// A file name with a number in the place of its `#`.
fn numbered(file: &str, number: usize) -> String {
    let digits = file.matches('#').count();
    let Some(first) = file.find('#') else {
        return file.to_owned();
    };
    let rest = file[first..].replace('#', "");
    format!("{}{number:0digits$}{rest}", &file[..first])
}

/// A picture, or several that follow each other.
#[derive(Clone, Debug, PartialEq)]
pub struct ImageFile {
    /// Its file, relative to the scene file, with `#` for digits of the number.
    pub file: String,
    /// How many there are.
    pub frames: usize,
    /// How it pulls; `pixel` is the width of the whole picture, in metres.
    pub settings: ImageSettings,
}

impl ImageFile {
    /// The file at a time in seconds.
    pub fn file_at(&self, time: f64) -> String {
        let number = (time * self.settings.rate).round().max(0.0) as usize;
        if self.frames <= 1 {
            return self.file.clone();
        }
        numbered(&self.file, number.min(self.frames - 1))
    }
}
