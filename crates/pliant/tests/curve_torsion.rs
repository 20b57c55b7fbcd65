//! The torsion of primal curves, as published: a helix that changes its torsion and nothing else, a curve
//! that bends to the other side from one node on, an arc that is pushed out of its plane.

use glam::DVec3;
use pliant::elastic::{ExactElasticity, GridMaterial, Weights};
use pliant::force::{BoundForce, Loads, NodalForce, NodalView, Stiffness};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, State, Workspace, World};
use std::f64::consts::{FRAC_PI_2, PI};
use std::ops::Range;
use std::sync::Arc;

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

/// An arc of radius 1 whose steps have the angle `step`, from one step before the angle 0.
fn arc(step: f64, count: usize) -> Vec<DVec3> {
    let place = |i: usize| {
        let at = step * (i as f64 - 1.0);
        DVec3::new(at.sin(), 1.0 - at.cos(), 0.0)
    };
    (0..count).map(place).collect()
}

/// The planes of a curve that bends to the other side from a node on are a half turn apart: the chord of the
/// angle is 2, and E = ½ w³ (2 / ℓ)². Curvature as a length and the sine of the angle alone say 0.
#[test]
fn a_curve_that_bends_to_the_other_side_from_a_node_on_is_not_at_rest() {
    let (count, step, weight) = (21, 0.05, 0.7);
    let rest = arc(step, count);
    let grid = Grid::new(&[count], &[false]);
    let weights = Weights::uniform(count, 1.0, 1.0, weight);
    let mut energy = ExactElasticity::new(&grid, &rest, &weights, false);
    assert!(energy.energy(&rest) < 1e-20);
    // A half turn about an edge leaves lengths and curvatures as they are.
    let (middle, along) = (rest[10], (rest[11] - rest[10]).normalize());
    let turn = |x: &DVec3| middle + 2.0 * (*x - middle).dot(along) * along - (*x - middle);
    let mut mirrored = rest.clone();
    for x in &mut mirrored[12..] {
        *x = turn(x);
    }
    let length = (rest[1] - rest[0]).length();
    let expected = 0.5 * weight * (2.0 / length).powi(2);
    let found = energy.energy(&mirrored);
    assert!((found / expected - 1.0).abs() < 1e-9, "{found} {expected}");
}

/// A constant force, in newtons.
#[derive(Debug)]
struct Pull(DVec3);

impl NodalForce for Pull {
    fn add_loads(&self, _view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, self.0, Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.0.dot(view.positions[node])
    }
}

/// What curvature and torsion of a centre line say of a quarter ring, clamped with its osculating plane and
/// pushed out of its plane by P at its tip. To first order in the displacement w, the torsion is
/// R w_sss + w_s / R and the curvature that of rest: the plane in which the curve bends is that of its
/// material, and only the torque T = P R (1 - cos θ) strains it: δ = P R³ (3π/4 - 2) / G J. A round wire
/// also bends out of its plane, δ = P R³ (π/4 / E I + (3π/4 - 2) / G J), which takes a material frame
/// (`formulation="Rod"`, `rods.rs`).
#[test]
fn a_quarter_ring_without_a_material_frame_is_twisted_and_not_bent_out_of_its_plane() {
    let material = GridMaterial {
        young: 1e9,
        poisson: 0.3,
        density: 1000.0,
        thickness: 0.02,
        stretching: None,
        rigidity: None,
    };
    let bending = material.young * PI * material.thickness.powi(4) / 64.0;
    let torsional = bending / (1.0 + material.poisson);
    let force = 1e-3 * bending;
    let twisted = force * (0.75 * PI - 2.0) / torsional;
    let round = twisted + force * 0.25 * PI / bending;
    let errors = [10, 20, 40].map(|edges| {
        let rest = arc(FRAC_PI_2 / edges as f64, edges + 2);
        let grid = Grid::new(&[rest.len()], &[false]);
        let weights = material.weights(&grid, &rest);
        let mut wire = BodyDescription::new("wire", grid, rest, weights);
        wire.fixed[..3].fill(true);
        wire.integrator = IntegratorKind::Static;
        wire.newton_tolerance = 1e-6;
        wire.newton_iterations = 200;
        wire.forces.push(BoundForce {
            force: Arc::new(Pull(DVec3::new(0.0, 0.0, force))),
            node: Some(edges + 1),
        });
        let mut world = World {
            bodies: vec![Body::new(wire).unwrap()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
        world.bodies[0].state.positions[edges + 1].z / twisted - 1.0
    });
    println!(
        "errors {errors:?}, a round wire {:.2} times",
        round / twisted
    );
    assert!(errors[2].abs() < 0.03, "{errors:?}");
    assert!(errors[2].abs() < 0.6 * errors[1].abs(), "{errors:?}");
}
