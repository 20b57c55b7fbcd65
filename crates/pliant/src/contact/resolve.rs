//! Contact after a step, for the schemes that do not solve for it.

use super::{ContactMethod, Contacts, penalty_contact, project};
use crate::body::{BodyDescription, State};
use crate::obstacle::Obstacle;

/// Moves nodes out of the obstacles that a body collides with and applies friction. `step` is the
/// length of the time step in seconds, `distances` scratch memory for one number per node.
pub fn resolve_contacts(
    description: &BodyDescription,
    obstacles: &[Obstacle],
    step: f64,
    state: &mut State,
    distances: &mut [f64],
) -> Contacts {
    let mut all = Contacts::default();
    for &index in &description.collides_with {
        let (settings, obstacle) = (&description.contact, &obstacles[index]);
        let contacts = match settings.method {
            ContactMethod::Projection => project(
                settings,
                obstacle,
                step,
                &description.fixed,
                state,
                distances,
            ),
            ContactMethod::Exponential | ContactMethod::Quadratic => {
                penalty_contact(settings, obstacle, step, description, state)
            }
        };
        all.count += contacts.count;
        all.smallest_distance = all.smallest_distance.min(contacts.smallest_distance);
    }
    all
}
