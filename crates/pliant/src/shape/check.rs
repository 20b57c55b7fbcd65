//! Whether node positions can be the rest shape of an elastic body.
//!
//! Elastic forces divide by rest lengths, areas and volumes, so none of them may vanish: a
//! curve needs neighbours apart and no hairpin, a surface cells with area at every corner, a solid
//! cells with positive volume at every corner. A shape folded onto a line or a plane fails.
//!
//! With e₁, e₂, e₃ the edges at a corner, along increasing material coordinates:
//! - curve: -e₁(before) · e₁(after) < (1 - tolerance) |e₁| |e₁|;
//! - surface: |e₁ × e₂| > tolerance |e₁| |e₂|, and the same for the diagonals of the cell;
//! - solid: e₁ · (e₂ × e₃) > tolerance |e₁| |e₂| |e₃|.
//!
//! All three are ratios, so the unit of length does not matter.

use super::ShapeError;
use crate::grid::Grid;
use glam::DVec3;

/// Ratio below which a length, sine or volume counts as zero: far above rounding, far below any
/// useful shape.
const TOLERANCE: f64 = 1e-9;

const STEPS: [[i32; 3]; 3] = [[1, 0, 0], [0, 1, 0], [0, 0, 1]];

/// Checks that `positions` (in metres, one for each node of `grid`) form a curve, surface or solid
/// without degenerate cells.
pub fn check_rest_shape(grid: &Grid, positions: &[DVec3]) -> Result<(), ShapeError> {
    check_counts(grid, positions)?;
    check_neighbours_are_apart(grid, positions)?;
    match grid.dimension() {
        1 => check_curve(grid, positions),
        2 => check_surface(grid, positions),
        _ => check_solid(grid, positions),
    }
}

fn check_counts(grid: &Grid, positions: &[DVec3]) -> Result<(), ShapeError> {
    for direction in 0..grid.dimension() {
        let count = grid.counts()[direction];
        let needed = if grid.periodic()[direction] { 3 } else { 2 };
        if count < needed {
            return Err(ShapeError::TooFewNodes {
                direction,
                count,
                needed,
            });
        }
    }
    if positions.len() != grid.node_count() {
        return Err(ShapeError::NodeCount {
            expected: grid.node_count(),
            given: positions.len(),
        });
    }
    match positions.iter().position(|position| !position.is_finite()) {
        Some(index) => Err(ShapeError::NotFinite {
            what: "node",
            index,
        }),
        None => Ok(()),
    }
}

fn check_neighbours_are_apart(grid: &Grid, positions: &[DVec3]) -> Result<(), ShapeError> {
    let shortest = TOLERANCE * size(positions);
    for (index, node) in grid.nodes().enumerate() {
        for step in &STEPS[..grid.dimension()] {
            let Some(neighbour) = grid.neighbour(node, *step) else {
                continue;
            };
            // Written so that a shape of size zero fails too.
            if positions[index].distance(positions[neighbour]) <= shortest {
                return Err(ShapeError::Singular {
                    node,
                    reason: "it lies on its neighbour",
                    remedy: "move control points apart, or leave a periodic direction open",
                });
            }
        }
    }
    Ok(())
}

fn check_curve(grid: &Grid, positions: &[DVec3]) -> Result<(), ShapeError> {
    for (index, node) in grid.nodes().enumerate() {
        let (Some(before), Some(after)) = (
            grid.neighbour(node, [-1, 0, 0]),
            grid.neighbour(node, [1, 0, 0]),
        ) else {
            continue;
        };
        let incoming = positions[index] - positions[before];
        let outgoing = positions[after] - positions[index];
        let cosine = incoming.normalize().dot(outgoing.normalize());
        if cosine <= -1.0 + TOLERANCE {
            return Err(ShapeError::Singular {
                node,
                reason: "the curve turns back upon itself",
                remedy: "spread the control points, or leave a periodic curve open",
            });
        }
    }
    Ok(())
}

fn check_surface(grid: &Grid, positions: &[DVec3]) -> Result<(), ShapeError> {
    for cell in grid.cells() {
        let corner = |i: usize, j: usize| {
            let node = wrapped(grid, cell, [i, j, 0]);
            (node, positions[grid.index(node)])
        };
        for (i, j) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
            let first = corner(1, j).1 - corner(0, j).1;
            let second = corner(i, 1).1 - corner(i, 0).1;
            if is_flat(first, second) {
                return Err(ShapeError::Singular {
                    node: corner(i, j).0,
                    reason: "the two directions of the surface are parallel there",
                    remedy: "move the control points off a common line",
                });
            }
        }
        if is_flat(
            corner(1, 1).1 - corner(0, 0).1,
            corner(0, 1).1 - corner(1, 0).1,
        ) {
            return Err(ShapeError::Singular {
                node: cell,
                reason: "the cell that starts there is twisted until it has no area",
                remedy: "put the control points in rows, the first direction fastest",
            });
        }
    }
    Ok(())
}

fn check_solid(grid: &Grid, positions: &[DVec3]) -> Result<(), ShapeError> {
    for cell in grid.cells() {
        let position = |offset: [usize; 3]| positions[grid.index(wrapped(grid, cell, offset))];
        for bits in 0..8_usize {
            let offset = [bits & 1, bits >> 1 & 1, bits >> 2 & 1];
            let edges: [DVec3; 3] = std::array::from_fn(|direction| {
                let (mut from, mut to) = (offset, offset);
                from[direction] = 0;
                to[direction] = 1;
                position(to) - position(from)
            });
            let volume = edges[0].dot(edges[1].cross(edges[2]));
            let product: f64 = edges.iter().map(|edge| edge.length()).product();
            let node = wrapped(grid, cell, offset);
            if volume < -TOLERANCE * product {
                return Err(ShapeError::InsideOut { node });
            }
            if volume <= TOLERANCE * product {
                return Err(ShapeError::Singular {
                    node,
                    reason: "the three directions of the solid lie in a plane there",
                    remedy: "give the control points depth",
                });
            }
        }
    }
    Ok(())
}

