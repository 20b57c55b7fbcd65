use super::*;
use crate::stylist::test_frames::body;
use pliant::Grid;
use pliant::grid::torn_topology;
use std::collections::HashMap;

fn torn(counts: &[usize], is_broken: &dyn Fn([usize; 3], usize) -> bool) -> FrameBody {
    let grid = Grid::new(counts, &vec![false; counts.len()]);
    let topology = torn_topology(&grid, &|node, direction| {
        is_broken(grid.coordinates(node), direction)
    });
    let positions = grid
        .nodes()
        .map(|node| DVec3::from(grid.material_coordinates(node)))
        .collect();
    body(topology, positions)
}

fn drawn(torn: &FrameBody, rest: &[DVec3]) -> FrameBody {
    TornPlan::new(&torn.topology, rest).unwrap().body(torn)
}

fn area(body: &FrameBody) -> f64 {
    let at = |node: u32| body.positions[node as usize];
    let triangles = body.topology.triangles.iter();
    triangles
        .map(|&[a, b, c]| 0.5 * (at(b) - at(a)).cross(at(c) - at(a)).length())
        .sum()
}

fn volume(body: &FrameBody) -> f64 {
    let at = |node: u32| body.positions[node as usize];
    let triangles = body.topology.triangles.iter();
    triangles
        .map(|&[a, b, c]| at(a).dot(at(b).cross(at(c))) / 6.0)
        .sum()
}

/// Every edge runs once in either direction.
fn check_closed(body: &FrameBody) {
    let mut uses: HashMap<(u32, u32), i32> = HashMap::new();
    for &[a, b, c] in &body.topology.triangles {
        for (from, to) in [(a, b), (b, c), (c, a)] {
            *uses.entry((from, to)).or_default() += 1;
            *uses.entry((to, from)).or_default() -= 1;
        }
    }
    assert!(!uses.is_empty() && uses.values().all(|count| *count == 0));
}

#[test]
fn a_sheet_torn_in_two_keeps_its_area_and_nothing_spans_the_gap() {
    let mut sheet = torn(&[6, 5], &|[x, ..], direction| direction == 0 && x == 2);
    let rest = sheet.positions.clone();
    assert!((area(&drawn(&sheet, &rest)) - 1.0).abs() < 1e-12);
    let middle = 0.5;
    for position in &mut sheet.positions {
        if position.x > middle {
            position.x += 3.0;
        }
    }
    let apart = drawn(&sheet, &rest);
    assert!((area(&apart) - 1.0).abs() < 1e-12);
    for triangle in &apart.topology.triangles {
        let x = triangle.map(|node| apart.positions[node as usize].x);
        assert!(x.iter().all(|&x| x < 1.0) || x.iter().all(|&x| x > 3.0));
    }
}

#[test]
fn the_rest_shape_comes_from_the_frame_if_only_the_torn_shape_was_seen() {
    let mut sheet = torn(&[6, 5], &|[x, ..], direction| direction == 0 && x == 2);
    let rest = sheet.positions.clone();
    for position in &mut sheet.positions {
        if position.x > 0.5 {
            position.x += 3.0;
        }
    }
    let mut topology = (*sheet.topology).clone();
    topology.rest_positions = rest;
    let plan = TornPlan::new(&topology, &sheet.positions).unwrap();
    assert!((area(&plan.body(&sheet)) - 1.0).abs() < 1e-12);
    // Without it the gap itself would be taken for material.
    topology.rest_positions.clear();
    let plan = TornPlan::new(&topology, &sheet.positions).unwrap();
    assert!(area(&plan.body(&sheet)) > 2.0);
}

#[test]
fn a_single_broken_link_of_a_sheet_takes_nothing_away() {
    let sheet = torn(&[4, 4], &|place, direction| {
        direction == 0 && place == [1, 1, 0]
    });
    let rest = sheet.positions.clone();
    let drawn = drawn(&sheet, &rest);
    assert!((area(&drawn) - 1.0).abs() < 1e-12);
    assert_eq!(drawn.topology.triangles.len(), 9 * 8);
    assert_eq!(drawn.fields[0].values.len(), drawn.positions.len());
    assert_eq!(drawn.velocities.len(), drawn.positions.len());
}

#[test]
fn a_solid_broken_in_two_is_two_closed_pieces_of_its_whole_volume() {
    let mut solid = torn(&[4, 3, 3], &|[x, ..], direction| direction == 0 && x == 1);
    let rest = solid.positions.clone();
    for position in &mut solid.positions {
        if position.x > 0.5 {
            // Away and turned by a quarter about the x axis.
            *position = DVec3::new(position.x + 2.0, -position.z, position.y);
        }
    }
    let apart = drawn(&solid, &rest);
    check_closed(&apart);
    // The cut is uneven, and the two sides of it fit into each other.
    assert!((volume(&apart) - 1.0).abs() < 1e-6, "{}", volume(&apart));
    for triangle in &apart.topology.triangles {
        let x = triangle.map(|node| apart.positions[node as usize].x);
        assert!(x.iter().all(|&x| x < 1.0) || x.iter().all(|&x| x > 2.0));
    }
}

#[test]
fn solids_with_links_broken_at_random_stay_closed() {
    for seed in 0..4_usize {
        let mut solid = torn(&[5, 4, 4], &|[x, y, z], direction| {
            (7 * x + 11 * y + 13 * z + 5 * direction + seed) * 2654435761 % 97 < 20
        });
        let rest = solid.positions.clone();
        assert!(!solid.topology.broken_links.is_empty());
        for (index, position) in solid.positions.iter_mut().enumerate() {
            *position += 0.02 * DVec3::new((index as f64).sin(), (3.0 * index as f64).cos(), 0.0);
        }
        let drawn = drawn(&solid, &rest);
        check_closed(&drawn);
        assert!(drawn.positions.iter().all(|position| position.is_finite()));
    }
}

#[test]
fn whole_bodies_curves_and_meshes_have_no_plan() {
    let whole = torn(&[4, 4], &|_, _| false);
    assert!(TornPlan::new(&whole.topology, &whole.positions).is_none());
    let curve = torn(&[6], &|[x, ..], _| x == 2);
    assert!(TornPlan::new(&curve.topology, &curve.positions).is_none());
}
