//! What a run does on the way: commands and changes of the scene, each before the step that it belongs to.

use crate::{Deed, Event, Failure, LiveScene, Recording, Source};
use pliant::World;
use std::collections::VecDeque;

/// What is still to be done in a run.
#[derive(Debug)]
pub struct Script {
    live: LiveScene,
    events: VecDeque<Event>,
}

/// What a script did to a world beside commands.
#[derive(Debug, PartialEq)]
pub enum Followed {
    /// The world is the one that it was.
    Same,
    /// The world was built again; what was made for the old one has to be made anew. The names are those of
    /// bodies that started anew.
    Rebuilt(Vec<String>),
}

impl Script {
    /// Of a recording whose scene was loaded.
    pub fn new(recording: &Recording, source: &Source) -> Self {
        Self {
            live: LiveScene::new(source, recording.overrides.clone()),
            events: recording.events.iter().cloned().collect(),
        }
    }

    /// Does what is due before the next step.
    pub fn follow(&mut self, world: &mut World) -> Result<Followed, Failure> {
        let step = world.step_count;
        let mut followed = Followed::Same;
        while self.events.front().is_some_and(|event| event.step <= step) {
            let Some(event) = self.events.pop_front() else {
                break;
            };
            let done = self.carry_out(&event.deed, world, &mut followed);
            done.map_err(|failure| {
                Failure::Input(format!("the recording at step {step}: {failure}"))
            })?;
        }
        Ok(followed)
    }

    fn carry_out(
        &mut self,
        deed: &Deed,
        world: &mut World,
        followed: &mut Followed,
    ) -> Result<(), Failure> {
        if let Deed::Command(command) = deed {
            return self.live.command(world, *command);
        }
        let Some(text) = self.live.text_after(deed)? else {
            return Ok(());
        };
        let renewed = self.live.rewrite(world, &text)?;
        *world = renewed.source.world;
        let mut names = match std::mem::replace(followed, Followed::Same) {
            Followed::Same => Vec::new(),
            Followed::Rebuilt(names) => names,
        };
        names.extend(renewed.anew);
        *followed = Followed::Rebuilt(names);
        Ok(())
    }

    /// A step was taken: nothing waits any more.
    pub fn step_taken(&mut self) {
        self.live.pending.clear();
    }
}
