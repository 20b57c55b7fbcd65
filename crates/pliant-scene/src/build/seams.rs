//! Warnings of meshes from files that fall apart: nodes that lie in one place, but are not one node.

use crate::Scene;
use crate::diagnostics::{SceneError, SceneWarning};
use crate::scene::{MeshSource, Process};
use pliant::World;
use pliant::mesh::nodes_in_one_place;

/// A warning for each body over a mesh of a file some nodes of which lie where others do. Bodies that
/// can break have such nodes of themselves.
pub fn open_seams(scene: &Scene, world: &World) -> Vec<SceneWarning> {
    let breaks = |process: &Process| process.kind.word.name == "Fracture";
    let bodies = scene.bodies.iter();
    let bodies = bodies.filter(|body| !body.processes.iter().any(breaks));
    bodies
        .filter_map(|body| {
            let mesh = &body.mesh.as_ref()?.mesh;
            if !matches!(mesh.source, MeshSource::File { .. }) {
                return None;
            }
            let mut built = world.bodies.iter().map(pliant::Body::description);
            let built = built.find(|built| *built.name == *body.id)?;
            let (count, place) = nodes_in_one_place(&built.rest_positions)?;
            let [x, y, z] = place.to_array();
            Some(SceneError {
                line: mesh.location.line,
                column: mesh.location.column,
                element: format!("<Body id=\"{}\"><Mesh>", body.id),
                attribute: Some("file".to_owned()),
                message: format!(
                    "{count} nodes lie where others do (one at [{x:.6}, {y:.6}, {z:.6}]) and are not \
                     connected: the body comes apart there"
                ),
                hint: Some(
                    "weld (merge by distance) its vertices in the program that made it, unless it is \
                     cut there"
                        .to_owned(),
                ),
            })
        })
        .collect()
}
