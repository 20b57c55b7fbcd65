//! `from` and `until`: when a force or a process is at work.

use super::{Attribute, Kind, Range};
use crate::diagnostics::{Problem, Reporter};
use crate::parse::Values;

/// When it is at work.
pub(super) const FOR_SOME_TIME: &[Attribute] = &[
    Attribute::or(
        "from",
        Kind::Number(Range::NOT_NEGATIVE),
        "0",
        "When it starts, in seconds.",
    ),
    Attribute::optional(
        "until",
        Kind::Number(Range::POSITIVE),
        "When it stops, in seconds; never, if left out.",
    ),
];

/// `from` and `until`, which is infinite if it is left out.
pub(crate) fn read_span(reporter: &mut Reporter, values: &Values<'_>) -> (f64, f64) {
    let from = values.number("from");
    let until = values.optional_number("until");
    if let Some(until) = until
        && until <= from
    {
        let message = format!("expected a time after `from` ({from}), found {until}");
        values.wrong(reporter, "until", Problem::new(message));
    }
    (from, until.unwrap_or(f64::INFINITY))
}
