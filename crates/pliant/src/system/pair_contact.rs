//! Contact of bodies with each other and with themselves.
//!
//! Two layers. *Forces* are a barrier between every two features of surfaces, curves and particles
//! that are closer than the range (`contact/barrier.rs`), with friction; they are terms of the
//! potential of a stage. The *guarantee* is `pair_guarantee.rs`: places move along straight
//! lines only as far as is proved free for every pair, so that nothing passes through anything,
//! whatever the forces do.
//!
//! How stiff a barrier is and how far it reaches is `pair_law.rs`.
//! The Hessian of a pair is positive: φ'' along the normal, and of what the turning normal adds the part that
//! counts about something round (`pair_curvature.rs`).
//!
//! Vertices are those of `pair_features.rs`: the nodes of all bodies, then obstacles.

use super::links::{FREE, Links};
use super::pair_ends::{direction, merge_ends};
use super::pair_features::PairFeatures;
use super::pair_friction::Stencil;
use super::rule::GAMMA;
use crate::body::Body;
use crate::contact::{Barrier, PairContactSettings, smoothed_length};
use crate::joint::BodyPoint;
use crate::math::outer;
use crate::obstacle::Obstacle;
use crate::report::StageTimes;
use glam::{DMat3, DVec3};
use pliant_proximity::{Pair, closest};

/// Largest curvature of a pair in the matrix, by its stiffness: what is crushed has more, but would
/// drown all else in rounding.
pub(super) const STEEPEST: f64 = 1e6;

/// A pair within its range.
#[derive(Clone, Copy, Debug)]
pub(super) struct Touching {
    pub(super) pair: Pair,
    pub(super) weights: [f64; 4],
    /// From the second feature to the first.
    pub(super) normal: DVec3,
    pub(super) distance: f64,
    /// N, in newtons.
    pub(super) force: f64,
    /// N that friction goes by.
    pub(super) pressing: f64,
    /// N at the beginning of the step, where friction goes by the mean of both.
    pub(super) at_start: f64,
    /// Coulomb's coefficient.
    pub(super) friction: f64,
    pub(super) curvature: f64,
    /// κ, in newtons per metre, less what parallel edges leave to their ends, and the range in metres.
    pub(super) law: [f64; 2],
    /// What the factor of nearly parallel edges adds to the gradient, in newtons.
    pub(super) turning: [DVec3; 4],
    /// What friction goes by if that is not where the features are: a place in `stencils`.
    pub(super) arm: Option<u32>,
}

/// Whether a body is frozen, and the version of its topology.
fn version_of(body: &Body) -> (bool, u64) {
    let version = body.formulation().topology_version(body);
    (body.quarantine.is_some(), version)
}

/// Contact between the bodies of a world; see the module.
pub(crate) struct PairContact {
    pub(super) settings: PairContactSettings,
    pub(super) features: PairFeatures,
    /// Which bodies move; the others stand.
    pub(super) moves: Vec<bool>,
    /// Scratch memory for one mark per body.
    pub(super) marks: Vec<bool>,
    /// What the pairs were made for: of each body whether it is frozen and the version of its topology.
    made_for: Vec<(bool, u64)>,
    /// Stiffness of each vertex, in newtons per metre; infinite where it cannot move.
    pub(super) stiffness: Vec<f64>,
    /// The rigid part to which each vertex belongs, counted on over all bodies.
    pub(super) owners: Vec<u32>,
    /// Mass that a push at each vertex meets, in kilograms; infinite where it cannot move.
    pub(super) masses: Vec<f64>,
    /// At the beginning of the step.
    pub(super) velocities: Vec<DVec3>,
    /// Places where the step began.
    pub(super) origin: Vec<DVec3>,
    pub(super) candidates: Vec<Pair>,
    /// Scratch memory: pairs of bodies that may come near each other within a step.
    pub(super) approaching: Vec<Pair>,
    /// The distance of each candidate where it was found, in metres.
    pub(super) known: Vec<f64>,
    /// κ and the range of each candidate, where they have been asked for since it was found.
    pub(super) laws: Vec<Option<(f64, f64)>>,
    /// Where the vertices were when the candidates were found, and how far they may go from there
    /// before others must be found; none without candidates.
    pub(super) anchor: Vec<DVec3>,
    /// Where the way that was searched ends.
    pub(super) ahead: Vec<DVec3>,
    pub(super) skin: Option<f64>,
    /// Whether they are those of bodies that stand at the anchor.
    pub(super) stands: bool,
    /// How far each vertex has gone from there, and the farthest of them.
    pub(super) gone: Vec<f64>,
    pub(super) farthest: f64,
    /// The share of its way that each vertex may go as far as its own pairs are concerned, of the way that was
    /// last asked for.
    pub(super) shares: Vec<f64>,
    pub(super) touching: Vec<Touching>,
    /// Scratch memory: the ends of lone edges that are nearly parallel.
    ends: Vec<Touching>,
    /// The pairs of the iteration before, with the normal forces that it foresaw.
    pub(super) foreseen: Vec<Touching>,
    /// Energy of the pairs that touch, in joules.
    touching_energy: f64,
    /// Friction goes by the pairs and forces at the beginning of an iteration.
    pub(super) frozen: Vec<Touching>,
    /// Those of the iteration before.
    pub(super) last: Vec<Touching>,
    /// Nodes and weights of friction at round rigid bodies.
    pub(super) stencils: Vec<Stencil>,
    /// Where the nodes were when the stage began, and for how long that is.
    pub(super) reference: Vec<DVec3>,
    pub(super) duration: f64,
    /// Pairs that touched at the beginning of the step, with N there, and whether they count.
    pub(super) started: Vec<Touching>,
    pub(super) takes_mean: bool,
    /// Places of all vertices; the island keeps them.
    pub(super) places: Vec<DVec3>,
    pub(super) trial: Vec<DVec3>,
    pub(super) gradient: Vec<DVec3>,
    pub(super) links: Links,
    /// Whether contact is among them.
    is_coupled: bool,
    /// Seconds since some moment, and what contact has taken.
    pub(super) clock: Option<fn() -> f64>,
    pub(super) times: StageTimes,
}

