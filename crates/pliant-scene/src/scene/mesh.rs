//! Bodies over meshes.

use crate::diagnostics::Location;
use crate::expression::Expression;
use glam::{DQuat, DVec3};
use pliant::mesh::Solid;

/// What only bodies of type `Mesh` have.
#[derive(Clone, Debug, PartialEq)]
pub struct MeshBody {
    /// The elements.
    pub mesh: Mesh,
    /// What they are made of.
    pub elastic: Elastic,
    /// Parts that stay where they are.
    pub fixed: Vec<Fixed>,
    /// Parts that move as rigid bodies.
    pub cores: Vec<Core>,
    /// A fine surface that is shown instead of the boundary.
    pub skin: Option<Skin>,
    /// How it starts: scaled and turned about its centre of mass, and moved.
    pub start: Placement,
}

/// The elements of a body.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// Where it stands in the file.
    pub location: Location,
    /// Where the elements come from.
    pub source: MeshSource,
    /// The kind of elements; `None` leaves it to the source.
    pub elements: Option<Elements>,
    /// From the source's own coordinates to those of the scene.
    pub placement: Placement,
}

/// Where elements come from.
#[derive(Clone, Debug, PartialEq)]
pub enum MeshSource {
    /// A file, relative to the scene file.
    File {
        /// Its path, with forward slashes.
        path: String,
        /// The spacing with which a surface is filled, in metres.
        resolution: Option<f64>,
        /// Whether a surface is mended before it is filled.
        repair: bool,
    },
    /// A shape that is filled (or, for a surface, covered).
    Filled {
        /// The shape.
        solid: Solid,
        /// The spacing, in metres.
        resolution: f64,
    },
    /// A simple shape that is divided into regular cells.
    Cells {
        /// The shape.
        solid: Solid,
        /// Cells in its directions: one to three numbers.
        counts: Vec<usize>,
    },
    /// A flat sheet that is divided into regular cells.
    Rectangle {
        /// Its centre.
        centre: DVec3,
        /// Lengths along x and y, in metres.
        size: [f64; 2],
        /// Cells along x and y.
        counts: [usize; 2],
    },
}

/// Scales, then turns, then moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Placement {
    /// Factors along x, y and z.
    pub scale: DVec3,
    /// The turn.
    pub rotation: DQuat,
    /// The move, in metres.
    pub position: DVec3,
}

impl Placement {
    /// Everything stays where it is.
    pub const IDENTITY: Self = Self {
        scale: DVec3::ONE,
        rotation: DQuat::IDENTITY,
        position: DVec3::ZERO,
    };

    /// Where a point goes.
    pub fn apply(&self, point: DVec3) -> DVec3 {
        self.rotation * (point * self.scale) + self.position
    }
}

pliant::choice! {
    /// A kind of elements.
    pub enum Elements {
        /// Tetrahedra of four nodes.
        Tetrahedron4,
        /// Tetrahedra of ten nodes.
        Tetrahedron10,
        /// Bricks of twenty nodes.
        Brick20,
        /// Triangles of three nodes.
        Triangle3,
        /// Triangles of six nodes.
        Triangle6,
        /// Quadrilaterals of four nodes.
        Quad4,
        /// Quadrilaterals of nine nodes.
        Quad9,
    }
}

pliant::choice! {
    /// How the elements of a mesh measure strain.
    pub enum Strain {
        /// The small strain, for which turning is strain too, so that bent bodies swell.
        Linear,
        /// The small strain in frames that turn with each vertex.
        Warped,
        /// The small strain in frames that turn with each element; for cloth, Biot's strain.
        Corotated,
        /// Green's strain.
        Green,
        /// Rubber that resists being crushed to nothing.
        NeoHookean,
        /// The Neo-Hookean law of textbooks, softer than `NeoHookean` at large strains, which cannot be
        /// turned inside out.
        SplitNeoHookean,
        /// Springs between the nodes of each element.
        Springs,
        /// None: an active surface, which has no rest shape, shrinks by `tension` and smooths itself by
        /// `rigidity`, ½ ∫ τ |∇x|² + β |Δx|² dA; forces of type `Volume` draw it to what they show.
        Active,
    }
}

/// Which elements have which strains, as a hint.
pub(crate) const STRAINS_OF_ELEMENTS: &str = "all elements have \"Linear\", \"Green\" and \"Springs\"; solids have \
     \"Corotated\", \"NeoHookean\" and \"SplitNeoHookean\" too, tetrahedra of four nodes also \"Warped\", \
     triangles of three nodes \"Corotated\" and \"Active\"";

