//! Statics against the theory of beams and against Cook's membrane.

use super::{IsoparametricElements, Strain};
use crate::energy::Curvature;
use crate::energy::contract::hessian;
use crate::fem::ElasticMaterial;
use crate::fem::test_meshes::{box_mesh, solve_held, straighten};
use crate::mesh::{ElementKind, ElementMesh};
use glam::DVec3;

fn material(young: f64, poisson: f64) -> ElasticMaterial {
    ElasticMaterial {
        young,
        poisson,
        density: 1.0,
    }
}

/// The small displacements of a body held where `held` says, under a load.
fn displacements(
    mesh: &ElementMesh,
    material: ElasticMaterial,
    held: impl Fn(DVec3) -> [bool; 3],
    load: &[DVec3],
) -> Vec<DVec3> {
    let mut elements =
        IsoparametricElements::new(&mesh.blocks[0], &mesh.positions, material, Strain::Linear)
            .unwrap();
    let matrix = hessian(&mut elements, &mesh.positions, Curvature::Full);
    let held: Vec<[bool; 3]> = mesh.positions.iter().map(|&x| held(x)).collect();
    let given = vec![DVec3::ZERO; held.len()];
    solve_held(&matrix, &held, &given, load)
}

/// A traction on the end x = `end`, shared by the rule of Simpson on quadratic edges.
fn edge_load(mesh: &ElementMesh, end: f64, force: DVec3, quadratic: bool) -> Vec<DVec3> {
    let mut on_edge: Vec<usize> = (0..mesh.positions.len())
        .filter(|&node| (mesh.positions[node].x - end).abs() < 1e-9)
        .collect();
    on_edge.sort_by(|&a, &b| mesh.positions[a].y.total_cmp(&mesh.positions[b].y));
    let mut load = vec![DVec3::ZERO; mesh.positions.len()];
    let last = on_edge.len() - 1;
    for (place, &node) in on_edge.iter().enumerate() {
        let ends = if place == 0 || place == last {
            1.0
        } else {
            2.0
        };
        let share = match (quadratic, place % 2) {
            (false, _) => ends / (2 * last) as f64,
            (true, 0) => ends / (3 * last) as f64,
            (true, _) => 4.0 / (3 * last) as f64,
        };
        load[node] = share * force;
    }
    let total: DVec3 = load.iter().sum();
    assert!(total.distance(force) < 1e-12);
    load
}

/// Deflection of the end of a cantilever in plane stress over that of Timoshenko,
/// P L³ / (3 E I) + P L / (κ G A) with κ = 10 (1 + ν) / (12 + 11 ν).
fn plane_cantilever(kind: ElementKind, cells: [usize; 2]) -> f64 {
    let (length, height, young, nu) = (10.0, 1.0, 1000.0, 0.3);
    let size = DVec3::new(length, height, 0.0);
    let mesh = box_mesh(kind, [cells[0], cells[1], 1], size);
    let quadratic = matches!(kind, ElementKind::Quad9 | ElementKind::Triangle6);
    let load = edge_load(&mesh, length, DVec3::Y, quadratic);
    let held = |x: DVec3| [x.x < 1e-9, x.x < 1e-9, true];
    let u = displacements(&mesh, material(young, nu), held, &load);
    let end = mesh
        .positions
        .iter()
        .zip(&u)
        .filter(|(x, _)| x.x > length - 1e-9);
    let (sum, count) = end.fold((0.0, 0), |(sum, count), (_, u)| (sum + u.y, count + 1));
    let shear = young / (2.0 * (1.0 + nu));
    let factor = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    let theory =
        length.powi(3) / (3.0 * young * height.powi(3) / 12.0) + length / (factor * shear * height);
    sum / f64::from(count) / theory
}

#[test]
fn plane_cantilevers_converge_to_timoshenko() {
    for (kind, tolerances) in [
        (ElementKind::Quad9, [0.01, 0.003]),
        (ElementKind::Triangle6, [0.02, 0.004]),
        (ElementKind::Quad4, [0.16, 0.05]),
        (ElementKind::Triangle3, [0.55, 0.25]),
    ] {
        let ratios = [[8, 1], [16, 2], [32, 4]].map(|cells| plane_cantilever(kind, cells));
        println!("{kind:?}: deflection over Timoshenko's {ratios:?}");
        assert!(ratios.is_sorted(), "{kind:?} softens as it is refined");
        assert!(
            (ratios[1] - 1.0).abs() < tolerances[0],
            "{kind:?}: {ratios:?}"
        );
        assert!(
            (ratios[2] - 1.0).abs() < tolerances[1],
            "{kind:?}: {ratios:?}"
        );
    }
}

/// Deflection of the end of a cantilever of square section over that of Timoshenko.
fn brick_cantilever(cells: [usize; 3], nu: f64) -> f64 {
    solid_cantilever(ElementKind::Brick20, cells, nu)
}

