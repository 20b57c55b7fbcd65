use super::*;
use crate::energy::contract::{EnergyContract, gradient};
use crate::fem::test_meshes::{box_mesh, distort};

const CLOTH: MembraneMaterial = MembraneMaterial {
    young: 300.0,
    poisson: 0.3,
    strain: MembraneStrain::Corotated,
};

/// A curved sheet.
fn sheet() -> (ElementBlock, Vec<DVec3>) {
    let size = DVec3::new(1.0, 1.0, 0.0);
    let mut mesh = box_mesh(ElementKind::Triangle3, [3, 2, 1], size);
    distort(&mut mesh, size, 0.05);
    for x in &mut mesh.positions {
        x.z = 0.3 * x.x * x.x - 0.2 * x.x * x.y;
    }
    (mesh.blocks.remove(0), mesh.positions)
}

#[test]
fn contract() {
    let (block, rest) = sheet();
    for poisson in [0.3, 0.0, -0.4, 0.8] {
        for strain in [MembraneStrain::Corotated, MembraneStrain::Green] {
            let material = MembraneMaterial {
                poisson,
                strain,
                ..CLOTH
            };
            let mut membrane = Membrane::new(&block, &rest, material).unwrap();
            EnergyContract::new(&rest).check(&mut membrane);
            EnergyContract::new(&rest)
                .displaced_by(0.4)
                .check(&mut membrane);
            EnergyContract::new(&rest).check_crushed(&mut membrane);
        }
    }
}

#[test]
fn strips_obey_hookes_law_of_plane_stress() {
    let size = DVec3::new(2.0, 1.0, 0.0);
    let mesh = box_mesh(ElementKind::Triangle3, [4, 2, 1], size);
    let mut membrane = Membrane::new(&mesh.blocks[0], &mesh.positions, CLOTH).unwrap();
    // A stretch e along x that narrows by ν e has the stress Y e along x and none along y, in
    // tension as in compression: the energy is ½ Y e² times the area.
    for e in [0.1, -0.1, 1.0, -0.6] {
        let scale = DVec3::new(1.0 + e, 1.0 - CLOTH.poisson * e, 1.0);
        let stretched: Vec<DVec3> = mesh.positions.iter().map(|&x| x * scale).collect();
        let expected = 0.5 * CLOTH.young * e * e * size.x * size.y;
        let energy = membrane.energy(&stretched);
        assert!(
            (energy / expected - 1.0).abs() < 1e-12,
            "{energy} {expected}"
        );
        let force = gradient(&mut membrane, &stretched);
        let at_end = mesh.positions.iter().zip(&force);
        let pull: f64 = at_end.filter(|(x, _)| x.x > 1.99).map(|(_, g)| g.x).sum();
        assert!((pull - CLOTH.young * e * size.y).abs() < 1e-9, "{pull}");
        assert!(force.iter().all(|g| g.y.abs() < 1e-9));
    }
}

#[test]
fn with_greens_strain_the_force_grows_with_the_third_power() {
    // Held across, stretched by s along x: E = ½ (s² - 1), and the density of the energy is
    // (½ λ + μ) E².
    let size = DVec3::new(2.0, 1.0, 0.0);
    let mesh = box_mesh(ElementKind::Triangle3, [4, 2, 1], size);
    let material = MembraneMaterial {
        strain: MembraneStrain::Green,
        ..CLOTH
    };
    let mut membrane = Membrane::new(&mesh.blocks[0], &mesh.positions, material).unwrap();
    let stiffness = CLOTH.young / (1.0 - CLOTH.poisson * CLOTH.poisson);
    for s in [1.1, 0.9, 2.0, 0.3] {
        let scale = DVec3::new(s, 1.0, 1.0);
        let stretched: Vec<DVec3> = mesh.positions.iter().map(|&x| x * scale).collect();
        let strain = 0.5 * (s * s - 1.0);
        let expected = 0.5 * stiffness * strain * strain * size.x * size.y;
        let energy = membrane.energy(&stretched);
        assert!((energy / expected - 1.0).abs() < 1e-12, "{energy}");
        let force = gradient(&mut membrane, &stretched);
        let at_end = mesh.positions.iter().zip(&force);
        let pull: f64 = at_end.filter(|(x, _)| x.x > 1.99).map(|(_, g)| g.x).sum();
        assert!(
            (pull - stiffness * strain * s * size.y).abs() < 1e-9,
            "{pull}"
        );
    }
}

