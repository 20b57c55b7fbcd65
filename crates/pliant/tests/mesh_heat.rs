//! Heat in tetrahedra: conduction against series solutions, what is conserved, exchange, softening.

mod support;

use glam::{DMat3, DQuat, DVec3};
use pliant::fem::SolidStrain;
use pliant::obstacle::{Obstacle, Plane};
use pliant::process::Heat;
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World};
use std::f64::consts::PI;
use support::tension::{YOUNG, bar_mesh, solid};
use support::{Random, with_heat, world};

const LENGTH: f64 = 2.0;
/// The density of the bars is 1000 kg/m³.
const CAPACITY: f64 = 1.4e-3;
const CONDUCTIVITY: f64 = 0.7;
const DIFFUSIVITY: f64 = CONDUCTIVITY / (1000.0 * CAPACITY);

fn still_bar(counts: [usize; 3], size: DVec3) -> BodyDescription {
    let mut bar = solid(bar_mesh(counts, size), SolidStrain::Corotated, 0.3);
    bar.fixed.fill(true);
    bar
}

fn steps(world: &mut World, count: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..count {
        world.step(&mut workspace);
    }
}

/// Largest error of a bar that starts at one temperature and is held at two others at its ends.
fn error_with_held_ends(cells: usize, count: usize) -> f64 {
    let duration = 0.8;
    let (initial, left, right) = (300.0, 400.0, 250.0);
    let bar = still_bar(
        [cells, cells / 10, cells / 10],
        DVec3::new(LENGTH, 0.2, 0.2),
    );
    let ends = bar
        .rest_positions
        .iter()
        .enumerate()
        .filter_map(|(node, x)| {
            let value = (x.x < 1e-9).then_some(left);
            let value = value.or((x.x > LENGTH - 1e-9).then_some(right));
            value.map(|value| (node, value))
        });
    let heat = Heat {
        held: ends.collect(),
        ..Heat::insulated(initial, CONDUCTIVITY, CAPACITY)
    };
    let mut bar = with_heat(bar, heat);
    bar.time_step = duration / count as f64;
    let mut world = world(bar);
    steps(&mut world, count);
    // T = T_l + (T_r - T_l) x/L + Σ b_n sin(nπx/L) exp(-n²π²αt/L²),
    // b_n = 2/(nπ) ((T_0 - T_l) - (-1)ⁿ (T_0 - T_r)).
    let exact = |x: f64| {
        let series: f64 = (1..200)
            .map(|n| {
                let (n, sign) = (f64::from(n), if n % 2 == 0 { 1.0 } else { -1.0 });
                let b = 2.0 / (n * PI) * ((initial - left) - sign * (initial - right));
                let decay = (-(n * PI / LENGTH).powi(2) * DIFFUSIVITY * duration).exp();
                b * (n * PI * x / LENGTH).sin() * decay
            })
            .sum();
        left + (right - left) * x / LENGTH + series
    };
    let body = &world.bodies[0];
    let nodes = body.description().rest_positions.iter();
    let errors = nodes
        .zip(body.temperatures())
        .map(|(x, t)| (t - exact(x.x)).abs());
    errors.fold(0.0, f64::max)
}

#[test]
fn a_bar_with_held_ends_follows_the_series_at_second_order() {
    // Second order in the size and first in the step: four times the steps for half the size.
    let errors = [(10, 20), (20, 80), (40, 320)].map(|(n, steps)| error_with_held_ends(n, steps));
    assert!(errors[2] < 0.15, "{errors:?}");
    for pair in errors.windows(2) {
        assert!(pair[1] < pair[0] / 3.3, "{errors:?}");
    }
}

