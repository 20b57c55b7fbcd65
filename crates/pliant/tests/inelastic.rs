//! Inelastic processes against the closed forms of their units.
//!
//! The specimen is a bar of one link, one metre long, held at one end and pulled at the other: its
//! strain is its elongation. Equilibrium at each moment takes inertia out of the way, so that what
//! is left is the process itself.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::{self, Hybrid};
use pliant::linear::SolverKind;
use pliant::process::{
    FourUnit, Fracture, FractureCriterion, Maxwell, Plastic, ProcessKind, Prony, PronyBranch,
    Scheduled, Voigt, YieldCriterion,
};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

const STIFFNESS: f64 = 8.0;

/// A bar of one link with unit mass at its free end.
fn bar(kind: Option<ProcessKind>, time_step: f64, pull: f64) -> BodyDescription {
    let grid = Grid::new(&[2], &[false]);
    let rest = vec![DVec3::ZERO, DVec3::X];
    let weights = Weights::uniform(2, STIFFNESS, 0.0, 0.0);
    let mut bar = BodyDescription::new("bar", grid, rest, weights);
    bar.fixed[0] = true;
    bar.integrator = IntegratorKind::Static;
    bar.newton_iterations = 50;
    bar.time_step = time_step;
    bar.processes.extend(kind.map(Scheduled::always));
    let acceleration = pull * DVec3::X;
    let force = Arc::new(Gravity { acceleration });
    bar.forces.push(BoundForce { force, node: None });
    bar
}

