//! The MP4 container: one video track, tables in front.
//!
//! ```text
//! ftyp                         what kind of file
//! moov mvhd                    the film: length
//!      trak tkhd               the track: size
//!           mdia mdhd hdlr     ticks, "this is video"
//!                minf vmhd dinf/dref/url
//!                     stbl stsd  how to decode (from the codec)
//!                          stts  how long each picture lasts (all alike)
//!                          stss  which pictures stand alone
//!                          stsc stsz stco|co64  where the pictures are
//! mdat                         the pictures
//! ```
//!
//! Implements: ISO/IEC 14496-12 (boxes), 14496-14 (brands). Pictures wait in a [`Spool`] until
//! the tables can be written; memory holds four bytes a picture.

use crate::FilmError;
use crate::frame_rate::FrameRate;
use pliant_io::AtomicFile;
use pliant_io::Spool;
use std::io::{self, BufReader, Write};
use std::path::{Path, PathBuf};

/// Pictures in a chunk, the unit in which the file says where data are.
const CHUNK: usize = 32;
/// Ticks a second of the film as a whole.
const FILM_TICKS: u64 = 1000;
/// Position and size unchanged: the unit matrix in the fixed-point forms of the format.
const UNIT_MATRIX: [u32; 9] = [0x1_0000, 0, 0, 0, 0x1_0000, 0, 0, 0, 0x4000_0000];

/// How the track is to be decoded and shown.
pub(crate) struct VideoTrack {
    /// Width, pixels.
    pub width: usize,
    /// Height, pixels.
    pub height: usize,
    /// Ticks.
    pub rate: FrameRate,
    /// The codec's box for `stsd`.
    pub sample_entry: Vec<u8>,
}

/// An MP4 file in the making.
pub(crate) struct Mp4 {
    path: PathBuf,
    file: AtomicFile,
    spool: Spool,
    sizes: Vec<u32>,
    /// Numbers, from 1, of the pictures that stand alone.
    keys: Vec<u32>,
}

impl Mp4 {
    /// Begins a file.
    pub fn create(path: &Path) -> Result<Self, FilmError> {
        Ok(Self {
            path: path.to_path_buf(),
            file: AtomicFile::create(path)?,
            spool: Spool::create(path)?,
            sizes: Vec::new(),
            keys: Vec::new(),
        })
    }

    /// Adds an encoded picture, given in pieces.
    pub fn add_sample(&mut self, pieces: &[&[u8]], is_key: bool) -> Result<(), FilmError> {
        let size: usize = pieces.iter().map(|piece| piece.len()).sum();
        let too_large = |reason| FilmError::TooLarge {
            path: self.path.clone(),
            reason,
        };
        let size = u32::try_from(size).map_err(|_| too_large("a picture of 4 GiB"))?;
        let number = u32::try_from(self.sizes.len() + 1)
            .map_err(|_| too_large("more pictures than can be counted"))?;
        for piece in pieces {
            self.spool
                .write_all(piece)
                .map_err(FilmError::write(&self.path))?;
        }
        self.sizes.push(size);
        if is_key {
            self.keys.push(number);
        }
        Ok(())
    }

    /// Pictures added.
    pub fn sample_count(&self) -> usize {
        self.sizes.len()
    }

    /// Completes the file.
    pub fn finish(self, track: &VideoTrack) -> Result<(), FilmError> {
        let mut file = self.file;
        let data_length = self.spool.len();
        let write = |file: &mut AtomicFile| -> io::Result<()> {
            let header = file_header(track, &self.sizes, &self.keys, data_length);
            file.write_all(&header)?;
            let copied = io::copy(&mut BufReader::new(self.spool.into_reader()?), file)?;
            if copied != data_length {
                return Err(io::Error::other("the temporary file was changed"));
            }
            Ok(())
        };
        write(&mut file).map_err(FilmError::write(&self.path))?;
        file.commit()?;
        Ok(())
    }
}

