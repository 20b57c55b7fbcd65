//! Fields with the three components of a node side by side, for methods that visit node by node.

use glam::DVec3;

/// The components of a node; the fourth is always zero and fills the vector register.
pub(crate) type Lanes = [f64; 4];

/// Spreads a flat component-major field over lanes.
pub(crate) fn gather(flat: &[f64], lanes: &mut [Lanes]) {
    let n = lanes.len();
    for (node, lanes) in lanes.iter_mut().enumerate() {
        *lanes = [flat[node], flat[n + node], flat[2 * n + node], 0.0];
    }
}

/// The inverse of [`gather`].
pub(crate) fn scatter(lanes: &[Lanes], flat: &mut [f64]) {
    let n = lanes.len();
    for (node, lanes) in lanes.iter().enumerate() {
        for c in 0..3 {
            flat[c * n + node] = lanes[c];
        }
    }
}

/// Spreads a field of vectors over lanes.
pub(crate) fn gather_vectors(vectors: &[DVec3], lanes: &mut [Lanes]) {
    for (lanes, v) in lanes.iter_mut().zip(vectors) {
        *lanes = [v.x, v.y, v.z, 0.0];
    }
}

/// The inverse of [`gather_vectors`].
pub(crate) fn scatter_vectors(lanes: &[Lanes], vectors: &mut [DVec3]) {
    for (v, lanes) in vectors.iter_mut().zip(lanes) {
        *v = DVec3::new(lanes[0], lanes[1], lanes[2]);
    }
}

/// a + s b.
#[inline(always)]
pub(crate) fn add_scaled(a: Lanes, s: f64, b: Lanes) -> Lanes {
    std::array::from_fn(|c| a[c] + s * b[c])
}

/// The dot products of the components.
pub(crate) fn dots(a: &[Lanes], b: &[Lanes]) -> Lanes {
    let mut sums = [0.0; 4];
    for (a, b) in a.iter().zip(b) {
        sums = std::array::from_fn(|c| sums[c] + a[c] * b[c]);
    }
    sums
}
