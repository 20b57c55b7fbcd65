//! What is laid over opaque things: lines, transparent things, labels and colour bars.

use super::tests::{at, from_above, level, list_of, quad, small};
use super::*;
use crate::{LineSet, Shading};
use glam::DVec3;

#[test]
fn a_line_is_seen_whole_on_the_surface_it_lies_in() {
    // A slanted plate seen at a low angle, and a line in its plane.
    let plate = quad(
        [
            [-3.0, -3.0, 0.0],
            [3.0, -3.0, 0.3],
            [3.0, 3.0, 0.7],
            [-3.0, 3.0, 0.4],
        ],
        [0.8; 3],
    );
    let camera = Camera {
        eye: DVec3::new(1.0, -9.0, 1.5),
        target: DVec3::new(0.0, 0.0, 0.3),
        up: DVec3::Z,
        field_of_view: 0.7,
    };
    let height = |x: f32, y: f32| 0.05 * (x + 3.0) + 0.4 / 6.0 * (y + 3.0);
    let end = |x: f32, y: f32| [x, y, height(x, y)];
    let lines = LineSet {
        segments: vec![
            [end(-2.5, -2.0), end(2.0, 2.5)],
            [end(2.0, -2.0), end(-2.5, 0.0)],
        ],
        colors: vec![[1.0, 0.0, 0.0]],
        width: 6.0,
        lift: 0.0005,
    };
    let red = |meshes: Vec<Mesh>| {
        let list = DrawList {
            lines: vec![lines.clone()],
            ..list_of(meshes)
        };
        let options = PictureOptions {
            width: 640,
            height: 360,
            ..small(Background::Plain([0.6; 3]))
        };
        let picture = draw(&list, &camera, &[], &options);
        let shares = picture
            .pixels()
            .iter()
            .map(|pixel| (f64::from(pixel[0]) - f64::from(pixel[1])).max(0.0) / 255.0);
        shares.sum::<f64>()
    };
    let (alone, on_plate) = (red(Vec::new()), red(vec![plate.clone()]));
    assert!(alone > 300.0);
    assert!((on_plate / alone - 1.0).abs() < 0.05, "{on_plate} {alone}");
    let mut roof = plate;
    for position in &mut roof.positions {
        position[2] += 0.2;
    }
    assert!(red(vec![roof]) < alone * 0.7, "hidden behind a roof");
}

#[test]
fn transparent_things_let_through_what_lies_behind() {
    let glass = Mesh {
        shading: Shading {
            opacity: 0.25,
            finish: crate::Finish::CHALK,
            ..Shading::default()
        },
        ..level([-2.0, -2.0], [2.0, 2.0], 1.0, [0.0, 0.0, 0.0])
    };
    let options = small(Background::Plain([0.8; 3]));
    let picture = draw(&list_of(vec![glass]), &from_above(), &[], &options);
    let through = tone::light_of_bytes()[at(&picture, 50, 50)[0] as usize];
    assert!((through - 0.6).abs() < 0.01, "{through}");
    // Also along the diagonal, where two triangles meet: neither missing nor laid twice.
    for index in 40..60 {
        let [one, other] = [at(&picture, index, 99 - index), at(&picture, 50, 45)];
        assert!(one[0].abs_diff(other[0]) <= 1, "{one:?} {other:?}");
    }
}

#[test]
fn labels_stand_at_their_points() {
    let mut list = DrawList::default();
    list.labels.push(crate::Label {
        text: "x".into(),
        place: crate::TextPlace::World([2.0, 1.0, 0.0]),
        anchor: crate::TextAnchor::Center,
        size: 130.0,
        color: [0.0; 3],
    });
    let picture = draw(
        &list,
        &from_above(),
        &[],
        &small(Background::Plain([0.8; 3])),
    );
    let (mut middle, mut count) = ([0.0; 2], 0.0);
    for (index, pixel) in picture.pixels().iter().enumerate() {
        if pixel[0] < 90 {
            middle[0] += (index % 100) as f64;
            middle[1] += (index / 100) as f64;
            count += 1.0;
        }
    }
    assert!(count > 5.0);
    assert!((middle[0] / count - 70.0).abs() < 3.0, "{middle:?} {count}");
    assert!((middle[1] / count - 40.0).abs() < 4.0, "{middle:?} {count}");
}

#[test]
fn color_bars_show_their_colours_at_the_right() {
    let list = DrawList {
        color_bars: vec![crate::ColorBar {
            title: "speed (m/s)".into(),
            low: 0.0,
            high: 2.0,
            colors: vec![[0.0, 0.0, 0.8], [0.8, 0.0, 0.0]],
        }],
        ..DrawList::default()
    };
    let picture = draw(&list, &from_above(), &[], &PictureOptions::default());
    let strong = |lower: bool| {
        let rows = if lower { 360..720 } else { 0..360 };
        rows.flat_map(|row| (1100..1280).map(move |column| (column, row)))
            .filter(|(column, row)| {
                let [red, _, blue, _] = at(&picture, *column, *row).map(i32::from);
                if lower {
                    blue > red + 80
                } else {
                    red > blue + 80
                }
            })
            .count()
    };
    assert!(strong(true) > 1000 && strong(false) > 1000);
    assert!(
        picture.pixels()[360 * 1280..360 * 1280 + 1000]
            .windows(2)
            .all(|pair| pair[0][0].abs_diff(pair[1][0]) <= 1)
    );
}
