//! Contact of nodes with obstacles: penalties, which are forces, and projection, which moves nodes.

mod barrier;
mod pair;
mod passage;
mod penalty;
mod projection;
mod resolve;

pub(crate) use barrier::{Barrier, distance_at, smoothed_length};
pub use pair::PairContactSettings;
pub(crate) use passage::passes_through;
pub use penalty::{add_penalty_loads, penalty_potential};
pub(crate) use penalty::{penalty_force, penalty_value};
pub use projection::{Contacts, MovedNodes, penalty_contact, project};
pub use resolve::resolve_contacts;

/// How a body answers to obstacles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactSettings {
    /// The method.
    pub method: ContactMethod,
    /// Strength c of the penalties, in newtons.
    pub strength: f64,
    /// Quadratic penalty: depth, in metres, above which a node is pushed even while it leaves.
    pub threshold: f64,
    /// Distance that nodes keep from obstacles, in metres: half the thickness of a sheet, or what
    /// keeps the surface between the nodes of a coarse grid clear of a curved obstacle.
    pub thickness: f64,
    /// Coulomb's friction coefficient of the body; the larger of body's and obstacle's counts.
    pub friction: f64,
    /// Share of the normal velocity that rebounds; the larger of body's and obstacle's counts.
    pub restitution: f64,
    /// Penalty along the normal of the body, as printed, instead of that of the obstacle.
    pub along_body_normal: bool,
}

impl Default for ContactSettings {
    fn default() -> Self {
        Self {
            method: ContactMethod::Projection,
            strength: 1.0,
            threshold: 0.0,
            thickness: 0.0,
            friction: 0.0,
            restitution: 0.0,
            along_body_normal: false,
        }
    }
}

/// The methods of \[Thesis2004\] sect. 3.6.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ContactMethod {
    /// Nodes inside an obstacle are moved to its surface.
    Projection,
    /// A potential c exp(-d / ε) round each obstacle.
    Exponential,
    /// A force c (d / ε)² inside it.
    Quadratic,
}