/// Everything in front of the pictures.
fn file_header(track: &VideoTrack, sizes: &[u32], keys: &[u32], data_length: u64) -> Vec<u8> {
    // The boxes need 4-byte positions or 8-byte ones; which, follows from the length of all.
    let is_long = data_length + (sizes.len() as u64 * 12) + 4096 > u64::from(u32::MAX);
    let brands = boxed(b"ftyp", b"isom\0\0\x02\0isomiso2avc1mp41");
    // The length of the tables does not depend on the positions in them.
    let length = movie(track, sizes, keys, 0, is_long).len();
    let data_header = if is_long { 16 } else { 8 };
    let start = (brands.len() + length + data_header) as u64;
    let mut header = brands;
    header.extend(movie(track, sizes, keys, start, is_long));
    if is_long {
        header.extend(1u32.to_be_bytes());
        header.extend(b"mdat");
        header.extend((data_length + 16).to_be_bytes());
    } else {
        header.extend((data_length as u32 + 8).to_be_bytes());
        header.extend(b"mdat");
    }
    header
}

/// The `moov` box. `start` is where the first picture lies in the file.
fn movie(track: &VideoTrack, sizes: &[u32], keys: &[u32], start: u64, is_long: bool) -> Vec<u8> {
    let ticks = sizes.len() as u64 * u64::from(track.rate.denominator);
    let film_ticks = (ticks * FILM_TICKS).div_ceil(u64::from(track.rate.numerator));
    let film = Fields::default()
        .words(&[0, 0])
        .words(&[FILM_TICKS as u32])
        .long(film_ticks)
        .words(&[0x1_0000]) // normal speed
        .words(&[0x0100_0000, 0, 0]) // full volume
        .words(&UNIT_MATRIX)
        .words(&[0; 6])
        .words(&[2]) // number of the next track
        .boxed_in_version_1(b"mvhd", 0);
    let head = Fields::default()
        .words(&[0, 0])
        .words(&[1, 0]) // track number
        .long(film_ticks)
        .words(&[0, 0, 0, 0])
        .words(&UNIT_MATRIX)
        .words(&[(track.width as u32) << 16, (track.height as u32) << 16])
        .boxed_in_version_1(b"tkhd", 3); // enabled, part of the film
    let media_head = Fields::default()
        .words(&[0, 0])
        .words(&[track.rate.numerator])
        .long(ticks)
        .words(&[0x55c4_0000]) // language not determined
        .boxed_in_version_1(b"mdhd", 0);
    let handler = full_box(b"hdlr", 0, b"\0\0\0\0vide\0\0\0\0\0\0\0\0\0\0\0\0Video\0");
    let references = full_box(
        b"dref",
        0,
        &[&[0, 0, 0, 1][..], &full_box(b"url ", 1, &[])].concat(),
    );
    let information = boxed(
        b"minf",
        &[
            full_box(b"vmhd", 1, &[0; 8]),
            boxed(b"dinf", &references),
            sample_table(track, sizes, keys, start, is_long),
        ]
        .concat(),
    );
    let media = boxed(b"mdia", &[media_head, handler, information].concat());
    let track = boxed(b"trak", &[head, media].concat());
    boxed(b"moov", &[film, track].concat())
}

/// The `stbl` box.
fn sample_table(
    track: &VideoTrack,
    sizes: &[u32],
    keys: &[u32],
    start: u64,
    is_long: bool,
) -> Vec<u8> {
    let count = sizes.len() as u32;
    let whole_chunks = (sizes.len() / CHUNK) as u32;
    let rest = (sizes.len() % CHUNK) as u32;
    let description = [&[0, 0, 0, 1][..], &track.sample_entry].concat();
    let durations = Fields::default().words(&[1, count, track.rate.denominator]);
    let standing_alone = Fields::default().words(&[keys.len() as u32]).words(keys);
    // Runs of chunks with equally many pictures: first chunk, pictures in each, description.
    let mut runs = Vec::new();
    if whole_chunks > 0 {
        runs.extend([1, CHUNK as u32, 1]);
    }
    if rest > 0 {
        runs.extend([whole_chunks + 1, rest, 1]);
    }
    let chunks = Fields::default()
        .words(&[runs.len() as u32 / 3])
        .words(&runs);
    let sizes_table = Fields::default().words(&[0, count]).words(sizes);
    let mut positions = Fields::default().words(&[sizes.len().div_ceil(CHUNK) as u32]);
    let mut position = start;
    for chunk in sizes.chunks(CHUNK) {
        positions = if is_long {
            positions.long(position)
        } else {
            positions.words(&[position as u32])
        };
        position += chunk.iter().map(|size| u64::from(*size)).sum::<u64>();
    }
    let positions_kind = if is_long { b"co64" } else { b"stco" };
    boxed(
        b"stbl",
        &[
            full_box(b"stsd", 0, &description),
            full_box(b"stts", 0, &durations.0),
            full_box(b"stss", 0, &standing_alone.0),
            full_box(b"stsc", 0, &chunks.0),
            full_box(b"stsz", 0, &sizes_table.0),
            full_box(positions_kind, 0, &positions.0),
        ]
        .concat(),
    )
}

