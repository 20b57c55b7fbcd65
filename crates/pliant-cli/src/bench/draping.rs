//! Cloth of 2 x 2 metres that is held at two corners and falls on a ball: what a frame costs as a grid
//! and as a mesh, how far the cloth is stretched, and how far it is from a converged solution.
//!
//! Its folds are chaotic: what differs by next to nothing at the start differs by centimetres after a
//! second, however small the tolerance. So the distance from the converged solution stands beside that
//! between two converged solutions, one of which starts with a little noise.

use crate::clock;
use crate::console::{note, print};
use glam::DVec3;
use pliant::elastic::GridMaterial;
use pliant::fem::{ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{ElementKind, rectangle};
use pliant::obstacle::{Obstacle, Sphere};
use pliant::{Body, BodyDescription, Grid, Workspace, World};
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

type BenchError = Box<dyn std::error::Error>;

/// Length of a side, in metres, and mass in all, in kilograms.
const SIDE: f64 = 2.0;
const MASS: f64 = 0.8;

/// Young's modulus times thickness, in N/m, and flexural rigidity, in N m.
const STRETCHING: f64 = 2500.0;
const RIGIDITY: f64 = 1e-5;
const THICKNESS: f64 = 1e-3;

/// Frames of 1/60 s, one step each.
const FRAMES: usize = 300;
const STEP: f64 = 1.0 / 60.0;

/// The frame at which the cloth is compared with a converged solution: 1 s.
const COMPARED: usize = 60;

/// `newton_tolerance` of the converged solution.
const CONVERGED: f64 = 1e-5;

/// Largest displacement of a node across the cloth at the start of the second converged solution, in
/// metres.
const NOISE: f64 = 1e-10;

/// Processor milliseconds per frame of others, and their largest stretch, for 32, 64 and 128 a side.
const PEERS: [(&str, [[f64; 2]; 3]); 4] = [
    ("pyPBD", [[3.1, 1.11], [15.0, 1.70], [95.0, 8.9]]),
    ("Rapier", [[4.8, 1.23], [34.0, 1.75], [239.0, 5.0]]),
    ("Bullet", [[6.6, 1.05], [28.0, 1.18], [151.0, 2.0]]),
    ("Blender", [[52.0, 1.02], [196.0, 1.04], [1044.0, 1.00]]),
];

/// What one cloth costs and does.
struct Row {
    kind: &'static str,
    side: usize,
    /// Processor milliseconds per frame.
    milliseconds: f64,
    /// Mean, 99th percentile and largest of the lengths of edges by those at rest.
    stretch: [f64; 3],
    newton: f64,
    linear: f64,
    residual: f64,
    shortened: usize,
    /// Mean and largest distance from the converged solution, by the side.
    distance: [f64; 2],
    /// Mean distance between two converged solutions that differ by noise at the start, by the side.
    chaos: f64,
}

/// Measures and prints.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let sides: &[usize] = if quick { &[16, 32] } else { &[32, 64, 128] };
    let frames = if quick { COMPARED } else { FRAMES };
    print(&format!(
        "cloth of 2 x 2 m on a ball, {frames} frames of 1/60 s, processor milliseconds per frame"
    ));
    print(
        "                 ms   stretch mean  99 %    largest   Newton  linear  residual  from converged (mean, largest)  converged, with noise",
    );
    let mut rows = Vec::new();
    for &side in sides {
        for kind in ["grid", "mesh"] {
            note(&format!("{kind} of {side} x {side}"));
            let row = measure(kind, side, frames)
                .map_err(|error| Failure::Simulation(error.to_string()))?;
            print(&line(&row));
            rows.push(json!({
                "kind": row.kind, "side": row.side, "milliseconds": row.milliseconds,
                "stretch": row.stretch, "newton": row.newton, "linear": row.linear,
                "residual": row.residual, "shortened_steps": row.shortened,
                "distance_by_side": row.distance, "noise_distance_by_side": row.chaos,
            }));
        }
    }
    print(
        "\nothers on a machine of this kind, milliseconds [largest stretch], 32, 64 and 128 a side:",
    );
    for (name, figures) in PEERS {
        let figures = figures.map(|[time, stretch]| format!("{time} [{stretch}]"));
        print(&format!("{name:8} {}", figures.join("   ")));
    }
    print(super::RACE);
    Ok(json!({ "rows": rows }))
}

