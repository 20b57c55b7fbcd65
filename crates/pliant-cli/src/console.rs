//! Text to the user. Results go to the standard output, notes and progress to the standard error.
//!
//! A reader that went away (`pliant scenes | head`) is no error: what nobody reads is dropped,
//! where `println!` would panic.

use std::io::Write;

/// Writes a line to the standard output.
pub fn print(line: &str) {
    let mut out = std::io::stdout().lock();
    let _ = writeln!(out, "{line}").and_then(|()| out.flush());
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
