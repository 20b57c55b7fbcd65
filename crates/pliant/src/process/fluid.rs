//! The fluid that a molten body is: particles that attract each other from afar and repel each
//! other when near.
//!
//! ```text
//! f(r) = R (1 - r/d)                       r < d      repulsion
//!      = -(27/4) A s (1 - s)²              d <= r < 2d, s = r/d - 1      attraction
//!      = 0                                 r >= 2d
//! f_v  = -c (1 - r/2d) u_n                 resistance to the speed u_n along the line of centres
//! ```
//!
//! | symbol | what | unit |
//! |---|---|---|
//! | r, d | distance of two particles, and that at which they are at rest | m |
//! | R | repulsion where they coincide | N |
//! | A | largest attraction, at r = 4d/3 | N |
//! | c | viscosity | N s/m |
//!
//! Particles of a drop fall into one another without end unless repulsion outweighs attraction: the
//! integral of the potential over space must be positive, R/60 > 0.547 A. An attraction of more than
//! R/33 is refused.
//!
//! All forces act along the line of centres and are opposite, so that momentum and angular momentum
//! are kept. Between two fluids the means of their numbers hold. A particle and a node of a solid,
//! of any body, repel and resist each other by the numbers of the fluid, and do not attract.
//!
//! Departure: instead of inverse powers, which are infinite where particles coincide and reach
//! without end, polynomials with a finite range.
//!
//! Implements: \[Terzopoulos1988\] note added in proof.

/// What the molten nodes of a body do to each other and to solids.
///
/// ```
/// use pliant::process::Fluid;
/// let goop = Fluid { attraction: 0.05, viscosity: 0.1, ..Fluid::new(0.02, 3.0) };
/// assert_eq!((goop.force(0.0), goop.force(0.02), goop.force(0.04)), (3.0, 0.0, 0.0));
/// assert!(goop.force(0.03) < 0.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Fluid {
    /// d: distance at which two particles are at rest, in metres. They see each other up to twice
    /// as far.
    pub spacing: f64,
    /// R: force between particles that coincide, in newtons.
    pub repulsion: f64,
    /// A: largest force of attraction, in newtons; at most a 33rd of the repulsion.
    pub attraction: f64,
    /// c: resistance to the approach or parting of two particles that coincide, in N s/m; it falls
    /// to zero at the end of their range.
    pub viscosity: f64,
    /// Heat that flows between particles that coincide and are no neighbours in the lattice, in
    /// W/K; it falls to zero at the end of their range.
    pub conduction: f64,
    /// Nodes that are fluid from the start: one flag per node, one for all, or none.
    pub molten: Vec<bool>,
}

impl Fluid {
    /// A fluid of hard particles that neither attract nor resist each other; only what melts is
    /// fluid.
    pub fn new(spacing: f64, repulsion: f64) -> Self {
        Self {
            spacing,
            repulsion,
            attraction: 0.0,
            viscosity: 0.0,
            conduction: 0.0,
            molten: Vec::new(),
        }
    }

    /// Force between two particles at a distance, in newtons; positive repels.
    pub fn force(&self, distance: f64) -> f64 {
        PairLaw::of(self).force(distance)
    }

    /// Potential of two particles at a distance, in joules; zero from the end of their range on.
    pub fn potential(&self, distance: f64) -> f64 {
        PairLaw::of(self).potential(distance)
    }

    pub(crate) fn is_initial(&self, node: usize) -> bool {
        match self.molten[..] {
            [all] => all,
            _ => self.molten.get(node).copied().unwrap_or(false),
        }
    }
}

/// Pairs nearer than this share of their spacing may repel each other within a step.
const NEARLY: f64 = 1.1;

/// What two particles do to each other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairLaw {
    spacing: f64,
    repulsion: f64,
    attraction: f64,
    viscosity: f64,
    conduction: f64,
}

impl PairLaw {
    pub(crate) fn of(fluid: &Fluid) -> Self {
        Self {
            spacing: fluid.spacing,
            repulsion: fluid.repulsion,
            attraction: fluid.attraction,
            viscosity: fluid.viscosity,
            conduction: fluid.conduction,
        }
    }

    /// Between two fluids.
    pub(crate) fn mean(a: &Self, b: &Self) -> Self {
        Self {
            spacing: 0.5 * (a.spacing + b.spacing),
            repulsion: 0.5 * (a.repulsion + b.repulsion),
            attraction: 0.5 * (a.attraction + b.attraction),
            viscosity: 0.5 * (a.viscosity + b.viscosity),
            conduction: 0.5 * (a.conduction + b.conduction),
        }
    }

    /// Between this fluid and a solid.
    pub(crate) fn with_solid(&self) -> Self {
        Self {
            attraction: 0.0,
            ..*self
        }
    }

    /// From this distance on nothing acts, in metres.
    pub(crate) fn range(&self) -> f64 {
        2.0 * self.spacing
    }

    pub(crate) fn force(&self, r: f64) -> f64 {
        let s = r / self.spacing - 1.0;
        if s < 0.0 {
            -self.repulsion * s
        } else if s < 1.0 {
            -6.75 * self.attraction * s * (1.0 - s) * (1.0 - s)
        } else {
            0.0
        }
    }

    pub(crate) fn potential(&self, r: f64) -> f64 {
        let s = r / self.spacing - 1.0;
        if s >= 1.0 {
            return 0.0;
        }
        // The integral of the attraction from the end of the range inwards.
        let u = 1.0 - s.max(0.0);
        let well = -6.75 * self.attraction * self.spacing * u.powi(3) * (1.0 / 3.0 - 0.25 * u);
        let push = s.min(0.0);
        well + 0.5 * self.repulsion * self.spacing * push * push
    }

    /// A bound of the derivative of the force in the neighbourhood of a distance, in N/m.
    pub(crate) fn steepness(&self, r: f64) -> f64 {
        let attraction = 6.75 * self.attraction;
        let steepest = if r < NEARLY * self.spacing {
            self.repulsion.max(attraction)
        } else {
            attraction
        };
        steepest / self.spacing
    }

    /// c (1 - r/2d), in N s/m.
    pub(crate) fn resistance(&self, r: f64) -> f64 {
        self.viscosity * (1.0 - r / self.range()).max(0.0)
    }

    /// In W/K.
    pub(crate) fn conductance(&self, r: f64) -> f64 {
        self.conduction * (1.0 - r / self.range()).max(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_force_is_the_slope_of_the_potential_and_continuous() {
        let fluid = Fluid {
            attraction: 1.3,
            ..Fluid::new(0.4, 5.0)
        };
        let law = PairLaw::of(&fluid);
        let h = 1e-6;
        for i in 0..100 {
            let r = 0.0091 * f64::from(i) + 1e-3;
            let slope = (law.potential(r + h) - law.potential(r - h)) / (2.0 * h);
            assert!((slope + law.force(r)).abs() < 1e-4, "{r}: {slope}");
            let steepness = (law.force(r + h) - law.force(r - h)).abs() / (2.0 * h);
            assert!(steepness <= law.steepness(r) * (1.0 + 1e-6));
        }
        // The largest attraction is A, at 4d/3.
        assert!((law.force(0.4 * 4.0 / 3.0) + 1.3).abs() < 1e-12);
        assert_eq!((law.force(0.8), law.potential(0.8)), (0.0, 0.0));
        assert!(law.force(0.8 - 1e-6).abs() < 1e-9);
    }
}
