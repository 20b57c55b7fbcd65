//! What is in the picture is where it should be, and looks as it should.

use super::*;
use crate::{LightSource, Paint, SphereSet, Texture};
use glam::DVec3;
use std::sync::Arc;

/// Looks down along z from a height of 10 m; 10 pixels per metre at height 0, y points up.
pub(super) fn from_above() -> Camera {
    Camera {
        eye: DVec3::new(0.0, 0.0, 10.0),
        target: DVec3::ZERO,
        up: DVec3::Y,
        field_of_view: 2.0 * 0.5_f64.atan(),
    }
}

pub(super) fn small(background: Background) -> PictureOptions {
    PictureOptions {
        width: 100,
        height: 100,
        background,
        ..PictureOptions::default()
    }
}

pub(super) fn quad(corners: [[f32; 3]; 4], color: [f32; 3]) -> Mesh {
    Mesh {
        positions: corners.to_vec(),
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        paint: Paint::Color(color),
        ..Mesh::default()
    }
}

/// A level rectangle.
pub(super) fn level(low: [f32; 2], high: [f32; 2], height: f32, color: [f32; 3]) -> Mesh {
    quad(
        [
            [low[0], low[1], height],
            [high[0], low[1], height],
            [high[0], high[1], height],
            [low[0], high[1], height],
        ],
        color,
    )
}

pub(super) fn list_of(meshes: Vec<Mesh>) -> DrawList {
    DrawList {
        meshes,
        ..DrawList::default()
    }
}

pub(super) fn at(picture: &Picture, column: usize, row: usize) -> [u8; 4] {
    picture.pixels()[row * picture.width() + column]
}

fn covered(picture: &Picture) -> f64 {
    let sum: f64 = picture
        .pixels()
        .iter()
        .map(|pixel| f64::from(pixel[3]))
        .sum();
    sum / 255.0
}

#[test]
fn a_triangle_covers_its_area_and_no_more() {
    let mut mesh = level([-2.0, -2.0], [2.0, 2.0], 0.0, [0.8; 3]);
    mesh.triangles.truncate(1);
    let picture = draw(
        &list_of(vec![mesh]),
        &from_above(),
        &[],
        &small(Background::Transparent),
    );
    // Half of 40 x 40 pixels, below the diagonal.
    assert!(
        (covered(&picture) - 800.0).abs() < 8.0,
        "{}",
        covered(&picture)
    );
    assert_eq!(at(&picture, 65, 65)[3], 255);
    assert_eq!(at(&picture, 35, 35)[3], 0);
    assert_eq!(at(&picture, 71, 65)[3], 0);
    assert_eq!(at(&picture, 65, 71)[3], 0);
}

#[test]
fn neighbours_leave_no_gap() {
    let count = 23;
    let mut mesh = Mesh::default();
    for row in 0..=count {
        for column in 0..=count {
            // Irregular, but the same for both triangles at an edge.
            let shake = |seed: usize| ((seed * 7919 + 13) % 101) as f32 / 101.0 * 0.3;
            let index = row * (count + 1) + column;
            let x = (column as f32 + shake(index) - count as f32 * 0.5) * 0.6;
            let y = (row as f32 + shake(index + 55) - count as f32 * 0.5) * 0.6;
            mesh.positions.push([x, y, shake(index + 99)]);
        }
    }
    for row in 0..count as u32 {
        for column in 0..count as u32 {
            let first = row * (count as u32 + 1) + column;
            let above = first + count as u32 + 1;
            mesh.triangles.push([first, first + 1, above + 1]);
            mesh.triangles.push([first, above + 1, above]);
        }
    }
    for samples in [1, 4, 8] {
        let options = PictureOptions {
            samples,
            ..small(Background::Transparent)
        };
        let picture = draw(&list_of(vec![mesh.clone()]), &from_above(), &[], &options);
        assert!(picture.pixels().iter().all(|pixel| pixel[3] == 255));
        mesh.triangles.reverse();
    }
}

#[test]
fn an_edge_through_the_middle_of_pixels_covers_half_of_them() {
    let mesh = level([-2.0, -2.0], [1.05, 2.0], 0.0, [0.8; 3]);
    let picture = draw(
        &list_of(vec![mesh]),
        &from_above(),
        &[],
        &small(Background::Transparent),
    );
    assert_eq!(at(&picture, 59, 50)[3], 255);
    assert!((i32::from(at(&picture, 60, 50)[3]) - 128).abs() <= 1);
    assert_eq!(at(&picture, 61, 50)[3], 0);
}

