//! A warm step allocates nothing, with every integrator that the solvers allow it for.

mod support;

use glam::DVec3;
use pliant::fem::{
    CoreMotion, ElasticMaterial, MeshModel, MeshSettings, RigidCore, RotationMethod, SolidModel,
    SolidStrain,
};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::{self, Hybrid};
use pliant::linear::{SolverKind, SolverSettings};
use pliant::mesh::{self, Division};
use pliant::obstacle::{Obstacle, Plane};
use pliant::process::{
    Fluid, FourUnit, Fracture, FractureCriterion, Heat, Maxwell, Plastic, ProcessKind, Scheduled,
    Voigt, YieldCriterion,
};
use pliant::{Body, BodyDescription, EnergyVariant, Grid, IntegratorKind, Workspace, World};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use support::{block, line, sheet};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn world(mut description: BodyDescription) -> World {
    description.forces.push(BoundForce {
        force: Arc::new(Gravity {
            acceleration: DVec3::NEG_Z * 9.81,
        }),
        node: None,
    });
    description.collides_with.push(0);
    let floor = Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -0.05)).unwrap();
    World {
        bodies: vec![Body::new(description).unwrap()],
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        ..World::default()
    }
}

/// A block that conducts heat, the upper half of which is molten.
fn melting() -> World {
    let mut description = block([6, 6, 6], DVec3::ONE, 4.0);
    let heat = Heat {
        temperatures: (0..216).map(|i| 300.0 + f64::from(i)).collect(),
        air_exchange: 1.0,
        contact_exchange: 10.0,
        melting: 400.0,
        solidifies: true,
        ..Heat::insulated(300.0, 1.0, 1000.0)
    };
    let fluid = Fluid {
        attraction: 1.0,
        viscosity: 1.0,
        conduction: 1.0,
        ..Fluid::new(0.2, 40.0)
    };
    for kind in [ProcessKind::Heat(heat), ProcessKind::Fluid(fluid)] {
        description.processes.push(Scheduled::always(kind));
    }
    let mut world = world(description);
    world.obstacles[0].temperature = Some(500.0);
    world
}

fn a_warm_step_of_a_fluid_allocates_nothing() {
    let mut world = melting();
    let mut workspace = Workspace::new(&world);
    let mut molten = 0;
    for _ in 0..60 {
        molten = world.step(&mut workspace).molten;
    }
    assert!(molten > 50 && molten < 200, "{molten}");
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    world.step(&mut workspace);
    assert_eq!(ALLOCATIONS.load(Ordering::Relaxed) - before, 0);
}

/// Bodies that flow, yield and come near to breaking, primal and hybrid, whole and in pieces.
fn a_warm_step_with_processes_allocates_nothing() {
    let plastic = |criterion| {
        ProcessKind::Plastic(Plastic {
            criterion,
            limit: 1e-4,
            hardening: 0.3,
            time: 0.0,
        })
    };
    let fracture = |order| {
        ProcessKind::Fracture(Fracture {
            criterion: FractureCriterion::Elongation,
            limit: 1e3,
            spread: 0.3,
            seed: 1,
            at_once: 1,
            order,
        })
    };
    let four = FourUnit {
        relaxation: 1.0,
        retardation: 0.1,
        stiffness: 2.0,
    };
    let kinds = [
        plastic(YieldCriterion::Deformation),
        plastic(YieldCriterion::VonMises),
        plastic(YieldCriterion::Tresca),
        fracture(0),
        fracture(1),
        ProcessKind::Maxwell(Maxwell::uniform(1.0)),
        ProcessKind::Voigt(Voigt { times: vec![0.05] }),
        ProcessKind::FourUnit(four),
    ];
    for kind in kinds {
        for formulation in formulation::ON_GRIDS {
            for is_cut in [false, true] {
                let mut description = block([5, 5, 4], DVec3::ONE, 4.0);
                assert!(description.reformulate(formulation));
                description.solver.kind = SolverKind::Cholesky;
                description.processes.push(Scheduled::always(kind.clone()));
                let mut world = world(description);
                world.obstacles[0] = Obstacle::new(
                    "floor",
                    Box::new(Plane::new(DVec3::Z, DVec3::new(0.0, 0.0, -9.0)).unwrap()),
                );
                let spin = DVec3::new(0.5, 1.0, 0.2);
                let body = &mut world.bodies[0];
                for (v, x) in body.state.velocities.iter_mut().zip(&body.state.positions) {
                    *v = spin.cross(*x);
                }
                if let (Some(material), true) = (body.hybrid_mut(), is_cut) {
                    let grid = Grid::new(&[5, 5, 4], &[false; 3]);
                    let across = (0..100).filter(|node| node % 5 == 1);
                    let across: Vec<(usize, usize)> = across.map(|node| (node, 0)).collect();
                    material.cut(&grid, &across);
                }
                let mut workspace = Workspace::new(&world);
                for _ in 0..15 {
                    world.step(&mut workspace);
                }
                let before = ALLOCATIONS.load(Ordering::Relaxed);
                for _ in 0..10 {
                    world.step(&mut workspace);
                }
                let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
                assert_eq!(allocated, 0, "{formulation:?} {is_cut} {kind:?}");
            }
        }
    }
}

