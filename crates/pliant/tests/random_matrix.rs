//! Random bodies thrown on random obstacles: stiffness over six orders of magnitude, steps of 1 to
//! 100 ms, starts that are crushed, turned inside out or scrambled. Values stay finite, the ledger
//! closes or says so, and a restored world goes on to the same bits.
//!
//! Every case follows from its seed alone. A short run is part of the tests; a long one is
//! `PLIANT_RANDOM_CASES=5000 cargo test --release -p pliant --test random_matrix -- --nocapture`,
//! with `PLIANT_RANDOM_SEED=N` from another first seed on; of a single case every step is told.

mod support;

use glam::{DQuat, DVec3};
use pliant::fem::{
    ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings, RotationMethod,
    SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Hybrid;
use pliant::mesh::{Division, ElementKind, ElementMesh, block as mesh_block, rectangle};
use pliant::obstacle::{Cuboid, ImplicitSurface, Obstacle, Plane, Sphere, Torus};
use pliant::process::{
    Fracture, FractureCriterion, Maxwell, Plastic, ProcessKind, Scheduled, YieldCriterion,
};
use pliant::{Body, BodyDescription, IntegratorKind, State, Workspace, World};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use support::{Random, block, line, sheet};

/// Cases of the short run.
const CASES: usize = 150;

const STEPS: usize = 24;

/// Energy that may be created over all steps by rules that damp, as a share of what there is: starts
/// that are crushed or scrambled are far from what a step resolves.
const MOST_CREATED: f64 = 0.1;

/// Cases that once went wrong: numbers that were not finite, restored runs that differed, elements
/// that gained energy by relaxing or yielding, a hybrid sheet that an obstacle gave 4,000 times its
/// energy.
const ONCE_WRONG: [u64; 9] = [111, 142, 1023, 1030, 1080, 1117, 1458, 1796, 2299];

/// Cases whose body was once frozen, and is no more: warped stiffness, whose rotations jump, with
/// contact; curves and cloth that start far from rest; Newmark's and the midpoint rule on stiff elements that
/// start crushed or scrambled, with processes.
const ONCE_FROZEN: [u64; 10] = [73, 1043, 1600, 1686, 1690, 1852, 1916, 2091, 2370, 2467];

/// What is drawn for a case, beside the world.
struct Case {
    name: String,
    body: BodyDescription,
    state: State,
    obstacles: Vec<Obstacle>,
}

/// Draws from a seed.
struct Draw(Random);

impl Draw {
    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * (0.5 * self.0.number() + 0.5)
    }

    /// Evenly over orders of magnitude.
    fn magnitude(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low.log10(), high.log10()))
    }

    fn one_of(&mut self, count: usize) -> usize {
        (self.between(0.0, count as f64) as usize).min(count - 1)
    }
}

fn on_grid(draw: &mut Draw) -> (String, BodyDescription) {
    let tension = draw.magnitude(1e-1, 1e5);
    let rigidity = tension * draw.magnitude(1e-6, 1e-2);
    let kind = draw.one_of(5);
    let (name, mut body) = match kind {
        0 => ("curve", line(8, 0.5, [tension, rigidity, rigidity])),
        1 | 3 => ("surface", sheet([5, 6], [0.4, 0.5], tension, rigidity)),
        _ => (
            "solid",
            block([4, 3, 3], DVec3::new(0.4, 0.3, 0.3), tension),
        ),
    };
    if kind >= 3 {
        body.make_hybrid(Hybrid::default());
    }
    let count = body.masses.len() as f64;
    body.masses.fill(draw.magnitude(0.05, 5.0) / count);
    let formulation = body.formulation.name();
    (format!("{formulation} {name}, tension {tension:.3e}"), body)
}

fn over_mesh(draw: &mut Draw) -> (String, BodyDescription) {
    let young = draw.magnitude(1e3, 1e9);
    let poisson = draw.between(0.0, 0.49);
    let material = ElasticMaterial::new(young, poisson, draw.magnitude(100.0, 5000.0)).unwrap();
    let solid = |strain: SolidStrain| -> (ElementMesh, Arc<dyn MeshModel>) {
        let mesh = mesh_block([2, 2, 2], DVec3::splat(0.3), Division::FiveTetrahedra).unwrap();
        (mesh, Arc::new(SolidModel::new(strain, material)))
    };
    let kind = draw.one_of(6);
    let strains = [
        SolidStrain::Linear,
        SolidStrain::Warped(RotationMethod::Svd),
        SolidStrain::Corotated,
        SolidStrain::Green,
        SolidStrain::NeoHookean,
    ];
    let (name, (mesh, model)) = match strains.get(kind) {
        Some(&strain) => (format!("{strain:?}"), solid(strain)),
        None => {
            let thickness = draw.magnitude(1e-4, 1e-2);
            let mesh = rectangle(ElementKind::Triangle3, [5, 5], [0.5, 0.5]).unwrap();
            let cloth = ClothModel {
                material,
                thickness,
                strain: MembraneStrain::Corotated,
                rigidity: None,
            };
            (
                format!("cloth of {thickness:.3e} m"),
                (mesh, Arc::new(cloth) as Arc<dyn MeshModel>),
            )
        }
    };
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), model);
    let body = BodyDescription::of_mesh("mesh", settings, masses);
    (
        format!("{name}, Young {young:.3e}, Poisson {poisson:.2}"),
        body,
    )
}

