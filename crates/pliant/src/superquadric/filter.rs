//! The fit of the global shape to points, still or in motion.
//!
//! ```text
//! q⁻ = q + h q̇,   P⁻ = Φ P Φᵀ + h Q                        what is foreseen
//! δ  minimises   δᵀ (P⁻)⁻¹ δ + Σ_j d_j(q⁻ + δ)² / σ²        Newton's iterations of Gauss
//! q  = q⁻ + δ,   P = ((P⁻)⁻¹ + Σ ∇d_j ∇d_jᵀ / σ²)⁻¹
//! ```
//!
//! q are the eleven numbers and their rates, P is their covariance, σ the error of the data in metres. Data
//! pull at the model with forces -d_j / σ² along their rays; ∇d_j turns them into forces on the numbers. A fit
//! of data at rest has no rates, forgets P after each step and goes the share 1 - exp(-h/τ) of its way: the
//! overdamped motion of \[Terzopoulos1991\] with every number at the same pace τ. One that tracks is the
//! extended Kalman filter of \[Metaxas1993\].

use super::dense::{inverse, product};
use super::model::{COUNT, SuperquadricParameters};
use glam::DVec3;

/// Numbers and rates.
const STATES: usize = 2 * COUNT;

/// Iterations of a step.
const ITERATIONS: usize = 6;

/// Halvings of an iteration that does not come nearer.
const HALVINGS: usize = 6;

/// Errors of the start: of the centre by the size, the rotation in radians, the logarithms of the axes, the
/// exponents.
const START_ERRORS: [f64; 4] = [0.5, 0.5, 0.5, 0.5];

/// Errors of the rates at the start, by those of the numbers, per second.
const START_RATE: f64 = 2.0;

/// What the fit goes by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct FitRules {
    /// σ, in metres.
    pub(crate) noise: f64,
    /// τ of a fit of data at rest, in seconds; none for one that tracks.
    pub(crate) pace: Option<f64>,
    /// How fast rates of a fit that tracks change by themselves: by the size and in radians, per second and
    /// root of a second.
    pub(crate) agility: f64,
}

/// The numbers, their rates and how well they are known.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Fit {
    pub(crate) parameters: SuperquadricParameters,
    pub(crate) rates: [f64; COUNT],
    pub(crate) covariance: [[f64; STATES]; STATES],
}

impl Fit {
    pub(crate) fn new(parameters: SuperquadricParameters) -> Self {
        Self {
            parameters,
            rates: [0.0; COUNT],
            covariance: start_covariance(parameters.axes.max_element()),
        }
    }

    /// Advances by `step` seconds with the points as they are then.
    pub(crate) fn advance(&mut self, points: &[DVec3], step: f64, rules: &FitRules) {
        let size = self.parameters.axes.max_element();
        match rules.pace {
            Some(_) => {
                self.rates = [0.0; COUNT];
                self.covariance = start_covariance(size);
            }
            None => self.foresee(
                step,
                rules.agility * size.max(f64::MIN_POSITIVE),
                rules.agility,
            ),
        }
        if points.is_empty() {
            return;
        }
        let Some(prior) = inverse(&self.covariance) else {
            // It has lost its way in rounding: begin anew.
            self.covariance = start_covariance(size);
            return;
        };
        let (change, information) = self.correct(points, &prior, rules.noise);
        let share = rules.pace.map_or(1.0, |pace| 1.0 - (-step / pace).exp());
        let shift: [f64; COUNT] = std::array::from_fn(|k| share * change[k]);
        self.parameters = self.parameters.moved(&shift);
        for (rate, change) in self.rates.iter_mut().zip(&change[COUNT..]) {
            *rate += change;
        }
        if let Some(covariance) = inverse(&information) {
            self.covariance = covariance;
        }
    }

    /// q + h q̇ and Φ P Φᵀ + h Q. Only the centre and the rotation have rates of their own will.
    fn foresee(&mut self, step: f64, by_size: f64, turning: f64) {
        let shift: [f64; COUNT] = std::array::from_fn(|k| step * self.rates[k]);
        self.parameters = self.parameters.moved(&shift);
        let before = self.covariance;
        let p = |i: usize, j: usize| before[i][j];
        for i in 0..COUNT {
            for j in 0..COUNT {
                let (a, b) = (i + COUNT, j + COUNT);
                self.covariance[i][j] =
                    p(i, j) + step * (p(i, b) + p(a, j)) + step * step * p(a, b);
                self.covariance[i][b] = p(i, b) + step * p(a, b);
                self.covariance[a][j] = p(a, j) + step * p(a, b);
            }
        }
        for k in 0..COUNT {
            let agility = match k {
                0..3 => by_size,
                3..6 => turning,
                // The shape hardly changes.
                _ => 1e-3 * turning,
            };
            let noise = agility * agility;
            let a = k + COUNT;
            self.covariance[a][a] += step * noise;
            self.covariance[k][k] += step * step * step / 3.0 * noise;
            self.covariance[k][a] += 0.5 * step * step * noise;
            self.covariance[a][k] += 0.5 * step * step * noise;
        }
    }

    /// δ, and the inverse of the covariance with it.
    fn correct(
        &self,
        points: &[DVec3],
        prior: &[[f64; STATES]; STATES],
        noise: f64,
    ) -> ([f64; STATES], [[f64; STATES]; STATES]) {
        let weight = 1.0 / (noise * noise);
        let shape_of = |change: &[f64; STATES]| {
            let shift: [f64; COUNT] = std::array::from_fn(|k| change[k]);
            self.parameters.moved(&shift)
        };
        let cost = |change: &[f64; STATES]| {
            let shape = shape_of(change);
            let data: f64 = points.iter().map(|&p| shape.distance(p).powi(2)).sum();
            let pulled = product(prior, change);
            let held: f64 = pulled.iter().zip(change).map(|(a, b)| a * b).sum();
            weight * data + held
        };
        let mut change = [0.0; STATES];
        let mut information = *prior;
        let mut lowest = cost(&change);
        for _ in 0..ITERATIONS {
            let shape = shape_of(&change);
            information = *prior;
            let mut force = product(prior, &change).map(|pull| -pull);
            for &point in points {
                let (distance, slopes) = (shape.distance(point), shape.slopes(point));
                for i in 0..COUNT {
                    force[i] -= weight * distance * slopes[i];
                    for j in 0..COUNT {
                        information[i][j] += weight * slopes[i] * slopes[j];
                    }
                }
            }
            let Some(answer) = inverse(&information) else {
                break;
            };
            let step = product(&answer, &force);
            let tried = (0..HALVINGS).find_map(|halving| {
                let share = 0.5_f64.powi(halving as i32);
                let next: [f64; STATES] = std::array::from_fn(|k| change[k] + share * step[k]);
                let value = cost(&next);
                (value < lowest).then_some((next, value))
            });
            let Some((next, value)) = tried else { break };
            let is_done = value > lowest * (1.0 - 1e-9);
            (change, lowest) = (next, value);
            if is_done {
                break;
            }
        }
        (change, information)
    }
}

fn start_covariance(size: f64) -> [[f64; STATES]; STATES] {
    let mut covariance = [[0.0; STATES]; STATES];
    for k in 0..COUNT {
        let error = match k {
            0..3 => START_ERRORS[0] * size,
            3..6 => START_ERRORS[1],
            6..9 => START_ERRORS[2],
            _ => START_ERRORS[3],
        };
        covariance[k][k] = error * error;
        covariance[k + COUNT][k + COUNT] = (START_RATE * error).powi(2);
    }
    covariance
}
