//! What is said of curved wires whose formulation knows no material frame.

use crate::diagnostics::{SceneError, SceneWarning};
use crate::scene::Scene;
use pliant::elastic::{MeasureKind, primal_terms};
use pliant::formulation::Primal;
use pliant::{BodyDescription, EnergyVariant, World};

/// A warning for each primal curve that is bent at rest and resists torsion. Its centre line alone says how
/// its material turns about it, so that it cannot bend out of the plane of its curvature without turning.
pub fn wires_without_frames(scene: &Scene, world: &World) -> Vec<SceneWarning> {
    let built = || world.bodies.iter().map(pliant::Body::description);
    let of = |id: &str| built().find(|built| *built.name == *id);
    let curved = scene.bodies.iter();
    let curved = curved.filter(|body| of(&body.id).is_some_and(is_curved_wire));
    curved
        .map(|body| SceneError {
            line: body.location.line,
            column: body.location.column,
            element: format!("<Body id=\"{}\">", body.id),
            attribute: None,
            message: "a curved wire without a material frame is several times too stiff out of its plane \
                      (a quarter of a circle 2.7 times, a shorter arc more)"
                .to_owned(),
            hint: Some("take formulation=\"Rod\" for it, unless it moves in its plane alone".to_owned()),
        })
        .collect()
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
