//! Draws frames: of one run, or of several side by side.

use super::PictureSettings;
use super::between::{between, moves, shares};
use super::stage::{self, Stage};
use crate::failure::Failure;
use pliant::Frame;
use pliant_render::compose::{averaged, overlaid, side_by_side};
use pliant_render::{Camera, DrawList, Light, Picture, PictureOptions, draw};
use pliant_scene::Scene;

/// Draws pictures of one size.
#[derive(Debug)]
pub struct Studio {
    stages: Vec<Stage>,
    options: PictureOptions,
    /// Moments that each picture of a film is the mean of.
    moments: usize,
    /// The frames of the moment before, one of each run, where pictures are blurred.
    last: Vec<Frame>,
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
        Self {
            stages,
            options,
            moments: 1,
            last: Vec::new(),
        }
    }

    /// Makes each picture of a film the mean of some moments between the frame before and its own.
    pub fn set_motion_blur(&mut self, moments: usize) {
        self.moments = moments.max(1);
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
        for (index, (stage, frame)) in self.stages.iter_mut().zip(frames).enumerate() {
            let mut lists = Vec::new();
            let last = self.last.get(index);
            let height = self.options.height;
            if let Some(last) = last.filter(|last| moves(last, frame, &stage.camera, height)) {
                for share in shares(self.moments).take(self.moments - 1) {
                    lists.push(stage.list_labelled(&between(last, frame, share), frame.time)?);
                }
            }
            lists.push(stage.list(frame)?);
            parts.push(Part {
                lists,
                camera: stage.camera,
                lights: stage.lights.clone(),
                options: PictureOptions {
                    background: stage.background,
                    ..self.options
                },
            });
        }
        if self.moments > 1 {
            self.last = frames.to_vec();
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
    /// The moments of its picture in a film; the last one is its frame.
    lists: Vec<DrawList>,
    camera: Camera,
    lights: Vec<Light>,
    options: PictureOptions,
}

impl Plan {
    /// Draws its frame alone, sharp.
    pub fn draw(&self) -> Picture {
        let pictures = self.parts.iter().filter_map(Part::still);
        together(pictures.collect())
    }

    /// Draws it as a picture of a film, blurred by the motion of things.
    pub fn draw_film(&self) -> Picture {
        let picture = |part: &Part| match &part.lists[..] {
            [list] => part.picture(list),
            lists => {
                let moments: Vec<Picture> = lists.iter().map(|list| part.picture(list)).collect();
                averaged(&moments)
            }
        };
        together(self.parts.iter().map(picture).collect())
    }

    /// Whether its picture in a film is the mean of several moments.
    pub fn is_blurred(&self) -> bool {
        self.parts.iter().any(|part| part.lists.len() > 1)
    }
}

impl Part {
    fn picture(&self, list: &DrawList) -> Picture {
        draw(list, &self.camera, &self.lights, &self.options)
    }

    fn still(&self) -> Option<Picture> {
        self.lists.last().map(|list| self.picture(list))
    }
}

/// One picture of several, in rows and columns; one alone stays as it is.
fn together(mut pictures: Vec<Picture>) -> Picture {
    match pictures.len() {
        1 => pictures.remove(0),
        _ => side_by_side(&pictures, &[]),
    }
}
