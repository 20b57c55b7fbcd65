//! A small body of every formulation, with what loads it, for tests of all combinations.

use crate::support::nurbs::{square, straight};
use crate::support::{Random, block, line, sheet};
use glam::{DQuat, DVec3};
use pliant::fem::{
    ClothModel, CoreMotion, ElasticMaterial, MembraneStrain, MeshModel, MeshSettings,
    RotationMethod, SolidModel, SolidStrain,
};
use pliant::force::{BoundForce, Gravity, Spring};
use pliant::formulation::{
    self, ChainMail, Condensed, FittedSuperquadric, GlobalDeformation, Hybrid, Modal, Rigid,
};
use pliant::mesh::{Division, ElementKind, block as mesh_block, rectangle};
use pliant::obstacle::{Cuboid, Pose};
use pliant::shape::{Ellipsoid, Shape};
use pliant::superquadric::{PointSequence, SuperquadricParameters};
use pliant::{BodyDescription, Grid};
use std::sync::Arc;

/// A body and what it is called.
pub type Kind = (&'static str, BodyDescription);

/// How far above the floor bodies are, in metres.
const HEIGHT: f64 = 0.3;

fn turn() -> DQuat {
    DQuat::from_euler(glam::EulerRot::XYZ, 0.3, 0.2, 0.1)
}

/// Lets a body fall on the floor.
fn falling(mut body: BodyDescription) -> BodyDescription {
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    body.forces.push(BoundForce { force, node: None });
    body.collides_with.push(0);
    body
}

fn tilt(places: &mut [DVec3]) {
    for x in places {
        *x = turn() * *x + HEIGHT * DVec3::Z;
    }
}

/// Bodies of half a metre that start a little above the floor, tilted, one of each formulation or more.
pub fn kinds() -> Vec<Kind> {
    let mut all = on_grids();
    all.extend(over_meshes());
    let fallers = all.into_iter().map(|(name, body)| (name, falling(body)));
    let mut all: Vec<Kind> = fallers.collect();
    all.extend(without_gravity());
    all
}

fn on_grids() -> Vec<Kind> {
    let light = |mut body: BodyDescription, mass: f64| {
        let count = body.masses.len() as f64;
        body.masses.fill(mass / count);
        tilt(&mut body.rest_positions);
        body
    };
    let curve = light(line(8, 0.5, [20.0, 0.01, 0.01]), 0.1);
    let surface = light(sheet([6, 5], [0.5, 0.4], 20.0, 0.01), 0.2);
    let solid = light(block([4, 3, 3], DVec3::new(0.4, 0.3, 0.3), 200.0), 2.0);
    let mut all = vec![
        ("curve", curve.clone()),
        ("surface", surface.clone()),
        (
            "stiff surface",
            light(sheet([6, 5], [0.5, 0.4], 2e4, 1.0), 0.2),
        ),
        ("solid", solid.clone()),
    ];
    for (name, of) in [("hybrid surface", &surface), ("hybrid solid", &solid)] {
        let mut hybrid = of.clone();
        hybrid.make_hybrid(Hybrid::default());
        all.push((name, hybrid));
    }
    for (name, of, formulation) in [
        ("sticks", &surface, formulation::Sticks::NAME),
        ("snake", &curve, formulation::Snake::NAME),
        ("film", &surface, formulation::Film::NAME),
        ("rod", &curve, formulation::Rod::NAME),
    ] {
        let mut body = of.clone();
        assert!(body.reformulate(formulation));
        if name == "film" {
            // Without a rim it would draw itself together to a point.
            let grid = body.grid().unwrap().clone();
            let [nx, ny, _] = grid.counts();
            let on_rim = |[i, j, _]: [usize; 3]| i % (nx - 1) == 0 || j % (ny - 1) == 0;
            body.fixed = grid.nodes().map(on_rim).collect();
        }
        all.push((name, body));
    }
    for (name, mut made) in [
        ("nurbs curve", straight(6, 12, 0.5)),
        ("nurbs patch", square(6)),
    ] {
        let size = if name == "nurbs curve" { 1.0 } else { 0.5 };
        made.controls.iter_mut().for_each(|x| *x *= size);
        tilt(&mut made.controls);
        all.push((name, made.describe(20.0, 0.01)));
    }
    all
}

fn over_meshes() -> Vec<Kind> {
    let mut all: Vec<Kind> = Vec::new();
    let strains = [
        ("linear mesh", SolidStrain::Linear, 1e5),
        ("warped mesh", SolidStrain::Warped(RotationMethod::Svd), 1e5),
        ("corotated mesh", SolidStrain::Corotated, 1e5),
        ("stiff mesh", SolidStrain::Corotated, 1e9),
        ("green mesh", SolidStrain::Green, 1e5),
        ("neo-hookean mesh", SolidStrain::NeoHookean, 1e5),
    ];
    for (name, strain, young) in strains {
        let mut mesh = mesh_block([2, 2, 2], DVec3::splat(0.3), Division::FiveTetrahedra).unwrap();
        tilt(&mut mesh.positions);
        let mesh = Arc::new(mesh);
        let model = SolidModel::new(strain, ElasticMaterial::new(young, 0.3, 1000.0).unwrap());
        let masses = model.masses(&mesh).unwrap();
        let settings = MeshSettings::new(mesh, Arc::new(model));
        all.push((name, BodyDescription::of_mesh(name, settings, masses)));
    }
    let found = |wanted: &str| {
        let (_, body) = all.iter().find(|(name, _)| *name == wanted).unwrap();
        body.clone()
    };
    let mut modal = found("corotated mesh");
    modal.make_modal(Modal::new(8));
    let mut global = found("corotated mesh");
    global.make_global(GlobalDeformation { degree: 1 });
    let mut condensed = found("linear mesh");
    condensed.make_condensed(Condensed::default());
    // Its highest nodes hold it, its lowest are in the floor.
    let low = condensed.rest_positions.iter().map(|x| x.z);
    let low = low.fold(f64::INFINITY, f64::min);
    let rests = condensed.rest_positions.iter();
    condensed.fixed = rests.map(|x| x.z > low + 0.3).collect();
    let mut sheet = rectangle(ElementKind::Triangle3, [4, 4], [0.5, 0.5]).unwrap();
    tilt(&mut sheet.positions);
    let cloth = ClothModel {
        material: ElasticMaterial::new(1e5, 0.3, 300.0).unwrap(),
        thickness: 1e-3,
        strain: MembraneStrain::default(),
        rigidity: None,
    };
    let masses = cloth.masses(&sheet).unwrap();
    let settings = MeshSettings::new(Arc::new(sheet), Arc::new(cloth));
    let cloth = BodyDescription::of_mesh("cloth", settings, masses);
    let pose = Pose {
        rotation: turn(),
        translation: 2.0 * HEIGHT * DVec3::Z,
    };
    let cuboid = Cuboid::new(DVec3::ZERO, DVec3::new(0.4, 0.3, 0.3)).unwrap();
    let (shape, mass) = Rigid::of_shape(&cuboid, &pose, 1000.0).unwrap();
    let rigid = BodyDescription::rigid("rigid", shape, mass, CoreMotion::Free).unwrap();
    all.extend([
        ("modal mesh", modal),
        ("global mesh", global),
        ("condensed mesh", condensed),
        ("cloth", cloth),
        ("rigid", rigid),
    ]);
    all
}

/// What knows no gravity: a spring pulls a corner into the floor, points draw a surface to themselves.
fn without_gravity() -> Vec<Kind> {
    let mut mail = block([4, 3, 3], DVec3::new(0.4, 0.3, 0.3), 1.0);
    mail.rest_positions.iter_mut().for_each(|x| x.z += HEIGHT);
    mail.make_chain_mail(ChainMail::default());
    let start = mail.rest_positions[0];
    let pull = Spring {
        constant: 100.0,
        start,
        end: start + DVec3::new(0.2, -0.1, -0.5),
        from: 0.0,
        until: 0.4,
    };
    let force = Arc::new(pull);
    mail.forces.push(BoundForce {
        force,
        node: Some(0),
    });
    mail.collides_with.push(0);
    let grid = Grid::new(&[12, 8], &[true, false]);
    let shape = Ellipsoid::new(DVec3::splat(0.8), DVec3::ZERO).unwrap();
    let rest = shape.sample(&grid).unwrap();
    let weights = pliant::elastic::Weights::uniform(rest.len(), 1.0, 0.0, 0.0);
    let mut superquadric = BodyDescription::new("superquadric", grid, rest, weights);
    let truth = SuperquadricParameters {
        centre: DVec3::new(0.2, -0.1, 0.3),
        rotation: turn(),
        axes: DVec3::new(1.0, 0.6, 0.4),
        exponents: [0.4, 0.7],
    };
    let mut random = Random::new(5);
    let points = (0..200).map(|_| truth.point(random.vector().normalize(), 0.0));
    superquadric.make_superquadric(FittedSuperquadric {
        data: Arc::new(PointSequence::still(points.collect())),
        local_time: 0.2,
        ..FittedSuperquadric::default()
    });
    vec![("chainmail", mail), ("superquadric", superquadric)]
}
