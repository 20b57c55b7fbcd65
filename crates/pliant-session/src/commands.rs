//! A record of commands as JSON: what a user did to a world, with the steps and times at which it was
//! applied, so that it can be kept and replayed to the bit.
//!
//! ```json
//! [
//!   {"step": 2, "time": 0.02, "command": "AddForce", "handle": 1, "body": 0, "node": 24,
//!    "force": "Spring", "target": [0.4, 0, 0.5], "constant": 40},
//!   {"step": 3, "time": 0.03, "command": "MoveTarget", "handle": 1, "target": [0.4, 0.1, 0.5]},
//!   {"step": 9, "time": 0.09, "command": "SetValue", "body": 0, "value": "Stiffness", "number": 3}
//! ]
//! ```
//!
//! A force without a node acts on all nodes of its body. `AddForceAt` has `nodes` and `weights` instead:
//! a point between three nodes. `Heat` has `place`, `radius` and `kelvin`, and `Cut` the three corners of
//! its `blade`.

use crate::Failure;
use glam::DVec3;
use pliant::body::Blade;
use pliant::command::{BodyValue, Command, CommandForce, Stamped};
use pliant::force::Stencil;
use serde_json::{Map, Value, json};

/// A record as JSON text.
pub fn commands_to_json(record: &[Stamped]) -> String {
    let entries: Vec<Value> = record.iter().map(entry).collect();
    format!("{:#}\n", Value::Array(entries))
}

/// A record from JSON text.
pub fn commands_from_json(text: &str) -> Result<Vec<Stamped>, Failure> {
    let wrong = |message: String| Failure::Input(format!("the record of commands: {message}"));
    let value: Value = serde_json::from_str(text).map_err(|error| wrong(error.to_string()))?;
    let Value::Array(entries) = value else {
        return Err(wrong("it is not a list".to_owned()));
    };
    let read = |(number, entry): (usize, &Value)| {
        let fields = Fields(entry.as_object().ok_or("it is not an object".to_owned()));
        fields
            .stamped()
            .map_err(|message| wrong(format!("entry {}: {message}", number + 1)))
    };
    entries.iter().enumerate().map(read).collect()
}

fn vector(v: DVec3) -> Value {
    json!(v.to_array())
}

fn force_fields(force: CommandForce) -> Value {
    match force {
        CommandForce::Spring { target, constant } => {
            json!({"force": "Spring", "target": vector(target), "constant": constant})
        }
        CommandForce::Push(push) => json!({"force": "Push", "vector": vector(push)}),
        CommandForce::Acceleration(acceleration) => {
            json!({"force": "Acceleration", "vector": vector(acceleration)})
        }
    }
}

fn entry(stamped: &Stamped) -> Value {
    let (name, fields) = match stamped.command {
        Command::AddForce {
            handle,
            body,
            node,
            force,
        } => {
            let mut fields = force_fields(force);
            fields["handle"] = json!(handle);
            fields["body"] = json!(body);
            if let Some(node) = node {
                fields["node"] = json!(node);
            }
            ("AddForce", fields)
        }
        Command::AddForceAt {
            handle,
            body,
            stencil,
            force,
        } => {
            let mut fields = force_fields(force);
            fields["handle"] = json!(handle);
            fields["body"] = json!(body);
            fields["nodes"] = json!(stencil.nodes);
            fields["weights"] = json!(stencil.weights);
            ("AddForceAt", fields)
        }
        Command::MoveTarget { handle, target } => (
            "MoveTarget",
            json!({"handle": handle, "target": vector(target)}),
        ),
        Command::RemoveForce { handle } => ("RemoveForce", json!({"handle": handle})),
        Command::Fix { body, node } => ("Fix", json!({"body": body, "node": node})),
        Command::Release { body, node } => ("Release", json!({"body": body, "node": node})),
        Command::SetValue {
            body,
            value,
            number,
        } => (
            "SetValue",
            json!({"body": body, "value": value.name(), "number": number}),
        ),
        Command::Heat {
            body,
            place,
            radius,
            kelvin,
        } => (
            "Heat",
            json!({"body": body, "place": vector(place), "radius": radius, "kelvin": kelvin}),
        ),
        Command::Cut { body, blade } => (
            "Cut",
            json!({"body": body, "blade": blade.corners.map(vector)}),
        ),
    };
    let mut entry = json!({"step": stamped.step, "time": stamped.time, "command": name});
    if let (Value::Object(entry), Value::Object(fields)) = (&mut entry, fields) {
        entry.extend(fields);
    }
    entry
}

