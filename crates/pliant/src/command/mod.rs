//! What a user does to a world while it runs: pull a node, move what pulls, fix and release nodes,
//! add and remove forces, change the values of a material, heat and cool, cut.
//!
//! Commands wait until the next step begins ([`World::command`](crate::World::command)), are applied
//! there in the order in which they came, and are recorded with the step and the time. A record that
//! is replayed on the same world, or on a snapshot of it, leads to the same bits: what commands have
//! changed is part of snapshots and of the state's hash.

mod interventions;

pub use interventions::Interventions;

use crate::body::{Blade, Body};
use crate::force::Stencil;
use glam::DVec3;
use thiserror::Error;

/// What a user does. Bodies and nodes are named by their numbers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Adds a force. The number by which it is known must not be in use.
    AddForce {
        /// The number, chosen by the user.
        handle: u32,
        /// The body it acts on.
        body: usize,
        /// The node it acts on; every node if `None`.
        node: Option<usize>,
        /// What it does.
        force: CommandForce,
    },
    /// Adds a force on one point of a body, which may lie between its nodes: the nodes share it by
    /// their weights.
    AddForceAt {
        /// The number, chosen by the user.
        handle: u32,
        /// The body it acts on.
        body: usize,
        /// The point of the body.
        stencil: Stencil,
        /// What it does: a spring or a push.
        force: CommandForce,
    },
    /// Moves the point that a spring added by a command pulls to.
    MoveTarget {
        /// The number of the spring.
        handle: u32,
        /// Where it pulls to from now on, in metres.
        target: DVec3,
    },
    /// Takes a force away that was added by a command.
    RemoveForce {
        /// Its number.
        handle: u32,
    },
    /// Holds a node where it is.
    Fix {
        /// The body.
        body: usize,
        /// The node.
        node: usize,
    },
    /// Lets a node move that was fixed, by a command or from the start.
    Release {
        /// The body.
        body: usize,
        /// The node.
        node: usize,
    },
    /// Changes a value of a body.
    SetValue {
        /// The body.
        body: usize,
        /// What is changed.
        value: BodyValue,
        /// What it becomes.
        number: f64,
    },
    /// Heats the nodes round a place, or cools them: by `kelvin (1 - d²/r²)²` at the distance d, and not
    /// at all beyond the radius r. Nodes that are held at a temperature keep it.
    Heat {
        /// The body, which must conduct heat.
        body: usize,
        /// The place, in metres.
        place: DVec3,
        /// The radius, in metres.
        radius: f64,
        /// How much hotter the place becomes, in kelvin; negative cools.
        kelvin: f64,
    },
    /// Severs what crosses a triangle: links of a grid, or faces between the elements of a mesh that can
    /// break.
    Cut {
        /// The body.
        body: usize,
        /// The triangle.
        blade: Blade,
    },
}

/// A force that a command adds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum CommandForce {
    /// A spring to a point: the pull of a mouse.
    Spring {
        /// The point, in metres.
        target: DVec3,
        /// Its stiffness, in newtons per metre.
        constant: f64,
    },
    /// A constant force on the node, or on each node, in newtons.
    Push(DVec3),
    /// A constant acceleration, in m/s².
    Acceleration(DVec3),
}

crate::choice! {
    /// A value of a body that commands can change.
    pub enum BodyValue {
        /// Elastic stiffness, by that of the description.
        Stiffness,
        /// Damping of the nodes, by that of the description.
        Damping,
        /// Coulomb's friction coefficient.
        Friction,
        /// Share of the normal velocity that rebounds.
        Restitution,
        /// How fast viscoelastic processes flow, by the description; zero is cold and elastic. It holds
        /// whatever the times are at which the description lets them work.
        Warmth,
    }
}

/// A command and when it was applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stamped {
    /// The number of steps that the world had taken.
    pub step: usize,
    /// The time, in seconds.
    pub time: f64,
    /// What was done.
    pub command: Command,
}

