//! Bodies that are sums of their modes: against beam theory, against the linear solid, and as all bodies.

use glam::DVec3;
use pliant::fem::isoparametric::Strain;
use pliant::fem::{
    ElasticMaterial, ElementModel, MeshModel, MeshSettings, RegionMaterials, SolidModel,
    SolidStrain, SpringModel,
};
use pliant::force::{BoundForce, Gravity, Thruster};
use pliant::formulation::Modal;
use pliant::mesh::{Division, ElementMesh, block, brick20_block};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::f64::consts::TAU;
use std::sync::Arc;

fn described(mesh: ElementMesh, model: impl MeshModel + 'static) -> BodyDescription {
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    BodyDescription::of_mesh("body", settings, masses)
}

fn clamp(description: &mut BodyDescription) {
    let rest = description.rest_positions.iter();
    let low = rest.map(|x| x.x).fold(f64::INFINITY, f64::min);
    for (fixed, x) in description
        .fixed
        .iter_mut()
        .zip(&description.rest_positions)
    {
        *fixed = x.x < low + 1e-9;
    }
}

fn steel() -> ElasticMaterial {
    ElasticMaterial::new(2e11, 0.0, 7800.0).unwrap()
}

/// A bar of 20-node bricks, 1 m x 1 cm x 1.5 cm.
fn bar() -> BodyDescription {
    let mesh = brick20_block([20, 1, 1], DVec3::new(1.0, 0.01, 0.015)).unwrap();
    let model = ElementModel {
        materials: RegionMaterials::uniform(steel()),
        strain: Strain::Linear,
        thickness: 1.0,
    };
    described(mesh, model)
}

fn modal(mut description: BodyDescription, modes: usize) -> Body {
    description.make_modal(Modal::new(modes));
    Body::new(description).unwrap()
}

fn frequencies(body: &Body) -> Vec<f64> {
    let modal = body.description().modal().unwrap();
    modal.basis(body).unwrap().frequencies()
}

/// f = (λ L)² / 2π L² √(E I / ρ A) of Euler and Bernoulli, with I/A = h²/12.
fn bending(roots: &[f64], height: f64) -> Vec<f64> {
    let material = steel();
    let wave = (material.young / material.density).sqrt() * height / 12.0_f64.sqrt();
    roots.iter().map(|root| root * root * wave / TAU).collect()
}

/// Every frequency of theory has one near it. Euler and Bernoulli leave out shear and the inertia of turning
/// sections, ½ (k h)² / 12 (1 + 2.4): 0.7 % for the highest here, and masses that are lumped at the corners
/// have up to three times that inertia.
/// What is left over is that of the 20 elements.
fn found(body: &Body, expected: &[f64], tolerance: f64) {
    let hertz = frequencies(body);
    for value in expected {
        let nearest = hertz
            .iter()
            .map(|f| (f / value - 1.0).abs())
            .fold(1.0, f64::min);
        assert!(
            nearest < tolerance,
            "{value} Hz: {nearest} off in {hertz:?}"
        );
    }
}

#[test]
fn a_clamped_bar_rings_as_a_beam() {
    let mut description = bar();
    clamp(&mut description);
    let body = modal(description, 8);
    let roots = [1.875_104, 4.694_091, 7.854_757];
    for height in [0.01, 0.015] {
        found(&body, &bending(&roots, height), 0.006);
    }
    let lowest = bending(&roots[..1], 0.01)[0];
    assert!((frequencies(&body)[0] / lowest - 1.0).abs() < 0.002);
}

#[test]
fn a_free_bar_rings_as_a_beam_and_its_rigid_motions_are_apart() {
    let body = modal(bar(), 8);
    let roots = [4.730_041, 7.853_205, 10.995_608];
    for height in [0.01, 0.015] {
        found(&body, &bending(&roots, height), 0.015);
    }
    let lowest = bending(&roots[..1], 0.01)[0];
    assert!((frequencies(&body)[0] / lowest - 1.0).abs() < 0.006);
    let basis = body.description().modal().unwrap().basis(&body).unwrap();
    let masses = &body.description().masses;
    for mode in 0..basis.len() {
        let (mut momentum, mut angular, mut size) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for (node, mass) in masses.iter().enumerate() {
            let shape = basis.shapes_at(node)[mode];
            momentum += *mass * shape;
            angular += *mass * basis.arms[node].cross(shape);
            size += mass * shape.length();
        }
        assert!(
            momentum.length() < 1e-9 * size && angular.length() < 1e-9 * size,
            "{mode}"
        );
        for other in 0..basis.len() {
            let product = |(node, mass): (usize, &f64)| {
                mass * basis.shapes_at(node)[mode].dot(basis.shapes_at(node)[other])
            };
            let product: f64 = masses.iter().enumerate().map(product).sum();
            assert!((product - f64::from(mode == other)).abs() < 1e-9);
        }
    }
}

/// A square bar bends alike in two directions: modes of the same frequency are all found.
#[test]
fn modes_of_the_same_frequency_are_all_found() {
    let mesh = brick20_block([12, 1, 1], DVec3::new(1.0, 0.05, 0.05)).unwrap();
    let model = ElementModel {
        materials: RegionMaterials::uniform(steel()),
        strain: Strain::Linear,
        thickness: 1.0,
    };
    let hertz = frequencies(&modal(described(mesh, model), 4));
    assert!((hertz[0] / hertz[1] - 1.0).abs() < 1e-7 && (hertz[2] / hertz[3] - 1.0).abs() < 1e-7);
    assert!(hertz[2] > 2.0 * hertz[0], "{hertz:?}");
}

