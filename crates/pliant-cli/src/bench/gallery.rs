//! How fast the scenes of the gallery run: simulated time by processor time, pictures left out.

use crate::clock;
use crate::console::{note, print};
use pliant::Workspace;
use pliant_session::{Failure, Schedule, Source, built_in_names};
use serde_json::{Value, json};

/// What every scene should reach: simulated seconds per second of one processor.
const WANTED: f64 = 2.0;

/// How much of a scene is run.
#[derive(Clone, Copy, Debug)]
struct Plan {
    /// Share of its steps.
    share: f64,
    /// Processor time after which it ends, in seconds.
    seconds: f64,
}

/// What a scene took.
#[derive(Clone, Copy, Debug, Default)]
struct Cost {
    nodes: usize,
    steps: usize,
    simulated_seconds: f64,
    processor_seconds: f64,
    newton_iterations: usize,
    linear_iterations: usize,
    shortened_steps: usize,
    quarantined: usize,
}

/// Runs the benchmark: whole scenes, or a tenth of each when `quick`.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let plan = if quick {
        Plan {
            share: 0.1,
            seconds: 0.5,
        }
    } else {
        Plan {
            share: 1.0,
            seconds: f64::INFINITY,
        }
    };
    let names: Vec<&str> = built_in_names().collect();
    run_scenes(&names, plan)
}

fn run_scenes(names: &[&str], plan: Plan) -> Result<Value, Failure> {
    print(
        "scene                   nodes   steps  real time  CPU ms/step  Newton/step  linear/step",
    );
    let mut rows = Vec::new();
    let mut slow = Vec::new();
    for name in names {
        note(&format!("measuring {name} ..."));
        let cost = measure(name, plan)?;
        print(&cost.line(name));
        if cost.real_time_factor() < WANTED {
            slow.push(*name);
        }
        rows.push(cost.row(name));
    }
    print(&format!(
        "{} of {} scenes run at less than {WANTED} times real time{}{}",
        slow.len(),
        names.len(),
        if slow.is_empty() { "" } else { ": " },
        slow.join(", ")
    ));
    Ok(Value::Array(rows))
}

fn measure(name: &str, plan: Plan) -> Result<Cost, Failure> {
    let mut source = Source::load(name, &[], None)?;
    let steps = Schedule::of(&source, None, None).steps;
    let most = ((plan.share * steps as f64).ceil() as usize).max(1);
    let world = &mut source.world;
    let mut workspace = Workspace::new(world);
    let mut cost = Cost {
        nodes: world.node_count(),
        ..Cost::default()
    };
    let start = clock::processor_seconds();
    let begin = world.time;
    while cost.steps < most && cost.processor_seconds < plan.seconds {
        let report = world.step(&mut workspace);
        cost.steps += 1;
        cost.newton_iterations += report.newton_iterations;
        cost.linear_iterations += report.linear_iterations;
        cost.shortened_steps += report.shortened_steps;
        cost.quarantined = report.quarantined;
        cost.processor_seconds = clock::processor_seconds() - start;
    }
    cost.simulated_seconds = world.time - begin;
    Ok(cost)
}

impl Cost {
    fn real_time_factor(&self) -> f64 {
        self.simulated_seconds / self.processor_seconds.max(1e-9)
    }

    fn per_step(&self, count: f64) -> f64 {
        count / self.steps.max(1) as f64
    }

    fn line(&self, name: &str) -> String {
        format!(
            "{name:22} {:>6}  {:>6}  {:>9.2}  {:>11.3}  {:>11.2}  {:>11.1}{}",
            self.nodes,
            self.steps,
            self.real_time_factor(),
            self.per_step(1000.0 * self.processor_seconds),
            self.per_step(self.newton_iterations as f64),
            self.per_step(self.linear_iterations as f64),
            if self.quarantined > 0 { "  FROZEN" } else { "" },
        )
    }

    fn row(&self, name: &str) -> Value {
        json!({
            "scene": name,
            "nodes": self.nodes,
            "steps": self.steps,
            "simulated_seconds": self.simulated_seconds,
            "processor_seconds": self.processor_seconds,
            "real_time_factor": self.real_time_factor(),
            "milliseconds_per_step": self.per_step(1000.0 * self.processor_seconds),
            "newton_iterations_per_step": self.per_step(self.newton_iterations as f64),
            "linear_iterations_per_step": self.per_step(self.linear_iterations as f64),
            "shortened_steps": self.shortened_steps,
            "quarantined": self.quarantined,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scene_is_measured_over_the_share_that_was_asked_for() {
        let plan = |share| Plan {
            share,
            seconds: f64::INFINITY,
        };
        let rows = run_scenes(&["tension", "tube-swing"], plan(0.05)).unwrap();
        let rows = rows.as_array().unwrap();
        assert_eq!(rows[0]["scene"], "tension");
        for (row, name) in rows.iter().zip(["tension", "tube-swing"]) {
            let source = Source::load(name, &[], None).unwrap();
            let all = Schedule::of(&source, None, None).steps;
            assert_eq!(row["steps"], (0.05 * all as f64).ceil() as usize);
            let [time, taken, factor] =
                ["simulated_seconds", "processor_seconds", "real_time_factor"]
                    .map(|key| row[key].as_f64().unwrap());
            assert!(time > 0.0 && (factor * taken / time - 1.0).abs() < 1e-9);
            assert_eq!(row["quarantined"], 0);
        }
        let newton = rows[1]["newton_iterations_per_step"].as_f64().unwrap();
        assert!(newton >= 1.0, "{newton}");
        assert!(run_scenes(&["no-such-scene"], plan(0.05)).is_err());
    }
}
