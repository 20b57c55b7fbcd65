//! Whether the bodies of a scene begin outside of the obstacles that they collide with.

use super::{Builder, words};
use pliant::obstacle::Obstacle;

/// Depth at the start that contact lets out gently, by the size of the body.
const TOLERATED: f64 = 0.03;

impl Builder<'_> {
    /// Refuses bodies that begin inside an obstacle. A particle inside has no side to be let out to:
    /// it would be thrown out where the surface is nearest.
    pub(super) fn check_starts(&mut self, bodies: &[pliant::Body], obstacles: &[Obstacle]) {
        for (body, scene) in bodies.iter().zip(&self.scene.bodies) {
            for &index in &body.description().collides_with {
                let obstacle = &obstacles[index];
                let Some((count, node, depth)) = deepest(body, obstacle) else {
                    continue;
                };
                if depth <= TOLERATED * body.size() {
                    continue;
                }
                let place = words::place(body.state.positions[node]);
                let message = format!(
                    "the body starts {} m inside the obstacle \"{}\": {count} of its {} particles, \
                     the deepest at {place}",
                    words::metres(depth),
                    obstacle.name,
                    body.node_count(),
                );
                let hint = "move the body or the obstacle, or leave out the <Bind type=\"Collision\"> \
                            between them";
                let element = format!("<Body id=\"{}\">", scene.id);
                self.refuse(scene.location, element, message, Some(hint));
            }
        }
    }
}

/// The number of particles that move and are inside an obstacle, the deepest of them and its depth in
/// metres.
fn deepest(body: &pliant::Body, obstacle: &Obstacle) -> Option<(usize, usize, f64)> {
    let fixed = &body.description().fixed;
    let touching = body.description().touching_count();
    let depths = body.state.positions[..touching].iter().enumerate();
    let depths = depths.map(|(node, position)| (node, -obstacle.distance(*position)));
    let inside = depths.filter(|&(node, depth)| depth > 0.0 && !fixed[node]);
    inside.fold(None, |found, (node, depth)| match found {
        Some((count, deepest, most)) if most >= depth => Some((count + 1, deepest, most)),
        Some((count, ..)) => Some((count + 1, node, depth)),
        None => Some((1, node, depth)),
    })
}
