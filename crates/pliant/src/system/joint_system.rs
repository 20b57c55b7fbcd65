//! The linear system of bodies that touch or are joined: the matrix and the preconditioner of each body, and
//! what contact and joints couple.

use super::contact_sweeps::ContactSweeps;
use super::island::Member;
use super::links::parts;
use super::mover::Mover;
use super::pair_contact::PairContact;
use super::small_bodies::SmallBodies;
use crate::linear::{CoupledSystem, LinearError};
use glam::DVec3;

/// The linear system of an island.
pub(super) struct JointSystem<'a, 'b> {
    pub(super) members: &'a mut [Member<'b>],
    pub(super) contact: &'a PairContact,
    pub(super) small: &'a mut SmallBodies,
    pub(super) sweeps: &'a mut ContactSweeps,
    pub(super) motion: &'a mut [DVec3],
    pub(super) forces: &'a mut [DVec3],
}

impl CoupledSystem for JointSystem<'_, '_> {
    fn multiply(&mut self, p: &[DVec3], q: &mut [DVec3]) {
        self.motion.fill(DVec3::ZERO);
        self.forces.fill(DVec3::ZERO);
        let mut first = 0;
        for member in self.members.iter() {
            let mover = &member.mover;
            let last = first + mover.direction.len();
            let matrix = mover.unknowns.pattern_of(&mover.matrix);
            matrix.multiply(&p[first..last], &mut q[first..last]);
            let range = self.contact.range_of(member.body);
            let motion = &mut self.motion[range];
            mover.unknowns.spread(&p[first..last], motion);
            for &(node, free) in mover.contact.bounds.held() {
                motion[node as usize] = free * motion[node as usize];
            }
            let range = self.contact.range_of(member.body);
            mover
                .reliefs
                .subtract(&self.motion[range.clone()], &mut self.forces[range]);
            first = last;
        }
        for (nodes, block) in self.contact.links.iter() {
            let all = nodes.iter();
            let sum: DVec3 = all.map(|(node, w)| *w * self.motion[*node as usize]).sum();
            for part in parts(nodes, &self.contact.owners) {
                // The blocks of a part with itself belong to the matrix of its body.
                let entries = part.iter();
                let of_part: DVec3 = entries
                    .map(|(node, w)| *w * self.motion[*node as usize])
                    .sum();
                let force = block * (sum - of_part);
                for &(node, weight) in part {
                    self.forces[node as usize] += weight * force;
                }
            }
        }
        let mut first = 0;
        for member in self.members.iter() {
            let mover = &member.mover;
            let last = first + mover.direction.len();
            let range = self.contact.range_of(member.body);
            let forces = &mut self.forces[range];
            for &(node, free) in mover.contact.bounds.held() {
                forces[node as usize] = free * forces[node as usize];
            }
            mover.unknowns.collect(forces, &mut q[first..last]);
            first = last;
        }
    }

    fn precondition(&mut self, r: &[DVec3], z: &mut [DVec3]) -> Result<(), LinearError> {
        if self.sweeps.is_empty() {
            return precondition_bodies(self.members, self.small, r, z);
        }
        let Self {
            members,
            contact,
            small,
            sweeps,
            motion,
            forces,
        } = self;
        sweeps.before(members, contact, r, forces);
        precondition_bodies(members, small, &sweeps.left, z)?;
        sweeps.after(members, contact, (r, z), motion);
        Ok(())
    }
}

/// The preconditioners of the bodies, side by side.
fn precondition_bodies(
    members: &mut [Member],
    small: &mut SmallBodies,
    r: &[DVec3],
    z: &mut [DVec3],
) -> Result<(), LinearError> {
    let mut first = 0;
    for member in members.iter_mut() {
        let is_served = small.serves(member);
        let Mover {
            unknowns,
            matrix,
            solver,
            direction,
            ..
        } = &mut *member.mover;
        let last = first + direction.len();
        let matrix = unknowns.pattern_of(matrix);
        let rows = first..last;
        match is_served {
            true => z[rows.clone()].copy_from_slice(&r[rows]),
            false => solver.precondition(matrix, &r[rows.clone()], &mut z[rows])?,
        }
        first = last;
    }
    small.solve(r, z)
}
