//! The metric of a grid: squared length of its edges and dot products at the corners of its cells.
//!
//! ```text
//! edge:    G_ii = |Δ_i x|² / h_i²
//! corner:  G_ij = Δ_i x · Δ_j x / (h_i h_j),  the two edges of a cell that meet at the corner
//! ```
//!
//! Implements: \[Terzopoulos1988\] eq. 4 and the metric part of eq. 9, 10 and 33.
//! Departure: the paper takes the forward differences at each node, so that only one corner of a
//! cell feels shear and the sheet folds along one diagonal (\[Thesis2004\] sect. 6.1.1.3). Here
//! all four (eight) corners of a cell count alike, which keeps the symmetry of the grid.

use super::measure::{Measure, MeasureKind};
use crate::energy::Curvature;
use glam::{DMat3, DVec3};

/// G_ii of one grid edge: nodes are its two ends.
#[derive(Clone, Copy, Debug)]
pub struct EdgeMetric {
    /// 1 / h².
    pub scale: f64,
}

impl Measure<2, 1> for EdgeMetric {
    fn kind(&self) -> MeasureKind {
        MeasureKind::Metric
    }

    #[inline]
    fn gradient(&self, [start, end]: &[DVec3; 2]) -> (f64, [DVec3; 2]) {
        let edge = *end - *start;
        let by_edge = edge * (2.0 * self.scale);
        (self.scale * edge.length_squared(), [-by_edge, by_edge])
    }

    fn second_derivative(
        &self,
        _nodes: &[DVec3; 2],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 2]; 2] {
        let residual = match curvature {
            Curvature::Full => residual,
            Curvature::Positive => residual.max(0.0),
            Curvature::Material => 0.0,
        };
        let block = DMat3::from_diagonal(DVec3::splat(2.0 * self.scale * residual));
        [[block, -block], [-block, block]]
    }

    #[inline]
    fn majorant(&self, [start, end]: &[DVec3; 2], residual: f64) -> [f64; 1] {
        let metric = self.scale * (*end - *start).length_squared();
        // The stiffness falls with the length of a compressed edge, but the edge will expand:
        // it counts with its rest length.
        let rest = metric - residual;
        [self.scale * (4.0 * metric.max(rest) + 2.0 * residual.max(0.0))]
    }
}

/// G_ij at a corner of a cell: nodes are the corner and the far ends of its two edges.
#[derive(Clone, Copy, Debug)]
pub struct CornerMetric {
    /// ±1 / (h_i h_j); the sign is that of the two directions in which the edges run.
    pub scale: f64,
}

impl Measure<3, 2> for CornerMetric {
    fn kind(&self) -> MeasureKind {
        MeasureKind::Shear
    }

    #[inline]
    fn gradient(&self, [corner, first, second]: &[DVec3; 3]) -> (f64, [DVec3; 3]) {
        let a = *first - *corner;
        let b = *second - *corner;
        let by_first = b * self.scale;
        let by_second = a * self.scale;
        (
            self.scale * a.dot(b),
            [-(by_first + by_second), by_first, by_second],
        )
    }

    fn second_derivative(
        &self,
        _nodes: &[DVec3; 3],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; 3]; 3] {
        // The quadratic form is 2 f da·db = f/2 (|da + db|² - |da - db|²): of the two squares one
        // is positive.
        let cross = self.scale * residual;
        let [square, cross] = match curvature {
            Curvature::Full => [0.0, cross],
            Curvature::Positive => [0.5 * cross.abs(), 0.5 * cross],
            Curvature::Material => [0.0; 2],
        };
        let uniform = |value: f64| DMat3::from_diagonal(DVec3::splat(value));
        let side = uniform(square);
        let across = uniform(cross);
        let corner_side = uniform(-(square + cross));
        [
            [uniform(2.0 * (square + cross)), corner_side, corner_side],
            [corner_side, side, across],
            [corner_side, across, side],
        ]
    }

    #[inline]
    fn majorant(&self, [corner, first, second]: &[DVec3; 3], residual: f64) -> [f64; 2] {
        let squared = 2.0 * self.scale * self.scale;
        let straight = (self.scale * residual).abs();
        [
            squared * (*second - *corner).length_squared() + straight,
            squared * (*first - *corner).length_squared() + straight,
        ]
    }
}
