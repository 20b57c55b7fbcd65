//! Hostile input from a seed: scenes, formulas, meshes, pictures, caches and short runs.
//!
//! A [`Target`] makes the n-th input of a seed and hands it to a reader. Whatever the reader
//! answers is right, as long as it answers: a panic, an answer that takes longer than
//! [`LONGEST`], or one that takes more memory than was announced, is a failure. The same seed and
//! number give the same input, so that a failure can be repeated; its bytes are kept beside. An answer
//! that never comes ends the program, which says which input it was (`watch.rs`).

mod caches;
mod damage;
mod formulas;
mod meetings;
mod memory;
mod meshes;
mod pictures;
mod random;
mod runs;
mod scenes;
mod steps;
mod watch;

pub use random::Random;

use memory::measured;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use watch::Watch;

/// An answer that takes longer is a failure.
pub const LONGEST: Duration = Duration::from_secs(60);

/// Memory that reading bytes may take, by their number: what a packed mesh may unpack to, with room for
/// what is made of it.
const BYTES_PER_BYTE: usize = 300;

/// Memory that any answer may take, in bytes.
const FREE_BYTES: usize = 100_000_000;

/// A reader and how its inputs are made.
pub struct Target {
    /// What it is called.
    pub name: &'static str,
    /// The samples that inputs are made of, read once.
    samples: fn() -> Vec<Sample>,
    /// Makes an input of samples.
    make: fn(&[Sample], &mut Random) -> Sample,
    /// Hands an input to the reader. Returns the memory that a simulation of it was announced to take, in
    /// bytes; 0 if there is none.
    read: fn(&Sample) -> usize,
}

/// Something to read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sample {
    /// A name, whose extension may matter.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// All targets. A new one is one file and one line here.
pub const TARGETS: &[Target] = &[
    scenes::TARGET,
    formulas::TARGET,
    meshes::TARGET,
    pictures::TARGET,
    caches::TARGET,
    runs::TARGET,
    meetings::TARGET,
    steps::TARGET,
];

/// What came of many inputs.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// Number of inputs.
    pub inputs: u64,
    /// The longest answer.
    pub longest: Duration,
    /// The most memory that an answer took, in bytes.
    pub most_memory: usize,
    /// One line for each failure.
    pub failures: Vec<String>,
}

/// Tries inputs as long as `more`, which gets the number of inputs so far, says so. What once failed
/// (`corpus/`) comes first.
pub fn run(target: &Target, seed: u64, more: &mut dyn FnMut(u64) -> bool) -> Outcome {
    let samples = (target.samples)();
    let mut outcome = Outcome::default();
    let watch = Watch::begin(target.name);
    for sample in corpus(target.name) {
        attempt(target, Arc::new(sample), "corpus", &watch, &mut outcome);
    }
    while more(outcome.inputs) {
        let number = outcome.inputs;
        let mut random = Random::new(seed ^ number.wrapping_mul(0x2545_f491_4f6c_dd1d));
        let input = Arc::new((target.make)(&samples, &mut random));
        let which = format!("seed {seed}, {number}");
        attempt(target, input, &which, &watch, &mut outcome);
    }
    outcome
}

fn attempt(target: &Target, input: Arc<Sample>, which: &str, watch: &Watch, outcome: &mut Outcome) {
    let start = Instant::now();
    watch.set(Some(input.clone()));
    let (result, bytes) = measured(|| catch_unwind(AssertUnwindSafe(|| (target.read)(&input))));
    watch.set(None);
    let elapsed = start.elapsed();
    outcome.inputs += 1;
    outcome.longest = outcome.longest.max(elapsed);
    outcome.most_memory = outcome.most_memory.max(bytes);
    let allowed = FREE_BYTES + BYTES_PER_BYTE * input.bytes.len();
    let what = match result {
        Err(_) => "panic".to_owned(),
        Ok(_) if elapsed > LONGEST => "too long".to_owned(),
        Ok(announced) if bytes > allowed + announced => format!("{} MB", bytes / 1_000_000),
        Ok(_) => return,
    };
    let kept = keep(target.name, outcome.failures.len(), &input);
    let name = &input.name;
    outcome
        .failures
        .push(format!("{what}: {which}, made of {name}, kept in {kept}"));
}

/// Keeps an input that failed.
fn keep(target: &str, number: usize, input: &Sample) -> String {
    let folder = Path::new("fuzz-failures");
    let base = Path::new(&input.name).file_name().unwrap_or_default();
    let path = folder.join(format!("{target}-{number}-{}", base.to_string_lossy()));
    let written = fs::create_dir_all(folder).and_then(|()| fs::write(&path, &input.bytes));
    written.map_or_else(|error| error.to_string(), |()| path.display().to_string())
}

/// What once failed: files of `corpus/` whose names begin with that of the target.
fn corpus(target: &str) -> Vec<Sample> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus");
    files_of(&folder)
        .into_iter()
        .filter(|sample| sample.name.starts_with(target))
        .collect()
}

/// The files of a folder, in order of their names; none if it is not there.
fn files_of(folder: &Path) -> Vec<Sample> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut files: Vec<Sample> = entries
        .filter(|entry| entry.path().is_file())
        .filter_map(|entry| {
            Some(Sample {
                name: entry.file_name().to_string_lossy().into_owned(),
                bytes: fs::read(entry.path()).ok()?,
            })
        })
        .collect();
    files.sort_by(|a, b| a.name.cmp(&b.name));
    files
}
