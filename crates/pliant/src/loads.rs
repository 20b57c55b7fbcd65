//! The sum of all external forces of a body, with normals and penalty contact.

use crate::body::{Body, directions_of};
use crate::contact::{ContactMethod, add_penalty_loads, penalty_potential};
use crate::force::{Loads, NodalView};
use crate::integrate::Problem;
use glam::DVec3;

/// Evaluates external forces; owns the room for normals.
#[derive(Debug)]
pub struct LoadEvaluator {
    directions: Vec<DVec3>,
    uses_directions: bool,
}

impl LoadEvaluator {
    /// For the forces of a body.
    pub fn new(body: &Body) -> Self {
        let description = body.description();
        let uses_directions = description.contact.along_body_normal
            || description
                .forces
                .iter()
                .any(|bound| bound.force.uses_normals());
        let count = if uses_directions {
            body.node_count()
        } else {
            0
        };
        Self {
            directions: vec![DVec3::ZERO; count],
            uses_directions,
        }
    }

    fn view<'a>(
        &'a self,
        problem: &Problem<'a>,
        positions: &'a [DVec3],
        velocities: &'a [DVec3],
        time: f64,
        step: f64,
    ) -> NodalView<'a> {
        let description = problem.body.description();
        NodalView {
            positions,
            velocities,
            masses: &description.masses,
            directions: &self.directions,
            curve: description.grid.dimension() == 1,
            time,
            step,
        }
    }

    /// Takes the normals of given positions for all evaluations until the next call.
    pub fn take_directions(&mut self, problem: &Problem, positions: &[DVec3]) {
        if self.uses_directions {
            directions_of(problem.body, positions, &mut self.directions);
        }
    }

    /// Sums all external forces.
    pub fn evaluate(
        &mut self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        time: f64,
        step: f64,
        loads: &mut Loads,
    ) {
        self.take_directions(problem, positions);
        self.evaluate_with_directions(problem, positions, velocities, time, step, loads);
    }

    /// Sums all external forces with the normals last taken.
    pub fn evaluate_with_directions(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        time: f64,
        step: f64,
        loads: &mut Loads,
    ) {
        loads.clear();
        let description = problem.body.description();
        let view = self.view(problem, positions, velocities, time, step);
        for bound in &description.forces {
            bound.add_loads(&view, loads);
        }
        if description.contact.method == ContactMethod::Projection {
            return;
        }
        for &index in &description.collides_with {
            let obstacle = &problem.obstacles[index];
            add_penalty_loads(&description.contact, obstacle, &view, loads);
        }
    }

    /// Potential energy in external forces and contact, in joules.
    pub fn potential(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        time: f64,
    ) -> f64 {
        let view = self.view(problem, positions, velocities, time, 0.0);
        self.sum_potentials(problem, &view, false)
    }

    /// The potential whose gradient over a step are the external forces.
    pub fn incremental_potential(
        &self,
        problem: &Problem,
        positions: &[DVec3],
        velocities: &[DVec3],
        time: f64,
        step: f64,
    ) -> f64 {
        let view = self.view(problem, positions, velocities, time, step);
        self.sum_potentials(problem, &view, true)
    }

    fn sum_potentials(&self, problem: &Problem, view: &NodalView, incremental: bool) -> f64 {
        let description = problem.body.description();
        let forces: f64 = description
            .forces
            .iter()
            .flat_map(|bound| bound.nodes(view).map(move |node| (bound, node)))
            .map(|(bound, node)| {
                if incremental {
                    bound.force.incremental_potential(view, node)
                } else {
                    bound.force.potential(view, node)
                }
            })
            .sum();
        let contact: f64 = description
            .collides_with
            .iter()
            .map(|&index| {
                let obstacle = &problem.obstacles[index];
                penalty_potential(&description.contact, obstacle, view.positions)
            })
            .sum();
        forces + contact
    }
}
