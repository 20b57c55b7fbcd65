//! Which bodies may touch each other, which touch no other, and which touch nothing.

use super::groups::Groups;
use super::island::Island;
use super::island_joints::IslandJoints;

use crate::body::Body;
use crate::joint::Joint;
use glam::DVec3;

/// Acceleration that a body may have unforeseen, in m/s²: what contact of this step may give it is found
/// out when it does.
const UNFORESEEN: f64 = 50.0;

/// Whether a mesh is fixed with all of its nodes and changes by nothing, so that others meet it as an obstacle.
fn stands(body: &Body) -> bool {
    let description = body.description();
    description.mesh().is_some_and(|mesh| mesh.cores.is_empty())
        && description.fixed.iter().all(|fixed| *fixed)
        && description.processes.is_empty()
        && !body.formulation().is_driven()
        && body.state.velocities.iter().all(|v| *v == DVec3::ZERO)
}

impl Island {
    /// Lists bodies that may touch each other within a step that begins at a time and takes so many seconds, or
    /// are joined, group by group, and those that may touch no other.
    pub(crate) fn groups(
        &mut self,
        bodies: &[Body],
        joints: &[Joint],
        [time, step]: [f64; 2],
        groups: &mut Groups,
    ) {
        self.take_places(bodies);
        let mut moving = std::mem::take(&mut self.moving);
        moving.clear();
        let moves = |&index: &usize| {
            let is_joined = || {
                joints
                    .iter()
                    .flat_map(|joint| joint.points())
                    .any(|p| p.body == index)
            };
            bodies[index].quarantine.is_none() && (!stands(&bodies[index]) || is_joined())
        };
        moving.extend((0..bodies.len()).filter(moves));
        self.contact.trial.copy_from_slice(&self.contact.places);
        for &index in &moving {
            let range = self.contact.range_of(index);
            let velocities = &bodies[index].state.velocities;
            self.contact.velocities[range.clone()].copy_from_slice(velocities);
            for (place, velocity) in self.contact.trial[range].iter_mut().zip(velocities) {
                *place += step * *velocity;
            }
        }
        let spare = UNFORESEEN * step * step;
        let joined = IslandJoints::pairs(joints, time);
        self.contact.group(&moving, spare, joined, groups);
        self.moving = moving;
    }

    /// Lists, of bodies that no other touches, those that touch nothing on straight ways from where they are to where
    /// `end` says.
    pub(crate) fn unmet(
        &mut self,
        bodies: &[Body],
        alone: &[usize],
        mut end: impl FnMut(usize, &mut [DVec3]),
        unmet: &mut Vec<usize>,
    ) {
        self.take_places(bodies);
        self.contact.trial.copy_from_slice(&self.contact.places);
        for &index in alone {
            let range = self.contact.range_of(index);
            end(index, &mut self.contact.trial[range]);
        }
        self.contact.unmet(alone, unmet);
    }

    /// What is outside of a group and touched by its bodies.
    pub(crate) fn met_others(&self, group: &[usize]) -> impl Iterator<Item = usize> {
        self.contact.touched_others(group)
    }
}
