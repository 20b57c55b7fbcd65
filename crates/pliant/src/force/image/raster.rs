//! Numbers at pixels: blurred, differentiated, and smooth between the pixels.

use glam::{DMat2, DVec2};

/// Numbers at the pixels of an image, from the lower left corner, row after row.
#[derive(Clone, Debug, PartialEq)]
pub struct Raster {
    size: [usize; 2],
    values: Vec<f64>,
}

/// A smooth function at a point: its value, its gradient and its Hessian, per pixel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample {
    pub(super) value: f64,
    pub(super) gradient: DVec2,
    hessian: DMat2,
}

impl Sample {
    pub(super) fn mixed(&self, other: &Self, share: f64) -> Self {
        Self {
            value: self.value + share * (other.value - self.value),
            gradient: self.gradient.lerp(other.gradient, share),
            hessian: self.hessian * (1.0 - share) + other.hessian * share,
        }
    }

    /// The curvatures and their directions.
    pub(super) fn curvatures(&self) -> [(f64, DVec2); 2] {
        let (a, b, d) = (
            self.hessian.x_axis.x,
            self.hessian.x_axis.y,
            self.hessian.y_axis.y,
        );
        let angle = 0.5 * (2.0 * b).atan2(a - d);
        [angle, angle + std::f64::consts::FRAC_PI_2].map(|angle| {
            let direction = DVec2::from_angle(angle);
            (direction.dot(self.hessian * direction), direction)
        })
    }
}

fn add_scaled(out: &mut [f64], row: &[f64], weight: f64) {
    for (out, value) in out.iter_mut().zip(row) {
        *out += weight * value;
    }
}

impl Raster {
    /// Width and height with the numbers of the pixels, from the lower left corner, row after row; nothing
    /// if there are not as many.
    pub fn new(size: [usize; 2], values: Vec<f64>) -> Option<Self> {
        let count = size[0].checked_mul(size[1])?;
        (count == values.len()).then_some(Self { size, values })
    }

    /// The numbers at the middles of the pixels, by a function of x to the right and y upwards, in pixels.
    pub fn from_fn(size: [usize; 2], mut value: impl FnMut(f64, f64) -> f64) -> Self {
        let [width, height] = size;
        let mut values = Vec::with_capacity(width * height);
        for y in 0..height {
            for x in 0..width {
                values.push(value(x as f64 + 0.5, y as f64 + 0.5));
            }
        }
        Self { size, values }
    }

    /// Width and height, in pixels.
    pub fn size(&self) -> [usize; 2] {
        self.size
    }

