//! The bodies of a group that have few unknowns, with all that contact and joints couple between them, as one
//! matrix with a Cholesky factor.
//!
//! A conjugate gradient that is preconditioned body by body passes a force on from body to body, one coupling per
//! iteration: a chain of twenty rigid links took thousands, an arch of twenty-five soft blocks seventy. Over the
//! four control points of rigid bodies and the few nodes of small soft ones the whole is cheap to factorise. The
//! pattern is that of the couplings of a step so far; what a step begins with is that of its first couplings, so
//! that a restored run goes on with the same bits.

use super::island::Member;
use super::links::parts;
use super::pair_contact::PairContact;
use crate::linear::{BlockMatrix, BlockSolver, LinearError, SolverKind, SolverSettings};
use glam::{DMat3, DVec3};

/// More unknowns in all are left to the conjugate gradient, and so are soft bodies with more nodes.
const MOST: usize = 1600;
const FEW: usize = 27;

/// A body in the factor.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Served {
    /// Its place in the world.
    body: usize,
    /// Where its unknowns begin among those of all bodies, among its own, and in the factor.
    first: usize,
    within: usize,
    row: usize,
    count: usize,
}

/// Unknowns that a coupling moves: the control points of a rigid body, or a node.
#[derive(Clone, Copy, Debug)]
struct End {
    /// What belongs to one part of a coupling is coupled in the matrix of its body.
    part: usize,
    /// Where they begin in the factor.
    row: usize,
    /// One for each unknown.
    weights: [f64; 4],
    count: usize,
    /// Where an obstacle lets it go.
    free: Option<DMat3>,
}

/// See the module.
#[derive(Default)]
pub(super) struct SmallBodies {
    served: Vec<Served>,
    /// The place of each body of the world among them.
    numbers: Vec<Option<u32>>,
    /// What is coupled, by the rows of the first unknowns.
    pairs: Vec<[u32; 2]>,
    /// What the factor is for, and whether that was found in this step.
    known: (Vec<Served>, Vec<[u32; 2]>),
    is_of_step: bool,
    factor: Option<(BlockMatrix, BlockSolver)>,
    is_ready: bool,
    /// The ends of all couplings, and where those of each end.
    ends: Vec<End>,
    last_ends: Vec<u32>,
    /// Scratch memory: both sides of a solve.
    right_side: Vec<DVec3>,
    solution: Vec<DVec3>,
}

/// Whether a soft body has few nodes, which are its unknowns.
fn is_small(member: &Member) -> bool {
    let mover = &member.mover;
    let unknowns = &mover.unknowns;
    unknowns.cores.is_empty()
        && unknowns.tied.is_none()
        && mover.reliefs.is_empty()
        && mover.direction.len() <= FEW
}

/// Whether all of `pairs` are in `known`; both are sorted.
fn has_all(known: &[[u32; 2]], pairs: &[[u32; 2]]) -> bool {
    pairs.iter().all(|pair| known.binary_search(pair).is_ok())
}

impl SmallBodies {
    pub(super) fn begin_step(&mut self) {
        self.is_of_step = false;
    }

    /// Takes in the matrices of small bodies and what couples them. Without couplings, or without a factor,
    /// nothing is ready.
    pub(super) fn prepare(&mut self, members: &[Member], contact: &PairContact) {
        self.is_ready = false;
        self.number(members);
        let rows = self.served.last().map_or(0, |last| last.row + last.count);
        if self.served.len() < 2 || rows > MOST {
            return;
        }
        self.pairs.clear();
        self.ends.clear();
        self.last_ends.clear();
        for (nodes, _) in contact.links.iter() {
            let first = self.ends.len();
            self.take_ends(nodes, members, contact);
            self.last_ends.push(self.ends.len() as u32);
            let ends = &self.ends[first..];
            for (k, end) in ends.iter().enumerate() {
                let others = ends[..k].iter().filter(|other| other.part != end.part);
                let rows = others.map(|other| [other.row, end.row]);
                let rows = rows.map(|[a, b]| [a.min(b) as u32, a.max(b) as u32]);
                for pair in rows {
                    // Two faces that touch do so by many pairs.
                    if self.pairs.last() != Some(&pair) {
                        self.pairs.push(pair);
                    }
                }
            }
        }
        // As one number each: there are many of them.
        self.pairs
            .sort_unstable_by_key(|[a, b]| u64::from(*a) << 32 | u64::from(*b));
        self.pairs.dedup();
        if self.pairs.is_empty() {
            return;
        }
        self.analyse(members, rows);
        self.fill(members, contact);
        if let Some((matrix, solver)) = &mut self.factor {
            self.is_ready = solver.prepare(matrix).is_ok();
        }
    }

