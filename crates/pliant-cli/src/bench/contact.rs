//! Contact that holds: piles of soft cubes and a cloth that meets itself. What a frame costs, where the
//! time goes, how it grows, and that nothing crosses and nothing is turned inside out.

use super::draping;
use crate::clock;
use crate::console::{note, print};
use glam::{DMat3, DVec3};
use pliant::contact::PairContactSettings;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, ElementKind, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::report::StageTimes;
use pliant::{Body, BodyDescription, State, Workspace, World};
use pliant_scene::crossings;
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

type BenchError = Box<dyn std::error::Error>;

/// Length of a frame, one step each, in seconds.
const STEP: f64 = 1.0 / 60.0;

/// Side of a cube, in metres, and cells along it.
const SIDE: f64 = 0.2;
const CELLS: usize = 5;

/// Cubes of a layer.
const LAYER: usize = 4;

/// Processor milliseconds per frame of others with twenty cubes, and what they leave inside each other.
const PEERS: [&str; 4] = [
    "Rapier 0.36        131 ms, 7 vertices inside others by up to 14.5 mm",
    "MuJoCo 4.0         308 ms, 455 vertices inside others, 427 elements inside out",
    "Newton VBD       1,019 ms",
    "Bullet (springs)    18 to 24 ms, nothing inside, another material",
];

/// What one scene costs and does.
struct Row {
    name: String,
    frames: usize,
    /// Processor milliseconds per frame, and the stages by wall time.
    milliseconds: f64,
    stages: StageTimes,
    newton: f64,
    linear: f64,
    candidates: usize,
    active: usize,
    shortened: usize,
    quarantined: usize,
    /// Edges through triangles in all frames, and elements that are inside out in the last.
    crossings: usize,
    inverted: usize,
    created: f64,
}

/// Measures and prints.
pub fn run(quick: bool) -> Result<Value, Failure> {
    let (layers, sides, frames): (&[usize], &[usize], usize) = if quick {
        (&[1, 2], &[16], 30)
    } else {
        (&[1, 3, 5], &[32, 64], 120)
    };
    print(&format!(
        "soft cubes in layers of {LAYER} and a cloth that meets itself, {frames} frames of 1/60 s"
    ));
    print(
        "                    ms  search  narrow guarant assembly  solve   Newton  linear  candidates  active  crossings  inside out  created (J)",
    );
    let mut rows = Vec::new();
    let scenes = layers
        .iter()
        .map(|&n| (format!("{:2} cubes", LAYER * n), cubes(n, CELLS)));
    let cloths = ["grid", "mesh"].into_iter().flat_map(|kind| {
        let cloth = move |&side: &usize| (format!("{kind} {side} x {side}"), cloth(kind, side));
        sides.iter().map(cloth)
    });
    for (name, world) in scenes.chain(cloths) {
        note(&name);
        let measured = world.map(|world| measure(name, world, frames));
        let row = measured.map_err(|error| Failure::Simulation(error.to_string()))?;
        print(&line(&row));
        rows.push(value(&row));
    }
    print(
        "\nothers with twenty cubes on a machine of this kind, processor milliseconds per frame:",
    );
    for peer in PEERS {
        print(peer);
    }
    print("cloth of 64 x 64 that meets itself: Rapier 229 ms, Blender 227 ms");
    print(super::RACE);
    Ok(json!({ "rows": rows }))
}

fn line(row: &Row) -> String {
    let share = |seconds: f64| 1e3 * seconds / row.frames as f64;
    let StageTimes {
        search,
        contact,
        guarantee,
        assembly,
        solve,
        ..
    } = row.stages;
    let [search, contact, guarantee, assembly, solve] =
        [search, contact, guarantee, assembly, solve].map(share);
    format!(
        "{:14} {:8.1} {search:7.1} {contact:7.1} {guarantee:7.1} {assembly:8.1} {solve:6.1} {:8.1} {:7.1} {:11} {:7} {:10} {:11} {:12.1e}{}{}",
        row.name,
        row.milliseconds,
        row.newton,
        row.linear,
        row.candidates,
        row.active,
        row.crossings,
        row.inverted,
        row.created,
        match row.shortened {
            0 => String::new(),
            count => format!("  ({count} steps shortened)"),
        },
        match row.quarantined {
            0 => String::new(),
            count => format!("  ({count} FROZEN)"),
        },
    )
}

fn value(row: &Row) -> Value {
    json!({
        "name": row.name, "frames": row.frames, "milliseconds": row.milliseconds,
        "seconds": {
            "search": row.stages.search, "narrow": row.stages.contact,
            "guarantee": row.stages.guarantee, "assembly": row.stages.assembly,
            "solve": row.stages.solve,
        },
        "newton": row.newton, "linear": row.linear, "candidates": row.candidates,
        "active_pairs": row.active, "shortened_steps": row.shortened,
        "quarantined": row.quarantined, "crossings": row.crossings, "inverted": row.inverted,
        "energy_created": row.created,
    })
}

