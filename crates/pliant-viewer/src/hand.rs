//! What the hand of a user does to bodies, as commands to the world.

use crate::player::Player;
use crate::request::Request;
use pliant::command::{Command, CommandForce};
use pliant_session::Failure;

/// Stiffness of a usual pull: a free body would swing once per second on it, in 1/s².
const PULL_STIFFNESS: f64 = 39.5;

/// Requests that are commands to the world.
pub(crate) fn take_command(player: &mut Player, request: Request) -> Result<(), Failure> {
    let fix = |body, node, fixed| match fixed {
        true => Command::Fix { body, node },
        false => Command::Release { body, node },
    };
    match request {
        Request::Grab {
            handle,
            body,
            stencil,
            target,
            strength,
        } => {
            let constant = strength * PULL_STIFFNESS * mass(player, body);
            let force = CommandForce::Spring { target, constant };
            player.command(Command::AddForceAt {
                handle,
                body,
                stencil,
                force,
            })
        }
        Request::Drag { handle, target } => player.command(Command::MoveTarget { handle, target }),
        Request::LetGo(handle) => player.command(Command::RemoveForce { handle }),
        Request::LetAllGo => {
            for pull in player.pulls() {
                let handle = pull.handle;
                player.command(Command::RemoveForce { handle })?;
            }
            Ok(())
        }
        Request::ToggleFixed { body, node } => {
            let fixed = !player.is_fixed(body, node);
            player.command(fix(body, node, fixed))
        }
        Request::SetFixed { body, nodes, fixed } => {
            for node in nodes {
                if player.is_fixed(body, node) != fixed {
                    player.command(fix(body, node, fixed))?;
                }
            }
            Ok(())
        }
        Request::SetValue {
            body,
            value,
            number,
        } => player.command(Command::SetValue {
            body,
            value,
            number,
        }),
        _ => Ok(()),
    }
}

/// The mass of a body, in kilograms.
pub(crate) fn mass(player: &Player, body: usize) -> f64 {
    let body = player.world().bodies.get(body);
    body.map_or(0.0, |body| body.description().masses.iter().sum())
}
