//! Draws what the processor backend can draw, to be looked at:
//!
//! ```text
//! cargo run --release -p pliant-render --example raster_gallery -- FOLDER
//! ```

use glam::{DVec3, Vec3};
use pliant_render::{
    Background, Camera, ColorBar, DrawList, Finish, Label, LineSet, Mesh, Paint, Picture,
    PictureOptions, Shading, SphereSet, TextAnchor, TextPlace, Texture, draw,
};
use std::error::Error;
use std::f32::consts::TAU;
use std::fs::File;
use std::io::BufWriter;
use std::path::Path;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args().nth(1).unwrap_or_else(|| ".".into());
    let folder = Path::new(&folder);
    let options = PictureOptions::default();
    let (list, camera) = cloth_on_sphere(24);
    save(
        &folder.join("coarse.png"),
        &draw(&list, &camera, &[], &options),
    )?;
    let (list, camera) = cloth_on_sphere(120);
    save(
        &folder.join("cloth.png"),
        &draw(&list, &camera, &[], &options),
    )?;
    let (list, camera) = things();
    save(
        &folder.join("things.png"),
        &draw(&list, &camera, &[], &options),
    )?;
    let transparent = PictureOptions {
        width: 400,
        height: 300,
        background: Background::Transparent,
        ..options
    };
    save(
        &folder.join("transparent.png"),
        &draw(&list, &camera, &[], &transparent),
    )?;
    Ok(())
}

/// A cloth of that many cells along each side that hangs over a ball which stands on the ground.
/// Its nodes lie on the ball, so a coarse one cuts into it: its lift keeps the ball hidden.
fn cloth_on_sphere(cells: usize) -> (DrawList, Camera) {
    let radius = 0.5;
    let cloth = sheet(cells, |u, v| {
        let (x, y) = ((u - 0.5) * 2.4, (v - 0.5) * 2.4);
        let away = x.hypot(y);
        let around = y.atan2(x);
        // Over the ball along its surface, below its equator straight down with folds.
        let arc = (away / radius).min(TAU / 4.0);
        let hanging = (away - radius * TAU / 4.0).max(0.0);
        let begun = hanging * hanging / (hanging + 0.15);
        let fold = 1.0 + 0.6 * begun * (8.0 * around).sin() + 0.25 * begun;
        let across = radius * arc.sin() * fold;
        let height = radius + radius * arc.cos() - hanging * 0.62;
        Vec3::new(across * around.cos(), across * around.sin(), height)
    });
    let list = DrawList {
        meshes: vec![
            Mesh {
                paint: Paint::Color([0.62, 0.13, 0.10]),
                shading: Shading {
                    lift: if cells < 50 { 0.012 } else { 0.002 },
                    ..Shading::default()
                },
                ..cloth
            },
            Mesh {
                paint: Paint::Color([0.35, 0.42, 0.52]),
                shading: Shading {
                    two_sided: false,
                    ..Shading::default()
                },
                ..ball(Vec3::new(0.0, 0.0, radius), radius, 96)
            },
            Mesh {
                paint: Paint::Color([0.80, 0.62, 0.30]),
                shading: Shading {
                    two_sided: false,
                    finish: Finish {
                        roughness: 0.35,
                        ..Finish::default()
                    },
                    ..Shading::default()
                },
                ..ball(Vec3::new(1.25, -0.35, 0.28), 0.28, 24)
            },
        ],
        ground: Some(0.0),
        ..DrawList::default()
    };
    let camera = Camera::framing(
        DVec3::new(-0.7, -0.7, 0.0),
        DVec3::new(1.5, 0.6, 1.0),
        16.0 / 9.0,
    );
    (list, camera)
}

/// A textured wave with its grid, spheres, a glassy ball, axes.
fn things() -> (DrawList, Camera) {
    let wave = |u: f32, v: f32| {
        let height = 0.12 * (TAU * u * 1.5).sin() * (TAU * v).cos() + 0.45;
        Vec3::new((u - 0.5) * 2.0, (v - 0.5) * 1.6, height)
    };
    let count = 24;
    let mut grid = LineSet {
        colors: vec![[0.02, 0.03, 0.05]],
        width: 1.2,
        lift: 0.001,
        ..LineSet::default()
    };
    let colored = sheet(count, |u, v| wave(u, v) + Vec3::new(2.3, 0.0, 0.0));
    for row in 0..=count {
        for column in 0..=count {
            let at = |column: usize, row: usize| colored.positions[row * (count + 1) + column];
            if column < count {
                grid.segments.push([at(column, row), at(column + 1, row)]);
            }
            if row < count {
                grid.segments.push([at(column, row), at(column, row + 1)]);
            }
        }
    }
    let colors = colored
        .positions
        .iter()
        .map(|[_, _, z]| {
            let share = (z - 0.33) / 0.24;
            [0.1 + 0.8 * share, 0.35, 0.9 - 0.8 * share]
        })
        .collect();
    let nodes = (0..12).map(|index| {
        let angle = index as f32 / 12.0 * TAU;
        [1.15 + 0.35 * angle.cos(), -1.2 + 0.35 * angle.sin(), 0.08]
    });
    let list = DrawList {
        meshes: vec![
            Mesh {
                paint: Paint::Texture(Arc::new(letters())),
                ..sheet(60, wave)
            },
            Mesh {
                paint: Paint::Vertices,
                colors,
                ..colored
            },
            Mesh {
                paint: Paint::Color([0.25, 0.55, 0.75]),
                shading: Shading {
                    opacity: 0.35,
                    finish: Finish {
                        roughness: 0.15,
                        ..Finish::default()
                    },
                    ..Shading::default()
                },
                ..ball(Vec3::new(-0.2, -1.25, 0.35), 0.35, 48)
            },
        ],
        lines: vec![
            grid,
            LineSet {
                segments: [Vec3::X, Vec3::Y, Vec3::Z]
                    .map(|axis| {
                        [
                            [-1.3, -1.0, 0.01],
                            (axis * 0.5 + Vec3::new(-1.3, -1.0, 0.01)).into(),
                        ]
                    })
                    .to_vec(),
                colors: vec![[0.7, 0.05, 0.05], [0.05, 0.5, 0.05], [0.05, 0.1, 0.7]],
                width: 4.0,
                lift: 0.0,
            },
        ],
        spheres: vec![SphereSet {
            centers: nodes.collect(),
            radii: vec![0.08],
            colors: vec![[0.85, 0.45, 0.10]],
            casts_shadow: true,
            ..SphereSet::default()
        }],
        labels: texts(),
        color_bars: vec![ColorBar {
            title: "height (m)".into(),
            low: 0.33,
            high: 0.57,
            colors: vec![[0.1, 0.35, 0.9], [0.9, 0.35, 0.1]],
        }],
        ground: Some(0.0),
        ..DrawList::default()
    };
    let camera = Camera::framing(
        DVec3::new(-1.4, -1.6, 0.0),
        DVec3::new(3.3, 0.9, 0.7),
        16.0 / 9.0,
    );
    (list, camera)
}

