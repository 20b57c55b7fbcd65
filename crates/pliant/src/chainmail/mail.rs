//! ChainMail: elements on a grid that follow each other as the rings of a coat of mail do.
//!
//! Two neighbours i and j along the direction a, at rest h apart, keep
//!
//! ```text
//! lo h <= (x_j - x_i)_a <= hi h,        |(x_j - x_i)_b| <= sh h   for b ≠ a
//! ```
//!
//! An element that is moved leaves its neighbours where they are as long as these limits allow it, and
//! moves them as little as it must. Implements: \[GibsonChainMail1997\] in two and three dimensions,
//! \[Schill1998\] for limits that vary.
//!
//! All limits bound differences of one coordinate, so the coordinates are independent. If an element k
//! moves by δ along one of them, an element j has to move by δ - d(j), where d(j) is the length of the
//! shortest chain from k to j, each link as long as the slack that it has; who is farther than δ stays.
//! That is Dijkstra's algorithm, which goes to the element that is pulled most first: Schill's order, here
//! in parts of the way.
//! The result depends on no order, and no limit is ever violated: positions that keep bounds on
//! differences are closed under element-wise minima and maxima, and the result is one of the old
//! positions and the farthest ones that the moved element allows.
//!
//! An element that is held stops the chain: the moved one goes as far as the slack between them.

use glam::DVec3;

/// How far links may be squeezed, stretched and sheared, by their length at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkLimits {
    /// The least length along the link; at most 1.
    pub least: f64,
    /// The largest length along the link; at least 1.
    pub most: f64,
    /// The largest offset across the link; zero or positive.
    pub shear: f64,
}

impl LinkLimits {
    /// Limits k times as narrow.
    pub fn stiffened(self, k: f64) -> Self {
        Self {
            least: 1.0 - (1.0 - self.least) / k,
            most: 1.0 + (self.most - 1.0) / k,
            shear: self.shear / k,
        }
    }

    fn mean(self, other: Self) -> Self {
        Self {
            least: 0.5 * (self.least + other.least),
            most: 0.5 * (self.most + other.most),
            shear: 0.5 * (self.shear + other.shear),
        }
    }
}

/// Parts of the way of a moved element: elements whose chains end in the same part are looked at in any
/// order, and again if a shorter chain to them is found.
const PARTS: usize = 256;

/// A chain that is shorter by less than this share of the way is no shorter: rounding would otherwise
/// lead to every element of a tight region again and again.
const ROUNDING: f64 = 1e-12;

/// Elements on a grid of up to three directions along x, y and z.
#[derive(Clone, Debug)]
pub struct Mail {
    counts: [usize; 3],
    /// Length of links at rest along x, y and z, in metres.
    spacing: DVec3,
    /// One coordinate after the other, in metres.
    places: [Vec<f64>; 3],
    /// Limits of each element; a link has the mean of both of its ends.
    limits: Vec<LinkLimits>,
    held: Vec<bool>,
    /// Whether the link from an element to the next along each direction is cut.
    cut: Vec<[bool; 3]>,
    distances: Vec<f64>,
    /// Elements that wait for their neighbours to be looked at, by the part that their chain ends in.
    waiting: Vec<Vec<(u32, f64)>>,
    touched: Vec<u32>,
}

impl Mail {
    /// Elements at rest, the lowest at `origin`, all with the same limits and none held.
    pub fn new(counts: [usize; 3], origin: DVec3, spacing: DVec3, limits: LinkLimits) -> Self {
        let total = counts.iter().product();
        let mut places = [0, 1, 2].map(|_| Vec::with_capacity(total));
        for k in 0..counts[2] {
            for j in 0..counts[1] {
                for i in 0..counts[0] {
                    let place = origin + spacing * DVec3::new(i as f64, j as f64, k as f64);
                    (0..3).for_each(|c| places[c].push(place[c]));
                }
            }
        }
        Self {
            counts,
            spacing,
            places,
            limits: vec![limits; total],
            held: vec![false; total],
            cut: vec![[false; 3]; total],
            distances: vec![f64::INFINITY; total],
            waiting: vec![Vec::new(); PARTS],
            touched: Vec::new(),
        }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.limits.len()
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.limits.is_empty()
    }

