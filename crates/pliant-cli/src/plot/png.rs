//! A sheet as a picture: its lines and texts are drawn as those of any other picture.

use super::chart::{Anchor, Polyline, SHEET, Sheet};
use glam::DVec3;
use pliant_film::save_png;
use pliant_render::{
    Background, Camera, DrawList, Label, LineSet, PictureOptions, TextAnchor, TextPlace, draw,
    linear_from_srgb,
};
use pliant_session::Failure;
use std::path::Path;

/// Pixels of the picture for one of the sheet, so that it is sharp on fine screens.
const SCALE: f64 = 1.5;

/// Height of the picture in which the render crate counts widths and sizes, in pixels.
const REFERENCE_HEIGHT: f64 = 720.0;

/// Writes the picture of a sheet.
pub fn save(path: &Path, sheet: &Sheet) -> Result<(), Failure> {
    let [width, height] = SHEET;
    let list = DrawList {
        lines: sheet.lines.iter().map(line_set).collect(),
        labels: sheet
            .texts
            .iter()
            .map(|text| Label {
                text: text.text.clone(),
                place: TextPlace::Picture([
                    (text.at[0] / width) as f32,
                    ((text.at[1] - 0.5 * text.size) / height) as f32,
                ]),
                anchor: match text.anchor {
                    Anchor::Left => TextAnchor::TopLeft,
                    Anchor::Middle => TextAnchor::TopCenter,
                    Anchor::Right => TextAnchor::TopRight,
                },
                size: (text.size * REFERENCE_HEIGHT / height) as f32,
                color: linear(Sheet::text_color()),
            })
            .collect(),
        ..DrawList::default()
    };
    // The sheet lies in the plane y = 0, one metre a pixel, and fills the view.
    let eye = DVec3::new(0.5 * width, -height, -0.5 * height);
    let camera = Camera {
        eye,
        target: DVec3::new(eye.x, 0.0, eye.z),
        up: DVec3::Z,
        field_of_view: 2.0 * 0.5_f64.atan(),
    };
    let options = PictureOptions {
        width: (SCALE * width) as usize,
        height: (SCALE * height) as usize,
        samples: 8,
        background: Background::Plain([1.0; 3]),
        shadows: false,
        ..PictureOptions::default()
    };
    let picture = draw(&list, &camera, &[], &options);
    save_png(path, picture.width(), picture.height(), picture.bytes()).map_err(Failure::on_the_way)
}

fn line_set(line: &Polyline) -> LineSet {
    let mut segments = Vec::new();
    let mut pen = Pen::new(line.dashes);
    for pair in line.points.windows(2) {
        pen.draw(pair[0], pair[1], &mut segments);
    }
    LineSet {
        segments,
        colors: vec![linear(line.color)],
        width: (line.width * REFERENCE_HEIGHT / SHEET[1]) as f32,
        ..LineSet::default()
    }
}

fn linear(color: [u8; 3]) -> [f32; 3] {
    color.map(|byte| linear_from_srgb(f64::from(byte) / 255.0))
}

/// Walks along a line and leaves gaps.
struct Pen {
    dashes: &'static [f64],
    /// Which dash or gap it is in: even ones are drawn.
    at: usize,
    /// How much of it is left, in pixels.
    left: f64,
}

impl Pen {
    fn new(dashes: &'static [f64]) -> Self {
        Self {
            dashes,
            at: 0,
            left: dashes.first().copied().unwrap_or(f64::INFINITY),
        }
    }

    fn draw(&mut self, from: [f64; 2], to: [f64; 2], segments: &mut Vec<[[f32; 3]; 2]>) {
        let [dx, dy] = [to[0] - from[0], to[1] - from[1]];
        let length = dx.hypot(dy);
        let place = |share: f64| {
            [
                (from[0] + share * dx) as f32,
                0.0,
                -(from[1] + share * dy) as f32,
            ]
        };
        let mut done = 0.0;
        while done < length {
            let part = self.left.min(length - done);
            if self.at.is_multiple_of(2) {
                segments.push([place(done / length), place((done + part) / length)]);
            }
            done += part;
            self.left -= part;
            if self.left <= 0.0 {
                self.at = (self.at + 1) % self.dashes.len().max(1);
                self.left = self.dashes.get(self.at).copied().unwrap_or(f64::INFINITY);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_go_on_round_corners() {
        let mut segments = Vec::new();
        let mut pen = Pen::new(&[4.0, 2.0]);
        pen.draw([0.0, 0.0], [5.0, 0.0], &mut segments);
        pen.draw([5.0, 0.0], [5.0, 7.0], &mut segments);
        let lengths: Vec<f32> = segments
            .iter()
            .map(|[a, b]| (b[0] - a[0]).abs() + (b[2] - a[2]).abs())
            .collect();
        // 4 drawn, 1 + 1 left out round the corner, 4 drawn, 2 left out.
        assert_eq!(lengths, [4.0, 4.0]);
        assert_eq!(segments[1][0], [5.0, 0.0, -1.0]);
    }
}
