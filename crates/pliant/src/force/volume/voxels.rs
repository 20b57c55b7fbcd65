//! Numbers at voxels: blurred, differentiated, and smooth between the voxels.

use crate::force::image::cubic;
use glam::{DMat3, DVec3};

/// Numbers at the voxels of a volume, from its lowest corner: x first, then y, then z.
#[derive(Clone, Debug, PartialEq)]
pub struct Voxels {
    size: [usize; 3],
    values: Vec<f64>,
}

/// The four neighbours of a point in each direction, as indices, and their weights with the first and second
/// derivatives of these.
pub(super) struct Neighbours {
    indices: [[usize; 4]; 3],
    weights: [[[f64; 4]; 3]; 3],
}

/// Σ w_n v_n.
#[inline(always)]
fn weighted(w: &[f64; 4], v: &[f64; 4]) -> f64 {
    w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3]
}

/// A smooth function at a point: its value, its gradient and its Hessian, per voxel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) value: f64,
    pub(super) gradient: DVec3,
    pub(super) hessian: DMat3,
}

impl Sample {
    pub(super) fn mixed(&self, other: &Self, share: f64) -> Self {
        Self {
            value: self.value + share * (other.value - self.value),
            gradient: self.gradient.lerp(other.gradient, share),
            hessian: self.hessian * (1.0 - share) + other.hessian * share,
        }
    }
}

impl Voxels {
    /// Numbers of voxels in each direction with their values; nothing if there are not as many.
    pub fn new(size: [usize; 3], values: Vec<f64>) -> Option<Self> {
        let count = size[0].checked_mul(size[1])?.checked_mul(size[2])?;
        (count == values.len()).then_some(Self { size, values })
    }

    /// The numbers at the middles of the voxels, by a function of the place in voxels.
    pub fn from_fn(size: [usize; 3], mut value: impl FnMut(DVec3) -> f64) -> Self {
        let mut values = Vec::with_capacity(size.iter().product());
        for z in 0..size[2] {
            for y in 0..size[1] {
                for x in 0..size[0] {
                    values.push(value(DVec3::new(x as f64, y as f64, z as f64) + 0.5));
                }
            }
        }
        Self { size, values }
    }

    /// How many voxels there are in each direction.
    pub fn size(&self) -> [usize; 3] {
        self.size
    }

    pub(super) fn is_sound(&self) -> bool {
        self.size.iter().all(|&count| count >= 4) && self.values.iter().all(|v| v.is_finite())
    }

    /// The number at a voxel; outside of the volume that of the nearest one.
    fn at(&self, place: [isize; 3]) -> f64 {
        let inside = |axis: usize| place[axis].clamp(0, self.size[axis] as isize - 1) as usize;
        let [x, y, z] = [0, 1, 2].map(inside);
        self.values[(z * self.size[1] + y) * self.size[0] + x]
    }

    /// All voxels in their order.
    fn places(&self) -> impl Iterator<Item = [isize; 3]> + use<> {
        let [width, height, depth] = self.size.map(|count| count as isize);
        (0..depth)
            .flat_map(move |z| (0..height).flat_map(move |y| (0..width).map(move |x| [x, y, z])))
    }

