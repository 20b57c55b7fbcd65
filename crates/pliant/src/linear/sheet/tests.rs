//! Tests of the pieces for open sheets.

use super::coarsening::Coarsening;
use super::cycle::Cycle;
use super::layout::{Layout, Planes};
use super::lines::Lines;
use super::stencil::{NARROW, SheetMatrix, WIDE};
use super::transfer::Transfer;
use super::{stencil, turn, updates};
use crate::grid::Grid;
use crate::linear::GridMatrix;
use crate::linear::test_systems::{noise, plate_matrix, random_matrix, some_fixed};
use crate::math::processor::Level;

/// Odd and even, smaller and larger than a block.
const SHAPES: [[usize; 2]; 5] = [[5, 6], [13, 17], [16, 9], [33, 20], [8, 40]];

fn sheet([nx, ny]: [usize; 2]) -> Grid {
    Grid::new(&[nx, ny], &[false, false])
}

fn single(matrix: &GridMatrix) -> SheetMatrix {
    let [nx, ny, _] = matrix.grid().counts();
    let mut sheet = SheetMatrix::new(Layout::new(nx, ny), &NARROW);
    sheet.refill(matrix, 1.0);
    sheet
}

fn field(layout: &Layout, seed: usize) -> Planes {
    let n = layout.nx * layout.ny;
    let mut planes = Planes::new(layout, 3);
    for (c, plane) in planes.field_mut().into_iter().enumerate() {
        let numbers = noise(seed + (c + 1) * n);
        for node in 0..n {
            plane[place(layout, node)] = numbers[seed + c * n + node] as f32;
        }
    }
    planes
}

fn place(layout: &Layout, node: usize) -> usize {
    layout.row(node / layout.nx) + node % layout.nx
}

fn unit(layout: &Layout, node: usize) -> Planes {
    let mut planes = Planes::new(layout, 3);
    for plane in planes.field_mut() {
        plane[place(layout, node)] = 1.0;
    }
    planes
}

fn values(layout: &Layout, planes: &Planes) -> Vec<f64> {
    let n = layout.nx * layout.ny;
    (0..n)
        .map(|node| f64::from(planes.plane(1)[place(layout, node)]))
        .collect()
}

/// The columns of a linear map, found by applying it to every unit vector.
fn columns(count: usize, map: impl FnMut(usize) -> Vec<f64>) -> Vec<Vec<f64>> {
    (0..count).map(map).collect()
}

fn dense(matrix: &SheetMatrix) -> Vec<Vec<f64>> {
    let layout = matrix.layout;
    let zero = Planes::new(&layout, 3);
    columns(layout.nx * layout.ny, |node| {
        let mut rest = Planes::new(&layout, 3);
        matrix.residual(&zero, &unit(&layout, node), &mut rest);
        values(&layout, &rest).into_iter().map(|v| -v).collect()
    })
}

fn close(a: &[Vec<f64>], b: &[Vec<f64>], tolerance: f64) {
    let size = a.iter().flatten().fold(0.0, |m: f64, v| m.max(v.abs()));
    for (i, (a, b)) in a.iter().zip(b).enumerate() {
        for (j, (a, b)) in a.iter().zip(b).enumerate() {
            assert!((a - b).abs() <= tolerance * size, "({i}, {j}): {a} {b}");
        }
    }
}

fn multiplied(a: &[Vec<f64>], b: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |row: &Vec<f64>| {
        let column = |j: usize| row.iter().zip(b).map(|(x, b)| x * b[j]).sum();
        (0..b[0].len()).map(column).collect()
    };
    a.iter().map(row).collect()
}

fn transposed(a: &[Vec<f64>]) -> Vec<Vec<f64>> {
    let row = |j: usize| a.iter().map(|row| row[j]).collect();
    (0..a[0].len()).map(row).collect()
}

