//! The hybrid formulation: rest, momenta, snapshots.

mod support;

use glam::{DMat3, DQuat, DVec3};
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::hybrid::{NodeWeights, SplineWeights, frame_motion};
use pliant::linear::SolverKind;
use pliant::{Body, BodyDescription, Grid, IntegratorKind, State, Workspace, World};
use std::sync::Arc;
use support::hybrid::{hybrid, moving, world};
use support::{Random, block, bodies, sheet};

/// Every kind of body with weights of orders 0, 1 and 2 that vary over the material.
fn varied_bodies() -> Vec<BodyDescription> {
    bodies()
        .iter()
        .flat_map(|body| {
            [0.0, 0.7].map(|zeroth| {
                let mut description = hybrid(body.description().clone());
                let at = |node: usize| {
                    let t = 1.0 + 0.5 * (node as f64).sin();
                    NodeWeights {
                        zeroth: zeroth * t,
                        first: [20.0 * t, 15.0, 18.0],
                        second: [0.1, 0.2 * t, 0.1],
                        mixed: [0.1 * t, 0.1, 0.05],
                    }
                };
                let weights = SplineWeights::from_nodes(description.grid().unwrap(), at);
                description.change_hybrid(|hybrid| hybrid.weights = Some(weights));
                let count = description.masses.len();
                description.masses = (0..count)
                    .map(|node| 1.0 + 0.4 * (node as f64 * 0.7).cos())
                    .collect();
                description
            })
        })
        .collect()
}

#[test]
fn a_body_at_rest_stays_where_it_is_to_the_bit() {
    for mut description in varied_bodies() {
        for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Midpoint] {
            description.integrator = integrator;
            let mut world = world(Body::new(description.clone()).unwrap());
            let before = world.state_hash();
            let mut workspace = Workspace::new(&world);
            let (elastic, _) = workspace.forces(&world, 0);
            assert!(elastic.iter().all(|force| force.length() < 1e-10));
            for _ in 0..5 {
                let report = world.step(&mut workspace);
                assert!(report.energies.total() < 1e-20);
            }
            assert_eq!(world.state_hash(), before, "{}", description.name);
        }
    }
}

#[test]
fn turned_and_moved_a_body_is_at_rest_too() {
    let rotation = DMat3::from_quat(DQuat::from_axis_angle(
        DVec3::new(1.0, -2.0, 0.5).normalize(),
        2.9,
    ));
    for description in varied_bodies() {
        let rest = description.rest_positions.clone();
        let place = |x: &DVec3| rotation * *x + DVec3::new(3.0, -1.0, 7.0);
        let state = State {
            positions: rest.iter().map(place).collect(),
            velocities: vec![DVec3::ZERO; rest.len()],
            ..State::default()
        };
        let name = description.name.clone();
        let mut world = world(Body::with_state(description, state).unwrap());
        let mut workspace = Workspace::new(&world);
        let report = (0..5).map(|_| world.step(&mut workspace)).last().unwrap();
        assert!(report.energies.total() < 1e-20, "{name}");
        for (x, rest) in world.bodies[0].state.positions.iter().zip(&rest) {
            assert!((*x - place(rest)).length() < 1e-12, "{name}");
        }
    }
}

/// The elastic force is the gradient of the energy, and has no net force and no torque.
#[test]
fn the_force_is_the_gradient_of_the_energy() {
    let mut random = Random::new(7);
    for description in varied_bodies() {
        let mut world = world(Body::new(description).unwrap());
        let turn = DMat3::from_quat(DQuat::from_axis_angle(DVec3::Y, 1.0));
        for x in &mut world.bodies[0].state.positions {
            *x = turn * *x + 0.1 * random.vector();
        }
        let mut workspace = Workspace::new(&world);
        let (force, _) = workspace.forces(&world, 0);
        let name = world.bodies[0].description().name.clone();
        let size: f64 = force.iter().map(|f| f.length()).sum();
        let net: DVec3 = force.iter().sum();
        let torque: DVec3 = force
            .iter()
            .zip(&world.bodies[0].state.positions)
            .map(|(f, x)| x.cross(*f))
            .sum();
        assert!(net.length() < 1e-11 * size, "{name}: {net}");
        assert!(torque.length() < 1e-10 * size, "{name}: {torque}");
        for node in [0, 2, force.len() - 1] {
            for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
                let h = 1e-5;
                let mut energy = |offset: f64| {
                    world.bodies[0].state.positions[node] += offset * axis;
                    let energy = workspace.energies(&world).elastic;
                    world.bodies[0].state.positions[node] -= offset * axis;
                    energy
                };
                let slope = (energy(h) - energy(-h)) / (2.0 * h);
                let error = (slope + force[node].dot(axis)).abs();
                assert!(error < 1e-6 * size, "{name}: {slope} and {}", force[node]);
            }
        }
    }
}