/// Heat spreads from a point as a Gaussian whose second moments are 2 t k / (ρ c): as long as nothing reaches the
/// surface, those of a tensor whose axes are turned are those of the tensor.
#[test]
fn heat_spreads_by_the_tensor_of_conductivity() {
    let axes = DQuat::from_rotation_z(0.5) * DQuat::from_rotation_x(0.4);
    let size = DVec3::splat(0.4);
    let mut bar = still_bar([20, 20, 20], size);
    let middle = bar.rest_positions.iter().sum::<DVec3>() / bar.rest_positions.len() as f64;
    // Broad enough for the mesh.
    let warm = |x: &DVec3| 100.0 * (-x.distance_squared(middle) / (2.0 * 0.03 * 0.03)).exp();
    let heat = Heat {
        temperatures: bar.rest_positions.iter().map(warm).collect(),
        conductivities: vec![[4.0, 1.0, 0.25]],
        axes,
        ..Heat::insulated(0.0, 1.0, CAPACITY)
    };
    bar = with_heat(bar, heat);
    let diffusivity = 1.0 / (1000.0 * CAPACITY);
    let duration = 0.02 * 0.02 / (8.0 * diffusivity);
    bar.time_step = duration / 20.0;
    let mut world = world(bar);
    let moments = |body: &Body| {
        let description = body.description();
        let nodes = description.rest_positions.iter().zip(body.temperatures());
        let weighted = nodes
            .zip(&description.masses)
            .map(|((x, t), m)| (*x - middle, t * m));
        let total: f64 = weighted.clone().map(|(_, w)| w).sum();
        let square = |(x, w): (DVec3, f64)| w * DMat3::from_cols(x * x.x, x * x.y, x * x.z);
        weighted.map(square).fold(DMat3::ZERO, |a, b| a + b) * (1.0 / total)
    };
    let before = moments(&world.bodies[0]);
    let mut workspace = Workspace::new(&world);
    for _ in 0..20 {
        world.step(&mut workspace);
    }
    let grown = moments(&world.bodies[0]) - before;
    let turn = DMat3::from_quat(axes);
    let tensor = turn * DMat3::from_diagonal(DVec3::new(4.0, 1.0, 0.25)) * turn.transpose();
    let expected = 2.0 * duration * diffusivity * tensor;
    let difference = grown - expected;
    let largest = |m: &DMat3| {
        m.to_cols_array()
            .iter()
            .fold(0.0_f64, |a, b| a.max(b.abs()))
    };
    assert!(
        largest(&difference) < 0.05 * largest(&expected),
        "{grown} {expected}"
    );
}

#[test]
fn a_grid_does_not_conduct_along_turned_axes() {
    let grid = Grid::new(&[3], &[false]);
    let rest = vec![DVec3::ZERO, DVec3::X, 2.0 * DVec3::X];
    let weights = pliant::elastic::Weights::uniform(3, 1.0, 0.0, 0.0);
    let heat = Heat {
        axes: DQuat::from_rotation_z(0.3),
        ..Heat::insulated(300.0, 1.0, CAPACITY)
    };
    let rope = with_heat(BodyDescription::new("rope", grid, rest, weights), heat);
    assert!(
        Body::new(rope)
            .unwrap_err()
            .to_string()
            .contains("directions")
    );
}

#[test]
fn an_insulated_body_keeps_its_heat_at_any_step() {
    for step in [1e-4, 0.1, 1e3] {
        let mut bar = still_bar([4, 3, 2], DVec3::new(0.4, 0.2, 0.3));
        let mut random = Random::new(5);
        let nodes = bar.rest_positions.len();
        let heat = Heat {
            temperatures: (0..nodes).map(|_| 300.0 + 50.0 * random.number()).collect(),
            conductivities: (0..nodes)
                .map(|_| [0.0; 3].map(|_| 1.0 + 0.9 * random.number()))
                .collect(),
            ..Heat::insulated(0.0, 1.0, CAPACITY)
        };
        bar = with_heat(bar, heat);
        bar.time_step = step;
        let mut world = world(bar);
        let before = world.bodies[0].heat_content();
        let mut workspace = Workspace::new(&world);
        for _ in 0..20 {
            let report = world.step(&mut workspace);
            assert!(
                (report.heat / before - 1.0).abs() < 1e-13,
                "{}",
                report.heat / before
            );
        }
        if step > 1.0 {
            let mean = before / (1000.0 * 0.4 * 0.2 * 0.3 * CAPACITY);
            let temperatures = world.bodies[0].temperatures();
            assert!(temperatures.iter().all(|t| (t - mean).abs() < 1e-6));
        }
    }
}

#[test]
fn a_small_body_cools_in_the_air_as_newton_says() {
    let size = DVec3::new(0.03, 0.02, 0.02);
    let heat = Heat {
        air_exchange: 5.0,
        air_temperature: 280.0,
        ..Heat::insulated(400.0, 1e4, CAPACITY)
    };
    let mut bar = with_heat(still_bar([3, 2, 2], size), heat);
    bar.time_step = 1e-6;
    let mut world = world(bar);
    steps(&mut world, 200);
    let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    let rate = 5.0 * area / (1000.0 * size.element_product() * CAPACITY);
    let expected = 280.0 + 120.0 * (-rate * 200e-6).exp();
    for t in world.bodies[0].temperatures() {
        assert!((t - expected).abs() < 0.02, "{t} {expected}");
    }
}