/// Rows of P^T: a coarse unit vector, interpolated.
fn interpolation(transfer: &mut Transfer) -> Vec<Vec<f64>> {
    let (fine, coarse) = (transfer.shapes.fine, transfer.shapes.coarse);
    columns(coarse.nx * coarse.ny, |node| {
        let mut x = Planes::new(&fine, 3);
        transfer.interpolate(&unit(&coarse, node), &mut x);
        values(&fine, &x)
    })
}

#[test]
fn products_agree_with_those_of_the_grid_matrix() {
    for shape in SHAPES {
        let matrix = random_matrix(&sheet(shape));
        let a = single(&matrix);
        let n = matrix.node_count();
        let expected = columns(n, |node| {
            let mut x = vec![0.0; 3 * n];
            x[n + node] = 1.0;
            let mut y = vec![0.0; 3 * n];
            matrix.multiply(&x, &mut y);
            y[n..2 * n].to_vec()
        });
        close(&expected, &dense(&a), 1e-6);
        let p = field(&a.layout, 3);
        let mut q = Planes::new(&a.layout, 3);
        let sums = a.multiply(&p, &mut q);
        for c in 0..3 {
            let pairs = p.plane(c).iter().zip(q.plane(c));
            let sum: f64 = pairs.map(|(p, q)| f64::from(*p) * f64::from(*q)).sum();
            assert!((sum - sums[c]).abs() <= 1e-5 * sum.abs().max(1.0));
        }
    }
}

#[test]
fn restriction_is_the_transpose_of_interpolation() {
    for shape in SHAPES {
        let mut transfer = Transfer::new(Layout::new(shape[0], shape[1]));
        let (fine, coarse) = (transfer.shapes.fine, transfer.shapes.coarse);
        let interpolated = interpolation(&mut transfer);
        let restricted = columns(fine.nx * fine.ny, |node| {
            let mut b = Planes::new(&coarse, 3);
            transfer.restrict(&unit(&fine, node), &mut b);
            values(&coarse, &b)
        });
        close(&interpolated, &transposed(&restricted), 1e-7);
    }
}

#[test]
fn interpolation_reproduces_planes() {
    for [nx, ny] in SHAPES {
        let mut transfer = Transfer::new(Layout::new(nx, ny));
        let (fine, coarse) = (transfer.shapes.fine, transfer.shapes.coarse);
        let mut e = Planes::new(&coarse, 3);
        // Coarse node k stands at 2 k + 1/2 where a direction is coarsened.
        let at = |k: usize, coarsened: bool| {
            if coarsened {
                2.0 * k as f32 + 0.5
            } else {
                k as f32
            }
        };
        for j in 0..coarse.ny {
            for i in 0..coarse.nx {
                let (x, y) = (at(i, coarse.nx < nx), at(j, coarse.ny < ny));
                for plane in e.field_mut() {
                    plane[coarse.row(j) + i] = 1.0 + 2.0 * x - 3.0 * y;
                }
            }
        }
        let mut x = Planes::new(&fine, 3);
        transfer.interpolate(&e, &mut x);
        for j in 0..ny {
            for i in 0..nx {
                let expected = 1.0 + 2.0 * i as f32 - 3.0 * j as f32;
                assert!((x.plane(2)[fine.row(j) + i] - expected).abs() < 1e-4);
            }
        }
    }
}

#[test]
fn coarse_matrices_are_those_of_galerkin() {
    for shape in SHAPES {
        let mut fine = single(&random_matrix(&sheet(shape)));
        // Twice: the second time the fine matrix is itself a coarse one.
        for _ in 0..2 {
            let mut transfer = Transfer::new(fine.layout);
            let (mut coarsening, mut coarse) = Coarsening::new(&fine, &transfer);
            coarsening.apply(&fine, &mut coarse);
            let p = interpolation(&mut transfer);
            let expected = multiplied(&multiplied(&p, &dense(&fine)), &transposed(&p));
            close(&expected, &dense(&coarse), 1e-5);
            coarse.fill_margin();
            fine = coarse;
        }
    }
}

