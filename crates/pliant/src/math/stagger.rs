//! Where large arrays start within a page of memory.
//!
//! An allocator puts every large array at the same place of a page. Kernels that walk along many
//! of them then find all they need in the same few places of the nearest cache, and a load waits
//! for a store to another array that looks like the same address. So each array leaves out another
//! number of cache lines before its first value.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Cache lines of a page.
const PAGE: usize = 64;

/// Cache lines that an array of `lines` cache lines should leave out before its first value.
pub(crate) fn lines_before(lines: usize) -> usize {
    /// Neighbours in the order of making are so many lines apart; no divisor of a page.
    const APART: usize = 13;
    static MADE: AtomicUsize = AtomicUsize::new(0);
    // Small arrays lie anywhere.
    if lines < PAGE {
        return 0;
    }
    MADE.fetch_add(APART, Ordering::Relaxed) % PAGE
}
