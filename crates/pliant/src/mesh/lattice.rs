//! Meshes of regular cells: blocks of tetrahedra or bricks, rectangles of faces, and the ball, tube
//! and ring that a block of tetrahedra is bent into.

use super::boundary::orient_tetrahedra;
use super::make_error::positive;
use super::{ElementBlock, ElementKind, ElementMesh, MeshMakeError};
use glam::DVec3;
use std::f64::consts::TAU;

/// How a cell is divided into tetrahedra.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Division {
    /// A regular tetrahedron in the middle and four at corners; neighbouring cells are mirror
    /// images, so that their faces match.
    FiveTetrahedra,
    /// Six of the same shape about a diagonal of the cell; every cell is alike.
    SixTetrahedra,
}

/// Corners of a cell are numbered by bits: 1 along x, 2 along y, 4 along z.
const FIVE: [[usize; 4]; 5] = [
    [0, 3, 5, 6],
    [1, 0, 3, 5],
    [2, 0, 3, 6],
    [4, 0, 5, 6],
    [7, 3, 5, 6],
];
const SIX: [[usize; 4]; 6] = [
    [0, 1, 3, 7],
    [0, 1, 5, 7],
    [0, 2, 3, 7],
    [0, 2, 6, 7],
    [0, 4, 5, 7],
    [0, 4, 6, 7],
];

/// A block of `counts` cells with one corner at the origin and edges of `size` metres along x, y
/// and z. Nodes are numbered along x first, then y, then z.
pub fn block(
    counts: [usize; 3],
    size: DVec3,
    division: Division,
) -> Result<ElementMesh, MeshMakeError> {
    check_size(size)?;
    bent_block(counts, [false; 3], division, |u| u * size)
}

/// A straight tube along z from z = 0: `counts` cells around, through the wall and along. Around, at
/// least three are needed, and an even number for five tetrahedra a cell.
pub fn tube(
    counts: [usize; 3],
    inner_radius: f64,
    outer_radius: f64,
    length: f64,
    division: Division,
) -> Result<ElementMesh, MeshMakeError> {
    positive("the inner radius of a tube", inner_radius)?;
    let wall = positive("the wall of a tube", outer_radius - inner_radius)?;
    positive("the length of a tube", length)?;
    bent_block(counts, [true, false, false], division, |u| {
        let (sine, cosine) = (TAU * u.x).sin_cos();
        let radius = inner_radius + wall * u.y;
        DVec3::new(radius * cosine, radius * sine, length * u.z)
    })
}

/// A ball about the origin: a cube of `count` cells along each edge, swollen so that shells of the
/// cube become spheres.
pub fn ball(count: usize, radius: f64, division: Division) -> Result<ElementMesh, MeshMakeError> {
    positive("the radius of a ball", radius)?;
    bent_block([count; 3], [false; 3], division, |u| {
        let p = 2.0 * u - 1.0;
        radius * p.normalize_or_zero() * p.abs().max_element()
    })
}

/// A ring about z: `counts` cells around, and across its round cross-section.
pub fn ring(
    counts: [usize; 2],
    major_radius: f64,
    minor_radius: f64,
    division: Division,
) -> Result<ElementMesh, MeshMakeError> {
    positive("the minor radius of a ring", minor_radius)?;
    positive("the hole of a ring", major_radius - minor_radius)?;
    let [around, across] = counts;
    bent_block(
        [around, across, across],
        [true, false, false],
        division,
        |u| {
            let (sine, cosine) = (TAU * u.x).sin_cos();
            let square = DVec3::new(1.0 - 2.0 * u.y, 2.0 * u.z - 1.0, 0.0);
            let disc = minor_radius * square.normalize_or_zero() * square.abs().max_element();
            let radius = major_radius + disc.x;
            DVec3::new(radius * cosine, radius * sine, disc.y)
        },
    )
}

