use super::super::surface_repair::{Repair, RepairOptions, repair};
use super::super::{Division, block, boundary_surface};
use super::*;

/// A cube of edge 1 from the origin, each face of `count` x `count` squares.
fn cube(count: usize) -> TriangleMesh {
    let mesh = block([count; 3], DVec3::ONE, Division::SixTetrahedra).unwrap();
    boundary_surface(&mesh).0
}

fn mend(surface: &mut TriangleMesh) -> Vec<Repair> {
    let done = repair(surface, &RepairOptions::default());
    for repair in &done {
        println!("{repair}");
    }
    let report = check_surface(surface);
    assert!(report.is_sound(), "{report}");
    done
}

fn append(surface: &mut TriangleMesh, other: &TriangleMesh, scale: f64, shift: DVec3) {
    let first = surface.positions.len() as u32;
    let positions = other.positions.iter().map(|&x| scale * x + shift);
    surface.positions.extend(positions);
    let triangles = other.triangles.iter();
    surface
        .triangles
        .extend(triangles.map(|t| t.map(|vertex| vertex + first)));
}

#[test]
fn a_sound_surface_is_left_alone() {
    let mut surface = cube(3);
    let report = check_surface(&surface);
    assert!(report.is_sound(), "{report}");
    assert!((report.volume - 1.0).abs() < 1e-12);
    let before = surface.clone();
    assert_eq!(repair(&mut surface, &RepairOptions::default()), vec![]);
    assert_eq!(surface, before);
}

#[test]
fn a_missing_face_is_found_and_filled() {
    for count in [1, 3] {
        let mut surface = cube(count);
        let top = |surface: &TriangleMesh, t: usize| corners(surface, t).iter().all(|x| x.z > 0.99);
        let kept: Vec<[u32; 3]> = (0..surface.triangles.len())
            .filter(|&t| !top(&surface, t))
            .map(|t| surface.triangles[t])
            .collect();
        surface.triangles = kept;
        let report = check_surface(&surface);
        assert_eq!(report.open_edges, 4 * count);
        assert!(!report.is_closed());
        let text = report.to_string();
        assert!(text.contains("fill the hole"), "{text}");
        let done = mend(&mut surface);
        let place = DVec3::new(0.5, 0.5, 1.0);
        let Repair::FilledHole {
            edges,
            place: found,
        } = done[0]
        else {
            panic!("{done:?}");
        };
        assert_eq!(edges, 4 * count);
        assert!(found.distance(place) < 1e-12);
        assert!((check_surface(&surface).volume - 1.0).abs() < 1e-12);
    }
}

#[test]
fn a_flipped_triangle_is_found_and_turned() {
    let mut surface = cube(2);
    let whole = surface.clone();
    surface.triangles[7].swap(0, 1);
    let report = check_surface(&surface);
    assert_eq!(report.turned_edges, 3);
    let names_it = |fault: &SurfaceFault| matches!(fault, SurfaceFault::Turned { first, second, .. } if *first == 7 || *second == 7);
    assert!(report.faults.iter().all(names_it), "{report}");
    assert_eq!(mend(&mut surface), vec![Repair::Turned { triangles: 1 }]);
    // A surface that is inside out as a whole.
    surface = whole;
    surface.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let report = check_surface(&surface);
    assert!(
        matches!(report.faults[..], [SurfaceFault::InsideOut { .. }]),
        "{report}"
    );
    let triangles = surface.triangles.len();
    assert_eq!(mend(&mut surface), vec![Repair::Turned { triangles }]);
}

#[test]
fn a_duplicated_vertex_is_welded() {
    let mut surface = cube(2);
    let vertex = surface.triangles[5][1];
    let copy = surface.positions.len() as u32;
    let near = surface.positions[vertex as usize] + DVec3::splat(1e-9);
    surface.positions.push(near);
    surface.triangles[5][1] = copy;
    let report = check_surface(&surface);
    assert_eq!(report.open_edges, 4);
    assert!(!report.is_closed());
    let done = mend(&mut surface);
    assert!(
        matches!(done[0], Repair::Welded { vertices: 1, .. }),
        "{done:?}"
    );
    assert_eq!(done[1], Repair::DroppedVertices { vertices: 1 });
}

