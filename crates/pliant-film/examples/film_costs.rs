//! What a film costs: time and bytes of each format for one second of a simple scene.
//!
//! `cargo run --release -p pliant-film --example film_costs -- FOLDER [WIDTH HEIGHT [PICTURES]]`
//! writes a film of every format and quality to the folder and prints a table. The scene is three
//! shaded balls that squash and move over a floor with lines: smooth shading, thin lines, a flat
//! background, like pictures of simulations.

use pliant_film::{FILM_FORMATS, FilmSettings, FilmWriter, Quality, png_sequence};
use std::f64::consts::PI;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

type Vector = [f64; 3];
type Failure = Box<dyn std::error::Error>;

fn dot(a: Vector, b: Vector) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn unit(a: Vector) -> Vector {
    let length = dot(a, a).sqrt();
    a.map(|value| value / length)
}

/// An ellipsoid in the axes of the world.
struct Ball {
    centre: Vector,
    radii: Vector,
    colour: Vector,
}

impl Ball {
    /// Distance along a ray, and the place on the unit sphere.
    fn hit(&self, origin: Vector, direction: Vector) -> Option<(f64, Vector)> {
        let scale = |value: Vector| [0, 1, 2].map(|axis| value[axis] / self.radii[axis]);
        let from = scale([0, 1, 2].map(|axis| origin[axis] - self.centre[axis]));
        let along = scale(direction);
        let (a, b, c) = (dot(along, along), dot(from, along), dot(from, from) - 1.0);
        let root = b * b - a * c;
        if root < 0.0 {
            return None;
        }
        let distance = (-b - root.sqrt()) / a;
        (distance > 1e-4).then(|| {
            let place = [0, 1, 2].map(|axis| from[axis] + distance * along[axis]);
            (distance, place)
        })
    }
}

fn balls(time: f64) -> [Ball; 3] {
    let squash = 0.2 * (time * 4.0).sin();
    let wide = 0.9 * (1.0 + squash);
    [
        Ball {
            centre: [-1.5 + time * 0.6, 0.0, 1.0 + 0.8 * (time * 3.0).sin().abs()],
            radii: [wide, wide, 0.9 * (1.0 - squash)],
            colour: [0.85, 0.25, 0.2],
        },
        Ball {
            centre: [1.8, 1.0 - time * 0.3, 0.7],
            radii: [0.7, 0.7 + squash / 2.0, 0.7],
            colour: [0.2, 0.45, 0.85],
        },
        Ball {
            centre: [0.3, -1.6, 0.4 + 0.3 * (time * 5.0).cos().abs()],
            radii: [0.5, 0.4, 0.4],
            colour: [0.25, 0.7, 0.3],
        },
    ]
}

/// Whether a coordinate lies on a line of a grid with unit spacing.
fn on_line(value: f64, half_width: f64) -> bool {
    (value - value.round()).abs() < half_width
}

fn colour(origin: Vector, direction: Vector, balls: &[Ball]) -> Vector {
    let light = unit([0.4, -0.5, 0.9]);
    let height = 0.5 + 0.5 * direction[2];
    let mut colour = [
        0.80 + 0.10 * height,
        0.85 + 0.08 * height,
        0.92 + 0.05 * height,
    ];
    let mut nearest = f64::INFINITY;
    let floor = -origin[2] / direction[2];
    if floor > 0.0 && floor < 40.0 {
        nearest = floor;
        let place = [0, 1, 2].map(|axis| origin[axis] + floor * direction[axis]);
        let is_line = on_line(place[0], 0.02) || on_line(place[1], 0.02);
        let mut grey = if is_line { 0.45 } else { 0.62 };
        if balls.iter().any(|ball| ball.hit(place, light).is_some()) {
            grey *= 0.55;
        }
        let haze = (floor / 40.0).powi(2);
        colour = colour.map(|far| grey * (1.0 - haze) + far * haze);
    }
    for ball in balls {
        let Some((distance, place)) = ball.hit(origin, direction) else {
            continue;
        };
        if distance >= nearest {
            continue;
        }
        nearest = distance;
        let normal = unit([0, 1, 2].map(|axis| place[axis] / ball.radii[axis]));
        let is_line = on_line(place[1].atan2(place[0]) * 8.0 / PI, 0.04)
            || on_line(place[2].asin() * 8.0 / PI, 0.04);
        let half = unit([0, 1, 2].map(|axis| light[axis] - direction[axis]));
        let shine = 0.5 * dot(normal, half).max(0.0).powi(60);
        let shade = (0.25 + 0.7 * dot(normal, light).max(0.0)) * if is_line { 0.5 } else { 1.0 };
        colour = ball.colour.map(|value| value * shade + shine);
    }
    colour
}