fn world(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

fn strain(world: &World) -> f64 {
    world.bodies[0].state.positions[1].x - 1.0
}

/// Strain after `duration` seconds under a constant pull.
fn creep(kind: ProcessKind, time_step: f64, pull: f64, duration: f64) -> f64 {
    let mut world = world(bar(Some(kind), time_step, pull));
    let mut workspace = Workspace::new(&world);
    for _ in 0..(duration / time_step).round() as usize {
        let report = world.step(&mut workspace);
        assert_eq!((report.quarantined, report.shortened_steps), (0, 0));
    }
    strain(&world)
}

/// Force that holds the bar at a strain for `duration` seconds, by the initial one.
fn relaxation(kind: ProcessKind, time_step: f64, duration: f64) -> f64 {
    let mut description = bar(Some(kind), time_step, 0.0);
    description.fixed[1] = true;
    let mut body = Body::new(description).unwrap();
    body.state.positions[1].x = 1.25;
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..(duration / time_step).round() as usize {
        world.step(&mut workspace);
    }
    -workspace.forces(&world, 0).0[1].x / (0.25 * STIFFNESS)
}

/// The error at a step and at half of it: below 1 %, and falling with the step.
fn converges(exact: f64, computed: impl Fn(f64) -> f64, time_step: f64) {
    let error = |dt: f64| (computed(dt) / exact - 1.0).abs();
    let (coarse, fine) = (error(time_step), error(0.5 * time_step));
    assert!(coarse < 0.01, "{coarse}");
    assert!(fine < 0.6 * coarse || coarse < 1e-9, "{coarse} {fine}");
}

#[test]
fn maxwell_creeps_in_proportion_to_time_and_relaxes_exponentially() {
    let maxwell = || ProcessKind::Maxwell(Maxwell::uniform(0.5));
    // ε = σ/k (1 + t/τ)
    converges(
        0.1 * (1.0 + 2.0),
        |dt| creep(maxwell(), dt, 0.8, 1.0),
        0.005,
    );
    // σ = σ₀ exp(-t/τ)
    let exact = (-1.2_f64).exp();
    for dt in [0.01, 0.3] {
        let found = relaxation(maxwell(), dt, 0.6);
        assert!((found / exact - 1.0).abs() < 1e-9, "{found} {exact}");
    }
}

#[test]
fn voigt_creeps_to_its_elastic_strain_and_does_not_relax() {
    let voigt = || ProcessKind::Voigt(Voigt { times: vec![0.5] });
    // ε = σ/k (1 - exp(-t/τ))
    let exact = 0.1 * (1.0 - (-1.0_f64).exp());
    converges(exact, |dt| creep(voigt(), dt, 0.8, 0.5), 0.005);
    assert!((creep(voigt(), 0.05, 0.8, 10.0) - 0.1).abs() < 1e-6);
    assert!((relaxation(voigt(), 0.05, 1.0) - 1.0).abs() < 1e-9);
}

#[test]
fn the_four_units_follow_eq_24() {
    let (relaxation_time, retardation, stiffness) = (2.0, 0.3, 0.5);
    let units = || {
        ProcessKind::FourUnit(FourUnit {
            relaxation: relaxation_time,
            retardation,
            stiffness,
        })
    };
    // Creep: ε = σ/k₁ (1 + t/τ₁ + (1 - exp(-t/τ₂))/κ).
    let t: f64 = 0.6;
    let exact = 0.1 * (1.0 + t / relaxation_time + (1.0 - (-t / retardation).exp()) / stiffness);
    converges(exact, |dt| creep(units(), dt, 0.8, t), 0.005);
    // Relaxation: eq. 24 with e' = 0 is b₂ f'' + b₁ f' + b₀ f = 0.
    let (k, n1, n2) = (1.0, relaxation_time, retardation * stiffness);
    let (b2, b1, b0) = (
        1.0 / k,
        1.0 / n1 + (1.0 + stiffness) / n2,
        stiffness * k / (n1 * n2),
    );
    let root = (b1 * b1 - 4.0 * b2 * b0).sqrt();
    let (fast, slow) = ((-b1 - root) / (2.0 * b2), (-b1 + root) / (2.0 * b2));
    // f(0) = 1, f'(0) = -(1/τ₁ + 1/(κ τ₂)).
    let start = -(1.0 / relaxation_time + 1.0 / (stiffness * retardation));
    let share = (start - slow) / (fast - slow);
    let exact = share * (fast * t).exp() + (1.0 - share) * (slow * t).exp();
    let found = relaxation(units(), 0.05, t);
    assert!((found / exact - 1.0).abs() < 1e-9, "{found} {exact}");
}

#[test]
fn thinning_viscosity_flows_faster_and_negative_viscosity_swells() {
    let plain = creep(ProcessKind::Maxwell(Maxwell::uniform(0.5)), 0.01, 0.8, 0.5);
    let thin = Maxwell {
        rate: 0.05,
        power: -0.5,
        ..Maxwell::uniform(0.5)
    };
    assert!(creep(ProcessKind::Maxwell(thin), 0.01, 0.8, 0.5) > 1.1 * plain);
    let swelling = Maxwell {
        limit: 0.2,
        ..Maxwell::uniform(-0.1)
    };
    // Pressed, it pushes back: the bar grows longer than at rest.
    let pressed = creep(ProcessKind::Maxwell(swelling.clone()), 0.01, -0.4, 2.0);
    assert!(pressed > 0.0 && pressed < 0.2, "{pressed}");
}

/// Strains of a bar under a list of pulls, each held for a step.
fn loop_of(plastic: Plastic, pulls: &[f64]) -> Vec<f64> {
    let kind = ProcessKind::Plastic(plastic);
    let mut strains = Vec::new();
    let mut kept: Option<World> = None;
    for &pull in pulls {
        let mut next = world(bar(Some(kind.clone()), 0.1, pull));
        if let Some(before) = &kept {
            next.restore(&before.snapshot()).unwrap();
        }
        let mut workspace = Workspace::new(&next);
        // The flow of a step is seen by the next one.
        for _ in 0..200 {
            next.step(&mut workspace);
        }
        strains.push(strain(&next));
        kept = Some(next);
    }
    strains
}

#[test]
fn the_loop_of_fig_6_has_the_closed_form_and_closes() {
    let (limit, hardening) = (0.05, 0.5);
    let plastic = Plastic {
        criterion: YieldCriterion::Deformation,
        limit,
        hardening,
        time: 0.0,
    };
    let yield_force = STIFFNESS * limit;
    let pulls = [
        0.5 * yield_force,
        yield_force,       // A
        2.0 * yield_force, // B
        0.0,               // C: 2 f_A below B
        -yield_force,      // on the way to D
        -2.0 * yield_force,
        0.0,
        2.0 * yield_force, // B again
    ];
    // ε_p: (f - f_A)/(H k) while loading up, (f + f_A)/(H k) while loading down.
    let plastic_strain =
        |force: f64, sign: f64| (force - sign * yield_force) / (hardening * STIFFNESS);
    let b = plastic_strain(2.0 * yield_force, 1.0);
    let c = b;
    let d = plastic_strain(-yield_force, -1.0);
    let e = plastic_strain(-2.0 * yield_force, -1.0);
    let expected = [
        0.5 * limit,
        limit,
        2.0 * limit + b,
        c,
        -limit + d,
        -2.0 * limit + e,
        e,
        2.0 * limit + b,
    ];
    for (found, expected) in loop_of(plastic, &pulls).iter().zip(expected) {
        assert!((found - expected).abs() < 1e-6, "{found} {expected}");
    }
}

#[test]
fn a_closed_cycle_ends_where_it_began() {
    let plastic = Plastic {
        criterion: YieldCriterion::VonMises,
        limit: 0.4,
        hardening: 0.8,
        time: 0.0,
    };
    let pulls = [0.8, 0.0, -0.4, 0.0];
    // OABCDO: up to 2 f_A, down to where the hardening spring is slack again.
    let strains = loop_of(plastic.clone(), &pulls);
    assert!((strains[1] - 0.4 / (0.8 * STIFFNESS)).abs() < 1e-6);
    assert!(strains[3].abs() < 1e-6, "{}", strains[3]);
    let elastic = loop_of(plastic, &[0.39, -0.39, 0.0]);
    assert!(elastic[2].abs() < 1e-12 && (elastic[0] - 0.39 / STIFFNESS).abs() < 1e-9);
}

#[test]
fn viscoplastic_flow_takes_its_time() {
    let plastic = |time| {
        ProcessKind::Plastic(Plastic {
            criterion: YieldCriterion::Deformation,
            limit: 0.05,
            hardening: 0.5,
            time,
        })
    };
    let soon = creep(plastic(1.0), 0.01, 0.8, 0.1);
    let later = creep(plastic(1.0), 0.01, 0.8, 20.0);
    let at_once = creep(plastic(0.0), 0.01, 0.8, 10.0);
    assert!(soon < 0.13 && soon > 0.1, "{soon}");
    assert!((later - at_once).abs() < 1e-3, "{later} {at_once}");
}

#[test]
fn a_process_can_be_switched_off() {
    let mut description = bar(None, 0.01, 0.8);
    description.processes.push(Scheduled {
        kind: ProcessKind::Maxwell(Maxwell::uniform(0.5)),
        from: 0.0,
        until: 0.5,
    });
    let mut world = world(description);
    let mut workspace = Workspace::new(&world);
    for _ in 0..50 {
        world.step(&mut workspace);
    }
    let cooled = strain(&world);
    for _ in 0..50 {
        world.step(&mut workspace);
    }
    assert!(cooled > 0.19 && (strain(&world) - cooled).abs() < 0.01);
}

/// A hybrid bar of four links along x, one metre long.
fn hybrid_bar(process: ProcessKind) -> BodyDescription {
    let grid = Grid::new(&[5], &[false]);
    let rest = (0..5).map(|i| 0.25 * f64::from(i) * DVec3::X).collect();
    let weights = Weights::uniform(5, STIFFNESS, 0.0, 0.0);
    let mut bar = BodyDescription::new("bar", grid, rest, weights);
    bar.make_hybrid(Hybrid::default());
    bar.solver.kind = SolverKind::Cholesky;
    bar.processes.push(Scheduled::always(process));
    bar
}

#[test]
fn the_reference_shape_of_a_hybrid_body_relaxes() {
    let mut description = hybrid_bar(ProcessKind::Maxwell(Maxwell::uniform(0.5)));
    description.fixed.fill(true);
    let mut body = Body::new(description).unwrap();
    for position in &mut body.state.positions {
        position.x *= 1.2;
    }
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let before = workspace.forces(&world, 0).0[4].x;
    for _ in 0..60 {
        world.step(&mut workspace);
    }
    let after = workspace.forces(&world, 0).0[4].x;
    let exact = (-1.2_f64).exp();
    assert!(before < 0.0 && (after / before / exact - 1.0).abs() < 1e-9);
}

#[test]
fn a_hybrid_body_yields_and_keeps_its_dent() {
    let pulled = |limit: f64| {
        let mut description = hybrid_bar(ProcessKind::Plastic(Plastic {
            criterion: YieldCriterion::Deformation,
            limit,
            hardening: 0.2,
            time: 0.0,
        }));
        description.fixed[0] = true;
        description.dampings.fill(20.0);
        let mut kept: Option<Vec<u8>> = None;
        // Pulled, then let go.
        for acceleration in [1.0 * DVec3::X, DVec3::ZERO] {
            let mut description = description.clone();
            let force = Arc::new(Gravity { acceleration });
            description.forces.push(BoundForce { force, node: None });
            let mut next = world(description);
            if let Some(snapshot) = &kept {
                next.restore(snapshot).unwrap();
            }
            let mut workspace = Workspace::new(&next);
            for _ in 0..1000 {
                assert_eq!(next.step(&mut workspace).quarantined, 0);
            }
            kept = Some(next.snapshot());
            if acceleration == DVec3::ZERO {
                return next.bodies[0].state.positions[4].x - 1.0;
            }
        }
        0.0
    };
    assert!(pulled(10.0).abs() < 1e-4, "{}", pulled(10.0));
    assert!(pulled(0.02) > 0.005, "{}", pulled(0.02));
}

#[test]
fn a_hybrid_body_tears_and_its_parts_fall() {
    let fracture = Fracture {
        criterion: FractureCriterion::Elongation,
        limit: 0.01,
        spread: 0.0,
        seed: 0,
        at_once: 1,
        order: 0,
    };
    let mut description = hybrid_bar(ProcessKind::Fracture(fracture));
    description.fixed[0] = true;
    let force = Arc::new(Gravity {
        acceleration: 9.81 * DVec3::X,
    });
    description.forces.push(BoundForce { force, node: None });
    let mut world = world(description);
    let mut workspace = Workspace::new(&world);
    let mut factorisations = 0;
    for _ in 0..100 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        factorisations += report.factorisations;
    }
    assert!(world.bodies[0].broken_count() >= 1 && factorisations >= 2);
    // A part that is no longer held falls freely: 4.9 m in a second, less the time until it tore.
    assert!(world.bodies[0].state.positions[4].x > 3.0);
}

