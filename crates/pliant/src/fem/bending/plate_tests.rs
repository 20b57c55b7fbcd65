//! Sheets against the closed forms of plates and beams, on meshes of every pattern.

use super::*;
use crate::energy::contract::{EnergyContract, Random, hessian};
use crate::fem::test_meshes::{box_mesh, distort, solve_held};
use glam::DMat3;

const PLATE: PlateMaterial = PlateMaterial {
    rigidity: 0.02,
    poisson: 0.3,
};

#[derive(Clone, Copy, Debug, PartialEq)]
enum Pattern {
    /// All diagonals alike.
    Regular,
    /// Diagonals as in the built-in rectangle.
    Alternating,
    /// Four triangles to a cell.
    Crossed,
    /// Nodes moved by up to a quarter of a cell, diagonals at random.
    Irregular,
}

const PATTERNS: [Pattern; 4] = [
    Pattern::Regular,
    Pattern::Alternating,
    Pattern::Crossed,
    Pattern::Irregular,
];

/// A rectangle with one corner at the origin. The first two columns of nodes stay straight.
fn sheet(pattern: Pattern, cells: [usize; 2], size: [f64; 2]) -> (ElementBlock, Vec<DVec3>) {
    let mut random = Random(17);
    let [nx, ny] = cells;
    let [dx, dy] = [size[0] / nx as f64, size[1] / ny as f64];
    let mut positions = Vec::new();
    for j in 0..=ny {
        for i in 0..=nx {
            let mut x = DVec3::new(i as f64 * dx, j as f64 * dy, 0.0);
            if pattern == Pattern::Irregular {
                let [u, v] = [random.number(), random.number()];
                x.x += if i > 1 && i < nx { 0.25 * dx * u } else { 0.0 };
                x.y += if j > 0 && j < ny { 0.25 * dy * v } else { 0.0 };
            }
            positions.push(x);
        }
    }
    let mut nodes = Vec::new();
    for j in 0..ny {
        for i in 0..nx {
            let node = |x: usize, y: usize| (i + x + (nx + 1) * (j + y)) as u32;
            let [a, b, c, d] = [node(0, 0), node(1, 0), node(1, 1), node(0, 1)];
            let falling = match pattern {
                Pattern::Regular => false,
                Pattern::Alternating => (i + j) % 2 == 1,
                Pattern::Irregular => random.number() > 0.0,
                Pattern::Crossed => {
                    let middle = positions.len() as u32;
                    let corner = positions[a as usize];
                    positions.push(corner + DVec3::new(0.5 * dx, 0.5 * dy, 0.0));
                    let around = [a, b, b, c, c, d, d, a];
                    nodes.extend(around.chunks(2).flat_map(|p| [p[0], p[1], middle]));
                    continue;
                }
            };
            if falling {
                nodes.extend([b, c, d, b, d, a]);
            } else {
                nodes.extend([a, b, c, a, c, d]);
            }
        }
    }
    (ElementBlock::new(ElementKind::Triangle3, nodes), positions)
}

/// Deflections of a flat sheet under a load of 1 Pa; `held` nodes cannot move.
fn deflections(
    block: &ElementBlock,
    positions: &[DVec3],
    material: PlateMaterial,
    held: impl Fn(DVec3) -> bool,
) -> Vec<f64> {
    let mut bending = PlateBending::new(block, positions, material).unwrap();
    let matrix = hessian(&mut bending, positions, Curvature::Positive);
    let mut load = vec![DVec3::ZERO; positions.len()];
    for nodes in block.elements() {
        let [a, b, c] = [0, 1, 2].map(|i| positions[nodes[i] as usize]);
        for &node in nodes {
            load[node as usize].z += (b - a).cross(c - a).length() / 6.0;
        }
    }
    let held: Vec<[bool; 3]> = positions.iter().map(|&x| [true, true, held(x)]).collect();
    let given = vec![DVec3::ZERO; positions.len()];
    let moved = solve_held(&matrix, &held, &given, &load);
    moved.iter().map(|u| u.z).collect()
}

/// A square plate of side 1 on simple supports: w = 16 q / (π⁶ D) Σ sin(mπx) sin(nπy) /
/// (m n (m² + n²)²) over odd m and n (Navier), whatever ν.
fn navier(x: DVec3, rigidity: f64) -> f64 {
    let odd = || (1..60).step_by(2).map(f64::from);
    let terms = odd().flat_map(|m| odd().map(move |n| (m, n)));
    let sum: f64 = terms
        .map(|(m, n)| {
            (PI * m * x.x).sin() * (PI * n * x.y).sin() / (m * n * (m * m + n * n).powi(2))
        })
        .sum();
    16.0 * sum / (PI.powi(6) * rigidity)
}

