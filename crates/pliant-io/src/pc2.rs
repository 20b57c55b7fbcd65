//! Point caches (`.pc2`) for the Mesh Cache modifier of Blender and the like: one cache and one
//! `.obj` of the first frame for each body.
//!
//! A cache holds where each node is at each frame and nothing else; the `.obj` brings connections,
//! texture coordinates and material. Both hold the same nodes in the same order: those of the surface
//! and the lines at the first frame, since readers of `.obj` leave out all others (the inside of a
//! solid, loose particles) and the numbers would not match; of a body that is nothing but particles,
//! all. Obstacles are an `.obj` as
//! they are at the first frame. A body that tears is shown with the connections it began with.
//!
//! ```text
//! "POINTCACHE2\0"  version 1  nodes  first frame 0.0  frames a sample 1.0  samples    (32 bytes)
//! x y z of each node, frame by frame, in single precision, in metres
//! ```

use crate::format::file_name;
use crate::loose::loose_nodes;
use crate::names::{UniqueNames, identifier, object_names, word};
use crate::obj::{frame_text, material_text};
use crate::spool::Block;
use crate::texture_coordinates::FirstShapes;
use crate::timeline::Timeline;
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use pliant::frame::{Frame, FrameBody, Topology};
use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Point caches",
    extensions: &["pc2"],
    in_folder: false,
    open: |name| Ok(Box::new(PointCaches::new(name)?)),
};

/// The cache of one body.
struct Cache {
    path: PathBuf,
    /// Place of the body in the timeline.
    place: usize,
    /// The nodes it holds.
    nodes: Vec<u32>,
}

/// Writes a `.pc2` and an `.obj` a body.
pub struct PointCaches {
    name: SeriesName,
    timeline: Timeline,
    names: UniqueNames,
    caches: Vec<Cache>,
    /// The other files.
    written: Vec<PathBuf>,
}

impl PointCaches {
    /// Caches of this name. The folder must exist.
    pub fn new(name: SeriesName) -> Result<Self, IoError> {
        let mut names = UniqueNames::default();
        names.give("obstacles");
        Ok(Self {
            timeline: Timeline::new(name.index_path("pc2"), false)?,
            name,
            names,
            caches: Vec::new(),
            written: Vec::new(),
        })
    }

    /// Writes the `.obj` and `.mtl` of a part of the first frame.
    fn save_mesh(&mut self, part: &str, frame: &Frame) -> Result<(), IoError> {
        let materials = self.path(part, "mtl");
        let materials = materials.with_file_name(word(&file_name(&materials)));
        let names = object_names(frame);
        let text = material_text(frame, &names, self.name.folder());
        AtomicFile::save(&materials, text.as_bytes())?;
        let path = self.path(part, "obj");
        let mut shapes = FirstShapes::default();
        let text = frame_text(frame, &names, &file_name(&materials), &mut shapes);
        AtomicFile::save(&path, text.as_bytes())?;
        self.written.extend([path, materials]);
        Ok(())
    }

    /// A file of one body.
    fn path(&self, part: &str, extension: &str) -> PathBuf {
        let index = self.name.index_path(extension);
        let stem = index.file_stem().unwrap_or_default().to_string_lossy();
        index.with_file_name(format!("{stem}_{part}.{extension}"))
    }
}

impl FrameSink for PointCaches {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        let first = self.timeline.times.is_empty();
        if first && frame.bodies.is_empty() {
            return Err(IoError::NothingToWrite {
                path: self.timeline.path.clone(),
                reason: "there is no body whose points could be kept",
            });
        }
        let places = self.timeline.record(frame)?;
        for (body, place) in frame.bodies.iter().zip(places) {
            let samples = &self.timeline.actors[place].samples;
            if samples[0].node_count() != body.positions.len() {
                return Err(IoError::Inconsistent {
                    frame: frame.number,
                    owner: body.name.to_string(),
                    reason: "its number of nodes has changed".to_owned(),
                });
            }
            if samples.len() == 1 {
                let part = self.names.give(&identifier(&body.name));
                let nodes = shown_nodes(body);
                let alone = Frame {
                    bodies: vec![restricted(body, &nodes)],
                    obstacles: Vec::new(),
                    ..*frame
                };
                self.save_mesh(&part, &alone)?;
                self.caches.push(Cache {
                    path: self.path(&part, "pc2"),
                    place,
                    nodes,
                });
            }
        }
        if first && !frame.obstacles.is_empty() {
            let obstacles = Frame {
                bodies: Vec::new(),
                obstacles: frame.obstacles.clone(),
                ..*frame
            };
            self.save_mesh("obstacles", &obstacles)?;
        }
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        let mut paths = Vec::new();
        for cache in &self.caches {
            save_cache(cache, &mut self.timeline)?;
            paths.push(cache.path.clone());
        }
        paths.extend_from_slice(&self.written);
        Ok(paths)
    }
}

