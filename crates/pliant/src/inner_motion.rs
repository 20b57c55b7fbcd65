//! The part of a motion that is not that of a rigid body.

use crate::body::{BodyDescription, State};
use crate::rigid_motion::RigidMotion;
use glam::DVec3;

/// The velocity of a node beside the rigid motion. What holds a body takes its momenta: then all of it.
fn inner_velocity(rigid: &RigidMotion, is_free: bool, x: DVec3, v: DVec3) -> DVec3 {
    if is_free { v - rigid.velocity_at(x) } else { v }
}

fn is_free(description: &BodyDescription) -> bool {
    !description.fixed.contains(&true)
}

/// Kinetic energy of the motion that is not rigid, in joules.
pub(crate) fn inner_energy(description: &BodyDescription, state: &State) -> f64 {
    let masses = &description.masses;
    let (rigid, is_free) = (RigidMotion::of(masses, state), is_free(description));
    let nodes = masses.iter().zip(&state.positions).zip(&state.velocities);
    let of_node = |((m, x), v): ((&f64, &DVec3), &DVec3)| {
        0.5 * m * inner_velocity(&rigid, is_free, *x, *v).length_squared()
    };
    nodes.map(of_node).sum()
}

/// Leaves a share of the velocities that are not rigid; momenta stay as they are.
pub(crate) fn calm(description: &BodyDescription, state: &mut State, share: f64) {
    let rigid = RigidMotion::of(&description.masses, state);
    let is_free = is_free(description);
    for (x, v) in state.positions.iter().zip(&mut state.velocities) {
        *v -= (1.0 - share) * inner_velocity(&rigid, is_free, *x, *v);
    }
}
