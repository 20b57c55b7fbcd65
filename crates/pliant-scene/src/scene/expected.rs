//! Bounds that a test of a scene checks.

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

/// What an [`Expected`] bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The highest sum of all energies during the run.
    HighestTotalEnergy,
    /// Kinetic energy.
    KineticEnergy,
    /// Elastic energy.
    ElasticEnergy,
    /// Number of contacts during the run.
    Contacts,
    /// Number of steps that had to be repeated with a shorter one.
    ShortenedSteps,
    /// Number of steps in which something was not finite.
    NonFinite,
    /// Number of bodies that were quarantined.
    Quarantined,
    /// Number of links that are broken.
    BrokenLinks,
    /// Number of particles that are fluid.
    Molten,
    /// Lowest z of a particle.
    LowestZ,
    /// Highest z of a particle.
    HighestZ,
    /// Extent of a body in z.
    Height,
    /// x of a particle.
    X,
    /// y of a particle.
    Y,
    /// z of a particle.
    Z,
    /// Length of a curve, or of the first edge of a surface or solid.
    Length,
    /// Speed of the fastest particle.
    Speed,
    /// Volume of a closed body.
    Volume,
    /// Volume of a closed body relative to that at rest.
    VolumeRatio,
}

impl Quantity {
    /// The quantity of a name in the scene language.
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "highest_total_energy" => Self::HighestTotalEnergy,
            "kinetic_energy" => Self::KineticEnergy,
            "elastic_energy" => Self::ElasticEnergy,
            "contacts" => Self::Contacts,
            "shortened_steps" => Self::ShortenedSteps,
            "non_finite" => Self::NonFinite,
            "quarantined" => Self::Quarantined,
            "broken_links" => Self::BrokenLinks,
            "molten" => Self::Molten,
            "lowest_z" => Self::LowestZ,
            "highest_z" => Self::HighestZ,
            "height" => Self::Height,
            "x" => Self::X,
            "y" => Self::Y,
            "z" => Self::Z,
            "length" => Self::Length,
            "speed" => Self::Speed,
            "volume" => Self::Volume,
            "volume_ratio" => Self::VolumeRatio,
            _ => return None,
        })
    }

    /// Whether it belongs to one particle.
    pub fn needs_particle(self) -> bool {
        matches!(self, Self::X | Self::Y | Self::Z)
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
