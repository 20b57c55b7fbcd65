//! What commands have changed in a world, beside what its bodies are described as.

use super::{BodyValue, Command, CommandError, CommandForce};
use crate::body::{Body, BodyDescription};
use crate::bytes::{SnapshotError, SnapshotReader, SnapshotWriter};
use crate::force::{
    BoundForce, Gravity, NodalForce, PointPush, PointSpring, Spring, Stencil, Thruster,
};
use crate::inelastic::Inelasticity;
use glam::DVec3;
use std::collections::BTreeMap;
use std::sync::Arc;

/// A force that a command has added.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Added {
    body: usize,
    place: Place,
    force: CommandForce,
}

/// Where on a body a force acts.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Place {
    Everywhere,
    Node(usize),
    Point(Stencil),
}

impl Place {
    fn of_node(node: Option<usize>) -> Self {
        node.map_or(Self::Everywhere, Self::Node)
    }
}

/// The lasting effect of commands.
#[derive(Clone, Debug, Default)]
pub struct Interventions {
    forces: BTreeMap<u32, Added>,
    /// Nodes that are fixed or released, by body and node.
    fixed: BTreeMap<(usize, usize), bool>,
    /// Values that were set, by body and place in [`BodyValue::ALL`].
    values: BTreeMap<(usize, usize), f64>,
    /// Bodies whose descriptions were changed, as they were described.
    described: BTreeMap<usize, BodyDescription>,
}

impl Interventions {
    /// Whether no command has a lasting effect.
    pub fn is_empty(&self) -> bool {
        self.forces.is_empty() && self.fixed.is_empty() && self.values.is_empty()
    }

    /// A force that a command has added.
    pub fn force(&self, handle: u32) -> Option<CommandForce> {
        self.forces.get(&handle).map(|added| added.force)
    }

    /// The nodes that commands have fixed (`true`) or released, by body and node.
    pub fn fixed_nodes(&self) -> impl Iterator<Item = (usize, usize, bool)> {
        let nodes = self.fixed.iter();
        nodes.map(|(&(body, node), &fixed)| (body, node, fixed))
    }

    /// Applies a command that was checked.
    pub(super) fn apply(&mut self, command: &Command, bodies: &mut [Body]) {
        match *command {
            Command::AddForce {
                handle,
                body,
                node,
                force,
            } => {
                let place = Place::of_node(node);
                self.forces.insert(handle, Added { body, place, force });
                self.give_forces(body, bodies);
            }
            Command::AddForceAt {
                handle,
                body,
                stencil,
                force,
            } => {
                let place = Place::Point(stencil);
                self.forces.insert(handle, Added { body, place, force });
                self.give_forces(body, bodies);
            }
            Command::MoveTarget { handle, target } => {
                if let Some(added) = self.forces.get_mut(&handle)
                    && let CommandForce::Spring {
                        target: current, ..
                    } = &mut added.force
                {
                    *current = target;
                    let body = added.body;
                    self.give_forces(body, bodies);
                }
            }
            Command::RemoveForce { handle } => {
                if let Some(added) = self.forces.remove(&handle) {
                    self.give_forces(added.body, bodies);
                }
            }
            Command::Fix { body, node } => self.hold(body, node, true, bodies),
            Command::Release { body, node } => self.hold(body, node, false, bodies),
            Command::SetValue {
                body,
                value,
                number,
            } => {
                self.values.insert((body, place_of(value)), number);
                self.describe_anew(body, bodies);
            }
            Command::Heat {
                body,
                place,
                radius,
                kelvin,
            } => heat(&mut bodies[body], place, radius, kelvin),
            Command::Cut { body, blade } => {
                bodies[body].cut(&blade);
            }
        }
    }

    /// Fixes or releases a node and those that are held together with it.
    fn hold(&mut self, index: usize, node: usize, fixed: bool, bodies: &mut [Body]) {
        let body = &mut bodies[index];
        let together = body.formulation().held_together(body, node);
        for node in together.into_iter().flatten() {
            self.fixed.insert((index, node), fixed);
            if fixed {
                body.state.velocities[node] = DVec3::ZERO;
            }
        }
        self.describe_anew(index, bodies);
    }

