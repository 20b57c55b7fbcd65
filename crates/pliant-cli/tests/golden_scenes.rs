//! Small pictures of ten built-in scenes, an early moment of each, against those that were looked at
//! and kept: what a user sees, from scene file to pixels.
//!
//! The difference is a mean over the picture after both were blurred a little, so that the last bit of
//! a colour or of a step does not count, and a lost floor, texture, light or body does.
//! `PLIANT_BLESS=1 cargo test --release -p pliant-cli --test golden_scenes` keeps what is drawn now:
//! look at it first.

#[path = "command_line/folder.rs"]
#[allow(dead_code)]
mod folder;

use folder::Folder;
use image::RgbImage;
use image::imageops::blur;
use std::path::Path;

/// Scenes of every style, and how long each runs, in seconds.
const SCENES: &[(&str, &str)] = &[
    ("flag", "0.4"),
    ("tablecloth", "0.5"),
    ("bars", "0.2"),
    ("net-tear", "0.3"),
    ("goop", "0.3"),
    ("flatland-mould", "0.8"),
    ("rubber-balls", "0.3"),
    ("shrink-wrap", "0.3"),
    ("woven-tear", "0.1"),
    ("chainmail", "0.6"),
];

/// Largest mean difference of two pictures that look the same, in steps of 255.
const SAME: f64 = 1.0;

/// Mean difference of two pictures after a blur, in steps of 255.
fn difference(one: &RgbImage, other: &RgbImage) -> f64 {
    assert_eq!(one.dimensions(), other.dimensions());
    let [one, other] = [one, other].map(|picture| blur(picture, 1.5));
    let bytes = one.as_raw().iter().zip(other.as_raw());
    let sum: f64 = bytes
        .map(|(one, other)| f64::from(one.abs_diff(*other)))
        .sum();
    sum / one.as_raw().len() as f64
}

#[test]
fn scenes_look_as_they_were_kept() {
    let folder = Folder::new("golden");
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut wrong = Vec::new();
    for (name, seconds) in SCENES {
        let path = kept.join(format!("{name}.png"));
        let drawn = folder.path("drawn.png");
        folder
            .pliant(&[
                "run",
                name,
                "--seconds",
                seconds,
                "--size",
                "192x108",
                "--out",
                "drawn.png",
            ])
            .exits(0);
        if std::env::var_os("PLIANT_BLESS").is_some() {
            std::fs::create_dir_all(&kept).unwrap();
            std::fs::copy(&drawn, &path).unwrap();
            continue;
        }
        let [drawn, kept] = [&drawn, &path].map(|path| image::open(path).unwrap().into_rgb8());
        let difference = difference(&drawn, &kept);
        if difference >= SAME {
            wrong.push(format!("{name} differs by {difference:.2}"));
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}

/// The measure sees what an eye sees: another scene differs far more than the same one a step later.
#[test]
fn other_pictures_differ() {
    let kept = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let read = |name: &str| image::open(kept.join(name)).unwrap().into_rgb8();
    let (flag, bars) = (read("flag.png"), read("bars.png"));
    assert_eq!(difference(&flag, &flag), 0.0);
    assert!(difference(&flag, &bars) > 5.0 * SAME);
    // A patch that has lost its colour is seen too.
    let mut faded = flag.clone();
    for x in 60..100 {
        for y in 30..60 {
            faded.put_pixel(x, y, image::Rgb([217, 215, 210]));
        }
    }
    assert!(difference(&flag, &faded) > SAME);
}
