//! What a user did, with the steps at which it was done, so that it can be done again to the bit.
//!
//! A recording is a JSON file: the scene (its text as it was at the beginning, so that the recording
//! does not depend on what becomes of the file), commands and changes of values with their steps, the
//! number of steps and the hash of the state after them.

use crate::{Failure, MemoryLimit, Source, commands_from_json, commands_to_json};
use pliant::World;
use pliant::command::{Command, Stamped};
use pliant_scene::{Override, read_text};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// One thing that was done.
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// The number of steps that the world had taken.
    pub step: usize,
    /// What was done.
    pub deed: Deed,
}

/// What can be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Deed {
    /// A command to the world.
    Command(Command),
    /// A value of the scene was changed.
    Change {
        /// Where its element is (positions among the elements, from the outermost down).
        path: Vec<usize>,
        /// The attribute.
        attribute: String,
        /// The new value.
        value: String,
    },
    /// An element was added to the scene.
    Insert {
        /// Where the element is that it was added to.
        path: Vec<usize>,
        /// Its text.
        element: String,
    },
}

/// A run with all that was done in it.
#[derive(Clone, Debug, PartialEq)]
pub struct Recording {
    /// The name of the scene.
    pub name: String,
    /// Its file.
    pub file: String,
    /// The folder that files named in it are relative to; empty for a built-in scene.
    pub folder: PathBuf,
    /// Its text at the beginning.
    pub text: String,
    /// Attributes that were replaced from the beginning.
    pub overrides: Vec<Override>,
    /// What was done, in order.
    pub events: Vec<Event>,
    /// How many steps were taken.
    pub steps: usize,
    /// The hash of the state after them.
    pub state_hash: u64,
}

impl Recording {
    /// Of a scene.
    pub fn new(
        source: &Source,
        overrides: Vec<Override>,
        events: Vec<Event>,
        steps: usize,
        state_hash: u64,
    ) -> Self {
        Self {
            name: source.name.clone(),
            file: source.file.clone(),
            folder: source.folder.clone(),
            text: source.text.clone(),
            overrides,
            events,
            steps,
            state_hash,
        }
    }

    /// Whether a name is that of a recording.
    pub fn is_named(named: &str) -> bool {
        let extension = Path::new(named).extension();
        extension.is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
    }

    /// Reads a recording from a file.
    pub fn load(named: &str) -> Result<Self, Failure> {
        let text = read_text(Path::new(named))?;
        Self::from_json(&text).map_err(|failure| match failure {
            Failure::Input(message) => Failure::Input(format!("{named}: {message}")),
            other => other,
        })
    }

    /// The scene as it was at the beginning.
    pub fn source(&self, limit: Option<MemoryLimit>) -> Result<Source, Failure> {
        Source::from_text(
            self.name.clone(),
            self.file.clone(),
            self.text.clone(),
            self.folder.clone(),
            &self.overrides,
            limit,
        )
    }

    /// The step before which the scene is changed first, if it is changed at all.
    pub fn first_change(&self) -> Option<usize> {
        let mut changes = self.events.iter();
        let first = changes.find(|event| !matches!(event.deed, Deed::Command(_)));
        first.map(|event| event.step)
    }

    /// Whether a world has come to another state than the recording; nothing if it has taken another
    /// number of steps, so that they cannot be compared.
    pub fn differs(&self, world: &World) -> Option<bool> {
        let is_there = world.step_count == self.steps;
        is_there.then(|| world.state_hash() != self.state_hash)
    }

    /// As JSON text.
    pub fn to_json(&self) -> String {
        let mut commands = Vec::new();
        let mut changes = Vec::new();
        for (order, event) in self.events.iter().enumerate() {
            match &event.deed {
                Deed::Command(command) => commands.push(Stamped {
                    step: event.step,
                    time: 0.0,
                    command: *command,
                }),
                Deed::Change {
                    path,
                    attribute,
                    value,
                } => changes.push(json!({
                    "step": event.step, "order": order, "path": path,
                    "attribute": attribute, "value": value,
                })),
                Deed::Insert { path, element } => changes.push(json!({
                    "step": event.step, "order": order, "path": path, "element": element,
                })),
            }
        }
        // The text was written a moment ago and can be read.
        let commands: Value =
            serde_json::from_str(&commands_to_json(&commands)).unwrap_or_default();
        let overrides: Vec<Value> = self
            .overrides
            .iter()
            .map(|(element, attribute, value)| json!([element, attribute, value]))
            .collect();
        let all = json!({
            "pliant_recording": 1,
            "scene": self.name,
            "file": self.file,
            "folder": self.folder.to_string_lossy(),
            "set": overrides,
            "steps": self.steps,
            "state_hash": format!("{:016x}", self.state_hash),
            "changes": changes,
            "commands": commands,
            "text": self.text,
        });
        format!("{all:#}\n")
    }

