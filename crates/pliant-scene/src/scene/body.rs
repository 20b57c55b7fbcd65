//! Deformable bodies.

use super::mesh::{MeshBody, Near};
use super::part::Part;
use super::particles::ParticleRule;
use super::process::Process;
use crate::diagnostics::Location;
use crate::expression::Expression;
use crate::settings::Settings;
use glam::DVec3;
use pliant::deform::Deformation;
use pliant::elastic::GridMaterial;
use std::sync::Arc;

/// A curve, surface or solid that deforms.
#[derive(Clone, Debug)]
pub struct Body {
    /// Its name.
    pub id: String,
    /// Where it stands in the file.
    pub location: Location,
    /// How many directions it has.
    pub model: Model,
    /// How it is simulated: the attributes of its `Properties`.
    pub properties: Settings,
    /// The shape at rest.
    pub natural_shape: Shape,
    /// The shape at the start; `None` means the natural shape.
    pub initial_shape: Option<Shape>,
    /// What deforms its natural shape (of a mesh, its elements at rest), in order.
    pub natural_operators: Vec<Arc<dyn Deformation>>,
    /// What deforms the shape at the start, in order.
    pub initial_operators: Vec<Arc<dyn Deformation>>,
    /// What makes it a mesh: then it has no shapes, no grid and no particles.
    pub mesh: Option<Box<MeshBody>>,
    /// Particles in each direction; 1 in directions the body does not have.
    pub grid: [usize; 3],
    /// Which directions are closed.
    pub periodic: [bool; 3],
    /// What it is made of in physical units; its particles then have factors on what follows.
    pub elastic: Option<GridElastic>,
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

/// What a body over a grid is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GridElastic {
    /// What gives the weights and masses of its nodes.
    pub material: GridMaterial,
    /// Rayleigh's damping by mass, in 1/s.
    pub alpha: f64,
    /// Rayleigh's damping by stiffness, in seconds.
    pub beta: f64,
}

pliant::choice! {
    /// How many directions a body has.
    pub enum Model {
        /// One.
        Curve,
        /// Two.
        Surface,
        /// Three.
        Solid,
    }
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
    /// A superquadric ellipsoid or toroid.
    Superquadric {
        /// Semi-axes a, b, c.
        axes: DVec3,
        /// The centre.
        centre: DVec3,
        /// How square it is from pole to pole and round the axis.
        exponents: [f64; 2],
        /// Radius of the ring of a toroid by that of its tube.
        ring: Option<f64>,
        /// Polar angle, in radians, of the holes left at both poles of a surface.
        opening: Option<f64>,
    },
    /// A B-spline or NURBS curve, patch or solid.
    Nurbs {
        /// The degree in each direction.
        degrees: Vec<usize>,
        /// Number of control points in each direction.
        counts: Vec<usize>,
        /// Control points; the first direction runs fastest.
        control_points: Vec<DVec3>,
        /// Their weights.
        weights: Vec<f64>,
        /// Which directions are closed.
        periodic: Vec<bool>,
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
#[derive(Clone, Debug, PartialEq)]
pub struct ForceBinding {
    /// Index of the force in [`crate::Scene::forces`].
    pub force: usize,
    /// Where it stands in the file.
    pub location: Location,
    /// Grid coordinates of the one particle it acts on; `None` means all.
    pub particle: Option<[usize; 3]>,
    /// The nodes of a mesh that it acts on; `None` means all.
    pub near: Option<Near>,
    /// The part of the body that it acts on; `None` means all.
    pub part: Option<Part>,
}
