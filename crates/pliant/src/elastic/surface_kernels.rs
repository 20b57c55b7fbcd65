//! Kernels of the exact energy of open surfaces: edge vectors in, edge forces and weights out.
//!
//! Metric of edges and corners, twist of cells, bending at nodes; see `lanes.rs` for the lanes and
//! `metric.rs`, `normal_curvature.rs` for the formulas.

use super::lanes::{
    Read, Vectors, Write, at, at4, combine, cross, difference_of, dot, packs, plus_scaled, put,
    scaled,
};
use super::normal_curvature::{NORMAL_SHARE, normalisation};
use crate::math::processor::for_this_processor;
use crate::math::vector::Pack;

/// Unit normal and |a x b| of the rest shape; harmless numbers where there is no cell.
pub(super) fn rest_normal(a: Vectors, b: Vectors) -> (Vectors, Pack) {
    let normal = cross(a, b);
    let area = dot(normal, normal).sqrt().max(Pack::splat(1e-100));
    (scaled(normal, Pack::splat(1.0) / area), area)
}

for_this_processor! {
    pub(super) fn add_two(target: &mut [f64], one: &[f64], two: &[f64]) {
        for ((target, one), two) in target.iter_mut().zip(one).zip(two) {
            *target += one + two;
        }
    }
}

