//! What did not work in \[Thesis2004\] and must work here: curved rest shapes, solids that collapse
//! or fold at corners, one-sided crumples, the metal plate that explodes.

mod support;

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::shape::{Ellipsoid, Shape};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::{block, sheet};

fn gravity(g: f64) -> BoundForce {
    BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * g,
        }),
        node: None,
    }
}

fn world(body: Body) -> World {
    World {
        bodies: vec![body],
        ..World::default()
    }
}

fn direct() -> SolverSettings {
    SolverSettings {
        kind: SolverKind::Cholesky,
        ..SolverSettings::default()
    }
}

/// Largest change of the distance between any two of a sample of nodes: zero for rigid motion.
fn distortion(body: &Body) -> f64 {
    let (rest, now) = (&body.description().rest_positions, &body.state.positions);
    let stride = (rest.len() / 40).max(1);
    let mut worst: f64 = 0.0;
    for i in (0..rest.len()).step_by(stride) {
        for j in (0..i).step_by(stride) {
            let before = (rest[i] - rest[j]).length();
            let after = (now[i] - now[j]).length();
            worst = worst.max((before - after).abs());
        }
    }
    worst / body.size()
}

fn half_cylinder() -> BodyDescription {
    let grid = Grid::new(&[16, 12], &[false; 2]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| {
            let [u, v, _] = grid.material_coordinates(c);
            let angle = std::f64::consts::PI * u;
            DVec3::new(angle.cos(), 2.0 * v, angle.sin())
        })
        .collect();
    let weights = Weights::uniform(grid.node_count(), 1.0, 0.1, 0.0);
    BodyDescription::new("half-cylinder", grid, rest, weights)
}

fn ellipsoid_patch() -> BodyDescription {
    let grid = Grid::new(&[20, 12], &[true, false]);
    let rest = Ellipsoid::new(DVec3::new(1.5, 1.0, 0.8), DVec3::ZERO)
        .and_then(|ellipsoid| ellipsoid.rest_positions(&grid))
        .unwrap();
    let weights = Weights::uniform(grid.node_count(), 1.0, 0.1, 0.0);
    BodyDescription::new("ellipsoid", grid, rest, weights)
}

#[test]
fn curved_rest_shapes_stay_at_rest_for_10_000_steps() {
    for mut description in [half_cylinder(), ellipsoid_patch()] {
        description.solver = SolverSettings {
            tolerance: 1e-10,
            ..SolverSettings::default()
        };
        let mut world = world(Body::new(description).unwrap());
        let mut workspace = Workspace::new(&world);
        workspace.measure = false;
        for _ in 0..10_000 {
            world.step(&mut workspace);
        }
        let body = &world.bodies[0];
        let moved = body
            .state
            .positions
            .iter()
            .zip(&body.description().rest_positions)
            .map(|(x, rest)| (*x - *rest).length())
            .fold(0.0, f64::max);
        assert!(moved < 1e-9, "{} moved by {moved}", body.description().name);
    }
}

#[test]
fn curved_rest_shapes_return_after_being_crushed() {
    for mut description in [half_cylinder(), ellipsoid_patch()] {
        description.time_step = 0.02;
        description.integrator = IntegratorKind::Implicit;
        description.solver = direct();
        description.dampings.fill(1.0);
        // Pressed to a third of its height. (Flatter, it may snap into another shape without energy, with a
        // fold between nodes.)
        let positions: Vec<DVec3> = description
            .rest_positions
            .iter()
            .map(|x| DVec3::new(1.1 * x.x, x.y, 0.35 * x.z))
            .collect();
        let velocities = vec![DVec3::ZERO; positions.len()];
        let body = Body::with_state(
            description,
            State {
                positions,
                velocities,
                ..State::default()
            },
        )
        .unwrap();
        let mut world = world(body);
        let before = distortion(&world.bodies[0]);
        let mut workspace = Workspace::new(&world);
        for _ in 0..1500 {
            world.step(&mut workspace);
        }
        let after = distortion(&world.bodies[0]);
        assert_eq!(world.bodies[0].quarantine, None);
        assert!(
            after < 1e-3 && before > 0.1,
            "{}: distorted by {before}, later by {after}",
            world.bodies[0].description().name
        );
    }
}

#[test]
fn corners_of_a_pudding_pushed_inside_come_out_again() {
    for integrator in [IntegratorKind::Implicit, IntegratorKind::SemiImplicit] {
        let mut description = block([5, 5, 5], DVec3::ONE, 5.0);
        description.integrator = integrator;
        description.solver = direct();
        description.time_step = 0.02;
        description.dampings.fill(1.0);
        let grid = description.grid().unwrap().clone();
        let mut positions = description.rest_positions.clone();
        let middle = DVec3::splat(0.5);
        for corner in 0..8 {
            let at = |bit: usize| if corner >> bit & 1 == 1 { 4 } else { 0 };
            let node = grid.index([at(0), at(1), at(2)]);
            // Through its neighbours, to half way to the middle of the cube.
            positions[node] = positions[node].lerp(middle, 0.5);
        }
        let velocities = vec![DVec3::ZERO; positions.len()];
        let body = Body::with_state(
            description,
            State {
                positions,
                velocities,
                ..State::default()
            },
        )
        .unwrap();
        let mut world = world(body);
        let mut workspace = Workspace::new(&world);
        for _ in 0..1000 {
            world.step(&mut workspace);
        }
        let left = distortion(&world.bodies[0]);
        assert!(left < 1e-3, "{integrator:?}: still distorted by {left}");
    }
}