    /// Finds the bodies that belong to the factor.
    fn number(&mut self, members: &[Member]) {
        self.served.clear();
        self.numbers.clear();
        let (mut first, mut row) = (0, 0);
        for member in members {
            let mover = &member.mover;
            self.numbers.resize(member.body + 1, None);
            let (within, count) = match mover.freedom {
                Some(_) => (mover.unknowns.first_control(), 4),
                None if is_small(member) => (0, mover.direction.len()),
                None => (0, 0),
            };
            if count > 0 {
                self.numbers[member.body] = Some(self.served.len() as u32);
                self.served.push(Served {
                    body: member.body,
                    first: first + within,
                    within,
                    row,
                    count,
                });
                row += count;
            }
            first += mover.direction.len();
        }
    }

    fn served(&self, body: usize) -> Option<&Served> {
        let number = self.numbers.get(body).copied().flatten()?;
        self.served.get(number as usize)
    }

    /// Adds the unknowns of a coupling that belong to the factor, with their weights.
    fn take_ends(&mut self, nodes: &[(u32, f64)], members: &[Member], contact: &PairContact) {
        let mut ends = std::mem::take(&mut self.ends);
        for (number, part) in parts(nodes, &contact.owners).enumerate() {
            let (vertex, weight) = part[0];
            let body = contact.features.body_of[vertex as usize] as usize;
            let Some(served) = self.served(body) else {
                continue;
            };
            let Ok(place) = members.binary_search_by(|member| member.body.cmp(&body)) else {
                continue;
            };
            let mover = &members[place].mover;
            let mut end = End {
                part: number,
                row: served.row,
                weights: [weight, 0.0, 0.0, 0.0],
                count: 1,
                free: None,
            };
            if mover.freedom.is_some() {
                let rest = &contact.features.rest;
                let part = part.iter().map(|(vertex, w)| (rest[*vertex as usize], *w));
                end.weights = mover.unknowns.free_controls(0, part);
                end.count = 4;
            } else {
                let node = vertex as usize - contact.range_of(body).start;
                if !mover.unknowns.is_independent(node) {
                    continue;
                }
                let mut held = mover.contact.bounds.held().iter();
                let held = held.find(|(held, _)| *held as usize == node);
                end.row += node;
                end.free = held.map(|(_, free)| *free);
            }
            ends.push(end);
        }
        self.ends = ends;
    }

    /// Finds the pattern of the factor, if the one it has does not do.
    fn analyse(&mut self, members: &[Member], rows: usize) {
        let (bodies, pairs) = &mut self.known;
        let fits = *bodies == self.served
            && match self.is_of_step {
                true => has_all(pairs, &self.pairs),
                false => *pairs == self.pairs,
            };
        if fits && self.factor.is_some() {
            self.is_of_step = true;
            return;
        }
        if self.is_of_step && *bodies == self.served {
            pairs.extend_from_slice(&self.pairs);
            pairs.sort_unstable();
            pairs.dedup();
        } else {
            bodies.clone_from(&self.served);
            pairs.clone_from(&self.pairs);
        }
        self.is_of_step = true;
        let mut couplings: Vec<(usize, usize)> = Vec::new();
        for (served, member) in self.each(members) {
            let pattern = member.mover.unknowns.pattern_of(&member.mover.matrix);
            for (row, column, _) in entries(served, pattern) {
                couplings.push((served.row + row, served.row + column));
            }
        }
        // A rigid body is coupled as a whole.
        let mut sizes = vec![1; rows];
        for (served, member) in self.each(members) {
            if member.mover.freedom.is_some() {
                sizes[served.row] = served.count;
            }
        }
        for [a, b] in self.known.1.iter().map(|pair| pair.map(|row| row as usize)) {
            let all = (0..sizes[a]).flat_map(|i| (0..sizes[b]).map(move |j| (a + i, b + j)));
            couplings.extend(all);
        }
        let matrix = BlockMatrix::new(rows, couplings.into_iter());
        let settings = SolverSettings {
            kind: SolverKind::Cholesky,
            ..SolverSettings::default()
        };
        let solver = BlockSolver::new(settings, &matrix);
        self.factor = Some((matrix, solver));
    }