/// A block of bricks of twenty nodes, with one corner at the origin.
pub fn brick20_block(counts: [usize; 3], size: DVec3) -> Result<ElementMesh, MeshMakeError> {
    check_size(size)?;
    // Every second point of a lattice twice as fine; points in the middle of a face or a cell
    // have two or three odd numbers and are left out.
    let fine = counts.map(|count| 2 * count + 1);
    check_counts(counts, fine)?;
    let mut number = vec![u32::MAX; fine.iter().product()];
    let mut positions = Vec::new();
    for k in 0..fine[2] {
        for j in 0..fine[1] {
            for i in 0..fine[0] {
                if i % 2 + j % 2 + k % 2 <= 1 {
                    number[i + fine[0] * (j + fine[1] * k)] = positions.len() as u32;
                    let at = |n: usize, axis: usize| n as f64 / (fine[axis] - 1) as f64;
                    positions.push(DVec3::new(at(i, 0), at(j, 1), at(k, 2)) * size);
                }
            }
        }
    }
    const PLACES: [[usize; 3]; 20] = [
        [0, 0, 0],
        [2, 0, 0],
        [2, 2, 0],
        [0, 2, 0],
        [0, 0, 2],
        [2, 0, 2],
        [2, 2, 2],
        [0, 2, 2],
        [1, 0, 0],
        [2, 1, 0],
        [1, 2, 0],
        [0, 1, 0],
        [1, 0, 2],
        [2, 1, 2],
        [1, 2, 2],
        [0, 1, 2],
        [0, 0, 1],
        [2, 0, 1],
        [2, 2, 1],
        [0, 2, 1],
    ];
    let mut nodes = Vec::with_capacity(20 * counts.iter().product::<usize>());
    for [i, j, k] in cells(counts) {
        for [x, y, z] in PLACES {
            let (i, j, k) = (2 * i + x, 2 * j + y, 2 * k + z);
            nodes.push(number[i + fine[0] * (j + fine[1] * k)]);
        }
    }
    Ok(ElementMesh {
        positions,
        blocks: vec![ElementBlock::new(ElementKind::Brick20, nodes)],
    })
}

/// A rectangle of face elements in the plane z = 0, with one corner at the origin, seen from +z. A
/// cell of triangles is divided in two, along diagonals that alternate.
pub fn rectangle(
    kind: ElementKind,
    counts: [usize; 2],
    size: [f64; 2],
) -> Result<ElementMesh, MeshMakeError> {
    positive("the width of a rectangle", size[0])?;
    positive("the height of a rectangle", size[1])?;
    let step = match kind {
        ElementKind::Triangle3 | ElementKind::Quad4 => 1,
        ElementKind::Triangle6 | ElementKind::Quad9 => 2,
        ElementKind::Line2
        | ElementKind::Tetrahedron4
        | ElementKind::Tetrahedron10
        | ElementKind::Brick20 => {
            return Err(MeshMakeError::NotAFace { kind });
        }
    };
    let points = counts.map(|count| step * count + 1);
    let [cells_x, cells_y] = counts;
    check_counts([cells_x, cells_y, 1], [points[0], points[1], 1])?;
    let mut positions = Vec::with_capacity(points[0] * points[1]);
    for j in 0..points[1] {
        for i in 0..points[0] {
            let x = size[0] * i as f64 / (points[0] - 1) as f64;
            let y = size[1] * j as f64 / (points[1] - 1) as f64;
            positions.push(DVec3::new(x, y, 0.0));
        }
    }
    let mut nodes = Vec::new();
    for [i, j, _] in cells([cells_x, cells_y, 1]) {
        let node = |x: usize, y: usize| (step * i + x + points[0] * (step * j + y)) as u32;
        const QUAD9: [[usize; 2]; 9] = [
            [0, 0],
            [2, 0],
            [2, 2],
            [0, 2],
            [1, 0],
            [2, 1],
            [1, 2],
            [0, 1],
            [1, 1],
        ];
        let corners = [[0, 0], [step, 0], [step, step], [0, step]];
        let first = (i + j) % 2;
        let triangles = [0, 1].map(|half| {
            let place = |turn: usize| corners[(first + 2 * half + turn) % 4];
            [place(0), place(1), place(2)]
        });
        match kind {
            ElementKind::Quad9 => nodes.extend(QUAD9.map(|[x, y]| node(x, y))),
            ElementKind::Quad4 => nodes.extend(corners.map(|[x, y]| node(x, y))),
            _ => {
                for triangle in triangles {
                    nodes.extend(triangle.map(|[x, y]| node(x, y)));
                    if kind == ElementKind::Triangle6 {
                        nodes.extend([(0, 1), (1, 2), (2, 0)].map(|(a, b)| {
                            let middle = |axis: usize| (triangle[a][axis] + triangle[b][axis]) / 2;
                            node(middle(0), middle(1))
                        }));
                    }
                }
            }
        }
    }
    Ok(ElementMesh {
        positions,
        blocks: vec![ElementBlock::new(kind, nodes)],
    })
}

