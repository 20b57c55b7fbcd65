//! How far a square sheet is stretched: lengths of the edges along its sides by their lengths at rest.

use glam::DVec3;

/// Mean, 99th percentile and largest ratio of lengths.
#[derive(Clone, Copy)]
pub struct Stretch {
    pub mean: f64,
    pub most: f64,
    pub largest: f64,
}

/// Of a sheet of `side` x `side` nodes, row by row, that is flat and evenly spaced at rest.
pub fn stretch_of_sheet(positions: &[DVec3], side: usize, spacing: f64) -> Stretch {
    let mut ratios = Vec::new();
    for node in 0..side * side {
        let right = (node % side + 1 < side).then_some(node + 1);
        let above = (node / side + 1 < side).then_some(node + side);
        for other in [right, above].into_iter().flatten() {
            ratios.push((positions[other] - positions[node]).length() / spacing);
        }
    }
    ratios.sort_by(f64::total_cmp);
    Stretch {
        mean: ratios.iter().sum::<f64>() / ratios.len() as f64,
        most: ratios[ratios.len() * 99 / 100],
        largest: ratios[ratios.len() - 1],
    }
}