#[test]
fn a_solid_pressed_flat_or_turned_inside_out_recovers() {
    for squeeze in [0.0, -0.5] {
        let mut description = block([4, 4, 4], DVec3::ONE, 5.0);
        description.integrator = IntegratorKind::Implicit;
        description.solver = direct();
        description.time_step = 0.02;
        description.dampings.fill(1.0);
        // A little asymmetry: a perfectly flat solid is in unstable equilibrium in z.
        let positions: Vec<DVec3> = description
            .rest_positions
            .iter()
            .enumerate()
            .map(|(i, x)| {
                DVec3::new(x.x, x.y, squeeze * x.z) + 0.01 * DVec3::Z * ((i * 7 % 5) as f64 - 2.0)
            })
            .collect();
        let velocities = vec![DVec3::ZERO; positions.len()];
        let body = Body::with_state(
            description,
            State {
                positions,
                velocities,
                ..State::default()
            },
        )
        .unwrap();
        let mut world = world(body);
        let mut workspace = Workspace::new(&world);
        for _ in 0..1500 {
            world.step(&mut workspace);
        }
        let left = distortion(&world.bodies[0]);
        assert!(
            left < 1e-3,
            "squeezed to {squeeze}: still distorted by {left}"
        );
    }
}

/// One of the eight symmetries of the square.
#[derive(Clone, Copy)]
struct Symmetry {
    flip_x: bool,
    flip_y: bool,
    swap: bool,
}

impl Symmetry {
    fn all() -> impl Iterator<Item = Self> {
        (0..8).map(|code| Self {
            flip_x: code & 1 == 1,
            flip_y: code & 2 == 2,
            swap: code & 4 == 4,
        })
    }

    fn of_grid(self, n: usize, i: usize, j: usize) -> (usize, usize) {
        let i = if self.flip_x { n - 1 - i } else { i };
        let j = if self.flip_y { n - 1 - j } else { j };
        if self.swap { (j, i) } else { (i, j) }
    }

    fn of_space(self, x: DVec3) -> DVec3 {
        let flip = |flip: bool, value: f64| if flip { -value } else { value };
        let (a, b) = (flip(self.flip_x, x.x), flip(self.flip_y, x.y));
        if self.swap {
            DVec3::new(b, a, x.z)
        } else {
            DVec3::new(a, b, x.z)
        }
    }
}

#[test]
fn a_sheet_held_at_four_corners_sags_with_the_symmetry_of_the_square() {
    let n = 17;
    for rigidity in [0.0, 0.01] {
        let mut description = sheet([n, n], [2.0, 2.0], 20.0, rigidity);
        description.solver = direct();
        description.dampings.fill(2.0);
        description.forces.push(gravity(1.0));
        let grid = description.grid().unwrap().clone();
        for corner in [[0, 0], [n - 1, 0], [0, n - 1], [n - 1, n - 1]] {
            description.fixed[grid.index([corner[0], corner[1], 0])] = true;
        }
        let mut world = world(Body::new(description).unwrap());
        let mut workspace = Workspace::new(&world);
        for _ in 0..600 {
            world.step(&mut workspace);
        }
        let positions = &world.bodies[0].state.positions;
        let sag = -positions[grid.index([n / 2, n / 2, 0])].z;
        assert!(sag > 0.05, "sags only by {sag}");
        for symmetry in Symmetry::all() {
            for [i, j, _] in grid.nodes() {
                let (p, q) = symmetry.of_grid(n, i, j);
                let image = symmetry.of_space(positions[grid.index([i, j, 0])]);
                let other = positions[grid.index([p, q, 0])];
                assert!(
                    (image - other).length() < 1e-9,
                    "rigidity {rigidity}: node {i},{j} is off by {:.2e}",
                    (image - other).length()
                );
            }
        }
    }
}

#[test]
fn the_metal_plate_of_29_by_29_keeps_its_energy_bounded() {
    for (integrator, dt, seconds) in [
        (IntegratorKind::SemiImplicit, 0.01, 10.0),
        (IntegratorKind::SemiImplicit, 0.1, 10.0),
        (IntegratorKind::Implicit, 0.1, 2.0),
    ] {
        let n = 29;
        let mut description = sheet([n, n], [4.0, 4.0], 1.0, 0.5);
        description.integrator = integrator;
        description.solver = SolverSettings {
            tolerance: 1e-4,
            ..direct()
        };
        description.time_step = dt;
        description.masses.fill(5.0);
        description.dampings.fill(2.0);
        description.forces.push(gravity(9.82));
        let centre = description.grid().unwrap().index([n / 2, n / 2, 0]);
        description.fixed[centre] = true;
        let mut world = world(Body::new(description).unwrap());
        let mut workspace = Workspace::new(&world);
        let start = workspace.energies(&world).total();
        let mut highest = f64::NEG_INFINITY;
        for _ in 0..(seconds / dt) as usize {
            let report = world.step(&mut workspace);
            highest = highest.max(report.energies.total());
            assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        }
        // Gravity does work, but the sum with its potential cannot grow.
        let scale = 5.0 * 9.82 * 4.0 * (n * n) as f64;
        assert!(
            highest <= start + 1e-3 * scale,
            "{integrator:?}, dt = {dt}: energy rose to {highest} from {start}"
        );
    }
}
