//! Mass-spring systems against closed forms: chains, angular springs, layers, muscles, stretch limits.

use glam::DVec3;
use pliant::body::Slider;
use pliant::fem::{
    ElasticMaterial, FemError, MeshModel, MeshSettings, Muscle, RotationMethod, SpringModel,
    StretchLimit,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Modal;
use pliant::mesh::{ElementBlock, ElementKind, ElementMesh};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World};
use std::f64::consts::PI;
use std::sync::Arc;

const SPACING: f64 = 0.1;
const SECTION: f64 = 1e-4;

fn rubber() -> ElasticMaterial {
    ElasticMaterial::new(1e6, 0.3, 1000.0).unwrap()
}

/// Segments along x, as long as `SPACING`.
fn chain(segments: u32) -> ElementMesh {
    let nodes = (0..segments).flat_map(|n| [n, n + 1]).collect();
    let place = |n: u32| DVec3::X * SPACING * f64::from(n);
    ElementMesh {
        positions: (0..=segments).map(place).collect(),
        blocks: vec![ElementBlock::new(ElementKind::Line2, nodes)],
    }
}

fn described(mesh: ElementMesh, model: SpringModel) -> BodyDescription {
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut description = BodyDescription::of_mesh("springs", settings, masses);
    description.time_step = 0.001;
    description
}

/// Nodes that move along x alone.
fn along_x(nodes: std::ops::Range<usize>) -> Vec<Slider> {
    let held = |node| [DVec3::Y, DVec3::Z].map(|normal| Slider { node, normal });
    nodes.flat_map(held).collect()
}

fn world_of(description: BodyDescription) -> World {
    World {
        bodies: vec![Body::new(description).unwrap()],
        ..World::default()
    }
}

/// The frequency of a motion that starts at rest, away from it, in radians per second: from the moments in
/// which `measure` goes through zero.
fn frequency(world: &mut World, periods: usize, measure: impl Fn(&World) -> f64) -> f64 {
    let mut workspace = Workspace::new(world);
    let mut crossings = Vec::new();
    let mut before = measure(world);
    while crossings.len() < 2 * periods + 1 {
        let time = world.time;
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        let now = measure(world);
        if before * now < 0.0 {
            crossings.push(time + (world.time - time) * before / (before - now));
        }
        before = now;
    }
    let half_periods = (crossings.len() - 1) as f64;
    PI * half_periods / (crossings[crossings.len() - 1] - crossings[0])
}

/// ω_j = 2 √(k/m) sin(j π / (2 (N + 1))) for N equal masses between N + 1 equal springs and two walls.
#[test]
fn a_chain_of_springs_has_its_frequencies() {
    let masses = 9;
    for mode in [1_u32, 3] {
        let mut description = described(chain(masses + 1), SpringModel::new(rubber(), SECTION));
        description.fixed[0] = true;
        description.fixed[masses as usize + 1] = true;
        description.integrator = IntegratorKind::Midpoint;
        description.time_step = 2e-4;
        let mut world = world_of(description);
        let shape = |n: usize| (PI * f64::from(mode) * n as f64 / f64::from(masses + 1)).sin();
        let body = &mut world.bodies[0];
        for (n, x) in body.state.positions.iter_mut().enumerate() {
            x.x += 1e-4 * shape(n);
        }
        let measured = frequency(&mut world, 3, |world| {
            let positions = world.bodies[0].state.positions.iter().enumerate();
            let along = positions.map(|(n, x)| (x.x - SPACING * n as f64) * shape(n));
            along.sum()
        });
        let stiffness = 1e6 * SECTION / SPACING;
        let mass = 1000.0 * SECTION * SPACING;
        let angle = PI * f64::from(mode) / (2.0 * f64::from(masses + 1));
        let expected = 2.0 * (stiffness / mass).sqrt() * angle.sin();
        assert!(
            (measured / expected - 1.0).abs() < 2e-3,
            "{measured} {expected}"
        );
    }
}

