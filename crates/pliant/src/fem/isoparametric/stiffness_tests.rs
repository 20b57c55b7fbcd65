//! Stiffness matrices of single elements: the contract, closed forms, rank, and masses.

use super::{IsoparametricElements, Strain};
use crate::energy::Curvature;
use crate::energy::contract::{EnergyContract, Random, dense, hessian};
use crate::fem::test_meshes::{box_mesh, distort};
use crate::fem::{ElasticMaterial, Energy, FemError};
use crate::linear::BlockMatrix;
use crate::mesh::{ElementBlock, ElementKind, ElementMesh};
use glam::{DMat3, DVec3};

const RUBBER: ElasticMaterial = ElasticMaterial {
    young: 1000.0,
    poisson: 0.3,
    density: 1100.0,
};

pub(super) const KINDS: [ElementKind; 7] = [
    ElementKind::Triangle3,
    ElementKind::Triangle6,
    ElementKind::Quad4,
    ElementKind::Quad9,
    ElementKind::Tetrahedron4,
    ElementKind::Tetrahedron10,
    ElementKind::Brick20,
];

fn elements(mesh: &ElementMesh, strain: Strain) -> IsoparametricElements {
    IsoparametricElements::new(&mesh.blocks[0], &mesh.positions, RUBBER, strain)
        .unwrap()
        .with_thickness(0.1)
        .unwrap()
}

/// One element whose corners and middles are moved by noise; faces also out of their plane.
fn single(kind: ElementKind, noise: f64, flat: bool) -> ElementMesh {
    let mut mesh = box_mesh(kind, [1, 1, 1], DVec3::ONE);
    let block = &mut mesh.blocks[0];
    block.nodes.truncate(kind.node_count());
    block.regions.truncate(1);
    let used = block.nodes.clone();
    mesh.positions = used
        .iter()
        .map(|&node| mesh.positions[node as usize])
        .collect();
    mesh.blocks[0].nodes = (0..used.len() as u32).collect();
    let mut random = Random(3);
    for x in &mut mesh.positions {
        *x += noise * random.vector();
        if kind.dimension() == 2 {
            x.z = if flat { 0.0 } else { x.z + 0.4 * x.x * x.y };
        }
    }
    mesh
}

#[test]
fn contract_of_every_kind() {
    for kind in KINDS {
        println!("{kind:?}");
        let mesh = single(kind, 0.06, false);
        let contract = || EnergyContract::new(&mesh.positions).displaced_by(0.1);
        contract().check(&mut elements(&mesh, Strain::Green));
        contract().check_crushed(&mut elements(&mesh, Strain::Green));
        contract()
            .of_small_strain()
            .check(&mut elements(&mesh, Strain::Linear));
        if kind.dimension() == 3 {
            contract().check(&mut elements(&mesh, Strain::Corotated));
            contract().check(&mut elements(&mesh, Strain::NeoHookean));
            contract().check(&mut elements(&mesh, Strain::SplitNeoHookean));
        }
    }
}

#[test]
fn faces_have_no_law_of_solids() {
    let mesh = single(ElementKind::Quad4, 0.0, true);
    for strain in [Strain::Corotated, Strain::NeoHookean] {
        let refused = IsoparametricElements::new(&mesh.blocks[0], &mesh.positions, RUBBER, strain);
        assert!(refused.is_err());
    }
}

#[test]
fn contract_of_meshes() {
    for kind in [ElementKind::Quad4, ElementKind::Tetrahedron4] {
        let size = DVec3::new(2.0, 1.5, if kind.dimension() == 3 { 1.0 } else { 0.0 });
        let mut mesh = box_mesh(kind, [2, 2, 1], size);
        distort(&mut mesh, size, 0.1);
        EnergyContract::new(&mesh.positions).check(&mut elements(&mesh, Strain::Green));
    }
}

fn small_strain_stiffness(mesh: &ElementMesh) -> BlockMatrix {
    hessian(
        &mut elements(mesh, Strain::Linear),
        &mesh.positions,
        Curvature::Full,
    )
}