#[test]
fn the_nearer_thing_is_seen_whatever_the_order() {
    let red = level([-2.0, -2.0], [1.0, 2.0], 1.0, [0.8, 0.0, 0.0]);
    let blue = level([-1.0, -2.0], [2.0, 2.0], 0.0, [0.0, 0.0, 0.8]);
    for meshes in [vec![red.clone(), blue.clone()], vec![blue, red]] {
        let picture = draw(
            &list_of(meshes),
            &from_above(),
            &[],
            &small(Background::default()),
        );
        let middle = at(&picture, 50, 50);
        assert!(middle[0] > 100 && middle[2] < 80, "{middle:?}");
        let right = at(&picture, 65, 50);
        assert!(right[2] > 100 && right[0] < 80, "{right:?}");
    }
}

#[test]
fn lift_brings_a_mesh_to_the_front() {
    let mut red = level([-2.0, -2.0], [2.0, 2.0], -0.02, [0.8, 0.0, 0.0]);
    let blue = level([-2.0, -2.0], [2.0, 2.0], 0.0, [0.0, 0.0, 0.8]);
    for (lift, is_red) in [(0.0, false), (0.001, false), (0.004, true)] {
        red.shading.lift = lift;
        let list = list_of(vec![red.clone(), blue.clone()]);
        let picture = draw(&list, &from_above(), &[], &small(Background::default()));
        let middle = at(&picture, 50, 50);
        assert_eq!(middle[0] > middle[2], is_red, "{lift}: {middle:?}");
    }
}

#[test]
fn one_sided_meshes_show_their_front_only_and_backs_are_tinted() {
    let mut mesh = level([-2.0, -2.0], [2.0, 2.0], 0.0, [0.8; 3]);
    mesh.shading.two_sided = false;
    let options = small(Background::Transparent);
    let picture = draw(&list_of(vec![mesh.clone()]), &from_above(), &[], &options);
    assert_eq!(at(&picture, 50, 50)[3], 255);
    mesh.triangles = vec![[0, 2, 1], [0, 3, 2]];
    let picture = draw(&list_of(vec![mesh.clone()]), &from_above(), &[], &options);
    assert_eq!(at(&picture, 50, 50)[3], 0);
    mesh.shading.two_sided = true;
    mesh.shading.back_tint = [1.0, 0.0, 0.0];
    let picture = draw(&list_of(vec![mesh]), &from_above(), &[], &options);
    let [red, green, _, opacity] = at(&picture, 50, 50);
    assert!(red > 100 && green < 80 && opacity == 255);
}

#[test]
fn a_sphere_has_its_silhouette() {
    let (radius, distance) = (2.0, 10.0_f64);
    let list = DrawList {
        spheres: vec![SphereSet {
            centers: vec![[0.0; 3]],
            radii: vec![radius as f32],
            colors: vec![[0.8, 0.3, 0.1]],
            casts_shadow: true,
            ..SphereSet::default()
        }],
        ..DrawList::default()
    };
    let options = PictureOptions {
        width: 300,
        height: 300,
        ..small(Background::Transparent)
    };
    let picture = draw(&list, &from_above(), &[], &options);
    // The cone of tangents from the eye: tan² = R² / (D² - R²); 300 pixels span a tangent of 1.
    let area = std::f64::consts::PI * 300.0_f64.powi(2) * radius * radius
        / (distance * distance - radius * radius);
    assert!((covered(&picture) / area - 1.0).abs() < 0.01);
}

#[test]
fn spheres_hide_by_their_true_depth() {
    // A plate that cuts the sphere: seen inside the circle of intersection is the sphere.
    let list = DrawList {
        meshes: vec![level([-4.0, -4.0], [4.0, 4.0], 1.0, [0.0, 0.0, 0.8])],
        spheres: vec![SphereSet {
            centers: vec![[0.0; 3]],
            radii: vec![2.0],
            colors: vec![[0.8, 0.0, 0.0]],
            casts_shadow: false,
            ..SphereSet::default()
        }],
        ..DrawList::default()
    };
    let picture = draw(&list, &from_above(), &[], &small(Background::default()));
    let red = picture
        .pixels()
        .iter()
        .filter(|pixel| pixel[0] > pixel[2] && pixel[1] < 150)
        .count() as f64;
    // Circle of radius √3 m at a distance of 9 m.
    let expected = std::f64::consts::PI * 3.0 * (100.0_f64 / 9.0).powi(2);
    assert!((red / expected - 1.0).abs() < 0.03, "{red} {expected}");
}