/// Whether two vectors span no area.
fn is_flat(first: DVec3, second: DVec3) -> bool {
    first.cross(second).length() <= TOLERANCE * first.length() * second.length()
}

/// Grid coordinates of the corner of a cell, wrapped round in periodic directions.
fn wrapped(grid: &Grid, cell: [usize; 3], offset: [usize; 3]) -> [usize; 3] {
    std::array::from_fn(|direction| {
        (cell[direction] + offset[direction]) % grid.counts()[direction]
    })
}

/// The diagonal of the box around all positions.
pub(super) fn size(positions: &[DVec3]) -> f64 {
    let low = positions.iter().fold(DVec3::INFINITY, |low, &p| low.min(p));
    let high = positions
        .iter()
        .fold(DVec3::NEG_INFINITY, |high, &p| high.max(p));
    if positions.is_empty() {
        0.0
    } else {
        low.distance(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lattice(grid: &Grid, place: impl Fn(f64, f64, f64) -> DVec3) -> Vec<DVec3> {
        grid.nodes()
            .map(|[i, j, k]| place(i as f64, j as f64, k as f64))
            .collect()
    }

    #[test]
    fn straight_shapes_are_fine_at_any_size() {
        for size in [1e-6, 1.0, 1e6] {
            for counts in [&[5][..], &[4, 3], &[3, 2, 4]] {
                let grid = Grid::new(counts, &vec![false; counts.len()]);
                let positions = lattice(&grid, |x, y, z| size * DVec3::new(x, y, z));
                assert_eq!(check_rest_shape(&grid, &positions), Ok(()));
            }
        }
    }

    #[test]
    fn too_few_nodes_are_refused() {
        let grid = Grid::new(&[3, 1], &[false, false]);
        assert!(matches!(
            check_rest_shape(&grid, &[DVec3::ZERO; 3]),
            Err(ShapeError::TooFewNodes {
                direction: 1,
                needed: 2,
                ..
            })
        ));
        let ring = Grid::new(&[2], &[true]);
        assert!(matches!(
            check_rest_shape(&ring, &[DVec3::ZERO, DVec3::X]),
            Err(ShapeError::TooFewNodes { needed: 3, .. })
        ));
    }

    #[test]
    fn wrong_numbers_and_values_are_refused() {
        let grid = Grid::new(&[3], &[false]);
        let error = check_rest_shape(&grid, &[DVec3::ZERO, DVec3::X]).unwrap_err();
        assert_eq!(
            error,
            ShapeError::NodeCount {
                expected: 3,
                given: 2
            }
        );
        let error = check_rest_shape(&grid, &[DVec3::ZERO, DVec3::NAN, DVec3::X]).unwrap_err();
        assert_eq!(error.to_string(), "node 1 is not finite");
    }

    #[test]
    fn coincident_neighbours_are_named() {
        let grid = Grid::new(&[3, 2], &[false, false]);
        let mut positions = lattice(&grid, DVec3::new);
        positions[4] = positions[5];
        let error = check_rest_shape(&grid, &positions).unwrap_err();
        assert!(
            matches!(
                error,
                ShapeError::Singular {
                    node: [1, 1, 0],
                    ..
                }
            ),
            "{error}"
        );
        let all_in_one = vec![DVec3::ONE; 6];
        assert!(check_rest_shape(&grid, &all_in_one).is_err());
    }

    #[test]
    fn hairpins_are_refused() {
        let grid = Grid::new(&[4], &[false]);
        let positions = [0.0, 1.0, 2.0, 0.5].map(|x| DVec3::new(x, 0.0, 0.0));
        let error = check_rest_shape(&grid, &positions).unwrap_err();
        assert!(matches!(
            error,
            ShapeError::Singular {
                node: [2, 0, 0],
                ..
            }
        ));
        let ring = Grid::new(&[4], &[true]);
        let line = lattice(&ring, DVec3::new);
        assert!(check_rest_shape(&ring, &line).is_err());
    }

    #[test]
    fn surfaces_on_a_line_and_twisted_cells_are_refused() {
        let grid = Grid::new(&[3, 3], &[false, false]);
        let on_a_line = lattice(&grid, |x, y, _| DVec3::new(x + 0.3 * y, 0.0, 0.0));
        assert!(matches!(
            check_rest_shape(&grid, &on_a_line),
            Err(ShapeError::Singular { .. })
        ));
        let cell = Grid::new(&[2, 2], &[false, false]);
        let bow_tie = [DVec3::ZERO, DVec3::X, DVec3::ONE, DVec3::new(0.0, 1.0, 1.0)];
        assert!(matches!(
            check_rest_shape(&cell, &bow_tie),
            Err(ShapeError::Singular { .. })
        ));
    }

    #[test]
    fn flat_and_mirrored_solids_are_refused() {
        let grid = Grid::new(&[3, 3, 3], &[false; 3]);
        let flat = lattice(&grid, |x, y, z| DVec3::new(x + 0.2 * z, y + 0.3 * z, 0.0));
        assert!(matches!(
            check_rest_shape(&grid, &flat),
            Err(ShapeError::Singular { .. })
        ));
        let mirrored = lattice(&grid, |x, y, z| DVec3::new(y, x, z));
        assert_eq!(
            check_rest_shape(&grid, &mirrored),
            Err(ShapeError::InsideOut { node: [0, 0, 0] })
        );
    }
}
