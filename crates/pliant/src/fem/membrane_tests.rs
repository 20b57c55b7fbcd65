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
