//! The primal elastic force as published: a stiffness matrix K(x) over the nodes, the same for
//! each coordinate.
//!
//! ```text
//! a_ij = w¹_ij (D_i⁺x · D_j⁺x - G_ij⁰)              tension coefficients
//! b_ij = w²_ij |n · D_ij x - B_ij⁰|                 rigidity coefficients
//! e    = Σ_ij -D_i⁻(a_ij D_j⁺ x) + D_ij⁻(b_ij D_ij⁺ x) = K(x) x
//! ```
//!
//! Differences that reach beyond a free edge are zero. As D⁻ is the negative transpose of D⁺, K is
//! the symmetric matrix of the quadratic form `Σ a_ij D_i⁺z·D_j⁺z + b_ij |D_ij z|²`, a weighted
//! graph Laplacian (see `edge_laplacian.rs`).
//!
//! Implements: \[Terzopoulos1988\] eq. 26-37, \[Thesis2004\] sect. 3.2-3.4. Curves and solids by
//! restriction and extension, as the paper says.
//!
//! What the semi-implicit step puts into its matrix:
//! - *as printed*: K itself. Under compression a_ij turns negative and K indefinite; besides, K
//!   holds only the part of the stiffness that tension brings and not that of the material,
//!   2 w¹ x_i x_iᵀ, so a slack sheet is integrated explicitly. Both make the scheme explode.
//! - *stable*: K at the predicted positions; of it the positive part (the negative part of the
//!   tensor a_ij is applied explicitly), and the stiffness of the material, 2 w¹ G of an edge and
//!   w² |x_ij| of a bend, as a multiple of the change of velocity. That term is an inertia of order
//!   step²: it bounds the frequency of what the step cannot follow and leaves equilibria and slow
//!   motion alone. G counts with at least its rest value, as a compressed edge will expand.
//!
//! The normal n is taken from central differences, as \[Thesis2004\] sect. 3.7 does; eq. 34 has
//! forward ones, which do not exist at two of the edges.
//!
//! The absolute value in b_ij is that of \[Thesis2004\] eq. 3.2.14: with the sign of eq. 33 the
//! force of a surface that is less curved than its rest shape points away from it (see
//! `normal_curvature.rs`). *As printed* keeps the sign.

mod matrix;

use super::edge_laplacian::PairFamily;
use super::published_lanes::PublishedLanes;
use super::weights::Weights;
use crate::grid::Grid;
use glam::DVec3;

/// Which form of the published scheme.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PublishedForm {
    /// With the changes that keep it stable.
    Stable,
    /// Exactly as in the paper.
    AsPrinted,
}

/// Pairs (i, j) of directions, in the order in which coefficients are stored.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// The published elastic force of one body.
#[derive(Debug)]
pub struct PublishedElasticity {
    form: PublishedForm,
    dimension: usize,
    /// 1 / h of each direction.
    inverse_spacing: [f64; 3],
    /// The next and the previous node in each direction; the node itself if there is none.
    next: Vec<[u32; 3]>,
    previous: Vec<[u32; 3]>,
    /// Weights w¹ and rest metric, by pair of directions; zero weight where a difference is void.
    tension: Vec<[f64; 6]>,
    rest_metric: Vec<[f64; 6]>,
    /// Weights w² and rest curvature for 11, 22 and 12 (12 holds both 12 and 21).
    rigidity: Vec<[f64; 3]>,
    rest_curvature: Vec<[f64; 3]>,
    has_rigidity: bool,
    /// Coefficients at the last `evaluate`.
    a: Vec<[f64; 6]>,
    b: Vec<[f64; 3]>,
    /// What the matrix has in the place of b: see `evaluate`.
    implicit_rigidity: Vec<[f64; 3]>,
    /// Weights of the pairs of nodes for the matrix.
    families: Vec<PairFamily>,
    pair_weights: Vec<Vec<f64>>,
    /// A faster way for the bodies that have one.
    lanes: Option<PublishedLanes>,
}

