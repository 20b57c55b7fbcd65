//! Two edges.
//!
//! With u = a1 - a0, v = b1 - b0, w = b0 - a0 and N = u x v the lines a0 + s u and b0 + t v are
//! closest at s = (w x v) . N / |N|^2 and t = (w x u) . N / |N|^2. If one of them is outside [0, 1],
//! or the edges are parallel, an end of one edge belongs to a closest pair of points.

use super::Closest;
use super::point_edge::{parameter, smallest};
use glam::DVec3;

/// The sine of the angle between the edges below which the interior solution is compared with the
/// ends too: the normal of nearly parallel edges is inaccurate.
const NEARLY_PARALLEL: f64 = 1e-3;

pub(super) fn closest([a0, a1]: [DVec3; 2], [b0, b1]: [DVec3; 2]) -> Closest {
    let (u, v, w) = (a1 - a0, b1 - b0, b0 - a0);
    let normal = u.cross(v);
    let squared = normal.length_squared();
    let mut best = Closest {
        squared_distance: f64::INFINITY,
        weights: [1.0, 0.0, -1.0, 0.0],
    };
    let s = w.cross(v).dot(normal) / squared;
    let t = w.cross(u).dot(normal) / squared;
    if (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t) {
        let inside = Closest {
            squared_distance: (w + t * v - s * u).length_squared(),
            weights: [1.0 - s, s, t - 1.0, -t],
        };
        let lengths = u.length_squared() * v.length_squared();
        if squared > NEARLY_PARALLEL * NEARLY_PARALLEL * lengths {
            // The height along the normal has no cancellation between large terms.
            let height = w.dot(normal);
            let squared_distance = height * height / squared;
            return Closest {
                squared_distance,
                ..inside
            };
        }
        best = inside;
    }
    let ends = [
        parameter(-w, v),
        parameter(a1 - b0, v),
        parameter(w, u),
        parameter(b1 - a0, u),
    ];
    let squares = [
        ends[0].1.length_squared(),
        ends[1].1.length_squared(),
        ends[2].1.length_squared(),
        ends[3].1.length_squared(),
    ];
    let Some(place) = smallest(squares, best.squared_distance) else {
        return best;
    };
    let t = ends[place].0;
    Closest {
        squared_distance: squares[place],
        weights: match place {
            0 => [1.0, 0.0, t - 1.0, -t],
            1 => [0.0, 1.0, t - 1.0, -t],
            2 => [1.0 - t, t, -1.0, 0.0],
            _ => [1.0 - t, t, 0.0, -1.0],
        },
    }
}
