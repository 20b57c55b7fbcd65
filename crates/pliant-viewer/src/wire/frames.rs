//! Frames as bytes. What stays the same from frame to frame is not sent again: topologies only when
//! they have changed, and names, appearances and obstacles never, since whoever reads knows the scene.

use super::{Bytes, Wire, WireError, wire_struct};
use pliant::World;
use pliant::frame::{Appearance, Frame, FrameBody, FrameObstacle, NodalField, Topology};
use std::sync::Arc;

wire_struct!(Topology {
    points,
    lines,
    triangles,
    hexahedra,
    tetrahedra,
    material_coordinates,
    broken_links,
    rest_positions,
});

impl Wire for NodalField {
    fn put(&self, out: &mut Vec<u8>) {
        self.name.to_owned().put(out);
        self.unit.to_owned().put(out);
        self.values.put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        Ok(Self {
            name: lasting(String::get(from)?)?,
            unit: lasting(String::get(from)?)?,
            values: Vec::get(from)?,
        })
    }
}

/// The most different names and units of fields; there are some dozen.
const MOST_NAMES: usize = 1_000;

/// A text that is kept for ever, once for all that are the same.
fn lasting(text: String) -> Result<&'static str, WireError> {
    use std::sync::{Mutex, PoisonError};
    static KNOWN: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(found) = known.iter().find(|kept| **kept == text) {
        return Ok(found);
    }
    if known.len() >= MOST_NAMES || text.len() > 1_000 {
        return Err(WireError::Nonsense("name of a field"));
    }
    let kept: &'static str = Box::leak(text.into_boxed_str());
    known.push(kept);
    Ok(kept)
}

/// Writes frames.
#[derive(Debug, Default)]
pub struct FrameWriter {
    /// The topologies that were sent last.
    topologies: Vec<Arc<Topology>>,
}

impl FrameWriter {
    /// Appends a frame to a message.
    pub fn put(&mut self, frame: &Frame, out: &mut Vec<u8>) {
        frame.number.put(out);
        frame.time.put(out);
        frame.bodies.len().put(out);
        for (index, body) in frame.bodies.iter().enumerate() {
            let known = self.topologies.get(index);
            let is_known = known.is_some_and(|before| Arc::ptr_eq(before, &body.topology));
            is_known.put(out);
            if !is_known {
                body.topology.put(out);
            }
            body.positions.put(out);
            body.velocities.put(out);
            body.elastic_forces.put(out);
            body.external_forces.put(out);
            body.fixed.put(out);
            body.fields.put(out);
            body.particle_radius.put(out);
        }
        let topologies = frame.bodies.iter().map(|body| Arc::clone(&body.topology));
        self.topologies = topologies.collect();
    }
}

/// What frames of a scene have in common.
#[derive(Debug, Default)]
pub struct Cast {
    bodies: Vec<(Arc<str>, Arc<Appearance>)>,
    obstacles: Vec<FrameObstacle>,
}

impl Cast {
    /// Of a world.
    pub fn of(world: &World) -> Self {
        let bodies = world.bodies.iter().map(|body| {
            let description = body.description();
            (
                Arc::clone(&description.name),
                Arc::clone(&description.appearance),
            )
        });
        let visible = world.obstacles.iter().filter(|obstacle| obstacle.visible);
        Self {
            bodies: bodies.collect(),
            obstacles: visible
                .map(|obstacle| FrameObstacle {
                    name: Arc::clone(&obstacle.name),
                    mesh: Arc::new(obstacle.mesh()),
                    appearance: Arc::clone(&obstacle.appearance),
                })
                .collect(),
        }
    }
}

/// Reads frames.
#[derive(Debug, Default)]
pub struct FrameReader {
    /// What the frames of the scene at hand have in common.
    pub cast: Cast,
    topologies: Vec<Arc<Topology>>,
}

impl FrameReader {
    /// Takes a frame from the front of a message.
    pub fn get(&mut self, from: &mut Bytes) -> Result<Frame, WireError> {
        let (number, time) = (usize::get(from)?, f64::get(from)?);
        let count = usize::get(from)?;
        if count != self.cast.bodies.len() {
            return Err(WireError::Nonsense("number of bodies"));
        }
        let mut bodies = Vec::with_capacity(count);
        for (index, (name, appearance)) in self.cast.bodies.iter().enumerate() {
            let topology = match (bool::get(from)?, self.topologies.get(index)) {
                (false, _) => Arc::new(Topology::get(from)?),
                (true, Some(known)) => Arc::clone(known),
                (true, None) => return Err(WireError::Nonsense("topology")),
            };
            let body = FrameBody {
                name: Arc::clone(name),
                appearance: Arc::clone(appearance),
                topology,
                positions: Vec::get(from)?,
                velocities: Vec::get(from)?,
                elastic_forces: Vec::get(from)?,
                external_forces: Vec::get(from)?,
                fixed: Arc::new(Vec::get(from)?),
                fields: Vec::get(from)?,
                particle_radius: f64::get(from)?,
            };
            check(&body)?;
            bodies.push(body);
        }
        let topologies = bodies.iter().map(|body| Arc::clone(&body.topology));
        self.topologies = topologies.collect();
        Ok(Frame {
            number,
            time,
            bodies,
            obstacles: self.cast.obstacles.clone(),
        })
    }
}

/// Lists of one length, and nodes that are there: drawing and picking rely on both.
fn check(body: &FrameBody) -> Result<(), WireError> {
    let count = body.positions.len();
    let lengths = [
        body.velocities.len(),
        body.elastic_forces.len(),
        body.external_forces.len(),
        body.fixed.len(),
    ];
    let fields = body.fields.iter().map(|field| field.values.len());
    if lengths
        .into_iter()
        .chain(fields)
        .any(|length| length != count)
    {
        return Err(WireError::Nonsense("number of nodes"));
    }
    let topology = &body.topology;
    let nodes = topology.points.iter();
    let nodes = nodes
        .chain(topology.lines.as_flattened())
        .chain(topology.triangles.as_flattened())
        .chain(topology.hexahedra.as_flattened())
        .chain(topology.tetrahedra.as_flattened())
        .chain(topology.broken_links.as_flattened());
    let is_there = |node: &u32| (*node as usize) < count;
    let whole = |length: usize| length == 0 || length == count;
    let is_sound = nodes.into_iter().all(is_there)
        && whole(topology.material_coordinates.len())
        && whole(topology.rest_positions.len());
    match is_sound {
        true => Ok(()),
        false => Err(WireError::Nonsense("topology")),
    }
}