for_this_processor! {
    /// ½ k (|D|² - G⁰)² and its majorant.
    pub(super) fn edge_kernel(
        edges: Read<3>,
        stiffness: &[f64],
        rest: &[f64],
        forces: Write<3>,
        weights: &mut [f64],
        energy: &mut Pack,
    ) {
        let mut forces = forces;
        let mut sum = Pack::ZERO;
        let (two, four) = (Pack::splat(2.0), Pack::splat(4.0));
        for i in packs(weights.len()) {
            let edge = at(&edges, i);
            let (k, rest) = (Pack::load(stiffness, i), Pack::load(rest, i));
            let metric = dot(edge, edge);
            let residual = metric - rest;
            sum = sum + k * residual * residual;
            put(&mut forces, i, scaled(edge, two * k * residual));
            let weight = four * metric.max(rest) + two * residual.max(Pack::splat(0.0));
            (k * weight).store(weights, i);
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}

for_this_processor! {
    /// ½ k (D_1 · D_2 - G⁰)² at the four corners of cells, and its majorant.
    pub(super) fn corner_kernel(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        stiffness: Read<4>,
        rest: Read<4>,
        forces: [Write<3>; 4],
        weights: Write<4>,
        energy: &mut Pack,
    ) {
        let (mut forces, mut weights) = (forces, weights);
        let mut sum = Pack::ZERO;
        // 2 |dD_1||dD_2| is split into squares that are equal for equal displacements.
        let across = Pack::splat(inverse_spacing[1] / inverse_spacing[0]);
        let along = Pack::splat(inverse_spacing[0] / inverse_spacing[1]);
        let two = Pack::splat(2.0);
        for i in packs(weights[0].len()) {
            let (bottom, top) = (at(&edges[0], i), at(&edges[1], i));
            let (left, right) = (at(&edges[2], i), at(&edges[3], i));
            let (k, rest) = (at4(&stiffness, i), at4(&rest, i));
            let residual = [
                dot(bottom, left) - rest[0],
                dot(bottom, right) - rest[1],
                dot(top, left) - rest[2],
                dot(top, right) - rest[3],
            ];
            let (bl, br) = (k[0] * residual[0], k[1] * residual[1]);
            let (tl, tr) = (k[2] * residual[2], k[3] * residual[3]);
            sum = sum + bl * residual[0] + br * residual[1] + tl * residual[2] + tr * residual[3];
            put(&mut forces[0], i, combine(left, bl, right, br));
            put(&mut forces[1], i, combine(left, tl, right, tr));
            put(&mut forces[2], i, combine(bottom, bl, top, tl));
            put(&mut forces[3], i, combine(bottom, br, top, tr));
            let (b2, t2) = (dot(bottom, bottom), dot(top, top));
            let (l2, r2) = (dot(left, left), dot(right, right));
            let values = [
                two * (k[0] * l2 + k[1] * r2) + across * (bl.abs() + br.abs()),
                two * (k[2] * l2 + k[3] * r2) + across * (tl.abs() + tr.abs()),
                two * (k[0] * b2 + k[2] * t2) + along * (bl.abs() + tl.abs()),
                two * (k[1] * b2 + k[3] * t2) + along * (br.abs() + tr.abs()),
            ];
            for (lane, value) in weights.iter_mut().zip(values) {
                value.store(lane, i);
            }
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}

/// Everything about one curvature measure that its forces and weights need.
pub(super) struct Bend {
    /// k r.
    force: Pack,
    /// k r².
    twice_energy: Pack,
    /// n c.
    pub normal: Vectors,
    pub by_a: Vectors,
    pub by_b: Vectors,
    /// Weights for |da|², |db|² and |dd|².
    of_a: Pack,
    of_b: Pack,
    of_difference: Pack,
}

/// The normal of tangents a and b, shared by the curvatures of a node.
pub(super) struct TangentFrame {
    a: Vectors,
    b: Vectors,
    a2: Pack,
    b2: Pack,
    pub n: Vectors,
    /// 1 / L.
    inverse: Pack,
    longest: Pack,
}

#[inline(always)]
pub(super) fn frame(a: Vectors, b: Vectors, smoothing: Pack) -> TangentFrame {
    let area_vector = cross(a, b);
    // Margins have no smoothing: keep them finite.
    let area = (dot(area_vector, area_vector) + smoothing).max(Pack::splat(1e-200));
    let inverse = Pack::splat(1.0) / area.sqrt();
    let (a2, b2) = (dot(a, a), dot(b, b));
    TangentFrame {
        a,
        b,
        a2,
        b2,
        n: scaled(area_vector, inverse),
        inverse,
        longest: a2.max(b2).sqrt().max(Pack::splat(1e-100)),
    }
}

/// B = n · d; `balance` is that of `NormalPattern`.
#[inline(always)]
pub(super) fn bend(
    frame: &TangentFrame,
    d: Vectors,
    stiffness: Pack,
    rest: Pack,
    balance: f64,
) -> Bend {
    let c = Pack::splat(normalisation());
    let inverse = frame.inverse;
    let d = scaled(d, c);
    let s = dot(frame.n, d);
    let t = combine(d, inverse, frame.n, Pack::splat(0.0) - s * inverse);
    let by_a = cross(frame.b, t);
    let by_b = cross(t, frame.a);
    let r = s - rest;
    let d_length = dot(d, d).sqrt();
    let size = r.abs() * stiffness;
    let factor = Pack::splat(2.0 * (1.0 + 1.0 / NORMAL_SHARE)) * stiffness;
    // See `NormalCurvature::majorant`: ρ = balance / max(|a|, |b|).
    let rho = Pack::splat(2.0 * balance) / frame.longest;
    let product = size * inverse * (rho + Pack::splat(6.0) * d_length * inverse);
    let mixed = size * d_length * inverse;
    Bend {
        force: stiffness * r,
        twice_energy: stiffness * r * r,
        normal: scaled(frame.n, c),
        by_a,
        by_b,
        of_a: factor * dot(by_a, by_a) + product * frame.b2 + mixed,
        of_b: factor * dot(by_b, by_b) + product * frame.a2 + mixed,
        of_difference: size * inverse * frame.longest * Pack::splat(1.0 / balance),
    }
}

for_this_processor! {
    /// B_12 in cells; adds to forces and weights. `values` are k, B⁰ and δ² L0².
    pub(super) fn twist_kernel(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        values: Read<3>,
        forces: [Write<3>; 4],
        weights: Write<4>,
        energy: &mut Pack,
    ) {
        let (mut forces, mut weights) = (forces, weights);
        let mut sum = Pack::ZERO;
        let [i0, i1] = inverse_spacing;
        let balance = (2.0 * i0 * i1).sqrt();
        let half = Pack::splat(0.5);
        for i in packs(weights[0].len()) {
            let (bottom, top) = (at(&edges[0], i), at(&edges[1], i));
            let (left, right) = (at(&edges[2], i), at(&edges[3], i));
            let frame = frame(
                combine(bottom, half, top, half),
                combine(left, half, right, half),
                Pack::load(values[2], i),
            );
            let d = difference_of(top, bottom, i1);
            let bend = bend(
                &frame,
                d,
                Pack::load(values[0], i),
                Pack::load(values[1], i),
                balance,
            );
            sum = sum + bend.twice_energy;
            let by_a = scaled(bend.by_a, half * bend.force);
            let by_b = scaled(bend.by_b, half * bend.force);
            let along = scaled(bend.normal, Pack::splat(i1) * bend.force);
            for c in 0..3 {
                let values = [by_a[c] - along[c], by_a[c] + along[c], by_b[c], by_b[c]];
                for (force, value) in forces.iter_mut().zip(values) {
                    (Pack::load(force[c], i) + value).store(force[c], i);
                }
            }
            let of_a = half * bend.of_a + Pack::splat(i1 * i1) * bend.of_difference;
            let of_b = half * bend.of_b + Pack::splat(i0 * i0) * bend.of_difference;
            for (lane, value) in weights.iter_mut().zip([of_a, of_a, of_b, of_b]) {
                (Pack::load(lane, i) + value).store(lane, i);
            }
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}

for_this_processor! {
    /// B_11 + γ B_22 and B_22 at nodes. `values` are the k of both, the B⁰ of both, δ² L0² and γ.
    pub(super) fn star_kernel(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        shares: Read<4>,
        values: Read<6>,
        forces: [Write<3>; 4],
        weights: Write<4>,
        energy: &mut Pack,
    ) {
        let (mut forces, mut weights) = (forces, weights);
        let mut sum = Pack::ZERO;
        let [i0, i1] = inverse_spacing;
        let root = std::f64::consts::SQRT_2;
        let (q0, q1) = (Pack::splat(2.0 * i0 * i0), Pack::splat(2.0 * i1 * i1));
        for i in packs(weights[0].len()) {
            let (e, f) = (at(&edges[0], i), at(&edges[1], i));
            let (g, h) = (at(&edges[2], i), at(&edges[3], i));
            let share = at4(&shares, i);
            let (k0, k1) = (Pack::load(values[0], i), Pack::load(values[1], i));
            let (rest0, rest1) = (Pack::load(values[2], i), Pack::load(values[3], i));
            let frame = frame(
                combine(e, share[0], f, share[1]),
                combine(g, share[2], h, share[3]),
                Pack::load(values[4], i),
            );
            let coupling = Pack::load(values[5], i);
            let across = difference_of(h, g, i1);
            let along = plus_scaled(difference_of(f, e, i0), across, coupling);
            let one = bend(&frame, along, k0, rest0, root * i0);
            let two = bend(&frame, across, k1, rest1, root * i1);
            sum = sum + one.twice_energy + two.twice_energy;
            let by_a = combine(one.by_a, one.force, two.by_a, two.force);
            let by_b = combine(one.by_b, one.force, two.by_b, two.force);
            let along = scaled(one.normal, Pack::splat(i0) * one.force);
            let across = scaled(two.normal, Pack::splat(i1) * (two.force + coupling * one.force));
            let plus = Pack::splat(1.0);
            put(&mut forces[0], i, combine(by_a, share[0], along, Pack::splat(-1.0)));
            put(&mut forces[1], i, combine(by_a, share[1], along, plus));
            put(&mut forces[2], i, combine(by_b, share[2], across, Pack::splat(-1.0)));
            put(&mut forces[3], i, combine(by_b, share[3], across, plus));
            // |share e + (1 - share) f|² <= share |e|² + (1 - share) |f|².
            let of_a = one.of_a + two.of_a;
            let of_b = one.of_b + two.of_b;
            // |d1 + γ d2|² <= (1 + |γ|) (|d1|² + |γ| |d2|²).
            let size = coupling.abs();
            let of_along = one.of_difference + size * one.of_difference;
            let of_across = two.of_difference + size * of_along;
            let values = [
                share[0] * of_a + q0 * of_along,
                share[1] * of_a + q0 * of_along,
                share[2] * of_b + q1 * of_across,
                share[3] * of_b + q1 * of_across,
            ];
            for (lane, value) in weights.iter_mut().zip(values) {
                value.store(lane, i);
            }
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}