    /// The number of an element by its place in the grid.
    pub fn index(&self, [i, j, k]: [usize; 3]) -> usize {
        i + self.counts[0] * (j + self.counts[1] * k)
    }

    /// Where an element is, in metres.
    pub fn place(&self, element: usize) -> DVec3 {
        DVec3::from([0, 1, 2].map(|c| self.places[c][element]))
    }

    /// Puts elements where they are told, which must keep the limits.
    pub fn set_places(&mut self, places: &[DVec3]) {
        for (element, place) in places.iter().enumerate() {
            (0..3).for_each(|c| self.places[c][element] = place[c]);
        }
    }

    /// Limits of each element.
    pub fn limits_mut(&mut self) -> &mut [LinkLimits] {
        &mut self.limits
    }

    /// Holds an element where it is, or lets it go.
    pub fn hold(&mut self, element: usize, held: bool) {
        self.held[element] = held;
    }

    /// Cuts the link from an element to the next along a direction.
    pub fn cut(&mut self, element: usize, direction: usize) {
        self.cut[element][direction] = true;
    }

    fn strides(&self) -> [usize; 3] {
        [1, self.counts[0], self.counts[0] * self.counts[1]]
    }

    /// Calls `visit` with each neighbour, the direction of the link and whether it lies ahead.
    #[inline]
    fn neighbours(&self, element: usize, mut visit: impl FnMut(usize, usize, bool)) {
        let strides = self.strides();
        let at = [
            element % self.counts[0],
            element / self.counts[0] % self.counts[1],
            element / strides[2],
        ];
        for d in 0..3 {
            if at[d] + 1 < self.counts[d] && !self.cut[element][d] {
                visit(element + strides[d], d, true);
            }
            if at[d] > 0 && !self.cut[element - strides[d]][d] {
                visit(element - strides[d], d, false);
            }
        }
    }

    /// Least and largest difference of a coordinate along a link.
    #[inline]
    fn bounds(&self, first: usize, second: usize, direction: usize, c: usize) -> [f64; 2] {
        let limits = self.limits[first].mean(self.limits[second]);
        let rest = self.spacing[direction];
        if c == direction {
            [limits.least * rest, limits.most * rest]
        } else {
            [-limits.shear * rest, limits.shear * rest]
        }
    }

    /// How far `from` may go along a coordinate (`sign` says to which side) before `to` has to follow.
    #[inline]
    fn slack(&self, from: usize, to: usize, link: (usize, bool), c: usize, sign: f64) -> f64 {
        let (direction, ahead) = link;
        let offset = self.places[c][to] - self.places[c][from];
        // Of the difference in the direction of the link.
        let (first, second) = if ahead { (from, to) } else { (to, from) };
        let [low, high] = self.bounds(first, second, direction, c);
        let difference = if ahead { offset } else { -offset };
        // Going ahead makes the difference smaller if the other lies ahead, else larger.
        let room = if (sign > 0.0) == ahead {
            difference - low
        } else {
            high - difference
        };
        room.max(0.0)
    }

    /// Moves an element along one coordinate, as far as held elements allow; says how many moved.
    fn pull(&mut self, element: usize, c: usize, by: f64) -> usize {
        if by == 0.0 || self.held[element] {
            return 0;
        }
        let mut distances = std::mem::take(&mut self.distances);
        let mut touched = std::mem::take(&mut self.touched);
        touched.clear();
        touched.push(element as u32);
        distances[element] = 0.0;
        let reach = self.chains(element, c, by, &mut distances, &mut touched);
        let mut moved = 0;
        for &element in &touched {
            let element = element as usize;
            let shift = reach - distances[element];
            if shift > 0.0 && !self.held[element] {
                self.places[c][element] += by.signum() * shift;
                moved += 1;
            }
            distances[element] = f64::INFINITY;
        }
        (self.touched, self.distances) = (touched, distances);
        moved
    }

