//! What every formulation promises, checked the same way for each.

mod support;

use glam::{DVec3, Vec3Swizzles};
use pliant::elastic::Weights;
use pliant::fem::{
    ClothModel, CoreMotion, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings, SolidModel,
    SolidStrain,
};
use pliant::formulation::{
    self, ChainMail, Condensed, DynamicNurbs, Film, FittedSuperquadric, GlobalDeformation, Hybrid,
    Modal, Primal, Rigid, Rod, Snake, Sticks,
};
use pliant::math::SplineBasis;
use pliant::mesh::{Division, ElementKind, ElementMesh, block, rectangle};
use pliant::obstacle::{Cuboid, Pose};
use pliant::process::{Fracture, FractureCriterion, Maxwell, ProcessKind, Scheduled};
use pliant::shape::{Ellipsoid, Nurbs, Shape};
use pliant::superquadric::PointSequence;
use pliant::{Body, BodyDescription, FrameMaker, Grid, IntegratorKind, Workspace, World};
use std::collections::BTreeSet;
use std::sync::Arc;

fn of_mesh(name: &str, mesh: ElementMesh, model: impl MeshModel + 'static) -> BodyDescription {
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    BodyDescription::of_mesh(name, settings, masses)
}

/// A dynamic NURBS patch with weights.
fn nurbs_patch() -> BodyDescription {
    let bases = vec![SplineBasis::clamped(4, 2).unwrap(); 2];
    let place = |n: usize| DVec3::new((n % 4) as f64, (n / 4) as f64, 0.1 * n as f64);
    let weights = (0..16).map(|n| 1.0 + 0.1 * f64::from(n % 3)).collect();
    let shape = Nurbs::new(bases, (0..16).map(place).collect(), weights).unwrap();
    let grid = Grid::new(&[7, 6], &[false, false]);
    let rest = shape.sample(&grid).unwrap();
    let weights = Weights::uniform(rest.len(), 1.0, 0.1, 0.0);
    let mut description = BodyDescription::new("patch", grid, rest, weights);
    description.make_dynamic_nurbs(DynamicNurbs {
        shape: Some(Arc::new(shape)),
        ..DynamicNurbs::default()
    });
    description
}

/// A superquadric that is fitted to points a little outside.
fn fitted() -> BodyDescription {
    let grid = Grid::new(&[8, 5], &[true, false]);
    let ellipsoid = Ellipsoid::new(DVec3::new(1.0, 0.7, 0.5), DVec3::ZERO).unwrap();
    let rest = ellipsoid.sample(&grid).unwrap();
    let data = PointSequence::still(rest.iter().map(|x| 1.1 * *x).collect());
    let weights = Weights::uniform(rest.len(), 1.0, 0.0, 0.0);
    let mut fitted = BodyDescription::new("fitted", grid, rest, weights);
    fitted.make_superquadric(FittedSuperquadric {
        data: Arc::new(data),
        ..FittedSuperquadric::default()
    });
    fitted
}

