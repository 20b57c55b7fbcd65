//! Rebound from obstacles: what the coefficient of restitution e means for an elastic body.
//!
//! ```text
//! u ≥ e √(a² + 2 E / m')     J u + J² / (2 m') ≤ e² (energy that the step has lost)
//! ```
//!
//! A node of a sheet or a curve that hits an obstacle leaves it with e times its speed; so does one of
//! a solid that is held, has a rigid core or is in pieces.
//!
//! Any other solid rebounds as a whole. Its nodes must not rebound one by one: that would turn the motion of
//! the body into vibration, which steps damp, and the body would rise the less the larger e is. An
//! elastic body also rebounds by itself as far as steps resolve the impact; restitution adds what is
//! missing. a is the speed at which the rigid motion of the body approaches where the obstacle pushes,
//! E its elastic energy, m' the mass that an impulse meets there, 1/m' = 1/m + (r x n)·I⁻¹ (r x n). The
//! approach ends in the step that slows the body as a whole by nearly as much as what touches: nodes keep the
//! speed of their way to the surface, and a soft body goes on when they have stopped. At the end of that step an
//! impulse J of the obstacle on the body as a rigid one brings the speed of the rebound u to what e asks for, and gives back at most e² of the energy
//! that the step has lost: it never creates any. So a stiff body, whose impact takes one step, rises
//! to e² of its height; a soft one rises as its elasticity lets it.
//!
//! Implements: \[Terzopoulos1988\] sect. 3 (rebound).

use super::mover::Mover;
use super::obstacle_contact::ObstacleContact;
use crate::body::{Problem, State};
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

/// Share of what touches has lost of its speed that the body as a whole may still have when its approach counts
/// as ended.
const ENDED: f64 = 0.2;

/// A node that an obstacle has stopped.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    node: u32,
    /// Place of the obstacle among those that the body collides with.
    obstacle: u32,
    normal: DVec3,
    /// The normal force, in newtons.
    force: f64,
    /// Speed at which the node came, in metres per second.
    approach: f64,
    restitution: f64,
}

impl ObstacleContact {
    /// Remembers nodes that have hit an obstacle with the velocities they had before.
    pub(super) fn note_hits(&mut self, problem: &Problem, before: &[DVec3]) {
        let colliding = problem.meets;
        if !self.is_hard() {
            return;
        }
        for touch in &self.touches {
            let index = touch.pair as usize / self.node_count;
            let obstacle = &problem.obstacles[colliding[index]];
            let restitution = self.settings.restitution.max(obstacle.restitution);
            let approach = -touch.normal.dot(before[touch.node as usize]);
            if restitution > 0.0 && approach > self.margin && touch.force > 0.0 {
                self.hits.push(Hit {
                    node: touch.node,
                    obstacle: index as u32,
                    normal: touch.normal,
                    force: touch.force,
                    approach,
                    restitution,
                });
            }
        }
    }

    /// Gives nodes that have hit an obstacle in the step their rebound.
    fn rebound_by_nodes(&mut self, velocities: &mut [DVec3]) {
        for hit in self.hits.drain(..) {
            let velocity = &mut velocities[hit.node as usize];
            let missing = hit.restitution * hit.approach - hit.normal.dot(*velocity);
            *velocity += missing.max(0.0) * hit.normal;
        }
    }
}

impl Mover {
    /// Lets a candidate rebound from the obstacles that it has hit.
    pub(super) fn rebound(&mut self, problem: &Problem, candidate: &mut State) {
        if self.contact.hits.is_empty() {
            return;
        }
        let body = problem.body;
        let in_pieces = body.broken_count() > 0 || body.molten_count() > 0;
        let is_whole = self.unknowns.is_free() && candidate.controls.is_empty() && !in_pieces;
        if body.is_thin() || !is_whole {
            self.contact.rebound_by_nodes(&mut candidate.velocities);
            return;
        }
        let mut hits = std::mem::take(&mut self.contact.hits);
        for index in 0..problem.body.description().collides_with.len() as u32 {
            let of_obstacle = || hits.iter().filter(|hit| hit.obstacle == index);
            let force: f64 = of_obstacle().map(|hit| hit.force).sum();
            if force > 0.0 {
                let mean = |of: &dyn Fn(&Hit) -> DVec3| {
                    of_obstacle().map(|hit| hit.force * of(hit)).sum::<DVec3>() / force
                };
                let normal = mean(&|hit| hit.normal).normalize_or_zero();
                let place = mean(&|hit| candidate.positions[hit.node as usize]);
                let moving = mean(&|hit| candidate.velocities[hit.node as usize]);
                let impact = Impact {
                    place,
                    normal,
                    restitution: of_obstacle().map(|hit| hit.restitution).fold(0.0, f64::max),
                    closing: normal.dot(moving),
                };
                self.rebound_as_a_whole(problem, candidate, &impact);
            }
        }
        hits.clear();
        self.contact.hits = hits;
    }