#[test]
fn the_time_that_processes_take_is_reported() {
    fn ticks() -> f64 {
        static TICKS: AtomicU32 = AtomicU32::new(0);
        f64::from(TICKS.fetch_add(1, Ordering::Relaxed))
    }
    for formulation in formulation::ON_GRIDS {
        for kind in [None, Some(ProcessKind::Maxwell(Maxwell::uniform(0.5)))] {
            let mut description = bar(kind.clone(), 0.1, 0.1);
            assert!(description.reformulate(formulation));
            let mut world = world(description);
            let mut workspace = Workspace::new(&world);
            workspace.clock = Some(ticks);
            let spent = world.step(&mut workspace).times.processes;
            // Particles, strains before the step and what becomes of them: a tick each.
            let expected = if kind.is_some() { 3.0 } else { 2.0 };
            assert_eq!(spent, expected, "{formulation:?} {kind:?}");
        }
    }
}

#[test]
fn a_prony_series_relaxes_on_a_grid_too() {
    let branch = |share, time| PronyBranch { share, time };
    let series = Prony {
        branches: vec![branch(0.3, 0.2), branch(0.4, 1.5)],
    };
    let grid = Grid::new(&[3], &[false]);
    let rest: Vec<DVec3> = (0..3).map(|i| f64::from(i) * DVec3::X).collect();
    let mut rod = BodyDescription::new("rod", grid, rest, Weights::uniform(3, 10.0, 0.0, 0.0));
    rod.fixed.fill(true);
    rod.integrator = IntegratorKind::Implicit;
    rod.time_step = 0.25;
    rod.processes
        .push(Scheduled::always(ProcessKind::Prony(series.clone())));
    let mut body = Body::new(rod).unwrap();
    for position in &mut body.state.positions {
        position.x *= 1.001;
    }
    let mut world = World {
        bodies: vec![body],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let first = workspace.forces(&world, 0).0[2].x;
    for _ in 0..4 {
        world.step(&mut workspace);
    }
    let found = workspace.forces(&world, 0).0[2].x / first;
    assert!((found / series.modulus(1.0) - 1.0).abs() < 2e-3, "{found}");
}
