//! Linear solves of solids: the preconditioners of large bodies against Cholesky's factors over soft
//! and stiff, compressible and nearly incompressible, bent and crushed bodies; iterations that do not
//! grow with the mesh, with contact or with rigid cores; the same bits with any number of threads.

use glam::{DMat3, DVec3};
use pliant::energy::Curvature;
use pliant::fem::{
    CoreMotion, ElasticMaterial, MeshModel, MeshSettings, ModelInput, RigidCore, SolidModel,
    SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::linear::{BlockMatrix, BlockSolver, SolveReport, SolverKind, SolverSettings};
use pliant::mesh::{Division, ElementMesh, block};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, Workspace, World};
use std::sync::Arc;

fn model(strain: SolidStrain, young: f64, poisson: f64) -> SolidModel {
    SolidModel::new(
        strain,
        ElasticMaterial::new(young, poisson, 1000.0).unwrap(),
    )
}

/// The matrices of a step of 10 ms of a bar, at rest and where `shape` takes it, held at one end.
fn matrices(mesh: &ElementMesh, model: &SolidModel, shape: fn(DVec3) -> DVec3) -> [BlockMatrix; 2] {
    let rest = &mesh.positions;
    let cores = vec![0; rest.len()];
    let input = ModelInput {
        mesh,
        rest_positions: rest,
        cores: &cores,
    };
    let mut energies = model.energies(input).unwrap();
    let mut pairs = Vec::new();
    for energy in &energies {
        energy.couplings(&mut |a, b| pairs.push((a, b)));
    }
    let masses = model.masses(mesh).unwrap();
    let held: Vec<bool> = rest.iter().map(|x| x.x < 1e-9).collect();
    let mut result = [(); 2].map(|()| BlockMatrix::new(rest.len(), pairs.iter().copied()));
    let shaped: Vec<DVec3> = rest.iter().map(|&x| shape(x)).collect();
    for (matrix, positions) in result.iter_mut().zip([rest, &shaped]) {
        for energy in &mut energies {
            energy.attach(matrix);
            energy.add_hessian(positions, Curvature::Positive, matrix);
        }
        for (node, mass) in masses.iter().enumerate() {
            matrix.add(node, node, DMat3::IDENTITY * (mass / 1e-4));
        }
        matrix.pin(&held);
    }
    result
}

fn solve(
    kind: SolverKind,
    tolerance: f64,
    places: &[DVec3],
    positions: &[DVec3],
    [at_rest, matrix]: &[BlockMatrix; 2],
    rhs: &[DVec3],
) -> (Vec<DVec3>, SolveReport) {
    let settings = SolverSettings {
        kind,
        tolerance,
        ..SolverSettings::default()
    };
    let mut solver = BlockSolver::on_mesh(settings, matrix, places);
    solver.prepare_metric(at_rest).unwrap();
    solver.place(positions);
    solver.prepare(matrix).unwrap();
    let mut x = vec![DVec3::ZERO; rhs.len()];
    let report = solver.solve(matrix, None, rhs, &mut x).unwrap();
    (x, report)
}

fn bent(x: DVec3) -> DVec3 {
    let radius = 1.5;
    let (sin, cos) = (x.x / radius).sin_cos();
    DVec3::new((radius - x.z) * sin, x.y, radius - (radius - x.z) * cos)
}

fn crushed(x: DVec3) -> DVec3 {
    x * DVec3::new(0.5, 1.1, 1.1)
}

