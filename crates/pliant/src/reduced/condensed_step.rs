//! The shape in which a linear body balances its loads, from elementary displacements.
//!
//! ```text
//! x = r + K⁻¹ f_dead + Σ_j C_j f_j
//! ```
//!
//! f_dead are the forces that do not answer to displacements, such as gravity: they take a solve where they
//! have changed. Springs and contact act on few nodes; they are found together (`points.rs`) from the columns
//! of those nodes, and the shape is their sum. Forces are taken as linear in the displacement; where they are
//! not, they are looked at again.

use super::elementary::ElementaryDisplacements;
use super::points::{Compliance, Law, Point};
use super::touch::{Yields, meet};
use crate::body::{
    Body, BodyDescription, Effort, Integrator, MayGain, Problem, State, StepFailure, timed,
};
use crate::contact::Contacts;
use crate::force::Loads;
use crate::linear::LinearError;
use crate::loads::{LoadEvaluator, LoadMoment};
use glam::{DMat3, DVec3};
use std::sync::{Arc, Mutex, PoisonError};

/// Passes over forces that are not linear.
const PASSES: usize = 20;

/// How far a force may be from the linear one, by the largest force.
const LINEAR: f64 = 1e-10;

/// The integrator of condensed bodies; see the module.
pub(crate) struct CondensedStatics {
    columns: Arc<Mutex<ElementaryDisplacements>>,
    evaluator: LoadEvaluator,
    loads: Loads,
    after: Loads,
    dead: Vec<DVec3>,
    /// The dead loads whose displacements are known.
    known: Vec<DVec3>,
    displacements: Vec<DVec3>,
    size: f64,
}

impl CondensedStatics {
    pub(crate) fn new(body: &Body, columns: Arc<Mutex<ElementaryDisplacements>>) -> Self {
        let count = body.node_count();
        Self {
            columns,
            evaluator: LoadEvaluator::new(body),
            loads: Loads::new(count, true),
            after: Loads::new(count, true),
            dead: vec![DVec3::ZERO; count],
            known: vec![DVec3::ZERO; count],
            displacements: vec![DVec3::ZERO; count],
            size: body.size(),
        }
    }

    /// Takes in what is dead of the loads and what it does.
    fn settle_dead(
        &mut self,
        description: &BodyDescription,
        columns: &mut ElementaryDisplacements,
    ) -> Result<usize, LinearError> {
        for (node, dead) in self.dead.iter_mut().enumerate() {
            let answers = self.loads.stiffness[node] > 0.0 || description.fixed[node];
            *dead = if answers {
                DVec3::ZERO
            } else {
                self.loads.forces[node]
            };
        }
        if self.dead == self.known {
            return Ok(0);
        }
        columns.solve(&self.dead, &mut self.displacements)?;
        self.known.clone_from(&self.dead);
        Ok(1)
    }

    /// One pass: loads as they are linear at `at`; fills the candidate.
    fn pass(
        &mut self,
        problem: &Problem,
        at: &[DVec3],
        state: &State,
        candidate: &mut State,
    ) -> Result<(Contacts, usize), StepFailure> {
        let shared = Arc::clone(&self.columns);
        let mut columns = shared.lock().unwrap_or_else(PoisonError::into_inner);
        columns.make_room();
        let description = problem.body.description();
        let moment = LoadMoment::instant(problem.time + problem.step);
        self.evaluator
            .evaluate(problem, at, &state.velocities, moment, &mut self.loads);
        let solves = self.settle_dead(description, &mut columns)?;
        let rest = &description.rest_positions;
        let mut body = Superposed {
            columns: &mut columns,
            rest,
            dead: &self.displacements,
            forces: Vec::new(),
            between: Vec::new(),
            failure: None,
        };
        body.settle(candidate);
        let mut springs = Vec::new();
        for (node, &place) in at.iter().enumerate() {
            if self.loads.stiffness[node] > 0.0 && !description.fixed[node] {
                let law = Law::Spring {
                    stiffness: self.loads.blocks[node],
                    offset: candidate.positions[node] - place,
                    constant: self.loads.forces[node],
                };
                body.find(node);
                springs.push(Point::new(node, law, &body));
            }
        }
        let met = meet(problem, state, candidate, &mut body, springs, self.size);
        match body.failure {
            Some(error) => Err(error.into()),
            None => Ok((met.contacts, met.rounds + solves)),
        }
    }

    /// Whether the forces at the candidate are those that were taken for it.
    fn is_linear(&mut self, problem: &Problem, at: &[DVec3], candidate: &State) -> bool {
        let moment = LoadMoment::instant(problem.time + problem.step);
        let (x, v) = (&candidate.positions, &candidate.velocities);
        self.evaluator
            .evaluate(problem, x, v, moment, &mut self.after);
        let fixed = &problem.body.description().fixed;
        let (mut largest, mut error): (f64, f64) = (0.0, 0.0);
        for node in (0..x.len()).filter(|&node| !fixed[node]) {
            let (before, after) = (self.loads.forces[node], self.after.forces[node]);
            if before == DVec3::ZERO && after == DVec3::ZERO {
                continue;
            }
            let foreseen = before - self.loads.blocks[node] * (x[node] - at[node]);
            largest = largest.max(foreseen.length()).max(before.length());
            error = error.max(foreseen.distance(after));
        }
        error <= LINEAR * largest
    }
}

