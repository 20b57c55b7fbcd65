//! Point caches (`.pc2`) for the Mesh Cache modifier of Blender and the like: one cache and one
//! `.obj` of the first frame for each body.
//!
//! A cache holds where each node is at each frame and nothing else; the `.obj` brings connections,
//! texture coordinates and material. The nodes have the same order in both. Obstacles are an `.obj`
//! as they are at the first frame. A body that tears is shown with the connections it began with.
//!
//! ```text
//! "POINTCACHE2\0"  version 1  nodes  first frame 0.0  frames a sample 1.0  samples    (32 bytes)
//! x y z of each node, frame by frame, in single precision, in metres
//! ```

use crate::format::file_name;
use crate::names::{UniqueNames, identifier, word};
use crate::obj::{frame_text, material_text};
use crate::timeline::Timeline;
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use pliant::frame::Frame;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "Point caches",
    extensions: &["pc2"],
    in_folder: false,
    open: |name| Ok(Box::new(PointCaches::new(name)?)),
};

/// Writes a `.pc2` and an `.obj` a body.
pub struct PointCaches {
    name: SeriesName,
    timeline: Timeline,
    names: UniqueNames,
    /// The caches, with the places of their bodies in the timeline.
    caches: Vec<(usize, PathBuf)>,
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
        let names = crate::names::object_names(frame);
        let text = material_text(frame, &names, self.name.folder());
        AtomicFile::save(&materials, text.as_bytes())?;
        let path = self.path(part, "obj");
        let text = frame_text(frame, &names, &file_name(&materials));
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
                self.caches.push((place, self.path(&part, "pc2")));
                let alone = Frame {
                    bodies: vec![body.clone()],
                    obstacles: Vec::new(),
                    ..*frame
                };
                self.save_mesh(&part, &alone)?;
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
        for (place, path) in &self.caches {
            save_cache(path, &mut self.timeline, *place)?;
            paths.push(path.clone());
        }
        paths.extend_from_slice(&self.written);
        Ok(paths)
    }
}

/// Writes the cache of one body. Where it is missing it stays as it was last seen.
fn save_cache(path: &Path, timeline: &mut Timeline, place: usize) -> Result<(), IoError> {
    let samples = &timeline.actors[place].samples;
    let too_large = |_| IoError::TooLarge {
        path: path.to_path_buf(),
        limit: "what a point cache can count",
    };
    let node_count = i32::try_from(samples[0].node_count()).map_err(too_large)?;
    let frame_count = i32::try_from(timeline.times.len()).map_err(too_large)?;
    let failed = |source| IoError::Write {
        path: path.to_path_buf(),
        source,
    };
    let mut header = Vec::from(*b"POINTCACHE2\0");
    header.extend(1_i32.to_le_bytes());
    header.extend(node_count.to_le_bytes());
    header.extend(0_f32.to_le_bytes());
    header.extend(1_f32.to_le_bytes());
    header.extend(frame_count.to_le_bytes());
    let mut file = AtomicFile::create(path)?;
    file.write_all(&header).map_err(failed)?;
    let mut bytes = timeline.spool.read(samples[0].positions)?;
    let mut block = samples[0].positions;
    let mut next = 0;
    for frame in 0..timeline.times.len() {
        if let Some(sample) = samples.get(next)
            && sample.frame == frame
        {
            next += 1;
            if sample.positions != block {
                block = sample.positions;
                bytes = timeline.spool.read(block)?;
            }
        }
        file.write_all(&bytes).map_err(failed)?;
    }
    file.commit()
}