#[test]
fn smoothing_solves_the_lines_of_both_directions() {
    for shape in SHAPES {
        let matrix = single(&plate_matrix(&sheet(shape), 1.0, 5.0));
        let layout = matrix.layout;
        let mut lines = Lines::new(layout);
        assert!(lines.factorise(&matrix));
        let full = dense(&matrix);
        let n = layout.nx * layout.ny;
        let smoother = columns(n, |node| {
            let mut x = Planes::new(&layout, 3);
            lines.smooth(&unit(&layout, node), &mut x, true);
            values(&layout, &x)
        });
        let along = |i: usize, j: usize| i / layout.nx == j / layout.nx;
        let across = |i: usize, j: usize| i % layout.nx == j % layout.nx;
        let part = |same: &dyn Fn(usize, usize) -> bool| -> Vec<Vec<f64>> {
            let row = |i: usize| {
                let entry = |j: usize| if same(i, j) { full[i][j] } else { 0.0 };
                (0..n).map(entry).collect()
            };
            (0..n).map(row).collect()
        };
        let (one, two) = (inverted(part(&along)), inverted(part(&across)));
        let expected: Vec<Vec<f64>> = one
            .iter()
            .zip(&two)
            .map(|(a, b)| a.iter().zip(b).map(|(a, b)| 0.375 * (a + b)).collect())
            .collect();
        close(&expected, &smoother, 1e-5);
        // Without the start from zero the answer is added.
        let r = field(&layout, 9);
        let mut fresh = Planes::new(&layout, 3);
        lines.smooth(&r, &mut fresh, true);
        let mut added = fresh.clone();
        lines.smooth(&r, &mut added, false);
        for (twice, once) in added.plane(0).iter().zip(fresh.plane(0)) {
            assert!((twice - 2.0 * once).abs() <= 1e-6 * once.abs().max(1e-3));
        }
    }
}

/// Gauss-Jordan elimination of a positive definite matrix.
fn inverted(mut a: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let n = a.len();
    let mut inverse: Vec<Vec<f64>> = (0..n)
        .map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect())
        .collect();
    for k in 0..n {
        let pivot = a[k][k];
        for j in 0..n {
            a[k][j] /= pivot;
            inverse[k][j] /= pivot;
        }
        for i in 0..n {
            let factor = a[i][k];
            if i != k && factor != 0.0 {
                for j in 0..n {
                    a[i][j] -= factor * a[k][j];
                    inverse[i][j] -= factor * inverse[k][j];
                }
            }
        }
    }
    inverse
}

#[test]
fn the_cycle_is_symmetric_and_positive_definite() {
    for shape in SHAPES {
        for fixed in [false, true] {
            let mut matrix = plate_matrix(&sheet(shape), 1.0, 30.0);
            if fixed {
                matrix.scale_identity_rows(&some_fixed(matrix.node_count()));
            }
            let mut cycle = Cycle::new(shape[0], shape[1]);
            assert!(cycle.refill(&matrix, 1e-3, true));
            let layout = cycle.layout();
            let n = matrix.node_count();
            let m = columns(n, |node| {
                *cycle.right() = unit(&layout, node);
                cycle.apply();
                values(&layout, cycle.solution())
            });
            close(&m, &transposed(&m), 1e-4);
            // Cholesky's pivots.
            let mut a = m;
            for k in 0..n {
                assert!(a[k][k] > 0.0, "{shape:?} pivot {k}: {}", a[k][k]);
                for i in k + 1..n {
                    let factor = a[i][k] / a[k][k];
                    for j in k..n {
                        a[i][j] -= factor * a[k][j];
                    }
                }
            }
        }
    }
}

/// The bits of some planes.
fn planes_bits(all: &mut Vec<u32>, planes: &Planes) {
    for plane in planes.field() {
        all.extend(plane.iter().map(|value| value.to_bits()));
    }
}

