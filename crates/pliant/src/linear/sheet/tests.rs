//! Tests of the pieces for open sheets.
