//! The velocity of a moving medium, such as wind or water, at every point and time.
//!
//! The stream s(p, t) drives the viscous force c ((s - v) · n) n on a surface that moves with the
//! velocity v. Every stream here but the last but one is free of divergence, as the flow of air or water is at the speeds
//! of cloth and leaves:
//! - constant: s = U;
//! - gust: s = U + A g(t) + s'(p, t), with g a sum of sines whose frequencies share no common
//!   period, |g| <= 1, and s' turbulence from Fourier modes across their wave vectors,
//!   s' = Σ aₘ cos(kₘ · (p - U t) + ωₘ t + φₘ), aₘ · kₘ = 0, carried along by the mean wind;
//! - vortex (Lamb-Oseen): s = Γ / (2 π ρ²) (1 - exp(-ρ²/r²)) n × q, at the distance ρ = |n × q| from
//!   the axis n through the centre c, q = p - c;
//! - shear layer: s = U tanh(n · (p - x0) / δ), U · n = 0;
//! - any function of place and time, which need not be free of divergence;
//! - sum of several.
//!
//! Implements: \[Terzopoulos1988\] sect. 3, the stream function s(p, t) of eq. 22, which the papers
//! leave open and use as a constant.
//!
//! U, A in m/s; Γ circulation in m²/s; r core radius, δ thickness, p in m; t in s.

use glam::DVec3;
use std::f64::consts::TAU;
use std::sync::Arc;

/// Frequencies of a gust as multiples of the slowest; no two have a common period.
const GUST_RATIOS: [f64; 4] = [
    1.0,
    1.618_033_988_749_895,
    2.645_751_311_064_591,
    4.358_898_943_540_674,
];

/// Number of Fourier modes of turbulence: enough to look irregular, few enough for every node and
/// step.
const MODE_COUNT: usize = 12;

/// Largest U · n / |U| of a shear layer that counts as rounding.
const ALIGNMENT: f64 = 1e-9;

/// Why a stream cannot be built.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum StreamError {
    /// A length or time that must be positive and finite is not.
    #[error("{parameter} must be positive and finite, but is {value}")]
    NotPositive {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: f64,
    },
    /// A value is infinite or undefined.
    #[error("{parameter} must be finite, but is {value}")]
    NotFinite {
        /// Name of the parameter.
        parameter: &'static str,
        /// The value given.
        value: DVec3,
    },
    /// A vector that gives a direction is zero.
    #[error("{parameter} gives a direction and must not be zero")]
    NoDirection {
        /// Name of the parameter.
        parameter: &'static str,
    },
    /// The velocity of a shear layer leads out of the layer, which would need a source there.
    #[error(
        "the velocity {velocity} of a shear layer must be at right angles to its normal {normal}"
    )]
    VelocityLeavesLayer {
        /// Velocity in metres per second.
        velocity: DVec3,
        /// Unit normal of the layer.
        normal: DVec3,
    },
}

/// The velocity field of a moving medium.
#[derive(Clone, Debug, PartialEq)]
pub enum Stream {
    /// The same velocity everywhere and always.
    Constant {
        /// Velocity in metres per second.
        velocity: DVec3,
    },
    /// A wind that swells, sinks and is turbulent.
    Gust(Gust),
    /// A whirl about an axis.
    Vortex(Vortex),
    /// Two currents that slide past each other.
    Shear(Shear),
    /// Any velocity at any place and time.
    Field(FlowField),
    /// Several streams at once.
    Sum(Vec<Stream>),
}

impl Stream {
    /// The velocity that the stream has everywhere on the whole, in metres per second; `None` if it
    /// differs from place to place.
    pub fn mean_velocity(&self) -> Option<DVec3> {
        match self {
            Self::Constant { velocity } => Some(*velocity),
            Self::Gust(gust) => Some(gust.mean),
            Self::Vortex(_) | Self::Shear(_) | Self::Field(_) => None,
            Self::Sum(streams) => streams.iter().map(Self::mean_velocity).sum(),
        }
    }

