//! A symmetric body in a stream along its axis is pushed along it, however its faces are cut into triangles.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{AreaViscous, BoundForce, NodalForce, Stream};
use pliant::mesh::{Division, block};
use pliant::{Body, BodyDescription, Grid, Workspace, World};
use std::sync::Arc;

const SIZE: DVec3 = DVec3::new(0.6, 0.4, 0.3);

fn over_mesh(cells: [usize; 3], division: Division) -> BodyDescription {
    let mesh = block(cells, SIZE, division).unwrap();
    let material = ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    BodyDescription::of_mesh("block", settings, masses)
}

fn on_grid(counts: [usize; 3]) -> BodyDescription {
    let grid = Grid::new(&counts, &[false; 3]);
    let place = |at| DVec3::from(grid.material_coordinates(at)) * SIZE;
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let weights = Weights::uniform(rest.len(), 1e3, 0.0, 0.0);
    BodyDescription::new("block", grid, rest, weights)
}

#[test]
fn a_block_is_not_pushed_sideways() {
    let mut bodies = vec![on_grid([3, 3, 2]), on_grid([4, 2, 3])];
    for division in [Division::FiveTetrahedra, Division::SixTetrahedra] {
        bodies.push(over_mesh([2, 2, 1], division));
        bodies.push(over_mesh([3, 2, 2], division));
    }
    for mut description in bodies {
        let velocity = DVec3::new(3.0, 0.0, 0.0);
        let stream = AreaViscous::new(10.0, Stream::Constant { velocity });
        let force = stream.over(&description.node_extents().into()).unwrap();
        description.forces.push(BoundForce { force, node: None });
        let world = World {
            bodies: vec![Body::new(description).unwrap()],
            ..World::default()
        };
        let (_, forces) = Workspace::new(&world).forces(&world, 0);
        let sum: DVec3 = forces.iter().sum();
        let places = &world.bodies[0].state.positions;
        let low = places.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let middle = low + 0.5 * SIZE;
        let arms = places.iter().map(|x| *x - middle);
        let torque: DVec3 = arms.zip(&forces).map(|(arm, f)| arm.cross(*f)).sum();
        assert!(sum.x > 0.0);
        assert!(sum.y.hypot(sum.z) < 1e-12 * sum.x, "{sum}");
        assert!(torque.length() < 1e-12 * sum.x, "{torque}");
    }
}
