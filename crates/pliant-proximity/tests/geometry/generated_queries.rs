//! Generated motions, degenerate in many ways, against exact arithmetic: no collision is missed.
//!
//! 20,000 motions; a million with `PLIANT_CCD=full`.

use super::exact::collides;
use super::exact::queries::{FAMILIES, Query, Random};
use glam::DVec3;
use pliant_proximity::{PairKind, closest, free_fraction};
use rayon::prelude::*;

/// What was counted, per family.
#[derive(Clone, Copy, Default, Debug)]
struct Counts {
    queries: u64,
    collide: u64,
    /// Free motions that are not proved to be free although nothing must be kept.
    false_alarms: u64,
    stopped_on_the_way: u64,
}

impl Counts {
    fn plus(self, other: Self) -> Self {
        Self {
            queries: self.queries + other.queries,
            collide: self.collide + other.collide,
            false_alarms: self.false_alarms + other.false_alarms,
            stopped_on_the_way: self.stopped_on_the_way + other.stopped_on_the_way,
        }
    }
}

fn moved(query: &Query, fraction: f64) -> [DVec3; 4] {
    std::array::from_fn(|k| query.from[k] + fraction * (query.to[k] - query.from[k]))
}

fn examine(query: &Query, counts: &mut Counts) {
    let Query { kind, from, to, .. } = query;
    let truth = collides(*kind, from, to);
    counts.queries += 1;
    counts.collide += u64::from(truth);
    for keep in [0.0, 0.2] {
        let fraction = free_fraction(*kind, from, to, 0.0, keep);
        assert!((0.0..=1.0).contains(&fraction), "{fraction}: {query:?}");
        let still = from == to;
        assert!(
            !truth || fraction < 1.0 || still,
            "missed with keep {keep}: {query:?}"
        );
        if fraction > 0.0 && fraction < 1.0 {
            let end = moved(query, fraction);
            let free = !collides(*kind, from, &end);
            assert!(free, "collides within {fraction}, keep {keep}: {query:?}");
        }
        if keep == 0.0 {
            counts.false_alarms += u64::from(!truth && fraction < 1.0);
            counts.stopped_on_the_way += u64::from(fraction > 0.0 && fraction < 1.0);
        }
    }
}

fn campaign(count: u64) -> [Counts; FAMILIES.len()] {
    const CHUNK: u64 = 1000;
    (0..count.div_ceil(CHUNK))
        .into_par_iter()
        .map(|chunk| {
            let mut random = Random::new(chunk);
            let mut counts = [Counts::default(); FAMILIES.len()];
            for index in 0..CHUNK {
                let query = random.query(index);
                examine(&query, &mut counts[query.family]);
            }
            counts
        })
        .reduce(
            || [Counts::default(); FAMILIES.len()],
            |one, other| std::array::from_fn(|family| one[family].plus(other[family])),
        )
}

#[test]
fn no_generated_collision_is_missed() {
    let full = std::env::var("PLIANT_CCD").is_ok_and(|value| value == "full");
    let counts = campaign(if full { 1_000_000 } else { 20_000 });
    for (name, counts) in FAMILIES.iter().zip(counts) {
        println!("{name}: {counts:?}");
        // The families are worth nothing unless they collide now and then.
        assert!(counts.collide * 50 > counts.queries, "{name}: {counts:?}");
        assert!(counts.stopped_on_the_way > 0, "{name}: {counts:?}");
    }
    // Free motions of pairs in general position are seen to be free.
    let [random, ..] = counts;
    let free = random.queries - random.collide;
    assert!(random.false_alarms * 100 <= free, "{random:?}");
}

