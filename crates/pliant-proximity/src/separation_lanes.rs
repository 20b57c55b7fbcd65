//! [`cheap_directions_divide`](crate::separation::cheap_directions_divide) for eight pairs at a time.
//!
//! The arithmetic is that of single pairs in the same order, so that both give the same answers; a test
//! compares them. Most pairs whose boxes overlap are neighbours in one surface, which this tells apart.

use crate::PairKind;
use crate::separation::level_squared;
use glam::DVec3;

/// How many pairs go together.
pub(crate) const LANES: usize = 8;

/// A number of each pair.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Lane([f64; LANES]);

/// A vector of each pair.
type Vector = [Lane; 3];

/// Four points of each pair.
type Points = [Vector; 4];

impl Lane {
    const ZERO: Self = Self([0.0; LANES]);

    #[inline(always)]
    fn with(self, other: Self, work: impl Fn(f64, f64) -> f64) -> Self {
        let mut result = self;
        for (one, other) in result.0.iter_mut().zip(other.0) {
            *one = work(*one, other);
        }
        result
    }

    #[inline(always)]
    fn plus(self, other: Self) -> Self {
        self.with(other, |a, b| a + b)
    }

    #[inline(always)]
    fn minus(self, other: Self) -> Self {
        self.with(other, |a, b| a - b)
    }

    #[inline(always)]
    fn times(self, other: Self) -> Self {
        self.with(other, |a, b| a * b)
    }
}

#[inline(always)]
fn minus(a: Vector, b: Vector) -> Vector {
    [a[0].minus(b[0]), a[1].minus(b[1]), a[2].minus(b[2])]
}

#[inline(always)]
fn plus(a: Vector, b: Vector) -> Vector {
    [a[0].plus(b[0]), a[1].plus(b[1]), a[2].plus(b[2])]
}

#[inline(always)]
fn scaled(a: Vector, s: Lane) -> Vector {
    [a[0].times(s), a[1].times(s), a[2].times(s)]
}

#[inline(always)]
fn dot(a: Vector, b: Vector) -> Lane {
    a[0].times(b[0])
        .plus(a[1].times(b[1]))
        .plus(a[2].times(b[2]))
}

#[inline(always)]
fn sum<const N: usize>(differences: &[Vector; N]) -> Vector {
    let mut all = [Lane::ZERO; 3];
    for difference in differences {
        all = plus(all, *difference);
    }
    all
}

/// Where all separations along a direction of any length are beyond a level.
#[inline(always)]
fn divides<const N: usize>(
    direction: Vector,
    differences: &[Vector; N],
    level_squared: Lane,
    divided: &mut [bool; LANES],
) {
    let squared = dot(direction, direction);
    let mut smallest = Lane([f64::INFINITY; LANES]);
    for difference in differences {
        let separation = dot(direction, *difference);
        smallest = separation.with(smallest, |a, b| if a < b { a } else { b });
    }
    let enough = level_squared.times(squared);
    let found = smallest.times(smallest);
    for (lane, divided) in divided.iter_mut().enumerate() {
        let squared = squared.0[lane];
        *divided |= (1e-140..1e140).contains(&squared)
            & (smallest.0[lane] > 0.0)
            & (found.0[lane] >= enough.0[lane]);
    }
}

#[inline(always)]
fn gather(nodes: &[[u32; 4]; LANES], field: &[DVec3]) -> Points {
    let mut points = [[Lane::ZERO; 3]; 4];
    for (lane, nodes) in nodes.iter().enumerate() {
        for (point, &node) in points.iter_mut().zip(nodes) {
            let place = field[node as usize];
            point[0].0[lane] = place.x;
            point[1].0[lane] = place.y;
            point[2].0[lane] = place.z;
        }
    }
    points
}

#[inline(always)]
fn edges_at_any(from: Points, to: Points, level_squared: Lane) -> [bool; LANES] {
    let mut divided = [false; LANES];
    let ([a, b, c, d], [p, q, r, s]) = (from, to);
    let differences = [
        minus(a, c),
        minus(a, d),
        minus(b, c),
        minus(b, d),
        minus(p, r),
        minus(p, s),
        minus(q, r),
        minus(q, s),
    ];
    let centres = sum(&differences);
    divides(centres, &differences, level_squared, &mut divided);
    // Neighbours in a sheet are divided across one of the two edges.
    for along in [minus(b, a), minus(d, c)] {
        let across = minus(
            scaled(centres, dot(along, along)),
            scaled(along, dot(centres, along)),
        );
        divides(across, &differences, level_squared, &mut divided);
    }
    divided
}

