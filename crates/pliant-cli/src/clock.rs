//! Time: of the wall and of the processor.

use cpu_time::ProcessTime;
use std::sync::OnceLock;
use std::time::Instant;

/// Seconds since the first call.
pub fn seconds() -> f64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_secs_f64()
}

/// Processor time of all threads of the program, in seconds; that of the wall where the system does
/// not tell it.
pub fn processor_seconds() -> f64 {
    ProcessTime::try_now().map_or_else(|_| seconds(), |time| time.as_duration().as_secs_f64())
}
