//! A warm step of a pile that rests allocates nothing: soft bodies with factors of their own, small ones that share
//! one, and a rigid box.

use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::fem::{CoreMotion, ElasticMaterial, MeshModel, MeshSettings, SolidModel, SolidStrain};
use pliant::force::{BoundForce, Gravity};
use pliant::formulation::Rigid;
use pliant::mesh::{Division, block, boundary_surface};
use pliant::obstacle::{Obstacle, Plane};
use pliant::{Body, BodyDescription, Workspace, World};
use std::alloc::{GlobalAlloc, Layout, System};
use std::backtrace::Backtrace;
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

/// Whether the places of allocations are printed, where `PLIANT_TRACE_ALLOCATIONS` is set.
static IS_TRACED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static IS_TRACING: Cell<bool> = const { Cell::new(false) };
}

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.fetch_add(1, Ordering::Relaxed);
        if IS_TRACED.load(Ordering::Relaxed) && !IS_TRACING.replace(true) {
            eprintln!("ALLOCATED {}", Backtrace::force_capture());
            IS_TRACING.set(false);
        }
        // SAFETY: the caller keeps the promises that the system's allocator asks for.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: what comes back here came from the system's allocator.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn with_gravity(mut description: BodyDescription, shift: DVec3) -> Body {
    let acceleration = DVec3::NEG_Z * 9.81;
    let force = Arc::new(Gravity { acceleration });
    description.forces.push(BoundForce { force, node: None });
    description.collides_with = vec![0];
    let mut body = Body::new(description).unwrap();
    body.state.positions.iter_mut().for_each(|x| *x += shift);
    body
}

fn cube(cells: usize, size: f64, shift: DVec3) -> Body {
    let mesh = block([cells; 3], DVec3::splat(size), Division::FiveTetrahedra).unwrap();
    let material = ElasticMaterial::new(1e5, 0.33, 1000.0).unwrap();
    let model = SolidModel::new(SolidStrain::Corotated, material);
    let masses = model.masses(&mesh).unwrap();
    let settings = MeshSettings::new(Arc::new(mesh), Arc::new(model));
    with_gravity(BodyDescription::of_mesh("cube", settings, masses), shift)
}

fn rigid_box(size: f64, shift: DVec3) -> Body {
    let mut mesh = block([1; 3], DVec3::splat(size), Division::FiveTetrahedra).unwrap();
    mesh.positions.iter_mut().for_each(|x| *x += shift);
    let (shape, mass) = Rigid::of_triangles(boundary_surface(&mesh).0, 1000.0).unwrap();
    let description = BodyDescription::rigid("box", shape, mass, CoreMotion::Free).unwrap();
    with_gravity(description, DVec3::ZERO)
}

#[test]
fn a_warm_step_of_a_resting_pile_allocates_nothing() {
    let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
    let bodies = vec![
        cube(3, 0.2, DVec3::new(0.0, 0.0, 0.003)),
        cube(3, 0.2, DVec3::new(0.02, 0.01, 0.206)),
        cube(1, 0.1, DVec3::new(0.05, 0.05, 0.409)),
        cube(1, 0.1, DVec3::new(0.4, 0.4, 0.003)),
        rigid_box(0.1, DVec3::new(0.41, 0.4, 0.106)),
    ];
    let mut world = World {
        bodies,
        obstacles: vec![Obstacle::new("floor", Box::new(floor))],
        contact: Some(PairContactSettings {
            thickness: 0.002,
            friction: 0.4,
            ..PairContactSettings::default()
        }),
        ..World::default()
    };
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.unwrap().install(|| {
        let mut workspace = Workspace::new(&world);
        let mut report = world.step(&mut workspace);
        for _ in 0..120 {
            report = world.step(&mut workspace);
        }
        assert!(report.active_pairs > 20, "{} pairs", report.active_pairs);
        let is_traced = std::env::var_os("PLIANT_TRACE_ALLOCATIONS").is_some();
        let before = ALLOCATIONS.load(Ordering::Relaxed);
        IS_TRACED.store(is_traced, Ordering::Relaxed);
        for _ in 0..10 {
            world.step(&mut workspace);
        }
        IS_TRACED.store(false, Ordering::Relaxed);
        let allocated = ALLOCATIONS.load(Ordering::Relaxed) - before;
        assert_eq!(allocated, 0, "allocations in ten steps");
    });
}
