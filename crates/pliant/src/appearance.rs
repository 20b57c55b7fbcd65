//! How things look: plain data that the engine hands on and never reads.

use std::collections::HashMap;
use std::sync::Arc;

/// How a thing looks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Appearance {
    /// Where its colour comes from.
    pub base: BaseColor,
    /// How light falls on it; `None` leaves that to whoever draws it.
    pub finish: Option<Finish>,
    /// Width of one image, in metres; images repeat beyond. `None` lays a single one over the whole
    /// thing.
    pub image_width: Option<f64>,
    /// Where an image lies on each triangle, if a file says so; else it is laid over the material
    /// coordinates, or from the side that each triangle faces.
    pub image_corners: Option<Arc<ImageCorners>>,
}

/// Where the corners of triangles lie on an image: 0 to 1 from left to right and from the bottom up.
/// Triangles at a seam have places of their own for nodes that they share.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ImageCorners {
    /// By the nodes of the triangle, the lowest first.
    places: HashMap<[u32; 3], [[f64; 2]; 3]>,
    /// Places of nodes, for triangles that have none of their own.
    nodes: Vec<[f64; 2]>,
}

impl ImageCorners {
    /// Nodes that have the same place in all their triangles.
    pub fn at_nodes(places: Vec<[f64; 2]>) -> Self {
        Self {
            nodes: places,
            ..Self::default()
        }
    }

    /// Says where a triangle lies.
    pub fn insert(&mut self, triangle: [u32; 3], places: [[f64; 2]; 3]) {
        let order = sorted(triangle);
        self.places
            .insert(order.map(|k| triangle[k]), order.map(|k| places[k]));
    }

    /// Where a triangle lies, whichever way it is turned.
    pub fn of(&self, triangle: [u32; 3]) -> Option<[[f64; 2]; 3]> {
        let order = sorted(triangle);
        let Some(found) = self.places.get(&order.map(|k| triangle[k])) else {
            let [a, b, c] = triangle.map(|node| self.nodes.get(node as usize).copied());
            return Some([a?, b?, c?]);
        };
        let mut places = [[0.0; 2]; 3];
        for (place, k) in found.iter().zip(order) {
            places[k] = *place;
        }
        Some(places)
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.places.is_empty() && self.nodes.is_empty()
    }
}

/// The corners of a triangle in the order of their nodes.
fn sorted(triangle: [u32; 3]) -> [usize; 3] {
    let mut order = [0, 1, 2];
    order.sort_by_key(|&k| triangle[k]);
    order
}

impl Appearance {
    /// One colour, red, green and blue between 0 and 1.
    pub fn color(color: [f64; 3]) -> Self {
        Self {
            base: BaseColor::Color(color),
            ..Self::default()
        }
    }

    /// An image file laid over the material coordinates.
    pub fn texture(image: impl Into<String>) -> Self {
        Self {
            base: BaseColor::Texture(image.into()),
            ..Self::default()
        }
    }
}

/// Where the colour of a thing comes from.
#[derive(Clone, Debug, PartialEq)]
pub enum BaseColor {
    /// One colour, red, green and blue between 0 and 1, as a screen shows them (sRGB).
    Color([f64; 3]),
    /// An image file laid over the material coordinates.
    Texture(String),
}

impl Default for BaseColor {
    fn default() -> Self {
        Self::Color([0.7, 0.7, 0.7])
    }
}

/// How light falls on a surface. All values lie between 0 and 1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finish {
    /// 0 is a mirror, 1 is chalk.
    pub roughness: f64,
    /// 1 for a metal, whose reflections have its colour.
    pub metallic: f64,
    /// Below 1 what lies behind shines through.
    pub opacity: f64,
    /// Light that fine fibres catch where the surface turns away from the eye.
    pub sheen: f64,
    /// How far light gets inside: 0 for stone, 1 for jelly.
    pub subsurface: f64,
    /// Light of its own, as a share of its colour: 0 for what is cold, 1 for embers.
    pub glow: f64,
}

/// A finish with a name.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FinishPreset {
    /// As scenes name it.
    pub name: &'static str,
    /// What it is.
    pub finish: Finish,
}

impl Finish {
    /// Neither rough nor smooth, and opaque.
    pub const PLAIN: Self = Self {
        roughness: 0.5,
        metallic: 0.0,
        opacity: 1.0,
        sheen: 0.0,
        subsurface: 0.0,
        glow: 0.0,
    };

    /// The finishes that have names.
    pub const PRESETS: &[FinishPreset] = &[
        FinishPreset {
            name: "cloth",
            finish: Self {
                roughness: 0.85,
                sheen: 0.6,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "silk",
            finish: Self {
                roughness: 0.42,
                sheen: 0.5,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "rubber",
            finish: Self {
                roughness: 0.4,
                subsurface: 0.12,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "plastic",
            finish: Self {
                roughness: 0.2,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "metal",
            finish: Self {
                roughness: 0.28,
                metallic: 1.0,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "jelly",
            finish: Self {
                roughness: 0.12,
                subsurface: 1.0,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "film",
            finish: Self {
                roughness: 0.12,
                opacity: 0.3,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "clay",
            finish: Self {
                roughness: 0.75,
                subsurface: 0.15,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "wood",
            finish: Self {
                roughness: 0.55,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "skin",
            finish: Self {
                roughness: 0.48,
                sheen: 0.15,
                subsurface: 0.5,
                ..Self::PLAIN
            },
        },
        FinishPreset {
            name: "chalk",
            finish: Self {
                roughness: 1.0,
                ..Self::PLAIN
            },
        },
    ];

    /// The finish of a name.
    pub fn preset(name: &str) -> Option<Self> {
        let found = Self::PRESETS.iter().find(|preset| preset.name == name);
        found.map(|preset| preset.finish)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_triangle_keeps_its_place_whichever_way_it_is_turned() {
        let mut corners = ImageCorners::default();
        let places = [[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]];
        corners.insert([7, 2, 5], places);
        assert_eq!(corners.of([7, 2, 5]), Some(places));
        assert_eq!(
            corners.of([2, 5, 7]),
            Some([places[1], places[2], places[0]])
        );
        assert_eq!(
            corners.of([5, 2, 7]),
            Some([places[2], places[1], places[0]])
        );
        assert_eq!(corners.of([5, 2, 6]), None);
    }

    #[test]
    fn a_node_has_one_place_unless_a_triangle_has_its_own() {
        let mut corners = ImageCorners::at_nodes(vec![[0.0, 0.0], [1.0, 0.0], [0.5, 1.0]]);
        assert!(!corners.is_empty());
        assert_eq!(
            corners.of([2, 0, 1]),
            Some([[0.5, 1.0], [0.0, 0.0], [1.0, 0.0]])
        );
        assert_eq!(corners.of([2, 0, 3]), None);
        corners.insert([2, 0, 1], [[0.1; 2], [0.2; 2], [0.3; 2]]);
        assert_eq!(corners.of([0, 1, 2]), Some([[0.2; 2], [0.3; 2], [0.1; 2]]));
    }
}
