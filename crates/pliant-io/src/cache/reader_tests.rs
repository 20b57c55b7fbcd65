use super::super::{CacheWriter, InputFile, StepSample};
use super::*;
use glam::DVec3;
use pliant::report::Dissipation;
use std::fs;

fn header() -> CacheHeader {
    CacheHeader {
        name: "flag".to_owned(),
        file: "flag.xml".to_owned(),
        text: "<EDMConfig id=\"ü\" />\n".to_owned(),
        folder: String::new(),
        overrides: vec![["Wind".to_owned(), "c".to_owned(), "4".to_owned()]],
        seconds: Some(0.1 + 0.2),
        frames: None,
        inputs: vec![InputFile {
            name: "a.obj".to_owned(),
            checksum: u64::MAX,
        }],
    }
}

fn frame(step: usize) -> CachedFrame {
    let sample = StepSample {
        time: step as f64 / 3.0,
        external: -1e-300,
        dissipated: 2.5,
        dissipation: Dissipation {
            damping: 0.5,
            friction: 1.0,
            processes: 0.75,
            rest: 0.25,
        },
        volumes: vec![1.5; step],
        momentum: DVec3::new(1.0, -0.0, f64::INFINITY),
        contacts: step,
        ..StepSample::default()
    };
    CachedFrame {
        step,
        time: sample.time,
        snapshot: vec![step as u8; 40 + step],
        samples: vec![sample; step],
        totals: vec![("steps".to_owned(), step as f64)],
    }
}

fn written(name: &str, frames: usize) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-cache-{}-{name}", std::process::id()));
    let mut writer = CacheWriter::create(&path, &header()).unwrap();
    for step in 0..frames {
        writer.append(&frame(step)).unwrap();
    }
    path
}

/// Where the records end: that of the header and those of the frames.
fn ends(test: &str, frames: usize) -> Vec<usize> {
    let length = |frames| {
        let path = written(&format!("{test}-end-{frames}.pliant"), frames);
        let length = fs::metadata(&path).unwrap().len();
        fs::remove_file(path).unwrap();
        length as usize
    };
    (0..=frames).map(length).collect()
}

#[test]
fn what_was_written_is_read() {
    let path = written("read.pliant", 3);
    let mut reader = CacheReader::open(&path).unwrap();
    assert_eq!(reader.header(), &header());
    assert_eq!((reader.frame_count(), reader.unfinished_length()), (3, 0));
    assert!(!reader.has_damage() && !reader.is_finished());
    for step in [2, 0, 1] {
        assert_eq!(reader.frame(step).unwrap(), frame(step));
    }
    assert!(matches!(
        reader.frame(3),
        Err(CacheError::NoSuchFrame { count: 3, .. })
    ));
    fs::remove_file(path).unwrap();
}

#[test]
fn a_cache_cut_anywhere_keeps_its_whole_frames_and_can_be_continued() {
    let path = written("cut.pliant", 3);
    let whole = fs::read(&path).unwrap();
    let ends = ends("cut", 3);
    for length in 0..=whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let Ok(mut reader) = CacheReader::open(&path) else {
            assert!(length < ends[0], "cut at {length}");
            continue;
        };
        let expected = ends.iter().filter(|&&end| end <= length).count() - 1;
        assert_eq!(reader.frame_count(), expected, "cut at {length}");
        assert!(!reader.has_damage(), "cut at {length}");
        assert!(reader.lost_frames().is_empty(), "cut at {length}");
        let last = expected.checked_sub(1).map(|last| reader.frame(last));
        assert!(last.is_none_or(|last| last.is_ok()));
        let (mut writer, copy) = CacheWriter::resume(&mut reader).unwrap();
        assert_eq!(copy, None, "cut at {length}");
        for step in expected..3 {
            writer.append(&frame(step)).unwrap();
        }
        assert_eq!(fs::read(&path).unwrap(), whole, "cut at {length}");
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_changed_byte_costs_one_frame_which_is_named_and_no_other() {
    let path = written("damaged.pliant", 4);
    let whole = fs::read(&path).unwrap();
    let ends = ends("changed", 4);
    for at in ends[0]..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x10;
        fs::write(&path, &damaged).unwrap();
        let mut reader = CacheReader::open(&path).unwrap();
        let hurt = ends.iter().filter(|&&end| end <= at).count() - 1;
        assert!(reader.has_damage(), "byte {at}");
        let whole_frames: Vec<usize> = reader.whole_frames().collect();
        let expected: Vec<usize> = (0..4).filter(|&number| number != hurt).collect();
        assert_eq!(whole_frames, expected, "byte {at}");
        assert!(reader.frame(hurt).is_err(), "byte {at}");
        if hurt < 3 {
            assert_eq!(reader.lost_frames(), [hurt], "byte {at}");
            assert!(!reader.has_damaged_end(), "byte {at}");
        } else {
            assert!(reader.has_damaged_end(), "byte {at}");
        }
        for number in expected {
            assert_eq!(reader.frame(number).unwrap(), frame(number));
        }
    }
    fs::remove_file(path).unwrap();
}

