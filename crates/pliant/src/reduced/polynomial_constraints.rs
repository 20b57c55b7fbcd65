//! What holds a body that deforms by a polynomial map: rows A of A q = b, for Lagrange multipliers that come and
//! go, and the impulses of impacts.

use super::polynomial_step::{PolynomialDynamics, spread, vectors};
use super::small_factor::{SmallFactor, constrained};
use crate::body::{Problem, State};
use crate::system::Impact;
use glam::DVec3;

/// Depth of contact that is none, by the size of the body.
const TOUCHING: f64 = 1e-7;

/// A node that an obstacle holds off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct HeldOff {
    pub(super) node: usize,
    pub(super) obstacle: usize,
    pub(super) normal: DVec3,
    /// The force that holds it off, in newtons.
    pub(super) push: f64,
}

impl PolynomialDynamics {
    /// The row of a constraint on a node along a direction.
    pub(super) fn row(&self, node: usize, direction: DVec3) -> Vec<f64> {
        let parts = self.basis.at(node).iter();
        parts.flat_map(|p| (*p * direction).to_array()).collect()
    }

    /// Rows of the nodes that are fixed, with what they miss.
    pub(super) fn held_rows(&self, problem: &Problem, q: &[DVec3]) -> (Vec<Vec<f64>>, Vec<f64>) {
        let (mut rows, mut wanted) = (Vec::new(), Vec::new());
        let fixed = problem.body.description().fixed.iter().enumerate();
        for (node, _) in fixed.filter(|(_, fixed)| **fixed) {
            let missing = problem.body.state.positions[node] - self.basis.point(q, node);
            for axis in DVec3::AXES {
                rows.push(self.row(node, axis));
                wanted.push(axis.dot(missing));
            }
        }
        (rows, wanted)
    }

    /// Adds nodes that are inside an obstacle at the places of q to those that are held off; says whether there were new
    /// ones.
    pub(super) fn find_held_off(&mut self, problem: &Problem, q: &[DVec3]) -> bool {
        let thickness = problem.body.description().contact.thickness;
        let mut found = false;
        for &index in problem.meets {
            let obstacle = &problem.obstacles[index];
            for node in (0..self.touching.len()).filter(|&node| self.touching[node]) {
                let place = self.basis.point(q, node);
                let known = |held: &HeldOff| held.node == node && held.obstacle == index;
                if let Some(held) = self.held_off.iter_mut().find(|held| known(held)) {
                    held.normal = obstacle.normal(place);
                } else if obstacle.distance(place) < thickness - TOUCHING * self.size {
                    let normal = obstacle.normal(place);
                    self.held_off.push(HeldOff {
                        node,
                        obstacle: index,
                        normal,
                        push: 0.0,
                    });
                    found = true;
                }
            }
        }
        found
    }

    /// Rows of everything that is held, what they miss, and how many are of fixed nodes.
    pub(super) fn all_rows(
        &self,
        problem: &Problem,
        q: &[DVec3],
    ) -> (Vec<Vec<f64>>, Vec<f64>, usize) {
        let (mut rows, mut wanted) = self.held_rows(problem, q);
        let held = rows.len();
        let thickness = problem.body.description().contact.thickness;
        for held in &self.held_off {
            let place = self.basis.point(q, held.node);
            let distance = problem.obstacles[held.obstacle].distance(place);
            rows.push(self.row(held.node, held.normal));
            wanted.push(thickness - distance);
        }
        (rows, wanted, held)
    }

    /// Rates of change after the rebound of a body that has hit obstacles in a step: a free one rebounds as a
    /// whole (`system/rebound.rs`), so that its motion does not become vibration.
    pub(super) fn rebounding(
        &mut self,
        problem: &Problem,
        start: [&[DVec3]; 2],
        q: &[DVec3],
        mut rates: Vec<DVec3>,
    ) -> Vec<DVec3> {
        let description = problem.body.description();
        if description.fixed.contains(&true) {
            let lost = self.lost(problem, start, [q, &rates]);
            return self.rebound_by_nodes(problem, start[1], rates, lost);
        }
        let before = self.state_of(start[0], start[1]);
        for &index in problem.meets {
            let Some(impact) = self.impact(problem, index, [q, &rates]) else {
                continue;
            };
            let after = self.state_of(q, &rates);
            let elastic = self.energies.iter_mut();
            let elastic: f64 = elastic.map(|energy| energy.energy(&before.positions)).sum();
            let lost = self.lost(problem, start, [q, &rates]);
            let states = [&before, &after];
            if let Some(rebound) = impact.rebound(&description.masses, states, || [elastic, lost]) {
                let gained: Vec<DVec3> = after.positions.iter().map(|x| rebound.at(*x)).collect();
                let gained = self.fit(&description.masses, &gained);
                rates = rates.iter().zip(gained).map(|(a, b)| *a + b).collect();
            }
        }
        rates
    }

