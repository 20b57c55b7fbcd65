//! What a hybrid body is made of: the reference shape r and the weights of its spline energy.
//!
//! Steps do not change it; inelastic processes do, between steps. Every change gets a stamp that no
//! other has, by which integrators know that what they computed from the material is out of date.
//!
//! Implements: \[Terzopoulos1988\] r(u, t) and w_j(u) of eq. 11 and 18.

use super::pieces::Pieces;
use super::weights::SplineWeights;
use crate::body::{Body, BodyDescription, Memory, OnGrid};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::grid::Grid;
use glam::{DMat3, DQuat, DVec3};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Which of the inertial forces of the moving frame act on the deformation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InertialTerms {
    /// μ ω x (ω x q).
    pub centrifugal: bool,
    /// 2 μ ω x ∂e/∂t.
    pub coriolis: bool,
    /// μ dω/dt x q.
    pub transverse: bool,
}

impl InertialTerms {
    /// Whether none is left out.
    pub fn all(&self) -> bool {
        self.centrifugal && self.coriolis && self.transverse
    }
}

impl Default for InertialTerms {
    fn default() -> Self {
        Self {
            centrifugal: true,
            coriolis: true,
            transverse: true,
        }
    }
}

crate::choice! {
    /// Which quadratic energy of the deformation a hybrid body has.
    pub enum DeformationEnergy {
        /// The published spline energy, which resists the turning of cross-sections too: a bar is many
        /// times stiffer than the primal one.
        Spline,
        /// The primal energy, linearised about the reference shape in a frame that turns with the body:
        /// as stiff as the primal body for small deformations.
        Linearised,
    }
}

/// The hybrid formulation: a rigid frame and a deformation relative to it, with a quadratic energy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Hybrid {
    /// The energy of the deformation.
    pub deformation: DeformationEnergy,
    /// Inertial forces on the deformation.
    pub inertial_terms: InertialTerms,
    /// Weights; `None` takes those that are as stiff as the primal ones
    /// ([`SplineWeights::from_primal`]).
    pub weights: Option<SplineWeights>,
}

/// The reference shape may move away from its anchor by this share of the size of the body.
const ANCHOR_RANGE: f64 = 1e-3;

/// Reference shape and weights of a hybrid body.
#[derive(Clone, Debug)]
pub struct HybridMaterial {
    reference: Vec<DVec3>,
    anchor: Vec<DVec3>,
    weights: SplineWeights,
    pieces: Pieces,
    grid: Grid,
    anchor_stamp: u64,
    weights_stamp: u64,
    /// The stamp of the last change of any kind.
    version: u64,
}

/// A number never given before.
fn stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
}

impl HybridMaterial {
    /// The material of a new body: its rest shape about its centre of mass.
    pub(crate) fn new(description: &BodyDescription) -> Self {
        let rest = &description.rest_positions;
        let centre = centre_of_all(&description.masses, rest);
        let weights = match description
            .hybrid()
            .and_then(|hybrid| hybrid.weights.as_ref())
        {
            Some(weights) => weights.clone(),
            None => SplineWeights::from_primal(
                description.material_grid(),
                rest,
                description.material_weights(),
            ),
        };
        let reference: Vec<DVec3> = rest.iter().map(|x| *x - centre).collect();
        Self {
            anchor: reference.clone(),
            reference,
            pieces: Pieces::of(description.material_grid(), &weights),
            grid: description.material_grid().clone(),
            weights,
            anchor_stamp: stamp(),
            weights_stamp: stamp(),
            version: stamp(),
        }
    }

    /// The reference shape r in the frame of the body, in metres.
    pub fn reference(&self) -> &[DVec3] {
        &self.reference
    }

    /// The weights.
    pub fn weights(&self) -> &SplineWeights {
        &self.weights
    }

    /// What the weights hold together.
    pub fn pieces(&self) -> &Pieces {
        &self.pieces
    }

    /// Changes the reference shape. It costs nothing as long as the shape stays near the one from
    /// which integrators have prepared themselves; beyond that, one more solve.
    pub fn change_reference(&mut self, change: impl FnOnce(&mut [DVec3])) {
        change(&mut self.reference);
        self.version = stamp();
        let moved = |(a, b): (&DVec3, &DVec3)| (*a - *b).length_squared();
        let farthest = self
            .reference
            .iter()
            .zip(&self.anchor)
            .map(moved)
            .fold(0.0, f64::max);
        let size = self
            .anchor
            .iter()
            .map(|r| r.length_squared())
            .fold(0.0, f64::max);
        if farthest > ANCHOR_RANGE * ANCHOR_RANGE * size {
            self.anchor.copy_from_slice(&self.reference);
            self.anchor_stamp = stamp();
        }
    }

