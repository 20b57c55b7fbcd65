//! GIF, APNG, WebP and PNG films are decoded by the crates made for it and compared.

mod support;

use pliant_film::{FilmSettings, film_for, png_sequence, save_png};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;
use support::*;

/// Lays pixels over a picture as PNG and WebP define it for opaque or fully transparent pixels.
fn lay(canvas: &mut [u8], width: usize, place: [usize; 4], pixels: &[u8], is_over: bool) {
    let [left, top, columns, rows] = place;
    for y in 0..rows {
        for x in 0..columns {
            let pixel = &pixels[(y * columns + x) * 4..][..4];
            let at = ((top + y) * width + left + x) * 4;
            if !is_over || pixel[3] == 255 {
                canvas[at..at + 4].copy_from_slice(pixel);
            } else {
                assert_eq!(pixel[3], 0);
            }
        }
    }
}

/// The disc moves, rests for a picture, and in the end the whole picture changes.
fn pictures(width: usize, height: usize) -> Vec<Vec<u8>> {
    let numbers = [0, 1, 2, 2, 3, 4, 5, 6];
    let mut pictures: Vec<_> = numbers.map(|n| picture(width, height, n)).to_vec();
    pictures.push([0, 90, 0, 255].repeat(width * height));
    pictures
}

/// Pictures and their delays in hundredths of a second.
fn read_gif(path: &Path) -> (Vec<Vec<u8>>, Vec<u16>) {
    let mut options = gif::DecodeOptions::new();
    options.set_color_output(gif::ColorOutput::RGBA);
    let mut decoder = options.read_info(File::open(path).unwrap()).unwrap();
    assert!(matches!(decoder.repeat(), gif::Repeat::Infinite));
    let width = usize::from(decoder.width());
    let mut canvas = vec![0; width * usize::from(decoder.height()) * 4];
    let (mut found, mut delays) = (Vec::new(), Vec::new());
    while let Some(frame) = decoder.read_next_frame().unwrap() {
        let place = [frame.left, frame.top, frame.width, frame.height].map(usize::from);
        lay(&mut canvas, width, place, &frame.buffer, true);
        found.push(canvas.clone());
        delays.push(frame.delay);
    }
    (found, delays)
}

