//! Frames to write: a curve, a periodic surface, a solid, a loose point and an obstacle.

use glam::DVec3;
use pliant::frame::{
    Appearance, Frame, FrameBody, FrameObstacle, NodalField, Topology, TriangleMesh,
};
use std::f64::consts::TAU;
use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

/// An empty folder of its own for a test.
pub fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("pliant-io-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

fn body(name: &str, color: [f64; 3], positions: Vec<DVec3>, topology: Topology) -> FrameBody {
    let count = positions.len();
    let vary = |scale: f64| -> Vec<DVec3> {
        (0..count)
            .map(|node| DVec3::new(scale / 3.0, -scale * node as f64, 1e-30 * scale))
            .collect()
    };
    FrameBody {
        name: name.into(),
        topology: Arc::new(topology),
        appearance: Arc::new(Appearance::color(color)),
        velocities: vary(1.0),
        elastic_forces: vary(7.0),
        external_forces: vary(-0.1),
        fixed: Arc::new((0..count).map(|node| node % 3 == 0).collect()),
        fields: vec![NodalField {
            name: "strain",
            unit: "",
            values: (0..count).map(|node| 0.25 * node as f64).collect(),
        }],
        particle_radius: 0.1,
        positions,
    }
}

fn curve(time: f64) -> FrameBody {
    let positions = (0..4).map(|i| DVec3::new(0.1 * f64::from(i), time, 2.0));
    let topology = Topology {
        lines: vec![[0, 1], [1, 2], [2, 3]],
        material_coordinates: (0..4).map(|i| [f64::from(i) / 3.0, 0.0, 0.0]).collect(),
        ..Topology::default()
    };
    body("my rope", [1.0, 0.5, 0.0], positions.collect(), topology)
}

/// A tube: six nodes round, periodic, and two along.
fn tube(time: f64) -> FrameBody {
    let mut positions = Vec::new();
    let mut topology = Topology::default();
    for j in 0..2_u32 {
        for i in 0..6_u32 {
            let angle = TAU * f64::from(i) / 6.0;
            positions.push(DVec3::new(angle.cos(), angle.sin(), f64::from(j) + time));
            topology
                .material_coordinates
                .push([f64::from(i) / 6.0, f64::from(j), 0.0]);
        }
    }
    for i in 0..6 {
        let next = (i + 1) % 6;
        topology.triangles.push([i, next, next + 6]);
        topology.triangles.push([i, next + 6, i + 6]);
    }
    body("tube", [0.2, 0.4, 0.8], positions, topology)
}

fn cube(time: f64) -> FrameBody {
    let corners = [
        [0., 0., 0.],
        [1., 0., 0.],
        [1., 1., 0.],
        [0., 1., 0.],
        [0., 0., 1.],
        [1., 0., 1.],
        [1., 1., 1.],
        [0., 1., 1.],
    ];
    let topology = Topology {
        triangles: vec![
            [0, 2, 1],
            [0, 3, 2],
            [4, 5, 6],
            [4, 6, 7],
            [0, 1, 5],
            [0, 5, 4],
            [1, 2, 6],
            [1, 6, 5],
            [2, 3, 7],
            [2, 7, 6],
            [3, 0, 4],
            [3, 4, 7],
        ],
        hexahedra: vec![[0, 1, 2, 3, 4, 5, 6, 7]],
        tetrahedra: Vec::new(),
        material_coordinates: corners.to_vec(),
        ..Topology::default()
    };
    let offset = DVec3::new(3.0, 0.0, -0.5 * time * time);
    let positions = corners.map(|corner| DVec3::from_array(corner) + offset);
    // The same name as the curve, once made one word.
    body("my_rope", [0.3, 0.9, 0.3], positions.to_vec(), topology)
}

fn obstacle(height: f64) -> FrameObstacle {
    FrameObstacle {
        name: "floor -- <hard> & flat".into(),
        mesh: Arc::new(TriangleMesh {
            positions: vec![
                DVec3::new(-9.0, -9.0, height),
                DVec3::new(9.0, -9.0, height),
                DVec3::new(0.0, 9.0, height),
            ],
            triangles: vec![[0, 1, 2]],
        }),
        appearance: Arc::new(Appearance::texture("marble floor.png")),
    }
}

/// The frame of a number, with an obstacle that stands still.
pub fn frame(number: usize) -> Frame {
    let time = number as f64 / 30.0;
    let loose = body(
        "dot",
        [1.0; 3],
        vec![DVec3::splat(time)],
        Topology::default(),
    );
    Frame {
        number,
        time,
        bodies: vec![curve(time), tube(time), cube(time), loose],
        obstacles: vec![obstacle(-1.0)],
    }
}

/// The same with an obstacle at another height.
#[allow(dead_code, reason = "not every test moves its obstacles")]
pub fn frame_with_obstacle_at(number: usize, height: f64) -> Frame {
    Frame {
        obstacles: vec![obstacle(height)],
        ..frame(number)
    }
}

/// A picture of one white pixel.
#[allow(dead_code, reason = "not every test needs an image")]
const PNG: &[u8] = &[
    0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52,
    0x00, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00, 0x01, 0x08, 0x02, 0x00, 0x00, 0x00, 0x90, 0x77, 0x53,
    0xde, 0x00, 0x00, 0x00, 0x0c, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xf8, 0xff, 0xff, 0x3f,
    0x00, 0x05, 0xfe, 0x02, 0xfe, 0x0d, 0xef, 0x46, 0xb8, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e,
    0x44, 0xae, 0x42, 0x60, 0x82,
];

/// Drops of a fluid: a body of five nodes of which more and more are loose.
#[allow(dead_code, reason = "part of the whole run")]
fn drops(number: usize) -> FrameBody {
    let positions = (0..5).map(|i| DVec3::new(f64::from(i), -2.0, 0.25 * number as f64));
    let topology = Topology {
        points: (0..3 + u32::from(number >= 2)).collect(),
        lines: vec![[3, 4]],
        ..Topology::default()
    };
    body("drops", [0.1, 0.2, 0.9], positions.collect(), topology)
}

/// A run of six frames: the curve `my rope`, the tube with an image (it loses two triangles at
/// frame 3), the solid `my_rope`, a dot, drops of which another becomes loose at frame 2, a
/// `visitor` that is there at frames 2 and 3 only, and an obstacle that rises at frame 4. The image
/// is written to the folder.
#[allow(dead_code, reason = "not every test writes a whole run")]
pub fn run(folder: &std::path::Path) -> Vec<Frame> {
    let image = folder.join("white pixel.png");
    fs::write(&image, PNG).unwrap();
    // The image of the floor, beside the files that name it.
    fs::write(folder.join("marble floor.png"), PNG).unwrap();
    let look = Arc::new(Appearance::texture(image.to_str().unwrap()));
    (0..6)
        .map(|number| {
            let height = if number < 4 { -1.0 } else { -0.5 };
            let mut frame = frame_with_obstacle_at(number, height);
            frame.bodies.push(drops(number));
            if number == 2 || number == 3 {
                frame.bodies.push(FrameBody {
                    name: "visitor".into(),
                    ..cube(0.1 * number as f64)
                });
            }
            let tube = &mut frame.bodies[1];
            tube.appearance = Arc::clone(&look);
            if number >= 3 {
                let topology = Arc::make_mut(&mut tube.topology);
                topology.triangles.truncate(10);
            }
            frame
        })
        .collect()
}
