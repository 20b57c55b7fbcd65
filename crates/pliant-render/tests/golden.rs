//! Small pictures of made-up frames against those that were looked at and kept.
//!
//! The difference is a mean over the picture, after both were blurred a little, so that the last bit
//! of a colour does not count and a lost shadow, highlight, texture or thing does.
//! `PLIANT_BLESS=1 cargo test -p pliant-render --test golden` keeps what is drawn now: look at it first.

use glam::DVec3;
use pliant::frame::{Appearance, Finish, FrameBody, FrameObstacle};
use pliant::grid::grid_topology;
use pliant::obstacle::{ImplicitSurface, Plane, Sphere};
use pliant::{Frame, Grid};
use pliant_render::{Camera, Picture, PictureOptions, Style, Stylist, TextureStore, draw};
use std::path::{Path, PathBuf};
use std::sync::Arc;

const SIZE: [usize; 2] = [192, 108];

/// Largest mean difference of two pictures that look the same, in steps of 255.
const SAME: f64 = 0.8;

fn body(
    name: &str,
    counts: &[usize],
    appearance: Appearance,
    shape: impl Fn(DVec3) -> DVec3,
) -> FrameBody {
    let grid = Grid::new(counts, &vec![false; counts.len()]);
    let place = |node| shape(DVec3::from(grid.material_coordinates(node)));
    let positions: Vec<DVec3> = grid.nodes().map(place).collect();
    let count = positions.len();
    FrameBody {
        name: name.into(),
        topology: Arc::new(grid_topology(&grid)),
        appearance: Arc::new(appearance),
        velocities: vec![DVec3::ZERO; count],
        elastic_forces: vec![DVec3::ZERO; count],
        external_forces: vec![DVec3::ZERO; count],
        fixed: Arc::new(vec![false; count]),
        fields: Vec::new(),
        particle_radius: 0.05,
        positions,
    }
}

/// A cube with its corners pulled to a ball about a place.
fn ball(name: &str, at: DVec3, radius: f64, appearance: Appearance) -> FrameBody {
    body(name, &[6; 3], appearance, |p| {
        let p = 2.0 * p - 1.0;
        let length = p.length();
        let round = if length > 0.0 {
            p / length * p.abs().max_element()
        } else {
            p
        };
        at + radius * round
    })
}

fn obstacle(surface: &dyn ImplicitSurface, appearance: Appearance) -> FrameObstacle {
    FrameObstacle {
        name: "obstacle".into(),
        mesh: Arc::new(surface.mesh(1.0, 32)),
        appearance: Arc::new(appearance),
    }
}

fn floor(appearance: Appearance) -> FrameObstacle {
    obstacle(&Plane::new(DVec3::Z, DVec3::ZERO).unwrap(), appearance)
}

fn finished(color: [f64; 3], finish: &str) -> Appearance {
    Appearance {
        finish: Finish::preset(finish),
        ..Appearance::color(color)
    }
}

fn picture(frame: &Frame) -> Picture {
    let textures = TextureStore::for_frame(Path::new("."), frame).unwrap();
    let list = Stylist::new(Style::default(), textures)
        .list(frame)
        .unwrap();
    let camera = Camera::framing(
        DVec3::new(-1.6, -0.8, 0.0),
        DVec3::new(1.6, 0.8, 1.0),
        SIZE[0] as f64 / SIZE[1] as f64,
    );
    let options = PictureOptions {
        width: SIZE[0],
        height: SIZE[1],
        ..PictureOptions::default()
    };
    draw(&list, &camera, &[], &options)
}

/// Mean difference of two pictures after a blur over three by three pixels, in steps of 255.
fn difference(one: &[[u8; 3]], other: &[[u8; 3]]) -> f64 {
    let [width, height] = SIZE;
    let blurred = |pixels: &[[u8; 3]], x: usize, y: usize, k: usize| {
        let rows = y.saturating_sub(1)..(y + 2).min(height);
        let (mut sum, mut count) = (0.0, 0.0);
        for row in rows {
            for column in x.saturating_sub(1)..(x + 2).min(width) {
                sum += f64::from(pixels[row * width + column][k]);
                count += 1.0;
            }
        }
        sum / count
    };
    let mut sum = 0.0;
    for y in 0..height {
        for x in 0..width {
            for k in 0..3 {
                sum += (blurred(one, x, y, k) - blurred(other, x, y, k)).abs();
            }
        }
    }
    sum / (3 * width * height) as f64
}

