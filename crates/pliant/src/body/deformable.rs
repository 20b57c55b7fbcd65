//! A deformable body: all that describes it and all that moves.

use super::Grid;
use crate::contact::{ContactMethod, ContactSettings};
use crate::elastic::Weights;
use crate::fem::{FemError, MeshInelasticity, MeshSettings};
use crate::force::BoundForce;
use crate::frame::Appearance;
use crate::hybrid::{HybridMaterial, HybridSettings, find_rotation};
use crate::inelastic::{HybridWeights, Inelasticity, ProcessKind, Scheduled};
use crate::integrate::IntegratorKind;
use crate::linear::SolverSettings;
use crate::system::ControlFrame;
use glam::{DQuat, DVec3};
use std::sync::Arc;
use thiserror::Error;

/// Which elastic force a primal body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum EnergyVariant {
    /// The true gradient of the discrete energy.
    #[default]
    Exact,
    /// The force of the paper, with a matrix that keeps it stable.
    Published,
    /// The scheme of the paper exactly as printed.
    AsPrinted,
}

/// How the shape of a body is described.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Formulation {
    /// Node positions, with an energy of metric and curvature.
    #[default]
    Primal,
    /// A rigid frame and a deformation relative to it, with a quadratic energy.
    Hybrid,
}

/// What changes in a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct State {
    /// Node positions, in metres.
    pub positions: Vec<DVec3>,
    /// Node velocities, in metres a second.
    pub velocities: Vec<DVec3>,
    /// `world_from_body` rotation of the frame of a hybrid body, of its first piece if it is torn;
    /// the identity for others.
    pub rotation: DQuat,
    /// For each node of a torn hybrid body the rotation of the frame of its piece; else empty.
    pub piece_rotations: Vec<DQuat>,
    /// Control points of rigid cores, four each, in metres.
    pub controls: Vec<DVec3>,
    /// Their velocities, in metres per second.
    pub control_velocities: Vec<DVec3>,
}

impl State {
    /// The rotation of the frame that a node of a hybrid body belongs to.
    pub fn rotation_at(&self, node: usize) -> DQuat {
        let own = self.piece_rotations.get(node);
        own.copied().unwrap_or(self.rotation)
    }

