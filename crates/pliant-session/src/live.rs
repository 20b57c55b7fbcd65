//! A scene that is changed while it runs: by commands to its world, and by changes of its text, from which
//! the world is built again and put in the state of the old one.
//!
//! The viewer changes scenes so, and `pliant run` does again what a recording says. Both go the same way, so
//! that both end in the same state, bit for bit.

use crate::renewal::carry_over;
use crate::scene_edit::{ChangeError, with_element, with_value};
use crate::{Deed, Failure, MemoryLimit, Source};
use pliant::World;
use pliant::command::{BodyValue, Command, CommandError, CommandForce};
use pliant::force::Stencil;
use pliant_io::Assets;
use pliant_scene::Override;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// Where a scene comes from, so that its world can be built again from another text.
#[derive(Clone, Debug)]
struct Origin {
    name: String,
    file: String,
    folder: PathBuf,
    assets: Arc<dyn Assets + Send + Sync>,
}

/// A scene that is changed while it runs. Its world is kept by whoever steps it.
#[derive(Clone, Debug)]
pub struct LiveScene {
    origin: Origin,
    overrides: Vec<Override>,
    /// The text as it stands.
    pub text: Arc<str>,
    /// Commands that wait for the next step.
    pub pending: Vec<Command>,
    /// Where each pull takes hold, by its number: the body and the point.
    pub pulls: BTreeMap<u32, (usize, Stencil)>,
    /// Values of bodies that were set.
    pub values: BTreeMap<(usize, &'static str), (BodyValue, f64)>,
}

/// A scene after a change of its text.
#[derive(Debug)]
pub struct Renewed {
    /// The scene, with a world in the state of the old one.
    pub source: Source,
    /// Names of bodies that do not fit what they were and start anew.
    pub anew: Vec<String>,
}

impl LiveScene {
    /// A scene that was loaded with some attributes replaced, and has not been changed yet.
    pub fn new(source: &Source, overrides: Vec<Override>) -> Self {
        Self {
            origin: Origin {
                name: source.name.clone(),
                file: source.file.clone(),
                folder: source.folder.clone(),
                assets: Arc::clone(&source.assets),
            },
            overrides,
            text: Arc::from(source.text.as_str()),
            pending: Vec::new(),
            pulls: BTreeMap::new(),
            values: BTreeMap::new(),
        }
    }

    /// Attributes that are replaced.
    pub fn overrides(&self) -> &[Override] {
        &self.overrides
    }

    /// The scene with a text, in its initial state.
    pub fn built(&self, text: &str) -> Result<Source, Failure> {
        let origin = self.origin.clone();
        let fresh = Source::from_assets(
            origin.name,
            origin.file,
            text.to_owned(),
            origin.assets,
            &self.overrides,
            MemoryLimit::new(None),
        )?;
        Ok(Source {
            folder: origin.folder,
            ..fresh
        })
    }

    /// Lets a command be applied with the next step.
    pub fn command(&mut self, world: &mut World, command: Command) -> Result<(), Failure> {
        let refused = |error: CommandError| Failure::Input(error.to_string());
        world.command(command).map_err(refused)?;
        self.pending.push(command);
        match command {
            Command::AddForceAt {
                handle,
                body,
                stencil,
                force: CommandForce::Spring { .. },
            } => {
                self.pulls.insert(handle, (body, stencil));
            }
            Command::SetValue {
                body,
                value,
                number,
            } => {
                self.values.insert((body, value.name()), (value, number));
            }
            _ => {}
        }
        Ok(())
    }

    /// The text after a deed; `None` if the deed does not change it.
    pub fn text_after(&self, deed: &Deed) -> Result<Option<String>, Failure> {
        let text = match deed {
            Deed::Command(_) => return Ok(None),
            Deed::Change {
                path,
                attribute,
                value,
            } => with_value(&self.text, path, attribute, value),
            Deed::Insert { path, element } => with_element(&self.text, path, element),
        };
        text.map(Some)
            .map_err(|error: ChangeError| Failure::Input(error.to_string()))
    }

    /// Goes on with another text: builds its world and puts it in the state of the one at hand. If the text
    /// makes no sense nothing has changed.
    pub fn rewrite(&mut self, old: &World, text: &str) -> Result<Renewed, Failure> {
        let mut source = self.built(text)?;
        let (anew, keeps_commands) = carry_over(old, &mut source.world);
        let mut again = std::mem::take(&mut self.pending);
        if !keeps_commands {
            // What commands had changed is given to the new bodies by commands.
            let mut lasting = self.lasting_commands(old);
            lasting.append(&mut again);
            again = lasting;
        }
        self.text = Arc::from(text);
        for command in again {
            // One that makes no sense any more is dropped, here and in a replay.
            if source.world.command(command).is_ok() {
                self.pending.push(command);
            }
        }
        Ok(Renewed { source, anew })
    }

    /// Commands that would make again what commands have changed, beside what waits.
    fn lasting_commands(&self, world: &World) -> Vec<Command> {
        let effect = world.commands.effect();
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
