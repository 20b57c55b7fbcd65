//! What must be refused, and what must not be left behind.

mod support;

use pliant_film::{
    FILM_FORMATS, FilmError, FilmSettings, FilmWriter, OpenFilm, ffmpeg_film, film_for,
    in_background, png_sequence, save_png,
};
use std::fs;
use std::path::Path;
use support::*;

/// Every way to make a film that needs nothing else, with an extension.
fn ways() -> Vec<(&'static str, OpenFilm)> {
    let mut ways: Vec<_> = FILM_FORMATS
        .iter()
        .map(|format| (format.extensions[0], format.open))
        .collect();
    ways.push(("png", png_sequence));
    ways
}

fn settings() -> FilmSettings {
    FilmSettings::new(32, 24, 30.0)
}

fn error_of(result: Result<Box<dyn FilmWriter>, FilmError>) -> FilmError {
    match result {
        Ok(_) => panic!("it was taken"),
        Err(error) => error,
    }
}

#[test]
fn a_film_without_pictures_leaves_nothing_and_keeps_the_old_one() {
    for (extension, open) in ways() {
        let folder = folder(&format!("empty-{extension}"));
        let path = folder.join(format!("film.{extension}"));
        fs::write(&path, "old").unwrap();
        let error = open(&path, &settings()).unwrap().finish().unwrap_err();
        assert!(matches!(error, FilmError::Empty { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), b"old");
        assert_eq!(file_count(&folder), 1, "{extension}");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_dropped_film_leaves_nothing() {
    for format in FILM_FORMATS {
        let folder = folder(&format!("dropped-{}", format.name));
        let path = folder.join(format!("film.{}", format.name));
        let mut film = (format.open)(&path, &settings()).unwrap();
        film.add(&picture(32, 24, 0)).unwrap();
        drop(film);
        assert_eq!(file_count(&folder), 0, "{}", format.name);
        let mut film = in_background(&path, (format.open)(&path, &settings()).unwrap());
        film.add(&picture(32, 24, 0)).unwrap();
        drop(film);
        assert_eq!(file_count(&folder), 0, "{}", format.name);
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn a_picture_of_another_size_is_refused_and_the_film_goes_on() {
    for (extension, open) in ways() {
        let folder = folder(&format!("size-{extension}"));
        let path = folder.join(format!("film.{extension}"));
        let mut film = open(&path, &settings()).unwrap();
        film.add(&picture(32, 24, 0)).unwrap();
        for length in [0, 1, 32 * 24 * 3, 32 * 24 * 4 + 4] {
            let error = film.add(&vec![0; length]).unwrap_err();
            assert!(matches!(error, FilmError::PictureSize { picture: 1, .. }));
            assert!(error.to_string().contains("film."), "{error}");
        }
        film.add(&picture(32, 24, 1)).unwrap();
        assert!(!film.finish().unwrap().is_empty());
        fs::remove_dir_all(folder).unwrap();
    }
    assert!(save_png(Path::new("a.png"), 2, 2, &[0; 15]).is_err());
}

#[test]
fn places_that_cannot_be_written_are_found_at_the_beginning() {
    for (extension, open) in ways() {
        let folder = folder(&format!("place-{extension}"));
        let path = folder.join(format!("missing/film.{extension}"));
        let error = error_of(open(&path, &settings()));
        assert!(error.to_string().contains("missing"), "{error}");
        fs::remove_dir_all(folder).unwrap();
    }
    let folder = folder("place-folder");
    let path = folder.join("film.mp4");
    fs::create_dir(&path).unwrap();
    assert!(matches!(
        error_of(film_for(&path, &settings())),
        FilmError::File(_)
    ));
    assert!(ffmpeg_film(&path, &settings()).is_err());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn sizes_and_rates_out_of_range_are_refused() {
    let folder = folder("range");
    for (extension, open) in ways() {
        let path = folder.join(format!("film.{extension}"));
        for (width, height, rate) in [
            (0, 24, 30.0),
            (32, 0, 30.0),
            (usize::MAX, 24, 30.0),
            (32, 24, 0.0),
            (32, 24, f64::NAN),
        ] {
            let settings = FilmSettings::new(width, height, rate);
            error_of(open(&path, &settings));
        }
    }
    assert_eq!(file_count(&folder), 0);
    fs::remove_dir_all(folder).unwrap();
}

/// A device that is always full stands for a full disk: it is written to directly.
#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error_that_names_the_file() {
    if !Path::new("/dev/full").exists() {
        return;
    }
    for format in FILM_FORMATS {
        let folder = folder(&format!("full-{}", format.name));
        let path = folder.join(format!("film.{}", format.name));
        std::os::unix::fs::symlink("/dev/full", &path).unwrap();
        let mut film = (format.open)(&path, &settings()).unwrap();
        let added = film.add(&noise(32 * 24 * 4, 1));
        let error = added.and_then(|()| film.finish()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains("film."), "{text}");
        assert!(text.contains("space"), "{text}");
        assert_eq!(file_count(&folder), 1, "only the link stays");
        fs::remove_dir_all(folder).unwrap();
    }
}

#[test]
fn ffmpeg_writes_a_film_where_it_is_present() {
    if std::env::var_os("PLIANT_TEST_FFMPEG").is_none() {
        return;
    }
    let folder = folder("ffmpeg");
    let path = folder.join("film.mp4");
    let settings = FilmSettings::new(33, 25, 30.0);
    let pictures: Vec<_> = (0..5).map(|number| picture(33, 25, number)).collect();
    make(ffmpeg_film(&path, &settings).unwrap(), &pictures);
    assert_eq!(file_count(&folder), 1);
    let frames = decode(&fs::read(&path).unwrap());
    assert_eq!(frames.len(), 5);
    assert_eq!((frames[0].width, frames[0].height), (34, 26));
    assert!(likeness(&frames[4].y, &luma(&pictures[4], 33, 25)) > 36.0);
    let unknown = folder.join("film.unknown");
    let mut film = ffmpeg_film(&unknown, &settings).unwrap();
    let added = (0..50).try_for_each(|_| film.add(&pictures[0]));
    let error = added.and_then(|()| film.finish().map(drop)).unwrap_err();
    assert!(matches!(error, FilmError::FfmpegFailed { .. }), "{error}");
    assert_eq!(file_count(&folder), 1);
    fs::remove_dir_all(folder).unwrap();
}
