//! Contact after a step, for the schemes that do not solve for it.

use super::projection::MovedNodes;
use super::{ContactMethod, ContactSettings, Contacts, penalty_contact, project};
use crate::obstacle::Obstacle;

/// Moves nodes out of obstacles and applies friction. `step` is the length of the time step in
/// seconds, `distances` scratch memory for one number per node.
pub fn resolve_contacts<'a>(
    settings: &ContactSettings,
    obstacles: impl Iterator<Item = &'a Obstacle>,
    step: f64,
    nodes: &mut MovedNodes,
    distances: &mut [f64],
) -> Contacts {
    let mut all = Contacts::default();
    for obstacle in obstacles {
        let contacts = match settings.method {
            ContactMethod::Projection => project(settings, obstacle, step, nodes, distances),
            ContactMethod::Exponential | ContactMethod::Quadratic => {
                penalty_contact(settings, obstacle, step, nodes)
            }
        };
        all.count += contacts.count;
        all.friction_loss += contacts.friction_loss;
        all.smallest_distance = all.smallest_distance.min(contacts.smallest_distance);
    }
    all
}
