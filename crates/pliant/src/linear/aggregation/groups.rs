//! Groups of neighbouring rows, each of which becomes one row of a coarser matrix.
//!
//! A row whose strong neighbours are all free founds a group with them; what is left joins the group
//! it is coupled to most. Couplings are strong if they are not far below the strongest of either
//! row. Rows without couplings (nodes that are held) belong to no group.
//!
//! The prolongation is one in each group, smoothed by a step of relaxation with the strong couplings
//! alone, without inertia, so that it still sums to one and a constant stays a constant:
//!
//! ```text
//! P = (1 - ω K_d⁻¹ K) P₀
//! ```
//!
//! Weak couplings would only make the coarse matrices dense.
//!
//! Implements: the smoothed aggregation of \[Vanek1996\].

use super::rows::{Rows, Table};

/// Couplings below this share of the strongest of both rows are weak.
const WEAK: f64 = 0.05;

/// ω: two thirds, since the largest eigenvalue of K_d⁻¹ K is about 2.
const SMOOTHING: f64 = 0.66;

/// In no group.
pub(super) const NONE: u32 = u32::MAX;

/// Which couplings are strong.
pub(super) struct Strength {
    strongest: Vec<f64>,
}

impl Strength {
    /// Of a matrix.
    pub(super) fn of(matrix: &Rows) -> Self {
        let strongest = (0..matrix.count()).map(|row| {
            let row = matrix.off_diagonal.row(row);
            row.fold(0.0, |most: f64, (_, a)| most.max(-a))
        });
        Self {
            strongest: strongest.collect(),
        }
    }

    fn is_strong(&self, i: usize, j: usize, a: f64) -> bool {
        -a > WEAK * self.strongest[i].max(self.strongest[j])
    }
}

/// The group of each row, and how many there are.
pub(super) fn groups(matrix: &Rows, strength: &Strength) -> (Vec<u32>, usize) {
    let count = matrix.count();
    let is_strong = |i: usize, j: usize, a: f64| strength.is_strong(i, j, a);
    let mut group_of = vec![NONE; count];
    let mut found = 0;
    for row in 0..count {
        let neighbours = || {
            let all = matrix.off_diagonal.row(row);
            all.filter(|&(j, a)| is_strong(row, j, a))
        };
        let is_free = group_of[row] == NONE && neighbours().all(|(j, _)| group_of[j] == NONE);
        if is_free && neighbours().next().is_some() {
            group_of[row] = found;
            for (j, _) in neighbours() {
                group_of[j] = found;
            }
            found += 1;
        }
    }
    join_nearest(matrix, &mut group_of);
    // What has no strong coupling to any group, with those of its neighbours that are left.
    for row in 0..count {
        if group_of[row] == NONE && strength.strongest[row] > 0.0 {
            group_of[row] = found;
            for (j, a) in matrix.off_diagonal.row(row) {
                if group_of[j] == NONE && a < 0.0 {
                    group_of[j] = found;
                }
            }
            found += 1;
        }
    }
    (group_of, found as usize)
}

/// Rows that are in no group join the one of their strongest neighbour.
fn join_nearest(matrix: &Rows, group_of: &mut [u32]) {
    let founded = group_of.to_vec();
    for (row, group) in group_of.iter_mut().enumerate() {
        if *group != NONE {
            continue;
        }
        let mut most = 0.0;
        for (j, a) in matrix.off_diagonal.row(row) {
            if founded[j] != NONE && -a > most {
                most = -a;
                *group = founded[j];
            }
        }
    }
}

/// P.
pub(super) fn prolongation(matrix: &Rows, group_of: &[u32], strength: &Strength) -> Table {
    let mut table = Table::default();
    for row in 0..matrix.count() {
        let group = group_of[row];
        if group != NONE {
            let strong = || {
                let all = matrix.off_diagonal.row(row);
                all.filter(|&(j, a)| strength.is_strong(row, j, a))
            };
            let stiffness = -strong().map(|(_, a)| a).sum::<f64>();
            let omega = if stiffness > 0.0 { SMOOTHING } else { 0.0 };
            let first = table.columns.len();
            table.push(group, 1.0 - omega);
            for (j, a) in strong() {
                let weight = if omega > 0.0 {
                    -omega * a / stiffness
                } else {
                    0.0
                };
                let group = group_of[j];
                if group == NONE || weight == 0.0 {
                    continue;
                }
                let known = table.columns[first..].iter().position(|&c| c == group);
                match known {
                    Some(at) => table.values[first + at] += weight,
                    None => table.push(group, weight),
                }
            }
        }
        table.end_row();
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(n: usize) -> Rows {
        let mut rows = Rows::default();
        let index = |i: usize, j: usize| (i * n + j) as u32;
        for i in 0..n {
            for j in 0..n {
                let mut add = |a: usize, b: usize| rows.off_diagonal.push(index(a, b), -1.0);
                if i > 0 {
                    add(i - 1, j);
                }
                if j > 0 {
                    add(i, j - 1);
                }
                if i + 1 < n {
                    add(i + 1, j);
                }
                if j + 1 < n {
                    add(i, j + 1);
                }
                rows.off_diagonal.end_row();
                rows.rest.push(1e-3);
            }
        }
        rows
    }

    #[test]
    fn every_coupled_row_is_in_a_group_and_constants_stay_constant() {
        let mut rows = lattice(20);
        // A row that is held.
        rows.off_diagonal.end_row();
        rows.rest.push(1.0);
        let strength = Strength::of(&rows);
        let (group_of, count) = groups(&rows, &strength);
        assert!((40..=100).contains(&count), "{count}");
        assert!(group_of[..400].iter().all(|&g| (g as usize) < count));
        assert_eq!(group_of[400], NONE);
        let p = prolongation(&rows, &group_of, &strength);
        for row in 0..400 {
            let sum: f64 = p.row(row).map(|(_, weight)| weight).sum();
            assert!((sum - 1.0).abs() < 1e-14);
        }
        assert_eq!(p.row(400).count(), 0);
    }

    #[test]
    fn groups_follow_strong_couplings() {
        // Strong along i, weak along j: groups are columns.
        let mut rows = lattice(12);
        for row in 0..144usize {
            let range =
                rows.off_diagonal.starts[row] as usize..rows.off_diagonal.starts[row + 1] as usize;
            for at in range {
                let column = rows.off_diagonal.columns[at] as usize;
                rows.off_diagonal.values[at] = if column.abs_diff(row) == 1 {
                    -0.01
                } else {
                    -1.0
                };
            }
        }
        let (group_of, _) = groups(&rows, &Strength::of(&rows));
        for row in 0..144 {
            let across = |other: usize| group_of[other] == group_of[row];
            assert!(row % 12 == 11 || !across(row + 1), "{row}");
        }
    }
}