/// Labels of several sizes.
fn texts() -> Vec<Label> {
    let label = |text: &str, place: TextPlace, anchor: TextAnchor, size: f32| Label {
        text: text.into(),
        place,
        anchor,
        size,
        color: [0.02; 3],
    };
    let mut labels = vec![
        label(
            "Waves and beads",
            TextPlace::Picture([0.02, 0.03]),
            TextAnchor::TopLeft,
            30.0,
        ),
        label(
            "t = 1.25 s,  E = 3.5 \u{b7} 10\u{b3} N/m\u{b2},  45\u{b0},  20 \u{b5}m,  \u{2212}7 \u{d7} 8 \u{b1} 1",
            TextPlace::Picture([0.02, 0.085]),
            TextAnchor::TopLeft,
            18.0,
        ),
        label(
            "beads",
            TextPlace::World([1.15, -1.2, 0.05]),
            TextAnchor::Center,
            18.0,
        ),
    ];
    let all: String = ('!'..='~').collect();
    for (index, (size, line)) in [
        (12.0, &all[..]),
        (14.0, &all),
        (18.0, &all[..60]),
        (18.0, &all[60..]),
    ]
    .into_iter()
    .enumerate()
    {
        let place = TextPlace::Picture([0.02, 0.98 - 0.035 * index as f32]);
        labels.push(label(line, place, TextAnchor::BottomLeft, size));
    }
    let mut white = label(
        "light text",
        TextPlace::World([2.3, 0.0, 0.45]),
        TextAnchor::Center,
        22.0,
    );
    white.color = [1.0; 3];
    labels.push(white);
    labels
}

/// A checked picture with a mark in its upper left corner.
fn letters() -> Texture {
    let size = 256;
    let pixels = (0..size * size)
        .map(|index| {
            let (column, row) = (index % size, index / size);
            if column < 48 && row < 48 {
                [200, 40, 30]
            } else if (column / 16 + row / 16) % 2 == 0 {
                [235, 230, 220]
            } else {
                [70, 110, 140]
            }
        })
        .collect();
    Texture {
        width: size,
        height: size,
        pixels,
    }
}

/// A square grid of cells bent by `place`, with smooth normals.
fn sheet(count: usize, place: impl Fn(f32, f32) -> Vec3) -> Mesh {
    let mut mesh = Mesh::default();
    for row in 0..=count {
        for column in 0..=count {
            let (u, v) = (column as f32 / count as f32, row as f32 / count as f32);
            let small = 1e-3;
            let across = place(u + small, v) - place(u - small, v);
            let along = place(u, v + small) - place(u, v - small);
            mesh.positions.push(place(u, v).into());
            mesh.normals
                .push(across.cross(along).normalize_or(Vec3::Z).into());
            mesh.texture_coordinates.push([u, 1.0 - v]);
        }
    }
    for row in 0..count {
        for column in 0..count {
            let first = (row * (count + 1) + column) as u32;
            let above = first + count as u32 + 1;
            mesh.triangles.push([first, first + 1, above + 1]);
            mesh.triangles.push([first, above + 1, above]);
        }
    }
    mesh
}

/// A ball with smooth normals.
fn ball(center: Vec3, radius: f32, count: usize) -> Mesh {
    let mut mesh = sheet(count, |u, v| {
        let (around, up) = (u * TAU, (v - 0.5) * TAU / 2.0);
        center + radius * Vec3::new(around.cos() * up.cos(), around.sin() * up.cos(), up.sin())
    });
    for (normal, position) in mesh.normals.iter_mut().zip(&mesh.positions) {
        *normal = ((Vec3::from(*position) - center) / radius).into();
    }
    mesh
}

fn save(path: &Path, picture: &Picture) -> Result<(), Box<dyn Error>> {
    let file = BufWriter::new(File::create(path)?);
    let mut encoder = png::Encoder::new(file, picture.width() as u32, picture.height() as u32);
    encoder.set_color(png::ColorType::Rgba);
    encoder.set_depth(png::BitDepth::Eight);
    encoder.write_header()?.write_image_data(picture.bytes())?;
    println!("{}", path.display());
    Ok(())
}
