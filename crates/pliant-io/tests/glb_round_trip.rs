//! Binary glTF, read back by the `gltf` crate.

mod frames;

use frames::{folder, frame, run};
use gltf::animation::util::{MorphTargetWeights, ReadOutputs};
use gltf::mesh::Mode;
use gltf::{Document, Gltf, Node};
use pliant::frame::{Appearance, Finish, Frame};
use pliant_io::sink_for;
use std::fs;
use std::path::Path;
use std::sync::Arc;

struct Scene {
    document: Document,
    bytes: Vec<u8>,
}

fn write_and_read(path: &Path, frames: &[Frame]) -> Scene {
    let mut sink = sink_for(path).unwrap();
    for frame in frames {
        sink.write(frame).unwrap();
        assert!(!path.exists(), "the file appears when it is complete");
    }
    assert_eq!(sink.finish().unwrap(), [path]);
    let Gltf { document, blob } = Gltf::open(path).unwrap();
    Scene {
        document,
        bytes: blob.unwrap(),
    }
}

fn node<'a>(scene: &'a Scene, name: &str) -> Node<'a> {
    let mut nodes = scene.document.nodes();
    nodes.find(|node| node.name() == Some(name)).unwrap()
}

/// Times, weights and scales of the channels of a node.
fn channels(scene: &Scene, node: &Node) -> Vec<(Vec<f32>, &'static str, Vec<f32>)> {
    let animation = scene.document.animations().next().unwrap();
    animation
        .channels()
        .filter(|channel| channel.target().node().index() == node.index())
        .map(|channel| {
            let reader = channel.reader(|_| Some(&scene.bytes));
            let times = reader.read_inputs().unwrap().collect();
            match reader.read_outputs().unwrap() {
                ReadOutputs::MorphTargetWeights(MorphTargetWeights::F32(weights)) => {
                    (times, "weights", weights.collect())
                }
                ReadOutputs::Scales(scales) => (times, "scales", scales.flatten().collect()),
                _ => panic!("unexpected channel"),
            }
        })
        .collect()
}