    /// Velocity in metres per second at the point `p` in metres and `time` in seconds.
    pub fn velocity(&self, p: DVec3, time: f64) -> DVec3 {
        match self {
            Self::Constant { velocity } => *velocity,
            Self::Gust(gust) => gust.velocity(p, time),
            Self::Vortex(vortex) => vortex.velocity(p),
            Self::Shear(shear) => shear.velocity(p),
            Self::Field(field) => field.velocity(p, time),
            Self::Sum(streams) => streams.iter().map(|stream| stream.velocity(p, time)).sum(),
        }
    }
}

/// A velocity that a function tells, such as a formula.
#[derive(Clone)]
pub struct FlowField(Arc<dyn Fn(DVec3, f64) -> DVec3 + Send + Sync>);

impl FlowField {
    /// From the velocity in metres per second at a place in metres and a time in seconds. Where it is not
    /// finite, the medium stands still.
    pub fn new(velocity: impl Fn(DVec3, f64) -> DVec3 + Send + Sync + 'static) -> Self {
        Self(Arc::new(velocity))
    }

    fn velocity(&self, p: DVec3, time: f64) -> DVec3 {
        let velocity = (self.0)(p, time);
        if velocity.is_finite() {
            velocity
        } else {
            DVec3::ZERO
        }
    }
}

impl std::fmt::Debug for FlowField {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("FlowField")
    }
}

/// The same function, not one that has the same values.
impl PartialEq for FlowField {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

/// A wind that swells and sinks, the same for the same seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Gust {
    mean: DVec3,
    amplitude: DVec3,
    frequency: f64,
    phases: [f64; GUST_RATIOS.len()],
    modes: Vec<Mode>,
    seed: u64,
}

/// One wave of turbulence: amplitude cos(wave · p + rate t + phase).
#[derive(Clone, Debug, PartialEq)]
struct Mode {
    amplitude: DVec3,
    wave: DVec3,
    rate: f64,
    phase: f64,
}

impl Gust {
    /// A wind that stays within `mean` ± `amplitude` (metres per second) and whose slowest change has
    /// the `period` in seconds.
    pub fn new(mean: DVec3, amplitude: DVec3, period: f64, seed: u64) -> Result<Self, StreamError> {
        let mut random = Random(seed);
        Ok(Self {
            mean: finite("the mean velocity of a gust", mean)?,
            amplitude: finite("the amplitude of a gust", amplitude)?,
            frequency: TAU / positive("the period of a gust", period)?,
            phases: std::array::from_fn(|_| TAU * random.number()),
            modes: Vec::new(),
            seed,
        })
    }

    /// Adds turbulence with a root-mean-square `speed` in metres per second and eddies of about
    /// `eddy_size` metres.
    pub fn with_turbulence(mut self, speed: f64, eddy_size: f64) -> Result<Self, StreamError> {
        let speed = positive("the speed of turbulence", speed)?;
        let eddy_size = positive("the eddy size of turbulence", eddy_size)?;
        // Another sequence than that of the phases, which came from the seed itself.
        let mut random = Random(!self.seed);
        let amplitude = speed * (2.0 / MODE_COUNT as f64).sqrt();
        self.modes = (0..MODE_COUNT)
            .map(|index| {
                let direction = random.direction();
                let across = direction.any_orthonormal_vector();
                let turn = TAU * random.number();
                let polarisation = turn.cos() * across + turn.sin() * direction.cross(across);
                // Wavelengths from twice to half the eddy size.
                let octave = 2.0 * index as f64 / (MODE_COUNT - 1) as f64 - 1.0;
                let wave = TAU / eddy_size * octave.exp2() * direction;
                Mode {
                    amplitude: amplitude * polarisation,
                    wave,
                    rate: speed * wave.length() - wave.dot(self.mean),
                    phase: TAU * random.number(),
                }
            })
            .collect();
        Ok(self)
    }

    fn velocity(&self, p: DVec3, time: f64) -> DVec3 {
        let uniform = self.mean + self.amplitude * self.swell(time);
        self.modes.iter().fold(uniform, |sum, mode| {
            sum + mode.amplitude * (mode.wave.dot(p) + mode.rate * time + mode.phase).cos()
        })
    }

