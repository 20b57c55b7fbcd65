//! The velocity of a moving medium, such as wind or water, at every point and time.
//!
//! The stream s(p, t) drives the viscous force c ((s - v) · n) n on a surface that moves with the
//! velocity v. Every stream here is free of divergence, as the flow of air or water is at the speeds
//! of cloth and leaves:
//! - constant: s = U;
//! - gust: s = U + A g(t) + s'(p, t), with g a sum of sines whose frequencies share no common
//!   period, |g| <= 1, and s' turbulence from Fourier modes across their wave vectors,
//!   s' = Σ aₘ cos(kₘ · (p - U t) + ωₘ t + φₘ), aₘ · kₘ = 0, carried along by the mean wind;
//! - vortex (Lamb-Oseen): s = Γ / (2 π ρ²) (1 - exp(-ρ²/r²)) n × q, at the distance ρ = |n × q| from
//!   the axis n through the centre c, q = p - c;
//! - shear layer: s = U tanh(n · (p - x0) / δ), U · n = 0;
//! - sum of several.
//!
//! Implements: \[Terzopoulos1988\] sect. 3, the stream function s(p, t) of eq. 22, which the papers
//! leave open and use as a constant.
//!
//! U, A in m/s; Γ circulation in m²/s; r core radius, δ thickness, p in m; t in s.

use glam::DVec3;
use std::f64::consts::TAU;

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
        /// Velocity in metres a second.
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
        /// Velocity in metres a second.
        velocity: DVec3,
    },
    /// A wind that swells, sinks and is turbulent.
    Gust(Gust),
    /// A whirl about an axis.
    Vortex(Vortex),
    /// Two currents that slide past each other.
    Shear(Shear),
    /// Several streams at once.
    Sum(Vec<Stream>),
}

impl Stream {
    /// The velocity that the stream has everywhere on the whole, in metres a second; `None` if it
    /// differs from place to place.
    pub fn mean_velocity(&self) -> Option<DVec3> {
        match self {
            Self::Constant { velocity } => Some(*velocity),
            Self::Gust(gust) => Some(gust.mean),
            Self::Vortex(_) | Self::Shear(_) => None,
            Self::Sum(streams) => streams.iter().map(Self::mean_velocity).sum(),
        }
    }

