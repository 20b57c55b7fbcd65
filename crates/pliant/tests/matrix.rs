//! Every combination that the engine accepts of body, integrator, solver and contact, and of body, process and
//! integrator, small: the result is finite, no energy comes out of nothing, a restored world goes on to the same
//! bits on other threads. What is refused is refused with a reason that the table at the end expects.

#[path = "support/kinds.rs"]
mod kinds;
#[path = "support/processes.rs"]
mod processes;
mod support;

use glam::DVec3;
use kinds::kinds;
use pliant::contact::{ContactMethod, PairContactSettings};
use pliant::linear::SolverKind;
use pliant::obstacle::{Obstacle, Plane};
use pliant::process::Scheduled;
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use processes::processes;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

/// Steps of a combination; statics has found its shape after a few, and LU, which sizes its factors anew each time, is slow.
const STEPS: usize = 50;
const STATIC_STEPS: usize = 4;
const LU_STEPS: usize = 12;

/// Bodies that no solver moves.
const SOLVERLESS: [&str; 2] = ["chainmail", "superquadric"];

/// Combinations that take longer are told, in seconds.
const SLOW: f64 = 2.0;

/// A body with its settings, and how bodies meet each other in its world.
struct Combination {
    name: String,
    body: BodyDescription,
    contact: Option<PairContactSettings>,
}

impl Combination {
    fn steps(&self) -> usize {
        // A fit goes through all of its data in each step.
        let is_fit = self.name.starts_with("superquadric");
        match (self.body.integrator, self.body.solver.kind) {
            (IntegratorKind::Static, _) => STATIC_STEPS,
            _ if is_fit => STATIC_STEPS,
            (_, SolverKind::Lu) => LU_STEPS,
            _ => STEPS,
        }
    }

    /// Its world, or why there is none.
    fn world(&self) -> Result<World, String> {
        let mut body = self.body.clone();
        body.name = "body".into();
        body.time_step = 0.01;
        body.contact.friction = 0.3;
        let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        let mut floor = Obstacle::new("floor", Box::new(floor));
        floor.epsilon = match body.contact.method {
            ContactMethod::Projection => 1.0,
            _ => 0.01,
        };
        let body = Body::new(body).map_err(|error| error.to_string())?;
        Ok(World {
            bodies: vec![body],
            obstacles: vec![floor],
            contact: self.contact.clone(),
            ..World::default()
        })
    }
}

/// The largest gain of energy, by what fell.
fn allowed_gain(body: &BodyDescription) -> f64 {
    let is_inelastic = !body.processes.is_empty();
    match body.scheme() {
        // Each step may create a hundredth of the motion, and rest shapes that flow let many do so.
        IntegratorKind::TwoStage if is_inelastic => 0.05,
        // The published scheme has no energy of its own; what is left at the shortest step is reported.
        IntegratorKind::SemiImplicit => 0.1,
        IntegratorKind::Midpoint | IntegratorKind::Newmark => 0.05,
        _ => 0.03,
    }
}

/// What went wrong with a combination.
fn run(combination: &Combination, others: &rayon::ThreadPool) -> Result<(), String> {
    let mut world = combination.world()?;
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world);
    let mut created = 0.0;
    let (mut worked, mut highest) = (0.0, f64::NEG_INFINITY);
    let mut scale: f64 = 1e-9;
    let mut halfway = Vec::new();
    let steps = combination.steps();
    for step in 0..steps {
        if step == steps / 2 {
            halfway = world.snapshot();
        }
        let report = world.step(&mut workspace);
        created += report.energy_created;
        worked += report.work;
        highest = highest.max(report.energies.total() - start.total() - worked);
        scale = scale.max((report.energies.external - start.external).abs());
        scale = scale.max((report.energies.elastic - start.elastic).abs());
    }
    if let Some(reason) = &world.bodies[0].quarantine {
        return Err(reason.clone());
    }
    let state = &world.bodies[0].state;
    let mut values = state.positions.iter().chain(&state.velocities);
    if !values.all(|v| v.is_finite()) {
        return Err("not finite".to_owned());
    }
    // Rules that damp nothing give and take a little in turns; the others only take.
    let description = world.bodies[0].description();
    let damps = matches!(
        description.scheme(),
        IntegratorKind::TwoStage | IntegratorKind::Implicit
    ) && description.hybrid().is_none();
    let gained = if damps { created } else { highest };
    if gained > allowed_gain(description) * scale {
        return Err(format!(
            "gained {:.1} % of what fell",
            100.0 * gained / scale
        ));
    }
    let mut restored = combination.world()?;
    restored.restore(&halfway).map_err(|e| e.to_string())?;
    others.install(|| {
        let mut fresh = Workspace::new(&restored);
        for _ in steps / 2..steps {
            restored.step(&mut fresh);
        }
    });
    if restored.state_hash() != world.state_hash() {
        return Err("a restored run differs".to_owned());
    }
    Ok(())
}

