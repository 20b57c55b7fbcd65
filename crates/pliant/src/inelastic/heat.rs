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

use super::conduction::{Conduction, Surroundings};
use super::strains::Strains;
use super::{Moment, Process};
use crate::body::{BodyDescription, BodyError};

/// Conducts heat, softens and melts.
///
/// ```
/// use pliant::inelastic::Heat;
/// let iron = Heat { softening: 900.0, melting: 1811.0, ..Heat::insulated(293.0, 80.0, 449.0) };
/// assert_eq!((iron.share(300.0), iron.share(2000.0)), (1.0, 0.1));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Heat {
    /// Temperature of each node at the beginning, in kelvin; one value serves all.
    pub temperatures: Vec<f64>,
    /// Conductivity at each node in the three directions of the material; one entry serves all. In
    /// W/(m K) for a solid, times thickness for a surface, times cross-section for a curve.
    pub conductivities: Vec<[f64; 3]>,
    /// Specific heat capacity, in J/(kg K).
    pub capacity: f64,
    /// Nodes that are held at a temperature, in kelvin.
    pub held: Vec<(usize, f64)>,
    /// Exchange with obstacles, in W/(m² K); W/(m K) for a curve.
    pub contact_exchange: f64,
    /// Distance from an obstacle up to which heat is exchanged, beyond the thickness of the body,
    /// in metres.
    pub contact_distance: f64,
    /// Exchange with the air, in W/(m² K); W/(m K) for a curve.
    pub air_exchange: f64,
    /// Temperature of the air, in kelvin.
    pub air_temperature: f64,
    /// Temperature at which the body begins to soften, in kelvin; may be infinite.
    pub softening: f64,
    /// Share of its stiffness that is left at the melting point, above 0 and up to 1.
    pub soft_share: f64,
    /// Melting point, in kelvin; may be infinite.
    pub melting: f64,
    /// Whether melted bonds become whole again when they cool.
    pub solidifies: bool,
}

impl Heat {
    /// A body at one temperature that exchanges no heat with anything and never softens or melts.
    pub fn insulated(temperature: f64, conductivity: f64, capacity: f64) -> Self {
        Self {
            temperatures: vec![temperature],
            conductivities: vec![[conductivity; 3]],
            capacity,
            held: Vec::new(),
            contact_exchange: 0.0,
            contact_distance: 0.0,
            air_exchange: 0.0,
            air_temperature: temperature,
            softening: f64::INFINITY,
            soft_share: 0.1,
            melting: f64::INFINITY,
            solidifies: false,
        }
    }

    /// Share of the stiffness at a temperature.
    pub fn share(&self, temperature: f64) -> f64 {
        if temperature >= self.melting {
            self.soft_share
        } else if temperature > self.softening {
            let way = (temperature - self.softening) / (self.melting - self.softening);
            1.0 - (1.0 - self.soft_share) * way
        } else {
            1.0
        }
    }

    pub(crate) fn initial(&self, node: usize) -> f64 {
        let held = self.held.iter().rev().find(|(held, _)| *held == node);
        held.map_or_else(|| at(&self.temperatures, node), |&(_, value)| value)
    }

    pub(crate) fn conductivity(&self, node: usize, direction: usize) -> f64 {
        at(&self.conductivities, node)[direction]
    }

    /// Heat of the nodes above 0 K, in joules.
    pub fn content(&self, masses: &[f64], temperatures: &[f64]) -> f64 {
        let terms = masses.iter().zip(temperatures);
        terms.map(|(mass, t)| self.capacity * mass * t).sum()
    }
}

/// An entry of a list with one for each node or one for all.
fn at<T: Copy>(list: &[T], node: usize) -> T {
    if list.len() == 1 { list[0] } else { list[node] }
}

impl Process for Heat {
    fn check(&self, description: &BodyDescription) -> Result<(), BodyError> {
        let nodes = description.grid.node_count();
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

    fn commit(&self, moment: &mut Moment, strains: &mut Strains, _memory: &mut [f64]) {
        let Some(conduction) = moment.conduction.as_deref_mut() else {
            return;
        };
        let surroundings = Surroundings {
            description: moment.description,
            positions: moment.positions,
            obstacles: moment.obstacles,
            step: moment.step,
        };
        let thermal = &mut *moment.thermal;
        conduction.advance(self, &surroundings, strains, thermal);
        conduction.bonds.melt(self, moment.positions, thermal);
        let Conduction { bonds, shares, .. } = conduction;
        bonds.fill_shares(Some(self), thermal, strains, shares);
        // New bonds are free of stress.
        for (component, &share) in shares.iter().enumerate() {
            if share > 0.0 && strains.thermal_shares[component] == 0.0 {
                strains.flows[component] = strains.totals[component];
                strains.healed.push(component as u32);
            }
        }
        strains.thermal_shares.copy_from_slice(shares);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stiffness_falls_from_softening_to_melting() {
        let heat = Heat {
            softening: 300.0,
            melting: 500.0,
            soft_share: 0.2,
            ..Heat::insulated(0.0, 1.0, 1.0)
        };
        for (temperature, share) in [
            (-10.0, 1.0),
            (300.0, 1.0),
            (400.0, 0.6),
            (500.0, 0.2),
            (1e300, 0.2),
        ] {
            assert!((heat.share(temperature) - share).abs() < 1e-15);
        }
        let never = Heat::insulated(0.0, 1.0, 1.0);
        assert_eq!(never.share(1e300), 1.0);
        let brittle = Heat {
            softening: 600.0,
            ..heat
        };
        assert_eq!((brittle.share(499.0), brittle.share(501.0)), (1.0, 0.2));
    }
}