#[test]
fn gif_is_close_and_rests_where_nothing_moves() {
    let folder = folder("gif");
    let path = folder.join("film.gif");
    let given = pictures(161, 91);
    make(
        film_for(&path, &FilmSettings::new(161, 91, 30.0)).unwrap(),
        &given,
    );
    assert_eq!(file_count(&folder), 1);
    let (found, delays) = read_gif(&path);
    assert_eq!(found.len(), given.len());
    for (found, given) in found.iter().zip(&given) {
        let value = likeness(found, given);
        assert!(value > 38.0, "{value} dB");
    }
    // What is equal in two pictures is equal in the film.
    for pair in [0, 4, 6] {
        for at in (0..given[0].len()).step_by(4) {
            if given[pair][at..at + 4] == given[pair + 1][at..at + 4] {
                assert_eq!(found[pair][at..at + 4], found[pair + 1][at..at + 4]);
            }
        }
    }
    assert_eq!(delays, [3, 4, 3, 3, 4, 3, 3, 4, 3]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_fast_gif_keeps_its_speed() {
    let folder = folder("fast-gif");
    let path = folder.join("film.gif");
    let given: Vec<_> = (0..120).map(|number| picture(32, 24, number % 9)).collect();
    make(
        film_for(&path, &FilmSettings::new(32, 24, 120.0)).unwrap(),
        &given,
    );
    let (found, delays) = read_gif(&path);
    assert!(found.len() < 60, "{}", found.len());
    assert!(delays.iter().all(|delay| *delay >= 2));
    let total: u16 = delays.iter().sum();
    assert!((100..=101).contains(&total), "{total}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn apng_is_exact() {
    let folder = folder("apng");
    let path = folder.join("film.apng");
    let (width, height) = (161, 91);
    let mut given = pictures(width, height);
    given.push(noise(width * height * 4, 7));
    make(
        film_for(&path, &FilmSettings::new(width, height, 29.97)).unwrap(),
        &given,
    );
    assert_eq!(file_count(&folder), 1);
    let file = BufReader::new(File::open(&path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let animation = *reader.info().animation_control().unwrap();
    assert_eq!(animation.num_frames as usize, given.len());
    assert_eq!(animation.num_plays, 0);
    let mut canvas = vec![0; width * height * 4];
    for given in &given {
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        reader.next_frame(&mut pixels).unwrap();
        let control = *reader.info().frame_control().unwrap();
        assert_eq!((control.delay_num, control.delay_den), (1001, 30000));
        let place = [
            control.x_offset,
            control.y_offset,
            control.width,
            control.height,
        ];
        let is_over = control.blend_op == png::BlendOp::Over;
        let place = place.map(|value| value as usize);
        lay(&mut canvas, width, place, &pixels, is_over);
        assert!(canvas == *given);
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The pictures of an animated WebP, each compressed picture decoded on its own.
fn read_webp(file: &[u8], width: usize, height: usize) -> Vec<Vec<u8>> {
    let little = |at: usize, bytes: usize| {
        let digits = file[at..at + bytes].iter().rev();
        digits.fold(0, |value, byte| value << 8 | usize::from(*byte))
    };
    assert_eq!(little(4, 4) + 8, file.len());
    let mut canvas = vec![0; width * height * 4];
    let mut found = Vec::new();
    let mut at = 12;
    while at < file.len() {
        let length = little(at + 4, 4);
        assert_eq!(length % 2, 0, "padding is inside");
        if &file[at..at + 4] == b"ANMF" {
            let [left, top] = [8, 11].map(|field| 2 * little(at + field, 3));
            let [columns, rows] = [14, 17].map(|field| little(at + field, 3) + 1);
            let is_over = file[at + 23] & 2 == 0;
            let chunk = &file[at + 24..at + 8 + length];
            let mut single = b"RIFF".to_vec();
            single.extend((chunk.len() as u32 + 4).to_le_bytes());
            single.extend(b"WEBP");
            single.extend(chunk);
            let mut decoder = image_webp::WebPDecoder::new(std::io::Cursor::new(single)).unwrap();
            assert_eq!(decoder.dimensions(), (columns as u32, rows as u32));
            let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
            decoder.read_image(&mut pixels).unwrap();
            if !decoder.has_alpha() {
                pixels = pixels
                    .chunks_exact(3)
                    .flat_map(|pixel| [pixel[0], pixel[1], pixel[2], 255])
                    .collect();
            }
            lay(
                &mut canvas,
                width,
                [left, top, columns, rows],
                &pixels,
                is_over,
            );
            found.push(canvas.clone());
        }
        at += 8 + length;
    }
    found
}

#[test]
fn webp_is_exact() {
    let folder = folder("webp");
    let path = folder.join("film.webp");
    let (width, height) = (161, 91);
    let mut given = pictures(width, height);
    make(
        film_for(&path, &FilmSettings::new(width, height, 30.0)).unwrap(),
        &given,
    );
    assert_eq!(file_count(&folder), 1);
    assert!(read_webp(&fs::read(&path).unwrap(), width, height) == given);
    // The whole animation by the crate. It blends opaque pixels too, and rounds down there.
    let file = BufReader::new(File::open(&path).unwrap());
    let mut decoder = image_webp::WebPDecoder::new(file).unwrap();
    assert!(decoder.is_animated());
    assert_eq!(decoder.dimensions(), (width as u32, height as u32));
    assert_eq!(decoder.num_frames() as usize, given.len());
    assert!(matches!(
        decoder.loop_count(),
        image_webp::LoopCount::Forever
    ));
    let mut total = 0;
    for given in &given {
        let mut pixels = vec![0; decoder.output_buffer_size().unwrap()];
        total += decoder.read_frame(&mut pixels).unwrap();
        let is_close = |(a, b): (&u8, &u8)| a.abs_diff(*b) <= 1;
        assert!(pixels.iter().zip(given).all(is_close));
    }
    assert_eq!(total, 300);
    // Transparency survives.
    given.push(noise(width * height * 4, 7));
    make(
        film_for(&path, &FilmSettings::new(width, height, 30.0)).unwrap(),
        &given,
    );
    assert!(read_webp(&fs::read(&path).unwrap(), width, height) == given);
    fs::remove_dir_all(folder).unwrap();
}

fn read_png(path: &Path) -> (png::ColorType, Vec<u8>) {
    let mut reader = png::Decoder::new(BufReader::new(File::open(path).unwrap()))
        .read_info()
        .unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let information = reader.next_frame(&mut pixels).unwrap();
    (information.color_type, pixels)
}

#[test]
fn png_pictures_are_exact_and_numbered() {
    let folder = folder("png");
    let given: Vec<_> = (0..3).map(|number| picture(33, 21, number)).collect();
    let settings = FilmSettings::new(33, 21, 25.0);
    let files = make(
        png_sequence(&folder.join("ball.png"), &settings).unwrap(),
        &given,
    );
    let names: Vec<_> = files
        .iter()
        .map(|file| file.file_name().unwrap().to_str().unwrap())
        .collect();
    assert_eq!(
        names,
        ["ball_00000.png", "ball_00001.png", "ball_00002.png"]
    );
    assert_eq!(file_count(&folder), 3);
    for (file, given) in files.iter().zip(&given) {
        let (kind, pixels) = read_png(file);
        assert_eq!(kind, png::ColorType::Rgb);
        let expected: Vec<_> = given
            .chunks_exact(4)
            .flat_map(|p| p[..3].to_vec())
            .collect();
        assert!(pixels == expected);
    }
    let transparent = noise(33 * 21 * 4, 3);
    let path = folder.join("one.png");
    save_png(&path, 33, 21, &transparent).unwrap();
    let (kind, pixels) = read_png(&path);
    assert_eq!(kind, png::ColorType::Rgba);
    assert!(pixels == transparent);
    fs::remove_dir_all(folder).unwrap();
}
