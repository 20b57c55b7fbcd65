//! Milliseconds per search on a crumpled cloth of some 50,000 triangles.
//!
//! `cargo run --release -p pliant-proximity --example bench_search [cells] [reach / edge length]`

use glam::DVec3;
use pliant_proximity::{Complex, Rules, Search};
use std::time::Instant;

/// Deep wrinkles that run in several directions, about as long as the sheet is wide / 10.
fn crumpled(u: f64, v: f64, time: f64) -> DVec3 {
    let mut place = DVec3::new(u, v, 0.0);
    let waves = [
        (DVec3::new(31.0, 12.0, 0.0), DVec3::new(0.2, -0.5, 1.0), 0.3),
        (DVec3::new(-17.0, 41.0, 9.0), DVec3::new(0.6, 0.3, 0.9), 1.1),
        (
            DVec3::new(53.0, -37.0, 5.0),
            DVec3::new(-0.4, 0.2, 0.8),
            2.3,
        ),
    ];
    for (wave, direction, phase) in waves {
        place += 0.03 * (wave.dot(place) + phase + time).sin() * direction;
    }
    place
}

fn main() {
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<f64>());
    let cells = arguments
        .next()
        .map_or(158, |cells| cells.expect("a number of cells") as u32);
    let share = arguments
        .next()
        .map_or(0.2, |share| share.expect("a reach in edge lengths"));
    let side = cells + 1;
    let node = |i: u32, j: u32| i * side + j;
    let mut triangles = Vec::new();
    for i in 0..cells {
        for j in 0..cells {
            let corners = [
                node(i, j),
                node(i + 1, j),
                node(i + 1, j + 1),
                node(i, j + 1),
            ];
            let [a, b, c, d] = corners;
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    let count = (side * side) as usize;
    let complex = Complex::of_parts(triangles, &[], &[], vec![0; count], vec![false; count]);
    let place = |time: f64| -> Vec<DVec3> {
        let at = |k: u32| f64::from(k) / f64::from(cells);
        (0..side * side)
            .map(|k| crumpled(at(k / side), at(k % side), time))
            .collect()
    };
    let reach = share / f64::from(cells);
    let mut search = Search::new(&complex, &Rules::default()).expect("a good complex");
    let mut pairs = Vec::new();
    for only_boxes in [true, false] {
        let mut times = Vec::new();
        for step in 0..40 {
            let (from, to) = (place(0.002 * step as f64), place(0.002 * (step + 1) as f64));
            let start = Instant::now();
            if only_boxes {
                search.update_by_boxes(&from, &to, reach, &mut pairs);
            } else {
                search.update(&from, &to, reach, &mut pairs);
            }
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        let first = times.remove(0);
        times.sort_by(f64::total_cmp);
        println!(
            "{} triangles, {} threads, {}: {first:.2} ms for the first, then {:.2} ms (best of 39), {} pairs",
            complex.triangles.len(),
            rayon::current_num_threads(),
            if only_boxes {
                "boxes alone"
            } else {
                "with distances"
            },
            times[0],
            pairs.len()
        );
    }
}
