use glam::DVec3;
use pliant::elastic::Weights;
use pliant::force::{BoundForce, Gravity};
use pliant::*;
use std::sync::Arc;
fn main() {
    let n = 29;
    let rig: f64 = std::env::args().nth(1).unwrap().parse().unwrap();
    let dt: f64 = std::env::args().nth(2).unwrap().parse().unwrap();
    let kind = if std::env::args().nth(3).unwrap() == "i" {
        IntegratorKind::Implicit
    } else {
        IntegratorKind::SemiImplicit
    };
    let grid = Grid::new(&[n, n], &[false; 2]);
    let rest: Vec<DVec3> = grid
        .nodes()
        .map(|c| {
            let [u, v, _] = grid.material_coordinates(c);
            DVec3::new(4.0 * (u - 0.5), 4.0 * (v - 0.5), 0.0)
        })
        .collect();
    let mut d = BodyDescription::new("p", grid, rest, Weights::uniform(n * n, 1.0, rig, 0.0));
    d.integrator = kind;
    d.time_step = dt;
    d.masses.fill(5.0);
    d.dampings.fill(2.0);
    d.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * 9.82,
        }),
        node: None,
    });
    let c = d.grid.index([n / 2, n / 2, 0]);
    d.fixed[c] = true;
    let mut w = World {
        bodies: vec![Body::new(d).unwrap()],
        ..World::default()
    };
    let mut ws = Workspace::new(&w);
    for i in 0..(10.0 / dt) as usize {
        let r = w.step(&mut ws);
        if i % ((0.25 / dt) as usize).max(1) == 0 {
            println!(
                "{:.2} kin {:.3e} el {:.3e} ext {:.3e} tot {:.3e} it {} nit {} short {} q {}",
                w.time,
                r.energies.kinetic,
                r.energies.elastic,
                r.energies.external,
                r.energies.total(),
                r.linear_iterations,
                r.newton_iterations,
                r.shortened_steps,
                r.quarantined
            );
        }
    }
}
