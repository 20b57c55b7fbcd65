//! Meshes against theory: beams, the elastica, Cook's membrane, and the bars and steps of
//! \[Mueller2002\].

use glam::DVec3;
use pliant::fem::isoparametric::Strain;
use pliant::fem::{
    ElasticMaterial, ElementModel, MeshModel, MeshSettings, RegionMaterials, RotationMethod,
    SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity, Loads, NodalForce, NodalView, Stiffness};
use pliant::linear::SolverKind;
use pliant::mesh::{
    Division, ElementKind, ElementMesh, block, boundary_triangles, brick20_block, rectangle,
};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::ops::Range;
use std::sync::Arc;

/// A constant force at each node.
#[derive(Debug)]
struct NodeForces(Vec<DVec3>);

impl NodalForce for NodeForces {
    fn add_loads(&self, _: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, self.0[node], Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -self.0[node].dot(view.positions[node])
    }
}

fn body_of(mesh: &Arc<ElementMesh>, model: impl MeshModel + 'static) -> BodyDescription {
    let masses = model.masses(mesh).unwrap();
    let settings = MeshSettings::new(Arc::clone(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("body", settings, masses);
    for (node, x) in mesh.positions.iter().enumerate() {
        description.fixed[node] = x.x < 1e-9;
    }
    description.solver.kind = SolverKind::Cholesky;
    description.solver.tolerance = 1e-8;
    description
}

fn pull(description: &mut BodyDescription, force: impl NodalForce + 'static) {
    let force = Arc::new(force);
    description.forces.push(BoundForce { force, node: None });
}

/// Positions in equilibrium.
fn equilibrium(mut description: BodyDescription) -> Vec<DVec3> {
    description.integrator = IntegratorKind::Static;
    description.newton_iterations = 40;
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    assert_eq!(report.shortened_steps, 0);
    world.bodies[0].state.positions.clone()
}

/// Mean displacement of the nodes at the largest x.
fn tip(mesh: &ElementMesh, positions: &[DVec3]) -> DVec3 {
    let end = mesh.positions.iter().map(|x| x.x).fold(0.0, f64::max);
    let at_end = |node: &usize| mesh.positions[*node].x > end - 1e-9;
    let nodes: Vec<usize> = (0..positions.len()).filter(at_end).collect();
    let sum: DVec3 = nodes
        .iter()
        .map(|&n| positions[n] - mesh.positions[n])
        .sum();
    sum / nodes.len() as f64
}

/// A cantilever under its weight, against Timoshenko's beam: w L⁴ / 8 E I + w L² / 2 κ G A. Poisson's
/// ratio is 0, for which κ = 5/6 and the clamped end disturbs nothing.
#[test]
fn cantilevers_of_tetrahedra_converge_to_beam_theory() {
    let (length, height, gravity) = (1.0_f64, 0.2_f64, 1e-3);
    let material = ElasticMaterial::new(1e6, 0.0, 1000.0).unwrap();
    let weight = material.density * gravity * height * height;
    let inertia = height.powi(4) / 12.0;
    let expected = weight * length.powi(4) / (8.0 * material.young * inertia)
        + weight * length * length / (2.0 * 5.0 / 6.0 * material.shear() * height * height);
    for strain in [
        SolidStrain::Linear,
        SolidStrain::Corotated,
        SolidStrain::NeoHookean,
    ] {
        let error = |cells: usize| {
            let counts = [5 * cells, cells, cells];
            let size = DVec3::new(length, height, height);
            let mesh = Arc::new(block(counts, size, Division::FiveTetrahedra).unwrap());
            let mut description = body_of(&mesh, SolidModel::new(strain, material));
            let acceleration = DVec3::new(0.0, 0.0, -gravity);
            pull(&mut description, Gravity { acceleration });
            1.0 + tip(&mesh, &equilibrium(description)).z / expected
        };
        let errors = [2, 4, 8].map(error);
        let rate = (errors[1] / errors[2]).log2();
        assert!(
            errors[2] < 0.04 && errors[2] > 0.0,
            "{strain:?}: {errors:?}"
        );
        assert!(rate > 1.7, "{strain:?}: rate {rate}, errors {errors:?}");
    }
}

/// The elastica under a force P at its end, with a = P L² / E I: displacements of the tip in units
/// of L, from the elliptic integrals (Bisshopp and Drucker 1945).
#[test]
fn cantilevers_converge_to_the_elastica() {
    let (length, height, load) = (1.0, 0.05_f64, 2.0);
    let (down, back) = (0.49346, 0.16064);
    let material = ElasticMaterial::new(1e6, 0.0, 1000.0).unwrap();
    let force = load * material.young * height.powi(4) / 12.0 / (length * length);
    let size = DVec3::new(length, height, height);
    let end_loads = |mesh: &ElementMesh| {
        // The boundary triangles of the end share the force by area.
        let mut forces = vec![DVec3::ZERO; mesh.positions.len()];
        for triangle in boundary_triangles(mesh) {
            let [a, b, c] = triangle.map(|node| mesh.positions[node as usize]);
            if [a, b, c].iter().all(|x| x.x > length - 1e-9) {
                let area = 0.5 * (b - a).cross(c - a).length();
                for node in triangle {
                    forces[node as usize].z -= force * area / (3.0 * height * height);
                }
            }
        }
        NodeForces(forces)
    };
    let bricks = Arc::new(brick20_block([20, 1, 1], size).unwrap());
    let model = ElementModel {
        materials: RegionMaterials::uniform(material),
        strain: Strain::Green,
        thickness: 1.0,
    };
    let mut description = body_of(&bricks, model);
    pull(&mut description, end_loads(&bricks));
    let found = tip(&bricks, &equilibrium(description));
    assert!((-found.z / down - 1.0).abs() < 0.01, "{found}");
    assert!((-found.x / back - 1.0).abs() < 0.015, "{found}");

    for strain in [SolidStrain::Corotated, SolidStrain::Green] {
        let error = |cells: usize| {
            let counts = [20 * cells, cells, cells];
            let mesh = Arc::new(block(counts, size, Division::FiveTetrahedra).unwrap());
            let mut description = body_of(&mesh, SolidModel::new(strain, material));
            pull(&mut description, end_loads(&mesh));
            1.0 + tip(&mesh, &equilibrium(description)).z / down
        };
        let errors = [2, 4].map(error);
        assert!(errors[1] < 0.08, "{strain:?}: {errors:?}");
        assert!(errors[0] / errors[1] > 2.5, "{strain:?}: {errors:?}");
    }
}

/// Cook's tapered panel: E = 70, ν = 1/3, shear traction 6.25 on the short side, plane strain, small
/// strain. Published values of the displacement of the upper corner with fine quadratic meshes are
/// 32.20 to 32.28 (CoFEA benchmark 002: Code_Aster, CalculiX, Elmer). Plane strain is plane stress
/// with E / (1 - ν²) and ν / (1 - ν).
#[test]
fn cooks_membrane_bends_as_published() {
    let nu = 1.0 / 3.0;
    let material = ElasticMaterial::new(70.0 / (1.0 - nu * nu), 0.5 - 1e-9, 1.0).unwrap();
    let corner = |kind: ElementKind, strain: Strain, cells: usize| {
        let mut mesh = rectangle(kind, [cells, cells], [1.0, 1.0]).unwrap();
        let edge: Vec<usize> = (0..mesh.positions.len())
            .filter(|&node| mesh.positions[node].x > 1.0 - 1e-9)
            .collect();
        let heights: Vec<f64> = mesh.positions.iter().map(|x| x.y).collect();
        for x in &mut mesh.positions {
            let (u, v) = (x.x, x.y);
            *x = DVec3::new(48.0 * u, 44.0 * u + v * (44.0 - 28.0 * u), 0.0);
        }
        let mesh = Arc::new(mesh);
        let model = ElementModel {
            materials: RegionMaterials::uniform(material),
            strain,
            thickness: 1.0,
        };
        let mut description = body_of(&mesh, model);
        let mut forces = vec![DVec3::ZERO; mesh.positions.len()];
        for &node in &edge {
            // Simpson's rule along each side of a quadratic element, the trapezium of a linear one.
            let steps = if kind == ElementKind::Quad9 {
                2 * cells
            } else {
                cells
            };
            let at = (heights[node] * steps as f64).round() as usize;
            let ends = at == 0 || at == steps;
            let share = match (kind == ElementKind::Quad9, at % 2 == 1, ends) {
                (true, true, _) => 4.0 / 6.0 / cells as f64,
                (true, false, true) => 1.0 / 6.0 / cells as f64,
                (true, false, false) => 2.0 / 6.0 / cells as f64,
                (false, _, true) => 0.5 / cells as f64,
                (false, _, false) => 1.0 / cells as f64,
            };
            forces[node].y = 100.0 * share;
        }
        assert!((forces.iter().map(|f| f.y).sum::<f64>() - 100.0).abs() < 1e-9);
        pull(&mut description, NodeForces(forces));
        let positions = equilibrium(description);
        let last = edge
            .iter()
            .copied()
            .max_by(|&a, &b| heights[a].total_cmp(&heights[b]));
        (positions[last.unwrap()] - mesh.positions[last.unwrap()]).y
    };
    let fine = corner(ElementKind::Quad9, Strain::Linear, 32);
    assert!((32.15..32.35).contains(&fine), "{fine}");
    let errors = [8, 16, 32].map(|n| fine - corner(ElementKind::Quad4, Strain::Linear, n));
    assert!(
        errors[2] > 0.0 && (errors[1] / errors[2]).log2() > 1.4,
        "{errors:?}"
    );
    // With Green's strain the panel stiffens as it turns up.
    let finite = corner(ElementKind::Quad9, Strain::Green, 8);
    assert!(finite > 15.0 && finite < fine, "{finite}");
}

/// M6: three bars fixed at one end fall under their weight. The linear one grows, the warped and the
/// non-linear one keep their volume within 5 % (\[Mueller2002\] Fig. 6 and 7).
#[test]
fn only_the_linear_bar_grows() {
    let size = DVec3::new(1.0, 0.3, 0.3);
    let mesh = Arc::new(block([10, 3, 3], size, Division::FiveTetrahedra).unwrap());
    let volume = |positions: &[DVec3]| -> f64 {
        let cells = pliant::mesh::tetrahedra(&mesh);
        cells
            .map(|nodes| pliant::mesh::tetrahedron_volume(nodes.map(|n| positions[n as usize])))
            .sum()
    };
    let largest_change = |strain| {
        let soft = ElasticMaterial::new(
            std::env::var("E").map_or(4e5, |e| e.parse().unwrap()),
            0.33,
            1000.0,
        )
        .unwrap();
        let mut description = body_of(&mesh, SolidModel::new(strain, soft));
        let acceleration = DVec3::new(0.0, 0.0, -9.81);
        pull(&mut description, Gravity { acceleration });
        let mut world = World {
            bodies: vec![Body::new(description).unwrap()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let rest = volume(&mesh.positions);
        let mut largest = 0.0_f64;
        for _ in 0..150 {
            world.step(&mut workspace);
            let change = volume(&world.bodies[0].state.positions) / rest - 1.0;
            if change.abs() > largest.abs() {
                largest = change;
            }
        }
        largest
    };
    let linear = largest_change(SolidStrain::Linear);
    assert!(linear > 0.2, "{linear}");
    for strain in [
        SolidStrain::Warped(RotationMethod::Frames),
        SolidStrain::Warped(RotationMethod::Svd),
        SolidStrain::Green,
        SolidStrain::Corotated,
    ] {
        let change = largest_change(strain);
        assert!(change.abs() < 0.05, "{strain:?}: {change}");
    }
}

/// M7: the largest stable step of a warped bar for each Young's modulus is at least the paper's
/// (\[Mueller2002\] sect. 4.2: 30, 20, 10, 10, 10 ms). Warped forces have no energy to watch: a bar is
/// stable if it never moves faster than by falling half its length, and slows down.
#[test]
fn warped_bars_are_stable_at_the_steps_of_the_paper() {
    let size = DVec3::new(1.0, 0.3, 0.3);
    let mesh = Arc::new(block([10, 3, 3], size, Division::FiveTetrahedra).unwrap());
    let table = [
        (2.0, 0.03),
        (1.0, 0.02),
        (0.5, 0.01),
        (0.2, 0.01),
        (0.1, 0.01),
    ];
    for (young, step) in table {
        for method in [RotationMethod::Frames, RotationMethod::Svd] {
            let rubber = ElasticMaterial::new(young * 1e6, 0.33, 1000.0).unwrap();
            let mut description =
                body_of(&mesh, SolidModel::new(SolidStrain::Warped(method), rubber));
            let acceleration = DVec3::new(0.0, 0.0, -9.81);
            pull(&mut description, Gravity { acceleration });
            description.time_step = step;
            let mut world = World {
                bodies: vec![Body::new(description).unwrap()],
                ..World::default()
            };
            let mut workspace = Workspace::new(&world);
            let weight = 9.81 * world.bodies[0].description().masses.iter().sum::<f64>();
            let mut kinetic = Vec::new();
            for _ in 0..(8.0 / step) as usize {
                let report = world.step(&mut workspace);
                assert_eq!(report.shortened_steps, 0);
                kinetic.push(report.energies.kinetic);
            }
            let fastest = kinetic.iter().copied().fold(0.0, f64::max);
            let last = kinetic[kinetic.len() * 9 / 10..].iter().copied();
            assert!(fastest < 0.5 * weight, "{young} {method:?}: {fastest} J");
            let rest = last.fold(0.0, f64::max);
            assert!(
                rest < 0.4 * fastest,
                "{young} {method:?}: {fastest} J, then {rest} J"
            );
        }
    }
}

/// Slender bars under gravity: with frames as with singular values they stay in the plane of the
/// load and never move faster than by falling down their length.
#[test]
fn warped_slender_bars_stay_in_their_plane() {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    for (counts, size) in [
        ([12, 2, 2], DVec3::new(1.2, 0.2, 0.2)),
        ([12, 2, 2], DVec3::new(2.4, 0.2, 0.2)),
        ([24, 2, 2], DVec3::new(2.0, 0.1, 0.1)),
    ] {
        let mesh = Arc::new(block(counts, size, Division::FiveTetrahedra).unwrap());
        for method in [RotationMethod::Frames, RotationMethod::Svd] {
            let rubber = ElasticMaterial::new(1e6, 0.33, 1000.0).unwrap();
            let mut description =
                body_of(&mesh, SolidModel::new(SolidStrain::Warped(method), rubber));
            pull(&mut description, Gravity { acceleration });
            description.time_step = 0.01;
            let mut world = World {
                bodies: vec![Body::new(description).unwrap()],
                ..World::default()
            };
            let mut workspace = Workspace::new(&world);
            let mass: f64 = world.bodies[0].description().masses.iter().sum();
            for _ in 0..400 {
                let report = world.step(&mut workspace);
                assert_eq!(report.shortened_steps, 0);
                assert!(report.energies.kinetic < 9.81 * mass * size.x, "{method:?}");
            }
            let body = &world.bodies[0];
            let middle = 0.5 * size.y;
            let drift: f64 = body
                .state
                .positions
                .iter()
                .zip(&body.description().masses)
                .map(|(x, m)| m * (x.y - middle) / mass)
                .sum();
            assert!(
                drift.abs() < 0.01 * size.x,
                "{counts:?} {method:?}: {drift}"
            );
        }
    }
}

/// A bar fixed at one end, stretched and released, vibrates with the period 4 L √(ρ / E), for every
/// strain; an explicit step is divided to stay stable and damps nothing. Its velocities are half a part of
/// the step late, so the energy swings by about ½ h ω, some 2 %, and does not drift.
#[test]
fn explicit_steps_of_meshes_have_the_frequency_of_a_bar() {
    let (length, height) = (1.0, 0.2);
    let material = ElasticMaterial::new(1e6, 0.0, 1000.0).unwrap();
    let period = 4.0 * length * (material.density / material.young).sqrt();
    let size = DVec3::new(length, height, height);
    let mesh = Arc::new(block([10, 2, 2], size, Division::FiveTetrahedra).unwrap());
    for strain in [
        SolidStrain::Linear,
        SolidStrain::Corotated,
        SolidStrain::Green,
        SolidStrain::NeoHookean,
    ] {
        let mut description = body_of(&mesh, SolidModel::new(strain, material));
        description.integrator = IntegratorKind::Explicit;
        description.time_step = 0.002;
        let mut body = Body::new(description).unwrap();
        for x in &mut body.state.positions {
            x.x += 1e-3 * (0.5 * std::f64::consts::PI * x.x).sin();
        }
        let mut world = World {
            bodies: vec![body],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let begin = workspace.energies(&world).total();
        let (mut before, mut crossings, mut divided) = (1.0, Vec::new(), 0);
        while crossings.len() < 4 {
            let report = world.step(&mut workspace);
            assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
            divided += report.shortened_steps;
            let now = tip(&mesh, &world.bodies[0].state.positions).x;
            if (now > 0.0) != (before > 0.0) {
                crossings.push(world.time - 0.002 * now / (now - before));
            }
            before = now;
            let energy = workspace.energies(&world).total();
            assert!(
                (energy / begin - 1.0).abs() < 0.04,
                "{strain:?}: {energy} {begin}"
            );
            assert!(world.time < 3.0 * period);
        }
        assert!(divided > 0);
        let found = 2.0 * (crossings[3] - crossings[0]) / 3.0;
        assert!(
            (found / period - 1.0).abs() < 0.01,
            "{strain:?}: {found} {period}"
        );
    }
}

/// What an explicit step cannot do is said when the body is made.
#[test]
fn explicit_steps_of_meshes_refuse_what_they_cannot_do() {
    let material = ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap();
    let mesh = Arc::new(block([2, 1, 1], DVec3::ONE, Division::FiveTetrahedra).unwrap());
    let warped = SolidStrain::Warped(RotationMethod::Svd);
    let mut description = body_of(&mesh, SolidModel::new(warped, material));
    description.integrator = IntegratorKind::Explicit;
    let error = Body::new(description).unwrap_err().to_string();
    assert!(
        error.contains("strain Warped with the Explicit integrator"),
        "{error}"
    );
}