/// A chain that only its angular springs keep straight swings across as ω² = κ (2 - 2 cos θ)² / (m h²), with
/// θ = π / (N + 1), where N masses are between two hinges: a beam of rigidity κ h.
#[test]
fn angular_springs_bend_as_a_beam() {
    let masses = 9;
    let kappa = 0.05;
    let model = SpringModel {
        angular: kappa,
        ..SpringModel::new(rubber(), SECTION)
    };
    let mut description = described(chain(masses + 1), model);
    description.fixed[0] = true;
    description.integrator = IntegratorKind::Midpoint;
    description.time_step = 2e-3;
    let last = masses as usize + 1;
    // Its far end slides along x, so that nothing is stretched.
    description.sliders = along_x(last..last + 1);
    let mut world = world_of(description);
    let theta = PI / f64::from(masses + 1);
    for (n, x) in world.bodies[0].state.positions.iter_mut().enumerate() {
        x.y += 1e-4 * (theta * n as f64).sin();
    }
    let measured = frequency(&mut world, 2, |world| world.bodies[0].state.positions[5].y);
    let mass = 1000.0 * SECTION * SPACING;
    let expected = (kappa / mass).sqrt() * (2.0 - 2.0 * theta.cos()) / SPACING;
    assert!(
        (measured / expected - 1.0).abs() < 5e-3,
        "{measured} {expected}"
    );
}

/// Layers in series: a weight F at the end of a chain stretches each part by F L / (E A) of its own.
#[test]
fn layers_have_their_own_stiffness() {
    let mut mesh = chain(6);
    mesh.blocks[0].regions = vec![0, 0, 7, 7, 7, 0];
    let mut model = SpringModel::new(rubber(), SECTION);
    let soft = ElasticMaterial::new(2.5e5, 0.3, 400.0).unwrap();
    model.materials.regions.push((7, soft));
    let masses = model.masses(&mesh).unwrap();
    assert!((masses[3] / (400.0 * SECTION * SPACING) - 1.0).abs() < 1e-12);
    let mut description = described(mesh, model);
    description.fixed[0] = true;
    description.integrator = IntegratorKind::Static;
    description.sliders = along_x(1..7);
    description.masses.fill(1e-9);
    description.masses[6] = 0.2;
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::X * 10.0,
        }),
        node: None,
    });
    let mut world = world_of(description);
    world.step(&mut Workspace::new(&world));
    let force = 0.2 * 10.0;
    let expected = 0.6 + force * SPACING / SECTION * (3.0 / 1e6 + 3.0 / 2.5e5);
    let end = world.bodies[0].state.positions[6].x;
    assert!((end - expected).abs() < 1e-6, "{end} {expected}");
}

fn muscle(springs: Vec<[u32; 2]>, signal: impl Fn(f64) -> f64 + Send + Sync + 'static) -> Muscle {
    Muscle {
        springs,
        contraction: Arc::new(move |_: usize, time: f64| signal(time)),
    }
}

/// A muscle of rest length L lifts a weight: it balances at (1 - c) L + F / k.
#[test]
fn a_muscle_lifts_a_weight() {
    let model = SpringModel {
        muscles: vec![muscle(
            vec![[1, 0]],
            |time| if time < 0.5 { 0.0 } else { 0.3 },
        )],
        ..SpringModel::new(rubber(), SECTION)
    };
    let mut description = described(chain(1), model);
    description.fixed[0] = true;
    description.integrator = IntegratorKind::Static;
    description.time_step = 0.25;
    description.sliders = along_x(1..2);
    description.masses.fill(0.1);
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::X * 10.0,
        }),
        node: None,
    });
    let mut world = world_of(description);
    let mut workspace = Workspace::new(&world);
    let sag = 0.1 * 10.0 / (1e6 * SECTION / SPACING);
    for contraction in [0.0, 0.3, 0.3] {
        world.step(&mut workspace);
        let length = world.bodies[0].state.positions[1].x;
        let expected = (1.0 - contraction) * SPACING + sag;
        assert!((length - expected).abs() < 1e-9, "{length} {expected}");
    }
}

/// A chain that is driven by a muscle near its resonance gains energy: all of it is work of the muscle, and a
/// run that is restored goes on with the same bits.
#[test]
fn the_work_of_muscles_is_in_the_ledger() {
    let make = || {
        let model = SpringModel {
            muscles: vec![muscle(vec![[0, 1], [1, 2]], |time| {
                0.1 * (30.0 * time).sin()
            })],
            ..SpringModel::new(rubber(), SECTION)
        };
        let mut description = described(chain(8), model);
        description.fixed[0] = true;
        description.time_step = 0.002;
        world_of(description)
    };
    let mut world = make();
    let mut workspace = Workspace::new(&world);
    let (mut work, mut created, mut highest, mut saved) = (0.0, 0.0_f64, 0.0_f64, Vec::new());
    for step in 0..500 {
        let report = world.step(&mut workspace);
        work += report.work;
        created = created.max(report.energy_created);
        highest = highest.max(report.energies.total());
        if step == 250 {
            saved = world.snapshot();
        }
    }
    assert!(highest > 1e-4, "{highest}");
    assert!(created < 1e-3 * highest, "{created} {highest}");
    assert!(work > 0.0, "{work}");
    let mut again = make();
    again.restore(&saved).unwrap();
    let mut workspace = Workspace::new(&again);
    for _ in 251..500 {
        again.step(&mut workspace);
    }
    assert_eq!(again.state_hash(), world.state_hash());
}