fn colors(picture: &Picture) -> Vec<[u8; 3]> {
    let color = |pixel: &[u8; 4]| [pixel[0], pixel[1], pixel[2]];
    picture.pixels().iter().map(color).collect()
}

fn check(name: &str, frame: &Frame) {
    let drawn = colors(&picture(frame));
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let path = folder.join(format!("{name}.png"));
    if std::env::var_os("PLIANT_BLESS").is_some() {
        std::fs::create_dir_all(&folder).unwrap();
        let bytes: Vec<u8> = drawn.as_flattened().to_vec();
        let image = image::RgbImage::from_raw(SIZE[0] as u32, SIZE[1] as u32, bytes).unwrap();
        image.save(&path).unwrap();
        return;
    }
    let kept = image::open(&path).unwrap().into_rgb8();
    let kept: Vec<[u8; 3]> = kept.pixels().map(|pixel| pixel.0).collect();
    let difference = difference(&drawn, &kept);
    assert!(
        difference < SAME,
        "{name} differs by {difference:.2} from {}",
        path.display()
    );
}

fn finishes() -> Frame {
    let looks = [
        ([0.8, 0.2, 0.15], "rubber"),
        ([0.85, 0.85, 0.88], "metal"),
        ([0.3, 0.7, 0.35], "jelly"),
        ([0.7, 0.5, 0.35], "clay"),
        ([0.2, 0.4, 0.8], "film"),
    ];
    Frame {
        bodies: looks
            .iter()
            .enumerate()
            .map(|(index, (color, finish))| {
                let at = DVec3::new(-1.3 + 0.65 * index as f64, 0.0, 0.3);
                ball(finish, at, 0.3, finished(*color, finish))
            })
            .collect(),
        obstacles: vec![floor(Appearance::color([0.75, 0.72, 0.66]))],
        ..Frame::default()
    }
}

fn cloth() -> Frame {
    let carpet = Appearance {
        finish: Finish::preset("cloth"),
        ..Appearance::texture("carpet")
    };
    let wood = Appearance {
        image_width: Some(1.2),
        ..Appearance::texture("wood")
    };
    let sphere = Sphere::new(DVec3::new(0.3, 0.1, 0.4), 0.4).unwrap();
    let hill = |p: DVec3| {
        let (x, y) = (2.4 * p.x - 1.2, 1.4 * p.y - 0.7);
        let away = (x - 0.3).hypot(y - 0.1);
        DVec3::new(x, y, 0.03 + 0.82 * (-3.0 * away * away).exp())
    };
    Frame {
        bodies: vec![body("cloth", &[25, 15], carpet, hill)],
        obstacles: vec![floor(wood), obstacle(&sphere, Appearance::default())],
        ..Frame::default()
    }
}

fn floating() -> Frame {
    let flat = |p: DVec3| DVec3::new(1.6 * p.x - 1.3, p.y - 0.5, 0.7);
    let rope = |p: DVec3| {
        let angle = 9.0 * p.x;
        DVec3::new(0.9 + 0.3 * angle.cos(), 0.3 * angle.sin(), 0.1 + 0.8 * p.x)
    };
    Frame {
        bodies: vec![
            body("sheet", &[9, 7], Appearance::texture("checker"), flat),
            body("rope", &[60], finished([0.7, 0.6, 0.3], "metal"), rope),
        ],
        obstacles: vec![floor(Appearance::texture("marble"))],
        ..Frame::default()
    }
}

#[test]
fn finishes_look_as_they_did() {
    check("finishes", &finishes());
}

#[test]
fn cloth_on_wood_looks_as_it_did() {
    check("cloth", &cloth());
}

#[test]
fn floating_things_and_ropes_look_as_they_did() {
    check("floating", &floating());
}

#[test]
fn the_difference_sees_what_an_eye_sees() {
    let plain = colors(&picture(&finishes()));
    assert!(difference(&plain, &plain) == 0.0);
    // A ball that is missing, a floor of another colour, a ball without its highlight.
    let mut fewer = finishes();
    fewer.bodies.remove(2);
    let mut other_floor = finishes();
    other_floor.obstacles[0] = floor(Appearance::color([0.70, 0.72, 0.66]));
    let mut duller = finishes();
    for body in &mut duller.bodies {
        body.appearance = Arc::new(Appearance {
            finish: Finish::preset("chalk"),
            ..(*body.appearance).clone()
        });
    }
    for (what, frame) in [("ball", fewer), ("floor", other_floor), ("finish", duller)] {
        let seen = difference(&plain, &colors(&picture(&frame)));
        assert!(seen > SAME, "{what}: {seen}");
    }
}