    /// Copies another state of the same size.
    pub fn copy_from(&mut self, other: &State) {
        self.positions.copy_from_slice(&other.positions);
        self.velocities.copy_from_slice(&other.velocities);
        self.rotation = other.rotation;
        self.piece_rotations.clone_from(&other.piece_rotations);
        self.controls.clone_from(&other.controls);
        self.control_velocities
            .clone_from(&other.control_velocities);
    }
}

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
    /// The material grid; nodes without order for a mesh.
    pub grid: Grid,
    /// What makes it a mesh of elements instead of a grid.
    pub mesh: Option<Arc<MeshSettings>>,
    /// Natural shape: the positions in which the body is at rest, in metres.
    pub rest_positions: Vec<DVec3>,
    /// Mass of each node, in kilograms.
    pub masses: Vec<f64>,
    /// Damping of each node, in newton seconds a metre.
    pub dampings: Vec<f64>,
    /// Nodes that do not move.
    pub fixed: Vec<bool>,
    /// Material weights.
    pub weights: Weights,
    /// How its shape is described.
    pub formulation: Formulation,
    /// What only the hybrid formulation uses.
    pub hybrid: HybridSettings,
    /// Which elastic force a primal body has.
    pub energy: EnergyVariant,
    /// How it is integrated through time.
    pub integrator: IntegratorKind,
    /// How linear systems are solved.
    pub solver: SolverSettings,
    /// Largest number of Newton iterations in a stage of a step.
    pub newton_iterations: usize,
    /// Newton's method ends when no node moves by more than this share of the spacing of nodes.
    pub newton_tolerance: f64,
    /// Rayleigh's damping of a grid by mass, in 1/s, and by stiffness, in seconds; meshes have their own.
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
    /// A body of unit masses without damping, forces or contact, every node free to move.
    pub fn new(name: &str, grid: Grid, rest_positions: Vec<DVec3>, weights: Weights) -> Self {
        let node_count = grid.node_count();
        Self {
            name: name.into(),
            grid,
            mesh: None,
            rest_positions,
            masses: vec![1.0; node_count],
            dampings: vec![0.0; node_count],
            fixed: vec![false; node_count],
            weights,
            formulation: Formulation::default(),
            hybrid: HybridSettings::default(),
            energy: EnergyVariant::default(),
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

impl BodyDescription {
    /// The integrator, where none is named the one that suits the body.
    pub fn scheme(&self) -> IntegratorKind {
        if self.integrator != IntegratorKind::Automatic {
            return self.integrator;
        }
        let conservative = self
            .mesh
            .as_ref()
            .is_none_or(|mesh| mesh.model.is_conservative());
        let by_rate = |scheduled: &Scheduled| {
            !matches!(
                scheduled.kind,
                ProcessKind::Fracture(_) | ProcessKind::Heat(_) | ProcessKind::Fluid(_)
            )
        };
        if self.energy != EnergyVariant::Exact || !conservative {
            IntegratorKind::SemiImplicit
        } else if self.processes.iter().any(by_rate) {
            IntegratorKind::Implicit
        } else {
            IntegratorKind::TwoStage
        }
    }

    /// Rayleigh's damping by mass, in 1/s, and by stiffness, in seconds.
    pub fn rayleigh_damping(&self) -> (f64, f64) {
        match &self.mesh {
            Some(mesh) => (mesh.mass_damping, mesh.stiffness_damping),
            None => (self.rayleigh[0], self.rayleigh[1]),
        }
    }

    /// A body over a mesh, at rest where the mesh is, with the mass of each node given.
    pub fn of_mesh(name: &str, settings: MeshSettings, masses: Vec<f64>) -> Self {
        let rest_positions = settings.mesh.positions.clone();
        let count = rest_positions.len();
        let weights = Weights::uniform(count, 0.0, 0.0, 0.0);
        Self {
            mesh: Some(Arc::new(settings)),
            masses,
            ..Self::new(name, Grid::unordered(count), rest_positions, weights)
        }
    }
}

/// What is wrong with a description.
#[derive(Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum BodyError {
    #[error("body `{body}`: {what} has {found} entries, but the grid has {expected} nodes")]
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
    #[error("body `{body}`: {source}")]
    Mesh { body: String, source: FemError },
    #[error("body `{body}`: {message}")]
    Unsupported { body: String, message: &'static str },
}

/// A deformable body.
///
/// ```
/// use pliant::elastic::Weights;
/// use pliant::{Body, BodyDescription, Grid, State};
/// # use glam::{DQuat, DVec3};
/// let (grid, rest) = (Grid::new(&[2], &[false]), vec![DVec3::ZERO, DVec3::X]);
/// let spring = BodyDescription::new("spring", grid, rest, Weights::uniform(2, 1.0, 0.0, 0.0));
/// let positions = vec![DVec3::ZERO, 2.0 * DVec3::X]; // starts stretched
/// let velocities = vec![DVec3::Z; 2];
/// let state = State { positions, velocities, ..State::default() };
/// let body = Body::with_state(spring, state)?;
/// assert_eq!(body.momentum(), 2.0 * DVec3::Z);
/// # Ok::<(), pliant::body::BodyError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Body {
    description: BodyDescription,
    /// Where its nodes are and how they move.
    pub state: State,
    /// What inelastic processes have changed; nothing for an elastic body.
    pub inelastic: Option<Box<Inelasticity>>,
    /// What inelastic processes have changed in a body over a mesh.
    pub mesh_inelastic: Option<Box<MeshInelasticity>>,
    /// Reference shape and weights of a hybrid body, which inelastic processes may change between
    /// steps.
    pub hybrid: Option<HybridMaterial>,
    /// Why the body was frozen, if it was.
    pub quarantine: Option<String>,
    /// Length of the next step as a share of the time step: shorter after a failure.
    pub(crate) step_share: f64,
}

impl Body {
    /// A body that starts in its natural shape and at rest.
    pub fn new(description: BodyDescription) -> Result<Self, BodyError> {
        let positions = description.rest_positions.clone();
        let velocities = vec![DVec3::ZERO; positions.len()];
        Self::with_state(
            description,
            State {
                positions,
                velocities,
                ..State::default()
            },
        )
    }

    /// A body that starts in another shape or in motion. Fixed nodes lose their velocity.
    pub fn with_state(description: BodyDescription, mut state: State) -> Result<Self, BodyError> {
        check(&description, &state)?;
        for (velocity, &fixed) in state.velocities.iter_mut().zip(&description.fixed) {
            if fixed {
                *velocity = DVec3::ZERO;
            }
        }
        place_controls(&description, &mut state);
        let hybrid = (description.formulation == Formulation::Hybrid)
            .then(|| HybridMaterial::new(&description));
        if let Some(material) = &hybrid {
            let turned = find_rotation(&description.masses, material.reference(), &state.positions);
            state.rotation = turned;
        }
        let inelastic = Inelasticity::of(&description, &state.positions).map(Box::new);
        let mesh_inelastic = MeshInelasticity::of(&description).map(Box::new);
        let mut body = Self {
            description,
            state,
            hybrid,
            inelastic,
            mesh_inelastic,
            quarantine: None,
            step_share: 1.0,
        };
        HybridWeights::initialise(&mut body);
        Ok(body)
    }

    /// What a step does not change.
    pub fn description(&self) -> &BodyDescription {
        &self.description
    }

    /// What a step does not change, the positions, and what inelastic processes change.
    pub(crate) fn inelastic_parts(
        &mut self,
    ) -> (&BodyDescription, &[DVec3], Option<&mut Inelasticity>) {
        (
            &self.description,
            &self.state.positions,
            self.inelastic.as_deref_mut(),
        )
    }

    /// The same for a body over a mesh, whose tied nodes are kept together.
    pub(crate) fn mesh_inelastic_parts(
        &mut self,
    ) -> (&BodyDescription, &mut State, Option<&mut MeshInelasticity>) {
        (
            &self.description,
            &mut self.state,
            self.mesh_inelastic.as_deref_mut(),
        )
    }

    /// What a step does not change, what inelastic processes change, and the material of a hybrid
    /// body.
    pub(crate) fn hybrid_parts(
        &mut self,
    ) -> (
        &BodyDescription,
        Option<&Inelasticity>,
        Option<&mut HybridMaterial>,
    ) {
        (
            &self.description,
            self.inelastic.as_deref(),
            self.hybrid.as_mut(),
        )
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.description.grid.node_count()
    }

    /// Whether it is a curve or a surface: its elements have no volume.
    pub fn is_thin(&self) -> bool {
        match &self.description.mesh {
            Some(mesh) => !mesh.mesh.is_solid(),
            None => self.description.grid.dimension() < 3,
        }
    }

    /// Whether the body is a surface.
    pub fn is_sheet(&self) -> bool {
        match &self.description.mesh {
            Some(mesh) => mesh.mesh.dimension() == 2,
            None => self.description.grid.dimension() == 2,
        }
    }

    /// Kinetic energy, in joules.
    pub fn kinetic_energy(&self) -> f64 {
        let masses = &self.description.masses;
        masses
            .iter()
            .zip(&self.state.velocities)
            .map(|(mass, velocity)| 0.5 * mass * velocity.length_squared())
            .sum()
    }

    /// Momentum, in kilogram metres a second.
    pub fn momentum(&self) -> DVec3 {
        let masses = &self.description.masses;
        masses
            .iter()
            .zip(&self.state.velocities)
            .map(|(&mass, &velocity)| mass * velocity)
            .sum()
    }

    /// Angular momentum about the origin, in kilogram square metres a second.
    pub fn angular_momentum(&self) -> DVec3 {
        let State {
            positions,
            velocities,
            ..
        } = &self.state;
        let masses = &self.description.masses;
        (0..positions.len())
            .map(|node| masses[node] * positions[node].cross(velocities[node]))
            .sum()
    }

    /// Heat above 0 K, in joules; zero for a body that does not conduct heat.
    pub fn heat_content(&self) -> f64 {
        let Some(heat) = self.description.heat() else {
            return 0.0;
        };
        heat.content(&self.description.masses, self.temperatures())
    }

    /// Temperature of each node, in kelvin; empty for a body that does not conduct heat.
    pub fn temperatures(&self) -> &[f64] {
        match (&self.inelastic, &self.mesh_inelastic) {
            (Some(inelastic), _) => &inelastic.thermal.temperatures,
            (_, Some(inelastic)) => &inelastic.temperatures,
            _ => &[],
        }
    }

    /// Number of links or faces between elements that are torn or melted.
    pub fn broken_count(&self) -> usize {
        let grid = self.inelastic.as_ref().map_or(0, |own| own.broken_count());
        let mesh = self.mesh_inelastic.as_ref();
        grid + mesh.map_or(0, |own| own.broken_count())
    }

    /// Diagonal of the box round the rest shape, in metres.
    pub fn size(&self) -> f64 {
        let rest = &self.description.rest_positions;
        let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        (high - low).length()
    }
}

/// Finds the control points of the rigid cores of a body.
fn place_controls(description: &BodyDescription, state: &mut State) {
    state.controls.clear();
    state.control_velocities.clear();
    let (masses, rest) = (&description.masses, &description.rest_positions);
    for core in description.mesh.iter().flat_map(|mesh| &mesh.cores) {
        let frame = ControlFrame::new(core, masses, rest);
        let (controls, velocities) =
            frame.fit(core, masses, rest, &state.positions, &state.velocities);
        state.controls.extend(controls);
        state.control_velocities.extend(velocities);
    }
}

fn check(description: &BodyDescription, state: &State) -> Result<(), BodyError> {
    let body = || description.name.to_string();
    let expected = description.grid.node_count();
    let lengths = [
        ("the rest shape", description.rest_positions.len()),
        ("the initial shape", state.positions.len()),
        ("the list of velocities", state.velocities.len()),
        ("the list of masses", description.masses.len()),
        ("the list of dampings", description.dampings.len()),
        ("the list of fixed flags", description.fixed.len()),
        ("the list of tensions", description.weights.tensions.len()),
        (
            "the list of rigidities",
            description.weights.rigidities.len(),
        ),
        ("the list of twists", description.weights.twists.len()),
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
        let weights = &description.weights;
        let smallest = weights.tensions[node]
            .iter()
            .flatten()
            .chain(weights.rigidities[node].iter().flatten())
            .chain([&weights.twists[node]])
            .fold(f64::INFINITY, |low, &value| {
                if value.is_nan() {
                    f64::NAN
                } else {
                    low.min(value)
                }
            });
        if smallest.is_nan() || smallest < 0.0 {
            return Err(bad("a weight", node, smallest, "zero or positive"));
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
    for scheduled in &description.processes {
        scheduled.kind.process().check(description)?;
    }
    let unsupported = |message| {
        Err(BodyError::Unsupported {
            body: body(),
            message,
        })
    };
    let count_of = |is_meant: fn(&ProcessKind) -> bool| {
        let kinds = description.processes.iter().map(|s| &s.kind);
        kinds.filter(|kind| is_meant(kind)).count()
    };
    if count_of(|kind| matches!(kind, ProcessKind::Heat(_))) > 1
        || count_of(|kind| matches!(kind, ProcessKind::Fluid(_))) > 1
    {
        return unsupported("a body conducts heat in one way and is one fluid");
    }
    let conservative = !matches!(
        description.scheme(),
        IntegratorKind::SemiImplicit | IntegratorKind::Explicit
    );
    if let Some(weights) = &description.hybrid.weights {
        weights
            .check(expected)
            .map_err(|message| BodyError::Unsupported {
                body: body(),
                message,
            })?;
    }
    if let Some(settings) = &description.mesh {
        return settings
            .check(description)
            .map_err(|source| BodyError::Mesh {
                body: body(),
                source,
            });
    }
    let primal = description.formulation == Formulation::Primal;
    if primal && conservative && description.energy != EnergyVariant::Exact {
        return unsupported(
            "the published force is not the gradient of an energy, which this integrator needs; \
             use energy Exact, or the SemiImplicit or Explicit integrator",
        );
    }
    if !primal
        && description.integrator == IntegratorKind::Static
        && description.contact.method == ContactMethod::Projection
        && !description.collides_with.is_empty()
    {
        return unsupported(
            "the equilibrium of a hybrid body with obstacles needs a contact potential; use contact \
             Exponential or Quadratic",
        );
    }
    Ok(())
}
