//! The patch test: an irregular patch whose border follows an affine displacement must follow it
//! inside, with the same stress everywhere.

use super::stiffness_tests::KINDS;
use super::{IsoparametricElements, Strain};
use crate::energy::Curvature;
use crate::energy::contract::{Random, gradient, hessian};
use crate::fem::test_meshes::{box_mesh, distort, solve_held};
use crate::fem::{ElasticMaterial, Energy};
use crate::mesh::{ElementKind, ElementMesh};
use glam::{DMat3, DVec3};

const SIZE: DVec3 = DVec3::new(2.4, 2.0, 1.6);

const MATERIAL: ElasticMaterial = ElasticMaterial {
    young: 50.0,
    poisson: 0.25,
    density: 1.0,
};

struct Patch {
    mesh: ElementMesh,
    held: Vec<[bool; 3]>,
}

/// Elements of different shapes. `curved` moves the middles of inner edges too.
fn patch(kind: ElementKind, curved: bool) -> Patch {
    let flat = kind.dimension() == 2;
    let size = if flat {
        SIZE * DVec3::new(1.0, 1.0, 0.0)
    } else {
        SIZE
    };
    let mut mesh = box_mesh(kind, [3, 3, 2], size);
    distort(&mut mesh, size, 0.15);
    let border =
        |x: &DVec3| (0..if flat { 2 } else { 3 }).any(|i| x[i] < 1e-9 || x[i] > SIZE[i] - 1e-9);
    let outside: Vec<bool> = mesh.positions.iter().map(border).collect();
    if curved {
        let mut random = Random(9);
        for (x, outside) in mesh.positions.iter_mut().zip(&outside) {
            if !outside {
                *x += 0.03 * random.vector() * DVec3::new(1.0, 1.0, 0.0);
            }
        }
    }
    let held = outside
        .iter()
        .map(|&outside| [outside, outside, outside || flat]);
    Patch {
        held: held.collect(),
        mesh,
    }
}

/// A deformation that stretches and shears; it also turns where the strain allows it.
fn deformation(size: f64, flat: bool) -> DMat3 {
    let slope = DMat3::from_cols(
        DVec3::new(1.0, -0.5, 0.3),
        DVec3::new(0.7, -0.6, 0.2),
        DVec3::new(-0.4, 0.6, 0.8),
    );
    if flat {
        // In the plane.
        let plane = DMat3::from_diagonal(DVec3::new(1.0, 1.0, 0.0));
        DMat3::IDENTITY + size * plane * slope * plane
    } else {
        DMat3::IDENTITY + size * slope
    }
}

fn check(kind: ElementKind, strain: Strain, curved: bool) {
    let patch = patch(kind, curved);
    let rest = &patch.mesh.positions;
    let inner = patch.held.iter().filter(|held| !held[0]).count();
    assert!(inner >= 2, "{kind:?} has only {inner} inner nodes");
    let mut elements =
        IsoparametricElements::new(&patch.mesh.blocks[0], rest, MATERIAL, strain).unwrap();
    let map = deformation(0.1, kind.dimension() == 2);
    let expected: Vec<DVec3> = rest.iter().map(|&x| map * x).collect();
    // The border is put in place; what is inside finds its own, by Newton steps.
    let mut positions = rest.clone();
    for _ in 0..12 {
        let matrix = hessian(&mut elements, &positions, Curvature::Positive);
        let force: Vec<DVec3> = gradient(&mut elements, &positions)
            .iter()
            .map(|g| -*g)
            .collect();
        let given: Vec<DVec3> = expected
            .iter()
            .zip(&positions)
            .map(|(a, b)| *a - *b)
            .collect();
        let step = solve_held(&matrix, &patch.held, &given, &force);
        for (x, step) in positions.iter_mut().zip(step) {
            *x += step;
        }
        if strain == Strain::Linear {
            break;
        }
    }
    for (node, (found, expected)) in positions.iter().zip(&expected).enumerate() {
        let error = found.distance(*expected);
        assert!(
            error < 1e-10,
            "{kind:?} {strain:?}: node {node} is off by {error}"
        );
    }
    let stress = elements.stress(&expected, 0, 0);
    for element in 0..elements.len() {
        for point in 0..elements.points_of_element() {
            let here = elements.stress(&positions, element, point);
            assert!(
                here.abs_diff_eq(stress, 1e-8),
                "{kind:?} {strain:?}: {here} {stress}"
            );
        }
    }
    assert!(elements.energy(&positions) > 0.0);
}

#[test]
fn small_strain() {
    for kind in KINDS {
        check(kind, Strain::Linear, false);
    }
}

#[test]
fn green_strain() {
    for kind in KINDS {
        check(kind, Strain::Green, false);
    }
}

#[test]
fn curved_edges() {
    // Quadrature is exact for gradients on curved faces. On curved bricks it is not, since the
    // product of two tangents and a gradient has a higher degree than the rule.
    for kind in [ElementKind::Triangle6, ElementKind::Quad9] {
        check(kind, Strain::Linear, true);
        check(kind, Strain::Green, true);
    }
}
