//! Friction between objects and a body that deforms by a polynomial map.
//!
//! ```text
//! u = T (q - q⁰),   q = q* + H⁻¹ Tᵀ f  as far as A q stays,   |f| ≤ µ λ,   f against u where it slides
//! ```
//!
//! q⁰ and q* are the unknowns at the beginning of a step and without friction, u the slip of each node that
//! presses along the surface, λ its normal force, H the matrix of Newton's method and A the rows of what is held.
//! With H = L Lᵀ all of it happens among vectors of at most thirty numbers: a row a becomes L⁻¹ aᵀ, and what is
//! held is taken out by orthogonal projection. The forces f are found by Gauss and Seidel's iteration.
//!
//! Implements: Coulomb's law, for the impulses of \[Witkin1990\] sect. 5, which has none.

use super::polynomial_step::{PolynomialDynamics, flat};
use super::small_factor::SmallFactor;
use crate::body::Problem;
use glam::DVec3;

/// Sweeps over all contacts.
const SWEEPS: usize = 60;

/// What is left of a row that the rows before it say already, by its length.
const DEPENDENT: f64 = 1e-6;

/// A node that presses, with the slip along two tangents.
struct Contact {
    /// L⁻¹ Tᵀ, without what is held.
    answers: [Vec<f64>; 2],
    /// Without friction, in metres.
    slip: [f64; 2],
    /// With the velocity of the beginning of the step, in metres.
    onward: [f64; 2],
    /// µ λ, in newtons.
    limit: f64,
    force: [f64; 2],
}

impl Contact {
    /// What friction has taken, in joules: its force times the mean of the slip and of the way that the node would
    /// have gone with the velocity of the beginning, which is its impulse times the mean velocity. `sum` is Lᵀ times
    /// the change of the unknowns.
    fn loss(&self, sum: &[f64]) -> f64 {
        let reached = |i: usize| self.slip[i] + dot(&self.answers[i], sum);
        let way = |i: usize| 0.5 * (self.onward[i] + reached(i));
        -(self.force[0] * way(0) + self.force[1] * way(1))
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn subtract(from: &mut [f64], factor: f64, what: &[f64]) {
    for (value, part) in from.iter_mut().zip(what) {
        *value -= factor * part;
    }
}

/// Takes out what lies along orthonormal vectors, twice against rounding.
fn project(vector: &mut [f64], basis: &[Vec<f64>]) {
    for _ in 0..2 {
        for direction in basis {
            let along = dot(vector, direction);
            subtract(vector, along, direction);
        }
    }
}

impl PolynomialDynamics {
    /// Whether there is friction where nodes press.
    pub(super) fn has_friction(&self, problem: &Problem) -> bool {
        let of_body = problem.body.description().contact.friction;
        let mut held_off = self.held_off.iter();
        held_off.any(|held| of_body.max(problem.obstacles[held.obstacle].friction) > 0.0)
    }

    /// The unknowns after friction, from those without it. `start` are those at the beginning of the step with their `rates`,
    /// `factor` that of the last matrix of Newton's method.
    pub(super) fn slowed(
        &mut self,
        problem: &Problem,
        factor: &SmallFactor,
        [start, rates]: [&[DVec3]; 2],
        q: Vec<DVec3>,
    ) -> Vec<DVec3> {
        let of_body = problem.body.description().contact.friction;
        let limit = |obstacle: usize, push: f64| {
            of_body.max(problem.obstacles[obstacle].friction) * push.max(0.0)
        };
        self.friction_loss = 0.0;
        if !self.has_friction(problem) {
            return q;
        }
        let mut basis: Vec<Vec<f64>> = Vec::new();
        for row in self.all_rows(problem, &q).0 {
            let mut row = factor.forward(&row);
            let length = dot(&row, &row).sqrt();
            project(&mut row, &basis);
            let left = dot(&row, &row).sqrt();
            if left > DEPENDENT * length {
                row.iter_mut().for_each(|value| *value /= left);
                basis.push(row);
            }
        }
        let moved: Vec<DVec3> = q.iter().zip(start).map(|(q, start)| *q - *start).collect();
        let moved = flat(&moved);
        let onward = rates.iter().map(|rate| problem.step * *rate);
        let onward = flat(&onward.collect::<Vec<DVec3>>());
        let mut contacts = Vec::new();
        for held in &self.held_off {
            let (first, second) = held.normal.any_orthonormal_pair();
            let rows = [first, second].map(|tangent| self.row(held.node, tangent));
            contacts.push(Contact {
                slip: [0, 1].map(|i| dot(&rows[i], &moved)),
                onward: [0, 1].map(|i| dot(&rows[i], &onward)),
                answers: rows.map(|row| {
                    let mut answer = factor.forward(&row);
                    project(&mut answer, &basis);
                    answer
                }),
                limit: limit(held.obstacle, held.push),
                force: [0.0; 2],
            });
        }
        let sum = balance(&mut contacts, moved.len());
        self.friction_loss = contacts.iter().map(|contact| contact.loss(&sum)).sum();
        let change = factor.backward(&sum);
        let changes = change.chunks(3).map(DVec3::from_slice);
        q.iter()
            .zip(changes)
            .map(|(q, change)| *q + change)
            .collect()
    }
}

/// Lᵀ times the change of the unknowns by forces of friction that obey Coulomb's law.
fn balance(contacts: &mut [Contact], size: usize) -> Vec<f64> {
    let mut sum = vec![0.0; size];
    for _ in 0..SWEEPS {
        for contact in contacts.iter_mut() {
            let softness = contact.answers.iter().map(|answer| dot(answer, answer));
            let softness = softness.fold(0.0, f64::max);
            if softness <= 0.0 {
                continue;
            }
            let old = contact.force;
            let mut wanted = [0, 1].map(|i| {
                let slip = contact.slip[i] + dot(&contact.answers[i], &sum);
                old[i] - slip / softness
            });
            let size = wanted[0].hypot(wanted[1]);
            if size > contact.limit {
                wanted = wanted.map(|part| part * contact.limit / size);
            }
            for (i, answer) in contact.answers.iter().enumerate() {
                subtract(&mut sum, old[i] - wanted[i], answer);
            }
            contact.force = wanted;
        }
    }
    sum
}