/// A sheet of springs that is hung up by two corners: how far its most stretched spring is stretched.
fn largest_elongation(limit: Option<StretchLimit>) -> f64 {
    let count = 8_u32;
    let node = |i: u32, j: u32| i * (count + 1) + j;
    let mut nodes = Vec::new();
    for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
        nodes.extend([
            node(i, j),
            node(i + 1, j),
            node(i + 1, j + 1),
            node(i, j + 1),
        ]);
    }
    let places = (0..=count).flat_map(|i| {
        (0..=count).map(move |j| DVec3::new(f64::from(i), 0.0, f64::from(j)) / f64::from(count))
    });
    let mesh = ElementMesh {
        positions: places.collect(),
        blocks: vec![ElementBlock::new(ElementKind::Quad4, nodes)],
    };
    let soft = ElasticMaterial::new(2e4, 0.3, 400.0).unwrap();
    let model = SpringModel {
        limit,
        ..SpringModel::new(soft, 0.002)
    };
    let network = model.network(&mesh, &mesh.positions).unwrap();
    let mut description = described(mesh, model);
    description.time_step = 0.02;
    description.integrator = IntegratorKind::Implicit;
    description.dampings.fill(0.02);
    for corner in [node(0, count), node(count, count)] {
        description.fixed[corner as usize] = true;
    }
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::Z * -9.81,
        }),
        node: None,
    });
    let mut world = world_of(description);
    let mut workspace = Workspace::new(&world);
    let mut largest = 0.0_f64;
    for _ in 0..100 {
        let report = world.step(&mut workspace);
        assert_eq!(report.quarantined, 0);
        let x = &world.bodies[0].state.positions;
        for spring in network.springs() {
            let [a, b] = spring.nodes.map(|node| x[node as usize]);
            largest = largest.max(a.distance(b) / spring.rest_length - 1.0);
        }
    }
    largest
}

/// Springs that become stiffer at 8 % stay below 10 %, at all times; without protection the same cloth is
/// stretched many times as far.
#[test]
fn a_guarded_cloth_stays_below_its_limit() {
    let plain = largest_elongation(None);
    let guarded = largest_elongation(Some(StretchLimit {
        elongation: 0.08,
        factor: 400.0,
    }));
    assert!(plain > 0.4, "{plain}");
    assert!(guarded < 0.1, "{guarded}");
}

#[test]
fn what_muscles_cannot_do_is_refused() {
    let energies = |muscles: Vec<Muscle>, warped: Option<RotationMethod>| {
        let model = SpringModel {
            muscles,
            warped,
            ..SpringModel::new(rubber(), SECTION)
        };
        let description = described(chain(3), model);
        Body::new(description)
            .map(|_| ())
            .map_err(|e| e.to_string())
    };
    let one = || muscle(vec![[0, 1]], |_| 0.1);
    assert!(energies(vec![one()], None).is_ok());
    let no_spring = FemError::Unsupported {
        what: "a muscle along what is no spring, or two along the same",
    };
    for wrong in [vec![muscle(vec![[0, 2]], |_| 0.1)], vec![one(), one()]] {
        let error = energies(wrong, None).unwrap_err();
        assert!(error.contains(&no_spring.to_string()), "{error}");
    }
    let error = energies(vec![one()], Some(RotationMethod::Svd)).unwrap_err();
    assert!(error.contains("muscles"), "{error}");
    let mut description = described(
        chain(3),
        SpringModel {
            muscles: vec![one()],
            ..SpringModel::new(rubber(), SECTION)
        },
    );
    description.make_modal(Modal::new(1));
    let error = Body::new(description).unwrap_err().to_string();
    assert!(error.contains("cannot have muscles"), "{error}");
}