#[test]
fn nonsense_is_refused() {
    let (block, rest) = sheet();
    for (young, poisson) in [(0.0, 0.3), (1.0, 1.0), (1.0, -1.0), (f64::NAN, 0.0)] {
        let material = MembraneMaterial {
            young,
            poisson,
            ..CLOTH
        };
        assert!(Membrane::new(&block, &rest, material).is_err());
    }
    assert!(Membrane::new(&block, &rest[..3], CLOTH).is_err());
    let line: Vec<DVec3> = rest.iter().map(|x| DVec3::X * x.x).collect();
    let error = Membrane::new(&block, &line, CLOTH).unwrap_err();
    assert!(matches!(error, FemError::Degenerate { .. }), "{error}");
    let quads = box_mesh(ElementKind::Quad4, [1, 1, 1], DVec3::ONE);
    let error = Membrane::new(&quads.blocks[0], &quads.positions, CLOTH).unwrap_err();
    assert!(matches!(error, FemError::WrongKind { .. }), "{error}");
}

/// The half matrix of an energy, blocks with both nodes, beside that of `f64`.
fn halves(membrane: &mut Membrane, positions: &[DVec3]) -> (BlockMatrix, HalfBlocks) {
    let mut couplings = Vec::new();
    membrane.couplings(&mut |a, b| couplings.push((a, b)));
    let mut matrix = BlockMatrix::new(positions.len(), couplings.into_iter());
    membrane.attach(&matrix);
    let mut half = HalfBlocks::new(&matrix);
    assert!(membrane.attach_half(&half));
    membrane.add_hessian(positions, Curvature::Positive, &mut matrix);
    membrane.add_half_hessian(positions, &mut half);
    (matrix, half)
}

/// Bent, crumpled, crushed to a line and to a point: lanes against the formulas for single triangles. The number of triangles is no
/// multiple of eight.
#[test]
fn lanes_are_the_formulas_they_stand_for() {
    let (block, rest) = sheet();
    assert_ne!(block.len() % 8, 0);
    let mut membrane = Membrane::new(&block, &rest, CLOTH).unwrap();
    let mut single = membrane.clone();
    single.lanes = None;
    let shapes = [
        DVec3::new(1.0, 1.0, 1.0),
        DVec3::new(1.3, 0.6, 2.0),
        DVec3::new(0.5, 0.4, 0.3),
        DVec3::new(1.0, 0.0, 0.0),
        DVec3::ZERO,
    ];
    for (number, scale) in shapes.into_iter().enumerate() {
        let noise = |i: usize| DVec3::splat(0.9 * i as f64) + DVec3::new(0.0, 1.0, 2.0);
        let places = rest.iter().enumerate();
        let places = places.map(|(i, x)| scale * (*x + 0.05 * noise(i).map(f64::sin)));
        let places: Vec<DVec3> = places.collect();
        let (found, wanted) = (membrane.energy(&places), single.energy(&places));
        assert!(
            (found - wanted).abs() <= 1e-12 * wanted,
            "{number}: {found} {wanted}"
        );
        let [found, wanted] = [&mut membrane, &mut single].map(|m| gradient(m, &places));
        let size = wanted.iter().map(|g| g.length()).fold(0.0, f64::max);
        // The frame of a triangle without area is known to 1e-4, rounding by the smallest area.
        let [in_double, in_single] = [[1e-11, 2e-6], [1e-3; 2]][usize::from(scale.y == 0.0)];
        for (found, wanted) in found.iter().zip(&wanted) {
            assert!(
                (*found - *wanted).length() <= in_double * size,
                "{number}: {found} {wanted}"
            );
        }
        let (matrix, half) = halves(&mut membrane, &places);
        let size = matrix
            .blocks()
            .iter()
            .flat_map(|block| block.to_cols_array());
        let size = size.map(f64::abs).fold(0.0, f64::max);
        for row in 0..rest.len() {
            for slot in half.row_range(row) {
                let wanted = matrix.block(matrix.slot(row, half.column(slot)).unwrap());
                let error = half.blocks()[slot].block() - *wanted;
                assert!(
                    error.abs_diff_eq(DMat3::ZERO, in_single * size),
                    "{number}: {error} {size}"
                );
            }
        }
    }
}