#[test]
fn solutions_are_those_of_cholesky_for_all_materials_and_shapes() {
    let mesh = block(
        [20, 6, 6],
        DVec3::new(2.0, 0.6, 0.6),
        Division::FiveTetrahedra,
    )
    .unwrap();
    let rest = mesh.positions.clone();
    let rhs: Vec<DVec3> = rest
        .iter()
        .map(|x| match x.x > 1e-9 {
            true => DVec3::new((7.0 * x.y).sin(), x.x * x.z, -1.0),
            false => DVec3::ZERO,
        })
        .collect();
    type Shape = fn(DVec3) -> DVec3;
    let shapes: [(&str, Shape); 3] = [("rest", |x| x), ("bent", bent), ("crushed", crushed)];
    for strain in [SolidStrain::Corotated, SolidStrain::NeoHookean] {
        for young in [1e4, 1e6, 1e9] {
            for (poisson, most) in [(0.0, 70), (0.3, 70), (0.49, 400)] {
                for (name, shape) in shapes {
                    let matrices = matrices(&mesh, &model(strain, young, poisson), shape);
                    let positions: Vec<DVec3> = rest.iter().map(|&x| shape(x)).collect();
                    let solve = |kind| solve(kind, 1e-7, &rest, &positions, &matrices, &rhs);
                    let (exact, _) = solve(SolverKind::Cholesky);
                    let size = exact.iter().fold(0.0, |m: f64, x| m.max(x.length()));
                    let case = format!("{strain:?}, E = {young:e}, nu = {poisson}, {name}");
                    let mut counts = [0; 2];
                    for (kind, count) in [SolverKind::Multigrid, SolverKind::ConjugateGradient]
                        .into_iter()
                        .zip(&mut counts)
                    {
                        let (found, report) = solve(kind);
                        assert!(report.converged, "{case}, {kind:?}: {report:?}");
                        assert!(report.iterations <= most, "{case}, {kind:?}: {report:?}");
                        *count = report.iterations;
                        for (a, b) in found.iter().zip(&exact) {
                            assert!((*a - *b).length() < 1e-4 * size, "{case}, {kind:?}");
                        }
                    }
                    // A cycle is nearly as good as a factor.
                    assert!(
                        counts[0] <= counts[1] + counts[1] / 3 + 5,
                        "{case}: {counts:?}"
                    );
                }
            }
        }
    }
}

/// A block of n x n x n cubes of five tetrahedra.
fn cube(n: usize, kind: SolverKind) -> BodyDescription {
    cube_of(n, kind, 1e5)
}

fn cube_of(n: usize, kind: SolverKind, young: f64) -> BodyDescription {
    let mesh = block([n, n, n], DVec3::ONE, Division::FiveTetrahedra).unwrap();
    let model = model(SolidStrain::Corotated, young, 0.3);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    let mut body = BodyDescription::of_mesh("cube", settings, masses);
    body.time_step = 0.01;
    body.solver.kind = kind;
    let acceleration = DVec3::new(0.0, 0.0, -9.81);
    let force = Arc::new(Gravity { acceleration });
    body.forces.push(BoundForce { force, node: None });
    body
}

fn held_below(mut body: BodyDescription) -> BodyDescription {
    let places = body.rest_positions.iter();
    body.fixed = places.map(|x| x.z < 1e-9).collect();
    body
}

/// Linear iterations per solve over some steps; no step may be shortened, no solve may fail.
fn iterations(body: BodyDescription, obstacles: Vec<Obstacle>, steps: usize) -> (f64, usize) {
    let mut body = Body::new(body).unwrap();
    // Squeezed, so that it wobbles in flight too.
    for x in &mut body.state.positions {
        x.z *= 0.95;
    }
    let mut world = World {
        bodies: vec![body],
        obstacles,
        ..World::default()
    };
    let mut workspace = Workspace::new(&world);
    let (mut linear, mut newton, mut contacts) = (0, 0, 0);
    for _ in 0..steps {
        let report = world.step(&mut workspace);
        assert_eq!(report.unconverged_solves + report.quarantined, 0);
        linear += report.linear_iterations;
        newton += report.newton_iterations;
        contacts = contacts.max(report.contacts);
    }
    (linear as f64 / newton.max(1) as f64, contacts)
}

