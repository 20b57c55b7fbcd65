//! Texture coordinates of triangles, for formats that carry images.
//!
//! What has an image gets coordinates as pictures lay it on (`pliant::image_layout`): as its mesh file
//! says, over the material coordinates, or from the side that each triangle faces. What has none keeps
//! those of its file, else its first two material coordinates. Where a periodic direction closes, a cell
//! runs from the last node (say 0.9) to the first (0.0), and the whole image would be squeezed into it
//! backwards; there the first node gets the coordinate 1.0.

use glam::DVec3;
use pliant::frame::{Appearance, BaseColor, Topology};
use pliant::image_layout::{ImageLayout, Material};
use std::collections::HashMap;

/// Where triangles lie on an image: 0 to 1 from left to right and from the bottom up.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum TextureCoordinates {
    /// Each node has one place, in all its triangles.
    Nodes(Vec<[f64; 2]>),
    /// Nodes have several: the places of the corners of each triangle.
    Corners(Vec<[[f64; 2]; 3]>),
}

impl TextureCoordinates {
    /// Those of a body or an obstacle whose nodes were first at `first_positions`; `None` without
    /// triangles, and for what has neither image nor coordinates.
    pub(crate) fn new(
        topology: &Topology,
        appearance: &Appearance,
        first_positions: &[DVec3],
    ) -> Option<Self> {
        let triangles = &topology.triangles[..];
        let layout = ImageLayout::new(appearance);
        let material = Material::new(topology, triangles);
        let first_two = |triangle: &[u32; 3]| material.unwrapped(*triangle).map(|[u, v, _]| [u, v]);
        let corners = if triangles.is_empty() {
            return None;
        } else if has_image(appearance) {
            layout.corners(&material, triangles, first_positions)
        } else if let Some(filed) = layout.of_file(triangles) {
            filed
        } else if material.is_empty() {
            return None;
        } else {
            triangles.iter().map(first_two).collect()
        };
        Some(Self::simplest(&corners, topology))
    }

    /// By nodes if each lies at its material coordinates, else by corners.
    fn simplest(corners: &[[[f64; 2]; 3]], topology: &Topology) -> Self {
        let coordinates = &topology.material_coordinates;
        let lies = |(place, node): (&[f64; 2], &u32)| {
            let found = coordinates.get(*node as usize);
            found.is_some_and(|found| found[..2] == place[..])
        };
        let nodes = topology.triangles.as_flattened();
        match corners.as_flattened().iter().zip(nodes).all(lies) {
            true => Self::Nodes(coordinates.iter().map(|&[u, v, _]| [u, v]).collect()),
            false => Self::Corners(corners.to_vec()),
        }
    }

    /// The place of a corner of a triangle with these nodes.
    pub(crate) fn corner(&self, triangle: usize, nodes: [u32; 3], corner: usize) -> [f64; 2] {
        match self {
            Self::Nodes(places) => places[nodes[corner] as usize],
            Self::Corners(corners) => corners[triangle][corner],
        }
    }
}

/// Whether an image is laid on it.
pub(crate) fn has_image(appearance: &Appearance) -> bool {
    matches!(appearance.base, BaseColor::Texture(_))
}

/// The shapes in which things with images were first seen, by a key of their own and their number of
/// nodes.
#[derive(Debug)]
pub(crate) struct FirstShapes<K> {
    shapes: HashMap<(K, usize), Vec<DVec3>>,
}

impl<K> Default for FirstShapes<K> {
    fn default() -> Self {
        Self {
            shapes: HashMap::new(),
        }
    }
}

impl<K: std::hash::Hash + Eq> FirstShapes<K> {
    /// Sees a thing; only what has an image is remembered.
    pub(crate) fn see(&mut self, key: K, appearance: &Appearance, positions: &[DVec3]) {
        if has_image(appearance) {
            let key = (key, positions.len());
            self.shapes.entry(key).or_insert_with(|| positions.to_vec());
        }
    }

    /// The first positions of a thing with that many nodes; empty if it has no image.
    pub(crate) fn of(&self, key: K, node_count: usize) -> &[DVec3] {
        let shape = self.shapes.get(&(key, node_count));
        shape.map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pliant::frame::ImageCorners;
    use std::sync::Arc;

    fn tube() -> Topology {
        Topology {
            material_coordinates: (0..8)
                .map(|i| [f64::from(i % 4) / 4.0, f64::from(i / 4), 0.0])
                .collect(),
            triangles: vec![[0, 1, 5], [3, 0, 4]],
            ..Topology::default()
        }
    }

    #[test]
    fn only_the_cell_that_closes_is_shifted() {
        let found = TextureCoordinates::new(&tube(), &Appearance::default(), &[]).unwrap();
        let expected = vec![
            [[0.0, 0.0], [0.25, 0.0], [0.25, 1.0]],
            [[0.75, 0.0], [1.0, 0.0], [1.0, 1.0]],
        ];
        assert_eq!(found, TextureCoordinates::Corners(expected));
        let mut whole = tube();
        whole.triangles.pop();
        let found = TextureCoordinates::new(&whole, &Appearance::default(), &[]).unwrap();
        assert!(matches!(&found, TextureCoordinates::Nodes(places) if places.len() == 8));
        assert_eq!(found.corner(0, [0, 1, 5], 2), [0.25, 1.0]);
        let empty = Topology::default();
        assert_eq!(
            TextureCoordinates::new(&empty, &Appearance::texture("a.png"), &[]),
            None
        );
    }

    #[test]
    fn a_mesh_has_the_coordinates_of_its_file_or_is_seen_from_its_sides() {
        let topology = Topology {
            triangles: vec![[0, 1, 2]],
            ..Topology::default()
        };
        let places = [DVec3::ZERO, 2.0 * DVec3::X, DVec3::Y];
        let found =
            |appearance: &Appearance| TextureCoordinates::new(&topology, appearance, &places);
        assert_eq!(found(&Appearance::default()), None);
        let sides = found(&Appearance::texture("a.png")).unwrap();
        assert_eq!(sides.corner(0, [0, 1, 2], 1), [1.0, 0.0]);
        assert_eq!(sides.corner(0, [0, 1, 2], 2), [0.0, 0.5]);
        let mut corners = ImageCorners::default();
        corners.insert([0, 1, 2], [[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]]);
        let mut filed = Appearance::texture("a.png");
        filed.image_corners = Some(Arc::new(corners));
        let of_file = found(&filed).unwrap();
        assert_eq!(of_file.corner(0, [0, 1, 2], 2), [0.5, 0.6]);
        // Also without an image: other programs may lay one on.
        filed.base = BaseColor::default();
        assert_eq!(found(&filed), Some(of_file));
    }
}
