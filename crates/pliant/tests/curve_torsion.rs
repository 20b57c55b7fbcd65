//! The torsion of primal curves, as published: a helix that changes its torsion and nothing else.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::{Body, BodyDescription, Grid, State, Workspace, World};

/// A helix of a curvature and a torsion, in 1/m, by the length along it: κ = a / (a² + b²), τ = b / (a² + b²).
fn helix(curvature: f64, torsion: f64, count: usize) -> Vec<DVec3> {
    let square = curvature * curvature + torsion * torsion;
    let (a, b) = (curvature / square, torsion / square);
    let place = |i: usize| {
        let angle = 3.0 * i as f64 / (count - 1) as f64 * square.sqrt();
        DVec3::new(a * angle.cos(), a * angle.sin(), b * angle)
    };
    (0..count).map(place).collect()
}

/// E = ½ Σ w³ (τ - τ⁰)² over the nodes \[Terzopoulos1988, eq. 8\]: with the length and the curvature of the rest
/// shape, the published measure of torsion is the torsion of geometry.
#[test]
fn a_helix_that_changes_its_torsion_has_the_published_energy() {
    let count = 301;
    let weight = 0.7;
    let energy_at = |torsion: f64| {
        let grid = Grid::new(&[count], &[false]);
        let weights = Weights::uniform(count, 0.0, 0.0, weight);
        let rest = helix(2.0, 1.0, count);
        let curve = BodyDescription::new("curve", grid, rest, weights);
        let positions = helix(2.0, torsion, count);
        let velocities = vec![DVec3::ZERO; count];
        let state = State {
            positions,
            velocities,
            ..State::default()
        };
        let world = World {
            bodies: vec![Body::with_state(curve, state).unwrap()],
            ..World::default()
        };
        Workspace::new(&world).energies(&world).elastic
    };
    assert!(energy_at(1.0) < 1e-12);
    for torsion in [0.5, 1.5, -1.0] {
        let change: f64 = torsion - 1.0;
        // Four nodes in a row have a torsion: three fewer than there are.
        let expected = 0.5 * weight * (count - 3) as f64 * change * change;
        let found = energy_at(torsion);
        assert!((found / expected - 1.0).abs() < 0.02, "{found} {expected}");
    }
}
