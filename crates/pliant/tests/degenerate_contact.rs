//! Contact where normals are not defined: spikes on spikes, wedges on edges, in cracks and holes, and boxes at
//! cliffs, exactly centred, edge over edge. They come to rest without a jitter, and nothing crosses.
//!
//! After Erleben's cases for mesh-based contact (Methodology for assessing mesh-based contact point methods, 2018).

#[path = "support/crossings.rs"]
mod crossings;

use crossings::crossings;
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::{CoreMotion, ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::mesh::{Division, ElementBlock, ElementKind, ElementMesh, block, boundary_surface};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, Workspace, World};
use std::sync::Arc;

const THICKNESS: f64 = 0.001;

/// Steps of a hundredth of a second: what balances on a point may fall late.
const STEPS: usize = 600;

/// Where the tops of what lies below are.
const TOP: f64 = 0.151;

/// Tetrahedra over places, turned the right way round.
fn tetrahedra(positions: Vec<DVec3>, elements: &[[u32; 4]]) -> ElementMesh {
    let upright = |&[a, b, c, d]: &[u32; 4]| {
        let [p, q, r, s] = [a, b, c, d].map(|node| positions[node as usize]);
        match (q - p).cross(r - p).dot(s - p) > 0.0 {
            true => [a, b, c, d],
            false => [a, c, b, d],
        }
    };
    let nodes = elements.iter().flat_map(upright).collect();
    ElementMesh {
        positions,
        blocks: vec![ElementBlock::new(ElementKind::Tetrahedron4, nodes)],
    }
}

/// A profile of triangles in x and z, drawn out along y.
fn drawn_out(profile: &[[f64; 2]], triangles: &[[u32; 3]], length: f64) -> ElementMesh {
    let count = profile.len() as u32;
    let ends = [-0.5 * length, 0.5 * length];
    let places = ends
        .iter()
        .flat_map(|&y| profile.iter().map(move |[x, z]| DVec3::new(*x, y, *z)));
    let mut elements = Vec::new();
    for triangle in triangles {
        // In the order of the nodes, so that sides that two share are divided alike.
        let mut near = *triangle;
        near.sort_unstable();
        let [a, b, c] = near;
        let [d, e, f] = near.map(|node| node + count);
        elements.extend([[a, b, c, f], [a, b, e, f], [a, d, e, f]]);
    }
    tetrahedra(places.collect(), &elements)
}

/// A pyramid on its point.
fn spike() -> ElementMesh {
    let corner = |x: f64, y: f64| DVec3::new(0.05 * x, 0.05 * y, 0.1);
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let mut places = vec![DVec3::ZERO];
    places.extend(square.map(|[x, y]| corner(x, y)));
    tetrahedra(places, &[[0, 1, 2, 3], [0, 1, 3, 4]])
}

/// A wedge on its edge.
fn wedge() -> ElementMesh {
    drawn_out(&[[0.0, 0.0], [-0.05, 0.1], [0.05, 0.1]], &[[0, 1, 2]], 0.2)
}

/// A block with a crack whose sides open by so much.
fn crack(half_width: f64) -> ElementMesh {
    let (side, deep, low) = (0.1, -0.1, -0.15);
    let profile = [
        [-side, low],
        [0.0, low],
        [side, low],
        [-side, 0.0],
        [-half_width, 0.0],
        [0.0, deep],
        [half_width, 0.0],
        [side, 0.0],
    ];
    let triangles = [
        [0, 1, 5],
        [0, 5, 4],
        [0, 4, 3],
        [1, 2, 5],
        [2, 6, 5],
        [2, 7, 6],
    ];
    drawn_out(&profile, &triangles, 0.3)
}

/// A block with a pit whose corners are those of its top.
fn hole() -> ElementMesh {
    let square = [[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]];
    let corners = |z: f64| square.map(|[x, y]| DVec3::new(0.08 * x, 0.08 * y, z));
    let mut places: Vec<DVec3> = corners(0.0).into();
    places.extend(corners(-0.15));
    places.push(DVec3::Z * -0.12);
    let mut elements = vec![[4, 5, 6, 8], [4, 6, 7, 8]];
    for side in 0..4 {
        let next = (side + 1) % 4;
        // Each side of the block with the bottom of the pit.
        elements.extend([[side, next, 4 + side, 8], [next, 4 + next, 4 + side, 8]]);
    }
    tetrahedra(places, &elements)
}

fn upside_down(mut mesh: ElementMesh) -> ElementMesh {
    mesh.positions
        .iter_mut()
        .for_each(|x| *x = DVec3::new(x.x, -x.y, -x.z));
    mesh
}

