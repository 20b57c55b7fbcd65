//! MP4 films are read back: their boxes by a reader of our own, their pictures by a decoder of
//! another family, and all of it by ffmpeg where it is present and `PLIANT_TEST_FFMPEG=1`.

mod support;

use pliant_film::{FilmSettings, Quality, film_for};
use std::fs;
use std::path::Path;
use std::process::Command;
use support::*;

/// Films the pictures and gives the file; ffmpeg looks at it if asked to.
fn film(name: &str, settings: &FilmSettings, pictures: &[Vec<u8>]) -> Vec<u8> {
    let folder = folder(name);
    let path = folder.join("film.mp4");
    let files = make(film_for(&path, settings).unwrap(), pictures);
    assert_eq!(files, std::slice::from_ref(&path));
    assert_eq!(file_count(&folder), 1);
    ask_ffmpeg(&path, settings, pictures);
    let file = fs::read(&path).unwrap();
    fs::remove_dir_all(folder).unwrap();
    file
}

/// Compares with what ffmpeg decodes.
fn ask_ffmpeg(path: &Path, settings: &FilmSettings, pictures: &[Vec<u8>]) {
    if std::env::var_os("PLIANT_TEST_FFMPEG").is_none() {
        return;
    }
    let output = Command::new("ffmpeg")
        .args(["-v", "error", "-xerror", "-err_detect", "explode", "-i"])
        .arg(path)
        .args(["-fps_mode", "passthrough", "-f", "rawvideo"])
        .args(["-pix_fmt", "yuv420p", "-"])
        .output()
        .unwrap();
    let complaints = String::from_utf8_lossy(&output.stderr);
    assert!(
        output.status.success() && complaints.is_empty(),
        "{complaints}"
    );
    let file = fs::read(path).unwrap();
    let ours = decode(&file);
    let theirs = &output.stdout;
    let frame_length = ours[0].y.len() * 3 / 2;
    assert_eq!(theirs.len(), frame_length * pictures.len());
    for (frame, theirs) in ours.iter().zip(theirs.chunks_exact(frame_length)) {
        let planes = [&frame.y[..], &frame.u, &frame.v].concat();
        assert!(planes == theirs, "the two decoders differ: {settings:?}");
    }
}

fn lowest_likeness(settings: &FilmSettings, file: &[u8], pictures: &[Vec<u8>]) -> f64 {
    let (width, height) = (settings.width, settings.height);
    let frames = decode(file);
    assert_eq!(frames.len(), pictures.len());
    let mut lowest = f64::INFINITY;
    for (frame, picture) in frames.iter().zip(pictures) {
        assert_eq!(
            (frame.width as usize, frame.height as usize),
            (width.next_multiple_of(2), height.next_multiple_of(2))
        );
        lowest = lowest.min(likeness(&frame.y, &luma(picture, width, height)));
    }
    lowest
}

#[test]
fn the_pictures_come_back() {
    let pictures: Vec<_> = (0..40).map(|number| picture(322, 182, number)).collect();
    let mut sizes = Vec::new();
    for (quality, expected) in [
        (Quality::Draft, 34.0),
        (Quality::Good, 41.0),
        (Quality::Best, 46.0),
    ] {
        let mut settings = FilmSettings::new(322, 182, 30.0);
        settings.quality = quality;
        let file = film(&format!("quality-{quality:?}"), &settings, &pictures);
        let found = lowest_likeness(&settings, &file, &pictures);
        assert!(found > expected, "{quality:?}: {found} dB");
        sizes.push(file.len());
    }
    assert!(sizes.is_sorted(), "{sizes:?}");
}

#[test]
fn colours_come_back() {
    for colour in [[200, 30, 40], [20, 160, 60], [40, 60, 220], [255, 255, 255]] {
        let rgba = [colour[0], colour[1], colour[2], 255].repeat(64 * 48);
        let settings = FilmSettings::new(64, 48, 25.0);
        let name = format!("colour-{}", colour[0]);
        let file = film(&name, &settings, &vec![rgba; 3]);
        let frames = decode(&file);
        let frame = frames.last().unwrap();
        let middle = frame.y.len() / 2 + 32;
        let quarter = frame.u.len() / 2 + 16;
        let luma = (f64::from(frame.y[middle]) - 16.0) / 219.0;
        let blue = (f64::from(frame.u[quarter]) - 128.0) / 224.0;
        let red = (f64::from(frame.v[quarter]) - 128.0) / 224.0;
        // The inverse of the definition in BT.709.
        let red_channel = luma + 1.5748 * red;
        let blue_channel = luma + 1.8556 * blue;
        let green_channel = (luma - 0.2126 * red_channel - 0.0722 * blue_channel) / 0.7152;
        for (found, expected) in [red_channel, green_channel, blue_channel]
            .iter()
            .zip(colour)
        {
            let found = found * 255.0;
            assert!(
                (found - f64::from(expected)).abs() < 4.0,
                "{colour:?}: {found}"
            );
        }
    }
}

