//! How far rigid boxes are in each other, and in the floor, by separating axes.
//!
//! Two boxes are apart if there is a direction among the normals of their faces and the products of
//! their edges along which they are apart; else the least overlap along these is how far they are in
//! each other.

use glam::DVec3;

/// Corners of a box; the bits of a corner's number are its sides along x, y and z.
pub const CORNERS: usize = 8;

/// What overlaps.
#[derive(Clone, Copy, Default)]
pub struct Overlap {
    /// Pairs of boxes that overlap.
    pub pairs: usize,
    /// How far two boxes are in each other at most, in metres.
    pub depth: f64,
    /// How far a corner is below the floor z = 0 at most, in metres.
    pub below_floor: f64,
}

/// Of boxes by their corners, one box after the other.
pub fn overlap_of_boxes(corners: &[DVec3]) -> Overlap {
    let boxes: Vec<&[DVec3]> = corners.chunks(CORNERS).collect();
    let lowest = corners.iter().map(|x| x.z).fold(0.0, f64::min);
    let mut overlap = Overlap {
        below_floor: 0.0 - lowest,
        ..Overlap::default()
    };
    for (index, one) in boxes.iter().enumerate() {
        for other in &boxes[..index] {
            let depth = depth(one, other);
            overlap.pairs += usize::from(depth > 0.0);
            overlap.depth = overlap.depth.max(depth);
        }
    }
    overlap
}

/// Edges of a box, one of each direction.
fn edges(corners: &[DVec3]) -> [DVec3; 3] {
    [1, 2, 4].map(|corner| corners[corner] - corners[0])
}

/// The least overlap along all directions; zero or less if the boxes are apart.
fn depth(one: &[DVec3], other: &[DVec3]) -> f64 {
    let (a, b) = (edges(one), edges(other));
    let products = a.iter().flat_map(|a| b.iter().map(|b| a.cross(*b)));
    let directions = a.iter().chain(&b).copied().chain(products);
    let mut least = f64::INFINITY;
    for direction in directions.filter_map(DVec3::try_normalize) {
        let [low, high] = extent(one, direction);
        let [other_low, other_high] = extent(other, direction);
        least = least.min((high - other_low).min(other_high - low));
        if least <= 0.0 {
            return least;
        }
    }
    least
}

fn extent(corners: &[DVec3], direction: DVec3) -> [f64; 2] {
    let along = corners.iter().map(|x| x.dot(direction));
    along.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], x| {
        [low.min(x), high.max(x)]
    })
}
