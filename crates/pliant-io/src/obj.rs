//! Wavefront OBJ, for Blender and nearly everything else: one `.obj` a frame and one `.mtl`.
//!
//! Each body and each obstacle is one object. Curves are polylines of two points, surfaces and the
//! boundaries of solids are triangles, bodies without either are loose points. The first two
//! material coordinates are the texture coordinates: an image has no third. Coordinates are written
//! with all their digits, so that reading them gives the same numbers.
//!
//! Every vertex has texture coordinates, zero if it has none of its own: some readers (meshio) hold
//! them for data of the vertices and want as many. Only a closed body with an image has more, since
//! its seam needs two.
//!
//! A comment before each object says whether it is a body or an obstacle; OBJ has no word for it.
//! A texture is named as the scene names it, so a relative path counts from the folder of the
//! `.mtl`.

use crate::check::check_frame;
use crate::format::file_name;
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use glam::DVec3;
use pliant::frame::{Appearance, Frame, FrameBody, Topology, TriangleMesh};
use std::collections::HashSet;
use std::fmt::Write;
use std::path::PathBuf;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Wavefront OBJ",
    extensions: &["obj"],
    open: |name| Ok(Box::new(ObjSequence::new(name))),
};

/// Writes a `.obj` a frame, and a `.mtl`.
pub struct ObjSequence {
    name: SeriesName,
    materials: PathBuf,
    /// The content of the `.mtl` as last written.
    last_materials: String,
    written: Vec<PathBuf>,
}

impl ObjSequence {
    /// A sequence of this name. The folder must exist.
    pub fn new(name: SeriesName) -> Self {
        // Many readers end the name of a material file at the first space.
        let materials = name.index_path("mtl");
        let materials = materials.with_file_name(word(&file_name(&materials)));
        Self {
            name,
            materials,
            last_materials: String::new(),
            written: Vec::new(),
        }
    }
}

impl FrameSink for ObjSequence {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        check_frame(frame)?;
        let names = object_names(frame);
        let materials = material_text(frame, &names);
        if materials != self.last_materials {
            AtomicFile::save(&self.materials, materials.as_bytes())?;
            self.last_materials = materials;
        }
        let path = self.name.frame_path(frame.number, "obj");
        let text = frame_text(frame, &names, &file_name(&self.materials));
        AtomicFile::save(&path, text.as_bytes())?;
        self.written.push(path);
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        let mut paths = self.written.clone();
        if !self.last_materials.is_empty() {
            paths.push(self.materials.clone());
        }
        Ok(paths)
    }
}

/// Names of the bodies, then of the obstacles: each one word, and each different.
fn object_names(frame: &Frame) -> Vec<String> {
    let bodies = frame.bodies.iter().map(|body| &body.name);
    let obstacles = frame.obstacles.iter().map(|obstacle| &obstacle.name);
    let mut taken = HashSet::new();
    bodies
        .chain(obstacles)
        .map(|name| {
            let plain = word(name);
            let mut name = plain.clone();
            let mut copy = 2;
            while !taken.insert(name.clone()) {
                name = format!("{plain}_{copy}");
                copy += 1;
            }
            name
        })
        .collect()
}

/// The text as one word, as the format demands.
fn word(text: &str) -> String {
    if text.is_empty() {
        return "unnamed".to_owned();
    }
    text.replace(|c: char| c.is_whitespace() || c.is_control(), "_")
}

fn material_text(frame: &Frame, names: &[String]) -> String {
    let bodies = frame.bodies.iter().map(|body| &body.appearance);
    let obstacles = frame.obstacles.iter().map(|obstacle| &obstacle.appearance);
    let mut text = String::new();
    for (appearance, name) in bodies.chain(obstacles).zip(names) {
        let (color, image) = match &**appearance {
            Appearance::Color(color) => (*color, None),
            Appearance::Texture(image) => ([1.0; 3], Some(image)),
        };
        let [red, green, blue] = color.map(|value| value.clamp(0.0, 1.0));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "newmtl {name}\nKd {red:?} {green:?} {blue:?}");
        let _ = writeln!(text, "Ks 0.0 0.0 0.0\nillum 1");
        if let Some(image) = image {
            let _ = writeln!(text, "map_Kd {}", image.replace(char::is_control, "_"));
        }
    }
    text
}

fn frame_text(frame: &Frame, names: &[String], materials: &str) -> String {
    let mut object = ObjText::default();
    // Writing to a string cannot fail.
    let _ = writeln!(
        object.text,
        "# Pliant, frame {}, time {:?} s",
        frame.number, frame.time
    );
    if !names.is_empty() {
        let _ = writeln!(object.text, "mtllib {materials}");
    }
    let (body_names, obstacle_names) = names.split_at(frame.bodies.len());
    for (body, name) in frame.bodies.iter().zip(body_names) {
        object.add_body(name, body);
    }
    for (obstacle, name) in frame.obstacles.iter().zip(obstacle_names) {
        object.add_obstacle(name, &obstacle.mesh);
    }
    object.text
}