fn process(draw: &mut Draw) -> Option<ProcessKind> {
    match draw.one_of(8) {
        0 => Some(ProcessKind::Maxwell(Maxwell::uniform(
            draw.magnitude(1e-3, 10.0),
        ))),
        1 => Some(ProcessKind::Plastic(Plastic {
            criterion: YieldCriterion::Deformation,
            limit: draw.magnitude(1e-3, 1.0),
            hardening: draw.between(0.0, 1.0),
            time: 0.0,
        })),
        2 => Some(ProcessKind::Fracture(Fracture {
            criterion: FractureCriterion::Elongation,
            limit: draw.magnitude(1e-2, 1.0),
            spread: 0.3,
            seed: 7,
            at_once: 3,
            order: 0,
        })),
        _ => None,
    }
}

/// Positions that the body starts in: as it is at rest, crushed, inside out or scrambled.
fn start(draw: &mut Draw, body: &BodyDescription) -> (&'static str, Vec<DVec3>) {
    let rest = &body.rest_positions;
    let middle = rest.iter().sum::<DVec3>() / rest.len() as f64;
    let kind = draw.one_of(4);
    let mut scale = DVec3::ONE;
    let axis = draw.one_of(3);
    match kind {
        1 => scale[axis] = draw.magnitude(1e-3, 0.5),
        2 => scale[axis] = -draw.magnitude(0.1, 1.0),
        _ => {}
    }
    let amount = if kind == 3 { body.mean_spacing() } else { 0.0 };
    let name = ["at rest", "crushed", "inside out", "scrambled"][kind];
    let turn = DQuat::from_scaled_axis(3.0 * draw.0.vector());
    let places = rest.iter().map(|x| {
        let scattered = amount * draw.0.vector();
        turn * (scale * (*x - middle) + scattered)
    });
    (name, places.collect())
}

fn obstacles(draw: &mut Draw) -> Vec<Obstacle> {
    let low = DVec3::new(0.0, 0.0, -0.2);
    let surface: Box<dyn ImplicitSurface> = match draw.one_of(3) {
        0 => Box::new(Sphere::new(low, 0.3).unwrap()),
        1 => Box::new(Cuboid::new(low, DVec3::splat(0.5)).unwrap()),
        _ => Box::new(Torus::new(low, 0.4, 0.15).unwrap()),
    };
    let floor = Plane::new(DVec3::Z, low).unwrap();
    vec![
        Obstacle::new("floor", Box::new(floor)),
        Obstacle::new("object", surface),
    ]
}

