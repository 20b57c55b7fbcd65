//! Whether a node has passed through an obstacle in a step.
//!
//! Contact is found where a step ends. A node that is outside at both ends may have been inside on the
//! way, if it moves farther than the obstacle is thick. Its straight way is walked in strides of the
//! distance from the surface. Nodes that move less than their distance cannot have met anything and
//! are not looked at.
//!
//! A way that cuts an edge or follows a curved surface is inside for a little as well. It counts as a
//! passage if it is deeper than [`SHALLOW`] of its length, or if it comes out on the other side, which
//! the normals near the surface tell, however thin the obstacle is.

use crate::obstacle::Obstacle;
use glam::DVec3;

/// Depth of a way that cuts an edge, by its length.
const SHALLOW: f64 = 0.1;

/// Part of the distance that a stride takes: the distances of some surfaces are estimates.
const CAREFUL: f64 = 0.7;

/// The shortest stride near a surface, by the length of the way.
const SHORTEST: f64 = 1.0 / 64.0;

/// The cosine between the normals at both ends of a way along a surface, at least.
const ALONG: f64 = 0.9;

/// The cosine between normals on opposite sides, at most.
const OPPOSITE: f64 = -0.5;

/// Whether the straight way of a node from `start` to `end` passes through an obstacle. Depths up to
/// `slack` are none, in metres.
pub(crate) fn passes_through(obstacle: &Obstacle, start: DVec3, end: DVec3, slack: f64) -> bool {
    let way = end - start;
    let length = way.length();
    if length <= slack {
        return false;
    }
    let is_near = |distance: f64| length > distance && distance >= -slack;
    if !is_near(obstacle.distance(end)) {
        return false;
    }
    let (distance, first_normal) = obstacle.distance_and_normal(start);
    if !is_near(distance) {
        return false;
    }
    let shallow = slack.max(SHALLOW * length);
    // Most nodes near a surface slide along it.
    let last_normal = obstacle.normal(end);
    let slides = first_normal.dot(last_normal) > ALONG;
    if slides && obstacle.distance(0.5 * (start + end)) > -shallow {
        return false;
    }
    let shortest = (SHORTEST * length).max(slack);
    let mut side: Option<DVec3> = None;
    let mut done = 0.0;
    while done < length {
        let place = start + way * (done / length);
        let distance = obstacle.distance(place);
        if distance < -shallow {
            return true;
        }
        if distance > length - done {
            // Nothing more is met.
            break;
        }
        if distance < shortest {
            let normal = obstacle.normal(place);
            if side.get_or_insert(normal).dot(normal) < OPPOSITE {
                return true;
            }
        }
        done += (CAREFUL * distance).max(shortest);
    }
    side.is_some_and(|side| side.dot(last_normal) < OPPOSITE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::obstacle::{Cuboid, ImplicitSurface, Plane, Sphere};

    fn slab(thickness: f64) -> Obstacle {
        let size = DVec3::new(2.0, 2.0, thickness);
        Obstacle::new("slab", Box::new(Cuboid::new(DVec3::ZERO, size).unwrap()))
    }

    fn passes(obstacle: &Obstacle, start: [f64; 3], end: [f64; 3]) -> bool {
        passes_through(obstacle, start.into(), end.into(), 1e-6)
    }

    #[test]
    fn a_way_through_a_slab_is_found_however_thin_it_is() {
        for thickness in [0.5, 0.03, 1e-3, 1e-5] {
            let slab = slab(thickness);
            assert!(passes(&slab, [0.1, 0.2, 0.6], [0.3, 0.1, -0.5]));
            assert!(!passes(&slab, [0.1, 0.2, 0.6], [0.3, 0.1, 0.4]));
            // Past it.
            assert!(!passes(&slab, [1.2, 0.0, 0.6], [1.1, 0.1, -0.5]));
        }
    }

    #[test]
    fn a_way_over_an_edge_or_along_a_curved_surface_is_none() {
        let slab = slab(0.5);
        assert!(!passes(&slab, [0.9, 0.0, 0.2501], [1.0001, 0.0, 0.24]));
        let ball = Obstacle::new("ball", Box::new(Sphere::new(DVec3::ZERO, 1.0).unwrap()));
        let at = |angle: f64| [1.0001 * angle.sin(), 0.0, 1.0001 * angle.cos()];
        assert!(!passes(&ball, at(0.0), at(0.3)));
        assert!(passes(&ball, at(0.0), at(2.0)));
        let floor = Plane::new(DVec3::Z, DVec3::ZERO).unwrap();
        let floor = Obstacle::new("floor", Box::new(floor));
        assert!(!passes(&floor, [0.0, 0.0, 1.0], [3.0, 0.0, 0.0]));
    }

    #[test]
    fn what_starts_inside_has_not_passed() {
        let slab = slab(0.5);
        assert!(!passes(&slab, [0.0, 0.0, 0.1], [0.0, 0.0, -0.5]));
    }

    #[test]
    fn a_way_that_can_do_no_harm_cuts_in_by_little() {
        let ball = Sphere::new(DVec3::ZERO, 2.0).unwrap();
        let length = ball.longest_harmless_way();
        assert!(length > 0.0);
        for step in 0..200 {
            let turn = DVec3::new((step as f64).sin(), (1.7 * step as f64).cos(), 0.4).normalize();
            let along = turn.any_orthonormal_vector();
            let share = 0.5 * length * (step + 1) as f64 / 200.0;
            // Both ends on the surface: the deepest way of its length.
            let height = (4.0 - share * share).sqrt();
            let [start, end] = [-share, share].map(|s| height * turn + s * along);
            let middle = 0.5 * (start + end);
            assert!(ball.distance(middle) > -0.1 * 2.0 * share, "{share}");
            let obstacle = Obstacle::new("ball", Box::new(ball.clone()));
            assert!(!passes_through(&obstacle, start, end, 1e-6), "{share}");
        }
    }
}
