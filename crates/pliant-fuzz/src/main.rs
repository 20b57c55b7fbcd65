//! Throws hostile input at every reader of Pliant until the time is over.
//!
//! ```sh
//! cargo run -p pliant-fuzz --release -- --seconds 600 --seed 7 --only meshes
//! ```
//!
//! Exit code 1 if an input caused a panic, took too long or too much memory; it is kept in
//! `fuzz-failures/`.

use pliant_fuzz::{TARGETS, run};
use std::process::ExitCode;
use std::time::{Duration, Instant};

struct Wish {
    seconds: u64,
    seed: u64,
    only: Option<String>,
}

fn wish() -> Result<Wish, String> {
    let mut wish = Wish {
        seconds: 60,
        seed: 1,
        only: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(option) = arguments.next() {
        let value = arguments.next().ok_or(format!("{option} needs a value"))?;
        let number = || {
            value
                .parse::<u64>()
                .map_err(|_| format!("{option} needs a number"))
        };
        match option.as_str() {
            "--seconds" => wish.seconds = number()?,
            "--seed" => wish.seed = number()?,
            "--only" => wish.only = Some(value),
            _ => {
                return Err(format!(
                    "unknown option {option}: --seconds, --seed, --only"
                ));
            }
        }
    }
    Ok(wish)
}

fn main() -> ExitCode {
    let wish = match wish() {
        Ok(wish) => wish,
        Err(message) => {
            eprintln!("error: {message}");
            return ExitCode::from(2);
        }
    };
    let wanted = |name: &str| wish.only.as_deref().is_none_or(|only| only == name);
    let targets: Vec<_> = TARGETS
        .iter()
        .filter(|target| wanted(target.name))
        .collect();
    if targets.is_empty() {
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        eprintln!("error: there are {}", names.join(", "));
        return ExitCode::from(2);
    }
    // Panics are caught and counted; their messages would fill the screen.
    std::panic::set_hook(Box::new(|_| {}));
    let share = Duration::from_secs(wish.seconds) / targets.len() as u32;
    let (mut inputs, mut failures) = (0, 0);
    for target in targets {
        let end = Instant::now() + share;
        let outcome = run(target, wish.seed, &mut |_| Instant::now() < end);
        println!(
            "{:10} {:9} inputs, {} failures, longest {:.2} s, at most {:.1} MB",
            target.name,
            outcome.inputs,
            outcome.failures.len(),
            outcome.longest.as_secs_f64(),
            outcome.most_memory as f64 / 1e6
        );
        for failure in &outcome.failures {
            println!("  {failure}");
        }
        inputs += outcome.inputs;
        failures += outcome.failures.len();
    }
    println!("{inputs} inputs, {failures} failures");
    ExitCode::from(u8::from(failures > 0))
}
