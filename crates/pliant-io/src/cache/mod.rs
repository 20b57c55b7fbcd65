//! The cache of a run: one file, `.pliant`, from which a run continues and pictures are made again
//! without simulating.
//!
//! ```text
//! file     = magic (8 bytes), version (4 bytes), record of the header, record of each frame
//! record   = length of the content (8 bytes), checksum of it (8 bytes, FNV-1a), content
//! header   = name, file, text and folder of the scene, overrides, seconds and frames asked for
//! frame    = steps taken, time, snapshot of the world, measures of each step since the frame
//!            before, totals of the run so far
//! ```
//!
//! Numbers are little-endian; a text or list is its length (8 bytes) and its content. Frames are
//! only ever added at the end, each by one write, so a run that is killed leaves every frame but
//! perhaps the last one whole: what follows the last whole record is ignored by the reader and cut
//! off by a run that continues. A frame holds the snapshot alone; forces, fields and obstacles are
//! made again from the scene text, which keeps the file small.

mod bytes;
mod content;
mod error;
mod reader;
mod writer;

pub use content::{CacheHeader, CachedFrame, StepSample};
pub use error::CacheError;
pub use reader::CacheReader;
pub use writer::CacheWriter;

/// What every cache begins with. The line break shows files that were sent as text.
const MAGIC: [u8; 8] = *b"PLIANT\r\n";

/// Version of the layout; another one is refused.
const VERSION: u32 = 1;

/// Bytes before the content of a record: its length and its checksum.
const RECORD_HEAD: usize = 16;

/// FNV-1a: finds a record that was torn or damaged, which is all that is asked of it.
fn checksum(content: &[u8]) -> u64 {
    content.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// A content with its length and checksum before it.
fn record(content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(RECORD_HEAD + content.len());
    record.extend((content.len() as u64).to_le_bytes());
    record.extend(checksum(content).to_le_bytes());
    record.extend(content);
    record
}
