//! A scene as plain data: everything a scene file says, checked and with defaults filled in.
//!
//! Lengths are in metres, times in seconds, masses in kilograms unless a scene keeps units of its
//! own; angles are in radians. References between elements are indices into the lists of
//! [`Scene`].

mod body;
mod expected;
mod force;
mod joint;
mod mesh;
mod object;
mod part;
mod particles;
mod picture;
mod process;

pub use body::{Body, ForceBinding, GridElastic, Model, Shape};
pub use expected::{Expected, Origin, Quantity};
pub use force::{Force, ForceFile, ImageFile, VolumeFile};
pub use joint::{Joint, JointKind};
pub(crate) use mesh::STRAINS_OF_ELEMENTS;
pub use mesh::{
    Core, CorePose, Elastic, Elements, Fixed, Mesh, MeshBody, MeshSource, Motion, Muscle, Near,
    Place, Placement, Skin, SkinSource, Strain, VertexRotation, Zone,
};
pub use object::{Moving, Object};
pub use part::Part;
pub use particles::{
    Factor, Field, Particle, ParticleChange, ParticleError, ParticleRule, Selection, Target, Tensor,
};
pub use picture::{Picture, PictureStyle};

pub use process::Process;

use crate::diagnostics::{Location, SceneWarning};
use glam::DVec3;
use pliant::contact::PairContactSettings;
use pliant::frame::Finish;

/// A whole scene.
#[derive(Clone, Debug)]
pub struct Scene {
    /// The name of the scene.
    pub id: String,
    /// What the scene shows; empty if the file does not say.
    pub description: String,
    /// How long it runs.
    pub simulation: Simulation,
    /// How its bodies meet each other, if the file says so; `None` lets them pass through each other, unless
    /// they meet unasked.
    pub contact: Option<PairContactSettings>,
    /// Whether its bodies meet each other where they can, since the file does not speak of contact.
    pub meets_unasked: bool,
    /// Whether what moves meets all else although the file does not speak of contact: small bodies then choose the
    /// thickness.
    pub meets_as_usual: bool,
    /// Where the element is that says so.
    pub contact_location: Location,
    /// Whether bodies that cross at the start are moved apart.
    pub repairs_start: bool,
    /// What holds points of bodies together.
    pub joints: Vec<Joint>,
    /// From where it is seen; `None` leaves the choice to the viewer.
    pub camera: Option<Camera>,
    /// The lights; none leaves the choice to the viewer.
    pub lights: Vec<Light>,
    /// How pictures of it look.
    pub picture: Picture,
    /// All materials, used or not.
    pub materials: Vec<Material>,
    /// All forces, bound or not.
    pub forces: Vec<Force>,
    /// All rigid objects, bound or not.
    pub objects: Vec<Object>,
    /// All deformable bodies.
    pub bodies: Vec<Body>,
    /// What a test of the scene checks.
    pub expected: Vec<Expected>,
    /// Oddities of the file that do not keep it from being simulated.
    pub warnings: Vec<SceneWarning>,
}

/// How long a scene runs and how many frames it shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Simulation {
    /// Simulated time, in seconds.
    pub duration: f64,
    /// Frames a simulated second.
    pub fps: f64,
    /// Threads to use; `None` leaves the choice to the program.
    pub threads: Option<usize>,
    /// Largest distance of a particle from the origin before its body counts as lost.
    pub bounds: f64,
}

impl Simulation {
    /// Number of frames after the first, at least one.
    pub fn frame_count(&self) -> usize {
        ((self.duration * self.fps).round() as usize).max(1)
    }
}

/// From where a scene is seen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Camera {
    /// Position of the eye.
    pub eye: DVec3,
    /// The point in the middle of the picture.
    pub target: DVec3,
    /// Unit vector that points up in the picture.
    pub up: DVec3,
    /// Height of the view, in radians.
    pub fov: f64,
}

/// One light.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Light {
    /// Where it shines from.
    pub source: LightSource,
    /// Brightness; 1 lights a white surface fully.
    pub intensity: f64,
    /// Whether things throw shadows in its light.
    pub shadows: bool,
}

/// Where a light shines from.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LightSource {
    /// A lamp at a point.
    Position(DVec3),
    /// A far lamp whose light travels along this unit vector.
    Direction(DVec3),
}

/// How a surface looks.
#[derive(Clone, Debug, PartialEq)]
pub struct Material {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// Colour or picture.
    pub look: Look,
    /// How light falls on it; `None` if the scene says nothing about it.
    pub finish: Option<Finish>,
    /// Width of one picture, in metres; `None` lays a single one over everything.
    pub image_width: Option<f64>,
}

/// Colour or picture of a material.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// Red, green and blue from 0 to 1.
    Color([f64; 3]),
    /// The path of a picture, with forward slashes.
    Texture(String),
    /// The name of a picture that comes with Pliant.
    Pattern(String),
}