/// Bodies of every formulation and dimension, elastic and not.
fn bodies() -> Vec<Body> {
    let mut descriptions = Vec::new();
    for body in support::bodies() {
        for formulation in formulation::ON_GRIDS {
            let mut description = body.description().clone();
            assert!(description.reformulate(formulation));
            descriptions.push(description.clone());
            let flows = ProcessKind::Maxwell(Maxwell::uniform(0.5));
            description.processes.push(Scheduled::always(flows));
            descriptions.push(description);
        }
    }
    for body in support::bodies() {
        for formulation in [
            Sticks::NAME,
            ChainMail::NAME,
            Snake::NAME,
            Film::NAME,
            Rod::NAME,
        ] {
            let mut description = body.description().clone();
            assert!(description.reformulate(formulation));
            // ChainMail refuses grids that are not straight, a snake and a rod all that is no curve,
            // a film all that is no surface.
            if Body::new(description.clone()).is_ok() {
                descriptions.push(description);
            }
        }
    }
    descriptions.push(nurbs_patch());
    descriptions.push(fitted());
    let soft = ElasticMaterial::new(1e4, 0.3, 100.0).unwrap();
    let solid = || SolidModel::new(SolidStrain::Corotated, soft);
    let cube = || block([2, 2, 2], DVec3::ONE, Division::FiveTetrahedra).unwrap();
    descriptions.push(of_mesh("cube", cube(), solid()));
    let model: Arc<dyn MeshModel> = Arc::new(solid());
    let settings = MeshSettings::breakable(&cube(), Arc::clone(&model)).unwrap();
    let masses = model.masses(&settings.mesh).unwrap();
    let mut breakable = BodyDescription::of_mesh("breakable", settings, masses);
    breakable
        .processes
        .push(Scheduled::always(ProcessKind::Fracture(Fracture {
            criterion: FractureCriterion::Stress,
            limit: 1e9,
            spread: 0.0,
            seed: 1,
            at_once: 1,
            order: 0,
        })));
    descriptions.push(breakable);
    let mut modal = of_mesh("modal", cube(), solid());
    modal.make_modal(Modal::new(8));
    descriptions.push(modal);
    let mut condensed = of_mesh("condensed", cube(), solid());
    condensed.make_condensed(Condensed::default());
    condensed.integrator = IntegratorKind::Static;
    condensed.fixed[..9].fill(true);
    descriptions.push(condensed);
    let mut global = of_mesh("global", cube(), solid());
    global.make_global(GlobalDeformation { degree: 1 });
    descriptions.push(global);
    let cloth = ClothModel {
        material: soft,
        thickness: 0.01,
        strain: MembraneStrain::default(),
        rigidity: None,
    };
    let sheet = rectangle(ElementKind::Triangle3, [3, 4], [1.0, 1.0]).unwrap();
    descriptions.push(of_mesh("cloth", sheet, cloth));
    let cuboid = Cuboid::new(DVec3::ZERO, DVec3::new(0.5, 1.0, 1.5)).unwrap();
    let (shape, mass) = Rigid::of_shape(&cuboid, &Pose::IDENTITY, 100.0).unwrap();
    descriptions.push(BodyDescription::rigid("box", shape, mass, CoreMotion::Free).unwrap());
    let made = |description| Body::new(description).unwrap();
    descriptions.into_iter().map(made).collect()
}

fn world(body: &Body) -> World {
    World {
        bodies: vec![body.clone()],
        ..World::default()
    }
}

/// Deforms a body and sets it in motion, so that nothing is at rest. Nodes at the same place, as in a
/// body that can break, stay together.
fn shaken(body: &Body) -> Body {
    let mut shaken = body.clone();
    let size = 0.05 * body.description().mean_spacing();
    for (node, x) in body.description().rest_positions.iter().enumerate() {
        let wave = DVec3::new(
            (13.0 * x.y + 7.0 * x.x).sin(),
            (11.0 * x.z - 9.0 * x.x).cos(),
            (17.0 * x.x + 5.0 * x.y).sin(),
        );
        shaken.state.positions[node] += size * wave;
        shaken.state.velocities[node] = 0.1 * wave.yzx();
    }
    shaken
}

#[test]
fn every_formulation_of_the_list_is_tried() {
    let tried: BTreeSet<&str> = bodies().iter().map(|b| b.formulation().name()).collect();
    let listed: BTreeSet<&str> = formulation::names().into_iter().collect();
    assert_eq!(tried, listed);
    assert_eq!(formulation::ON_GRIDS, [Primal::NAME, Hybrid::NAME]);
    let mut sheet = bodies()[0].description().clone();
    assert!(!sheet.reformulate("Mesh"));
    assert!(sheet.reformulate(Hybrid::NAME) && sheet.hybrid().is_some());
}