impl PairContact {
    /// For the bodies of a world.
    pub(crate) fn new(
        settings: &PairContactSettings,
        bodies: &[Body],
        obstacles: &[Obstacle],
    ) -> Self {
        let features = PairFeatures::new(settings, bodies, obstacles);
        let versions = bodies.iter().map(version_of);
        let count = features.rest.len();
        // Obstacles and frozen bodies do not give way.
        let mut stiffness = vec![f64::INFINITY; count];
        for (index, body) in bodies.iter().enumerate() {
            if body.quarantine.is_none() {
                stiffness[features.first[index]..features.first[index + 1]].fill(0.0);
            }
        }
        Self {
            settings: settings.clone(),
            made_for: versions.collect(),
            moves: vec![true; bodies.len()],
            marks: vec![false; bodies.len()],
            stiffness,
            owners: vec![FREE; count],
            masses: vec![f64::INFINITY; count],
            velocities: vec![DVec3::ZERO; count],
            origin: features.rest.clone(),
            candidates: Vec::new(),
            approaching: Vec::new(),
            known: Vec::new(),
            laws: Vec::new(),
            anchor: vec![DVec3::ZERO; count],
            ahead: vec![DVec3::ZERO; count],
            skin: None,
            stands: false,
            gone: vec![0.0; count],
            farthest: 0.0,
            shares: vec![1.0; count],
            touching: Vec::new(),
            ends: Vec::new(),
            foreseen: Vec::new(),
            touching_energy: 0.0,
            frozen: Vec::new(),
            last: Vec::new(),
            stencils: Vec::new(),
            reference: vec![DVec3::ZERO; count],
            duration: 0.0,
            started: Vec::new(),
            takes_mean: false,
            places: features.rest.clone(),
            trial: features.rest.clone(),
            features,
            gradient: vec![DVec3::ZERO; count],
            links: Links::default(),
            is_coupled: false,
            clock: None,
            times: StageTimes::default(),
        }
    }

    /// Whether the bodies are as they were when the pairs were made.
    pub(crate) fn fits(&self, bodies: &[Body]) -> bool {
        let now = bodies.iter().map(version_of);
        now.eq(self.made_for.iter().copied())
    }

    /// The number of bodies.
    pub(super) fn bodies(&self) -> usize {
        self.features.first.len() - 1
    }

    /// The vertices of a body.
    pub(super) fn range_of(&self, body: usize) -> std::ops::Range<usize> {
        self.features.first[body]..self.features.first[body + 1]
    }

    /// Takes stiffness and mass of the nodes of a body.
    pub(super) fn take_inertia(&mut self, body: usize, nodes: &[[f64; 2]]) {
        for (vertex, [stiffness, mass]) in self.range_of(body).zip(nodes) {
            self.stiffness[vertex] = *stiffness;
            self.masses[vertex] = *mass;
        }
    }

