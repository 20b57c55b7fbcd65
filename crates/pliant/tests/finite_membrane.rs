//! Cook's membrane in finite plane strain against published values.

use glam::DVec3;
use pliant::body::Slider;
use pliant::fem::isoparametric::Strain;
use pliant::fem::{ElasticMaterial, ElementModel, MeshModel, MeshSettings, RegionMaterials};
use pliant::force::{Amount, BoundForce, DistributedLoad, Over};
use pliant::linear::SolverKind;
use pliant::mesh::{Division, ElementMesh, block, brick20_block, elevated};
use pliant::{Body, BodyDescription, IntegratorKind, Workspace, World, loaded_part};
use std::sync::Arc;

/// What is held across the plane of the panel.
#[derive(Clone, Copy, PartialEq)]
enum Across {
    OneFace,
    Everything,
}

/// Vertical displacement of the upper corner of the panel (0, 0), (48, 44), (48, 60), (0, 44) mm, 1 mm thick,
/// clamped at the left, with a shear traction of 1 N in all at the right, in millimetres. G = 422.5 kPa, ν = 0.3.
/// Across its plane either one face is held or, in plane strain, everything.
fn corner(mut mesh: ElementMesh, strain: Strain, across: Across) -> f64 {
    let flat = mesh.positions.clone();
    for x in &mut mesh.positions {
        let (u, v) = (x.x, x.y);
        *x = 1e-3 * DVec3::new(48.0 * u, 44.0 * u + v * (44.0 - 28.0 * u), x.z);
    }
    let material = ElasticMaterial::new(2.0 * 1.3 * 422.5e3, 0.3, 1000.0).unwrap();
    let model = ElementModel {
        materials: RegionMaterials::uniform(material),
        strain,
        thickness: 1.0,
    };
    let masses = model.masses(&mesh).unwrap();
    let rest = mesh.positions.clone();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut body = BodyDescription::of_mesh("panel", settings, masses);
    for (node, x) in flat.iter().enumerate() {
        body.fixed[node] = x.x < 1e-9;
        if !body.fixed[node] && (across == Across::Everything || x.z < 1e-9) {
            let normal = DVec3::Z;
            body.sliders.push(Slider { node, normal });
        }
    }
    let at_end: Vec<bool> = flat.iter().map(|x| x.x > 1.0 - 1e-9).collect();
    let load = DistributedLoad {
        over: Over::Face,
        amount: Amount::Total(DVec3::Y),
    };
    let load = load.spread(&loaded_part(&body, &at_end)).unwrap();
    body.forces.push(BoundForce {
        force: Arc::new(load),
        node: None,
    });
    body.integrator = IntegratorKind::Static;
    body.solver.kind = SolverKind::Cholesky;
    let mut world = World {
        bodies: vec![Body::new(body).unwrap()],
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let report = world.step(&mut workspace);
    assert_eq!(report.quarantined, 0, "{:?}", world.bodies[0].quarantine);
    let is_corner = |x: &DVec3| x.x > 1.0 - 1e-9 && x.y > 1.0 - 1e-9;
    let node = flat.iter().position(is_corner).unwrap();
    1e3 * (world.bodies[0].state.positions[node] - rest[node]).y
}

fn bricks(cells: usize) -> ElementMesh {
    brick20_block([cells, cells, 1], DVec3::ONE).unwrap()
}

fn tetrahedra(cells: usize) -> ElementMesh {
    let linear = block([cells, cells, 1], DVec3::ONE, Division::SixTetrahedra).unwrap();
    elevated(&linear)
}

/// Published values with quadratic bricks of 27 nodes are 13.83, 14.22, 14.30 and 14.32 mm with 2, 4, 8 and 16 of them
/// along each edge, and 14.33 mm with 32 and 64 (\[Pelteret2016\], who have the law that splits shape and volume).
/// They are those of a panel of which one face is held across: the other is free to draw in. The work calls that
/// plane strain.
const PUBLISHED: f64 = 14.33;

/// The same with everything held across, from quadrilaterals of nine nodes in two dimensions, written for this
/// comparison alone: 13.68 with 4 and 13.751 with 8 of them along each edge, and 13.77 beyond.
const PLANE_STRAIN: f64 = 13.77;

fn check(expected: f64, of_cells: impl Fn(usize) -> f64) {
    let found = [2, 4, 8, 16].map(of_cells);
    println!("{found:?}");
    assert!(found.is_sorted(), "it softens as it is refined: {found:?}");
    assert!((found[2] / expected - 1.0).abs() < 0.01, "{found:?}");
    assert!((found[3] / expected - 1.0).abs() < 0.003, "{found:?}");
    // Errors fall at least by half with each refinement.
    let errors = found.map(|value| expected - value);
    assert!(errors[2] < 0.5 * errors[1] && errors[1] < 0.5 * errors[0]);
}

#[test]
fn bricks_converge_to_the_published_corner() {
    let strain = Strain::SplitNeoHookean;
    check(PUBLISHED, |cells| {
        corner(bricks(cells), strain, Across::OneFace)
    });
}

#[test]
fn tetrahedra_of_ten_nodes_converge_to_the_published_corner() {
    let strain = Strain::SplitNeoHookean;
    check(PUBLISHED, |cells| {
        corner(tetrahedra(cells), strain, Across::OneFace)
    });
}

#[test]
fn plane_strain_is_that_of_two_dimensions() {
    let strain = Strain::SplitNeoHookean;
    check(PLANE_STRAIN, |cells| {
        corner(bricks(cells), strain, Across::Everything)
    });
    check(PLANE_STRAIN, |cells| {
        corner(tetrahedra(cells), strain, Across::Everything)
    });
}

/// Laws agree for small strains only.
#[test]
fn the_corner_depends_on_the_law() {
    let [rubber, green] = [Strain::NeoHookean, Strain::Green]
        .map(|strain| corner(bricks(8), strain, Across::Everything));
    assert!((13.3..13.7).contains(&rubber), "{rubber}");
    assert!((12.6..13.0).contains(&green), "{green}");
}
