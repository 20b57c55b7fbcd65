//! The exact energy of an open surface alone, without forces and weights: what checks of the energy
//! ask for, at a third of the cost of all of them.
//!
//! Formulas and sums are those of `surface_kernels.rs`, so that both give the same bits.

use super::lanes::{
    Edges, Read, at, at4, combine, difference_of, dot, packs, plus_scaled, read3, scaled,
};
use super::normal_curvature::normalisation;
use super::surface_constants::{BendingLanes, MetricLanes};
use super::surface_kernels::frame;
use crate::math::processor::for_this_processor;
use crate::math::vector::Pack;

/// The energy of a surface with these edges, in joules, in eight parts.
pub(super) fn energy_of(
    edges: &Edges,
    metric: &MetricLanes,
    bending: Option<&BendingLanes>,
) -> Pack {
    let layout = edges.layout;
    let row = layout.row as isize;
    let mut energy = Pack::ZERO;
    for (direction, lanes) in [&edges.first, &edges.second].into_iter().enumerate() {
        edge_energy(
            read3(lanes, &layout, 0),
            metric.edge_stiffness[direction].values(&layout),
            metric.edge_rest[direction].values(&layout),
            &mut energy,
        );
    }
    let cells = [
        read3(&edges.first, &layout, 0),
        read3(&edges.first, &layout, row),
        read3(&edges.second, &layout, 0),
        read3(&edges.second, &layout, 1),
    ];
    corner_energy(
        &cells,
        metric
            .corner_stiffness
            .each_ref()
            .map(|k| k.values(&layout)),
        metric.corner_rest.each_ref().map(|s| s.values(&layout)),
        &mut energy,
    );
    let Some(bending) = bending else {
        return energy;
    };
    twist_energy(
        &cells,
        edges.inverse_spacing[1],
        [
            bending.twist_stiffness.values(&layout),
            bending.twist_rest.values(&layout),
            bending.twist_smoothing.values(&layout),
        ],
        &mut energy,
    );
    star_energy(
        &[
            read3(&edges.first, &layout, -1),
            read3(&edges.first, &layout, 0),
            read3(&edges.second, &layout, -row),
            read3(&edges.second, &layout, 0),
        ],
        edges.inverse_spacing,
        bending.shares(&layout),
        [
            bending.star_stiffness[0].values(&layout),
            bending.star_stiffness[1].values(&layout),
            bending.star_rest[0].values(&layout),
            bending.star_rest[1].values(&layout),
            bending.star_smoothing.values(&layout),
            bending.star_coupling.values(&layout),
        ],
        &mut energy,
    );
    energy
}

for_this_processor! {
    /// ½ k (|D|² - G⁰)².
    fn edge_energy(edges: Read<3>, stiffness: &[f64], rest: &[f64], energy: &mut Pack) {
        let mut sum = Pack::ZERO;
        for i in packs(stiffness.len()) {
            let edge = at(&edges, i);
            let residual = dot(edge, edge) - Pack::load(rest, i);
            sum = sum + Pack::load(stiffness, i) * residual * residual;
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}

for_this_processor! {
    /// ½ k (D_1 · D_2 - G⁰)² at the four corners of cells.
    fn corner_energy(edges: &[Read<3>; 4], stiffness: Read<4>, rest: Read<4>, energy: &mut Pack) {
        let mut sum = Pack::ZERO;
        for i in packs(stiffness[0].len()) {
            let (bottom, top) = (at(&edges[0], i), at(&edges[1], i));
            let (left, right) = (at(&edges[2], i), at(&edges[3], i));
            let products = [
                dot(bottom, left),
                dot(bottom, right),
                dot(top, left),
                dot(top, right),
            ];
            for (corner, product) in products.into_iter().enumerate() {
                let residual = product - Pack::load(rest[corner], i);
                sum = sum + Pack::load(stiffness[corner], i) * residual * residual;
            }
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}

for_this_processor! {
    /// ½ k (B_12 - B⁰)² in cells. `values` are k, B⁰ and δ² L0².
    fn twist_energy(edges: &[Read<3>; 4], across: f64, values: Read<3>, energy: &mut Pack) {
        let mut sum = Pack::ZERO;
        let half = Pack::splat(0.5);
        let c = Pack::splat(normalisation());
        for i in packs(values[0].len()) {
            let (bottom, top) = (at(&edges[0], i), at(&edges[1], i));
            let (left, right) = (at(&edges[2], i), at(&edges[3], i));
            let frame = frame(
                combine(bottom, half, top, half),
                combine(left, half, right, half),
                Pack::load(values[2], i),
            );
            let d = scaled(difference_of(top, bottom, across), c);
            let r = dot(frame.n, d) - Pack::load(values[1], i);
            sum = sum + Pack::load(values[0], i) * r * r;
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}

for_this_processor! {
    /// ½ k (B_11 + γ B_22 - B⁰)² and ½ k (B_22 - B⁰)² at nodes. `values` are the k of both, the B⁰ of
    /// both, δ² L0² and γ.
    fn star_energy(
        edges: &[Read<3>; 4],
        inverse_spacing: [f64; 2],
        shares: Read<4>,
        values: Read<6>,
        energy: &mut Pack,
    ) {
        let mut sum = Pack::ZERO;
        let [i0, i1] = inverse_spacing;
        let c = Pack::splat(normalisation());
        for i in packs(values[0].len()) {
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
            let across = difference_of(h, g, i1);
            let along = plus_scaled(difference_of(f, e, i0), across, Pack::load(values[5], i));
            let one = dot(frame.n, scaled(along, c)) - rest0;
            let two = dot(frame.n, scaled(across, c)) - rest1;
            sum = sum + k0 * one * one + k1 * two * two;
        }
        *energy = *energy + sum * Pack::splat(0.5);
    }
}
