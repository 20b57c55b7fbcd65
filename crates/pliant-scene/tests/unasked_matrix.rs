//! Every two kinds of bodies in a scene that says nothing of contact: they meet each other and nothing crosses
//! anything, or a warning says that they pass.

use pliant::Workspace;
use pliant_scene::{bodies_that_pass, build, crossings, parse};
use rayon::prelude::*;
use std::path::Path;

/// A kind of body: model, type, attributes of its properties, and what stands in it for a height of its middle.
struct Kind {
    name: &'static str,
    model: &'static str,
    shape: &'static str,
    properties: &'static str,
    inside: fn(f64) -> String,
}

fn bar(height: f64, elastic: &str) -> String {
    format!(
        "<Mesh cells=\"[2, 2, 2]\" position=\"[0, 0, {height}]\"><Box size=\"[0.2, 0.2, 0.2]\" /></Mesh>
         <Elastic {elastic} />"
    )
}

fn cloth(height: f64, elastic: &str) -> String {
    format!(
        "<Mesh cells=\"[5, 5]\" position=\"[0.02, 0.01, {height}]\">
         <Rectangle width=\"0.4\" height=\"0.4\" /></Mesh><Elastic {elastic} />"
    )
}

fn patch(height: f64) -> String {
    let corner =
        |k: usize, x: f64, y: f64| format!("<Node index=\"{k}\" pos=\"[{x}, {y}, {height}]\" />");
    format!(
        "<NaturalShape>{}{}{}{}</NaturalShape><Particles grid=\"[6, 6]\">
         <All mass=\"0.01\" damping=\"0.01\" tension=\"[[30, 10], [10, 30]]\" rigidity=\"[[0.01, 0], [0, 0.01]]\" />
         </Particles>",
        corner(0, -0.2, -0.18),
        corner(1, 0.2, -0.18),
        corner(2, -0.2, 0.18),
        corner(3, 0.2, 0.18)
    )
}

fn ball(height: f64) -> String {
    format!(
        "<NaturalShape><Node index=\"0\" pos=\"[0.12, 0.12, 0.12]\" />
         <Node index=\"1\" pos=\"[0, 0, {height}]\" /></NaturalShape>
         <Particles grid=\"[4, 4, 4]\"><All mass=\"0.02\" damping=\"0.01\"
         tension=\"[[300, 100, 100], [100, 300, 100], [100, 100, 300]]\" /></Particles>"
    )
}

fn line(height: f64) -> String {
    format!(
        "<NaturalShape><Node index=\"0\" pos=\"[-0.2, 0.03, {height}]\" />
         <Node index=\"1\" pos=\"[0.2, -0.02, {height}]\" /></NaturalShape>
         <Particles grid=\"[9]\"><All mass=\"0.01\" damping=\"0.01\" tension=\"50\" rigidity=\"0.01\" twist=\"0.01\" /></Particles>"
    )
}

const SOLID: &str = "strain=\"Green\" young=\"1e5\" poisson=\"0.3\" density=\"500\"";

fn kinds() -> Vec<Kind> {
    let of = |name, model, shape, properties, inside| Kind {
        name,
        model,
        shape,
        properties,
        inside,
    };
    vec![
        of("mesh", "Solid", "Mesh", "", |z| bar(z, SOLID)),
        of("warped", "Solid", "Mesh", "", |z| {
            bar(z, &SOLID.replace("Green", "Warped"))
        }),
        of("springs", "Solid", "Mesh", "", |z| {
            bar(z, "strain=\"Springs\" young=\"1e5\" density=\"500\"")
        }),
        of("modal", "Solid", "Mesh", "formulation=\"Modal\"", |z| {
            bar(z, SOLID)
        }),
        of("global", "Solid", "Mesh", "formulation=\"Global\"", |z| {
            bar(z, &SOLID.replace("Green", "NeoHookean"))
        }),
        of("cloth", "Surface", "Mesh", "", |z| {
            cloth(
                z,
                "young=\"1e5\" density=\"300\" thickness=\"0.001\" rigidity=\"1e-4\"",
            )
        }),
        of("curve", "Curve", "LinearBezierCurve", "", line),
        of(
            "rod",
            "Curve",
            "LinearBezierCurve",
            "formulation=\"Rod\"",
            line,
        ),
        of(
            "surface",
            "Surface",
            "GenericBezierPatch",
            "order=\"1\"",
            patch,
        ),
        of(
            "hybrid surface",
            "Surface",
            "GenericBezierPatch",
            "order=\"1\" formulation=\"Hybrid\"",
            patch,
        ),
        of(
            "sticks",
            "Surface",
            "GenericBezierPatch",
            "order=\"1\" formulation=\"Sticks\"",
            patch,
        ),
        of("solid", "Solid", "EllipsoidSolid", "", ball),
        of(
            "hybrid solid",
            "Solid",
            "EllipsoidSolid",
            "formulation=\"Hybrid\"",
            ball,
        ),
        of(
            "explicit",
            "Solid",
            "EllipsoidSolid",
            "integrator=\"Explicit\"",
            ball,
        ),
    ]
}

