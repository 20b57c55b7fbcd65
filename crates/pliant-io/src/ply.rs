//! Stanford PLY, binary and little-endian, for Blender, MeshLab, Open3D and point cloud tools: one
//! `.ply` a frame.
//!
//! All deformable bodies of a frame are one list of vertices. Surfaces and the boundaries of solids
//! are faces, curves are edges, loose particles are vertices that nothing refers to. Obstacles stand
//! in a file of their own, written once and again with a number if they change.
//!
//! | vertex property | type | unit |
//! |---|---|---|
//! | `x`, `y`, `z` | float | metres |
//! | `vx`, `vy`, `vz` | float | metres per second |
//! | `s`, `t` | float | texture coordinates, 0 to 1; zero if a body has none |
//! | `red`, `green`, `blue` | uchar | as a screen shows them (sRGB) |
//! | `body` | int | place of the body in the scene, from 0; names in comments of the file |
//! | `fixed` | uchar | 1 for nodes held fixed |
//! | fields, by name (`strain` and so on) | float | that of the field; zero if a body has none |

use crate::check::check_frame;
use crate::fields::field_names;
use crate::format::SIGNATURE;
use crate::names::identifier;
use crate::single::{check_single, single_vectors};
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use pliant::frame::{BaseColor, Frame, TriangleMesh};
use std::fmt::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Stanford PLY",
    extensions: &["ply"],
    in_folder: false,
    open: |name| Ok(Box::new(PlySequence::new(name))),
};

/// Writes a `.ply` a frame.
pub struct PlySequence {
    name: SeriesName,
    /// The obstacles as last written.
    last_obstacles: Vec<Arc<TriangleMesh>>,
    written: Vec<PathBuf>,
    last_number: Option<usize>,
}

impl PlySequence {
    /// A sequence of this name. The folder must exist.
    pub fn new(name: SeriesName) -> Self {
        Self {
            name,
            last_obstacles: Vec::new(),
            written: Vec::new(),
            last_number: None,
        }
    }

    fn write_obstacles(&mut self, frame: &Frame) -> Result<(), IoError> {
        let meshes = || frame.obstacles.iter().map(|obstacle| &obstacle.mesh);
        if meshes().eq(&self.last_obstacles) {
            return Ok(());
        }
        let number = (!self.last_obstacles.is_empty()).then_some(frame.number);
        let path = self.name.obstacles_path(number, "ply");
        AtomicFile::save(&path, &obstacle_file(frame)?)?;
        self.written.push(path);
        self.last_obstacles = meshes().cloned().collect();
        Ok(())
    }
}

impl FrameSink for PlySequence {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        check_frame(frame)?;
        let path = self.name.frame_path(frame.number, "ply");
        AtomicFile::save(&path, &body_file(frame)?)?;
        self.written.push(path);
        self.last_number = Some(frame.number);
        self.write_obstacles(frame)
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        if let Some(last) = self.last_number {
            self.name.remove_frames_after(last, "ply")?;
        }
        Ok(self.written.clone())
    }
}

/// Header and lists of a file.
#[derive(Default)]
struct PlyFile {
    comments: String,
    properties: String,
    vertex_count: usize,
    vertices: Vec<u8>,
    face_count: usize,
    faces: Vec<u8>,
    edge_count: usize,
    edges: Vec<u8>,
}

impl PlyFile {
    fn comment(&mut self, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(
            self.comments,
            "comment {}",
            text.replace(char::is_control, "_")
        );
    }

    fn property(&mut self, kind: &str, name: &str) {
        let _ = writeln!(self.properties, "property {kind} {name}");
    }

    /// Adds triangles whose corners count from the vertex `first`.
    fn add_faces(&mut self, first: usize, triangles: &[[u32; 3]]) {
        for corners in triangles {
            self.faces.push(3);
            for corner in corners {
                self.faces.extend((first as u32 + corner).to_le_bytes());
            }
        }
        self.face_count += triangles.len();
    }

    /// The bytes of the file. Edges are announced only if there are some: not every reader knows
    /// them.
    fn into_bytes(self) -> Vec<u8> {
        let mut header = String::from("ply\nformat binary_little_endian 1.0\n");
        header.push_str(&self.comments);
        let _ = writeln!(header, "element vertex {}", self.vertex_count);
        header.push_str(&self.properties);
        let _ = writeln!(header, "element face {}", self.face_count);
        header.push_str("property list uchar int vertex_indices\n");
        if self.edge_count > 0 {
            let _ = writeln!(header, "element edge {}", self.edge_count);
            header.push_str("property int vertex1\nproperty int vertex2\n");
        }
        header.push_str("end_header\n");
        [header.into_bytes(), self.vertices, self.faces, self.edges].concat()
    }
}