/// A block of tetrahedra whose node at u, between 0 and 1 in each direction, lies at `place(u)`.
/// A direction that wraps is joined end to end.
fn bent_block(
    counts: [usize; 3],
    wraps: [bool; 3],
    division: Division,
    place: impl Fn(DVec3) -> DVec3,
) -> Result<ElementMesh, MeshMakeError> {
    let points: [usize; 3] = std::array::from_fn(|axis| counts[axis] + usize::from(!wraps[axis]));
    check_counts(counts, points)?;
    for axis in 0..3 {
        let wanted = match division {
            Division::FiveTetrahedra if counts[axis] < 4 || counts[axis] % 2 == 1 => {
                "even and at least 4"
            }
            Division::SixTetrahedra if counts[axis] < 3 => "at least 3",
            _ => continue,
        };
        if wraps[axis] {
            return Err(MeshMakeError::BadNumber {
                what: "the number of cells around",
                wanted,
                value: counts[axis] as f64,
            });
        }
    }
    let mut positions = Vec::with_capacity(points.iter().product());
    for [i, j, k] in cells(points) {
        let at = |n: usize, axis: usize| n as f64 / counts[axis] as f64;
        positions.push(place(DVec3::new(at(i, 0), at(j, 1), at(k, 2))));
    }
    let mut nodes = Vec::new();
    for cell in cells(counts) {
        let corner = |bits: usize| {
            let [i, j, k] =
                std::array::from_fn(|axis| (cell[axis] + (bits >> axis & 1)) % points[axis]);
            (i + points[0] * (j + points[1] * k)) as u32
        };
        match division {
            Division::FiveTetrahedra => {
                let mirror = cell.iter().sum::<usize>() % 2;
                nodes.extend(FIVE.iter().flatten().map(|&bits| corner(bits ^ mirror)));
            }
            Division::SixTetrahedra => nodes.extend(SIX.iter().flatten().map(|&bits| corner(bits))),
        }
    }
    let mut mesh = ElementMesh {
        positions,
        blocks: vec![ElementBlock::new(ElementKind::Tetrahedron4, nodes)],
    };
    orient_tetrahedra(&mut mesh);
    Ok(mesh)
}

/// Every cell, x fastest.
fn cells([nx, ny, nz]: [usize; 3]) -> impl Iterator<Item = [usize; 3]> {
    (0..nx * ny * nz).map(move |n| [n % nx, n / nx % ny, n / (nx * ny)])
}

fn check_size(size: DVec3) -> Result<(), MeshMakeError> {
    for edge in size.to_array() {
        positive("an edge of a block", edge)?;
    }
    Ok(())
}