fn scene(lower: &Kind, upper: &Kind) -> String {
    let body = |id: &str, kind: &Kind, height: f64| {
        format!(
            "<Body id=\"{id}\" model=\"{}\" type=\"{}\">
             <Properties timestep=\"0.01\" friction=\"0.5\" {} />{}
             <Bind type=\"Collision\" ref=\"Floor\" /><Bind type=\"Force\" ref=\"Weight\" /></Body>",
            kind.model,
            kind.shape,
            kind.properties,
            (kind.inside)(height)
        )
    };
    format!(
        "<EDMConfig id=\"Test\"><MaterialContainer />
         <ExternalForces><Force id=\"Weight\" type=\"Gravity\">
           <Properties g=\"[0, 0, -9.81]\" /></Force></ExternalForces>
         <RigidObjects><Object id=\"Floor\" type=\"Plane\" scale=\"5\">
           <Properties n=\"[0, 0, 1]\" x0=\"[0, 0, 0]\" /></Object></RigidObjects>
         <DeformableBodies>{}{}</DeformableBodies></EDMConfig>",
        body("Lower", lower, 0.15),
        body("Upper", upper, 0.45)
    )
}

/// Whether a pair met, or the message of what went wrong.
fn meet(lower: &Kind, upper: &Kind) -> Result<bool, String> {
    let scene = parse(&scene(lower, upper), "test.xml").map_err(|errors| errors.to_string())?;
    let built = build(&scene, "test.xml", Path::new("."));
    let mut world = built.map_err(|errors| errors.to_string())?;
    let warning = bodies_that_pass(&scene, &world);
    let Some(settings) = world.contact.clone() else {
        return match warning {
            Some(_) => Ok(false),
            None => Err("they pass without a word".to_owned()),
        };
    };
    let (mut workspace, mut has_met) = (Workspace::new(&world), false);
    let (mut created, mut liveliest) = (0.0, 0.0_f64);
    for step in 0..50 {
        let report = world.step(&mut workspace);
        if report.quarantined > 0 {
            let why = world.bodies.iter().find_map(|body| body.quarantine.clone());
            return Err(format!("step {step}: {why:?}"));
        }
        if !crossings(&settings, &world.bodies).is_empty() {
            return Err(format!("step {step}: they cross"));
        }
        has_met |= report.contact_rounds > 0;
        created += report.energy_created;
        liveliest = liveliest.max(report.energies.kinetic);
    }
    if created > 0.05 * liveliest {
        return Err(format!(
            "{created} J came out of nothing, {liveliest} J moved"
        ));
    }
    Ok(has_met)
}

#[test]
fn every_two_kinds_meet_or_are_told_to_pass() {
    let kinds = kinds();
    let pairs: Vec<(&Kind, &Kind)> = kinds
        .iter()
        .flat_map(|lower| kinds.iter().map(move |upper| (lower, upper)))
        .collect();
    let found: Vec<_> = pairs
        .par_iter()
        .map(|(lower, upper)| (lower.name, upper.name, meet(lower, upper)))
        .collect();
    let wrong: Vec<String> = found
        .iter()
        .filter_map(|(lower, upper, result)| {
            let message = result.as_ref().err()?;
            Some(format!("{upper} on {lower}: {message}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Those that find their motion alone pass, as the warning says.
    let alone = ["warped", "modal", "global", "sticks", "explicit"];
    for (lower, upper, result) in &found {
        let passes = [lower, upper].iter().any(|name| alone.contains(name));
        assert_eq!(result.as_ref().ok(), Some(&!passes), "{upper} on {lower}");
    }
}
