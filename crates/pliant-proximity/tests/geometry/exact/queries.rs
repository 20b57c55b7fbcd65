//! Motions of pairs from a seed, most of them degenerate in one way or another.

use glam::DVec3;
use pliant_proximity::PairKind;

/// A motion of a pair.
#[derive(Clone, Debug)]
pub struct Query {
    pub family: usize,
    pub kind: PairKind,
    pub from: [DVec3; 4],
    pub to: [DVec3; 4],
}

/// What the families are.
pub const FAMILIES: [&str; 10] = [
    "random",
    "whole coordinates",
    "whole coordinates, near and far",
    "whole coordinates and a few last bits",
    "in one plane",
    "parallel edges",
    "shared vertices",
    "sizes from 1e-12 to 1e12",
    "contact at half time",
    "nearly contact at half time",
];

/// Numbers from a seed.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5bf0_3635)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, count: u64) -> u64 {
        self.next() % count
    }

    /// In [-1, 1).
    fn number(&mut self) -> f64 {
        (self.next() >> 10) as f64 / (1u64 << 53) as f64 - 1.0
    }

    fn vector(&mut self) -> DVec3 {
        DVec3::new(self.number(), self.number(), self.number())
    }

    /// A small whole number.
    fn whole(&mut self) -> f64 {
        self.below(7) as f64 - 3.0
    }

    fn whole_vector(&mut self) -> DVec3 {
        DVec3::new(self.whole(), self.whole(), self.whole())
    }

    fn power_of_two(&mut self, most: i32) -> f64 {
        let exponent = self.below(2 * most as u64 + 1) as i32 - most;
        f64::from(exponent).exp2()
    }

    /// A query of the family number `index` counts to.
    pub fn query(&mut self, index: u64) -> Query {
        let family = (index % FAMILIES.len() as u64) as usize;
        let kind = match self.below(10) {
            0 => PairKind::PointPoint,
            1 | 2 => PairKind::PointEdge,
            3..=5 => PairKind::PointTriangle,
            _ => PairKind::EdgeEdge,
        };
        let mut query = Query {
            family,
            kind,
            from: [DVec3::ZERO; 4],
            to: [DVec3::ZERO; 4],
        };
        self.fill(&mut query);
        query
    }

    fn fill(&mut self, query: &mut Query) {
        let whole = |random: &mut Self| random.whole_vector();
        match query.family {
            0 => self.place(query, Self::vector),
            1 => self.place(query, whole),
            2 => {
                self.place(query, whole);
                let scale = self.power_of_two(40);
                let far = self.whole_vector() * self.power_of_two(20) * scale;
                change(query, |point| point * scale + far);
            }
            3 => {
                self.place(query, whole);
                let scale = self.power_of_two(40);
                change(query, |point| {
                    point.map(|value| {
                        let bits = self.below(5) as f64 - 2.0;
                        (value + bits * f64::EPSILON * value) * scale
                    })
                });
            }
            4 => {
                let choice = self.below(2);
                let place = if choice == 0 {
                    Self::vector
                } else {
                    Self::whole_vector
                };
                self.place(query, place);
                let axis = self.below(3) as usize;
                change(query, |mut point| {
                    point[axis] = 0.25;
                    point
                });
            }
            5 => {
                self.place(query, whole);
                for points in [&mut query.from, &mut query.to] {
                    let times = self.whole();
                    points[3] = points[2] + times * (points[1] - points[0]);
                }
            }
            6 => {
                self.place(query, whole);
                let other = 1 + self.below(3) as usize;
                query.from[other] = query.from[0];
                if self.below(4) > 0 {
                    query.to[other] = query.to[0];
                }
            }
            7 => {
                self.place(query, Self::vector);
                let size = 10_f64.powf(12.0 * self.number());
                let motion = 10_f64.powf(0.5 - 2.0 * self.number().abs());
                for k in 0..4 {
                    query.from[k] *= size;
                    query.to[k] = query.from[k] + motion * size * query.to[k];
                }
            }
            _ => self.contact_at_half_time(query),
        }
        for k in query.kind.node_count()..4 {
            query.from[k] = query.from[k - 1];
            query.to[k] = query.to[k - 1];
        }
    }

    fn place(&mut self, query: &mut Query, mut vector: impl FnMut(&mut Self) -> DVec3) {
        for point in query.from.iter_mut().chain(&mut query.to) {
            *point = vector(self);
        }
        if self.below(4) == 0 {
            // Only the first feature moves.
            let first = query.kind.first_count();
            query.to[first..].copy_from_slice(&query.from[first..]);
        }
    }

    /// A point of one feature is on a corner, on a side or inside the other when half of the motion
    /// is done; the last family misses it by very little.
    fn contact_at_half_time(&mut self, query: &mut Query) {
        let mut middle = [0; 4].map(|_: i32| 4.0 * self.whole_vector());
        let [_, a, b, c] = middle;
        if query.kind == PairKind::EdgeEdge {
            // The first edge goes through a point of the second, or ends there.
            let contact = match self.below(2) {
                0 => b,
                _ => (3.0 * b + c) / 4.0,
            };
            let along = 4.0 * self.whole_vector();
            let end = contact + self.below(2) as f64 * along;
            middle = [contact - along, end, b, c];
        } else {
            middle[0] = match (query.kind, self.below(3)) {
                (PairKind::PointPoint, _) | (_, 0) => a,
                (PairKind::PointEdge, _) | (_, 1) => (3.0 * a + b) / 4.0,
                _ => (2.0 * a + b + c) / 4.0,
            };
        }
        if query.family == 9 {
            let little = (-(20.0 + self.below(33) as f64)).exp2();
            middle[0] += little * self.whole_vector();
        }
        let scale = self.power_of_two(40);
        for (k, place) in middle.into_iter().enumerate() {
            let motion = self.whole_vector();
            query.from[k] = (place - motion) * scale;
            query.to[k] = (place + motion) * scale;
        }
    }
}

fn change(query: &mut Query, mut change: impl FnMut(DVec3) -> DVec3) {
    for point in query.from.iter_mut().chain(&mut query.to) {
        *point = change(*point);
    }
}
