//! Heat: a body conducts it, softens and melts.
//!
//! ```text
//! share(T) = 1                                          T <= T_s
//!          = 1 - (1 - s) (T - T_s) / (T_m - T_s)        T_s < T < T_m
//!          = s                                          T >= T_m
//! ```
//!
//! T_s is the temperature of softening, T_m the melting point, s the share of stiffness just before
//! melting. A component of strain has the share of the mean temperature of its nodes, times what
//! fracture has left of it. A bond whose mean temperature is above T_m melts; a node all of whose
//! bonds have melted is a particle of a fluid (see `fluid.rs`).
//!
//! Where the body solidifies, a melted bond is whole again as soon as both of its nodes are below
//! T_m and between 0.5 and 1.5 rest lengths apart; nodes that have flowed farther away stay loose
//! until they meet again. The new bond is free of stress: its flow is the strain it has then, in
//! every component, the volume too. Melting and solidifying take no latent heat.
//!
//! Elements of a mesh soften and do not melt: beyond T_m they keep the share s.
//!
//! Nodes exchange heat with the air (Newton's law of cooling) and with every obstacle that has a
//! temperature and is within the contact distance, whether the body collides with it or not.
//!
//! Implements: \[Terzopoulos1988\] note added in proof.

use super::Process;
use crate::body::{BodyDescription, BodyError};
use crate::process::Heat;
use glam::DQuat;

impl Process for Heat {
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let nodes = description.node_count();
        let body = || description.name.to_string();
        for (what, found) in [
            ("the list of temperatures", self.temperatures.len()),
            ("the list of conductivities", self.conductivities.len()),
        ] {
            if found != nodes && found != 1 {
                return Err(BodyError::WrongLength {
                    body: body(),
                    what,
                    expected: nodes,
                    found,
                });
            }
        }
        let bad = |what, node, value, rule| {
            Err(BodyError::BadValue {
                body: body(),
                what,
                node,
                value,
                rule,
            })
        };
        let turned = !self.axes.is_normalized() || self.axes.angle_between(DQuat::IDENTITY) > 1e-9;
        if turned && (description.on_grid().is_some() || !self.axes.is_normalized()) {
            return Err(BodyError::Unsupported {
                body: body(),
                message: "a grid conducts heat along its directions; only the axes of a mesh can be turned, by a \
                          rotation",
            });
        }
        let held = self.held.iter().copied();
        let all = self.temperatures.iter().copied().enumerate().chain(held);
        for (node, value) in all.chain([(0, self.air_temperature)]) {
            if !value.is_finite() {
                return bad("temperature", node, value, "finite");
            }
        }
        for (node, values) in self.conductivities.iter().enumerate() {
            for &value in values {
                if !(value >= 0.0 && value.is_finite()) {
                    return bad("conductivity", node, value, "zero or positive and finite");
                }
            }
        }
        if let Some(&(node, value)) = self.held.iter().find(|(node, _)| *node >= nodes) {
            return bad("a held temperature", node, value, "at a node of the grid");
        }
        for (what, value) in [
            ("the coefficient of contact exchange", self.contact_exchange),
            ("the coefficient of air exchange", self.air_exchange),
            ("the contact distance", self.contact_distance),
        ] {
            if !(value >= 0.0 && value.is_finite()) {
                return bad(what, 0, value, "zero or positive and finite");
            }
        }
        if !(self.capacity > 0.0 && self.capacity.is_finite()) {
            return bad("heat capacity", 0, self.capacity, "positive and finite");
        }
        if !(self.soft_share > 0.0 && self.soft_share <= 1.0) {
            let rule = "above 0 and not above 1";
            return bad("the soft share", 0, self.soft_share, rule);
        }
        if self.softening.is_nan() || self.melting.is_nan() {
            return bad("a temperature of softening", 0, f64::NAN, "a number");
        }
        Ok(())
    }
}
