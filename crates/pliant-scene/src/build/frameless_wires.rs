//! What is said of curved wires whose formulation knows no material frame.

use crate::diagnostics::{SceneError, SceneWarning};
use crate::scene::Scene;
use pliant::elastic::{MeasureKind, primal_terms};
use pliant::formulation::Primal;
use pliant::{BodyDescription, EnergyVariant, World};

/// Names that a warning has room for.
const MOST_NAMES: usize = 3;

/// Which primal curves are bent at rest and resist torsion. Their centre line alone says how their material turns
/// about it, so that they cannot bend out of the plane of their curvature without turning.
pub fn wires_without_frames(scene: &Scene, world: &World) -> Option<SceneWarning> {
    let built = || world.bodies.iter().map(pliant::Body::description);
    let of = |id: &str| built().find(|built| *built.name == *id);
    let curved = scene.bodies.iter();
    let curved = curved.filter(|body| of(&body.id).is_some_and(is_curved_wire));
    let curved: Vec<_> = curved.collect();
    let first = curved.first()?;
    let names = curved.iter().take(MOST_NAMES);
    let names: Vec<String> = names.map(|body| format!("\"{}\"", body.id)).collect();
    let names = names.join(", ");
    let more = match curved.len() {
        count if count > MOST_NAMES => format!(", and {} more", count - MOST_NAMES),
        _ => String::new(),
    };
    Some(SceneError {
        line: first.location.line,
        column: first.location.column,
        element: format!("<Body id=\"{}\">", first.id),
        attribute: None,
        message: format!(
            "curved wires without a material frame are several times too stiff out of their plane (a quarter of a \
             circle 2.7 times, a shorter arc more): {names}{more}"
        ),
        hint: Some("take formulation=\"Rod\", unless they move in their plane alone".to_owned()),
    })
}

/// Whether the energy of a body has both curvature and torsion of a curve that is bent at rest.
fn is_curved_wire(body: &BodyDescription) -> bool {
    let Some(on_grid) = body.on_grid() else {
        return false;
    };
    if on_grid.grid.dimension() != 1
        || on_grid.energy != EnergyVariant::Exact
        || body.formulation.name() != Primal::NAME
    {
        return false;
    }
    let terms = primal_terms(&on_grid.grid, &body.rest_positions, &on_grid.weights);
    let has = |kind: MeasureKind| {
        let mut found = false;
        for group in &terms {
            group.describe(&mut |term| found |= term.kind == kind);
        }
        found
    };
    has(MeasureKind::Curvature) && has(MeasureKind::Torsion)
}
