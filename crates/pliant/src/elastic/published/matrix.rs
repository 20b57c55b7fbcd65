//! The matrix of the published scheme: what a step treats implicitly.

use super::{PublishedElasticity, PublishedForm};
use crate::elastic::positive_part::positive_part;
use crate::linear::GridMatrix;

impl PublishedElasticity {
    /// Sets the matrix to what the step treats implicitly, after `evaluate_and_add_gradient`.
    pub fn set_implicit_stiffness(&mut self, matrix: &mut GridMatrix) {
        if let Some(lanes) = &mut self.lanes {
            lanes.set_stiffness(&self.families, matrix);
            return;
        }
        matrix.clear();
        self.add_stiffness(matrix);
    }

    /// Adds to the matrix what the step treats implicitly, after `evaluate`.
    pub fn add_stiffness(&mut self, matrix: &mut GridMatrix) {
        match self.dimension {
            1 => self.curve_weights(),
            2 => self.surface_weights(),
            _ => self.solid_weights(),
        }
        for (family, weights) in self.families.iter().zip(&self.pair_weights) {
            family.add(matrix, |node| weights[node]);
        }
    }

    /// The implicit tension tensor of a node, with the inertia of the stable form on its diagonal.
    #[inline]
    fn implicit_tension(&self, node: usize) -> [f64; 6] {
        let a = &self.a[node];
        if self.form == PublishedForm::AsPrinted {
            return *a;
        }
        let mut positive = positive_part(a);
        let (w, rest) = (&self.tension[node], &self.rest_metric[node]);
        // G = rest + a / w; only its size matters here.
        let metric = |p: usize| {
            if w[p] > 0.0 {
                rest[p] + a[p] / w[p]
            } else {
                rest[p]
            }
        };
        let g = [0, 1, 2].map(|p| metric(p).max(rest[p]));
        positive[0] += 2.0 * w[0] * g[0] + w[3] * g[1] + w[4] * g[2];
        positive[1] += 2.0 * w[1] * g[1] + w[3] * g[0] + w[5] * g[2];
        positive[2] += 2.0 * w[2] * g[2] + w[4] * g[0] + w[5] * g[1];
        positive
    }

    fn curve_weights(&mut self) {
        let q = self.inverse_spacing[0] * self.inverse_spacing[0];
        for node in 0..self.a.len() {
            let after = self.next[node][0] as usize;
            let mut weight = q * self.implicit_tension(node)[0];
            if self.has_rigidity && after != node {
                let b = [node, after].map(|n| self.implicit_rigidity[n][0]);
                weight += 2.0 * q * q * (b[0] + b[1]);
                self.pair_weights[1][self.previous[node][0] as usize] = 0.0;
            }
            self.pair_weights[0][node] = weight;
        }
        if self.has_rigidity {
            for node in 0..self.a.len() {
                if self.has_previous(node, 0) {
                    self.pair_weights[1][self.previous[node][0] as usize] =
                        -q * q * self.implicit_rigidity[node][0];
                }
            }
        }
    }

    fn surface_weights(&mut self) {
        let [i0, i1, _] = self.inverse_spacing;
        let (q0, q1, q01) = (i0 * i0, i1 * i1, i0 * i1);
        for weights in &mut self.pair_weights {
            weights.fill(0.0);
        }
        for node in 0..self.a.len() {
            let a = self.implicit_tension(node);
            self.pair_weights[0][node] += q0 * a[0] + q01 * a[3];
            self.pair_weights[1][node] += q1 * a[1] + q01 * a[3];
            if a[3] != 0.0 {
                let right = self.next[node][0] as usize;
                self.pair_weights[2][right] -= q01 * a[3];
            }
            if !self.has_rigidity {
                continue;
            }
            let b = self.implicit_rigidity[node];
            let [before0, before1, _] = self.previous[node].map(|n| n as usize);
            if b[0] != 0.0 {
                let w = q0 * q0 * b[0];
                self.pair_weights[0][before0] += 2.0 * w;
                self.pair_weights[0][node] += 2.0 * w;
                self.pair_weights[4][before0] -= w;
            }
            if b[1] != 0.0 {
                let w = q1 * q1 * b[1];
                self.pair_weights[1][before1] += 2.0 * w;
                self.pair_weights[1][node] += 2.0 * w;
                self.pair_weights[5][before1] -= w;
            }
            if b[2] != 0.0 {
                let w = q01 * q01 * b[2];
                let [right, above, _] = self.next[node].map(|n| n as usize);
                self.pair_weights[0][node] += w;
                self.pair_weights[0][above] += w;
                self.pair_weights[1][node] += w;
                self.pair_weights[1][right] += w;
                self.pair_weights[2][right] -= w;
                self.pair_weights[3][node] -= w;
            }
        }
    }

    fn solid_weights(&mut self) {
        for weights in &mut self.pair_weights {
            weights.fill(0.0);
        }
        let i = self.inverse_spacing;
        for node in 0..self.a.len() {
            let a = self.implicit_tension(node);
            let next = self.next[node].map(|n| n as usize);
            for d in 0..3 {
                self.pair_weights[d][node] += i[d] * i[d] * a[d];
            }
            // The step of a mixed family leads from the end of the first edge to that of the
            // second: [-1, 1, 0], [-1, 0, 1], [0, -1, 1].
            for (family, p, first, second) in [(3, 3, 0, 1), (4, 4, 0, 2), (5, 5, 1, 2)] {
                if a[p] == 0.0 {
                    continue;
                }
                let w = i[first] * i[second] * a[p];
                self.pair_weights[first][node] += w;
                self.pair_weights[second][node] += w;
                self.pair_weights[family][next[first]] -= w;
            }
        }
    }
}
