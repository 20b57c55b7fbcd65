//! Streams against their definitions.

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