fn measure(name: String, mut world: World, frames: usize) -> Row {
    let mut workspace = Workspace::new(&world);
    workspace.clock = Some(clock::seconds);
    let mut row = Row {
        name,
        frames,
        milliseconds: 0.0,
        stages: StageTimes::default(),
        newton: 0.0,
        linear: 0.0,
        candidates: 0,
        active: 0,
        shortened: 0,
        quarantined: 0,
        crossings: 0,
        inverted: 0,
        created: 0.0,
    };
    let settings = world.contact.clone().unwrap_or_default();
    let each = 1.0 / frames as f64;
    for _ in 0..frames {
        let begin = clock::processor_seconds();
        let report = world.step(&mut workspace);
        row.milliseconds += 1e3 * each * (clock::processor_seconds() - begin);
        row.stages.add(&report.times);
        row.newton += each * report.newton_iterations as f64;
        row.linear += each * report.linear_iterations as f64;
        row.candidates = row.candidates.max(report.candidates);
        row.active = row.active.max(report.active_pairs);
        row.shortened += report.shortened_steps;
        row.quarantined = report.quarantined;
        row.created += report.energy_created;
        row.crossings += crossings(&settings, &world.bodies).len();
    }
    row.inverted = world.bodies.iter().map(inverted).sum();
    row
}

/// Tetrahedra that are inside out.
fn inverted(body: &Body) -> usize {
    let Some(settings) = body.description().mesh() else {
        return 0;
    };
    let x = &body.state.positions;
    let volume = |nodes: &[u32]| {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| x[nodes[k] as usize]);
        DMat3::from_cols(b - a, c - a, d - a).determinant()
    };
    let blocks = settings.mesh.blocks.iter();
    let solid = blocks.filter(|block| block.kind == ElementKind::Tetrahedron4);
    let elements = solid.flat_map(|block| block.nodes.chunks_exact(4));
    elements.filter(|nodes| volume(nodes) <= 0.0).count()
}

/// Layers of four cubes, each layer turned and shifted, dropped from 0.1 m.
fn cubes(layers: usize, cells: usize) -> Result<World, BenchError> {
    let size = DVec3::splat(SIDE);
    let mesh = Arc::new(block([cells; 3], size, Division::FiveTetrahedra)?);
    let model = SolidModel::new(
        SolidStrain::Corotated,
        ElasticMaterial::new(1e5, 0.33, 1000.0)?,
    );
    let model = Arc::new(model);
    let masses = model.masses(&mesh)?;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let gravity = Arc::new(Gravity { acceleration });
    let mut bodies = Vec::new();
    for layer in 0..layers {
        for place in 0..LAYER {
            let settings = MeshSettings::new(mesh.clone(), model.clone());
            let mut cube = BodyDescription::of_mesh("cube", settings, masses.clone());
            let force = gravity.clone();
            cube.forces.push(BoundForce { force, node: None });
            cube.collides_with.push(0);
            cube.contact.friction = 0.5;
            cube.time_step = STEP;
            // Each layer stands across the gaps of the one below.
            let stagger = 0.5 * SIDE * (layer % 2) as f64;
            let across = |k: usize| 1.15 * SIDE * (k as f64 - 0.5) - 0.5 * SIDE;
            let shift = DVec3::new(
                across(place % 2) + stagger,
                across(place / 2) + stagger,
                0.1 + 1.1 * SIDE * layer as f64,
            );
            let positions: Vec<DVec3> = mesh.positions.iter().map(|x| *x + shift).collect();
            let state = State {
                velocities: vec![DVec3::ZERO; positions.len()],
                positions,
                ..State::default()
            };
            bodies.push(Body::with_state(cube, state)?);
        }
    }
    let mut floor = Obstacle::new("floor", Box::new(Plane::new(DVec3::Z, DVec3::ZERO)?));
    floor.friction = 0.5;
    Ok(World {
        bodies,
        obstacles: vec![floor],
        contact: Some(PairContactSettings {
            thickness: 0.004,
            friction: 0.5,
            ..PairContactSettings::default()
        }),
        ..World::default()
    })
}

/// The cloth of `pliant bench cloth`, which here meets itself.
fn cloth(kind: &str, side: usize) -> Result<World, BenchError> {
    let mut world = draping::world_of(kind, side, None)?;
    world.contact = Some(PairContactSettings {
        thickness: 0.005,
        friction: 0.1,
        ..PairContactSettings::default()
    });
    Ok(world)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_crosses_and_nothing_is_turned_inside_out() {
        let row = measure("cubes".to_owned(), cubes(2, 3).unwrap(), 20);
        assert_eq!((row.crossings, row.inverted, row.quarantined), (0, 0, 0));
        assert!(row.active > 0 && row.stages.guarantee > 0.0);
        let row = measure("cloth".to_owned(), cloth("grid", 12).unwrap(), 40);
        assert_eq!((row.crossings, row.quarantined), (0, 0));
    }
}