    /// Finds the lengths of the shortest chains from an element to those that it reaches, and how far
    /// held elements let it go.
    fn chains(
        &mut self,
        element: usize,
        c: usize,
        by: f64,
        distances: &mut [f64],
        touched: &mut Vec<u32>,
    ) -> f64 {
        let (sign, whole) = (by.signum(), by.abs());
        let mut reach = whole;
        let mut waiting = std::mem::take(&mut self.waiting);
        let part_of = |distance: f64| ((distance / whole * PARTS as f64) as usize).min(PARTS - 1);
        waiting[0].push((element as u32, 0.0));
        for part in 0..PARTS {
            while let Some((element, distance)) = waiting[part].pop() {
                let element = element as usize;
                if distance > distances[element] || distance >= reach {
                    continue;
                }
                if self.held[element] {
                    // The chain to it is tight when the moved one has gone so far.
                    reach = distance;
                    continue;
                }
                self.neighbours(element, |other, direction, ahead| {
                    let slack = self.slack(element, other, (direction, ahead), c, sign);
                    let reached = distance + slack;
                    if reached < reach && reached + ROUNDING * whole < distances[other] {
                        if distances[other] == f64::INFINITY {
                            touched.push(other as u32);
                        }
                        distances[other] = reached;
                        waiting[part_of(reached)].push((other as u32, reached));
                    }
                });
            }
        }
        self.waiting = waiting;
        reach
    }

    /// Moves an element to a place, or towards it as far as held elements allow, and everything that
    /// has to follow; says how many coordinates of elements changed.
    pub fn move_to(&mut self, element: usize, place: DVec3) -> usize {
        let by = place - self.place(element);
        (0..3).map(|c| self.pull(element, c, by[c])).sum()
    }

    /// Lets every element that is not held go a share of its way (0 to 1) to the middle of the places
    /// where its links would be at rest, within its limits.
    pub fn relax(&mut self, share: f64) {
        for element in 0..self.len() {
            if self.held[element] {
                continue;
            }
            for c in 0..3 {
                let here = self.places[c][element];
                let (mut sum, mut count) = (0.0, 0.0);
                let (mut low, mut high) = (f64::NEG_INFINITY, f64::INFINITY);
                self.neighbours(element, |other, direction, ahead| {
                    let place = self.places[c][other];
                    let rest = if c == direction {
                        self.spacing[direction]
                    } else {
                        0.0
                    };
                    let (first, second) = match ahead {
                        true => (element, other),
                        false => (other, element),
                    };
                    let [least, most] = self.bounds(first, second, direction, c);
                    if ahead {
                        sum += place - rest;
                        low = low.max(place - most);
                        high = high.min(place - least);
                    } else {
                        sum += place + rest;
                        low = low.max(place + least);
                        high = high.min(place + most);
                    }
                    count += 1.0;
                });
                if count > 0.0 && low <= high {
                    let wanted = here + share * (sum / count - here);
                    self.places[c][element] = wanted.clamp(low, high);
                }
            }
        }
    }

    /// The largest violation of a limit, in metres: zero but for rounding.
    pub fn largest_violation(&self) -> f64 {
        let mut largest: f64 = 0.0;
        for element in 0..self.len() {
            self.neighbours(element, |other, direction, ahead| {
                if !ahead {
                    return;
                }
                for c in 0..3 {
                    let difference = self.places[c][other] - self.places[c][element];
                    let [low, high] = self.bounds(element, other, direction, c);
                    largest = largest.max(low - difference).max(difference - high);
                }
            });
        }
        largest
    }
}
