//! The search against brute force.

use super::*;
use crate::{PairKind, closest};

/// Numbers in [0, 1) from a seed.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn number(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn below(&mut self, count: u64) -> u32 {
        (self.next() % count) as u32
    }

    fn point(&mut self, size: f64) -> DVec3 {
        size * DVec3::new(self.number(), self.number(), self.number())
    }
}

/// All pairs by trying all, as the documentation of `update` says.
fn by_brute_force(
    complex: &Complex,
    rules: &Rules,
    from: &[DVec3],
    to: &[DVec3],
    reach: f64,
) -> Vec<Pair> {
    let of_edge = |p: u32| {
        complex.edges.iter().flatten().any(|&q| q == p)
            || complex.triangles.iter().flatten().any(|&q| q == p)
    };
    let of_triangle = |e: &[u32; 2]| {
        let has = |t: &[u32; 3]| t.contains(&e[0]) && t.contains(&e[1]);
        complex.triangles.iter().any(has)
    };
    let close = |one: &[u32], other: &[u32]| {
        let around = |nodes: &[u32]| {
            nodes.iter().fold(Bounds::NOTHING, |all, &node| {
                let node = node as usize;
                all.union(Bounds::swept(from[node], to[node], from[0], 0.5 * reach))
            })
        };
        let still = one.iter().chain(other).all(|&v| complex.still[v as usize]);
        let share = one.iter().any(|v| other.contains(v));
        let (a, b) = (
            complex.group[one[0] as usize],
            complex.group[other[0] as usize],
        );
        let excluded = if a == b {
            rules.without_self.contains(&a)
        } else {
            rules.apart.contains(&[a, b]) || rules.apart.contains(&[b, a])
        };
        !still && !share && !excluded && around(one).overlaps(&around(other))
    };
    let mut pairs = Vec::new();
    for (i, &p) in complex.points.iter().enumerate() {
        for &t in &complex.triangles {
            if close(&[p], &t) {
                pairs.push(Pair::point_triangle(p, t));
            }
        }
        for &e in complex.edges.iter().filter(|e| !of_triangle(e)) {
            if !of_edge(p) && close(&[p], &e) {
                pairs.push(Pair::point_edge(p, e));
            }
        }
        for &q in &complex.points[..i] {
            if !of_edge(p) && !of_edge(q) && close(&[p], &[q]) {
                pairs.push(Pair::point_point(p, q));
            }
        }
    }
    for (i, &e) in complex.edges.iter().enumerate() {
        for &f in &complex.edges[..i] {
            if close(&e, &f) {
                pairs.push(Pair::edge_edge(e, f));
            }
        }
    }
    pairs.sort_unstable();
    pairs
}

/// Triangles, curves and particles in four groups, some vertices still.
fn soup(random: &mut Random, size: u64) -> Complex {
    let vertices = 4 * size;
    let mut triangles = Vec::new();
    let mut curves = Vec::new();
    for _ in 0..size {
        let base = random.below(4) * size as u32;
        let mut vertex = || base + random.below(size);
        let [a, b, c, d, e] = std::array::from_fn(|_| vertex());
        if a != b && b != c && c != a {
            triangles.push([a, b, c]);
        }
        if d != e {
            curves.push([d, e]);
        }
    }
    let particles: Vec<u32> = (0..vertices as u32)
        .filter(|_| random.below(3) == 0)
        .collect();
    let group = (0..vertices as u32).map(|v| 7 + v / size as u32).collect();
    let still = (0..vertices).map(|_| random.below(2) == 0).collect();
    let mut complex = Complex::of_parts(triangles, &curves, &particles, group, still);
    complex.triangles.sort_unstable_by_key(|t| {
        let mut sorted = *t;
        sorted.sort_unstable();
        sorted
    });
    complex.triangles.dedup_by_key(|t| {
        let mut sorted = *t;
        sorted.sort_unstable();
        sorted
    });
    complex
}

/// The pairs that were left out stay beyond the reach; those that come within it are there.
fn check_close(close: &[Pair], all: &[Pair], from: &[DVec3], to: &[DVec3], reach: f64) {
    let mut kept = close.iter().peekable();
    for pair in all {
        if kept.next_if_eq(&pair).is_some() {
            continue;
        }
        for step in 0..=8 {
            let t = f64::from(step) / 8.0;
            let [from, to] = [from, to].map(|positions| pair.gather(positions));
            let points = std::array::from_fn(|k| from[k] + t * (to[k] - from[k]));
            let distance = closest(pair.kind, &points).squared_distance.sqrt();
            assert!(distance > reach, "{pair:?} is {distance} apart at {t}");
        }
    }
    assert_eq!(
        kept.next(),
        None,
        "in order, and none that is not among all"
    );
}

