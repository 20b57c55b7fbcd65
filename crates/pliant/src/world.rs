//! The world: bodies, obstacles and time. It holds what persists and nothing that can be computed
//! from it, so that a copy of a world continues exactly as the original.

use crate::body::Body;
use crate::command::{Command, CommandError, CommandForce, Commands, Stamped};
use crate::contact::PairContactSettings;
use crate::joint::Joint;
use crate::obstacle::Obstacle;

/// Bodies and obstacles at a moment in time.
///
/// ```
/// use pliant::elastic::Weights;
/// use pliant::{Body, BodyDescription, Grid, Workspace, World};
/// # use glam::DVec3;
/// let rope = Grid::new(&[3], &[false]);
/// let rest = vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
/// let rope = BodyDescription::new("rope", rope, rest, Weights::uniform(3, 1.0, 0.0, 0.0));
/// let mut world = World { bodies: vec![Body::new(rope)?], ..World::default() };
/// let before = world.state_hash();
/// world.step(&mut Workspace::new(&world));
/// assert_eq!((world.time, world.state_hash()), (0.01, before)); // at rest, nothing moves
/// # Ok::<(), pliant::body::BodyError>(())
/// ```
#[derive(Debug, Default)]
pub struct World {
    /// Simulated time, in seconds.
    pub time: f64,
    /// Number of steps taken.
    pub step_count: usize,
    /// The deformable bodies.
    pub bodies: Vec<Body>,
    /// The obstacles.
    pub obstacles: Vec<Obstacle>,
    /// How bodies meet each other and themselves; without it they pass through each other.
    pub contact: Option<PairContactSettings>,
    /// What holds points of bodies together.
    pub joints: Vec<Joint>,
    /// What users have done to it.
    pub commands: Commands,
}

impl World {
    /// Length of a step, in seconds: the shortest of what the bodies ask for. All bodies advance
    /// together. Zero in a world without bodies, where time stands still.
    pub fn time_step(&self) -> f64 {
        self.bodies
            .iter()
            .map(|body| body.description().time_step)
            .reduce(f64::min)
            .unwrap_or(0.0)
    }

    /// Lets a command be applied when the next step begins.
    ///
    /// ```
    /// use pliant::command::{Command, CommandForce};
    /// use pliant::elastic::Weights;
    /// use pliant::{Body, BodyDescription, Grid, Workspace, World};
    /// # use glam::DVec3;
    /// let (grid, rest) = (Grid::new(&[2], &[false]), vec![DVec3::ZERO, DVec3::X]);
    /// let rope = BodyDescription::new("rope", grid, rest, Weights::uniform(2, 1.0, 0.0, 0.0));
    /// let mut world = World { bodies: vec![Body::new(rope)?], ..World::default() };
    /// let force = CommandForce::Spring { target: 2.0 * DVec3::X, constant: 5.0 };
    /// world.command(Command::AddForce { handle: 1, body: 0, node: Some(1), force })?;
    /// world.step(&mut Workspace::new(&world));
    /// assert!(world.bodies[0].state.velocities[1].x > 0.0);
    /// assert_eq!(world.commands.record().len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn command(&mut self, command: Command) -> Result<(), CommandError> {
        self.check_command(&command)?;
        self.commands.wait(Stamped {
            step: self.step_count,
            time: self.time,
            command,
        });
        Ok(())
    }

    /// Lets recorded commands be applied at the steps at which they were. Those of steps that the
    /// world has taken are left out: their effect is part of the snapshot it goes on from.
    pub fn replay(&mut self, record: &[Stamped]) -> Result<(), CommandError> {
        for stamped in record
            .iter()
            .filter(|stamped| stamped.step >= self.step_count)
        {
            self.check_command(&stamped.command)?;
            self.commands.wait(*stamped);
        }
        Ok(())
    }

    fn check_command(&self, command: &Command) -> Result<(), CommandError> {
        command.check(&self.bodies)?;
        match *command {
            Command::AddForce { handle, .. } | Command::AddForceAt { handle, .. } => {
                match self.commands.will_have(handle) {
                    Some(_) => Err(CommandError::HandleInUse { handle }),
                    None => Ok(()),
                }
            }
            Command::MoveTarget { handle, .. } => match self.commands.will_have(handle) {
                Some(CommandForce::Spring { .. }) => Ok(()),
                Some(_) => Err(CommandError::NoSpring { handle }),
                None => Err(CommandError::NoForce { handle }),
            },
            Command::RemoveForce { handle } => match self.commands.will_have(handle) {
                Some(_) => Ok(()),
                None => Err(CommandError::NoForce { handle }),
            },
            _ => Ok(()),
        }
    }

    /// Whether bodies that may touch or are joined move as one system.
    pub(crate) fn moves_together(&self) -> bool {
        self.contact.is_some() || !self.joints.is_empty()
    }

    /// Number of nodes of all bodies.
    pub fn node_count(&self) -> usize {
        self.bodies.iter().map(Body::node_count).sum()
    }
}