/// The fields of one entry.
struct Fields<'a>(Result<&'a Map<String, Value>, String>);

impl Fields<'_> {
    fn field(&self, name: &str) -> Result<&Value, String> {
        let fields = self.0.as_ref().map_err(Clone::clone)?;
        fields.get(name).ok_or(format!("`{name}` is missing"))
    }

    fn count(&self, name: &str) -> Result<usize, String> {
        let found = self.field(name)?.as_u64().map(usize::try_from);
        match found {
            Some(Ok(count)) => Ok(count),
            _ => Err(format!("`{name}` is not a whole number")),
        }
    }

    fn handle(&self) -> Result<u32, String> {
        u32::try_from(self.count("handle")?).map_err(|_| "`handle` is too large".to_owned())
    }

    fn number(&self, name: &str) -> Result<f64, String> {
        let number = self.field(name)?.as_f64();
        number.ok_or(format!("`{name}` is not a number"))
    }

    fn vector(&self, name: &str) -> Result<DVec3, String> {
        let wrong = || format!("`{name}` is not a list of three numbers");
        let entries = self.field(name)?.as_array().ok_or_else(wrong)?;
        let numbers: Option<Vec<f64>> = entries.iter().map(Value::as_f64).collect();
        match numbers.as_deref() {
            Some(&[x, y, z]) => Ok(DVec3::new(x, y, z)),
            _ => Err(wrong()),
        }
    }

    fn blade(&self) -> Result<Blade, String> {
        let wrong = || "`blade` is not a list of three places".to_owned();
        let entries = self.field("blade")?.as_array().ok_or_else(wrong)?;
        let corner = |entry: &Value| {
            let numbers = entry.as_array()?.iter().map(Value::as_f64);
            match numbers.collect::<Option<Vec<f64>>>()?.as_slice() {
                &[x, y, z] => Some(DVec3::new(x, y, z)),
                _ => None,
            }
        };
        let corners: Option<Vec<DVec3>> = entries.iter().map(corner).collect();
        let corners = corners.and_then(|found| found.try_into().ok());
        Ok(Blade {
            corners: corners.ok_or_else(wrong)?,
        })
    }

    fn nodes(&self) -> Result<[usize; 3], String> {
        let wrong = || "`nodes` is not a list of three whole numbers".to_owned();
        let entries = self.field("nodes")?.as_array().ok_or_else(wrong)?;
        let whole = |entry: &Value| usize::try_from(entry.as_u64()?).ok();
        let nodes: Option<Vec<usize>> = entries.iter().map(whole).collect();
        nodes
            .and_then(|nodes| nodes.try_into().ok())
            .ok_or_else(wrong)
    }

    fn word(&self, name: &str) -> Result<&str, String> {
        let word = self.field(name)?.as_str();
        word.ok_or(format!("`{name}` is not a word"))
    }

    fn force(&self) -> Result<CommandForce, String> {
        Ok(match self.word("force")? {
            "Spring" => CommandForce::Spring {
                target: self.vector("target")?,
                constant: self.number("constant")?,
            },
            "Push" => CommandForce::Push(self.vector("vector")?),
            "Acceleration" => CommandForce::Acceleration(self.vector("vector")?),
            other => return Err(format!("there is no force `{other}`")),
        })
    }

    fn command(&self) -> Result<Command, String> {
        Ok(match self.word("command")? {
            "AddForce" => Command::AddForce {
                handle: self.handle()?,
                body: self.count("body")?,
                node: match self.field("node") {
                    Ok(_) => Some(self.count("node")?),
                    Err(_) => None,
                },
                force: self.force()?,
            },
            "AddForceAt" => Command::AddForceAt {
                handle: self.handle()?,
                body: self.count("body")?,
                stencil: Stencil {
                    nodes: self.nodes()?,
                    weights: self.vector("weights")?.to_array(),
                },
                force: self.force()?,
            },
            "MoveTarget" => Command::MoveTarget {
                handle: self.handle()?,
                target: self.vector("target")?,
            },
            "RemoveForce" => Command::RemoveForce {
                handle: self.handle()?,
            },
            "Fix" => Command::Fix {
                body: self.count("body")?,
                node: self.count("node")?,
            },
            "Release" => Command::Release {
                body: self.count("body")?,
                node: self.count("node")?,
            },
            "SetValue" => {
                let word = self.word("value")?;
                let value = BodyValue::from_name(word);
                Command::SetValue {
                    body: self.count("body")?,
                    value: value.ok_or(format!("there is no value `{word}`"))?,
                    number: self.number("number")?,
                }
            }
            "Heat" => Command::Heat {
                body: self.count("body")?,
                place: self.vector("place")?,
                radius: self.number("radius")?,
                kelvin: self.number("kelvin")?,
            },
            "Cut" => Command::Cut {
                body: self.count("body")?,
                blade: self.blade()?,
            },
            other => return Err(format!("there is no command `{other}`")),
        })
    }

    fn stamped(&self) -> Result<Stamped, String> {
        Ok(Stamped {
            step: self.count("step")?,
            time: self.number("time")?,
            command: self.command()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record() -> Vec<Stamped> {
        let odd = DVec3::new(0.1 + 0.2, 1.0 / 3.0, -1e-17);
        let spring = CommandForce::Spring {
            target: odd,
            constant: 1e-3 / 7.0,
        };
        let forces = [
            spring,
            CommandForce::Push(odd),
            CommandForce::Acceleration(-odd),
        ];
        let mut commands: Vec<Command> = (0..3)
            .map(|index: usize| Command::AddForce {
                handle: index as u32,
                body: index,
                node: (index > 0).then_some(7),
                force: forces[index],
            })
            .collect();
        commands.extend([
            Command::MoveTarget {
                handle: 0,
                target: odd * 3.0,
            },
            Command::RemoveForce { handle: u32::MAX },
            Command::AddForceAt {
                handle: 11,
                body: 2,
                stencil: Stencil {
                    nodes: [4, 5, 9],
                    weights: [0.1 + 0.2, 0.7 / 3.0, 1e-17],
                },
                force: spring,
            },
            Command::Fix { body: 1, node: 9 },
            Command::Release { body: 1, node: 9 },
            Command::SetValue {
                body: 0,
                value: BodyValue::Friction,
                number: 0.1 + 0.7,
            },
            Command::SetValue {
                body: 0,
                value: BodyValue::Warmth,
                number: 1.0 / 3.0,
            },
            Command::Heat {
                body: 2,
                place: odd,
                radius: 0.1 + 0.2,
                kelvin: -1e3 / 7.0,
            },
            Command::Cut {
                body: 1,
                blade: Blade {
                    corners: [odd, -odd, 7.0 * odd],
                },
            },
        ]);
        let stamp = |(step, command): (usize, Command)| Stamped {
            step,
            time: step as f64 / 60.0,
            command,
        };
        commands.into_iter().enumerate().map(stamp).collect()
    }

    #[test]
    fn a_record_comes_back_with_all_its_bits() {
        let text = commands_to_json(&record());
        assert_eq!(commands_from_json(&text).unwrap(), record());
        // Numbers that are hard to read exactly.
        let mut bits = 0x3fd5_5555_5555_5555_u64;
        for _ in 0..5000 {
            bits = bits.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let number = f64::from_bits((bits >> 2) | 0x3000_0000_0000_0000);
            let one = [Stamped {
                step: 0,
                time: 0.0,
                command: Command::SetValue {
                    body: 0,
                    value: BodyValue::Damping,
                    number,
                },
            }];
            assert_eq!(commands_from_json(&commands_to_json(&one)).unwrap(), one);
        }
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (text, expected) in [
            ("{}", "it is not a list"),
            ("[1]", "entry 1: it is not an object"),
            (
                r#"[{"step": 1, "time": 0}]"#,
                "entry 1: `command` is missing",
            ),
            (
                r#"[{"step": 1, "time": 0, "command": "Jump"}]"#,
                "there is no command `Jump`",
            ),
            (
                r#"[{"step": -1, "time": 0, "command": "RemoveForce", "handle": 1}]"#,
                "`step` is not a whole number",
            ),
            (
                r#"[{"step": 1, "time": 0, "command": "MoveTarget", "handle": 1, "target": [1, 2]}]"#,
                "`target` is not a list of three numbers",
            ),
            (
                r#"[{"step": 1, "time": 0, "command": "Cut", "body": 0, "blade": [[1, 2, 3]]}]"#,
                "`blade` is not a list of three places",
            ),
            (
                r#"[{"step": 1, "time": 0, "command": "RemoveForce", "handle": 5000000000}]"#,
                "`handle` is too large",
            ),
            ("[", "EOF"),
        ] {
            let error = commands_from_json(text).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }
}
