//! The updates of vectors in conjugate gradients on a sheet, with the sums they need.

use super::layout::Layout;
use super::stencil::{starts, starts_mut};
use super::sums::summed;
use crate::math::processor::single_kernel;
use crate::math::vector::Single;

single_kernel! {
    /// r -= alpha q; returns the sums of r r.
    subtract, subtract_at, subtract_body, <>,
    (layout: &Layout, alpha: [f32; 3], q: [&[f32]; 3], r: [&mut [f32]; 3]) -> [f64; 3]
}

#[inline(always)]
unsafe fn subtract_body<V: Single>(
    layout: &Layout,
    alpha: [f32; 3],
    q: [&[f32]; 3],
    r: [&mut [f32]; 3],
) -> [f64; 3] {
    let (q, r) = (starts(layout, q), starts_mut(layout, r));
    // SAFETY: `here` is a node of a row and all planes have the layout.
    unsafe {
        summed::<V, 1>(layout, |here, s, [sums]| {
            for c in 0..3 {
                let change = V::splat(alpha[c]).mul(V::load(q[c].add(here)));
                let value = V::load(r[c].add(here)).sub(change);
                value.store(r[c].add(here));
                sums.add(c, s, value.mul(value));
            }
        })[0]
    }
}

single_kernel! {
    /// The sums of r z.
    dots, dots_at, dots_body, <>,
    (layout: &Layout, r: [&[f32]; 3], z: [&[f32]; 3]) -> [f64; 3]
}

#[inline(always)]
unsafe fn dots_body<V: Single>(layout: &Layout, r: [&[f32]; 3], z: [&[f32]; 3]) -> [f64; 3] {
    let (r, z) = (starts(layout, r), starts(layout, z));
    // SAFETY: `here` is a node of a row and all planes have the layout.
    unsafe {
        summed::<V, 1>(layout, |here, s, [sums]| {
            for c in 0..3 {
                let product = V::load(r[c].add(here)).mul(V::load(z[c].add(here)));
                sums.add(c, s, product);
            }
        })[0]
    }
}

single_kernel! {
    /// x += alpha p, then p = z + beta p; `factors` are alpha and beta.
    add_direction, add_direction_at, add_direction_body, <>,
    (
        layout: &Layout,
        factors: [[f32; 3]; 2],
        z: [&[f32]; 3],
        x: [&mut [f32]; 3],
        p: [&mut [f32]; 3],
    ) -> ()
}

#[inline(always)]
unsafe fn add_direction_body<V: Single>(
    layout: &Layout,
    factors: [[f32; 3]; 2],
    z: [&[f32]; 3],
    x: [&mut [f32]; 3],
    p: [&mut [f32]; 3],
) {
    let z = starts(layout, z);
    let (x, p) = (starts_mut(layout, x), starts_mut(layout, p));
    let [alpha, beta] = factors;
    for at in (0..layout.ny * layout.stride).step_by(V::WIDTH) {
        // SAFETY: `at` is a node of a row and all planes have the layout.
        unsafe {
            for c in 0..3 {
                let direction = V::load(p[c].add(at));
                let change = V::splat(alpha[c]).mul(direction);
                V::load(x[c].add(at)).add(change).store(x[c].add(at));
                let rest = V::splat(beta[c]).mul(direction);
                V::load(z[c].add(at)).add(rest).store(p[c].add(at));
            }
        }
    }
}

single_kernel! {
    /// r -= alpha q; returns the sums of r r / d and of r r, where `inverse` is 1 / d.
    update_residual, update_residual_at, update_residual_body, <>,
    (layout: &Layout, alpha: [f32; 3], q: [&[f32]; 3], inverse: &[f32], r: [&mut [f32]; 3])
        -> [[f64; 3]; 2]
}

#[inline(always)]
unsafe fn update_residual_body<V: Single>(
    layout: &Layout,
    alpha: [f32; 3],
    q: [&[f32]; 3],
    inverse: &[f32],
    r: [&mut [f32]; 3],
) -> [[f64; 3]; 2] {
    let (q, r) = (starts(layout, q), starts_mut(layout, r));
    let [inverse, ..] = starts(layout, [inverse; 3]);
    // SAFETY: `here` is a node of a row and all planes have the layout.
    unsafe {
        summed::<V, 2>(layout, |here, s, [weighted, plain]| {
            let inverse = V::load(inverse.add(here));
            for c in 0..3 {
                let change = V::splat(alpha[c]).mul(V::load(q[c].add(here)));
                let value = V::load(r[c].add(here)).sub(change);
                value.store(r[c].add(here));
                let square = value.mul(value);
                weighted.add(c, s, square.mul(inverse));
                plain.add(c, s, square);
            }
        })
    }
}

single_kernel! {
    /// x += alpha p, then p = r / d + beta p; `factors` are alpha and beta, `inverse` is 1 / d.
    update_direction, update_direction_at, update_direction_body, <>,
    (
        layout: &Layout,
        factors: [[f32; 3]; 2],
        r: [&[f32]; 3],
        inverse: &[f32],
        x: [&mut [f32]; 3],
        p: [&mut [f32]; 3],
    ) -> ()
}

#[inline(always)]
unsafe fn update_direction_body<V: Single>(
    layout: &Layout,
    factors: [[f32; 3]; 2],
    r: [&[f32]; 3],
    inverse: &[f32],
    x: [&mut [f32]; 3],
    p: [&mut [f32]; 3],
) {
    let r = starts(layout, r);
    let (x, p) = (starts_mut(layout, x), starts_mut(layout, p));
    let [inverse, ..] = starts(layout, [inverse; 3]);
    let [alpha, beta] = factors;
    for at in (0..layout.ny * layout.stride).step_by(V::WIDTH) {
        // SAFETY: `at` is a node of a row and all planes have the layout.
        unsafe {
            let inverse = V::load(inverse.add(at));
            for c in 0..3 {
                let direction = V::load(p[c].add(at));
                let change = V::splat(alpha[c]).mul(direction);
                V::load(x[c].add(at)).add(change).store(x[c].add(at));
                let next = V::load(r[c].add(at)).mul(inverse);
                let rest = V::splat(beta[c]).mul(direction);
                next.add(rest).store(p[c].add(at));
            }
        }
    }
}
