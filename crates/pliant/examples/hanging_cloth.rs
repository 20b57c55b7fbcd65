//! A cloth held at two corners swings down; prints where a free corner is, second by second.

use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::linear::SolverKind;
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World};
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let grid = Grid::new(&[21, 21], &[false, false]);
    let place = |node| DVec3::from(grid.material_coordinates(node));
    let square: Vec<DVec3> = grid.nodes().map(place).collect();
    let weights = Weights::uniform(grid.node_count(), 20.0, 0.0, 0.0);

    let mut cloth = BodyDescription::new("cloth", grid, square, weights);
    cloth.masses.fill(0.01);
    cloth.dampings.fill(0.005);
    cloth.integrator = IntegratorKind::Implicit;
    cloth.solver.kind = SolverKind::Cholesky;
    (cloth.fixed[0], cloth.fixed[20]) = (true, true);
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    cloth.forces.push(BoundForce { force, node: None });

    let bodies = vec![Body::new(cloth)?];
    let mut world = World {
        bodies,
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for second in 1..=4 {
        for _ in 0..100 {
            world.step(&mut workspace);
        }
        let corner = world.bodies[0].state.positions[440];
        println!("{second} s: the free corner hangs at {corner:.3}");
    }
    Ok(())
}
