//! What is said of bodies that begin closer to each other than half of the thickness of contact.

use super::words;
use crate::diagnostics::{SceneError, SceneWarning};
use crate::scene::Scene;
use pliant::World;

/// Pairs of names that a warning has room for.
const MOST_NAMES: usize = 3;

/// Which bodies push each other apart when they begin, since they begin so close.
pub fn bodies_that_begin_close(scene: &Scene, world: &World) -> Option<SceneWarning> {
    let contact = world.contact.as_ref()?;
    let name = |index: usize| match index.checked_sub(world.bodies.len()) {
        None => &*world.bodies[index].description().name,
        Some(obstacle) => &*world.obstacles[obstacle].name,
    };
    let near = pliant::lowered_ranges(contact, &world.bodies, &world.obstacles);
    let mut pairs: Vec<&([usize; 2], f64)> = near.iter().collect();
    pairs.sort_by(|a, b| a.1.total_cmp(&b.1));
    let say = |&&([a, b], range): &&([usize; 2], f64)| match a == b {
        true => format!("\"{}\" with itself (about {range:.1e} m)", name(a)),
        false => format!("\"{}\" and \"{}\" (about {range:.1e} m)", name(a), name(b)),
    };
    let names: Vec<String> = pairs.iter().take(MOST_NAMES).map(say).collect();
    let more = match pairs.len() {
        0 => return None,
        count if count > MOST_NAMES => format!(", and {} more pairs", count - MOST_NAMES),
        _ => String::new(),
    };
    let thickness = words::metres(contact.thickness);
    let names = names.join(", ");
    Some(SceneError {
        line: scene.contact_location.line,
        column: scene.contact_location.column,
        element: "<Contact>".to_owned(),
        attribute: None,
        message: format!(
            "bodies begin closer to each other than half of the thickness of contact, {thickness} m, and are \
             pushed apart: {names}{more}"
        ),
        hint: Some("move them apart, or choose a smaller `thickness`".to_owned()),
    })
}
