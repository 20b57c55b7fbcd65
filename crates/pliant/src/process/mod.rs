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

    /// Whether it is viscoelastic: its times of relaxation depend on how warm the body is.
    pub fn is_viscoelastic(&self) -> bool {
        use ProcessKind::{FourUnit, Maxwell, Prony};
        matches!(self.kind, Maxwell(_) | FourUnit(_) | Prony(_))
    }

    /// Lets a viscoelastic process flow faster by a factor, always; with zero never. Says whether it is
    /// one.
    pub(crate) fn set_warmth(&mut self, warmth: f64) -> bool {
        if !self.is_viscoelastic() {
            return false;
        }
        if warmth == 0.0 {
            (self.from, self.until) = (f64::INFINITY, f64::INFINITY);
            return true;
        }
        (self.from, self.until) = (f64::NEG_INFINITY, f64::INFINITY);
        match &mut self.kind {
            ProcessKind::Maxwell(maxwell) => {
                maxwell.times.iter_mut().for_each(|time| *time /= warmth)
            }
            ProcessKind::FourUnit(four_unit) => {
                four_unit.relaxation /= warmth;
                four_unit.retardation /= warmth;
            }
            ProcessKind::Prony(prony) => {
                let branches = prony.branches.iter_mut();
                branches.for_each(|branch| branch.time /= warmth);
            }
            _ => {}
        }
        true
    }

    /// Whether it is at work at a time, in seconds.
    pub fn is_at_work(&self, time: f64) -> bool {
        time >= self.from && time < self.until
    }
}
