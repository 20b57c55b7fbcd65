//! The picture is the same for any number of threads, and nothing in a list makes drawing fail.

use super::*;
use crate::{
    ColorBar, Label, LightSource, LineSet, Paint, Shading, SphereSet, TextAnchor, TextPlace,
    Texture,
};
use glam::DVec3;
use std::sync::Arc;

/// A little of everything.
fn busy() -> DrawList {
    let mut wave = Mesh {
        paint: Paint::Vertices,
        ..Mesh::default()
    };
    for row in 0..40 {
        for column in 0..40 {
            let (x, y) = (column as f32 * 0.1 - 2.0, row as f32 * 0.1 - 2.0);
            wave.positions
                .push([x, y, 0.5 + 0.3 * (3.0 * x).sin() * (2.0 * y).cos()]);
            wave.normals.push([0.0, 0.0, 1.0]);
            wave.colors.push([0.2 + 0.1 * x, 0.5, 0.4 - 0.1 * y]);
            let first = row * 40 + column;
            if row < 39 && column < 39 {
                wave.triangles.push([first, first + 1, first + 41]);
                wave.triangles.push([first, first + 41, first + 40]);
            }
        }
    }
    let mut glass = wave.clone();
    glass.shading.opacity = 0.4;
    for position in &mut glass.positions {
        position[2] += 0.6;
    }
    DrawList {
        lines: vec![LineSet {
            segments: wave
                .positions
                .windows(2)
                .map(|pair| [pair[0], pair[1]])
                .collect(),
            colors: vec![[0.1; 3]],
            width: 1.0,
            lift: 0.001,
        }],
        spheres: vec![SphereSet {
            centers: wave.positions.iter().step_by(37).copied().collect(),
            radii: vec![0.05],
            colors: vec![[0.9, 0.4, 0.1]],
            casts_shadow: true,
            ..SphereSet::default()
        }],
        labels: vec![Label {
            text: "wave \u{b2}".into(),
            place: TextPlace::World([0.0; 3]),
            anchor: TextAnchor::BottomCenter,
            size: 30.0,
            color: [0.0; 3],
        }],
        color_bars: vec![ColorBar {
            title: "x".into(),
            low: 0.0,
            high: 1.0,
            colors: vec![[0.0; 3], [1.0; 3]],
        }],
        meshes: vec![wave, glass],
        ground: Some(-0.2),
        origin: DVec3::ZERO,
    }
}

fn options() -> PictureOptions {
    PictureOptions {
        width: 250,
        height: 170,
        ..PictureOptions::default()
    }
}

fn camera() -> Camera {
    Camera::framing(DVec3::splat(-1.5), DVec3::splat(1.5), 1.5)
}

#[test]
fn any_number_of_threads_draws_the_same_bytes() {
    let list = busy();
    let draw_with = |threads: usize| {
        rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap()
            .install(|| draw(&list, &camera(), &[], &options()))
    };
    let one = draw_with(1);
    assert!(one.pixels().iter().any(|pixel| pixel != &one.pixels()[0]));
    for threads in [2, 4] {
        assert!(draw_with(threads) == one, "{threads} threads");
    }
}

#[test]
fn a_far_origin_changes_nothing() {
    let near = draw(&busy(), &camera(), &[], &options());
    let offset = DVec3::new(1e6, -3e6, 2e5);
    let far_list = DrawList {
        origin: offset,
        ..busy()
    };
    let mut far_camera = camera();
    far_camera.eye += offset;
    far_camera.target += offset;
    let far = draw(&far_list, &far_camera, &[], &options());
    let different = near
        .pixels()
        .iter()
        .zip(far.pixels())
        .filter(|(one, other)| one.iter().zip(*other).any(|(a, b)| a.abs_diff(*b) > 3))
        .count();
    assert!(different < near.pixels().len() / 200, "{different}");
}

#[test]
fn empty_lists_and_pictures() {
    let nothing = DrawList::default();
    let picture = draw(&nothing, &camera(), &[], &options());
    assert_eq!(picture.pixels().len(), 250 * 170);
    for (width, height) in [(0, 0), (0, 5), (5, 0), (1, 1)] {
        let small = PictureOptions {
            width,
            height,
            ..options()
        };
        for list in [&nothing, &busy()] {
            let picture = draw(list, &camera(), &[], &small);
            assert_eq!(picture.pixels().len(), width * height);
        }
    }
}