fn line(row: &Row) -> String {
    let [mean, most, largest] = row.stretch;
    format!(
        "{} {:3} x {:<3} {:8.2}   {mean:.4}        {most:.4}  {largest:.4}  {:7.1} {:7.1}  {:8.1e}  {:.4} {:.4}  {:.4}{}",
        row.kind,
        row.side,
        row.side,
        row.milliseconds,
        row.newton,
        row.linear,
        row.residual,
        row.distance[0],
        row.distance[1],
        row.chaos,
        if row.shortened > 0 {
            format!("  ({} steps shortened)", row.shortened)
        } else {
            String::new()
        },
    )
}

fn measure(kind: &'static str, side: usize, frames: usize) -> Result<Row, BenchError> {
    let reference = COMPARED.min(frames);
    let converged = drape(&mut world_of(kind, side, Some(CONVERGED))?, reference).0;
    let mut noisy = world_of(kind, side, Some(CONVERGED))?;
    for (node, place) in noisy.bodies[0].state.positions.iter_mut().enumerate() {
        // The golden ratio: numbers that look random.
        place.z += NOISE * (2.0 * (0.618_034 * node as f64).fract() - 1.0);
    }
    let noisy = drape(&mut noisy, reference).0;
    let mut world = world_of(kind, side, None)?;
    let begin = clock::processor_seconds();
    let (compared, totals) = drape(&mut world, frames);
    let milliseconds = 1e3 * (clock::processor_seconds() - begin) / frames as f64;
    Ok(Row {
        kind,
        side,
        milliseconds,
        stretch: stretch(&world.bodies[0], side),
        newton: totals.newton as f64 / frames as f64,
        linear: totals.linear as f64 / frames as f64,
        residual: totals.residual,
        shortened: totals.shortened,
        distance: apart(&compared, &converged),
        chaos: apart(&noisy, &converged)[0],
    })
}

/// Mean and largest distance of nodes, by the side.
fn apart(a: &[DVec3], b: &[DVec3]) -> [f64; 2] {
    let apart = a.iter().zip(b).map(|(a, b)| (*a - *b).length() / SIDE);
    let [sum, largest] = apart.fold([0.0, 0.0], |[sum, largest], distance: f64| {
        [sum + distance, distance.max(largest)]
    });
    [sum / a.len() as f64, largest]
}

#[derive(Default)]
struct Totals {
    newton: usize,
    linear: usize,
    residual: f64,
    shortened: usize,
}

/// Steps a world; returns the positions at the frame that is compared, and what it took.
fn drape(world: &mut World, frames: usize) -> (Vec<DVec3>, Totals) {
    let mut workspace = Workspace::new(world);
    let mut totals = Totals::default();
    let mut compared = Vec::new();
    for frame in 1..=frames {
        let report = world.step(&mut workspace);
        totals.newton += report.newton_iterations;
        totals.linear += report.linear_iterations;
        totals.residual = totals.residual.max(report.linear_residual);
        totals.shortened += report.shortened_steps;
        if frame == COMPARED.min(frames) {
            compared.clone_from(&world.bodies[0].state.positions);
        }
    }
    (compared, totals)
}