impl PublishedElasticity {
    /// For a body of given rest shape and weights.
    pub fn new(grid: &Grid, rest: &[DVec3], weights: &Weights, form: PublishedForm) -> Self {
        let dimension = grid.dimension();
        let node_count = grid.node_count();
        let around = |sign: i32| -> Vec<[u32; 3]> {
            grid.nodes()
                .map(|coordinates| {
                    std::array::from_fn(|d| {
                        let mut step = [0; 3];
                        step[d] = sign;
                        grid.neighbour(coordinates, step)
                            .unwrap_or(grid.index(coordinates)) as u32
                    })
                })
                .collect()
        };
        let mut published = Self {
            form,
            dimension,
            inverse_spacing: std::array::from_fn(|d| {
                if d < dimension {
                    1.0 / grid.spacing(d)
                } else {
                    0.0
                }
            }),
            next: around(1),
            previous: around(-1),
            tension: Vec::new(),
            rest_metric: vec![[0.0; 6]; node_count],
            rigidity: Vec::new(),
            rest_curvature: vec![[0.0; 3]; node_count],
            has_rigidity: false,
            a: vec![[0.0; 6]; node_count],
            b: vec![[0.0; 3]; node_count],
            implicit_rigidity: vec![[0.0; 3]; node_count],
            families: Vec::new(),
            pair_weights: Vec::new(),
            lanes: None,
        };
        published.set_weights(weights);
        for node in 0..node_count {
            published.rest_metric[node] = published.metric(rest, node);
            published.rest_curvature[node] = published.curvature(rest, node);
        }
        published.families = published
            .steps()
            .iter()
            .map(|&s| PairFamily::new(grid, s))
            .collect();
        published.pair_weights = vec![vec![0.0; node_count]; published.families.len()];
        if form == PublishedForm::Stable {
            let pick = |six: [f64; 6]| [six[0], six[1], six[3]];
            published.lanes = PublishedLanes::new(
                grid,
                |node| pick(published.tension[node]),
                |node| pick(published.rest_metric[node]),
                |node| published.rigidity[node],
                |node| published.rest_curvature[node],
            );
        }
        published
    }

