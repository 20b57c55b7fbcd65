//! Where the colour of a body comes from.

use super::StyleError;
use crate::color_map::{Color, linear_from_srgb, mix};
use crate::draw_list::{Mesh, Paint, Texture};
use crate::texture::TextureStore;
use pliant::frame::{Appearance, BaseColor, FrameBody, NodalField};
use std::sync::Arc;

/// Where the colour of a body comes from.
#[derive(Clone, Debug)]
pub enum Coloring {
    /// One colour.
    Plain(Color),
    /// A picture.
    Texture(Arc<Texture>),
    /// A colour at each node.
    Nodes(Vec<Color>),
}

impl Coloring {
    /// The colours that the scene asks for.
    pub fn of(appearance: &Appearance, textures: &TextureStore) -> Result<Self, StyleError> {
        match &appearance.base {
            BaseColor::Color(color) => Ok(Self::Plain(color.map(linear_from_srgb))),
            BaseColor::Texture(path) => match textures.get(path) {
                Some(texture) => Ok(Self::Texture(Arc::clone(texture))),
                None => Err(StyleError::TextureNotLoaded { path: path.clone() }),
            },
        }
    }

    /// The same with what is hot glowing: red from about 700 K on, then orange and yellow. Bodies that
    /// have no temperature, or are cold everywhere, stay as they are, and so do those with a picture.
    pub fn with_heat(self, body: &FrameBody) -> Self {
        let Self::Plain(cold) = self else {
            return self;
        };
        let hot = |field: &&NodalField| {
            field.name == "temperature" && field.values.iter().any(|&kelvin| kelvin > DULL)
        };
        match body.fields.iter().find(hot) {
            Some(field) => {
                let color = |&kelvin: &f64| heated(cold, kelvin);
                Self::Nodes(field.values.iter().map(color).collect())
            }
            None => Self::Plain(cold),
        }
    }

    /// Paints a mesh whose vertices stand at the given nodes.
    pub fn apply(&self, mesh: &mut Mesh, nodes: &[u32]) {
        match self {
            Self::Plain(color) => {
                mesh.paint = Paint::Color(*color);
                mesh.texture_coordinates = Vec::new();
            }
            Self::Texture(texture) => {
                mesh.paint = Paint::Texture(Arc::clone(texture));
                inset(&mut mesh.texture_coordinates, texture);
            }
            Self::Nodes(_) => {
                mesh.paint = Paint::Vertices;
                mesh.colors = nodes.iter().map(|&node| self.at(node, [0.0; 2])).collect();
                mesh.texture_coordinates = Vec::new();
            }
        }
    }

    /// The colour at a node with the given texture coordinates.
    pub fn at(&self, node: u32, texture_coordinates: [f32; 2]) -> Color {
        match self {
            Self::Plain(color) => *color,
            Self::Texture(texture) => sample(texture, texture_coordinates),
            Self::Nodes(colors) => colors.get(node as usize).copied().unwrap_or([0.35; 3]),
        }
    }

    /// One colour that stands for all: the mean of a picture.
    pub fn mean(&self) -> Color {
        let mean_of = |colors: &mut dyn Iterator<Item = Color>| {
            let (mut sum, mut count) = ([0.0; 3], 0.0);
            for color in colors {
                sum = std::array::from_fn(|k| sum[k] + color[k]);
                count += 1.0;
            }
            if count > 0.0 {
                sum.map(|x| x / count)
            } else {
                [0.5; 3]
            }
        };
        match self {
            Self::Plain(color) => *color,
            Self::Texture(texture) => {
                let stride = (texture.pixels.len() / 1024).max(1);
                mean_of(&mut texture.pixels.iter().step_by(stride).map(linear_of_bytes))
            }
            Self::Nodes(colors) => mean_of(&mut colors.iter().copied()),
        }
    }
}

/// Temperature at which things begin to glow, and at which they glow yellow, in kelvins.
const DULL: f64 = 450.0;
const BRIGHT: f64 = 1200.0;

