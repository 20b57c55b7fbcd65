//! Nodes that are held along single directions: rollers and planes of symmetry.

use glam::DVec3;
use pliant::body::Slider;
use pliant::elastic::Weights;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{Amount, BoundForce, DistributedLoad, Gravity, NodalForce, Over};
use pliant::linear::SolverKind;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, Grid, IntegratorKind, Workspace, World, loaded_part};
use std::sync::Arc;

fn world(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

/// A block of 2 x 1 x 1 m on three rollers: x at 0, y at 0, z at 0.
fn block_on_rollers(strain: SolidStrain) -> BodyDescription {
    let mesh = block(
        [4, 2, 2],
        DVec3::new(2.0, 1.0, 1.0),
        Division::FiveTetrahedra,
    )
    .unwrap();
    let material = ElasticMaterial::new(1e5, 0.3, 1000.0).unwrap();
    let model = SolidModel::new(strain, material);
    let masses = model.masses(&mesh).unwrap();
    let positions = mesh.positions.clone();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut body = BodyDescription::of_mesh("block", settings, masses);
    for (node, x) in positions.iter().enumerate() {
        for (c, normal) in DVec3::AXES.into_iter().enumerate() {
            if x[c].abs() < 1e-9 {
                body.sliders.push(Slider { node, normal });
            }
        }
    }
    body.solver.kind = SolverKind::Cholesky;
    body.solver.tolerance = 1e-10;
    body
}

/// Pulled along x, a block on rollers is stretched evenly: ε_x = q/E, ε_y = ε_z = -ν q/E at every node.
/// Linear tetrahedra have this solution exactly, and consistent loads ask for no other.
#[test]
fn uniaxial_tension_is_exact() {
    let mut body = block_on_rollers(SolidStrain::Linear);
    let at_end: Vec<bool> = body
        .rest_positions
        .iter()
        .map(|x| x.x > 2.0 - 1e-9)
        .collect();
    let load = DistributedLoad {
        over: Over::Face,
        amount: Amount::Density(1000.0 * DVec3::X),
    };
    let load = load.spread(&loaded_part(&body, &at_end)).unwrap();
    let total: DVec3 = load.forces().iter().sum();
    assert!((total - 1000.0 * DVec3::X).length() < 1e-9);
    body.forces.push(BoundForce {
        force: Arc::new(load),
        node: None,
    });
    body.integrator = IntegratorKind::Static;
    let mut world = world(body);
    let mut workspace = Workspace::new(&world);
    assert_eq!(world.step(&mut workspace).quarantined, 0);
    let body = &world.bodies[0];
    for (rest, now) in body
        .description()
        .rest_positions
        .iter()
        .zip(&body.state.positions)
    {
        let expected = *rest * DVec3::new(1.01, 0.997, 0.997);
        assert!(now.distance(expected) < 1e-9, "{rest} {now} {expected}");
    }
}

fn gravity(acceleration: DVec3) -> BoundForce {
    let force: Arc<dyn NodalForce> = Arc::new(Gravity { acceleration });
    BoundForce { force, node: None }
}

/// A block whose nodes all slide on an inclined plane without friction goes g sin α t²/2 along it, with
/// every integrator that can, and leaves the plane by rounding only.
#[test]
fn bodies_slide_down_slopes() {
    let normal = DVec3::new(0.6, 0.0, 0.8);
    for integrator in [
        IntegratorKind::TwoStage,
        IntegratorKind::Implicit,
        IntegratorKind::Midpoint,
        IntegratorKind::Newmark,
    ] {
        let mut body = block_on_rollers(SolidStrain::Corotated);
        body.sliders = (0..body.rest_positions.len())
            .map(|node| Slider { node, normal })
            .collect();
        body.integrator = integrator;
        body.time_step = 0.01;
        body.forces.push(gravity(DVec3::new(0.0, 0.0, -10.0)));
        let mut world = world(body);
        let mut workspace = Workspace::new(&world);
        for _ in 0..50 {
            let report = world.step(&mut workspace);
            assert_eq!(
                (report.quarantined, report.shortened_steps),
                (0, 0),
                "{integrator:?}"
            );
        }
        let body = &world.bodies[0];
        // Backward Euler goes a step too far.
        let steps = if integrator == IntegratorKind::Implicit {
            51.0
        } else {
            50.0
        };
        let way = 0.5 * 6.0 * 0.01 * 0.01 * 50.0 * steps;
        let expected = way * DVec3::new(0.8, 0.0, -0.6);
        for (rest, now) in body
            .description()
            .rest_positions
            .iter()
            .zip(&body.state.positions)
        {
            assert!(normal.dot(*now - *rest).abs() < 1e-9, "{integrator:?}");
            assert!(
                (*now - *rest - expected).length() < 1e-6,
                "{integrator:?} {now} {expected}"
            );
        }
    }
}

/// A cloth whose rim slides up and down, over a floor: sheets have solvers of their own.
#[test]
fn sheets_slide_too_and_meet_obstacles() {
    let grid = Grid::new(&[17, 17], &[false, false]);
    let place = |at: [usize; 3]| DVec3::from(grid.material_coordinates(at)) + 0.3 * DVec3::Z;
    let rest: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = rest.len();
    let mut cloth = BodyDescription::new(
        "cloth",
        grid,
        rest,
        Weights::uniform(count, 50.0, 0.01, 0.0),
    );
    cloth.masses.fill(0.01);
    for node in 0..count {
        let at = cloth.rest_positions[node];
        if at.x < 1e-9 {
            cloth.sliders.push(Slider {
                node,
                normal: DVec3::X,
            });
            cloth.sliders.push(Slider {
                node,
                normal: DVec3::Y,
            });
        }
    }
    cloth.collides_with.push(0);
    cloth.forces.push(gravity(DVec3::new(0.0, 0.0, -10.0)));
    cloth.time_step = 0.01;
    let mut world = world(cloth);
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    world
        .obstacles
        .push(Obstacle::new("floor", Box::new(floor)));
    let mut workspace = Workspace::new(&world);
    for _ in 0..60 {
        assert_eq!(world.step(&mut workspace).quarantined, 0);
    }
    let body = &world.bodies[0];
    for slider in &body.description().sliders {
        let moved =
            body.state.positions[slider.node] - body.description().rest_positions[slider.node];
        assert!(slider.normal.dot(moved).abs() < 1e-9, "{moved}");
        assert!(moved.z < -0.29, "{moved}");
    }
    assert!(body.state.positions.iter().all(|x| x.z > -1e-9));
}

#[test]
fn who_cannot_keep_sliders_refuses_them() {
    let mut body = block_on_rollers(SolidStrain::Corotated);
    body.integrator = IntegratorKind::Explicit;
    assert!(Body::new(body).is_err());
    let mut body = block_on_rollers(SolidStrain::Corotated);
    body.sliders[0].normal *= 2.0;
    assert!(Body::new(body.clone()).is_err());
    body.sliders[0] = Slider {
        node: 10_000,
        normal: DVec3::X,
    };
    assert!(Body::new(body).is_err());
}
