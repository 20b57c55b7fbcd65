//! Whether a pair of features collides in a straight motion, decided exactly.
//!
//! The features meet at a time t if the origin is in the convex hull of the differences of their
//! points (a point, a segment, a triangle, or a parallelogram, which is two triangles). The corners
//! a, b, c of a triangle are linear in t. The origin is on the closed segment from x to y if
//! x cross y = 0 and x . y <= 0. It is in the closed triangle if it is on a side, or if
//! a . (b cross c) = 0, the normal N = a cross b + b cross c + c cross a is not zero, and
//! (b cross c) . N, (c cross a) . N and (a cross b) . N are not negative.
//!
//! All of these are polynomials in t with whole coefficients, once the coordinates are multiplied
//! by a power of two. The set of collision times is closed. So if it is not empty, it has 0, 1, or
//! a root of one of the polynomials in it; if a . (b cross c) is not zero everywhere, a root of that.
//! The signs at a root are found exactly (`polynomial.rs`).

pub mod polynomial;
pub mod queries;

use dashu_int::IBig;
use glam::DVec3;
use pliant_proximity::PairKind;
use polynomial::{Polynomial, Time};

type Vector = [Polynomial; 3];

/// Whether the closed features have a point in common at a time in [0, 1].
pub fn collides(kind: PairKind, from: &[DVec3; 4], to: &[DVec3; 4]) -> bool {
    let count = kind.node_count();
    let exponent = from[..count]
        .iter()
        .chain(&to[..count])
        .flat_map(|point| point.to_array())
        .filter_map(lowest_exponent)
        .min()
        .unwrap_or(0);
    let whole = |value: f64| whole_multiple(value, exponent);
    let difference = |i: usize, j: usize| -> Vector {
        std::array::from_fn(|axis| {
            let begin = whole(from[i][axis]) - whole(from[j][axis]);
            let end = whole(to[i][axis]) - whole(to[j][axis]);
            Polynomial::new(vec![begin.clone(), end - begin])
        })
    };
    match kind {
        PairKind::PointPoint => {
            let x = difference(0, 1);
            meets_triangle(&x, &x, &x)
        }
        PairKind::PointEdge => {
            let (x, y) = (difference(0, 1), difference(0, 2));
            meets_triangle(&x, &y, &y)
        }
        PairKind::PointTriangle => {
            meets_triangle(&difference(0, 1), &difference(0, 2), &difference(0, 3))
        }
        PairKind::EdgeEdge => {
            let (near, far) = (difference(0, 2), difference(1, 3));
            meets_triangle(&near, &difference(0, 3), &far)
                || meets_triangle(&near, &difference(1, 2), &far)
        }
    }
}

/// The exponent of the lowest bit of a number; nothing for zero.
fn lowest_exponent(value: f64) -> Option<i64> {
    let (mantissa, exponent) = parts(value);
    (mantissa != 0).then(|| exponent + i64::from(mantissa.trailing_zeros()))
}

/// value / 2^exponent, which must be whole.
fn whole_multiple(value: f64, exponent: i64) -> IBig {
    let (mantissa, scale) = parts(value);
    if mantissa == 0 {
        return IBig::ZERO;
    }
    let zeros = mantissa.trailing_zeros();
    let shift = scale + i64::from(zeros) - exponent;
    IBig::from(mantissa >> zeros) << usize::try_from(shift).expect("the lowest exponent")
}

/// Mantissa and exponent: value = mantissa * 2^exponent.
fn parts(value: f64) -> (i64, i64) {
    assert!(value.is_finite());
    let bits = value.to_bits();
    let stored = (bits >> 52 & 0x7ff) as i64;
    let fraction = (bits & ((1 << 52) - 1)) as i64;
    let (mantissa, exponent) = if stored == 0 {
        (fraction, -1074)
    } else {
        (fraction | 1 << 52, stored - 1075)
    };
    let sign = if value.is_sign_negative() { -1 } else { 1 };
    (sign * mantissa, exponent)
}

fn cross(x: &Vector, y: &Vector) -> Vector {
    std::array::from_fn(|axis| {
        let (i, j) = ((axis + 1) % 3, (axis + 2) % 3);
        x[i].times(&y[j]).minus(&x[j].times(&y[i]))
    })
}

fn dot(x: &Vector, y: &Vector) -> Polynomial {
    let terms = [0, 1, 2].map(|axis| x[axis].times(&y[axis]));
    terms[0].plus(&terms[1]).plus(&terms[2])
}

/// A side: the origin is on it where `crossed` is zero and `product` is not positive.
struct Side {
    crossed: Vector,
    product: Polynomial,
}

impl Side {
    fn new(x: &Vector, y: &Vector) -> Self {
        let (crossed, product) = (cross(x, y), dot(x, y));
        Self { crossed, product }
    }

    fn holds_origin(&self, time: &Time) -> bool {
        time.sign_of(&self.product) <= 0 && self.crossed.iter().all(|part| time.sign_of(part) == 0)
    }
}

/// Whether the origin is in the moving closed triangle at a time in [0, 1].
fn meets_triangle(a: &Vector, b: &Vector, c: &Vector) -> bool {
    let bc = Side::new(b, c);
    let volume = dot(a, &bc.crossed);
    if volume.keeps_its_sign() {
        return false;
    }
    let ca = Side::new(c, a);
    let ab = Side::new(a, b);
    let normal: Vector = std::array::from_fn(|axis| {
        let sum = ab.crossed[axis].plus(&bc.crossed[axis]);
        sum.plus(&ca.crossed[axis])
    });
    let sides = [bc, ca, ab];
    let shares = sides.each_ref().map(|side| dot(&side.crossed, &normal));
    let inside = |time: &Time| {
        sides.iter().any(|side| side.holds_origin(time))
            || time.sign_of(&volume) == 0
                && normal.iter().any(|part| time.sign_of(part) != 0)
                && shares.iter().all(|share| time.sign_of(share) >= 0)
    };
    if inside(&Time::zero()) || inside(&Time::one()) {
        return true;
    }
    if !volume.is_zero() {
        return volume.roots_between_0_and_1().iter().any(inside);
    }
    let of_sides = sides
        .iter()
        .flat_map(|side| side.crossed.iter().chain([&side.product]));
    let all = of_sides.chain(&normal).chain(&shares);
    all.filter(|polynomial| !polynomial.is_zero())
        .any(|polynomial| polynomial.roots_between_0_and_1().iter().any(&inside))
}
