//! Everything about a body that a step does not change, and what can be wrong with it.

use super::slider::{Slider, check_sliders};
use super::{Formulation, IntegratorKind, State};
use crate::contact::ContactSettings;
use crate::force::BoundForce;
use crate::frame::Appearance;
use crate::linear::SolverSettings;
use crate::process::{ProcessKind, Scheduled};
use glam::DVec3;
use std::sync::Arc;
use thiserror::Error;

/// Everything about a body that a step does not change.
///
/// ```
/// use pliant::elastic::Weights;
/// use pliant::{BodyDescription, Grid, IntegratorKind};
/// # use glam::{DQuat, DVec3};
/// let rest = vec![DVec3::ZERO, DVec3::X, DVec3::Y, DVec3::X + DVec3::Y];
/// let grid = Grid::new(&[2, 2], &[false, false]);
/// let mut sheet = BodyDescription::new("sheet", grid, rest, Weights::uniform(4, 5.0, 0.0, 0.0));
/// sheet.masses.fill(0.2);
/// sheet.fixed[0] = true;
/// sheet.integrator = IntegratorKind::Implicit;
/// ```
#[derive(Clone, Debug)]
pub struct BodyDescription {
    /// The name, as in the scene.
    pub name: Arc<str>,
    /// Natural shape: the positions in which the body is at rest, in metres.
    pub rest_positions: Vec<DVec3>,
    /// Mass of each node, in kilograms.
    pub masses: Vec<f64>,
    /// Damping of each node, in newton seconds per metre.
    pub dampings: Vec<f64>,
    /// Nodes that do not move.
    pub fixed: Vec<bool>,
    /// Nodes that are held along single directions, where they are at rest.
    pub sliders: Vec<Slider>,
    /// How its shape is described, with all that only such bodies have: a grid, a mesh.
    pub formulation: Arc<dyn Formulation>,
    /// How it is integrated through time.
    pub integrator: IntegratorKind,
    /// How linear systems are solved.
    pub solver: SolverSettings,
    /// Largest number of Newton iterations in a stage of a step.
    pub newton_iterations: usize,
    /// Newton's method ends when no node moves by more than this share of the spacing of nodes.
    pub newton_tolerance: f64,
    /// Rayleigh's damping: by mass, in 1/s (the force -α M v), and by stiffness, in seconds (the
    /// force -β K v).
    pub rayleigh: [f64; 2],
    /// Length of a step, in seconds.
    pub time_step: f64,
    /// Shorten steps also when motion outruns contact, cells deform too much at once, or contact adds
    /// energy.
    pub adaptive: bool,
    /// Shortest step, as a share of `time_step`.
    pub shortest_step: f64,
    /// Contact with obstacles.
    pub contact: ContactSettings,
    /// External forces.
    pub forces: Vec<BoundForce>,
    /// Indices of the obstacles with which it collides.
    pub collides_with: Vec<usize>,
    /// How it looks.
    pub appearance: Arc<Appearance>,
    /// What makes it more than elastic: processes that creep, yield, break or conduct.
    pub processes: Vec<Scheduled>,
}

impl BodyDescription {
    /// A body of any formulation: of unit masses, without damping, forces or contact, every node free
    /// to move.
    pub fn of(name: &str, formulation: Arc<dyn Formulation>, rest_positions: Vec<DVec3>) -> Self {
        let node_count = rest_positions.len();
        Self {
            name: name.into(),
            rest_positions,
            masses: vec![1.0; node_count],
            dampings: vec![0.0; node_count],
            fixed: vec![false; node_count],
            sliders: Vec::new(),
            formulation,
            integrator: IntegratorKind::default(),
            solver: SolverSettings::default(),
            newton_iterations: 50,
            newton_tolerance: 1e-3,
            rayleigh: [0.0; 2],
            time_step: 0.01,
            adaptive: false,
            shortest_step: 1.0 / 1024.0,
            contact: ContactSettings::default(),
            forces: Vec::new(),
            collides_with: Vec::new(),
            appearance: Arc::default(),
            processes: Vec::new(),
        }
    }
}

/// Statics is not tried with steps shorter than this share: only loads that change with time are smaller in
/// them.
const SHORTEST_STATIC: f64 = 1.0 / 16.0;

impl BodyDescription {
    /// How short steps may become where longer ones fail, as a share of `time_step`.
    pub(crate) fn shortest_share(&self) -> f64 {
        match self.scheme() {
            IntegratorKind::Static => self.shortest_step.max(SHORTEST_STATIC),
            _ => self.shortest_step,
        }
    }