    /// The numbers.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    pub(super) fn is_sound(&self) -> bool {
        self.size[0] >= 4 && self.size[1] >= 4 && self.values.iter().all(|v| v.is_finite())
    }

    /// The number at a pixel; outside of the image that of the nearest one.
    fn at(&self, x: isize, y: isize) -> f64 {
        let [width, height] = self.size;
        let x = x.clamp(0, width as isize - 1) as usize;
        let y = y.clamp(0, height as isize - 1) as usize;
        self.values[y * width + x]
    }

    /// Blurred by a Gaussian of so many pixels.
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
        let [width, height] = self.size;
        let mut along = vec![0.0; self.values.len()];
        let mut padded = Vec::with_capacity(width + 2 * reach as usize);
        for (y, out) in along.chunks_exact_mut(width).enumerate() {
            padded.clear();
            padded.extend((-reach..width as isize + reach).map(|x| self.at(x, y as isize)));
            for (k, weight) in weights.iter().enumerate() {
                add_scaled(out, &padded[k..k + width], *weight);
            }
        }
        let mut both = vec![0.0; self.values.len()];
        for (y, out) in both.chunks_exact_mut(width).enumerate() {
            for (k, weight) in (-reach..).zip(&weights) {
                let from = (y as isize + k).clamp(0, height as isize - 1) as usize * width;
                add_scaled(out, &along[from..from + width], *weight);
            }
        }
        Self {
            size: self.size,
            values: both,
        }
    }

    /// w_line L - w_edge (|∇L| / max |∇L|)² + w_term C of the image as it is.
    pub(super) fn potential(&self, [line, edge, termination]: [f64; 3]) -> Self {
        let [width, height] = self.size;
        let places = || (0..height as isize).flat_map(|y| (0..width as isize).map(move |x| (x, y)));
        let slope = |x: isize, y: isize| {
            0.5 * DVec2::new(
                self.at(x + 1, y) - self.at(x - 1, y),
                self.at(x, y + 1) - self.at(x, y - 1),
            )
        };
        let steepest = places()
            .map(|(x, y)| slope(x, y).length_squared())
            .fold(0.0, f64::max);
        let bends = |x: isize, y: isize, g: DVec2| {
            let here = self.at(x, y);
            let xx = self.at(x + 1, y) - 2.0 * here + self.at(x - 1, y);
            let yy = self.at(x, y + 1) - 2.0 * here + self.at(x, y - 1);
            let xy = 0.25
                * (self.at(x + 1, y + 1) + self.at(x - 1, y - 1)
                    - self.at(x + 1, y - 1)
                    - self.at(x - 1, y + 1));
            let size = g.length_squared() + 1e-3 * steepest;
            if size <= 0.0 {
                return 0.0;
            }
            (yy * g.x * g.x - 2.0 * xy * g.x * g.y + xx * g.y * g.y) / size.powf(1.5)
        };
        let value = |(x, y): (isize, isize)| {
            let g = slope(x, y);
            let mut sum = line * self.at(x, y);
            if edge != 0.0 && steepest > 0.0 {
                sum -= edge * g.length_squared() / steepest;
            }
            if termination != 0.0 {
                sum += termination * bends(x, y, g);
            }
            sum
        };
        Self {
            size: self.size,
            values: places().map(value).collect(),
        }
    }

    /// The function that is smooth between the pixels (cubic, of Catmull and Rom) at a point in pixels.
    pub(super) fn sample(&self, place: DVec2) -> Sample {
        let [width, height] = self.size;
        let limits = DVec2::new(width as f64, height as f64);
        // Far outside nothing changes, and far numbers are no places.
        let place = place.clamp(DVec2::splat(-3.0), limits + 3.0) - 0.5;
        let low = place.floor();
        let [wx, wy] = [place.x - low.x, place.y - low.y].map(cubic);
        let (x, y) = (low.x as isize, low.y as isize);
        let mut sums = [[0.0; 3]; 3];
        for (i, j) in (0..16).map(|k| (k % 4, k / 4)) {
            let value = self.at(x + i as isize - 1, y + j as isize - 1);
            for (order_y, sums) in sums.iter_mut().enumerate() {
                for (order_x, sum) in sums.iter_mut().enumerate() {
                    *sum += value * wx[order_x][i] * wy[order_y][j];
                }
            }
        }
        Sample {
            value: sums[0][0],
            gradient: DVec2::new(sums[0][1], sums[1][0]),
            hessian: DMat2::from_cols(
                DVec2::new(sums[0][2], sums[1][1]),
                DVec2::new(sums[1][1], sums[2][0]),
            ),
        }
    }
}

/// The weights of four neighbours, and their first and second derivatives.
pub(in crate::force) fn cubic(t: f64) -> [[f64; 4]; 3] {
    let (t2, t3) = (t * t, t * t * t);
    [
        [
            0.5 * (-t3 + 2.0 * t2 - t),
            0.5 * (3.0 * t3 - 5.0 * t2 + 2.0),
            0.5 * (-3.0 * t3 + 4.0 * t2 + t),
            0.5 * (t3 - t2),
        ],
        [
            0.5 * (-3.0 * t2 + 4.0 * t - 1.0),
            0.5 * (9.0 * t2 - 10.0 * t),
            0.5 * (-9.0 * t2 + 8.0 * t + 1.0),
            0.5 * (3.0 * t2 - 2.0 * t),
        ],
        [-3.0 * t + 2.0, 9.0 * t - 5.0, -9.0 * t + 4.0, 3.0 * t - 1.0],
    ]
}
