//! How many numbers a sparse Cholesky factor will have, found without computing or storing it, so
//! that a system that would not fit in memory can be refused before it is built.
//!
//! The unknowns are ordered by nested dissection by place, as the solvers order theirs. The
//! elimination tree and the counts of the columns of L follow from the pattern alone, in time
//! little more than its length.
//!
//! Implements: the elimination tree of \[Liu1990\]; the column counts of \[Gilbert1994\].

use glam::DVec3;

/// Parts of at most so many nodes are numbered as they lie.
const SMALLEST_PART: usize = 24;

const NONE: u32 = u32::MAX;

/// Which nodes are coupled: the neighbours of node i are `neighbours[starts[i]..starts[i + 1]]`.
/// Couplings go both ways; a node may stand among its own neighbours.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Couplings {
    /// Where the neighbours of each node begin; one more than there are nodes.
    pub starts: Vec<u32>,
    /// The neighbours of all nodes, one node after the other.
    pub neighbours: Vec<u32>,
}

impl Couplings {
    /// Couples all nodes of each group with each other; `None` if there are more than 2^32
    /// couplings.
    pub fn of_groups<'a>(
        node_count: usize,
        groups: impl Iterator<Item = &'a [u32]> + Clone,
    ) -> Option<Self> {
        // First the groups of each node, then their nodes, each once.
        let mut group_starts = vec![0u32; node_count + 1];
        for group in groups.clone() {
            for &node in group {
                group_starts[node as usize + 1] += 1;
            }
        }
        for node in 0..node_count {
            group_starts[node + 1] = group_starts[node + 1].checked_add(group_starts[node])?;
        }
        let mut at = group_starts.clone();
        let mut groups_of = vec![0u32; group_starts[node_count] as usize];
        for (index, group) in groups.clone().enumerate() {
            for &node in group {
                groups_of[at[node as usize] as usize] = u32::try_from(index).ok()?;
                at[node as usize] += 1;
            }
        }
        let groups: Vec<&[u32]> = groups.collect();
        let (mut starts, mut neighbours) = (vec![0u32], Vec::new());
        let mut seen_from = vec![NONE; node_count];
        for node in 0..node_count {
            let range = group_starts[node] as usize..group_starts[node + 1] as usize;
            for &group in &groups_of[range] {
                for &other in groups[group as usize] {
                    if seen_from[other as usize] != node as u32 {
                        seen_from[other as usize] = node as u32;
                        neighbours.push(other);
                    }
                }
            }
            starts.push(u32::try_from(neighbours.len()).ok()?);
        }
        Some(Self { starts, neighbours })
    }

    fn of(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.neighbours[self.starts[node] as usize..self.starts[node + 1] as usize]
    }
}

/// The number of entries of the Cholesky factor of a matrix with one unknown per node, the diagonal
/// included.
pub fn factor_entries(couplings: &Couplings, places: &[DVec3]) -> u64 {
    let order = dissect(couplings, places);
    let columns = Permuted::new(couplings, &order);
    let parents = columns.elimination_tree();
    columns
        .counts(&parents)
        .iter()
        .map(|&count| count as u64)
        .sum()
}

/// The nodes in order of elimination: cut in two halves across the longest extent, both halves
/// first, the nodes of one half that touch the other last.
fn dissect(couplings: &Couplings, places: &[DVec3]) -> Vec<u32> {
    let mut order = vec![NONE; places.len()];
    let mut is_upper = vec![false; places.len()];
    let mut is_here = vec![false; places.len()];
    let mut end = places.len();
    // Parts that still have to be numbered; each takes the highest numbers that are left.
    let mut parts = vec![(0..places.len() as u32).collect::<Vec<u32>>()];
    while let Some(mut part) = parts.pop() {
        let halves = if part.len() > SMALLEST_PART {
            cut(&mut part, places)
        } else {
            None
        };
        let Some(cut) = halves else {
            for &node in part.iter().rev() {
                end -= 1;
                order[end] = node;
            }
            continue;
        };
        for (position, &node) in part.iter().enumerate() {
            is_here[node as usize] = true;
            is_upper[node as usize] = position >= cut;
        }
        let touches = |node: &u32| {
            let mut others = couplings.of(*node).iter();
            others.any(|&other| is_here[other as usize] && !is_upper[other as usize])
        };
        let (separator, upper): (Vec<u32>, Vec<u32>) = part[cut..].iter().partition(|n| touches(n));
        for &node in separator.iter().rev() {
            end -= 1;
            order[end] = node;
        }
        for &node in &part {
            is_here[node as usize] = false;
        }
        part.truncate(cut);
        parts.push(part);
        parts.push(upper);
    }
    order
}