/// Why a command is refused.
#[derive(Clone, Debug, Error, PartialEq)]
#[allow(missing_docs)]
pub enum CommandError {
    #[error("there is no body {body}; the world has {count}")]
    NoBody { body: usize, count: usize },
    #[error("body `{body}` has no node {node}; it has {count}")]
    NoNode {
        body: String,
        node: usize,
        count: usize,
    },
    #[error("node {node} of body `{body}` is part of a rigid core and is not held by itself")]
    InCore { body: String, node: usize },
    #[error("the point between nodes {nodes:?} of body `{body}`: {rule}")]
    BadPoint {
        body: String,
        nodes: [usize; 3],
        rule: &'static str,
    },
    #[error("the force {handle} is there already")]
    HandleInUse { handle: u32 },
    #[error("there is no force {handle} that a command has added")]
    NoForce { handle: u32 },
    #[error("the force {handle} is no spring and has no target")]
    NoSpring { handle: u32 },
    #[error("{what} is {value}; it must be {rule}")]
    BadValue {
        what: &'static str,
        value: f64,
        rule: &'static str,
    },
    #[error(
        "the stiffness of body `{body}` cannot be changed while it runs: its formulation is {formulation}"
    )]
    Stiffness {
        body: String,
        formulation: &'static str,
    },
    #[error(
        "body `{body}` has no viscoelastic process that could be warmed or cooled; a process `Maxwell` \
         makes it thermoplastic"
    )]
    NotViscoelastic { body: String },
    #[error("body `{body}` conducts no heat; a process `Heat` lets it")]
    NoHeat { body: String },
    #[error("body `{body}` cannot be cut; a process `Fracture` lets it")]
    NoCut { body: String },
}

impl Command {
    /// What is wrong with the command for some bodies, beside the numbers of forces.
    pub(crate) fn check(&self, bodies: &[Body]) -> Result<(), CommandError> {
        match *self {
            Self::AddForce {
                body, node, force, ..
            } => {
                let body = find(bodies, body)?;
                node.map_or(Ok(()), |node| check_node(body, node))?;
                force.check()
            }
            Self::AddForceAt {
                body,
                stencil,
                force,
                ..
            } => {
                let body = find(bodies, body)?;
                for node in stencil.nodes {
                    check_node(body, node)?;
                }
                let accelerates = matches!(force, CommandForce::Acceleration(_));
                let whole = accelerates.then_some("an acceleration acts on whole nodes");
                if let Some(rule) = stencil.problem().or(whole) {
                    return Err(CommandError::BadPoint {
                        body: body.description().name.to_string(),
                        nodes: stencil.nodes,
                        rule,
                    });
                }
                force.check()
            }
            Self::MoveTarget { target, .. } => check_finite("the target", target),
            Self::RemoveForce { .. } => Ok(()),
            Self::Fix { body, node } | Self::Release { body, node } => {
                let body = find(bodies, body)?;
                check_node(body, node)?;
                match body.formulation().held_together(body, node) {
                    Some(_) => Ok(()),
                    None => Err(CommandError::InCore {
                        body: body.description().name.to_string(),
                        node,
                    }),
                }
            }
            Self::SetValue {
                body,
                value,
                number,
            } => {
                check_value(value, number)?;
                let mut changed = find(bodies, body)?.description().clone();
                interventions::set_value(&mut changed, value, number)
            }
            Self::Heat {
                body,
                place,
                radius,
                kelvin,
            } => {
                let body = find(bodies, body)?;
                check_finite("the place", place)?;
                check_between("the radius", radius, [f64::MIN_POSITIVE, f64::MAX])?;
                check_between("the heat", kelvin, [-MOST_KELVIN, MOST_KELVIN])?;
                match body.temperatures().is_empty() {
                    true => Err(CommandError::NoHeat { body: name(body) }),
                    false => Ok(()),
                }
            }
            Self::Cut { body, blade } => {
                let body = find(bodies, body)?;
                for corner in blade.corners {
                    check_finite("a corner of the blade", corner)?;
                }
                let can = body.inelastic().is_some_and(|memory| memory.can_be_cut());
                match can {
                    true => Ok(()),
                    false => Err(CommandError::NoCut { body: name(body) }),
                }
            }
        }
    }
}

/// The largest warmth.
const MOST_WARMTH: f64 = 1e6;

/// The most that one command heats or cools, in kelvin.
const MOST_KELVIN: f64 = 1e6;

fn name(body: &Body) -> String {
    body.description().name.to_string()
}