#[test]
fn morph_targets_give_every_frame() {
    let folder = folder("glb-morph");
    let frames: Vec<Frame> = (0..4).map(frame).collect();
    let scene = write_and_read(&folder.join("a.glb"), &frames);
    let node = node(&scene, "my_rope");
    let mesh = node.mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    assert_eq!(primitive.mode(), Mode::Triangles);
    assert!(primitive.material().double_sided());
    let reader = primitive.reader(|_| Some(&scene.bytes));
    let indices: Vec<u32> = reader.read_indices().unwrap().into_u32().collect();
    let base: Vec<[f32; 3]> = reader.read_positions().unwrap().collect();
    let targets: Vec<Vec<[f32; 3]>> = reader
        .read_morph_targets()
        .map(|(positions, ..)| positions.unwrap().collect())
        .collect();
    assert_eq!(targets.len(), 3);
    for normal in reader.read_normals().unwrap() {
        let length: f32 = normal.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-5);
    }
    let channels = channels(&scene, &node);
    let (times, kind, weights) = &channels[0];
    assert_eq!((*kind, times.len(), weights.len()), ("weights", 4, 12));
    for (number, frame) in frames.iter().enumerate() {
        assert!((f64::from(times[number]) - frame.time).abs() < 1e-6);
        let body = &frame.bodies[2];
        let corners = body.topology.triangles.as_flattened();
        assert_eq!(indices.len(), corners.len());
        for (&vertex, &corner) in indices.iter().zip(corners) {
            for axis in 0..3 {
                let moved: f32 = (0..3)
                    .map(|target| {
                        weights[3 * number + target] * targets[target][vertex as usize][axis]
                    })
                    .sum();
                let value = f64::from(base[vertex as usize][axis] + moved);
                let wanted = body.positions[corner as usize][axis];
                assert!((value - wanted).abs() < 1e-6, "{value} {wanted}");
            }
        }
    }
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_torn_body_and_a_visitor_are_switched() {
    let folder = folder("glb-torn");
    let frames = run(&folder);
    let scene = write_and_read(&folder.join("a.glb"), &frames);
    let triangles = |node: &Node| {
        let mesh = node.mesh().unwrap();
        let primitive = mesh.primitives().next().unwrap();
        primitive.indices().unwrap().count() / 3
    };
    let parts: Vec<Node> = node(&scene, "tube").children().collect();
    assert_eq!(parts.iter().map(triangles).collect::<Vec<_>>(), [12, 10]);
    let scales = |node: &Node| {
        let mut channels = channels(&scene, node).into_iter();
        let (times, _, values) = channels.find(|(_, kind, _)| *kind == "scales").unwrap();
        let keys = times.iter().zip(values.as_chunks::<3>().0);
        keys.map(|(time, scale)| ((time * 30.0).round() as u32, scale[0]))
            .collect::<Vec<_>>()
    };
    assert_eq!(scales(&parts[0]), [(0, 1.0), (3, 0.0)]);
    assert_eq!(scales(&parts[1]), [(0, 0.0), (3, 1.0)]);
    let visitor = node(&scene, "visitor from frame 2");
    assert_eq!(scales(&visitor), [(0, 0.0), (2, 1.0), (4, 0.0)]);
    assert_eq!(visitor.transform().decomposed().2, [0.0; 3]);

    // Lines and points of one body are two primitives.
    let drops = node(&scene, "drops").children().next().unwrap();
    let modes: Vec<Mode> = drops
        .mesh()
        .unwrap()
        .primitives()
        .map(|p| p.mode())
        .collect();
    assert_eq!(modes, [Mode::Lines, Mode::Points]);

    // The seam of the tube has texture coordinates beyond the image, and the image is inside.
    let mesh = parts[0].mesh().unwrap();
    let primitive = mesh.primitives().next().unwrap();
    let reader = primitive.reader(|_| Some(&scene.bytes));
    let textures: Vec<[f32; 2]> = reader.read_tex_coords(0).unwrap().into_f32().collect();
    assert_eq!(textures.len(), 14, "two of twelve nodes are doubled");
    assert_eq!(
        textures.iter().filter(|texture| texture[0] == 1.0).count(),
        2
    );
    let material = primitive.material().pbr_metallic_roughness();
    assert!(material.base_color_texture().is_some());
    assert_eq!(scene.document.images().count(), 1);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_long_run_keeps_its_ends() {
    let folder = folder("glb-long");
    let frames: Vec<Frame> = (0..700).map(frame).collect();
    let scene = write_and_read(&folder.join("a.glb"), &frames);
    let rope = node(&scene, "my rope");
    let (times, _, weights) = &channels(&scene, &rope)[0];
    assert_eq!((times.len(), weights.len()), (250, 250 * 249));
    assert_eq!(times[0], 0.0);
    assert!((f64::from(times[249]) - frames[699].time).abs() < 1e-5);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn finishes_are_kept() {
    let folder = folder("glb-finish");
    let mut frame = frame(0);
    let body = &mut frame.bodies[0];
    let mut look = Appearance::color([1.0, 0.5, 0.0]);
    look.finish = Some(Finish {
        roughness: 0.25,
        metallic: 1.0,
        opacity: 0.5,
        sheen: 0.75,
        subsurface: 1.0,
        glow: 0.5,
    });
    body.appearance = Arc::new(look);
    let own_name = body.name.clone();
    let name = own_name.replace(' ', "_");
    let path = folder.join("a.glb");
    let scene = write_and_read(&path, std::slice::from_ref(&frame));
    let mut materials = scene.document.materials();
    let shown = |material: &gltf::Material| material.name() == Some(own_name.as_ref());
    let material = materials.find(shown).unwrap();
    let part = material.pbr_metallic_roughness();
    assert_eq!(
        (part.roughness_factor(), part.metallic_factor()),
        (0.25, 1.0)
    );
    assert_eq!(part.base_color_factor()[3], 0.5);
    assert_eq!(material.emissive_factor()[0], 0.5);
    assert!(scene.document.extensions_used().eq(["KHR_materials_sheen"]));
    let text = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
    assert!(text.contains("\"sheenColorFactor\":[0.75,0.75,0.75]"));

    let path = folder.join("a.usda");
    let mut sink = sink_for(&path).unwrap();
    sink.write(&frame).unwrap();
    sink.finish().unwrap();
    let text = fs::read_to_string(&path).unwrap();
    let from = text.find(&format!("def Material \"{name}\"")).unwrap();
    let definition = &text[from..from + 900];
    for line in [
        "float inputs:roughness = 0.25",
        "float inputs:metallic = 1.0",
        "float inputs:opacity = 0.5",
        "color3f inputs:emissiveColor = (0.5, ",
    ] {
        assert!(definition.contains(line), "{line} in {definition}");
    }
    fs::remove_dir_all(folder).unwrap();
}