#[test]
fn supported_plates_converge_on_every_mesh() {
    for pattern in PATTERNS {
        for poisson in [0.0, 0.3] {
            for (cells, tolerance) in [(12, 0.05), (36, 0.012)] {
                let (block, positions) = sheet(pattern, [cells, cells], [1.0, 1.0]);
                let material = PlateMaterial { poisson, ..PLATE };
                let held = |x: DVec3| {
                    let gap = |u: f64| u.min(1.0 - u);
                    gap(x.x).min(gap(x.y)) < 1e-9
                };
                let deflections = deflections(&block, &positions, material, held);
                let inside = positions.iter().zip(&deflections);
                let inside = inside.filter(|(x, _)| x.distance(DVec3::new(0.5, 0.5, 0.0)) < 0.25);
                let worst = inside
                    .map(|(&x, w)| (w / navier(x, PLATE.rigidity) - 1.0).abs())
                    .fold(0.0, f64::max);
                println!("{pattern:?}, ν = {poisson}, {cells} cells: {worst:.4}");
                assert!(worst < tolerance, "{pattern:?} {cells}: {worst}");
            }
        }
    }
}

#[test]
fn cantilevers_converge_on_every_mesh() {
    for pattern in PATTERNS {
        for (cells, tolerance) in [(16, 0.03), (48, 0.015)] {
            // Held nodes build the strip in half-way between their last two columns.
            let built_in = if pattern == Pattern::Crossed {
                0.75
            } else {
                0.5
            };
            let step = 1.0 / (cells as f64 - built_in);
            let size = [cells as f64 * step, 0.125];
            let (block, positions) = sheet(pattern, [cells, cells / 8], size);
            let material = PlateMaterial {
                poisson: 0.0,
                ..PLATE
            };
            let held = |x: DVec3| x.x < 1.01 * step;
            let deflections = deflections(&block, &positions, material, held);
            let tip: Vec<f64> = positions
                .iter()
                .zip(&deflections)
                .filter(|(x, _)| x.x > size[0] - 1e-9)
                .map(|(_, &w)| w)
                .collect();
            let tip = tip.iter().sum::<f64>() / tip.len() as f64;
            // q L⁴ / 8 D for L = 1.
            let ratio = tip * 8.0 * material.rigidity;
            println!("{pattern:?}, {cells} cells: {ratio:.4}");
            assert!((ratio - 1.0).abs() < tolerance, "{pattern:?}: {ratio}");
        }
    }
}

#[test]
fn strips_bend_as_beams() {
    // A strip on two supports: w = 5 q L⁴ / (384 D (1 - ν²)), as it is free to bend across.
    for pattern in PATTERNS {
        let (block, positions) = sheet(pattern, [64, 4], [1.0, 0.0625]);
        let held = |x: DVec3| x.x < 1e-9 || x.x > 1.0 - 1e-9;
        let deflections = deflections(&block, &positions, PLATE, held);
        let middle = deflections.iter().copied().fold(0.0, f64::max);
        let beam = PLATE.rigidity * (1.0 - PLATE.poisson * PLATE.poisson);
        let ratio = middle * 384.0 * beam / 5.0;
        println!("{pattern:?}: {ratio:.4}");
        assert!((ratio - 1.0).abs() < 0.015, "{pattern:?}: {ratio}");
    }
}

/// The energy of a sheet rolled up to a cylinder whose axis is turned by `turn`, over that of a
/// plate, ½ D area / radius².
fn energy_of_cylinder(pattern: Pattern, cells: usize, turn: f64) -> f64 {
    let radius = 0.8;
    let (block, flat) = sheet(pattern, [cells, cells], [1.0, 1.0]);
    let mut bending = PlateBending::new(&block, &flat, PLATE).unwrap();
    let spin = DMat3::from_rotation_z(turn);
    let roll = |&x: &DVec3| {
        let x = spin * x;
        let (sine, cosine) = (x.x / radius).sin_cos();
        DVec3::new(radius * sine, x.y, radius * (1.0 - cosine))
    };
    let rolled: Vec<DVec3> = flat.iter().map(roll).collect();
    bending.energy(&rolled) * 2.0 * radius * radius / PLATE.rigidity
}

