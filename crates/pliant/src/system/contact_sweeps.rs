//! Sweeps over the nodes that contact and joints couple: what the preconditioners of single bodies do not know.
//!
//! ```text
//! z₁ = (D + L)⁻¹ r,    z₂ = z₁ + B (r - A z₁),    z₃ = z₂ + (D + L)⁻ᵀ (r - A z₂)
//! ```
//!
//! A is the matrix of all bodies with what couples them, B the preconditioners of the bodies side by side. D and
//! L are the diagonal and the lower part of A over the nodes that are coupled: sweeps of Gauss and Seidel before
//! and after, as about nodes that obstacles hold (`linear/stiff_nodes.rs` says why the whole is symmetric and
//! positive definite). Two bodies that press against each other move together easily; B alone takes each of them
//! for held by the other.
//!
//! B is made of matrices in which contact is as stiff as it is to a body whose neighbour gives way
//! ([`ContactSweeps::soften`]): k d / (d + k), with the stiffness d of the neighbour without contact.
//!
//! Which nodes these are, and what couples them, is found by `coupled_nodes.rs`; the motion of nodes outside is
//! taken as it is.

use super::coupled_nodes::{CoupledNodes, End};
use super::island::Member;
use super::pair_contact::PairContact;
use super::small_bodies::SmallBodies;
use super::sweep_rows::SweepRows;
use crate::math::processor::for_this_processor;
use glam::{DMat3, DVec3};

/// Sweeps before and as many after.
const SWEEPS: usize = 2;

/// The sweeps; see the module.
#[derive(Debug, Default)]
pub(super) struct ContactSweeps {
    coupled: CoupledNodes,
    /// The rows of the matrices of their bodies.
    rows: SweepRows,
    /// Inverses of the diagonal blocks.
    inverses: Vec<DMat3>,
    /// Stiffness of each node by contact, and without it: means over directions, in newtons per metre.
    stiffness: Vec<[f64; 2]>,
    /// Blocks as they were before they were softened: member, slot and block.
    softened: Vec<(usize, usize, DMat3)>,
    /// z₁: zero but at nodes that are swept over.
    swept: Vec<DVec3>,
    /// The right side at nodes that are swept over.
    wanted: Vec<DVec3>,
    /// r - A z₁.
    pub(super) left: Vec<DVec3>,
}

impl ContactSweeps {
    /// Whether nothing is coupled.
    pub(super) fn is_empty(&self) -> bool {
        self.coupled.nodes.is_empty()
    }

    /// Finds what is coupled.
    pub(super) fn prepare(
        &mut self,
        members: &[Member],
        contact: &PairContact,
        small: &SmallBodies,
    ) {
        let count = self.coupled.prepare(members, contact, small);
        if self.is_empty() {
            return;
        }
        self.swept.resize(count, DVec3::ZERO);
        self.left.resize(count, DVec3::ZERO);
        self.wanted.resize(self.coupled.nodes.len(), DVec3::ZERO);
        self.measure(members);
    }

    /// Rows and diagonal blocks, and how stiff nodes are by contact and without it.
    fn measure(&mut self, members: &[Member]) {
        let mut stiffness = std::mem::take(&mut self.stiffness);
        stiffness.clear();
        self.inverses.clear();
        self.rows.clear();
        for (place, node) in self.coupled.nodes.iter().enumerate() {
            let mover = &members[node.member as usize].mover;
            let matrix = mover.unknowns.pattern_of(&mover.matrix);
            let first = self.coupled.first[node.member as usize];
            for slot in matrix.row_range(node.row as usize) {
                let unknown = (first + matrix.column(slot)) as u32;
                self.rows.push(unknown, *matrix.block(slot));
            }
            self.rows.end_row();
            let block = matrix.block(matrix.diagonal_slot(node.row as usize));
            let links = self.coupled.links_of(place);
            let pressing: f64 = links
                .map(|(_, block, weight)| weight * weight * mean(block))
                .sum();
            self.inverses.push(block.inverse());
            stiffness.push([pressing, (mean(block) - pressing).max(0.0)]);
        }
        self.stiffness = stiffness;
    }

    /// Makes contact as stiff in the matrices of bodies as it is where the neighbour gives way, until
    /// [`ContactSweeps::harden`].
    pub(super) fn soften(&mut self, members: &mut [Member]) {
        let mut softened = std::mem::take(&mut self.softened);
        softened.clear();
        for (place, node) in self.coupled.nodes.iter().enumerate() {
            let mover = &mut *members[node.member as usize].mover;
            if mover.unknowns.reduced.is_some() {
                continue;
            }
            let mut excess = DMat3::ZERO;
            for (ends, block, weight) in self.coupled.links_of(place) {
                excess += *block * (self.yielding(ends, weight) * weight * weight);
            }
            let slot = mover.matrix.diagonal_slot(node.row as usize);
            softened.push((node.member as usize, slot, *mover.matrix.block(slot)));
            mover.matrix.add_at(slot, -excess);
        }
        self.softened = softened;
    }

    /// The share of the stiffness of a link that the side across from a weight takes away by giving way.
    fn yielding(&self, ends: &[End], weight: f64) -> f64 {
        let across = |end: &&End| !end.is_outside && end.weight * weight < 0.0;
        let shares = ends.iter().filter(across).map(|end| {
            let [by_contact, without] = self.stiffness[end.index as usize];
            end.weight.abs() * by_contact / (by_contact + without).max(f64::MIN_POSITIVE)
        });
        shares.sum::<f64>().min(1.0)
    }