#[test]
fn the_exact_answer_is_right_where_it_is_known() {
    let v = DVec3::new;
    let triangle = [DVec3::ZERO, 4.0 * DVec3::X, 4.0 * DVec3::Y];
    let still = |p: DVec3| [p, triangle[0], triangle[1], triangle[2]];
    let falls = |from, to| collides(PairKind::PointTriangle, &still(from), &still(to));
    assert!(falls(v(1.0, 1.0, 1.0), v(1.0, 1.0, -1.0)));
    assert!(falls(v(2.0, 2.0, 1.0), v(2.0, 2.0, -1e-300)));
    assert!(!falls(v(2.0, 2.0 + 1e-15, 1.0), v(2.0, 2.0 + 1e-15, -1.0)));
    assert!(!falls(v(1.0, 1.0, 1.0), v(1.0, 1.0, 1e-300)));
    assert!(falls(v(-1.0, 1.0, 0.0), v(1.0, 1.0, 0.0)));
    assert!(!falls(v(-1.0, 1.0, 0.0), v(-1e-300, 1.0, 0.0)));
    assert!(falls(v(3.0, 3.0, 0.0), v(0.0, 4.0, 0.0)));
    assert!(!falls(v(3.0, 3.0, 0.0), v(-1.0, 5.0, 0.0)));
    let edges = |z: f64, lift: f64| {
        [
            v(-1.0, 0.0, z),
            v(1.0, 0.0, z + lift),
            v(0.0, -1.0, 0.0),
            v(0.0, 1.0, 0.0),
        ]
    };
    assert!(collides(
        PairKind::EdgeEdge,
        &edges(1.0, 0.0),
        &edges(-1.0, 0.0)
    ));
    assert!(!collides(
        PairKind::EdgeEdge,
        &edges(1.0, 0.0),
        &edges(0.5, 0.25)
    ));
    assert!(collides(
        PairKind::EdgeEdge,
        &edges(1.0, 0.0),
        &edges(-0.5, 1.0)
    ));
    assert!(!collides(
        PairKind::EdgeEdge,
        &edges(1.0, 0.0),
        &edges(-0.5, 1.0 + 1e-15)
    ));
    // Parallel edges that pass through each other, and beside each other.
    let along = |x: f64, y: f64| [v(x, y, 0.0), v(x + 1.0, y, 0.0), DVec3::ZERO, DVec3::X];
    assert!(collides(
        PairKind::EdgeEdge,
        &along(0.5, 1.0),
        &along(0.5, -1.0)
    ));
    assert!(collides(
        PairKind::EdgeEdge,
        &along(1.0, 1.0),
        &along(1.0, -1.0)
    ));
    assert!(!collides(
        PairKind::EdgeEdge,
        &along(1.5, 1.0),
        &along(1.5, -1.0)
    ));
    assert!(collides(
        PairKind::EdgeEdge,
        &along(1.5, 0.0),
        &along(-1.5, 0.0)
    ));
    let point = |x: f64| [v(x, 1.0, 0.0), DVec3::Y, DVec3::Y, DVec3::Y];
    assert!(collides(PairKind::PointPoint, &point(-1.0), &point(3.0)));
    assert!(!collides(PairKind::PointPoint, &point(1.0), &point(3.0)));
}

/// The distance along the whole way, for motions that start apart.
#[test]
fn the_distance_that_is_asked_for_is_kept() {
    let mut random = Random::new(77);
    let mut stopped = 0;
    for index in 0..20_000 {
        let query = random.query(index);
        let Query { kind, from, to, .. } = &query;
        let start = closest(*kind, from).squared_distance.sqrt();
        let size = from
            .iter()
            .chain(to)
            .map(|p| (*p - from[0]).length())
            .fold(0.0, f64::max);
        for (thickness, keep) in [(0.3 * start, 0.1), (0.9 * start, 0.5), (1.1 * start, 0.1)] {
            let fraction = free_fraction(*kind, from, to, thickness, keep);
            stopped += u32::from(fraction < 1.0 && fraction > 0.0);
            let level = if start > thickness {
                thickness + keep * (start - thickness)
            } else {
                start * (1.0 - 1e-8)
            };
            for step in 0..=16 {
                let points = moved(&query, fraction * f64::from(step) / 16.0);
                let distance = closest(*kind, &points).squared_distance.sqrt();
                // Coordinates of some families are large beside the pair.
                let rounding = 1e-12 * (size + from[0].length());
                assert!(
                    distance >= level - rounding || fraction == 0.0,
                    "{distance} < {level} at {step}/16 of {fraction}: {query:?}"
                );
            }
        }
    }
    assert!(stopped > 1000, "{stopped}");
}
