//! Bodies by what they may touch within a step, and the memory of steps that they take together.

use super::island::Member;
use crate::body::Effort;
use crate::contact::Contacts;

/// Scratch memory of steps of bodies that move together.
#[derive(Default)]
pub(crate) struct Together {
    pub(crate) groups: Groups,
    pub(crate) free: FreeLists,
    /// Empty between steps.
    pub(crate) members: Vec<Member<'static>>,
}

/// Scratch memory for bodies that touch nothing.
#[derive(Default)]
pub(crate) struct FreeLists {
    /// Whether a joint holds each body.
    pub(crate) is_held: Vec<bool>,
    /// Bodies that may be tried.
    pub(crate) whole: Vec<usize>,
    /// Those that meet nothing.
    pub(crate) unmet: Vec<usize>,
    /// What the attempts took.
    pub(crate) tried: Vec<(usize, (Effort, Contacts))>,
}

/// Lists of bodies that move as one system, one after the other, and those that may touch no other. It is kept from
/// step to step for its memory.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    /// The bodies of all groups, ascending in each.
    bodies: Vec<usize>,
    /// Where each group ends in that list.
    ends: Vec<usize>,
    /// Those that may touch no other, ascending.
    pub(crate) alone: Vec<usize>,
    /// To each body one of lower number in its group, or itself.
    lower: Vec<usize>,
    /// Bodies that move, ordered by groups.
    ordered: Vec<usize>,
}

impl Groups {
    /// Begins anew: each body for itself.
    pub(super) fn begin(&mut self, count: usize) {
        self.lower.clear();
        self.lower.extend(0..count);
        self.bodies.clear();
        self.ends.clear();
        self.alone.clear();
    }

    /// The lowest number in the group of a body.
    fn lowest(lower: &[usize], mut body: usize) -> usize {
        while lower[body] != body {
            body = lower[body];
        }
        body
    }

    /// Puts two bodies into one group.
    pub(super) fn connect(&mut self, ends: [usize; 2]) {
        let [a, b] = ends.map(|body| Self::lowest(&self.lower, body));
        self.lower[a.max(b)] = a.min(b);
    }

    /// Lists the groups of bodies that move.
    pub(super) fn list(&mut self, moving: &[usize]) {
        let lower = &self.lower;
        let of_group = |body: &usize| (Self::lowest(lower, *body), *body);
        self.ordered.clear();
        self.ordered.extend_from_slice(moving);
        self.ordered.sort_unstable_by_key(of_group);
        let is_same = |a: &usize, b: &usize| of_group(a).0 == of_group(b).0;
        for group in self.ordered.chunk_by(is_same) {
            if let [body] = group {
                self.alone.push(*body);
            } else {
                self.bodies.extend_from_slice(group);
                self.ends.push(self.bodies.len());
            }
        }
    }

    /// Makes one more group of those that are left alone.
    pub(crate) fn join_alone(&mut self) {
        if !self.alone.is_empty() {
            self.bodies.append(&mut self.alone);
            self.ends.push(self.bodies.len());
        }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The bodies of one, ascending.
    pub(crate) fn group(&self, index: usize) -> &[usize] {
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.bodies[start..self.ends[index]]
    }

    /// Adds the bodies of a group to one that stands before it.
    pub(crate) fn merge(&mut self, index: usize, later: usize) {
        let count = self.group(later).len();
        let (start, end) = (self.ends[later] - count, self.ends[later]);
        let at = self.ends[index];
        self.bodies[at..end].rotate_right(count);
        self.ends.remove(later);
        self.ends[index..later]
            .iter_mut()
            .for_each(|end| *end += count);
        debug_assert!(at <= start);
        let first = self.ends[index] - self.group(index).len();
        self.bodies[first..self.ends[index]].sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(groups: &Groups) -> Vec<Vec<usize>> {
        let each = (0..groups.len()).map(|index| groups.group(index).to_vec());
        each.collect()
    }

    #[test]
    fn bodies_are_listed_by_what_connects_them() {
        let mut groups = Groups::default();
        for _ in 0..2 {
            groups.begin(8);
            for ends in [[1, 6], [2, 4], [6, 3], [3, 1]] {
                groups.connect(ends);
            }
            // 5 stands.
            groups.list(&[0, 1, 2, 3, 4, 6, 7]);
            assert_eq!(lists(&groups), [vec![1, 3, 6], vec![2, 4]]);
            assert_eq!(groups.alone, [0, 7]);
            groups.join_alone();
            assert_eq!(lists(&groups), [vec![1, 3, 6], vec![2, 4], vec![0, 7]]);
            groups.merge(0, 2);
            assert_eq!(lists(&groups), [vec![0, 1, 3, 6, 7], vec![2, 4]]);
            groups.merge(0, 1);
            assert_eq!(lists(&groups), [vec![0, 1, 2, 3, 4, 6, 7]]);
        }
    }
}
