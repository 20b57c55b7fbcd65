//! Bodies and random numbers for the tests.
#![allow(dead_code)]

pub mod hybrid;
pub mod nurbs;
pub mod tension;

use glam::{DMat3, DVec3};
use pliant::elastic::Weights;
use pliant::process::{Heat, ProcessKind, Scheduled};
use pliant::{Body, BodyDescription, Grid, State, World};

/// A small reproducible generator (SplitMix64).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Uniform in [-1, 1).
    pub fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^= z >> 31;
        (z >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    pub fn vectors(&mut self, count: usize) -> Vec<DVec3> {
        (0..count).map(|_| self.vector()).collect()
    }
}

/// A body on a grid with positions given by material coordinates and uneven weights.
pub fn body(
    name: &str,
    counts: &[usize],
    periodic: &[bool],
    weights: [f64; 3],
    shape: impl Fn([f64; 3]) -> DVec3,
) -> Body {
    let grid = Grid::new(counts, periodic);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|coordinates| shape(grid.material_coordinates(coordinates)))
        .collect();
    let [tension, rigidity, twist] = weights;
    let mut random = Random::new(99);
    let mut all = Weights::uniform(grid.node_count(), tension, rigidity, twist);
    let mut vary = |value: &mut f64| *value *= 1.0 + 0.3 * random.number();
    all.tensions
        .iter_mut()
        .flatten()
        .flatten()
        .for_each(&mut vary);
    all.rigidities
        .iter_mut()
        .flatten()
        .flatten()
        .for_each(&mut vary);
    all.twists.iter_mut().for_each(&mut vary);
    Body::new(BodyDescription::new(name, grid, rest, all)).unwrap()
}

/// A flat rectangular sheet in the xy plane with uniform weights.
pub fn sheet(counts: [usize; 2], size: [f64; 2], tension: f64, rigidity: f64) -> BodyDescription {
    let grid = Grid::new(&counts, &[false; 2]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| {
            let [u, v, _] = grid.material_coordinates(c);
            DVec3::new(size[0] * (u - 0.5), size[1] * (v - 0.5), 0.0)
        })
        .collect();
    let weights = Weights::uniform(grid.node_count(), tension, rigidity, 0.0);
    BodyDescription::new("sheet", grid, rest, weights)
}

/// A box-shaped solid with uniform weights, its lowest corner at the origin.
pub fn block(counts: [usize; 3], size: DVec3, tension: f64) -> BodyDescription {
    let grid = Grid::new(&counts, &[false; 3]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| DVec3::from_array(grid.material_coordinates(c)) * size)
        .collect();
    let weights = Weights::uniform(grid.node_count(), tension, 0.0, 0.0);
    BodyDescription::new("block", grid, rest, weights)
}

/// A straight curve along x with uniform weights.
pub fn line(count: usize, length: f64, weights: [f64; 3]) -> BodyDescription {
    let grid = Grid::new(&[count], &[false]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| DVec3::X * length * grid.material_coordinates(c)[0])
        .collect();
    let weights = Weights::uniform(count, weights[0], weights[1], weights[2]);
    BodyDescription::new("line", grid, rest, weights)
}

