//! Images on meshes and obstacles in the formats that carry them: they lie as in pictures.

mod frames;

use frames::folder;
use glam::DVec3;
use gltf::Gltf;
use pliant::frame::{
    Appearance, Frame, FrameBody, FrameObstacle, ImageCorners, Topology, TriangleMesh,
};
use pliant_io::sink_for;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A square of two triangles.
const TRIANGLES: [[u32; 3]; 2] = [[0, 1, 2], [0, 2, 3]];

/// Places of the corners on the image as the file of `filed` says: the diagonal is a seam.
const FILED: [[[f64; 2]; 3]; 2] = [
    [[0.1, 0.2], [0.4, 0.2], [0.4, 0.5]],
    [[0.6, 0.7], [0.9, 1.0], [0.6, 1.0]],
];

/// Where the square lies seen from above, as wide as it is.
const FROM_ABOVE: [[[f64; 2]; 3]; 2] = [
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]],
    [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
];

fn square(time: f64) -> Vec<DVec3> {
    let corners = [[0.0, 0.0], [2.0, 0.0], [2.0, 2.0], [0.0, 2.0]];
    // It grows: an image keeps to the shape that was seen first.
    corners
        .map(|[x, y]| (1.0 + time) * DVec3::new(x, y, 0.0))
        .to_vec()
}

fn body(name: &str, appearance: Appearance, time: f64) -> FrameBody {
    FrameBody {
        name: name.into(),
        topology: Arc::new(Topology {
            triangles: TRIANGLES.to_vec(),
            ..Topology::default()
        }),
        appearance: Arc::new(appearance),
        positions: square(time),
        velocities: vec![DVec3::ZERO; 4],
        elastic_forces: vec![DVec3::ZERO; 4],
        external_forces: vec![DVec3::ZERO; 4],
        fixed: Arc::new(vec![false; 4]),
        fields: Vec::new(),
        particle_radius: 0.1,
    }
}

/// Three frames of a mesh whose file says where its image lies, one whose file does not, one without
/// an image, and an obstacle.
fn run(image: &str) -> Vec<Frame> {
    let mut corners = ImageCorners::default();
    for (triangle, places) in TRIANGLES.into_iter().zip(FILED) {
        corners.insert(triangle, places);
    }
    let filed = Appearance {
        image_corners: Some(Arc::new(corners)),
        ..Appearance::texture(image)
    };
    let frame = |number: usize| {
        let time = number as f64 / 25.0;
        Frame {
            number,
            time,
            bodies: vec![
                body("filed", filed.clone(), time),
                body("laid", Appearance::texture(image), time),
                body("plain", Appearance::color([1.0, 0.0, 0.0]), time),
            ],
            obstacles: vec![FrameObstacle {
                name: "table".into(),
                mesh: Arc::new(TriangleMesh {
                    positions: square(time),
                    triangles: TRIANGLES.to_vec(),
                }),
                appearance: Arc::new(Appearance::texture(image)),
            }],
        }
    };
    (0..3).map(frame).collect()
}

/// A folder with an image, and what a sink of that extension writes there.
fn written(extension: &str) -> (PathBuf, PathBuf) {
    let folder = folder(&format!("images-{extension}"));
    let image = folder.join("image.png");
    fs::write(&image, b"\x89PNG\r\n\x1a\n and more").unwrap();
    let path = folder.join("a").with_extension(extension);
    let mut sink = sink_for(&path).unwrap();
    for frame in run(image.to_str().unwrap()) {
        sink.write(&frame).unwrap();
    }
    sink.finish().unwrap();
    (folder, path)
}

fn expected(name: &str) -> Option<[[[f64; 2]; 3]; 2]> {
    match name {
        "filed" => Some(FILED),
        "laid" | "table" => Some(FROM_ABOVE),
        _ => None,
    }
}

