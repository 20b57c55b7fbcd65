//! Changes of the scene while it runs: of a value, or by an element that is added to a part. The world is
//! built again from the changed text and goes on from the state at hand.

use crate::player::Player;
use crate::recording::{Deed, Event};
use crate::renewal::{carry_over, rebuilt};
use crate::scene_text::{ChangeError, with_element, with_value};
use pliant::command::Command;
use pliant_session::Failure;
use std::sync::Arc;

fn input(error: ChangeError) -> Failure {
    Failure::Input(error.to_string())
}

impl Player {
    /// Changes a value of the scene and goes on from the state at hand. Bodies that no longer fit what
    /// they were start anew; their names are returned.
    pub fn change(
        &mut self,
        path: &[usize],
        attribute: &str,
        value: &str,
    ) -> Result<Vec<String>, Failure> {
        let text = with_value(&self.text, path, attribute, value).map_err(input)?;
        let deed = Deed::Change {
            path: path.to_vec(),
            attribute: attribute.to_owned(),
            value: value.to_owned(),
        };
        self.rewrite(&text, deed)
    }

    /// Adds an element, such as a process of a body, and goes on from the state at hand as
    /// [`Player::change`] does.
    pub fn insert(&mut self, path: &[usize], element: &str) -> Result<Vec<String>, Failure> {
        let text = with_element(&self.text, path, element).map_err(input)?;
        let deed = Deed::Insert {
            path: path.to_vec(),
            element: element.to_owned(),
        };
        self.rewrite(&text, deed)
    }

    /// Goes on with another text of the scene.
    fn rewrite(&mut self, text: &str, deed: Deed) -> Result<Vec<String>, Failure> {
        let mut fresh = rebuilt(&self.source, text, self.overrides())?;
        self.leave_future();
        let (anew, keeps_commands) = carry_over(&self.source.world, &mut fresh.world);
        let mut again = std::mem::take(&mut self.pending);
        if !keeps_commands {
            // What commands had changed is given to the new bodies by commands.
            let mut lasting = self.lasting_commands();
            lasting.append(&mut again);
            again = lasting;
        }
        self.source = fresh;
        self.text = Arc::from(text);
        self.make_anew();
        for command in again {
            // One that makes no sense any more is dropped, here and in a replay.
            if self.source.world.command(command).is_ok() {
                self.pending.push(command);
            }
        }
        self.events.push(Event {
            step: self.source.world.step_count,
            deed,
        });
        Ok(anew)
    }

    /// Commands that would make again what commands have changed, beside what waits.
    fn lasting_commands(&self) -> Vec<Command> {
        let effect = self.source.world.commands.effect();
        let mut commands = Vec::new();
        for (&handle, &(body, stencil)) in &self.pulls {
            if let Some(force) = effect.force(handle) {
                commands.push(Command::AddForceAt {
                    handle,
                    body,
                    stencil,
                    force,
                });
            }
        }
        for (body, node, fixed) in effect.fixed_nodes() {
            commands.push(match fixed {
                true => Command::Fix { body, node },
                false => Command::Release { body, node },
            });
        }
        for (&(body, _), &(value, number)) in &self.values {
            commands.push(Command::SetValue {
                body,
                value,
                number,
            });
        }
        commands
    }
}