/// Numbers in a row, the highest byte first.
#[derive(Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn words(mut self, words: &[u32]) -> Self {
        self.0
            .extend(words.iter().flat_map(|word| word.to_be_bytes()));
        self
    }

    fn long(mut self, value: u64) -> Self {
        self.0.extend(value.to_be_bytes());
        self
    }

    /// A box in the version with long times. Both times of making, which come first and are 0,
    /// are long as well.
    fn boxed_in_version_1(self, kind: &[u8; 4], flags: u32) -> Vec<u8> {
        let content = [&[0; 8][..], &self.0].concat();
        full_box(kind, 0x0100_0000 | flags, &content)
    }
}

/// A box: its length, its kind, its content.
pub(crate) fn boxed(kind: &[u8; 4], content: &[u8]) -> Vec<u8> {
    let length = (content.len() + 8) as u32;
    [&length.to_be_bytes()[..], kind, content].concat()
}

/// A box that begins with a version (the highest byte) and flags.
fn full_box(kind: &[u8; 4], version_and_flags: u32, content: &[u8]) -> Vec<u8> {
    boxed(
        kind,
        &[&version_and_flags.to_be_bytes()[..], content].concat(),
    )
}

/// The `colr` box: BT.709 primaries, transfer and matrix, limited range.
pub(crate) fn colour_box() -> Vec<u8> {
    boxed(b"colr", b"nclx\0\x01\0\x01\0\x01\0")
}

/// An entry of `stsd` for video; `parts` are the codec's own boxes.
pub(crate) fn visual_sample_entry(
    kind: &[u8; 4],
    width: usize,
    height: usize,
    parts: &[u8],
) -> Vec<u8> {
    let mut content = vec![0; 6];
    content.extend([0, 1]); // which data reference
    content.extend([0; 16]);
    content.extend((width as u16).to_be_bytes());
    content.extend((height as u16).to_be_bytes());
    content.extend([0, 0x48, 0, 0, 0, 0x48, 0, 0]); // 72 dots an inch
    content.extend([0; 4]);
    content.extend([0, 1]); // pictures in a sample
    content.extend([0; 32]); // name of the compressor
    content.extend([0, 24, 0xff, 0xff]); // colour, no palette
    content.extend(parts);
    boxed(kind, &content)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track() -> VideoTrack {
        VideoTrack {
            width: 64,
            height: 48,
            rate: FrameRate::new(30.0).in_fine_ticks(),
            sample_entry: visual_sample_entry(b"avc1", 64, 48, &[]),
        }
    }

    fn position_of(data: &[u8], kind: &[u8; 4]) -> usize {
        data.windows(4).position(|window| window == kind).unwrap()
    }

    fn word(data: &[u8], at: usize) -> u64 {
        u64::from(u32::from_be_bytes(data[at..at + 4].try_into().unwrap()))
    }

    #[test]
    fn positions_point_behind_the_header() {
        for count in [1, 31, 32, 33, 64, 100] {
            let sizes = vec![10; count];
            let header = file_header(&track(), &sizes, &[1], 10 * count as u64);
            let table = position_of(&header, b"stco");
            assert_eq!(word(&header, table + 8), count.div_ceil(CHUNK) as u64);
            assert_eq!(word(&header, table + 12), header.len() as u64);
            if count > CHUNK {
                assert_eq!(
                    word(&header, table + 16),
                    (header.len() + 10 * CHUNK) as u64
                );
            }
        }
    }

    #[test]
    fn a_film_beyond_4_gib_has_long_positions() {
        let sizes = vec![u32::MAX / 64; 100];
        let length = 100 * u64::from(u32::MAX / 64);
        let header = file_header(&track(), &sizes, &[1], length);
        let table = position_of(&header, b"co64");
        let first = word(&header, table + 12) << 32 | word(&header, table + 16);
        assert_eq!(first, header.len() as u64);
        let data = header.len() - 16;
        assert_eq!(word(&header, data), 1);
        assert_eq!(&header[data + 4..data + 8], b"mdat");
        let long = word(&header, data + 8) << 32 | word(&header, data + 12);
        assert_eq!(long, length + 16);
    }
}
