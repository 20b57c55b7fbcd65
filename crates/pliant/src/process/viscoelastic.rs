//! Springs and dashpots. What they do: `inelastic/viscoelastic.rs` on grids,
//! `fem/inelastic/viscoelastic.rs` over meshes.

/// A dashpot in series with the spring.
#[derive(Clone, Debug, PartialEq)]
pub struct Maxwell {
    /// Time of relaxation at each node, in seconds; one value serves all. Negative swells.
    pub times: Vec<f64>,
    /// Rate of strain at which the viscosity begins to change, in 1/s; infinite for never.
    pub rate: f64,
    /// The viscosity is multiplied by (1 + rate of strain / `rate`) to this power: negative thins,
    /// positive thickens.
    pub power: f64,
    /// Largest flow of a component where the time is negative.
    pub limit: f64,
}

impl Maxwell {
    /// With the same time everywhere and at every rate.
    pub fn uniform(time: f64) -> Self {
        Self {
            times: vec![time],
            rate: f64::INFINITY,
            power: 0.0,
            limit: 0.5,
        }
    }
}

/// A dashpot beside the spring.
#[derive(Clone, Debug, PartialEq)]
pub struct Voigt {
    /// Time of retardation at each node, in seconds; one value serves all.
    pub times: Vec<f64>,
}

/// A Maxwell and a Voigt unit in series.
#[derive(Clone, Debug, PartialEq)]
pub struct FourUnit {
    /// Time of relaxation of the Maxwell unit, in seconds.
    pub relaxation: f64,
    /// Time of retardation of the Voigt unit, in seconds.
    pub retardation: f64,
    /// Stiffness of the spring of the Voigt unit by that of the Maxwell unit.
    pub stiffness: f64,
}
