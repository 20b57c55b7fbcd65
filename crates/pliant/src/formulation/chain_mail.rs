//! Bodies of ChainMail: elements on a straight grid that follow each other within limits.
//!
//! They have no forces: springs tell single particles where to be, obstacles push particles out, and
//! everything else follows. The stiffness of a particle (its tension, 1 where there is none) makes its
//! limits narrower. Implements: \[Gibson1997\] sect. 5.3.

use super::grid_body::GridMechanics;
use crate::body::{
    Body, BodyDescription, BodyError, Footprint, Integrator, Memory, Processes, State,
};
use crate::chainmail::{Cutting, LinkLimits, MailMemory, MailMover, MailSettings};
use crate::force::ForceSource;
use crate::frame::Topology;
use crate::grid::{Grid, torn_topology};
use glam::DVec3;
use std::sync::Arc;

/// Elements that follow each other within limits.
#[derive(Clone, Debug, PartialEq)]
pub struct ChainMail {
    /// Limits of a particle of unit stiffness.
    pub limits: LinkLimits,
    /// Share of the way to rest that particles go in each round of relaxation, 0 to 1.
    pub relaxation: f64,
    /// Rounds of relaxation in a step.
    pub rounds: usize,
    /// Links whose middle at rest lies in this box are cut.
    pub cut: Option<[DVec3; 2]>,
    /// When they are cut, in seconds.
    pub cut_time: f64,
}

impl Default for ChainMail {
    fn default() -> Self {
        Self {
            limits: LinkLimits {
                least: 0.7,
                most: 1.3,
                shear: 0.4,
            },
            relaxation: 0.5,
            rounds: 2,
            cut: None,
            cut_time: 0.0,
        }
    }
}

impl ChainMail {
    /// Its name.
    pub const NAME: &'static str = "ChainMail";

    fn settings(&self, description: &BodyDescription) -> MailSettings {
        MailSettings {
            limits: self.limits,
            relaxation: self.relaxation,
            rounds: self.rounds,
            cuts: self.cuts(description),
            cut_time: self.cut_time,
        }
    }

    /// Links that are to be cut: node and direction.
    fn cuts(&self, description: &BodyDescription) -> Vec<(usize, usize)> {
        let Some([low, high]) = self.cut else {
            return Vec::new();
        };
        let (grid, rest) = (description.material_grid(), &description.rest_positions);
        let mut cuts = Vec::new();
        for coordinates in grid.nodes() {
            let node = grid.index(coordinates);
            for direction in 0..grid.dimension() {
                let mut step = [0; 3];
                step[direction] = 1;
                let Some(end) = grid.neighbour(coordinates, step) else {
                    continue;
                };
                let middle = 0.5 * (rest[node] + rest[end]);
                if middle.cmpge(low).all() && middle.cmple(high).all() {
                    cuts.push((node, direction));
                }
            }
        }
        cuts
    }

    fn wrong(description: &BodyDescription, message: impl Into<String>) -> BodyError {
        BodyError::Formulation {
            body: description.name.to_string(),
            message: message.into(),
        }
    }
}

impl BodyDescription {
    /// Makes a body on a grid one of ChainMail. Nothing happens to other bodies.
    pub fn make_chain_mail(&mut self, mechanics: ChainMail) {
        self.give(mechanics);
    }

    /// Changes what a body of ChainMail is made of. Nothing happens to other bodies.
    pub fn change_chain_mail(&mut self, change: impl FnOnce(&mut ChainMail)) {
        self.change(change);
    }
}