fn drift(description: BodyDescription, steps: usize) -> (f64, f64, f64) {
    let mut random = Random::new(4);
    let mut body = moving(description, |x| {
        DVec3::new(0.5, 1.0, -0.3) + DVec3::new(0.3, -0.2, 1.5).cross(x)
    });
    for (x, v) in body
        .state
        .positions
        .iter_mut()
        .zip(&mut body.state.velocities)
    {
        *x += 0.03 * random.vector();
        *v += 0.1 * random.vector();
    }
    let (momentum, angular) = (body.momentum(), body.angular_momentum());
    let mut world = world(body);
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world).total();
    let mut highest = start;
    for _ in 0..steps {
        highest = world.step(&mut workspace).energies.total().max(highest);
    }
    let body = &world.bodies[0];
    assert!(body.quarantine.is_none());
    (
        (body.momentum() - momentum).length() / momentum.length(),
        (body.angular_momentum() - angular).length() / angular.length(),
        highest / start,
    )
}

/// With every kind of solver: the momenta do not wait for its convergence.
#[test]
fn a_free_body_keeps_its_momenta_to_rounding() {
    for description in varied_bodies() {
        for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Midpoint] {
            for kind in [SolverKind::Cholesky, SolverKind::ConjugateGradient] {
                let mut description = description.clone();
                description.integrator = integrator;
                description.solver.kind = kind;
                description.solver.tolerance = 1e-4;
                let name = description.name.clone();
                let (linear, angular, energy) = drift(description, 200);
                let what = format!("{name}, {integrator:?}, {kind:?}");
                println!("{what}: {linear:.1e} {angular:.1e} {energy}");
                assert!(linear < 1e-12, "{what}: {linear:.1e}");
                // A straight curve has no inertia about itself to keep what vibration loses.
                let limit = if &*name == "straight curve" {
                    1e-3
                } else {
                    1e-11
                };
                assert!(angular < limit, "{what}: {angular:.1e}");
                assert!(energy < 1.01, "{what}: {energy}");
            }
        }
    }
}

#[test]
fn free_fall_is_that_of_a_stone() {
    let g = DVec3::new(0.0, 0.0, -9.81);
    for mut description in varied_bodies() {
        description.forces.push(BoundForce {
            force: Arc::new(Gravity { acceleration: g }),
            node: None,
        });
        let rest = description.rest_positions.clone();
        let dt = description.time_step;
        let mut world = world(Body::new(description).unwrap());
        let mut workspace = Workspace::new(&world);
        let n = 50;
        for _ in 0..n {
            world.step(&mut workspace);
        }
        let fallen = 0.5 * dt * dt * f64::from(n * (n + 1)) * g;
        for (x, rest) in world.bodies[0].state.positions.iter().zip(&rest) {
            assert!((*x - *rest - fallen).length() < 1e-11);
        }
    }
}

#[test]
fn the_matrix_is_factorised_once_and_again_when_it_changes() {
    let mut world = world(moving(hybrid(block([4, 4, 4], DVec3::ONE, 5.0)), |x| {
        DVec3::new(0.0, 0.0, 2.0).cross(x)
    }));
    let mut workspace = Workspace::new(&world);
    let mut run = |world: &mut World, steps: usize| -> usize {
        let count = |_| world.step(&mut workspace).factorisations;
        (0..steps).map(count).sum()
    };
    assert_eq!(run(&mut world, 10), 1);
    let grid = world.bodies[0].description().grid().unwrap().clone();
    let material = world.bodies[0].hybrid_mut().unwrap();
    material.cut(&grid, &[(grid.index([1, 1, 1]), 0)]);
    assert_eq!(run(&mut world, 10), 1);
    // A new reference shape asks for a solve, not for a factorisation.
    let material = world.bodies[0].hybrid_mut().unwrap();
    material.change_reference(|r| r.iter_mut().for_each(|r| r.x *= 1.2));
    assert_eq!(run(&mut world, 10), 0);
}

#[test]
fn every_inertial_term_can_be_switched_off_and_momenta_are_kept() {
    let mut ends = Vec::new();
    for off in 0..4 {
        let mut description = hybrid(sheet([5, 4], [1.0, 1.5], 6.0, 0.05));
        description.change_hybrid(|hybrid| {
            let terms = &mut hybrid.inertial_terms;
            terms.centrifugal = off != 0;
            terms.coriolis = off != 1;
            terms.transverse = off != 2;
        });
        let (linear, angular, energy) = drift(description.clone(), 300);
        assert!(
            linear < 1e-11 && angular < 1e-10,
            "{off}: {linear} {angular}"
        );
        assert!(energy < 1.5, "{off}: {energy}");
        let mut world = world(moving(description, |x| {
            DVec3::new(1.0, 0.5, 2.0).cross(x) + 0.3 * x
        }));
        let mut workspace = Workspace::new(&world);
        for _ in 0..50 {
            world.step(&mut workspace);
        }
        ends.push(world.state_hash());
    }
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends.len(), 4, "each term makes a difference");
}

