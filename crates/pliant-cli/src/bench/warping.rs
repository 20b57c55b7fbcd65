//! Stiffness warping beside linear and non-linear strain: the volume of three bars against time, and
//! the largest step at which a bar is stable, as \[Mueller2002\] Fig. 7 and sect. 4.2 show them.
//!
//! In the paper the non-linear strain fails where warping does not: it is linearised about the last shape with the
//! whole Jacobian, which is indefinite where elements are compressed. Ours does not fail: one solve per step has the
//! positive part of the Jacobian alone, so that both are stable at all steps that are tried.

use super::Measured;
use crate::console::{note, print};
use crate::plot::Run;
use glam::DVec3;
use pliant::fem::{
    ElasticMaterial, MeshModel, MeshSettings, RotationMethod, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::mesh::{Division, block, tetrahedra, tetrahedron_volume};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use pliant_io::cache::StepSample;
use pliant_session::Failure;
use serde_json::{Value, json};
use std::sync::Arc;

type BenchError = Box<dyn std::error::Error>;

const FRAMES: SolidStrain = SolidStrain::Warped(RotationMethod::Frames);
const SVD: SolidStrain = SolidStrain::Warped(RotationMethod::Svd);

/// Young's moduli in 1e6 Pa and the steps, in milliseconds, that the paper reports for warping.
const PUBLISHED: [(f64, f64); 5] = [
    (2.0, 30.0),
    (1.0, 20.0),
    (0.5, 10.0),
    (0.2, 10.0),
    (0.1, 10.0),
];

/// Steps that are tried, in milliseconds.
const STEPS: [f64; 9] = [5.0, 10.0, 15.0, 20.0, 30.0, 40.0, 60.0, 80.0, 100.0];

/// Gravity, in m/s².
const GRAVITY: f64 = 9.81;

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Measured, Failure> {
    let failed = |error: BenchError| Failure::Simulation(error.to_string());
    let (volumes, runs) = volumes(if quick { 0.5 } else { 3.0 }).map_err(failed)?;
    let steps = largest_steps(if quick { 1 } else { 5 }).map_err(failed)?;
    let results = json!({ "volumes": volumes, "steps": steps });
    Ok(Measured { results, runs })
}

/// A bar of 4 x 4 x 11 vertices, held at one end.
fn bar(strain: SolidStrain, young: f64, step: f64) -> Result<World, BenchError> {
    let size = DVec3::new(1.0, 0.3, 0.3);
    let mesh = Arc::new(block([10, 3, 3], size, Division::FiveTetrahedra)?);
    let model = SolidModel::new(strain, ElasticMaterial::new(young, 0.33, 1000.0)?);
    let masses = model.masses(&mesh)?;
    let fixed = mesh.positions.iter().map(|x| x.x < 1e-9).collect();
    let mut bar = BodyDescription::of_mesh("bar", MeshSettings::new(mesh, Arc::new(model)), masses);
    bar.fixed = fixed;
    bar.time_step = step;
    bar.integrator = IntegratorKind::SemiImplicit;
    bar.solver.tolerance = 1e-6;
    let acceleration = DVec3::new(0.0, 0.0, -GRAVITY);
    let force = Arc::new(Gravity { acceleration });
    bar.forces.push(BoundForce { force, node: None });
    Ok(World {
        bodies: vec![Body::new(bar)?],
        ..World::default()
    })
}

fn volume(body: &Body) -> f64 {
    let mesh = body.description().mesh();
    let mesh = mesh.into_iter().map(|settings| &settings.mesh);
    let corners = |nodes: [u32; 4]| nodes.map(|node| body.state.positions[node as usize]);
    mesh.flat_map(|mesh| tetrahedra(mesh))
        .map(|nodes| tetrahedron_volume(corners(nodes)))
        .sum()
}

/// Volume against time of the linear, the warped and the non-linear bar.
fn volumes(seconds: f64) -> Result<(Value, Vec<Run>), BenchError> {
    print("Volume of bars of 4 x 4 x 11 vertices (E = 4e5 Pa, steps of 10 ms) by that at rest");
    let mut runs = Vec::new();
    for (label, strain) in [
        ("linear", SolidStrain::Linear),
        ("warped", SVD),
        ("Green", SolidStrain::Green),
    ] {
        let mut world = bar(strain, 4e5, 0.01)?;
        let mut workspace = Workspace::new(&world);
        let mut samples = Vec::new();
        while world.time < seconds {
            samples.push(StepSample {
                time: world.time,
                volume: volume(&world.bodies[0]),
                ..StepSample::default()
            });
            world.step(&mut workspace);
        }
        runs.push(Run {
            label: label.to_owned(),
            closed: Vec::new(),
            samples,
        });
    }
    print("  time    linear    warped     Green");
    let mut rows = Vec::new();
    for at in (0..runs[0].samples.len()).step_by(25) {
        let ratio = |run: &Run| run.samples[at].volume / run.samples[0].volume;
        let [linear, warped, green] = [0, 1, 2].map(|bar| ratio(&runs[bar]));
        let time = runs[0].samples[at].time;
        print(&format!(
            "{time:6.2}  {linear:8.4}  {warped:8.4}  {green:8.4}"
        ));
        rows.push(json!({ "time": time, "linear": linear, "warped": warped, "green": green }));
    }
    Ok((Value::Array(rows), runs))
}

/// Whether a bar swings for three seconds without a shortened step and never faster than by falling
/// half its length.
fn is_stable(strain: SolidStrain, young: f64, step: f64) -> Result<bool, BenchError> {
    let mut world = bar(strain, young, step)?;
    let mut workspace = Workspace::new(&world);
    let weight = GRAVITY * world.bodies[0].description().masses.iter().sum::<f64>();
    while world.time < 3.0 {
        let report = world.step(&mut workspace);
        let troubled = report.shortened_steps + report.quarantined > 0;
        if troubled || report.energies.kinetic > 0.5 * weight {
            return Ok(false);
        }
    }
    Ok(true)
}

/// The largest of the tried steps below which all are stable.
fn largest_steps(moduli: usize) -> Result<Value, BenchError> {
    print("Largest stable step in ms (of 5, 10, 15, 20, 30, 40, 60, 80, 100), one solve per step");
    print("    E (Pa)   published   warped (SVD)   warped (frames)   Green");
    let mut rows = Vec::new();
    for &(young, published) in &PUBLISHED[..moduli] {
        note(&format!("trying E = {young}e6 ..."));
        let largest = |strain| -> Result<f64, BenchError> {
            let mut found = 0.0;
            for step in STEPS {
                if !is_stable(strain, young * 1e6, step * 1e-3)? {
                    break;
                }
                found = step;
            }
            Ok(found)
        };
        let (svd, frames, green) = (
            largest(SVD)?,
            largest(FRAMES)?,
            largest(SolidStrain::Green)?,
        );
        print(&format!(
            "{:>10.0}  {published:>10.0}  {svd:>13.0}  {frames:>16.0}  {green:>6.0}",
            young * 1e6
        ));
        rows.push(json!({
            "young": (young * 1e6),
            "published": published,
            "warped_svd": svd,
            "warped_frames": frames,
            "green": green,
        }));
    }
    Ok(Value::Array(rows))
}
