//! The fluid that a molten body is, as a process of a body: see `process/fluid.rs` for its forces and
//! `particles.rs` for how they act.

use super::Process;
use crate::body::{BodyDescription, BodyError};
use crate::process::Fluid;

/// Particles of all bodies act on each other between steps: see `particles.rs`.
impl Process for Fluid {
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let body = || description.name.to_string();
        let expected = description.node_count();
        let found = self.molten.len();
        if found > 1 && found != expected {
            return Err(BodyError::WrongLength {
                body: body(),
                what: "the list of molten nodes",
                expected,
                found,
            });
        }
        for (what, value) in [
            ("the spacing of the fluid", self.spacing),
            ("the repulsion of the fluid", self.repulsion),
            ("the attraction of the fluid", self.attraction),
            ("the viscosity of the fluid", self.viscosity),
            ("the conduction of the fluid", self.conduction),
        ] {
            let is_spacing = what == "the spacing of the fluid";
            if !(value >= 0.0 && value.is_finite()) || (is_spacing && value == 0.0) {
                return Err(BodyError::BadValue {
                    body: body(),
                    what,
                    node: 0,
                    value,
                    rule: if is_spacing {
                        "positive and finite"
                    } else {
                        "zero or positive and finite"
                    },
                });
            }
        }
        if self.attraction > MOST_ATTRACTION * self.repulsion {
            return Err(BodyError::BadValue {
                body: body(),
                what: "the attraction of the fluid",
                node: 0,
                value: self.attraction,
                rule: "at most a 33rd of its repulsion, else it would collapse",
            });
        }
        Ok(())
    }
}

/// Largest attraction by repulsion; see `process/fluid.rs`.
const MOST_ATTRACTION: f64 = 1.0 / 33.0;