/// Mean, 99th percentile and largest of the lengths of the edges along the sides.
fn stretch(body: &Body, side: usize) -> [f64; 3] {
    let (x, rest) = (&body.state.positions, &body.description().rest_positions);
    let spacing = SIDE / (side - 1) as f64;
    let mut ratios = Vec::new();
    for node in 0..side * side {
        let neighbours = [node + 1, node + side].into_iter();
        for other in neighbours.filter(|&other| other < rest.len()) {
            let length = (rest[other] - rest[node]).length();
            if (length - spacing).abs() < 1e-6 * spacing {
                ratios.push((x[other] - x[node]).length() / length);
            }
        }
    }
    ratios.sort_by(f64::total_cmp);
    let mean = ratios.iter().sum::<f64>() / ratios.len() as f64;
    [
        mean,
        ratios[ratios.len() * 99 / 100],
        ratios[ratios.len() - 1],
    ]
}

pub(super) fn world_of(
    kind: &str,
    side: usize,
    tolerance: Option<f64>,
) -> Result<World, BenchError> {
    let mut cloth = match kind {
        "grid" => grid_cloth(side),
        _ => mesh_cloth(side)?,
    };
    let corners = [DVec3::new(-1.0, -1.0, 0.0), DVec3::new(1.0, -1.0, 0.0)];
    for (fixed, place) in cloth.fixed.iter_mut().zip(&cloth.rest_positions) {
        *fixed = corners
            .iter()
            .any(|corner| (*corner - *place).length() < 1e-9);
    }
    cloth.time_step = STEP;
    cloth.contact.friction = 0.1;
    cloth.collides_with.push(0);
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    cloth.forces.push(BoundForce { force, node: None });
    if let Some(tolerance) = tolerance {
        cloth.newton_tolerance = tolerance;
        cloth.newton_iterations = 200;
    }
    let ball = Sphere::new(DVec3::new(0.0, 0.0, -0.6), 0.5)?;
    Ok(World {
        bodies: vec![Body::new(cloth)?],
        obstacles: vec![Obstacle::new("ball", Box::new(ball))],
        ..World::default()
    })
}

fn grid_cloth(side: usize) -> BodyDescription {
    let grid = Grid::new(&[side, side], &[false; 2]);
    let place = |node| {
        let [u, v, _] = grid.material_coordinates(node);
        SIDE * DVec3::new(u - 0.5, v - 0.5, 0.0)
    };
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let material = GridMaterial {
        young: STRETCHING / THICKNESS,
        poisson: 0.3,
        density: MASS / (SIDE * SIDE * THICKNESS),
        thickness: THICKNESS,
        stretching: None,
        rigidity: Some(RIGIDITY),
    };
    let (weights, masses) = (
        material.weights(&grid, &rest),
        material.masses(&grid, &rest),
    );
    let mut cloth = BodyDescription::new("cloth", grid, rest, weights);
    cloth.masses = masses;
    cloth
}

fn mesh_cloth(side: usize) -> Result<BodyDescription, BenchError> {
    let cells = side - 1;
    let mut mesh = rectangle(ElementKind::Triangle3, [cells, cells], [SIDE, SIDE])?;
    let middle = mesh.positions.iter().sum::<DVec3>() / mesh.positions.len() as f64;
    for place in &mut mesh.positions {
        *place -= middle;
    }
    let density = MASS / (SIDE * SIDE * THICKNESS);
    let model = ClothModel {
        material: ElasticMaterial::new(STRETCHING / THICKNESS, 0.3, density)?,
        thickness: THICKNESS,
        strain: MembraneStrain::default(),
        rigidity: Some(RIGIDITY),
    };
    let mesh = Arc::new(mesh);
    let masses = model.masses(&mesh)?;
    let settings = MeshSettings::new(mesh, Arc::new(model));
    Ok(BodyDescription::of_mesh("cloth", settings, masses))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cloth_hangs_over_the_ball_and_is_hardly_stretched() {
        for kind in ["grid", "mesh"] {
            let row = measure(kind, 12, 30).unwrap();
            assert!(row.stretch[1] < 1.05, "{kind} {:?}", row.stretch);
            // Free corners fold as chance will have it.
            assert!(row.distance[0] < 0.03, "{kind} {:?}", row.distance);
            assert_eq!(row.shortened, 0, "{kind}");
        }
    }
}
