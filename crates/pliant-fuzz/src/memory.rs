//! How much memory an input takes: an allocator that counts.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static PEAK: AtomicUsize = AtomicUsize::new(0);

struct Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

// SAFETY: every call is handed on to the allocator of the system with the same arguments, and what it
// returns is returned.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count_allocated(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count_allocated(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count_allocated(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = unsafe { System.realloc(pointer, layout, size) };
        TAKEN.fetch_sub(layout.size(), Ordering::Relaxed);
        moved
    }
}

fn count_allocated(size: usize) {
    let taken = TAKEN.fetch_add(size, Ordering::Relaxed) + size;
    PEAK.fetch_max(taken, Ordering::Relaxed);
}

/// Does something; also says how many bytes it took on top of what was taken before, at most. Whatever
/// other threads take is counted too.
pub fn measured<T>(work: impl FnOnce() -> T) -> (T, usize) {
    let before = TAKEN.load(Ordering::Relaxed);
    PEAK.store(before, Ordering::Relaxed);
    let result = work();
    (result, PEAK.load(Ordering::Relaxed).saturating_sub(before))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_counted() {
        let (kept, bytes) = measured(|| {
            drop(vec![1_u8; 3_000_000]);
            vec![1_u8; 1_000_000]
        });
        assert_eq!(kept.len(), 1_000_000);
        // Tests beside this one take some too.
        assert!(bytes >= 3_000_000, "{bytes}");
    }
}