#[test]
fn glb_holds_the_image_and_where_it_lies() {
    let (folder, path) = written("glb");
    let Gltf { document, blob } = Gltf::open(&path).unwrap();
    let bytes = blob.unwrap();
    assert_eq!(document.images().count(), 3);
    for name in ["filed", "laid", "plain", "table"] {
        let node = document
            .nodes()
            .find(|node| node.name() == Some(name))
            .unwrap();
        let mesh = node.mesh().unwrap();
        let primitive = mesh.primitives().next().unwrap();
        let material = primitive.material().pbr_metallic_roughness();
        let reader = primitive.reader(|_| Some(&bytes));
        let Some(places) = expected(name) else {
            assert!(material.base_color_texture().is_none());
            assert!(reader.read_tex_coords(0).is_none());
            continue;
        };
        let image = material.base_color_texture().unwrap().texture().source();
        let gltf::image::Source::View { view, mime_type } = image.source() else {
            panic!("the image is elsewhere");
        };
        assert_eq!(mime_type, "image/png");
        assert!(bytes[view.offset()..].starts_with(b"\x89PNG"));
        let found: Vec<[f32; 2]> = reader.read_tex_coords(0).unwrap().into_f32().collect();
        let indices = reader.read_indices().unwrap().into_u32();
        for (vertex, [u, v]) in indices.zip(places.as_flattened()) {
            // Images hang from the top in glTF.
            let place = found[vertex as usize].map(f64::from);
            assert!((place[0] - u).abs() < 1e-6, "{name}: {place:?}");
            assert!((place[1] - (1.0 - v)).abs() < 1e-6, "{name}: {place:?}");
        }
        assert_eq!(found.len(), if name == "filed" { 6 } else { 4 }, "{name}");
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn usd_names_the_image_and_where_it_lies() {
    let (folder, path) = written("usda");
    let text = fs::read_to_string(path).unwrap();
    assert_eq!(text.matches("@image.png@").count(), 3, "{text}");
    for name in ["filed", "laid", "plain", "table"] {
        let begin = text.find(&format!("def Mesh \"{name}\"")).unwrap();
        let prim = &text[begin..];
        let prim = &prim[..prim.find("point3f[] points").unwrap()];
        let Some(places) = expected(name) else {
            assert!(!prim.contains("primvars:st"), "{prim}");
            continue;
        };
        assert!(prim.contains("interpolation = \"faceVarying\""), "{prim}");
        let list = prim.split("primvars:st = [").nth(1).unwrap();
        let list = list.split(']').next().unwrap();
        let numbers: Vec<f64> = list
            .split(|c: char| !(c.is_ascii_digit() || c == '.' || c == 'e' || c == '-'))
            .filter(|word| !word.is_empty())
            .map(|word| word.parse().unwrap())
            .collect();
        let wanted = places.as_flattened().as_flattened();
        assert_eq!(numbers.len(), wanted.len(), "{list}");
        for (found, wanted) in numbers.iter().zip(wanted) {
            assert!((found - wanted).abs() < 1e-6, "{list}");
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn obj_names_the_image_and_where_it_lies() {
    let (folder, path) = written("obj");
    let materials = fs::read_to_string(path.with_extension("mtl")).unwrap();
    assert_eq!(
        materials.matches("map_Kd image.png").count(),
        3,
        "{materials}"
    );
    check_obj(&folder.join("a_00002.obj"));
    fs::remove_dir_all(folder).unwrap();
}

fn check_obj(path: &Path) {
    let text = fs::read_to_string(path).unwrap();
    let mut textures: Vec<[f64; 2]> = Vec::new();
    let (mut name, mut corners) = ("", Vec::new());
    let check = |name: &str, corners: &[[f64; 2]]| match expected(name) {
        Some(places) => assert_eq!(corners, places.as_flattened(), "{name}"),
        None => assert!(corners.is_empty(), "{name}"),
    };
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("o") => {
                check(name, &corners);
                (name, corners) = (words.next().unwrap(), Vec::new());
            }
            Some("vt") => {
                let mut next = || words.next().unwrap().parse().unwrap();
                textures.push([next(), next()]);
            }
            Some("f") => {
                for corner in words {
                    if let Some((_, texture)) = corner.split_once('/') {
                        corners.push(textures[texture.parse::<usize>().unwrap() - 1]);
                    }
                }
            }
            _ => {}
        }
    }
    check(name, &corners);
}