    /// The impulse of an obstacle on the body as a rigid one.
    fn rebound_as_a_whole(&mut self, problem: &Problem, candidate: &mut State, impact: &Impact) {
        let state = &problem.body.state;
        let masses = &problem.body.description().masses;
        let rebound = impact.rebound(masses, [state, candidate], || {
            let elastic = self.energy_at(&state.positions);
            let (start, end) = (problem.time, problem.time + problem.step);
            let work = self.work_of_drivers(problem, state, candidate);
            let lost = self.total_energy(problem, state, start) + work
                - self.total_energy(problem, candidate, end);
            [elastic, lost]
        });
        if let Some(rebound) = rebound {
            let nodes = candidate.velocities.iter_mut().zip(&candidate.positions);
            for (velocity, position) in nodes {
                *velocity += rebound.at(*position);
            }
        }
    }
}

/// Where an obstacle has hit a body that rebounds as a whole.
pub(crate) struct Impact {
    /// The mean of the places that it pushes, in metres.
    pub(crate) place: DVec3,
    /// Its unit normal there.
    pub(crate) normal: DVec3,
    /// e.
    pub(crate) restitution: f64,
    /// The mean speed along the normal at the end of the step of what it pushes, in metres per second: a step
    /// that ends at the surface leaves nodes the speed of their way there.
    pub(crate) closing: f64,
}

/// What a rebound adds to velocities: a rigid motion.
pub(crate) struct Rebound {
    shift: DVec3,
    turn: DVec3,
    centre: DVec3,
}

impl Rebound {
    /// The change of velocity at a place, in metres per second.
    pub(crate) fn at(&self, place: DVec3) -> DVec3 {
        self.shift + self.turn.cross(place - self.centre)
    }
}

impl Impact {
    /// The rebound at the end of a step between two states, if its approach has ended. `energies` gives the
    /// elastic energy at the beginning and what the step has lost, in joules.
    pub(crate) fn rebound(
        &self,
        masses: &[f64],
        [before, after]: [&State; 2],
        energies: impl FnOnce() -> [f64; 2],
    ) -> Option<Rebound> {
        let [before, after] = [before, after].map(|state| RigidMotion::of(masses, state));
        let approach = -self.normal.dot(before.velocity_at(self.place));
        let speed = self.normal.dot(after.velocity_at(self.place));
        // What touches has been slowed by the obstacle, the body as a whole by no more than that: a soft one by
        // little at first, since it goes on and squeezes itself; a stiff one by as much.
        let stopped = approach + self.closing.min(0.0);
        if approach <= 0.0 || approach + speed < (1.0 - ENDED) * stopped {
            return None;
        }
        let arm = self.place - after.centre;
        let turn = after.turn_by(arm.cross(self.normal));
        let mass = 1.0 / (1.0 / after.mass + self.normal.dot(turn.cross(arm)));
        let [elastic, lost] = energies();
        let wanted = self.restitution * (approach * approach + 2.0 * elastic / mass).sqrt();
        let gain = self.restitution * self.restitution * lost.max(0.0);
        let most = (speed * speed + 2.0 * gain / mass).sqrt();
        let impulse = mass * (wanted.min(most) - speed);
        (impulse > 0.0).then(|| Rebound {
            shift: impulse / after.mass * self.normal,
            turn: impulse * turn,
            centre: after.centre,
        })
    }
}
