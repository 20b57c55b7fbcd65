//! What `free_fraction` promises beside the absence of collisions.

use glam::DVec3;
use pliant_proximity::{
    Clearance, Pair, PairKind, closest, free_fraction, free_fraction_with, smallest_free_fraction,
};

const KIND: PairKind = PairKind::PointTriangle;

/// A point over a triangle, at a height.
fn over(height: f64) -> [DVec3; 4] {
    let point = DVec3::new(0.2, 0.2, height);
    [point, DVec3::ZERO, DVec3::X, DVec3::Y]
}

#[test]
fn stops_where_it_must() {
    let fraction = free_fraction(KIND, &over(1.0), &over(-1.0), 0.0, 0.1);
    assert!(fraction <= 0.45 && fraction > 0.449, "{fraction}");
    let fraction = free_fraction(KIND, &over(1.0), &over(0.0), 0.2, 0.25);
    assert!(fraction <= 0.6 && fraction > 0.599, "{fraction}");
    assert_eq!(free_fraction(KIND, &over(1.0), &over(0.5), 0.2, 0.25), 1.0);
}

#[test]
fn no_more_than_enough_is_kept() {
    let clearance = Clearance {
        thickness: 0.0,
        keep: 0.5,
        enough: 0.01,
    };
    let fraction = free_fraction_with(KIND, &over(1.0), &over(0.0), &clearance);
    assert!(fraction <= 0.99 && fraction > 0.98, "{fraction}");
    // Nearer than that, the part counts.
    let fraction = free_fraction_with(KIND, &over(0.01), &over(0.0), &clearance);
    assert!(fraction <= 0.5 && fraction > 0.499, "{fraction}");
}

#[test]
fn what_starts_too_close_may_part_and_slide_but_not_approach() {
    assert_eq!(free_fraction(KIND, &over(0.1), &over(0.2), 0.5, 0.1), 1.0);
    let mut slid = over(0.1);
    slid[0].x += 0.3;
    assert_eq!(free_fraction(KIND, &over(0.1), &slid, 0.5, 0.1), 1.0);
    let fraction = free_fraction(KIND, &over(0.1), &over(0.05), 0.5, 0.1);
    assert!(fraction < 1e-8, "{fraction}");
    // Contact cannot be proved to part.
    assert_eq!(free_fraction(KIND, &over(0.0), &over(1.0), 0.0, 0.1), 0.0);
}

#[test]
fn what_does_not_move_is_free_and_what_is_not_a_number_is_not() {
    assert_eq!(free_fraction(KIND, &over(0.0), &over(0.0), 0.0, 0.1), 1.0);
    let point = [DVec3::ONE; 4];
    assert_eq!(free_fraction(KIND, &point, &point, 0.0, 0.1), 1.0);
    let moved = [DVec3::ZERO; 4];
    assert_eq!(free_fraction(KIND, &point, &moved, 0.0, 0.1), 0.0);
    for value in [f64::NAN, f64::INFINITY] {
        assert_eq!(
            free_fraction(KIND, &over(value), &over(value), 0.0, 0.1),
            0.0
        );
        assert_eq!(free_fraction(KIND, &over(1.0), &over(value), 0.0, 0.1), 0.0);
        let huge = over(1.0).map(|point| 1e308 * point);
        let far = huge.map(|point| -point);
        assert_eq!(free_fraction(KIND, &huge, &far, 0.0, 0.1), 0.0);
    }
    for (thickness, keep) in [(-1.0, 0.1), (f64::NAN, 0.1), (0.0, -0.1), (0.0, 1.1)] {
        assert_eq!(
            free_fraction(KIND, &over(1.0), &over(2.0), thickness, keep),
            0.0
        );
    }
    let clearance = Clearance {
        thickness: 0.5,
        keep: 0.1,
        enough: 0.1,
    };
    assert_eq!(
        free_fraction_with(KIND, &over(1.0), &over(2.0), &clearance),
        0.0
    );
}

#[test]
fn units_do_not_matter() {
    for exponent in [-900, -300, -40, 40, 300, 900] {
        let unit = f64::from(exponent).exp2();
        let scaled = |points: [DVec3; 4]| points.map(|point| unit * point);
        let (from, to) = (scaled(over(1.0)), scaled(over(-1.0)));
        let fraction = free_fraction(KIND, &from, &to, 0.1 * unit, 0.1);
        assert_eq!(
            fraction,
            free_fraction(KIND, &over(1.0), &over(-1.0), 0.1, 0.1)
        );
    }
}

#[test]
fn pairs_that_turn_are_proved_in_few_steps() {
    // An edge turns by 90 degrees, a hair above another: fixed directions would need thousands.
    let at = |gap: f64, angle: f64| {
        let along = DVec3::new(angle.cos(), angle.sin(), 0.0);
        [
            gap * DVec3::Z - along,
            gap * DVec3::Z + along,
            -DVec3::X,
            DVec3::X,
        ]
    };
    let (from, to) = (at(1e-7, 0.3), at(1e-7, 1.8));
    assert_eq!(free_fraction(PairKind::EdgeEdge, &from, &to, 0.0, 0.1), 1.0);
    // The same in a plane that turns with them.
    let turned = |points: [DVec3; 4], angle: f64| {
        points.map(|p| {
            DVec3::new(
                p.x,
                p.y * angle.cos() - p.z * angle.sin(),
                p.y * angle.sin() + p.z * angle.cos(),
            )
        })
    };
    let (from, to) = (turned(at(1e-5, 0.3), 0.0), turned(at(1e-5, 0.4), 0.2));
    let start = closest(PairKind::EdgeEdge, &from).squared_distance.sqrt();
    assert!((start - 1e-5).abs() < 1e-12);
    let fraction = free_fraction(PairKind::EdgeEdge, &from, &to, 0.0, 0.1);
    assert_eq!(fraction, 1.0);
}

#[test]
fn the_smallest_fraction_is_that_of_the_worst_pair() {
    // Points over one triangle, each falling by another height; enough of them for all threads.
    let count = 10_000;
    let mut from = vec![DVec3::ZERO, DVec3::X, DVec3::Y];
    let mut to = from.clone();
    let mut pairs = Vec::new();
    for k in 0..count {
        pairs.push(Pair::point_triangle(from.len() as u32, [0, 1, 2]));
        from.push(over(1.0)[0]);
        to.push(over(1.0 - 1.8 * f64::from((k * 7919) % count) / f64::from(count))[0]);
    }
    let clearance = Clearance {
        thickness: 0.0,
        keep: 0.1,
        enough: f64::INFINITY,
    };
    let of_pair = |pair: &Pair| {
        let (from, to) = (pair.gather(&from), pair.gather(&to));
        free_fraction(pair.kind, &from, &to, 0.0, 0.1)
    };
    let expected = pairs.iter().map(of_pair).fold(1.0, f64::min);
    let found = smallest_free_fraction(&pairs, &from, &to, &clearance);
    assert_eq!(found, expected);
    assert!(found < 0.51 && found > 0.49, "{found}");
    assert_eq!(smallest_free_fraction(&[], &from, &to, &clearance), 1.0);
}
