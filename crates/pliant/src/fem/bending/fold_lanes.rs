//! Angles of hinges and their derivatives, eight at a time: the formulas of `fold.rs`.

use super::fold::SMALLEST;
use crate::math::lane_angle::angles;
use crate::math::lane_matrix::{Vectors, cross, dot, minus, places};
use crate::math::processor::for_this_processor;
use crate::math::vector::{PACK, Pack};
use glam::DVec3;

/// The nodes of eight hinges; where there are fewer, the last ones are copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct FoldPack {
    nodes: [[u32; PACK]; 4],
}

/// Eight hinges as they are: see `Fold`.
struct Folds {
    edge: Vectors,
    square: Pack,
    /// The opposite corners, from the start of the edge.
    corners: [Vectors; 2],
    normals: [Vectors; 2],
}

impl FoldPack {
    /// Packs of hinges with these nodes.
    pub(super) fn all(hinges: &[[u32; 4]]) -> Vec<Self> {
        let packs = hinges.chunks(PACK).map(|hinges| Self {
            nodes: std::array::from_fn(|corner| {
                std::array::from_fn(|lane| hinges[lane.min(hinges.len() - 1)][corner])
            }),
        });
        packs.collect()
    }

    #[inline(always)]
    fn folds(&self, positions: &[DVec3]) -> Folds {
        let start = places(positions, &self.nodes[0]);
        let edge = minus(places(positions, &self.nodes[1]), start);
        let a = minus(places(positions, &self.nodes[2]), start);
        let b = minus(places(positions, &self.nodes[3]), start);
        Folds {
            edge,
            square: dot(edge, edge),
            corners: [a, b],
            normals: [cross(edge, a), cross(b, edge)],
        }
    }
}

#[inline(always)]
fn scaled(v: Vectors, factor: Pack) -> Vectors {
    [v[0] * factor, v[1] * factor, v[2] * factor]
}

#[inline(always)]
fn inverse_above(value: Pack, smallest: Pack) -> Pack {
    let smallest = smallest.max(Pack::splat(f64::MIN_POSITIVE));
    value.choose_above(smallest, Pack::splat(1.0) / value, Pack::ZERO)
}

#[inline(always)]
fn vector(v: Vectors, lane: usize) -> DVec3 {
    DVec3::new(v[0].lane(lane), v[1].lane(lane), v[2].lane(lane))
}

for_this_processor! {
    /// θ of the hinges of packs.
    pub(super) fn find_angles(packs: &[FoldPack], positions: &[DVec3], found: &mut [f64]) {
        for (pack, found) in packs.iter().zip(found.chunks_mut(PACK)) {
            let folds = pack.folds(positions);
            let [a, b] = folds.normals;
            let sine = dot(folds.edge, cross(a, b));
            let cosine = folds.square.sqrt() * dot(a, b);
            let angles = angles(sine, cosine).to_array();
            for (found, angle) in found.iter_mut().zip(angles) {
                *found = angle;
            }
        }
    }
}

for_this_processor! {
    /// ∂θ/∂x of the four nodes of the hinges of packs.
    pub(super) fn find_slopes(packs: &[FoldPack], positions: &[DVec3], found: &mut [[DVec3; 4]]) {
        for (pack, found) in packs.iter().zip(found.chunks_mut(PACK)) {
            let folds = pack.folds(positions);
            let (length, smallest) = (folds.square.sqrt(), Pack::splat(SMALLEST) * folds.square);
            let by_square = inverse_above(folds.square, Pack::ZERO);
            let [a, b] = folds.normals;
            let shrunk = Pack::ZERO - length;
            let a = scaled(a, shrunk * inverse_above(dot(a, a), smallest * smallest));
            let b = scaled(b, shrunk * inverse_above(dot(b, b), smallest * smallest));
            let along = [
                dot(folds.corners[0], folds.edge) * by_square,
                dot(folds.corners[1], folds.edge) * by_square,
            ];
            let end = minus(scaled(a, Pack::ZERO - along[0]), scaled(b, along[1]));
            for (lane, found) in found.iter_mut().enumerate() {
                let (end, a, b) = (vector(end, lane), vector(a, lane), vector(b, lane));
                *found = [-end - a - b, end, a, b];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::fold::Fold;
    use super::*;

    /// Hinges between points of no pattern, some of them without area or with an edge of no length.
    #[test]
    fn lanes_are_the_formulas_they_stand_for() {
        let mut positions: Vec<DVec3> = (0..40)
            .map(|i| {
                let t = f64::from(i);
                DVec3::new((1.3 * t).sin(), (2.1 * t + 0.4).cos(), (0.7 * t * t).sin())
            })
            .collect();
        positions[5] = positions[4];
        positions[10] = 0.5 * (positions[8] + positions[9]);
        for count in [1, 3, 8, 13, 32] {
            let hinges: Vec<[u32; 4]> = (0..count).map(|i| [i, i + 1, i + 2, i + 3]).collect();
            let packs = FoldPack::all(&hinges);
            let mut angles = vec![f64::NAN; hinges.len()];
            let mut slopes = vec![[DVec3::NAN; 4]; hinges.len()];
            find_angles(&packs, &positions, &mut angles);
            find_slopes(&packs, &positions, &mut slopes);
            for ((nodes, angle), slopes) in hinges.iter().zip(angles).zip(slopes) {
                let fold = Fold::new(&positions, nodes);
                assert!((angle - fold.angle()).abs() <= 2e-15, "{nodes:?}: {angle}");
                for (found, wanted) in slopes.iter().zip(fold.slopes()) {
                    let error = (*found - wanted).length();
                    assert!(
                        error <= 1e-14 * wanted.length(),
                        "{nodes:?}: {found} {wanted}"
                    );
                }
            }
        }
    }
}