    /// Velocity in metres a second at the point `p` in metres and `time` in seconds.
    pub fn velocity(&self, p: DVec3, time: f64) -> DVec3 {
        match self {
            Self::Constant { velocity } => *velocity,
            Self::Gust(gust) => gust.velocity(p, time),
            Self::Vortex(vortex) => vortex.velocity(p),
            Self::Shear(shear) => shear.velocity(p),
            Self::Sum(streams) => streams.iter().map(|stream| stream.velocity(p, time)).sum(),
        }
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
    /// A wind that stays within `mean` ± `amplitude` (metres a second) and whose slowest change has
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

    /// Adds turbulence with a root-mean-square `speed` in metres a second and eddies of about
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
    /// `circulation` (square metres a second); it is fastest at about 1.12 times the `core` radius
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
    /// `velocity` (metres a second, within the layer), far behind its opposite, and in between it
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
mod tests {
    use super::*;

    fn streams() -> Vec<Stream> {
        let wind = DVec3::new(8.0, 1.0, 0.5);
        let gust = Gust::new(wind, DVec3::new(3.0, 1.0, 0.0), 4.0, 7).unwrap();
        let axis = DVec3::new(0.2, -0.5, 1.0);
        let mut streams = vec![
            Stream::Constant { velocity: wind },
            Stream::Gust(gust.clone()),
            Stream::Gust(gust.with_turbulence(1.5, 0.8).unwrap()),
            Stream::Vortex(Vortex::new(DVec3::new(0.5, 0.0, 0.0), axis, 6.0, 0.4).unwrap()),
            Stream::Shear(Shear::new(DVec3::ZERO, DVec3::Z, 2.0 * DVec3::X, 0.3).unwrap()),
        ];
        streams.push(Stream::Sum(streams.clone()));
        streams
    }

    #[test]
    fn no_stream_has_sources() {
        let step = 1e-5;
        for stream in streams() {
            let mut random = Random(3);
            for _ in 0..200 {
                let p = 2.0 * random.number() * random.direction();
                let time = 10.0 * random.number();
                let divergence: f64 = (0..3)
                    .map(|axis| {
                        let offset = step * DVec3::AXES[axis];
                        let change =
                            stream.velocity(p + offset, time) - stream.velocity(p - offset, time);
                        change[axis] / (2.0 * step)
                    })
                    .sum();
                assert!(divergence.abs() < 1e-6, "{stream:?} at {p}: {divergence}");
            }
        }
    }

    #[test]
    fn every_stream_is_finite_everywhere() {
        for stream in streams() {
            for length in [0.0, 1e-300, 1e-170, 1e-9, 1.0, 1e9] {
                for towards in [DVec3::X, DVec3::NEG_Y, DVec3::Z, DVec3::ONE] {
                    for time in [0.0, 0.1, 1e6] {
                        let velocity = stream.velocity(length * towards, time);
                        assert!(velocity.is_finite(), "{stream:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_gust_is_reproducible_smooth_and_bounded() {
        let build = |seed| Gust::new(DVec3::X, DVec3::new(0.5, 0.0, 0.0), 2.0, seed).unwrap();
        let (gust, same, other) = (build(1), build(1), build(2));
        let (mut lowest, mut highest) = (f64::INFINITY, f64::NEG_INFINITY);
        let step = 1e-3;
        let mut previous = gust.velocity(DVec3::ZERO, 0.0).x;
        // No faster than the sum of the sines' own rates, A ω 4 / Σ 1/ratio.
        let weight: f64 = GUST_RATIOS.iter().map(|ratio| 1.0 / ratio).sum();
        let fastest = 0.5 * (TAU / 2.0) * 4.0 / weight;
        let mut differs = false;
        for index in 1..100_000 {
            let time = step * f64::from(index);
            let speed = gust.velocity(DVec3::ZERO, time).x;
            assert_eq!(speed, same.velocity(DVec3::ONE, time).x);
            differs |= (speed - other.velocity(DVec3::ZERO, time).x).abs() > 0.1;
            assert!((speed - previous).abs() <= fastest * step * 1.0001);
            previous = speed;
            lowest = lowest.min(speed);
            highest = highest.max(speed);
        }
        assert!(differs);
        assert!((0.5..0.65).contains(&lowest), "{lowest}");
        assert!(highest <= 1.5 && highest > 1.35, "{highest}");
    }

    #[test]
    fn turbulence_has_the_given_strength_and_drifts_with_the_wind() {
        let wind = 50.0 * DVec3::X;
        let gust = Gust::new(wind, DVec3::ZERO, 1.0, 11)
            .unwrap()
            .with_turbulence(0.7, 0.5)
            .unwrap();
        let mut random = Random(5);
        let sample_count = 20_000;
        let mean_square: f64 = (0..sample_count)
            .map(|_| {
                let p = 50.0 * random.number() * random.direction();
                (gust.velocity(p, 0.0) - wind).length_squared()
            })
            .sum::<f64>()
            / f64::from(sample_count);
        assert!((mean_square.sqrt() - 0.7).abs() < 0.03, "{mean_square}");
        // Seen from the wind, the field changes at the slow rate of its eddies.
        let time = 0.002;
        let carried = gust.velocity(wind * time, time) - gust.velocity(DVec3::ZERO, 0.0);
        let largest_rate = 0.7 * 2.0 * TAU / 0.5;
        let total_amplitude = 0.7 * (2.0 * MODE_COUNT as f64).sqrt();
        assert!(carried.length() < total_amplitude * largest_rate * time);
    }

    #[test]
    fn a_vortex_turns_rigidly_inside_and_like_a_line_outside() {
        let vortex = Vortex::new(DVec3::ONE, 3.0 * DVec3::Z, 2.0, 0.1).unwrap();
        assert_eq!(vortex.velocity(DVec3::ONE + 7.0 * DVec3::Z), DVec3::ZERO);
        // Near the axis Γ ρ / (2 π r²), far away Γ / (2 π ρ).
        let near = vortex.velocity(DVec3::ONE + 1e-6 * DVec3::X);
        assert!((near.y / (2.0 * 1e-6 / (TAU * 0.01)) - 1.0).abs() < 1e-9);
        let far = vortex.velocity(DVec3::ONE + 2.0 * DVec3::X);
        assert!(far.distance(DVec3::new(0.0, 1.0 / TAU, 0.0)) < 1e-12);
    }

    #[test]
    fn a_shear_layer_turns_round_smoothly() {
        let shear = Shear::new(DVec3::Z, DVec3::Z, 2.0 * DVec3::Y, 0.5).unwrap();
        assert_eq!(shear.velocity(DVec3::new(4.0, 5.0, 1.0)), DVec3::ZERO);
        let above = shear.velocity(DVec3::new(0.0, 0.0, 1.5));
        assert!((above.y - 2.0 * 1.0_f64.tanh()).abs() < 1e-15);
        assert_eq!(shear.velocity(DVec3::new(0.0, 0.0, -50.0)), -2.0 * DVec3::Y);
    }

    #[test]
    fn a_sum_adds_and_nothing_is_rest() {
        let steady = |velocity| Stream::Constant { velocity };
        let sum = Stream::Sum(vec![steady(DVec3::X), steady(DVec3::Y)]);
        assert_eq!(sum.velocity(DVec3::ONE, 3.0), DVec3::X + DVec3::Y);
        assert_eq!(
            Stream::Sum(Vec::new()).velocity(DVec3::ONE, 0.0),
            DVec3::ZERO
        );
    }

    #[test]
    fn impossible_streams_are_refused() {
        assert!(Gust::new(DVec3::X, DVec3::X, 0.0, 0).is_err());
        let gust = Gust::new(DVec3::X, DVec3::X, 1.0, 0).unwrap();
        assert!(gust.clone().with_turbulence(1.0, -1.0).is_err());
        assert!(gust.with_turbulence(f64::NAN, 1.0).is_err());
        assert!(Vortex::new(DVec3::ZERO, DVec3::ZERO, 1.0, 1.0).is_err());
        assert!(Vortex::new(DVec3::ZERO, DVec3::Z, f64::INFINITY, 1.0).is_err());
        let error = Shear::new(DVec3::ZERO, DVec3::Z, DVec3::ONE, 1.0).unwrap_err();
        assert!(matches!(error, StreamError::VelocityLeavesLayer { .. }));
    }
}