/// Holds a body that has statics by its upper part: what nothing holds falls without end.
fn held(mut body: BodyDescription) -> BodyDescription {
    if body.integrator == IntegratorKind::Static && !body.fixed.contains(&true) {
        let heights = || body.rest_positions.iter().map(|x| x.z);
        let low = heights().fold(f64::INFINITY, f64::min);
        let high = heights().fold(f64::NEG_INFINITY, f64::max);
        body.fixed = heights().map(|z| z >= 0.3 * low + 0.7 * high).collect();
    }
    body
}

/// Every body with every integrator, way to meet obstacles and solver.
fn elastic_combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    for (name, body) in kinds() {
        for &integrator in IntegratorKind::ALL {
            for method in [
                ContactMethod::Projection,
                ContactMethod::Exponential,
                ContactMethod::Quadratic,
            ] {
                for &solver in SolverKind::ALL {
                    // Over-relaxation needs thousands of sweeps for what is stiff.
                    let is_stiff = name.starts_with("stiff") || ["rod", "rigid"].contains(&name);
                    if solver == SolverKind::Sor && is_stiff {
                        continue;
                    }
                    let solves =
                        integrator != IntegratorKind::Explicit && !SOLVERLESS.contains(&name);
                    if !solves && solver != SolverKind::Automatic {
                        continue;
                    }
                    // It lies at one height, so that all of it would be held, which its few control points cannot
                    // keep together: refused at the first step with that reason.
                    if name == "nurbs curve" && integrator == IntegratorKind::Static {
                        continue;
                    }
                    let mut body = body.clone();
                    body.integrator = integrator;
                    body.contact.method = method;
                    body.contact.strength = match method {
                        ContactMethod::Quadratic => 50.0,
                        _ => 0.1,
                    };
                    body.solver.kind = solver;
                    all.push(Combination {
                        name: format!("{name}, {integrator:?}, {method:?}, {solver:?}"),
                        body: held(body),
                        contact: None,
                    });
                }
            }
        }
    }
    all
}

/// Every body that can meet others with every integrator, in a world in which it meets itself and the floor by
/// its surface.
fn combinations_that_meet() -> Vec<Combination> {
    let mut all = Vec::new();
    for (name, body) in kinds() {
        for &integrator in IntegratorKind::ALL {
            let mut body = body.clone();
            body.integrator = integrator;
            if name == "snake" {
                // It would draw itself together to a point, which cannot meet itself.
                body.fixed[0] = true;
                body.fixed[7] = true;
            }
            let body = held(body);
            if body.formulation.joins_others(&body) {
                all.push(Combination {
                    name: format!("{name}, {integrator:?}, in contact"),
                    body,
                    contact: Some(PairContactSettings::default()),
                });
            }
        }
    }
    all
}

/// Every body with every process and integrator.
fn inelastic_combinations() -> Vec<Combination> {
    let mut all = Vec::new();
    for (name, body) in kinds() {
        for kind in processes() {
            for &integrator in IntegratorKind::ALL {
                let mut body = body.clone();
                body.integrator = integrator;
                body.processes = vec![Scheduled::always(kind.clone())];
                all.push(Combination {
                    name: format!("{name}, {integrator:?}, {kind:?}"),
                    body: held(body),
                    contact: None,
                });
            }
        }
    }
    all
}

/// Runs combinations that are not refused, and expects nothing to be wrong.
fn run_all(combinations: &[Combination]) {
    let next = AtomicUsize::new(0);
    let work = || {
        let others = rayon::ThreadPoolBuilder::new().num_threads(3).build();
        let others = others.unwrap();
        let mut wrong = Vec::new();
        let (mut count, mut refused) = (0, 0);
        while let Some(combination) = combinations.get(next.fetch_add(1, Ordering::Relaxed)) {
            if combination.world().is_err() {
                refused += 1;
                continue;
            }
            count += 1;
            let start = Instant::now();
            if let Err(what) = run(combination, &others) {
                wrong.push(format!("{}: {what}", combination.name));
            }
            let seconds = start.elapsed().as_secs_f64();
            if seconds > SLOW {
                println!("{}: {seconds:.1} s", combination.name);
            }
        }
        (count, refused, wrong)
    };
    let (count, refused, wrong) = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let (count, refused, mut wrong) = work();
        let (more, more_refused, more_wrong) = other.join().unwrap();
        wrong.extend(more_wrong);
        (count + more, refused + more_refused, wrong)
    });
    println!(
        "{count} combinations, {refused} refused, {} wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_formulation_is_in_the_matrix() {
    let kinds = kinds();
    let found: BTreeSet<&str> = kinds
        .iter()
        .map(|(_, body)| body.formulation.name())
        .collect();
    let all: BTreeSet<&str> = pliant::formulation::names().into_iter().collect();
    assert_eq!(found, all);
}

