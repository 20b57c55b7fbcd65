//! Bodies over grids in physical units: whatever the resolution, they stretch, bend and swing as
//! the closed forms say, and refining converges.

use glam::{DMat3, DVec3};
use pliant::elastic::ExactElasticity;
use pliant::elastic::GridMaterial;
use pliant::force::{AreaViscous, BoundForce, Gravity, NodalForce, Stream};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, State, Workspace, World};
use std::f64::consts::{PI, TAU};
use std::sync::Arc;

const STEEL: GridMaterial = GridMaterial {
    young: 2e9,
    poisson: 0.3,
    density: 2000.0,
    thickness: 0.1,
    stretching: None,
    rigidity: None,
};

/// A body of a material, at rest where a function of the material coordinates puts it.
fn body(
    material: &GridMaterial,
    counts: &[usize],
    shape: impl Fn([f64; 3]) -> DVec3,
) -> BodyDescription {
    let grid = Grid::new(counts, &vec![false; counts.len()]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|coordinates| shape(grid.material_coordinates(coordinates)))
        .collect();
    let weights = material.weights(&grid, &rest);
    let masses = material.masses(&grid, &rest);
    let mut body = BodyDescription::new("body", grid, rest, weights);
    body.masses = masses;
    body.integrator = IntegratorKind::Static;
    body.newton_iterations = 200;
    body.solver = SolverSettings {
        kind: SolverKind::Cholesky,
        tolerance: 1e-12,
        ..SolverSettings::default()
    };
    body
}

fn hold(body: &mut BodyDescription, is_held: impl Fn(DVec3) -> bool) {
    for (fixed, position) in body.fixed.iter_mut().zip(&body.rest_positions) {
        *fixed = is_held(*position);
    }
}

fn push(body: &mut BodyDescription, force: impl NodalForce + 'static) {
    body.forces.push(BoundForce {
        force: Arc::new(force),
        node: None,
    });
}