#[test]
fn a_hot_plate_warms_the_face_that_touches_it() {
    let heat = Heat {
        contact_exchange: 20.0,
        contact_distance: 0.01,
        ..Heat::insulated(300.0, CONDUCTIVITY, CAPACITY)
    };
    let mut bar = with_heat(still_bar([4, 4, 4], DVec3::splat(0.4)), heat);
    bar.time_step = 1e-7;
    let mut world = world(bar);
    let plane = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let floor = Obstacle::new("floor", Box::new(plane)).with_temperature(500.0);
    world.obstacles.push(floor);
    let before = world.bodies[0].heat_content();
    steps(&mut world, 10);
    // Little has warmed yet: h A ΔT t.
    let gained = world.bodies[0].heat_content() - before;
    let expected = 20.0 * 0.16 * 200.0 * 1e-6;
    assert!(
        (gained / expected - 1.0).abs() < 1e-3,
        "{gained} {expected}"
    );
    // Turned on its side it still exchanges by one face.
    let turn = DQuat::from_rotation_x(0.5 * PI);
    for position in &mut world.bodies[0].state.positions {
        *position = turn * *position;
    }
    let before = world.bodies[0].heat_content();
    steps(&mut world, 10);
    let gained = world.bodies[0].heat_content() - before;
    assert!(
        (gained / expected - 1.0).abs() < 1e-3,
        "{gained} {expected}"
    );
}

#[test]
fn warm_elements_are_softer_and_cold_ones_stiff_again() {
    let pull_at = |temperature: f64| {
        let heat = Heat {
            softening: 400.0,
            melting: 800.0,
            soft_share: 0.2,
            ..Heat::insulated(temperature, CONDUCTIVITY, CAPACITY)
        };
        let mut bar = with_heat(
            solid(
                bar_mesh([3, 1, 1], DVec3::new(0.3, 0.1, 0.1)),
                SolidStrain::Corotated,
                0.0,
            ),
            heat,
        );
        let rest = bar.rest_positions.clone();
        for (fixed, x) in bar.fixed.iter_mut().zip(&rest) {
            *fixed = x.x < 1e-9 || x.x > 0.3 - 1e-9;
        }
        bar.integrator = IntegratorKind::Static;
        let mut world = world(bar);
        for position in &mut world.bodies[0].state.positions {
            position.x *= 1.001;
        }
        let mut workspace = Workspace::new(&world);
        world.step(&mut workspace);
        let (forces, _) = workspace.forces(&world, 0);
        let ends = forces.iter().zip(&rest).filter(|(_, x)| x.x > 0.29);
        -ends.map(|(force, _)| force.x).sum::<f64>() / (0.001 * YOUNG * 0.01)
    };
    for (temperature, share) in [(300.0, 1.0), (600.0, 0.6), (800.0, 0.2), (2000.0, 0.2)] {
        let found = pull_at(temperature);
        assert!((found / share - 1.0).abs() < 1e-3, "{temperature}: {found}");
    }
}

#[test]
fn snapshots_hold_temperatures() {
    let make = || {
        let heat = Heat {
            held: vec![(0, 500.0)],
            ..Heat::insulated(300.0, CONDUCTIVITY, CAPACITY)
        };
        world(with_heat(still_bar([2, 2, 2], DVec3::ONE), heat))
    };
    let mut original = make();
    let mut workspace = Workspace::new(&original);
    for _ in 0..5 {
        original.step(&mut workspace);
    }
    let mut restored = make();
    restored.restore(&original.snapshot()).unwrap();
    let mut fresh = Workspace::new(&restored);
    for _ in 0..5 {
        original.step(&mut workspace);
        restored.step(&mut fresh);
    }
    assert_eq!(original.snapshot(), restored.snapshot());
    assert!(original.bodies[0].temperatures()[0] == 500.0);
    let frame = pliant::FrameMaker::new(&original).frame(&original, &mut workspace);
    let names: Vec<&str> = frame.bodies[0].fields.iter().map(|f| f.name).collect();
    assert_eq!(names, ["strain", "temperature"]);
}
