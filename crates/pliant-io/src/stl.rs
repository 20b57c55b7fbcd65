//! Binary STL, for printing and for measuring: the last frame of the run.
//!
//! All bodies are one `.stl`; obstacles, if there are any, are another beside it, since one would
//! not print the floor. STL knows triangles only: surfaces and the boundaries of solids are
//! written, curves and particles are left out. It knows no unit either: the numbers are metres, and
//! z is up.

use crate::check::check_frame;
use crate::single::single_vectors;
use crate::{AtomicFile, Format, FrameSink, IoError, SeriesName};
use glam::DVec3;
use pliant::frame::Frame;
use std::path::{Path, PathBuf};

/// The entry in the list of formats.
pub const FORMAT: Format = Format {
    name: "STL of the last frame",
    extensions: &["stl"],
    in_folder: false,
    open: |name| Ok(Box::new(StlShape::new(name)?)),
};

/// Writes one `.stl`, and one for the obstacles.
pub struct StlShape {
    bodies: PathBuf,
    obstacles: PathBuf,
    last: Option<Frame>,
}

impl StlShape {
    /// A shape of this name. The folder must exist.
    pub fn new(name: SeriesName) -> Result<Self, IoError> {
        let bodies = name.index_path("stl");
        AtomicFile::check_writable(&bodies)?;
        Ok(Self {
            bodies,
            obstacles: name.obstacles_path(None, "stl"),
            last: None,
        })
    }
}

impl FrameSink for StlShape {
    fn write(&mut self, frame: &Frame) -> Result<(), IoError> {
        check_frame(frame)?;
        let has_triangles = frame
            .bodies
            .iter()
            .any(|body| !body.topology.triangles.is_empty());
        // Better said at the first frame than after the run.
        if self.last.is_none() && !has_triangles {
            return Err(IoError::NothingToWrite {
                path: self.bodies.clone(),
                reason: "STL knows triangles only, and no body is a surface or a solid",
            });
        }
        self.last = Some(frame.clone());
        Ok(())
    }

    fn finish(&mut self) -> Result<Vec<PathBuf>, IoError> {
        let Some(frame) = &self.last else {
            return Ok(Vec::new());
        };
        let bodies = frame.bodies.iter().map(|body| Part {
            name: &body.name,
            positions: &body.positions,
            triangles: &body.topology.triangles,
        });
        save(&self.bodies, frame.number, bodies)?;
        let mut paths = vec![self.bodies.clone()];
        if !frame.obstacles.is_empty() {
            let obstacles = frame.obstacles.iter().map(|obstacle| Part {
                name: &obstacle.name,
                positions: &obstacle.mesh.positions,
                triangles: &obstacle.mesh.triangles,
            });
            save(&self.obstacles, frame.number, obstacles)?;
            paths.push(self.obstacles.clone());
        }
        Ok(paths)
    }
}

/// A body or an obstacle.
struct Part<'a> {
    name: &'a str,
    positions: &'a [DVec3],
    triangles: &'a [[u32; 3]],
}

fn save<'a>(
    path: &Path,
    number: usize,
    parts: impl Iterator<Item = Part<'a>>,
) -> Result<(), IoError> {
    let mut header = [0; 80];
    let title = format!("Pliant, frame {number}, metres, z up");
    header[..title.len()].copy_from_slice(title.as_bytes());
    let (mut count, mut triangles) = (0_usize, Vec::new());
    for part in parts {
        let positions = single_vectors(part.positions, (number, part.name), "position")?;
        for corners in part.triangles {
            let [a, b, c] = corners.map(|corner| part.positions[corner as usize]);
            // A triangle without area has the normal zero, as the format allows.
            let normal = (b - a).cross(c - a).normalize_or_zero();
            let normal = normal.to_array().map(|value| value as f32);
            let corners = corners.map(|corner| positions[corner as usize]);
            for value in normal.iter().chain(corners.as_flattened()) {
                triangles.extend(value.to_le_bytes());
            }
            triangles.extend([0; 2]);
        }
        count += part.triangles.len();
    }
    let Ok(count) = u32::try_from(count) else {
        return Err(IoError::TooLarge {
            path: path.to_path_buf(),
            limit: "4 294 967 295 triangles, the most an STL can count",
        });
    };
    let bytes = [&header[..], &count.to_le_bytes(), &triangles].concat();
    AtomicFile::save(path, &bytes)
}
