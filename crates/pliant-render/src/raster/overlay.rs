//! Labels and colour bars, drawn over the finished picture.

use super::color_bar;
use super::view::View;
use crate::text::{measure, write};
use crate::{DrawList, Label, Picture, TextAnchor, TextPlace};

/// Draws everything that lies over the picture.
pub(crate) fn draw(picture: &mut Picture, list: &DrawList, view: &View) {
    let mut right = picture.width() as f32;
    for bar in &list.color_bars {
        right = color_bar::draw(picture, bar, right);
    }
    for label in &list.labels {
        draw_label(picture, label, view);
    }
}

fn draw_label(picture: &mut Picture, label: &Label, view: &View) {
    let size = label.size * picture.height() as f32 / 720.0;
    let place = match label.place {
        TextPlace::Picture([across, down]) => [
            across * picture.width() as f32,
            down * picture.height() as f32,
        ],
        TextPlace::World(point) => {
            let point = view.place(point);
            if !point.is_finite() || point.z < view.near {
                return;
            }
            view.pixel_of(point).map(|place| place as f32)
        }
    };
    let [across, down] = match label.anchor {
        TextAnchor::TopLeft => [0.0, 0.0],
        TextAnchor::TopCenter => [0.5, 0.0],
        TextAnchor::TopRight => [1.0, 0.0],
        TextAnchor::BottomLeft => [0.0, 1.0],
        TextAnchor::BottomCenter => [0.5, 1.0],
        TextAnchor::Center => [0.5, 0.5],
    };
    let [width, height] = measure(&label.text, size);
    let corner = [place[0] - width * across, place[1] - height * down];
    write(picture, &label.text, corner, size, across, label.color);
}
