//! A recording of the viewer as a run: the scene as it was at the beginning, and the commands with their
//! steps. The viewer writes and plays recordings (`crates/pliant-viewer/src/recording.rs`); what changed the
//! scene itself on the way only the viewer can do again.

use crate::commands::commands_from_json;
use crate::{Failure, MemoryLimit, Source};
use pliant::World;
use pliant::command::Stamped;
use pliant_scene::{Override, read_text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// What a run does again.
#[derive(Clone, Debug, PartialEq)]
pub struct Recorded {
    /// The commands, with their steps.
    pub commands: Vec<Stamped>,
    /// How many steps were taken.
    pub steps: usize,
    /// The hash of the state after them.
    pub state_hash: u64,
}

impl Recorded {
    /// Whether a name is that of a recording.
    pub fn is_named(named: &str) -> bool {
        let extension = Path::new(named).extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }

    /// Reads a recording and builds its world, which will carry out the commands at their steps.
    /// Attributes are replaced beside those that the recording replaces.
    pub fn load(
        named: &str,
        overrides: &[Override],
        limit: Option<MemoryLimit>,
    ) -> Result<(Source, Self), Failure> {
        let text = read_text(Path::new(named))?;
        Self::from_json(&text, overrides, limit).map_err(|failure| match failure {
            Failure::Input(message) => Failure::Input(format!("{named}: {message}")),
            other => other,
        })
    }

    fn from_json(
        text: &str,
        overrides: &[Override],
        limit: Option<MemoryLimit>,
    ) -> Result<(Source, Self), Failure> {
        let wrong = |message: &str| Failure::Input(message.to_owned());
        let value: Value = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
        if value["pliant_recording"] != json!(1) {
            return Err(wrong(
                "`pliant_recording` is not 1: this is no recording of a viewer",
            ));
        }
        let word = |name: &str| {
            let found = value[name].as_str().map(str::to_owned);
            found.ok_or_else(|| Failure::Input(format!("`{name}` is not a text")))
        };
        if let Some(change) = value["changes"].as_array().and_then(|list| list.first()) {
            return Err(Failure::Input(format!(
                "the recording changes the scene at step {}, which `pliant run` cannot do\n  hint: \
                 `pliant view --replay` plays it; `pliant run` takes the scene that was saved beside it",
                change["step"]
            )));
        }
        let set = value["set"]
            .as_array()
            .ok_or_else(|| wrong("`set` is not a list"))?;
        let mut all: Vec<Override> = Vec::new();
        for entry in set {
            let part = |index: usize| entry[index].as_str().map(str::to_owned);
            let found = part(0).zip(part(1)).zip(part(2));
            let found = found.map(|((element, attribute), value)| (element, attribute, value));
            all.push(found.ok_or_else(|| wrong("an entry of `set` is not three texts"))?);
        }
        all.extend(overrides.iter().cloned());
        let steps = value["steps"]
            .as_u64()
            .and_then(|steps| usize::try_from(steps).ok());
        let hash = u64::from_str_radix(&word("state_hash")?, 16);
        let recorded = Self {
            commands: commands_from_json(&value["commands"].to_string())?,
            steps: steps.ok_or_else(|| wrong("`steps` is not a whole number"))?,
            state_hash: hash.map_err(|_| wrong("`state_hash` is not a hexadecimal number"))?,
        };
        let folder = PathBuf::from(word("folder")?);
        let (name, file, text) = (word("scene")?, word("file")?, word("text")?);
        let mut source = Source::from_text(name, file, text, folder, &all, limit)?;
        let refused = |error: pliant::command::CommandError| {
            Failure::Input(format!("a command of the recording does not fit: {error}"))
        };
        source.world.replay(&recorded.commands).map_err(refused)?;
        Ok((source, recorded))
    }

    /// Whether a world has come to another state than the recording; nothing if it has taken another
    /// number of steps, so that they cannot be compared.
    pub fn differs(&self, world: &World) -> Option<bool> {
        let is_there = world.step_count == self.steps;
        is_there.then(|| world.state_hash() != self.state_hash)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn failure(text: &str) -> String {
        let read = Recorded::from_json(text, &[], None);
        read.map(|_| ()).unwrap_err().to_string()
    }

    #[test]
    fn what_is_no_recording_is_refused_with_the_reason() {
        for (text, expected) in [
            ("[", "EOF"),
            ("{}", "no recording of a viewer"),
            (
                r#"{"pliant_recording": 1, "changes": [{"step": 7}]}"#,
                "changes the scene at step 7",
            ),
            (r#"{"pliant_recording": 1}"#, "`set` is not a list"),
            (
                r#"{"pliant_recording": 1, "set": [["a", "b"]]}"#,
                "not three texts",
            ),
            (
                r#"{"pliant_recording": 1, "set": [], "state_hash": "x"}"#,
                "it is not a list",
            ),
        ] {
            let found = failure(text);
            assert!(found.contains(expected), "{text}: {found}");
        }
        assert!(Recorded::is_named("flag-000.json") && !Recorded::is_named("flag.xml"));
    }
}
