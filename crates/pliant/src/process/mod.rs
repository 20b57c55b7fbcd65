//! Inelastic processes: what makes a body more than elastic. Plain data, one file each; `inelastic/`
//! carries them out on the materials that formulations offer.

mod fluid;
mod fracture;
mod heat;
mod plastic;
mod prony;
mod viscoelastic;

pub use fluid::Fluid;
pub(crate) use fluid::PairLaw;
pub use fracture::{Fracture, FractureCriterion};
pub use heat::Heat;
pub use plastic::{Plastic, YieldCriterion};
pub use prony::{Prony, PronyBranch};
pub use viscoelastic::{FourUnit, Maxwell, Voigt};

/// Every process.
#[derive(Clone, Debug, PartialEq)]
pub enum ProcessKind {
    /// A spring and a dashpot in series: flows without end.
    Maxwell(Maxwell),
    /// A spring and a dashpot side by side: creeps to its elastic shape.
    Voigt(Voigt),
    /// A Maxwell and a Voigt unit in series.
    FourUnit(FourUnit),
    /// A spring beside Maxwell units.
    Prony(Prony),
    /// Yields beyond a limit and hardens.
    Plastic(Plastic),
    /// Breaks where it is stretched or loaded too much.
    Fracture(Fracture),
    /// Conducts heat, softens and melts.
    Heat(Heat),
    /// What is molten attracts and repels.
    Fluid(Fluid),
}

/// A process and when it is at work.
#[derive(Clone, Debug, PartialEq)]
pub struct Scheduled {
    /// What happens.
    pub kind: ProcessKind,
    /// From when on, in seconds.
    pub from: f64,
    /// Until when, in seconds.
    pub until: f64,
}

impl Scheduled {
    /// A process that never stops.
    pub fn always(kind: ProcessKind) -> Self {
        Self {
            kind,
            from: f64::NEG_INFINITY,
            until: f64::INFINITY,
        }
    }

    pub(crate) fn is_at_work(&self, time: f64) -> bool {
        time >= self.from && time < self.until
    }
}