fn assert_matches(matrix: &BlockMatrix, expected: impl Fn(usize, usize) -> f64) {
    let dense = dense(matrix);
    let scale = dense.iter().flatten().fold(0.0, |a: f64, b| a.max(b.abs()));
    for (i, row) in dense.iter().enumerate() {
        for (j, &entry) in row.iter().enumerate() {
            let expected = expected(i, j);
            assert!(
                (entry - expected).abs() < 1e-12 * scale,
                "entry {i}, {j}: {entry}, closed form {expected}"
            );
        }
    }
}

/// V Bᵀ D B with the strains xx, yy, zz, xy, yz, zx; `slopes` has ∇h of each node.
fn from_strain_matrix(slopes: &[DVec3], d: [[f64; 6]; 6], volume: f64) -> Vec<Vec<f64>> {
    let size = 3 * slopes.len();
    let b: Vec<[f64; 6]> = slopes
        .iter()
        .flat_map(|g| {
            [
                [g.x, 0.0, 0.0, g.y, 0.0, g.z],
                [0.0, g.y, 0.0, g.x, g.z, 0.0],
                [0.0, 0.0, g.z, 0.0, g.y, g.x],
            ]
        })
        .collect();
    let entry = |i: usize, j: usize| -> f64 {
        let sum = (0..6).flat_map(|p| (0..6).map(move |q| (p, q)));
        volume * sum.map(|(p, q)| b[i][p] * d[p][q] * b[j][q]).sum::<f64>()
    };
    (0..size)
        .map(|i| (0..size).map(|j| entry(i, j)).collect())
        .collect()
}

#[test]
fn tetrahedron_has_the_closed_form() {
    let mesh = single(ElementKind::Tetrahedron4, 0.2, false);
    let [a, b, c, d] = [0, 1, 2, 3].map(|node| mesh.positions[node]);
    // ∇h is the inward normal of the opposite face over three times the volume.
    let volume = (b - a).dot((c - a).cross(d - a)) / 6.0;
    let slopes = [
        (d - b).cross(c - b),
        (c - a).cross(d - a),
        (d - a).cross(b - a),
        (b - a).cross(c - a),
    ]
    .map(|normal| normal / (6.0 * volume));
    let (lambda, mu) = RUBBER.lame();
    let mut stress = [[0.0; 6]; 6];
    for i in 0..3 {
        stress[i][..3].fill(lambda);
        stress[i][i] += 2.0 * mu;
        stress[i + 3][i + 3] = mu;
    }
    let expected = from_strain_matrix(&slopes, stress, volume);
    assert_matches(&small_strain_stiffness(&mesh), |i, j| expected[i][j]);
}

#[test]
fn triangle_has_the_closed_form() {
    let mesh = single(ElementKind::Triangle3, 0.2, true);
    let [p, q, r] = [0, 1, 2].map(|node| mesh.positions[node]);
    let twice_area = (q - p).cross(r - p).z;
    // The interpolation functions of [Gibson1997] Table 1.
    let slope = |a: DVec3, b: DVec3| DVec3::new(a.y - b.y, b.x - a.x, 0.0) / twice_area;
    let slopes = [slope(q, r), slope(r, p), slope(p, q)];
    let nu = RUBBER.poisson;
    let factor = RUBBER.young / (1.0 - nu * nu);
    let mut stress = [[0.0; 6]; 6];
    stress[0][..2].copy_from_slice(&[factor, factor * nu]);
    stress[1][..2].copy_from_slice(&[factor * nu, factor]);
    stress[3][3] = factor * (1.0 - nu) / 2.0;
    let expected = from_strain_matrix(&slopes, stress, 0.1 * twice_area / 2.0);
    assert_matches(&small_strain_stiffness(&mesh), |i, j| expected[i][j]);
}