#[inline(always)]
fn triangles_at_any(from: Points, to: Points, level_squared: Lane) -> [bool; LANES] {
    let mut divided = [false; LANES];
    let ([a, b, c, d], [p, q, r, s]) = (from, to);
    let differences = [
        minus(a, b),
        minus(a, c),
        minus(a, d),
        minus(p, q),
        minus(p, r),
        minus(p, s),
    ];
    divides(sum(&differences), &differences, level_squared, &mut divided);
    divided
}

#[inline(always)]
fn at_any(
    kind: PairKind,
    nodes: &[[u32; 4]; LANES],
    [from, to]: [&[DVec3]; 2],
    level_squared: &[f64; LANES],
) -> [bool; LANES] {
    let (from, to) = (gather(nodes, from), gather(nodes, to));
    match kind {
        PairKind::EdgeEdge => edges_at_any(from, to, Lane(*level_squared)),
        PairKind::PointTriangle => triangles_at_any(from, to, Lane(*level_squared)),
        PairKind::PointEdge | PairKind::PointPoint => [false; LANES],
    }
}

/// Which of eight pairs of two edges, or of a point and a triangle, a direction that costs little proves to
/// stay farther apart than its distance while all places move from the first to the second of `ways`.
pub(crate) fn eight_divided(
    kind: PairKind,
    nodes: &[[u32; 4]; LANES],
    ways: [&[DVec3]; 2],
    distances: &[f64; LANES],
    extent: f64,
) -> [bool; LANES] {
    let levels = &distances.map(|distance| level_squared(distance, extent));
    #[cfg(target_arch = "x86_64")]
    {
        #[target_feature(enable = "avx512f,avx512dq,avx512vl")]
        fn avx512(
            kind: PairKind,
            nodes: &[[u32; 4]; LANES],
            ways: [&[DVec3]; 2],
            levels: &[f64; LANES],
        ) -> [bool; LANES] {
            at_any(kind, nodes, ways, levels)
        }
        #[target_feature(enable = "avx2")]
        fn avx2(
            kind: PairKind,
            nodes: &[[u32; 4]; LANES],
            ways: [&[DVec3]; 2],
            levels: &[f64; LANES],
        ) -> [bool; LANES] {
            at_any(kind, nodes, ways, levels)
        }
        let has_avx512 = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if has_avx512 {
            // SAFETY: the processor has the instructions.
            return unsafe { avx512(kind, nodes, ways, levels) };
        }
        if is_x86_feature_detected!("avx2") {
            // SAFETY: the processor has the instructions.
            return unsafe { avx2(kind, nodes, ways, levels) };
        }
    }
    at_any(kind, nodes, ways, levels)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::separation::cheap_directions_divide;

    /// Numbers from -1 to 1, the same in each run.
    struct Random(u64);

    impl Random {
        fn number(&mut self) -> f64 {
            self.0 = self
                .0
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }

        fn point(&mut self) -> DVec3 {
            DVec3::new(self.number(), self.number(), self.number())
        }
    }

    #[test]
    fn eight_pairs_are_told_apart_as_single_ones() {
        let mut random = Random(7);
        let (mut divided, mut others) = (0, 0);
        for round in 0..2000 {
            let mut from: Vec<DVec3> = (0..32).map(|_| random.point()).collect();
            let mut to: Vec<DVec3> = from.iter().map(|x| *x + 0.1 * random.point()).collect();
            // Some that coincide, and some that are nowhere.
            if round % 10 == 0 {
                (from[3], to[3]) = (from[1], to[1]);
                from[9] = DVec3::NAN;
                to[17].x = f64::INFINITY;
            }
            let nodes = std::array::from_fn(|lane| [0, 1, 2, 3].map(|k| 4 * lane as u32 + k));
            let distances = std::array::from_fn(|lane| 0.1 * lane as f64);
            for kind in [PairKind::EdgeEdge, PairKind::PointTriangle] {
                let found = eight_divided(kind, &nodes, [&from, &to], &distances, 3.0);
                for lane in 0..LANES {
                    let gather = |field: &[DVec3]| [0, 1, 2, 3].map(|k| field[4 * lane + k]);
                    let (from, to) = (gather(&from), gather(&to));
                    let wanted = cheap_directions_divide(kind, &from, &to, distances[lane], 3.0);
                    assert_eq!(found[lane], wanted, "{kind:?}, round {round}, lane {lane}");
                    divided += usize::from(wanted);
                    others += usize::from(!wanted);
                }
            }
        }
        assert!(divided > 5000 && others > 5000, "{divided} {others}");
    }
}
