//! OBJ files, read back by a reader that shares nothing with the writer.

mod frames;

use frames::{folder, frame};
use pliant::frame::Appearance;
use pliant_io::sink_for;
use std::fs;
use std::path::Path;
use std::sync::Arc;

/// What a file holds, with indices counted from 0.
#[derive(Default)]
struct Obj {
    material_file: String,
    vertices: Vec<[f64; 3]>,
    texture: Vec<[f64; 2]>,
    objects: Vec<Object>,
}

#[derive(Default)]
struct Object {
    name: String,
    material: String,
    points: Vec<usize>,
    lines: Vec<[usize; 2]>,
    /// Vertex and texture coordinate of each corner.
    faces: Vec<[(usize, Option<usize>); 3]>,
}

fn numbers<const N: usize>(words: &[&str]) -> [f64; N] {
    assert_eq!(words.len(), N);
    std::array::from_fn(|place| words[place].parse().unwrap())
}

fn index(text: &str) -> usize {
    text.parse::<usize>().unwrap() - 1
}

fn read(path: &Path) -> Obj {
    let mut obj = Obj::default();
    for line in fs::read_to_string(path).unwrap().lines() {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (keyword, rest) = words.split_first().unwrap();
        match *keyword {
            "#" => {}
            "mtllib" => obj.material_file = rest.join(" "),
            "v" => obj.vertices.push(numbers(rest)),
            "vt" => obj.texture.push(numbers(rest)),
            "o" => obj.objects.push(Object {
                name: rest.join(" "),
                ..Object::default()
            }),
            _ => {
                let object = obj
                    .objects
                    .last_mut()
                    .expect("an element before any object");
                match *keyword {
                    "usemtl" => object.material = rest.join(" "),
                    "p" => object.points.push(index(rest[0])),
                    "l" => object.lines.push([index(rest[0]), index(rest[1])]),
                    "f" => object.faces.push(std::array::from_fn(|place| {
                        match rest[place].split_once('/') {
                            Some((vertex, texture)) => (index(vertex), Some(index(texture))),
                            None => (index(rest[place]), None),
                        }
                    })),
                    other => panic!("unexpected keyword {other}"),
                }
            }
        }
    }
    obj
}

#[test]
fn every_object_comes_back() {
    let folder = folder("obj-objects");
    let mut sink = sink_for(&folder.join("my run.obj")).unwrap();
    let frame = frame(4);
    sink.write(&frame).unwrap();
    let paths = sink.finish().unwrap();
    assert_eq!(
        paths,
        [folder.join("my run_00004.obj"), folder.join("my_run.mtl")]
    );
    let obj = read(&paths[0]);

    let bodies = frame.bodies.iter().flat_map(|body| &body.positions);
    let obstacles = frame.obstacles.iter().flat_map(|o| &o.mesh.positions);
    let expected: Vec<[f64; 3]> = bodies.chain(obstacles).map(|p| p.to_array()).collect();
    assert_eq!(obj.vertices, expected);

    let names: Vec<&str> = obj.objects.iter().map(|o| o.name.as_str()).collect();
    let expected = [
        "my_rope",
        "tube",
        "my_rope_2",
        "dot",
        "floor_--_<hard>_&_flat",
    ];
    assert_eq!(names, expected);
    assert_eq!(obj.objects[0].lines, [[0, 1], [1, 2], [2, 3]]);
    assert_eq!(obj.objects[3].points, [24]);
    let corners = |object: usize| -> Vec<[usize; 3]> {
        let faces = obj.objects[object].faces.iter();
        faces.map(|face| face.map(|(vertex, _)| vertex)).collect()
    };
    for (object, first) in [(1, 4), (2, 16)] {
        let triangles = frame.bodies[object].topology.triangles.iter();
        let expected: Vec<_> = triangles.map(|t| t.map(|i| i as usize + first)).collect();
        assert_eq!(corners(object), expected);
    }
    assert_eq!(corners(4), [[25, 26, 27]]);

    assert_eq!(obj.material_file, "my_run.mtl");
    let materials = fs::read_to_string(&paths[1]).unwrap();
    for object in &obj.objects {
        assert_eq!(object.material, object.name);
        let start = format!("newmtl {}\n", object.material);
        assert_eq!(materials.matches(&start).count(), 1, "{start}");
    }
    assert!(materials.contains("newmtl tube\nKd 0.2 0.4 0.8\n"));
    assert!(materials.contains("map_Kd marble floor.png\n"));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn texture_coordinates_follow_the_material_and_do_not_run_back_at_the_seam() {
    let folder = folder("obj-texture");
    let mut sink = sink_for(&folder.join("a.obj")).unwrap();
    let mut frame = frame(0);
    // Without an image there are as many texture coordinates as vertices.
    for obstacle in &mut frame.obstacles {
        obstacle.appearance = Arc::default();
    }
    sink.write(&frame).unwrap();
    let obj = read(&folder.join("a_00000.obj"));
    assert_eq!(obj.texture.len(), obj.vertices.len());
    frame.bodies[1].appearance = Arc::new(Appearance::texture("tube.png"));
    sink.write(&frame).unwrap();
    let obj = read(&folder.join("a_00000.obj"));
    for (object, first) in [(1, 4), (2, 16)] {
        let material = &frame.bodies[object].topology.material_coordinates;
        for face in &obj.objects[object].faces {
            let texture = face.map(|(_, texture)| obj.texture[texture.unwrap()]);
            for ((vertex, _), [u, v]) in face.iter().zip(texture) {
                let [expected_u, expected_v, _] = material[vertex - first];
                // On the tube 0 and 1 are the same line; on the cube they are not.
                let close = object == 1 && expected_u == 0.0 && u == 1.0;
                assert!(close || u == expected_u, "{u} for {expected_u}");
                assert_eq!(v, expected_v);
            }
            if object == 1 {
                let u = texture.map(|[u, _]| u);
                let span =
                    u.iter().copied().fold(0.0, f64::max) - u.iter().copied().fold(1.0, f64::min);
                assert!((span - 1.0 / 6.0).abs() < 1e-12, "a face spans {span}");
            }
        }
    }
    fs::remove_dir_all(folder).unwrap();
}