#[test]
fn every_body_with_every_integrator_solver_and_contact() {
    run_all(&elastic_combinations());
}

#[test]
fn every_body_that_meets_others_with_every_integrator() {
    run_all(&combinations_that_meet());
}

#[test]
fn every_body_with_every_process_and_integrator() {
    run_all(&inelastic_combinations());
}

#[test]
fn what_is_refused_is_refused_for_a_known_reason() {
    let mut combinations = elastic_combinations();
    combinations.extend(combinations_that_meet());
    combinations.extend(inelastic_combinations());
    let reasons = combinations.iter().filter_map(|c| c.world().err());
    let reasons: BTreeSet<String> = reasons
        .map(|reason| reason.trim_start_matches("body `body`: ").to_owned())
        .collect();
    let expected: BTreeSet<String> = REFUSALS.iter().map(|reason| (*reason).to_owned()).collect();
    let new: Vec<_> = reasons.difference(&expected).collect();
    let gone: Vec<_> = expected.difference(&reasons).collect();
    assert!(
        new.is_empty() && gone.is_empty(),
        "new: {new:#?}\ngone: {gone:#?}"
    );
}

/// Why the engine refuses combinations of the matrix.
const REFUSALS: &[&str] = &[
    "ChainMail has no processes",
    "a body over a mesh cannot have an integrator of second order with strain Warped, whose forces have no \
     energy; SemiImplicit and Implicit can",
    "a body over a mesh cannot have Tresca's criterion; von Mises' it can",
    "a body over a mesh cannot have a Voigt process; its damping by stiffness does the same",
    "a body over a mesh cannot have a plastic process with Linear strain; Corotated can",
    "a body over a mesh cannot have a viscoelastic process with Newmark's integrator; Midpoint can",
    "a body over a mesh cannot have fracture, unless it is made of separate elements (breakable)",
    "a body over a mesh cannot have processes with Warped strain; Corotated can",
    "a body over a mesh cannot have processes, unless it is a solid of tetrahedra",
    "a body over a mesh cannot have strain Warped with the Explicit integrator, since its forces have no energy",
    "a body over a mesh cannot have the solver ADI, which goes along the lines of a grid; Multigrid it can",
    "a film has no processes",
    "a film knows the solvers ADI and Multigrid not: its energy is not that of a grid",
    "a film moves by the integrators TwoStage, Implicit, Midpoint and Newmark: nothing but inertia and damping \
     holds its nodes within the surface",
    "a rigid body moves by the integrators TwoStage and Implicit",
    "a rod knows the solvers ADI and Multigrid not, which go by the lines of a grid",
    "a rod moves by the integrators that are implicit: TwoStage, Implicit, Midpoint, Newmark, Static",
    "a rod touches objects by the contact Projection only",
    "a snake has no processes",
    "a snake knows the solvers ADI and Multigrid not: its energy is not that of a grid",
    "a snake moves by the integrators that are implicit: TwoStage, Implicit, Midpoint, Newmark, Static",
    "a superquadric that is fitted has no fixed nodes",
    "a superquadric that is fitted has no forces and no processes: its data pull at it",
    "explicit steps would have to be as short as the dashpots of a Voigt process are stiff; use the Implicit \
     integrator, or the formulation Hybrid",
    "formulation Condensed: it has statics only: give it the integrator Static",
    "formulation DynamicNurbs: it meets obstacles by penalties alone: choose the contact method Quadratic or \
     Exponential",
    "formulation DynamicNurbs: it moves by the integrators Implicit and Static",
    "formulation Global: it moves by the integrators TwoStage and Implicit",
    "formulation Global: it touches objects by the contact Projection only",
    "formulation Modal: it touches objects by the contact Projection only, which knows friction",
    "formulation Modal: its modes vibrate and have no statics",
    "sticks have no processes",
    "sticks move by Verlet's rule and have no statics",
    "sticks touch objects by the contact Projection only: Verlet's rule would gain energy by a potential",
    "the equilibrium of a hybrid body with obstacles needs a contact potential; use contact Exponential or \
     Quadratic",
    "this formulation knows no inelastic processes",
];
