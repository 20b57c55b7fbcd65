//! The energy that springs within processes store, on grids, against closed forms: a bar that is stretched at
//! once and held.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::formulation::Hybrid;
use pliant::process::{
    FourUnit, Plastic, ProcessKind, Prony, PronyBranch, Scheduled, YieldCriterion,
};
use pliant::{Body, BodyDescription, Grid, Workspace, World};

const STRETCH: f64 = 0.001;

/// A bar of four links of 0.25 m, stretched and held.
fn held_bar(kind: ProcessKind, is_hybrid: bool, time_step: f64) -> World {
    let grid = Grid::new(&[5], &[false]);
    let rest = (0..5).map(|i| 0.25 * f64::from(i) * DVec3::X).collect();
    let weights = Weights::uniform(5, 8.0, 0.0, 0.0);
    let mut bar = BodyDescription::new("bar", grid, rest, weights);
    bar.processes.push(Scheduled::always(kind));
    bar.fixed.fill(true);
    bar.time_step = time_step;
    if is_hybrid {
        bar.make_hybrid(Hybrid::default());
    }
    let mut body = Body::new(bar).unwrap();
    for position in &mut body.state.positions {
        position.x *= 1.0 + STRETCH;
    }
    World {
        bodies: vec![body],
        ..World::default()
    }
}

/// Elastic energy after so many steps, by that at once.
fn left(mut world: World, steps: usize) -> f64 {
    let mut workspace = Workspace::new(&world);
    let first = workspace.energies(&world).elastic;
    let mut dissipated = 0.0;
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert!(report.energy_created <= 1e-12 * first, "{report:?}");
        dissipated += report.dissipated;
    }
    let last = workspace.energies(&world).elastic;
    assert!((world.bodies[0].elastic_energy() / last - 1.0).abs() < 1e-12);
    assert!(((first - dissipated) / last - 1.0).abs() < 1e-9);
    last / first
}

fn close(found: f64, exact: f64, what: &str) {
    assert!(
        (found / exact - 1.0).abs() < 1e-6,
        "{what}: {found} for {exact}"
    );
}

/// ½ k ((1 - p) ε² + p (ε - v)²) with ε - v = ε exp(-t/τ).
#[test]
fn a_prony_series_keeps_what_lasts_and_what_has_not_relaxed() {
    let series = Prony {
        branches: vec![PronyBranch {
            share: 0.5,
            time: 0.1,
        }],
    };
    let exact = 0.5 + 0.5 * (-4.0_f64).exp();
    for is_hybrid in [false, true] {
        let world = held_bar(ProcessKind::Prony(series.clone()), is_hybrid, 0.02);
        close(left(world, 10), exact, "Prony");
    }
}

/// With ε_e and √κ δ as unknowns the matrix of the four units is symmetric, so that their energy at the time
/// t is what they relax to at 2t: that of the two Maxwell units which relax as they do.
#[test]
fn four_units_keep_the_energy_of_both_springs() {
    let units = FourUnit {
        relaxation: 0.7,
        retardation: 0.15,
        stiffness: 0.5,
    };
    let exact = Prony::of_four_units(&units).modulus(0.8);
    for is_hybrid in [false, true] {
        let world = held_bar(ProcessKind::FourUnit(units.clone()), is_hybrid, 0.05);
        close(left(world, 8), exact, "four units");
    }
}

/// Beyond the yield point ε_p = (ε - y) / (1 + H), and the springs keep ½ k ((ε - ε_p)² + H ε_p²).
#[test]
fn hardening_stores_energy() {
    let (limit, hardening) = (0.3 * STRETCH, 0.4);
    let plastic = ProcessKind::Plastic(Plastic {
        criterion: YieldCriterion::Deformation,
        limit,
        hardening,
        time: 0.0,
    });
    let permanent = (STRETCH - limit) / (1.0 + hardening);
    let kept = (STRETCH - permanent).powi(2) + hardening * permanent.powi(2);
    for is_hybrid in [false, true] {
        let world = held_bar(plastic.clone(), is_hybrid, 0.05);
        let found = left(world, 4);
        close(found, kept / STRETCH.powi(2), "plastic");
    }
}
