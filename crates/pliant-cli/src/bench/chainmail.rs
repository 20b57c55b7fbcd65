//! ChainMail: one element dragged through the volume, beside the 125,000 elements in real time of
//! \[Gibson1997\] sect. 5.3.

use crate::clock;
use crate::console::print;
use glam::DVec3;
use pliant::chainmail::{LinkLimits, Mail};
use pliant_session::Failure;
use serde_json::{Value, json};

/// Elements along each side: 125,000, 1 million, 10 million.
const SIDES: [usize; 3] = [50, 100, 216];
/// A picture takes this long at 60 per second, in milliseconds.
const PICTURE: f64 = 1000.0 / 60.0;
const LIMITS: LinkLimits = LinkLimits {
    least: 0.7,
    most: 1.3,
    shear: 0.4,
};

/// Runs the benchmark.
pub fn run(quick: bool) -> Result<Value, Failure> {
    print(
        "One element in the middle of a face is dragged into the volume and across it, half a spacing per move, then back out",
    );
    print("  elements   stiffness   moves  mean ms  worst ms  moved per move  largest  relax ms");
    let sides = if quick { &SIDES[..1] } else { &SIDES[..] };
    let mut rows = Vec::new();
    for &side in sides {
        for varied in [false, true] {
            rows.push(drag(side, varied));
        }
    }
    print(&format!("a picture at 60 per second: {PICTURE:.1} ms"));
    Ok(Value::Array(rows))
}

fn drag(side: usize, varied: bool) -> Value {
    let mut mail = Mail::new([side; 3], DVec3::ZERO, DVec3::ONE, LIMITS);
    if varied {
        // Layers four times as stiff as others, as bone in flesh.
        for (element, limits) in mail.limits_mut().iter_mut().enumerate() {
            let stiffness = if element / (side * side) % 10 < 3 {
                4.0
            } else {
                1.0
            };
            *limits = LIMITS.stiffened(stiffness);
        }
    }
    let element = mail.index([side / 2, side / 2, side - 1]);
    let path = [
        DVec3::new(0.0, 0.0, -0.5),
        DVec3::new(0.5, 0.0, 0.0),
        DVec3::new(0.0, 0.0, 0.5),
    ];
    let moves = side / 2;
    let (mut times, mut moved) = (Vec::new(), Vec::new());
    for by in path {
        for _ in 0..moves {
            let to = mail.place(element) + by;
            let start = clock::seconds();
            moved.push(mail.move_to(element, to));
            times.push(1000.0 * (clock::seconds() - start));
        }
    }
    let start = clock::seconds();
    mail.relax(0.5);
    let relax = 1000.0 * (clock::seconds() - start);
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let worst = times.iter().copied().fold(0.0, f64::max);
    let moved_mean = moved.iter().sum::<usize>() / moved.len();
    let moved_most = moved.iter().copied().max().unwrap_or(0);
    let violation = mail.largest_violation();
    print(&format!(
        "{:>10}  {:>10}  {:>6}  {mean:7.3}  {worst:8.3}  {moved_mean:14}  {moved_most:7}  {relax:8.1}",
        side.pow(3),
        if varied { "varied" } else { "even" },
        times.len(),
    ));
    json!({
        "elements": side.pow(3),
        "varied": varied,
        "moves": times.len(),
        "mean_milliseconds": mean,
        "worst_milliseconds": worst,
        "moved_mean": moved_mean,
        "moved_most": moved_most,
        "relax_milliseconds": relax,
        "largest_violation": violation,
    })
}
