//! Published values of large deflections: the bend of 45 degrees of \[Bathe1979\] with bricks, tetrahedra of ten
//! nodes and rods.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::fem::isoparametric::Strain;
use pliant::fem::{ElasticMaterial, ElementModel, MeshModel, MeshSettings, RegionMaterials};
use pliant::force::{BoundForce, Loads, NodalForce, NodalView, Stiffness};
use pliant::formulation::RodSettings;
use pliant::linear::SolverKind;
use pliant::mesh::{Division, ElementMesh, block, brick20_block, elevated};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World};
use std::f64::consts::FRAC_PI_4;
use std::ops::Range;
use std::sync::Arc;

/// A force on each node that grows to its full size within a second.
#[derive(Debug)]
struct Growing(Vec<DVec3>);

impl NodalForce for Growing {
    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        for node in nodes {
            loads.add(node, view.time.min(1.0) * self.0[node], Stiffness::None);
        }
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        -view.time.min(1.0) * self.0[node].dot(view.positions[node])
    }

    fn is_passive(&self) -> bool {
        false
    }
}

/// Positions in balance under the full load, which is reached in ten steps.
fn balance(mut description: BodyDescription, forces: Vec<DVec3>) -> Vec<DVec3> {
    description.forces.push(BoundForce {
        force: Arc::new(Growing(forces)),
        node: None,
    });
    description.integrator = IntegratorKind::Static;
    description.time_step = 0.1;
    description.newton_iterations = 60;
    description.solver.kind = SolverKind::Cholesky;
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..12 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    }
    world.bodies[0].state.positions.clone()
}

/// Where the tip of the bend goes: radius 100, section 1 x 1, E = 1e7, ν = 0, a force of 600 across its plane.
/// The values hold with the true constant of torsion of a square, 0.1406.
const TIP: DVec3 = DVec3::new(15.56, 46.89, 53.61);

/// How far the tip has to go.
fn way() -> f64 {
    TIP.distance(DVec3::new(
        100.0 - 100.0 * FRAC_PI_4.cos(),
        100.0 * FRAC_PI_4.sin(),
        0.0,
    ))
}

/// A straight block along x bent into the arc.
fn bent(mut mesh: ElementMesh) -> ElementMesh {
    for x in &mut mesh.positions {
        let (angle, radius) = (FRAC_PI_4 * x.x, 100.0 - 0.5 + x.y);
        *x = DVec3::new(
            100.0 - radius * angle.cos(),
            radius * angle.sin(),
            x.z - 0.5,
        );
    }
    mesh
}

fn tip_of_solid(straight: ElementMesh) -> DVec3 {
    let at = |end: f64| -> Vec<usize> {
        let nodes = straight.positions.iter().enumerate();
        let nodes = nodes.filter(|(_, x)| (x.x - end).abs() < 1e-9);
        nodes.map(|(node, _)| node).collect()
    };
    let (clamped, loaded) = (at(0.0), at(1.0));
    let mesh = bent(straight);
    let model = ElementModel {
        materials: RegionMaterials::uniform(ElasticMaterial::new(1e7, 0.0, 1.0).unwrap()),
        strain: Strain::Green,
        thickness: 1.0,
    };
    let masses = model.masses(&mesh).unwrap();
    let mut forces = vec![DVec3::ZERO; mesh.positions.len()];
    for &node in &loaded {
        forces[node].z = 600.0 / loaded.len() as f64;
    }
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("bend", settings, masses);
    clamped
        .iter()
        .for_each(|&node| description.fixed[node] = true);
    let places = balance(description, forces);
    loaded.iter().map(|&node| places[node]).sum::<DVec3>() / loaded.len() as f64
}

#[test]
fn bricks_bend_as_published() {
    let found = tip_of_solid(brick20_block([16, 1, 1], DVec3::ONE).unwrap());
    assert!(found.distance(TIP) < 0.015 * way(), "{found}");
}

#[test]
fn tetrahedra_of_ten_nodes_bend_as_published() {
    let straight = block([24, 1, 1], DVec3::ONE, Division::SixTetrahedra).unwrap();
    let found = tip_of_solid(elevated(&straight));
    assert!(found.distance(TIP) < 0.02 * way(), "{found}");
}

#[test]
fn rods_bend_as_published() {
    let edges = 40;
    let step = FRAC_PI_4 / (edges as f64 - 0.5);
    // The clamp is in the middle of the first edge.
    let place = |i: usize| {
        let angle = step * (i as f64 - 0.5);
        100.0 * DVec3::new(1.0 - angle.cos(), angle.sin(), 0.0)
    };
    let nodes: Vec<DVec3> = (0..=edges).map(place).collect();
    let (count, length) = (nodes.len(), nodes[0].distance(nodes[1]));
    let grid = Grid::new(&[count], &[false]);
    let tension = 1e7 * grid.spacing(0).powi(2) / length;
    let weights = Weights::uniform(count, tension, 1e7 / 12.0 * length, 5e6 * 0.1406 * length);
    let mut rod = BodyDescription::new("bend", grid, nodes, weights);
    rod.make_rod(RodSettings::default());
    rod.fixed[..2].fill(true);
    let mut forces = vec![DVec3::ZERO; count];
    forces[count - 1].z = 600.0;
    let found = balance(rod, forces)[count - 1];
    assert!(found.distance(TIP) < 0.01 * way(), "{found}");
}