    /// The bodies of the factor.
    fn each<'a, 'b>(
        &'a self,
        members: &'a [Member<'b>],
    ) -> impl Iterator<Item = (&'a Served, &'a Member<'b>)> {
        let is_served = |member: &&Member| self.served(member.body).is_some();
        self.served.iter().zip(members.iter().filter(is_served))
    }

    fn fill(&mut self, members: &[Member], contact: &PairContact) {
        let Some((mut matrix, solver)) = self.factor.take() else {
            return;
        };
        matrix.clear();
        for (served, member) in self.each(members) {
            let pattern = member.mover.unknowns.pattern_of(&member.mover.matrix);
            for (row, column, slot) in entries(served, pattern) {
                matrix.add(served.row + row, served.row + column, *pattern.block(slot));
            }
        }
        let mut first = 0;
        for ((_, block), &last) in contact.links.iter().zip(&self.last_ends) {
            let ends = &self.ends[first..last as usize];
            first = last as usize;
            for a in ends {
                for b in ends.iter().filter(|b| b.part != a.part) {
                    add_coupling(&mut matrix, a, b, block);
                }
            }
        }
        self.factor = Some((matrix, solver));
    }

    /// Solves for the unknowns of small bodies; leaves the others as they are.
    pub(super) fn solve(&mut self, r: &[DVec3], z: &mut [DVec3]) -> Result<(), LinearError> {
        let Some((matrix, solver)) = self.factor.as_mut().filter(|_| self.is_ready) else {
            return Ok(());
        };
        self.right_side.clear();
        for served in &self.served {
            let range = served.first..served.first + served.count;
            self.right_side.extend_from_slice(&r[range]);
        }
        self.solution.clear();
        self.solution.resize(self.right_side.len(), DVec3::ZERO);
        solver.solve(matrix, None, &self.right_side, &mut self.solution)?;
        for served in &self.served {
            let found = &self.solution[served.row..served.row + served.count];
            z[served.first..served.first + served.count].copy_from_slice(found);
        }
        Ok(())
    }

    /// Whether it solves for a body.
    pub(super) fn serves(&self, member: &Member) -> bool {
        self.is_ready && self.served(member.body).is_some()
    }
}

/// Adds what a block couples two ends of a coupling with. The unknowns of an end stand side by side.
fn add_coupling(matrix: &mut BlockMatrix, a: &End, b: &End, block: DMat3) {
    let mut block = block;
    if let Some(free) = a.free {
        block = free * block;
    }
    if let Some(free) = b.free {
        block *= free;
    }
    for (i, left) in a.weights[..a.count].iter().enumerate() {
        let Some(slot) = matrix.slot(a.row + i, b.row) else {
            panic!("rows {} and {} are not coupled", a.row + i, b.row);
        };
        for (j, right) in b.weights[..b.count].iter().enumerate() {
            matrix.add_at(slot + j, block * (left * right));
        }
    }
}

/// Rows, columns and slots of the blocks of a body in its matrix.
fn entries<'a>(
    served: &Served,
    matrix: &'a BlockMatrix,
) -> impl Iterator<Item = (usize, usize, usize)> + use<'a> {
    let Served { within, count, .. } = *served;
    (0..count).flat_map(move |row| {
        let slots = matrix.row_range(within + row);
        slots.filter_map(move |slot| {
            let column = matrix.column(slot).checked_sub(within)?;
            (column < count).then_some((row, column, slot))
        })
    })
}
