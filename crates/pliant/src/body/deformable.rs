//! A deformable body: what describes it, what moves and what it remembers.

use super::description::check;
use super::{Blade, BodyDescription, BodyError, EnergyDrift, Formulation, Memory, State};
use crate::bytes::{SnapshotError, SnapshotReader};
use crate::force::BoundForce;
use crate::process::{ProcessKind, Scheduled};
use glam::DVec3;
use std::any::Any;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

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
    /// What its formulation remembers: one part for each type.
    memory: Vec<Box<dyn Memory>>,
    /// Why the body was frozen, if it was.
    pub quarantine: Option<String>,
    /// Length of the next step as a share of the time step: shorter after a failure.
    pub(crate) step_share: f64,
    /// What rules that damp nothing have created so far.
    pub(crate) drift: EnergyDrift,
    /// Number of forces that the description was given with; commands add more.
    described_forces: usize,
    /// Another number for each description that the body has had.
    revision: u64,
}

/// A number never given before.
fn stamp() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Ordering::Relaxed) + 1
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
    pub fn with_state(
        mut description: BodyDescription,
        mut state: State,
    ) -> Result<Self, BodyError> {
        let formulation = Arc::clone(&description.formulation);
        formulation.complete(&mut description, &mut state);
        check(&description, &state)?;
        for (velocity, &fixed) in state.velocities.iter_mut().zip(&description.fixed) {
            if fixed {
                *velocity = DVec3::ZERO;
            }
        }
        for slider in &description.sliders {
            let velocity = &mut state.velocities[slider.node];
            *velocity -= slider.normal * slider.normal.dot(*velocity);
        }
        let memory = description.formulation.begin(&description, &mut state);
        Ok(Self {
            described_forces: description.forces.len(),
            revision: stamp(),
            description,
            state,
            memory,
            quarantine: None,
            step_share: 1.0,
            drift: EnergyDrift::default(),
        })
    }

    /// What a step does not change.
    pub fn description(&self) -> &BodyDescription {
        &self.description
    }

    /// The description without the forces that commands have added.
    pub(crate) fn described(&self) -> BodyDescription {
        let mut described = self.description.clone();
        described.forces.truncate(self.described_forces);
        described
    }

    /// Changes the description between steps. Lengths of lists and forces stay the same.
    pub(crate) fn describe_anew(&mut self, description: BodyDescription) {
        self.description = description;
        self.revision = stamp();
    }

    /// Severs what crosses a blade, between steps; says how many links or faces of elements.
    pub(crate) fn cut(&mut self, blade: &Blade) -> usize {
        let formulation = Arc::clone(&self.description.formulation);
        let processes = formulation.processes(self);
        let count = processes.map_or(0, |mut processes| processes.cut(self, blade));
        self.revision = stamp();
        count
    }

    /// Replaces the forces that commands have added.
    pub(crate) fn set_added_forces(&mut self, added: impl Iterator<Item = BoundForce>) {
        self.description.forces.truncate(self.described_forces);
        self.description.forces.extend(added);
    }

    /// Differs whenever scratch memory that was made for the body is out of date.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// How its shape is described.
    pub fn formulation(&self) -> &dyn Formulation {
        &*self.description.formulation
    }

    /// What its formulation remembers of a kind, if it does.
    pub fn memory<M: Memory>(&self) -> Option<&M> {
        let mut parts = self.memory.iter();
        parts.find_map(|part| (&**part as &dyn Any).downcast_ref())
    }

    /// The same, to be changed.
    pub fn memory_mut<M: Memory>(&mut self) -> Option<&mut M> {
        self.parts_mut().2
    }

    /// What a step does not change, what it changes, and what the formulation remembers of a kind.
    pub fn parts_mut<M: Memory>(&mut self) -> (&BodyDescription, &mut State, Option<&mut M>) {
        let mut parts = self.memory.iter_mut();
        let found = parts.find_map(|part| (&mut **part as &mut dyn Any).downcast_mut());
        (&self.description, &mut self.state, found)
    }

    /// What a step does not change, and two kinds of memory.
    pub(crate) fn two_memories<A: Memory, B: Memory>(
        &mut self,
    ) -> (&BodyDescription, Option<&A>, Option<&mut B>) {
        let (mut first, mut second) = (None, None);
        for part in &mut self.memory {
            let part = &mut **part as &mut dyn Any;
            if part.is::<A>() {
                first = part.downcast_ref();
            } else if let Some(found) = part.downcast_mut() {
                second = Some(found);
            }
        }
        (&self.description, first, second)
    }

    /// Takes over what another body of the same description remembers.
    pub fn copy_memory(&mut self, other: &Body) {
        self.memory.clone_from(&other.memory);
    }

    pub(crate) fn memory_parts(&self) -> impl Iterator<Item = &dyn Memory> {
        self.memory.iter().map(|part| &**part)
    }

    pub(crate) fn restore_memory(
        &mut self,
        reader: &mut SnapshotReader,
    ) -> Result<(), SnapshotError> {
        let mut parts = self.memory.iter_mut();
        parts.try_for_each(|part| part.restore(&self.description, reader))?;
        let formulation = Arc::clone(&self.description.formulation);
        formulation.restored(self);
        Ok(())
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.description.node_count()
    }

    /// Whether it is a curve or a surface: its elements have no volume.
    pub fn is_thin(&self) -> bool {
        self.formulation().dimension(&self.description) < 3
    }

    /// Whether the body is a surface.
    pub fn is_sheet(&self) -> bool {
        self.formulation().dimension(&self.description) == 2
    }

    /// Whether contact may keep the body from passing through itself. What becomes whole again as it cools has
    /// surfaces that appear in the midst of others; a surface that a mesh carries does not come apart with it.
    pub fn can_meet_itself(&self) -> bool {
        let shows_itself = self.formulation().shows_its_elements();
        let keeps_apart = |scheduled: &Scheduled| match &scheduled.kind {
            ProcessKind::Heat(heat) => !heat.solidifies,
            ProcessKind::Fracture(_) => shows_itself,
            _ => true,
        };
        self.description.processes.iter().all(keeps_apart)
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

    /// Momentum, in kilogram metres per second.
    pub fn momentum(&self) -> DVec3 {
        let masses = &self.description.masses;
        masses
            .iter()
            .zip(&self.state.velocities)
            .map(|(&mass, &velocity)| mass * velocity)
            .sum()
    }

    /// Angular momentum about the origin, in kilogram square metres per second.
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
        let mut parts = self.memory_parts().map(|part| part.temperatures());
        parts.find(|found| !found.is_empty()).unwrap_or_default()
    }

    /// Number of links or faces between elements that are torn or melted.
    pub fn broken_count(&self) -> usize {
        self.memory_parts().map(|part| part.broken_count()).sum()
    }

    /// Number of nodes that are molten.
    pub fn molten_count(&self) -> usize {
        let molten = self.memory_parts().flat_map(|part| part.molten());
        molten.filter(|&&molten| molten).count()
    }

    /// Diagonal of the box round the rest shape, in metres.
    pub fn size(&self) -> f64 {
        let rest = &self.description.rest_positions;
        let low = rest.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = rest.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        (high - low).length()
    }
}
