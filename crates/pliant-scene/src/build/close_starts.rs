//! What is said of bodies that begin closer to each other than half of the thickness of contact.
//!
//! What is nearly that far apart begins well; what is much closer may not be what was meant.

use super::words;
use crate::diagnostics::{SceneError, SceneWarning};
use crate::scene::Scene;
use pliant::World;

/// Pairs of names that a warning has room for.
const MOST_NAMES: usize = 3;

/// What counts as close, by the thickness.
const CLOSE: f64 = 0.5;

/// Which bodies meet each other at less than the thickness, since they begin so close.
pub fn bodies_that_begin_close(scene: &Scene, world: &World) -> Option<SceneWarning> {
    let contact = world.contact.as_ref()?;
    let name = |index: usize| match index.checked_sub(world.bodies.len()) {
        None => &*world.bodies[index].description().name,
        Some(obstacle) => &*world.obstacles[obstacle].name,
    };
    let near = pliant::lowered_ranges(contact, &world.bodies, &world.obstacles);
    let is_close = |known: &&([usize; 2], f64)| known.1 < CLOSE * contact.thickness;
    let mut pairs: Vec<&([usize; 2], f64)> = near.iter().filter(is_close).collect();
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
            "bodies begin closer to each other than half of the thickness of contact, {thickness} m, and meet \
             each other no farther apart until they have parted: {names}{more}"
        ),
        hint: Some("move them apart, or choose a smaller `thickness`".to_owned()),
    })
}
