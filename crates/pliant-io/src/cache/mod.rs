//! The cache of a run: one file, `.pliant`, from which a run continues and pictures are made again
//! without simulating.
//!
//! ```text
//! file     = magic (8 bytes), version (4 bytes), record of the header, record of each frame,
//!            record of the end if the run came to it
//! record   = mark (8 bytes), number (8 bytes: 0 the header, n + 1 frame n, all ones the end),
//!            length of the content (8 bytes), checksum of it (8 bytes, FNV-1a), checksum of these
//!            32 bytes (8 bytes), content
//! header   = name, file, text and folder of the scene, overrides, seconds and frames asked for,
//!            files that the scene names, each with a checksum
//! frame    = steps taken, time, snapshot of the world, measures of each step since the frame
//!            before, totals of the run so far
//! ```
//!
//! Numbers are little-endian; a text or list is its length (8 bytes) and its content. Frames are
//! only ever added at the end, each by one write, so a run that is killed leaves every frame but
//! perhaps the last one whole: a record that the end of the file cuts short is **unfinished**, and a
//! run that continues cuts it off. Anything else that is not a whole record is **damage**: the mark
//! lets the reader find the next record behind it, and the numbers tell which frames are lost. A
//! frame holds the snapshot alone; forces, fields and obstacles are made again from the scene text,
//! which keeps the file small.
//!
//! A writer locks the file, so that two runs cannot write to one cache. The lock ends with the
//! process, however that ends.

mod bytes;
mod content;
mod error;
mod lock;
mod reader;
mod record;
mod writer;

pub use content::{CacheHeader, CachedFrame, InputFile, StepSample};
pub use error::CacheError;
pub use reader::CacheReader;
pub use record::checksum;
pub use writer::CacheWriter;

/// What every cache begins with. The line break shows files that were sent as text.
const MAGIC: [u8; 8] = *b"PLIANT\r\n";

/// Version of the layout; another one is refused.
const VERSION: u32 = 6;

/// Bytes before the record of the header: magic and version.
const START: usize = MAGIC.len() + 4;
