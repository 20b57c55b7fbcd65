//! A point and a triangle.
//!
//! With u = b - a, v = c - a, w = p - a and N = u x v the barycentric coordinates of the projection
//! on the plane are beta = (w x v) . N / |N|^2, gamma = (u x w) . N / |N|^2, alpha = 1 - beta - gamma.
//! If none is negative the projection is the closest point; else the closest point is on an edge.

use super::Closest;
use super::point_edge::{parameter, smallest};
use glam::DVec3;

/// The sine of the smallest angle below which the projection is compared with the edges too: the
/// normal of a sliver is inaccurate.
const SLIVER: f64 = 1e-3;

pub(super) fn closest(p: DVec3, [a, b, c]: [DVec3; 3]) -> Closest {
    let (u, v, w) = (b - a, c - a, p - a);
    let normal = u.cross(v);
    let squared = normal.length_squared();
    let mut best = Closest {
        squared_distance: f64::INFINITY,
        weights: [1.0, -1.0, 0.0, 0.0],
    };
    let beta = w.cross(v).dot(normal) / squared;
    let gamma = u.cross(w).dot(normal) / squared;
    let alpha = 1.0 - beta - gamma;
    if alpha >= 0.0 && beta >= 0.0 && gamma >= 0.0 {
        let height = w.dot(normal);
        let longest = u.length_squared().max(v.length_squared());
        let inside = Closest {
            squared_distance: (w - beta * u - gamma * v).length_squared(),
            weights: [1.0, -alpha, -beta, -gamma],
        };
        if squared > SLIVER * SLIVER * longest * longest {
            // The height over the plane has no cancellation between large terms.
            let squared_distance = height * height / squared;
            return Closest {
                squared_distance,
                ..inside
            };
        }
        best = inside;
    }
    let sides = [parameter(w, u), parameter(w, v), parameter(p - b, c - b)];
    let squares = [
        sides[0].1.length_squared(),
        sides[1].1.length_squared(),
        sides[2].1.length_squared(),
    ];
    let Some(place) = smallest(squares, best.squared_distance) else {
        return best;
    };
    let t = sides[place].0;
    Closest {
        squared_distance: squares[place],
        weights: match place {
            0 => [1.0, t - 1.0, -t, 0.0],
            1 => [1.0, t - 1.0, 0.0, -t],
            _ => [1.0, 0.0, t - 1.0, -t],
        },
    }
}
