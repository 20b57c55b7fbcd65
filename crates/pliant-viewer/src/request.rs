//! What the window asks of the simulation, and what it gets back.

use crate::flatland::Centre;
use crate::history::HistorySpan;
use crate::pick::Carrier;
use crate::player::Pull;
use crate::sample::Samples;
use crate::scene_text::SceneValue;
use glam::DVec3;
use pliant::Frame;
use pliant::body::Blade;
use pliant::command::BodyValue;
use pliant::force::Stencil;
use pliant_render::Look;
use pliant_scene::Override;
use pliant_session::Recording;
use pliant_session::Stage;
use std::path::PathBuf;
use std::sync::Arc;

/// What the window asks of the simulation.
#[derive(Clone, Debug)]
pub enum Request {
    /// Opens a built-in scene or a scene file, with attributes replaced.
    Open(String, Vec<Override>),
    /// Opens a scene whose text is at hand, with the files that it names.
    OpenText {
        /// The name of its file.
        name: String,
        /// Its text.
        text: String,
        /// Attributes that are replaced.
        overrides: Vec<Override>,
        /// Names and contents of files.
        files: Vec<(String, Vec<u8>)>,
    },
    /// Plays a recording.
    Replay(Box<Recording>),
    /// Goes on or pauses.
    Run(bool),
    /// Takes one step, or goes to the next moment of the history.
    StepForward,
    /// Goes one moment back.
    StepBack,
    /// Goes to a moment of the history by its number.
    GoTo(usize),
    /// Begins anew.
    Reset,
    /// Simulated seconds per second.
    Speed(f64),
    /// Does not go beyond a simulated time, in seconds; `None` goes as far as there is time.
    Hold(Option<f64>),
    /// Takes hold of a point of a body; the number is the window's choice.
    Grab {
        /// The number of the pull.
        handle: u32,
        /// The body.
        body: usize,
        /// The point of the body.
        stencil: Stencil,
        /// Where it is pulled to, in metres.
        target: DVec3,
        /// How strongly, as a multiple of the usual strength.
        strength: f64,
    },
    /// Moves where a pull goes to.
    Drag {
        /// The number of the pull.
        handle: u32,
        /// Where it is pulled to, in metres.
        target: DVec3,
    },
    /// Ends a pull.
    LetGo(u32),
    /// Ends all pulls.
    LetAllGo,
    /// Pushes a point of a body for a tenth of a second; the strength is a multiple of the weight of the
    /// body.
    Push {
        /// The body.
        body: usize,
        /// The point of the body.
        stencil: Stencil,
        /// How strongly.
        strength: f64,
    },
    /// Heats a body at a place, or cools it, for some seconds: a body that conducts heat round that place,
    /// a viscoelastic one as a whole. Any other becomes thermoplastic.
    Heat {
        /// The body.
        body: usize,
        /// The place, in metres.
        place: DVec3,
        /// For how long, in seconds; negative cools.
        seconds: f64,
    },
    /// Severs what crosses a triangle: a stroke of the pointer as it is seen from the eye.
    Cut(Blade),
    /// Fixes a node that is free and releases one that is fixed.
    ToggleFixed {
        /// The body.
        body: usize,
        /// The node.
        node: usize,
    },
    /// Fixes or releases several nodes.
    SetFixed {
        /// The body.
        body: usize,
        /// The nodes.
        nodes: Vec<usize>,
        /// Whether they are fixed from now on.
        fixed: bool,
    },
    /// Sets a value of a body.
    SetValue {
        /// The body.
        body: usize,
        /// What is set.
        value: BodyValue,
        /// What it becomes.
        number: f64,
    },
    /// Changes a value of the scene.
    Change {
        /// Where its element is.
        path: Vec<usize>,
        /// The attribute.
        attribute: String,
        /// Its new value.
        value: String,
    },
    /// Draws in another style; `None` takes that of the scene.
    Look(Option<Look>),
    /// Writes the scene as it stands.
    SaveScene(PathBuf),
    /// Writes what was done so far.
    SaveRecording(PathBuf),
}

impl Request {
    /// Whether it opens a scene.
    pub fn opens(&self) -> bool {
        matches!(
            self,
            Self::Open(..) | Self::OpenText { .. } | Self::Replay(_)
        )
    }

    /// Whether it makes the step at hand useless.
    pub fn leaves_step(&self) -> bool {
        self.opens() || matches!(self, Self::Reset | Self::GoTo(_))
    }
}

/// What the simulation tells, beside its frames.
#[derive(Debug)]
pub enum Notice {
    /// A scene is there, or one is drawn in another style.
    Staged(Box<Staged>),
    /// Something could not be done; the run goes on as it was.
    Refused(String),
    /// A scene could not be opened, or has a mistake after it was changed; the last good one stays.
    Mistake(String),
    /// A mistake is mended.
    Mended,
    /// Something was done that deserves a word.
    Done(String),
    /// A file that the user asked for, where the simulation has no folder to write it to.
    File {
        /// Its name.
        name: String,
        /// What is in it.
        content: Vec<u8>,
    },
}

/// A scene that is ready to be drawn.
#[derive(Debug)]
pub struct Staged {
    /// What turns frames into draw lists.
    pub stage: Stage,
    /// Whether it is another scene, to be seen with its own camera.
    pub is_new: bool,
    /// What it is.
    pub scene: SceneInfo,
}

/// What a scene is.
#[derive(Clone, Debug, Default)]
pub struct SceneInfo {
    /// Its name.
    pub name: String,
    /// Its file, if it is one.
    pub file: Option<PathBuf>,
    /// What it says about itself.
    pub description: String,
    /// Its bodies.
    pub bodies: Vec<BodyInfo>,
    /// Its values that can be changed.
    pub values: Arc<Vec<SceneValue>>,
    /// Length of a step, in seconds.
    pub time_step: f64,
}

/// What a body is.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyInfo {
    /// Its name.
    pub name: String,
    /// Number of nodes.
    pub node_count: usize,
    /// Its formulation.
    pub formulation: String,
    /// Its integrator.
    pub integrator: String,
    /// Its values by name: stiffness and damping as factors, friction and restitution as they are.
    pub values: Vec<(BodyValue, f64)>,
}

/// A frame on its way to the window.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The world.
    pub frame: Frame,
    /// What carries surfaces that are not made of nodes.
    pub carriers: Vec<Option<Carrier>>,
    /// Pulls that are there.
    pub pulls: Vec<Pull>,
    /// The centre of mass of each body, and how it moves.
    pub centres: Vec<Centre>,
    /// Bodies that are frozen, by number.
    pub frozen: Vec<usize>,
    /// Steps taken.
    pub step: usize,
    /// Simulated time, in seconds.
    pub time: f64,
    /// Whether it runs.
    pub is_running: bool,
    /// Simulated seconds per second that were asked for.
    pub speed: f64,
    /// Simulated seconds per second that there are.
    pub real_time_factor: f64,
    /// Which moments can be gone back to.
    pub history: HistorySpan,
    /// What the last steps measured.
    pub samples: Samples,
    /// Why the simulation paused itself.
    pub failure: Option<String>,
}