pliant::choice! {
    /// How the rotation of a vertex is found.
    pub enum VertexRotation {
        /// From frames of three mean edges.
        Frames,
        /// From the singular values of all edges.
        Svd,
    }
}

/// What a mesh is made of.
#[derive(Clone, Debug, PartialEq)]
pub struct Elastic {
    /// Where it stands in the file.
    pub location: Location,
    /// How strain is measured; `None` leaves it to the kind of elements.
    pub strain: Option<Strain>,
    /// How rotations of vertices are found.
    pub rotation: Option<VertexRotation>,
    /// Young's modulus, in pascals.
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density, in kg/m³.
    pub density: f64,
    /// Rayleigh's damping by mass, in 1/s.
    pub alpha: f64,
    /// Rayleigh's damping by stiffness, in seconds.
    pub beta: f64,
    /// Thickness of a surface, in metres.
    pub thickness: f64,
    /// Flexural rigidity of cloth, in newton metres; `None` means that of a plate.
    pub rigidity: Option<f64>,
    /// Resistance of springs to a change of volume, in pascals.
    pub volume: f64,
    /// Elongation from which springs are stiffer, and how many times.
    pub limit: Option<(f64, f64)>,
    /// Whether the momenta of a free body are restored; `None` leaves it to the strain.
    pub momentum: Option<bool>,
    /// The stiffness of angular springs, in newton metres per radian.
    pub angular: f64,
    /// Tension of an active surface, in newtons per metre.
    pub tension: f64,
    /// Parts of another material.
    pub zones: Vec<Zone>,
    /// Springs that contract.
    pub muscles: Vec<Muscle>,
}

/// A part of a mesh, at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    /// Where the element that selects it stands in the file.
    pub location: Location,
    /// Regions of the mesh, as its file numbers them.
    pub region: Option<i32>,
    /// What lies in one of these, in coordinates of the scene.
    pub solids: Vec<Solid>,
}

/// A part of another material; what is `None` is as everywhere.
#[derive(Clone, Debug, PartialEq)]
pub struct Zone {
    /// Which elements.
    pub place: Place,
    /// Young's modulus, in pascals.
    pub young: Option<f64>,
    /// Poisson's ratio.
    pub poisson: Option<f64>,
    /// Density, in kg/m³.
    pub density: Option<f64>,
}

/// Springs that contract.
#[derive(Clone, Debug, PartialEq)]
pub struct Muscle {
    /// Which springs: those with the middle in shapes, or both ends in a region.
    pub place: Place,
    /// The contraction by u, where the spring lies along the muscle, and w, the time.
    pub contraction: Expression,
    /// Only springs along it, if there is one: a unit vector.
    pub direction: Option<DVec3>,
    /// How far springs may be off the direction, in degrees.
    pub angle: f64,
}

/// Nodes that stay where they are.
#[derive(Clone, Debug, PartialEq)]
pub struct Fixed {
    /// Which nodes.
    pub place: Place,
    /// Which of x, y and z stay.
    pub coordinates: [bool; 3],
}

/// Nodes that move as a rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct Core {
    /// Which nodes.
    pub place: Place,
    /// How they move.
    pub motion: Motion,
}

/// How a core moves.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// In every way.
    Free,
    /// About an axis.
    Hinge {
        /// A point of the axis.
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
    },
    /// About an axis at a constant speed.
    Turning {
        /// A point of the axis.
        point: DVec3,
        /// Its direction, a unit vector.
        axis: DVec3,
        /// In radians per second.
        speed: f64,
    },
    /// From pose to pose.
    Path {
        /// What the poses turn about; `None` means the middle of the nodes.
        pivot: Option<DVec3>,
        /// At least one, in the order of time.
        poses: Vec<CorePose>,
    },
}

/// Where a core is at a time, relative to where it is at rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CorePose {
    /// When, in seconds.
    pub time: f64,
    /// How it is turned.
    pub rotation: DQuat,
    /// How far it has moved, in metres.
    pub shift: DVec3,
}

/// A fine surface that a mesh carries.
#[derive(Clone, Debug, PartialEq)]
pub struct Skin {
    /// Where it stands in the file.
    pub location: Location,
    /// What it is.
    pub source: SkinSource,
}

/// What a fine surface is.
#[derive(Clone, Debug, PartialEq)]
pub enum SkinSource {
    /// The surface that was filled.
    Filled,
    /// The surface of the shape that was filled, in triangles of this size, in metres.
    Resolution(f64),
    /// A file, relative to the scene file.
    File(String),
}

/// Nodes of a mesh about a point of its rest shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// The point.
    pub point: DVec3,
    /// All nodes up to this distance, in metres; `None` means the nearest.
    pub within: Option<f64>,
}