    /// How far a point of a body gives way to a force in a step of so many seconds, in metres per newton, where
    /// it gives way least.
    pub(super) fn yielding(&self, point: &BodyPoint, bodies: &[Body], step: f64) -> f64 {
        let base = self.features.first[point.body];
        let rate = 2.0 / (GAMMA * step);
        if self.features.is_rigid(point.body) {
            // Along the way to its centre a rigid body resists by its whole mass. One that is driven does
            // not give way.
            let driven = self.stiffness[base] == f64::INFINITY;
            let mass: f64 = bodies[point.body].description().masses.iter().sum();
            return if driven {
                0.0
            } else {
                1.0 / (rate * rate * mass)
            };
        }
        let parts = point.nodes.iter().map(|(node, weight)| {
            let vertex = base + *node as usize;
            let stiffness = self.stiffness[vertex].max(rate * rate * self.masses[vertex]);
            weight * weight / stiffness
        });
        parts.sum()
    }

    /// Whether a body has its stiffness.
    pub(super) fn knows_stiffness(&self, body: usize) -> bool {
        self.stiffness[self.features.first[body]] > 0.0
    }

    /// Begins a stage of `duration` seconds at `self.places`: friction counts from there. `takes_mean`
    /// if the rule takes the mean of forces at the beginning of the step and in the stage.
    pub(super) fn begin_stage(&mut self, duration: f64, takes_mean: bool) {
        self.duration = duration;
        self.takes_mean = takes_mean;
        // Where the search begins features may be far too near: that is no normal force yet.
        self.touch(false);
        self.reference.copy_from_slice(&self.places);
        self.foreseen.clear();
        self.freeze();
    }

    /// Finds the pairs within their range at some places, with their forces; returns their energy, in
    /// joules, which is infinite where features touch.
    fn touch(&mut self, at_trial: bool) -> f64 {
        let begin = self.clock.map(|clock| clock());
        let energy = self.touch_at(at_trial);
        if let (Some(clock), Some(begin)) = (self.clock, begin) {
            self.times.contact += clock() - begin;
        }
        energy
    }

    fn touch_at(&mut self, at_trial: bool) -> f64 {
        self.measure(!at_trial, at_trial);
        let mut touching = std::mem::take(&mut self.touching);
        touching.clear();
        let places = if at_trial { &self.trial } else { &self.places };
        let thickness = self.settings.thickness;
        let mut ends = std::mem::take(&mut self.ends);
        ends.clear();
        let mut laws = std::mem::take(&mut self.laws);
        let mut sum = 0.0;
        for (index, pair) in self.candidates.iter().enumerate() {
            if self.is_beyond(index, thickness) {
                continue;
            }
            let points = pair.gather(places);
            let near = closest(pair.kind, &points);
            let (radius, friction) = self.features.radius_and_friction(pair);
            if near.squared_distance >= (thickness + radius).powi(2) {
                continue;
            }
            let length = near.squared_distance.sqrt();
            let distance = length - radius;
            let (stiffness, range) = *laws[index].get_or_insert_with(|| self.law(pair));
            if distance >= range {
                continue;
            }
            let squared = near.squared_distance;
            if self.features.has_nearer_mate(pair, squared, places) {
                continue;
            }
            if distance <= 0.0 {
                sum = f64::INFINITY;
                continue;
            }
            let barrier = Barrier::new(distance, range, stiffness);
            let factor = self.edge_factor(pair, &points);
            let mut value = barrier.value;
            if factor.value < 1.0 && self.features.has_lone_edge(pair) {
                let ends = self.add_ends(pair, places, 1.0 - factor.value, &mut ends);
                sum += (1.0 - factor.value) * ends;
                value -= ends;
            }
            sum += factor.value * barrier.value;
            touching.push(Touching {
                pair: *pair,
                weights: near.weights,
                normal: direction(&near.weights, &points, length),
                distance,
                friction,
                force: -factor.value * barrier.slope,
                pressing: -factor.value * barrier.slope,
                at_start: 0.0,
                curvature: factor.value * barrier.curvature.min(STEEPEST * stiffness),
                law: [factor.value * stiffness, range],
                turning: factor.gradient.map(|slope| value * slope),
                arm: None,
            });
        }
        merge_ends(&mut ends, &mut touching);
        self.ends = ends;
        self.laws = laws;
        self.touching = touching;
        self.touching_energy = sum;
        sum
    }