/// Curves, surfaces and solids: flat, curved, skewed, periodic.
pub fn bodies() -> Vec<Body> {
    let tau = std::f64::consts::TAU;
    let skew = DMat3::from_cols(
        DVec3::new(2.0, 0.3, 0.1),
        DVec3::new(-0.4, 1.5, 0.2),
        DVec3::new(0.3, 0.1, 1.2),
    );
    vec![
        body(
            "straight curve",
            &[9],
            &[false],
            [2.0, 0.3, 0.1],
            |[u, _, _]| DVec3::new(3.0 * u, 0.0, 0.0),
        ),
        body("helix", &[24], &[false], [2.0, 0.3, 0.2], |[u, _, _]| {
            let angle = 2.0 * tau * u;
            DVec3::new(angle.cos(), angle.sin(), 1.5 * u)
        }),
        body("ring", &[12], &[true], [2.0, 0.3, 0.1], |[u, _, _]| {
            DVec3::new(
                (tau * u).cos(),
                (tau * u).sin(),
                0.2 * (2.0 * tau * u).sin(),
            )
        }),
        body(
            "flat sheet",
            &[6, 7],
            &[false; 2],
            [1.0, 0.2, 0.0],
            |[u, v, _]| DVec3::new(2.0 * u, 3.0 * v, 0.0),
        ),
        body(
            "curved sheet",
            &[7, 6],
            &[false; 2],
            [1.0, 0.2, 0.0],
            |[u, v, _]| DVec3::new(2.0 * u, 3.0 * v + 0.5 * u, (2.0 * u).sin() * (1.0 - v * v)),
        ),
        body(
            "tube",
            &[10, 5],
            &[true, false],
            [1.0, 0.2, 0.0],
            |[u, v, _]| DVec3::new((tau * u).cos(), (tau * u).sin(), 2.0 * v),
        ),
        body(
            "torus",
            &[9, 8],
            &[true, true],
            [1.0, 0.2, 0.0],
            |[u, v, _]| {
                let ring = 2.0 + 0.7 * (tau * v).cos();
                DVec3::new(
                    ring * (tau * u).cos(),
                    ring * (tau * u).sin(),
                    0.7 * (tau * v).sin(),
                )
            },
        ),
        body(
            "membrane",
            &[5, 5],
            &[false; 2],
            [1.0, 0.0, 0.0],
            |[u, v, _]| DVec3::new(u, v, 0.0),
        ),
        body(
            "skewed block",
            &[4, 3, 5],
            &[false; 3],
            [1.0, 0.0, 0.0],
            move |u| skew * DVec3::from_array(u),
        ),
        body(
            "pipe",
            &[3, 8, 4],
            &[false, true, false],
            [1.0, 0.0, 0.0],
            |[u, v, w]| {
                let radius = 1.0 + u;
                DVec3::new(radius * (tau * v).cos(), radius * (tau * v).sin(), 2.0 * w)
            },
        ),
    ]
}

/// Rest positions with every coordinate moved by up to `amount` times the mean edge length.
pub fn jiggled(body: &Body, amount: f64, random: &mut Random) -> Vec<DVec3> {
    let rest = &body.description().rest_positions;
    let edge = (rest[1] - rest[0]).length();
    rest.iter()
        .map(|x| *x + amount * edge * random.vector())
        .collect()
}

/// A world of one body.
pub fn world(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

/// A body that conducts heat.
pub fn with_heat(mut description: BodyDescription, heat: Heat) -> BodyDescription {
    description
        .processes
        .push(Scheduled::always(ProcessKind::Heat(heat)));
    description
}

/// Temperatures of the first body.
pub fn temperatures(world: &World) -> &[f64] {
    let inelastic = world.bodies[0].inelastic().unwrap();
    &inelastic.thermal.temperatures
}

/// A bar of some length along x, its mass spread evenly: half as much at the end
/// nodes. Every node is fixed.
pub fn bar(nodes: usize, length: f64, mass: f64) -> BodyDescription {
    let grid = Grid::new(&[nodes], &[false]);
    let h = length * grid.spacing(0);
    let rest = (0..nodes).map(|i| i as f64 * h * DVec3::X).collect();
    let weights = Weights::uniform(nodes, 10.0, 0.0, 0.0);
    let mut bar = BodyDescription::new("bar", grid, rest, weights);
    bar.masses.fill(mass / (nodes - 1) as f64);
    bar.masses[0] *= 0.5;
    bar.masses[nodes - 1] *= 0.5;
    bar.fixed.fill(true);
    bar
}

/// Frequency of an amplitude in time, from its upward zero crossings.
pub fn frequency(samples: &[f64], dt: f64) -> f64 {
    let crossings: Vec<f64> = samples
        .windows(2)
        .enumerate()
        .filter(|(_, pair)| pair[0] < 0.0 && pair[1] >= 0.0)
        .map(|(i, pair)| (i as f64 - pair[0] / (pair[1] - pair[0])) * dt)
        .collect();
    (crossings.len() - 1) as f64 / (crossings[crossings.len() - 1] - crossings[0])
}

/// A body that starts in a shape and in motion.
pub fn started(
    description: BodyDescription,
    positions: Vec<DVec3>,
    velocity: impl Fn(DVec3) -> DVec3,
) -> Body {
    let velocities = positions.iter().map(|x| velocity(*x)).collect();
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    Body::with_state(description, state).unwrap()
}