    /// Where an obstacle pushes that lets the body rebound.
    fn impact(&self, problem: &Problem, index: usize, [q, rates]: [&[DVec3]; 2]) -> Option<Impact> {
        let of_obstacle = || self.held_off.iter().filter(|held| held.obstacle == index);
        let push: f64 = of_obstacle().map(|held| held.push).sum();
        let restitution = problem.body.description().contact.restitution;
        let restitution = restitution.max(problem.obstacles[index].restitution);
        if push <= 0.0 || restitution <= 0.0 {
            return None;
        }
        let mean = |of: &dyn Fn(&HeldOff) -> DVec3| {
            of_obstacle()
                .map(|held| held.push * of(held))
                .sum::<DVec3>()
                / push
        };
        let normal = mean(&|held| held.normal).normalize_or_zero();
        let moving = mean(&|held| self.basis.point(rates, held.node));
        Some(Impact {
            place: mean(&|held| self.basis.point(q, held.node)),
            normal,
            restitution,
            closing: normal.dot(moving),
        })
    }

    /// Rates of change after the impulses that let what has hit rebound. Impulses give no more energy than
    /// `lost`, what the step has lost so far, in joules: many nodes that hit at once could otherwise gain some.
    fn rebound_by_nodes(
        &self,
        problem: &Problem,
        before: &[DVec3],
        rates: Vec<DVec3>,
        lost: f64,
    ) -> Vec<DVec3> {
        let of_body = problem.body.description().contact.restitution;
        let (mut rows, mut wanted) = self.held_rows(problem, &[]);
        wanted.fill(0.0);
        let held = rows.len();
        for held in &self.held_off {
            let restitution = of_body.max(problem.obstacles[held.obstacle].restitution);
            let approach = -held.normal.dot(self.basis.point(before, held.node));
            let speed = held.normal.dot(self.basis.point(&rates, held.node));
            if restitution > 0.0 && approach > 0.0 && speed < restitution * approach {
                rows.push(self.row(held.node, held.normal));
                wanted.push(restitution * approach - speed);
            }
        }
        if rows.len() == held || lost <= 0.0 {
            return rates;
        }
        let mass = spread(&self.masses, self.basis.len());
        let none = vec![0.0; 3 * self.basis.len()];
        let Some(factor) = SmallFactor::new(none.len(), &mass) else {
            return rates;
        };
        let Some((change, _)) = constrained(&factor, &none, &rows, &wanted) else {
            return rates;
        };
        let change = vectors(&change);
        let share = self.share_within(&rates, &change, lost);
        let pairs = rates.iter().zip(&change);
        pairs.map(|(a, b)| *a + share * *b).collect()
    }

    /// Twice the energy of motion that two rates of change share, aᵀ M b, in joules.
    fn shared_energy(&self, a: &[DVec3], b: &[DVec3]) -> f64 {
        let m = self.basis.len();
        let of_row = |k: usize| -> f64 {
            let row = (0..m).map(|l| self.masses[k * m + l] * a[k].dot(b[l]));
            row.sum()
        };
        (0..m).map(of_row).sum()
    }

    /// The energy of motion, in joules.
    pub(super) fn kinetic(&self, rates: &[DVec3]) -> f64 {
        0.5 * self.shared_energy(rates, rates)
    }

    /// The largest share of a change, up to all of it, by which the energy of motion grows by no more than
    /// given.
    fn share_within(&self, rates: &[DVec3], change: &[DVec3], most: f64) -> f64 {
        let (linear, square) = (
            self.shared_energy(rates, change),
            0.5 * self.shared_energy(change, change),
        );
        if linear + square <= most {
            return 1.0;
        }
        // linear s + square s² = most.
        let root = (linear * linear + 4.0 * square * most).sqrt();
        (2.0 * most / (linear + root)).clamp(0.0, 1.0)
    }

    /// The energy that unknowns and rates lose from the beginning to the end of a step, beyond what external
    /// forces have given them, in joules.
    pub(super) fn lost(
        &mut self,
        problem: &Problem,
        [q0, v0]: [&[DVec3]; 2],
        [q, rates]: [&[DVec3]; 2],
    ) -> f64 {
        let [before, after] = [(q0, v0), (q, rates)].map(|(q, rates)| self.state_of(q, rates));
        let work = self.evaluator.driven_work(problem, &before, &after);
        let (time, end) = (problem.time, problem.time + problem.step);
        let first = self.kinetic(v0) + self.potential(problem, &before, time);
        first + work - self.kinetic(rates) - self.potential(problem, &after, end)
    }

    /// Places and velocities of the nodes.
    fn state_of(&self, q: &[DVec3], rates: &[DVec3]) -> State {
        let nodes = self.places.len();
        let [mut positions, mut velocities] = [vec![DVec3::ZERO; nodes], vec![DVec3::ZERO; nodes]];
        self.basis.place(q, &mut positions);
        self.basis.place(rates, &mut velocities);
        State {
            positions,
            velocities,
            ..State::default()
        }
    }

    /// Elastic energy and the potential of external forces at a time, in joules.
    fn potential(&mut self, problem: &Problem, state: &State, time: f64) -> f64 {
        let (x, v) = (&state.positions, &state.velocities);
        let elastic: f64 = self
            .energies
            .iter_mut()
            .map(|energy| energy.energy(x))
            .sum();
        elastic + self.evaluator.potential(problem, x, v, time)
    }
}
