//! A force that grows and fades in time.
//!
//! ```text
//! f(t) = r(t) f₀        r: straight lines between points (t_i, r_i), constant before and after
//! ```
//!
//! A step has the mean of r over the time it stands for, so that the impulse does not depend on
//! where steps begin; statics has the value at its time. A force with a potential E has the potential r(t) E: what changes with time
//! counts as work.

use super::{ForceSource, LoadedPart, Loads, NodalForce, NodalView, OverSurface};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;
use thiserror::Error;

/// A factor that changes with time along straight lines.
#[derive(Clone, Debug, PartialEq)]
pub struct Ramp {
    points: Arc<[[f64; 2]]>,
}

/// What is wrong with a ramp.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum RampError {
    /// Nothing to go by.
    #[error("a ramp needs at least one point [time, factor]")]
    Empty,
    /// A number that is none, or a factor below zero.
    #[error("expected finite times and factors that are not negative, found [{time}, {factor}]")]
    BadPoint {
        /// The time of the point.
        time: f64,
        /// The factor of the point.
        factor: f64,
    },
    /// A point before the one before it.
    #[error("expected times that grow, found {time} after {before}")]
    NotGrowing {
        /// The time of the point.
        time: f64,
        /// The time of the point before.
        before: f64,
    },
}

impl Ramp {
    /// A ramp through points of time (s) and factor. Times must grow, factors must not be negative: a
    /// negative factor would turn the stiffness of a force round.
    pub fn new(points: impl Into<Arc<[[f64; 2]]>>) -> Result<Self, RampError> {
        let points = points.into();
        if points.is_empty() {
            return Err(RampError::Empty);
        }
        for &[time, factor] in points.iter() {
            if !time.is_finite() || !factor.is_finite() || factor < 0.0 {
                return Err(RampError::BadPoint { time, factor });
            }
        }
        for pair in points.windows(2) {
            let (before, time) = (pair[0][0], pair[1][0]);
            if time <= before {
                return Err(RampError::NotGrowing { time, before });
            }
        }
        Ok(Self { points })
    }

    /// The factor at a time.
    pub fn at(&self, time: f64) -> f64 {
        let next = self.points.partition_point(|point| point[0] <= time);
        match (next.checked_sub(1), self.points.get(next)) {
            (None, _) => self.points[0][1],
            (Some(last), None) => self.points[last][1],
            (Some(last), Some(&[t1, r1])) => {
                let [t0, r0] = self.points[last];
                r0 + (r1 - r0) * ((time - t0) / (t1 - t0))
            }
        }
    }

    /// The mean factor between two times.
    pub fn mean(&self, [from, until]: [f64; 2]) -> f64 {
        if until <= from {
            return self.at(until);
        }
        let mut sum = 0.0;
        let mut begin = from;
        let inside = self.points.iter().map(|point| point[0]);
        let inside = inside.filter(|&time| from < time && time < until);
        for end in inside.chain([until]) {
            sum += (end - begin) * 0.5 * (self.at(begin) + self.at(end));
            begin = end;
        }
        sum / (until - from)
    }
}

/// A force times a factor that changes with time.
#[derive(Clone, Debug)]
pub struct Ramped {
    /// The force at its full strength.
    pub force: Arc<dyn NodalForce>,
    /// The factor.
    pub ramp: Ramp,
}

impl Ramped {
    fn factor(&self, view: &NodalView) -> f64 {
        match view.window {
            // Statics stands for one moment.
            [begin, end] if end > begin && view.step > 0.0 => self.ramp.mean([begin, end]),
            _ => self.ramp.at(view.time),
        }
    }

    /// The same factor on another force.
    fn on(&self, force: Arc<dyn NodalForce>) -> Arc<dyn NodalForce> {
        Arc::new(Self {
            force,
            ramp: self.ramp.clone(),
        })
    }
}

impl NodalForce for Ramped {
    fn is_by_mass(&self) -> bool {
        self.force.is_by_mass()
    }

    fn is_dead(&self) -> bool {
        self.force.is_dead()
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        loads.scaled(self.factor(view), |loads| {
            self.force.add_loads(view, nodes, loads);
        });
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        self.factor(view) * self.force.potential(view, node)
    }

    fn incremental_potential(&self, view: &NodalView, node: usize) -> f64 {
        self.factor(view) * self.force.incremental_potential(view, node)
    }

