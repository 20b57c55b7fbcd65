//! Wavefront OBJ, for Blender and nearly everything else: one `.obj` a frame and one `.mtl`.
//!
//! Each body and each obstacle is one object. Curves are polylines of two points, surfaces and the
//! boundaries of solids are triangles, loose particles (and bodies without cells) are points.
//! Coordinates are written with all their digits, so that reading them gives the same numbers.
//!
//! Every vertex has texture coordinates, the first two material coordinates or zero: some readers
//! (meshio) hold them for data of the vertices and want as many. Only what has an image has more, where
//! corners of triangles lie elsewhere on it (`texture_coordinates.rs`).
//!
//! A comment before each object says whether it is a body or an obstacle; OBJ has no word for it.
//! A texture is named by the way to it from the folder of the `.mtl`.

use crate::check::check_frame;
use crate::format::{SIGNATURE, file_name};
use crate::look::image_reference;
use crate::loose::loose_nodes;
use crate::names::{object_names, word};
use crate::texture_coordinates::{FirstShapes, TextureCoordinates, has_image};
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use glam::DVec3;
use pliant::frame::{BaseColor, Frame, FrameBody, FrameObstacle, Topology};
use std::collections::HashMap;
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
    first_shapes: FirstShapes<String>,
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
            first_shapes: FirstShapes::default(),
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
        let text = frame_text(
            frame,
            &names,
            &file_name(&self.materials),
            &mut self.first_shapes,
        );
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

/// The `.obj` of a frame, which refers to a `.mtl`. Images lie as on the shapes that were seen first.
pub(crate) fn frame_text(
    frame: &Frame,
    names: &[String],
    materials: &str,
    shapes: &mut FirstShapes<String>,
) -> String {
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
        shapes.see(name.clone(), &body.appearance, &body.positions);
        let first = shapes.of(name.clone(), body.positions.len());
        object.add_body(name, body, first);
    }
    for (obstacle, name) in frame.obstacles.iter().zip(obstacle_names) {
        let positions = &obstacle.mesh.positions;
        shapes.see(name.clone(), &obstacle.appearance, positions);
        let first = shapes.of(name.clone(), positions.len());
        object.add_obstacle(name, obstacle, first);
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
    fn add_obstacle(&mut self, name: &str, obstacle: &FrameObstacle, first: &[DVec3]) {
        self.begin("obstacle", name);
        let first_texture = self.texture_coordinates + 1;
        self.add_vertices(&obstacle.mesh.positions, &[]);
        let topology = Topology {
            triangles: obstacle.mesh.triangles.clone(),
            ..Topology::default()
        };
        let textures = has_image(&obstacle.appearance)
            .then(|| TextureCoordinates::new(&topology, &obstacle.appearance, first))
            .flatten();
        self.add_triangles(&topology, first_texture, textures.as_ref());
        self.vertices += obstacle.mesh.positions.len();
    }

    fn add_body(&mut self, name: &str, body: &FrameBody, first: &[DVec3]) {
        let topology = &*body.topology;
        let first_texture = self.texture_coordinates + 1;
        self.begin("body", name);
        self.add_vertices(&body.positions, &topology.material_coordinates);
        for corners in &topology.lines {
            self.element("l", corners);
        }
        let textures = has_image(&body.appearance)
            .then(|| TextureCoordinates::new(topology, &body.appearance, first))
            .flatten();
        self.add_triangles(topology, first_texture, textures.as_ref());
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
            self.add_texture_coordinates([u, v]);
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

    /// Triangles; `first` is the number of the texture coordinates of the first node. Corners that lie
    /// elsewhere on an image get coordinates of their own.
    fn add_triangles(
        &mut self,
        topology: &Topology,
        first: usize,
        textures: Option<&TextureCoordinates>,
    ) {
        let coordinates = &topology.material_coordinates;
        if textures.is_none() && coordinates.is_empty() {
            for corners in &topology.triangles {
                self.element("f", corners);
            }
            return;
        }
        let mut known: HashMap<(u32, [u64; 2]), usize> = HashMap::new();
        for (index, &nodes) in topology.triangles.iter().enumerate() {
            let mut numbers = nodes.map(|node| first + node as usize);
            for corner in 0..3 {
                let Some(textures) = textures else {
                    continue;
                };
                let node = nodes[corner];
                let [u, v, _] = coordinates.get(node as usize).copied().unwrap_or_default();
                let place = textures.corner(index, nodes, corner);
                if place != [u, v] {
                    let key = (node, place.map(f64::to_bits));
                    let number = known.get(&key).copied();
                    numbers[corner] = number.unwrap_or_else(|| self.add_texture_coordinates(place));
                    known.insert(key, numbers[corner]);
                }
            }
            self.text.push('f');
            for (texture, &corner) in numbers.iter().zip(&nodes) {
                let vertex = self.vertices + corner as usize + 1;
                let _ = write!(self.text, " {vertex}/{texture}");
            }
            self.text.push('\n');
        }
    }

    /// Writes a pair of texture coordinates and returns its number.
    fn add_texture_coordinates(&mut self, [u, v]: [f64; 2]) -> usize {
        let _ = writeln!(self.text, "vt {u:?} {v:?}");
        self.texture_coordinates += 1;
        self.texture_coordinates
    }
}