    /// Puts the blocks back that were softened.
    pub(super) fn harden(&mut self, members: &mut [Member]) {
        for (member, slot, block) in self.softened.drain(..) {
            members[member].mover.matrix.blocks_mut()[slot] = block;
        }
    }

    /// The sweeps before: finds z₁, and r - A z₁ in `self.left`. `forces` has room for all vertices.
    pub(super) fn before(
        &mut self,
        members: &[Member],
        contact: &PairContact,
        r: &[DVec3],
        forces: &mut [DVec3],
    ) {
        let mut z = std::mem::take(&mut self.swept);
        for (wanted, node) in self.wanted.iter_mut().zip(&self.coupled.nodes) {
            *wanted = r[node.unknown as usize];
        }
        self.coupled.begin(&z);
        for _ in 0..SWEEPS {
            self.sweep(false, &mut z);
        }
        self.left.copy_from_slice(r);
        for (place, node) in self.coupled.nodes.iter().enumerate() {
            let mover = &members[node.member as usize].mover;
            let matrix = mover.unknowns.pattern_of(&mover.matrix);
            let motion = z[node.unknown as usize];
            let coupled = self.coupled.coupled(place, &z);
            self.left[node.unknown as usize] -= coupled;
            let rows = &mut self.left[self.coupled.first[node.member as usize]..];
            for slot in matrix.row_range(node.row as usize) {
                // The block of the other row is the transposed one.
                let block = matrix.block(slot);
                let axes = [block.x_axis, block.y_axis, block.z_axis];
                let [x, y, z] = axes.map(|axis| axis.dot(motion));
                rows[matrix.column(slot)] -= DVec3::new(x, y, z);
            }
        }
        self.push_outside(members, contact, &z, forces);
        self.swept = z;
    }

    /// Takes what z₁ does to nodes outside from `self.left`.
    fn push_outside(
        &mut self,
        members: &[Member],
        contact: &PairContact,
        z: &[DVec3],
        forces: &mut [DVec3],
    ) {
        for &member in &self.coupled.outside {
            forces[contact.range_of(members[member].body)].fill(DVec3::ZERO);
        }
        for (ends, block) in self.coupled.outer_links() {
            let inner = ends.iter().filter(|end| !end.is_outside);
            let moved: DVec3 = inner
                .map(|end| end.weight * z[self.coupled.nodes[end.index as usize].unknown as usize])
                .sum();
            for end in ends.iter().filter(|end| end.is_outside) {
                forces[end.index as usize] -= end.weight * (*block * moved);
            }
        }
        for &member in &self.coupled.outside {
            let (first, mover) = (self.coupled.first[member], &members[member].mover);
            let forces = &mut forces[contact.range_of(members[member].body)];
            for &(node, free) in mover.contact.bounds.held() {
                forces[node as usize] = free * forces[node as usize];
            }
            let last = first + mover.direction.len();
            mover.unknowns.collect(forces, &mut self.left[first..last]);
        }
    }

    /// The sweeps after: adds z₁ to z = B (r - A z₁), and improves z. `motion` has room for all vertices.
    pub(super) fn after(
        &mut self,
        members: &[Member],
        contact: &PairContact,
        (r, z): (&[DVec3], &mut [DVec3]),
        motion: &mut [DVec3],
    ) {
        for (wanted, node) in self.wanted.iter_mut().zip(&self.coupled.nodes) {
            let first = &mut self.swept[node.unknown as usize];
            z[node.unknown as usize] += *first;
            *first = DVec3::ZERO;
            *wanted = r[node.unknown as usize];
        }
        for &member in &self.coupled.outside {
            let (first, mover) = (self.coupled.first[member], &members[member].mover);
            let last = first + mover.direction.len();
            let motion = &mut motion[contact.range_of(members[member].body)];
            mover.unknowns.spread(&z[first..last], motion);
            for &(node, free) in mover.contact.bounds.held() {
                motion[node as usize] = free * motion[node as usize];
            }
        }
        for (ends, block) in self.coupled.outer_links() {
            let outer = ends.iter().filter(|end| end.is_outside);
            let moved: DVec3 = outer
                .map(|end| end.weight * motion[end.index as usize])
                .sum();
            for end in ends.iter().filter(|end| !end.is_outside) {
                self.wanted[end.index as usize] -= end.weight * (*block * moved);
            }
        }
        self.coupled.begin(z);
        for _ in 0..SWEEPS {
            self.sweep(true, z);
        }
    }

    /// Solves for the motion of one node after the other, with all others as they are.
    fn sweep(&mut self, goes_back: bool, z: &mut [DVec3]) {
        let (rows, inverses) = (&self.rows, &self.inverses);
        sweep(
            goes_back,
            rows,
            inverses,
            &self.wanted,
            &mut self.coupled,
            z,
        );
    }
}

for_this_processor! {
    fn sweep(
        goes_back: bool,
        rows: &SweepRows,
        inverses: &[DMat3],
        wanted: &[DVec3],
        coupled: &mut CoupledNodes,
        z: &mut [DVec3],
    ) {
        let count = coupled.nodes.len();
        for step in 0..count {
            let place = if goes_back { count - 1 - step } else { step };
            let answer = rows.product(place, z) + coupled.coupled(place, z);
            let by = inverses[place] * (wanted[place] - answer);
            z[coupled.nodes[place].unknown as usize] += by;
            coupled.moved(place, by);
        }
    }
}

/// A third of the trace.
fn mean(block: &DMat3) -> f64 {
    (block.x_axis.x + block.y_axis.y + block.z_axis.z) / 3.0
}