    fn has_potential(&self) -> bool {
        self.force.has_potential()
    }

    fn is_passive(&self) -> bool {
        false
    }

    fn part(&self, count: usize, offset: DVec3) -> Option<Arc<dyn NodalForce>> {
        self.force.part(count, offset).map(|force| self.on(force))
    }

    fn over(&self, extents: &Arc<[f64]>) -> Option<Arc<dyn NodalForce>> {
        self.force.over(extents).map(|force| self.on(force))
    }

    fn needs_surface(&self) -> bool {
        self.force.needs_surface()
    }

    fn over_surface(&self, surface: &[[u32; 3]], rest: &[DVec3]) -> Option<OverSurface> {
        let over = self.force.over_surface(surface, rest)?;
        Some(over.map(|force| self.on(force)))
    }

    fn needs_part(&self) -> bool {
        self.force.needs_part()
    }

    fn over_part(&self, part: &LoadedPart) -> Option<OverSurface> {
        let over = self.force.over_part(part)?;
        Some(over.map(|force| self.on(force)))
    }

    fn source(&self) -> Option<ForceSource> {
        self.force.source()
    }

    fn uses_normals(&self) -> bool {
        self.force.uses_normals()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::force::Spring;

    #[test]
    fn values_and_means() {
        let ramp = Ramp::new([[1.0, 0.0], [3.0, 2.0], [4.0, 0.5]]).unwrap();
        for (time, expected) in [(0.0, 0.0), (2.0, 1.0), (3.0, 2.0), (3.5, 1.25), (9.0, 0.5)] {
            assert!((ramp.at(time) - expected).abs() < 1e-15, "{time}");
        }
        // Two triangles and a rectangle: 2 + 1.25 + 0.5 over 5 s.
        assert!((ramp.mean([0.0, 5.0]) - 3.75 / 5.0).abs() < 1e-15);
        // A sum of fine samples says the same.
        let samples = 20_000;
        let at = |n: usize| 0.7 + 2.9 * (n as f64 + 0.5) / samples as f64;
        let sampled = (0..samples).map(|n| ramp.at(at(n))).sum::<f64>() / samples as f64;
        assert!((ramp.mean([0.7, 3.6]) - sampled).abs() < 1e-7);
    }

    #[test]
    fn what_is_no_ramp_is_refused() {
        assert_eq!(Ramp::new([]), Err(RampError::Empty));
        assert!(Ramp::new([[0.0, 1.0], [0.0, 2.0]]).is_err());
        assert!(Ramp::new([[0.0, -1.0]]).is_err());
        assert!(Ramp::new([[f64::NAN, 1.0]]).is_err());
    }

    /// Force and stiffness are the gradient and Hessian of the incremental potential.
    #[test]
    fn it_scales_force_stiffness_and_energy_alike() {
        let spring = Spring::to_point(8.0, DVec3::new(0.0, 0.0, 2.0));
        let ramped = Ramped {
            force: Arc::new(spring),
            ramp: Ramp::new([[0.0, 0.0], [1.0, 1.0]]).unwrap(),
        };
        let at = |z: f64, then: &mut dyn FnMut(&NodalView)| {
            then(&NodalView {
                positions: &[DVec3::new(0.0, 0.0, z)],
                velocities: &[DVec3::ZERO],
                masses: &[1.0],
                directions: &[],
                curve: false,
                time: 0.4,
                step: 0.2,
                window: [0.2, 0.4],
            });
        };
        let energy = |z: f64| {
            let mut value = 0.0;
            at(z, &mut |view| value = ramped.incremental_potential(view, 0));
            value
        };
        at(0.5, &mut |view| {
            let mut loads = Loads::new(1, true);
            ramped.add_loads(view, 0..1, &mut loads);
            // Mean factor 0.3, force 8 (2 - 0.5).
            assert!((loads.forces[0].z - 0.3 * 12.0).abs() < 1e-12);
            assert!((loads.blocks[0].z_axis.z - 0.3 * 8.0).abs() < 1e-12);
            // What is added afterwards is not scaled.
            loads.add(0, DVec3::X, crate::force::Stiffness::None);
            assert_eq!(loads.forces[0].x, 1.0);
        });
        let slope = (energy(0.5 + 1e-5) - energy(0.5 - 1e-5)) / 2e-5;
        assert!((slope + 0.3 * 12.0).abs() < 1e-6);
    }
}