#[test]
fn rectangle_has_the_closed_form() {
    let (width, height) = (1.7, 0.6);
    let mesh = box_mesh(
        ElementKind::Quad4,
        [1, 1, 1],
        DVec3::new(width, height, 0.0),
    );
    let signs = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let nu = RUBBER.poisson;
    let factor = 0.1 * RUBBER.young / (1.0 - nu * nu);
    let shear = factor * (1.0 - nu) / 2.0;
    // ∫ N_a,x N_b,x = s_a s_b (h / 4w) (1 + t_a t_b / 3), ∫ N_a,x N_b,y = s_a t_b / 4.
    let expected = |i: usize, j: usize| {
        let (a, b) = (signs[i / 3], signs[j / 3]);
        let same =
            |k: usize, ratio: f64| 0.25 * ratio * a[k] * b[k] * (1.0 + a[1 - k] * b[1 - k] / 3.0);
        let (xx, yy) = (same(0, height / width), same(1, width / height));
        let mixed = |p: f64, q: f64| 0.25 * p * q;
        match (i % 3, j % 3) {
            (0, 0) => factor * xx + shear * yy,
            (1, 1) => factor * yy + shear * xx,
            (0, 1) => factor * nu * mixed(a[0], b[1]) + shear * mixed(a[1], b[0]),
            (1, 0) => factor * nu * mixed(a[1], b[0]) + shear * mixed(a[0], b[1]),
            _ => 0.0,
        }
    };
    assert_matches(&small_strain_stiffness(&mesh), expected);
}

/// Eigenvalues by Jacobi rotations.
fn eigenvalues(mut a: Vec<Vec<f64>>) -> Vec<f64> {
    let size = a.len();
    for _ in 0..12 {
        for p in 0..size {
            for q in p + 1..size {
                if a[p][q] == 0.0 {
                    continue;
                }
                let half = 0.5 * (a[q][q] - a[p][p]);
                let tangent = a[p][q] / (half.abs() + half.hypot(a[p][q])) * half.signum();
                let cosine = 1.0 / (1.0 + tangent * tangent).sqrt();
                let sine = tangent * cosine;
                for row in a.iter_mut() {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (cosine * x - sine * y, sine * x + cosine * y);
                }
                let (before, after) = a.split_at_mut(q);
                for (x, y) in before[p].iter_mut().zip(&mut after[0]) {
                    (*x, *y) = (cosine * *x - sine * *y, sine * *x + cosine * *y);
                }
            }
        }
    }
    (0..size).map(|i| a[i][i]).collect()
}

#[test]
fn only_rigid_motions_are_free() {
    for kind in KINDS {
        let mesh = single(kind, 0.05, true);
        let matrix = small_strain_stiffness(&mesh);
        let values = eigenvalues(dense(&matrix));
        let largest = values.iter().fold(0.0, |a: f64, &b| a.max(b));
        let free = values
            .iter()
            .filter(|value| value.abs() < 1e-9 * largest)
            .count();
        // A flat face has three rigid motions in its plane, and each node moves across it freely.
        let expected = if kind.dimension() == 2 {
            3 + kind.node_count()
        } else {
            6
        };
        assert_eq!(free, expected, "{kind:?}");
        assert!(
            values.iter().all(|&value| value > -1e-9 * largest),
            "{kind:?}"
        );

        let node_count = mesh.positions.len();
        let mut force = vec![DVec3::ZERO; node_count];
        for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
            for motion in [
                mesh.positions.iter().map(|_| axis).collect::<Vec<DVec3>>(),
                mesh.positions.iter().map(|&x| axis.cross(x)).collect(),
            ] {
                matrix.multiply(&motion, &mut force);
                assert!(
                    force.iter().all(|f| f.length() < 1e-12 * largest),
                    "{kind:?}"
                );
            }
        }
    }
}

/// The energy of a membrane of 1 m that is rolled up without stretch.
fn energy_rolled(cells: usize) -> f64 {
    let mesh = box_mesh(ElementKind::Quad9, [cells, 2, 1], DVec3::new(1.0, 0.5, 0.0));
    let rolled = |x: &DVec3| {
        let (sine, cosine) = x.x.sin_cos();
        DVec3::new(sine, x.y, 1.0 - cosine)
    };
    let rolled: Vec<DVec3> = mesh.positions.iter().map(rolled).collect();
    elements(&mesh, Strain::Green).energy(&rolled)
}

#[test]
fn rolling_up_is_free() {
    // Parabolas follow the circle with an error in the strain of the second order.
    let energies = [3, 6, 12].map(energy_rolled);
    assert!(energies[1] < energies[0] / 15.0, "{energies:?}");
    assert!(energies[2] < energies[1] / 15.0, "{energies:?}");
    assert!(energies[2] > 0.0);
}

