//! Every inelastic process on curves, surfaces and solids, open and periodic, primal and hybrid:
//! values stay finite, and sheets that are held bent or stretched follow the closed forms.

#[path = "support/processes.rs"]
mod processes;
mod support;

use glam::DVec3;
use pliant::formulation;
use pliant::process::{Maxwell, Plastic, ProcessKind, Scheduled, Voigt, YieldCriterion};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use processes::processes;
use support::{Random, bodies, sheet};

fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

#[test]
fn every_process_stays_finite_on_every_grid_in_both_formulations() {
    let mut runs = 0;
    for body in bodies() {
        for formulation in formulation::ON_GRIDS {
            for kind in processes() {
                for integrator in [IntegratorKind::SemiImplicit, IntegratorKind::Implicit] {
                    let mut description = body.description().clone();
                    assert!(description.reformulate(formulation));
                    description.integrator = integrator;
                    description.time_step = 0.01;
                    description.processes = vec![Scheduled::always(kind.clone())];
                    let case = format!(
                        "{:?} on {}, {formulation:?}, {integrator:?}",
                        kind, description.name
                    );
                    // What a body cannot have is refused, with a reason.
                    let Ok(mut body) = Body::new(description) else {
                        println!("refused: {case}");
                        continue;
                    };
                    let mut random = Random::new(7);
                    for velocity in &mut body.state.velocities {
                        *velocity = 0.2 * random.vector();
                    }
                    let mut world = World {
                        bodies: vec![body],
                        ..World::default()
                    };
                    let mut workspace = Workspace::new(&world);
                    for step in 0..8 {
                        let report = world.step(&mut workspace);
                        assert_eq!(report.quarantined, 0, "{case}, step {step}");
                        assert_eq!(report.non_finite, 0, "{case}, step {step}");
                    }
                    let state = &world.bodies[0].state;
                    let finite = |field: &[DVec3]| field.iter().all(|x| x.is_finite());
                    assert!(finite(&state.positions), "{case}");
                    assert!(finite(&state.velocities), "{case}");
                    runs += 1;
                }
            }
        }
    }
    assert!(runs > 150, "only {runs} runs");
}

/// How a sheet is held.
#[derive(Clone, Copy, Debug)]
enum Held {
    /// Rolled up along the first or the second direction, with this curvature.
    Rolled(usize, f64),
    /// z = c x y.
    Twisted(f64),
    /// Longer by this share along the first direction.
    Stretched(f64),
}

fn shape(held: Held, x: DVec3) -> DVec3 {
    match held {
        Held::Rolled(direction, curvature) => {
            let (sine, cosine) = (curvature * x[direction]).sin_cos();
            let mut rolled = x;
            rolled[direction] = sine / curvature;
            rolled.z = (1.0 - cosine) / curvature;
            rolled
        }
        Held::Twisted(twist) => DVec3::new(x.x, x.y, twist * x.x * x.y),
        Held::Stretched(share) => DVec3::new((1.0 + share) * x.x, x.y, x.z),
    }
}

/// Cells of 0.1 m by 0.3 m.
const COUNTS: [usize; 2] = [7, 4];
const SIZE: [f64; 2] = [0.6, 0.9];

/// Forces on the nodes of a held sheet: at first, and after some steps.
fn forces(held: Held, kind: ProcessKind, dt: f64, steps: usize) -> [Vec<DVec3>; 2] {
    let tension = match held {
        Held::Stretched(_) => 5.0,
        _ => 0.0,
    };
    let mut description = sheet(COUNTS, SIZE, tension, 0.02);
    description.fixed.fill(true);
    description.time_step = dt;
    description.processes = vec![Scheduled::always(kind)];
    let mut world = world_of(description);
    for x in &mut world.bodies[0].state.positions {
        *x = shape(held, *x);
    }
    let mut workspace = Workspace::new(&world);
    let first = workspace.forces(&world, 0).0;
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{held:?}");
    }
    [first, workspace.forces(&world, 0).0]
}

/// The factor between the two forces, the same at every node.
fn factor([first, last]: [Vec<DVec3>; 2]) -> f64 {
    let size: f64 = first.iter().map(|f| f.length_squared()).sum();
    assert!(size > 0.0, "no force at first");
    let common: f64 = first.iter().zip(&last).map(|(a, b)| a.dot(*b)).sum();
    let factor = common / size;
    for (a, b) in first.iter().zip(&last) {
        let difference = (*b - factor * *a).length();
        assert!(difference < 1e-9 * size.sqrt(), "{a} becomes {b}");
    }
    factor
}

const SHAPES: [Held; 4] = [
    Held::Rolled(0, 0.4),
    Held::Rolled(1, 0.4),
    Held::Twisted(0.5),
    Held::Stretched(0.05),
];

#[test]
fn held_sheets_relax_as_their_units_do() {
    for held in SHAPES {
        // Maxwell: σ = σ₀ exp(-t/τ).
        let kind = ProcessKind::Maxwell(Maxwell::uniform(0.5));
        let found = factor(forces(held, kind, 0.05, 12));
        assert!((found / (-1.2_f64).exp() - 1.0).abs() < 1e-9, "{held:?}");
        // Voigt: what is held does not relax.
        let kind = ProcessKind::Voigt(Voigt { times: vec![0.5] });
        let found = factor(forces(held, kind, 0.05, 12));
        assert!((found - 1.0).abs() < 1e-9, "{held:?}: {found}");
    }
}

#[test]
fn bending_yields_where_curvature_times_half_the_spacing_is_beyond_the_limit() {
    let limit = 0.03;
    let plastic = || {
        ProcessKind::Plastic(Plastic {
            criterion: YieldCriterion::Deformation,
            limit,
            hardening: 0.0,
            time: 0.0,
        })
    };
    let [cells_u, cells_v] = [0.1_f64, 0.3];
    for (held, strain) in [
        (Held::Rolled(0, 0.4), 0.4 * cells_u / 2.0),
        (Held::Rolled(1, 0.4), 0.4 * cells_v / 2.0),
        // The twist is c, and l the geometric mean of the spacings.
        (Held::Twisted(0.25), 0.25 * (cells_u * cells_v).sqrt() / 2.0),
        (Held::Twisted(0.5), 0.5 * (cells_u * cells_v).sqrt() / 2.0),
    ] {
        let [first, last] = forces(held, plastic(), 0.05, 3);
        let size = |forces: &[DVec3]| forces.iter().map(|f| f.length_squared()).sum::<f64>();
        let found = (size(&last) / size(&first)).sqrt();
        let expected = (limit / strain).min(1.0);
        println!("{held:?}: strain {strain}, force {found}, expected {expected}");
        // Chords instead of arcs, and twists that are not small: 2 %.
        assert!((found - expected).abs() < 0.02, "{held:?}: {found}");
    }
}