    /// Changes weights; the next step factorises the matrix again.
    pub fn change_weights(&mut self, change: impl FnOnce(&mut SplineWeights)) {
        change(&mut self.weights);
        self.pieces = Pieces::of(&self.grid, &self.weights);
        self.weights_stamp = stamp();
        self.version = self.weights_stamp;
    }

    /// Cuts the edges that leave nodes forwards in a direction.
    pub fn cut(&mut self, grid: &Grid, edges: &[(usize, usize)]) {
        self.change_weights(|weights| {
            for &(node, direction) in edges {
                weights.cut(grid, node, direction);
            }
        });
    }

    /// The grid of the nodes.
    pub(super) fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Differs from that of any material that is not the same.
    pub(crate) fn version(&self) -> u64 {
        self.version
    }

    /// The reference shape as it was when the frame was last prepared: always near the reference.
    pub(crate) fn anchor(&self) -> &[DVec3] {
        &self.anchor
    }

    /// Stamps of the anchor and of the weights.
    pub(crate) fn stamps(&self) -> [u64; 2] {
        [self.anchor_stamp, self.weights_stamp]
    }
}

impl Memory for HybridMaterial {
    fn save(&self, writer: &mut SnapshotWriter) {
        writer.vectors(&self.reference);
        writer.vectors(&self.anchor);
        self.weights.lists().for_each(|w| writer.plain_numbers(w));
    }

    fn restore(
        &mut self,
        _description: &BodyDescription,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError> {
        let (mut reference, mut anchor) = (self.reference.clone(), self.anchor.clone());
        let mut weights = self.weights.clone();
        reader.vectors(&mut reference)?;
        reader.vectors(&mut anchor)?;
        for list in weights.lists_mut() {
            reader.plain_numbers(list)?;
        }
        if reference != self.reference || weights != self.weights {
            self.version = stamp();
        }
        if anchor != self.anchor {
            self.anchor_stamp = stamp();
        }
        if weights != self.weights {
            self.weights_stamp = stamp();
            self.pieces = Pieces::of(&self.grid, &weights);
        }
        (self.reference, self.anchor, self.weights) = (reference, anchor, weights);
        Ok(())
    }

    fn boxed_clone(&self) -> Box<dyn Memory> {
        Box::new(self.clone())
    }
}

impl Body {
    /// Reference shape and weights of a hybrid body, which inelastic processes may change between
    /// steps.
    pub fn hybrid(&self) -> Option<&HybridMaterial> {
        self.memory()
    }

    /// The same, to be changed.
    pub fn hybrid_mut(&mut self) -> Option<&mut HybridMaterial> {
        self.memory_mut()
    }
}

impl BodyDescription {
    /// What only the hybrid formulation uses; `None` for other bodies.
    pub fn hybrid(&self) -> Option<&Hybrid> {
        let on_grid = self.formulation.downcast::<OnGrid<Hybrid>>();
        on_grid.map(|on_grid| &on_grid.mechanics)
    }

    /// Changes what only the hybrid formulation uses. Nothing happens to other bodies.
    pub fn change_hybrid(&mut self, change: impl FnOnce(&mut Hybrid)) {
        if let Some(on_grid) = self.formulation.downcast::<OnGrid<Hybrid>>() {
            let mut on_grid = on_grid.clone();
            change(&mut on_grid.mechanics);
            self.formulation = Arc::new(on_grid);
        }
    }

    /// Which inertial forces of the frame of a hybrid body act on its deformation.
    pub(super) fn inertial_terms(&self) -> InertialTerms {
        self.hybrid()
            .map(|hybrid| hybrid.inertial_terms)
            .unwrap_or_default()
    }
}

/// Σ μ x / Σ μ of masses and positions.
pub(super) fn centre_of_mass(points: impl Iterator<Item = (f64, DVec3)> + Clone) -> DVec3 {
    let start = points.clone().next().map_or(DVec3::ZERO, |(_, x)| x);
    let (mut mass, mut sum) = (0.0, DVec3::ZERO);
    for (m, x) in points {
        mass += m;
        sum += m * (x - start);
    }
    start + sum / mass
}

/// The same of whole lists.
fn centre_of_all(masses: &[f64], positions: &[DVec3]) -> DVec3 {
    let points = masses.iter().zip(positions);
    centre_of_mass(points.map(|(&m, &x)| (m, x)))
}

/// The rotation of the frame that fits positions best, weighted by mass: where a body starts.
pub(crate) fn find_rotation(masses: &[f64], reference: &[DVec3], positions: &[DVec3]) -> DQuat {
    let centre = centre_of_all(masses, positions);
    let mut b = DMat3::ZERO;
    for ((&m, &r), &x) in masses.iter().zip(reference).zip(positions) {
        let q = m * (x - centre);
        b += DMat3::from_cols(q * r.x, q * r.y, q * r.z);
    }
    super::rotation::best_rotation(&b)
}
