//! Random formulas: parsed, and evaluated at the ends and in the middle of a material.

use crate::{Random, Sample, Target};
use pliant_scene::Expression;

/// The target.
pub const TARGET: Target = Target {
    name: "formulas",
    samples: Vec::new,
    make,
    read,
};

const WORDS: &[&str] = &[
    "u", "v", "w", "pi", "e", "0", "1", "2.5", "1e308", "1e-320", "-", "+", "*", "/", "^", "(",
    ")", "sin(", "cos(", "sqrt(", "abs(", "min(", "max(", "exp(", "log(", "floor(", "step(", "if(",
    ",", " ", "<", ">", "nan", "é", "..", "1e", "((((((((", "^-", "--------",
];

fn make(_: &[Sample], random: &mut Random) -> Sample {
    let length = match random.below(20) {
        0 => 2_000,
        _ => random.below(40),
    };
    let words: Vec<&str> = (0..length).map(|_| *random.pick(WORDS)).collect();
    Sample {
        name: "formula".to_owned(),
        bytes: words.concat().into_bytes(),
    }
}

fn read(input: &Sample) -> usize {
    let text = String::from_utf8_lossy(&input.bytes);
    if let Ok(formula) = Expression::parse(&text) {
        for at in [[0.0; 3], [1.0; 3], [0.5, 0.25, 0.125]] {
            std::hint::black_box(formula.evaluate(at));
        }
    }
    0
}