#[test]
fn any_size_and_any_content() {
    let sizes = [
        (1, 1),
        (2, 2),
        (3, 5),
        (15, 17),
        (16, 16),
        (33, 31),
        (130, 34),
        (641, 47),
        (18, 500),
    ];
    for (width, height) in sizes {
        let length = width * height * 4;
        let mut pictures: Vec<_> = (0..3).map(|n| picture(width, height, n)).collect();
        // Noise, a cut to black, to white, and back: the worst for an encoder.
        pictures.push(noise(length, 1));
        pictures.push(noise(length, 2));
        pictures.extend([vec![0; length], vec![255; length]]);
        pictures.extend((3..30).map(|n| picture(width, height, n)));
        pictures.push(vec![255; length]);
        for quality in [Quality::Draft, Quality::Good, Quality::Best] {
            let mut settings = FilmSettings::new(width, height, 24.0);
            settings.quality = quality;
            let name = format!("size-{width}-{height}-{quality:?}");
            let file = film(&name, &settings, &pictures);
            let found = lowest_likeness(&settings, &file, &pictures);
            let expected = match quality {
                Quality::Draft => 26.0,
                // Noise of 2 x 2 pixels comes back with 31.8 dB.
                Quality::Good => 31.0,
                Quality::Best => 38.0,
            };
            assert!(
                found > expected,
                "{width} x {height} {quality:?}: {found} dB"
            );
        }
    }
}

/// Counters in the stream wrap around (after 16 and 128 pictures) before a picture that stands
/// alone resets them.
#[test]
fn a_long_film_does_not_drift() {
    let back_and_forth = |number: usize| (number % 40).abs_diff(20);
    let pictures: Vec<_> = (0..300)
        .map(|number| picture(48, 34, back_and_forth(number)))
        .collect();
    let settings = FilmSettings::new(48, 34, 60.0);
    let file = film("long", &settings, &pictures);
    let keys = table(find(&file, "moov/trak/mdia/minf/stbl/stss"), 1).concat();
    let ends = keys.iter().skip(1).copied().chain([301]);
    let longest = keys.iter().zip(ends).map(|(start, end)| end - start).max();
    assert!(longest.unwrap() > 128, "{keys:?}");
    let found = lowest_likeness(&settings, &file, &pictures);
    assert!(found > 38.0, "{found} dB");
}

#[test]
fn the_boxes_say_what_the_film_is() {
    let pictures: Vec<_> = (0..70).map(|number| picture(64, 48, number % 20)).collect();
    let file = film("boxes", &FilmSettings::new(64, 47, 10.0), &{
        let row = 64 * 4;
        let cut = |picture: &Vec<u8>| picture[..47 * row].to_vec();
        pictures.iter().map(cut).collect::<Vec<_>>()
    });
    let order: Vec<_> = boxes(&file, 0).iter().map(|b| b.kind.clone()).collect();
    assert_eq!(order, ["ftyp", "moov", "mdat"]);
    let head = find(&file, "moov/mvhd");
    assert_eq!(number(head, 0, 1), 1);
    assert_eq!(number(head, 20, 4), 1000);
    assert_eq!(number(head, 24, 8), 7000);
    let track = find(&file, "moov/trak/tkhd");
    assert_eq!(number(track, 28, 8), 7000);
    assert_eq!(number(track, 88, 4) >> 16, 64);
    assert_eq!(number(track, 92, 4) >> 16, 48);
    let media = find(&file, "moov/trak/mdia/mdhd");
    let ticks = number(media, 20, 4);
    let list = "moov/trak/mdia/minf/stbl";
    let durations = table(find(&file, &format!("{list}/stts")), 2);
    assert_eq!(durations.len(), 1);
    assert_eq!(durations[0][0], 70);
    assert_eq!(durations[0][1] * 10, ticks);
    assert_eq!(number(media, 24, 8), 70 * durations[0][1]);
    let entry = find(&find(&file, &format!("{list}/stsd"))[8..], "avc1");
    assert_eq!((number(entry, 24, 2), number(entry, 26, 2)), (64, 48));
    assert_eq!(find(&entry[78..], "colr"), b"nclx\0\x01\0\x01\0\x01\0");
    // Samples lie in the data, one after the other, and fill it.
    let data = boxes(&file, 0).pop().unwrap();
    let samples = samples(&file);
    assert_eq!(samples.concat(), data.content);
    assert_eq!(data.start + data.content.len(), file.len());
    // A picture that stands alone at least every five seconds; the table tells the truth.
    let keys: Vec<_> = table(find(&file, &format!("{list}/stss")), 1).concat();
    assert_eq!(keys[0], 1);
    for (index, sample) in samples.iter().enumerate() {
        let is_key = sample[4] & 0x1f == 5;
        assert_eq!(is_key, keys.contains(&(index as u64 + 1)), "{index}");
    }
    assert!(keys.windows(2).all(|pair| pair[1] - pair[0] <= 50));
    assert!(keys.len() >= 2);
}

#[test]
fn the_stream_itself_says_size_rate_and_order() {
    let pictures: Vec<_> = (0..4).map(|number| picture(64, 48, number)).collect();
    let file = film("stream", &FilmSettings::new(64, 48, 29.97), &pictures);
    let configuration = rust_h264::nal::parse_avcc_config(decoder_configuration(&file)).unwrap();
    let information = rust_h264::nal::parse_sps_info(&configuration.sps_nals[0]).unwrap();
    assert_eq!((information.width, information.height), (64, 48));
    assert_eq!(
        (
            information.primaries,
            information.transfer,
            information.matrix
        ),
        (1, 1, 1)
    );
    assert!(!information.full_range);
    assert_eq!(information.max_reorder_frames, Some(0));
    let mut decoder = rust_h264::decoder::OrderedDecoder::<()>::new();
    decoder.decode_nal(&configuration.sps_nals[0]).unwrap();
    let (numerator, denominator) = decoder.frame_rate().unwrap();
    assert_eq!(numerator * 1001, denominator * 30000);
}
