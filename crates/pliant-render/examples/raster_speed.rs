//! Measures what a picture costs: milliseconds per frame for waves of more and more triangles over
//! a ground, with shadows and four samples per pixel.
//!
//! ```text
//! cargo run --release -p pliant-render --example raster_speed [CELLS]
//! ```
//!
//! With a number, only a wave with that many cells along each side is drawn.

use glam::{DVec3, Vec3};
use pliant_render::{Camera, DrawList, Mesh, PictureOptions, draw};
use std::time::Instant;

fn main() {
    let camera = Camera::framing(
        DVec3::new(-1.0, -1.0, 0.0),
        DVec3::new(1.0, 1.0, 0.8),
        16.0 / 9.0,
    );
    println!("triangles  shadows  samples  ms/frame (best of 7)");
    let mut cases = vec![
        (10, true, 4),
        (71, true, 4),
        (158, false, 1),
        (158, false, 4),
        (158, true, 1),
        (158, true, 4),
        (158, true, 8),
        (500, true, 4),
    ];
    if let Some(cells) = std::env::args().nth(1).and_then(|text| text.parse().ok()) {
        cases = vec![(cells, true, 4)];
    }
    for (count, shadows, samples) in cases {
        let list = wave(count);
        let options = PictureOptions {
            shadows,
            samples,
            ..PictureOptions::default()
        };
        let mut best = f64::INFINITY;
        for _ in 0..7 {
            let start = Instant::now();
            let picture = draw(&list, &camera, &[], &options);
            assert!(!picture.pixels().is_empty());
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        let triangles = list.meshes[0].triangles.len();
        println!("{triangles:9}  {shadows:7}  {samples:7}  {best:8.1}");
    }
}

/// A wavy sheet of 2 count² triangles above the ground.
fn wave(count: usize) -> DrawList {
    let mut mesh = Mesh::default();
    for row in 0..=count {
        for column in 0..=count {
            let x = column as f32 / count as f32 * 2.0 - 1.0;
            let y = row as f32 / count as f32 * 2.0 - 1.0;
            let (height, slopes) = (
                0.4 + 0.15 * (7.0 * x).sin() * (6.0 * y).cos(),
                [
                    1.05 * (7.0 * x).cos() * (6.0 * y).cos(),
                    -0.9 * (7.0 * x).sin() * (6.0 * y).sin(),
                ],
            );
            mesh.positions.push([x, y, height]);
            let normal = Vec3::new(-slopes[0], -slopes[1], 1.0).normalize();
            mesh.normals.push(normal.into());
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
    DrawList {
        meshes: vec![mesh],
        ground: Some(0.0),
        ..DrawList::default()
    }
}