#[test]
fn bad_numbers_are_left_out() {
    let odd = [
        f32::NAN,
        f32::INFINITY,
        f32::NEG_INFINITY,
        f32::MAX,
        f32::MIN,
        1e20,
        -1e12,
        f32::MIN_POSITIVE,
        0.0,
    ];
    for (index, value) in odd.into_iter().enumerate() {
        let mut list = busy();
        for mesh in &mut list.meshes {
            mesh.positions[7 + index][index % 3] = value;
            mesh.normals[9] = [value; 3];
            mesh.colors[11] = [value; 3];
            mesh.triangles.push([0, 1, 1_000_000]);
            mesh.triangles.push([5, 5, 5]);
            mesh.shading.lift = value;
            mesh.shading.finish.roughness = value;
            mesh.shading.finish.metallic = value;
            mesh.shading.finish.subsurface = value;
            mesh.shading.finish.sheen = value;
            mesh.shading.finish.depth = value;
        }
        list.meshes[1].shading.opacity = value;
        list.meshes[0].normals.truncate(20 + index);
        list.lines[0].segments[3][0][1] = value;
        list.lines[0].width = value;
        list.lines[0].lift = value;
        list.spheres[0].centers[2] = [value; 3];
        list.spheres[0].radii = vec![value; index];
        list.labels[0].place = TextPlace::Picture([value, 0.5]);
        list.labels[0].size = value;
        list.color_bars[0].high = f64::from(value);
        list.ground = Some(value);
        list.meshes.push(Mesh {
            paint: Paint::Texture(Arc::new(Texture::default())),
            texture_coordinates: vec![[value; 2]; 3],
            positions: vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, value]],
            triangles: vec![[0, 1, 2]],
            shading: Shading {
                two_sided: false,
                ..Shading::default()
            },
            ..Mesh::default()
        });
        let value = f64::from(value);
        let mut odd_camera = camera();
        odd_camera.field_of_view = value;
        let lights = [
            Light {
                source: LightSource::Position(DVec3::splat(value)),
                intensity: value,
                shadows: true,
            },
            Light {
                source: LightSource::Direction(DVec3::splat(value)),
                intensity: -value,
                shadows: true,
            },
        ];
        let odd_options = PictureOptions {
            exposure: value as f32,
            samples: index,
            ..options()
        };
        for camera in [camera(), odd_camera] {
            for lights in [&lights[..0], &lights[..1], &lights[1..], &lights[..]] {
                let picture = draw(&list, &camera, lights, &odd_options);
                assert_eq!(picture.pixels().len(), 250 * 170);
            }
        }
    }
}

#[test]
fn cameras_inside_things_and_among_triangles() {
    let mut list = busy();
    list.spheres[0].centers.push([0.0; 3]);
    list.spheres[0].radii = vec![0.5];
    let inside = Camera {
        eye: DVec3::new(0.05, 0.02, 0.1),
        target: DVec3::ZERO,
        up: DVec3::Z,
        field_of_view: 1.2,
    };
    let picture = draw(&list, &inside, &[], &options());
    assert_eq!(picture.pixels().len(), 250 * 170);
    let lamp = Light {
        source: LightSource::Position(DVec3::new(0.0, 0.0, 0.4)),
        intensity: 1.0,
        shadows: true,
    };
    let lit = draw(&list, &camera(), &[lamp], &options());
    assert_eq!(lit.pixels().len(), 250 * 170);
}

#[test]
fn a_triangle_that_passes_the_eye_fills_what_lies_before_it() {
    // A floor that reaches far behind the eye: everything below the horizon is covered.
    let floor = Mesh {
        positions: vec![[-1e4, -1e4, 0.0], [1e4, -1e4, 0.0], [0.0, 2e4, 0.0]],
        triangles: vec![[0, 1, 2]],
        ..Mesh::default()
    };
    let list = DrawList {
        meshes: vec![floor],
        ..DrawList::default()
    };
    let camera = Camera {
        eye: DVec3::new(0.0, 0.0, 1.0),
        target: DVec3::new(0.0, 1.0, 1.0),
        up: DVec3::Z,
        field_of_view: 1.0,
    };
    let options = PictureOptions {
        background: Background::Transparent,
        width: 64,
        height: 64,
        ..options()
    };
    let picture = draw(&list, &camera, &[], &options);
    for (index, pixel) in picture.pixels().iter().enumerate() {
        let row = index / 64;
        if row != 31 && row != 32 {
            assert_eq!(pixel[3] == 255, row > 32, "row {row}");
        }
    }
}

#[test]
fn the_ground_is_seen_from_above_only() {
    let list = DrawList {
        ground: Some(0.0),
        ..DrawList::default()
    };
    let options = PictureOptions {
        background: Background::Plain([0.1, 0.2, 0.9]),
        ..options()
    };
    let view_from = |height: f64| {
        let camera = Camera {
            eye: DVec3::new(0.0, -3.0, height),
            target: DVec3::ZERO,
            up: DVec3::Z,
            field_of_view: 0.8,
        };
        draw(&list, &camera, &[], &options)
    };
    let blue = |picture: &Picture| {
        let colors = picture.pixels().iter().map(|pixel| pixel.map(i32::from));
        colors.filter(|[red, _, blue, _]| *blue > red + 50).count()
    };
    let below = view_from(-2.0);
    assert_eq!(blue(&below), below.pixels().len());
    let above = view_from(2.0);
    assert!(blue(&above) < above.pixels().len() / 2);
}