    /// Gives a body the forces that commands have added to it.
    fn give_forces(&self, index: usize, bodies: &mut [Body]) {
        let Some(body) = bodies.get_mut(index) else {
            return;
        };
        let added = self.forces.values().filter(|added| added.body == index);
        body.set_added_forces(added.map(|added| match added.place {
            Place::Everywhere => bound(made(added.force), None),
            Place::Node(node) => bound(made(added.force), Some(node)),
            Place::Point(stencil) => bound(made_at(stencil, added.force), None),
        }));
    }

    /// Gives a body the description that commands leave it.
    fn describe_anew(&mut self, index: usize, bodies: &mut [Body]) {
        let Some(body) = bodies.get_mut(index) else {
            return;
        };
        let original = self.described.entry(index);
        let mut changed = original.or_insert_with(|| body.described()).clone();
        for (&(_, node), &fixed) in self.fixed.range((index, 0)..(index + 1, 0)) {
            changed.fixed[node] = fixed;
        }
        for (&(_, place), &number) in self.values.range((index, 0)..(index + 1, 0)) {
            // It was checked when the command came.
            let set = set_value(&mut changed, BodyValue::ALL[place], number);
            debug_assert!(set.is_ok(), "{set:?}");
        }
        body.describe_anew(changed);
        self.give_forces(index, bodies);
    }

    pub(crate) fn save(&self, writer: &mut SnapshotWriter) {
        writer.count(self.forces.len());
        for (&handle, added) in &self.forces {
            writer.count(handle as usize);
            writer.count(added.body);
            let node = match added.place {
                Place::Node(node) => node + 1,
                Place::Everywhere | Place::Point(_) => 0,
            };
            writer.count(node);
            let (kind, vector, number) = match added.force {
                CommandForce::Spring { target, constant } => (0, target, constant),
                CommandForce::Push(force) => (1, force, 0.0),
                CommandForce::Acceleration(acceleration) => (2, acceleration, 0.0),
            };
            // Forces at points, which came later, have kinds of their own.
            let at_point = matches!(added.place, Place::Point(_));
            writer.count(if at_point { kind + AT_POINT } else { kind });
            writer.plain_numbers(&vector.to_array());
            writer.number(number);
            if let Place::Point(stencil) = added.place {
                stencil
                    .nodes
                    .into_iter()
                    .for_each(|node| writer.count(node));
                writer.plain_numbers(&stencil.weights);
            }
        }
        writer.count(self.fixed.len());
        for (&(body, node), &fixed) in &self.fixed {
            writer.count(body);
            writer.count(node);
            writer.count(usize::from(fixed));
        }
        writer.count(self.values.len());
        for (&(body, place), &number) in &self.values {
            writer.count(body);
            writer.count(place);
            writer.number(number);
        }
    }

    /// Reads what was saved, checked against the bodies that it is for.
    pub(crate) fn read(
        reader: &mut SnapshotReader,
        bodies: &[Body],
    ) -> Result<Self, SnapshotError> {
        let mut read = Self::default();
        for _ in 0..reader.count()? {
            let handle = u32::try_from(reader.count()?).map_err(|_| SnapshotError::Command)?;
            let body = reader.count()? as usize;
            let node = (reader.count()? as usize).checked_sub(1);
            let kind = reader.count()? as usize;
            let mut vector = [0.0; 3];
            reader.plain_numbers(&mut vector)?;
            let (vector, number) = (DVec3::from_array(vector), reader.number()?);
            let force = match kind % AT_POINT {
                0 => CommandForce::Spring {
                    target: vector,
                    constant: number,
                },
                1 => CommandForce::Push(vector),
                _ => CommandForce::Acceleration(vector),
            };
            let (add, place) = if kind < AT_POINT {
                let add = Command::AddForce {
                    handle,
                    body,
                    node,
                    force,
                };
                (add, Place::of_node(node))
            } else {
                let stencil = read_stencil(reader)?;
                let add = Command::AddForceAt {
                    handle,
                    body,
                    stencil,
                    force,
                };
                (add, Place::Point(stencil))
            };
            check(&add, bodies)?;
            read.forces.insert(handle, Added { body, place, force });
        }
        for _ in 0..reader.count()? {
            let (body, node) = (reader.count()? as usize, reader.count()? as usize);
            check(&Command::Fix { body, node }, bodies)?;
            read.fixed.insert((body, node), reader.count()? != 0);
        }
        for _ in 0..reader.count()? {
            let (body, place) = (reader.count()? as usize, reader.count()? as usize);
            let number = reader.number()?;
            let value = BodyValue::ALL.get(place).copied();
            let value = value.ok_or(SnapshotError::Command)?;
            let set = Command::SetValue {
                body,
                value,
                number,
            };
            check(&set, bodies)?;
            read.values.insert((body, place), number);
        }
        Ok(read)
    }