/// The nodes that a mesh of the body shows, in order.
fn shown_nodes(body: &FrameBody) -> Vec<u32> {
    let topology = &body.topology;
    let mut nodes = [
        topology.lines.as_flattened(),
        topology.triangles.as_flattened(),
    ]
    .concat();
    if nodes.is_empty() {
        nodes = loose_nodes(topology, body.positions.len());
    }
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// The body with these nodes alone, which are in order.
fn restricted(body: &FrameBody, nodes: &[u32]) -> FrameBody {
    fn pick<T: Clone>(values: &[T], nodes: &[u32]) -> Vec<T> {
        let value = |&node: &u32| values.get(node as usize).cloned();
        nodes.iter().filter_map(value).collect()
    }
    // Every corner is among the nodes, so the search finds it. Loose nodes are points of a body that
    // has nothing else, and need not be named.
    let renumbered = |node: u32| nodes.partition_point(|&other| other < node) as u32;
    let topology = &body.topology;
    FrameBody {
        topology: Arc::new(Topology {
            lines: topology
                .lines
                .iter()
                .map(|line| line.map(renumbered))
                .collect(),
            triangles: topology
                .triangles
                .iter()
                .map(|triangle| triangle.map(renumbered))
                .collect(),
            material_coordinates: pick(&topology.material_coordinates, nodes),
            ..Topology::default()
        }),
        positions: pick(&body.positions, nodes),
        velocities: pick(&body.velocities, nodes),
        elastic_forces: pick(&body.elastic_forces, nodes),
        external_forces: pick(&body.external_forces, nodes),
        fixed: Arc::new(pick(&body.fixed, nodes)),
        fields: Vec::new(),
        ..body.clone()
    }
}

/// Writes the cache of one body. Where it is missing it stays as it was last seen.
fn save_cache(cache: &Cache, timeline: &mut Timeline) -> Result<(), IoError> {
    let Timeline {
        actors,
        spool,
        times,
        ..
    } = timeline;
    let samples = &actors[cache.place].samples;
    let too_large = |_| IoError::TooLarge {
        path: cache.path.clone(),
        limit: "what a point cache can count",
    };
    let node_count = i32::try_from(cache.nodes.len()).map_err(too_large)?;
    let frame_count = i32::try_from(times.len()).map_err(too_large)?;
    let failed = |source| IoError::Write {
        path: cache.path.clone(),
        source,
    };
    let mut header = Vec::from(*b"POINTCACHE2\0");
    header.extend(1_i32.to_le_bytes());
    header.extend(node_count.to_le_bytes());
    header.extend(0_f32.to_le_bytes());
    header.extend(1_f32.to_le_bytes());
    header.extend(frame_count.to_le_bytes());
    let mut file = AtomicFile::create(&cache.path)?;
    file.write_all(&header).map_err(failed)?;
    let mut read = |block: Block| -> Result<Vec<u8>, IoError> {
        let positions = spool.vectors(block)?;
        let position = |&node: &u32| positions[node as usize];
        let numbers = cache.nodes.iter().flat_map(position);
        Ok(numbers.flat_map(f32::to_le_bytes).collect())
    };
    let mut block = samples[0].positions;
    let mut bytes = read(block)?;
    let mut next = 0;
    for frame in 0..times.len() {
        if let Some(sample) = samples.get(next)
            && sample.frame == frame
        {
            next += 1;
            if sample.positions != block {
                block = sample.positions;
                bytes = read(block)?;
            }
        }
        file.write_all(&bytes).map_err(failed)?;
    }
    file.commit()
}
