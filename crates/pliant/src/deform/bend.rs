//! Bend: an axis becomes an arc of a circle.
//!
//! ```text
//! t' = from + (R - y) sin θ,   y' = R - (R - y) cos θ,   z' = z,      θ = (t - from)/R
//! ```
//!
//! within the range; R = (to - from)/angle is the radius of the arc, which bends towards the side
//! direction y. Before the range nothing moves, behind it everything goes on straight, turned by the
//! whole angle. Implements: \[Barr1984\] eq. 3.3. The axis keeps its length; what lies at y is 1 - y/R
//! times as long.

use super::{AxisFrame, DeformError, Deformation};
use glam::{DMat3, DVec3};

/// An axis bent to an arc.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    frame: AxisFrame,
    /// Curvature 1/R, in 1/m.
    curvature: f64,
}

impl Bend {
    /// Bends the range by `angle`, in radians, towards the side direction of the frame.
    pub fn new(frame: AxisFrame, angle: f64) -> Result<Self, DeformError> {
        if !(angle.is_finite() && angle != 0.0) {
            return Err(DeformError::Value {
                what: "the angle of a bend",
                expected: "finite and not zero",
                value: angle,
            });
        }
        let curvature = angle / (frame.range[1] - frame.range[0]);
        Ok(Self { frame, curvature })
    }

    /// The place on the range that belongs to a place on the axis, and what lies beyond.
    fn split(&self, t: f64) -> (f64, f64) {
        let [from, to] = self.frame.range;
        let inside = t.clamp(from, to);
        (inside, t - inside)
    }
}

impl Deformation for Bend {
    fn map(&self, point: DVec3) -> DVec3 {
        let DVec3 { x: y, y: z, z: t } = self.frame.local(point);
        let (inside, beyond) = self.split(t);
        let from = self.frame.range[0];
        let (sin, cos) = (self.curvature * (inside - from)).sin_cos();
        let radius = 1.0 / self.curvature;
        let beyond_y = if t > inside { beyond * sin } else { 0.0 };
        let beyond_t = if t > inside { beyond * cos } else { beyond };
        self.frame.world(DVec3::new(
            radius - (radius - y) * cos + beyond_y,
            z,
            from + (radius - y) * sin + beyond_t,
        ))
    }

    fn jacobian(&self, point: DVec3) -> DMat3 {
        let DVec3 { x: y, z: t, .. } = self.frame.local(point);
        let (inside, beyond) = self.split(t);
        let from = self.frame.range[0];
        let (sin, cos) = (self.curvature * (inside - from)).sin_cos();
        let stretch = if beyond == 0.0 {
            1.0 - self.curvature * y
        } else {
            1.0
        };
        self.frame.world_jacobian(DMat3::from_cols(
            DVec3::new(cos, 0.0, -sin),
            DVec3::Y,
            stretch * DVec3::new(sin, 0.0, cos),
        ))
    }

    /// The angle about the centre of the arc tells where on the range a point was. Points on the
    /// other side of the centre have no inverse.
    fn inverse(&self, image: DVec3) -> Option<DVec3> {
        let DVec3 { x: y, y: z, z: t } = self.frame.local(image);
        let [from, to] = self.frame.range;
        let radius = 1.0 / self.curvature;
        let whole = self.curvature * (to - from);
        let along = |y: f64, t: f64| self.frame.world(DVec3::new(y, z, t));
        let candidates = {
            let sign = radius.signum();
            let (side, ahead) = (sign * (radius - y), sign * (t - from));
            let turn = ahead.atan2(side);
            let distance = side.hypot(ahead);
            // Arcs of more than half a turn: the angle counts on.
            let turns = [0.0, 1.0, -1.0].map(|n| turn + n * std::f64::consts::TAU);
            let inside = turns.map(|turn| {
                let share = turn / whole;
                (0.0..=1.0)
                    .contains(&share)
                    .then(|| along(radius - sign * distance, from + share * (to - from)))
            });
            let before = (t <= from).then(|| along(y, t));
            let (sin, cos) = whole.sin_cos();
            // Turn back about the end of the arc.
            let end = (radius - radius * cos, from + radius * sin);
            let (dy, dt) = (y - end.0, t - end.1);
            let (across, beyond) = (dy * cos - dt * sin, dy * sin + dt * cos);
            let after = (beyond >= 0.0).then(|| along(across, to + beyond));
            [before, inside[0], inside[1], inside[2], after]
        };
        let scale = (to - from).abs() + image.distance(self.frame.origin);
        let fits = |point: &DVec3| self.map(*point).distance(image) <= 1e-9 * scale;
        candidates.into_iter().flatten().find(fits)
    }
}