#[test]
fn shadows_fall_where_the_light_sends_them() {
    let roof = level([-0.5, -0.5], [0.5, 0.5], 1.0, [0.8; 3]);
    let list = DrawList {
        ground: Some(0.0),
        ..list_of(vec![roof])
    };
    let camera = Camera {
        eye: DVec3::new(0.0, -8.0, 6.0),
        target: DVec3::ZERO,
        up: DVec3::Z,
        field_of_view: 0.8,
    };
    let options = PictureOptions {
        width: 320,
        height: 240,
        ..small(Background::Plain([0.7; 3]))
    };
    let slanted = LightSource::Direction(DVec3::new(1.0, 0.0, -1.0));
    let lamp = LightSource::Position(DVec3::new(-4.0, 0.0, 5.0));
    // A ray of the far light moves 1 m on its way down, one of the lamp 4 / 5 of what it has
    // come down, which is 4 m at the height of the roof.
    for source in [slanted, lamp] {
        let light = Light {
            source,
            intensity: 1.0,
            shadows: true,
        };
        let picture = draw(&list, &camera, &[light], &options);
        let bare = draw(
            &list,
            &camera,
            &[light],
            &PictureOptions {
                shadows: false,
                ..options
            },
        );
        let brightness = |picture: &Picture, x: f64| {
            let place = camera.project(DVec3::new(x, 0.0, 0.0), 320, 240).unwrap();
            f64::from(at(picture, place[0] as usize, place[1] as usize)[1])
        };
        let dark = brightness(&picture, 1.1) / brightness(&bare, 1.1);
        let lit = brightness(&picture, -0.9) / brightness(&bare, -0.9);
        let beyond = brightness(&picture, 2.4) / brightness(&bare, 2.4);
        assert!(dark < 0.85, "{dark}");
        assert!(lit > 0.95, "{lit}");
        assert!(beyond > 0.97, "{beyond}");
    }
}

#[test]
fn a_lit_surface_does_not_shade_itself() {
    // Level and slanted plates and a ball of few triangles, lit flatly: what shadows add must be
    // next to nothing where the light falls from.
    let mut meshes = vec![
        level([-4.0, -4.0], [4.0, 4.0], 0.0, [0.8; 3]),
        quad(
            [
                [-3.0, -3.0, 0.5],
                [-1.0, -3.0, 0.5],
                [-1.0, 3.0, 2.5],
                [-3.0, 3.0, 2.5],
            ],
            [0.8; 3],
        ),
    ];
    for mesh in &mut meshes {
        mesh.shading.finish = crate::Finish::CHALK;
    }
    let light = Light {
        source: LightSource::Direction(DVec3::new(0.9, 0.1, -1.0)),
        intensity: 1.0,
        shadows: true,
    };
    let list = list_of(vec![meshes.remove(1)]);
    let options = small(Background::Transparent);
    let shaded = draw(&list, &from_above(), &[light], &options);
    let plain = draw(
        &list,
        &from_above(),
        &[light],
        &PictureOptions {
            shadows: false,
            ..options
        },
    );
    for (one, other) in shaded.pixels().iter().zip(plain.pixels()) {
        if one[3] == 255 {
            // The slope hides a little of its own sky; the light must not add to it.
            assert!(
                i32::from(other[1]) - i32::from(one[1]) < 18,
                "{one:?} {other:?}"
            );
        }
    }
}

#[test]
fn textures_stand_upright() {
    let colors = [[200, 0, 0], [0, 200, 0], [0, 0, 200], [200, 200, 0]];
    let pixels = (0..64 * 64)
        .map(|index| colors[(index % 64) / 32 + index / 64 / 32 * 2])
        .collect();
    let texture = Texture {
        width: 64,
        height: 64,
        pixels,
    };
    // The second coordinate runs from the top of the picture down, so it is 1 at the lower edge:
    // with material coordinates that point up it is one minus the second of them.
    let mesh = Mesh {
        paint: Paint::Texture(Arc::new(texture)),
        texture_coordinates: vec![[0.0, 1.0], [1.0, 1.0], [1.0, 0.0], [0.0, 0.0]],
        ..level([-2.0, -2.0], [2.0, 2.0], 0.0, [0.0; 3])
    };
    let picture = draw(
        &list_of(vec![mesh]),
        &from_above(),
        &[],
        &small(Background::default()),
    );
    let seen = |column, row| {
        let [red, green, blue, _] = at(&picture, column, row);
        [red > 120, green > 120, blue > 120]
    };
    assert_eq!(seen(40, 40), [true, false, false], "upper left");
    assert_eq!(seen(60, 40), [false, true, false], "upper right");
    assert_eq!(seen(40, 60), [false, false, true], "lower left");
    assert_eq!(seen(60, 60), [true, true, false], "lower right");
}
