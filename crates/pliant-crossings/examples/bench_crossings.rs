//! Milliseconds to count the crossings of two wavy sheets, one over the other.
//!
//! `cargo run --release -p pliant-crossings --example bench_crossings`

use glam::DVec3;
use pliant_crossings::crossings;
use std::time::Instant;

fn main() {
    for cells in [32, 64, 112_u32] {
        let side = cells + 1;
        let (mut triangles, mut edges) = (Vec::new(), Vec::new());
        for sheet in 0..2 {
            let node = |i: u32, j: u32| sheet * side * side + i * side + j;
            for i in 0..cells {
                for j in 0..cells {
                    let (a, b) = (node(i, j), node(i + 1, j));
                    let (c, d) = (node(i + 1, j + 1), node(i, j + 1));
                    triangles.extend([[a, b, c], [a, c, d]]);
                    edges.extend([[a, b], [a, c], [a, d]]);
                }
            }
        }
        let at = |k: u32| f64::from(k) / f64::from(cells);
        let place = |k: u32| {
            let (x, y) = (at(k / side % side), at(k % side));
            let z = 0.2 * (17.0 * x).sin() * (15.0 * y).cos() + 1e-3 * f64::from(k / (side * side));
            DVec3::new(x, y, z)
        };
        let positions: Vec<DVec3> = (0..2 * side * side).map(place).collect();
        let start = Instant::now();
        let found = crossings(&positions, &triangles, &edges).expect("finite positions");
        let milliseconds = start.elapsed().as_secs_f64() * 1e3;
        println!(
            "{} triangles, {} edges: {} crossings in {milliseconds:.1} ms",
            triangles.len(),
            edges.len(),
            found.len()
        );
    }
}