    /// g(t), between -1 and 1. Faster sines are weaker in proportion.
    fn swell(&self, time: f64) -> f64 {
        let mut sum = 0.0;
        let mut weight = 0.0;
        for (ratio, phase) in GUST_RATIOS.iter().zip(self.phases) {
            sum += (self.frequency * ratio * time + phase).sin() / ratio;
            weight += 1.0 / ratio;
        }
        sum / weight
    }
}

/// A whirl about an axis, turning like a rigid body in its core.
#[derive(Clone, Debug, PartialEq)]
pub struct Vortex {
    centre: DVec3,
    axis: DVec3,
    circulation: f64,
    core: f64,
}

impl Vortex {
    /// A vortex about the `axis` through `centre` (metres), right-handed for a positive
    /// `circulation` (square metres per second); it is fastest at about 1.12 times the `core` radius
    /// (metres).
    pub fn new(
        centre: DVec3,
        axis: DVec3,
        circulation: f64,
        core: f64,
    ) -> Result<Self, StreamError> {
        finite("the circulation of a vortex", DVec3::splat(circulation))?;
        Ok(Self {
            centre: finite("the centre of a vortex", centre)?,
            axis: direction("the axis of a vortex", axis)?,
            circulation,
            core: positive("the core of a vortex", core)?,
        })
    }

    fn velocity(&self, p: DVec3) -> DVec3 {
        // n × q has the length ρ and the direction of the flow.
        let across = self.axis.cross((p - self.centre) / self.core);
        let square = across.length_squared();
        let decay = if square > 0.0 {
            -(-square).exp_m1() / square
        } else {
            1.0
        };
        self.circulation / (TAU * self.core) * decay * across
    }
}

/// Two currents in opposite directions, with a smooth layer between.
#[derive(Clone, Debug, PartialEq)]
pub struct Shear {
    point: DVec3,
    normal: DVec3,
    velocity: DVec3,
    thickness: f64,
}

impl Shear {
    /// A layer through `point` (metres) with `normal`: far along the normal the stream has the
    /// `velocity` (metres per second, within the layer), far behind its opposite, and in between it
    /// changes over `thickness` (metres). Add a constant stream to set one side to rest.
    pub fn new(
        point: DVec3,
        normal: DVec3,
        velocity: DVec3,
        thickness: f64,
    ) -> Result<Self, StreamError> {
        let normal = direction("the normal of a shear layer", normal)?;
        let velocity = finite("the velocity of a shear layer", velocity)?;
        if velocity.dot(normal).abs() > ALIGNMENT * velocity.length() {
            return Err(StreamError::VelocityLeavesLayer { velocity, normal });
        }
        Ok(Self {
            point: finite("the point of a shear layer", point)?,
            normal,
            velocity,
            thickness: positive("the thickness of a shear layer", thickness)?,
        })
    }

    fn velocity(&self, p: DVec3) -> DVec3 {
        self.velocity * (self.normal.dot(p - self.point) / self.thickness).tanh()
    }
}

fn positive(parameter: &'static str, value: f64) -> Result<f64, StreamError> {
    if value.is_finite() && value > 0.0 {
        Ok(value)
    } else {
        Err(StreamError::NotPositive { parameter, value })
    }
}

fn finite(parameter: &'static str, value: DVec3) -> Result<DVec3, StreamError> {
    if value.is_finite() {
        Ok(value)
    } else {
        Err(StreamError::NotFinite { parameter, value })
    }
}

fn direction(parameter: &'static str, value: DVec3) -> Result<DVec3, StreamError> {
    let largest = finite(parameter, value)?.abs().max_element();
    if largest > 0.0 {
        Ok((value / largest).normalize())
    } else {
        Err(StreamError::NoDirection { parameter })
    }
}

/// A small generator of reproducible numbers (splitmix64).
struct Random(u64);

impl Random {
    /// A number from 0 up to 1.
    fn number(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^= bits >> 31;
        (bits >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// A unit vector, evenly over the sphere.
    fn direction(&mut self) -> DVec3 {
        let height = 2.0 * self.number() - 1.0;
        let (sine, cosine) = (TAU * self.number()).sin_cos();
        let radius = (1.0 - height * height).max(0.0).sqrt();
        DVec3::new(radius * cosine, radius * sine, height)
    }
}

#[cfg(test)]
mod tests;
