//! A search that has seen its scene allocates nothing, refitted or rebuilt.

use glam::DVec3;
use pliant_proximity::{Complex, Rules, Search, free_fraction};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

struct Counting;

static ALLOCATIONS: AtomicUsize = AtomicUsize::new(0);

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

#[test]
fn a_warm_search_allocates_nothing() {
    let side = 40;
    let node = |i: u32, j: u32| i * side + j;
    let mut triangles = Vec::new();
    for i in 0..side - 1 {
        for j in 0..side - 1 {
            triangles.push([node(i, j), node(i + 1, j), node(i + 1, j + 1)]);
            triangles.push([node(i, j), node(i + 1, j + 1), node(i, j + 1)]);
        }
    }
    let count = (side * side) as usize;
    let complex = Complex::of_parts(triangles, &[], &[], vec![0; count], vec![false; count]);
    let mut search = Search::new(&complex, &Rules::default()).unwrap();
    // Flat, and rolled up so tightly that the tree is rebuilt.
    let place = |turns: f64| -> Vec<DVec3> {
        (0..side * side)
            .map(|k| {
                let (angle, y) = (f64::from(k / side) * turns, f64::from(k % side));
                let radius = 3.0 + 0.01 * f64::from(k / side);
                match turns {
                    0.0 => DVec3::new(f64::from(k / side), y, 0.0),
                    _ => DVec3::new(radius * angle.cos(), y, radius * angle.sin()),
                }
            })
            .collect()
    };
    let shapes = [place(0.0), place(0.31), place(1.7)];
    let mut pairs = Vec::new();
    let mut most = 0;
    let mut round = |search: &mut Search| {
        for shape in &shapes {
            search.update(shape, shape, 0.3, &mut pairs);
            most = most.max(pairs.len());
        }
    };
    round(&mut search);
    round(&mut search);
    let before = ALLOCATIONS.load(Ordering::Relaxed);
    round(&mut search);
    for pair in &pairs {
        let (from, to) = (pair.gather(&shapes[1]), pair.gather(&shapes[2]));
        free_fraction(pair.kind, &from, &to, 0.01, 0.1);
    }
    let after = ALLOCATIONS.load(Ordering::Relaxed);
    assert!(most > 10_000, "{most}");
    assert_eq!(after - before, 0);
}