/// A bar of tetrahedra, clamped at one end; large enough for a factor.
fn solid(strain: SolidStrain, has_core: bool) -> BodyDescription {
    let size = DVec3::new(1.0, 0.25, 0.25);
    let mesh = Arc::new(mesh::block([12, 3, 3], size, Division::FiveTetrahedra).unwrap());
    let model = SolidModel::new(strain, ElasticMaterial::new(1e6, 0.33, 1000.0).unwrap());
    let masses = model.masses(&mesh).unwrap();
    let end = |node: &u32| mesh.positions[*node as usize].x < 0.1;
    let nodes: Vec<u32> = (0..mesh.positions.len() as u32).filter(end).collect();
    let mut settings = MeshSettings::new(Arc::clone(&mesh), Arc::new(model));
    if has_core {
        settings.cores = vec![RigidCore {
            nodes: nodes.clone(),
            motion: CoreMotion::Free,
        }];
    }
    let mut description = BodyDescription::of_mesh("bar", settings, masses);
    description.rayleigh[1] = 0.001;
    for node in nodes {
        description.fixed[node as usize] = !has_core;
    }
    description.solver.tolerance = 1e-6;
    description
}

fn a_warm_step_of_a_mesh_allocates_nothing() {
    let frames = SolidStrain::Warped(RotationMethod::Frames);
    for (strain, integrator, has_core) in [
        (SolidStrain::Corotated, IntegratorKind::SemiImplicit, false),
        (SolidStrain::Corotated, IntegratorKind::SemiImplicit, true),
        (SolidStrain::Corotated, IntegratorKind::Implicit, false),
        (SolidStrain::Green, IntegratorKind::SemiImplicit, false),
        (SolidStrain::NeoHookean, IntegratorKind::Newmark, false),
        (SolidStrain::Linear, IntegratorKind::SemiImplicit, false),
        (frames, IntegratorKind::SemiImplicit, false),
    ] {
        for kind in [SolverKind::ConjugateGradient, SolverKind::Cholesky] {
            let mut description = solid(strain, has_core);
            description.integrator = integrator;
            description.solver.kind = kind;
            let mut world = world(description);
            let mut workspace = Workspace::new(&world);
            for _ in 0..5 {
                assert_eq!(world.step(&mut workspace).quarantined, 0);
            }
            let before = ALLOCATIONS.load(Ordering::Relaxed);
            for _ in 0..5 {
                world.step(&mut workspace);
            }
            let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
            assert_eq!(
                allocated, 0,
                "{strain:?}, {integrator:?}, {kind:?}, {has_core}"
            );
        }
    }
}

// One test only: another one running at the same time would be counted too.
#[test]
fn a_warm_step_allocates_nothing() {
    a_warm_step_of_a_fluid_allocates_nothing();
    a_warm_step_with_processes_allocates_nothing();
    a_warm_step_of_a_mesh_allocates_nothing();
    let bodies = [
        line(30, 1.0, [50.0, 0.1, 0.0]),
        sheet([20, 18], [1.0, 1.0], 4.0, 0.01),
        block([5, 5, 4], DVec3::ONE, 4.0),
    ];
    let hybrid = bodies.clone().map(|mut body| {
        body.make_hybrid(Hybrid::default());
        body
    });
    for body in bodies.into_iter().chain(hybrid) {
        for energy in [EnergyVariant::Exact, EnergyVariant::Published] {
            for integrator in [
                IntegratorKind::SemiImplicit,
                IntegratorKind::Explicit,
                IntegratorKind::Implicit,
                IntegratorKind::Midpoint,
            ] {
                let conservative = matches!(
                    integrator,
                    IntegratorKind::Implicit | IntegratorKind::Midpoint
                );
                if conservative && energy == EnergyVariant::Published {
                    continue;
                }
                for kind in [
                    SolverKind::ConjugateGradient,
                    SolverKind::Cholesky,
                    SolverKind::Sor,
                    SolverKind::Adi,
                    SolverKind::Multigrid,
                ] {
                    let mut description = body.clone();
                    description.change_grid(|on_grid| on_grid.energy = energy);
                    description.integrator = integrator;
                    description.solver = SolverSettings {
                        kind,
                        tolerance: 1e-6,
                        ..SolverSettings::default()
                    };
                    let mut world = world(description);
                    let mut workspace = Workspace::new(&world);
                    for _ in 0..15 {
                        world.step(&mut workspace);
                    }
                    let before = ALLOCATIONS.load(Ordering::Relaxed);
                    for _ in 0..10 {
                        world.step(&mut workspace);
                    }
                    let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
                    assert_eq!(
                        allocated,
                        0,
                        "{} with {energy:?}, {integrator:?}, {kind:?}",
                        world.bodies[0].description().name
                    );
                }
            }
        }
    }
}
