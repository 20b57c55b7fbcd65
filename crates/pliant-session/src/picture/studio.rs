//! Draws frames: of one run, or of several side by side.

use super::PictureSettings;
use super::stage::{self, Stage};
use crate::failure::Failure;
use pliant::Frame;
use pliant_render::compose::{overlaid, side_by_side};
use pliant_render::{Camera, DrawList, Light, Picture, PictureOptions, draw};
use pliant_scene::Scene;

/// Draws pictures of one size.
#[derive(Debug)]
pub struct Studio {
    stages: Vec<Stage>,
    options: PictureOptions,
}

impl Studio {
    /// For runs that are drawn side by side, each of the size that is asked for; the scene is that
    /// of the first.
    pub fn new(stages: Vec<Stage>, scene: &Scene, settings: &PictureSettings) -> Self {
        let (width, height) = stage::size(scene, settings);
        let options = PictureOptions {
            width,
            height,
            samples: settings.samples,
            ..PictureOptions::default()
        };
        Self { stages, options }
    }

    /// Takes in the frames of one moment that will be drawn later.
    pub fn look_ahead(&mut self, frames: &[Frame]) {
        for (stage, frame) in self.stages.iter_mut().zip(frames) {
            stage.look_ahead(frame);
        }
    }

    /// Sees the frames of one moment that are not drawn: what is drawn later looks as in a film.
    pub fn pass_over(&mut self, frames: &[Frame]) {
        for (stage, frame) in self.stages.iter_mut().zip(frames) {
            stage.pass_over(frame);
        }
    }

    /// Width and height of a whole picture, in pixels.
    pub fn size(&self) -> (usize, usize) {
        let blank = Picture::new(self.options.width, self.options.height, [0; 4]);
        let whole = together(vec![blank; self.stages.len()]);
        (whole.width(), whole.height())
    }

    /// What is to be drawn of the frames of one moment, one of each run. Moments come in their order; plans
    /// can be drawn in any, also beside each other.
    pub fn plan(&mut self, frames: &[Frame]) -> Result<Plan, Failure> {
        let mut parts = Vec::new();
        for (stage, frame) in self.stages.iter_mut().zip(frames) {
            parts.push(Part {
                list: stage.list(frame)?,
                camera: stage.camera,
                lights: stage.lights.clone(),
                options: PictureOptions {
                    background: stage.background,
                    ..self.options
                },
            });
        }
        Ok(Plan { parts })
    }

    /// Draws the frames of one moment, one of each run.
    pub fn draw(&mut self, frames: &[Frame]) -> Result<Picture, Failure> {
        Ok(self.plan(frames)?.draw())
    }

    /// Draws several moments of one run over each other.
    pub fn strobe(&self, frames: &[Frame]) -> Result<Picture, Failure> {
        let mut pictures = Vec::new();
        for stage in self.stages.iter().take(1) {
            let lists = stage.strobe(frames)?;
            let moments: Vec<Picture> =
                lists.iter().map(|list| self.picture(stage, list)).collect();
            pictures.push(overlaid(&moments));
        }
        Ok(together(pictures))
    }

    /// Draws several moments of one run beside each other.
    pub fn sheet(&mut self, frames: &[Frame]) -> Result<Picture, Failure> {
        let mut pictures = Vec::new();
        for frame in frames {
            pictures.push(self.draw(std::slice::from_ref(frame))?);
        }
        Ok(together(pictures))
    }

    fn picture(&self, stage: &Stage, list: &DrawList) -> Picture {
        let options = PictureOptions {
            background: stage.background,
            ..self.options
        };
        draw(list, &stage.camera, &stage.lights, &options)
    }
}

/// All that is needed to draw one moment.
#[derive(Debug)]
pub struct Plan {
    parts: Vec<Part>,
}

/// One run in a plan.
#[derive(Debug)]
struct Part {
    list: DrawList,
    camera: Camera,
    lights: Vec<Light>,
    options: PictureOptions,
}

impl Plan {
    /// Draws it.
    pub fn draw(&self) -> Picture {
        let picture = |part: &Part| draw(&part.list, &part.camera, &part.lights, &part.options);
        together(self.parts.iter().map(picture).collect())
    }
}

/// One picture of several, in rows and columns; one alone stays as it is.
fn together(mut pictures: Vec<Picture>) -> Picture {
    match pictures.len() {
        1 => pictures.remove(0),
        _ => side_by_side(&pictures, &[]),
    }
}