#[test]
fn shapes_speak_of_nodes_that_are_there() {
    for body in bodies() {
        let (description, formulation) = (body.description(), body.formulation());
        let name = format!("{} {}", formulation.name(), description.name);
        let count = body.node_count();
        assert!(
            (1..=3).contains(&formulation.dimension(description)),
            "{name}"
        );
        let mut edges = 0;
        formulation.edges(description, &mut |a, b| {
            assert!(a < count && b < count && a != b, "{name}: {a} {b}");
            edges += 1;
        });
        assert!(edges > 0, "{name}");
        assert!(description.mean_spacing() > 0.0, "{name}");
        let topology = formulation.topology(&body);
        let corners = topology.triangles.as_flattened().iter();
        let ends = topology.lines.as_flattened().iter();
        let boundary = formulation.surface_triangles(description);
        let all = corners.chain(ends).chain(boundary.as_flattened());
        assert!(all.copied().all(|node| (node as usize) < count), "{name}");
        let extents = formulation.node_extents(description);
        assert_eq!(extents.len(), count, "{name}");
        assert!(extents.iter().all(|e| *e >= 0.0 && e.is_finite()), "{name}");
        assert!(extents.iter().sum::<f64>() > 0.0, "{name}");
        let mut directions = vec![DVec3::splat(9.0); count];
        formulation.directions(&body, &body.state.positions, &mut directions);
        for direction in directions {
            let length = direction.length();
            assert!(length == 0.0 || (length - 1.0).abs() < 1e-12, "{name}");
        }
    }
}

#[test]
fn fields_and_frames_have_one_value_for_each_node() {
    for body in bodies() {
        let world = world(&shaken(&body));
        let mut workspace = Workspace::new(&world);
        let frame = FrameMaker::new(&world).frame(&world, &mut workspace);
        let shown = &frame.bodies[0];
        let name = format!("{} {}", body.formulation().name(), shown.name);
        let count = shown.positions.len();
        let is_strained = body.formulation().name() != Rigid::NAME;
        assert_eq!(
            shown.fields.iter().any(|field| field.name == "strain"),
            is_strained,
            "{name}"
        );
        for field in &shown.fields {
            assert_eq!(field.values.len(), count, "{name} {}", field.name);
            assert!(field.values.iter().all(|v| v.is_finite()), "{name}");
        }
        let lengths = [
            shown.velocities.len(),
            shown.elastic_forces.len(),
            shown.fixed.len(),
        ];
        assert_eq!(lengths, [count; 3], "{name}");
    }
}

#[test]
fn the_elastic_force_is_the_slope_of_the_elastic_energy() {
    for body in bodies() {
        let shaken = shaken(&body);
        let name = format!("{} {}", body.formulation().name(), body.description().name);
        let mut at_hand = world(&shaken);
        let mut workspace = Workspace::new(&at_hand);
        let (forces, _) = workspace.forces(&at_hand, 0);
        let mut random = support::Random::new(9);
        let direction = random.vectors(body.node_count());
        let step = 1e-6 * body.description().mean_spacing();
        let mut energy = |sign: f64| {
            for ((to, from), d) in at_hand.bodies[0]
                .state
                .positions
                .iter_mut()
                .zip(&shaken.state.positions)
                .zip(&direction)
            {
                *to = *from + sign * step * *d;
            }
            workspace.energies(&at_hand).elastic
        };
        let slope = (energy(1.0) - energy(-1.0)) / (2.0 * step);
        let expected: f64 = forces.iter().zip(&direction).map(|(f, d)| -f.dot(*d)).sum();
        let size: f64 = forces.iter().map(|f| f.length()).sum();
        assert!(
            (slope - expected).abs() <= 1e-5 * size,
            "{name}: {slope} {expected}"
        );
        // Inner forces cancel each other.
        assert!(
            forces.iter().sum::<DVec3>().length() <= 1e-9 * size,
            "{name}"
        );
    }
}

#[test]
fn memory_is_saved_and_restored_to_the_bit() {
    for body in bodies() {
        let name = format!("{} {}", body.formulation().name(), body.description().name);
        let mut original = world(&shaken(&body));
        let mut workspace = Workspace::new(&original);
        for _ in 0..5 {
            assert_eq!(original.step(&mut workspace).quarantined, 0, "{name}");
        }
        let mut restored = world(&body);
        restored.restore(&original.snapshot()).unwrap();
        assert_eq!(restored.state_hash(), original.state_hash(), "{name}");
        let mut fresh = Workspace::new(&restored);
        for _ in 0..3 {
            original.step(&mut workspace);
            restored.step(&mut fresh);
            assert_eq!(restored.state_hash(), original.state_hash(), "{name}");
        }
    }
}