/// A body that yields by its elementary displacements.
struct Superposed<'a> {
    columns: &'a mut ElementaryDisplacements,
    rest: &'a [DVec3],
    dead: &'a [DVec3],
    /// Nodes with forces on them.
    forces: Vec<(usize, DVec3)>,
    /// How these nodes yield to each other's forces, row after row.
    between: Vec<Vec<DMat3>>,
    failure: Option<LinearError>,
}

impl Superposed<'_> {
    fn place(&self, node: usize) -> Option<usize> {
        self.forces.iter().position(|(other, _)| *other == node)
    }

    /// Makes room for a force on a node.
    fn find(&mut self, node: usize) {
        if self.place(node).is_some() {
            return;
        }
        if let Err(error) = self.columns.find(node) {
            self.failure = Some(error);
            return;
        }
        self.forces.push((node, DVec3::ZERO));
        let entry = |from: usize, to: usize| {
            let column = self.columns.column(from);
            column.map_or(DMat3::ZERO, |column| column[to])
        };
        for (row, &(other, _)) in self.between.iter_mut().zip(&self.forces) {
            row.push(entry(node, other));
        }
        let row = self.forces.iter().map(|&(other, _)| entry(other, node));
        let row = row.collect();
        self.between.push(row);
    }
}

impl Compliance for Superposed<'_> {
    fn of_node(&self, node: usize) -> DMat3 {
        self.columns
            .column(node)
            .map_or(DMat3::ZERO, |column| column[node])
    }

    fn displacement(&self, node: usize) -> DVec3 {
        let Some(place) = self.place(node) else {
            let of_force = |(from, force): &(usize, DVec3)| {
                let column = self.columns.column(*from);
                column.map_or(DVec3::ZERO, |column| column[node] * *force)
            };
            return self.forces.iter().map(of_force).sum();
        };
        let terms = self.between[place].iter().zip(&self.forces);
        terms.map(|(block, (_, force))| *block * *force).sum()
    }

    fn push(&mut self, node: usize, force: DVec3) {
        if let Some(place) = self.place(node) {
            self.forces[place].1 += force;
        }
    }

    fn prepare(&mut self, node: usize) {
        self.find(node);
    }
}

impl Yields for Superposed<'_> {
    fn settle(&mut self, candidate: &mut State) {
        let places = candidate.positions.iter_mut().zip(self.rest);
        for ((place, rest), dead) in places.zip(self.dead) {
            *place = *rest + *dead;
        }
        self.columns
            .superpose(&self.forces, &mut candidate.positions);
        candidate.velocities.fill(DVec3::ZERO);
    }

    fn has_inertia(&self) -> bool {
        false
    }
}

impl Integrator for CondensedStatics {
    fn advance(
        &mut self,
        problem: &Problem,
        state: &State,
        candidate: &mut State,
    ) -> Result<Effort, StepFailure> {
        let mut effort = Effort::default();
        candidate.copy_from(state);
        let mut at = state.positions.clone();
        for _ in 0..PASSES {
            problem.check_stop()?;
            let (contacts, rounds) = timed(problem.clock, &mut effort.times.solve, || {
                self.pass(problem, &at, state, candidate)
            })?;
            effort.contacts = contacts;
            effort.linear_iterations += rounds;
            effort.newton_iterations += 1;
            if self.is_linear(problem, &at, candidate) {
                return Ok(effort);
            }
            at.clone_from(&candidate.positions);
        }
        effort.unconverged_solves += 1;
        Ok(effort)
    }

    fn solves_contact(&self) -> bool {
        true
    }

    fn elastic_energy(&mut self, body: &Body) -> f64 {
        let mut gradient = vec![DVec3::ZERO; body.node_count()];
        self.add_elastic_gradient(body, &mut gradient);
        let nodes = gradient.iter().zip(&body.state.positions);
        let rest = &body.description().rest_positions;
        let terms = nodes.zip(rest).map(|((g, x), r)| g.dot(*x - *r));
        0.5 * terms.sum::<f64>()
    }

    fn add_elastic_gradient(&mut self, body: &Body, gradient: &mut [DVec3]) {
        let columns = self.columns.lock().unwrap_or_else(PoisonError::into_inner);
        let rest = &body.description().rest_positions;
        let moved = body.state.positions.iter().zip(rest);
        let moved: Vec<DVec3> = moved.map(|(x, r)| *x - *r).collect();
        columns.add_product(&moved, gradient);
    }

    fn driven_work(&mut self, problem: &Problem, candidate: &State) -> Option<f64> {
        let states = [&problem.body.state, candidate];
        let moment = LoadMoment::instant(problem.time + problem.step);
        Some(
            self.evaluator
                .work_seen_at(problem, states, moment, &mut self.after),
        )
    }

    fn may_gain(&self) -> MayGain {
        MayGain::Never
    }
}