#[test]
fn soup_of_separate_triangles_becomes_a_cube() {
    let whole = cube(2);
    let mut soup = TriangleMesh::default();
    for triangle in 0..whole.triangles.len() {
        let first = soup.positions.len() as u32;
        soup.positions.extend(corners(&whole, triangle));
        soup.triangles.push([first, first + 1, first + 2]);
    }
    mend(&mut soup);
    assert_eq!(soup.positions.len(), whole.positions.len());
}

#[test]
fn bad_triangles_are_found_and_dropped() {
    let mut surface = cube(2);
    let [a, b, c] = surface.triangles[3];
    surface.triangles.push([b, c, a]);
    surface.triangles.push([a, b, b]);
    let report = check_surface(&surface);
    assert_eq!((report.twice, report.without_area), (1, 1));
    let named = report.faults.iter().any(|fault| {
        matches!(fault, SurfaceFault::Twice { first: 3, second, .. } if *second == surface.triangles.len() - 2)
    });
    assert!(named, "{report}");
    let done = mend(&mut surface);
    assert_eq!(
        done,
        vec![
            Repair::DroppedWithoutArea { triangles: 1 },
            Repair::DroppedTwice { triangles: 1 }
        ]
    );
    surface.triangles[0][1] = 999;
    surface.positions[4].x = f64::NAN;
    let report = check_surface(&surface);
    assert!(matches!(
        report.faults[0],
        SurfaceFault::NoSuchVertex { vertex: 999, .. }
    ));
    mend(&mut surface);
}

#[test]
fn a_crossing_is_reported_with_its_place() {
    let mut surface = cube(2);
    let single = surface.triangles.len();
    append(&mut surface, &cube(2), 1.0, DVec3::new(0.7, 0.8, 0.9));
    let report = check_surface(&surface);
    assert!(report.crossings > 0 && report.is_closed() && !report.is_sound());
    for fault in &report.faults {
        let SurfaceFault::Crossing {
            first,
            second,
            place,
        } = *fault
        else {
            panic!("{fault}");
        };
        assert!(first < single && second >= single);
        let low = DVec3::new(0.7, 0.8, 0.9) - 1e-9;
        assert!(place.cmpge(low).all() && place.cmple(DVec3::ONE + 1e-9).all());
    }
    assert_eq!(report.faults.len(), LISTED);
    assert!(report.to_string().contains("pass through each other"));
    // Two that do not meet are sound.
    let mut apart = cube(2);
    append(&mut apart, &cube(2), 1.0, DVec3::splat(1.2));
    assert!(check_surface(&apart).is_sound());
}

#[test]
fn cavities_face_inwards_and_crumbs_are_dropped() {
    let mut surface = cube(2);
    append(&mut surface, &cube(1), 0.5, DVec3::splat(0.25));
    append(&mut surface, &cube(1), 0.001, DVec3::splat(2.0));
    let done = mend(&mut surface);
    assert!(
        matches!(done[0], Repair::DroppedPiece { triangles: 12, .. }),
        "{done:?}"
    );
    assert_eq!(done[1], Repair::Turned { triangles: 12 });
    assert!((check_surface(&surface).volume - 0.875).abs() < 1e-12);
}

#[test]
fn a_rim_that_is_not_convex_is_filled() {
    // The side wall of an L-shaped prism, without floor and lid.
    let outline = [
        [0.0, 0.0],
        [2.0, 0.0],
        [2.0, 1.0],
        [1.0, 1.0],
        [1.0, 2.0],
        [0.0, 2.0],
    ];
    let mut surface = TriangleMesh::default();
    for z in [0.0, 1.0] {
        let corners = outline.iter().map(|&[x, y]| DVec3::new(x, y, z));
        surface.positions.extend(corners);
    }
    for n in 0..6u32 {
        let next = (n + 1) % 6;
        surface
            .triangles
            .extend([[n, next, next + 6], [n, next + 6, n + 6]]);
    }
    mend(&mut surface);
    assert!((check_surface(&surface).volume - 3.0).abs() < 1e-12);
}

#[test]
fn a_long_rim_is_joined_to_its_middle() {
    let mut surface = cube(60);
    let top = |surface: &TriangleMesh, t: usize| corners(surface, t).iter().all(|x| x.z > 0.999);
    let kept = (0..surface.triangles.len()).filter(|&t| !top(&surface, t));
    surface.triangles = kept.map(|t| surface.triangles[t]).collect();
    let done = mend(&mut surface);
    assert!(
        matches!(done[0], Repair::FilledHole { edges: 240, .. }),
        "{done:?}"
    );
    assert!((check_surface(&surface).volume - 1.0).abs() < 1e-9);
}
