//! External forces.

use crate::diagnostics::Location;
use pliant::force::{ImageSettings, NodalForce};
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
    /// The picture that it takes from files, which makes it when it is bound.
    pub picture: Option<ImageFile>,
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
        let number = number.min(self.frames - 1);
        let digits = self.file.matches('#').count();
        let Some(first) = self.file.find('#').filter(|_| self.frames > 1) else {
            return self.file.clone();
        };
        let rest = self.file[first..].replace('#', "");
        format!("{}{number:0digits$}{rest}", &self.file[..first])
    }
}
