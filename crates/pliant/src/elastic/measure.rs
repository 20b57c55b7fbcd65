//! A measure of deformation s(x), and energies that are sums of ½ k (s - s⁰)² over such measures.
//!
//! Every primal energy has this form: the metric, the curvature and the volume of a cell, the
//! length, curvature and torsion of a curve are measures; the weights of the material are the
//! stiffnesses k; the rest shape gives the rest values s⁰. With r = s - s⁰
//!
//! ```text
//! E        = ½ k r²
//! gradient = k r ∇s
//! Hessian  = k ∇s ∇sᵀ + k r ∇²s
//! ```
//!
//! The first part of the Hessian is positive semi-definite. Of the second, a measure returns
//! either all (`Curvature::Full`) or a positive semi-definite part (`Curvature::Positive`), which
//! is what a Newton step needs to go downhill.
//!
//! A **majorant** is a scalar matrix that is nowhere softer than the Hessian. Since a measure does
//! not change under translation, it depends on edge vectors e only, and
//! `zᵀHz <= Σ c_e |dz_e|²` with one coefficient an edge. The semi-implicit step uses it as the
//! stiffness of its matrix: one number per edge instead of a 3x3 block.

use crate::energy::Curvature;
use glam::{DMat3, DVec3};

/// What a measure tells about a deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureKind {
    /// G_ii: the squared length of an edge.
    Metric,
    /// G_ij: the dot product of two edges.
    Shear,
    /// How far a curve is bent.
    Curvature,
    /// B_ii: how far a surface is bent along a direction of the material. The nodes are the middle,
    /// those before and after it in the first direction and in the second; where one is missing, the
    /// middle stands for it.
    Bending(u8),
    /// B_12: how far a surface is twisted. The nodes are the corners of a cell, the first direction
    /// first.
    Twisting,
    /// How far a curve is twisted.
    Torsion,
    /// The length of an edge of a curve.
    Length,
    /// The volume of a cell.
    Volume,
}

/// A term as others see it: what inelastic processes need to know.
#[derive(Clone, Copy, Debug)]
pub struct TermView<'a> {
    /// What it measures.
    pub kind: MeasureKind,
    /// The nodes it depends on.
    pub nodes: &'a [u32],
    /// The grid edges it touches, as `3 * lower node + direction`.
    pub edges: &'a [u32],
    /// The stiffness k.
    pub stiffness: f64,
    /// The rest value s⁰.
    pub rest: f64,
}

/// A scalar measure of the shape of N nodes that touches E grid edges.
pub trait Measure<const N: usize, const E: usize>: Send + Sync {
    /// What it tells about a deformation.
    fn kind(&self) -> MeasureKind;

    /// s(x) and its derivative by each node.
    fn gradient(&self, nodes: &[DVec3; N]) -> (f64, [DVec3; N]);

    /// s(x).
    fn value(&self, nodes: &[DVec3; N]) -> f64 {
        self.gradient(nodes).0
    }

    /// r ∇²s, or a positive semi-definite part of it.
    fn second_derivative(
        &self,
        nodes: &[DVec3; N],
        residual: f64,
        curvature: Curvature,
    ) -> [[DMat3; N]; N];

    /// Coefficients c_e with ∇s ∇sᵀ + (r ∇²s)₊ <= Σ c_e |dz_e|² + the constant part.
    fn majorant(&self, nodes: &[DVec3; N], residual: f64) -> [f64; E];

    /// Coefficients q of a constant part `(Σ q_i z_i)²` of the majorant, for measures whose
    /// stiffness is that of a second difference.
    fn constant_majorant(&self) -> Option<[f64; N]> {
        None
    }
}

/// One term ½ k (s - s⁰)² of an energy.
#[derive(Clone, Debug)]
pub struct Term<M, const N: usize, const E: usize> {
    /// The nodes it depends on.
    pub nodes: [u32; N],
    /// The grid edges it touches, as `3 * lower node + direction`.
    pub edges: [u32; E],
    /// The measure s.
    pub measure: M,
    /// The stiffness k.
    pub stiffness: f64,
    /// The rest value s⁰.
    pub rest: f64,
}

impl<M: Measure<N, E>, const N: usize, const E: usize> Term<M, N, E> {
    /// The positions of the term's nodes.
    #[inline]
    pub fn gather(&self, positions: &[DVec3]) -> [DVec3; N] {
        let mut places = [DVec3::ZERO; N];
        for (place, &node) in places.iter_mut().zip(&self.nodes) {
            *place = positions[node as usize];
        }
        places
    }

    /// The energy of the term, in joules.
    pub fn energy(&self, positions: &[DVec3]) -> f64 {
        let residual = self.measure.value(&self.gather(positions)) - self.rest;
        0.5 * self.stiffness * residual * residual
    }
}