impl CommandForce {
    fn check(&self) -> Result<(), CommandError> {
        match *self {
            Self::Spring { target, constant } => {
                check_finite("the target", target)?;
                check_not_negative("the stiffness of the spring", constant)
            }
            Self::Push(force) => check_finite("the force", force),
            Self::Acceleration(acceleration) => check_finite("the acceleration", acceleration),
        }
    }
}

fn find(bodies: &[Body], body: usize) -> Result<&Body, CommandError> {
    let count = bodies.len();
    bodies.get(body).ok_or(CommandError::NoBody { body, count })
}

fn check_node(body: &Body, node: usize) -> Result<(), CommandError> {
    let count = body.node_count();
    if node < count {
        return Ok(());
    }
    Err(CommandError::NoNode {
        body: body.description().name.to_string(),
        node,
        count,
    })
}

fn check_finite(what: &'static str, vector: DVec3) -> Result<(), CommandError> {
    let bad = vector.to_array().into_iter().find(|v| !v.is_finite());
    match bad {
        None => Ok(()),
        Some(value) => Err(CommandError::BadValue {
            what,
            value,
            rule: "finite",
        }),
    }
}

fn check_value(value: BodyValue, number: f64) -> Result<(), CommandError> {
    check_not_negative(value.name(), number)?;
    let rule = match value {
        BodyValue::Stiffness if number == 0.0 => "a positive number",
        BodyValue::Warmth if number > MOST_WARMTH => "at most a million",
        _ => return Ok(()),
    };
    Err(CommandError::BadValue {
        what: value.name(),
        value: number,
        rule,
    })
}

fn check_between(
    what: &'static str,
    value: f64,
    [low, high]: [f64; 2],
) -> Result<(), CommandError> {
    if (low..=high).contains(&value) {
        return Ok(());
    }
    let rule = match low > 0.0 {
        true => "positive and finite",
        false => "between minus and plus a million",
    };
    Err(CommandError::BadValue { what, value, rule })
}

fn check_not_negative(what: &'static str, value: f64) -> Result<(), CommandError> {
    if value.is_finite() && value >= 0.0 {
        return Ok(());
    }
    Err(CommandError::BadValue {
        what,
        value,
        rule: "zero or a positive number",
    })
}

/// The commands of a world: those that wait, those that were applied, and what they have changed.
#[derive(Clone, Debug, Default)]
pub struct Commands {
    /// In the order of their steps.
    waiting: Vec<Stamped>,
    record: Vec<Stamped>,
    pub(crate) effect: Interventions,
}

impl Commands {
    /// All commands that were applied since the world was made or the record last taken.
    pub fn record(&self) -> &[Stamped] {
        &self.record
    }

    /// Takes the record, so that the next one begins here.
    pub fn take_record(&mut self) -> Vec<Stamped> {
        std::mem::take(&mut self.record)
    }

    /// What the commands that were applied have changed.
    pub fn effect(&self) -> &Interventions {
        &self.effect
    }

    /// Lets a command wait for its step.
    pub(crate) fn wait(&mut self, command: Stamped) {
        let place = self.waiting.partition_point(|due| due.step <= command.step);
        self.waiting.insert(place, command);
    }

    /// Forgets what waits.
    pub(crate) fn forget(&mut self) {
        self.waiting.clear();
    }

    /// Whether a force will be there when all that waits has been applied.
    pub(crate) fn will_have(&self, handle: u32) -> Option<CommandForce> {
        let mut found = self.effect.force(handle);
        for stamped in &self.waiting {
            match stamped.command {
                Command::AddForce {
                    handle: id, force, ..
                }
                | Command::AddForceAt {
                    handle: id, force, ..
                } if id == handle => found = Some(force),
                Command::RemoveForce { handle: id } if id == handle => found = None,
                _ => {}
            }
        }
        found
    }

    /// Whether a command has waited for this step.
    pub(crate) fn are_due(&self, step: usize) -> bool {
        self.waiting.first().is_some_and(|due| due.step <= step)
    }

    /// Applies what has waited for the step that begins; says whether anything has.
    pub(crate) fn apply(&mut self, bodies: &mut [Body], step: usize, time: f64) -> bool {
        let count = self.waiting.partition_point(|due| due.step <= step);
        for stamped in self.waiting.drain(..count) {
            let command = stamped.command;
            self.effect.apply(&command, bodies);
            self.record.push(Stamped {
                step,
                time,
                command,
            });
        }
        count > 0
    }
}