#[test]
fn a_held_bar_hangs_in_equilibrium_and_its_fixed_nodes_do_not_move() {
    let mut description = hybrid(block([9, 3, 3], DVec3::new(2.0, 0.4, 0.4), 40.0));
    for node in 0..description.masses.len() {
        description.fixed[node] = description.grid().unwrap().coordinates(node)[0] == 0;
    }
    description.dampings.fill(1.0);
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z,
        }),
        node: None,
    });
    let mut still = description.clone();
    still.integrator = IntegratorKind::Static;
    let rest = description.rest_positions.clone();
    let mut dynamic = world(Body::new(description).unwrap());
    let mut workspace = Workspace::new(&dynamic);
    for _ in 0..6000 {
        dynamic.step(&mut workspace);
    }
    let mut equilibrium = world(Body::new(still).unwrap());
    let report = equilibrium.step(&mut Workspace::new(&equilibrium));
    assert_eq!(
        report.quarantined, 0,
        "{:?}",
        equilibrium.bodies[0].quarantine
    );
    let lowest = |world: &World| {
        let heights = world.bodies[0].state.positions.iter().map(|x| x.z);
        heights.fold(f64::INFINITY, f64::min)
    };
    println!("{} {}", lowest(&dynamic), lowest(&equilibrium));
    for (node, rest) in rest.iter().enumerate() {
        let [a, b] = [&dynamic, &equilibrium].map(|w| w.bodies[0].state.positions[node]);
        assert!((a - b).length() < 1e-4, "{node}: {a} {b}");
        if dynamic.bodies[0].description().fixed[node] {
            assert_eq!(a, *rest);
            assert_eq!(b, *rest);
        }
    }
}

#[test]
fn a_restored_world_goes_on_to_the_bit() {
    let scene = || {
        let mut description = hybrid(block([4, 3, 3], DVec3::ONE, 5.0));
        description.forces.push(BoundForce {
            force: Arc::new(Gravity {
                acceleration: DVec3::NEG_Z,
            }),
            node: None,
        });
        world(moving(description, |x| DVec3::new(1.0, 2.0, 0.5).cross(x)))
    };
    let mut original = scene();
    let mut workspace = Workspace::new(&original);
    for _ in 0..9 {
        original.step(&mut workspace);
    }
    let grid = original.bodies[0].description().grid().unwrap().clone();
    let material = original.bodies[0].hybrid_mut().unwrap();
    material.cut(&grid, &[(5, 0)]);
    material.change_reference(|r| r[3] *= 1.0001);
    material.change_reference(|r| r[0] *= 1.1);
    material.change_reference(|r| r[2] *= 1.0001);
    for _ in 0..9 {
        original.step(&mut workspace);
    }
    let snapshot = original.snapshot();
    let mut restored = scene();
    let mut fresh = Workspace::new(&restored);
    restored.step(&mut fresh);
    restored.restore(&snapshot).unwrap();
    for _ in 0..20 {
        assert_eq!(original.snapshot(), restored.snapshot());
        original.step(&mut workspace);
        restored.step(&mut fresh);
    }
    assert_ne!(snapshot, restored.snapshot());
}

#[test]
fn a_closed_grid_has_no_seam() {
    // A ring spun about its axis stays a ring: every node has the same radius.
    let grid = Grid::new(&[16], &[true]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|at| {
            let angle = std::f64::consts::TAU * grid.material_coordinates(at)[0];
            DVec3::new(angle.cos(), angle.sin(), 0.0)
        })
        .collect();
    let weights = pliant::elastic::Weights::uniform(16, 20.0, 0.5, 0.0);
    let ring = hybrid(BodyDescription::new("ring", grid, rest, weights));
    let mut world = world(moving(ring, |x| DVec3::Z.cross(x)));
    let mut workspace = Workspace::new(&world);
    for _ in 0..300 {
        world.step(&mut workspace);
    }
    let radii: Vec<f64> = world.bodies[0]
        .state
        .positions
        .iter()
        .map(|x| x.length())
        .collect();
    assert!(
        radii.iter().all(|r| (r - radii[0]).abs() < 1e-9),
        "{radii:?}"
    );
    assert!(radii[0] > 1.0, "{}", radii[0]);
}

/// A spring much stiffer than the inertia of its node holds the body where it should, and the matrix
/// is factorised once for it.
#[test]
fn a_body_hangs_from_a_hard_spring() {
    let mut description = hybrid(block([4, 4, 4], DVec3::ONE, 2000.0));
    description.masses.fill(0.01);
    description.dampings.fill(0.05);
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * 9.81,
        }),
        node: None,
    });
    let corner = description.grid().unwrap().index([3, 3, 3]);
    description.forces.push(BoundForce {
        force: Arc::new(Spring::to_point(1e4, DVec3::ONE)),
        node: Some(corner),
    });
    let weight = 0.64 * 9.81;
    let mut world = world(Body::new(description).unwrap());
    let mut workspace = Workspace::new(&world);
    let factorisations: usize = (0..4000)
        .map(|_| world.step(&mut workspace).factorisations)
        .sum();
    assert_eq!(factorisations, 1);
    let body = &world.bodies[0];
    let hung = body.state.positions[corner] - DVec3::ONE;
    assert!((hung + DVec3::Z * weight / 1e4).length() < 1e-5, "{hung}");
    // The centre of mass hangs below the corner.
    let centre = frame_motion(body).unwrap().centre;
    assert!(centre.z < 0.3 && (centre.x - 1.0).abs() < 0.01, "{centre}");
}
