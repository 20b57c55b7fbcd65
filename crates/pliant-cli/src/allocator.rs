//! Memory with a limit: whoever asks for more ends the program with a message and exit code 1,
//! instead of an abort, or of a machine that stands still.
//!
//! Only large pieces are counted. Everything that grows with a scene is made of them, and small
//! pieces cost nothing this way.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Pieces of fewer bytes are not counted.
const COUNTED: usize = 1 << 16;

static TAKEN: AtomicUsize = AtomicUsize::new(0);
static LIMIT: AtomicUsize = AtomicUsize::new(usize::MAX);

/// The allocator of the system, with a limit.
pub struct Limited;

#[global_allocator]
static ALLOCATOR: Limited = Limited;

/// From now on no more than this many bytes are taken.
pub fn set_limit(bytes: u64) {
    LIMIT.store(
        usize::try_from(bytes).unwrap_or(usize::MAX),
        Ordering::Relaxed,
    );
}

// SAFETY: every call is handed on to the allocator of the system with the same arguments, and what
// it returns is returned unless the program ends.
unsafe impl GlobalAlloc for Limited {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        reserve(layout.size());
        // SAFETY: the caller keeps the contract of `alloc`.
        present(unsafe { System.alloc(layout) }, layout.size())
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        reserve(layout.size());
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        present(unsafe { System.alloc_zeroed(layout) }, layout.size())
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        give_back(layout.size());
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        reserve(size);
        // SAFETY: the caller keeps the contract of `realloc`.
        let moved = present(unsafe { System.realloc(pointer, layout, size) }, size);
        give_back(layout.size());
        moved
    }
}

fn reserve(size: usize) {
    if size >= COUNTED {
        let taken = TAKEN
            .fetch_add(size, Ordering::Relaxed)
            .saturating_add(size);
        if taken > LIMIT.load(Ordering::Relaxed) {
            refuse(taken);
        }
    }
}

fn give_back(size: usize) {
    if size >= COUNTED {
        TAKEN.fetch_sub(size, Ordering::Relaxed);
    }
}

fn present(pointer: *mut u8, size: usize) -> *mut u8 {
    if pointer.is_null() && size >= COUNTED {
        refuse(TAKEN.load(Ordering::Relaxed));
    }
    pointer
}

/// Ends the program. Nothing here may allocate: the text is put together on the stack.
#[cold]
fn refuse(taken: usize) -> ! {
    let mut text = [0_u8; 256];
    let mut rest = &mut text[..];
    let megabytes = taken / 1_000_000;
    // Longer than any number; if not, the message is cut off.
    let _ = write!(
        rest,
        "error: out of memory: {megabytes} MB are needed and more\n  hint: a coarser scene needs \
         less; --memory SIZE sets the limit; what the cache holds can be gone on from\n"
    );
    let left = rest.len();
    let length = text.len() - left;
    let _ = std::io::stderr().write_all(&text[..length]);
    std::process::exit(1);
}
