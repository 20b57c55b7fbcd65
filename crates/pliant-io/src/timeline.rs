//! A run regrouped: for each body and obstacle, what it looked like at each frame.
//!
//! Positions, velocities and fields lie in single precision in a [`Spool`]; only times, topologies
//! and the places of the blocks are in memory (about 100 bytes for each body and frame, and each
//! topology once).

use crate::check::check_frame;
use crate::single::{check_single, single_vectors};
use crate::spool::{Block, Spool};
use crate::texture_coordinates::{FirstShapes, TextureCoordinates};
use crate::{AtomicFile, IoError};
use pliant::frame::{
    Appearance, BaseColor, Frame, FrameBody, FrameObstacle, Topology, TriangleMesh,
};
use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;

/// The frame rate of a run that has only one frame.
const DEFAULT_RATE: f64 = 24.0;

/// A body or an obstacle through the run.
#[derive(Debug)]
pub(crate) struct Actor {
    /// Its name, as in the scene.
    pub(crate) name: Arc<str>,
    /// Whether it is an obstacle.
    pub(crate) is_obstacle: bool,
    /// How it looks.
    pub(crate) appearance: Arc<Appearance>,
    /// Radius of its loose particles, in metres.
    pub(crate) particle_radius: f64,
    /// Names of its fields.
    pub(crate) field_names: Vec<&'static str>,
    /// What it looked like, frame by frame; frames without it are left out.
    pub(crate) samples: Vec<Sample>,
    /// The mesh of an obstacle as last seen.
    mesh: Option<Arc<TriangleMesh>>,
    /// The positions as last seen.
    last_positions: Vec<[f32; 3]>,
    /// The shapes over which its image is laid.
    first_shapes: FirstShapes<()>,
}

/// A body or an obstacle at one frame.
#[derive(Clone, Debug)]
pub(crate) struct Sample {
    /// Place of the frame in the run, from 0.
    pub(crate) frame: usize,
    /// The connections: the same `Arc` as before unless they changed.
    pub(crate) topology: Arc<Topology>,
    /// Vectors: the same block as before unless a node moved.
    pub(crate) positions: Block,
    /// Vectors, if motion is recorded and it is a body.
    pub(crate) velocities: Option<Block>,
    /// Numbers at the nodes, in the order of the names; the field may come and go.
    pub(crate) fields: Vec<Option<Block>>,
}

impl Sample {
    /// Number of nodes.
    pub(crate) fn node_count(&self) -> usize {
        self.positions.length as usize / size_of::<[f32; 3]>()
    }
}

/// A run, regrouped.
#[derive(Debug)]
pub(crate) struct Timeline {
    /// The file that is to be written.
    pub(crate) path: PathBuf,
    /// Where the blocks lie.
    pub(crate) spool: Spool,
    /// Numbers of the frames.
    pub(crate) numbers: Vec<usize>,
    /// Times of the frames, in seconds.
    pub(crate) times: Vec<f64>,
    /// Bodies and obstacles, in the order of their first appearance.
    pub(crate) actors: Vec<Actor>,
    /// Place in `actors` by kind, name and how many of the same name came before.
    places: HashMap<(bool, Arc<str>, usize), usize>,
    /// Whether velocities and fields are recorded.
    with_motion: bool,
}

impl Timeline {
    /// An empty run, to be written to the path, which is found out to be writable.
    pub(crate) fn new(path: PathBuf, with_motion: bool) -> Result<Self, IoError> {
        AtomicFile::check_writable(&path)?;
        Ok(Self {
            spool: Spool::create(&path)?,
            path,
            numbers: Vec::new(),
            times: Vec::new(),
            actors: Vec::new(),
            places: HashMap::new(),
            with_motion,
        })
    }

    /// Adds a frame, and returns the places of its bodies in `actors`.
    pub(crate) fn record(&mut self, frame: &Frame) -> Result<Vec<usize>, IoError> {
        check_frame(frame)?;
        let last = self.times.last().copied().unwrap_or(f64::NEG_INFINITY);
        // Nothing can be shown twice at one time: the first stays.
        if frame.time == last {
            return Ok(Vec::new());
        }
        if frame.time < last {
            return Err(IoError::Inconsistent {
                frame: frame.number,
                owner: "frame".to_owned(),
                reason: "its time is before that of the frame before".to_owned(),
            });
        }
        let mut seen = HashMap::new();
        let mut bodies = Vec::new();
        for body in &frame.bodies {
            let place = self.place(&mut seen, false, &body.name, &body.appearance);
            self.record_body(place, frame.number, body)?;
            bodies.push(place);
        }
        for obstacle in &frame.obstacles {
            let place = self.place(&mut seen, true, &obstacle.name, &obstacle.appearance);
            self.record_obstacle(place, frame.number, obstacle)?;
        }
        self.numbers.push(frame.number);
        self.times.push(frame.time);
        Ok(bodies)
    }