#[test]
fn finds_what_brute_force_finds() {
    let mut random = Random(1);
    let mut kinds = [0; 4];
    let mut dropped = 0;
    for round in 0..60 {
        let complex = soup(&mut random, 3 + round);
        let rules = Rules {
            without_self: if round % 3 == 0 { vec![8] } else { vec![] },
            apart: if round % 2 == 0 {
                vec![[9, 7], [8, 10]]
            } else {
                vec![]
            },
        };
        let mut search = Search::new(&complex, &rules).unwrap();
        let (mut pairs, mut close) = (Vec::new(), Vec::new());
        let count = complex.group.len();
        // Several motions in turn: trees are refitted, and rebuilt when all has moved.
        for motion in 0..4 {
            let size = [3.0, 1.0, 8.0, 2.0][motion];
            let mut from: Vec<_> = (0..count).map(|_| random.point(size)).collect();
            let to: Vec<_> = from.iter().map(|&p| p + random.point(0.2)).collect();
            if motion == 3 {
                from[1 + random.below(count as u64 - 1) as usize].y = f64::NAN;
            }
            let reach = 0.3 * random.number();
            search.update_by_boxes(&from, &to, reach, &mut pairs);
            let expected = by_brute_force(&complex, &rules, &from, &to, reach);
            assert_eq!(pairs, expected, "round {round}, motion {motion}");
            search.update(&from, &to, reach, &mut close);
            check_close(&close, &pairs, &from, &to, reach);
            dropped += pairs.len() - close.len();
            for pair in &pairs {
                kinds[pair.kind as usize] += 1;
            }
        }
    }
    assert!(dropped > 10_000, "{dropped}");
    assert!(kinds.iter().all(|&count| count > 100), "{kinds:?}");
    assert_eq!(PairKind::ALL.map(|kind| kind as usize), [0, 1, 2, 3]);
}

#[test]
fn features_that_only_touch_after_rounding_are_found() {
    // The gap along x is exactly the reach.
    let group = vec![0, 1];
    let complex = Complex::of_parts(vec![], &[], &[0, 1], group, vec![false; 2]);
    let mut search = Search::new(&complex, &Rules::default()).unwrap();
    let mut pairs = Vec::new();
    for offset in [0.0, 1e6, -3e-7] {
        let from = [DVec3::splat(offset), DVec3::splat(offset) + 0.1 * DVec3::X];
        search.update(&from, &from, (from[1] - from[0]).x, &mut pairs);
        assert_eq!(pairs, [Pair::point_point(0, 1)]);
    }
}

#[test]
fn any_number_of_threads_finds_the_same() {
    let mut random = Random(5);
    let complex = soup(&mut random, 900);
    let count = complex.group.len();
    let from: Vec<_> = (0..count).map(|_| random.point(30.0)).collect();
    let to: Vec<_> = from.iter().map(|&p| p + random.point(0.2)).collect();
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
        pool.build().unwrap().install(|| {
            let mut search = Search::new(&complex, &Rules::default()).unwrap();
            let mut pairs = Vec::new();
            search.update(&from, &to, 0.1, &mut pairs);
            assert_eq!(search.is_parallel(), threads > 1);
            pairs
        })
    };
    let one = run(1);
    assert!(one.len() > 1000, "{}", one.len());
    for threads in [2, 4, 8] {
        assert!(run(threads) == one, "{threads} threads");
    }
}

#[test]
fn bad_complexes_are_refused() {
    let good = Complex::of_parts(vec![[0, 1, 2]], &[], &[], vec![0; 3], vec![false; 3]);
    let rules = Rules::default();
    assert!(Search::new(&good, &rules).is_ok());
    let mut missing = good.clone();
    missing.triangles[0][2] = 3;
    let error = Search::new(&missing, &rules).unwrap_err();
    assert_eq!(error.to_string(), "a feature names vertex 3 of 3");
    let mut repeated = good.clone();
    repeated.edges[1] = [2, 2];
    let error = Search::new(&repeated, &rules).unwrap_err();
    assert_eq!(error.to_string(), "a feature names vertex 2 more than once");
    let mut mixed = good.clone();
    mixed.group[1] = 1;
    let error = Search::new(&mixed, &rules).unwrap_err();
    assert_eq!(
        error.to_string(),
        "vertices 0 and 1 of one feature belong to different groups"
    );
    let mut short = good;
    short.still.pop();
    assert!(matches!(
        Search::new(&short, &rules),
        Err(ComplexError::Lengths {
            vertices: 3,
            still: 2
        })
    ));
}

#[test]
fn a_point_with_a_radius_is_a_ball() {
    let complex = Complex::of_parts(
        vec![[0, 1, 2]],
        &[],
        &[3],
        vec![0, 0, 0, 1],
        vec![false, false, false, true],
    );
    let radii = vec![0.0, 0.0, 0.0, 0.5];
    let mut search = Search::new(&complex, &Rules::default())
        .unwrap()
        .with_radii(radii.clone());
    let corners = |z: f64| {
        vec![
            DVec3::new(0.0, 0.0, z),
            DVec3::new(1.0, 0.0, z),
            DVec3::new(0.0, 1.0, z),
            DVec3::new(0.3, 0.3, 0.0),
        ]
    };
    let mut found = Vec::new();
    let (high, low) = (corners(0.7), corners(0.52));
    search.update(&high, &high, 0.05, &mut found);
    assert!(found.is_empty(), "{found:?}");
    search.update(&high, &low, 0.05, &mut found);
    assert_eq!(found, [Pair::point_triangle(3, [0, 1, 2])]);
    assert_eq!(found[0].radius(&radii), 0.5);
    search.wake(|group| group == 1);
    search.update(&high, &low, 0.05, &mut found);
    assert_eq!(found.len(), 1);
    search.wake(|_| false);
    search.update(&high, &low, 0.05, &mut found);
    assert!(found.is_empty());
}
