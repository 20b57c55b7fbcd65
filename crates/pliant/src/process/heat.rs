//! Heat. What it does: `inelastic/heat.rs` and `inelastic/conduction.rs`.

use glam::DQuat;

/// Conducts heat, softens and melts.
///
/// ```
/// use pliant::process::Heat;
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
    /// How the axes of the conductivities are turned from x, y and z in a mesh: together they are its tensor.
    /// A grid conducts along its directions.
    pub axes: DQuat,
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
            axes: DQuat::IDENTITY,
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
