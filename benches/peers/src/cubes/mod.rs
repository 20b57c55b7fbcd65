//! The twenty soft cubes of `pliant bench contact`: five layers of four, each layer across the gaps of
//! the one below, dropped from 0.1 m.

mod in_pliant;
mod in_rapier;

use crate::Failure;
use crate::race::{Contestant, Course, race};
use crate::referee::{Inside, Shape, inverted, vertices_inside};
use glam::DVec3;
use pliant::mesh::{Division, ElementMesh, block};
use std::sync::Arc;

/// Side of a cube, in metres, and cells along it, of five tetrahedra each.
const SIDE: f64 = 0.2;
const CELLS: usize = 5;

const YOUNG: f64 = 1e5;
const POISSON: f64 = 0.33;
const DENSITY: f64 = 1000.0;
const FRICTION: f64 = 0.5;

/// Distance that surfaces keep from each other, in metres.
const THICKNESS: f64 = 0.004;

const LAYERS: usize = 5;
const CUBES_PER_LAYER: usize = 4;

/// Two seconds.
const FRAMES: usize = 120;

/// A cube, and where cubes start.
struct Pile {
    mesh: Arc<ElementMesh>,
    tetrahedra: Vec<[u32; 4]>,
    /// A quarter of each tetrahedron's mass at each of its nodes, in kilograms.
    masses: Vec<f64>,
    shifts: Vec<DVec3>,
}

impl Pile {
    fn new() -> Result<Self, Failure> {
        let mesh = block([CELLS; 3], DVec3::splat(SIDE), Division::FiveTetrahedra)?;
        let tetrahedra: Vec<[u32; 4]> = pliant::mesh::tetrahedra(&mesh).collect();
        let mut masses = vec![0.0; mesh.positions.len()];
        for nodes in &tetrahedra {
            let [a, b, c, d] = nodes.map(|node| mesh.positions[node as usize]);
            let volume = (b - a).dot((c - a).cross(d - a)).abs() / 6.0;
            for &node in nodes {
                masses[node as usize] += 0.25 * DENSITY * volume;
            }
        }
        Ok(Self {
            mesh: Arc::new(mesh),
            tetrahedra,
            masses,
            shifts: (0..LAYERS * CUBES_PER_LAYER).map(shift).collect(),
        })
    }
}

fn shift(cube: usize) -> DVec3 {
    let (layer, place) = (cube / CUBES_PER_LAYER, cube % CUBES_PER_LAYER);
    let stagger = 0.5 * SIDE * (layer % 2) as f64;
    let across = |k: usize| 1.15 * SIDE * (k as f64 - 0.5) - 0.5 * SIDE;
    DVec3::new(
        across(place % 2) + stagger,
        across(place / 2) + stagger,
        0.1 + 1.1 * SIDE * layer as f64,
    )
}

/// Measures and prints.
pub fn compare() -> Result<(), Failure> {
    let pile = Pile::new()?;
    let (ours, shape): (Contestant, Shape) = in_pliant::contestant(&pile)?;
    let mut contestants = vec![ours];
    contestants.extend(in_rapier::contestants(&pile, &shape));
    let course = Course {
        frames: FRAMES,
        limit: f64::INFINITY,
        crossings: true,
    };
    race(&mut contestants, course);
    println!(
        "{} soft cubes, {FRAMES} frames of 1/60 s",
        pile.shifts.len()
    );
    println!("the last two columns: after the last frame");
    println!(
        "engine                                CPU ms per frame  edges through triangles         vertices inside others  elements inside out"
    );
    for one in &contestants {
        println!("{}", line(one, &pile));
    }
    Ok(())
}

fn line(one: &Contestant, pile: &Pile) -> String {
    let positions = one.positions();
    let Inside { vertices, depth } = vertices_inside(&one.shape, &positions);
    let inside = format!("{vertices} by up to {:.1} mm", 1e3 * depth);
    let inverted = inverted(one.shape.nodes, &pile.tetrahedra, &positions);
    format!(
        "{:38} {:>15.2}  {:30}  {inside:22}  {inverted}{}",
        one.name,
        one.milliseconds(),
        one.crossings,
        one.complaints()
    )
}