#[test]
fn cylinders_store_the_energy_of_a_plate_in_every_direction() {
    for pattern in PATTERNS {
        for turn in [0.0, 0.3, 0.7, 1.2, 2.4] {
            let coarse = energy_of_cylinder(pattern, 20, turn);
            let fine = energy_of_cylinder(pattern, 40, turn);
            // Edges of the border have no angle: what is missing there falls as the cells do.
            let limit = 2.0 * fine - coarse;
            println!("{pattern:?}, turned by {turn}: {coarse:.4} {fine:.4} -> {limit:.4}");
            assert!(fine < 1.0 && fine > 0.9, "{pattern:?} {turn}: {fine}");
            assert!((limit - 1.0).abs() < 0.02, "{pattern:?} {turn}: {limit}");
        }
    }
}

#[test]
fn contract_of_flat_and_curved_sheets() {
    let size = DVec3::new(1.0, 1.0, 0.0);
    let mut mesh = box_mesh(ElementKind::Triangle3, [3, 2, 1], size);
    for curved in [0.0, 0.4] {
        distort(&mut mesh, size, 0.05);
        for x in &mut mesh.positions {
            x.z = curved * (x.x * x.x - 0.5 * x.x * x.y);
        }
        for poisson in [0.3, -0.5, 0.9] {
            let material = PlateMaterial { poisson, ..PLATE };
            let mut bending =
                PlateBending::new(&mesh.blocks[0], &mesh.positions, material).unwrap();
            assert_eq!(bending.hinges().len(), 13);
            EnergyContract::new(&mesh.positions).check(&mut bending);
            EnergyContract::new(&mesh.positions)
                .displaced_by(0.5)
                .check(&mut bending);
            EnergyContract::new(&mesh.positions).check_crushed(&mut bending);
        }
    }
}

#[test]
fn contract_where_triangles_are_oriented_at_random_and_three_meet() {
    let positions = vec![
        DVec3::ZERO,
        DVec3::X,
        DVec3::new(0.3, 1.0, 0.2),
        DVec3::new(0.6, -0.8, 0.5),
        DVec3::new(0.4, 0.1, -0.9),
        DVec3::new(1.2, 1.0, 0.3),
    ];
    let nodes = vec![0, 1, 2, 0, 1, 3, 1, 0, 4, 1, 2, 5];
    let block = ElementBlock::new(ElementKind::Triangle3, nodes);
    let mut bending = PlateBending::new(&block, &positions, PLATE).unwrap();
    assert_eq!(bending.hinges().len(), 3);
    EnergyContract::new(&positions).check(&mut bending);
}

#[test]
fn orientation_changes_nothing() {
    let (block, flat) = sheet(Pattern::Irregular, [6, 5], [1.0, 1.0]);
    let mut random = Random(3);
    let bent: Vec<DVec3> = flat
        .iter()
        .map(|x| DVec3::new(x.x, x.y, 0.05 * random.number()))
        .collect();
    let mut turned = block.clone();
    for triangle in turned.nodes.as_chunks_mut::<3>().0.iter_mut().step_by(2) {
        triangle.swap(0, 1);
    }
    let [a, b] = [block, turned].map(|block| {
        let mut bending = PlateBending::new(&block, &flat, PLATE).unwrap();
        bending.energy(&bent)
    });
    // The shares are found to four digits, in axes that depend on the order of the triangles.
    assert!((a / b - 1.0).abs() < 1e-5, "{a} {b}");
}

#[test]
fn closed_surfaces_and_sharp_folds_rest_where_they_are() {
    // An octahedron: each node is a closed fan of four equilateral triangles, folded sharply.
    let positions: Vec<DVec3> = [DVec3::X, DVec3::Y, DVec3::Z]
        .into_iter()
        .flat_map(|axis| [axis, -axis])
        .collect();
    let mut nodes = Vec::new();
    for x in [0, 1] {
        for y in [2, 3] {
            for z in [4, 5] {
                nodes.extend([x, y, z]);
            }
        }
    }
    let block = ElementBlock::new(ElementKind::Triangle3, nodes);
    let mut bending = PlateBending::new(&block, &positions, PLATE).unwrap();
    assert_eq!(bending.hinges().len(), 12);
    EnergyContract::new(&positions).check(&mut bending);
}