/// Sorts a part along its longest extent so that its first half is below; the place of the cut.
fn cut(part: &mut [u32], places: &[DVec3]) -> Option<usize> {
    let start = (DVec3::INFINITY, DVec3::NEG_INFINITY);
    let (low, high) = part.iter().fold(start, |(low, high), &node| {
        let place = places[node as usize];
        (low.min(place), high.max(place))
    });
    let extent = high - low;
    let axis = (0..3).max_by(|&a, &b| extent[a].total_cmp(&extent[b]))?;
    let key = |node: &u32| places[*node as usize][axis];
    part.sort_unstable_by(|a, b| key(a).total_cmp(&key(b)).then(a.cmp(b)));
    // Nodes of one layer stay together.
    let level = key(&part[part.len() / 2]);
    let below = part.partition_point(|node| key(node) < level);
    (below > 0).then_some(below)
}

/// The couplings with the nodes numbered in order of elimination.
struct Permuted<'a> {
    couplings: &'a Couplings,
    order: &'a [u32],
    place_of: Vec<u32>,
}

impl<'a> Permuted<'a> {
    fn new(couplings: &'a Couplings, order: &'a [u32]) -> Self {
        let mut place_of = vec![NONE; order.len()];
        for (place, &node) in order.iter().enumerate() {
            place_of[node as usize] = place as u32;
        }
        Self {
            couplings,
            order,
            place_of,
        }
    }

    fn of(&self, column: usize) -> impl Iterator<Item = u32> + '_ {
        let nodes = self.couplings.of(self.order[column]).iter();
        nodes.map(|&node| self.place_of[node as usize])
    }

    /// The parent of each column: the first row below the diagonal of L.
    fn elimination_tree(&self) -> Vec<u32> {
        let count = self.order.len();
        let (mut parents, mut ancestors) = (vec![NONE; count], vec![NONE; count]);
        for column in 0..count {
            let this = column as u32;
            for mut row in self.of(column).filter(|&row| row < this) {
                while row != NONE && row < this {
                    let next = std::mem::replace(&mut ancestors[row as usize], this);
                    if next == NONE {
                        parents[row as usize] = this;
                    }
                    row = next;
                }
            }
        }
        parents
    }

    /// The number of entries of each column of L.
    fn counts(&self, parents: &[u32]) -> Vec<i64> {
        let count = self.order.len();
        let post = post_order(parents);
        let mut first = vec![NONE; count];
        let mut counts = vec![0i64; count];
        for (position, &column) in post.iter().enumerate() {
            counts[column as usize] = i64::from(first[column as usize] == NONE);
            let mut at = column;
            while at != NONE && first[at as usize] == NONE {
                first[at as usize] = position as u32;
                at = parents[at as usize];
            }
        }
        let mut ancestors: Vec<u32> = (0..count as u32).collect();
        // Of each row subtree: the highest first descendant so far plus one, and its last leaf.
        let (mut highest_first, mut last_leaf) = (vec![0u32; count], vec![NONE; count]);
        for &column in &post {
            let parent = parents[column as usize];
            if parent != NONE {
                counts[parent as usize] -= 1;
            }
            for row in self.of(column as usize).filter(|&row| row > column) {
                let row = row as usize;
                if first[column as usize] < highest_first[row] {
                    continue;
                }
                highest_first[row] = first[column as usize] + 1;
                let previous = std::mem::replace(&mut last_leaf[row], column);
                counts[column as usize] += 1;
                if previous != NONE {
                    let shared = root_of(previous, &mut ancestors);
                    counts[shared as usize] -= 1;
                }
            }
            if parent != NONE {
                ancestors[column as usize] = parent;
            }
        }
        for column in 0..count {
            if parents[column] != NONE {
                counts[parents[column] as usize] += counts[column];
            }
        }
        counts
    }
}

