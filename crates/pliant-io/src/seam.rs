//! Texture coordinates of triangles, with the seam of closed bodies mended.
//!
//! Where a periodic direction closes, a cell runs from the last node (say 0.9) to the first (0.0),
//! and the whole image would be squeezed into it backwards; there the first node gets the
//! coordinate 1.0.

use pliant::frame::Topology;

/// How far the texture coordinates of a corner are from those of its node: whole images, along the
/// first and the second direction.
pub(crate) type Shift = [bool; 2];

/// The seams of a body.
pub(crate) struct Seams<'a> {
    coordinates: &'a [[f64; 3]],
    /// Which directions are periodic.
    closes: [bool; 2],
}

impl<'a> Seams<'a> {
    /// The seams of a topology; `None` without material coordinates.
    pub(crate) fn new(topology: &'a Topology) -> Option<Self> {
        let coordinates = &topology.material_coordinates;
        if coordinates.is_empty() {
            return None;
        }
        // The nodes of a periodic direction end one spacing before 1, all others at 1.
        let closes = std::array::from_fn(|direction| {
            coordinates
                .iter()
                .all(|entry| entry[direction] < 1.0 - 1e-9)
        });
        Some(Self {
            coordinates,
            closes,
        })
    }

    /// The shift of each corner of a triangle.
    pub(crate) fn shifts(&self, corners: [u32; 3]) -> [Shift; 3] {
        let wraps: [bool; 2] = std::array::from_fn(|direction| {
            let values = corners.map(|corner| self.coordinates[corner as usize][direction]);
            let largest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
            let smallest = values.into_iter().fold(f64::INFINITY, f64::min);
            self.closes[direction] && largest - smallest > 0.5
        });
        corners.map(|corner| {
            let entry = self.coordinates[corner as usize];
            std::array::from_fn(|direction| wraps[direction] && entry[direction] < 0.5)
        })
    }

    /// The texture coordinates of a node, shifted.
    pub(crate) fn texture(&self, node: u32, shift: Shift) -> [f64; 2] {
        let [u, v, _] = self.coordinates[node as usize];
        [u + f64::from(shift[0]), v + f64::from(shift[1])]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_cell_that_closes_is_shifted() {
        let topology = Topology {
            material_coordinates: (0..8)
                .map(|i| [f64::from(i % 4) / 4.0, f64::from(i / 4), 0.0])
                .collect(),
            ..Topology::default()
        };
        let seams = Seams::new(&topology).unwrap();
        assert_eq!(seams.shifts([0, 1, 5]), [[false; 2]; 3]);
        let shifts = seams.shifts([3, 0, 4]);
        assert_eq!(shifts, [[false, false], [true, false], [true, false]]);
        assert_eq!(seams.texture(4, shifts[2]), [1.0, 1.0]);
        assert!(Seams::new(&Topology::default()).is_none());
    }
}
