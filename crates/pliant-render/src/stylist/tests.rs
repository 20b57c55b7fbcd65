//! Tests of the stylist as a whole.

use super::test_frames::{body, grid_frame, obstacle, sheet};
use super::*;
use crate::draw_list::{Mesh, Paint};
use crate::style::Ground;
use glam::DVec3;
use pliant::frame::{Appearance, Topology, TriangleMesh};
use std::sync::Arc;

fn looks() -> Vec<Look> {
    vec![
        Look::Shaded,
        Look::Wireframe,
        Look::Particles,
        Look::Threads,
        Look::Blobby,
        Look::Field("speed".into()),
        Look::Field("strain".into()),
    ]
}

/// What every list must be, whatever went in.
fn check(list: &DrawList) {
    let finite = |list: &[[f32; 3]]| list.iter().flatten().all(|x| x.is_finite());
    for mesh in &list.meshes {
        let Mesh {
            positions, normals, ..
        } = mesh;
        assert_eq!(positions.len(), normals.len());
        assert!(finite(positions) && finite(normals) && finite(&mesh.colors));
        for corner in mesh.triangles.iter().flatten() {
            assert!((*corner as usize) < positions.len());
        }
        for normal in normals {
            let square: f32 = normal.iter().map(|x| x * x).sum();
            assert!((square - 1.0).abs() < 1e-3, "{normal:?}");
        }
        match mesh.paint {
            Paint::Texture(_) | Paint::Grid(_) => {
                assert_eq!(mesh.texture_coordinates.len(), positions.len());
            }
            Paint::Vertices => assert_eq!(mesh.colors.len(), positions.len()),
            Paint::Color(color) => assert!(finite(&[color])),
        }
    }
    for set in &list.lines {
        assert!(set.segments.iter().all(|ends| finite(ends)));
        assert!(set.colors.len() == 1 || set.colors.len() == set.segments.len());
    }
    for set in &list.spheres {
        assert!(finite(&set.centers) && set.radii.iter().all(|r| r.is_finite() && *r >= 0.0));
        assert!(set.colors.len() == 1 || set.colors.len() == set.centers.len());
    }
}

fn all_kinds() -> Frame {
    let mut frame = grid_frame(&[4, 3]);
    frame.bodies.extend(grid_frame(&[3, 3, 3]).bodies);
    frame.bodies.extend(grid_frame(&[6]).bodies);
    let mut drops = grid_frame(&[3, 2, 2]).bodies.remove(0);
    drops.topology = Arc::new(Topology {
        points: (0..12).collect(),
        ..Topology::default()
    });
    drops.particle_radius = 0.2;
    frame.bodies.push(drops);
    frame
}

#[test]
fn every_look_draws_every_kind_of_body() {
    let frame = all_kinds();
    for look in looks() {
        let mut stylist = Stylist::new(look.clone().into(), TextureStore::default());
        let list = stylist.list(&frame).unwrap();
        check(&list);
        assert!(!list.meshes.is_empty() || !list.lines.is_empty(), "{look}");
        for index in 0..frame.bodies.len() {
            let mut alone = Frame::default();
            alone.bodies.push(frame.bodies[index].clone());
            let list = stylist.list(&alone).unwrap();
            let drawn = list.meshes.len() + list.lines.len() + list.spheres.len();
            assert!(drawn > 0, "{look}: body {index}");
        }
    }
}

#[test]
fn nothing_makes_it_panic() {
    let mut broken = all_kinds();
    for body in &mut broken.bodies {
        body.positions[0] = DVec3::NAN;
        body.positions[1].x = f64::INFINITY;
        body.positions[2] = DVec3::splat(1e300);
        body.external_forces[0] = DVec3::NAN;
        body.external_forces[1] = DVec3::splat(1e308);
        body.velocities.truncate(1);
        body.fixed = Arc::default();
        body.fields
            .iter_mut()
            .for_each(|field| field.values.truncate(2));
        let mut topology = (*body.topology).clone();
        topology.triangles.push([0, 1, 9999]);
        topology.triangles.push([2, 2, 2]);
        topology.lines.push([3, 9999]);
        topology.points.push(9999);
        topology.material_coordinates.truncate(2);
        body.topology = Arc::new(topology);
    }
    broken.obstacles.push(obstacle(TriangleMesh::default()));
    let mut empty_body = Frame::default();
    empty_body
        .bodies
        .push(body(Topology::default(), Vec::new()));
    let mut zero_radius = all_kinds();
    zero_radius.bodies[3].particle_radius = 0.0;
    let mut endless_radius = all_kinds();
    endless_radius.bodies[3].particle_radius = f64::NAN;
    for look in looks() {
        for hidden_lines in [false, true] {
            let style = Style {
                hidden_lines,
                thickness: 0.01,
                ground: Ground::Yes,
                ..Style::from(look.clone())
            };
            let mut stylist = Stylist::new(style, TextureStore::default());
            for frame in [
                &Frame::default(),
                &empty_body,
                &broken,
                &zero_radius,
                &endless_radius,
                &all_kinds(),
            ] {
                check(&stylist.list(frame).unwrap());
            }
        }
    }
}