/// Length of the links along x, y and z at rest, if the grid runs along them evenly.
fn spacing_of(grid: &Grid, rest: &[DVec3]) -> Option<DVec3> {
    let counts = grid.counts();
    let mut spacing = DVec3::ONE;
    for d in 0..grid.dimension() {
        let mut step = [0; 3];
        step[d] = 1;
        let next = grid.neighbour([0; 3], step)?;
        spacing[d] = (rest[next] - rest[0])[d];
    }
    if spacing.min_element() <= 0.0 {
        return None;
    }
    let size = spacing * DVec3::from(counts.map(|count| count as f64));
    let even = grid.nodes().all(|at| {
        let wanted = rest[0] + spacing * DVec3::from(at.map(|i| i as f64));
        rest[grid.index(at)].distance(wanted) <= 1e-9 * size.length()
    });
    even.then_some(spacing)
}

impl GridMechanics for ChainMail {
    const FORMULATION: &'static str = Self::NAME;

    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let LinkLimits { least, most, shear } = self.limits;
        let sound = least.is_finite() && least <= 1.0 && most >= 1.0 && most.is_finite();
        if !(sound && least > 0.0 && shear.is_finite() && shear >= 0.0) {
            let message = format!(
                "limits must be 0 < least <= 1 <= most and shear >= 0, found {least}, {most}, {shear}"
            );
            return Err(Self::wrong(description, message));
        }
        if !(0.0..=1.0).contains(&self.relaxation) {
            let message = format!(
                "a relaxation must be from 0 to 1, found {}",
                self.relaxation
            );
            return Err(Self::wrong(description, message));
        }
        if description.material_grid().periodic().contains(&true) {
            return Err(Self::wrong(
                description,
                "a grid of ChainMail does not close",
            ));
        }
        if spacing_of(description.material_grid(), &description.rest_positions).is_none() {
            let message =
                "a grid of ChainMail runs evenly along x, y and z, in this order, at rest";
            return Err(Self::wrong(description, message));
        }
        if !description.processes.is_empty() {
            return Err(Self::wrong(description, "ChainMail has no processes"));
        }
        for bound in &description.forces {
            let is_spring = matches!(bound.force.source(), Some(ForceSource::Point { .. }));
            if !is_spring || bound.node.is_none() {
                let message = "ChainMail has no forces: only springs that are bound to single \
                               particles, or to a part of them, tell it where to go";
                return Err(Self::wrong(description, message));
            }
        }
        Ok(())
    }

    fn topology(&self, body: &Body) -> Option<Arc<Topology>> {
        let description = body.description();
        let mut broken = vec![[false; 3]; description.rest_positions.len()];
        if self.topology_version(body) == Some(1) {
            for (node, direction) in self.cuts(description) {
                broken[node][direction] = true;
            }
        }
        let mut topology = torn_topology(description.material_grid(), &|node, d| broken[node][d]);
        if !topology.broken_links.is_empty() {
            topology
                .rest_positions
                .clone_from(&description.rest_positions);
        }
        Some(Arc::new(topology))
    }

    fn topology_version(&self, body: &Body) -> Option<u64> {
        let memory = body.memory::<MailMemory>();
        Some(u64::from(memory.is_some_and(|memory| memory.is_cut)))
    }

    /// Measured with 1 million particles.
    fn footprint(&self, description: &BodyDescription) -> Footprint {
        Footprint::new(description, false, false, 400.0, "a coarser grid")
    }

    fn begin(&self, description: &BodyDescription, _state: &mut State) -> Vec<Box<dyn Memory>> {
        vec![Box::new(MailMemory::new(&self.settings(description)))]
    }

    fn heeds_restitution(&self) -> bool {
        false
    }

    fn integrator(&self, body: &Body) -> Option<Box<dyn Integrator>> {
        let description = body.description();
        let spacing = spacing_of(description.material_grid(), &description.rest_positions);
        let settings = self.settings(description);
        let spacing = spacing.unwrap_or(DVec3::ONE);
        Some(Box::new(MailMover::new(body, settings, spacing)))
    }

    fn processes(&self, _body: &Body) -> Option<Box<dyn Processes>> {
        self.cut?;
        let time = self.cut_time;
        Some(Box::new(Cutting { time }))
    }
}