fn rubber() -> ElasticMaterial {
    ElasticMaterial::new(1e5, 0.3, 1000.0).unwrap()
}

fn soft_bar(strain: SolidStrain, division: [usize; 3]) -> BodyDescription {
    let mesh = block(
        division,
        DVec3::new(0.6, 0.2, 0.2),
        Division::FiveTetrahedra,
    )
    .unwrap();
    described(mesh, SolidModel::new(strain, rubber()))
}

fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

fn run(world: &mut World, steps: usize) {
    let mut workspace = Workspace::new(world);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(
            (report.quarantined, report.non_finite),
            (0, 0),
            "{:?}",
            world.bodies[0].quarantine
        );
    }
}

/// All modes are the linear solid: the same motion as that of the small strain by Newmark's rule in steps
/// that are so short that its error is below the tolerance.
#[test]
fn all_modes_are_the_linear_solid() {
    let make = || {
        let mut description = soft_bar(SolidStrain::Linear, [4, 1, 1]);
        clamp(&mut description);
        description.forces.push(BoundForce {
            force: Arc::new(Gravity {
                acceleration: DVec3::new(1.0, 0.5, -2.0),
            }),
            node: None,
        });
        description
    };
    let mut whole = make();
    let free = whole.fixed.iter().filter(|fixed| !**fixed).count();
    whole.make_modal(Modal::new(3 * free));
    whole.time_step = 0.02;
    let mut reference = make();
    reference.integrator = IntegratorKind::Newmark;
    reference.time_step = 0.02 / 400.0;
    reference.solver.tolerance = 1e-12;
    reference.newton_tolerance = 1e-9;
    let (mut modes, mut fine) = (world_of(whole), world_of(reference));
    run(&mut modes, 5);
    run(&mut fine, 2000);
    let rest = &fine.bodies[0].description().rest_positions;
    let moved = |world: &World| -> Vec<DVec3> {
        let now = world.bodies[0].state.positions.iter();
        now.zip(rest).map(|(x, r)| *x - *r).collect()
    };
    let (a, b) = (moved(&modes), moved(&fine));
    let largest = b.iter().map(|d| d.length()).fold(0.0, f64::max);
    assert!(largest > 1e-4, "{largest}");
    for (node, (a, b)) in a.iter().zip(&b).enumerate() {
        assert!((*a - *b).length() < 2e-3 * largest, "{node}: {a} {b}");
    }
}

/// With more modes the bent bar comes nearer to what all of them say.
#[test]
fn more_modes_are_nearer() {
    let droop = |modes: usize| {
        let mut description = soft_bar(SolidStrain::Linear, [6, 2, 2]);
        clamp(&mut description);
        description.rayleigh = [20.0, 0.0];
        description.time_step = 0.05;
        let tip = description
            .rest_positions
            .iter()
            .position(|x| x.x > 0.299 && x.y > 0.0);
        let tip = tip.expect("a node at the end");
        let force = Arc::new(Thruster {
            force: DVec3::new(0.0, 0.3, -0.5),
            from: 0.0,
            until: f64::INFINITY,
        });
        description.forces.push(BoundForce {
            force,
            node: Some(tip),
        });
        description.make_modal(Modal::new(modes));
        let mut world = world_of(description);
        run(&mut world, 200);
        let body = &world.bodies[0];
        (body.state.positions[tip] - body.description().rest_positions[tip]).length()
    };
    let all = 3 * (7 * 9 - 9);
    let exact = droop(all);
    let errors = [4, 20, 80].map(|modes| (droop(modes) / exact - 1.0).abs());
    assert!(
        errors[0] > errors[1] && errors[1] > errors[2] && errors[2] < 0.1,
        "{errors:?}"
    );
}

/// Springs on the same mesh have modes too.
#[test]
fn spring_networks_have_modes() {
    let mesh = block(
        [5, 2, 2],
        DVec3::new(0.5, 0.2, 0.2),
        Division::FiveTetrahedra,
    )
    .unwrap();
    let model = SpringModel::new(rubber(), 0.01);
    let hertz = frequencies(&modal(described(mesh, model), 5));
    assert!(hertz[0] > 0.1 && hertz.is_sorted(), "{hertz:?}");
}

#[test]
fn what_it_cannot_do_is_refused() {
    let refused = |change: &dyn Fn(&mut BodyDescription), part: &str| {
        let mut description = soft_bar(SolidStrain::Corotated, [3, 1, 1]);
        change(&mut description);
        let error = Body::new(description).unwrap_err().to_string();
        assert!(error.contains(part), "{error}");
    };
    refused(&|d| d.make_modal(Modal::new(0)), "at least one mode");
    refused(
        &|d| d.make_modal(Modal::new(100)),
        "42 vibrations, 100 are asked for",
    );
    refused(
        &|d| {
            d.make_modal(Modal::new(3));
            d.integrator = IntegratorKind::Static;
        },
        "no statics",
    );
    refused(
        &|d| {
            d.make_modal(Modal::new(3));
            d.fixed[0] = true;
            d.fixed[1] = true;
        },
        "can turn about its fixed nodes",
    );
}