    /// Frames a second, from the first two frames.
    pub(crate) fn rate(&self) -> f64 {
        let (Some(times), Some(numbers)) = (self.times.get(..2), self.numbers.get(..2)) else {
            return DEFAULT_RATE;
        };
        let frames = numbers[1].saturating_sub(numbers[0]).max(1) as f64;
        let rate = frames / (times[1] - times[0]);
        // Times are sums of steps: 29.999999999 was meant to be 30.
        let rounded = (rate * 1000.0).round() / 1000.0;
        if (rate - rounded).abs() < 1e-6 * rate {
            rounded
        } else {
            rate
        }
    }

    /// Finds the actor, or adds it.
    fn place(
        &mut self,
        seen: &mut HashMap<(bool, Arc<str>), usize>,
        is_obstacle: bool,
        name: &Arc<str>,
        appearance: &Arc<Appearance>,
    ) -> usize {
        let namesakes = seen.entry((is_obstacle, Arc::clone(name))).or_default();
        let key = (is_obstacle, Arc::clone(name), *namesakes);
        *namesakes += 1;
        *self.places.entry(key).or_insert_with(|| {
            self.actors.push(Actor {
                name: Arc::clone(name),
                is_obstacle,
                appearance: Arc::clone(appearance),
                particle_radius: 0.0,
                field_names: Vec::new(),
                samples: Vec::new(),
                mesh: None,
                last_positions: Vec::new(),
                first_shapes: FirstShapes::default(),
            });
            self.actors.len() - 1
        })
    }

    fn record_body(
        &mut self,
        place: usize,
        number: usize,
        body: &FrameBody,
    ) -> Result<(), IoError> {
        let actor = &mut self.actors[place];
        actor.particle_radius = body.particle_radius;
        actor
            .first_shapes
            .see((), &body.appearance, &body.positions);
        let owner = (number, &*body.name);
        let (mut velocities, mut fields) = (None, Vec::new());
        if self.with_motion {
            let values = single_vectors(&body.velocities, owner, "velocity")?;
            velocities = Some(self.spool.append_numbers(values.into_flattened())?);
            for field in &body.fields {
                if !actor.field_names.contains(&field.name) {
                    actor.field_names.push(field.name);
                }
            }
            for name in &actor.field_names {
                let Some(field) = body.fields.iter().find(|field| field.name == *name) else {
                    fields.push(None);
                    continue;
                };
                let values: Vec<f32> = field.values.iter().map(|value| *value as f32).collect();
                check_single(values.iter().map(|value| [*value]), owner, field.name)?;
                fields.push(Some(self.spool.append_numbers(values)?));
            }
        }
        let topology = match actor.samples.last() {
            Some(last) if same_topology(&last.topology, &body.topology) => &last.topology,
            _ => &body.topology,
        };
        let topology = Arc::clone(topology);
        let positions = single_vectors(&body.positions, owner, "position")?;
        let frame = self.times.len();
        let positions = actor.store_positions(positions, &mut self.spool)?;
        actor.samples.push(Sample {
            frame,
            topology,
            positions,
            velocities,
            fields,
        });
        Ok(())
    }

    fn record_obstacle(
        &mut self,
        place: usize,
        number: usize,
        obstacle: &FrameObstacle,
    ) -> Result<(), IoError> {
        let actor = &mut self.actors[place];
        let frame = self.times.len();
        let known = actor
            .mesh
            .as_ref()
            .is_some_and(|known| Arc::ptr_eq(known, &obstacle.mesh) || **known == *obstacle.mesh);
        if let (true, Some(last)) = (known, actor.samples.last().cloned()) {
            actor.samples.push(Sample { frame, ..last });
            return Ok(());
        }
        let topology = Arc::new(Topology {
            triangles: obstacle.mesh.triangles.clone(),
            ..Topology::default()
        });
        let topology = match actor.samples.last() {
            Some(last) if same_topology(&last.topology, &topology) => Arc::clone(&last.topology),
            _ => topology,
        };
        let owner = (number, &*obstacle.name);
        let first_positions = &obstacle.mesh.positions;
        actor
            .first_shapes
            .see((), &obstacle.appearance, first_positions);
        let positions = single_vectors(&obstacle.mesh.positions, owner, "position")?;
        let positions = actor.store_positions(positions, &mut self.spool)?;
        actor.mesh = Some(Arc::clone(&obstacle.mesh));
        actor.samples.push(Sample {
            frame,
            topology,
            positions,
            velocities: None,
            fields: Vec::new(),
        });
        Ok(())
    }
}

