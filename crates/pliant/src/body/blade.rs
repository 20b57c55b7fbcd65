//! A blade: a triangle in space that severs what crosses it.
//!
//! ```text
//! s(p) = (p - a)·n,   n = (b - a) × (c - a)
//! ```
//!
//! A segment crosses the blade if s has another sign at its two ends and the point where s is zero lies
//! in the triangle. A point on the plane counts as in front of it, so that blades that share an edge
//! leave no gap at nodes.

use glam::DVec3;

/// A triangle in space that severs what crosses it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Blade {
    /// Its corners, in metres.
    pub corners: [DVec3; 3],
}

impl Blade {
    /// Twice its area times its unit normal; zero for a blade that cuts nothing.
    pub fn normal(&self) -> DVec3 {
        let [a, b, c] = self.corners;
        (b - a).cross(c - a)
    }

    /// Whether the segment between two points crosses it.
    pub fn severs(&self, from: DVec3, to: DVec3) -> bool {
        let [a, b, c] = self.corners;
        let normal = self.normal();
        let side = |point: DVec3| (point - a).dot(normal);
        let (before, after) = (side(from), side(to));
        if (before >= 0.0) == (after >= 0.0) {
            return false;
        }
        let place = from + (to - from) * (before / (before - after));
        let inside = |one: DVec3, other: DVec3| (other - one).cross(place - one).dot(normal) >= 0.0;
        inside(a, b) && inside(b, c) && inside(c, a)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_segment_through_the_triangle_is_severed_and_one_beside_it_is_not() {
        let blade = Blade {
            corners: [DVec3::ZERO, DVec3::X, DVec3::Y],
        };
        let through = |x: f64, y: f64| {
            let (below, above) = (DVec3::new(x, y, -1.0), DVec3::new(x, y, 2.0));
            assert_eq!(blade.severs(below, above), blade.severs(above, below));
            blade.severs(below, above)
        };
        assert!(through(0.25, 0.25) && through(0.0, 0.5) && through(0.5, 0.5));
        assert!(!through(0.6, 0.6) && !through(-0.01, 0.5) && !through(0.5, -0.01));
        let (near, far) = (DVec3::new(0.2, 0.2, 0.1), DVec3::new(0.2, 0.2, 1.0));
        assert!(!blade.severs(near, far));
        // Two segments that meet in the plane: one of them is severed.
        let middle = DVec3::new(0.2, 0.2, 0.0);
        assert_ne!(blade.severs(-far, middle), blade.severs(middle, far));
    }

    #[test]
    fn a_blade_without_area_severs_nothing() {
        let blade = Blade {
            corners: [DVec3::ZERO, DVec3::X, 2.0 * DVec3::X],
        };
        assert!(!blade.severs(-DVec3::Z, DVec3::Z));
    }
}
