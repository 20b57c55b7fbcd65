//! PLY, STL and point caches, read back by readers that share nothing with the writers.

mod frames;

use frames::{folder, frame, run};
use pliant::frame::Frame;
use pliant_io::{IoError, sink_for};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

fn write(path: &Path, frames: &[Frame]) -> Vec<String> {
    let mut sink = sink_for(path).unwrap();
    for frame in frames {
        sink.write(frame).unwrap();
    }
    let name = |path: &PathBuf| path.file_name().unwrap().to_str().unwrap().to_owned();
    sink.finish().unwrap().iter().map(name).collect()
}

fn f32_at(bytes: &[u8], place: usize) -> f32 {
    f32::from_le_bytes(bytes[place..place + 4].try_into().unwrap())
}

fn u32_at(bytes: &[u8], place: usize) -> usize {
    u32::from_le_bytes(bytes[place..place + 4].try_into().unwrap()) as usize
}

#[test]
fn ply_has_vertices_faces_and_edges() {
    let folder = folder("ply");
    let frames = run(&folder);
    let files = write(&folder.join("a.ply"), &frames);
    assert_eq!(files.len(), 6 + 2);
    assert!(files.contains(&"a_obstacles.ply".to_owned()));
    assert!(files.contains(&"a_obstacles_00004.ply".to_owned()));
    let bytes = fs::read(folder.join("a_00003.ply")).unwrap();
    let end = bytes
        .windows(11)
        .position(|part| part == b"end_header\n")
        .unwrap()
        + 11;
    let header = String::from_utf8(bytes[..end].to_vec()).unwrap();
    assert!(header.contains("comment body 0: my rope\n"));
    // 38 nodes of six bodies; 10 triangles of the torn tube and 12 of each cube.
    assert!(header.contains("element vertex 38\n"), "{header}");
    assert!(header.contains("element face 34\n"), "{header}");
    assert!(header.contains("element edge 4\n"), "{header}");
    assert!(header.contains("property float strain\n"));
    let size = 8 * 4 + 3 + 4 + 1 + 4;
    assert_eq!(bytes.len(), end + 38 * size + 34 * 13 + 4 * 8);
    let node = end + 5 * size;
    let tube = &frames[3].bodies[1];
    for axis in 0..3 {
        let wanted = tube.positions[1][axis] as f32;
        assert_eq!(f32_at(&bytes, node + 4 * axis), wanted);
        let wanted = tube.velocities[1][axis] as f32;
        assert_eq!(f32_at(&bytes, node + 12 + 4 * axis), wanted);
    }
    assert_eq!(f32_at(&bytes, node + 24), 1.0_f32 / 6.0);
    assert_eq!(u32_at(&bytes, node + 35), 1, "the second body");
    assert_eq!(f32_at(&bytes, node + 40), 0.25, "strain");
    // The first face is the first triangle of the tube, after the four nodes of the rope.
    let face = end + 38 * size;
    assert_eq!(bytes[face], 3);
    let corners = [1, 5, 9].map(|place| u32_at(&bytes, face + place));
    assert_eq!(corners, [4, 5, 11]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn stl_is_the_last_frame() {
    let folder = folder("stl");
    let frames = [frame(0), frame(7)];
    assert_eq!(
        write(&folder.join("a.stl"), &frames),
        ["a.stl", "a_obstacles.stl"]
    );
    let bytes = fs::read(folder.join("a.stl")).unwrap();
    assert!(
        !bytes.starts_with(b"solid"),
        "readers would take it for text"
    );
    assert_eq!(u32_at(&bytes, 80), 24);
    assert_eq!(bytes.len(), 84 + 24 * 50);
    // The first triangle of the cube: its underside.
    let triangle = 84 + 12 * 50;
    let normal = [0, 4, 8].map(|place| f32_at(&bytes, triangle + place));
    assert_eq!(normal, [0.0, 0.0, -1.0]);
    let cube = &frames[1].bodies[2];
    for (place, &corner) in cube.topology.triangles[0].iter().enumerate() {
        for axis in 0..3 {
            let value = f32_at(&bytes, triangle + 12 + 12 * place + 4 * axis);
            assert_eq!(value, cube.positions[corner as usize][axis] as f32);
        }
    }
    let bytes = fs::read(folder.join("a_obstacles.stl")).unwrap();
    assert_eq!(u32_at(&bytes, 80), 1);

    let mut ropes = frame(0);
    ropes.bodies.truncate(1);
    let mut sink = sink_for(&folder.join("rope.stl")).unwrap();
    assert!(matches!(
        sink.write(&ropes),
        Err(IoError::NothingToWrite { .. })
    ));
    assert!(sink.finish().unwrap().is_empty());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn point_caches_hold_every_frame() {
    let folder = folder("pc2");
    let frames = run(&folder);
    let files = write(&folder.join("a.pc2"), &frames);
    assert_eq!(
        files[..3],
        ["a_my_rope.pc2", "a_tube.pc2", "a_my_rope_2.pc2"]
    );
    assert!(files.contains(&"a_obstacles.obj".to_owned()));
    let bytes = fs::read(folder.join("a_my_rope_2.pc2")).unwrap();
    assert_eq!(&bytes[..12], b"POINTCACHE2\0");
    assert_eq!([12, 16, 28].map(|place| u32_at(&bytes, place)), [1, 8, 6]);
    assert_eq!([20, 24].map(|place| f32_at(&bytes, place)), [0.0, 1.0]);
    assert_eq!(bytes.len(), 32 + 6 * 8 * 12);
    for (number, frame) in frames.iter().enumerate() {
        for (node, position) in frame.bodies[2].positions.iter().enumerate() {
            for axis in 0..3 {
                let place = 32 + 12 * (8 * number + node) + 4 * axis;
                assert_eq!(f32_at(&bytes, place), position[axis] as f32);
            }
        }
    }
    let mesh = fs::read_to_string(folder.join("a_my_rope_2.obj")).unwrap();
    assert_eq!(
        mesh.lines().filter(|line| line.starts_with("v ")).count(),
        8
    );
    assert!(mesh.contains("mtllib a_my_rope_2.mtl"));
    // Two of the drops hang on a line; readers of OBJ would lose the others.
    let bytes = fs::read(folder.join("a_drops.pc2")).unwrap();
    assert_eq!(u32_at(&bytes, 16), 2);
    assert_eq!(f32_at(&bytes, 32), 3.0);
    let bytes = fs::read(folder.join("a_dot.pc2")).unwrap();
    assert_eq!(u32_at(&bytes, 16), 1);
    // The visitor stays as it was last seen.
    let bytes = fs::read(folder.join("a_visitor.pc2")).unwrap();
    let frames: Vec<&[u8]> = bytes[32..].chunks(8 * 12).collect();
    assert_eq!(frames.len(), 6);
    assert_eq!(frames[3], frames[5]);
    assert_ne!(frames[2], frames[3]);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_point_cache_leaves_out_what_no_mesh_shows() {
    let folder = folder("pc2-inside");
    let mut frames = [frame(0), frame(1)];
    for frame in &mut frames {
        // Another node comes first, inside the cube.
        let body = &mut frame.bodies[2];
        body.positions.insert(0, glam::DVec3::splat(0.5));
        for vectors in [
            &mut body.velocities,
            &mut body.elastic_forces,
            &mut body.external_forces,
        ] {
            vectors.insert(0, glam::DVec3::ZERO);
        }
        body.fields.clear();
        Arc::make_mut(&mut body.fixed).insert(0, false);
        let topology = Arc::make_mut(&mut body.topology);
        topology.material_coordinates.insert(0, [0.5; 3]);
        topology
            .triangles
            .as_flattened_mut()
            .iter_mut()
            .for_each(|corner| *corner += 1);
        topology.hexahedra.clear();
    }
    write(&folder.join("a.pc2"), &frames);
    let bytes = fs::read(folder.join("a_my_rope_2.pc2")).unwrap();
    assert_eq!((u32_at(&bytes, 16), u32_at(&bytes, 28)), (8, 2));
    let position = frames[1].bodies[2].positions[1];
    assert_eq!(f32_at(&bytes, 32 + 8 * 12), position.x as f32);
    let mesh = fs::read_to_string(folder.join("a_my_rope_2.obj")).unwrap();
    assert_eq!(
        mesh.lines().filter(|line| line.starts_with("v ")).count(),
        8
    );
    let face = mesh.lines().find(|line| line.starts_with("f ")).unwrap();
    assert_eq!(face, "f 1/1 3/3 2/2");
    fs::remove_dir_all(folder).unwrap();
}