    /// Energy of contact at `self.places`, in joules, for the pairs last searched for.
    pub(super) fn energy(&mut self) -> f64 {
        self.touch(false)
    }

    /// Contact and friction at `self.places`: fills the gradient and the couplings. Friction goes a
    /// `share` of the way from the normal forces of the iteration before to those there: friction turns
    /// a body, which shifts the normal forces, and they may chase each other for ever. Without a share
    /// it goes on by the pairs and forces that it has.
    pub(super) fn linearise(&mut self, share: Option<f64>) {
        self.touch(false);
        if let Some(share) = share {
            self.renew_friction(share);
        }
        self.use_foreseen();
        self.gradient.fill(DVec3::ZERO);
        self.links.clear();
        for index in 0..self.touching.len() {
            let touch = self.touching[index];
            let n = touch.normal;
            let (mut force, mut block) = (-touch.force * n, outer(n, n) * touch.curvature);
            // The pairs of friction are then the same.
            if share.is_some()
                && self.frozen[index].arm.is_none()
                && let Some((pull, stiffness)) = self.friction(&self.frozen[index])
            {
                force += pull;
                block += stiffness;
            }
            self.couple(&touch.pair.nodes, &touch.weights, force, block);
            self.resist_tilting(&touch);
            for (k, turning) in touch.turning.iter().enumerate() {
                self.gradient[touch.pair.nodes[k] as usize] += *turning;
            }
        }
        for index in 0..self.frozen.len() {
            let touch = self.frozen[index];
            if share.is_some() && touch.arm.is_none() {
                continue;
            }
            if let Some((pull, stiffness)) = self.friction(&touch) {
                let (nodes, weights) = self.stencil(&touch);
                self.couple(&nodes, &weights, pull, stiffness);
            }
        }
        self.is_coupled = self.links.iter().next().is_some();
    }

    /// Adds a force on what nodes carry with weights, and its stiffness.
    fn couple(&mut self, nodes: &[u32], weights: &[f64], force: DVec3, block: DMat3) {
        let stencil = || nodes.iter().copied().zip(weights.iter().copied());
        for (node, weight) in stencil() {
            self.gradient[node as usize] += weight * force;
        }
        self.links.push(stencil(), block);
    }

    /// The potential at `self.trial`, or at `self.places` right after [`PairContact::linearise`]: contact
    /// there, and friction by the forces of the iteration.
    pub(super) fn value(&mut self, at_trial: bool) -> f64 {
        let contact = match at_trial {
            true => self.touch(true),
            false => self.touching_energy,
        };
        let smoothing = self.settings.smoothing_speed * self.duration;
        let places = if at_trial { &self.trial } else { &self.places };
        let friction = self.frozen.iter().map(|touch| {
            let limit = self.friction_limit(touch);
            if limit == 0.0 || self.duration == 0.0 {
                return 0.0;
            }
            limit * smoothed_length(self.slip(touch, places).length(), smoothing)[0]
        });
        contact + friction.sum::<f64>()
    }

    /// The gradient of contact at the beginning of a step, at `self.places`. Friction is not part of
    /// it: what sticks has no speed to go by. Returns the energy there, in joules.
    pub(super) fn linearise_start(&mut self) -> f64 {
        self.stay();
        let energy = self.touch(false);
        self.gradient.fill(DVec3::ZERO);
        self.started.clear();
        for touch in &self.touching {
            self.started.push(*touch);
            for k in 0..touch.pair.kind.node_count() {
                let node = touch.pair.nodes[k] as usize;
                let force = -touch.force * touch.normal;
                self.gradient[node] += touch.weights[k] * force + touch.turning[k];
            }
        }
        energy
    }

    /// Whether features pushed each other or rubbed in the last iteration.
    pub(super) fn has_touching(&self) -> bool {
        self.is_coupled
    }

    /// Finds the pairs within their range at `self.places`.
    pub(super) fn stay(&mut self) {
        self.trial.copy_from_slice(&self.places);
        self.search();
    }

    /// Pairs found, pairs that touch, and the smallest distance of those, in metres.
    pub(super) fn figures(&self) -> (usize, usize, f64) {
        let distances = self.touching.iter().map(|touch| touch.distance);
        let smallest = distances.fold(f64::INFINITY, f64::min);
        (self.candidates.len(), self.touching.len(), smallest)
    }
}