#[test]
fn masses_sum_up_and_are_positive() {
    for kind in KINDS {
        let size = DVec3::new(2.0, 1.5, if kind.dimension() == 3 { 0.7 } else { 0.0 });
        let mut mesh = box_mesh(kind, [2, 2, 2], size);
        distort(&mut mesh, size, 0.08);
        let elements = elements(&mesh, Strain::Linear);
        let volume = size.x * size.y * if kind.dimension() == 3 { size.z } else { 0.1 };
        let expected = volume * RUBBER.density;
        let mut lumped = vec![0.0; mesh.positions.len()];
        elements.add_lumped_masses(&mut lumped);
        assert!(lumped.iter().all(|&mass| mass > 0.0), "{kind:?}");
        let total: f64 = lumped.iter().sum();
        assert!((total / expected - 1.0).abs() < 1e-12, "{kind:?}: {total}");

        let mut pairs = Vec::new();
        elements.couplings(&mut |a, b| pairs.push((a, b)));
        let mut matrix = BlockMatrix::new(mesh.positions.len(), pairs.into_iter());
        elements.add_consistent_masses(&mut matrix);
        // The kinetic energy of a rotation about z is exact: ½ ∫ ρ (x² + y²) dV.
        let spin: Vec<DVec3> = mesh.positions.iter().map(|&x| DVec3::Z.cross(x)).collect();
        let mut momentum = vec![DVec3::ZERO; spin.len()];
        matrix.multiply(&spin, &mut momentum);
        let inertia: f64 = spin.iter().zip(&momentum).map(|(v, p)| v.dot(*p)).sum();
        let exact = expected * (size.x * size.x + size.y * size.y) / 3.0;
        assert!(
            (inertia / exact - 1.0).abs() < 1e-9,
            "{kind:?}: {inertia} {exact}"
        );
        // Lumping keeps the mass but not the inertia; it must be near.
        let pairs = spin.iter().zip(&lumped);
        let inertia: f64 = pairs.map(|(v, mass)| mass * v.length_squared()).sum();
        assert!(
            (inertia / exact - 1.0).abs() < 0.2,
            "{kind:?}: {inertia} {exact}"
        );
    }
}

#[test]
fn nonsense_is_refused() {
    let make = |mesh: &ElementMesh| {
        IsoparametricElements::new(&mesh.blocks[0], &mesh.positions, RUBBER, Strain::Green)
    };
    let mut inside_out = single(ElementKind::Tetrahedron4, 0.0, false);
    inside_out.blocks[0].nodes.swap(0, 1);
    let error = make(&inside_out).unwrap_err();
    assert!(matches!(error, FemError::Degenerate { .. }), "{error}");
    let mut folded = single(ElementKind::Quad4, 0.0, true);
    folded.positions[2] = DVec3::new(0.1, 0.1, 0.0);
    let error = make(&folded).unwrap_err();
    assert!(matches!(error, FemError::Degenerate { .. }), "{error}");
    let segments = ElementMesh {
        positions: vec![DVec3::ZERO, DVec3::X],
        blocks: vec![ElementBlock::new(ElementKind::Line2, vec![0, 1])],
    };
    let error = make(&segments).unwrap_err();
    assert!(matches!(error, FemError::WrongKind { .. }), "{error}");
    let square = single(ElementKind::Quad4, 0.0, true);
    assert!(make(&square).unwrap().with_thickness(-1.0).is_err());
    let bad = ElasticMaterial {
        poisson: 0.5,
        ..RUBBER
    };
    let block = &square.blocks[0];
    assert!(IsoparametricElements::new(block, &square.positions, bad, Strain::Green).is_err());
}

#[test]
fn stress_of_a_uniform_stretch() {
    for kind in KINDS {
        let mesh = single(kind, 0.05, true);
        let elements = elements(&mesh, Strain::Linear);
        // ε = (1, -ν, -ν) e is uniaxial tension: σ = E e along x.
        let scale = DVec3::new(
            1.001,
            1.0 - 0.001 * RUBBER.poisson,
            1.0 - 0.001 * RUBBER.poisson,
        );
        let stretched: Vec<DVec3> = mesh.positions.iter().map(|&x| x * scale).collect();
        for point in 0..elements.points_of_element() {
            let stress = elements.stress(&stretched, 0, point);
            let expected = DMat3::from_diagonal(DVec3::new(RUBBER.young * 0.001, 0.0, 0.0));
            assert!(stress.abs_diff_eq(expected, 1e-10), "{kind:?}: {stress}");
        }
    }
}
