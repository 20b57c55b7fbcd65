//! Where the colour of a body comes from.

use super::StyleError;
use crate::color_map::{Color, linear_from_srgb};
use crate::draw_list::{Mesh, Paint, Texture};
use crate::texture::TextureStore;
use pliant::frame::{Appearance, BaseColor};
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
    fn a_texture_that_was_not_loaded_is_an_error() {
        let appearance = Appearance::texture("nowhere.png");
        let error = Coloring::of(&appearance, &TextureStore::default()).unwrap_err();
        assert!(error.to_string().contains("nowhere.png"));
    }
}