impl Actor {
    /// The block of these positions; that of the last sample if nothing moved.
    fn store_positions(
        &mut self,
        positions: Vec<[f32; 3]>,
        spool: &mut Spool,
    ) -> Result<Block, IoError> {
        if let Some(last) = self.samples.last()
            && self.last_positions == positions
        {
            return Ok(last.positions);
        }
        let block = spool.append_numbers(positions.iter().copied().flatten())?;
        self.last_positions = positions;
        Ok(block)
    }

    /// The image of the actor, if it can be laid on: that needs texture coordinates.
    pub(crate) fn shown_image(&self) -> Option<&str> {
        let has_coordinates = self.samples.iter().any(|sample| {
            let topology = &sample.topology;
            !(topology.triangles.is_empty() && topology.material_coordinates.is_empty())
        });
        match &self.appearance.base {
            BaseColor::Texture(image) if has_coordinates => Some(image),
            _ => None,
        }
    }

    /// The texture coordinates of its triangles at a sample.
    pub(crate) fn texture_coordinates(&self, sample: &Sample) -> Option<TextureCoordinates> {
        let first_positions = self.first_shapes.of((), sample.node_count());
        TextureCoordinates::new(&sample.topology, &self.appearance, first_positions)
    }

    /// Each topology that the actor has had, in order.
    pub(crate) fn topologies(&self) -> Vec<&Arc<Topology>> {
        let mut topologies: Vec<&Arc<Topology>> = Vec::new();
        for sample in &self.samples {
            if !topologies
                .last()
                .is_some_and(|last| Arc::ptr_eq(last, &sample.topology))
            {
                topologies.push(&sample.topology);
            }
        }
        topologies
    }
}

fn same_topology(a: &Arc<Topology>, b: &Arc<Topology>) -> bool {
    Arc::ptr_eq(a, b)
        || (a.points == b.points
            && a.lines == b.lines
            && a.triangles == b.triangles
            && a.material_coordinates == b.material_coordinates)
}

#[cfg(test)]
mod tests {
    use super::*;
    use glam::DVec3;
    use std::fs;

    fn body(name: &str, height: f64) -> FrameBody {
        FrameBody {
            name: name.into(),
            topology: Arc::new(Topology::default()),
            appearance: Arc::default(),
            positions: vec![DVec3::new(0.0, 0.0, height)],
            velocities: vec![DVec3::X],
            elastic_forces: vec![DVec3::ZERO],
            external_forces: vec![DVec3::ZERO],
            fixed: Arc::new(vec![false]),
            fields: Vec::new(),
            particle_radius: 0.1,
        }
    }

    fn frame(number: usize, bodies: Vec<FrameBody>) -> Frame {
        Frame {
            number,
            time: number as f64 / 29.97 + 1e-12,
            bodies,
            obstacles: Vec::new(),
        }
    }

    #[test]
    fn bodies_are_told_apart_and_what_stands_still_is_stored_once() {
        let folder = std::env::temp_dir().join(format!("pliant-timeline-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let mut timeline = Timeline::new(folder.join("a.usda"), true).unwrap();
        let both = |height| vec![body("a", height), body("a", 0.0)];
        timeline.record(&frame(3, both(1.0))).unwrap();
        timeline.record(&frame(4, both(2.0))).unwrap();
        timeline.record(&frame(4, both(9.0))).unwrap();
        timeline.record(&frame(5, vec![body("a", 3.0)])).unwrap();
        assert_eq!(timeline.times.len(), 3, "the same time is not taken twice");
        assert!(timeline.record(&frame(2, Vec::new())).is_err());
        assert_eq!(timeline.rate(), 29.97);
        let [first, second] = &timeline.actors[..] else {
            panic!("{} actors", timeline.actors.len());
        };
        assert_eq!((first.samples.len(), second.samples.len()), (3, 2));
        assert_eq!(second.samples[0].positions, second.samples[1].positions);
        assert_eq!(first.topologies().len(), 1);
        let block = first.samples[2].positions;
        assert_eq!(timeline.spool.vectors(block).unwrap(), [[0.0, 0.0, 3.0]]);
        drop(timeline);
        fs::remove_dir_all(folder).unwrap();
    }
}
