//! The image that pulls a curve, as a picture on a plane beneath it.

use crate::draw_list::{DrawList, Finish, Mesh, Paint, Shading, Texture};
use glam::DVec3;
use std::sync::Arc;

/// An image in a plane of constant z.
#[derive(Clone, Debug, PartialEq)]
pub struct ImagePlane {
    /// Its lower left corner, in metres.
    pub corner: DVec3,
    /// Its width and height, in metres.
    pub size: [f64; 2],
    /// What it shows from each of some times on, in seconds.
    pub moments: Vec<(f64, Arc<Texture>)>,
}

/// The least and the greatest number of an image, as they are shown: ink and paper.
const INK: [f64; 3] = [38.0, 52.0, 74.0];
const PAPER: [f64; 3] = [240.0, 232.0, 214.0];

/// How far below its curve an image is drawn, as a share of its width.
const BELOW: f64 = 0.012;

impl ImagePlane {
    /// An image of numbers at square pixels, given from the lower left corner, row after row, from each of some times on.
    /// Its greatest number of all times is shown bright, its least dark.
    pub fn new<'a>(
        corner: DVec3,
        pixel: f64,
        [width, height]: [usize; 2],
        moments: impl Iterator<Item = (f64, &'a [f64])> + Clone,
    ) -> Self {
        let numbers = moments.clone().flat_map(|(_, numbers)| numbers);
        let [least, greatest] = numbers
            .copied()
            .fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], number| {
                [low.min(number), high.max(number)]
            });
        let range = if greatest > least {
            greatest - least
        } else {
            1.0
        };
        let color = |number: f64| {
            let share = (number - least) / range;
            std::array::from_fn(|part| {
                (INK[part] + share * (PAPER[part] - INK[part])).round() as u8
            })
        };
        let texture = |numbers: &[f64]| {
            // Pictures begin with their uppermost row.
            let rows = numbers.chunks(width.max(1)).take(height).rev();
            Arc::new(Texture {
                width,
                height,
                pixels: rows.flatten().map(|number| color(*number)).collect(),
            })
        };
        Self {
            corner,
            size: [width, height].map(|count| count as f64 * pixel),
            moments: moments
                .map(|(time, numbers)| (time, texture(numbers)))
                .collect(),
        }
    }

    /// Adds the image as it is at a time.
    pub(super) fn draw(&self, time: f64, list: &mut DrawList) {
        let after = self.moments.partition_point(|(from, _)| *from <= time);
        let Some((_, texture)) = self.moments.get(after.saturating_sub(1)) else {
            return;
        };
        let low = self.corner - list.origin - DVec3::Z * (BELOW * self.size[0]);
        let corners = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]];
        let place = |[x, y]: [f64; 2]| {
            let offset = DVec3::new(x * self.size[0], y * self.size[1], 0.0);
            (low + offset).as_vec3().to_array()
        };
        list.meshes.push(Mesh {
            positions: corners.map(place).to_vec(),
            normals: vec![[0.0, 0.0, 1.0]; 4],
            texture_coordinates: corners.map(|[x, y]| [x as f32, 1.0 - y as f32]).to_vec(),
            triangles: vec![[0, 1, 2], [0, 2, 3]],
            paint: Paint::Texture(Arc::clone(texture)),
            shading: Shading {
                finish: Finish::CHALK,
                ..Shading::default()
            },
            ..Mesh::default()
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_the_last_moment_with_its_first_row_below() {
        let first = [0.0, 0.5, 1.0, 1.0];
        let second = [1.0, 1.0, 0.0, 0.0];
        let moments = [(0.0, &first[..]), (2.0, &second[..])];
        let corner = DVec3::new(1.0, 2.0, 3.0);
        let image = ImagePlane::new(corner, 0.5, [2, 2], moments.into_iter());
        assert_eq!(image.size, [1.0, 1.0]);
        let mut list = DrawList::default();
        image.draw(1.9, &mut list);
        image.draw(2.0, &mut list);
        let row = |index: usize, row: usize| {
            let Paint::Texture(texture) = &list.meshes[index].paint else {
                panic!("a picture");
            };
            texture.pixels[row * 2..][..2].to_vec()
        };
        let [ink, paper] = [INK, PAPER].map(|color| color.map(|part| part as u8));
        assert_eq!(row(0, 0), [paper, paper], "the upper row comes first");
        assert_eq!(row(0, 1)[0], ink);
        assert_eq!(row(1, 0), [ink, ink]);
        let mesh = &list.meshes[0];
        let lowest = mesh
            .positions
            .iter()
            .position(|p| p[0] == 1.0 && p[1] == 2.0);
        assert_eq!(mesh.texture_coordinates[lowest.unwrap()], [0.0, 1.0]);
        assert!(mesh.positions.iter().all(|p| p[2] < 3.0));
    }
}
