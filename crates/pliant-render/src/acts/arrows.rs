//! Pushes and spread loads as solid arrows.

use crate::draw_list::Mesh;
use glam::DVec3;
use std::f64::consts::TAU;

/// Corners of the cross section of an arrow.
const SIDES: usize = 14;

/// Radius of the shaft as a share of the length of a usual arrow; the head is so many times as wide and as
/// many widths long.
const SHAFT: f64 = 0.04;
const HEAD_WIDTH: f64 = 2.6;
const HEAD_LENGTH: f64 = 2.6;

/// Loads are shown by so many arrows at most.
pub(super) const MOST_ARROWS: usize = 10;

/// An arrow from one place to another; `usual` is the length that its thickness goes by, in metres.
pub(super) fn add_arrow(mesh: &mut Mesh, from: DVec3, to: DVec3, usual: f64, origin: DVec3) {
    let length = from.distance(to);
    let Some(axis) = (to - from).try_normalize() else {
        return;
    };
    let (side, up) = axis.any_orthonormal_pair();
    let shaft = (SHAFT * usual).min(0.2 * length);
    let wide = HEAD_WIDTH * shaft;
    let neck = (length - HEAD_LENGTH * wide).max(0.35 * length);
    // Distance from the beginning, radius and slope of the normal; each piece has rings of its own.
    let slope = wide / (length - neck).hypot(wide);
    let pieces = [
        [(0.0, 0.0, -1.0), (0.0, shaft, -1.0)],
        [(0.0, shaft, 0.0), (neck, shaft, 0.0)],
        [(neck, shaft, -1.0), (neck, wide, -1.0)],
        [(neck, wide, slope), (length, 0.0, slope)],
    ];
    for piece in pieces {
        let start = mesh.positions.len() as u32;
        for (along, radius, slope) in piece {
            for k in 0..=SIDES {
                let angle = TAU * k as f64 / SIDES as f64;
                let out = angle.cos() * side + angle.sin() * up;
                let position = from + along * axis + radius * out - origin;
                let normal = (1.0 - slope * slope).max(0.0).sqrt() * out + slope * axis;
                mesh.positions.push(position.as_vec3().to_array());
                mesh.normals.push(normal.as_vec3().to_array());
            }
        }
        let ring = SIDES as u32 + 1;
        for k in 0..SIDES as u32 {
            let (a, b) = (start + k, start + ring + k);
            mesh.triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
}

/// Which of some places stand for all: the first is the one farthest from their middle, each next the one
/// farthest from those before.
pub(super) fn spread_out(places: &[DVec3], most: usize) -> Vec<usize> {
    if places.len() <= most {
        return (0..places.len()).collect();
    }
    let middle = places.iter().sum::<DVec3>() / places.len() as f64;
    let farthest = |far: &[f64]| (0..far.len()).max_by(|a, b| far[*a].total_cmp(&far[*b]));
    let mut far: Vec<f64> = places.iter().map(|place| place.distance(middle)).collect();
    let mut chosen = Vec::new();
    let Some(first) = farthest(&far) else {
        return chosen;
    };
    far.fill(f64::INFINITY);
    let mut next = first;
    while chosen.len() < most {
        chosen.push(next);
        for (distance, place) in far.iter_mut().zip(places) {
            *distance = distance.min(place.distance(places[next]));
        }
        match farthest(&far) {
            Some(index) if far[index] > 0.0 => next = index,
            _ => break,
        }
    }
    chosen
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_arrow_reaches_from_end_to_end_with_its_front_outside() {
        let mut mesh = Mesh::default();
        let (from, to) = (DVec3::new(1.0, 2.0, 3.0), DVec3::new(1.0, 2.0, 5.0));
        add_arrow(&mut mesh, from, to, 2.0, DVec3::ZERO);
        let heights = mesh.positions.iter().map(|place| place[2]);
        let (low, high) = heights.fold((f32::MAX, f32::MIN), |(low, high), z| {
            (low.min(z), high.max(z))
        });
        assert!((low - 3.0).abs() < 1e-6 && (high - 5.0).abs() < 1e-6);
        for triangle in &mesh.triangles {
            let [a, b, c] = triangle.map(|k| glam::Vec3::from(mesh.positions[k as usize]));
            let normal = glam::Vec3::from(mesh.normals[triangle[0] as usize]);
            assert!((b - a).cross(c - a).dot(normal) > -1e-9);
        }
    }

    #[test]
    fn places_that_stand_for_all_lie_far_from_each_other() {
        let places: Vec<DVec3> = (0..100).map(|k| DVec3::X * f64::from(k)).collect();
        let mut chosen = spread_out(&places, 3);
        chosen.sort_unstable();
        assert!(chosen[0] == 0 && chosen[2] == 99);
        assert!((45..=55).contains(&chosen[1]), "{chosen:?}");
        assert_eq!(spread_out(&[DVec3::ZERO; 9], 4).len(), 1);
    }
}