    /// Puts bodies that other interventions have changed in the state that these leave them in.
    pub(crate) fn replace(&mut self, other: Interventions, bodies: &mut [Body]) {
        let described = std::mem::take(&mut self.described);
        let changed = |interventions: &Self| -> Vec<usize> {
            let nodes = interventions.fixed.keys().map(|key| key.0);
            nodes
                .chain(interventions.values.keys().map(|key| key.0))
                .collect()
        };
        let mut anew = [changed(self), changed(&other)].concat();
        anew.sort_unstable();
        anew.dedup();
        *self = Self { described, ..other };
        for index in anew {
            self.describe_anew(index, bodies);
        }
        for index in 0..bodies.len() {
            self.give_forces(index, bodies);
        }
    }
}

fn check(command: &Command, bodies: &[Body]) -> Result<(), SnapshotError> {
    command.check(bodies).map_err(|_| SnapshotError::Command)
}

/// Added to the kind of a force in a snapshot if it acts at a point between nodes.
const AT_POINT: usize = 16;

fn read_stencil(reader: &mut SnapshotReader) -> Result<Stencil, SnapshotError> {
    let mut stencil = Stencil::node(0);
    for node in &mut stencil.nodes {
        *node = reader.count()? as usize;
    }
    reader.plain_numbers(&mut stencil.weights)?;
    Ok(stencil)
}

fn bound(force: Arc<dyn NodalForce>, node: Option<usize>) -> BoundForce {
    BoundForce { force, node }
}

fn made_at(stencil: Stencil, force: CommandForce) -> Arc<dyn NodalForce> {
    match force {
        CommandForce::Spring { target, constant } => Arc::new(PointSpring {
            stencil,
            target,
            constant,
        }),
        CommandForce::Push(force) => Arc::new(PointPush { stencil, force }),
        // Refused when the command came.
        CommandForce::Acceleration(_) => made(force),
    }
}

fn place_of(value: BodyValue) -> usize {
    let place = BodyValue::ALL.iter().position(|each| *each == value);
    place.unwrap_or(0)
}

fn made(force: CommandForce) -> Arc<dyn NodalForce> {
    match force {
        CommandForce::Spring { target, constant } => Arc::new(Spring::to_point(constant, target)),
        CommandForce::Push(force) => Arc::new(Thruster {
            force,
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
        }),
        CommandForce::Acceleration(acceleration) => Arc::new(Gravity { acceleration }),
    }
}

/// Heats the nodes of a body round a place.
fn heat(body: &mut Body, place: DVec3, radius: f64, kelvin: f64) {
    let (description, state, memory) = body.parts_mut::<Inelasticity>();
    let (Some(heat), Some(memory)) = (description.heat(), memory) else {
        return;
    };
    let temperatures = memory.thermal.temperatures.iter_mut();
    for (node, (temperature, position)) in temperatures.zip(&state.positions).enumerate() {
        let share = 1.0 - position.distance_squared(place) / (radius * radius);
        let is_held = || heat.held.iter().any(|(held, _)| *held == node);
        if share > 0.0 && !is_held() {
            *temperature += kelvin * share * share;
        }
    }
}

/// Changes a value of a description as it was given.
pub(super) fn set_value(
    description: &mut BodyDescription,
    value: BodyValue,
    number: f64,
) -> Result<(), CommandError> {
    match value {
        BodyValue::Stiffness => {
            let formulation = Arc::clone(&description.formulation);
            if !formulation.scale_stiffness(description, number) {
                return Err(CommandError::Stiffness {
                    body: description.name.to_string(),
                    formulation: formulation.name(),
                });
            }
        }
        BodyValue::Damping => {
            let dampings = description.dampings.iter_mut();
            dampings.for_each(|damping| *damping *= number);
        }
        BodyValue::Friction => description.contact.friction = number,
        BodyValue::Restitution => description.contact.restitution = number,
        BodyValue::Warmth => {
            let mut found = false;
            for scheduled in &mut description.processes {
                found |= scheduled.set_warmth(number);
            }
            if !found {
                let body = description.name.to_string();
                return Err(CommandError::NotViscoelastic { body });
            }
        }
    }
    Ok(())
}
