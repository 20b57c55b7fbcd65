//! What a cache holds: the header, and a frame with the steps that led to it.

use super::bytes::{Decoder, Encoder};
use glam::DVec3;
use pliant::report::Dissipation;

/// What was simulated. The world is built again from it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CacheHeader {
    /// The name of the run: a built-in scene, or the scene file without its extension.
    pub name: String,
    /// The scene file, for messages.
    pub file: String,
    /// The text of the scene.
    pub text: String,
    /// The folder that pictures named in the scene are relative to.
    pub folder: String,
    /// Attributes replaced from outside: element, attribute and value of each.
    pub overrides: Vec<[String; 3]>,
    /// The simulated time that was asked for, in seconds; `None` is that of the scene.
    pub seconds: Option<f64>,
    /// The number of frames that was asked for; `None` leaves it to the time.
    pub frames: Option<usize>,
    /// The files that the scene names.
    pub inputs: Vec<InputFile>,
}

/// A file that a scene names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InputFile {
    /// The name as the scene has it.
    pub name: String,
    /// [`checksum`](super::checksum) of its content.
    pub checksum: u64,
}

/// The world at one frame, and what happened since the frame before.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CachedFrame {
    /// Steps taken.
    pub step: usize,
    /// Simulated time, in seconds.
    pub time: f64,
    /// What steps change, as bytes.
    pub snapshot: Vec<u8>,
    /// One sample for each step since the frame before; the first frame has that of the beginning.
    pub samples: Vec<StepSample>,
    /// Sums over the run so far, by name.
    pub totals: Vec<(String, f64)>,
}

/// What was measured after one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepSample {
    /// Simulated time, in seconds.
    pub time: f64,
    /// Kinetic energy, in joules.
    pub kinetic: f64,
    /// Elastic energy, in joules.
    pub elastic: f64,
    /// Energy in gravity, springs and contact potentials, in joules.
    pub external: f64,
    /// Work that moving springs, switched forces and streams did in the step, in joules.
    pub work: f64,
    /// Energy that the step took out of the world, in joules.
    pub dissipated: f64,
    /// The same by cause, less what was created.
    pub dissipation: Dissipation,
    /// Energy that appeared in the step without work, in joules.
    pub energy_created: f64,
    /// Momentum, in kilogram metres per second.
    pub momentum: DVec3,
    /// Angular momentum about the origin, in kilogram square metres per second.
    pub angular_momentum: DVec3,
    /// Volume inside closed bodies, in cubic metres; not a number if there is none.
    pub volume: f64,
    /// That of each closed body, in the order of the scene.
    pub volumes: Vec<f64>,
    /// Pairs of node and obstacle in contact.
    pub contacts: usize,
    /// Newton iterations of the step.
    pub newton_iterations: usize,
    /// Iterations of the linear solver in the step.
    pub linear_iterations: usize,
    /// How often the step was repeated with a shorter one.
    pub shortened_steps: usize,
}

impl CacheHeader {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        for text in [&self.name, &self.file, &self.text, &self.folder] {
            to.text(text);
        }
        to.list(&self.overrides, |to, parts| {
            parts.iter().for_each(|part| to.text(part));
        });
        to.option(self.seconds, Encoder::number);
        to.option(self.frames, Encoder::count);
        to.list(&self.inputs, |to, input| {
            to.text(&input.name);
            to.word(input.checksum);
        });
        to.0
    }

    pub(super) fn decode(content: &[u8]) -> Option<Self> {
        let mut from = Decoder(content);
        let header = Self {
            name: from.text()?,
            file: from.text()?,
            text: from.text()?,
            folder: from.text()?,
            overrides: from.list(|from| Some([from.text()?, from.text()?, from.text()?]))?,
            seconds: from.option(Decoder::number)?,
            frames: from.option(Decoder::count)?,
            inputs: from.list(|from| {
                Some(InputFile {
                    name: from.text()?,
                    checksum: from.whole_word()?,
                })
            })?,
        };
        from.end(header)
    }
}

impl CachedFrame {
    pub(super) fn encode(&self) -> Vec<u8> {
        let mut to = Encoder::default();
        to.count(self.step);
        to.number(self.time);
        to.bytes(&self.snapshot);
        to.list(&self.samples, |to, sample| sample.encode(to));
        to.list(&self.totals, |to, (name, value)| {
            to.text(name);
            to.number(*value);
        });
        to.0
    }

    pub(super) fn decode(content: &[u8]) -> Option<Self> {
        let mut from = Decoder(content);
        let frame = Self {
            step: from.count()?,
            time: from.number()?,
            snapshot: from.bytes()?.to_vec(),
            samples: from.list(StepSample::decode)?,
            totals: from.list(|from| Some((from.text()?, from.number()?)))?,
        };
        from.end(frame)
    }
}

impl StepSample {
    fn encode(&self, to: &mut Encoder) {
        to.number(self.time);
        to.number(self.kinetic);
        to.number(self.elastic);
        to.number(self.external);
        to.number(self.work);
        to.number(self.dissipated);
        for cause in self.dissipation.causes() {
            to.number(cause);
        }
        to.number(self.energy_created);
        to.vector(self.momentum);
        to.vector(self.angular_momentum);
        to.number(self.volume);
        to.list(&self.volumes, |to, volume| to.number(*volume));
        to.count(self.contacts);
        to.count(self.newton_iterations);
        to.count(self.linear_iterations);
        to.count(self.shortened_steps);
    }

    fn decode(from: &mut Decoder) -> Option<Self> {
        Some(Self {
            time: from.number()?,
            kinetic: from.number()?,
            elastic: from.number()?,
            external: from.number()?,
            work: from.number()?,
            dissipated: from.number()?,
            dissipation: Dissipation {
                damping: from.number()?,
                friction: from.number()?,
                processes: from.number()?,
                rest: from.number()?,
            },
            energy_created: from.number()?,
            momentum: from.vector()?,
            angular_momentum: from.vector()?,
            volume: from.number()?,
            volumes: from.list(Decoder::number)?,
            contacts: from.count()?,
            newton_iterations: from.count()?,
            linear_iterations: from.count()?,
            shortened_steps: from.count()?,
        })
    }
}
