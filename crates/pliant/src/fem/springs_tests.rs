//! Tests of spring networks.

use super::*;
use crate::energy::contract::{EnergyContract, gradient, hessian};
use crate::fem::VolumePreservation;
use crate::fem::test_meshes::{box_mesh, distort, solve_held};
use crate::mesh::{ElementBlock, ElementKind};

fn network(kind: ElementKind) -> (Vec<DVec3>, SpringNetwork) {
    let size = DVec3::new(1.0, 0.8, 0.6);
    let mut mesh = box_mesh(kind, [2, 1, 1], size);
    distort(&mut mesh, size, 0.1);
    let springs = SpringNetwork::of_mesh(&mesh, 1e4, 0.05).unwrap();
    (mesh.positions, springs)
}

#[test]
fn contract_of_every_kind_of_element() {
    for kind in ElementKind::ALL {
        println!("{kind:?}");
        let (rest, mut springs) = network(kind);
        EnergyContract::new(&rest).check(&mut springs);
        EnergyContract::new(&rest).check_crushed(&mut springs);
    }
}

#[test]
fn contract_with_a_stretch_limit() {
    let (rest, springs) = network(ElementKind::Tetrahedron4);
    // No spring of the deformed states is so near to the limit that difference quotients see
    // the stiffness jump.
    let limit = StretchLimit {
        elongation: 0.062,
        factor: 20.0,
    };
    let mut springs = springs.with_limit(limit).unwrap();
    EnergyContract::new(&rest).check(&mut springs);
}

#[test]
fn contract_with_volume() {
    let size = DVec3::new(1.0, 0.8, 0.6);
    let mut mesh = box_mesh(ElementKind::Tetrahedron4, [2, 1, 2], size);
    distort(&mut mesh, size, 0.1);
    let mut volume = VolumePreservation::new(&mesh.blocks[0], &mesh.positions, 1e5).unwrap();
    EnergyContract::new(&mesh.positions).check(&mut volume);
    EnergyContract::new(&mesh.positions).check_crushed(&mut volume);
}

/// One spring of 1 m and 100 N/m pulled to a length.
fn pull(limit: Option<StretchLimit>, length: f64) -> f64 {
    let spring = Spring {
        nodes: [0, 1],
        rest_length: 1.0,
        stiffness: 100.0,
    };
    let mut springs = SpringNetwork::new(2, vec![spring]).unwrap();
    if let Some(limit) = limit {
        springs = springs.with_limit(limit).unwrap();
    }
    gradient(&mut springs, &[DVec3::ZERO, length * DVec3::Y])[1].y
}

#[test]
fn stress_is_piecewise_linear() {
    let limit = Some(StretchLimit {
        elongation: 0.1,
        factor: 8.0,
    });
    for length in [0.5, 1.0, 1.05, 1.0999] {
        assert_eq!(pull(limit, length), pull(None, length));
    }
    // Beyond 10 % the slope is 8 times as steep, and the force does not jump.
    assert!((pull(limit, 1.2) - (10.0 + 8.0 * 10.0)).abs() < 1e-12);
    assert!((pull(limit, 1.1 + 1e-9) - 10.0).abs() < 1e-5);
}

#[test]
fn a_muscle_contracts() {
    let (rest, mut springs) = network(ElementKind::Triangle3);
    let [a, b] = springs.springs()[0].nodes.map(|node| node as usize);
    let length = rest[a].distance(rest[b]);
    springs.set_active_length(0, 0.7 * length).unwrap();
    let pull = gradient(&mut springs, &rest);
    let expected = 0.3 * length * springs.springs()[0].stiffness;
    assert!((pull[b].dot((rest[b] - rest[a]).normalize()) - expected).abs() < 1e-9 * expected);
    assert!(springs.set_active_length(0, -1.0).is_err());
    assert!(springs.set_active_length(0, f64::NAN).is_err());
}

/// Young's modulus of a bar as measured: pulled at both ends by sliding grips, sides free.
fn measured_young(mesh: &ElementMesh, size: DVec3, section: f64) -> f64 {
    let mut springs = SpringNetwork::of_mesh(mesh, 1.0, section).unwrap();
    let matrix = hessian(&mut springs, &mesh.positions, Curvature::Full);
    let flat = mesh.blocks[0].kind.dimension() == 2;
    let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
    let mut held = Vec::new();
    let mut given = Vec::new();
    for x in &mesh.positions {
        let end = near(x.x, 0.0) || near(x.x, size.x);
        held.push([end, near(x.y, 0.0), flat || near(x.z, 0.0)]);
        given.push(DVec3::X * x.x * 0.01);
    }
    let zero = vec![DVec3::ZERO; given.len()];
    let u = solve_held(&matrix, &held, &given, &zero);
    let mut force = zero.clone();
    matrix.multiply(&u, &mut force);
    let at_end = mesh.positions.iter().zip(&force);
    let pull: f64 = at_end
        .filter(|(x, _)| near(x.x, size.x))
        .map(|(_, force)| force.x)
        .sum();
    let area = size.y * if flat { section } else { size.z };
    pull / (0.01 * area)
}