#[test]
fn iterations_do_not_grow_with_the_mesh() {
    let counts = [8, 16, 32];
    let each = counts.map(|n| {
        let body = held_below(cube(n, SolverKind::Multigrid));
        iterations(body, Vec::new(), 2).0
    });
    assert!(each[2] <= 12.0, "{each:?}");
    // Work per node is in proportion to the iterations: an exponent of at most 1.1 over a factor of
    // eight in nodes allows them to grow by 8^0.1.
    let exponent = (each[2] / each[1]).ln() / 8.0_f64.ln();
    assert!(exponent <= 0.1, "{each:?}: {exponent}");
}

#[test]
fn automatic_takes_the_hierarchy_for_large_bodies_to_the_same_place() {
    let run = |kind| {
        let mut world = World {
            bodies: vec![Body::new(held_below(cube(22, kind))).unwrap()],
            ..World::default()
        };
        let mut workspace = Workspace::new(&world);
        let report = world.step(&mut workspace);
        assert_eq!(report.unconverged_solves, 0);
        (world.state_hash(), world.bodies.remove(0).state.positions)
    };
    let (chosen, hierarchy) = (run(SolverKind::Automatic), run(SolverKind::Multigrid));
    assert_eq!(chosen.0, hierarchy.0);
    let diagonal = run(SolverKind::DiagonalConjugateGradient).1;
    for (a, b) in chosen.1.iter().zip(&diagonal) {
        assert!((*a - *b).length() < 1e-6, "{a} {b}");
    }
}

#[test]
fn large_bodies_have_the_same_bits_with_any_number_of_threads() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.unwrap().install(|| {
            // More nodes than loops need to be spread over threads.
            let mut world = World {
                bodies: vec![Body::new(held_below(cube(27, SolverKind::Automatic))).unwrap()],
                ..World::default()
            };
            let mut workspace = Workspace::new(&world);
            world.step(&mut workspace);
            world.state_hash()
        })
    };
    let one = run(1);
    assert_eq!(one, run(2));
    assert_eq!(one, run(3));
}

#[test]
fn contact_costs_at_most_twice_the_iterations_of_flight() {
    for (kind, young) in [
        (SolverKind::ConjugateGradient, 1e5),
        (SolverKind::Multigrid, 1e5),
        (SolverKind::ConjugateGradient, 1e6),
    ] {
        let cube = |n, kind| cube_of(n, kind, young);
        let (flight, none) = iterations(cube(10, kind), Vec::new(), 6);
        let floor = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -0.002)).unwrap();
        let mut floor = Obstacle::new("floor", Box::new(floor));
        floor.friction = 0.3;
        let mut standing = cube(10, kind);
        standing.collides_with = vec![0];
        let (contact, touching) = iterations(standing, vec![floor], 6);
        println!("{kind:?}, E = {young:e}: {contact} iterations in contact, {flight} in flight");
        assert!(none == 0 && touching >= 100, "{none} {touching}");
        assert!(
            contact <= 2.0 * flight,
            "{kind:?}: {contact} against {flight}"
        );
    }
}

#[test]
fn a_rigid_core_costs_few_iterations() {
    for motion in [
        CoreMotion::Free,
        CoreMotion::Hinge {
            point: DVec3::new(0.5, 0.5, 0.5),
            axis: DVec3::X,
        },
    ] {
        for kind in [SolverKind::ConjugateGradient, SolverKind::Multigrid] {
            let mut body = cube(10, kind);
            let is_inside = |x: &DVec3| (*x - DVec3::splat(0.5)).abs().max_element() < 0.26;
            let places = body.rest_positions.iter();
            let nodes = (0..)
                .zip(places)
                .filter(|(_, x)| is_inside(x))
                .map(|(i, _)| i);
            let core = RigidCore {
                nodes: nodes.collect(),
                motion: motion.clone(),
            };
            let mut settings = body.mesh().unwrap().clone();
            settings.cores = vec![core];
            body.formulation = Arc::new(settings);
            // Held at one face, so that the core pulls and turns.
            let places = body.rest_positions.iter();
            body.fixed = places.map(|x| x.y < 1e-9).collect();
            let (each, _) = iterations(body, Vec::new(), 10);
            assert!(each <= 25.0, "{motion:?}, {kind:?}: {each}");
        }
    }
}
