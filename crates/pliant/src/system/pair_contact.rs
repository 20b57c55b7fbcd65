//! Contact of bodies with each other and with themselves.
//!
//! Two layers. *Forces* are a barrier between every two features of surfaces, curves and particles
//! that are closer than the range (`contact/barrier.rs`), with friction; they are terms of the
//! potential of a stage. The *guarantee* is [`PairContact::free_fraction`]: places move along straight
//! lines only as far as is proved free for every pair, so that nothing passes through anything,
//! whatever the forces do.
//!
//! The stiffness of a pair is that of the nodes in the system at rest, the harmonic mean over both
//! features, so that contact does not spoil the matrix; the barrier grows beyond it where it must.
//! The Hessian of a pair is positive: φ'' along the normal, without the (negative) part of the turning
//! normal.
//!
//! Vertices are the nodes of all bodies, one body after the other.

use crate::body::Body;
use crate::contact::{Barrier, PairContactSettings, smoothed_length};
use crate::math::outer;
use glam::{DMat3, DVec3};
use pliant_proximity::{Complex, EdgeParallel, Pair, PairKind, Rules, Search, closest, free_fraction};

/// What is left of the gap of a pair after a motion that brings it closer.
const KEPT: f64 = 0.2;

/// Largest range of a pair within a body, by their distance at rest.
const REST_SHARE: f64 = 0.9;

/// A pair within its range.
#[derive(Clone, Copy, Debug)]
struct Touching {
    pair: Pair,
    weights: [f64; 4],
    /// From the second feature to the first.
    normal: DVec3,
    distance: f64,
    /// N, in newtons.
    force: f64,
    curvature: f64,
    /// In joules.
    value: f64,
    /// What the factor of nearly parallel edges adds to the gradient, in newtons.
    turning: [DVec3; 4],
}

/// The pairs that a linear solve couples: the block of nodes k and l is w_k w_l B.
#[derive(Clone, Copy, Debug)]
pub(super) struct Coupling {
    pub(super) nodes: [u32; 4],
    pub(super) weights: [f64; 4],
    pub(super) block: DMat3,
}

/// Contact between the bodies of a world; see the module.
pub(crate) struct PairContact {
    settings: PairContactSettings,
    /// The first vertex of each body, and the number of all.
    first: Vec<usize>,
    /// What the pairs were made for: of each body whether it is frozen and the version of its topology.
    made_for: Vec<(bool, u64)>,
    search: Search,
    body_of: Vec<u32>,
    rest: Vec<DVec3>,
    /// κ of each vertex, in newtons per metre; infinite where it cannot move.
    stiffness: Vec<f64>,
    candidates: Vec<Pair>,
    touching: Vec<Touching>,
    /// Friction goes by the pairs and forces at the beginning of an iteration.
    frozen: Vec<Touching>,
    /// Where the nodes were when the stage began, and for how long that is.
    reference: Vec<DVec3>,
    duration: f64,
    /// Places of all vertices; the island keeps them.
    pub(super) places: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) couplings: Vec<Coupling>,
    /// Figures for the report.
    pub(super) rounds: usize,
}

impl PairContact {
    /// For the bodies of a world. `stiffness` of each node of each body; `None` for a body that is still.
    pub(crate) fn new(settings: &PairContactSettings, bodies: &[Body]) -> Self {
        let mut first = vec![0];
        let mut complex = Complex::default();
        let mut rest = Vec::new();
        let mut made_for = Vec::new();
        for (index, body) in bodies.iter().enumerate() {
            let base = rest.len() as u32;
            let topology = body.formulation().topology(body);
            let is_still = body.quarantine.is_some();
            add_surface(&mut complex, &topology, base);
            rest.extend_from_slice(&body.description().rest_positions);
            complex.group.resize(rest.len(), index as u32);
            complex.still.resize(rest.len(), is_still);
            first.push(rest.len());
            made_for.push((is_still, body.formulation().topology_version(body)));
        }
        let meets_itself = |index: usize| {
            let body = &bodies[index];
            settings.with_itself && body.dimension_of_surface().is_some()
        };
        let mut rules = Rules::default();
        for index in 0..bodies.len() {
            if !meets_itself(index) {
                rules.without_self.push(index as u32);
            }
        }
        for &[a, b] in &settings.exceptions {
            rules.without_pairs.push([a as u32, b as u32]);
        }
        let count = rest.len();
        let body_of = complex.group.clone();
        Self {
            settings: settings.clone(),
            first,
            made_for,
            search: Search::new(complex, rules),
            body_of,
            rest,
            stiffness: vec![0.0; count],
            candidates: Vec::new(),
            touching: Vec::new(),
            frozen: Vec::new(),
            reference: vec![DVec3::ZERO; count],
            duration: 0.0,
            places: vec![DVec3::ZERO; count],
            trial: vec![DVec3::ZERO; count],
            gradient: vec![DVec3::ZERO; count],
            couplings: Vec::new(),
            rounds: 0,
        }
    }
}