#[test]
fn all_instruction_sets_give_the_same_bits() {
    for shape in SHAPES {
        let results: Vec<Vec<u32>> = Level::all_of_this_processor()
            .into_iter()
            .map(|level| {
                let mut all = Vec::new();
                let a = single(&random_matrix(&sheet(shape)));
                let layout = a.layout;
                let (b, x) = (field(&layout, 1), field(&layout, 2));
                let mut y = Planes::new(&layout, 3);
                stencil::residual_at::<6>(level, &a, b.field(), x.field(), y.field_mut());
                planes_bits(&mut all, &y);
                let sums = stencil::product_at::<6>(level, &a, x.field(), y.field_mut());
                all.extend(sums.map(|sum| sum.to_bits() as u32));
                planes_bits(&mut all, &y);

                let mut lines = Lines::new(layout);
                assert!(lines.factorise_at(level, &a));
                lines.smooth_at(level, &b, &mut y, true);
                planes_bits(&mut all, &y);
                lines.smooth_at(level, &x, &mut y, false);
                planes_bits(&mut all, &y);

                let mut transfer = Transfer::new(layout);
                let mut coarse_b = Planes::new(&transfer.shapes.coarse, 3);
                transfer.restrict_at(level, &b, &mut coarse_b);
                planes_bits(&mut all, &coarse_b);
                transfer.interpolate_at(level, &coarse_b, &mut y);
                planes_bits(&mut all, &y);
                let (mut coarsening, mut coarse) = Coarsening::new(&a, &transfer);
                coarsening.apply_at(level, &a, &mut coarse);
                for plane in 0..=WIDE.len() {
                    all.extend(coarse.planes.plane(plane).iter().map(|v| v.to_bits()));
                }
                let mut rest = Planes::new(&transfer.shapes.coarse, 3);
                let (right, none) = (coarse_b.field(), Planes::new(&transfer.shapes.coarse, 3));
                stencil::residual_at::<12>(level, &coarse, none.field(), right, rest.field_mut());
                planes_bits(&mut all, &rest);

                let (mut p, mut q) = (field(&layout, 5), field(&layout, 6));
                let inverse = field(&layout, 7);
                let inverse = inverse.plane(0);
                let factors = [[0.3, -0.7, 1.1], [0.2, 0.9, -0.4]];
                let mut sums = vec![updates::subtract_at(
                    level,
                    &layout,
                    factors[0],
                    p.field(),
                    q.field_mut(),
                )];
                sums.push(updates::dots_at(level, &layout, p.field(), q.field()));
                sums.extend(updates::update_residual_at(
                    level,
                    &layout,
                    factors[1],
                    p.field(),
                    inverse,
                    q.field_mut(),
                ));
                let (r, x, p) = (b.field(), y.field_mut(), p.field_mut());
                updates::add_direction_at(level, &layout, factors, r, x, p);
                planes_bits(&mut all, &y);
                let mut p = q.clone();
                let (r, x, p) = (b.field(), y.field_mut(), p.field_mut());
                updates::update_direction_at(level, &layout, factors, r, inverse, x, p);
                planes_bits(&mut all, &y);
                planes_bits(&mut all, &q);
                all.extend(sums.iter().flatten().map(|sum| sum.to_bits() as u32));
                all
            })
            .collect();
        assert!(
            results.iter().all(|result| *result == results[0]),
            "{shape:?}"
        );
    }
}

#[test]
fn turning_twice_gives_the_same_back() {
    for shape in SHAPES {
        let layout = Layout::new(shape[0], shape[1]);
        let x = field(&layout, 4);
        let mut turned = Planes::new(&layout.turned(), 1);
        let mut back = Planes::new(&layout, 1);
        turn::turn(&layout, x.plane(0), 0, turned.plane_mut(0));
        turn::turn(&layout.turned(), turned.plane(0), 0, back.plane_mut(0));
        assert_eq!(
            values_of(&layout, back.plane(0)),
            values_of(&layout, x.plane(0))
        );
        assert_eq!(
            turned.plane(0)[layout.turned().row(2) + 1],
            x.plane(0)[layout.row(1) + 2]
        );
    }
}

fn values_of(layout: &Layout, plane: &[f32]) -> Vec<f32> {
    let nodes = 0..layout.nx * layout.ny;
    nodes.map(|node| plane[place(layout, node)]).collect()
}
