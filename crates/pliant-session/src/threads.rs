//! How many threads the engine uses.

use crate::failure::Failure;
use std::sync::OnceLock;

/// Sets the number of threads for the rest of the program; `None` takes one for each core. Only the
/// first call counts. Returns the number.
pub fn use_threads(threads: Option<usize>) -> Result<usize, Failure> {
    static IS_SET: OnceLock<()> = OnceLock::new();
    // In a browser there is one thread, and no other can be started.
    let has_threads = !cfg!(target_arch = "wasm32");
    if has_threads && IS_SET.set(()).is_ok() {
        let started = rayon::ThreadPoolBuilder::new()
            .num_threads(threads.unwrap_or(0))
            .build_global();
        // Whoever has used the engine before has started them.
        let fits = threads.is_none_or(|threads| threads == rayon::current_num_threads());
        if let (Err(error), false) = (started, fits) {
            return Err(Failure::Input(format!("cannot start the threads: {error}")));
        }
    }
    Ok(rayon::current_num_threads())
}
