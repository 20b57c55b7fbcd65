//! The rigid bodies of a group, with all that contact and joints couple between them, as one matrix with a
//! Cholesky factor.
//!
//! A conjugate gradient that is preconditioned body by body passes a force on from body to body, one joint an
//! iteration: a chain of twenty links took thousands. Over four control points a body the whole is small enough
//! to be factorised. The pattern is that of the couplings that are there; it is analysed anew where they change.

use super::island::Member;
use super::links::parts;
use super::pair_contact::PairContact;
use crate::linear::{BlockMatrix, BlockSolver, LinearError, SolverKind, SolverSettings};
use glam::DVec3;

/// More rigid bodies are left to the conjugate gradient.
const MOST: usize = 400;

/// See the module.
#[derive(Default)]
pub(super) struct RigidCouplings {
    /// Where the control points of each rigid body are among all unknowns.
    rows: Vec<usize>,
    /// The number of each body of the world among the rigid ones.
    numbers: Vec<Option<u32>>,
    /// Which rigid bodies are coupled.
    pairs: Vec<[u32; 2]>,
    /// The same of the factor.
    known: Vec<[u32; 2]>,
    factor: Option<(BlockMatrix, BlockSolver)>,
    is_ready: bool,
    /// Scratch memory: the parts of one coupling, and both sides of a solve.
    ends: Vec<(u32, [f64; 4])>,
    right_side: Vec<DVec3>,
    solution: Vec<DVec3>,
}

impl RigidCouplings {
    /// Takes in the matrices of rigid bodies and what couples them. Without couplings, or without a factor,
    /// nothing is ready.
    pub(super) fn prepare(&mut self, members: &[Member], contact: &PairContact) {
        self.is_ready = false;
        self.number(members);
        if self.rows.len() < 2 || self.rows.len() > MOST {
            return;
        }
        self.pairs.clear();
        for (nodes, _) in contact.links.iter() {
            self.take_ends(nodes, members, contact);
            for (k, (a, _)) in self.ends.iter().enumerate() {
                let others = self.ends[..k].iter().filter(|(b, _)| a != b);
                self.pairs
                    .extend(others.map(|(b, _)| [*a.min(b), *a.max(b)]));
            }
        }
        self.pairs.sort_unstable();
        self.pairs.dedup();
        if self.pairs.is_empty() {
            return;
        }
        self.analyse();
        self.fill(members, contact);
        if let Some((matrix, solver)) = &mut self.factor {
            self.is_ready = solver.prepare(matrix).is_ok();
        }
    }

    /// Finds the rigid bodies that forces move.
    fn number(&mut self, members: &[Member]) {
        self.rows.clear();
        self.numbers.clear();
        let mut first = 0;
        for member in members {
            let mover = &member.mover;
            self.numbers.resize(member.body + 1, None);
            if mover.freedom.is_some() {
                self.numbers[member.body] = Some(self.rows.len() as u32);
                self.rows.push(first + mover.unknowns.first_control());
            }
            first += mover.direction.len();
        }
    }

    /// The rigid bodies of a coupling, with the weights of their control points.
    fn take_ends(&mut self, nodes: &[(u32, f64)], members: &[Member], contact: &PairContact) {
        self.ends.clear();
        for part in parts(nodes, &contact.owners) {
            let body = contact.features.body_of[part[0].0 as usize] as usize;
            let Some(number) = self.numbers.get(body).copied().flatten() else {
                continue;
            };
            let Ok(place) = members.binary_search_by(|member| member.body.cmp(&body)) else {
                continue;
            };
            let rest = &contact.features.rest;
            let part = part.iter().map(|(vertex, w)| (rest[*vertex as usize], *w));
            let weights = members[place].mover.unknowns.free_controls(0, part);
            self.ends.push((number, weights));
        }
    }

    /// Finds the pattern of the factor, if couplings are not those it has.
    fn analyse(&mut self) {
        let count = 4 * self.rows.len();
        let fits = |(matrix, _): &(BlockMatrix, BlockSolver)| matrix.node_count() == count;
        if self.known == self.pairs && self.factor.as_ref().is_some_and(fits) {
            return;
        }
        let own = (0..self.rows.len() as u32).map(|k| [k, k]);
        let all = own.chain(self.pairs.iter().copied());
        let couplings = all.flat_map(|[a, b]| {
            (0..16).map(move |k| (4 * a as usize + k / 4, 4 * b as usize + k % 4))
        });
        let matrix = BlockMatrix::new(count, couplings);
        let settings = SolverSettings {
            kind: SolverKind::Cholesky,
            ..SolverSettings::default()
        };
        let solver = BlockSolver::new(settings, &matrix);
        self.factor = Some((matrix, solver));
        self.known.clone_from(&self.pairs);
    }

    fn fill(&mut self, members: &[Member], contact: &PairContact) {
        let Some((mut matrix, solver)) = self.factor.take() else {
            return;
        };
        matrix.clear();
        let mut number = 0;
        for member in members {
            let mover = &member.mover;
            if mover.freedom.is_none() {
                continue;
            }
            let own = mover.unknowns.pattern_of(&mover.matrix);
            let first = mover.unknowns.first_control();
            for (row, column) in (0..16).map(|k| (k / 4, k % 4)) {
                if let Some(slot) = own.slot(first + row, first + column) {
                    matrix.add(4 * number + row, 4 * number + column, *own.block(slot));
                }
            }
            number += 1;
        }
        for (nodes, block) in contact.links.iter() {
            self.take_ends(nodes, members, contact);
            for (a, left) in &self.ends {
                for (b, right) in self.ends.iter().filter(|(b, _)| a != b) {
                    for (row, column) in (0..16).map(|k| (k / 4, k % 4)) {
                        let weight = left[row] * right[column];
                        let (row, column) = (4 * *a as usize + row, 4 * *b as usize + column);
                        matrix.add(row, column, block * weight);
                    }
                }
            }
        }
        self.factor = Some((matrix, solver));
    }

    /// Solves for the control points of rigid bodies; leaves the others as they are.
    pub(super) fn solve(&mut self, r: &[DVec3], z: &mut [DVec3]) -> Result<(), LinearError> {
        let Some((matrix, solver)) = self.factor.as_mut().filter(|_| self.is_ready) else {
            return Ok(());
        };
        self.right_side.clear();
        for &row in &self.rows {
            self.right_side.extend_from_slice(&r[row..row + 4]);
        }
        self.solution.clear();
        self.solution.resize(self.right_side.len(), DVec3::ZERO);
        solver.solve(matrix, None, &self.right_side, &mut self.solution)?;
        for (row, found) in self.rows.iter().zip(self.solution.chunks(4)) {
            z[*row..row + 4].copy_from_slice(found);
        }
        Ok(())
    }

    /// Whether it solves for a body, by its place among the members.
    pub(super) fn serves(&self, member: &Member) -> bool {
        self.is_ready && member.mover.freedom.is_some()
    }
}
