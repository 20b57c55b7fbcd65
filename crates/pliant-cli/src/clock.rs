//! Time of the wall and of the processor.

pub use pliant_session::clock::seconds;

use cpu_time::ProcessTime;

/// Processor time of all threads of the program, in seconds; that of the wall where the system does
/// not tell it.
pub fn processor_seconds() -> f64 {
    ProcessTime::try_now().map_or_else(|_| seconds(), |time| time.as_duration().as_secs_f64())
}
