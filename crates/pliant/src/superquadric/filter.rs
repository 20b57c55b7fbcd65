//! The fit of the global shape to points, still or in motion.
//!
//! ```text
//! q⁻ = q + h q̇,   P⁻ = Φ P Φᵀ + h Q                        what is foreseen
//! δ  minimises   δᵀ (P⁻)⁻¹ δ + Σ_j d_j(q⁻ + δ)² / σ²        by the method of Levenberg and Marquardt
//! q  = q⁻ + δ,   P = ((P⁻)⁻¹ + Σ ∇d_j ∇d_jᵀ / σ²)⁻¹
//! ```
//!
//! q are the eleven numbers and their rates, P is their covariance, σ the error of the data in metres. Data
//! pull at the model with forces -d_j / σ² along their rays; ∇d_j turns them into forces on the numbers. Some
//! numbers hardly matter where the iteration begins (the turn of what is nearly a ball), and data that are more
//! precise than the start is near leave them all but free: Newton's step of Gauss would then go far astray, in
//! a direction that no share of it makes good. So a step that comes no nearer is repeated with more and more
//! damping, each number by its error of the start. A fit
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

/// Attempts of an iteration, each with ten times the damping of the last.
const ATTEMPTS: usize = 12;

/// The first damping, by the largest information that the data give of a number.
const FIRST_DAMPING: f64 = 1e-4;

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
        let scale = start_errors(self.parameters.axes.max_element()).map(|error| error.powi(-2));
        let (mut change, mut information) = ([0.0; STATES], *prior);
        let (mut lowest, mut damping) = (cost(&change), 0.0);
        for _ in 0..ITERATIONS {
            let shape = shape_of(&change);
            information = *prior;
            let mut force = product(prior, &change).map(|pull| -pull);
            let mut known: f64 = 0.0;
            for &point in points {
                let (distance, slopes) = shape.slopes(point);
                for i in 0..COUNT {
                    force[i] -= weight * distance * slopes[i];
                    for j in 0..COUNT {
                        information[i][j] += weight * slopes[i] * slopes[j];
                    }
                }
            }
            for k in 0..COUNT {
                known = known.max((information[k][k] - prior[k][k]) / scale[k]);
            }
            let tried = (0..ATTEMPTS).find_map(|_| {
                let mut damped = information;
                for k in 0..COUNT {
                    damped[k][k] += damping * scale[k];
                }
                let step = product(&inverse(&damped)?, &force);
                let next: [f64; STATES] = std::array::from_fn(|k| change[k] + step[k]);
                let value = cost(&next);
                if value < lowest {
                    return Some((next, value));
                }
                damping = (10.0 * damping).max(FIRST_DAMPING * known);
                None
            });
            let Some((next, value)) = tried else { break };
            damping *= 0.1;
            let is_done = value > lowest * (1.0 - 1e-9);
            (change, lowest) = (next, value);
            if is_done {
                break;
            }
        }
        (change, information)
    }
}

/// Errors of the numbers of a shape of this size at the start.
fn start_errors(size: f64) -> [f64; COUNT] {
    std::array::from_fn(|k| match k {
        0..3 => START_ERRORS[0] * size,
        3..6 => START_ERRORS[1],
        6..9 => START_ERRORS[2],
        _ => START_ERRORS[3],
    })
}

fn start_covariance(size: f64) -> [[f64; STATES]; STATES] {
    let mut covariance = [[0.0; STATES]; STATES];
    for (k, error) in start_errors(size).into_iter().enumerate() {
        covariance[k][k] = error * error;
        covariance[k + COUNT][k + COUNT] = (START_RATE * error).powi(2);
    }
    covariance
}
