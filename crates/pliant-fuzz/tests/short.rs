//! A short campaign with a fixed seed, in every run of the tests; `PLIANT_FUZZ=full` makes it more
//! than two million inputs.

use pliant_fuzz::{TARGETS, run};

/// Inputs of each target: quick readers get more.
fn inputs(name: &str) -> u64 {
    let count = match name {
        "runs" | "meetings" | "steps" => 300,
        "scenes" => 4_000,
        "caches" => 5_000,
        "pictures" => 20_000,
        _ => 40_000,
    };
    match std::env::var("PLIANT_FUZZ").as_deref() {
        Ok("full") => 20 * count,
        _ => count,
    }
}

#[test]
fn no_input_causes_a_panic_or_takes_too_long() {
    for target in TARGETS {
        let count = inputs(target.name);
        let outcome = run(target, 1, &mut |inputs| inputs < count);
        assert!(outcome.failures.is_empty(), "{:#?}", outcome.failures);
        assert!(outcome.inputs >= count, "{}", target.name);
    }
}

#[test]
fn the_same_seed_gives_the_same_inputs() {
    for seed in [1, 2] {
        let outcomes = [0, 1].map(|_| run(&TARGETS[1], seed, &mut |inputs| inputs < 100).inputs);
        assert_eq!(outcomes[0], outcomes[1]);
    }
}
