//! Draws frames: of one run, or of several side by side.

use super::PictureArguments;
use super::stage::{self, Stage};
use crate::failure::Failure;
use pliant::Frame;
use pliant_render::{Camera, DrawList, Picture, PictureOptions, draw};
use pliant_scene::Scene;

/// Pixels between two pictures that stand side by side.
const GAP: usize = 4;

/// Draws pictures of one size.
#[derive(Debug)]
pub struct Studio {
    stages: Vec<Stage>,
    options: PictureOptions,
}

impl Studio {
    /// For runs that are drawn side by side, each of the size that is asked for; the scene is that
    /// of the first.
    pub fn new(stages: Vec<Stage>, scene: &Scene, arguments: &PictureArguments) -> Self {
        let (width, height) = stage::size(scene, arguments);
        let options = PictureOptions {
            width,
            height,
            samples: arguments.samples,
            ..PictureOptions::default()
        };
        Self { stages, options }
    }

    /// Width and height of a whole picture, in pixels.
    pub fn size(&self) -> (usize, usize) {
        let count = self.stages.len().max(1);
        let width = count * self.options.width + (count - 1) * GAP;
        (width, self.options.height)
    }

    /// Draws the frames of one moment, one of each run.
    pub fn draw(&mut self, frames: &[Frame]) -> Result<Picture, Failure> {
        let mut lists = Vec::new();
        for (stage, frame) in self.stages.iter_mut().zip(frames) {
            lists.push(stage.list(frame)?);
        }
        Ok(self.side_by_side(&lists))
    }

    /// Draws several moments of one run as one picture.
    pub fn strobe(&mut self, frames: &[Frame]) -> Result<Picture, Failure> {
        let lists: Result<Vec<DrawList>, Failure> = self
            .stages
            .iter()
            .take(1)
            .map(|stage| stage.strobe(frames))
            .collect();
        Ok(self.side_by_side(&lists?))
    }

    fn side_by_side(&self, lists: &[DrawList]) -> Picture {
        let shown = self.stages.iter().zip(lists);
        let mut pictures = shown.map(|(stage, list)| self.picture(stage, list));
        if self.stages.len() == 1
            && let Some(only) = pictures.next()
        {
            return only;
        }
        let (width, height) = self.size();
        let mut whole = Picture::new(width, height, [255; 4]);
        let mut left = 0;
        for picture in pictures {
            let own = picture.width();
            let from = picture.pixels().chunks_exact(own);
            let to = whole.pixels_mut().chunks_exact_mut(width);
            for (from, to) in from.zip(to) {
                to[left..left + own].copy_from_slice(from);
            }
            left += own + GAP;
        }
        whole
    }

    fn picture(&self, stage: &Stage, list: &DrawList) -> Picture {
        let options = PictureOptions {
            background: stage.background,
            ..self.options
        };
        let camera: &Camera = &stage.camera;
        draw(list, camera, &stage.lights, &options)
    }
}
