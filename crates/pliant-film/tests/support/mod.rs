//! Pictures to film, and a reader of MP4 that shares no code with the writer.

#![allow(dead_code, reason = "each test file uses a part of it")]

use pliant_film::FilmWriter;
use std::fs;
use std::path::{Path, PathBuf};

/// An empty folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-film-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// How many files a folder holds, hidden ones too.
pub fn file_count(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

/// A shaded disc that moves over a gradient with lines.
pub fn picture(width: usize, height: usize, number: usize) -> Vec<u8> {
    let mut rgba = Vec::with_capacity(width * height * 4);
    let centre = [
        width as f64 * (0.3 + 0.02 * number as f64),
        height as f64 * 0.5,
    ];
    let radius = height as f64 * 0.3;
    for y in 0..height {
        for x in 0..width {
            let offset = [
                (x as f64 - centre[0]) / radius,
                (y as f64 - centre[1]) / radius,
            ];
            let square = offset[0] * offset[0] + offset[1] * offset[1];
            let colour = if square < 1.0 {
                let shade = 0.3 + 0.7 * (1.0 - square).sqrt();
                [220.0 * shade, 60.0 * shade, 40.0 * shade]
            } else if x % 16 == 0 || y % 16 == 0 {
                [90.0, 100.0, 110.0]
            } else {
                let shade = y as f64 / height as f64;
                [150.0 + 60.0 * shade, 170.0 + 40.0 * shade, 200.0]
            };
            rgba.extend(colour.map(|channel| channel as u8));
            rgba.push(255);
        }
    }
    rgba
}

/// Numbers without order, the same in every run.
pub fn noise(length: usize, mut seed: u64) -> Vec<u8> {
    (0..length)
        .map(|_| {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            (seed >> 56) as u8
        })
        .collect()
}

/// Adds the pictures and finishes.
pub fn make(mut film: Box<dyn FilmWriter>, pictures: &[Vec<u8>]) -> Vec<PathBuf> {
    for picture in pictures {
        film.add(picture).unwrap();
    }
    film.finish().unwrap()
}

/// Peak signal to noise ratio in decibels; 99 for equal data.
pub fn likeness(a: &[u8], b: &[u8]) -> f64 {
    assert_eq!(a.len(), b.len());
    let squares: f64 = a
        .iter()
        .zip(b)
        .map(|(a, b)| (f64::from(*a) - f64::from(*b)).powi(2))
        .sum();
    let mean = squares / a.len() as f64;
    if mean == 0.0 {
        99.0
    } else {
        10.0 * (255.0 * 255.0 / mean).log10()
    }
}

/// BT.709 luma of limited range by definition, odd sides made even by repeating the edge.
pub fn luma(rgba: &[u8], width: usize, height: usize) -> Vec<u8> {
    let even = (width.next_multiple_of(2), height.next_multiple_of(2));
    let mut luma = Vec::new();
    for y in 0..even.1 {
        for x in 0..even.0 {
            let at = (y.min(height - 1) * width + x.min(width - 1)) * 4;
            let [red, green, blue] = [0, 1, 2].map(|channel| f64::from(rgba[at + channel]));
            let value = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
            luma.push((16.0 + value * 219.0 / 255.0).round() as u8);
        }
    }
    luma
}

/// A box of an MP4 file: kind, content, and where the content begins in the file.
pub struct Mp4Box<'a> {
    pub kind: String,
    pub content: &'a [u8],
    pub start: usize,
}

/// The boxes in a row that fill the data exactly.
pub fn boxes(data: &[u8], start: usize) -> Vec<Mp4Box<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while at < data.len() {
        let length = number(data, at, 4) as usize;
        assert!(length >= 8 && at + length <= data.len(), "length {length}");
        found.push(Mp4Box {
            kind: String::from_utf8(data[at + 4..at + 8].to_vec()).unwrap(),
            content: &data[at + 8..at + length],
            start: start + at + 8,
        });
        at += length;
    }
    found
}

/// The content of the box at a path like `moov/trak`, seen from the top.
pub fn find<'a>(file: &'a [u8], path: &str) -> &'a [u8] {
    let mut data = file;
    for kind in path.split('/') {
        let all = boxes(data, 0);
        let mut matching = all.iter().filter(|found| found.kind == kind);
        let found = matching.next().unwrap_or_else(|| panic!("no {kind}"));
        assert!(matching.next().is_none(), "two {kind}");
        data = found.content;
    }
    data
}

/// A number, the highest byte first.
pub fn number(data: &[u8], at: usize, bytes: usize) -> u64 {
    data[at..at + bytes]
        .iter()
        .fold(0, |value, byte| value << 8 | u64::from(*byte))
}

/// The table of a full box: rows of words after the version and a count.
pub fn table(content: &[u8], columns: usize) -> Vec<Vec<u64>> {
    let count = number(content, 4, 4) as usize;
    assert_eq!(content.len(), 8 + count * columns * 4);
    (0..count)
        .map(|row| {
            (0..columns)
                .map(|column| number(content, 8 + (row * columns + column) * 4, 4))
                .collect()
        })
        .collect()
}

/// The encoded pictures, by the tables of the file.
pub fn samples(file: &[u8]) -> Vec<&[u8]> {
    let list = "moov/trak/mdia/minf/stbl";
    let sizes = find(file, &format!("{list}/stsz"));
    assert_eq!(number(sizes, 4, 4), 0);
    let count = number(sizes, 8, 4) as usize;
    assert_eq!(sizes.len(), 12 + 4 * count);
    let runs = table(find(file, &format!("{list}/stsc")), 3);
    let positions = table(find(file, &format!("{list}/stco")), 1);
    let mut found = Vec::new();
    for (chunk, position) in positions.iter().enumerate() {
        let run = runs
            .iter()
            .rev()
            .find(|run| run[0] <= chunk as u64 + 1)
            .unwrap();
        let mut at = position[0] as usize;
        for _ in 0..run[1] {
            let size = number(sizes, 12 + 4 * found.len(), 4) as usize;
            found.push(&file[at..at + size]);
            at += size;
        }
    }
    assert_eq!(found.len(), count);
    found
}

/// Content of the `avcC` box.
pub fn decoder_configuration(file: &[u8]) -> &[u8] {
    let description = find(file, "moov/trak/mdia/minf/stbl/stsd");
    assert_eq!(number(description, 4, 4), 1);
    let entry = find(&description[8..], "avc1");
    find(&entry[78..], "avcC")
}

/// Decodes an MP4 film with a decoder that has nothing to do with our encoder.
pub fn decode(file: &[u8]) -> Vec<rust_h264::decoder::Frame> {
    use rust_h264::decoder::OrderedDecoder;
    use rust_h264::nal::{parse_avcc, parse_avcc_config};
    let configuration = parse_avcc_config(decoder_configuration(file)).unwrap();
    let mut decoder = OrderedDecoder::new();
    let mut frames = Vec::new();
    for unit in configuration.sps_nals.iter().chain(&configuration.pps_nals) {
        frames.extend(decoder.decode_nal(unit).unwrap());
    }
    for sample in samples(file) {
        for unit in parse_avcc(sample, 4) {
            frames.extend(decoder.decode_nal(&unit).unwrap());
        }
    }
    frames.extend(decoder.flush());
    frames
}
