//! Text to the user. Results go to the standard output, notes and progress to the standard error.
//!
//! Where `println!` would panic, a standard output that cannot be written (a full disk, a reader
//! that went away) is remembered: the command does its work and then ends with exit code 1. Notes
//! that nobody reads are dropped.

use std::io::Write;
use std::sync::OnceLock;

static FAILURE: OnceLock<String> = OnceLock::new();

/// Writes a line to the standard output.
pub fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = writeln!(out, "{line}").and_then(|()| out.flush()) {
        // The first failure says most.
        let _ = FAILURE.set(error.to_string());
    }
}

/// Why the standard output could not be written, if it could not.
pub fn failure() -> Option<&'static str> {
    FAILURE.get().map(String::as_str)
}

/// Writes a line to the standard error.
pub fn note(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Writes text to the standard error as it is, without ending the line.
pub fn note_unfinished(text: &str) {
    let mut out = std::io::stderr().lock();
    let _ = write!(out, "{text}").and_then(|()| out.flush());
}

/// A duration as people say it.
pub fn readable_seconds(seconds: f64) -> String {
    if seconds.is_nan() || seconds > 1e7 {
        return "?".to_owned();
    }
    if seconds < 1.0 {
        return format!("{:.0} ms", 1000.0 * seconds);
    }
    if seconds < 59.5 {
        return format!("{seconds:.1} s");
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, seconds) = (whole / 3600, whole / 60 % 60, whole % 60);
    if hours > 0 {
        format!("{hours} h {minutes:02} min")
    } else {
        format!("{minutes} min {seconds:02} s")
    }
}

/// "1 body", "2 bodies".
pub fn counted(count: usize, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        assert_eq!(readable_seconds(0.0123), "12 ms");
        assert_eq!(readable_seconds(5.04), "5.0 s");
        assert_eq!(readable_seconds(59.7), "1 min 00 s");
        assert_eq!(readable_seconds(3725.0), "1 h 02 min");
        assert_eq!(readable_seconds(f64::INFINITY), "?");
        assert_eq!(readable_seconds(f64::NAN), "?");
    }
}
