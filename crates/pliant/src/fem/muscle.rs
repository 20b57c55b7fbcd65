//! Muscles: springs whose length without force follows a signal in time.
//!
//! ```text
//! L(t) = (1 - c(t)) L⁰,        c between -1 and 0.9
//! ```
//!
//! Implements: \[Gibson1997\] section on mass-spring models: muscles of fish and faces.
//!
//! c is the contraction, L⁰ the length of the spring at rest (m). What a signal gives beyond -1 and 0.9
//! is cut off: no muscle is shorter than a tenth of its length, or longer than twice. A step has the
//! length of its middle; statics that of its end. The energy that a change of length at fixed positions
//! gives the springs, ½ k ((l - L₁)² - (l - L₀)²), is the work of the muscle: it is counted in the
//! ledger of the step.

use super::{FemError, MeshSettings, SpringNetwork};
use crate::body::{Body, IntegratorKind, Past, Processes};
use crate::energy::Springs;
use crate::obstacle::Obstacle;
use glam::DVec3;
use std::collections::HashMap;
use std::sync::Arc;

/// The least and the largest contraction of a muscle.
const CONTRACTIONS: [f64; 2] = [-1.0, 0.9];

/// How much the springs of a muscle contract.
pub trait Contraction: Send + Sync {
    /// The contraction of one of its springs, as a share of its length, at a time in seconds.
    fn at(&self, spring: usize, time: f64) -> f64;
}

impl<F: Fn(usize, f64) -> f64 + Send + Sync> Contraction for F {
    fn at(&self, spring: usize, time: f64) -> f64 {
        self(spring, time)
    }
}

/// Springs that contract.
#[derive(Clone)]
pub struct Muscle {
    /// The two nodes of each spring.
    pub springs: Vec<[u32; 2]>,
    /// What they do.
    pub contraction: Arc<dyn Contraction>,
}

impl std::fmt::Debug for Muscle {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Muscle({} springs)", self.springs.len())
    }
}

/// The number of each spring of each muscle among those of a network.
pub(super) fn find_springs(
    muscles: &[Muscle],
    network: &SpringNetwork,
) -> Result<Vec<Vec<usize>>, FemError> {
    let springs = network.springs().iter().enumerate();
    let known: HashMap<[u32; 2], usize> = springs.map(|(index, s)| (s.nodes, index)).collect();
    let mut taken = vec![false; network.springs().len()];
    let mut find = |&[a, b]: &[u32; 2]| {
        let found = known.get(&[a.min(b), a.max(b)]).copied();
        let free = found.filter(|&spring| !std::mem::replace(&mut taken[spring], true));
        free.ok_or(FemError::Unsupported {
            what: "a muscle along what is no spring, or two along the same",
        })
    };
    let muscles = muscles.iter();
    muscles
        .map(|muscle| muscle.springs.iter().map(&mut find).collect())
        .collect()
}

/// The muscles of a body at work.
pub(crate) struct MusclesAtWork {
    muscles: Vec<Muscle>,
    /// The springs of each muscle.
    places: Vec<Vec<usize>>,
    network: SpringNetwork,
    /// Lengths for the step at hand.
    springs: Springs,
    /// Lengths at another time.
    others: Vec<f64>,
    /// Work done when the step at hand began, in joules.
    at_start: f64,
    /// Work done by steps that were accepted.
    work: f64,
}

impl MusclesAtWork {
    /// Those of a body over a mesh; nothing if it has none.
    pub(crate) fn of(settings: &MeshSettings, body: &Body) -> Option<Self> {
        let model = settings.model.springs()?;
        if model.muscles.is_empty() {
            return None;
        }
        // The description was checked when the body was made, so there is no error here.
        let rest = &body.description().rest_positions;
        let network = model.network(&settings.mesh, rest).ok()?;
        let places = find_springs(&model.muscles, &network).ok()?;
        let lengths = network.springs().iter().map(|spring| spring.rest_length);
        let lengths: Vec<f64> = lengths.collect();
        Some(Self {
            muscles: model.muscles.clone(),
            places,
            springs: Springs {
                rests: lengths.clone(),
                ..Springs::default()
            },
            others: lengths,
            network,
            at_start: 0.0,
            work: 0.0,
        })
    }

    /// Fills the lengths of all muscles at a time.
    fn fill(&self, time: f64, lengths: &mut [f64]) {
        let [least, largest] = CONTRACTIONS;
        for (muscle, places) in self.muscles.iter().zip(&self.places) {
            for (number, &spring) in places.iter().enumerate() {
                let contraction = muscle.contraction.at(number, time).clamp(least, largest);
                lengths[spring] = (1.0 - contraction) * self.network.springs()[spring].rest_length;
            }
        }
    }

    /// What a change of lengths adds to the energy, in joules.
    fn change(&self, positions: &[DVec3], from: &[f64], to: &[f64]) -> f64 {
        let springs = self.places.iter().flatten();
        springs
            .map(|&index| {
                let spring = &self.network.springs()[index];
                let [a, b] = spring.nodes.map(|node| positions[node as usize]);
                let length = a.distance(b);
                let [before, after] = [from[index], to[index]].map(|rest| (length - rest).powi(2));
                0.5 * spring.stiffness * (after - before)
            })
            .sum()
    }

    /// The change of energy between the lengths at a time and those of the step.
    fn change_at(&mut self, positions: &[DVec3], time: f64) -> f64 {
        let mut others = std::mem::take(&mut self.others);
        self.fill(time, &mut others);
        let change = self.change(positions, &others, &self.springs.rests);
        self.others = others;
        change
    }
}

impl Processes for MusclesAtWork {
    fn prepare<'a>(&'a mut self, body: &Body, time: f64, step: f64) -> Past<'a> {
        let is_static = body.description().scheme() == IntegratorKind::Static;
        let moment = time + if is_static { step } else { 0.5 * step };
        let mut lengths = std::mem::take(&mut self.springs.rests);
        self.fill(moment, &mut lengths);
        self.springs.rests = lengths;
        self.at_start = self.change_at(&body.state.positions, time);
        Past::Springs(&self.springs)
    }

    fn commit(&mut self, body: &mut Body, _obstacles: &[Obstacle], time: f64, step: f64) {
        let at_end = self.change_at(&body.state.positions, time + step);
        self.work += self.at_start - at_end;
    }

    fn take_work(&mut self) -> f64 {
        std::mem::take(&mut self.work)
    }

    fn may_dissipate(&self) -> bool {
        false
    }
}