fn check_counts(counts: [usize; 3], points: [usize; 3]) -> Result<(), MeshMakeError> {
    if counts.contains(&0) {
        return Err(MeshMakeError::NoCells { counts });
    }
    let nodes: f64 = points.iter().map(|&count| count as f64).product();
    let limit = u32::MAX as usize;
    if nodes >= limit as f64 {
        return Err(MeshMakeError::TooManyNodes { nodes, limit });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::boundary::{boundary_surface, edges, enclosed_volume, tetrahedron_volumes};
    use super::super::quality::dihedral_range;
    use super::*;
    use std::f64::consts::PI;

    const BOTH: [Division; 2] = [Division::FiveTetrahedra, Division::SixTetrahedra];

    /// Faces match: what the elements hold and what their boundary encloses is the same volume, and
    /// the boundary has the Euler characteristic that it should.
    fn check(mesh: &ElementMesh, volume: f64, tolerance: f64, euler: i64) {
        assert_eq!(mesh.check(), Ok(()));
        let volumes = tetrahedron_volumes(mesh);
        let total: f64 = volumes.iter().sum();
        assert!(
            volumes
                .iter()
                .all(|&v| v > 1e-3 * total / volumes.len() as f64)
        );
        let (surface, kept) = boundary_surface(mesh);
        assert!((enclosed_volume(&surface) - total).abs() < 1e-10 * total);
        assert!(
            (total - volume).abs() < tolerance * volume,
            "{total} {volume}"
        );
        assert_eq!(
            kept.len() as i64 - surface.triangles.len() as i64 / 2,
            euler
        );
    }

    #[test]
    fn blocks() {
        let size = DVec3::new(2.0, 1.0, 0.5);
        for division in BOTH {
            let mesh = block([4, 3, 1], size, division).unwrap();
            assert_eq!(mesh.positions.len(), 5 * 4 * 2);
            check(&mesh, 1.0, 1e-12, 2);
        }
        let five = block([2; 3], DVec3::ONE, BOTH[0]).unwrap();
        let (least, most) = dihedral_range(&five).unwrap();
        assert!((least - 54.7356).abs() < 1e-3 && (most - 90.0).abs() < 1e-9);
        assert_eq!(five.elements_of(ElementKind::Tetrahedron4), 40);
    }

    #[test]
    fn bent_blocks() {
        for division in BOTH {
            let wall = PI * (1.0 - 0.36) * 2.0;
            check(
                &tube([48, 2, 5], 0.6, 1.0, 2.0, division).unwrap(),
                wall,
                0.01,
                0,
            );
            check(&ball(12, 1.0, division).unwrap(), 4.0 / 3.0 * PI, 0.03, 2);
            let torus = 2.0 * PI * PI * 0.16;
            check(&ring([40, 8], 1.0, 0.4, division).unwrap(), torus, 0.05, 0);
        }
        let odd = tube([7, 1, 1], 0.5, 1.0, 1.0, Division::FiveTetrahedra);
        assert!(odd.is_err());
        check(
            &tube([7, 1, 1], 0.5, 1.0, 1.0, BOTH[1]).unwrap(),
            0.75 * PI,
            0.2,
            0,
        );
    }

    #[test]
    fn middles_lie_between_their_corners() {
        let bricks = brick20_block([2, 3, 1], DVec3::new(1.0, 2.0, 3.0)).unwrap();
        assert_eq!(bricks.check(), Ok(()));
        // The edges of a lattice of 3 x 4 x 2 points, each halved.
        let lattice_edges = 2 * 4 * 2 + 3 * 3 * 2 + 3 * 4;
        assert_eq!(bricks.positions.len(), 3 * 4 * 2 + lattice_edges);
        assert_eq!(edges(&bricks).len(), 2 * lattice_edges);
        for [a, b] in edges(&bricks) {
            let d = bricks.positions[a as usize] - bricks.positions[b as usize];
            assert_eq!(d.to_array().iter().filter(|x| x.abs() > 1e-9).count(), 1);
        }
        for (kind, nodes, elements) in [
            (ElementKind::Triangle3, 12, 12),
            (ElementKind::Triangle6, 35, 12),
            (ElementKind::Quad4, 12, 6),
            (ElementKind::Quad9, 35, 6),
        ] {
            let mesh = rectangle(kind, [3, 2], [3.0, 2.0]).unwrap();
            assert_eq!(mesh.check(), Ok(()));
            assert_eq!(mesh.positions.len(), nodes);
            assert_eq!(mesh.elements_of(kind), elements);
            let corners = if kind.node_count() % 3 == 0 && kind != ElementKind::Quad9 {
                3
            } else {
                4
            };
            for n in mesh.blocks[0].elements().filter(|n| n.len() > 4) {
                for corner in 0..corners {
                    let x = |place: usize| mesh.positions[n[place] as usize];
                    let between = 0.5 * (x(corner) + x((corner + 1) % corners));
                    assert!(between.distance(x(corners + corner)) < 1e-12);
                }
            }
        }
    }

    #[test]
    fn refuses_nonsense() {
        assert!(block([0, 1, 1], DVec3::ONE, BOTH[0]).is_err());
        assert!(block([1, 1, 1], DVec3::new(1.0, 0.0, 1.0), BOTH[0]).is_err());
        assert!(block([1 << 20; 3], DVec3::ONE, BOTH[0]).is_err());
        assert!(rectangle(ElementKind::Line2, [1, 1], [1.0, 1.0]).is_err());
    }
}
