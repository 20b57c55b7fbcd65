//! Momentum of a free body: what each integrator keeps, and what theory says it cannot.

mod support;

use glam::DVec3;
use pliant::linear::{SolverKind, SolverSettings};
use pliant::{Body, BodyDescription, EnergyVariant, IntegratorKind, State, Workspace, World};
use support::{Random, block, line, sheet};

/// A free body that spins and vibrates, without damping.
fn spinning(mut description: BodyDescription, integrator: IntegratorKind, dt: f64) -> World {
    description.integrator = integrator;
    description.time_step = dt;
    description.solver = SolverSettings {
        kind: SolverKind::Cholesky,
        tolerance: 1e-12,
        ..SolverSettings::default()
    };
    description.newton_iterations = 60;
    let mut random = Random::new(4);
    let spin = DVec3::new(0.3, -0.2, 1.5);
    let positions: Vec<DVec3> = description
        .rest_positions
        .iter()
        .map(|x| *x + 0.01 * random.vector())
        .collect();
    let velocities = positions
        .iter()
        .map(|x| DVec3::new(0.5, 1.0, -0.3) + spin.cross(*x) + 0.05 * random.vector())
        .collect();
    World {
        bodies: vec![
            Body::with_state(
                description,
                State {
                    positions,
                    velocities,
                    ..State::default()
                },
            )
            .unwrap(),
        ],
        ..World::default()
    }
}

fn descriptions() -> Vec<BodyDescription> {
    vec![
        line(12, 2.0, [20.0, 0.5, 0.0]),
        sheet([6, 5], [1.0, 1.5], 10.0, 0.05),
        block([3, 4, 3], DVec3::new(1.0, 1.2, 0.8), 10.0),
    ]
}

/// Relative change of linear and angular momentum over some steps.
fn drift(world: &mut World, steps: usize) -> (f64, f64) {
    let body = &world.bodies[0];
    let (momentum, angular) = (body.momentum(), body.angular_momentum());
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        world.step(&mut workspace);
    }
    let body = &world.bodies[0];
    (
        (body.momentum() - momentum).length() / momentum.length(),
        (body.angular_momentum() - angular).length() / angular.length(),
    )
}

#[test]
fn linear_momentum_is_kept_to_rounding_by_every_integrator() {
    for description in descriptions() {
        for integrator in [
            IntegratorKind::SemiImplicit,
            IntegratorKind::Explicit,
            IntegratorKind::Implicit,
            IntegratorKind::Midpoint,
        ] {
            let mut world = spinning(description.clone(), integrator, 0.01);
            let (linear, _) = drift(&mut world, 200);
            assert!(linear < 1e-10, "{integrator:?}: {linear:.1e}");
        }
        let mut published = description.clone();
        published.change_grid(|on_grid| on_grid.energy = EnergyVariant::Published);
        let mut world = spinning(published, IntegratorKind::SemiImplicit, 0.01);
        let (linear, _) = drift(&mut world, 200);
        assert!(linear < 1e-10, "published: {linear:.1e}");
    }
}

#[test]
fn angular_momentum_is_kept_to_rounding_by_midpoint_and_explicit() {
    for description in descriptions() {
        for integrator in [IntegratorKind::Explicit, IntegratorKind::Midpoint] {
            let mut world = spinning(description.clone(), integrator, 0.01);
            let (_, angular) = drift(&mut world, 200);
            assert!(angular < 1e-9, "{integrator:?}: {angular:.1e}");
        }
    }
}

/// Backward Euler loses angular momentum in proportion to the step; the scalar matrix of the
/// semi-implicit step does not know rotations either.
#[test]
fn angular_momentum_of_the_dissipative_integrators_converges_with_the_step() {
    for description in descriptions() {
        for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Implicit] {
            let coarse = drift(&mut spinning(description.clone(), integrator, 0.01), 50).1;
            let fine = drift(&mut spinning(description.clone(), integrator, 0.0025), 200).1;
            assert!(
                fine < 0.4 * coarse && coarse < 0.1,
                "{integrator:?}: {coarse:.1e}, then {fine:.1e}"
            );
        }
    }
}
