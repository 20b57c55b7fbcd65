//! Condensed bodies: their answers are those of the whole linear solid.

use glam::DVec3;
use pliant::fem::{ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{Amount, BoundForce, DistributedLoad, Gravity, Over, Spring, Thruster};
use pliant::formulation::Condensed;
use pliant::mesh::{Division, block};
use pliant::obstacle::{Obstacle, Sphere};
use pliant::reduced::ElementaryDisplacements;
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::sync::Arc;

/// A block of soft tissue that stands on fixed nodes.
fn tissue() -> BodyDescription {
    let size = DVec3::new(0.3, 0.2, 0.1);
    let mesh = block([6, 4, 3], size, Division::FiveTetrahedra).unwrap();
    let material = ElasticMaterial::new(5e3, 0.45, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Linear, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("tissue", settings, masses);
    let low = description
        .rest_positions
        .iter()
        .map(|x| x.z)
        .fold(f64::INFINITY, f64::min);
    for (fixed, x) in description
        .fixed
        .iter_mut()
        .zip(&description.rest_positions)
    {
        *fixed = x.z < low + 1e-9;
    }
    description.integrator = IntegratorKind::Static;
    description
}

fn nearest(description: &BodyDescription, place: DVec3) -> usize {
    let rest = &description.rest_positions;
    let distance = |node: &usize| rest[*node].distance(place);
    (0..rest.len())
        .min_by(|a, b| distance(a).total_cmp(&distance(b)))
        .unwrap()
}

fn top(description: &BodyDescription) -> DVec3 {
    let high = description
        .rest_positions
        .iter()
        .copied()
        .fold(DVec3::NEG_INFINITY, DVec3::max);
    let low = description
        .rest_positions
        .iter()
        .copied()
        .fold(DVec3::INFINITY, DVec3::min);
    let middle = 0.5 * (low + high);
    DVec3::new(middle.x, middle.y, high.z)
}

fn settled(description: BodyDescription, obstacles: Vec<Obstacle>) -> World {
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        obstacles,
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    for _ in 0..2 {
        let report = world.step(&mut workspace);
        assert_eq!(
            (report.quarantined, report.non_finite),
            (0, 0),
            "{:?}",
            world.bodies[0].quarantine
        );
    }
    world
}

/// Gravity, a pull and hard springs: to 1e-9 of the displacement the shape of the whole linear solid,
/// which is found by Newton's method with a Cholesky factor.
#[test]
fn it_is_the_whole_linear_solid() {
    let load = |description: &mut BodyDescription| {
        let top = top(description);
        let acceleration = DVec3::new(0.5, 0.0, -9.81);
        let gravity = Arc::new(Gravity { acceleration });
        let pull = Arc::new(Thruster {
            force: DVec3::new(0.05, -0.1, 0.2),
            from: 0.0,
            until: f64::INFINITY,
        });
        let mut bind = |force, node| description.forces.push(BoundForce { force, node });
        bind(gravity, None);
        let corner = nearest(&tissue(), top + DVec3::new(0.1, 0.05, 0.0));
        bind(pull, Some(corner));
        for shift in [DVec3::ZERO, DVec3::new(0.05, 0.0, 0.0)] {
            let node = nearest(&tissue(), top + shift);
            let target = tissue().rest_positions[node] - 0.02 * DVec3::Z;
            bind(Arc::new(Spring::to_point(1e5, target)), Some(node));
        }
    };
    let mut whole = tissue();
    load(&mut whole);
    whole.solver.kind = pliant::linear::SolverKind::Cholesky;
    whole.solver.tolerance = 1e-14;
    whole.newton_tolerance = 1e-12;
    let mut condensed = tissue();
    load(&mut condensed);
    condensed.make_condensed(Condensed::default());
    let (whole, condensed) = (settled(whole, Vec::new()), settled(condensed, Vec::new()));
    let rest = &whole.bodies[0].description().rest_positions;
    let (a, b) = (
        &whole.bodies[0].state.positions,
        &condensed.bodies[0].state.positions,
    );
    let largest = a
        .iter()
        .zip(rest)
        .map(|(x, r)| x.distance(*r))
        .fold(0.0, f64::max);
    let error = a
        .iter()
        .zip(b)
        .map(|(a, b)| a.distance(*b))
        .fold(0.0, f64::max);
    assert!(largest > 0.01, "{largest}");
    assert!(error < 1e-9 * largest, "{error} of {largest}");
    let energies = [&whole, &condensed].map(|world| world.bodies[0].elastic_energy());
    assert!(
        (energies[0] / energies[1] - 1.0).abs() < 1e-8,
        "{energies:?}"
    );
}

/// A ball that is pressed into the tissue: no node is inside, the forces that are left over are at nodes
/// that touch it, push away from it and have no part along it.
#[test]
fn contact_balances_without_pulling() {
    let centre = top(&tissue()) + DVec3::new(0.004, 0.003, 0.15 - 0.015);
    let ball = Obstacle::new("ball", Box::new(Sphere::new(centre, 0.15).unwrap()));
    let mut description = tissue();
    description.collides_with.push(0);
    description.make_condensed(Condensed::default());
    description.change_precompute(true);
    let mut world = World {
        bodies: vec![Body::new(description).unwrap()],
        obstacles: vec![ball],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert!(
        report.quarantined == 0 && report.contacts > 4,
        "{}",
        report.contacts
    );
    let (elastic, _) = workspace.forces(&world, 0);
    let body = &world.bodies[0];
    let largest = elastic.iter().map(|f| f.length()).fold(0.0, f64::max);
    let mut touching = 0;
    for (node, force) in elastic.iter().enumerate() {
        if body.description().fixed[node] {
            continue;
        }
        let (distance, normal) = world.obstacles[0].distance_and_normal(body.state.positions[node]);
        assert!(distance > -1e-6, "{distance}");
        if force.length() < 1e-7 * largest {
            continue;
        }
        // The ball holds against the elastic force, which presses on it.
        touching += 1;
        assert!(distance < 1e-6, "{distance}");
        assert!(force.dot(normal) < 0.0);
        assert!((*force - normal * normal.dot(*force)).length() < 1e-2 * largest);
    }
    assert_eq!(touching, report.contacts);
}

/// The columns at the surface are the inverse of the condensed stiffness K_ss - K_si K_ii⁻¹ K_is: a load
/// on the surface moves it as the whole solid.
#[test]
fn columns_add_up_to_the_solution() {
    let body = Body::new(tissue()).unwrap();
    let description = body.description();
    let mut surface = body.formulation().surface_triangles(description).concat();
    surface.sort_unstable();
    surface.dedup();
    let mut columns = ElementaryDisplacements::shown_at(&body, surface.clone()).unwrap();
    let nodes = [surface[5], surface[40], surface[77]].map(|node| node as usize);
    let forces: Vec<(usize, DVec3)> = nodes
        .iter()
        .enumerate()
        .map(|(k, &node)| (node, DVec3::new(0.1, -0.2 * k as f64, 0.3)))
        .collect();
    nodes.iter().for_each(|&node| columns.find(node).unwrap());
    let mut sum = vec![DVec3::ZERO; surface.len()];
    assert!(columns.superpose(&forces, &mut sum));
    let mut all = vec![DVec3::ZERO; body.node_count()];
    forces.iter().for_each(|(node, force)| all[*node] = *force);
    let mut solved = vec![DVec3::ZERO; body.node_count()];
    columns.solve(&all, &mut solved).unwrap();
    let largest = solved.iter().map(|d| d.length()).fold(0.0, f64::max);
    for (sum, &node) in sum.iter().zip(&surface) {
        assert!(sum.distance(solved[node as usize]) < 1e-11 * largest);
    }
    assert!(!columns.superpose(&[(surface[3] as usize, DVec3::X)], &mut sum));
}

#[test]
fn what_it_cannot_do_is_refused() {
    let refused = |change: &dyn Fn(&mut BodyDescription), part: &str| {
        let mut description = tissue();
        description.make_condensed(Condensed::default());
        change(&mut description);
        let error = Body::new(description).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&|d| d.integrator = IntegratorKind::Implicit, "statics only");
    refused(&|d| d.fixed.fill(false), "nothing holds");
    // A load that is spread over nothing yet is refused rather than a panic in the first step.
    let load = DistributedLoad {
        over: Over::Face,
        amount: Amount::Pressure(1.0),
    };
    let force = Arc::new(load);
    refused(
        &move |d| {
            d.forces.push(BoundForce {
                force: force.clone(),
                node: None,
            })
        },
        "not spread over a part",
    );
}
