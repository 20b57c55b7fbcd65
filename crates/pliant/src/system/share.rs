//! What a formulation brings to an implicit step.

use super::{ControlFrame, Mover, RigidCore};
use crate::body::{Body, BodyDescription, Integrator, State, Ties};
use crate::energy::Energy;
use crate::grid::Grid;
use std::sync::Arc;

/// The share of one body in an implicit step.
#[derive(Debug, Default)]
pub struct Share {
    /// Its elastic energies.
    pub energies: Vec<Box<dyn Energy>>,
    /// Parts of it that move as rigid bodies.
    pub cores: Vec<RigidCore>,
    /// Nodes that move as one, in a body that can break; such a body has no cores.
    pub ties: Option<Arc<Ties>>,
    /// The grid of its nodes, if they have one: some solvers go by it.
    pub grid: Option<Grid>,
    /// Whether a free body is given the momenta that external forces alone would give it.
    pub keeps_momentum: bool,
}

impl Share {
    /// The energies of a body's formulation and nothing else.
    pub fn of(body: &Body) -> Self {
        Self {
            energies: body.formulation().energies(body),
            ..Self::default()
        }
    }
}

/// The implicit integrator of a body whose nodes are its unknowns and whose formulation has energies.
/// Contact with obstacles is part of what it solves. The integrators `SemiImplicit` and those named
/// implicit choose its time rule; it knows no `Explicit`.
pub fn implicit(body: &Body) -> Box<dyn Integrator> {
    implicit_share(body, Share::of(body))
}

/// The same for a body that brings more than energies.
pub fn implicit_share(body: &Body, share: Share) -> Box<dyn Integrator> {
    Box::new(Mover::new(body, share))
}

/// Finds the control points of the rigid cores of a new body.
pub fn place_controls(cores: &[RigidCore], description: &BodyDescription, state: &mut State) {
    state.controls.clear();
    state.control_velocities.clear();
    let (masses, rest) = (&description.masses, &description.rest_positions);
    for core in cores {
        let frame = ControlFrame::new(core, masses, rest);
        let (controls, velocities) =
            frame.fit(core, masses, rest, &state.positions, &state.velocities);
        state.controls.extend(controls);
        state.control_velocities.extend(velocities);
    }
}
