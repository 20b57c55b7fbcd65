//! Deformable bodies.

use super::mesh::{MeshBody, Near};
use super::particles::ParticleRule;
use super::process::Process;
use crate::diagnostics::Location;
use crate::expression::Expression;
use glam::DVec3;
use pliant::IntegratorKind;
use pliant::linear::SolverKind;

/// A curve, surface or solid that deforms.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// How many directions it has.
    pub model: Model,
    /// How it is simulated.
    pub properties: BodyProperties,
    /// The shape at rest.
    pub natural_shape: Shape,
    /// The shape at the start; `None` means the natural shape.
    pub initial_shape: Option<Shape>,
    /// What makes it a mesh: then it has no shapes, no grid and no particles.
    pub mesh: Option<Box<MeshBody>>,
    /// Particles in each direction; 1 in directions the body does not have.
    pub grid: [usize; 3],
    /// Which directions are closed.
    pub periodic: [bool; 3],
    /// What sets the values of the particles, in the order of the file.
    pub particles: Vec<ParticleRule>,
    /// Index of its material in [`crate::Scene::materials`].
    pub material: Option<usize>,
    /// What makes it more than elastic.
    pub processes: Vec<Process>,
    /// The forces that act on it.
    pub forces: Vec<ForceBinding>,
    /// Indices of the objects it collides with, in [`crate::Scene::objects`].
    pub collisions: Vec<usize>,
}

impl Body {
    /// Number of directions: 1, 2 or 3.
    pub fn dimension(&self) -> usize {
        self.model.dimension()
    }

    /// Number of particles; 0 for a mesh, whose nodes are counted when it is built.
    pub fn particle_count(&self) -> usize {
        self.grid.iter().product()
    }
}

/// How many directions a body has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// One.
    Curve,
    /// Two.
    Surface,
    /// Three.
    Solid,
}

impl Model {
    /// Number of directions: 1, 2 or 3.
    pub fn dimension(self) -> usize {
        match self {
            Self::Curve => 1,
            Self::Surface => 2,
            Self::Solid => 3,
        }
    }
}

/// A shape of a body.
#[derive(Clone, Debug, PartialEq)]
pub enum Shape {
    /// A Bézier curve, patch or solid.
    Bezier {
        /// The order n.
        order: usize,
        /// (n + 1)^d control points; the first direction runs fastest.
        control_points: Vec<DVec3>,
    },
    /// The surface or the whole of an ellipsoid.
    Ellipsoid {
        /// Semi-axes a, b, c.
        axes: DVec3,
        /// The centre.
        centre: DVec3,
        /// Polar angle, in radians, of the holes left at both poles of a surface.
        opening: Option<f64>,
    },
    /// Coordinates by formulas in the material coordinates.
    Formula {
        /// x, y and z.
        rules: Box<[Expression; 3]>,
        /// Added to all of them.
        shift: DVec3,
    },
    /// A helix about z that starts at the centre's height in x direction.
    Helix {
        /// Radius.
        radius: f64,
        /// Rise of one turn.
        pitch: f64,
        /// Number of turns.
        turns: f64,
        /// The centre of the first turn.
        centre: DVec3,
    },
}

/// A force that acts on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ForceBinding {
    /// Index of the force in [`crate::Scene::forces`].
    pub force: usize,
    /// Where it stands in the file.
    pub location: Location,
    /// Grid coordinates of the one particle it acts on; `None` means all.
    pub particle: Option<[usize; 3]>,
    /// The nodes of a mesh that it acts on; `None` means all.
    pub near: Option<Near>,
}

/// How a body is simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyProperties {
    /// Length of a step, in seconds.
    pub timestep: f64,
    /// How the body is described.
    pub formulation: Formulation,
    /// Whether the centrifugal force acts on the deformation of a hybrid body.
    pub centrifugal: bool,
    /// Whether the Coriolis force does.
    pub coriolis: bool,
    /// Whether the force of angular acceleration does.
    pub transverse: bool,
    /// Which elastic force.
    pub energy: Energy,
    /// How a step is made.
    pub integrator: IntegratorKind,
    /// How linear systems are solved.
    pub solver: SolverKind,
    /// Relative residual at which an iterative solver stops.
    pub tolerance: f64,
    /// Most iterations of an iterative solver.
    pub iterations: usize,
    /// Relaxation factor of SOR.
    pub relaxation: f64,
    /// Most Newton iterations of an implicit step.
    pub newton: usize,
    /// Whether the step length follows the motion.
    pub adaptive: bool,
    /// Shortest step tried, as a fraction of the timestep.
    pub shortest: f64,
    /// How collisions are resolved.
    pub contact: Contact,
    /// Depth up to which the quadratic penalty spares a leaving particle.
    pub threshold: f64,
    /// Distance that particles keep from objects.
    pub thickness: f64,
    /// Strength c of the penalty.
    pub strength: f64,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
    /// Share of the normal speed kept in a rebound.
    pub restitution: f64,
    /// Weight of the volume term of a solid.
    pub volume: f64,
    /// Velocity at the start, in m/s.
    pub velocity: DVec3,
    /// Angular velocity about the centre of mass at the start, in rad/s.
    pub spin: DVec3,
}

/// A choice among words of the language, listed once.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant),*
        }

        impl $name {
            /// The choice of a name in the scene language.
            pub fn from_name(name: &str) -> Option<Self> {
                match name {
                    $(stringify!($variant) => Some(Self::$variant),)*
                    _ => None,
                }
            }

            /// Its name in the scene language.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => stringify!($variant)),*
                }
            }
        }
    };
}
pub(super) use choice;

choice! {
    /// How a body is described.
    Formulation {
        /// Node positions with an energy of metric and curvature.
        Primal,
        /// A rigid frame and a deformation relative to it.
        Hybrid,
    }
}

choice! {
    /// Which elastic force a body has.
    Energy {
        /// The true gradient of the discrete energy.
        Exact,
        /// The published stencils, without negative tension in the implicit matrix.
        Published,
        /// The published stencils to the letter.
        AsPrinted,
    }
}

choice! {
    /// How collisions are resolved.
    Contact {
        /// By projection onto the surface.
        Projection,
        /// By the penalty c exp(-f/ε).
        Exponential,
        /// By a quadratic penalty below a threshold.
        Quadratic,
    }
}