#[test]
fn a_missing_field_is_an_error_that_names_the_others() {
    let style = Style::from(Look::Field("temperature".into()));
    let error = Stylist::new(style, TextureStore::default())
        .list(&sheet(3, 3))
        .unwrap_err()
        .to_string();
    assert!(error.contains("temperature") && error.contains("speed, strain"));
}

#[test]
fn a_field_has_colours_at_its_nodes_and_a_legend() {
    let mut frame = sheet(3, 2);
    frame.bodies[0].velocities[5] = DVec3::X;
    let style = Style {
        field_range: Some([0.0, 1.0]),
        ..Style::from(Look::Field("speed".into()))
    };
    let list = Stylist::new(style, TextureStore::default())
        .list(&frame)
        .unwrap();
    let map = crate::ColorMap::Rising;
    let vertices = list.meshes[0].positions.iter().zip(&list.meshes[0].colors);
    // The first vertices are the nodes; those between them follow.
    for (position, color) in vertices.take(6) {
        let node_5 = *position == [0.5, 0.5, 0.0];
        assert_eq!(*color, map.color(if node_5 { 1.0 } else { 0.0 }));
    }
    assert_eq!(list.color_bars[0].title, "speed (m/s)");
    assert_eq!(
        (list.color_bars[0].low, list.color_bars[0].high),
        (0.0, 1.0)
    );
}

#[test]
fn a_new_topology_is_drawn_with_the_creases_of_the_first_shape() {
    let mut frame = grid_frame(&[3, 3, 3]);
    let mut stylist = Stylist::new(Style::default(), TextureStore::default());
    let whole = stylist.list(&frame).unwrap();
    // Each side has 9 x 9 vertices of its own after two refinements.
    assert_eq!(whole.meshes[0].positions.len(), 6 * 81);
    let mut topology = (*frame.bodies[0].topology).clone();
    topology.triangles.truncate(10);
    frame.bodies[0].topology = Arc::new(topology);
    let torn = stylist.list(&frame).unwrap();
    assert_eq!(torn.meshes[0].triangles.len(), 10 * 16);
    // Folded flat, the block would have no creases of its own.
    for position in &mut frame.bodies[0].positions {
        position.z = 0.0;
    }
    let flat = stylist.list(&frame).unwrap();
    assert_eq!(
        flat.meshes[0].positions.len(),
        torn.meshes[0].positions.len()
    );
}

#[test]
fn far_from_the_origin_nothing_is_lost() {
    let mut frame = sheet(9, 9);
    let near = Stylist::new(Style::default(), TextureStore::default())
        .list(&frame)
        .unwrap();
    let away = DVec3::new(1e6, -3e6, 2e6);
    for position in &mut frame.bodies[0].positions {
        *position += away;
    }
    let far = Stylist::new(Style::default(), TextureStore::default())
        .list(&frame)
        .unwrap();
    assert!((far.origin - near.origin - away).length() < 1e-6);
    for (a, b) in near.meshes[0]
        .positions
        .iter()
        .zip(&far.meshes[0].positions)
    {
        for d in 0..3 {
            assert!((a[d] - b[d]).abs() < 1e-6);
        }
    }
}

#[test]
fn textures_are_laid_on() {
    let mut frame = sheet(3, 3);
    frame.bodies[0].appearance = Arc::new(Appearance::texture("flag"));
    let textures = TextureStore::for_frame(std::path::Path::new("."), &frame).unwrap();
    for look in looks() {
        check(
            &Stylist::new(look.into(), textures.clone())
                .list(&frame)
                .unwrap(),
        );
    }
    let list = Stylist::new(Style::default(), textures)
        .list(&frame)
        .unwrap();
    let mesh = &list.meshes[0];
    assert!(matches!(mesh.paint, Paint::Texture(_)));
    // The first row of the grid is the lower edge of the picture.
    for (position, coordinates) in mesh.positions.iter().zip(&mesh.texture_coordinates) {
        let expected = [position[0] + 0.5, 0.5 - position[1]];
        for d in 0..2 {
            assert!((coordinates[d] - expected[d]).abs() < 1.0 / 512.0);
        }
    }
}

#[test]
fn a_body_is_known_by_the_frame_that_was_met_first() {
    let first = sheet(4, 4);
    let mut later = sheet(4, 4);
    for place in &mut later.bodies[0].positions {
        *place = 10.0 * DVec3::new(place.z, place.y, place.x);
    }
    let drawn = |meets: bool| {
        let mut stylist = Stylist::new(Style::default(), TextureStore::default());
        if meets {
            stylist.meet(&first);
        }
        stylist.list(&later).unwrap();
        (stylist.bodies.len(), stylist.bodies[0].size)
    };
    let (count, size) = drawn(true);
    assert!(
        count == 1 && (size - 2.0_f64.sqrt()).abs() < 1e-12,
        "{size}"
    );
    assert!(drawn(false).1 > 10.0);
}