    /// The integrator, where none is named the one that suits the body.
    pub fn scheme(&self) -> IntegratorKind {
        if self.integrator != IntegratorKind::Automatic {
            return self.integrator;
        }
        let by_rate = |scheduled: &Scheduled| {
            !matches!(
                scheduled.kind,
                ProcessKind::Fracture(_) | ProcessKind::Heat(_) | ProcessKind::Fluid(_)
            )
        };
        if !self.formulation.has_energy(self) {
            IntegratorKind::SemiImplicit
        } else if self.processes.iter().any(by_rate) {
            IntegratorKind::Implicit
        } else {
            IntegratorKind::TwoStage
        }
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.rest_positions.len()
    }

    /// Number of nodes that can touch obstacles and be bound to forces of whole bodies: the first ones.
    pub fn touching_count(&self) -> usize {
        let touching = self.formulation.touching_nodes();
        touching.unwrap_or(usize::MAX).min(self.node_count())
    }

    /// Mean length of the edges of the body at rest, in metres.
    pub fn mean_spacing(&self) -> f64 {
        let rest = &self.rest_positions;
        let (mut sum, mut count) = (0.0, 0_usize);
        self.formulation.edges(self, &mut |a, b| {
            sum += (rest[b] - rest[a]).length();
            count += 1;
        });
        sum / count.max(1) as f64
    }

    /// Length (of a curve, in metres) or area (of a surface or of the boundary of a solid, in square
    /// metres) of the rest shape that each node stands for; 0 inside a solid.
    pub fn node_extents(&self) -> Vec<f64> {
        self.formulation.node_extents(self)
    }
}

/// What is wrong with a description.
#[derive(Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum BodyError {
    #[error("body `{body}`: {what} has {found} entries, but the body has {expected} nodes")]
    WrongLength {
        body: String,
        what: &'static str,
        expected: usize,
        found: usize,
    },
    #[error("body `{body}`: {what} of node {node} is {value}; it must be {rule}")]
    BadValue {
        body: String,
        what: &'static str,
        node: usize,
        value: f64,
        rule: &'static str,
    },
    #[error("body `{body}`: {message}")]
    Formulation { body: String, message: String },
    #[error("body `{body}`: {message}")]
    Unsupported { body: String, message: &'static str },
}

/// What is wrong with a new body, whatever its formulation.
pub(super) fn check(description: &BodyDescription, state: &State) -> Result<(), BodyError> {
    let body = || description.name.to_string();
    let expected = description.node_count();
    let lengths = [
        ("the initial shape", state.positions.len()),
        ("the list of velocities", state.velocities.len()),
        ("the list of masses", description.masses.len()),
        ("the list of dampings", description.dampings.len()),
        ("the list of fixed flags", description.fixed.len()),
    ];
    for (what, found) in lengths {
        if found != expected {
            return Err(BodyError::WrongLength {
                body: body(),
                what,
                expected,
                found,
            });
        }
    }
    let bad = |what, node, value, rule| BodyError::BadValue {
        body: body(),
        what,
        node,
        value,
        rule,
    };
    for node in 0..expected {
        let mass = description.masses[node];
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(bad("mass", node, mass, "positive and finite"));
        }
        let damping = description.dampings[node];
        if !(damping >= 0.0 && damping.is_finite()) {
            return Err(bad("damping", node, damping, "zero or positive and finite"));
        }
        for position in [state.positions[node], description.rest_positions[node]] {
            if !position.is_finite() {
                return Err(bad("position", node, f64::NAN, "finite"));
            }
        }
    }
    for (what, value) in [
        ("damping by mass", description.rayleigh[0]),
        ("damping by stiffness", description.rayleigh[1]),
    ] {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(bad(what, 0, value, "zero or positive and finite"));
        }
    }
    if !(description.time_step > 0.0 && description.time_step.is_finite()) {
        return Err(bad(
            "the time step",
            0,
            description.time_step,
            "positive and finite",
        ));
    }
    if !description.processes.is_empty() && !description.formulation.knows_processes() {
        return Err(BodyError::Unsupported {
            body: body(),
            message: "this formulation knows no inelastic processes",
        });
    }
    if description
        .forces
        .iter()
        .any(|bound| bound.force.needs_part())
    {
        return Err(BodyError::Unsupported {
            body: body(),
            message: "a distributed load is bound to it that is not spread over a part: give it the \
                      force that `over_part` makes of the load, or `DistributedLoad::spread`",
        });
    }
    check_sliders(description)?;
    description.formulation.check(description)
}