    /// From JSON text.
    pub fn from_json(text: &str) -> Result<Self, Failure> {
        let wrong = |message: &str| Failure::Input(format!("the recording: {message}"));
        let value: Value = serde_json::from_str(text).map_err(|error| wrong(&error.to_string()))?;
        if value["pliant_recording"] != json!(1) {
            return Err(wrong(
                "`pliant_recording` is not 1: this is no recording of a viewer",
            ));
        }
        let word = |name: &str| {
            let found = value[name].as_str().map(str::to_owned);
            found.ok_or_else(|| wrong(&format!("`{name}` is not a text")))
        };
        let count = |value: &Value, name: &str| {
            let found = value[name].as_u64().and_then(|n| usize::try_from(n).ok());
            found.ok_or_else(|| wrong(&format!("`{name}` is not a whole number")))
        };
        let list = |name: &str| {
            let found = value[name].as_array();
            found.ok_or_else(|| wrong(&format!("`{name}` is not a list")))
        };
        let commands = commands_from_json(&value["commands"].to_string())?;
        let mut events: Vec<Event> = commands
            .into_iter()
            .map(|stamped| Event {
                step: stamped.step,
                deed: Deed::Command(stamped.command),
            })
            .collect();
        for change in list("changes")? {
            let text = |name: &str| change[name].as_str().map(str::to_owned);
            let path = change["path"].as_array().and_then(|path| {
                let index = |value: &Value| usize::try_from(value.as_u64()?).ok();
                path.iter().map(index).collect::<Option<Vec<usize>>>()
            });
            let deed = match (path, text("element"), text("attribute").zip(text("value"))) {
                (Some(path), Some(element), _) => Deed::Insert { path, element },
                (Some(path), None, Some((attribute, value))) => Deed::Change {
                    path,
                    attribute,
                    value,
                },
                _ => return Err(wrong("a change lacks `path`, `attribute` or `value`")),
            };
            // Changes say where they stood among all events; they come in that order.
            let order = count(change, "order")?.min(events.len());
            let step = count(change, "step")?;
            events.insert(order, Event { step, deed });
        }
        if !events.is_sorted_by_key(|event| event.step) {
            return Err(wrong("its events are not in the order of their steps"));
        }
        let overrides = list("set")?.iter().map(|entry| {
            let part = |index: usize| entry[index].as_str().map(str::to_owned);
            let found = part(0).zip(part(1)).zip(part(2));
            let found = found.map(|((element, attribute), value)| (element, attribute, value));
            found.ok_or_else(|| wrong("an entry of `set` is not three texts"))
        });
        let hash = u64::from_str_radix(&word("state_hash")?, 16);
        Ok(Self {
            name: word("scene")?,
            file: word("file")?,
            folder: PathBuf::from(word("folder")?),
            text: word("text")?,
            overrides: overrides.collect::<Result<_, _>>()?,
            events,
            steps: count(&value, "steps")?,
            state_hash: hash.map_err(|_| wrong("`state_hash` is not a hexadecimal number"))?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_recording_is_refused_with_the_reason() {
        let whole = r#""state_hash": "0", "scene": "a", "file": "a", "folder": "", "text": """#;
        for (text, expected) in [
            ("[".to_owned(), "EOF"),
            ("{}".to_owned(), "no recording of a viewer"),
            (r#"{"pliant_recording": 1}"#.to_owned(), "it is not a list"),
            (
                r#"{"pliant_recording": 1, "commands": []}"#.to_owned(),
                "`changes` is not a list",
            ),
            (
                r#"{"pliant_recording": 1, "commands": [], "changes": [{"step": 7}]}"#.to_owned(),
                "a change lacks `path`",
            ),
            (
                r#"{"pliant_recording": 1, "commands": [], "changes": []}"#.to_owned(),
                "`set` is not a list",
            ),
            (
                format!(
                    r#"{{"pliant_recording": 1, "commands": [], "changes": [], "set": [], {}}}"#,
                    whole
                        .replace(r#""0""#, r#""x""#)
                        .replace(r#""scene""#, r#""steps": 1, "scene""#)
                ),
                "`state_hash` is not a hexadecimal number",
            ),
            (
                format!(
                    r#"{{"pliant_recording": 1, "commands": [], "changes": [], "set": [["a", "b"]], {whole}}}"#
                ),
                "not three texts",
            ),
            (
                format!(
                    r#"{{"pliant_recording": 1, "commands": [], "changes": [], "set": [], {whole}}}"#
                ),
                "`steps` is not a whole number",
            ),
        ] {
            let found = Recording::from_json(&text).unwrap_err().to_string();
            assert!(found.contains(expected), "{text}: {found}");
        }
        assert!(Recording::is_named("flag-000.json") && !Recording::is_named("flag.xml"));
    }
}