#[test]
fn a_damaged_end_is_copied_before_it_is_cut_off() {
    let path = written("damaged-end.pliant", 3);
    let mut damaged = fs::read(&path).unwrap();
    let last = damaged.len() - 5;
    damaged[last] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let mut reader = CacheReader::open(&path).unwrap();
    assert_eq!(reader.lost_frames(), [2]);
    let (mut writer, copy) = CacheWriter::resume(&mut reader).unwrap();
    writer.append(&frame(2)).unwrap();
    let copy = copy.expect("a copy");
    assert_eq!(fs::read(&copy).unwrap(), damaged);
    let mut reader = CacheReader::open(&path).unwrap();
    assert!(!reader.has_damage());
    assert_eq!(reader.frame(2).unwrap(), frame(2));
    fs::remove_file(copy).unwrap();
    fs::remove_file(path).unwrap();
}

#[test]
fn damage_in_the_middle_is_not_cut_off() {
    let path = written("damaged-middle.pliant", 3);
    let mut damaged = fs::read(&path).unwrap();
    let at = ends("middle", 1)[1] - 5;
    damaged[at] ^= 1;
    fs::write(&path, &damaged).unwrap();
    let mut reader = CacheReader::open(&path).unwrap();
    let (mut writer, copy) = CacheWriter::resume(&mut reader).unwrap();
    assert_eq!(copy, None);
    writer.append(&frame(3)).unwrap();
    writer.finish().unwrap();
    let mut reader = CacheReader::open(&path).unwrap();
    assert_eq!(reader.lost_frames(), [0]);
    assert_eq!(reader.frame_count(), 4);
    assert!(reader.is_finished());
    assert_eq!(reader.frame(3).unwrap(), frame(3));
    fs::remove_file(path).unwrap();
}

#[test]
fn a_second_writer_is_refused_until_the_first_is_gone() {
    if cfg!(windows) {
        return;
    }
    let path = std::env::temp_dir().join(format!("pliant-cache-{}-lock", std::process::id()));
    let first = CacheWriter::create(&path, &header()).unwrap();
    assert!(matches!(
        CacheWriter::create(&path, &header()),
        Err(CacheError::Busy { .. })
    ));
    assert!(matches!(
        CacheReader::open_locked(&path),
        Err(CacheError::Busy { .. })
    ));
    CacheReader::open(&path).expect("reading is always allowed");
    drop(first);
    let mut reader = CacheReader::open_locked(&path).unwrap();
    assert!(CacheWriter::create(&path, &header()).is_err());
    drop(CacheWriter::resume(&mut reader).unwrap());
    drop(reader);
    CacheWriter::create(&path, &header()).unwrap();
    fs::remove_file(path).unwrap();
}

#[test]
fn other_files_are_refused_by_name() {
    let path = written("other.pliant", 0);
    fs::write(&path, "<EDMConfig />").unwrap();
    assert!(matches!(
        CacheReader::open(&path),
        Err(CacheError::NotACache { .. })
    ));
    let mut newer = MAGIC.to_vec();
    newer.extend(7_u32.to_le_bytes());
    fs::write(&path, newer).unwrap();
    assert!(matches!(
        CacheReader::open(&path),
        Err(CacheError::Version { found: 7, .. })
    ));
    fs::remove_file(&path).unwrap();
    assert!(matches!(
        CacheReader::open(&path),
        Err(CacheError::Read { .. })
    ));
}
