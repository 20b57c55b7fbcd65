//! How many threads the engine uses.

use crate::failure::Failure;

/// Sets the number of threads for the rest of the program; `None` takes one for each core.
/// Returns the number.
pub fn use_threads(threads: Option<usize>) -> Result<usize, Failure> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(threads.unwrap_or(0))
        .build_global()
        .map_err(|error| Failure::Input(format!("cannot start the threads: {error}")))?;
    Ok(rayon::current_num_threads())
}