/// A picture of the scene, four rays a pixel.
fn picture(width: usize, height: usize, time: f64) -> Vec<u8> {
    let balls = balls(time);
    let focus = 0.7 * width as f64;
    let mut rgba = Vec::with_capacity(width * height * 4);
    for y in 0..height {
        for x in 0..width {
            let mut sum = [0.0; 3];
            for ray in 0..4 {
                let right = x as f64 + 0.25 + 0.5 * f64::from(ray & 1) - width as f64 / 2.0;
                let down = y as f64 + 0.25 + 0.5 * f64::from(ray >> 1) - height as f64 / 2.0;
                let direction = unit([right / focus, 1.0, -down / focus - 0.28]);
                let found = colour([0.0, -7.0, 2.8], direction, &balls);
                sum = [0, 1, 2].map(|channel| sum[channel] + found[channel].clamp(0.0, 1.0));
            }
            rgba.extend(sum.map(|channel| (channel / 4.0 * 255.0 + 0.5) as u8));
            rgba.push(255);
        }
    }
    rgba
}

fn measure(
    mut film: Box<dyn FilmWriter>,
    pictures: &[Vec<u8>],
) -> Result<(Duration, u64), Failure> {
    let start = Instant::now();
    for picture in pictures {
        film.add(picture)?;
    }
    let files = film.finish()?;
    let time = start.elapsed();
    let mut bytes = 0;
    for file in files {
        bytes += std::fs::metadata(file)?.len();
    }
    Ok((time, bytes))
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let Some(folder) = arguments.first().map(PathBuf::from) else {
        return Err("give a folder to write to".into());
    };
    let number = |index: usize, default: usize| {
        arguments
            .get(index)
            .map_or(Ok(default), |text| text.parse::<usize>())
    };
    let (width, height, count) = (number(1, 1280)?, number(2, 720)?, number(3, 30)?);
    std::fs::create_dir_all(&folder)?;
    let pictures: Vec<_> = (0..count)
        .map(|index| picture(width, height, index as f64 / 30.0))
        .collect();
    println!("{count} pictures of {width} x {height}, 30 a second");
    println!("| format | quality | ms a picture | bytes a picture |");
    println!("|---|---|---|---|");
    for (quality, quality_name) in [
        (Quality::Draft, "draft"),
        (Quality::Good, "good"),
        (Quality::Best, "best"),
    ] {
        let mut settings = FilmSettings::new(width, height, 30.0);
        settings.quality = quality;
        let row = |name: &str, film: Box<dyn FilmWriter>| -> Result<(), Failure> {
            let (time, bytes) = measure(film, &pictures)?;
            let milliseconds = time.as_secs_f64() * 1000.0 / count as f64;
            let size = bytes / count as u64;
            println!("| {name} | {quality_name} | {milliseconds:.1} | {size} |");
            Ok(())
        };
        for format in FILM_FORMATS {
            let path = folder.join(format!("{quality_name}.{}", format.extensions[0]));
            row(format.name, (format.open)(Path::new(&path), &settings)?)?;
        }
        let path = folder.join(format!("{quality_name}.png"));
        row("png", png_sequence(&path, &settings)?)?;
    }
    Ok(())
}
