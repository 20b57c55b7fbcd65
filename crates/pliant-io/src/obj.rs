//! Wavefront OBJ, for Blender and nearly everything else: one `.obj` a frame and one `.mtl`.
//!
//! Each body and each obstacle is one object. Curves are polylines of two points, surfaces and the
//! boundaries of solids are triangles, loose particles (and bodies without cells) are points. The first two
//! material coordinates are the texture coordinates: an image has no third. Coordinates are written
//! with all their digits, so that reading them gives the same numbers.
//!
//! Every vertex has texture coordinates, zero if it has none of its own: some readers (meshio) hold
//! them for data of the vertices and want as many. Only a closed body with an image has more, since
//! its seam needs two.
//!
//! A comment before each object says whether it is a body or an obstacle; OBJ has no word for it.
//! A texture is named by the way to it from the folder of the `.mtl`.

use crate::check::check_frame;
use crate::format::{SIGNATURE, file_name};
use crate::look::image_reference;
use crate::loose::loose_nodes;
use crate::names::{object_names, word};
use crate::seam::Seams;
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use glam::DVec3;
use pliant::frame::{BaseColor, Frame, FrameBody, Topology, TriangleMesh};
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Wavefront OBJ",
    extensions: &["obj"],
    in_folder: true,
    open: |name| Ok(Box::new(ObjSequence::new(name))),
};

/// Writes a `.obj` a frame, and a `.mtl`.
pub struct ObjSequence {
    name: SeriesName,
    materials: PathBuf,
    /// The content of the `.mtl` as last written.
    last_materials: String,
    written: Vec<PathBuf>,
    last_number: Option<usize>,
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
            last_number: None,
        }
    }
}

impl FrameSink for ObjSequence {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        check_frame(frame)?;
        let names = object_names(frame);
        let materials = material_text(frame, &names, self.name.folder());
        if materials != self.last_materials {
            AtomicFile::save(&self.materials, materials.as_bytes())?;
            self.last_materials = materials;
        }
        let path = self.name.frame_path(frame.number, "obj");
        let text = frame_text(frame, &names, &file_name(&self.materials));
        AtomicFile::save(&path, text.as_bytes())?;
        self.written.push(path);
        self.last_number = Some(frame.number);
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        if let Some(last) = self.last_number {
            self.name.remove_frames_after(last, "obj")?;
        }
        let mut paths = self.written.clone();
        if !self.last_materials.is_empty() {
            paths.push(self.materials.clone());
        }
        Ok(paths)
    }
}

/// The `.mtl` of a frame.
pub(crate) fn material_text(frame: &Frame, names: &[String], folder: &Path) -> String {
    let bodies = frame.bodies.iter().map(|body| &body.appearance);
    let obstacles = frame.obstacles.iter().map(|obstacle| &obstacle.appearance);
    let mut text = String::new();
    for (appearance, name) in bodies.chain(obstacles).zip(names) {
        let (color, image) = match &appearance.base {
            BaseColor::Color(color) => (*color, None),
            BaseColor::Texture(image) => ([1.0; 3], Some(image)),
        };
        let [red, green, blue] = color.map(|value| value.clamp(0.0, 1.0));
        // Writing to a string cannot fail.
        let _ = writeln!(text, "newmtl {name}\nKd {red:?} {green:?} {blue:?}");
        let _ = writeln!(text, "Ks 0.0 0.0 0.0\nillum 1");
        if let Some(image) = image {
            let _ = writeln!(text, "map_Kd {}", image_reference(image, folder));
        }
    }
    text
}

/// The `.obj` of a frame, which refers to a `.mtl`.
pub(crate) fn frame_text(frame: &Frame, names: &[String], materials: &str) -> String {
    let mut object = ObjText::default();
    // Writing to a string cannot fail.
    let _ = writeln!(
        object.text,
        "# {SIGNATURE}, frame {}, time {:?} s",
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
            let has_image = matches!(body.appearance.base, BaseColor::Texture(_));
            self.add_textured_triangles(topology, first_texture, has_image);
        }
        for node in loose_nodes(topology, body.positions.len()) {
            self.element("p", &[node]);
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

    /// Triangles with texture coordinates; corners at a seam get coordinates of their own.
    fn add_textured_triangles(&mut self, topology: &Topology, first: usize, has_image: bool) {
        let seams = Seams::new(topology).filter(|_| has_image);
        for &corners in &topology.triangles {
            let mut textures = corners.map(|corner| first + corner as usize);
            if let Some(seams) = &seams {
                let shifts = seams.shifts(corners);
                for place in 0..3 {
                    if shifts[place] != [false; 2] {
                        let [u, v] = seams.texture(corners[place], shifts[place]);
                        textures[place] = self.add_texture_coordinates(u, v);
                    }
                }
            }
            self.text.push('f');
            for (texture, &corner) in textures.iter().zip(&corners) {
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
