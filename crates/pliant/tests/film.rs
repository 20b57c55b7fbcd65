//! Films against minimal surfaces: the catenoid, where it ends, and the surface of Scherk.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::{Body, BodyDescription, Grid, Workspace, World};
use std::f64::consts::TAU;

/// A tube between two rings of radius 1 at z = ± half.
fn tube(half: f64, around: usize, along: usize) -> BodyDescription {
    let grid = Grid::new(&[around, along], &[true, false]);
    let place = |[i, j, _]: [usize; 3]| {
        let angle = TAU * i as f64 / around as f64;
        let z = half * (2.0 * j as f64 / (along - 1) as f64 - 1.0);
        DVec3::new(angle.cos(), angle.sin(), z)
    };
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = rest.len();
    let fixed = grid
        .nodes()
        .map(|[_, j, _]| j == 0 || j + 1 == along)
        .collect();
    let mut film =
        BodyDescription::new("film", grid, rest, Weights::uniform(count, 0.05, 0.0, 0.0));
    film.make_film();
    film.fixed = fixed;
    film.masses.fill(1e-5);
    film.dampings.fill(2e-3);
    film.time_step = 0.01;
    film
}

fn settle(description: BodyDescription, steps: usize) -> Vec<DVec3> {
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(
            (report.quarantined, report.non_finite),
            (0, 0),
            "{:?}",
            world.bodies[0].quarantine
        );
    }
    world.bodies[0].state.positions.clone()
}

fn waist(places: &[DVec3]) -> f64 {
    let radii = places.iter().map(|x| x.truncate().length());
    radii.fold(f64::INFINITY, f64::min)
}

/// The larger a with a cosh(half / a) = 1: the waist of the stable catenoid.
fn catenoid(half: f64) -> f64 {
    let (mut low, mut high) = (half / 1.1997, 1.0);
    for _ in 0..80 {
        let middle = 0.5 * (low + high);
        if middle * (half / middle).cosh() > 1.0 {
            high = middle;
        } else {
            low = middle;
        }
    }
    0.5 * (low + high)
}

/// r = a cosh(z / a). A ring of 48 chords is 0.1 % nearer to the axis in the mean than its circle.
#[test]
fn a_film_between_rings_is_a_catenoid() {
    for half in [0.3, 0.5] {
        let places = settle(tube(half, 48, 25), 400);
        let a = catenoid(half);
        let found = waist(&places);
        assert!((found / a - 1.0).abs() < 0.006, "{half}: {found} {a}");
        for x in &places {
            let expected = a * (x.z / a).cosh();
            assert!(
                (x.truncate().length() - expected).abs() < 0.008,
                "{half}: {x} {expected}"
            );
        }
    }
}

/// Rings farther apart than 2 x 0.6627 radii hold no film: it shrinks to the axis.
#[test]
fn a_film_that_is_pulled_too_far_collapses() {
    let holds = waist(&settle(tube(0.64, 32, 17), 900));
    let snaps = waist(&settle(tube(0.70, 32, 17), 900));
    assert!(holds > 0.5, "{holds}");
    assert!(snaps < 0.15, "{snaps}");
}

/// Scherk's surface z = ln(cos y / cos x) over a square, from a flat start inside its rim.
#[test]
fn a_film_on_a_curved_rim_is_the_surface_of_scherk() {
    let count = 21;
    let grid = Grid::new(&[count, count], &[false, false]);
    let coordinate = |i: usize| 1.0 * (2.0 * i as f64 / (count - 1) as f64 - 1.0);
    let scherk = |x: f64, y: f64| (y.cos() / x.cos()).ln();
    let is_rim = |[i, j, _]: [usize; 3]| i == 0 || j == 0 || i + 1 == count || j + 1 == count;
    let place = |at: [usize; 3]| {
        let (x, y) = (coordinate(at[0]), coordinate(at[1]));
        DVec3::new(x, y, if is_rim(at) { scherk(x, y) } else { 0.0 })
    };
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let fixed = grid.nodes().map(is_rim).collect();
    let nodes = rest.len();
    let mut film =
        BodyDescription::new("film", grid, rest, Weights::uniform(nodes, 0.05, 0.0, 0.0));
    film.make_film();
    film.fixed = fixed;
    film.masses.fill(1e-5);
    film.dampings.fill(2e-3);
    let places = settle(film, 400);
    let errors = places.iter().map(|x| (x.z - scherk(x.x, x.y)).abs());
    let largest = errors.fold(0.0, f64::max);
    assert!(largest < 0.01, "{largest}");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let mut film = tube(0.3, 8, 4);
    film.integrator = pliant::IntegratorKind::Static;
    assert!(
        Body::new(film)
            .unwrap_err()
            .to_string()
            .contains("a film moves by")
    );
}
