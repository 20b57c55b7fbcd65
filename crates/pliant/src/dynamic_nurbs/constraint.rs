//! What samples of a dynamic NURBS must keep.

use glam::DVec3;

/// A linear constraint on samples: Σ a · x = value.
#[derive(Clone, Debug)]
pub(crate) struct Constraint {
    pub(crate) functional: Vec<(usize, DVec3)>,
    pub(crate) value: f64,
}

impl Constraint {
    /// By how much it is missed, in metres.
    pub(super) fn missed(&self, positions: &[DVec3]) -> f64 {
        let terms = self.functional.iter();
        terms.map(|(node, a)| a.dot(positions[*node])).sum::<f64>() - self.value
    }
}