fn draw_case(seed: u64) -> Case {
    let mut draw = Draw(Random::new(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    let (made, mut body) = if draw.one_of(2) == 0 {
        on_grid(&mut draw)
    } else {
        over_mesh(&mut draw)
    };
    body.time_step = draw.magnitude(1e-3, 0.1);
    body.integrator = match draw.one_of(8) {
        0 => IntegratorKind::SemiImplicit,
        1 => IntegratorKind::Implicit,
        2 => IntegratorKind::Midpoint,
        3 => IntegratorKind::Newmark,
        _ => IntegratorKind::Automatic,
    };
    body.contact.friction = draw.between(0.0, 1.0);
    body.contact.restitution = draw.between(0.0, 1.0);
    body.collides_with = vec![0, 1];
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    body.forces.push(BoundForce { force, node: None });
    let kind = process(&mut draw);
    body.processes.extend(kind.clone().map(Scheduled::always));
    let (begins, mut positions) = start(&mut draw, &body);
    let obstacles = obstacles(&mut draw);
    // Above everything, with a speed that leads to it.
    let lowest = positions.iter().map(|x| x.z).fold(f64::INFINITY, f64::min);
    let lift = DVec3::Z * (0.5 - lowest + draw.between(0.0, 0.3));
    positions.iter_mut().for_each(|x| *x += lift);
    let mut velocity = draw.magnitude(0.1, 10.0) * draw.0.vector();
    velocity.z = -velocity.z.abs();
    let velocities = vec![velocity; positions.len()];
    let name = format!(
        "seed {seed}: {made}, {:?}, step {:.3e} s, {begins}, {kind:?}",
        body.integrator, body.time_step
    );
    let state = State {
        positions,
        velocities,
        ..State::default()
    };
    Case {
        name,
        body,
        state,
        obstacles,
    }
}

impl Case {
    /// Nothing if the engine refuses the body, with a reason.
    fn world(self) -> Option<World> {
        Some(World {
            bodies: vec![Body::with_state(self.body, self.state).ok()?],
            obstacles: self.obstacles,
            ..World::default()
        })
    }
}

/// What became of a case.
enum Outcome {
    Refused,
    Done,
    Frozen,
}

fn run(seed: u64) -> Result<Outcome, String> {
    let case = draw_case(seed);
    let name = case.name.clone();
    let Some(mut world) = case.world() else {
        return Ok(Outcome::Refused);
    };
    if is_single() {
        println!("{name}");
    }
    let wrong = |what: String| Err(format!("{name}: {what}"));
    let mut workspace = Workspace::new(&world);
    let start = workspace.energies(&world);
    let mut before = start;
    let (mut created, mut scale) = (0.0, start.kinetic + start.elastic);
    let (mut halfway, mut hashes) = (Vec::new(), Vec::new());
    let mut last = Default::default();
    for step in 0..STEPS {
        if step == STEPS / 2 {
            halfway = world.snapshot();
        }
        let report = world.step(&mut workspace);
        let state = &world.bodies[0].state;
        let mut values = state.positions.iter().chain(&state.velocities);
        if !values.all(|v| v.is_finite()) || !report.energies.total().is_finite() {
            return wrong(format!("not finite in step {step}"));
        }
        if report.energy_created.is_nan() || report.dissipated.is_nan() {
            return wrong(format!("the ledger of step {step} is no number"));
        }
        scale = scale.max((report.energies.external - start.external).abs());
        let gained = report.energies.total() - before.total();
        let known = report.work + report.energy_created - report.dissipated;
        if (gained - known).abs() > 1e-9 * (scale + start.total().abs()) {
            return wrong(format!("step {step}: {gained} J gained, {known} J known"));
        }
        created += report.energy_created;
        before = report.energies;
        if is_single() {
            println!(
                "{step}: {:?}, work {:.3e}, created {:.3e}, dissipated {:.3e}, {} contacts, {} iterations, \
                 {} shortened",
                report.energies,
                report.work,
                report.energy_created,
                report.dissipated,
                report.contacts,
                report.newton_iterations,
                report.shortened_steps
            );
        }
        if step >= STEPS / 2 {
            hashes.push(world.state_hash());
        }
        last = report;
    }
    let frozen = world.bodies[0].quarantine.is_some();
    if frozen != (last.quarantined == 1) {
        return wrong("a frozen body that the report does not count".to_owned());
    }
    // Rules that damp create little; what others create stands in the report. So does the flow of
    // elements whose strain is linear, which takes turning for strain.
    let description = world.bodies[0].description();
    let damps = matches!(
        description.scheme(),
        IntegratorKind::TwoStage | IntegratorKind::Implicit
    );
    // Warped stiffness has no energy and is guarded: cases 1600, 1686 and 1852 once created up to 24 times what
    // there was, by rotations that jump.
    let damps = damps || name.contains("Warped");
    let flows_by_turning = name.contains("Linear") && !description.processes.is_empty();
    if damps && !flows_by_turning && created > MOST_CREATED * scale {
        return wrong(format!("created {created:.3e} J of {scale:.3e} J"));
    }
    let mut restored = draw_case(seed).world().unwrap();
    restored
        .restore(&halfway)
        .map_err(|e| format!("{name}: {e}"))?;
    let mut fresh = Workspace::new(&restored);
    for _ in STEPS / 2..STEPS {
        restored.step(&mut fresh);
    }
    if restored.state_hash() != world.state_hash() {
        return wrong("a restored run differs".to_owned());
    }
    if let Some(reason) = &world.bodies[0].quarantine {
        println!("{name}: {reason}");
    }
    if is_single() {
        println!("created {created:.3e} J of {scale:.3e} J");
    }
    Ok(if frozen {
        Outcome::Frozen
    } else {
        Outcome::Done
    })
}

fn is_single() -> bool {
    number_of("PLIANT_RANDOM_CASES") == Some(1)
}

fn number_of(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}

#[test]
fn random_bodies_on_random_obstacles() {
    let first = number_of("PLIANT_RANDOM_SEED").unwrap_or(1);
    let count = number_of("PLIANT_RANDOM_CASES").unwrap_or(CASES as u64);
    let (mut refused, mut done, mut frozen) = (0, 0, 0);
    let mut wrong = Vec::new();
    let known = ONCE_WRONG.into_iter().chain(ONCE_FROZEN);
    let known = known.filter(|_| !is_single());
    for seed in (first..first + count).chain(known) {
        match catch_unwind(AssertUnwindSafe(|| run(seed))) {
            Ok(Ok(Outcome::Refused)) => refused += 1,
            Ok(Ok(Outcome::Done)) => done += 1,
            Ok(Ok(Outcome::Frozen)) if ONCE_FROZEN.contains(&seed) => {
                wrong.push(format!("{}: frozen again", draw_case(seed).name));
            }
            Ok(Ok(Outcome::Frozen)) => frozen += 1,
            Ok(Err(error)) => wrong.push(error),
            Err(_) => wrong.push(format!("{}: panicked", draw_case(seed).name)),
        }
    }
    println!(
        "{done} done, {refused} refused, {frozen} frozen, {} wrong",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(done as u64 >= count / 2, "{done} of {count} cases were run");
    assert!(20 * frozen <= done + frozen, "{frozen} bodies were frozen");
}
