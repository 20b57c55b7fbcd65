//! Scenes of materials that flow, yield, tear and melt.

use super::scene_costs::{self, Plan};
use pliant_session::Failure;
use serde_json::Value;

const SCENES: &[&str] = &[
    "sheared-sheet",
    "net-tear",
    "woven-tear",
    "hot-spheres",
    "goop",
    "melting-block",
    "putty-ball",
];

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    scene_costs::run(
        SCENES,
        Plan {
            steps: if quick { 20 } else { 300 },
            seconds: if quick { 0.3 } else { 4.0 },
        },
    )
}
