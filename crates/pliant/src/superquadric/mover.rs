//! Moves a superquadric: the fit of its global shape first, then that of its local deformation.
//!
//! The numbers of the fit are control points of the state, so that they are saved, restored and hashed with
//! the body: four vectors of the shape, then its rates, then the covariance.

use super::cloud::PointSequence;
use super::filter::{Fit, FitRules};
use super::local::{LocalWeights, displacements};
use super::model::{COUNT, SuperquadricParameters};
use crate::body::{Body, Effort, Integrator, MayGain, Problem, State, StepFailure};
use glam::DVec3;
use std::sync::Arc;

/// Vectors of the shape.
const SHAPE: usize = 4;

/// The start: an ellipsoid about the nodes.
pub(crate) fn begin(state: &mut State) {
    let places = || state.positions.iter().copied();
    let low = places().fold(DVec3::INFINITY, DVec3::min);
    let high = places().fold(DVec3::NEG_INFINITY, DVec3::max);
    let fit = Fit::new(SuperquadricParameters {
        centre: 0.5 * (low + high),
        rotation: glam::DQuat::IDENTITY,
        axes: 0.5 * (high - low),
        exponents: [1.0; 2],
    });
    state.controls = pack(&fit);
    state.control_velocities = vec![DVec3::ZERO; state.controls.len()];
}

/// The shape that a body has.
pub(crate) fn parameters_of(state: &State) -> Option<SuperquadricParameters> {
    let vectors = state.controls.get(..SHAPE)?;
    let vectors = std::array::from_fn(|k| vectors[k]);
    Some(SuperquadricParameters::from_vectors(vectors))
}

fn pack(fit: &Fit) -> Vec<DVec3> {
    let covariance = fit.covariance.as_flattened();
    let numbers: Vec<f64> = fit.rates.iter().chain(covariance).copied().collect();
    let triple = |part: &[f64]| {
        let entry = |k: usize| part.get(k).copied().unwrap_or(0.0);
        DVec3::new(entry(0), entry(1), entry(2))
    };
    let shape = fit.parameters.as_vectors().into_iter();
    shape.chain(numbers.chunks(3).map(triple)).collect()
}

fn unpack(state: &State) -> Option<Fit> {
    let mut fit = Fit::new(parameters_of(state)?);
    let numbers: Vec<f64> = state.controls[SHAPE..]
        .iter()
        .flat_map(|vector| vector.to_array())
        .collect();
    fit.rates.copy_from_slice(numbers.get(..COUNT)?);
    let entries = fit.covariance.as_flattened_mut();
    let given = numbers.get(COUNT..COUNT + entries.len())?;
    entries.copy_from_slice(given);
    Some(fit)
}

/// The integrator of superquadrics; see the module.
pub(crate) struct SuperquadricMover {
    /// Material coordinates of the nodes: points of the unit sphere.
    coordinates: Vec<DVec3>,
    links: Vec<[u32; 2]>,
    data: Arc<PointSequence>,
    rules: FitRules,
    weights: LocalWeights,
    /// When local deformations begin, in seconds.
    local_time: f64,
}

impl SuperquadricMover {
    pub(crate) fn new(
        body: &Body,
        data: Arc<PointSequence>,
        rules: FitRules,
        weights: LocalWeights,
        local_time: f64,
    ) -> Self {
        let description = body.description();
        let rest = &description.rest_positions;
        let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let (centre, half) = (0.5 * (low + high), 0.5 * (high - low));
        let coordinate = |x: &DVec3| ((*x - centre) / half).normalize_or(DVec3::Z);
        let mut links = Vec::new();
        body.formulation()
            .edges(description, &mut |a, b| links.push([a as u32, b as u32]));
        Self {
            coordinates: rest.iter().map(coordinate).collect(),
            links,
            data,
            rules,
            weights,
            local_time,
        }
    }

    /// The node whose ray is next to that of a point.
    fn nearest(&self, shape: &SuperquadricParameters, point: DVec3) -> usize {
        let coordinate = shape.material_coordinate(point);
        let nodes = self.coordinates.iter().enumerate();
        let best = nodes.fold((0, f64::NEG_INFINITY), |best, (node, u)| {
            let cosine = u.dot(coordinate);
            if cosine > best.1 {
                (node, cosine)
            } else {
                best
            }
        });
        best.0
    }
}

impl Integrator for SuperquadricMover {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        candidate.copy_from(state);
        let lost = StepFailure::Formulation {
            what: "the numbers of a superquadric are lost",
        };
        let mut fit = unpack(state).ok_or(lost)?;
        let end = problem.time + problem.step;
        let points = self.data.at(end);
        fit.advance(points, problem.step, &self.rules);
        let shape = fit.parameters;
        let mut offsets = vec![0.0; self.coordinates.len()];
        if end >= self.local_time {
            let data = points
                .iter()
                .map(|&p| (self.nearest(&shape, p), shape.distance(p)));
            let data: Vec<(usize, f64)> = data.collect();
            let goal = displacements(offsets.len(), &self.links, &data, &self.weights);
            // They grow at the pace of the fit.
            let pace = self.rules.pace.unwrap_or(problem.step);
            let share = 1.0 - (-(end - self.local_time) / pace).exp();
            for (offset, goal) in offsets.iter_mut().zip(goal) {
                *offset = share * goal;
            }
        }
        candidate.controls = pack(&fit);
        for (node, (&u, &offset)) in self.coordinates.iter().zip(&offsets).enumerate() {
            let place = shape.point(u, offset);
            candidate.velocities[node] = (place - state.positions[node]) / problem.step;
            candidate.positions[node] = place;
        }
        Ok(Effort {
            newton_iterations: 1,
            ..Effort::default()
        })
    }

    fn solves_contact(&self) -> bool {
        true
    }

    /// It has no energy but that of its fit, which is none of a body's.
    fn has_energy(&self) -> bool {
        false
    }

    fn elastic_energy(&mut self, _body: &Body) -> f64 {
        0.0
    }

    fn add_elastic_gradient(&mut self, _body: &Body, _gradient: &mut [DVec3]) {}

    fn may_gain(&self) -> MayGain {
        MayGain::Never
    }
}