#[test]
fn a_crease_rests_at_its_angle_and_takes_the_short_way() {
    let block = ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2, 1, 0, 3]);
    let flat = vec![DVec3::ZERO, DVec3::X, DVec3::Y, -DVec3::Y];
    let mut bending = PlateBending::new(&block, &flat, PLATE).unwrap();
    let folded = |angle: f64| {
        let mut positions = flat.clone();
        positions[2] = DVec3::new(0.0, angle.cos(), angle.sin());
        positions
    };
    let stiffness = 2.0 * bending.energy(&folded(0.3)) / 0.09;
    assert!(stiffness > 0.3 * PLATE.rigidity && stiffness < 3.0 * PLATE.rigidity);
    for angle in [-1.2_f64, 3.0] {
        let energy = bending.energy(&folded(angle));
        assert!((energy / (0.5 * stiffness * angle * angle) - 1.0).abs() < 1e-12);
    }
    // At rest at 3 rad, a fold of -3 rad is only 2π - 6 away.
    let nodes = bending.hinges()[0].nodes;
    let sign = Fold::new(&folded(0.5), &nodes).angle().signum();
    bending.set_rest_angle(0, 3.0 * sign).unwrap();
    assert!(bending.energy(&folded(3.0)) < 1e-20);
    let expected = 0.5 * stiffness * (TAU - 6.0) * (TAU - 6.0);
    assert!((bending.energy(&folded(-3.0)) / expected - 1.0).abs() < 1e-12);
    assert!(bending.set_rest_angle(0, f64::NAN).is_err());
}

#[test]
fn nonsense_is_refused() {
    let block = ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2]);
    let positions = [DVec3::ZERO, DVec3::X, DVec3::Y];
    for (rigidity, poisson) in [(0.0, 0.3), (1.0, 1.0), (1.0, -1.0), (f64::NAN, 0.0)] {
        let material = PlateMaterial { rigidity, poisson };
        assert!(PlateBending::new(&block, &positions, material).is_err());
    }
    assert!(PlateBending::new(&block, &positions[..2], PLATE).is_err());
    let bending = PlateBending::new(&block, &positions, PLATE).unwrap();
    assert!(bending.hinges().is_empty());
}

/// Sheets with a border, and three that meet at an edge: the Hessian in single precision is that of `f64`.
#[test]
fn the_half_matrix_is_the_hessian() {
    let size = DVec3::new(1.0, 1.0, 0.0);
    let mut mesh = box_mesh(ElementKind::Triangle3, [4, 3, 1], size);
    distort(&mut mesh, size, 0.05);
    let mut block = mesh.blocks.remove(0);
    let mut rest = mesh.positions;
    // A third triangle at the first edge that two share.
    let shared = PlateBending::new(&block, &rest, PLATE).unwrap().hinges()[0].nodes;
    rest.push(rest[shared[0] as usize] + DVec3::new(0.1, 0.2, 0.6));
    block
        .nodes
        .extend([shared[0], shared[1], rest.len() as u32 - 1]);
    let mut plate = PlateBending::new(&block, &rest, PLATE).unwrap();
    assert!(!plate.layout.junctions().is_empty());
    let bent = rest.iter().enumerate();
    let bent = bent.map(|(i, x)| *x + DVec3::Z * (0.1 * (2.3 * i as f64).sin()));
    let bent: Vec<DVec3> = bent.collect();
    let mut couplings = Vec::new();
    plate.couplings(&mut |a, b| couplings.push((a, b)));
    let mut matrix = BlockMatrix::new(rest.len(), couplings.into_iter());
    plate.attach(&matrix);
    let mut half = HalfBlocks::new(&matrix);
    assert!(plate.attach_half(&half));
    plate.add_hessian(&bent, Curvature::Positive, &mut matrix);
    plate.add_half_hessian(&bent, &mut half);
    let sizes = matrix
        .blocks()
        .iter()
        .flat_map(|block| block.to_cols_array());
    let size = sizes.map(f64::abs).fold(0.0, f64::max);
    for row in 0..rest.len() {
        for slot in half.row_range(row) {
            let wanted = matrix.block(matrix.slot(row, half.column(slot)).unwrap());
            let error = half.blocks()[slot].block() - *wanted;
            assert!(
                error.abs_diff_eq(DMat3::ZERO, 2e-6 * size),
                "{error} {size}"
            );
        }
    }
}
