//! Pliant and Rapier side by side: the same scenes, one thread, processor time per frame of 1/60 s, and
//! beside each time how good the result is.
//!
//! `pliant-peers [SCENE] [SIZE ...]`; README.md says what the scenes are and how to read the tables.

mod bar;
mod boxes;
mod cloth;
mod cubes;
mod engine;
mod race;
mod referee;

/// What may go wrong: one end for all errors, which `main` shows.
type Failure = Box<dyn std::error::Error>;

const SCENES: &str =
    "scenes: bar [0 1 2], cloth [32 64 128], cloth-self [64], cubes, boxes [27 125 1000]";

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (scene, sizes) = match arguments.split_first() {
        // Sizes alone are those of the bar.
        Some((first, _)) if first.parse::<usize>().is_ok() => ("bar", &arguments[..]),
        Some((first, others)) => (first.as_str(), others),
        None => ("bar", &[][..]),
    };
    let sizes = sizes
        .iter()
        .map(|size| size.parse())
        .collect::<Result<Vec<usize>, _>>()?;
    let or = |usual: &[usize]| {
        if sizes.is_empty() {
            usual.to_vec()
        } else {
            sizes.clone()
        }
    };
    // One thread costs the least processor time in both engines.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    match scene {
        "bar" => bar::compare(&or(&[0, 1])),
        "cloth" => cloth::compare(&or(&[32, 64]), false),
        "cloth-self" => cloth::compare(&or(&[64]), true),
        "cubes" => cubes::compare(),
        "boxes" => boxes::compare(&or(&[27, 125, 1000])),
        _ => Err(SCENES.into()),
    }
}