/// Where the nodes are when all forces balance.
fn balanced(body: BodyDescription) -> Vec<DVec3> {
    let mut world = World {
        bodies: vec![Body::new(body).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    world.bodies.remove(0).state.positions
}

/// δ = ρ g L² / 2E at the free end of what hangs under its own weight: a rope, a sheet, a bar.
/// The linear rope is exact; Green's strain adds terms of the order of the strain.
#[test]
fn what_hangs_stretches_by_the_same_at_every_resolution() {
    let (length, g) = (2.0, 10.0);
    let stretch = STEEL.density * g * length * length / (2.0 * STEEL.young);
    let upright = GridMaterial {
        poisson: 0.0,
        ..STEEL
    };
    for n in [3, 6, 21] {
        let down = |u: f64| DVec3::NEG_Z * u * length;
        let bodies = [
            body(&STEEL, &[n], |[u, ..]| down(u)),
            body(&STEEL, &[n, n], |[u, v, _]| down(u) + DVec3::X * v),
            body(&upright, &[n, 3, 3], |[u, v, w]| {
                down(u) + 0.2 * DVec3::new(v, w, 0.0)
            }),
        ];
        for mut hanging in bodies {
            let dimension = hanging.grid().unwrap().dimension();
            hold(&mut hanging, |x| x.z == 0.0);
            let acceleration = DVec3::NEG_Z * g;
            push(&mut hanging, Gravity { acceleration });
            let rest = hanging.rest_positions.clone();
            for (x, rest) in balanced(hanging).iter().zip(&rest) {
                if rest.z == -length {
                    let error = (rest.z - x.z) / stretch - 1.0;
                    assert!(
                        error.abs() < 1e-4,
                        "{dimension}D, {n} nodes: off by {error:e}"
                    );
                }
            }
        }
    }
}

/// The energy of a homogeneous deformation x = F X is that of the continuum times the volume, at
/// any resolution: Saint Venant-Kirchhoff for small strains. The stretch of a surface has no coupling of its two
/// directions.
#[test]
fn a_homogeneous_strain_has_the_energy_of_the_continuum() {
    let size = DVec3::new(2.0, 0.8, 0.5);
    let strain = 1e-5
        * DMat3::from_cols(
            DVec3::new(1.0, 0.7, -0.4),
            DVec3::new(0.7, -0.5, 0.9),
            DVec3::new(-0.4, 0.9, 0.3),
        );
    let e = |i: usize, j: usize| strain.col(i)[j];
    let mu = 0.5 * STEEL.young / (1.0 + STEEL.poisson);
    let lambda = 2.0 * mu * STEEL.poisson / (1.0 - 2.0 * STEEL.poisson);
    let squares = |n: usize| -> f64 {
        (0..n)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| e(i, j).powi(2))
            .sum()
    };
    let trace = e(0, 0) + e(1, 1) + e(2, 2);
    let solid = size.element_product() * (0.5 * lambda * trace * trace + mu * squares(3));
    let section = 0.25 * PI * STEEL.thickness.powi(2);
    let curve = 0.5 * STEEL.young * section * e(0, 0).powi(2) * size.x;
    let along = 0.5 * STEEL.young * (e(0, 0).powi(2) + e(1, 1).powi(2));
    let surface = STEEL.thickness * size.x * size.y * (along + 2.0 * mu * e(0, 1).powi(2));
    for n in [2, 4, 7] {
        for (counts, expected) in [
            (vec![n], curve),
            (vec![n, n + 1], surface),
            (vec![n, 3, n + 1], solid),
        ] {
            let description = body(&STEEL, &counts, |u| size * DVec3::from(u));
            let moved: Vec<DVec3> = description
                .rest_positions
                .iter()
                .map(|x| *x + strain * *x)
                .collect();
            let total: f64 = description.masses.iter().sum();
            let extent = [
                section * size.x,
                STEEL.thickness * size.x * size.y,
                size.element_product(),
            ];
            let mass = STEEL.density * extent[counts.len() - 1];
            assert!((total / mass - 1.0).abs() < 1e-12, "{counts:?}: {total} kg");
            let mut energy = ExactElasticity::new(
                description.grid().unwrap(),
                &description.rest_positions,
                description.weights().unwrap(),
                false,
            );
            let error = energy.energy(&moved) / expected - 1.0;
            assert!(error.abs() < 1e-3, "{counts:?}: off by {error:e}");
        }
    }
}

/// A rod or a plate of length 1 that is clamped at x = 0, half-way between its first two rows. Only without
/// Poisson's ratio is the plate a beam: the clamp would not let it curl.
fn cantilever(cells: usize, plate: bool) -> BodyDescription {
    let h = 1.0 / (cells as f64 - 0.5);
    let x = move |u: f64| u * cells as f64 * h - 0.5 * h;
    let counts = [cells + 1, 4];
    let beam = GridMaterial {
        poisson: 0.0,
        ..STEEL
    };
    let mut rod = match plate {
        true => body(&beam, &counts, |[u, v, _]| DVec3::new(x(u), 0.3 * v, 0.0)),
        false => body(&STEEL, &counts[..1], |[u, ..]| DVec3::X * x(u)),
    };
    hold(&mut rod, |at| at.x < 0.75 * h);
    rod
}

/// Mass and flexural rigidity per metre of length (a plate: of its width too).
fn beam(plate: bool) -> (f64, f64) {
    let t = STEEL.thickness;
    match plate {
        true => (STEEL.density * t, STEEL.young * t.powi(3) / 12.0),
        false => (
            STEEL.density * 0.25 * PI * t * t,
            STEEL.young * PI * t.powi(4) / 64.0,
        ),
    }
}

fn tip(cells: usize, plate: bool, g: f64) -> f64 {
    let mut rod = cantilever(cells, plate);
    let acceleration = DVec3::NEG_Z * g;
    push(&mut rod, Gravity { acceleration });
    -balanced(rod)[cells].z
}

/// w = q L⁴ / 8 E I; the error falls with the square of the spacing.
#[test]
fn a_cantilever_bends_as_theory_says_and_converges() {
    for plate in [false, true] {
        let (mass, rigidity) = beam(plate);
        let g = 1e-2;
        let theory = mass * g / (8.0 * rigidity);
        let errors = [8, 16, 32].map(|cells| tip(cells, plate, g) / theory - 1.0);
        println!("plate {plate}: errors {errors:?}");
        assert!(errors[2].abs() < 2e-3, "plate {plate}: {errors:?}");
        for pair in errors.windows(2) {
            let ratio = pair[0] / pair[1];
            assert!((3.0..5.0).contains(&ratio), "plate {plate}: {errors:?}");
        }
    }
}

/// The droop of a solid bar ten times as long as high, by q L⁴ / 8 E I. The reference says how stiff
/// grid solids are in bending: shear has to bend cells that stay straight, which refining mends.
#[test]
fn a_solid_bar_is_too_stiff_in_bending_and_converges() {
    let droop = |cells: [usize; 2]| {
        let material = GridMaterial {
            young: 1e6,
            poisson: 0.0,
            density: 1000.0,
            ..STEEL
        };
        let size = DVec3::new(1.0, 0.1, 0.1);
        let counts = [cells[0] + 1, 2, cells[1] + 1];
        let mut bar = body(&material, &counts, |u| DVec3::from(u) * size);
        hold(&mut bar, |x| x.x < 1e-9);
        let acceleration = DVec3::NEG_Z * 1e-3;
        push(&mut bar, Gravity { acceleration });
        let theory = 1000.0 * 1e-3 * 12.0 / (8.0 * 1e6 * 0.1 * 0.1);
        let last = bar.masses.len() - 1;
        (0.1 - balanced(bar)[last].z) / theory
    };
    let found = [[10, 2], [20, 2], [40, 4]].map(droop);
    for (found, expected) in found.iter().zip([0.34, 0.54, 0.83]) {
        assert!((found - expected).abs() < 0.01, "{found} {expected}");
    }
}

/// f₁ = 1.8751² / 2π √(E I / m L⁴), by the midpoint rule from the bent shape.
#[test]
fn a_cantilever_swings_with_the_first_frequency_and_converges() {
    for plate in [false, true] {
        let (mass, rigidity) = beam(plate);
        let theory = 1.875_104_f64.powi(2) / TAU * (rigidity / mass).sqrt();
        let errors = [6, 12, 24].map(|cells| frequency(cells, plate, theory) / theory - 1.0);
        println!("plate {plate}: errors {errors:?}");
        assert!(errors[2].abs() < 1e-3, "plate {plate}: {errors:?}");
        assert!(
            errors[1].abs() < 0.4 * errors[0].abs(),
            "plate {plate}: {errors:?}"
        );
        assert!(
            errors[2].abs() < 0.5 * errors[1].abs(),
            "plate {plate}: {errors:?}"
        );
    }
}

fn frequency(cells: usize, plate: bool, expected: f64) -> f64 {
    let mut rod = cantilever(cells, plate);
    // The first mode of the continuum.
    let mode = |x: f64| {
        let b = 1.875_104 * x.max(0.0);
        2e-4 * (b.cosh() - b.cos() - 0.734_096 * (b.sinh() - b.sin()))
    };
    let nodes = rod.rest_positions.iter().zip(&rod.fixed);
    let positions = nodes.map(|(at, fixed)| match fixed {
        true => *at,
        false => *at + DVec3::Z * mode(at.x),
    });
    let state = State {
        positions: positions.collect(),
        velocities: vec![DVec3::ZERO; rod.rest_positions.len()],
        ..State::default()
    };
    rod.integrator = IntegratorKind::Midpoint;
    rod.time_step = 1.0 / (200.0 * expected);
    let dt = rod.time_step;
    let mut world = World {
        bodies: vec![Body::with_state(rod, state).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let mut crossings = Vec::new();
    let mut before = world.bodies[0].state.positions[cells].z;
    for step in 1..=650 {
        world.step(&mut workspace);
        let now = world.bodies[0].state.positions[cells].z;
        if before * now < 0.0 {
            crossings.push(dt * (step as f64 - now / (now - before)));
        }
        before = now;
    }
    let last = crossings.len() - 1;
    0.5 * last as f64 / (crossings[last] - crossings[0])
}

/// A cloth that hangs from a rail in the wind U is straight at the angle θ with
/// c U cos θ = ρ t g sin θ, whatever its resolution; so is a rope.
#[test]
fn cloth_and_rope_hang_in_the_wind_at_the_same_angle_at_every_resolution() {
    let (wind, g) = (6.0, 9.81);
    let cloth = GridMaterial {
        young: 1e7,
        poisson: 0.3,
        density: 300.0,
        thickness: 0.001,
        stretching: None,
        rigidity: Some(1e-7),
    };
    for n in [7, 11, 19] {
        let down = |u: f64| DVec3::NEG_Z * u;
        let sheet = body(&cloth, &[n, n], |[u, v, _]| down(u) + DVec3::Y * v);
        let rope = body(&cloth, &[n], |[u, ..]| down(u));
        for (mut hanging, weight) in [
            (sheet, cloth.density * cloth.thickness * g),
            (
                rope,
                cloth.density * 0.25 * PI * cloth.thickness.powi(2) * g,
            ),
        ] {
            let angle: f64 = 0.6;
            hold(&mut hanging, |x| x.z == 0.0);
            let acceleration = DVec3::NEG_Z * g;
            push(&mut hanging, Gravity { acceleration });
            let velocity = DVec3::X * wind;
            let strength = weight * angle.tan() / wind;
            let stream = AreaViscous::new(strength, Stream::Constant { velocity });
            let extents: Arc<[f64]> = hanging.node_extents().into();
            hanging.forces.push(BoundForce {
                force: stream.over(&extents).unwrap(),
                node: None,
            });
            let lengths: f64 = extents.iter().sum();
            assert!((lengths - 1.0).abs() < 1e-12);
            let at = settled(hanging)[n - 1];
            let found = at.x.atan2(-at.z);
            println!("{n}: {:.2} degrees", found.to_degrees());
            assert!(
                (found - angle).abs() < 0.01,
                "{n}: {found} instead of {angle}"
            );
        }
    }
}

/// Where the nodes come to rest, by heavily damped motion.
fn settled(mut body: BodyDescription) -> Vec<DVec3> {
    body.integrator = IntegratorKind::Implicit;
    body.time_step = 0.05;
    let dampings = body.masses.iter().map(|mass| 3.0 * mass);
    body.dampings = dampings.collect();
    let mut world = World {
        bodies: vec![Body::new(body).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..160 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
    world.bodies.remove(0).state.positions
}