fn solid_cantilever(kind: ElementKind, cells: [usize; 3], nu: f64) -> f64 {
    let (length, young) = (10.0, 1000.0);
    let mesh = box_mesh(kind, cells, DVec3::new(length, 1.0, 1.0));
    let ends: Vec<usize> = (0..mesh.positions.len())
        .filter(|&node| mesh.positions[node].x > length - 1e-9)
        .collect();
    let mut load = vec![DVec3::ZERO; mesh.positions.len()];
    for &node in &ends {
        load[node] = DVec3::Y / ends.len() as f64;
    }
    let u = displacements(&mesh, material(young, nu), |x| [x.x < 1e-9; 3], &load);
    let sum: f64 = ends.iter().map(|&node| u[node].y).sum();
    let factor = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu);
    let shear = young / (2.0 * (1.0 + nu));
    let theory = length.powi(3) / (3.0 * young / 12.0) + length / (factor * shear);
    sum / ends.len() as f64 / theory
}

#[test]
fn brick_cantilever_converges_to_timoshenko() {
    let ratios = [[4, 1, 1], [10, 2, 2], [20, 3, 3]].map(|cells| brick_cantilever(cells, 0.0));
    println!("Brick20: deflection over Timoshenko's {ratios:?}");
    assert!((ratios[0] - 1.0).abs() < 0.02, "{ratios:?}");
    assert!((ratios[1] - 1.0).abs() < 0.002, "{ratios:?}");
    assert!((ratios[2] - 1.0).abs() < 0.0002, "{ratios:?}");
    // A clamped end cannot narrow, which stiffens the beam and which the theory does not know.
    let ratio = brick_cantilever([20, 2, 2], 0.3);
    println!("Brick20, Poisson's ratio 0.3: {ratio}");
    assert!(ratio > 0.985 && ratio < 1.0, "{ratio}");
}

#[test]
fn cantilever_of_tetrahedra_of_ten_nodes_converges_to_timoshenko() {
    let kind = ElementKind::Tetrahedron10;
    let ratios =
        [[5, 1, 1], [10, 1, 1], [20, 2, 2]].map(|cells| solid_cantilever(kind, cells, 0.0));
    println!("Tetrahedron10: deflection over Timoshenko's {ratios:?}");
    assert!(
        ratios.is_sorted(),
        "it softens as it is refined: {ratios:?}"
    );
    assert!((ratios[2] - 1.0).abs() < 0.01, "{ratios:?}");
    // Those of four nodes are far stiffer on a mesh with as many nodes.
    let four = solid_cantilever(ElementKind::Tetrahedron4, [20, 2, 2], 0.0);
    assert!(four < 0.75, "{four}");
}

/// Deflection of the middle of the free edge of Cook's membrane: a trapezium of 48 between edges of
/// 44 and 16, E = 1, ν = 1/3, a force of 1 along the free edge.
fn cook(kind: ElementKind, cells: usize) -> f64 {
    let mut mesh = box_mesh(kind, [cells, cells, 1], DVec3::new(1.0, 1.0, 0.0));
    for x in &mut mesh.positions {
        let (low, high) = (44.0 * x.x, 44.0 + 16.0 * x.x);
        *x = DVec3::new(48.0 * x.x, low + (high - low) * x.y, 0.0);
    }
    straighten(kind, &mut mesh);
    let quadratic = matches!(kind, ElementKind::Quad9 | ElementKind::Triangle6);
    let load = edge_load(&mesh, 48.0, DVec3::Y, quadratic);
    let held = |x: DVec3| [x.x < 1e-9, x.x < 1e-9, true];
    let u = displacements(&mesh, material(1.0, 1.0 / 3.0), held, &load);
    let middle = DVec3::new(48.0, 52.0, 0.0);
    let nodes = 0..mesh.positions.len();
    let node = nodes.min_by(|&a, &b| {
        let distance = |node: usize| mesh.positions[node].distance(middle);
        distance(a).total_cmp(&distance(b))
    });
    u[node.unwrap()].y
}

#[test]
fn cooks_membrane_converges() {
    // The converged deflection is 23.96.
    for (kind, cells, tolerance) in [
        (ElementKind::Quad9, [2, 4, 8, 16], 0.02),
        (ElementKind::Triangle6, [2, 4, 8, 16], 0.04),
        (ElementKind::Quad4, [2, 4, 8, 32], 0.3),
        (ElementKind::Triangle3, [2, 4, 8, 32], 1.0),
    ] {
        let deflections = cells.map(|cells| cook(kind, cells));
        println!("{kind:?}: {deflections:.4?} with {cells:?} cells an edge");
        assert!(deflections.is_sorted(), "{kind:?}: {deflections:?}");
        assert!(
            (deflections[3] - 23.96).abs() < tolerance,
            "{kind:?}: {deflections:?}"
        );
    }
}