fn across(mut mesh: ElementMesh) -> ElementMesh {
    mesh.positions
        .iter_mut()
        .for_each(|x| *x = DVec3::new(-x.y, x.x, x.z));
    mesh
}

/// A box whose top, or bottom, is at z = 0.
fn cube(below: bool) -> ElementMesh {
    let mut mesh = block([1; 3], DVec3::splat(0.15), Division::FiveTetrahedra).unwrap();
    let low = if below { -0.15 } else { 0.0 };
    let shift = DVec3::new(-0.075, -0.075, low);
    mesh.positions.iter_mut().for_each(|x| *x += shift);
    mesh
}

fn solid(mut mesh: ElementMesh, shift: DVec3) -> BodyDescription {
    mesh.positions.iter_mut().for_each(|x| *x += shift);
    let material = ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let mesh = Arc::new(mesh);
    let masses = model.masses(&mesh).unwrap();
    let mut body =
        BodyDescription::of_mesh("body", MeshSettings::new(mesh, Arc::new(model)), masses);
    body.rayleigh = [0.0, 0.01];
    body
}

fn rigid(mut mesh: ElementMesh, shift: DVec3) -> BodyDescription {
    mesh.positions.iter_mut().for_each(|x| *x += shift);
    let (shape, mass) = Rigid::of_triangles(boundary_surface(&mesh).0, 1000.0).unwrap();
    BodyDescription::rigid("body", shape, mass, CoreMotion::Free).unwrap()
}

#[test]
fn what_meets_at_points_and_edges_comes_to_rest() {
    let cases = [
        ("spike on spike", upside_down(spike()), spike(), DVec3::ZERO),
        ("spike on wedge", upside_down(wedge()), spike(), DVec3::ZERO),
        ("wedge on spike", upside_down(spike()), wedge(), DVec3::ZERO),
        (
            "wedge along wedge",
            upside_down(wedge()),
            wedge(),
            DVec3::ZERO,
        ),
        (
            "wedge across wedge",
            upside_down(wedge()),
            across(wedge()),
            DVec3::ZERO,
        ),
        ("spike in a crack", crack(0.05), spike(), DVec3::ZERO),
        ("spike in a wide crack", crack(0.08), spike(), DVec3::ZERO),
        ("wedge in a crack", crack(0.05), wedge(), DVec3::ZERO),
        ("wedge in a narrow crack", crack(0.02), wedge(), DVec3::ZERO),
        ("spike in a hole", hole(), spike(), DVec3::ZERO),
        (
            "cliff, edges over edges",
            cube(true),
            cube(false),
            DVec3::ZERO,
        ),
        (
            "cliff, half over it",
            cube(true),
            cube(false),
            DVec3::X * 0.07,
        ),
    ];
    for (name, below, above, aside) in cases {
        for is_rigid in [true, false] {
            let what = format!("{name}, rigid {is_rigid}");
            let mut lower = solid(below.clone(), TOP * DVec3::Z);
            lower.fixed.fill(true);
            let start = aside + (TOP + 0.01) * DVec3::Z;
            let mut upper = match is_rigid {
                true => rigid(above.clone(), start),
                false => solid(above.clone(), start),
            };
            let acceleration = DVec3::Z * -9.81;
            upper.forces.push(BoundForce {
                force: Arc::new(Gravity { acceleration }),
                node: None,
            });
            upper.collides_with = vec![0];
            let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
            let mut floor = Obstacle::new("floor", Box::new(floor));
            floor.friction = 0.5;
            let weight = 9.81 * 0.3 * upper.masses.iter().sum::<f64>();
            let mut world = World {
                bodies: vec![Body::new(lower).unwrap(), Body::new(upper).unwrap()],
                obstacles: vec![floor],
                contact: Some(PairContactSettings {
                    thickness: THICKNESS,
                    friction: 0.5,
                    ..PairContactSettings::default()
                }),
                ..World::default()
            };
            let mut workspace = Workspace::new(&world);
            let (mut created, mut fastest) = (0.0, 0.0_f64);
            for step in 0..STEPS {
                let report = world.step(&mut workspace);
                let why = &world.bodies[1].quarantine;
                assert_eq!(report.quarantined, 0, "{what}: {why:?}");
                assert_eq!(crossings(&world), 0, "{what}: crosses at step {step}");
                created += report.energy_created;
                if step >= STEPS - 50 {
                    let speeds = world.bodies[1].state.velocities.iter().map(|v| v.length());
                    fastest = speeds.fold(fastest, f64::max);
                }
            }
            assert!(
                fastest < 0.02,
                "{what}: {fastest} m/s in the last half second"
            );
            assert!(created < 0.02 * weight, "{what}: {created} J of {weight}");
        }
    }
}