#[test]
fn a_bar_is_as_stiff_as_its_material() {
    let size = DVec3::new(4.0, 1.0, 1.0);
    for kind in ElementKind::ALL
        .into_iter()
        .filter(|kind| kind.dimension() > 1)
    {
        let size = if kind.dimension() == 2 {
            size * DVec3::new(1.0, 1.0, 0.0)
        } else {
            size
        };
        let mut mesh = box_mesh(kind, [12, 3, 3], size);
        let regular = measured_young(&mesh, size, 0.1);
        distort(&mut mesh, size, 0.06);
        let irregular = measured_young(&mesh, size, 0.1);
        println!("{kind:?}: {regular:.3} of E, irregular {irregular:.3}");
        assert!((regular - 1.0).abs() < 0.08, "{kind:?}: {regular}");
        assert!((irregular - 1.0).abs() < 0.08, "{kind:?}: {irregular}");
    }
}

#[test]
fn stiffness_is_that_of_lloyd_where_there_is_a_formula() {
    let l = 0.3;
    let triangle = ElementMesh {
        positions: vec![
            DVec3::ZERO,
            l * DVec3::X,
            l * DVec3::new(0.5, 0.75_f64.sqrt(), 0.0),
        ],
        blocks: vec![ElementBlock::new(ElementKind::Triangle3, vec![0, 1, 2])],
    };
    let springs = SpringNetwork::of_mesh(&triangle, 2e5, 0.01).unwrap();
    for spring in springs.springs() {
        let expected = 3.0_f64.sqrt() / 4.0 * 2e5 * 0.01;
        assert!((spring.stiffness / expected - 1.0).abs() < 1e-12);
    }
    let corner = |x: f64, y: f64, z: f64| l / 8.0_f64.sqrt() * DVec3::new(x, y, z);
    let tetrahedron = ElementMesh {
        positions: vec![
            corner(1.0, 1.0, 1.0),
            corner(1.0, -1.0, -1.0),
            corner(-1.0, 1.0, -1.0),
            corner(-1.0, -1.0, 1.0),
        ],
        blocks: vec![ElementBlock::new(
            ElementKind::Tetrahedron4,
            vec![0, 2, 1, 3],
        )],
    };
    let springs = SpringNetwork::of_mesh(&tetrahedron, 2e5, 1.0).unwrap();
    assert_eq!(springs.springs().len(), 6);
    for spring in springs.springs() {
        let expected = 2.0 * 2.0_f64.sqrt() / 25.0 * 2e5 * l;
        assert!((spring.stiffness / expected - 1.0).abs() < 1e-9);
    }
}

#[test]
fn a_segment_is_a_rod() {
    let mesh = box_mesh(ElementKind::Line2, [1, 1, 1], DVec3::new(2.0, 0.0, 0.0));
    let springs = SpringNetwork::of_mesh(&mesh, 1e6, 3e-4).unwrap();
    // k = E A / L
    assert!((springs.springs()[0].stiffness - 150.0).abs() < 1e-9);
}

#[test]
fn nonsense_is_refused() {
    let mesh = box_mesh(ElementKind::Quad4, [1, 1, 1], DVec3::ONE);
    assert!(SpringNetwork::of_mesh(&mesh, -1.0, 1.0).is_err());
    assert!(SpringNetwork::of_mesh(&mesh, 1.0, 0.0).is_err());
    let flat = box_mesh(
        ElementKind::Tetrahedron4,
        [1, 1, 1],
        DVec3::new(1.0, 1.0, 0.0),
    );
    let error = SpringNetwork::of_mesh(&flat, 1.0, 1.0).unwrap_err();
    assert!(matches!(error, FemError::Degenerate { .. }));
    let spring = Spring {
        nodes: [0, 7],
        rest_length: 1.0,
        stiffness: 1.0,
    };
    assert!(SpringNetwork::new(2, vec![spring]).is_err());
    let springs = SpringNetwork::of_mesh(&mesh, 1.0, 1.0).unwrap();
    let limit = StretchLimit {
        elongation: 0.1,
        factor: 0.5,
    };
    assert!(springs.with_limit(limit).is_err());
}
