//! What the simulation tells, as bytes.

use super::{Bytes, FrameReader, FrameWriter, Wire, WireError, wire_enum, wire_struct};
use crate::flatland::Centre;
use crate::history::HistorySpan;
use crate::pick::Carrier;
use crate::player::Pull;
use crate::request::{BodyInfo, Shown};
use crate::sample::{Sample, Samples};
use pliant_render::Look;
use pliant_scene::Override;

/// Something that the simulation tells.
#[derive(Clone, Debug, PartialEq)]
pub enum Word {
    /// A scene is there, or one is drawn in another style. Its first frame follows.
    Staged(Box<StagedText>),
    /// A frame follows.
    Frame,
    /// Something could not be done.
    Refused(String),
    /// A scene has a mistake.
    Mistake(String),
    /// A mistake is mended.
    Mended,
    /// Something was done.
    Done(String),
    /// A file to be kept by the user.
    File {
        /// Its name.
        name: String,
        /// What is in it.
        content: Vec<u8>,
    },
    /// The picture of a built-in scene: its number, and red, green, blue and alpha of each pixel.
    Picture {
        /// The number of the scene.
        index: usize,
        /// The pixels.
        pixels: Vec<u8>,
    },
}

wire_enum!(Word {
    0 => Staged(staged),
    1 => Frame,
    2 => Refused(message),
    3 => Mistake(message),
    4 => Mended,
    5 => Done(message),
    6 => File { name, content },
    7 => Picture { index, pixels },
});

/// All that the other end needs to make the stage of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StagedText {
    /// The name of the scene.
    pub name: String,
    /// Its file, for messages.
    pub file: String,
    /// Its text as it stands.
    pub text: String,
    /// Attributes that are replaced.
    pub overrides: Vec<Override>,
    /// The style that was asked for.
    pub look: Option<Look>,
    /// Whether it is another scene, to be seen with its own camera.
    pub is_new: bool,
    /// Its bodies.
    pub bodies: Vec<BodyInfo>,
}

wire_struct!(StagedText {
    name,
    file,
    text,
    overrides,
    look,
    is_new,
    bodies,
});

impl Wire for Box<StagedText> {
    fn put(&self, out: &mut Vec<u8>) {
        StagedText::put(self, out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        StagedText::get(from).map(Self::new)
    }
}

wire_struct!(BodyInfo {
    name,
    node_count,
    formulation,
    integrator,
    values,
});
wire_struct!(Pull {
    handle,
    body,
    stencil,
    target,
});
wire_struct!(Centre { place, velocity });
wire_struct!(Carrier {
    positions,
    triangles,
});
wire_struct!(HistorySpan {
    count,
    present,
    oldest,
    newest,
    bytes,
});
wire_struct!(Sample {
    time,
    kinetic,
    elastic,
    external,
    dissipated,
    causes,
    created,
    contacts,
    newton_iterations,
    linear_iterations,
    unconverged,
    volume,
    milliseconds,
    stages,
});

impl Wire for Samples {
    fn put(&self, out: &mut Vec<u8>) {
        self.0.put(out);
    }

    fn get(from: &mut Bytes) -> Result<Self, WireError> {
        Wire::get(from).map(Self)
    }
}

impl Shown {
    /// Appends it to a message.
    pub fn put(&self, frames: &mut FrameWriter, out: &mut Vec<u8>) {
        frames.put(&self.frame, out);
        self.carriers.put(out);
        self.pulls.put(out);
        self.centres.put(out);
        self.frozen.put(out);
        self.step.put(out);
        self.time.put(out);
        self.is_running.put(out);
        self.speed.put(out);
        self.real_time_factor.put(out);
        self.history.put(out);
        self.samples.put(out);
        self.failure.put(out);
    }

    /// Takes it from the front of a message.
    pub fn get(frames: &mut FrameReader, from: &mut Bytes) -> Result<Self, WireError> {
        let shown = Self {
            frame: frames.get(from)?,
            carriers: Wire::get(from)?,
            pulls: Wire::get(from)?,
            centres: Wire::get(from)?,
            frozen: Wire::get(from)?,
            step: Wire::get(from)?,
            time: Wire::get(from)?,
            is_running: Wire::get(from)?,
            speed: Wire::get(from)?,
            real_time_factor: Wire::get(from)?,
            history: Wire::get(from)?,
            samples: Wire::get(from)?,
            failure: Wire::get(from)?,
        };
        let bodies = &shown.frame.bodies;
        let carriers = shown.carriers.iter().flatten().all(|carrier| {
            let nodes = carrier.triangles.as_flattened().iter();
            nodes
                .into_iter()
                .all(|node| (*node as usize) < carrier.positions.len())
        });
        // What pulls take hold of is drawn.
        let pulls = shown.pulls.iter().all(|pull| {
            let carrier = shown.carriers.get(pull.body).and_then(Option::as_ref);
            let drawn = bodies.get(pull.body).map_or(0, |body| body.positions.len());
            let count = carrier.map_or(drawn, |carrier| carrier.positions.len());
            pull.stencil.nodes.iter().all(|node| *node < count)
        });
        let frozen = shown.frozen.iter().all(|body| *body < bodies.len());
        match carriers && pulls && frozen && shown.carriers.len() == bodies.len() {
            true => Ok(shown),
            false => Err(WireError::Nonsense("frame")),
        }
    }
}
