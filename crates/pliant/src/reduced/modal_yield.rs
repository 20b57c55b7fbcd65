//! How a modal body yields to contact and hard springs in a step.

use super::modal_step::{Coordinates, ModalDynamics, inertia, turn};
use super::points::{Compliance, Law, Point, relax};
use super::touch::Yields;
use crate::body::{BodyDescription, State};
use crate::math::{cross_matrix, outer};
use glam::{DMat3, DVec3};

/// Rounds over the points of contact whose velocities end.
const STOP_ROUNDS: usize = 200;

/// A modal body that yields to forces on its nodes.
pub(super) struct Yielding<'a> {
    dynamics: &'a mut ModalDynamics,
    description: &'a BodyDescription,
    /// Where it goes without them.
    flown: Coordinates,
    /// From the centre to each node, there.
    arms: Vec<DVec3>,
    inverse_inertia: DMat3,
    /// Sums of the forces: as a whole, about the centre, in each mode.
    force: DVec3,
    torque: DVec3,
    sums: Vec<f64>,
}

impl<'a> Yielding<'a> {
    pub(super) fn new(dynamics: &'a mut ModalDynamics, description: &'a BodyDescription) -> Self {
        let flown = dynamics.next.clone();
        let inverse_inertia = if dynamics.basis.is_free {
            let (inertia, _) = inertia(
                &dynamics.basis,
                &description.masses,
                &dynamics.shape,
                &flown.rates,
            );
            flown.frame * inertia.inverse() * flown.frame.transpose()
        } else {
            DMat3::ZERO
        };
        Self {
            arms: dynamics
                .shape
                .iter()
                .map(|shape| flown.frame * *shape)
                .collect(),
            inverse_inertia,
            force: DVec3::ZERO,
            torque: DVec3::ZERO,
            sums: vec![0.0; dynamics.basis.len()],
            description,
            flown,
            dynamics,
        }
    }

    /// Takes the velocity with which nodes that touch would go on into obstacles, where they are: forces
    /// that are constant during a step leave them half of what gravity gives in it. Returns what friction
    /// takes, in joules.
    pub(super) fn stop(&mut self, pressing: &[Point], start: &State, candidate: &mut State) -> f64 {
        let step = self.dynamics.lengths.step;
        let law = |point: &Point| {
            let way = step * candidate.velocities[point.node];
            match point.law {
                Law::Contact {
                    obstacle,
                    normal,
                    friction,
                    ..
                } => Law::Contact {
                    obstacle,
                    normal,
                    gap: normal.dot(way),
                    slip: way,
                    friction,
                },
                law @ Law::Spring { .. } => law,
            }
        };
        let points = pressing.iter();
        let mut points: Vec<Point> = points
            .map(|point| Point::new(point.node, law(point), self))
            .collect();
        let tolerance = 1e-12 * self.dynamics.size;
        relax(&mut points, self, tolerance, STOP_ROUNDS);
        let losses = points.iter();
        let losses = losses.map(|point| {
            let onward = step * start.velocities[point.node];
            point.friction_loss(Some(onward), self.displacement(point.node))
        });
        let loss = losses.sum();
        self.dynamics.next.clone_from(&self.flown);
        self.give_momentum();
        self.dynamics.write(self.description, candidate);
        loss
    }

    /// Adds what the forces do to velocities.
    fn give_momentum(&mut self) {
        let (step, dynamics) = (self.dynamics.lengths.step, &mut *self.dynamics);
        let next = &mut dynamics.next;
        if dynamics.basis.is_free {
            next.velocity += step / dynamics.mass * self.force;
            next.angular += step * self.torque;
        }
        for (mode, (sum, yields)) in self.sums.iter().zip(&dynamics.lengths.yields).enumerate() {
            next.rates[mode] += sum * yields / step;
        }
    }

    /// Springs and streams that are too hard to act as they are at the middle of the step:
    ///
    /// ```text
    /// f = f0 - S (x - x0) - C (v - v0)       x = x' + W f,   v = v' + W f / h
    ///   = f0 - C (v' - v0 - (x' - x0) / h) - (S + C / h) (x' - x0 + W f)
    /// ```
    ///
    /// f0 is the force at the middle x0 with the velocity v0 of the beginning; x' and v' are where the
    /// body goes without f.
    pub(super) fn hard_springs(&self, start: &State, candidate: &State) -> Vec<Point> {
        let dynamics = &self.dynamics;
        let step = dynamics.lengths.step;
        let hard = (0..dynamics.is_hard.len()).filter(|&node| dynamics.is_hard[node]);
        let law = |node: usize| {
            let offset = candidate.positions[node] - dynamics.middle[node];
            let gained = candidate.velocities[node] - start.velocities[node];
            Law::Spring {
                stiffness: dynamics.loads.blocks[node],
                offset,
                constant: dynamics.loads.forces[node]
                    - dynamics.loads.drags[node] * (step * gained - offset),
            }
        };
        let point = |node| Point::new(node, law(node), self);
        hard.map(point).collect()
    }
}

impl Compliance for Yielding<'_> {
    fn of_node(&self, node: usize) -> DMat3 {
        let (basis, lengths) = (&self.dynamics.basis, &self.dynamics.lengths);
        let mut modes = DMat3::ZERO;
        for (shape, yields) in basis.shapes_at(node).iter().zip(&lengths.yields) {
            modes += outer(*shape, *shape) * *yields;
        }
        let mut sum = self.flown.frame * modes * self.flown.frame.transpose();
        if basis.is_free {
            let arm = cross_matrix(self.arms[node]);
            let turned = arm.transpose() * self.inverse_inertia * arm;
            let moved = DMat3::from_diagonal(DVec3::splat(1.0 / self.dynamics.mass));
            sum += (moved + turned) * lengths.step.powi(2);
        }
        sum
    }

    fn displacement(&self, node: usize) -> DVec3 {
        let (basis, lengths) = (&self.dynamics.basis, &self.dynamics.lengths);
        let modes = basis.shapes_at(node).iter();
        let modes = modes.zip(self.sums.iter().zip(&lengths.yields));
        let mut sum = self.flown.frame * modes.map(|(s, (f, y))| *f * *y * *s).sum::<DVec3>();
        if basis.is_free {
            let turned = (self.inverse_inertia * self.torque).cross(self.arms[node]);
            sum += lengths.step.powi(2) * (self.force / self.dynamics.mass + turned);
        }
        sum
    }

    fn push(&mut self, node: usize, force: DVec3) {
        let seen = self.flown.frame.transpose() * force;
        self.dynamics.basis.collect(node, seen, &mut self.sums);
        self.force += force;
        self.torque += self.arms[node].cross(force);
    }
}

impl Yields for Yielding<'_> {
    fn settle(&mut self, candidate: &mut State) {
        self.dynamics.next.clone_from(&self.flown);
        self.give_momentum();
        let (step, dynamics) = (self.dynamics.lengths.step, &mut *self.dynamics);
        let next = &mut dynamics.next;
        if dynamics.basis.is_free {
            next.centre += step * step / dynamics.mass * self.force;
            let turned = step * step * (self.inverse_inertia * self.torque);
            next.frame = turn(turned) * next.frame;
        }
        for (mode, (sum, yields)) in self.sums.iter().zip(&dynamics.lengths.yields).enumerate() {
            next.amplitudes[mode] += sum * yields;
        }
        dynamics.write(self.description, candidate);
    }
}
