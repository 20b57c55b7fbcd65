//! Scenes of every element of the language with other numbers and words in their attributes, built and
//! stepped: whatever is accepted must step, and take no more memory than was announced.

use crate::{Random, Sample, Target, scenes};
use pliant::{Workspace, World};
use pliant_io::MemoryAssets;
use pliant_scene::{Scene, build_with, crossings, parse};
use pliant_session::{MemoryLimit, check_scene, estimate};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

/// The target.
pub const TARGET: Target = Target {
    name: "steps",
    samples: scenes::samples,
    make,
    read: |input| run(input, 2),
};

/// Larger worlds are not stepped.
const MOST_NODES: usize = 700;

/// Larger worlds are not even built, in bytes.
const MOST_MEMORY: u64 = 50_000_000;

/// The time after which a step is stopped. One that does not listen ends as a failure.
const ENOUGH: Duration = Duration::from_secs(2);

/// What takes the place of a number.
const NUMBERS: &[&str] = &[
    "0", "-1", "1", "2", "3", "0.5", "1e-3", "1e-9", "1e-300", "1e3", "1e9", "1e18", "1e300",
    "-1e9", "7", "100", "0.99", "u", "1-v", "u/(v-v)", "Yes", "No",
];

/// A scene with one to three attributes that say something else.
fn make(samples: &[Sample], random: &mut Random) -> Sample {
    let sample = random.pick(samples);
    let mut text = String::from_utf8_lossy(&sample.bytes).into_owned();
    for _ in 0..=random.below(3) {
        match random.below(5) {
            // A value from elsewhere.
            0 => {
                let other = String::from_utf8_lossy(&random.pick(samples).bytes).into_owned();
                if let (Some(at), Some(from)) = (value(&text, random), value(&other, random)) {
                    text.replace_range(at, &other[from]);
                }
            }
            // An element again, at another place.
            1 => {
                let other = String::from_utf8_lossy(&random.pick(samples).bytes).into_owned();
                if let (Some(at), Some(from)) = (element(&text, random), element(&other, random)) {
                    text.insert_str(at.start, &other[from]);
                }
            }
            _ => {
                if let Some(at) = number(&text, random) {
                    text.replace_range(at, random.pick::<&str>(NUMBERS));
                }
            }
        }
    }
    Sample {
        name: sample.name.clone(),
        bytes: text.into_bytes(),
    }
}

/// Where one of the values between quotes stands.
fn value(text: &str, random: &mut Random) -> Option<std::ops::Range<usize>> {
    let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
    let pair = random.below(quotes.len() / 2);
    let (open, close) = (quotes.get(2 * pair)?, quotes.get(2 * pair + 1)?);
    Some(open + 1..*close)
}

/// Where a number of one of the values stands.
fn number(text: &str, random: &mut Random) -> Option<std::ops::Range<usize>> {
    let value = value(text, random)?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || "+-.".contains(c);
    let words: Vec<&str> = text[value].split(|c| !is_part(c)).collect();
    let word = *random.pick(&words);
    let start = word.as_ptr() as usize - text.as_ptr() as usize;
    Some(start..start + word.len())
}

/// Where an element without children stands.
fn element(text: &str, random: &mut Random) -> Option<std::ops::Range<usize>> {
    let ends: Vec<usize> = text.match_indices("/>").map(|(at, _)| at + 2).collect();
    let end = *ends.get(random.below(ends.len()))?;
    let start = text[..end].rfind('<')?;
    Some(start..end)
}

/// Builds a scene and takes some steps, if it is small. Returns what it was announced to take, in bytes.
pub fn run(input: &Sample, steps: usize) -> usize {
    let text = String::from_utf8_lossy(&input.bytes);
    let Ok(scene) = parse(&text, &input.name) else {
        return 0;
    };
    let Some(mut world) = small_world(&scene, input) else {
        return 0;
    };
    let announced = estimate(&world).most as usize;
    let mut workspace = Workspace::new(&world);
    let stop = Arc::new(AtomicBool::new(false));
    workspace.stop = Some(stop.clone());
    workspace.bounds = scene.simulation.bounds;
    let (finished, watched) = channel::<()>();
    let watch = std::thread::spawn(move || {
        if watched.recv_timeout(ENOUGH) == Err(RecvTimeoutError::Timeout) {
            stop.store(true, Ordering::Relaxed);
        }
    });
    for _ in 0..steps {
        if world.step(&mut workspace).is_stopped {
            break;
        }
        let bodies = world.bodies.iter();
        let mut places = bodies.flat_map(|body| &body.state.positions);
        assert!(places.all(|place| place.is_finite()), "not finite");
        if let Some(contact) = &world.contact {
            let crossings = crossings(contact, &world.bodies);
            assert!(crossings.is_empty(), "{} crossings", crossings.len());
        }
    }
    drop(finished);
    // It ends with the channel.
    let _ = watch.join();
    announced
}

/// The world of a scene, if it is small enough to be stepped often.
fn small_world(scene: &Scene, input: &Sample) -> Option<World> {
    let limit = MemoryLimit {
        bytes: MOST_MEMORY,
        is_asked: true,
    };
    check_scene(scene, Some(limit)).ok()?;
    let world = build_with(scene, &input.name, &MemoryAssets::default()).ok()?;
    (world.node_count() <= MOST_NODES).then_some(world)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_of_the_scenes_are_accepted_and_all_differ() {
        let samples = scenes::samples();
        let mut seen = std::collections::BTreeSet::new();
        let mut accepted = 0;
        for seed in 0..300 {
            let input = make(&samples, &mut Random::new(seed));
            let text = String::from_utf8(input.bytes.clone()).unwrap();
            accepted += usize::from(parse(&text, "step.xml").is_ok());
            seen.insert(input.bytes);
        }
        // Exceptions of contact name bodies that are not there.
        assert!(accepted > 20, "{accepted} of 300");
        assert!(seen.len() > 270, "{}", seen.len());
    }
}
