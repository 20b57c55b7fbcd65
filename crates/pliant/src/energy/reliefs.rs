//! What a Hessian lacks of a sparse matrix: directions that couple all nodes.

use glam::DVec3;

/// Directions u over nodes; the Hessian is a matrix less Σ u uᵀ.
#[derive(Clone, Debug, Default)]
pub struct Reliefs {
    entries: Vec<(u32, DVec3)>,
    /// Where each direction ends.
    ends: Vec<usize>,
}

impl Reliefs {
    /// Takes all directions out.
    pub fn clear(&mut self) {
        self.entries.clear();
        self.ends.clear();
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Adds a direction by its vectors at nodes.
    pub fn push(&mut self, direction: impl Iterator<Item = (usize, DVec3)>) {
        let entries = direction.map(|(node, vector)| (node as u32, vector));
        self.entries.extend(entries);
        self.ends.push(self.entries.len());
    }

    /// Subtracts Σ u (u · motion) from forces.
    pub fn subtract(&self, motion: &[DVec3], forces: &mut [DVec3]) {
        let mut first = 0;
        for &end in &self.ends {
            let direction = &self.entries[first..end];
            let along = direction
                .iter()
                .map(|(node, u)| u.dot(motion[*node as usize]));
            let along: f64 = along.sum();
            for (node, u) in direction {
                forces[*node as usize] -= along * *u;
            }
            first = end;
        }
    }
}