    /// The grid steps of K.
    pub fn steps(&self) -> &'static [[i32; 3]] {
        const CURVE: [[i32; 3]; 2] = [[1, 0, 0], [2, 0, 0]];
        const SURFACE: [[i32; 3]; 6] = [
            [1, 0, 0],
            [0, 1, 0],
            [-1, 1, 0],
            [1, 1, 0],
            [2, 0, 0],
            [0, 2, 0],
        ];
        const SOLID: [[i32; 3]; 6] = [
            [1, 0, 0],
            [0, 1, 0],
            [0, 0, 1],
            [-1, 1, 0],
            [-1, 0, 1],
            [0, -1, 1],
        ];
        match (self.dimension, self.has_rigidity) {
            (1, false) => &CURVE[..1],
            (1, true) => &CURVE,
            (2, false) => &SURFACE[..3],
            (2, true) => &SURFACE,
            _ => &SOLID,
        }
    }

    fn has_next(&self, node: usize, direction: usize) -> bool {
        self.next[node][direction] as usize != node
    }

    fn has_previous(&self, node: usize, direction: usize) -> bool {
        self.previous[node][direction] as usize != node
    }

    fn set_weights(&mut self, weights: &Weights) {
        let node_count = self.next.len();
        self.tension = (0..node_count)
            .map(|node| {
                PAIRS.map(|(i, j)| {
                    let exists =
                        j < self.dimension && self.has_next(node, i) && self.has_next(node, j);
                    if exists {
                        0.5 * (weights.tension(node, i, j) + weights.tension(node, j, i))
                    } else {
                        0.0
                    }
                })
            })
            .collect();
        self.rigidity = (0..node_count)
            .map(|node| {
                let both = |d: usize| {
                    self.dimension > d
                        && self.dimension < 3
                        && self.has_next(node, d)
                        && self.has_previous(node, d)
                };
                let cell = self.dimension == 2 && self.has_next(node, 0) && self.has_next(node, 1);
                let w = |exists: bool, i: usize, j: usize| {
                    if exists {
                        weights.rigidity(node, i, j)
                    } else {
                        0.0
                    }
                };
                [
                    w(both(0), 0, 0),
                    w(both(1), 1, 1),
                    w(cell, 0, 1) + w(cell, 1, 0),
                ]
            })
            .collect();
        self.has_rigidity = self.rigidity.iter().any(|w| *w != [0.0; 3]);
    }

    /// D_d⁺ x at a node: zero beyond a free edge.
    #[inline]
    fn forward(&self, x: &[DVec3], node: usize, direction: usize) -> DVec3 {
        (x[self.next[node][direction] as usize] - x[node]) * self.inverse_spacing[direction]
    }

    #[inline]
    fn metric(&self, x: &[DVec3], node: usize) -> [f64; 6] {
        let d0 = self.forward(x, node, 0);
        if self.dimension == 1 {
            return [d0.length_squared(), 0.0, 0.0, 0.0, 0.0, 0.0];
        }
        let d1 = self.forward(x, node, 1);
        let mut metric = [
            d0.length_squared(),
            d1.length_squared(),
            0.0,
            d0.dot(d1),
            0.0,
            0.0,
        ];
        if self.dimension == 3 {
            let d2 = self.forward(x, node, 2);
            metric[2] = d2.length_squared();
            metric[4] = d0.dot(d2);
            metric[5] = d1.dot(d2);
        }
        metric
    }

    /// D_11 x, D_22 x and D_12⁺ x.
    #[inline]
    fn second_differences(&self, x: &[DVec3], node: usize) -> [DVec3; 3] {
        let along = |d: usize| {
            let (before, after) = (
                x[self.previous[node][d] as usize],
                x[self.next[node][d] as usize],
            );
            (before - 2.0 * x[node] + after) * (self.inverse_spacing[d] * self.inverse_spacing[d])
        };
        if self.dimension == 1 {
            return [along(0), DVec3::ZERO, DVec3::ZERO];
        }
        let right = self.next[node][0] as usize;
        let above = self.next[node][1] as usize;
        let opposite = self.next[right][1] as usize;
        let cross = (x[node] - x[right] - x[above] + x[opposite])
            * (self.inverse_spacing[0] * self.inverse_spacing[1]);
        [along(0), along(1), cross]
    }

    /// n · D_ij x for 11, 22 and 12; for a curve |D_11 x|, as its normal lies along D_11 x.
    #[inline]
    fn curvature(&self, x: &[DVec3], node: usize) -> [f64; 3] {
        if self.dimension == 3 {
            return [0.0; 3];
        }
        let differences = self.second_differences(x, node);
        if self.dimension == 1 {
            return [differences[0].length(), 0.0, 0.0];
        }
        let tangent =
            |d: usize| x[self.next[node][d] as usize] - x[self.previous[node][d] as usize];
        let n = tangent(0).cross(tangent(1)).normalize_or_zero();
        differences.map(|difference| n.dot(difference))
    }

    /// Computes the coefficients a_ij and b_ij at positions x.
    pub fn evaluate(&mut self, x: &[DVec3]) {
        for node in 0..x.len() {
            let metric = self.metric(x, node);
            let (w, rest) = (&self.tension[node], &self.rest_metric[node]);
            self.a[node] = std::array::from_fn(|p| w[p] * (metric[p] - rest[p]));
        }
        if !self.has_rigidity {
            return;
        }
        for node in 0..x.len() {
            let curvature = self.curvature(x, node);
            let (w, rest) = (&self.rigidity[node], &self.rest_curvature[node]);
            let residual: [f64; 3] = std::array::from_fn(|p| curvature[p] - rest[p]);
            match self.form {
                PublishedForm::Stable => {
                    // The derivative of b(x) x_ij is b and, as b depends on x too, w |x_ij|, here
                    // bounded by the sum of the components to save a root.
                    let differences = self.second_differences(x, node);
                    self.b[node] = std::array::from_fn(|p| w[p] * residual[p].abs());
                    self.implicit_rigidity[node] = std::array::from_fn(|p| {
                        self.b[node][p] + w[p] * differences[p].abs().element_sum()
                    });
                }
                PublishedForm::AsPrinted => {
                    self.b[node] = std::array::from_fn(|p| w[p] * residual[p]);
                    self.implicit_rigidity[node] = self.b[node];
                }
            }
        }
    }

    /// Takes the coefficients at x and adds the elastic force K(x) z; in the stable form z is x.
    pub fn evaluate_and_add_gradient(&mut self, x: &[DVec3], z: &[DVec3], gradient: &mut [DVec3]) {
        if let Some(lanes) = &mut self.lanes {
            lanes.add_gradient(z, gradient);
            return;
        }
        self.evaluate(x);
        self.add_gradient(z, gradient);
    }

    /// The energy of which the elastic force is the simplified variation, in joules:
    /// ¼ Σ w¹ (G - G⁰)² + ½ Σ w² (B - B⁰)² with the differences of the paper.
    pub fn energy(&self, x: &[DVec3]) -> f64 {
        (0..x.len())
            .map(|node| {
                let (metric, rest) = (self.metric(x, node), &self.rest_metric[node]);
                let stretch: f64 = (0..6)
                    .map(|p| {
                        let factor = if p < 3 { 0.25 } else { 0.5 };
                        factor * self.tension[node][p] * (metric[p] - rest[p]).powi(2)
                    })
                    .sum();
                if !self.has_rigidity {
                    return stretch;
                }
                let (curvature, rest) = (self.curvature(x, node), &self.rest_curvature[node]);
                let bend: f64 = (0..3)
                    .map(|p| 0.5 * self.rigidity[node][p] * (curvature[p] - rest[p]).powi(2))
                    .sum();
                stretch + bend
            })
            .sum()
    }

    /// Adds the elastic force K z with the coefficients of the last `evaluate`; the sign is that
    /// of a gradient: it points away from rest.
    pub fn add_gradient(&self, z: &[DVec3], gradient: &mut [DVec3]) {
        for node in 0..z.len() {
            let a = &self.a[node];
            let d: [DVec3; 3] = std::array::from_fn(|direction| {
                if direction < self.dimension {
                    self.forward(z, node, direction)
                } else {
                    DVec3::ZERO
                }
            });
            let flux = [
                a[0] * d[0] + a[3] * d[1] + a[4] * d[2],
                a[3] * d[0] + a[1] * d[1] + a[5] * d[2],
                a[4] * d[0] + a[5] * d[1] + a[2] * d[2],
            ];
            let mut sum = DVec3::ZERO;
            for direction in 0..self.dimension {
                let part = flux[direction] * self.inverse_spacing[direction];
                gradient[self.next[node][direction] as usize] += part;
                sum += part;
            }
            gradient[node] -= sum;
        }
        if self.has_rigidity {
            self.add_bending_gradient(z, gradient);
        }
    }

    fn add_bending_gradient(&self, z: &[DVec3], gradient: &mut [DVec3]) {
        for node in 0..z.len() {
            let b = &self.b[node];
            if *b == [0.0; 3] {
                continue;
            }
            let differences = self.second_differences(z, node);
            for d in 0..self.dimension {
                let part =
                    differences[d] * (b[d] * self.inverse_spacing[d] * self.inverse_spacing[d]);
                gradient[self.previous[node][d] as usize] += part;
                gradient[self.next[node][d] as usize] += part;
                gradient[node] -= 2.0 * part;
            }
            if b[2] != 0.0 {
                let part =
                    differences[2] * (b[2] * self.inverse_spacing[0] * self.inverse_spacing[1]);
                let right = self.next[node][0] as usize;
                let above = self.next[node][1] as usize;
                let opposite = self.next[right][1] as usize;
                gradient[node] += part;
                gradient[right] -= part;
                gradient[above] -= part;
                gradient[opposite] += part;
            }
        }
    }
}

#[cfg(test)]
mod tests;
