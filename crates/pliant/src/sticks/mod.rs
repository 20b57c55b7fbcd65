//! Sticks: distances between particles that are restored after each step of Verlet's rule.
//!
//! ```text
//! x' = x + dt v + dt² f/m                          v = (x - x_before)/dt
//! d  = x_b - x_a,   g = (|d| - r)/|d| / (w_a + w_b)
//! x_a += w_a g d,   x_b -= w_b g d                 stick after stick, n times
//! ```
//!
//! r is the length of a stick at rest, w = 1/m, 0 for particles that are fixed. Velocities are never
//! kept apart from positions, so that what the sticks correct is in the next velocity. Implements:
//! \[Jakobsen2001\], with the sticks of \[Thesis2004\] sect. 5.2.1: to the particles up to `reach` steps
//! away along the directions of the grid (length, bending) and along its diagonals (shear, twist).
//!
//! f is the mean of the step that begins, at the places of its beginning: velocities are those of the way from step
//! to step, so that the force of a step takes one way to the next, as Verlet's rule has it.
//!
//! Departure: particles leave obstacles once, after the sticks, with friction and rebound as all bodies
//! have them; Jakobsen projects them between the rounds.

mod verlet;

pub(crate) use verlet::Verlet;

use crate::grid::Grid;
use glam::DVec3;

/// Two particles and their distance at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Stick {
    pub(crate) ends: [u32; 2],
    pub(crate) length: f64,
}

/// The sticks of a grid: along every direction and diagonal, up to `reach` steps away.
pub(crate) fn sticks_of(grid: &Grid, rest: &[DVec3], reach: usize) -> Vec<Stick> {
    let mut sticks = Vec::new();
    for step in directions(grid.dimension()) {
        for distance in 1..=reach as i32 {
            for coordinates in grid.nodes() {
                let far = step.map(|s| s * distance);
                let Some(end) = grid.neighbour(coordinates, far) else {
                    continue;
                };
                let start = grid.index(coordinates);
                // In short closed directions a particle would meet itself.
                let length = rest[end].distance(rest[start]);
                if end != start && length > 0.0 {
                    sticks.push(Stick {
                        ends: [start as u32, end as u32],
                        length,
                    });
                }
            }
        }
    }
    sticks
}

/// Steps to neighbours, each pair of opposite ones once.
fn directions(dimension: usize) -> Vec<[i32; 3]> {
    let range = |d: usize| if d < dimension { -1..=1 } else { 0..=0 };
    let mut steps = Vec::new();
    for k in range(2) {
        for j in range(1) {
            for i in range(0) {
                let step = [i, j, k];
                // The last coordinate that is not zero is positive.
                if step.iter().rev().find(|&&s| s != 0) == Some(&1) {
                    steps.push(step);
                }
            }
        }
    }
    // Along the directions of the grid first.
    steps.sort_by_key(|step| step.iter().filter(|&&s| s != 0).count());
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sticks_of_a_small_sheet() {
        let grid = Grid::new(&[3, 3], &[false, false]);
        let rest: Vec<DVec3> = grid
            .nodes()
            .map(|[i, j, _]| DVec3::new(i as f64, j as f64, 0.0))
            .collect();
        // 12 along the directions and 8 along diagonals, 6 and 2 twice as long.
        assert_eq!(sticks_of(&grid, &rest, 1).len(), 20);
        assert_eq!(sticks_of(&grid, &rest, 2).len(), 28);
        assert_eq!(directions(3).len(), 13);
        let longest = sticks_of(&grid, &rest, 2)
            .iter()
            .map(|stick| stick.length)
            .fold(0.0, f64::max);
        assert!((longest - 8.0_f64.sqrt()).abs() < 1e-12);
    }
}
