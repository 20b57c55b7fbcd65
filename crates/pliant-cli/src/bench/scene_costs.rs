//! What a step of built-in scenes costs, as they are and with finer grids.

use super::fixed_iterations::growth_exponent;
use crate::clock;
use crate::console::{note, print};
use pliant::linear::SolverKind;
use pliant::{Workspace, World};
use pliant_scene::scene::{Body, ParticleRule, Selection};
use pliant_scene::{Scene, build, find, parse};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::path::Path;

/// Finer grids: cells along an edge by those of the scene.
const REFINEMENTS: [usize; 3] = [1, 2, 4];
/// A grid that needs about more memory than this, in bytes, is left out and named.
const MOST_MEMORY: f64 = 6e9;

/// Steps and processor time to measure.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// Most steps of a scene.
    pub steps: usize,
    /// Processor time after which a measurement ends, in seconds.
    pub seconds: f64,
}

/// Measures, prints and returns a row for each scene and refinement.
pub fn run(names: &[&str], plan: Plan) -> Result<Value, Failure> {
    print("scene                    grid   nodes   steps   CPU ms   steps/s   shortened");
    let mut rows = Vec::new();
    for name in names {
        note(&format!("measuring {name} ..."));
        let scene = built_in(name)?;
        let mut points = Vec::new();
        for factor in REFINEMENTS {
            let refined = refine(&scene, factor);
            let nodes: usize = refined
                .bodies
                .iter()
                .map(|body| body.particle_count())
                .sum();
            let memory = refined.bodies.iter().map(memory_of).sum::<f64>();
            if factor > 1 && memory > MOST_MEMORY {
                print(&format!(
                    "{name:22} {factor:>5}x  {nodes:>6}   left out: needs about {:.0} GB",
                    1e-9 * memory
                ));
                rows.push(left_out(name, factor, nodes, memory));
                continue;
            }
            let world = build(&refined, name, Path::new(""))?;
            let (row, milliseconds) = measure(name, factor, world, plan);
            rows.push(row);
            points.push([nodes as f64, milliseconds]);
        }
        if points.len() > 1 {
            print(&format!(
                "{name:22}  cost grows with the nodes to the power {:.2}",
                growth_exponent(&points)
            ));
        }
    }
    Ok(Value::Array(rows))
}

/// About the memory of a body, in bytes: terms and strains, and the factor of a direct solver, which
/// grows with n log n for a surface and n^(4/3) for a solid.
fn memory_of(body: &Body) -> f64 {
    let nodes = body.particle_count() as f64;
    let directions = body.grid.iter().filter(|&&count| count > 1).count();
    let terms = [500.0, 3e3, 12e3][directions.clamp(1, 3) - 1];
    let solver = body.properties.choice("solver", SolverKind::from_name);
    let entries = match (solver, directions) {
        (SolverKind::Cholesky | SolverKind::Lu, 2) => 8.0 * nodes.max(2.0).log2(),
        (SolverKind::Cholesky | SolverKind::Lu, 3) => 20.0 * nodes.cbrt(),
        _ => 10.0,
    };
    nodes * (terms + 8.0 * entries)
}

fn left_out(name: &str, factor: usize, nodes: usize, memory: f64) -> Value {
    json!({
        "scene": name,
        "refinement": factor,
        "nodes": nodes,
        "left_out": "too much memory",
        "memory_bytes": memory,
    })
}

fn built_in(name: &str) -> Result<Scene, Failure> {
    let found = find(name)
        .ok_or_else(|| Failure::Input(format!("there is no built-in scene named `{name}`")))?;
    Ok(parse(found.text, name)?)
}

fn measure(name: &str, factor: usize, mut world: World, plan: Plan) -> (Value, f64) {
    let mut workspace = Workspace::new(&world);
    workspace.measure = false;
    let (mut steps, mut shortened, mut quarantined) = (0, 0, 0);
    // The first step builds patterns and factors.
    world.step(&mut workspace);
    let start = clock::processor_seconds();
    while steps < plan.steps && clock::processor_seconds() - start < plan.seconds {
        let report = world.step(&mut workspace);
        steps += 1;
        shortened += report.shortened_steps;
        quarantined = report.quarantined;
    }
    let milliseconds = 1000.0 * (clock::processor_seconds() - start) / steps.max(1) as f64;
    let nodes = world.node_count();
    print(&format!(
        "{name:22} {factor:>5}x  {nodes:>6}  {steps:>6}  {milliseconds:7.3}  {:8.1}  {shortened:>10}{}",
        1000.0 / milliseconds,
        if quarantined > 0 { "  FROZEN" } else { "" },
    ));
    let row = json!({
        "scene": name,
        "refinement": factor,
        "nodes": nodes,
        "steps": steps,
        "milliseconds_per_step": milliseconds,
        "shortened_steps": shortened,
        "quarantined": quarantined,
    });
    (row, milliseconds)
}

/// The scene with finer grids. Particles named in it stay where they are in the material; those
/// between them are new.
fn refine(scene: &Scene, factor: usize) -> Scene {
    let mut refined = scene.clone();
    for body in &mut refined.bodies {
        let (counts, periodic) = (body.grid, body.periodic);
        let finer = |at: [usize; 3]| at.map(|index| index * factor);
        body.grid = std::array::from_fn(|d| match counts[d] {
            1 => 1,
            count if periodic[d] => count * factor,
            count => (count - 1) * factor + 1,
        });
        for rule in &mut body.particles {
            if let ParticleRule::Set { selection, .. } = rule {
                *selection = match *selection {
                    Selection::All => Selection::All,
                    Selection::Single(at) => Selection::Single(finer(at)),
                    Selection::Region { from, to } => Selection::Region {
                        from: finer(from),
                        to: to.map(|index| index.saturating_mul(factor)),
                    },
                };
            }
        }
        for binding in &mut body.forces {
            binding.particle = binding.particle.map(finer);
        }
    }
    refined
}