fn body_file(frame: &Frame) -> Result<Vec<u8>, IoError> {
    check_count(frame, frame.bodies.iter().map(|body| body.positions.len()))?;
    let mut file = PlyFile::default();
    file.comment(&format!(
        "{SIGNATURE}, frame {}, time {:?} s",
        frame.number, frame.time
    ));
    for name in ["x", "y", "z", "vx", "vy", "vz", "s", "t"] {
        file.property("float", name);
    }
    for name in ["red", "green", "blue"] {
        file.property("uchar", name);
    }
    file.property("int", "body");
    file.property("uchar", "fixed");
    let fields = field_names(frame);
    for name in &fields {
        file.property("float", &identifier(name));
    }
    for (index, body) in frame.bodies.iter().enumerate() {
        file.comment(&format!("body {index}: {}", body.name));
        let first = file.vertex_count;
        let owner = (frame.number, &*body.name);
        let positions = single_vectors(&body.positions, owner, "position")?;
        let velocities = single_vectors(&body.velocities, owner, "velocity")?;
        let values: Vec<Option<Vec<f32>>> = fields
            .iter()
            .map(|name| {
                let field = body.fields.iter().find(|field| field.name == *name);
                field.map(|field| field.values.iter().map(|value| *value as f32).collect())
            })
            .collect();
        for (values, name) in values.iter().zip(&fields) {
            let numbers = values.iter().flatten().map(|value| [*value]);
            check_single(numbers, owner, name)?;
        }
        let color = match &body.appearance.base {
            BaseColor::Color(color) => color.map(|value| (255.0 * value.clamp(0.0, 1.0)) as u8),
            BaseColor::Texture(_) => [255; 3],
        };
        for node in 0..positions.len() {
            let coordinates = body.topology.material_coordinates.get(node);
            let [s, t, _] = coordinates.copied().unwrap_or_default();
            let numbers = positions[node].into_iter().chain(velocities[node]);
            for number in numbers.chain([s as f32, t as f32]) {
                file.vertices.extend(number.to_le_bytes());
            }
            file.vertices.extend(color);
            file.vertices.extend((index as i32).to_le_bytes());
            file.vertices.push(u8::from(body.fixed[node]));
            for values in &values {
                let value = values.as_ref().map_or(0.0, |values| values[node]);
                file.vertices.extend(value.to_le_bytes());
            }
        }
        file.vertex_count += positions.len();
        file.add_faces(first, &body.topology.triangles);
        for end in body.topology.lines.as_flattened() {
            file.edges.extend((first as u32 + end).to_le_bytes());
        }
        file.edge_count += body.topology.lines.len();
    }
    Ok(file.into_bytes())
}

fn obstacle_file(frame: &Frame) -> Result<Vec<u8>, IoError> {
    let counts = frame.obstacles.iter();
    check_count(frame, counts.map(|obstacle| obstacle.mesh.positions.len()))?;
    let mut file = PlyFile::default();
    file.comment(&format!("{SIGNATURE}, obstacles"));
    for name in ["x", "y", "z"] {
        file.property("float", name);
    }
    file.property("int", "obstacle");
    for (index, obstacle) in frame.obstacles.iter().enumerate() {
        file.comment(&format!("obstacle {index}: {}", obstacle.name));
        let owner = (frame.number, &*obstacle.name);
        let first = file.vertex_count;
        for position in single_vectors(&obstacle.mesh.positions, owner, "position")? {
            for number in position {
                file.vertices.extend(number.to_le_bytes());
            }
            file.vertices.extend((index as i32).to_le_bytes());
        }
        file.vertex_count += obstacle.mesh.positions.len();
        file.add_faces(first, &obstacle.mesh.triangles);
    }
    Ok(file.into_bytes())
}

/// Refuses what 32-bit indices cannot count.
fn check_count(frame: &Frame, counts: impl Iterator<Item = usize>) -> Result<(), IoError> {
    if counts.sum::<usize>() <= i32::MAX as usize {
        return Ok(());
    }
    Err(IoError::Inconsistent {
        frame: frame.number,
        owner: "frame".to_owned(),
        reason: "it has more vertices than a file can count".to_owned(),
    })
}