fn root_of(leaf: u32, ancestors: &mut [u32]) -> u32 {
    let mut root = leaf;
    while root != ancestors[root as usize] {
        root = ancestors[root as usize];
    }
    let mut at = leaf;
    while at != root {
        at = std::mem::replace(&mut ancestors[at as usize], root);
    }
    root
}

/// The columns, children before parents.
fn post_order(parents: &[u32]) -> Vec<u32> {
    let count = parents.len();
    let (mut first_child, mut next_sibling) = (vec![NONE; count], vec![NONE; count]);
    for column in (0..count).rev() {
        let parent = parents[column];
        if parent != NONE {
            next_sibling[column] = first_child[parent as usize];
            first_child[parent as usize] = column as u32;
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut stack = Vec::new();
    for root in (0..count).filter(|&column| parents[column] == NONE) {
        stack.push(root as u32);
        while let Some(&column) = stack.last() {
            let child = first_child[column as usize];
            if child == NONE {
                order.push(column);
                stack.pop();
            } else {
                first_child[column as usize] = next_sibling[child as usize];
                stack.push(child);
            }
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// Elimination carried out on sets: the entries of L.
    fn eliminated(couplings: &Couplings, order: &[u32]) -> u64 {
        let permuted = Permuted::new(couplings, order);
        let mut columns: Vec<BTreeSet<u32>> = (0..order.len())
            .map(|column| {
                permuted
                    .of(column)
                    .filter(|&row| row > column as u32)
                    .collect()
            })
            .collect();
        for column in 0..columns.len() {
            let rows = columns[column].clone();
            if let Some(&parent) = rows.first() {
                columns[parent as usize].extend(rows.iter().filter(|&&row| row > parent));
            }
        }
        columns.iter().map(|rows| rows.len() as u64 + 1).sum()
    }

    /// A block of nodes in which each cube is a group.
    fn block([nx, ny, nz]: [usize; 3]) -> (Couplings, Vec<DVec3>) {
        let index = |i, j, k| (i + nx * (j + ny * k)) as u32;
        let mut groups = Vec::new();
        let mut places = Vec::new();
        for k in 0..nz {
            for j in 0..ny {
                for i in 0..nx {
                    places.push(DVec3::new(i as f64, j as f64, k as f64));
                    if i + 1 < nx && j + 1 < ny && k + 1 < nz {
                        let corner = |bits: usize| {
                            index(i + (bits & 1), j + (bits >> 1 & 1), k + (bits >> 2))
                        };
                        groups.push((0..8).map(corner).collect::<Vec<u32>>());
                    }
                }
            }
        }
        let groups = groups.iter().map(Vec::as_slice);
        (Couplings::of_groups(nx * ny * nz, groups).unwrap(), places)
    }

    #[test]
    fn counts_are_those_of_elimination_carried_out() {
        for counts in [[2, 2, 2], [5, 4, 3], [9, 8, 7], [30, 3, 3]] {
            let (couplings, places) = block(counts);
            let order = dissect(&couplings, &places);
            let mut sorted = order.clone();
            sorted.sort_unstable();
            assert!(sorted.iter().enumerate().all(|(i, &node)| i as u32 == node));
            let expected = eliminated(&couplings, &order);
            assert_eq!(factor_entries(&couplings, &places), expected, "{counts:?}");
        }
    }

    #[test]
    fn a_path_has_two_entries_a_column_and_nothing_has_none() {
        let pairs: Vec<[u32; 2]> = (0..99).map(|i| [i, i + 1]).collect();
        let couplings = Couplings::of_groups(100, pairs.iter().map(|pair| &pair[..])).unwrap();
        let places: Vec<DVec3> = (0..100).map(|i| i as f64 * DVec3::X).collect();
        let entries = factor_entries(&couplings, &places);
        // Dissected, a path fills in a little: at most three entries a column.
        assert!((199..=300).contains(&entries), "{entries}");
        assert_eq!(factor_entries(&Couplings::default(), &[]), 0);
    }

    #[test]
    fn nodes_in_one_place_are_ordered_too() {
        let group: Vec<u32> = (0..60).collect();
        let couplings = Couplings::of_groups(60, [&group[..]].into_iter()).unwrap();
        assert_eq!(factor_entries(&couplings, &[DVec3::ZERO; 60]), 60 * 61 / 2);
    }
}
