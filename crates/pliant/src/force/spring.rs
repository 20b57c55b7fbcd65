//! A spring from a node to a point, which may move and be let go.
//!
//! ```text
//! f = k (p0 - x)
//! ```
//!
//! k is the spring constant in N/m, p0 the point in metres.
//! Implements: \[Terzopoulos1988\] eq. 21.

use super::{ForceSource, Loads, NodalForce, NodalView, Stiffness};
use glam::DVec3;
use std::ops::Range;
use std::sync::Arc;

/// A spring of rest length zero.
#[derive(Clone, Debug)]
pub struct Spring {
    /// The spring constant k, in newtons per metre.
    pub constant: f64,
    /// Where the spring's free end is, until `from`.
    pub start: DVec3,
    /// Where the free end has arrived at `until`; it moves in a straight line.
    pub end: DVec3,
    /// When the spring takes hold, in seconds.
    pub from: f64,
    /// When the spring lets go, in seconds.
    pub until: f64,
}

impl Spring {
    /// A spring to a point that does not move and never lets go.
    pub fn to_point(constant: f64, point: DVec3) -> Self {
        Self {
            constant,
            start: point,
            end: point,
            from: 0.0,
            until: f64::INFINITY,
        }
    }

    /// The free end at a time, if the spring holds.
    fn target(&self, time: f64) -> Option<DVec3> {
        if time < self.from || time > self.until {
            return None;
        }
        let span = self.until - self.from;
        let progress = if span.is_finite() && span > 0.0 {
            (time - self.from) / span
        } else {
            0.0
        };
        Some(self.start.lerp(self.end, progress))
    }
}

impl NodalForce for Spring {
    fn source(&self) -> Option<ForceSource> {
        Some(ForceSource::Point {
            path: [self.start, self.end],
            span: [self.from, self.until],
        })
    }

    fn add_loads(&self, view: &NodalView, nodes: Range<usize>, loads: &mut Loads) {
        let Some(target) = self.target(view.time) else {
            return;
        };
        for node in nodes {
            loads.add(
                node,
                self.constant * (target - view.positions[node]),
                Stiffness::Isotropic(self.constant),
            );
        }
    }

    fn is_passive(&self) -> bool {
        self.start == self.end && self.from <= 0.0 && self.until == f64::INFINITY
    }

    /// Springs carry the nodes as they lie.
    fn part(&self, count: usize, offset: DVec3) -> Option<Arc<dyn NodalForce>> {
        Some(Arc::new(Self {
            constant: self.constant / count as f64,
            start: self.start + offset,
            end: self.end + offset,
            ..*self
        }))
    }

    fn potential(&self, view: &NodalView, node: usize) -> f64 {
        self.target(view.time).map_or(0.0, |target| {
            0.5 * self.constant * (target - view.positions[node]).length_squared()
        })
    }
}