/// A colour at a temperature. Above 1 it is brighter than what it is lit by.
fn heated(cold: Color, kelvin: f64) -> Color {
    let share = ((kelvin - DULL) / (BRIGHT - DULL)).clamp(0.0, 1.0) as f32;
    if share.is_nan() {
        return cold;
    }
    let ember = [
        0.4 + 2.2 * share,
        0.02 + 1.1 * share * share,
        0.01 + 0.3 * share.powi(3),
    ];
    let glowing = (2.2 * share).min(1.0);
    mix(cold, ember, glowing * glowing * (3.0 - 2.0 * glowing))
}

/// Lets coordinates from 0 to 1 run from the middle of the first pixel to the middle of the last:
/// pictures repeat, and the colours of the far edge would shine in along the near one.
fn inset(coordinates: &mut [[f32; 2]], texture: &Texture) {
    let [width, height] = [texture.width, texture.height].map(|x| x.max(1) as f32);
    for [u, v] in coordinates {
        *u = (*u * (width - 1.0) + 0.5) / width;
        *v = (*v * (height - 1.0) + 0.5) / height;
    }
}

fn linear_of_bytes(pixel: &[u8; 3]) -> Color {
    pixel.map(|byte| linear_from_srgb(f64::from(byte) / 255.0))
}

/// The pixel of a picture at texture coordinates; outside it repeats.
fn sample(texture: &Texture, [u, v]: [f32; 2]) -> Color {
    let index = |x: f32, count: usize| {
        // The end of the picture is its last pixel, not the first of the next copy.
        let share = if x == 1.0 { 1.0 } else { x.rem_euclid(1.0) };
        ((share * count as f32) as usize).min(count.saturating_sub(1))
    };
    let (column, row) = (index(u, texture.width), index(v, texture.height));
    texture
        .pixels
        .get(row * texture.width + column)
        .map_or([0.5; 3], linear_of_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_sampled_from_the_top_and_repeat() {
        let pixels = vec![[255, 0, 0], [0, 255, 0], [0, 0, 255], [255; 3]];
        let texture = Texture {
            width: 2,
            height: 2,
            pixels,
        };
        let coloring = Coloring::Texture(Arc::new(texture));
        assert_eq!(coloring.at(0, [0.1, 0.1]), [1.0, 0.0, 0.0]);
        assert_eq!(coloring.at(0, [1.0, 0.1]), [0.0, 1.0, 0.0]);
        assert_eq!(coloring.at(0, [-0.9, 0.9]), [0.0, 0.0, 1.0]);
        assert_eq!(coloring.mean(), [0.5; 3]);
        assert!(coloring.at(0, [f32::NAN; 2])[0].is_finite());
        let empty = Coloring::Texture(Arc::new(Texture::default()));
        assert!(empty.at(0, [0.5; 2])[0].is_finite() && empty.mean()[0].is_finite());
    }

    #[test]
    fn what_is_hot_glows_and_what_is_cold_does_not() {
        let mut frame = crate::stylist::test_frames::sheet(2, 2);
        let body = &mut frame.bodies[0];
        let blue = [0.1, 0.2, 0.8];
        let cold = Coloring::Plain(blue).with_heat(body);
        assert!(matches!(cold, Coloring::Plain(_)));
        body.fields.push(NodalField {
            name: "temperature",
            unit: "K",
            values: vec![293.0, 600.0, 900.0, 1500.0],
        });
        let hot = Coloring::Plain(blue).with_heat(body);
        let reds: Vec<f32> = (0..4).map(|node| hot.at(node, [0.0; 2])[0]).collect();
        assert_eq!(hot.at(0, [0.0; 2]), blue);
        assert!(reds.windows(2).all(|pair| pair[0] < pair[1]), "{reds:?}");
        assert!(hot.at(3, [0.0; 2])[1] > hot.at(2, [0.0; 2])[1]);
    }

    #[test]
    fn a_texture_that_was_not_loaded_is_an_error() {
        let appearance = Appearance::texture("nowhere.png");
        let error = Coloring::of(&appearance, &TextureStore::default()).unwrap_err();
        assert!(error.to_string().contains("nowhere.png"));
    }
}