/// The text so far. Indices count from 1 through the whole file.
#[derive(Default)]
struct ObjText {
    text: String,
    /// Vertices of the objects before this one.
    vertices: usize,
    /// Texture coordinates so far.
    texture_coordinates: usize,
}

impl ObjText {
    fn add_obstacle(&mut self, name: &str, mesh: &TriangleMesh) {
        self.begin("obstacle", name);
        self.add_vertices(&mesh.positions, &[]);
        for corners in &mesh.triangles {
            self.element("f", corners);
        }
        self.vertices += mesh.positions.len();
    }

    fn add_body(&mut self, name: &str, body: &FrameBody) {
        let topology = &*body.topology;
        let first_texture = self.texture_coordinates + 1;
        self.begin("body", name);
        self.add_vertices(&body.positions, &topology.material_coordinates);
        for corners in &topology.lines {
            self.element("l", corners);
        }
        if topology.material_coordinates.is_empty() {
            for corners in &topology.triangles {
                self.element("f", corners);
            }
        } else {
            let has_image = matches!(*body.appearance, Appearance::Texture(_));
            self.add_textured_triangles(topology, first_texture, has_image);
        }
        if topology.lines.is_empty() && topology.triangles.is_empty() {
            for node in 0..body.positions.len() {
                self.element("p", &[node as u32]);
            }
        }
        self.vertices += body.positions.len();
    }

    fn begin(&mut self, kind: &str, name: &str) {
        let _ = writeln!(self.text, "# {kind}\no {name}\nusemtl {name}");
    }

    /// Vertices, and as many texture coordinates.
    fn add_vertices(&mut self, positions: &[DVec3], coordinates: &[[f64; 3]]) {
        for DVec3 { x, y, z } in positions {
            let _ = writeln!(self.text, "v {x:?} {y:?} {z:?}");
        }
        for node in 0..positions.len() {
            let [u, v, _] = coordinates.get(node).copied().unwrap_or_default();
            self.add_texture_coordinates(u, v);
        }
    }

    /// A line or face or point without texture.
    fn element(&mut self, keyword: &str, corners: &[u32]) {
        self.text.push_str(keyword);
        for &corner in corners {
            let _ = write!(self.text, " {}", self.vertices + corner as usize + 1);
        }
        self.text.push('\n');
    }

    /// Triangles with texture coordinates. Where a periodic direction closes, the cell runs from
    /// the last node (say 0.9) to the first (0.0), and the whole image would be squeezed into it
    /// backwards; there the first node gets the coordinate 1.0.
    fn add_textured_triangles(&mut self, topology: &Topology, first: usize, has_image: bool) {
        let coordinates = &topology.material_coordinates;
        let closes: [bool; 2] = std::array::from_fn(|direction| {
            // The nodes of a periodic direction end one spacing before 1, all others at 1.
            has_image
                && coordinates
                    .iter()
                    .all(|entry| entry[direction] < 1.0 - 1e-9)
        });
        for corners in &topology.triangles {
            let wraps: [bool; 2] = std::array::from_fn(|direction| {
                let values = corners.map(|corner| coordinates[corner as usize][direction]);
                let largest = values.into_iter().fold(f64::NEG_INFINITY, f64::max);
                let smallest = values.into_iter().fold(f64::INFINITY, f64::min);
                closes[direction] && largest - smallest > 0.5
            });
            let textures = corners.map(|corner| {
                let [u, v, _] = coordinates[corner as usize];
                match (wraps[0] && u < 0.5, wraps[1] && v < 0.5) {
                    (false, false) => first + corner as usize,
                    (true, false) => self.add_texture_coordinates(u + 1.0, v),
                    (false, true) => self.add_texture_coordinates(u, v + 1.0),
                    (true, true) => self.add_texture_coordinates(u + 1.0, v + 1.0),
                }
            });
            self.text.push('f');
            for (texture, &corner) in textures.iter().zip(corners) {
                let vertex = self.vertices + corner as usize + 1;
                let _ = write!(self.text, " {vertex}/{texture}");
            }
            self.text.push('\n');
        }
    }

    /// Writes a pair of texture coordinates and returns its number.
    fn add_texture_coordinates(&mut self, u: f64, v: f64) -> usize {
        let _ = writeln!(self.text, "vt {u:?} {v:?}");
        self.texture_coordinates += 1;
        self.texture_coordinates
    }
}
