//! Bounds that a test of a scene checks.

use super::part::Part;
use crate::diagnostics::Location;
use glam::DVec3;

/// A bound on what the simulation gives.
#[derive(Clone, Debug, PartialEq)]
pub struct Expected {
    /// Where it stands in the file.
    pub location: Location,
    /// What is bounded.
    pub quantity: Quantity,
    /// Index of the body in [`crate::Scene::bodies`]; `None` means all.
    pub body: Option<usize>,
    /// Grid coordinates of the particle.
    pub particle: Option<[usize; 3]>,
    /// The point whose nearest node at rest is meant, for a mesh.
    pub near: Option<DVec3>,
    /// The part of the body whose mean is taken.
    pub part: Option<Part>,
    /// When it is measured, in seconds; `None` means at the end.
    pub time: Option<f64>,
    /// The least allowed.
    pub min: Option<f64>,
    /// The most allowed.
    pub max: Option<f64>,
    /// Where the bounds come from.
    pub origin: Origin,
}

/// Where the bounds of an [`Expected`] come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// From a formula, a symmetry, the geometry of the scene or a rule that every run must keep.
    Derived,
    /// From a run that was looked at.
    Recorded,
}

pliant::choice! {
    /// What an [`Expected`] bounds.
    pub enum Quantity {
        /// The highest sum of all energies during the run.
        HighestTotalEnergy = "highest_total_energy",
        /// Kinetic energy.
        KineticEnergy = "kinetic_energy",
        /// Elastic energy.
        ElasticEnergy = "elastic_energy",
        /// Number of contacts during the run.
        Contacts = "contacts",
        /// Number of steps that had to be repeated with a shorter one.
        ShortenedSteps = "shortened_steps",
        /// Number of steps in which something was not finite.
        NonFinite = "non_finite",
        /// Number of bodies that were quarantined.
        Quarantined = "quarantined",
        /// Edges that pass through triangles at frames, of bodies that meet each other.
        Intersections = "intersections",
        /// Number of links that are broken.
        BrokenLinks = "broken_links",
        /// Number of particles that are fluid.
        Molten = "molten",
        /// Lowest z of a particle.
        LowestZ = "lowest_z",
        /// Highest z of a particle.
        HighestZ = "highest_z",
        /// Extent of a body in z.
        Height = "height",
        /// x of a particle.
        X = "x",
        /// y of a particle.
        Y = "y",
        /// z of a particle.
        Z = "z",
        /// How far a particle has moved along x from where it is at rest.
        DisplacementX = "displacement_x",
        /// How far a particle has moved along y from where it is at rest.
        DisplacementY = "displacement_y",
        /// How far a particle has moved along z from where it is at rest.
        DisplacementZ = "displacement_z",
        /// How far a particle has moved from where it is at rest.
        Displacement = "displacement",
        /// Length of a curve, or of the first edge of a surface or solid.
        Length = "length",
        /// Speed of the fastest particle.
        Speed = "speed",
        /// Volume of a closed body.
        Volume = "volume",
        /// Volume of a closed body relative to that at rest.
        VolumeRatio = "volume_ratio",
    }
}

impl Quantity {
    /// Whether it belongs to one particle.
    pub fn needs_particle(self) -> bool {
        matches!(
            self,
            Self::X
                | Self::Y
                | Self::Z
                | Self::DisplacementX
                | Self::DisplacementY
                | Self::DisplacementZ
                | Self::Displacement
        )
    }

    /// Whether it belongs to one body.
    pub fn needs_body(self) -> bool {
        self.needs_particle()
            || matches!(
                self,
                Self::Height | Self::Length | Self::Volume | Self::VolumeRatio
            )
    }
}