    /// Blurred by a Gaussian of so many voxels.
    pub fn blurred(&self, sigma: f64) -> Self {
        if sigma.is_nan() || sigma <= 0.05 {
            return self.clone();
        }
        let reach = (4.0 * sigma).ceil() as isize;
        let mut weights: Vec<f64> = (-reach..=reach)
            .map(|k| (-0.5 * (k as f64 / sigma).powi(2)).exp())
            .collect();
        let sum: f64 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight /= sum);
        let mut blurred = self.clone();
        for axis in 0..3 {
            let before = blurred.clone();
            let mean = |mut place: [isize; 3]| -> f64 {
                let middle = place[axis];
                let terms = (-reach..=reach).zip(&weights);
                terms
                    .map(|(k, weight)| {
                        place[axis] = middle + k;
                        weight * before.at(place)
                    })
                    .sum()
            };
            blurred.values = self.places().map(mean).collect();
        }
        blurred
    }

    /// w_line L - w_edge (|∇L| / max |∇L|)² of the volume as it is.
    pub(super) fn potential(&self, line: f64, edge: f64) -> Self {
        let slope = |place: [isize; 3]| {
            let difference = |axis: usize| {
                let (mut low, mut high) = (place, place);
                low[axis] -= 1;
                high[axis] += 1;
                0.5 * (self.at(high) - self.at(low))
            };
            DVec3::from_array([0, 1, 2].map(difference)).length_squared()
        };
        let steepest = self.places().map(slope).fold(0.0, f64::max);
        let value = |place: [isize; 3]| {
            let pulled = if edge != 0.0 && steepest > 0.0 {
                edge * slope(place) / steepest
            } else {
                0.0
            };
            line * self.at(place) - pulled
        };
        Self {
            size: self.size,
            values: self.places().map(value).collect(),
        }
    }

    /// The neighbours of a point in voxels, the same in all volumes of a size.
    pub(super) fn neighbours(&self, place: DVec3) -> Neighbours {
        let limits = DVec3::from_array(self.size.map(|count| count as f64));
        // Far outside nothing changes, and far numbers are no places.
        let place = (place.clamp(DVec3::splat(-3.0), limits + 3.0) - 0.5).to_array();
        let mut found = Neighbours {
            indices: [[0; 4]; 3],
            weights: [[[0.0; 4]; 3]; 3],
        };
        for (axis, at) in place.into_iter().enumerate() {
            let last = self.size[axis] as isize - 1;
            // Rounded down, without a call of the library that is made for numbers of all sizes.
            let whole = at as isize;
            let low = whole - isize::from(whole as f64 > at);
            for (n, index) in found.indices[axis].iter_mut().enumerate() {
                *index = (low - 1 + n as isize).clamp(0, last) as usize;
            }
            found.weights[axis] = cubic(at - low as f64);
        }
        found
    }

    /// The numbers at the neighbours in a row along x.
    #[inline(always)]
    fn numbers(&self, [x0, x1, x2, x3]: [usize; 4], y: usize, z: usize) -> [f64; 4] {
        let start = (z * self.size[1] + y) * self.size[0];
        let row = &self.values[start..start + self.size[0]];
        [row[x0], row[x1], row[x2], row[x3]]
    }

    /// The function that is smooth between the voxels (cubic, of Catmull and Rom) at a point.
    pub(super) fn value(&self, at: &Neighbours) -> f64 {
        let [xs, ys, zs] = at.indices;
        let [wx, wy, wz] = &at.weights;
        let mut sum = 0.0;
        for (z, wz) in zs.into_iter().zip(wz[0]) {
            for (y, wy) in ys.into_iter().zip(wy[0]) {
                sum += wz * wy * weighted(&wx[0], &self.numbers(xs, y, z));
            }
        }
        sum
    }

    /// The same with its derivatives: sums along x, then along y, then along z.
    pub(super) fn sample(&self, at: &Neighbours) -> Sample {
        let [xs, ys, zs] = at.indices;
        let [wx, wy, wz] = &at.weights;
        // Sums by the orders of derivatives by x, y and z, up to 2 together.
        let mut whole = [[[0.0; 3]; 3]; 3];
        for (k, z) in zs.into_iter().enumerate() {
            let mut plane = [[0.0; 3]; 3];
            for (j, y) in ys.into_iter().enumerate() {
                let numbers = self.numbers(xs, y, z);
                for a in 0..3 {
                    let along = weighted(&wx[a], &numbers);
                    for b in 0..3 - a {
                        plane[a][b] += wy[b][j] * along;
                    }
                }
            }
            for a in 0..3 {
                for b in 0..3 - a {
                    for c in 0..3 - a - b {
                        whole[a][b][c] += wz[c][k] * plane[a][b];
                    }
                }
            }
        }
        let [xy, xz, yz] = [whole[1][1][0], whole[1][0][1], whole[0][1][1]];
        Sample {
            value: whole[0][0][0],
            gradient: DVec3::new(whole[1][0][0], whole[0][1][0], whole[0][0][1]),
            hessian: DMat3::from_cols(
                DVec3::new(whole[2][0][0], xy, xz),
                DVec3::new(xy, whole[0][2][0], yz),
                DVec3::new(xz, yz, whole[0][0][2]),
            ),
        }
    }
}
