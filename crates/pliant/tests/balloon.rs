//! Pressure in closed surfaces: balloons against theory, and where their energy goes.

use glam::DVec3;
use pliant::fem::{ClothModel, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings};
use pliant::force::{BoundForce, NodalForce, Pressure};
use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::collections::HashMap;
use std::sync::Arc;

const RADIUS: f64 = 0.1;
const THICKNESS: f64 = 3e-4;
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;

/// An icosahedron whose triangles were divided into four, some times, and moved out to the sphere.
fn sphere(divisions: usize) -> (Vec<DVec3>, Vec<[u32; 3]>) {
    let long = 0.5 * (1.0 + 5.0_f64.sqrt());
    let mut places = Vec::new();
    for (one, other) in [(1.0, long), (-1.0, long), (1.0, -long), (-1.0, -long)] {
        places.push(DVec3::new(0.0, one, other));
        places.push(DVec3::new(one, other, 0.0));
        places.push(DVec3::new(other, 0.0, one));
    }
    let near = |a: usize, b: usize| places[a].distance(places[b]) < 2.1;
    let mut triangles = Vec::new();
    for a in 0..12 {
        for b in a + 1..12 {
            for c in b + 1..12 {
                if near(a, b) && near(b, c) && near(a, c) {
                    let volume = places[a].dot(places[b].cross(places[c]));
                    let [b, c] = if volume > 0.0 { [b, c] } else { [c, b] };
                    triangles.push([a, b, c].map(|corner| corner as u32));
                }
            }
        }
    }
    assert_eq!(triangles.len(), 20);
    for _ in 0..divisions {
        let mut middles: HashMap<[u32; 2], u32> = HashMap::new();
        let mut divided = Vec::new();
        for [a, b, c] in triangles {
            let mut middle = |from: u32, to: u32| {
                *middles
                    .entry([from.min(to), from.max(to)])
                    .or_insert_with(|| {
                        places.push(places[from as usize] + places[to as usize]);
                        places.len() as u32 - 1
                    })
            };
            let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
            divided.extend([[a, d, f], [d, b, e], [f, e, c], [d, e, f]]);
        }
        triangles = divided;
    }
    let places = places.iter().map(|place| RADIUS * place.normalize());
    (places.collect(), triangles)
}

/// A rubber balloon with a pressure inside, in pascals.
fn balloon(pressure: f64) -> BodyDescription {
    let (places, triangles) = sphere(3);
    let nodes = triangles.iter().flatten().copied().collect();
    let mesh = ElementMesh {
        positions: places,
        blocks: vec![ElementBlock::new(ElementKind::Triangle3, nodes)],
    };
    let model = ClothModel {
        material: ElasticMaterial {
            young: YOUNG,
            poisson: POISSON,
            density: 1000.0,
        },
        thickness: THICKNESS,
        strain: MembraneStrain::Green,
        rigidity: None,
    };
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("balloon", settings, masses);
    let force = Pressure::new(pressure);
    let rest = &description.rest_positions;
    let force = force.over_surface(&triangles, rest).unwrap().unwrap();
    description.forces = vec![BoundForce { force, node: None }];
    description
}

fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

fn radius(world: &World) -> f64 {
    let places = &world.bodies[0].state.positions;
    let centre = places.iter().sum::<DVec3>() / places.len() as f64;
    places
        .iter()
        .map(|place| place.distance(centre))
        .sum::<f64>()
        / places.len() as f64
}

/// The pressure that stretches a thin sphere of the material of Saint Venant and Kirchhoff to λ times its
/// radius. Its energy is 4πR² t W with W = E/(1-ν) e², e = (λ²-1)/2, its volume 4/3 π R³ λ³, and
/// p = dE/dV:
///
/// p = 4πR² t · 2E/(1-ν) e λ / (4πR³ λ²) = (t/R) E/(1-ν) (λ²-1)/λ
fn pressure_of(stretch: f64) -> f64 {
    THICKNESS / RADIUS * YOUNG / (1.0 - POISSON) * (stretch * stretch - 1.0) / stretch
}

#[test]
fn balloons_are_as_large_as_their_pressure_makes_them() {
    for stretch in [1.01, 1.5] {
        let mut description = balloon(pressure_of(stretch));
        description.integrator = IntegratorKind::Static;
        let mut world = world_of(description);
        let report = world.step(&mut Workspace::new(&world));
        assert_eq!(report.quarantined, 0);
        let found = radius(&world) / RADIUS;
        // The sphere of 1,280 flat triangles has a volume of 0.987 times that of the round one; bending
        // is of the order of (t/R)².
        assert!(
            (found - stretch).abs() < 0.01 * (stretch - 1.0) + 1e-4,
            "{found} {stretch}"
        );
    }
}

#[test]
fn a_balloon_that_is_let_swing_keeps_its_energy() {
    let mut description = balloon(pressure_of(1.1));
    description.time_step = 1e-4;
    let mut world = world_of(description);
    let mut workspace = Workspace::new(&world);
    let before = workspace.energies(&world);
    let work = |radius: f64| pressure_of(1.1) * 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    // -p V to begin with, by flat triangles.
    assert!((before.external / work(RADIUS) + 0.987).abs() < 0.001);
    let (mut largest, mut created, mut dissipated) = (0.0_f64, 0.0, 0.0);
    for _ in 0..100 {
        let report = world.step(&mut workspace);
        created += report.energy_created;
        dissipated += report.dissipated;
        largest = largest.max(radius(&world));
    }
    // It swings beyond the equilibrium, to about twice its distance.
    assert!(
        largest > 1.15 * RADIUS && largest < 1.25 * RADIUS,
        "{largest}"
    );
    let scale = work(largest) - work(RADIUS);
    assert!(created < 1e-3 * scale, "{created} of {scale}");
    assert!(dissipated < 0.05 * scale, "{dissipated} of {scale}");
    let momentum = world.bodies[0].momentum().length();
    assert!(momentum < 1e-9, "{momentum}");
}
