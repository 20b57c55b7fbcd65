//! Cost at a fixed number of iterations, preconditioned by the diagonal as those of the thesis: how
//! it grows with the number of particles, and how it compares with the thesis' code when both do
//! the same iterations.

use super::cloth::Case;
use super::figures::{rebuilt_milliseconds, wanted_share};
use super::stopwatch::{Measurement, Plan, measure};
use super::table_5_1::stages;
use crate::console::print;
use pliant::EnergyVariant;
use pliant_session::Failure;
use serde_json::{Value, json};

/// Numbers of iterations that are compared.
const ITERATIONS: [usize; 2] = [10, 100];

/// Measures sheets of these sides, prints a table and the exponents.
pub fn run(sides: &[usize], plan: Plan) -> Result<Value, Failure> {
    print(&format!(
        "\nExactly 10 or 100 iterations per step with the diagonal alone as preconditioner (tolerance 0), \
         the first {} steps, published variant:",
        plan.steps
    ));
    print(
        "     grid  iterations   CPU ms  (assembly    solve  contact)  rebuilt  ours/theirs  wanted",
    );
    let mut rows = Vec::new();
    let mut exponents = Vec::new();
    let cases: Vec<Case> = sides
        .iter()
        .flat_map(|&side| {
            ITERATIONS.map(|iterations| Case {
                side,
                energy: EnergyVariant::Published,
                iterations,
                diagonal: true,
                tolerance: 0.0,
                sticks: false,
            })
        })
        .collect();
    let measured = measure(&cases, plan).map_err(|e| Failure::Simulation(e.to_string()))?;
    for measurement in &measured {
        rows.push(row(measurement));
    }
    for iterations in ITERATIONS {
        let points: Vec<[f64; 2]> = measured
            .iter()
            .filter(|m| m.case.iterations == iterations)
            .map(|m| [(m.case.side * m.case.side) as f64, m.processor_milliseconds])
            .collect();
        let exponent = growth_exponent(&points);
        print(&format!(
            "time grows with particles to the power {exponent:.2} at {iterations} iterations \
             ({} to {} a side; 1 is linear)",
            sides.first().unwrap_or(&0),
            sides.last().unwrap_or(&0),
        ));
        exponents.push(json!({ "iterations": iterations, "exponent": exponent }));
    }
    Ok(json!({ "rows": rows, "growth": exponents }))
}

fn row(measurement: &Measurement) -> Value {
    let Case {
        side, iterations, ..
    } = measurement.case;
    let ours = measurement.processor_milliseconds;
    let rebuilt = rebuilt_milliseconds(side, iterations);
    let share = rebuilt.map(|theirs| ours / theirs);
    let wanted = rebuilt.and_then(|_| wanted_share(side));
    let or_dash = |value: Option<String>| value.unwrap_or_else(|| "-".to_owned());
    print(&format!(
        "{:>9}  {iterations:10}  {ours:7.4}  ({:8.4}  {:7.4}  {:7.4})  {:>7}  {:>11}  {:>6}",
        format!("{side}x{side}"),
        measurement.stages.assembly,
        measurement.stages.solve,
        measurement.stages.contact,
        or_dash(rebuilt.map(|theirs| format!("{theirs:.2}"))),
        or_dash(share.map(|share| format!("1/{:.1}", 1.0 / share))),
        or_dash(wanted.map(|share| format!("1/{:.0}", 1.0 / share))),
    ));
    json!({
        "side": side,
        "iterations": iterations,
        "mean_iterations": measurement.mean_iterations,
        "milliseconds_per_step": ours,
        "wall_milliseconds_per_step": measurement.wall_milliseconds,
        "rebuilt_milliseconds_per_step": rebuilt,
        "ratio_to_rebuilt": share,
        "wanted_ratio": wanted,
        "stage_milliseconds": stages(measurement),
    })
}

/// The slope of the straight line through the logarithms, by least squares.
pub(super) fn growth_exponent(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let logarithms = points.iter().map(|[x, y]| [x.ln(), y.ln()]);
    let mean = |axis: usize| logarithms.clone().map(|p| p[axis]).sum::<f64>() / count;
    let (mean_x, mean_y) = (mean(0), mean(1));
    let covariance: f64 = logarithms
        .clone()
        .map(|[x, y]| (x - mean_x) * (y - mean_y))
        .sum();
    let variance: f64 = logarithms.map(|[x, _]| (x - mean_x).powi(2)).sum();
    covariance / variance
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_exponent_of_a_power_law_is_found() {
        let points = [1024.0, 4096.0, 16384.0].map(|n: f64| [n, 3.0 * n.powf(1.25)]);
        assert!((growth_exponent(&points) - 1.25).abs() < 1e-12);
    }
}
