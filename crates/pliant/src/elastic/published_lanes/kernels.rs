//! The inner loops: eight nodes at a time.

use super::*;

for_this_processor! {
    /// a_ij, the forces they exert and what of them is implicit.
    pub(super) fn tension_kernel(
        edges: &[Read<3>; 2],
        constants: &[f64],
        forces: [Write<3>; 2],
        implicit: Write<3>,
    ) {
        let (mut forces, mut implicit) = (forces, implicit);
        let (zero, half, two) = (Pack::splat(0.0), Pack::splat(0.5), Pack::splat(2.0));
        for i in packs(implicit[0].len()) {
            let (d1, d2) = (at(&edges[0], i), at(&edges[1], i));
            let (g11, g22, g12) = (dot(d1, d1), dot(d2, d2), dot(d1, d2));
            let w = three_of(constants, STRETCHING * i);
            let rest = three_of(constants, STRETCHING * i + 3 * PACK);
            let x = w[0] * (g11 - rest[0]);
            let y = w[1] * (g22 - rest[1]);
            let z = w[2] * (g12 - rest[2]);
            put(&mut forces[0], i, combine(d1, x, d2, z));
            put(&mut forces[1], i, combine(d1, z, d2, y));
            // The positive part of the tensor (see `positive_part`), without branches.
            let mean = half * (x + y);
            let spread = half * (x - y);
            let radius = (spread * spread + z * z).sqrt();
            let high = (mean + radius).max(zero);
            let low = (mean - radius).min(zero);
            let factor = high / (high - low).max(Pack::splat(f64::MIN_POSITIVE));
            let (h1, h2) = (g11.max(rest[0]), g22.max(rest[1]));
            let values = [
                factor * (x - low) + two * w[0] * h1 + w[2] * h2,
                factor * (y - low) + two * w[1] * h2 + w[2] * h1,
                factor * z,
            ];
            for (lane, value) in implicit.iter_mut().zip(values) {
                value.store(lane, i);
            }
        }
    }
}

for_this_processor! {
    /// b_ij, the moments b_ij x_ij and what of b_ij is implicit.
    pub(super) fn rigidity_kernel(
        edges: &[Read<3>; 5],
        inverse_spacing: [f64; 2],
        constants: &[f64],
        moments: [Write<3>; 3],
        implicit: Write<3>,
    ) {
        let mut moments = moments;
        let [i0, i1] = inverse_spacing;
        for i in packs(implicit[0].len()) {
            let (e, f) = (at(&edges[0], i), at(&edges[1], i));
            let (g, h) = (at(&edges[2], i), at(&edges[3], i));
            let above = at(&edges[4], i);
            let rigidity = three_of(constants, BENDING * i);
            let rest = three_of(constants, BENDING * i + 3 * PACK);
            let share = [
                Pack::load(constants, BENDING * i + 6 * PACK),
                Pack::load(constants, BENDING * i + 7 * PACK),
                Pack::load(constants, BENDING * i + 8 * PACK),
                Pack::load(constants, BENDING * i + 9 * PACK),
            ];
            let a = combine(e, share[0], f, share[1]);
            let b = combine(g, share[2], h, share[3]);
            let normal = cross(a, b);
            let length = dot(normal, normal).sqrt().max(Pack::splat(1e-100));
            let inverse = Pack::splat(1.0) / length;
            let differences = [
                difference_of(f, e, i0),
                difference_of(h, g, i1),
                difference_of(above, f, i1),
            ];
            for p in 0..3 {
                let difference = differences[p];
                let residual = inverse * dot(normal, difference) - rest[p];
                let w = rigidity[p];
                let b = w * residual.abs();
                put(&mut moments[p], i, scaled(difference, b));
                let size = difference[0].abs() + difference[1].abs() + difference[2].abs();
                (b + w * size).store(implicit[p], i);
            }
        }
    }
}

for_this_processor! {
    pub(super) fn add_differences(target: &mut [f64], from: Read<4>, scales: [f64; 2]) {
        let n = target.len();
        let from = from.map(|lane| &lane[..n]);
        for i in 0..n {
            target[i] += scales[0] * (from[0][i] - from[1][i]) + scales[1] * (from[2][i] - from[3][i]);
        }
    }
}

for_this_processor! {
    /// Weights of the pairs along one direction.
    pub(super) fn axis_weights(
        weights: &mut [f64],
        tension: Read<2>,
        along: Read<2>,
        twist: Read<2>,
        inverse_spacing: [f64; 2],
    ) {
        let n = weights.len();
        let tension = tension.map(|lane| &lane[..n]);
        let along = along.map(|lane| &lane[..n]);
        let twist = twist.map(|lane| &lane[..n]);
        let [i0, i1] = inverse_spacing;
        let (q0, q01) = (i0 * i0, i0 * i1);
        for i in 0..n {
            weights[i] = q0 * tension[0][i]
                + q01 * tension[1][i]
                + 2.0 * q0 * q0 * (along[0][i] + along[1][i])
                + q01 * q01 * (twist[0][i] + twist[1][i]);
        }
    }
}

for_this_processor! {
    pub(super) fn diagonal_weights(weights: &mut [f64], tension: &[f64], rigidity: &[f64], scales: [f64; 2]) {
        for ((weight, tension), rigidity) in weights.iter_mut().zip(tension).zip(rigidity) {
            *weight = scales[0] * tension + scales[1] * rigidity;
        }
    }
}

for_this_processor! {
    pub(super) fn negate(from: &[f64], to: &mut [f64]) {
        for (to, from) in to.iter_mut().zip(from) {
            *to = -from;
        }
    }
}

for_this_processor! {
    /// The weights of all pairs of a node: those that start and those that end there.
    pub(super) fn sum_weights(diagonal: &mut [f64], ahead: &Read<6>, behind: &Read<6>, count: usize) {
        let n = diagonal.len();
        for f in 0..count {
            let (ahead, behind) = (&ahead[f][..n], &behind[f][..n]);
            if f == 0 {
                for i in 0..n {
                    diagonal[i] = ahead[i] + behind[i];
                }
            } else {
                for i in 0..n {
                    diagonal[i] += ahead[i] + behind[i];
                }
            }
        }
    }
}
